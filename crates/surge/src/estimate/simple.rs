//! Estimators that learn nothing. O(1) beside the caller's functions; no memory.

use core::marker::PhantomData;

use forebay_units::{Bytes, Duration};

use super::Estimator;

/// The job size, in seconds, is what a function says.
///
/// ```
/// use forebay_surge::estimate::{Estimator, Given};
/// use forebay_units::Bytes;
///
/// let mut estimator = Given::new(|text: &&str| text.len() as f64 * 0.5);
/// let features = estimator.features(&"abc");
/// assert_eq!(estimator.estimate(&features, Bytes::new(3)), 1.5);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Given<F, T> {
    seconds: F,
    item: PhantomData<fn(&T)>,
}

impl<T, F: FnMut(&T) -> f64> Given<F, T> {
    /// Asks `seconds`.
    pub fn new(seconds: F) -> Self {
        Given { seconds, item: PhantomData }
    }
}

impl<T, F: FnMut(&T) -> f64> Estimator<T> for Given<F, T> {
    type Features = f64;

    fn features(&mut self, item: &T) -> f64 {
        (self.seconds)(item)
    }

    fn estimate(&self, seconds: &f64, _: Bytes) -> f64 {
        *seconds
    }
}

/// All jobs are alike: WSJF then serves the largest packets first.
///
/// ```
/// use forebay_surge::estimate::{Constant, Estimator};
/// use forebay_units::{Bytes, Duration};
///
/// let estimator = Constant(Duration::from_us(2));
/// assert!((Estimator::<u8>::estimate(&estimator, &(), Bytes::new(9)) - 2e-6).abs() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constant(pub Duration);

impl<T> Estimator<T> for Constant {
    type Features = ();

    fn features(&mut self, _: &T) {}

    fn estimate(&self, (): &(), _: Bytes) -> f64 {
        self.0.as_secs_f64()
    }
}

/// A list may have to be walked: `base + step * length`, an upper bound of the job size (§3.5.2,
/// TCP reassembly, where the length is that of the flow's out-of-order list).
///
/// The paper counts traversals only; the cost of a packet that walks nothing is
/// [`base`](Self::base) here.
///
/// ```
/// use forebay_surge::estimate::{Estimator, Traversals};
/// use forebay_units::{Bytes, Duration};
///
/// struct Segment { list: u64 }
/// let (base, step) = (Duration::from_ns(100), Duration::from_ns(4));
/// let mut estimator = Traversals { base, step, length: |segment: &Segment| segment.list };
/// let length = estimator.features(&Segment { list: 50 });
/// assert!((estimator.estimate(&length, Bytes::new(64)) - 300e-9).abs() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Traversals<F> {
    /// What a job takes that walks nothing.
    pub base: Duration,
    /// What a step takes.
    pub step: Duration,
    /// The length of the list that an item may have to walk.
    pub length: F,
}

impl<T, F: FnMut(&T) -> u64> Estimator<T> for Traversals<F> {
    type Features = u64;

    fn features(&mut self, item: &T) -> u64 {
        (self.length)(item)
    }

    fn estimate(&self, length: &u64, _: Bytes) -> f64 {
        (self.base + self.step * *length).as_secs_f64()
    }
}
