//! Pushout: any packet enters while there is room; a full buffer drops from the longest queue to make room
//! (occamy §2.2, its optimal baseline; "drop on demand", Wei, Coyle and Hsiao 1991).
//!
//! The expulsion is not held back by memory bandwidth, as in the paper's comparison, though it uses it.
//! Open in the paper: from which end (see [`End`]), and what happens to a packet that makes its own queue
//! the longest (it pays itself). A large packet may push out several small ones, each from the queue that is
//! longest then.
//!
//! O(log queues) per packet by a tournament tree. Memory: 8 to 16 bytes a queue.

use alloc::boxed::Box;

use forebay_parameters::{Choice, Configure};

use super::longest::{End, LongestQueue};
use super::{Admission, OnChipPolicy, PoolShape, Removal};
use crate::descriptor::Descriptor;
use crate::onchip::occupancy::PoolView;

/// Parameters of [`Pushout`] and [`QuasiPushout`](super::QuasiPushout).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Configure)]
pub struct PushoutConfig {
    /// From which end of its queue a packet is pushed out.
    #[parameter(name = "push_out", assumed = "keeps what has waited longest")]
    pub from: End,
}

/// A full buffer drops from the longest queue.
#[derive(Clone, Debug)]
pub struct Pushout {
    longest: LongestQueue,
}

impl Pushout {
    /// For a pool of this shape.
    #[must_use]
    pub fn new(config: &PushoutConfig, shape: &PoolShape) -> Self {
        Pushout { longest: LongestQueue::new(config.from, shape) }
    }
}

/// The choice `pushout`.
pub(super) fn choice() -> Choice<dyn OnChipPolicy> {
    let build =
        |config: &PushoutConfig, shape: &PoolShape| Ok(Box::new(Pushout::new(config, shape)) as _);
    Choice::new(
        "pushout",
        "a full buffer drops from the longest queue",
        PushoutConfig::default(),
        build,
    )
    .labelled("Pushout")
}

impl OnChipPolicy for Pushout {
    #[inline]
    fn admit(&mut self, pool: PoolView<'_>, arriving: &Descriptor, cells: u32) -> Admission {
        if cells <= pool.free() {
            return Admission::Accept;
        }
        self.longest.make_room(pool, arriving.queue, cells)
    }

    fn enqueued(&mut self, pool: PoolView<'_>, _id: u32, packet: &Descriptor) {
        self.longest.update(pool, packet.queue);
    }

    fn removed(&mut self, pool: PoolView<'_>, _id: u32, packet: &Descriptor, _how: Removal) {
        self.longest.update(pool, packet.queue);
    }
}
