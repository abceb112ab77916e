//! An estimator that is checked: what it says is clamped, and compared with what was measured.
//!
//! Source: issue of bad estimates in thesis §3.5.2, §3.7; the clamps and the measures are ours. An
//! estimate that is no number counts as the most expensive: nothing is known of the job, and an
//! attacker may have found how to make it so. Complexity: O(1). Memory: a few sums.

use forebay_units::{Bytes, Duration};

use super::Estimator;
use crate::error::SurgeError;

/// Between what an estimate is clamped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EstimateLimits {
    /// The shortest job; above 0, since a job of no size would rank before all others for nothing.
    pub least: Duration,
    /// The longest job; also that of which nothing is known.
    pub most: Duration,
}

impl Default for EstimateLimits {
    /// 1 ns to 1 s.
    fn default() -> Self {
        EstimateLimits { least: Duration::from_ns(1), most: Duration::from_ms(1000) }
    }
}

/// How many estimates were not usable as they came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clamped {
    /// Below the least: zero, negative, minus infinity.
    pub low: u64,
    /// Above the most, and finite.
    pub high: u64,
    /// Infinite.
    pub infinite: u64,
    /// Not a number.
    pub nan: u64,
}

/// The error of an estimator over the jobs that ran. Work in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Calibration {
    /// Jobs that ran.
    pub jobs: u64,
    /// Their job sizes as estimated, together.
    pub estimated: f64,
    /// Their job sizes as measured, together.
    pub actual: f64,
    /// The sum of their errors, each counted positive.
    pub absolute: f64,
    /// Jobs that took longer than estimated.
    pub under: u64,
    /// The largest ratio of measured to estimated.
    pub worst_under: f64,
}

impl Calibration {
    /// By what part the estimates are too large together; negative if too small, 0 if nothing ran.
    #[must_use]
    pub fn bias(&self) -> f64 {
        part(self.estimated - self.actual, self.actual)
    }

    /// The mean error as a part of the mean job size.
    #[must_use]
    pub fn error(&self) -> f64 {
        part(self.absolute, self.actual)
    }

    /// The part of jobs that took longer than estimated.
    #[must_use]
    pub fn underestimated(&self) -> f64 {
        part(self.under as f64, self.jobs as f64)
    }

    fn add(&mut self, estimate: Duration, actual: Duration) {
        let (guess, truth) = (estimate.as_secs_f64(), actual.as_secs_f64());
        self.jobs += 1;
        self.estimated += guess;
        self.actual += truth;
        self.absolute += (guess - truth).abs();
        self.under += u64::from(actual > estimate);
        self.worst_under = self.worst_under.max(truth / guess); // a guess is above 0
    }
}

fn part(of: f64, whole: f64) -> f64 {
    if whole > 0.0 { of / whole } else { 0.0 }
}

/// An [`Estimator`] whose estimates are clamped and whose errors are counted.
///
/// ```
/// use forebay_surge::estimate::{Calibrated, Given, EstimateLimits};
/// use forebay_units::{Bytes, Duration};
///
/// let mut estimator = Calibrated::new(Given::new(|x: &f64| *x), EstimateLimits::default())?;
/// let (features, work) = estimator.estimate(&f64::NAN, Bytes::new(64));
/// assert_eq!(work, Duration::from_ms(1000));
/// estimator.learn(&features, Bytes::new(64), work, Duration::from_ms(500));
/// assert_eq!(estimator.clamped().nan, 1);
/// assert!((estimator.calibration().bias() - 1.0).abs() < 1e-9);
/// # Ok::<(), forebay_surge::SurgeError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Calibrated<E> {
    inner: E,
    limits: EstimateLimits,
    clamped: Clamped,
    calibration: Calibration,
}

impl<E> Calibrated<E> {
    /// Checks what `inner` says.
    ///
    /// # Errors
    /// If the least is zero or above the most.
    pub fn new(inner: E, limits: EstimateLimits) -> Result<Self, SurgeError> {
        if limits.least == Duration::ZERO {
            return Err(SurgeError::Zero("least"));
        }
        if limits.least > limits.most {
            let (value, most) = (limits.least.as_ps(), limits.most.as_ps());
            return Err(SurgeError::TooLarge { name: "least (ps)", value, most });
        }
        let (clamped, calibration) = Default::default();
        Ok(Calibrated { inner, limits, clamped, calibration })
    }

    /// What is to be kept of an item until it has run, and its clamped job size.
    pub fn estimate<T>(&mut self, item: &T, size: Bytes) -> (E::Features, Duration)
    where
        E: Estimator<T>,
    {
        let features = self.inner.features(item);
        let seconds = self.inner.estimate(&features, size);
        (features, self.clamp(seconds))
    }

    fn clamp(&mut self, seconds: f64) -> Duration {
        let EstimateLimits { least, most } = self.limits;
        if seconds.is_nan() {
            self.clamped.nan += 1;
            return most;
        }
        if seconds == f64::INFINITY {
            self.clamped.infinite += 1;
            return most;
        }
        let work = Duration::from_ps((seconds * 1e12) as u64); // saturates
        if work < least {
            self.clamped.low += 1;
        } else if work > most {
            self.clamped.high += 1;
        }
        work.clamp(least, most)
    }

    /// A job that was estimated at `estimate` ran for `actual`.
    pub fn learn<T>(
        &mut self,
        features: &E::Features,
        size: Bytes,
        estimate: Duration,
        actual: Duration,
    ) where
        E: Estimator<T>,
    {
        self.calibration.add(estimate, actual);
        self.inner.learn(features, size, actual);
    }

    /// The estimator itself, as for [`ClassRatios::observe`](super::ClassRatios::observe).
    pub fn inner_mut(&mut self) -> &mut E {
        &mut self.inner
    }

    /// What was clamped so far.
    #[must_use]
    pub fn clamped(&self) -> Clamped {
        self.clamped
    }

    /// The error so far.
    #[must_use]
    pub fn calibration(&self) -> Calibration {
        self.calibration
    }
}

#[cfg(test)]
mod tests {
    use super::super::Given;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_estimate_becomes_a_job_size_within_the_limits(bits in any::<u64>()) {
            let mut estimator = Calibrated::new(Given::new(|x: &f64| *x), EstimateLimits::default()).unwrap();
            let (_, work) = estimator.estimate(&f64::from_bits(bits), Bytes::new(1));
            prop_assert!(work >= EstimateLimits::default().least && work <= EstimateLimits::default().most);
        }
    }

    #[test]
    fn what_is_clamped_is_counted_by_kind() {
        let mut estimator =
            Calibrated::new(Given::new(|x: &f64| *x), EstimateLimits::default()).unwrap();
        for x in [0.0, -1.0, f64::NEG_INFINITY, 2.0, f64::INFINITY, f64::NAN, 1e-3] {
            estimator.estimate(&x, Bytes::new(1));
        }
        let expected = Clamped { low: 3, high: 1, infinite: 1, nan: 1 };
        assert_eq!(estimator.clamped(), expected);
        let limits = |least, most| EstimateLimits {
            least: Duration::from_ns(least),
            most: Duration::from_ns(most),
        };
        assert!(Calibrated::new((), limits(0, 1)).is_err());
        assert!(Calibrated::new((), limits(2, 1)).is_err());
    }

    #[test]
    fn the_error_is_what_it_says() {
        let mut estimator =
            Calibrated::new(Given::new(|x: &f64| *x), EstimateLimits::default()).unwrap();
        for (guess, truth) in [(10, 20), (30, 20)] {
            let [guess, truth] = [guess, truth].map(Duration::from_us);
            estimator.learn(&0.0, Bytes::new(1), guess, truth);
        }
        let calibration = estimator.calibration();
        assert!(calibration.bias().abs() < 1e-9);
        assert!((calibration.error() - 0.5).abs() < 1e-9);
        assert!((calibration.underestimated() - 0.5).abs() < 1e-9);
        assert!((calibration.worst_under - 2.0).abs() < 1e-9);
    }
}
