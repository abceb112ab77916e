//! Bounds against an exhaustive search, schedules against the model's rules, the ascent against all
//! policies.
#![allow(clippy::unwrap_used)]

use std::ops::ControlFlow;

use forebay_parameters::Entry;
use proptest::prelude::*;

use super::*;
use crate::model::{BackingStore, CacheGeometry, ObjectId, at_step, steps};
use crate::offline::{annotate, exhaustive};
use crate::policies::{PolicyConfig, policies};
use crate::simulate::Simulation;

fn solve(trace: &[Request], z: u64, capacity: u64, options: Options) -> Solution {
    let belatedly = Belatedly::new(trace, steps(z), capacity).unwrap();
    let solution = belatedly.solve(options, |_| ControlFlow::Continue(())).unwrap();
    let replayed = solution.schedule.latency(trace, steps(z), capacity);
    assert_eq!(replayed, Ok(solution.upper), "the schedule costs what is said");
    assert!(solution.lower <= solution.upper && solution.upper <= solution.rounded);
    solution
}

fn exactly() -> Options {
    Options { gap: 0.0, rounds: 200, ..Options::default() }
}

fn trace(gaps: &[(u64, u64)]) -> Vec<Request> {
    let mut at = 0;
    let request = |&(gap, object): &(u64, u64)| {
        at += gap;
        Request::new(at_step(at), ObjectId(object))
    };
    gaps.iter().map(request).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn small_instances_are_exact(
        gaps in prop::collection::vec((0_u64..4, 0_u64..4), 0..=12),
        z in 1_u64..12,
        capacity in 0_u64..4,
    ) {
        let trace = trace(&gaps);
        let best = exhaustive(&trace, steps(z), capacity as usize).unwrap().latency;
        let solution = solve(&trace, z, capacity, exactly());
        prop_assert_eq!((solution.lower, solution.upper), (best, best));
    }

    #[test]
    fn bounds_hold_without_a_search(
        gaps in prop::collection::vec((0_u64..3, 0_u64..5), 0..=12),
        z in 1_u64..9,
        capacity in 1_u64..4,
        rounds in 0_u32..30,
    ) {
        let trace = trace(&gaps);
        let best = exhaustive(&trace, steps(z), capacity as usize).unwrap().latency;
        let solution = solve(&trace, z, capacity, Options { rounds, search: 0, ..exactly() });
        prop_assert!(solution.lower <= best && best <= solution.upper);
    }
}

#[test]
fn a_hit_object_is_dropped_if_an_early_miss_is_faster() {
    // Z = 8. B must be cached when it is asked for three times at 12. If A is hit at 9 and 10 and
    // gives way at 11, its miss at 13 costs 21; dropped after 9, its miss at 10 costs 20 and serves
    // all that follow.
    let steps_and_objects =
        [(0, 1), (3, 2), (9, 1), (10, 1), (12, 2), (12, 2), (12, 2), (13, 1), (14, 1), (15, 1)];
    let trace = steps_and_objects.map(|(at, object)| Request::new(at_step(at), ObjectId(object)));
    assert_eq!(exhaustive(&trace, steps(8), 1).unwrap().latency, steps(36));
    let solution = solve(&trace, 8, 1, exactly());
    assert_eq!((solution.lower, solution.upper), (steps(36), steps(36)));
}

#[test]
fn nothing_is_dropped_between_two_requests_of_one_instant() {
    let steps_and_objects =
        [(0, 1), (3, 2), (9, 1), (9, 1), (12, 2), (12, 2), (12, 2), (13, 1), (14, 1), (15, 1)];
    let trace = steps_and_objects.map(|(at, object)| Request::new(at_step(at), ObjectId(object)));
    assert_eq!(exhaustive(&trace, steps(8), 1).unwrap().latency, steps(37));
    let solution = solve(&trace, 8, 1, exactly());
    assert_eq!((solution.lower, solution.upper), (steps(37), steps(37)));
}

/// A pseudo-random trace of `n` requests with popular objects.
fn popular(n: u64) -> Vec<Request> {
    let draw = |t: u64| {
        let bits = crate::hash::mix(t);
        Request::new(at_step(t), ObjectId((bits % 97) * (bits >> 32) % 41))
    };
    (0..n).map(draw).collect()
}

#[test]
fn no_policy_is_faster_and_the_gap_is_small() {
    for z in [1, 7, 40] {
        let mut trace = popular(3000);
        annotate(&mut trace, &BackingStore::Constant(steps(z)));
        let solution = solve(&trace, z, 6, Options::default());
        assert!(solution.gap() < 1e-2, "Z = {z}: {}", solution.gap());
        let policies = policies().into_iter().filter(|policy| !policy.name().ends_with("-all"));
        for policy in policies {
            let build = policy.build(&PolicyConfig::default()).unwrap();
            let store = BackingStore::Constant(steps(z));
            let mut cache = Simulation::new(CacheGeometry::objects(6), store, build).unwrap();
            for request in &trace {
                cache.offer(request).unwrap();
            }
            let total = cache.finish().total_latency_ps();
            assert!(u128::from(solution.upper.as_ps()) <= total, "{policy:?}, Z = {z}");
        }
    }
}

#[test]
fn a_polished_schedule_is_a_better_one() {
    // Few slots and a long Z: prices alone leave much to a local search.
    let trace = popular(2000);
    let plain = Options { gap: 0.0, rounds: 40, polish: false, ..Options::default() };
    let polished = Options { polish: true, ..plain.clone() };
    let (plain, polished) = (solve(&trace, 200, 3, plain), solve(&trace, 200, 3, polished));
    assert!(polished.upper < plain.upper && polished.lower == plain.lower);
}

#[test]
fn threads_do_not_change_the_result_and_a_checkpoint_goes_on() {
    let trace = popular(30_000);
    let belatedly = Belatedly::new(&trace, steps(50), 5).unwrap();
    let go = |options| belatedly.solve(options, |_| ControlFlow::Continue(())).unwrap();
    let options = Options { gap: 0.0, rounds: 40, polish: false, ..Options::default() };
    let one = go(options.clone());
    let four = go(Options { threads: 4, ..options.clone() });
    assert_eq!((one.lower, one.upper, &one.prices), (four.lower, four.upper, &four.prices));
    let start = Prices::from_bytes(&one.prices.to_bytes()).unwrap();
    let later = go(Options { start: Some(start), ..options });
    assert_eq!(later.rounds, 80);
    assert!(later.lower > one.lower);
}

#[test]
fn a_break_ends_it_with_a_valid_solution() {
    let trace = popular(2000);
    let belatedly = Belatedly::new(&trace, steps(9), 5).unwrap();
    let mut seen = Vec::new();
    let stop = |progress: &Progress<'_>| {
        seen.push((progress.round, progress.prices.to_bytes().len()));
        ControlFlow::Break(())
    };
    let solution = belatedly.solve(Options { gap: 0.0, ..Options::default() }, stop).unwrap();
    assert_eq!(seen, [(10, 20 + 8 * (belatedly.size().capacity + 1))]);
    assert_eq!(solution.rounds, 10);
    assert_eq!(solution.schedule.latency(&trace, steps(9), 5), Ok(solution.upper));
}

#[test]
fn bad_input_is_refused() {
    let request = |step| Request::new(at_step(step), ObjectId(1));
    let error = |requests: &[Request], z| Belatedly::new(requests, z, 1).unwrap_err();
    assert_eq!(error(&[], Duration::ZERO), BelatedlyError::NoLatency);
    let backwards = [request(3), request(2)];
    assert_eq!(error(&backwards, steps(1)), BelatedlyError::OutOfOrder { index: 1 });
    let late = [Request::new(Time::MAX, ObjectId(1))];
    assert_eq!(error(&late, steps(1)), BelatedlyError::TooLate { at: Time::MAX });
    let odd = [request(1), Request::new(at_step(1) + Duration::from_ps(1), ObjectId(1))];
    assert!(matches!(error(&odd, Duration::from_ps(1 << 60)), BelatedlyError::TooMuch { .. }));
    // Two million requests a microsecond apart, with 200 ms each: quanta are what counts.
    let many: Vec<Request> =
        (0..2_000_000).map(|n| Request::new(at_step(1000 * n), ObjectId(n))).collect();
    assert!(Belatedly::new(&many, Duration::from_ms(200), 1).is_ok());
    // And near the limit nothing overflows.
    let long = Duration::from_ps((1 << 58) / 10 + 1);
    let trace: Vec<Request> =
        (0..30_u64).map(|n| Request::new(at_step(0) + long * n / 3, ObjectId(n % 4))).collect();
    let options = Options { rounds: 60, ..Options::default() };
    let belatedly = Belatedly::new(&trace, long, 2).unwrap();
    let solution = belatedly.solve(options, |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(solution.schedule.latency(&trace, long, 2), Ok(solution.upper));
    assert!(solution.lower <= solution.upper && solution.gap() < 0.5);
    let belatedly = Belatedly::new(&popular(9), steps(2), 1).unwrap();
    let refused = |options| belatedly.solve(options, |_| ControlFlow::Break(())).unwrap_err();
    let defaults = Options::default();
    assert_eq!(refused(Options { threads: 0, ..defaults.clone() }), BelatedlyError::NoThreads);
    assert_eq!(refused(Options { gap: f64::NAN, ..defaults.clone() }), BelatedlyError::Gap);
    let start = Some(Prices { sums: vec![0.0; 99], rounds: 0, width: 0.1 });
    assert!(matches!(refused(Options { start, ..defaults }), BelatedlyError::OtherProgram { .. }));
}

#[test]
fn a_checkpoint_is_read_only_if_whole() {
    let good = Prices { sums: vec![0.0, 0.5, 0.5, 2.0], rounds: 7, width: 0.25 };
    let bytes = good.to_bytes();
    assert_eq!(Prices::from_bytes(&bytes), Ok(good));
    assert_eq!(Prices::from_bytes(&bytes[..bytes.len() - 1]), Err(BelatedlyError::NotPrices));
    for sums in
        [vec![], vec![1.0], vec![0.0, 2.0, 1.0], vec![0.0, f64::NAN], vec![0.0, f64::INFINITY]]
    {
        let bytes = Prices { sums, rounds: 0, width: 0.25 }.to_bytes();
        assert_eq!(Prices::from_bytes(&bytes), Err(BelatedlyError::NotPrices));
    }
}
