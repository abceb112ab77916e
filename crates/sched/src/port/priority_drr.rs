//! One high-priority queue over low-priority queues that share alike (occamy §3.1: eight classes of
//! service, one of high priority, seven of low). What the low ones do among themselves the paper
//! leaves open; here it is deficit round robin, by their weights.
//!
//! O(classes) per packet at worst, as [`DeficitRoundRobin`].

use alloc::vec;

use super::{DeficitRoundRobin, Heads, PortScheduler, PortSchedulerConfig};

/// Queue 0 before all others, which take turns.
#[derive(Clone, Debug)]
pub struct PriorityDrr {
    /// The queues but the first; `None` if there is no other.
    low: Option<DeficitRoundRobin>,
}

impl PriorityDrr {
    /// For the queues, weights and quantum of `config`; the weight of queue 0 is not read.
    #[must_use]
    pub fn new(config: &PortSchedulerConfig) -> Self {
        let classes = config.classes.saturating_sub(1);
        let weights = config.weights.get(1..).map_or(vec![], <[u32]>::to_vec);
        let low = PortSchedulerConfig { classes, weights, quantum: config.quantum };
        PriorityDrr { low: (classes > 0).then(|| DeficitRoundRobin::new(&low)) }
    }
}

impl PortScheduler for PriorityDrr {
    fn select(&mut self, heads: Heads<'_>) -> Option<u16> {
        if heads(0).is_some() {
            return Some(0);
        }
        let low = self.low.as_mut()?;
        low.select(&|class| heads(class + 1)).map(|class| class + 1)
    }
}
