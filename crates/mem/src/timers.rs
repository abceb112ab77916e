//! The bank-level state machine of one pseudo channel: for every command, the earliest clock at
//! which the commands before it allow it.
//!
//! Each constraint of JEDEC's HBM command tables is a distance between two commands, so it is kept
//! as the earliest clock of the later one, at the narrowest place that it concerns: a bank (tRC,
//! tRAS, tRP, tRCD, tRTP, tWR), a bank group (tCCD_L, tRRD_L) or the pseudo channel (tCCD_S,
//! tRRD_S, tFAW, both turnarounds). Issuing a command and asking for the earliest clock are O(1).
//!
//! The row bus and the column bus carry one command a clock each, as HBM's separate buses do; the
//! two pseudo channels that share them in hardware never fill them, because a burst takes two
//! clocks.

use crate::table::{PLACES, Table};
use crate::{Direction, HbmConfig, Timing};

/// A clock count since time zero.
pub(crate) type Tick = u64;

/// The row number of a bank that has no open row.
const CLOSED: u32 = u32::MAX;

#[derive(Clone, Debug)]
struct Bank {
    open_row: u32,
    group: u8,
    activate_at: Tick,
    precharge_at: Tick,
    read_at: Tick,
    write_at: Tick,
}

#[derive(Clone, Debug, Default)]
struct BankGroup {
    activate_at: Tick,
    column_at: Tick,
}

/// Earliest clocks of every command of one pseudo channel.
#[derive(Clone, Debug)]
pub(crate) struct Timers {
    pub(crate) timing: Timing,
    write_to_read: Tick,
    write_data_end: Tick,
    /// Whether columns that alternate between two bank groups fill the bus, and those of one group
    /// do not: tCCD_S < tCCD_L ≤ 2 tCCD_S.
    pub(crate) pairs_fill_bus: bool,
    banks: Table<Bank>,
    bank_count: usize,
    groups: Table<BankGroup>,
    activate_at: Tick,
    /// For each of the last four activates, when a fifth may follow (tFAW); a ring.
    window: [Tick; 4],
    oldest_in_window: usize,
    read_at: Tick,
    write_at: Tick,
    row_bus_at: Tick,
    /// Banks that must be refreshed before they do anything else, one bit each.
    pub(crate) refreshing: u64,
}

impl Timers {
    pub(crate) fn new(config: &HbmConfig) -> Self {
        let geometry = &config.geometry;
        let bank_count = geometry.banks().min(PLACES);
        let bank = Bank {
            open_row: CLOSED,
            group: 0,
            activate_at: 0,
            precharge_at: 0,
            read_at: 0,
            write_at: 0,
        };
        let mut banks = Table::of(&bank);
        for (index, bank) in banks.first_mut(bank_count).iter_mut().enumerate() {
            bank.group = (index / usize::from(geometry.banks_per_group).max(1)) as u8;
        }
        let timing = config.timing;
        Timers {
            timing,
            write_to_read: Tick::from(timing.write_to_read_clocks()),
            write_data_end: Tick::from(timing.cwl + timing.burst),
            pairs_fill_bus: (timing.t_ccd_s + 1..=2 * timing.t_ccd_s).contains(&timing.t_ccd_l),
            banks,
            bank_count,
            groups: Table::of(&BankGroup::default()),
            activate_at: 0,
            window: [0; 4],
            oldest_in_window: 0,
            read_at: 0,
            write_at: 0,
            row_bus_at: 0,
            refreshing: 0,
        }
    }

    pub(crate) fn banks(&self) -> usize {
        self.bank_count
    }

    /// Whether `row` is open in `bank`.
    #[inline]
    pub(crate) fn is_open(&self, bank: usize, row: u32) -> bool {
        self.banks[bank].open_row == row
    }

    #[inline]
    pub(crate) fn is_closed(&self, bank: usize) -> bool {
        self.banks[bank].open_row == CLOSED
    }

    /// The earliest column of `direction` in any bank: turnaround and tCCD_S.
    #[inline]
    pub(crate) fn channel_column_at(&self, direction: Direction) -> Tick {
        match direction {
            Direction::Read => self.read_at,
            Direction::Write => self.write_at,
        }
    }

    /// The earliest column of `direction` in `bank`, whose row must be open.
    #[inline]
    pub(crate) fn column_at(&self, bank: usize, direction: Direction) -> Tick {
        self.own_column_at(bank, direction).max(self.channel_column_at(direction))
    }

    /// As [`Timers::column_at`], for the bank and its group alone.
    #[inline]
    pub(crate) fn own_column_at(&self, bank: usize, direction: Direction) -> Tick {
        let state = &self.banks[bank];
        let group = self.groups[usize::from(state.group)].column_at;
        match direction {
            Direction::Read => state.read_at.max(group),
            Direction::Write => state.write_at.max(group),
        }
    }

    /// Whether both banks are in one group.
    #[inline]
    pub(crate) fn same_group(&self, one: usize, other: usize) -> bool {
        self.banks[one].group == self.banks[other].group
    }

    /// The earliest activation of `bank`, which must be closed.
    #[inline]
    pub(crate) fn activate_at(&self, bank: usize) -> Tick {
        self.own_activate_at(bank).max(self.channel_activate_at())
    }

    /// As [`Timers::activate_at`], for the bank and its group alone.
    #[inline]
    pub(crate) fn own_activate_at(&self, bank: usize) -> Tick {
        let state = &self.banks[bank];
        state.activate_at.max(self.groups[usize::from(state.group)].activate_at)
    }

    /// The earliest activation of any bank: tRRD_S, tFAW and the row bus.
    #[inline]
    pub(crate) fn channel_activate_at(&self) -> Tick {
        self.activate_at.max(self.window[self.oldest_in_window]).max(self.row_bus_at)
    }

    /// The earliest clock at which the row bus is free.
    #[inline]
    pub(crate) fn row_bus_at(&self) -> Tick {
        self.row_bus_at
    }

    /// The earliest precharge of `bank`, which must be open.
    #[inline]
    pub(crate) fn precharge_at(&self, bank: usize) -> Tick {
        self.own_precharge_at(bank).max(self.row_bus_at)
    }

    /// As [`Timers::precharge_at`], for the bank alone.
    #[inline]
    pub(crate) fn own_precharge_at(&self, bank: usize) -> Tick {
        self.banks[bank].precharge_at
    }

    /// Opens `row` of `bank`.
    #[inline]
    pub(crate) fn activate(&mut self, at: Tick, bank: usize, row: u32) {
        let t = &self.timing;
        let state = &mut self.banks[bank];
        state.open_row = row;
        state.read_at = at + Tick::from(t.t_rcd_rd);
        state.write_at = at + Tick::from(t.t_rcd_wr);
        state.precharge_at = at + Tick::from(t.t_ras);
        state.activate_at = at + Tick::from(t.t_rc);
        self.groups[usize::from(state.group)].activate_at = at + Tick::from(t.t_rrd_l);
        self.activate_at = at + Tick::from(t.t_rrd_s);
        self.window[self.oldest_in_window] = at + Tick::from(t.t_faw);
        self.oldest_in_window = (self.oldest_in_window + 1) % self.window.len();
        self.row_bus_at = at + 1;
    }

    /// Closes `bank`.
    #[inline]
    pub(crate) fn precharge(&mut self, at: Tick, bank: usize) {
        self.close(at, bank);
        self.row_bus_at = at + 1;
    }

    /// Closes `bank` by the auto-precharge of the column just issued: at the earliest clock that
    /// tRAS, tRTP and tWR allow, and without a command on the row bus.
    pub(crate) fn auto_precharge(&mut self, bank: usize) {
        let at = self.banks[bank].precharge_at;
        self.close(at, bank);
    }

    #[inline]
    fn close(&mut self, at: Tick, bank: usize) {
        let ready = at + Tick::from(self.timing.t_rp);
        let state = &mut self.banks[bank];
        state.open_row = CLOSED;
        state.activate_at = state.activate_at.max(ready);
    }

    /// Moves one column access of the open row of `bank`; returns when its last data has passed.
    #[inline]
    pub(crate) fn column(&mut self, at: Tick, bank: usize, direction: Direction) -> Tick {
        let t = &self.timing;
        let state = &mut self.banks[bank];
        self.groups[usize::from(state.group)].column_at = at + Tick::from(t.t_ccd_l);
        match direction {
            Direction::Read => {
                state.precharge_at = state.precharge_at.max(at + Tick::from(t.t_rtp));
                self.read_at = at + Tick::from(t.t_ccd_s);
                self.write_at = at + Tick::from(t.t_rtw);
                at + Tick::from(t.cl + t.burst)
            }
            Direction::Write => {
                let recovered = at + self.write_data_end + Tick::from(t.t_wr);
                state.precharge_at = state.precharge_at.max(recovered);
                self.write_at = at + Tick::from(t.t_ccd_s);
                self.read_at = at + self.write_to_read;
                at + self.write_data_end
            }
        }
    }

    /// Clocks from a column command to its last data.
    pub(crate) fn latency(&self, direction: Direction) -> Tick {
        match direction {
            Direction::Read => Tick::from(self.timing.cl + self.timing.burst),
            Direction::Write => self.write_data_end,
        }
    }

    /// The earliest refresh of all banks, which must be closed.
    pub(crate) fn refresh_all_at(&self) -> Tick {
        let banks = self.banks.first(self.bank_count).iter();
        banks.fold(self.row_bus_at, |latest, bank| latest.max(bank.activate_at))
    }

    /// The earliest refresh of one closed bank.
    pub(crate) fn refresh_bank_at(&self, bank: usize) -> Tick {
        self.banks[bank].activate_at.max(self.row_bus_at)
    }

    /// Refreshes all banks.
    pub(crate) fn refresh_all(&mut self, at: Tick) {
        for bank in self.banks.first_mut(self.bank_count) {
            bank.activate_at = at + Tick::from(self.timing.t_rfc);
        }
        self.row_bus_at = at + 1;
        self.refreshing = 0;
    }

    /// Refreshes one bank.
    pub(crate) fn refresh_bank(&mut self, at: Tick, bank: usize) {
        self.banks[bank].activate_at = at + Tick::from(self.timing.t_rfc_sb);
        self.row_bus_at = at + 1;
        self.refreshing &= !(1 << bank);
    }
}
