//! First ready, first come: each bank offers one request, and the column or row command that can go out
//! first does, the older request on a tie.
//!
//! A bank offers the oldest request for its open row (of the bus's present direction if there is one),
//! else its oldest request. Two banks of different groups with open rows therefore alternate at tCCD_S,
//! which is how the bus becomes full. Choosing a command is O(banks that hold requests); choosing what a
//! bank offers, once a request, is O(requests for the bank).

use alloc::vec;
use alloc::vec::Vec;

use crate::Direction;
use crate::controller::{ColumnPick, CommandQueue, Held, RowAction, RowPick, earliest_completion};
use crate::timers::{Tick, Timers};

const NONE: u8 = u8::MAX;

/// The requests for one bank, oldest first, and the one it offers.
#[derive(Clone, Debug)]
struct BankQueue {
    oldest: u8,
    newest: u8,
    offered: u8,
    /// Requests that went ahead of the oldest since it became the oldest.
    overtakes: u32,
}

#[derive(Clone, Debug)]
struct Slot {
    held: Held,
    age: u64,
    next: u8,
}

#[derive(Clone, Debug)]
pub(crate) struct FrFcfsQueue {
    slots: Vec<Slot>,
    free: Vec<u8>,
    held: usize,
    arrivals: u64,
    banks: Vec<BankQueue>,
    /// Banks whose offered request finds its row open, by direction; a bit each.
    readable: u64,
    writable: u64,
    /// Banks that must be activated, or first precharged, for what they offer.
    to_activate: u64,
    to_precharge: u64,
    direction: Direction,
    columns_in_direction: u32,
    group_limit: u32,
    hit_limit: u32,
}

impl FrFcfsQueue {
    pub(crate) fn new(banks: usize, group_limit: u32, hit_limit: u32) -> Self {
        let empty = BankQueue { oldest: NONE, newest: NONE, offered: NONE, overtakes: 0 };
        FrFcfsQueue {
            slots: Vec::new(),
            free: Vec::new(),
            held: 0,
            arrivals: 0,
            banks: vec![empty; banks],
            readable: 0,
            writable: 0,
            to_activate: 0,
            to_precharge: 0,
            direction: Direction::Read,
            columns_in_direction: 0,
            group_limit: group_limit.max(1),
            hit_limit,
        }
    }

    fn slot(&self, slot: u8) -> &Slot {
        &self.slots[usize::from(slot)]
    }

    /// Chooses what `bank` offers.
    fn offer(&mut self, bank: usize, timers: &Timers) {
        let queue = &self.banks[bank];
        let mut choice = queue.oldest;
        if !timers.is_closed(bank) && queue.overtakes < self.hit_limit {
            let mut cursor = queue.oldest;
            let mut other_way = NONE;
            while cursor != NONE {
                let slot = self.slot(cursor);
                if timers.is_open(bank, slot.held.request.row) {
                    if slot.held.request.direction == self.direction {
                        break;
                    }
                    if other_way == NONE {
                        other_way = cursor;
                    }
                }
                cursor = slot.next;
            }
            let hit = if cursor == NONE { other_way } else { cursor };
            choice = if hit == NONE { choice } else { hit };
        }
        self.banks[bank].offered = choice;
        self.classify(bank, timers);
    }

    /// Files `bank` under the command that its offered request needs.
    fn classify(&mut self, bank: usize, timers: &Timers) {
        let bit = 1u64 << bank;
        self.readable &= !bit;
        self.writable &= !bit;
        self.to_activate &= !bit;
        self.to_precharge &= !bit;
        let offered = self.banks[bank].offered;
        if offered == NONE {
            return;
        }
        let request = &self.slot(offered).held.request;
        let class = if timers.is_open(bank, request.row) {
            match request.direction {
                Direction::Read => &mut self.readable,
                Direction::Write => &mut self.writable,
            }
        } else if timers.is_closed(bank) {
            &mut self.to_activate
        } else {
            &mut self.to_precharge
        };
        *class |= bit;
    }

    fn unlink(&mut self, bank: usize, slot: u8) {
        let next = self.slot(slot).next;
        let queue = &mut self.banks[bank];
        if queue.oldest == slot {
            queue.oldest = next;
            queue.overtakes = 0;
            if next == NONE {
                queue.newest = NONE;
            }
            return;
        }
        queue.overtakes += 1;
        let mut before = queue.oldest;
        while before != NONE && self.slots[usize::from(before)].next != slot {
            before = self.slots[usize::from(before)].next;
        }
        if before == NONE {
            return;
        }
        self.slots[usize::from(before)].next = next;
        if self.banks[bank].newest == slot {
            self.banks[bank].newest = before;
        }
    }

    /// The banks that compete for the column bus, and their direction.
    fn competing(&self, refreshing: u64) -> (u64, Direction) {
        let (readable, writable) = (self.readable & !refreshing, self.writable & !refreshing);
        let (present, other, opposite) = match self.direction {
            Direction::Read => (readable, writable, Direction::Write),
            Direction::Write => (writable, readable, Direction::Read),
        };
        let limited = self.columns_in_direction >= self.group_limit;
        if present == 0 || (limited && other != 0) {
            (other, opposite)
        } else {
            (present, self.direction)
        }
    }

    fn older(&self, bank: usize, than: usize) -> bool {
        self.slot(self.banks[bank].offered).age < self.slot(self.banks[than].offered).age
    }
}

impl CommandQueue for FrFcfsQueue {
    fn len(&self) -> usize {
        self.held
    }

    fn push(&mut self, held: Held, timers: &Timers) {
        let (bank, row) = (held.bank, held.request.row);
        let slot = Slot { held, age: self.arrivals, next: NONE };
        self.arrivals += 1;
        self.held += 1;
        let index = match self.free.pop() {
            Some(index) => {
                self.slots[usize::from(index)] = slot;
                index
            }
            None => {
                self.slots.push(slot);
                (self.slots.len() - 1) as u8
            }
        };
        let queue = &mut self.banks[bank];
        if queue.newest == NONE {
            queue.oldest = index;
        } else {
            self.slots[usize::from(queue.newest)].next = index;
        }
        let queue = &mut self.banks[bank];
        queue.newest = index;
        let waits_for_row = (self.to_precharge >> bank) & 1 == 1;
        if queue.offered == NONE || (waits_for_row && timers.is_open(bank, row)) {
            self.offer(bank, timers);
        }
    }

    #[inline]
    fn next_column(&self, timers: &Timers, floor: Tick) -> Option<ColumnPick> {
        let (mut banks, direction) = self.competing(timers.refreshing);
        let mut best: Option<(Tick, usize)> = None;
        while banks != 0 {
            let bank = banks.trailing_zeros() as usize;
            banks &= banks - 1;
            let tick = timers.column_at(bank, direction).max(floor);
            let better = match best {
                None => true,
                Some((at, other)) => tick < at || (tick == at && self.older(bank, other)),
            };
            if better {
                best = Some((tick, bank));
            }
        }
        let (tick, bank) = best?;
        let slot = usize::from(self.banks[bank].offered);
        Some(ColumnPick { tick, bank, direction, slot })
    }

    fn next_row(&self, timers: &Timers, floor: Tick) -> Option<RowPick> {
        let mut banks = (self.to_activate | self.to_precharge) & !timers.refreshing;
        let mut best: Option<(Tick, usize)> = None;
        while banks != 0 {
            let bank = banks.trailing_zeros() as usize;
            banks &= banks - 1;
            let tick = if (self.to_activate >> bank) & 1 == 1 {
                timers.activate_at(bank)
            } else {
                timers.precharge_at(bank)
            };
            let tick = tick.max(floor);
            let better = match best {
                None => true,
                Some((at, other)) => tick < at || (tick == at && self.older(bank, other)),
            };
            if better {
                best = Some((tick, bank));
            }
        }
        let (tick, bank) = best?;
        let action = if (self.to_activate >> bank) & 1 == 1 {
            RowAction::Activate(self.slot(self.banks[bank].offered).held.request.row)
        } else {
            RowAction::Precharge
        };
        Some(RowPick { tick, bank, action })
    }

    fn held(&self, slot: usize) -> &Held {
        &self.slots[slot].held
    }

    fn closes_page(&self, pick: &ColumnPick) -> bool {
        let this = &self.slots[pick.slot].held;
        if this.remaining != 1 {
            return false;
        }
        let mut cursor = self.banks[pick.bank].oldest;
        while cursor != NONE {
            let slot = self.slot(cursor);
            if usize::from(cursor) != pick.slot && slot.held.request.row == this.request.row {
                return false;
            }
            cursor = slot.next;
        }
        true
    }

    #[inline]
    fn column_issued(&mut self, pick: &ColumnPick, timers: &Timers) -> Option<Held> {
        if pick.direction == self.direction {
            self.columns_in_direction = self.columns_in_direction.saturating_add(1);
        } else {
            self.direction = pick.direction;
            self.columns_in_direction = 1;
        }
        let held = &mut self.slots[pick.slot].held;
        held.remaining -= 1;
        if held.remaining > 0 {
            return None;
        }
        let done = *held;
        self.unlink(pick.bank, pick.slot as u8);
        self.free.push(pick.slot as u8);
        self.held -= 1;
        self.offer(pick.bank, timers);
        Some(done)
    }

    fn row_issued(&mut self, pick: &RowPick, timers: &Timers) {
        let offered = self.banks[pick.bank].offered;
        if offered != NONE && matches!(pick.action, RowAction::Activate(_)) {
            self.slots[usize::from(offered)].held.activated = true;
        }
        self.classify(pick.bank, timers);
    }

    fn bank_closed(&mut self, bank: usize, timers: &Timers) {
        self.classify(bank, timers);
    }

    fn completes_after(&self, timers: &Timers, floor: Tick) -> Option<Tick> {
        let mut banks = self.readable | self.writable | self.to_activate | self.to_precharge;
        let mut first: Option<Tick> = None;
        while banks != 0 {
            let bank = banks.trailing_zeros() as usize;
            banks &= banks - 1;
            let held = &self.slot(self.banks[bank].offered).held;
            let at = earliest_completion(held, timers, floor);
            first = Some(first.map_or(at, |f| f.min(at)));
        }
        first
    }
}
