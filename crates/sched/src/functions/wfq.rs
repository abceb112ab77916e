//! Weighted fair queueing: the finish time in the fluid server that the scheduler imitates.
//!
//! Source: gearbox §2.1 (departure times, in virtual time, served in ascending order); the virtual
//! time is that of the fluid server itself, [`GpsClock`]. A packet is sent no later than it would
//! leave the fluid server plus the time of one largest packet (Parekh and Gallager), as long as the
//! port really sends at the rate stated and whenever it can.
//!
//! Ranks are virtual finish times in steps of 2^-12 byte per unit of weight, counted from the last
//! instant at which nothing waited. They saturate after 2^52 bytes per unit of weight without such
//! an instant. Without feedback they count from the start of the clock.
//!
//! A packet that is dropped after it was ranked stays in the fluid server, so its flow pays for it.
//!
//! Complexity: O(log n) amortized, n the backlogged flows. Memory: about 60 bytes a flow.

use forebay_parameters::Choice;
use forebay_units::Time;

use super::choice::Reads;
use super::{RankConfig, RankFunction};
use crate::gps::{GpsClock, PICOBITS_PER_BYTE};
use crate::{Packet, Rank};

/// Virtual time per step of a rank: 2^-12 byte per unit of weight.
const STEP: u128 = PICOBITS_PER_BYTE >> 12;

/// Rank = virtual finish time in the fluid server.
///
/// ```
/// use forebay_sched::{Packet, RankFunction, functions::{RankConfig, WfqRank}};
/// use forebay_sched::scheduler::Weights;
/// use forebay_units::Time;
///
/// let weights = Weights::new(1, vec![1, 2])?;
/// let mut wfq = WfqRank::new(&RankConfig { weights, ..RankConfig::default() });
/// let light = wfq.rank(Time::ZERO, &Packet { flow: 0, size: 1000, ..Packet::default() });
/// let heavy = wfq.rank(Time::ZERO, &Packet { flow: 1, size: 1000, ..Packet::default() });
/// assert_eq!(light.get(), 2 * heavy.get());
/// # Ok::<(), forebay_sched::scheduler::ZeroWeight>(())
/// ```
#[derive(Clone, Debug)]
pub struct WfqRank {
    fluid: GpsClock,
    /// Virtual time at the last instant at which nothing waited.
    base: u128,
    waiting: usize,
}

impl WfqRank {
    /// With `flows`, `weights` and `rate` of `config`.
    #[must_use]
    pub fn new(config: &RankConfig) -> Self {
        let fluid = GpsClock::new(config.rate, config.weights.clone(), config.flows);
        WfqRank { fluid, base: 0, waiting: 0 }
    }
}

impl RankFunction for WfqRank {
    fn reads_rate(&self) -> bool {
        true
    }

    fn rank(&mut self, now: Time, packet: &Packet) -> Rank {
        if self.waiting == 0 {
            self.base = self.fluid.advance(now);
        }
        self.waiting += 1;
        let stamp = self.fluid.arrive(now, packet.flow, packet.size);
        let steps = stamp.finish.saturating_sub(self.base) / STEP;
        Rank::new(u64::try_from(steps).unwrap_or(u64::MAX))
    }

    fn refused(&mut self, packet: &Packet, _rank: Rank) {
        self.fluid.take_back(packet.flow);
        self.waiting = self.waiting.saturating_sub(1);
    }

    fn departed(&mut self, _now: Time, _packet: &Packet, _rank: Rank) {
        self.waiting = self.waiting.saturating_sub(1);
    }

    fn dropped(&mut self, _packet: &Packet, _rank: Rank) {
        self.waiting = self.waiting.saturating_sub(1);
    }
}

/// The choice `wfq`.
pub(super) fn choice(config: &RankConfig) -> Choice<dyn RankFunction> {
    let about = "weighted fair queueing: virtual finish time in the fluid server";
    config.choice("wfq", "WFQ, fluid clock", about, &[Reads::Weights, Reads::Flows], WfqRank::new)
}
