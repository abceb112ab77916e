//! A job size that grows with the packet size, learned.
//!
//! Source: none; the simplest model that learns. Weighted least squares of `work = a + b * size`,
//! in which a job counts less the more have run since. An attacker whose jobs run does teach it;
//! they pay for them, and within [`memory`](Linear::new) jobs they are forgotten.
//!
//! Complexity: O(1). Memory: five sums.

use forebay_units::{Bytes, Duration};

use super::Estimator;
use crate::error::SurgeError;

/// `work = a + b * size`, fitted to the jobs that ran.
///
/// ```
/// use forebay_surge::estimate::{Estimator, Linear};
/// use forebay_units::{Bytes, Duration};
///
/// let mut estimator = Linear::new(1e-6, 100.0)?;
/// for size in [100, 500, 1500] {
///     let actual = Duration::from_ns(200 + 2 * size);
///     Estimator::<u8>::learn(&mut estimator, &(), Bytes::new(size), actual);
/// }
/// let seconds = Estimator::<u8>::estimate(&estimator, &(), Bytes::new(1000));
/// assert!((seconds - 2200e-9).abs() < 1e-12);
/// # Ok::<(), forebay_surge::SurgeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Linear {
    /// Before anything has run, in seconds.
    first: f64,
    /// What remains of a job's weight after the next.
    decay: f64,
    weight: f64,
    size: f64,
    work: f64,
    size_squared: f64,
    size_work: f64,
}

impl Linear {
    /// Guesses `first` seconds until something has run; forgets a job over about `memory` others.
    ///
    /// # Errors
    /// If `memory` is not a number of at least 1.
    pub fn new(first: f64, memory: f64) -> Result<Self, SurgeError> {
        if !(memory.is_finite() && memory >= 1.0) {
            let range = "[1, ∞)";
            return Err(SurgeError::OutOfRange { name: "memory", value: memory, range });
        }
        let decay = 1.0 - 1.0 / memory;
        let (weight, size, work, size_squared, size_work) = Default::default();
        Ok(Linear { first, decay, weight, size, work, size_squared, size_work })
    }

    /// The fitted base, in seconds, and slope, in seconds per byte.
    #[must_use]
    pub fn coefficients(&self) -> (f64, f64) {
        if self.weight <= 0.0 {
            return (self.first, 0.0);
        }
        let (mean_size, mean_work) = (self.size / self.weight, self.work / self.weight);
        let variance = self.size_squared / self.weight - mean_size * mean_size;
        // One size only, as far as rounding can tell: no slope to be had.
        if variance <= 1e-9 * mean_size * mean_size {
            return (mean_work, 0.0);
        }
        let slope = (self.size_work / self.weight - mean_size * mean_work) / variance;
        (mean_work - slope * mean_size, slope)
    }
}

impl<T> Estimator<T> for Linear {
    type Features = ();

    fn features(&mut self, _: &T) {}

    fn estimate(&self, (): &(), size: Bytes) -> f64 {
        let (base, slope) = self.coefficients();
        base + slope * size.get() as f64
    }

    fn learn(&mut self, (): &(), size: Bytes, actual: Duration) {
        let (x, y) = (size.get() as f64, actual.as_secs_f64());
        let sums = [
            (&mut self.weight, 1.0),
            (&mut self.size, x),
            (&mut self.work, y),
            (&mut self.size_squared, x * x),
            (&mut self.size_work, x * y),
        ];
        for (sum, term) in sums {
            *sum = *sum * self.decay + term;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learn(estimator: &mut Linear, size: u64, ns: u64) {
        Estimator::<u8>::learn(estimator, &(), Bytes::new(size), Duration::from_ns(ns));
    }

    #[test]
    fn one_size_gives_its_mean_and_old_jobs_are_forgotten() {
        let mut estimator = Linear::new(5e-6, 10.0).unwrap();
        assert_eq!(estimator.coefficients(), (5e-6, 0.0));
        learn(&mut estimator, 64, 100);
        learn(&mut estimator, 64, 100);
        assert!((estimator.coefficients().0 - 100e-9).abs() < 1e-15);
        for step in 0..300 {
            learn(&mut estimator, 64 + step % 7, 900);
        }
        let (base, slope) = estimator.coefficients();
        assert!((base + slope * 64.0 - 900e-9).abs() < 1e-12);
        assert!(Linear::new(0.0, f64::NAN).is_err() && Linear::new(0.0, 0.5).is_err());
    }
}
