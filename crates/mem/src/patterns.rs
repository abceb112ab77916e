//! The access patterns of Themis, Appendix A, as functions: Figures 15 to 17 and Table 2.
//!
//! Each runs one pseudo channel under a controller and reports how long the pattern took and how
//! much it moved; [`PatternOutcome::device_rate`] is the rate of a stack whose pseudo channels all
//! do the same, as the figures show. [`docs/hbm.md`] puts the results beside the paper's. A full
//! queue is polled every clock, so time is O(clocks).
//!
//! [`docs/hbm.md`]: https://github.com/forebay/forebay/blob/main/docs/hbm.md

use alloc::vec::Vec;

use forebay_parameters::ParameterError;
use forebay_units::{Bytes, Duration, Rate, Time};

use crate::{
    BankAddress, ControllerConfig, Direction, HbmConfig, MemoryStats, PseudoChannel, Request,
    SubmitError,
};

/// What a pattern did on one pseudo channel.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternOutcome {
    /// From the submission of the first request to the last data.
    pub total: Duration,
    /// Bytes moved by the pseudo channel.
    pub moved: Bytes,
    /// What the channel counted: bytes, activations, turnarounds, refreshes.
    pub stats: MemoryStats,
    /// Time between the completions of the last request and of the one a fixed count before it, and
    /// the bytes moved meanwhile: the rate without start-up.
    steady: (Bytes, Duration),
    channels: u64,
}

impl PatternOutcome {
    /// The rate of one pseudo channel over the whole run, start-up included.
    #[must_use]
    pub fn channel_rate(&self) -> Rate {
        Rate::mean(self.moved, self.total)
    }

    /// The rate, without start-up, of a stack whose pseudo channels all run the pattern.
    #[must_use]
    pub fn device_rate(&self) -> Rate {
        Rate::mean(self.steady.0 * self.channels, self.steady.1)
    }
}

/// Why a pattern cannot run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatternError {
    /// The memory or the controller is impossible.
    Build(ParameterError),
    /// The pattern asks for what the memory does not have.
    Submit(SubmitError),
}

impl core::fmt::Display for PatternError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            PatternError::Build(error) => error.fmt(f),
            PatternError::Submit(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for PatternError {}

/// Runs requests as fast as the queue takes them: the next is submitted when there is room.
///
/// # Errors
/// [`PatternError`] when the configuration or a request is impossible.
pub fn run(
    hbm: &HbmConfig,
    controller: &ControllerConfig,
    requests: impl IntoIterator<Item = Request>,
) -> Result<PatternOutcome, PatternError> {
    let mut channel = PseudoChannel::new(hbm, controller).map_err(PatternError::Build)?;
    let mut log: Vec<(Time, u16)> = Vec::new();
    let mut sizes = Vec::new();
    let mut now = Time::ZERO;
    for (id, request) in requests.into_iter().enumerate() {
        sizes.push(request.columns);
        // One clock at a time while the queue is full: a slot is free as soon as a request's last
        // column has issued, which is before its completion.
        while !channel.has_room() {
            now += hbm.timing.t_ck;
            channel.advance(now, &mut |done| log.push((done.at, sizes[done.id as usize])));
        }
        channel.submit(now, Request { id: id as u64, ..request }).map_err(PatternError::Submit)?;
    }
    while let Some(next) = channel.next_event() {
        channel.advance(next, &mut |done| log.push((done.at, sizes[done.id as usize])));
    }
    Ok(outcome(hbm, &log, channel.stats()))
}

fn outcome(hbm: &HbmConfig, log: &[(Time, u16)], stats: MemoryStats) -> PatternOutcome {
    let end = log.last().map_or(Time::ZERO, |(at, _)| *at);
    // The middle half, so that neither start-up nor draining counts.
    let (from, to) = (log.len() / 4, (log.len() * 3 / 4).max(1));
    let inner = log.get(from + 1..to + 1).unwrap_or_default();
    let columns: u64 = inner.iter().map(|(_, columns)| u64::from(*columns)).sum();
    let span = match (log.get(from), inner.last()) {
        (Some((first, _)), Some((last, _))) => last.since(*first),
        _ => Duration::ZERO,
    };
    PatternOutcome {
        total: end.since(Time::ZERO),
        moved: stats.bytes_read + stats.bytes_written,
        stats,
        steady: (hbm.geometry.access_bytes * columns, span),
        channels: u64::from(hbm.geometry.pseudo_channels),
    }
}

/// Which banks a pattern visits, in turn: every group's first bank, then every group's second, and
/// so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BankSet {
    /// Bank groups visited.
    pub groups: u8,
    /// Banks visited in each.
    pub banks_per_group: u8,
}

impl BankSet {
    /// One bank: Figure 15.
    pub const ONE_BANK: BankSet = BankSet { groups: 1, banks_per_group: 1 };
    /// All four banks of one bank group: Figure 16.
    pub const ONE_GROUP: BankSet = BankSet { groups: 1, banks_per_group: 4 };
    /// One bank in each of four bank groups: Figure 17.
    pub const FOUR_GROUPS: BankSet = BankSet { groups: 4, banks_per_group: 1 };
    /// All sixteen banks.
    pub const ALL: BankSet = BankSet { groups: 4, banks_per_group: 4 };

    fn at(self, turn: u64) -> BankAddress {
        let groups = u64::from(self.groups.max(1));
        let banks = u64::from(self.banks_per_group.max(1));
        BankAddress { group: (turn % groups) as u8, bank: (turn / groups % banks) as u8 }
    }

    fn count(self) -> u64 {
        u64::from(self.groups.max(1)) * u64::from(self.banks_per_group.max(1))
    }
}

/// Rows in turn over a set of banks, `cell` bytes of each row (Figures 15 to 17: cell size is the
/// bytes transferred after each activation).
///
/// # Errors
/// [`PatternError`] when the configuration or the cell is impossible.
pub fn row_cells(
    hbm: &HbmConfig,
    controller: &ControllerConfig,
    banks: BankSet,
    direction: Direction,
    cell: Bytes,
    rows: u64,
) -> Result<PatternOutcome, PatternError> {
    run(hbm, controller, row_cell_requests(hbm, banks, direction, cell, rows))
}

/// The requests of [`row_cells`].
pub fn row_cell_requests(
    hbm: &HbmConfig,
    banks: BankSet,
    direction: Direction,
    cell: Bytes,
    rows: u64,
) -> impl Iterator<Item = Request> + use<> {
    let (access, in_a_bank) = (hbm.geometry.access_bytes, u64::from(hbm.geometry.rows.max(1)));
    let columns = cell.div_ceil(access).min(u64::from(u16::MAX)) as u16;
    (0..rows).map(move |turn| {
        let row = (turn / banks.count() % in_a_bank) as u32;
        Request::new(turn, direction, banks.at(turn), row, columns, access)
    })
}

/// One-access reads and writes in turn, in an open row, strictly in order (Appendix A: ping-pong).
///
/// # Errors
/// [`PatternError`] when the configuration is impossible.
pub fn ping_pong(hbm: &HbmConfig, accesses: u64) -> Result<PatternOutcome, PatternError> {
    run(hbm, &ControllerConfig::in_order(0), ping_pong_requests(hbm, accesses))
}

/// One-access reads or writes in an open row, strictly in order: what ping-pong is compared with.
///
/// # Errors
/// [`PatternError`] when the configuration is impossible.
pub fn continuous(
    hbm: &HbmConfig,
    direction: Direction,
    accesses: u64,
) -> Result<PatternOutcome, PatternError> {
    run(hbm, &ControllerConfig::in_order(0), continuous_requests(hbm, direction, accesses))
}

/// The requests of [`ping_pong`].
pub fn ping_pong_requests(hbm: &HbmConfig, accesses: u64) -> impl Iterator<Item = Request> + use<> {
    let in_turn = |turn| if turn % 2 == 0 { Direction::Read } else { Direction::Write };
    one_row(hbm, accesses, in_turn)
}

/// The requests of [`continuous`].
pub fn continuous_requests(
    hbm: &HbmConfig,
    direction: Direction,
    accesses: u64,
) -> impl Iterator<Item = Request> + use<> {
    one_row(hbm, accesses, move |_| direction)
}

fn one_row<F: Fn(u64) -> Direction>(
    hbm: &HbmConfig,
    accesses: u64,
    direction: F,
) -> impl Iterator<Item = Request> + use<F> {
    let (columns, access) = (hbm.geometry.columns().max(1), hbm.geometry.access_bytes);
    (0..accesses).map(move |turn| Request {
        column: (turn % columns) as u16,
        ..Request::new(turn, direction(turn), BankAddress::default(), 0, 1, access)
    })
}

/// A row of Table 2: how 1 MB lies in the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessLayout {
    /// Over all pseudo channels and bank groups, whole rows: 2.64 µs in the paper.
    Best,
    /// In one bank of one pseudo channel, one access a row: 1.54 ms (the table prints µs; the text
    /// and its factor of 583 say ms).
    Worst,
    /// Over all pseudo channels but in one bank of each, a row for every 2 KB packet: 24 µs.
    PacketWorst,
}

/// Reads 1 MB laid out as in Table 2; the outcome is that of one of the pseudo channels in use.
///
/// # Errors
/// [`PatternError`] when the configuration is impossible.
pub fn table2(
    hbm: &HbmConfig,
    controller: &ControllerConfig,
    layout: AccessLayout,
) -> Result<PatternOutcome, PatternError> {
    let megabyte = Bytes::new(1 << 20);
    let channels = u64::from(hbm.geometry.pseudo_channels);
    let (banks, cell, rows) = match layout {
        AccessLayout::Best => {
            let cell = hbm.geometry.row_bytes;
            (BankSet::ALL, cell, megabyte.div_ceil(cell * channels))
        }
        AccessLayout::Worst => {
            let cell = hbm.geometry.access_bytes;
            (BankSet::ONE_BANK, cell, megabyte.div_ceil(cell))
        }
        AccessLayout::PacketWorst => {
            let packet = Bytes::new(2048);
            (BankSet::ONE_BANK, Bytes::new(packet.get() / channels), megabyte.div_ceil(packet))
        }
    };
    row_cells(hbm, controller, banks, Direction::Read, cell, rows)
}
