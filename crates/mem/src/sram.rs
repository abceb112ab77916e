//! An SRAM port that moves one cell at a time, with fixed-priority arbitration.
//!
//! On-chip buffers have a write port (arrivals) and a read port (departures). Their own traffic,
//! the *foreground*, always goes first; a *background* transfer (a swap between SRAM and HBM, or
//! the expulsion of packets) takes only the cell slots that the foreground leaves, is interrupted
//! between two cells and resumes where it stopped. That is the fixed-priority arbiter of Occamy
//! (EuroSys '25, §4.3): expulsion uses redundant memory bandwidth only. A cell once begun is
//! finished, so foreground waits for background at most one cell time.
//!
//! Every method is O(1) in time; no cell is simulated.

use core::fmt;

use forebay_units::{Duration, Time};

/// One port: foreground first-come first-served, and at most one background transfer in its gaps.
///
/// Calls come with a `now` that never decreases; an earlier `now` counts as the latest one seen.
#[derive(Clone, Debug)]
pub struct SramPort {
    cell_time: Duration,
    now: Time,
    /// When the cells that are certain (foreground accepted, background cell begun) are all
    /// through.
    free_at: Time,
    background: Option<Background>,
    foreground_cells: u64,
    background_cells: u64,
}

#[derive(Clone, Copy, Debug)]
struct Background {
    /// Cells not yet certain, moved one after the other from `from` unless foreground comes.
    remaining: u64,
    from: Time,
    moved: u64,
}

/// A background transfer was begun while another was under way on the same port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackgroundBusy;

impl fmt::Display for BackgroundBusy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "SRAM port: a background transfer is under way; finish or abort it before the next"
        )
    }
}

impl core::error::Error for BackgroundBusy {}

/// What a port has moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SramCounters {
    /// Foreground cells accepted (some may still be waiting for their slot).
    pub foreground_cells: u64,
    /// Background cells whose move has ended or begun.
    pub background_cells: u64,
    /// Time that these cells take.
    pub busy: Duration,
}

impl SramPort {
    /// An idle port that moves a cell in `cell_time`.
    #[must_use]
    pub const fn new(cell_time: Duration) -> Self {
        SramPort {
            cell_time,
            now: Time::ZERO,
            free_at: Time::ZERO,
            background: None,
            foreground_cells: 0,
            background_cells: 0,
        }
    }

    /// The time of one cell.
    #[must_use]
    pub const fn cell_time(&self) -> Duration {
        self.cell_time
    }

    /// Moves `cells` after the foreground already accepted and the background cell that is under
    /// way, if one is; returns when the last of them is through. Background yields from `now` on.
    pub fn foreground(&mut self, now: Time, cells: u64) -> Time {
        self.advance(now);
        self.commit_begun_cell();
        self.free_at = self.free_at.max(self.now) + self.cell_time * cells;
        self.foreground_cells += cells;
        if let Some(background) = &mut self.background
            && background.remaining > 0
        {
            background.from = self.free_at;
        }
        self.free_at
    }

    /// When a foreground transfer offered at `now` would begin.
    #[must_use]
    pub fn foreground_start(&self, now: Time) -> Time {
        let mut probe = self.clone();
        probe.advance(now);
        probe.commit_begun_cell();
        probe.free_at.max(probe.now)
    }

    /// Starts a background transfer of `cells` in the gaps of the foreground.
    ///
    /// # Errors
    /// [`BackgroundBusy`] until the one before was finished or aborted.
    pub fn begin_background(&mut self, now: Time, cells: u64) -> Result<(), BackgroundBusy> {
        self.advance(now);
        if self.background.is_some() {
            return Err(BackgroundBusy);
        }
        let from = if cells == 0 { self.now } else { self.free_at.max(self.now) };
        self.background = Some(Background { remaining: cells, from, moved: 0 });
        Ok(())
    }

    /// When the background transfer ends if no more foreground comes; foreground moves it later,
    /// never earlier. `None` without a background transfer.
    #[must_use]
    pub fn background_due(&self) -> Option<Time> {
        self.background.map(|b| b.from + self.cell_time * b.remaining)
    }

    /// Whether the background transfer has ended by `now`; if so the port is ready for the next
    /// one.
    pub fn finish_background(&mut self, now: Time) -> bool {
        self.advance(now);
        let done = self.background_due().is_some_and(|due| due <= self.now);
        if done {
            self.background = None;
        }
        done
    }

    /// Ends the background transfer early; returns how many of its cells were moved, the one under
    /// way (which is finished) included. Zero without a background transfer.
    pub fn abort_background(&mut self, now: Time) -> u64 {
        self.advance(now);
        self.commit_begun_cell();
        self.background.take().map_or(0, |b| b.moved)
    }

    /// Whether a background transfer is under way.
    #[must_use]
    pub const fn has_background(&self) -> bool {
        self.background.is_some()
    }

    /// Totals up to `now`.
    #[must_use]
    pub fn counters(&self, now: Time) -> SramCounters {
        let mut probe = self.clone();
        probe.advance(now);
        probe.commit_begun_cell();
        let cells = probe.foreground_cells + probe.background_cells;
        SramCounters {
            foreground_cells: probe.foreground_cells,
            background_cells: probe.background_cells,
            busy: self.cell_time * cells,
        }
    }

    /// Accounts for the background cells that are through by `now`.
    fn advance(&mut self, now: Time) {
        self.now = self.now.max(now);
        if let Some(background) = &self.background {
            let elapsed = self.now.since(background.from).as_ps();
            let whole = elapsed.checked_div(self.cell_time.as_ps()).unwrap_or(u64::MAX);
            self.move_background(whole);
        }
    }

    /// The background cell that is part way at `now` cannot be taken back.
    fn commit_begun_cell(&mut self) {
        if self.background.is_some_and(|b| b.remaining > 0 && b.from < self.now) {
            self.move_background(1);
        }
    }

    fn move_background(&mut self, cells: u64) {
        if let Some(background) = &mut self.background {
            let cells = cells.min(background.remaining);
            if cells == 0 {
                return;
            }
            background.remaining -= cells;
            background.moved += cells;
            background.from += self.cell_time * cells;
            self.background_cells += cells;
            self.free_at = self.free_at.max(background.from);
        }
    }
}
