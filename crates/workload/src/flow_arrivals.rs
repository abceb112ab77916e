//! When flows begin on one input and how large they are: a Poisson process of flows whose mean rate
//! is load · link rate / mean size (Themis §6.3.1). O(log points) per flow.
//!
//! Sizes and gaps come from two substreams, and a flow begins at (sum of unit exponentials) · (mean
//! gap): the same seed gives the same sizes, and the same pattern of arrivals stretched in time, at
//! every load. So differences between two loads, or two policies, are not due to chance.

use forebay_units::{Rate, Time};

use crate::SizeDistribution;
use crate::random::{ChaCha8Rng, exponential, stream};

/// One flow offered to an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OfferedFlow {
    /// When its first bit is ready; [`Time::MAX`] if that is beyond the clock.
    pub(crate) at: Time,
    /// Its bytes, at least 1.
    pub(crate) bytes: u64,
}

/// The flows of one input.
#[derive(Clone, Debug)]
pub(crate) struct FlowArrivals {
    gaps: ChaCha8Rng,
    sizes: ChaCha8Rng,
    mean_gap_ps: f64,
    elapsed_gaps: f64,
}

impl FlowArrivals {
    /// The flows of `input` under `seed`, `mean_gap_ps` apart on average.
    pub(crate) fn new(seed: u64, input: u16, mean_gap_ps: f64) -> Self {
        let input = u64::from(input);
        FlowArrivals {
            gaps: stream(seed, "flow gaps", input),
            sizes: stream(seed, "flow sizes", input),
            mean_gap_ps,
            elapsed_gaps: 0.0,
        }
    }

    /// The next flow.
    pub(crate) fn next_flow(&mut self, distribution: &SizeDistribution) -> OfferedFlow {
        self.elapsed_gaps += exponential(&mut self.gaps);
        // The conversion saturates: an instant beyond the clock is never reached.
        let at = Time::from_ps((self.elapsed_gaps * self.mean_gap_ps) as u64);
        OfferedFlow { at, bytes: distribution.sample(&mut self.sizes).get() }
    }
}

/// The mean time between flows of `mean_bytes` that load a link of `rate` to `load`, in
/// picoseconds.
pub(crate) fn mean_gap_ps(mean_bytes: f64, rate: Rate, load: f64) -> f64 {
    mean_bytes * 8e12 / (rate.as_bps() as f64 * load)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offered_load_is_the_load() {
        for name in ["websearch", "hadoop"] {
            let sizes = SizeDistribution::builtin(name).unwrap();
            let gap = mean_gap_ps(sizes.mean(), Rate::from_gbps(50), 0.9);
            let (flows, inputs) = (2_000.0, 8);
            let span = gap * flows;
            let (mut bytes, mut squares) = (0.0, 0.0);
            for input in 0..inputs {
                let mut arrivals = FlowArrivals::new(11, input, gap);
                loop {
                    let flow = arrivals.next_flow(&sizes);
                    if flow.at.as_ps() as f64 > span {
                        break;
                    }
                    bytes += flow.bytes as f64;
                    squares += (flow.bytes as f64).powi(2);
                }
            }
            let expected = f64::from(inputs) * span * 50e9 * 0.9 / 8e12;
            // A compound Poisson sum has the variance (flows) · E[size²]; four deviations.
            assert!((bytes - expected).abs() < 4.0 * squares.sqrt(), "{name}: {bytes} {expected}");
            // The tolerance itself is small enough to notice a wrong mean.
            assert!(4.0 * squares.sqrt() < 0.2 * expected);
        }
    }

    #[test]
    fn loads_share_sizes_and_stretch_times() {
        let sizes = SizeDistribution::builtin("websearch").unwrap();
        let mut dense = FlowArrivals::new(5, 3, 1e6);
        let mut sparse = FlowArrivals::new(5, 3, 4e6);
        for _ in 0..1000 {
            let (a, b) = (dense.next_flow(&sizes), sparse.next_flow(&sizes));
            assert_eq!(a.bytes, b.bytes);
            assert!(b.at.as_ps().abs_diff(4 * a.at.as_ps()) <= 4);
        }
    }
}
