//! A packet takes the link with the shortest queue among a few drawn at random and a few
//! remembered.
//!
//! Source: Ghorbani et al., "DRILL: Micro Load Balancing for Low-latency Data Center Networks",
//! SIGCOMM 2017, as DRILL(d, m). Chosen here: queues are in bytes and seen as they are at that
//! instant; of equal ones that drawn first is taken, and one that sends nothing is the shortest;
//! with as many draws as links all are looked at, from one drawn at random on. A switch has one
//! engine, which remembers for each set of links. O(d + m) a packet.

use alloc::vec::Vec;

use super::{Asked, BalanceConfig, Balancer, Draws, drawn};
use crate::route::{ChannelId, place};

#[derive(Clone, Debug)]
pub(super) struct Adaptive {
    samples: usize,
    memory: usize,
    /// For each set, the links that had the shortest queues when it was last asked for.
    remembered: Vec<Vec<ChannelId>>,
    /// Those looked at, with their loads, while one is chosen.
    seen: Vec<(u64, ChannelId)>,
    draws: Draws,
}

impl Adaptive {
    pub(super) fn new(config: &BalanceConfig, draws: Draws) -> Self {
        Adaptive {
            samples: config.adaptive_samples.max(1) as usize,
            memory: config.adaptive_memory as usize,
            remembered: Vec::new(),
            seen: Vec::new(),
            draws,
        }
    }
}

impl Balancer for Adaptive {
    fn pick(&mut self, asked: &Asked<'_>, load: &dyn Fn(ChannelId) -> u64) -> ChannelId {
        let (channels, set) = (asked.channels, asked.set as usize);
        if self.remembered.len() <= set {
            self.remembered.resize(set + 1, Vec::new());
        }
        self.seen.clear();
        let first = self.draws.next(asked.switch);
        if self.samples >= channels.len() {
            let (after, before) = channels.split_at(place(first, channels.len()));
            self.seen.extend(before.iter().chain(after).map(|&channel| (load(channel), channel)));
        } else {
            let mut draw = first;
            for _ in 0..self.samples {
                let channel = drawn(channels, draw);
                self.seen.push((load(channel), channel));
                draw = self.draws.next(asked.switch);
            }
        }
        let remembered = &mut self.remembered[set];
        self.seen.extend(remembered.iter().map(|&channel| (load(channel), channel)));
        self.seen.sort_by_key(|&(load, _)| load);
        remembered.clear();
        for &(_, channel) in &self.seen {
            if remembered.len() < self.memory && !remembered.contains(&channel) {
                remembered.push(channel);
            }
        }
        self.seen[0].1
    }

    fn forget(&mut self) {
        self.remembered.clear();
    }

    fn reads_loads(&self) -> bool {
        true
    }
}
