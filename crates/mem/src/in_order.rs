//! Requests strictly in order: the columns of one after the columns of the other, with the rows of at
//! most `lookahead` followers opened early.
//!
//! Row commands go out in request order too, so a later request never delays an earlier one. Choosing a
//! command is O(lookahead).

use alloc::collections::VecDeque;

use crate::controller::{ColumnPick, CommandQueue, Held, RowAction, RowPick, earliest_completion};
use crate::timers::{Tick, Timers};

#[derive(Clone, Debug)]
pub(crate) struct InOrderQueue {
    held: VecDeque<Held>,
    lookahead: usize,
}

impl InOrderQueue {
    pub(crate) fn new(lookahead: usize) -> Self {
        InOrderQueue { held: VecDeque::new(), lookahead }
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

    fn push(&mut self, held: Held, _: &Timers) {
        self.held.push_back(held);
    }

    #[inline]
    fn next_column(&self, timers: &Timers, floor: Tick) -> Option<ColumnPick> {
        let head = self.held.front()?;
        let (bank, direction) = (head.bank, head.request.direction);
        if timers.refreshing & (1 << bank) != 0 || !timers.is_open(bank, head.request.row) {
            return None;
        }
        let tick = timers.column_at(bank, direction).max(floor);
        Some(ColumnPick { tick, bank, direction, slot: 0 })
    }

    #[inline]
    fn next_row(&self, timers: &Timers, floor: Tick) -> Option<RowPick> {
        let held = self.first_unopened(timers)?;
        let bank = held.bank;
        if timers.refreshing & (1 << bank) != 0 {
            return None;
        }
        Some(if timers.is_closed(bank) {
            let action = RowAction::Activate(held.request.row);
            RowPick { tick: timers.activate_at(bank).max(floor), bank, action }
        } else {
            let tick = timers.precharge_at(bank).max(floor);
            RowPick { tick, bank, action: RowAction::Precharge }
        })
    }

    fn held(&self, slot: usize) -> &Held {
        &self.held[slot]
    }

    fn closes_page(&self, pick: &ColumnPick) -> bool {
        let head = &self.held[pick.slot];
        let next = self.held.get(pick.slot + 1);
        next.is_none_or(|next| next.bank != head.bank || next.request.row != head.request.row)
    }

    #[inline]
    fn run_length(&self, pick: &ColumnPick) -> u16 {
        self.held[pick.slot].remaining
    }

    #[inline]
    fn columns_issued(&mut self, _: &ColumnPick, columns: u16, _: &Timers) -> Option<Held> {
        let head = self.held.front_mut()?;
        head.remaining -= columns;
        if head.remaining == 0 { self.held.pop_front() } else { None }
    }

    fn row_issued(&mut self, pick: &RowPick, _: &Timers) {
        if let RowAction::Activate(row) = pick.action
            && let Some(held) =
                self.held.iter_mut().find(|h| h.bank == pick.bank && h.request.row == row)
        {
            held.activated = true;
        }
    }

    fn bank_closed(&mut self, _: usize, _: &Timers) {}

    fn completes_after(&self, timers: &Timers, floor: Tick) -> Option<Tick> {
        self.held.front().map(|head| earliest_completion(head, timers, floor))
    }
}
