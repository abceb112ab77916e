//! Packets go over equal links at random, or in turn, in an order that is drawn anew each time.
//!
//! Sources: Dixit et al., "On the Impact of Packet Spraying in Data Center Networks", INFOCOM 2013;
//! Handley et al., SIGCOMM 2017 (NDP), by its authors' public overview: there each sender goes
//! through all paths of its own. Here each switch goes through the equal links of its own, so each
//! gets as many packets as another. Chosen here: data and what goes back have turns of their own,
//! since one is large and the other small. O(1) a packet, amortized; in turn, 64 bytes and 8 a link
//! for each set of equal links.

use alloc::vec::Vec;

use super::{Asked, Balancer, Draws, drawn};
use crate::route::{ChannelId, place};

#[derive(Clone, Debug)]
pub(super) struct Spray(Draws);

impl Spray {
    pub(super) fn new(draws: Draws) -> Self {
        Spray(draws)
    }
}

impl Balancer for Spray {
    fn pick(&mut self, asked: &Asked<'_>, _: &dyn Fn(ChannelId) -> u64) -> ChannelId {
        drawn(asked.channels, self.0.next(asked.switch))
    }

    fn forget(&mut self) {}
}

/// In turn.
#[derive(Clone, Debug)]
pub(super) struct Permuted {
    /// For each set of links, those of data and those of what goes back.
    turns: Vec<[Turn; 2]>,
    draws: Draws,
}

/// The links that have not had their turn.
#[derive(Clone, Debug, Default)]
struct Turn(Vec<ChannelId>);

impl Permuted {
    pub(super) fn new(draws: Draws) -> Self {
        Permuted { turns: Vec::new(), draws }
    }
}

impl Balancer for Permuted {
    fn pick(&mut self, asked: &Asked<'_>, _: &dyn Fn(ChannelId) -> u64) -> ChannelId {
        let set = asked.set as usize;
        if self.turns.len() <= set {
            self.turns.resize(set + 1, Default::default());
        }
        let Turn(left) = &mut self.turns[set][usize::from(asked.back)];
        if left.is_empty() {
            left.extend_from_slice(asked.channels);
        }
        let drawn = place(self.draws.next(asked.switch), left.len());
        left.swap_remove(drawn)
    }

    fn forget(&mut self) {
        self.turns.clear();
    }
}
