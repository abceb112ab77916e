//! Strict priority (themis App. C). O(1), no state.

use alloc::boxed::Box;

use forebay_parameters::Choice;
use forebay_units::Time;

use super::RankFunction;
use crate::{Packet, Rank};

/// Rank = priority class, class 0 first.
///
/// ```
/// use forebay_sched::{Packet, RankFunction, StrictPriorityRank};
/// use forebay_units::Time;
///
/// let packet = Packet { class: 3, ..Packet::default() };
/// assert_eq!(StrictPriorityRank.rank(Time::ZERO, &packet).get(), 3);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct StrictPriorityRank;

impl RankFunction for StrictPriorityRank {
    fn reads_class(&self) -> bool {
        true
    }

    fn rank(&mut self, _now: Time, packet: &Packet) -> Rank {
        Rank::new(u64::from(packet.class))
    }
}

/// The choice `strict-priority`.
pub(super) fn choice() -> Choice<dyn RankFunction> {
    Choice::new("strict-priority", "priority class, 0 first", (), |(), _| {
        Ok(Box::new(StrictPriorityRank) as _)
    })
    .labelled("Strict priority")
}
