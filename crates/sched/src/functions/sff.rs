//! Shortest flow first (themis §6.3.1). O(1), no state.

use alloc::boxed::Box;

use forebay_parameters::Choice;
use forebay_units::Time;

use super::RankFunction;
use crate::{Packet, Rank};

/// Rank = total bytes of the packet's flow (themis §6.3.1).
///
/// All packets of one flow share a rank and so keep their order. As the paper notes, it performs
/// close to pFabric's shortest-remaining-first without its state.
///
/// ```
/// use forebay_sched::{Packet, RankFunction, ShortestFlowFirst};
/// use forebay_units::Time;
///
/// let packet = Packet { flow_size: 30_000, ..Packet::default() };
/// assert_eq!(ShortestFlowFirst.rank(Time::ZERO, &packet).get(), 30_000);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct ShortestFlowFirst;

impl ShortestFlowFirst {
    /// The choice `sff`.
    #[must_use]
    pub fn choice() -> Choice<dyn RankFunction> {
        Choice::new("sff", "shortest flow first: total bytes of the packet's flow", (), |(), _| {
            Ok(Box::new(ShortestFlowFirst) as _)
        })
        .labelled("SFF")
    }
}

impl RankFunction for ShortestFlowFirst {
    fn rank(&mut self, _now: Time, packet: &Packet) -> Rank {
        Rank::new(packet.flow_size)
    }
}
