//! How long jobs are in the system, as a histogram of bounded size.
//!
//! Source: ours; the paper reports goodput only. Buckets are log-linear, 128 an octave, so that a
//! percentile is too low by less than 1/128. O(1) per job. Memory: at most 60 KB, whatever is
//! recorded.

use forebay_sched::{Quantizer, Rank};
use forebay_units::Duration;

const QUANTIZER: Quantizer = Quantizer::log_linear(7);

/// Mean and percentiles of the time from arrival to completion; zero where nothing completed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Latency {
    /// Mean.
    pub mean: Duration,
    /// Median.
    pub p50: Duration,
    /// 99th percentile.
    pub p99: Duration,
    /// Largest.
    pub max: Duration,
}

/// Times as they come.
///
/// ```
/// use forebay_surge::model::Latencies;
/// use forebay_units::Duration;
///
/// let mut times = Latencies::default();
/// (1..=100).for_each(|us| times.record(Duration::from_us(us)));
/// let latency = times.summary();
/// assert_eq!(latency.mean, Duration::from_ns(50_500));
/// assert!(latency.p99 <= Duration::from_us(99) && latency.p99 >= Duration::from_us(98));
/// ```
#[derive(Clone, Default)]
pub struct Latencies {
    /// How many, and the first of them, by bucket.
    buckets: Vec<(u64, Duration)>,
    count: u64,
    total_ps: u128,
    max: Duration,
}

forebay_pifo::debug_in_one_line!([] Latencies, |all| { count: all.count, max: all.max });

impl Latencies {
    /// A job was in the system for `time`.
    pub fn record(&mut self, time: Duration) {
        let bucket = QUANTIZER.bucket(Rank::new(time.as_ps())) as usize;
        if bucket >= self.buckets.len() {
            self.buckets.resize(bucket + 1, (0, Duration::MAX));
        }
        let (count, least) = &mut self.buckets[bucket];
        *count += 1;
        *least = (*least).min(time);
        self.count += 1;
        self.total_ps += u128::from(time.as_ps());
        self.max = self.max.max(time);
    }

    /// What they came to.
    #[must_use]
    pub fn summary(&self) -> Latency {
        let mean = self.total_ps / u128::from(self.count.max(1));
        let mean = Duration::from_ps(u64::try_from(mean).unwrap_or(u64::MAX));
        Latency { mean, p50: self.percentile(50), p99: self.percentile(99), max: self.max }
    }

    /// The nearest-rank percentile, as the least time of its bucket.
    fn percentile(&self, percent: u64) -> Duration {
        let place = (u128::from(self.count) * u128::from(percent)).div_ceil(100);
        let mut seen = 0;
        let mut reaches = |count: u64| {
            seen += u128::from(count);
            seen >= place
        };
        let found = self.buckets.iter().find(|(count, _)| *count > 0 && reaches(*count));
        found.map_or(Duration::ZERO, |(_, least)| *least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn percentiles_are_close_and_memory_is_bounded(times in prop::collection::vec(any::<u64>(), 1..200)) {
            let mut latencies = Latencies::default();
            times.iter().for_each(|ps| latencies.record(Duration::from_ps(*ps)));
            let mut sorted = times.clone();
            sorted.sort_unstable();
            let summary = latencies.summary();
            for (percent, found) in [(50, summary.p50), (99, summary.p99)] {
                let exact = sorted[(sorted.len() * percent).div_ceil(100) - 1];
                prop_assert!(found.as_ps() <= exact);
                prop_assert!(exact - found.as_ps() <= exact / 128, "{found} {exact}");
            }
            prop_assert_eq!(summary.max.as_ps(), sorted[sorted.len() - 1]);
            prop_assert!(latencies.buckets.len() <= 58 << 7);
        }
    }
}
