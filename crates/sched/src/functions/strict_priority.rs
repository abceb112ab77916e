//! Strict priority (themis App. C). O(1), no state.

use alloc::boxed::Box;

use forebay_units::Time;

use super::{RankFunction, RankFunctionInfo};
use crate::{Packet, Rank};

pub(super) const INFO: RankFunctionInfo = RankFunctionInfo {
    name: "strict-priority",
    label: "Strict priority",
    about: "priority class, 0 first",
    reads: &[],
    build: |_| Box::new(StrictPriorityRank),
};

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
    fn rank(&mut self, _now: Time, packet: &Packet) -> Rank {
        Rank::new(u64::from(packet.class))
    }
}
