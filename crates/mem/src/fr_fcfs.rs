//! First ready, first come: each bank offers one request, and the column or row command that can go
//! out first does, the older request on a tie.
//!
//! A bank offers the oldest request for its open row (of the bus's present direction if there is
//! one, or of the other once the group limit is reached), else its oldest request. Two banks of
//! different groups with open rows therefore alternate at tCCD_S, which is how the bus becomes
//! full.
//!
//! Banks that need the same command stand in a line by the age of what they offer, so a choice
//! looks at banks oldest first and stops at the first that is as early as any can be: O(banks with
//! requests) at worst, commonly two or three. What a bank offers is chosen once a request:
//! O(requests for its row).

use alloc::vec;
use alloc::vec::Vec;

use crate::Direction;
use crate::controller::{ColumnPick, CommandQueue, Held, RowPick, earliest_completion};
use crate::held_rows::HeldRows;
use crate::line::Line;
use crate::timers::{Tick, Timers};

const NONE: u8 = u8::MAX;

/// The command that a bank needs for what it offers, and so the line it stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Need {
    Nothing,
    Read,
    Write,
    Activate,
    Precharge,
}

/// The requests for one bank, oldest first, and the one it offers.
#[derive(Clone, Debug)]
struct BankQueue {
    oldest: u8,
    newest: u8,
    offered: u8,
    need: Need,
    /// Requests that went ahead of the oldest since it became the oldest.
    overtakes: u32,
    /// Held requests for the row that is open, one bit a slot.
    hits: u64,
}

#[derive(Clone, Debug)]
struct Slot {
    held: Held,
    age: u64,
    older: u8,
    newer: u8,
}

#[derive(Clone, Debug)]
pub(crate) struct FrFcfsQueue {
    slots: Vec<Slot>,
    rows: HeldRows,
    /// Slots that hold a write, one bit each.
    writes: u64,
    free: Vec<u8>,
    held: usize,
    arrivals: u64,
    banks: Vec<BankQueue>,
    readable: Line,
    writable: Line,
    to_activate: Line,
    to_precharge: Line,
    direction: Direction,
    columns_in_direction: u32,
    group_limit: u32,
    hit_limit: u32,
}

impl FrFcfsQueue {
    /// An empty queue for at most `depth` requests.
    pub(crate) fn new(banks: usize, depth: usize, group_limit: u32, hit_limit: u32) -> Self {
        let empty = BankQueue {
            oldest: NONE,
            newest: NONE,
            offered: NONE,
            need: Need::Nothing,
            overtakes: 0,
            hits: 0,
        };
        FrFcfsQueue {
            slots: Vec::with_capacity(depth),
            rows: HeldRows::default(),
            writes: 0,
            free: Vec::with_capacity(depth),
            held: 0,
            arrivals: 0,
            banks: vec![empty; banks],
            readable: Line::default(),
            writable: Line::default(),
            to_activate: Line::default(),
            to_precharge: Line::default(),
            direction: Direction::Read,
            columns_in_direction: 0,
            group_limit: group_limit.max(1),
            hit_limit,
        }
    }

    fn slot(&self, slot: u8) -> &Slot {
        &self.slots[usize::from(slot)]
    }

    /// The age of what `bank` offers; it must offer something.
    fn age(&self, bank: usize) -> u64 {
        self.slot(self.banks[bank].offered).age
    }

    /// Chooses what `bank` offers.
    fn offer(&mut self, bank: usize, timers: &Timers) {
        let queue = &self.banks[bank];
        let mut choice = queue.oldest;
        if queue.hits != 0 && queue.overtakes < self.hit_limit {
            let limited = self.columns_in_direction >= self.group_limit;
            let preferred = match (self.direction, limited) {
                (Direction::Read, false) | (Direction::Write, true) => queue.hits & !self.writes,
                (Direction::Write, false) | (Direction::Read, true) => queue.hits & self.writes,
            };
            choice = self.oldest_of(if preferred == 0 { queue.hits } else { preferred });
        }
        self.line_up(bank, choice, timers);
    }

    fn oldest_of(&self, mut slots: u64) -> u8 {
        let mut oldest = slots.trailing_zeros() as u8;
        slots &= slots.wrapping_sub(1);
        while slots != 0 {
            let slot = slots.trailing_zeros() as u8;
            slots &= slots - 1;
            if self.slot(slot).age < self.slot(oldest).age {
                oldest = slot;
            }
        }
        oldest
    }

    fn line(&mut self, need: Need) -> Option<&mut Line> {
        match need {
            Need::Nothing => None,
            Need::Read => Some(&mut self.readable),
            Need::Write => Some(&mut self.writable),
            Need::Activate => Some(&mut self.to_activate),
            Need::Precharge => Some(&mut self.to_precharge),
        }
    }

    /// Puts `bank`, offering `offered`, into the line of the command that it needs.
    fn line_up(&mut self, bank: usize, offered: u8, timers: &Timers) {
        let need = if offered == NONE {
            Need::Nothing
        } else {
            let request = &self.slot(offered).held.request;
            if timers.is_open(bank, request.row) {
                match request.direction {
                    Direction::Read => Need::Read,
                    Direction::Write => Need::Write,
                }
            } else if timers.is_closed(bank) {
                Need::Activate
            } else {
                Need::Precharge
            }
        };
        let before = self.banks[bank].need;
        if let Some(line) = self.line(before) {
            line.remove(bank);
        }
        self.banks[bank].need = need;
        self.banks[bank].offered = offered;
        if offered != NONE {
            let age = self.slot(offered).age;
            if let Some(line) = self.line(need) {
                line.insert(bank, age);
            }
        }
    }

    fn link(&mut self, bank: usize, held: Held) -> u8 {
        let queue = &mut self.banks[bank];
        let slot = Slot { held, age: self.arrivals, older: queue.newest, newer: NONE };
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
        if queue.newest == NONE {
            queue.oldest = index;
        } else {
            self.slots[usize::from(queue.newest)].newer = index;
        }
        queue.newest = index;
        index
    }

    fn unlink(&mut self, bank: usize, slot: u8) {
        let Slot { older, newer, .. } = *self.slot(slot);
        let queue = &mut self.banks[bank];
        queue.hits &= !(1 << slot);
        if older == NONE {
            queue.oldest = newer;
            queue.overtakes = 0;
        } else {
            queue.overtakes += 1;
            self.slots[usize::from(older)].newer = newer;
        }
        if newer == NONE {
            queue.newest = older;
        } else {
            self.slots[usize::from(newer)].older = older;
        }
    }

    /// The line that competes for the column bus, the other one, and the direction of the first.
    fn competing(&self, refreshing: u64) -> (&Line, Direction) {
        let (present, other, opposite) = match self.direction {
            Direction::Read => (&self.readable, &self.writable, Direction::Write),
            Direction::Write => (&self.writable, &self.readable, Direction::Read),
        };
        let limited = self.columns_in_direction >= self.group_limit;
        if !present.has_other_than(refreshing) || (limited && other.has_other_than(refreshing)) {
            (other, opposite)
        } else {
            (present, self.direction)
        }
    }
}

impl CommandQueue for FrFcfsQueue {
    fn len(&self) -> usize {
        self.held
    }

    fn push(&mut self, held: Held, timers: &Timers) -> bool {
        let (bank, row) = (held.bank, held.request.row);
        let index = self.link(bank, held);
        self.arrivals += 1;
        self.held += 1;
        self.rows.set(usize::from(index), bank, row);
        match held.request.direction {
            Direction::Read => self.writes &= !(1 << index),
            Direction::Write => self.writes |= 1 << index,
        }
        let queue = &mut self.banks[bank];
        let hit = timers.is_open(bank, row);
        queue.hits |= u64::from(hit) << index;
        let offers_anew = queue.offered == NONE || (hit && queue.need == Need::Precharge);
        if offers_anew {
            self.offer(bank, timers);
        }
        offers_anew
    }

    #[inline]
    fn next_column(&self, timers: &Timers, floor: Tick) -> ColumnPick {
        let (line, direction) = self.competing(timers.refreshing);
        let soonest = timers.channel_column_at(direction).max(floor);
        let at = |bank| timers.column_at(bank, direction).max(floor);
        let Some((tick, bank)) = line.first(timers.refreshing, soonest, at) else {
            return ColumnPick::NEVER;
        };
        let slot = self.banks[bank].offered;
        ColumnPick { tick, bank: bank as u8, slot, direction }
    }

    fn next_row(&self, timers: &Timers, floor: Tick) -> RowPick {
        let skip = timers.refreshing;
        let soonest = timers.channel_activate_at().max(floor);
        let at = |bank| timers.activate_at(bank).max(floor);
        let activate = self.to_activate.first(skip, soonest, at);
        let soonest = timers.row_bus_at().max(floor);
        let at = |bank| timers.precharge_at(bank).max(floor);
        let precharge = self.to_precharge.first(skip, soonest, at);
        let pick = |(tick, bank): (Tick, usize), activates| {
            let row = self.slot(self.banks[bank].offered).held.request.row;
            RowPick { tick, bank: bank as u8, activates, row }
        };
        match (activate, precharge) {
            (None, None) => RowPick::NEVER,
            (Some(activate), None) => pick(activate, true),
            (None, Some(precharge)) => pick(precharge, false),
            (Some(activate), Some(precharge)) => {
                let older = || self.age(activate.1) < self.age(precharge.1);
                if activate.0 < precharge.0 || (activate.0 == precharge.0 && older()) {
                    pick(activate, true)
                } else {
                    pick(precharge, false)
                }
            }
        }
    }

    fn held(&self, slot: usize) -> &Held {
        &self.slots[slot].held
    }

    fn closes_page(&self, pick: &ColumnPick) -> bool {
        self.banks[usize::from(pick.bank)].hits == 1 << pick.slot
    }

    #[inline]
    fn run_length(&self, pick: &ColumnPick) -> u16 {
        let columns = self.readable.len() + self.writable.len();
        if columns == 1 { self.slots[usize::from(pick.slot)].held.remaining } else { 1 }
    }

    #[inline]
    fn columns_issued(&mut self, pick: &ColumnPick, columns: u16, timers: &Timers) -> Option<Held> {
        if pick.direction != self.direction {
            self.direction = pick.direction;
            self.columns_in_direction = 0;
        }
        self.columns_in_direction = self.columns_in_direction.saturating_add(u32::from(columns));
        let held = &mut self.slots[usize::from(pick.slot)].held;
        held.remaining -= columns;
        if held.remaining > 0 {
            return None;
        }
        let done = *held;
        let bank = usize::from(pick.bank);
        self.unlink(bank, pick.slot);
        self.rows.clear(usize::from(pick.slot));
        self.free.push(pick.slot);
        self.held -= 1;
        if timers.is_closed(bank) {
            self.banks[bank].hits = 0;
        }
        self.offer(bank, timers);
        Some(done)
    }

    fn row_issued(&mut self, pick: &RowPick, timers: &Timers) {
        let bank = usize::from(pick.bank);
        let offered = self.banks[bank].offered;
        self.banks[bank].hits = 0;
        if pick.activates {
            self.slots[usize::from(offered)].held.activated = true;
            self.banks[bank].hits = self.rows.matching(bank, pick.row);
        }
        self.line_up(bank, offered, timers);
    }

    fn bank_closed(&mut self, bank: usize, timers: &Timers) {
        self.banks[bank].hits = 0;
        self.line_up(bank, self.banks[bank].offered, timers);
    }

    fn completes_after(&self, timers: &Timers, floor: Tick) -> Option<Tick> {
        let lines = [&self.readable, &self.writable, &self.to_activate, &self.to_precharge];
        let banks = lines.into_iter().flat_map(Line::iter);
        let at = |bank: usize| {
            earliest_completion(&self.slot(self.banks[bank].offered).held, timers, floor)
        };
        banks.map(at).min()
    }
}
