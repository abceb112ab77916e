//! Means and percentiles of measurements.
//!
//! O(n log n), for the sort.

use alloc::vec::Vec;

use forebay_units::Duration;

/// The mean, and the values that given fractions do not exceed (nearest rank).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread<T> {
    /// How many values there are; at least 1.
    pub count: usize,
    /// The arithmetic mean.
    pub mean: T,
    /// 50 %.
    pub p50: T,
    /// 95 %.
    pub p95: T,
    /// 99 %.
    pub p99: T,
    /// 99.9 %.
    pub p999: T,
    /// The largest value: 100 %.
    pub max: T,
}

impl Spread<Duration> {
    /// Statistics of spans of time; `None` if there are none.
    ///
    /// ```
    /// use forebay_net::measure::Spread;
    /// use forebay_units::Duration;
    ///
    /// let times = (1..=100).map(Duration::from_us).collect();
    /// let spread = Spread::of_times(times).ok_or("no times")?;
    /// assert_eq!((spread.p99, spread.max), (Duration::from_us(99), Duration::from_us(100)));
    /// assert_eq!(spread.mean, Duration::from_ns(50_500));
    /// # Ok::<(), &str>(())
    /// ```
    #[must_use]
    pub fn of_times(mut values: Vec<Duration>) -> Option<Self> {
        Self::sorting_times(&mut values)
    }

    /// The same, of values that are sorted where they are.
    pub(super) fn sorting_times(values: &mut [Duration]) -> Option<Self> {
        values.sort_unstable();
        let sum: u128 = values.iter().map(|time| u128::from(time.as_ps())).sum();
        let mean = sum.checked_div(values.len() as u128)?;
        Self::of_sorted(values, Duration::from_ps(u64::try_from(mean).unwrap_or(u64::MAX)))
    }
}

impl Spread<f64> {
    /// Statistics of numbers; `None` if there are none.
    #[must_use]
    pub fn of_numbers(mut values: Vec<f64>) -> Option<Self> {
        Self::sorting_numbers(&mut values)
    }

    /// The same, of values that are sorted where they are.
    pub(super) fn sorting_numbers(values: &mut [f64]) -> Option<Self> {
        values.sort_unstable_by(f64::total_cmp);
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        Self::of_sorted(values, mean)
    }
}

impl<T: Copy> Spread<T> {
    fn of_sorted(sorted: &[T], mean: T) -> Option<Self> {
        Some(Spread {
            count: sorted.len(),
            mean,
            p50: per_mille(sorted, 500)?,
            p95: per_mille(sorted, 950)?,
            p99: per_mille(sorted, 990)?,
            p999: per_mille(sorted, 999)?,
            max: per_mille(sorted, 1000)?,
        })
    }
}

/// The nearest-rank percentile of sorted values.
fn per_mille<T: Copy>(sorted: &[T], part: usize) -> Option<T> {
    let rank = (sorted.len() * part).div_ceil(1000).max(1);
    sorted.get(rank - 1).copied()
}

/// Completion times and slowdowns of flows or queries.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Completions {
    /// How many began and did not complete; they are part of no mean or percentile.
    pub unfinished: usize,
    /// Completion times.
    pub time: Option<Spread<Duration>>,
    /// Completion times over ideal ones.
    pub slowdown: Option<Spread<f64>>,
}

impl Completions {
    /// From completion times, where there are any, and ideal ones.
    pub(super) fn of(items: impl Iterator<Item = (Option<Duration>, Duration)>) -> Self {
        let mut gathered = Gathered::default();
        items.for_each(|(time, ideal)| gathered.add(time, ideal));
        gathered.spread()
    }
}

/// What [`Completions`] are made of.
#[derive(Default)]
pub(super) struct Gathered {
    unfinished: usize,
    times: Vec<Duration>,
    slowdowns: Vec<f64>,
}

impl Gathered {
    /// Adds a completion time, if there is one, beside the ideal one.
    pub(super) fn add(&mut self, time: Option<Duration>, ideal: Duration) {
        match time {
            Some(time) => {
                self.times.push(time);
                self.slowdowns.push(slowdown(time, ideal));
            }
            None => self.unfinished += 1,
        }
    }

    pub(super) fn spread(self) -> Completions {
        let (time, slowdown) = (Spread::of_times(self.times), Spread::of_numbers(self.slowdowns));
        Completions { unfinished: self.unfinished, time, slowdown }
    }
}

/// A completion time over the ideal one.
pub(super) fn slowdown(time: Duration, ideal: Duration) -> f64 {
    time.as_ps() as f64 / ideal.as_ps().max(1) as f64
}

/// Jain's index of fairness: 1 if all shares are equal, 1/n if one has everything; 1 without
/// shares.
///
/// ```
/// use forebay_net::measure::jain_index;
///
/// assert_eq!(jain_index(&[3.0, 3.0]), 1.0);
/// assert_eq!(jain_index(&[8.0, 0.0, 0.0, 0.0]), 0.25);
/// ```
#[must_use]
pub fn jain_index(shares: &[f64]) -> f64 {
    let add = |(sum, squares): (f64, f64), x: &f64| (sum + x, squares + x * x);
    let (sum, squares) = shares.iter().fold((0.0, 0.0), add);
    if squares > 0.0 { sum * sum / (shares.len() as f64 * squares) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_nearest_rank() {
        assert_eq!(per_mille::<u32>(&[], 500), None);
        assert_eq!(per_mille(&[7], 990), Some(7));
        let hundred: Vec<u32> = (1..=100).collect();
        let found = [500, 990, 999, 1000].map(|part| per_mille(&hundred, part));
        assert_eq!(found, [50, 99, 100, 100].map(Some));
        assert_eq!((Spread::of_times(Vec::new()), Spread::of_numbers(Vec::new())), (None, None));
    }

    #[test]
    fn what_did_not_complete_is_counted_apart() {
        let time = |us| (Some(Duration::from_us(us)), Duration::from_us(2));
        let items = [time(4), (None, Duration::from_us(1)), time(2)];
        let found = Completions::of(items.into_iter());
        assert_eq!((found.unfinished, found.time.unwrap().count), (1, 2));
        assert_eq!(found.slowdown.unwrap().mean, 1.5);
    }
}
