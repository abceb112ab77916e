//! Tests of the parts that need no cache around them. They are in a separate file because the
//! parts' files are compiled a second time for the model checker.

use std::cell::Cell;
use std::time::Duration;

use crate::clock::Nanos;
use crate::hits::Hits;
use crate::stats::Histogram;

/// Pushes 100 hits at `at`; returns how often the buffer asked to be emptied, and how often it read
/// the clock.
fn fill(hits: &Hits, at: Nanos) -> (usize, u32) {
    let asked = Cell::new(0);
    let now = || {
        asked.set(asked.get() + 1);
        at
    };
    ((0..100).filter(|slot| hits.push(*slot, now)).count(), asked.get())
}

#[test]
fn rare_hits_keep_their_times_and_frequent_ones_nearly() {
    let hits = Hits::new();
    for n in 1..=3 {
        assert!(!hits.push(n, || Nanos(u64::from(n) << 30)));
    }
    let mut told = Vec::new();
    let count = hits.empty(|| Nanos(4 << 30), |slot, at| told.push((slot, at.0 >> 30)));
    assert_eq!((count, told), (3, vec![(1, 1), (2, 2), (3, 3)]));
    // At the 64th, the 65th and the 97th. Those of this buffer were a second in coming.
    assert_eq!(fill(&hits, Nanos(5 << 30)), (3, 64));
    assert_eq!(hits.empty(|| Nanos(5 << 30), |_, _| ()), 100);
    assert_eq!(fill(&hits, Nanos(5 << 30)), (3, 64));
    hits.empty(|| Nanos((5 << 30) + 20), |_, at| assert_eq!(at.0 >> 30, 5));
    assert_eq!(fill(&hits, Nanos(6 << 30)), (3, 4));
    hits.empty(|| Nanos(6 << 30), |_, at| assert_eq!(at.0 >> 30, 5));
}

#[test]
fn buckets_cover_every_span_within_a_quarter() {
    let halves = |bits: u32| [1_u64 << bits, (1 << bits) | (1 << bits >> 1)];
    for n in (0..64).flat_map(halves).chain([0, 5, 1000]) {
        let mut histogram = Histogram::default();
        histogram.record(Nanos(n));
        histogram.record(Nanos(u64::MAX));
        let end = histogram.quantile(0.5).as_nanos() as u64;
        assert!(end >= n && end - n <= n / 4, "{n} {end}");
    }
}

#[test]
fn quantiles_are_of_the_spans_seen() {
    let mut histogram = Histogram::default();
    assert_eq!(histogram.quantile(0.5), Duration::ZERO);
    (1..=1000).for_each(|n| histogram.record(Nanos(n * 1000)));
    let median = histogram.quantile(0.5).as_nanos();
    assert!((500_000..625_000).contains(&median), "{median}");
    assert_eq!((histogram.max().as_nanos(), histogram.mean().as_nanos()), (1_000_000, 500_500));
}
