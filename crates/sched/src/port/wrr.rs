//! Weighted round robin: each queue in turn sends as many packets as its weight says. Shares of
//! bytes are fair only among packets of one size. O(classes).

use alloc::vec::Vec;

use super::{Heads, PortScheduler, PortSchedulerConfig};

/// Packets in proportion to weights.
#[derive(Clone, Debug)]
pub struct WeightedRoundRobin {
    weights: Vec<u32>,
    current: usize,
    /// Packets that the current queue may still send in this round.
    left: u32,
}

impl WeightedRoundRobin {
    /// For the queues and weights of `config`.
    #[must_use]
    pub fn new(config: &PortSchedulerConfig) -> Self {
        let weights = config.weights();
        let left = weights.first().copied().unwrap_or(0);
        WeightedRoundRobin { weights, current: 0, left }
    }
}

impl PortScheduler for WeightedRoundRobin {
    fn select(&mut self, heads: Heads<'_>) -> Option<u16> {
        for _ in 0..=self.weights.len() {
            if self.left > 0 && heads(self.current as u16).is_some() {
                self.left -= 1;
                return Some(self.current as u16);
            }
            self.current = (self.current + 1) % self.weights.len();
            self.left = self.weights[self.current];
        }
        None
    }
}
