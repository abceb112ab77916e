//! Requests strictly in order: the columns of one after the columns of the other, with the rows of
//! at most `lookahead` followers opened early.
//!
//! Row commands go out in request order too, so a later request never delays an earlier one. How
//! many requests at the front have their rows open is kept, and how many of those are in each bank,
//! so choosing a command is O(1); a row that is closed makes them be counted again, O(lookahead).

use alloc::boxed::Box;

use crate::Direction;
use crate::controller::{
    ColumnPick, ColumnRun, CommandQueue, Done, Held, RowPick, earliest_completion,
};
use crate::timers::{Tick, Timers};

#[derive(Clone, Debug)]
pub(crate) struct InOrderQueue {
    held: Ring,
    lookahead: usize,
    /// How many requests at the front have their rows open, of those that are looked at.
    opened: usize,
    /// By bank: how many of them are there, at most 64.
    opened_in: [u8; BANKS],
}

/// The most banks of a pseudo channel.
const BANKS: usize = 64;

/// The most requests that a controller holds ([`ControllerConfig::queue_depth`]).
///
/// [`ControllerConfig::queue_depth`]: crate::ControllerConfig::queue_depth
const DEPTH: usize = 64;

/// The requests held, in their order. Of fixed size, since it is looked into several times a
/// command.
#[derive(Clone, Debug)]
struct Ring {
    slots: Box<[Held; DEPTH]>,
    first: usize,
    len: usize,
}

impl Ring {
    fn new() -> Self {
        Ring { slots: Box::new([Held::NOTHING; DEPTH]), first: 0, len: 0 }
    }

    #[inline]
    fn get(&self, index: usize) -> Option<&Held> {
        (index < self.len).then(|| &self.slots[(self.first + index) % DEPTH])
    }

    #[inline]
    fn get_mut(&mut self, index: usize) -> Option<&mut Held> {
        (index < self.len).then(|| &mut self.slots[(self.first + index) % DEPTH])
    }

    /// The channel refuses what is more than its depth.
    #[inline]
    fn push_back(&mut self, held: Held) {
        debug_assert!(self.len < DEPTH);
        self.slots[(self.first + self.len) % DEPTH] = held;
        self.len += 1;
    }

    #[inline]
    fn pop_front(&mut self) -> Option<Held> {
        let front = *self.get(0)?;
        self.first = (self.first + 1) % DEPTH;
        self.len -= 1;
        Some(front)
    }
}

impl InOrderQueue {
    /// An empty queue that looks at most `lookahead` requests behind the first.
    pub(crate) fn new(lookahead: usize) -> Self {
        InOrderQueue { held: Ring::new(), lookahead, opened: 0, opened_in: [0; BANKS] }
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
        self.held.len
    }

    fn push(&mut self, held: Held, timers: &Timers) -> bool {
        self.held.push_back(held);
        self.count_opened(timers);
        self.held.len <= self.lookahead.saturating_add(1)
    }

    #[inline]
    fn next_column(&self, timers: &Timers, floor: Tick) -> ColumnPick {
        let Some(head) = self.held.get(0) else { return ColumnPick::NEVER };
        let (bank, direction) = (head.bank, head.request.direction);
        if timers.refreshing & (1 << bank) != 0 || !timers.is_open(bank, head.request.row) {
            return ColumnPick::NEVER;
        }
        let tick = timers.column_at(bank, direction).max(floor);
        ColumnPick { tick, bank: bank as u8, slot: 0, direction }
    }

    #[inline]
    fn next_row(&mut self, timers: &Timers, floor: Tick) -> RowPick {
        let Some(held) = self.first_unopened() else { return RowPick::NEVER };
        let bank = held.bank;
        if timers.refreshing & (1 << bank) != 0 {
            return RowPick::NEVER;
        }
        let activates = timers.is_closed(bank);
        let at = if activates { timers.activate_at(bank) } else { timers.precharge_at(bank) };
        RowPick { tick: at.max(floor), bank: bank as u8, activates, row: held.request.row }
    }

    #[inline]
    fn held(&self, slot: usize) -> &Held {
        self.held.get(slot).unwrap_or(&Held::NOTHING)
    }

    fn closes_page(&self, _: usize, _: usize) -> bool {
        let (head, next) = (self.held(0), self.held.get(1));
        next.is_none_or(|next| next.bank != head.bank || next.request.row != head.request.row)
    }

    #[inline]
    fn run(&self, pick: &ColumnPick, until: Tick, timers: &Timers) -> ColumnRun {
        let gap = Tick::from(timers.timing.t_ccd_l);
        ColumnRun::before(until, pick.tick, gap, u32::from(self.held(0).remaining))
    }

    /// A run has no partner.
    fn columns_passed(&mut self, _: Direction, slot: usize, columns: u16) {
        if let Some(held) = self.held.get_mut(slot) {
            held.remaining -= columns;
        }
    }

    #[inline]
    fn columns_issued(&mut self, _: &ColumnPick, columns: u16, timers: &Timers) -> Option<Done> {
        let head = self.held.get_mut(0)?;
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
        Some(done.done())
    }

    #[inline]
    fn row_issued(&mut self, pick: &RowPick, timers: &Timers) {
        // What is opened is opened for the first that waits for its row.
        if pick.activates
            && let Some(held) = self.held.get_mut(self.opened)
        {
            held.activated = true;
        }
        self.count_opened(timers);
    }

    #[inline]
    fn may_precede(&self, pick: &ColumnPick, _: usize, _: &Timers) -> bool {
        pick.tick == Tick::MAX
    }

    fn refreshing_changed(&mut self) {}

    fn bank_closed(&mut self, bank: usize, timers: &Timers) {
        if self.opened_in[bank] > 0 {
            self.count_again(timers);
        }
    }

    fn completes_after(&self, timers: &Timers, floor: Tick) -> Option<Tick> {
        self.held.get(0).map(|head| earliest_completion(head, timers, floor))
    }
}
