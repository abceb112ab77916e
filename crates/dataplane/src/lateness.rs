//! How much later than computed frames left: quantiles in little memory, however long a run is.
//!
//! Spans of time are counted by their leading bits: a quantile is at most a sixteenth too high.
//! O(1) a span, 7 KB.

use forebay_units::Duration;

/// Bits behind the leading one that are told apart.
const BITS: u32 = 4;
const STEPS: usize = 1 << BITS;
/// Of nanoseconds: as many leading bits as a number of 64 bits can have.
const BUCKETS: usize = (64 - BITS as usize + 1) * STEPS;

/// Spans of time, counted.
#[derive(Clone, Debug)]
pub struct Lateness {
    counts: Vec<u64>,
    total: u64,
    longest: Duration,
}

impl Default for Lateness {
    fn default() -> Self {
        Lateness { counts: vec![0; BUCKETS], total: 0, longest: Duration::ZERO }
    }
}

impl Lateness {
    /// Counts one.
    pub fn count(&mut self, late: Duration) {
        let nanoseconds = late.as_ps() / 1000;
        self.counts[bucket(nanoseconds)] += 1;
        self.total += 1;
        self.longest = self.longest.max(late);
    }

    /// Those that were counted since this was `earlier`. The longest of them is at most a sixteenth
    /// too high.
    #[must_use]
    pub fn since(&self, earlier: &Lateness) -> Lateness {
        let both = self.counts.iter().zip(&earlier.counts);
        let counts: Vec<u64> = both.map(|(now, then)| now.saturating_sub(*then)).collect();
        let last = counts.iter().rposition(|count| *count > 0);
        let longest = last.map_or(Duration::ZERO, |bucket| Duration::from_ns(highest(bucket)));
        let total = self.total.saturating_sub(earlier.total);
        Lateness { counts, total, longest: longest.min(self.longest) }
    }

    /// How many there are.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The longest of all; zero if there are none.
    #[must_use]
    pub fn longest(&self) -> Duration {
        self.longest
    }

    /// What a share of `part` of all, from 0 to 1, does not exceed; zero if there are none.
    #[must_use]
    pub fn quantile(&self, part: f64) -> Duration {
        let rank = ((self.total as f64 * part).ceil() as u64).max(1);
        let mut seen = 0;
        for (bucket, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return Duration::from_ns(highest(bucket)).min(self.longest);
            }
        }
        self.longest
    }
}

fn bucket(value: u64) -> usize {
    let bits = 64 - value.leading_zeros();
    if bits <= BITS {
        return value as usize;
    }
    let shift = bits - BITS - 1;
    (shift as usize + 1) * STEPS + ((value >> shift) as usize & (STEPS - 1))
}

/// The largest value of a bucket.
fn highest(bucket: usize) -> u64 {
    let (shift, step) = (bucket / STEPS, (bucket % STEPS) as u64);
    match shift.checked_sub(1) {
        None => step,
        Some(shift) => ((STEPS as u64 + step) << shift) + ((1u64 << shift) - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_is_at_most_a_sixteenth_too_high() {
        let mut all = Lateness::default();
        assert_eq!((all.quantile(0.5), all.total()), (Duration::ZERO, 0));
        (1..=100_000).for_each(|ns| all.count(Duration::from_ns(ns)));
        for (part, exact) in [(0.5, 50_000), (0.99, 99_000), (1.0, 100_000)] {
            let found = all.quantile(part).as_ps() / 1000;
            assert!((exact..=exact + exact / 16).contains(&found), "{part}: {found}");
        }
        assert_eq!(all.longest(), Duration::from_ns(100_000));
    }

    #[test]
    fn what_was_counted_meanwhile_is_told_by_itself() {
        let mut all = Lateness::default();
        (1..=1_000).for_each(|us| all.count(Duration::from_us(us)));
        let then = all.clone();
        (1..=100).for_each(|us| all.count(Duration::from_us(us)));
        let since = all.since(&then);
        assert_eq!(since.total(), 100);
        let longest = since.longest().as_ps() / 1_000_000;
        assert!((100..=107).contains(&longest), "{longest}");
        assert_eq!(all.since(&all).longest(), Duration::ZERO);
    }

    #[test]
    fn every_value_lies_in_its_bucket() {
        for value in (0..2_000).chain([u64::MAX / 2, u64::MAX - 1, u64::MAX]) {
            let bucket = bucket(value);
            assert!(bucket < BUCKETS && highest(bucket) >= value, "{value}");
            assert!(bucket == 0 || highest(bucket - 1) < value, "{value}");
        }
    }
}
