//! An output port's read window: the packets selected for departure, in the order they will leave.

use alloc::collections::VecDeque;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub(crate) id: u32,
    /// Its data is at hand.
    pub(crate) ready: bool,
}

/// At most `window` packets that have left the rank order. While the front one waits for its data
/// the port stalls, and the others behind it have their reads under way (themis §3.1: "SRAM must
/// stall until they are retrieved").
#[derive(Clone, Debug)]
pub(crate) struct Port {
    slots: VecDeque<Slot>,
    window: usize,
    pending: usize,
    /// Bytes of all packets that wait for it.
    pub(crate) bytes: u64,
}

impl Port {
    pub(crate) fn new(window: usize) -> Self {
        Port { slots: VecDeque::with_capacity(window), window, pending: 0, bytes: 0 }
    }

    /// Whether another packet should be selected, given whether the next one is on chip. A packet
    /// from HBM is fetched as far ahead as the window allows; one on chip is selected only when the
    /// window is empty or already waits, so that a later, more urgent arrival still overtakes it.
    pub(crate) fn wants(&self, next_is_at_hand: bool) -> bool {
        self.slots.len() < self.window
            && (!next_is_at_hand || self.slots.is_empty() || self.pending > 0)
    }

    pub(crate) fn push(&mut self, id: u32, ready: bool) {
        self.pending += usize::from(!ready);
        self.slots.push_back(Slot { id, ready });
    }

    /// The data of `id` has arrived.
    pub(crate) fn mark_ready(&mut self, id: u32) {
        if let Some(slot) = self.slots.iter_mut().find(|slot| slot.id == id && !slot.ready) {
            slot.ready = true;
            self.pending -= 1;
        }
    }

    /// Takes the front packet if its data is at hand.
    pub(crate) fn pop_ready(&mut self) -> Option<Slot> {
        match self.slots.front() {
            Some(slot) if slot.ready => self.slots.pop_front(),
            _ => None,
        }
    }

    /// The front packet if its data is at hand.
    pub(crate) fn ready(&self) -> Option<u32> {
        self.slots.front().filter(|slot| slot.ready).map(|slot| slot.id)
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }
}
