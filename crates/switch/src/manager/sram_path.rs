//! The SRAM's two ports and the background transfers that queue for what bandwidth is left.

use alloc::collections::VecDeque;

use forebay_mem::SramPort;
use forebay_units::{Duration, Time};

/// One SRAM port: foreground cells at once, background transfers one after another.
#[derive(Clone, Debug)]
pub(crate) struct SramPath {
    port: SramPort,
    /// Transfers (transaction, cells); the front one has the port's background.
    background: VecDeque<(u32, u32)>,
}

impl SramPath {
    pub(crate) fn new(cell_time: Duration, transfers: usize) -> Self {
        SramPath { port: SramPort::new(cell_time), background: VecDeque::with_capacity(transfers) }
    }

    /// An arrival or a departure moves `cells` cells, ahead of everything in the background.
    pub(crate) fn foreground(&mut self, now: Time, cells: u32) {
        self.port.foreground(now, u64::from(cells));
    }

    /// A background transfer of `cells` cells, after those that wait.
    pub(crate) fn begin(&mut self, now: Time, transaction: u32, cells: u32) {
        self.background.push_back((transaction, cells));
        if self.background.len() == 1 {
            self.start_front(now);
        }
    }

    /// When the transfer under way ends if no foreground cell comes between; [`Time::MAX`] if none
    /// is.
    #[inline]
    pub(crate) fn due(&self) -> Time {
        self.port.background_due().unwrap_or(Time::MAX)
    }

    /// Ends the transfer under way if it is complete, and begins the next.
    pub(crate) fn finish(&mut self, now: Time) -> Option<u32> {
        if !self.port.has_background() || !self.port.finish_background(now) {
            return None;
        }
        let (transaction, _) = self.background.pop_front()?;
        self.start_front(now);
        Some(transaction)
    }

    fn start_front(&mut self, now: Time) {
        if let Some((_, cells)) = self.background.front() {
            // The port is idle here: `begin` and `finish` start one transfer at a time.
            let started = self.port.begin_background(now, u64::from(*cells));
            debug_assert!(started.is_ok());
        }
    }
}
