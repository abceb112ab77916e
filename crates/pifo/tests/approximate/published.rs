//! What the papers say of their structures, with margins wide enough for any seed and narrow enough
//! to fail if the structure did something else.

use forebay_pifo::ExactQueue;
use forebay_pifo::approximate::{
    AccuracyReport, Aifo, AifoConfig, ApproximateConfig, CalendarQueue, DropTailQueue, PushOut,
    SpPifo, Step, approximate_queues, compare,
};

use crate::approximate::workload::{Clock, DISTRIBUTIONS, Distribution, RANKS, workload};

const ARRIVALS: u64 = 10_000;

fn still(distribution: Distribution) -> Vec<Step> {
    workload(distribution, Clock::Still, ARRIVALS, 7)
}

fn named(name: &str, steps: &[Step]) -> AccuracyReport {
    let info = *approximate_queues().named(name).unwrap();
    compare((info.build)(&ApproximateConfig::default()).unwrap(), steps)
}

fn inversions_per_pop(report: &AccuracyReport) -> f64 {
    report.inversions as f64 / report.served as f64
}

#[test]
fn the_ideal_leads_and_drop_tail_comes_last() {
    for (name, distribution) in DISTRIBUTIONS {
        let steps = still(distribution);
        let [pifo, sp_pifo, aifo, fifo] =
            ["pifo", "sp-pifo", "aifo", "fifo"].map(|queue| named(queue, &steps));
        assert_eq!(pifo.inversions, 0);
        assert_eq!(pifo.overlap(), 1.0);
        assert!(sp_pifo.inversions > 0, "{name}: eight queues are not exact");
        assert!(sp_pifo.inversions * 10 < fifo.inversions, "{name}: SP-PIFO orders");
        assert!(sp_pifo.unpifoness * 10 < fifo.unpifoness, "{name}");
        assert!(sp_pifo.inverted_pops * 3 < fifo.inverted_pops * 2, "{name}");
        // AIFO orders nothing: it has fewer inversions only because its queue is shorter.
        assert!(aifo.inverted_share() > 0.8, "{name}");
        assert!(aifo.overlap() > sp_pifo.overlap(), "{name}: AIFO admits best");
        assert!(sp_pifo.overlap() > fifo.overlap(), "{name}");
    }
}

#[test]
fn inversions_fall_as_queues_grow() {
    for (name, distribution) in DISTRIBUTIONS {
        let steps = still(distribution);
        let inversions = [1, 2, 4, 8, 16, 32].map(|queues| {
            inversions_per_pop(&compare(SpPifo::new(queues, 80 / queues).unwrap(), &steps))
        });
        assert!(inversions.windows(2).all(|pair| pair[1] < pair[0]), "{name}: {inversions:?}");
        assert!(inversions[3] * 10.0 < inversions[0], "{name}: {inversions:?}");
    }
}

#[test]
fn a_queue_per_rank_has_few_inversions() {
    for (name, distribution) in DISTRIBUTIONS {
        let steps = still(distribution);
        let report = compare(SpPifo::new(RANKS as usize, 80).unwrap(), &steps);
        let fifo = compare(DropTailQueue::new(80 * RANKS as usize).unwrap(), &steps);
        assert!(report.inversions * 20 < fifo.inversions, "{name}: {report:?}");
        assert!(report.inverted_share() < 0.2 && fifo.inverted_share() > 0.9, "{name}");
    }
}

#[test]
fn aifo_admits_what_a_pifo_keeps() {
    for (name, distribution) in DISTRIBUTIONS {
        let steps = still(distribution);
        let config = AifoConfig { window: 1000, burst: 0.0, sample_every: 1 };
        let aifo = compare(Aifo::new(80, config).unwrap(), &steps);
        let fifo = named("fifo", &steps);
        assert!(aifo.overlap() > 0.97, "{name}: {}", aifo.overlap());
        assert!(fifo.overlap() < 0.93, "{name}: {}", fifo.overlap());
        // Both lose the large ranks: the smaller half is never touched.
        let small = |report: &AccuracyReport| report.dropped_by_decile[..5].iter().sum::<u64>();
        assert!(small(&aifo) * 100 < aifo.dropped, "{name}: {:?}", aifo.dropped_by_decile);
        assert!(small(&fifo) * 10 > fifo.dropped * 3, "{name}: {:?}", fifo.dropped_by_decile);
    }
}

#[test]
fn a_large_burst_makes_aifo_drop_tail() {
    let steps = still(Distribution::Uniform);
    let overlaps = [0.0, 0.5, 0.9, 0.999].map(|burst| {
        let config = AifoConfig { window: 128, burst, sample_every: 1 };
        compare(Aifo::new(80, config).unwrap(), &steps)
    });
    let fifo = named("fifo", &steps);
    assert_eq!(overlaps[3].overlap(), fifo.overlap());
    assert!(overlaps.windows(2).all(|pair| pair[0].inversions < pair[1].inversions));
}

#[test]
fn a_fine_calendar_over_the_whole_horizon_is_exact() {
    // An element of rank r arrives no later than r is served: served one at a time from a clock
    // that moves by one per arrival, ranks advance and lie within 100 of the clock.
    for (name, distribution) in DISTRIBUTIONS {
        let arrivals = workload(distribution, Clock::Advancing, ARRIVALS, 7);
        let steps = served_in_time(&arrivals);
        let exact = compare(CalendarQueue::new(128, 1, 1000).unwrap(), &steps);
        assert_eq!((exact.inversions, exact.dropped), (0, 0), "{name}");
        let coarse = compare(CalendarQueue::new(8, 16, 1000).unwrap(), &steps);
        assert!(coarse.inversions > 0, "{name}");
        assert!(coarse.max_magnitude < 16, "{name}: a round spans 16 ranks");
        let fifo = compare(DropTailQueue::new(1000).unwrap(), &steps);
        assert!(coarse.inversions < fifo.inversions, "{name}");
        // CQ-1 of gearbox §2.3: fine, but too short a calendar drops by range.
        let short = compare(CalendarQueue::new(8, 1, 1000).unwrap(), &steps);
        assert!(short.dropped > ARRIVALS / 20, "{name}: {}", short.dropped);
    }
}

/// The arrivals of `steps`, and after each everything that is due: ranks up to the clock.
fn served_in_time(steps: &[Step]) -> Vec<Step> {
    let ranks = steps.iter().filter(|step| matches!(step, Step::Arrive(_)));
    let (mut timed, mut waiting) = (Vec::new(), std::collections::BinaryHeap::new());
    for (clock, step) in (0..).zip(ranks) {
        let &Step::Arrive(rank) = step else { continue };
        timed.push(*step);
        waiting.push(std::cmp::Reverse(rank));
        while waiting.peek().is_some_and(|least| least.0 <= clock) {
            waiting.pop();
            timed.push(Step::Serve);
        }
    }
    timed
}

#[test]
fn ideal_drops_are_the_largest_ranks() {
    let steps = still(Distribution::Uniform);
    let report = compare(PushOut::new(ExactQueue::new(usize::MAX), 80), &steps);
    assert_eq!(report.dropped_by_decile, report.ideal_dropped_by_decile);
    assert_eq!(report.dropped_by_decile[..8].iter().sum::<u64>(), 0);
}
