//! Packet-size weighted shortest job first: rank = work per byte.
//!
//! Source: thesis §3.4.4 (the smallest ratio of job size to packet size first). The ratio is kept
//! in steps of 2^-20 unit of work per byte, rounded up; a packet of no bytes counts as one byte.
//! The size of a job comes from the cost of its class, or from the packet, by a function that the
//! caller gives ([`WeightedShortestJobFirst::reading`]). Packets of a flow may overtake each other;
//! the thesis's in-order variant is not here.
//!
//! Complexity: O(1). Memory: 8 bytes a class.

use alloc::vec::Vec;

use forebay_parameters::Choice;
use forebay_units::Time;

use super::choice::Reads;
use super::{JobCost, RankConfig, RankFunction};
use crate::{Packet, Rank};

/// Binary digits of a ratio after the point.
const RATIO_BITS: u32 = 20;

/// Where the size of a job comes from.
#[derive(Clone, Debug)]
enum JobSize {
    PerClass(Vec<JobCost>),
    Read(fn(&Packet) -> u64),
}

/// Rank = job size / packet size.
///
/// ```
/// use forebay_sched::{Packet, RankFunction, functions::{RankConfig, WeightedShortestJobFirst}};
/// use forebay_units::Time;
///
/// let mut wsjf = WeightedShortestJobFirst::new(&RankConfig::default()); // one unit a packet
/// let small = wsjf.rank(Time::ZERO, &Packet { size: 64, ..Packet::default() });
/// let large = wsjf.rank(Time::ZERO, &Packet { size: 1500, ..Packet::default() });
/// assert!(large < small);
/// ```
#[derive(Clone, Debug)]
pub struct WeightedShortestJobFirst {
    job_size: JobSize,
}

impl WeightedShortestJobFirst {
    /// With `job_costs` of `config`.
    #[must_use]
    pub fn new(config: &RankConfig) -> Self {
        WeightedShortestJobFirst { job_size: JobSize::PerClass(config.job_costs.clone()) }
    }

    /// With the size of the job that `read` finds in the packet.
    #[must_use]
    pub fn reading(read: fn(&Packet) -> u64) -> Self {
        WeightedShortestJobFirst { job_size: JobSize::Read(read) }
    }
}

impl RankFunction for WeightedShortestJobFirst {
    fn reads_class(&self) -> bool {
        match &self.job_size {
            JobSize::PerClass(costs) => RankConfig::differ(costs),
            JobSize::Read(_) => true,
        }
    }

    fn rank(&mut self, _now: Time, packet: &Packet) -> Rank {
        let bytes = u64::from(packet.size.max(1));
        let work = match &self.job_size {
            JobSize::PerClass(costs) => {
                let cost = RankConfig::of_class(costs, packet.class);
                u64::from(cost.per_byte)
                    .saturating_mul(bytes)
                    .saturating_add(cost.per_packet.into())
            }
            JobSize::Read(read) => read(packet),
        };
        let ratio = (u128::from(work) << RATIO_BITS).div_ceil(u128::from(bytes));
        Rank::new(u64::try_from(ratio).unwrap_or(u64::MAX))
    }
}

/// The choice `wsjf`.
pub(super) fn choice(config: &RankConfig) -> Choice<dyn RankFunction> {
    let about = "weighted shortest job first: work per byte of the packet";
    config.choice("wsjf", "WSJF", about, &[Reads::JobCosts], WeightedShortestJobFirst::new)
}
