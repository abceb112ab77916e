//! Strict priority over the queues of a port (occamy §3.1: latency-sensitive traffic in the
//! high-priority queue). O(classes).

use super::{Heads, PortScheduler, PortSchedulerConfig};

/// The first queue that has a packet; queue 0 is the highest.
#[derive(Clone, Copy, Debug)]
pub struct StrictPriorityPort {
    classes: u16,
}

impl StrictPriorityPort {
    /// For the queues of `config`.
    #[must_use]
    pub fn new(config: &PortSchedulerConfig) -> Self {
        StrictPriorityPort { classes: config.classes }
    }
}

impl PortScheduler for StrictPriorityPort {
    fn select(&mut self, heads: Heads<'_>) -> Option<u16> {
        (0..self.classes).find(|class| heads(*class).is_some())
    }
}
