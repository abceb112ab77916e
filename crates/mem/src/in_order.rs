//! Requests strictly in order: the columns of one after the columns of the other, with the rows of
//! at most `lookahead` followers opened early.
//!
//! Row commands go out in request order too, so a later request never delays an earlier one. How
//! many requests at the front have their rows open is kept, and how many of those are in each bank,
//! so choosing a command is O(1); a row that is closed makes them be counted again, O(lookahead).

use alloc::collections::VecDeque;

use crate::controller::{ColumnPick, CommandQueue, Held, RowPick, earliest_completion};
use crate::timers::{Tick, Timers};

#[derive(Clone, Debug)]
pub(crate) struct InOrderQueue {
    held: VecDeque<Held>,
    lookahead: usize,
    /// How many requests at the front have their rows open, of those that are looked at.
    opened: usize,
    /// By bank: how many of them are there, at most 64.
    opened_in: [u8; BANKS],
}

/// The most banks of a pseudo channel.
const BANKS: usize = 64;

impl InOrderQueue {
    /// An empty queue for at most `depth` requests.
    pub(crate) fn new(lookahead: usize, depth: usize) -> Self {
        InOrderQueue {
            held: VecDeque::with_capacity(depth),
            lookahead,
            opened: 0,
            opened_in: [0; BANKS],
        }
    }

    /// The first request in the window whose row is not open, if its bank is free of earlier
    /// requests.
    #[inline]
    fn first_unopened(&self) -> Option<&Held> {
        if self.opened > self.lookahead {
            return None;
        }
        self.held.get(self.opened).filter(|held| self.opened_in[held.bank] == 0)
    }

    /// Counts on behind the requests that are known to have their rows open.
    #[inline]
    fn count_opened(&mut self, timers: &Timers) {
        while self.opened <= self.lookahead
            && let Some(held) = self.held.get(self.opened)
            && timers.is_open(held.bank, held.request.row)
        {
            self.opened_in[held.bank] += 1;
            self.opened += 1;
        }
    }

    /// A row was closed that requests may have waited for.
    fn count_again(&mut self, timers: &Timers) {
        self.opened = 0;
        self.opened_in = [0; BANKS];
        self.count_opened(timers);
    }
}

impl CommandQueue for InOrderQueue {
    fn len(&self) -> usize {
        self.held.len()
    }

    fn push(&mut self, held: Held, timers: &Timers) -> bool {
        self.held.push_back(held);
        self.count_opened(timers);
        self.held.len() <= self.lookahead.saturating_add(1)
    }

    #[inline]
    fn next_column(&self, timers: &Timers, floor: Tick) -> ColumnPick {
        let Some(head) = self.held.front() else { return ColumnPick::NEVER };
        let (bank, direction) = (head.bank, head.request.direction);
        if timers.refreshing & (1 << bank) != 0 || !timers.is_open(bank, head.request.row) {
            return ColumnPick::NEVER;
        }
        let tick = timers.column_at(bank, direction).max(floor);
        ColumnPick { tick, bank: bank as u8, slot: 0, direction }
    }

    #[inline]
    fn next_row(&self, timers: &Timers, floor: Tick) -> RowPick {
        let Some(held) = self.first_unopened() else { return RowPick::NEVER };
        let bank = held.bank;
        if timers.refreshing & (1 << bank) != 0 {
            return RowPick::NEVER;
        }
        let activates = timers.is_closed(bank);
        let at = if activates { timers.activate_at(bank) } else { timers.precharge_at(bank) };
        RowPick { tick: at.max(floor), bank: bank as u8, activates, row: held.request.row }
    }

    fn held(&self, slot: usize) -> &Held {
        &self.held[slot]
    }

    fn closes_page(&self, pick: &ColumnPick) -> bool {
        let head = &self.held[usize::from(pick.slot)];
        let next = self.held.get(usize::from(pick.slot) + 1);
        next.is_none_or(|next| next.bank != head.bank || next.request.row != head.request.row)
    }

    #[inline]
    fn run_length(&self, pick: &ColumnPick) -> u16 {
        self.held[usize::from(pick.slot)].remaining
    }

    #[inline]
    fn columns_issued(&mut self, _: &ColumnPick, columns: u16, timers: &Timers) -> Option<Held> {
        let head = self.held.front_mut()?;
        head.remaining -= columns;
        if head.remaining > 0 {
            return None;
        }
        let done = self.held.pop_front()?;
        // Its row was open, so it was counted.
        self.opened -= 1;
        self.opened_in[done.bank] -= 1;
        if self.opened_in[done.bank] > 0 && timers.is_closed(done.bank) {
            self.count_again(timers);
        } else {
            self.count_opened(timers);
        }
        Some(done)
    }

    fn row_issued(&mut self, pick: &RowPick, timers: &Timers) {
        let bank = usize::from(pick.bank);
        let opened_for = |held: &&mut Held| held.bank == bank && held.request.row == pick.row;
        if pick.activates
            && let Some(held) = self.held.iter_mut().find(opened_for)
        {
            held.activated = true;
        }
        self.count_opened(timers);
    }

    fn bank_closed(&mut self, bank: usize, timers: &Timers) {
        if self.opened_in[bank] > 0 {
            self.count_again(timers);
        }
    }

    fn completes_after(&self, timers: &Timers, floor: Tick) -> Option<Tick> {
        self.held.front().map(|head| earliest_completion(head, timers, floor))
    }
}
