//! TCP reassembly as a joint distribution: the setting of thesis §3.6.2, as far as the paper tells
//! it.
//!
//! From the paper: r_max is 12 Gb/s (§3.6.1); a job is a walk along the flow's out-of-order list,
//! and its estimate the list's length (§3.5.2); attack packets are of the smallest size with one
//! byte of payload (§3.5.1), and a flow is dropped when its window reaches 16 KB (§3.6.1), so that
//! a list of one-byte nodes every other byte has at most 8192. E\[P\] / P_min is about 16 / ρ
//! (§3.6.2).
//!
//! Not in the paper, and not to be had (a CAIDA trace): the distributions themselves. Assumed:
//! packets of 64, 576 and 1500 bytes, mean 1209; P_min of 64; [`step`](Reassembly::step) of 4 ns, a
//! list node a cycle at 250 MHz; most packets find an empty list,
//! [`disordered`](Reassembly::disordered) of them one whose length is a power of two, each as
//! likely; of those, most belong at the list's end, the rest anywhere. What a packet costs that
//! walks nothing is whatever makes r_max come out.

use forebay_parameters::Configure;
use forebay_units::{Bytes, Duration};

use super::joint::{Atom, Joint};
use super::optimal::Means;
use crate::error::SurgeError;

/// The parameters of the simulated reassembler.
///
/// ```
/// use forebay_surge::model::Reassembly;
///
/// let joint = Reassembly::default().innocent()?;
/// assert!((joint.max_rate() / 12e9 - 1.0).abs() < 1e-3);
/// assert!((joint.mean_size() - 1208.56).abs() < 1e-9);
/// # Ok::<(), forebay_surge::SurgeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Configure)]
pub struct Reassembly {
    /// Part of innocent packets whose flow has an out-of-order list.
    #[parameter(range = 0.0..=1.0)]
    #[parameter(
        assumed = "the thesis's trace is not public",
        sensitivity = "surge/sensitivity-disorder"
    )]
    pub disordered: f64,
    /// Part of those that belong at the list's end, where the estimate is true.
    #[parameter(range = 0.0..=1.0)]
    #[parameter(
        assumed = "the thesis's trace is not public",
        sensitivity = "surge/sensitivity-heuristic"
    )]
    pub at_end: f64,
    /// Packet sizes of the innocent and their frequencies.
    #[parameter(skip)]
    pub sizes: Vec<(Bytes, f64)>,
    /// r_max, in bits per second.
    #[parameter(skip)]
    pub max_rate: f64,
    /// What a step along the list takes.
    #[parameter(skip)]
    pub step: Duration,
    /// The longest list of an innocent flow: a power of two.
    #[parameter(skip)]
    pub longest_innocent: u64,
    /// The longest list there can be.
    #[parameter(skip)]
    pub longest: u64,
}

impl Default for Reassembly {
    fn default() -> Self {
        let sizes = [(64, 10.0), (576, 16.0), (1500, 74.0)];
        let sizes: Vec<_> = sizes.iter().map(|(size, p)| (Bytes::new(*size), *p)).collect();
        Reassembly {
            sizes,
            max_rate: 12e9,
            step: Duration::from_ns(4),
            disordered: 0.1,
            longest_innocent: 1024,
            at_end: 0.9,
            longest: 8192,
        }
    }
}

impl Reassembly {
    /// What a packet costs that walks nothing, so that `r_max` is what it should be.
    fn base(&self) -> Duration {
        let total: f64 = self.sizes.iter().map(|(_, p)| p).sum();
        let bytes: f64 = self.sizes.iter().map(|(size, p)| size.get() as f64 * p).sum();
        let steps: f64 = self.walks().iter().map(|(walked, _, p)| *walked as f64 * p).sum();
        let mean_ps = bytes / total * 8e12 / self.max_rate;
        let base_ps = mean_ps - steps * self.step.as_ps() as f64;
        Duration::from_ps(base_ps.max(1.0).round() as u64)
    }

    /// Steps walked, length of the list, probability.
    fn walks(&self) -> Vec<(u64, u64, f64)> {
        let lengths = core::iter::successors(Some(1u64), |length| length.checked_mul(2));
        let lengths: Vec<u64> =
            lengths.take_while(|length| *length <= self.longest_innocent).collect();
        let p = self.disordered / lengths.len().max(1) as f64;
        let mut walks = vec![(0, 0, 1.0 - self.disordered)];
        for length in lengths {
            walks.push((length, length, p * self.at_end));
            // Anywhere: the four quarters, each by its middle.
            for quarter in 0..4 {
                let walked = length * (2 * quarter + 1) / 8;
                walks.push((walked, length, p * (1.0 - self.at_end) / 4.0));
            }
        }
        walks.retain(|(_, _, p)| *p > 0.0);
        walks
    }

    /// A job of so many steps.
    fn job(&self, steps: u64) -> Duration {
        self.base() + self.step * steps
    }

    /// The innocent traffic, with the lengths of lists as estimates.
    ///
    /// # Errors
    /// If a parameter makes no distribution.
    pub fn innocent(&self) -> Result<Joint, SurgeError> {
        let walks = self.walks();
        let base = self.base();
        let atoms = self.sizes.iter().flat_map(|(size, p)| {
            walks.iter().map(move |(walked, length, q)| Atom {
                size: *size,
                work: base + self.step * *walked,
                estimate: base + self.step * *length,
                weight: p * q,
            })
        });
        Joint::new(atoms.collect())
    }

    /// What the adversary can craft.
    #[must_use]
    pub fn means(&self) -> Means {
        let sizes = self.sizes.iter().map(|(size, _)| *size);
        let (smallest, largest) = (sizes.clone().min(), sizes.max());
        Means {
            smallest: smallest.unwrap_or(Bytes::new(64)),
            largest: largest.unwrap_or(Bytes::new(1500)),
            longest: self.job(self.longest),
        }
    }
}
