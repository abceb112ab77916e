//! POT, pushout with a threshold (Cidon et al. 1995, as told in occamy §7): a full buffer makes
//! room only for a packet whose own queue is below a threshold.
//!
//! Open in our sources: the threshold. By default each queue's even share, B / N. Where Pushout and
//! POT agree (the queue is below it) room is made in the same way. O(log queues). Memory: 12 to
//! 20 bytes a queue.

use alloc::vec::Vec;

use forebay_parameters::{Choice, Configure};
use forebay_units::Bytes;

use super::longest::{End, LongestQueue};
use super::pushout::PushoutConfig;
use super::scheme::choice_of;
use super::{Admission, OnChipPolicy, PoolShape, Removal, Victim};
use crate::descriptor::Descriptor;
use crate::onchip::occupancy::PoolView;

/// Parameters of [`ThresholdPushout`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Configure)]
pub struct PotConfig {
    /// Threshold of queues that do not have their own limit; 0 B for the pool over its queues.
    #[parameter(assumed = "0 B: each queue's even share, B / N")]
    pub threshold: Option<Bytes>,
    /// From which end of the queue packets are pushed out.
    #[parameter(declared = PushoutConfig::FROM)]
    pub from: End,
}

/// A full buffer drops from the longest queue for packets of short queues.
#[derive(Clone, Debug)]
pub struct ThresholdPushout {
    longest: LongestQueue,
    thresholds: Vec<u32>,
}

impl ThresholdPushout {
    /// For a pool of this shape.
    #[must_use]
    pub fn new(config: &PotConfig, shape: &PoolShape) -> Self {
        let even = shape.capacity / shape.members();
        let threshold = config.threshold.map_or(even, |threshold| shape.cells(threshold));
        ThresholdPushout {
            longest: LongestQueue::new(config.from, shape),
            thresholds: shape.limits(threshold),
        }
    }
}

/// The choice `pot`.
pub(super) fn choice() -> Choice<dyn OnChipPolicy> {
    choice_of(
        "pot",
        "POT",
        "pushout for packets whose own queue is below a threshold",
        ThresholdPushout::new,
    )
}

impl OnChipPolicy for ThresholdPushout {
    fn admit(&mut self, pool: PoolView<'_>, arriving: &Descriptor, cells: u32) -> Admission {
        let queue = arriving.queue;
        if cells <= pool.free() {
            return Admission::Accept;
        }
        if pool.length(queue) >= self.thresholds[queue as usize] {
            return Admission::Drop;
        }
        self.longest.make_room(pool, queue, cells)
    }

    fn victim(&self, _pool: PoolView<'_>) -> Option<Victim> {
        self.longest.victim()
    }

    fn enqueued(&mut self, pool: PoolView<'_>, _id: u32, packet: &Descriptor) {
        self.longest.update(pool, packet.queue);
    }

    fn removed(&mut self, pool: PoolView<'_>, _id: u32, packet: &Descriptor, _how: Removal) {
        self.longest.update(pool, packet.queue);
    }
}
