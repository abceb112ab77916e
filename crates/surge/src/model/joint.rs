//! Packet size, job size and estimated job size, jointly distributed.
//!
//! Source: thesis §3.3.1, f_{P,J}. The paper's variables are continuous; here they are atoms with
//! weights, which is what a trace gives, and which makes its integrals sums. Sampling O(log atoms);
//! 40 bytes an atom.

use forebay_units::{Bytes, Duration};
use forebay_workload::SizeDistribution;
use forebay_workload::random::{ChaCha8Rng, uniform};

use crate::error::SurgeError;

/// One kind of job, and how often it is seen beside the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Atom {
    /// Packet size, above 0.
    pub size: Bytes,
    /// Job size.
    pub work: Duration,
    /// The job size that the scheduler is told.
    pub estimate: Duration,
    /// Relative frequency, above 0.
    pub weight: f64,
}

/// A joint distribution of packet and job sizes.
///
/// ```
/// use forebay_surge::model::Joint;
/// use forebay_units::{Bytes, Duration};
///
/// let sizes = [(Bytes::new(500), 0.5), (Bytes::new(1500), 0.5)];
/// let joint = Joint::product(&sizes, &[(Duration::from_us(1), 1.0)])?;
/// assert_eq!(joint.mean_size(), 1000.0);
/// assert!((joint.max_rate() / 8e9 - 1.0).abs() < 1e-9); // a kilobyte per microsecond
/// # Ok::<(), forebay_surge::SurgeError>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Joint {
    atoms: Vec<Atom>,
    /// Sums of weights.
    cumulative: Vec<f64>,
    mean_size: f64,
    mean_work: f64,
}

forebay_pifo::debug_in_one_line!(
    [] Joint,
    |joint| { atoms: joint.atoms.len(), mean_size: joint.mean_size, mean_work: joint.mean_work }
);

impl Joint {
    /// The distribution of these atoms.
    ///
    /// # Errors
    /// If there is none, a packet size is 0, all job sizes are 0, or a weight is not a positive
    /// number.
    pub fn new(atoms: Vec<Atom>) -> Result<Self, SurgeError> {
        let mut cumulative = Vec::with_capacity(atoms.len());
        let (mut total, mut sizes, mut works) = (0.0, 0.0, 0.0);
        for Atom { size, work, weight, .. } in &atoms {
            if !(weight.is_finite() && *weight > 0.0) {
                let range = "(0, ∞)";
                return Err(SurgeError::OutOfRange { name: "weight", value: *weight, range });
            }
            if *size == Bytes::ZERO {
                return Err(SurgeError::Zero("packet size"));
            }
            total += weight;
            sizes += weight * size.get() as f64;
            works += weight * work.as_secs_f64();
            cumulative.push(total);
        }
        if atoms.is_empty() {
            return Err(SurgeError::Empty("the joint distribution"));
        }
        if works <= 0.0 {
            return Err(SurgeError::Zero("mean job size"));
        }
        Ok(Joint { atoms, cumulative, mean_size: sizes / total, mean_work: works / total })
    }

    /// Independent packet and job sizes, with estimates that are true.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn product(sizes: &[(Bytes, f64)], works: &[(Duration, f64)]) -> Result<Self, SurgeError> {
        let atom = |(size, p): (Bytes, f64), (work, q): (Duration, f64)| Atom {
            size,
            work,
            estimate: work,
            weight: p * q,
        };
        let pairs = sizes.iter().flat_map(|size| works.iter().map(|work| atom(*size, *work)));
        Self::new(pairs.collect())
    }

    /// The jobs that the distribution consists of, each with its weight.
    #[must_use]
    pub fn atoms(&self) -> &[Atom] {
        &self.atoms
    }

    /// The probability of an atom, by its place.
    #[must_use]
    pub fn probability(&self, atom: usize) -> f64 {
        let total = self.cumulative.last().copied().unwrap_or(1.0);
        self.atoms.get(atom).map_or(0.0, |atom| atom.weight / total)
    }

    /// E\[P\], in bytes.
    #[must_use]
    pub fn mean_size(&self) -> f64 {
        self.mean_size
    }

    /// E\[J\], in seconds.
    #[must_use]
    pub fn mean_work(&self) -> f64 {
        self.mean_work
    }

    /// r_max = E\[P\] / E\[J\] of one server, in bits per second (§3.3.1).
    #[must_use]
    pub fn max_rate(&self) -> f64 {
        self.mean_size * 8.0 / self.mean_work
    }

    /// The smallest and the largest estimate, each over its true job size; jobs of no size apart.
    #[must_use]
    pub fn estimates(&self) -> (f64, f64) {
        let jobs = self.atoms.iter().filter(|atom| atom.work > Duration::ZERO);
        let over = |atom: &Atom| atom.estimate.as_secs_f64() / atom.work.as_secs_f64();
        // There is one: the mean job size is above 0.
        jobs.map(over).fold((f64::INFINITY, 0.0), |(least, most), part| {
            (least.min(part), f64::max(most, part))
        })
    }

    /// The same packets and jobs, with estimates that are true.
    #[must_use]
    pub fn with_true_estimates(&self) -> Self {
        let mut joint = self.clone();
        for atom in &mut joint.atoms {
            atom.estimate = atom.work;
        }
        joint
    }

    /// An atom drawn with one number of `rng`.
    pub fn sample(&self, rng: &mut ChaCha8Rng) -> Atom {
        let total = self.cumulative.last().copied().unwrap_or(1.0);
        let at = uniform(rng) * total;
        let place = self.cumulative.partition_point(|sum| *sum <= at);
        self.atoms[place.min(self.atoms.len() - 1)]
    }
}

/// A distribution of sizes as `count` atoms of equal weight, each the median of its part.
#[must_use]
pub fn quantiles(sizes: &SizeDistribution, count: u32) -> Vec<(Bytes, f64)> {
    let middle = |part: u32| (f64::from(part) + 0.5) / f64::from(count);
    (0..count).map(|part| (sizes.quantile(middle(part)), 1.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use forebay_workload::random::stream;

    #[test]
    fn samples_have_the_moments_and_bad_atoms_are_named() {
        let works = [(Duration::from_ns(100), 3.0), (Duration::from_ns(900), 1.0)];
        let sizes = quantiles(&SizeDistribution::constant(Bytes::new(700)), 4);
        let joint = Joint::product(&sizes, &works).unwrap();
        assert!((joint.mean_work() - 300e-9).abs() < 1e-15);
        let mut rng = stream(1, "joint", 0);
        let n = 40_000;
        let sum: f64 = (0..n).map(|_| joint.sample(&mut rng).work.as_secs_f64()).sum();
        // Five standard errors; the deviation of one is 346 ns.
        assert!((sum / f64::from(n) - 300e-9).abs() < 5.0 * 346e-9 / f64::from(n).sqrt());
        let bad =
            |size, work, weight| Joint::product(&[(Bytes::new(size), weight)], &[(work, 1.0)]);
        assert_eq!(bad(0, Duration::MAX, 1.0), Err(SurgeError::Zero("packet size")));
        assert_eq!(bad(1, Duration::ZERO, 1.0), Err(SurgeError::Zero("mean job size")));
        assert!(bad(1, Duration::MAX, f64::NAN).is_err() && Joint::new(Vec::new()).is_err());
    }
}
