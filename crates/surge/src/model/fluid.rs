//! Goodput under SJF or WSJF in the long run, without simulating: innocent traffic as a fluid that
//! is served in order of rank, with the adversary's somewhere in it.
//!
//! Source: the arguments of Lemma 2 and Theorem 3 (thesis §3.4.3, §3.4.4). Among equals the
//! adversary is served first, which is the worst; innocent equals share what is left in proportion,
//! as those do that are served in order of arrival. Rank is by estimates, load by true job sizes;
//! with true estimates that is the paper's model. Complexity: O(n log n) to build, O(log n) to ask.
//! Memory: 40 bytes per atom.

use forebay_units::{Bytes, Duration};

use super::attack::Shot;
use super::traffic::Traffic;
use crate::policies::ServiceOrder;

impl ServiceOrder {
    /// The key of a job, in seconds or in seconds per bit.
    pub(super) fn key(self, size: Bytes, estimate: Duration) -> f64 {
        match self {
            ServiceOrder::ByWork => estimate.as_secs_f64(),
            ServiceOrder::ByRatio => estimate.as_secs_f64() / (size.get().max(1) as f64 * 8.0),
        }
    }
}

/// All innocent traffic of one key, in its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rung {
    pub(super) key: f64,
    /// What all before it load the servers with.
    pub(super) load_before: f64,
    /// What all before it send, in bits per second.
    bits_before: f64,
    load: f64,
    bits: f64,
}

/// Innocent traffic in order of service.
///
/// ```
/// use forebay_surge::model::{Arrivals, Fluid, Joint, Shot, Traffic};
/// use forebay_surge::policies::ServiceOrder;
/// use forebay_units::{Bytes, Duration, Rate};
///
/// let joint = Joint::product(&[(Bytes::new(1250), 1.0)], &[(Duration::from_us(1), 1.0)])?;
/// let rate = Rate::from_gbps(10); // a load of 1
/// let traffic = Traffic { joint, rate, arrivals: Arrivals::Constant, flows: 1, seed: 0 };
/// let fluid = Fluid::new(&traffic, 1, ServiceOrder::ByRatio);
/// // A tenth of the processor, taken with a better ratio, costs a tenth of the goodput.
/// let shot = Shot::new(Bytes::new(1250), Duration::from_ns(999));
/// let lost = fluid.alone() - fluid.under(&shot, 0.1 / 99.9e-12);
/// assert!((lost / 1e9 - 1.0).abs() < 1e-6);
/// # Ok::<(), forebay_surge::SurgeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Fluid {
    pub(super) order: ServiceOrder,
    pub(super) rungs: Vec<Rung>,
    pub(super) servers: f64,
}

impl Fluid {
    /// The innocent traffic in front of so many servers.
    #[must_use]
    pub fn new(traffic: &Traffic, servers: u32, order: ServiceOrder) -> Self {
        let packets_per_second = traffic.rate.as_bps() as f64 / (traffic.joint.mean_size() * 8.0);
        let atoms = traffic.joint.atoms().iter().enumerate();
        let mut rungs: Vec<Rung> = atoms
            .map(|(place, atom)| {
                let packets = packets_per_second * traffic.joint.probability(place);
                let (load, bits) =
                    (packets * atom.work.as_secs_f64(), packets * atom.size.get() as f64 * 8.0);
                let key = order.key(atom.size, atom.estimate);
                Rung { key, load_before: 0.0, bits_before: 0.0, load, bits }
            })
            .collect();
        rungs.sort_by(|a, b| a.key.total_cmp(&b.key));
        rungs.dedup_by(|next, rung| {
            let equal = next.key == rung.key;
            if equal {
                rung.load += next.load;
                rung.bits += next.bits;
            }
            equal
        });
        let (mut load, mut bits) = (0.0, 0.0);
        for rung in &mut rungs {
            (rung.load_before, rung.bits_before) = (load, bits);
            load += rung.load;
            bits += rung.bits;
        }
        Fluid { order, rungs, servers: f64::from(servers.max(1)) }
    }

    /// o_I(r_I; 0), in bits per second.
    #[must_use]
    pub fn alone(&self) -> f64 {
        self.first(self.servers)
    }

    /// o_I(r_I; r_A), in bits per second, for attack packets like `shot` at `rate` bits per second.
    #[must_use]
    pub fn under(&self, shot: &Shot, rate: f64) -> f64 {
        let key = self.order.key(shot.size, shot.estimate);
        let packets = rate / (shot.size.get().max(1) as f64 * 8.0);
        let attack = packets * shot.work.as_secs_f64();
        let place = self.rungs.partition_point(|rung| rung.key < key);
        let before = self.load_before(place).min(self.servers);
        // What the adversary leaves to those behind them.
        let left = (self.servers - before - attack).max(0.0);
        self.first(before + left)
    }

    /// The load of the first `place` rungs.
    pub(super) fn load_before(&self, place: usize) -> f64 {
        match (self.rungs.get(place), self.rungs.last()) {
            (Some(rung), _) => rung.load_before,
            (None, Some(last)) => last.load_before + last.load,
            (None, None) => 0.0,
        }
    }

    /// Bits per second of the first innocent traffic that is a load of `load`.
    fn first(&self, load: f64) -> f64 {
        let full = self.rungs.partition_point(|rung| rung.load_before + rung.load <= load);
        match self.rungs.get(full) {
            Some(rung) => {
                rung.bits_before + rung.bits * ((load - rung.load_before) / rung.load).max(0.0)
            }
            None => self.rungs.last().map_or(0.0, |last| last.bits_before + last.bits),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Arrivals, Joint};
    use super::*;
    use forebay_units::Rate;

    /// Under SJF with jobs of one size, what is displaced is a mix of packets, and not the largest
    /// of them.
    #[test]
    fn innocent_equals_share_what_is_left() {
        let sizes = [(Bytes::new(1500), 1.0), (Bytes::new(500), 1.0)];
        let joint = Joint::product(&sizes, &[(Duration::from_us(1), 1.0)]).unwrap();
        let rate = Rate::from_bps((joint.max_rate() * 2.0) as u64);
        let traffic = Traffic { joint, rate, arrivals: Arrivals::Constant, flows: 1, seed: 0 };
        let fluid = Fluid::new(&traffic, 1, ServiceOrder::ByWork);
        assert!((fluid.alone() / 8e9 - 1.0).abs() < 1e-6, "half of both");
        let shot = Shot::new(Bytes::new(64), Duration::from_ns(999));
        let tenth = 0.1 * 64.0 * 8.0 / 999e-9;
        assert!((fluid.under(&shot, tenth) / 7.2e9 - 1.0).abs() < 1e-6);
    }
}
