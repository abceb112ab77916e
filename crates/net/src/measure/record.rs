//! What became of a flow. About 150 bytes each, made when asked for.

use forebay_units::{Bytes, Duration, Time};

use super::spread::slowdown;
use crate::flow::Flow;
use crate::transport::Counters;

/// What a flow takes of the link to its destination, on the empty network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LastLink {
    /// From the flow's start until its first bit can be sent there.
    pub reach: Duration,
    /// How long its packets take to be sent there.
    pub busy: Duration,
    /// The link's delay.
    pub delay: Duration,
}

/// What became of one flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowRecord {
    /// The flow.
    pub flow: Flow,
    /// When its last byte arrived; `None` if it did not complete.
    pub finish: Option<Time>,
    /// Bytes that arrived.
    pub delivered: Bytes,
    /// Its FCT on the empty network.
    pub ideal: Duration,
    /// Its share of its last link.
    pub last_link: LastLink,
    /// What its sender did.
    pub sender: Counters,
}

impl FlowRecord {
    /// Whether it has begun: what waits for other flows has no start until then.
    #[must_use]
    pub fn began(&self) -> bool {
        self.flow.start < Time::MAX
    }

    /// The flow completion time.
    #[must_use]
    pub fn fct(&self) -> Option<Duration> {
        self.finish.map(|finish| finish.since(self.flow.start))
    }

    /// FCT over ideal.
    #[must_use]
    pub fn slowdown(&self) -> Option<f64> {
        self.fct().map(|fct| slowdown(fct, self.ideal))
    }
}
