//! Candidate rules with learned ratios.
//!
//! Source: thesis §3.5.2, full matching: for the list K of candidate rules of a packet of size p,
//! `J = Σ z_k p` over K, where `z_k` is the largest ratio of job size to packet size seen for rule k. The
//! paper does not say what `z_k` is before rule k has run, nor how the time of a packet with several
//! candidates is divided among them. A rule begins with a given ratio. A processor that times each rule
//! says so with [`ClassRatios::observe`]; otherwise the time of a packet is divided in proportion to the
//! ratios, so that one that took as long as expected teaches nothing.
//!
//! Complexity: O(candidates). Memory: 8 bytes per rule; the rules are fixed.

use forebay_units::{Bytes, Duration};

use super::Estimator;

/// Job sizes as sums over an item's classes (candidate rules) of learned ratios.
///
/// ```
/// use forebay_surge::estimate::{ClassRatios, Estimator};
/// use forebay_units::{Bytes, Duration};
///
/// struct Packet { candidates: Vec<u32> }
/// let rules = |packet: &Packet| packet.candidates.clone();
/// let mut estimator = ClassRatios::new(1000, 1e-9, rules);
/// estimator.observe(7, Bytes::new(100), Duration::from_us(1)); // 10 ns per byte
/// let features = estimator.features(&Packet { candidates: vec![7, 8] });
/// assert!((estimator.estimate(&features, Bytes::new(1000)) - 11e-6).abs() < 1e-12);
/// ```
#[derive(Clone, Debug)]
pub struct ClassRatios<F> {
    /// Seconds per byte.
    ratios: Vec<f64>,
    /// That of a class out of range.
    first: f64,
    classes: F,
}

impl<F> ClassRatios<F> {
    /// Classes `0 .. count`, each beginning with `first` seconds per byte; `classes` lists an item's.
    pub fn new(count: usize, first: f64, classes: F) -> Self {
        ClassRatios { ratios: vec![first; count], first, classes }
    }

    /// The ratio of a class, in seconds per byte.
    #[must_use]
    pub fn ratio(&self, class: u32) -> f64 {
        self.ratios.get(class as usize).copied().unwrap_or(self.first)
    }

    /// One class alone took `actual` for an item of this size.
    pub fn observe(&mut self, class: u32, size: Bytes, actual: Duration) {
        self.raise(class, actual.as_secs_f64() / size.get().max(1) as f64);
    }

    fn raise(&mut self, class: u32, ratio: f64) {
        if let Some(old) = self.ratios.get_mut(class as usize) {
            *old = old.max(ratio);
        }
    }
}

impl<T, F: FnMut(&T) -> Vec<u32>> Estimator<T> for ClassRatios<F> {
    type Features = Vec<u32>;

    fn features(&mut self, item: &T) -> Vec<u32> {
        (self.classes)(item)
    }

    fn estimate(&self, classes: &Vec<u32>, size: Bytes) -> f64 {
        let sum: f64 = classes.iter().map(|class| self.ratio(*class)).sum();
        sum * size.get().max(1) as f64
    }

    fn learn(&mut self, classes: &Vec<u32>, size: Bytes, actual: Duration) {
        let expected = Estimator::<T>::estimate(self, classes, size);
        let factor = actual.as_secs_f64() / expected;
        if factor.is_finite() {
            for class in classes {
                self.raise(*class, self.ratio(*class) * factor);
            }
        } else if let [class] = classes[..] {
            self.observe(class, size, actual);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_surprise_raises_a_ratio() {
        let own: fn(&Vec<u32>) -> Vec<u32> = Clone::clone;
        let mut estimator = ClassRatios::new(3, 1e-9, own);
        let size = Bytes::new(100);
        let learn = |estimator: &mut ClassRatios<_>, classes: &[u32], ns| {
            Estimator::<Vec<u32>>::learn(estimator, &classes.to_vec(), size, Duration::from_ns(ns));
        };
        learn(&mut estimator, &[0, 1], 100);
        assert!((estimator.ratio(0) - 1e-9).abs() < 1e-18);
        learn(&mut estimator, &[0, 1], 400);
        assert!(
            (estimator.ratio(0) - 2e-9).abs() < 1e-18 && (estimator.ratio(1) - 2e-9).abs() < 1e-18
        );
        learn(&mut estimator, &[99], 400); // a class that does not exist
        learn(&mut estimator, &[], 400);
        assert!((estimator.ratio(2) - 1e-9).abs() < 1e-18);
        let mut from_nothing = ClassRatios::new(1, 0.0, own);
        learn(&mut from_nothing, &[0], 100);
        assert!((from_nothing.ratio(0) - 1e-9).abs() < 1e-18);
    }
}
