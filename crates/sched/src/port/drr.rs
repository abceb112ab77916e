//! Deficit round robin (Shreedhar and Varghese; the scheduler of occamy §2.1 and §6.2).
//!
//! Each visit gives a queue its quantum; it sends while its deficit covers its head. An emptied
//! queue loses its deficit. Rounds in which no queue could send are skipped by arithmetic, so a
//! quantum far below a packet costs no more.
//!
//! O(classes) per packet at worst, O(1) while the quantum covers a packet and queues are
//! backlogged.

use alloc::vec;
use alloc::vec::Vec;

use super::{Heads, PortScheduler, PortSchedulerConfig};

/// Bytes in proportion to weights.
#[derive(Clone, Debug)]
pub struct DeficitRoundRobin {
    quanta: Vec<u64>,
    deficits: Vec<u64>,
    current: usize,
    /// Whether the current queue has had its quantum on this visit.
    granted: bool,
}

impl DeficitRoundRobin {
    /// For the queues, weights and quantum of `config`.
    #[must_use]
    pub fn new(config: &PortSchedulerConfig) -> Self {
        let quantum = |weight: u32| u64::from(weight) * u64::from(config.quantum);
        let quanta: Vec<u64> = config.weights().into_iter().map(quantum).collect();
        let deficits = vec![0; quanta.len()];
        DeficitRoundRobin { quanta, deficits, current: 0, granted: false }
    }

    /// Visits every queue once; a current one that has had its quantum comes first, and last again.
    fn round(&mut self, heads: Heads<'_>) -> Option<u16> {
        for _ in 0..self.quanta.len() + usize::from(self.granted) {
            let class = self.current;
            match heads(class as u16).map(u64::from) {
                None => self.deficits[class] = 0,
                Some(size) => {
                    if !self.granted {
                        self.deficits[class] += self.quanta[class];
                        self.granted = true;
                    }
                    if size <= self.deficits[class] {
                        self.deficits[class] -= size;
                        return Some(class as u16);
                    }
                }
            }
            self.current = (class + 1) % self.quanta.len();
            self.granted = false;
        }
        None
    }

    /// Grants at once the rounds in which nobody could send. False if nobody has a packet.
    fn skip_rounds(&mut self, heads: Heads<'_>) -> bool {
        let missing = |class: usize| {
            let size = u64::from(heads(class as u16)?);
            Some(size.saturating_sub(self.deficits[class]).div_ceil(self.quanta[class]))
        };
        let Some(rounds) = (0..self.quanta.len()).filter_map(missing).min() else { return false };
        for class in 0..self.quanta.len() {
            if heads(class as u16).is_some() {
                self.deficits[class] += self.quanta[class] * rounds.saturating_sub(1);
            }
        }
        true
    }
}

impl PortScheduler for DeficitRoundRobin {
    fn select(&mut self, heads: Heads<'_>) -> Option<u16> {
        self.round(heads).or_else(|| if self.skip_rounds(heads) { self.round(heads) } else { None })
    }
}
