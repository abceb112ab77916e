//! A buffer policy: a part of the buffer is kept for queues that hold little, so that a burst
//! always finds room.
//!
//! O(1) a packet, no memory of its own.

use forebay::buffer::Descriptor;
use forebay::buffer::onchip::{Admission, OnChipPolicy, PoolShape, PoolView};
use forebay::prelude::*;

/// Its parameters.
#[derive(Clone, Configure)]
struct Config {
    /// Part of the buffer that only queues with less than it may use.
    #[parameter(assumed = "room for a burst of a quarter of the buffer")]
    #[parameter(range = 0.0..=1.0, default = 0.25)]
    kept: f64,
}

/// The policy, for a buffer of known size.
struct KeepRoom {
    /// Cells that are kept.
    kept: u32,
}

impl OnChipPolicy for KeepRoom {
    fn admit(&mut self, pool: PoolView<'_>, arriving: &Descriptor, cells: u32) -> Admission {
        let is_small = pool.length(arriving.queue) + cells <= self.kept;
        if is_small || pool.free() >= self.kept + cells {
            Admission::Accept
        } else {
            Admission::Drop
        }
    }
}

/// The choice `keep-room`.
pub(crate) fn choice() -> Choice<dyn OnChipPolicy> {
    let about = "a part of the buffer is kept for queues that hold less than it";
    let build = |config: &Config, shape: &PoolShape| {
        let kept = (f64::from(shape.capacity) * config.kept) as u32;
        Ok(Box::new(KeepRoom { kept }) as _)
    };
    Choice::new("keep-room", about, Config::default(), build).labelled("Keep room")
}
