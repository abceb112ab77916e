//! Every policy's decisions against a textbook version of it that scans vectors, and MAD's rank
//! against Algorithm 1 over the whole log of requests. Where Z is 1 and a request comes each step,
//! a cache of the model is a classical one, so that textbooks apply.
#![allow(clippy::unwrap_used)]

use forebay_cache::offline::annotate;
use forebay_cache::policies::{PolicyConfig, policies};
use forebay_cache::{
    BackingStore, CacheGeometry, ObjectId, Request, RequestOutcome, STEP, Simulation, at_step,
    steps,
};
use proptest::prelude::*;

use crate::textbook::{
    Arc, Belady, Classical, Frequency, Lru, Parameters, S3Fifo, Sieve, WTinyLfu,
};

/// One request a step.
fn trace(objects: &[u64]) -> Vec<Request> {
    let requests = objects.iter().enumerate();
    requests.map(|(step, id)| Request::new(at_step(step as u64), ObjectId(*id))).collect()
}

/// What comes of each request under the policy called `name`.
fn outcomes(trace: &[Request], name: &str, z: u64, capacity: u64) -> Vec<RequestOutcome> {
    let store = BackingStore::Constant(steps(z));
    let build = policies().named(name).unwrap().build(&PolicyConfig::default()).unwrap();
    let mut cache = Simulation::new(CacheGeometry::objects(capacity), store, build).unwrap();
    trace.iter().map(|request| cache.offer(request).unwrap()).collect()
}

fn hits(trace: &[Request], name: &str, capacity: u64) -> Vec<bool> {
    outcomes(trace, name, 1, capacity)
        .iter()
        .map(|outcome| *outcome == RequestOutcome::Hit)
        .collect()
}

fn of_textbook(objects: &[u64], mut textbook: impl Classical) -> Vec<bool> {
    objects.iter().enumerate().map(|(now, id)| textbook.request(*id, now)).collect()
}

/// Objects of which low numbers are asked for more often.
fn skewed(objects: u64, length: usize) -> impl Strategy<Value = Vec<u64>> {
    let draw = (0..objects, 0..objects).prop_map(|(a, b)| a.min(b));
    prop::collection::vec(draw, 0..length)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn decisions_are_those_of_the_textbook(ids in skewed(14, 400), capacity in 1_usize..9) {
        let requests = trace(&ids);
        let ours = |name| hits(&requests, name, capacity as u64);
        prop_assert_eq!(ours("lru"), of_textbook(&ids, Lru::new(capacity)), "lru");
        prop_assert_eq!(ours("lfu"), of_textbook(&ids, Frequency::lfu(capacity)), "lfu");
        prop_assert_eq!(ours("gdsf"), of_textbook(&ids, Frequency::gdsf(capacity)), "gdsf");
        prop_assert_eq!(ours("arc"), of_textbook(&ids, Arc::new(capacity)), "arc");
        prop_assert_eq!(ours("sieve"), of_textbook(&ids, Sieve::new(capacity)), "sieve");
        // Before it has learnt anything, after 4096 requests, LHD goes by age alone.
        prop_assert_eq!(ours("lhd"), of_textbook(&ids, Lru::new(capacity)), "lhd");
    }

    #[test]
    fn decisions_of_larger_caches_are_too(ids in skewed(60, 600), capacity in 10_usize..40) {
        let requests = trace(&ids);
        let ours = |name| hits(&requests, name, capacity as u64);
        prop_assert_eq!(ours("s3-fifo"), of_textbook(&ids, S3Fifo::new(capacity)), "s3-fifo");
        prop_assert_eq!(ours("arc"), of_textbook(&ids, Arc::new(capacity)), "arc");
    }

    #[test]
    fn the_sketch_decides_as_counts_do(ids in skewed(12, 600), capacity in 2_usize..10) {
        // So few objects never share all their counters, nor all their bits.
        for (name, doorkeeper, halve_additions) in
            [("w-tinylfu", true, true), ("w-tinylfu-plain", false, true), ("w-tinylfu-anew", true, false)]
        {
            let cap = if doorkeeper { 9 } else { 10 };
            let published = Parameters::published(capacity, 10, doorkeeper);
            let textbook = WTinyLfu::with(Parameters { cap, halve_additions, ..published });
            let ours = hits(&trace(&ids), name, capacity as u64);
            prop_assert_eq!(ours, of_textbook(&ids, textbook), "{}", name);
        }
    }

    #[test]
    fn belady_keeps_what_is_wanted_first(ids in skewed(14, 300), capacity in 1_usize..9) {
        let mut requests = trace(&ids);
        annotate(&mut requests, &BackingStore::Constant(STEP));
        let ours = hits(&requests, "belady", capacity as u64);
        prop_assert_eq!(ours, of_textbook(&ids, Belady::new(capacity, &ids)));
    }

    #[test]
    fn fetches_that_take_no_time_leave_every_policy_as_it_is(
        ids in skewed(30, 400),
        capacity in 1_u64..12,
    ) {
        let requests = trace(&ids);
        for base in ["lru", "lfu", "arc", "lhd", "s3-fifo", "sieve", "w-tinylfu"] {
            let plain = outcomes(&requests, base, 0, capacity);
            for form in ["mad", "mad-all"] {
                let mad = outcomes(&requests, &format!("{base}-{form}"), 0, capacity);
                prop_assert_eq!(&mad, &plain, "{}-{}", base, form);
            }
        }
        let hit = |z| -> Vec<bool> {
            let all = outcomes(&requests, "gdsf", z, capacity);
            all.iter().map(|outcome| *outcome == RequestOutcome::Hit).collect()
        };
        prop_assert_eq!(hit(0), hit(1));
    }

    #[test]
    fn mad_ranks_as_algorithm_1_does(
        gaps in prop::collection::vec((0_u64..6, 0_u64..9, 0_u64..9), 0..250),
        z in 2_u64..20,
        capacity in 1_usize..6,
    ) {
        let mut at = 0;
        let requests: Vec<Request> = gaps
            .iter()
            .map(|&(gap, a, b)| {
                at += gap;
                Request::new(at_step(at), ObjectId(a.min(b)))
            })
            .collect();
        for (name, all) in [("lru-mad", false), ("lru-mad-all", true)] {
            let expected = crate::textbook::lru_mad(&requests, steps(z), capacity, all);
            prop_assert_eq!(outcomes(&requests, name, z, capacity as u64), expected, "{}", name);
        }
    }
}

#[test]
fn the_hand_restarts_at_the_tail_after_the_head_is_evicted() {
    // A A B C B A in a cache of two: C evicts B, the newest, since A is visited; then B evicts A,
    // not C.
    let ids = [1, 1, 2, 3, 2, 1];
    let expected = [false, true, false, false, false, false];
    assert_eq!(hits(&trace(&ids), "sieve", 2), expected);
    assert_eq!(of_textbook(&ids, Sieve::new(2)), expected);
}

#[test]
fn a_delayed_hit_is_an_access_to_mad() {
    // A waits from 0 to 10 and is asked for again at 9; B from 3 to 13. When C's data arrives at
    // 25, A's delay of 11 over the 16 steps since its last access is more than B's 10 over 22: B
    // goes. By the time since their data arrived, 15 and 12 steps, A would.
    let request = |(at, id)| Request::new(at_step(at), ObjectId(id));
    let requests = [(0, 1), (3, 2), (9, 1), (15, 3), (26, 1)].map(request);
    for name in ["lru-mad", "arc-mad"] {
        let outcomes = outcomes(&requests, name, 10, 2);
        assert_eq!(outcomes[4], RequestOutcome::Hit, "{name}");
    }
}
