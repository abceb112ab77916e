//! Requests strictly in order: the columns of one after the columns of the other, with the rows of at
//! most `lookahead` followers opened early.
//!
//! Row commands go out in request order too, so a later request never delays an earlier one. Choosing a
//! command is O(lookahead).

use alloc::collections::VecDeque;

use crate::controller::{ColumnPick, CommandQueue, Held, RowPick, earliest_completion};
use crate::timers::{Tick, Timers};

#[derive(Clone, Debug)]
pub(crate) struct InOrderQueue {
    held: VecDeque<Held>,
    lookahead: usize,
}

impl InOrderQueue {
    /// An empty queue for at most `depth` requests.
    pub(crate) fn new(lookahead: usize, depth: usize) -> Self {
        InOrderQueue { held: VecDeque::with_capacity(depth), lookahead }
    }

    /// The first request in the window whose row is not open, if its bank is free of earlier requests.
    fn first_unopened(&self, timers: &Timers) -> Option<&Held> {
        let mut earlier_banks = 0u64;
        for held in self.held.iter().take(self.lookahead.saturating_add(1)) {
            if !timers.is_open(held.bank, held.request.row) {
                return (earlier_banks & (1 << held.bank) == 0).then_some(held);
            }
            earlier_banks |= 1 << held.bank;
        }
        None
    }
}

impl CommandQueue for InOrderQueue {
    fn len(&self) -> usize {
        self.held.len()
    }

    fn push(&mut self, held: Held, _: &Timers) -> bool {
        self.held.push_back(held);
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
        let Some(held) = self.first_unopened(timers) else { return RowPick::NEVER };
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
    fn columns_issued(&mut self, _: &ColumnPick, columns: u16, _: &Timers) -> Option<Held> {
        let head = self.held.front_mut()?;
        head.remaining -= columns;
        if head.remaining == 0 { self.held.pop_front() } else { None }
    }

    fn row_issued(&mut self, pick: &RowPick, _: &Timers) {
        let bank = usize::from(pick.bank);
        let opened_for = |held: &&mut Held| held.bank == bank && held.request.row == pick.row;
        if pick.activates
            && let Some(held) = self.held.iter_mut().find(opened_for)
        {
            held.activated = true;
        }
    }

    fn bank_closed(&mut self, _: usize, _: &Timers) {}

    fn completes_after(&self, timers: &Timers, floor: Tick) -> Option<Tick> {
        self.held.front().map(|head| earliest_completion(head, timers, floor))
    }
}
