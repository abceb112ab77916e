//! A buffer policy: a part of the buffer is kept for queues that hold little, so that a burst always finds room.
//!
//! O(1) a packet, no memory of its own.

use forebay::buffer::Descriptor;
use forebay::buffer::onchip::{Admission, OnChipPolicy, PoolShape, PoolView};
use forebay::prelude::*;

/// Its parameters.
#[derive(Clone)]
struct Config {
    /// The part of the buffer that is kept.
    kept: f64,
}

const KEPT: Parameter = Parameter::new(
    "kept",
    Kind::Float { min: 0.0, max: 1.0 },
    Source::assumed("room for a burst of a quarter of the buffer"),
    "Part of the buffer that only queues with less than it may use.",
);

impl Configure for Config {
    fn walk(&mut self, walk: &mut dyn Walk) {
        walk.field(&KEPT, &mut self.kept);
    }
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
    Choice::new("keep-room", about, Config { kept: 0.25 }, build).labelled("Keep room")
}
