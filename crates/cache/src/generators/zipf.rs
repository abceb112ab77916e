//! Zipf popularity: object k of n, from 1, with a probability in proportion to k^−s.
//!
//! Drawn by the alias method (Walker 1977, Vose 1991): one uniform number, O(1). Weights are made
//! of square roots and products only, which every machine rounds alike. Building O(n); 12 bytes an
//! object.

use std::fmt;

use forebay_parameters::ParameterError;
use forebay_workload::random::{ChaCha8Rng, uniform};

use super::{some_objects, within};

/// The most objects a generator has.
pub const MAX_OBJECTS: u64 = 1 << 27;

/// A Zipf distribution over the numbers from 0, the most popular first.
///
/// ```
/// use forebay_cache::generators::Zipf;
/// use forebay_workload::random::stream;
///
/// let zipf = Zipf::new(1_000, 1.0)?;
/// let mut rng = stream(1, "popularity", 0);
/// let firsts = (0..10_000).filter(|_| zipf.draw(&mut rng) == 0).count();
/// assert!((1_200..1_500).contains(&firsts)); // one in H(1000) = 7.49
/// # Ok::<(), forebay_parameters::ParameterError>(())
/// ```
#[derive(Clone)]
pub struct Zipf {
    /// Below which a draw within a column keeps its object.
    thresholds: Vec<f64>,
    /// The object otherwise.
    aliases: Vec<u32>,
}

impl fmt::Debug for Zipf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Zipf").field("objects", &self.thresholds.len()).finish_non_exhaustive()
    }
}

impl Zipf {
    /// The distribution over `objects` objects with `exponent` s.
    ///
    /// # Errors
    /// If there are no objects, or too many, or the exponent is not from 0 to 8.
    pub fn new(objects: u64, exponent: f64) -> Result<Self, ParameterError> {
        some_objects("objects", objects)?;
        within("exponent", exponent, 0.0..=8.0)?;
        let weights: Vec<f64> = (1..=objects).map(|k| 1.0 / power(k as f64, exponent)).collect();
        Ok(Self::from_weights(weights))
    }

    /// Fills each column of the alias table with one small and one large weight.
    fn from_weights(mut weights: Vec<f64>) -> Self {
        let total: f64 = weights.iter().sum();
        let scale = weights.len() as f64 / total;
        weights.iter_mut().for_each(|weight| *weight *= scale);
        let mut aliases: Vec<u32> = (0..weights.len() as u32).collect();
        let (mut small, mut large): (Vec<u32>, Vec<u32>) =
            (0..weights.len() as u32).partition(|k| weights[*k as usize] < 1.0);
        while let (Some(below), Some(&above)) = (small.pop(), large.last()) {
            aliases[below as usize] = above;
            let left = weights[above as usize] - (1.0 - weights[below as usize]);
            weights[above as usize] = left;
            if left < 1.0 {
                large.pop();
                small.push(above);
            }
        }
        // What is left is 1 but for rounding.
        for k in small.into_iter().chain(large) {
            weights[k as usize] = weights[k as usize].max(1.0);
        }
        Zipf { thresholds: weights, aliases }
    }

    /// Draws an object; 0 is the most popular.
    #[inline]
    #[must_use]
    pub fn draw(&self, rng: &mut ChaCha8Rng) -> u64 {
        let place = uniform(rng) * self.thresholds.len() as f64;
        let column = (place as usize).min(self.thresholds.len() - 1);
        let keeps = place - column as f64 <= self.thresholds[column];
        u64::from(if keeps { column as u32 } else { self.aliases[column] })
    }
}

/// `base` to a power from 0 to 8, by the binary digits of the exponent. Only operations that are
/// rounded correctly everywhere.
fn power(base: f64, exponent: f64) -> f64 {
    let whole = exponent as u32;
    let mut result = (0..whole).fold(1.0, |product, _| product * base);
    let mut fraction = exponent - f64::from(whole);
    let mut root = base;
    while fraction > 0.0 && root > 1.0 {
        root = root.sqrt();
        fraction *= 2.0;
        if fraction >= 1.0 {
            fraction -= 1.0;
            result *= root;
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use forebay_workload::random::stream;

    #[test]
    fn powers_are_powers() {
        for (base, exponent) in
            [(1.0, 0.7), (2.0, 0.5), (10.0, 0.9), (1e6, 1.1), (3.0, 8.0), (7.0, 0.0)]
        {
            let (ours, theirs) = (power(base, exponent), f64::powf(base, exponent));
            assert!((ours / theirs - 1.0).abs() < 1e-13, "{base}^{exponent}: {ours} {theirs}");
        }
    }

    #[test]
    fn draws_follow_the_weights() {
        let zipf = Zipf::new(50, 0.8).unwrap();
        let mut rng = stream(5, "test", 0);
        let mut counts = [0_u32; 50];
        let n = 400_000;
        for _ in 0..n {
            counts[zipf.draw(&mut rng) as usize] += 1;
        }
        let total: f64 = (1..=50).map(|k| f64::powf(f64::from(k), -0.8)).sum();
        for (k, count) in counts.iter().enumerate() {
            let p = f64::powf(k as f64 + 1.0, -0.8) / total;
            let deviation = (f64::from(n) * p * (1.0 - p)).sqrt();
            assert!((f64::from(*count) - f64::from(n) * p).abs() < 5.0 * deviation, "{k}: {count}");
        }
    }

    #[test]
    fn impossible_parameters_are_named() {
        assert_eq!(Zipf::new(0, 1.0).unwrap_err().name(), "objects");
        assert!(Zipf::new(10, f64::NAN).is_err() && Zipf::new(10, -1.0).is_err());
        assert!(Zipf::new(1, 0.0).is_ok());
    }
}
