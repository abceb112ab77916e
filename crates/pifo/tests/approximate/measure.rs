//! The measurement against counting by hand.

use std::collections::BTreeSet;

use forebay_pifo::approximate::{
    AccuracyReport, ApproximateConfig, ApproximateQueue, Comparison, Deciles, PushOut,
    RefuseWhenFull, Step, approximate_queues, compare,
};
use forebay_pifo::{CircularWindow, ExactQueue, WindowPolicy};
use proptest::prelude::*;

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let rank = prop_oneof![8 => 0u64..50, 1 => any::<u64>()];
    let step = prop_oneof![3 => rank.prop_map(Step::Arrive), 2 => Just(Step::Serve)];
    prop::collection::vec(step, 1..150)
}

/// What `queue` serves and drops, and the inversions by comparing with all that wait.
fn by_hand<Q: ApproximateQueue<Item = usize>>(
    mut queue: Q,
    steps: &[Step],
) -> (AccuracyReport, BTreeSet<usize>) {
    let (mut report, mut served) = (AccuracyReport::default(), BTreeSet::new());
    let mut waiting: Vec<(u64, usize)> = Vec::new();
    let tail = std::iter::repeat_n(&Step::Serve, queue.capacity());
    for (number, step) in steps.iter().chain(tail).enumerate() {
        let lost = match *step {
            Step::Arrive(rank) => {
                report.arrivals += 1;
                waiting.push((rank, number));
                match queue.push(rank, number) {
                    Ok(out) => out.map(|(_, item)| item),
                    Err(refused) => Some(refused.item),
                }
            }
            Step::Serve => {
                let Some((rank, item)) = queue.pop() else { continue };
                waiting.retain(|&(_, other)| other != item);
                served.insert(item);
                report.served += 1;
                let overtaken = waiting.iter().filter(|&&(other, _)| other < rank);
                let differences: Vec<u64> = overtaken.map(|&(other, _)| rank - other).collect();
                report.inversions += differences.len() as u64;
                report.inverted_pops += u64::from(!differences.is_empty());
                report.unpifoness += differences.iter().map(|&d| u128::from(d)).sum::<u128>();
                let most = differences.iter().max().copied().unwrap_or(0);
                report.max_magnitude = report.max_magnitude.max(most);
                None
            }
        };
        if let Some(lost) = lost {
            report.dropped += 1;
            waiting.retain(|&(_, other)| other != lost);
        }
    }
    (report, served)
}

proptest! {
    #[test]
    fn inversions_and_overlap_are_those_counted_by_hand(steps in steps()) {
        let config = ApproximateConfig { capacity: 12, queues: 3, ..ApproximateConfig::default() };
        let (_, kept) = by_hand(PushOut::new(ExactQueue::new(usize::MAX), 12), &steps);
        let queues = approximate_queues().into_iter().zip(approximate_queues());
        for (measured, counted) in queues {
            let report = compare((measured.build)(&config).unwrap(), &steps);
            let (hand, served) = by_hand((counted.build)(&config).unwrap(), &steps);
            let counters = |r: &AccuracyReport| {
                let pairs = (r.inversions, r.inverted_pops, r.unpifoness, r.max_magnitude);
                ((r.arrivals, r.served, r.dropped), pairs)
            };
            prop_assert_eq!(counters(&report), counters(&hand), "{}", measured.name);
            prop_assert_eq!(report.ideal_served, kept.len() as u64);
            let both = served.intersection(&kept).count() as u64;
            prop_assert_eq!(report.both_served, both, "{}", measured.name);
            prop_assert_eq!(report.dropped_by_decile.iter().sum::<u64>(), report.dropped);
            prop_assert_eq!(report.arrivals_by_decile.iter().sum::<u64>(), report.arrivals);
            let lost: u64 = report.ideal_dropped_by_decile.iter().sum();
            prop_assert_eq!(lost, report.arrivals - report.ideal_served);
        }
    }

    #[test]
    fn exact_queues_have_no_inversion(steps in steps(), capacity in 1usize..20) {
        let ideal = compare(PushOut::new(ExactQueue::new(usize::MAX), capacity), &steps);
        prop_assert_eq!(ideal.inversions, 0);
        prop_assert_eq!(ideal.both_served, ideal.ideal_served);
        let refusing = compare(RefuseWhenFull::new(ExactQueue::new(capacity)), &steps);
        prop_assert_eq!(refusing.inversions, 0);
    }
}

#[test]
fn an_element_is_measured_by_the_rank_it_came_with() {
    // The window serves a rank below it as its first rank; the measurement must not lose count.
    let window = CircularWindow::<u64>::new(8, 10, WindowPolicy::default()).unwrap();
    let mut comparison = Comparison::new(RefuseWhenFull::new(window), Deciles::of([1, 105]));
    for rank in [105, 100, 1] {
        comparison.arrive(rank); // 1 joins the window's first rank, 98
    }
    assert_eq!(comparison.serve(), Some(1));
    comparison.drain();
    assert_eq!((comparison.report().served, comparison.report().inversions), (3, 0));
    assert!(comparison.queue().is_empty());
}

#[test]
fn deciles_divide_evenly() {
    let deciles = Deciles::of(0..1000);
    let tenths: Vec<usize> = [0, 99, 100, 550, 999, 5000].map(|rank| deciles.tenth(rank)).into();
    assert_eq!(tenths, [0, 0, 1, 5, 9, 9]);
    assert_eq!(Deciles::of([]).tenth(0), 0);
    assert_eq!(AccuracyReport::default().overlap(), 0.0);
}
