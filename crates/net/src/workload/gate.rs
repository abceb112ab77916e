//! Gates: a host begins flows when it has received others.

use forebay_units::{Duration, Time};

/// The number of a gate in its workload.
pub type GateId = u32;

/// Lets a host wait for flows that it receives before it sends others; or, as a barrier, all hosts
/// at once.
///
/// A gate opens when the last byte of every flow that it counts has arrived and every gate in front
/// of it has opened. The flows that it begins start `delay` later. A gate that would start them at
/// `until` or later stays shut, and so does everything that waits for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gate {
    /// The host: the destination of the flows it counts, the source of those it begins. `None` for
    /// a barrier, which counts and begins flows of any hosts and is known to all as soon as it
    /// opens, without a message; a network that is cut into partitions has none.
    pub host: Option<u32>,
    /// The time between the last arrival and the start, as for a computation.
    pub delay: Duration,
    /// The gate opens only if its flows then start before this; [`Time::MAX`] for no limit.
    pub until: Time,
    /// The gate of the same host that waits for this one, if there is one.
    pub then: Option<GateId>,
}

impl Gate {
    /// A gate of `host` without delay or end.
    #[must_use]
    pub const fn at(host: u32) -> Self {
        Gate { host: Some(host), ..Gate::barrier() }
    }

    /// A barrier without delay or end.
    #[must_use]
    pub const fn barrier() -> Self {
        Gate { host: None, delay: Duration::ZERO, until: Time::MAX, then: None }
    }

    /// The same gate if `by` others come before its workload's gates.
    pub(crate) fn moved_by(self, by: GateId) -> Self {
        Gate { then: self.then.map(|gate| gate.saturating_add(by)), ..self }
    }
}
