//! What issues the commands of a pseudo channel: asks the queue for the next column and the next
//! row command with their earliest clocks, issues the earlier one, and repeats up to the present;
//! puts refreshes between them; and counts.
//!
//! Picks are kept until something changes them, and a run of columns that nothing can come between
//! is issued at once. O(1) a command beside the queue's own choice.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use forebay_units::{Bytes, Duration, Time};

use crate::clock::Clock;
use crate::command::{Command, CommandKind};
use crate::controller::{ColumnPick, ColumnRun, CommandQueue, Done, RowPick};
use crate::timers::{Tick, Timers};
use crate::{Direction, HbmConfig, MemoryStats, PagePolicy, Refresh};

/// Requests for whose data on its way there is room from the beginning: a column's data follows
/// within tens of clocks and columns are two clocks apart, so there are never more with real
/// timing.
const IN_FLIGHT: usize = 64;

/// Everything but the order of requests.
#[derive(Clone, Debug)]
pub(crate) struct Issuer {
    pub(crate) timers: Timers,
    pub(crate) clock: Clock,
    access: Bytes,
    closed_page: bool,
    /// No command issues before this clock any more.
    pub(crate) floor: Tick,
    /// No command can issue before this clock unless a request comes.
    pub(crate) wake: Tick,
    /// The next commands; stale ones are worked out before they are looked at.
    column: ColumnPick,
    row: RowPick,
    column_stale: bool,
    row_stale: bool,
    refresh: Refresh,
    refresh_interval: Tick,
    refresh_due: Tick,
    refresh_next_bank: usize,
    last_direction: Option<Direction>,
    /// Requests whose columns are issued and whose data is under way, in order of completion.
    pub(crate) in_flight: VecDeque<(Tick, u64, Direction)>,
    last_data: Tick,
    pub(crate) now: Time,
    /// Since when there has been no idle moment, if work is or was under way.
    busy_since: Time,
    busy_before: Duration,
    columns_read: u64,
    columns_written: u64,
    /// The counters that are not worked out when asked for.
    stats: MemoryStats,
    pub(crate) trace: Option<Vec<Command>>,
}

impl Issuer {
    /// Nothing held, nothing issued, at time zero.
    pub(crate) fn new(hbm: &HbmConfig, page: PagePolicy) -> Self {
        let interval = hbm.refresh_interval().unwrap_or(Tick::MAX);
        Issuer {
            timers: Timers::new(hbm),
            clock: Clock::new(hbm.timing.t_ck),
            access: hbm.geometry.access_bytes,
            closed_page: page == PagePolicy::Closed,
            floor: 0,
            wake: 0,
            column: ColumnPick::NEVER,
            row: RowPick::NEVER,
            column_stale: true,
            row_stale: true,
            refresh: hbm.refresh,
            refresh_interval: interval,
            refresh_due: interval,
            refresh_next_bank: 0,
            last_direction: None,
            in_flight: VecDeque::with_capacity(IN_FLIGHT),
            last_data: 0,
            now: Time::ZERO,
            busy_since: Time::ZERO,
            busy_before: Duration::ZERO,
            columns_read: 0,
            columns_written: 0,
            stats: MemoryStats::default(),
            trace: None,
        }
    }

    pub(crate) fn time(&self, tick: Tick) -> Time {
        self.clock.time(tick)
    }

    /// Issues every command before clock `limit`.
    pub(crate) fn run(&mut self, queue: &mut impl CommandQueue, limit: Tick) {
        while self.step(queue, limit) {}
        self.floor = self.floor.max(limit);
    }

    /// Whatever was known about the next commands may be wrong.
    pub(crate) fn changed(&mut self) {
        self.column_stale = true;
        self.row_stale = true;
        self.wake = 0;
    }

    /// Issues the next command, or run of columns, if it is before `limit`.
    #[inline]
    fn step(&mut self, queue: &mut impl CommandQueue, limit: Tick) -> bool {
        if self.column_stale {
            self.column = queue.next_column(&self.timers, self.floor);
            self.column_stale = false;
        }
        if self.row_stale {
            self.row = queue.next_row(&self.timers, self.floor);
            self.row_stale = false;
        }
        let (column_at, row_at) = (self.column.tick, self.row.tick);
        let refresh_at = self.next_refresh_command();
        let other = row_at.min(refresh_at);
        let first = column_at.min(other);
        if self.refresh_due <= first && self.refresh_due < limit {
            self.begin_refresh();
            queue.refreshing_changed();
            return true;
        }
        if first >= limit {
            self.wake = first.min(self.refresh_due);
            return false;
        }
        self.floor = first;
        if column_at == first {
            // Columns go ahead of a row command at the same clock; a refresh that falls due goes
            // first.
            let until = limit.min(self.refresh_due).min(other.saturating_add(1));
            self.issue_columns(queue, until);
        } else if refresh_at == first {
            self.issue_refresh_command(queue, first);
        } else {
            self.issue_row(queue);
        }
        true
    }

    /// Issues as many columns as go out before `until` without a new choice: of the pick, or of it
    /// and its partner in turn.
    #[inline]
    fn issue_columns(&mut self, queue: &mut impl CommandQueue, until: Tick) {
        let mut pick = self.column;
        let ColumnPick { tick, direction, .. } = pick;
        let run = queue.run(&pick, until, &self.timers);
        let last = tick + Tick::from(run.columns - 1) * run.gap;
        if self.trace.is_some() {
            self.record_run(queue, &pick, &run);
        }
        let mut columns = run.columns;
        if let Some((bank, slot)) = run.partner
            && run.columns > 1
        {
            // Who has the last turn comes last; the other's turns are over one gap before.
            let turns = run.columns / 2;
            let mut other = ColumnPick { bank, slot, ..pick };
            if run.columns.is_multiple_of(2) {
                core::mem::swap(&mut pick, &mut other);
            }
            columns -= turns;
            self.timers.column(last - run.gap, usize::from(other.bank), direction);
            queue.columns_passed(direction, usize::from(other.slot), turns);
        }
        let (bank, slot) = (usize::from(pick.bank), usize::from(pick.slot));
        let data_end = self.timers.column(last, bank, direction);
        let ends = queue.held(slot).remaining == columns;
        let closes = ends && self.closed_page && queue.closes_page(bank, slot);
        if closes {
            self.timers.auto_precharge(bank);
            if let Some(CommandKind::Column { auto_precharge, .. }) =
                self.trace.as_mut().and_then(|trace| trace.last_mut()).map(|last| &mut last.kind)
            {
                *auto_precharge = true;
            }
        }
        self.floor = last;
        self.count_columns(direction, run.columns);
        self.column_stale = true;
        if let Some(done) = queue.columns_issued(&pick, columns, &self.timers) {
            self.row_stale = true;
            self.complete(&done, data_end);
        }
    }

    fn count_columns(&mut self, direction: Direction, columns: u16) {
        match direction {
            Direction::Read => self.columns_read += u64::from(columns),
            Direction::Write => self.columns_written += u64::from(columns),
        }
        let turned = self.last_direction.is_some_and(|last| last != direction);
        self.stats.turnarounds += u64::from(turned);
        self.last_direction = Some(direction);
    }

    fn complete(&mut self, done: &Done, data_end: Tick) {
        let direction = done.direction;
        self.stats.requests += 1;
        self.stats.row_hits += u64::from(!done.activated);
        let useful = match direction {
            Direction::Read => &mut self.stats.useful_read,
            Direction::Write => &mut self.stats.useful_written,
        };
        *useful += done.useful;
        self.in_flight.push_back((data_end, done.id, direction));
        self.last_data = data_end;
    }

    #[inline]
    fn issue_row(&mut self, queue: &mut impl CommandQueue) {
        let pick = self.row;
        let RowPick { tick, row, .. } = pick;
        let bank = usize::from(pick.bank);
        if pick.activates {
            self.timers.activate(tick, bank, row);
            self.stats.activations += 1;
            self.record(tick, bank, CommandKind::Activate { row });
        } else {
            self.timers.precharge(tick, bank);
            self.record(tick, bank, CommandKind::Precharge);
        }
        self.row_stale = true;
        queue.row_issued(&pick, &self.timers);
        self.column_stale |= pick.activates && queue.may_precede(&self.column, bank, &self.timers);
    }

    /// Keeps a run that is about to be issued.
    #[cold]
    fn record_run(&mut self, queue: &impl CommandQueue, pick: &ColumnPick, run: &ColumnRun) {
        let own = (pick.bank, pick.slot);
        let turns = [own, run.partner.unwrap_or(own)];
        for index in 0..run.columns {
            let (turn, before) = match run.partner {
                Some(_) => (turns[usize::from(index % 2)], index / 2),
                None => (own, index),
            };
            let held = queue.held(usize::from(turn.1));
            let kind = CommandKind::Column {
                direction: pick.direction,
                row: held.request.row,
                column: held.next_column() + before,
                auto_precharge: false,
            };
            self.record(pick.tick + Tick::from(index) * run.gap, usize::from(turn.0), kind);
        }
    }

    fn record(&mut self, tick: Tick, bank: usize, kind: CommandKind) {
        if let Some(trace) = &mut self.trace {
            trace.push(Command { tick, bank, kind });
        }
    }

    /// A refresh has fallen due: its banks do nothing else until it is done.
    fn begin_refresh(&mut self) {
        self.floor = self.floor.max(self.refresh_due);
        self.changed();
        self.refresh_due += self.refresh_interval;
        let banks = self.timers.banks();
        if self.refresh == Refresh::AllBank {
            self.timers.refreshing = u64::MAX >> (64 - banks);
        } else {
            self.timers.refreshing |= 1 << self.refresh_next_bank;
            self.refresh_next_bank = (self.refresh_next_bank + 1) % banks;
        }
    }

    /// When the refresh that has fallen due goes on: with a precharge, or with the refresh itself.
    fn next_refresh_command(&self) -> Tick {
        if self.timers.refreshing == 0 {
            return Tick::MAX;
        }
        let at = match (self.bank_to_close(), self.refresh) {
            (Some(bank), _) => self.timers.precharge_at(bank),
            (None, Refresh::AllBank) => self.timers.refresh_all_at(),
            (None, _) => {
                self.timers.refresh_bank_at(self.timers.refreshing.trailing_zeros() as usize)
            }
        };
        at.max(self.floor)
    }

    /// The first bank that waits for refresh with a row open.
    fn bank_to_close(&self) -> Option<usize> {
        let mut banks = self.timers.refreshing;
        while banks != 0 {
            let bank = banks.trailing_zeros() as usize;
            if !self.timers.is_closed(bank) {
                return Some(bank);
            }
            banks &= banks - 1;
        }
        None
    }

    fn issue_refresh_command(&mut self, queue: &mut impl CommandQueue, tick: Tick) {
        self.changed();
        queue.refreshing_changed();
        if let Some(bank) = self.bank_to_close() {
            self.timers.precharge(tick, bank);
            self.record(tick, bank, CommandKind::Precharge);
            queue.bank_closed(bank, &self.timers);
            return;
        }
        self.stats.refreshes += 1;
        if self.refresh == Refresh::AllBank {
            self.timers.refresh_all(tick);
            self.record(tick, 0, CommandKind::RefreshAll);
        } else {
            let bank = self.timers.refreshing.trailing_zeros() as usize;
            self.timers.refresh_bank(tick, bank);
            self.record(tick, bank, CommandKind::RefreshBank);
        }
    }

    /// A request arrives at `self.now`, with `held` before it.
    pub(crate) fn note_arrival(&mut self, held: usize) {
        let data_end = self.time(self.last_data);
        if held == 0 && data_end <= self.now {
            self.busy_before += data_end.since(self.busy_since);
            self.busy_since = self.now;
        }
    }

    pub(crate) fn stats_now(&self, held: usize) -> MemoryStats {
        let until = if held > 0 { self.now } else { self.time(self.last_data).min(self.now) };
        let busy = self.busy_before + until.since(self.busy_since);
        let idle = self.now.since(Time::ZERO) - busy;
        let bytes_read = self.access * self.columns_read;
        let bytes_written = self.access * self.columns_written;
        MemoryStats { bytes_read, bytes_written, busy, idle, ..self.stats }
    }
}
