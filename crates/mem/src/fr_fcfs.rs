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
//! O(requests for its row). The first of each line for a row command is remembered, and columns
//! that alternate between the same two banks are one step.

#[cfg(test)]
mod tests;

use crate::Direction;
use crate::controller::{
    ColumnPick, ColumnRun, CommandQueue, Done, Held, RowPick, earliest_completion,
};
use crate::held_rows::HeldRows;
use crate::lines::{First, Lines, Need};
use crate::table::Table;
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
    slots: Table<Slot>,
    rows: HeldRows,
    /// Slots that hold a write, one bit each.
    writes: u64,
    /// Slots that hold nothing, one bit each.
    free: u64,
    held: usize,
    arrivals: u64,
    banks: Table<BankQueue>,
    lines: Lines,
    /// The first of those in line for a row command.
    activates: First,
    precharges: First,
    /// They must be looked for again.
    activates_stale: bool,
    precharges_stale: bool,
    direction: Direction,
    columns_in_direction: u32,
    group_limit: u32,
    hit_limit: u32,
}

impl FrFcfsQueue {
    /// An empty queue.
    pub(crate) fn new(group_limit: u32, hit_limit: u32) -> Self {
        let empty = BankQueue { oldest: NONE, newest: NONE, offered: NONE, overtakes: 0, hits: 0 };
        FrFcfsQueue {
            slots: Table::of(&Slot { held: Held::NOTHING, age: 0, older: NONE, newer: NONE }),
            rows: HeldRows::default(),
            writes: 0,
            free: u64::MAX,
            held: 0,
            arrivals: 0,
            banks: Table::of(&empty),
            lines: Lines::default(),
            activates: First::NONE,
            precharges: First::NONE,
            activates_stale: false,
            precharges_stale: false,
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

    /// Puts `bank`, offering `offered`, into the line of the command that it needs.
    fn line_up(&mut self, bank: usize, offered: u8, timers: &Timers) {
        self.banks[bank].offered = offered;
        if offered == NONE {
            return self.lines.remove(bank);
        }
        let Slot { held, age, .. } = &self.slots[usize::from(offered)];
        let need = if timers.is_open(bank, held.request.row) {
            column_need(held.request.direction)
        } else if timers.is_closed(bank) {
            Need::Activate
        } else {
            Need::Precharge
        };
        self.lines.insert(bank, need, *age);
        match need {
            Need::Read | Need::Write => {}
            Need::Activate => {
                let joins = First { tick: timers.activate_at(bank), bank: bank as u8 };
                self.activates = self.lines.sooner(self.activates, joins);
            }
            Need::Precharge => {
                let joins = First { tick: timers.precharge_at(bank), bank: bank as u8 };
                self.precharges = self.lines.sooner(self.precharges, joins);
            }
        }
    }

    fn link(&mut self, bank: usize, held: Held) -> u8 {
        let queue = &mut self.banks[bank];
        let slot = Slot { held, age: self.arrivals, older: queue.newest, newer: NONE };
        // The channel refuses what is more than its depth.
        let index = self.free.trailing_zeros() as u8;
        self.free &= self.free.wrapping_sub(1);
        self.slots[usize::from(index)] = slot;
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

    /// What was known about the next row commands may be wrong.
    fn look_again(&mut self) {
        self.activates_stale = true;
        self.precharges_stale = true;
    }

    /// Whether a bank may move columns in `direction`.
    fn may_move(&self, direction: Direction, refreshing: u64) -> bool {
        self.lines.has_other_than(column_need(direction), refreshing)
    }

    /// The direction whose line competes for the column bus.
    #[inline]
    fn competing(&self, refreshing: u64) -> Direction {
        let (present, other) = (self.direction, opposite(self.direction));
        let limited = self.columns_in_direction >= self.group_limit;
        let turns = limited && self.may_move(other, refreshing);
        if turns || !self.may_move(present, refreshing) { other } else { present }
    }

    /// Columns of `direction`, which competes, until the other one goes first.
    fn until_turn(&self, direction: Direction, refreshing: u64) -> u32 {
        if !self.may_move(opposite(direction), refreshing) {
            return u32::MAX;
        }
        let before = if direction == self.direction { self.columns_in_direction } else { 0 };
        self.group_limit.saturating_sub(before).max(1)
    }

    fn count_columns(&mut self, direction: Direction, columns: u16) {
        if direction != self.direction {
            self.direction = direction;
            self.columns_in_direction = 0;
        }
        self.columns_in_direction = self.columns_in_direction.saturating_add(u32::from(columns));
    }
}

fn column_need(direction: Direction) -> Need {
    match direction {
        Direction::Read => Need::Read,
        Direction::Write => Need::Write,
    }
}

fn opposite(direction: Direction) -> Direction {
    match direction {
        Direction::Read => Direction::Write,
        Direction::Write => Direction::Read,
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
        let to_precharge = self.lines.need(bank) == Some(Need::Precharge);
        let offers_anew = queue.offered == NONE || (hit && to_precharge);
        if offers_anew {
            self.offer(bank, timers);
            // What it offers may have been ready before it came.
            self.look_again();
        }
        offers_anew
    }

    #[inline]
    fn next_column(&self, timers: &Timers, floor: Tick) -> ColumnPick {
        let skip = timers.refreshing;
        let direction = self.competing(skip);
        let soonest = timers.channel_column_at(direction).max(floor);
        let at = |bank| timers.own_column_at(bank, direction).max(soonest);
        let First { tick, bank } = self.lines.first(column_need(direction), skip, soonest, at);
        let slot = self.banks[usize::from(bank)].offered;
        ColumnPick { tick, bank, slot, direction }
    }

    fn next_row(&mut self, timers: &Timers, floor: Tick) -> RowPick {
        let skip = timers.refreshing;
        if self.activates_stale {
            let soonest = timers.channel_activate_at().max(floor);
            let at = |bank| timers.own_activate_at(bank).max(soonest);
            self.activates = self.lines.first(Need::Activate, skip, soonest, at);
            self.activates_stale = false;
        }
        if self.precharges_stale {
            let soonest = timers.row_bus_at().max(floor);
            let at = |bank| timers.own_precharge_at(bank).max(soonest);
            self.precharges = self.lines.first(Need::Precharge, skip, soonest, at);
            self.precharges_stale = false;
        }
        let First { tick, bank } = self.lines.sooner(self.activates, self.precharges);
        let offered = self.banks[usize::from(bank)].offered;
        let row = self.slot(offered).held.request.row;
        let activates = self.lines.need(bank.into()) == Some(Need::Activate);
        RowPick { tick, bank, activates, row }
    }

    #[inline]
    fn may_precede(&self, pick: &ColumnPick, bank: usize, timers: &Timers) -> bool {
        let direction = self.slot(self.banks[bank].offered).held.request.direction;
        pick.direction != direction || timers.own_column_at(bank, direction) <= pick.tick
    }

    fn refreshing_changed(&mut self) {
        self.look_again();
    }

    fn held(&self, slot: usize) -> &Held {
        &self.slots[slot].held
    }

    fn closes_page(&self, bank: usize, slot: usize) -> bool {
        self.banks[bank].hits == 1 << slot
    }

    /// The bus has a place every tCCD_S, which goes to the oldest bank that is ready for it. Where
    /// a bank group takes every second place at most, and none but the pick and the oldest of
    /// the other groups becomes ready, these two alternate.
    #[inline]
    fn run(&self, pick: &ColumnPick, until: Tick, timers: &Timers) -> ColumnRun {
        let one = ColumnRun { columns: 1, gap: 0, partner: None };
        let next = pick.tick + Tick::from(timers.timing.t_ccd_s);
        if next >= until {
            return one;
        }
        let (chosen, direction, skip) = (usize::from(pick.bank), pick.direction, timers.refreshing);
        let (mut partner, mut until) = (None, until);
        let mut older = true;
        for bank in self.lines.iter(column_need(direction)) {
            if bank == chosen {
                older = false;
            } else if (skip >> bank) & 1 == 0 {
                let ready = timers.own_column_at(bank, direction);
                let same_group = timers.same_group(bank, chosen);
                if partner.is_none() && !same_group && ready <= next {
                    partner = Some(bank);
                } else if older || !same_group {
                    until = until.min(ready);
                }
            }
            if !older && partner.is_some() {
                break;
            }
        }
        let left = |bank: usize| u32::from(self.slot(self.banks[bank].offered).held.remaining);
        let (mine, turn) = (left(chosen), self.until_turn(direction, skip));
        let Some(partner) = partner else {
            let gap = Tick::from(timers.timing.t_ccd_l);
            return ColumnRun::before(until, pick.tick, gap, mine.min(turn));
        };
        if !timers.pairs_fill_bus {
            return one;
        }
        let columns = (2 * mine - 1).min(2 * left(partner)).min(turn);
        let run = ColumnRun::before(until, pick.tick, next - pick.tick, columns);
        ColumnRun { partner: Some((partner as u8, self.banks[partner].offered)), ..run }
    }

    fn columns_passed(&mut self, direction: Direction, slot: usize, columns: u16) {
        self.count_columns(direction, columns);
        self.slots[slot].held.remaining -= columns;
    }

    #[inline]
    fn columns_issued(&mut self, pick: &ColumnPick, columns: u16, timers: &Timers) -> Option<Done> {
        self.count_columns(pick.direction, columns);
        let held = &mut self.slots[usize::from(pick.slot)].held;
        held.remaining -= columns;
        if held.remaining > 0 {
            return None;
        }
        let done = held.done();
        let bank = usize::from(pick.bank);
        self.unlink(bank, pick.slot);
        self.rows.clear(usize::from(pick.slot));
        self.free |= 1 << pick.slot;
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
        // The row bus is taken now: for what would have gone at this clock, too.
        self.activates_stale |= pick.activates || self.activates.tick <= pick.tick;
        self.precharges_stale |= !pick.activates || self.precharges.tick <= pick.tick;
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
        let offered = self.banks.first(timers.banks()).iter().map(|queue| queue.offered);
        let slots = offered.filter(|&slot| slot != NONE).map(|slot| self.slot(slot));
        slots.map(|slot| earliest_completion(&slot.held, timers, floor)).min()
    }
}
