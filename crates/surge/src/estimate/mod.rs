//! How long a job will take, guessed before it runs.
//!
//! Source: thesis §3.5.2. [`Estimator`] is the trait for one's own; the paper's two heuristics are
//! [`Traversals`] (the length of the list that may have to be walked) and [`ClassRatios`] (the
//! worst ratio of job size to packet size seen for each candidate rule), as far as they can be had
//! without the packet processors. What an estimator says is never trusted: [`Calibrated`] clamps
//! it, counts what it clamped, and keeps the error against the times that were measured.

mod calibrated;
mod class_ratios;
mod linear;
mod simple;

pub use calibrated::{Calibrated, Calibration, Clamped, EstimateLimits};
pub use class_ratios::{ClassRatios, DEFAULT_HALF_LIFE};
pub use linear::Linear;
pub use simple::{Constant, Given, Traversals};

use forebay_units::{Bytes, Duration};

/// Guesses job sizes of items of type `T`, and learns from those that have run.
///
/// ```
/// use forebay_surge::estimate::Estimator;
/// use forebay_units::{Bytes, Duration};
///
/// /// A decompressor's work goes with what comes out, which the header states.
/// struct StatedLength;
///
/// impl Estimator<Vec<u8>> for StatedLength {
///     type Features = u8;
///     fn features(&mut self, item: &Vec<u8>) -> u8 {
///         item.first().copied().unwrap_or(0)
///     }
///     fn estimate(&self, stated: &u8, _: Bytes) -> f64 {
///         f64::from(*stated) * 1e-6
///     }
/// }
/// let mut estimator = StatedLength;
/// let features = estimator.features(&vec![3, 1, 4]);
/// assert_eq!(estimator.estimate(&features, Bytes::new(3)), 3e-6);
/// ```
pub trait Estimator<T> {
    /// What is kept of an item until it has run.
    type Features;

    /// Looks at an item that arrives; has to be cheap, since an attacker causes it.
    fn features(&mut self, item: &T) -> Self::Features;

    /// The job size in seconds. Any number will do no harm: see [`EstimateLimits`].
    fn estimate(&self, features: &Self::Features, size: Bytes) -> f64;

    /// A job of these features ran for `actual`.
    fn learn(&mut self, features: &Self::Features, size: Bytes, actual: Duration) {
        let _ = (features, size, actual);
    }
}
