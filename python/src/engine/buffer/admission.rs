//! An admission of the user's, as a policy.
//!
//! A buffer by itself asks the rule before it sees the packet, so that what the rule raises leaves
//! everything as it was. Within a switch, which alone knows its buffers, the policy asks the rule
//! and leaves the engine with what it raises, as ranks do: the packet has then come, and nothing
//! holds it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use forebay_buffer::Descriptor;
use forebay_buffer::onchip::{Admission, OnChipPolicy, PoolShape, PoolView, SharedBuffer};
use forebay_parameters::Choice;
use forebay_units::Time;
use pyo3::prelude::*;

use crate::engine::rule::{Rule, saturated};
use crate::errors;

/// What a rule of admission may read; `queue` counts cells of the arriving packet's queue.
pub(super) const FIELDS: [&str; 8] =
    ["now", "size", "cells", "port", "class", "queue", "used", "capacity"];

/// The values of [`FIELDS`] for a packet of `size` bytes that would take `cells` of its pool.
fn values(
    now: u64,
    size: u32,
    cells: u32,
    queue: u32,
    classes: u32,
    pool: PoolView<'_>,
) -> [i64; 8] {
    [
        saturated(now),
        size.into(),
        cells.into(),
        (queue / classes).into(),
        (queue % classes).into(),
        pool.length(queue).into(),
        (pool.capacity() - pool.free()).into(),
        pool.capacity().into(),
    ]
}

/// A rule as the policy of a switch's buffers.
struct Asking {
    rule: Arc<Rule>,
    classes: u32,
}

impl OnChipPolicy for Asking {
    fn admit(&mut self, pool: PoolView<'_>, arriving: &Descriptor, cells: u32) -> Admission {
        let (now, size) = (arriving.arrived.as_ps(), arriving.packet.size);
        let fields = values(now, size, cells, arriving.queue, self.classes, pool);
        match self.rule.value(&fields) {
            Ok(0) => Admission::Drop,
            Ok(_) => Admission::Accept,
            Err(error) => errors::raise(error),
        }
    }
}

/// The policy of a rule, which switches take by value.
pub(in crate::engine) fn policy(value: &Bound<'_, PyAny>) -> PyResult<Choice<dyn OnChipPolicy>> {
    let rule = Arc::new(Rule::read(value, "admission", &FIELDS)?);
    let build = move |(): &(), shape: &PoolShape| {
        Ok(Box::new(Asking { rule: rule.clone(), classes: shape.classes.max(1).into() }) as _)
    };
    Ok(Choice::new("an admission", "an admission of your own", (), build))
}

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
        let fields = values(self.latest, size, cells, queue, classes, pool);
        self.decided.0.store(self.rule.value(&fields)? != 0, Ordering::Relaxed);
        Ok(())
    }
}
