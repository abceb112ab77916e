//! An admission of the user's: a policy that says what a rule has decided.
//!
//! The rule is asked before the buffer sees the packet: a rule may raise, a policy may not.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use forebay_buffer::Descriptor;
use forebay_buffer::onchip::{Admission, OnChipPolicy, PoolView, SharedBuffer};
use forebay_units::Time;
use pyo3::prelude::*;

use crate::engine::rule::{Rule, saturated};

/// What a rule of admission may read; `queue` counts cells of the arriving packet's queue.
pub(super) const FIELDS: [&str; 8] =
    ["now", "size", "cells", "port", "class", "queue", "used", "capacity"];

/// Whether the packet at hand may enter.
#[derive(Clone, Default)]
pub(super) struct Decided(Arc<AtomicBool>);

impl OnChipPolicy for Decided {
    fn admit(&mut self, _pool: PoolView<'_>, _arriving: &Descriptor, _cells: u32) -> Admission {
        if self.0.load(Ordering::Relaxed) { Admission::Accept } else { Admission::Drop }
    }
}

/// What decides.
pub(super) struct Admitting {
    pub(super) rule: Rule,
    pub(super) decided: Decided,
    pub(super) largest_packet: u32,
    /// The latest time seen: time does not go back.
    pub(super) latest: u64,
}

impl Admitting {
    /// Decides about a packet of `size` bytes for `queue`.
    pub(super) fn decide(
        &mut self,
        held: &SharedBuffer,
        now: Time,
        queue: u32,
        size: u32,
    ) -> PyResult<()> {
        self.latest = self.latest.max(now.as_ps());
        let cells = held.memory().cells(size);
        let Some(pool) = held.pool(0) else { return Ok(()) };
        if size > self.largest_packet || cells == 0 {
            return Ok(()); // the buffer does not ask
        }
        let classes = u32::from(held.classes().max(1));
        let fields = [
            saturated(self.latest),
            size.into(),
            cells.into(),
            (queue / classes).into(),
            (queue % classes).into(),
            pool.length(queue).into(),
            (pool.capacity() - pool.free()).into(),
            pool.capacity().into(),
        ];
        self.decided.0.store(self.rule.value(&fields)? != 0, Ordering::Relaxed);
        Ok(())
    }
}
