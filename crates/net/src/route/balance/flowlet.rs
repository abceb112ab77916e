//! A flow takes another link, drawn at random, whenever it has paused for a gap.
//!
//! Source: Vanini et al., "Let It Flow: Resilient Asymmetric Load Balancing with Flowlet
//! Switching", NSDI 2017. Chosen here: gaps are measured exactly, where a switch ages its entries
//! by a bit; a table belongs to a switch and exists once it has chosen. Constant time, 16 bytes an
//! entry.

use alloc::vec::Vec;

use forebay_units::{Duration, Time};

use super::{Asked, BalanceConfig, Balancer, Draws, drawn};
use crate::route::{ChannelId, mix, place};

/// What a table knows of the flows of an entry.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// When the last packet came.
    last: Time,
    /// Where it went.
    channel: ChannelId,
}

/// No link.
const NONE: ChannelId = ChannelId::MAX;

#[derive(Clone, Debug)]
pub(super) struct Flowlets {
    gap: Duration,
    entries: usize,
    /// For each switch, its table; empty before its first choice.
    tables: Vec<Vec<Entry>>,
    draws: Draws,
}

impl Flowlets {
    pub(super) fn new(config: &BalanceConfig, draws: Draws) -> Self {
        let (gap, entries) = (config.flowlet_gap, config.flowlet_entries.max(1) as usize);
        Flowlets { gap, entries, tables: alloc::vec![Vec::new(); draws.drawn.len()], draws }
    }
}

impl Balancer for Flowlets {
    fn pick(&mut self, asked: &Asked<'_>, _: &dyn Fn(ChannelId) -> u64) -> ChannelId {
        let table = &mut self.tables[asked.switch as usize];
        if table.is_empty() {
            *table = alloc::vec![Entry { last: Time::ZERO, channel: NONE }; self.entries];
        }
        let key = mix(u64::from(asked.switch) << 32 ^ u64::from(asked.hash));
        let entry = &mut table[place(key, self.entries)];
        let is_over = asked.now.since(entry.last) > self.gap;
        if is_over || !asked.channels.contains(&entry.channel) {
            entry.channel = drawn(asked.channels, self.draws.next(asked.switch));
        }
        entry.last = asked.now;
        entry.channel
    }

    fn forget(&mut self) {
        self.tables.iter_mut().for_each(Vec::clear);
    }
}
