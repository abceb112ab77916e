//! Losses found by time instead of by what arrives later: probes for the end of what was sent, and
//! a timer where little arrived beyond a hole.
//!
//! Source: RFC 8985 (RACK-TLP), as Linux has it. If nothing was heard for two round trips, a probe
//! is sent, new data or the last segment again (§7); its answer says whether the segments before it
//! arrived. If a segment beyond a hole arrived, the hole is lost a quarter of the shortest round
//! trip later (§6.2), or as long as [`SenderConfig::reorder_window`] says, without waiting for
//! three.
//!
//! Our choices: send times are not kept for each segment, so the quarter counts from the first
//! answer from beyond the hole. The receiver does not report duplicates (RFC 2883), so the window
//! is not reduced where the probe itself repaired the only loss (§7.4). A lost retransmission is
//! found by the timer, as without. While a single segment is in flight, whose acknowledgement may
//! be delayed, the probe waits for the least timeout longer, as in Linux.
//!
//! [`SenderConfig::reorder_window`]: crate::transport::SenderConfig::reorder_window
//!
//! Constant time. The state is in the scoreboard, which such a flow has from the start; a flow
//! without it pays a comparison per segment and acknowledgement.

use forebay_units::{Duration, Time};

use super::{Phase, Sender};
use crate::transport::congestion::CongestionControl;
use crate::transport::ranges::Range;
use crate::transport::segment::Ack;

/// What the sender's deadline is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Waits {
    /// The retransmission timer.
    #[default]
    Timeout,
    /// A probe is due.
    Probe,
    /// What is still missing is lost.
    Order,
}

/// The state of a flow that finds losses by time.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::transport) struct ByTime {
    waits: Waits,
    /// When the retransmission timer expires.
    timeout: Time,
    /// A probe that must be sent now.
    probe_due: bool,
    /// A probe that has not been answered.
    probe: Option<Range>,
    /// The shortest round trip so far; none yet if it is zero.
    least: Duration,
}

/// Before a round trip is measured (RFC 8985, §7.2).
const FIRST: Duration = Duration::from_ms(1000);

impl<C: CongestionControl> Sender<C> {
    fn by_time(&mut self) -> Option<&mut ByTime> {
        let board = self.scoreboard.as_deref_mut().filter(|_| self.config.loss_by_time)?;
        Some(&mut board.by_time)
    }

    /// Whether losses are found by time as well.
    #[cfg(test)]
    pub(in crate::transport) fn finds_by_time(&self) -> bool {
        self.config.loss_by_time
    }

    /// The retransmission timer begins anew, and nothing else is waited for.
    pub(super) fn timer_armed(&mut self) {
        let timeout = self.deadline;
        if let Some(by_time) = self.by_time() {
            (by_time.timeout, by_time.waits) = (timeout, Waits::Timeout);
        }
    }

    /// New data was sent, or all that is known arrived in order: a probe is due if nothing comes.
    #[inline]
    pub(super) fn wait_for_end(&mut self, now: Time) {
        if self.config.loss_by_time {
            self.expect_end(now);
        }
    }

    fn expect_end(&mut self, now: Time) {
        let (least, flight) = (self.config.rto.min, self.high - self.una);
        let wait = match self.rtt.smoothed() {
            Some(srtt) if flight > self.mss() => srtt * 2,
            Some(srtt) => srtt * 2 + least,
            None => FIRST,
        };
        let is_quiet = self.phase == Phase::Open
            && flight > 0
            && self.scoreboard.as_ref().is_some_and(|board| board.is_empty());
        let Some(by_time) = self.by_time() else { return };
        if is_quiet && by_time.probe.is_none() && !by_time.probe_due {
            let at = now + wait;
            let waits = if at < by_time.timeout { Waits::Probe } else { Waits::Timeout };
            by_time.waits = waits;
            self.deadline = at.min(by_time.timeout);
        }
    }

    /// After an acknowledgement: whether a probe was answered, and what is waited for now.
    #[inline]
    pub(super) fn look_at_time(&mut self, now: Time, ack: &Ack, round_trip: Option<Duration>) {
        if self.config.loss_by_time {
            self.time_heard(now, ack, round_trip);
        }
    }

    fn time_heard(&mut self, now: Time, ack: &Ack, round_trip: Option<Duration>) {
        let una = self.una;
        let Some(board) = self.scoreboard.as_deref_mut() else { return };
        if let Some(measured) = round_trip {
            let least = &mut board.by_time.least;
            *least = if *least == Duration::ZERO { measured } else { measured.min(*least) };
        }
        if let Some(probe) = board.by_time.probe {
            if ack.cumulative >= probe.end {
                board.by_time.probe = None;
            } else if board.has(probe) {
                // All below was sent a probe's wait before it.
                board.by_time.probe = None;
                board.lose_below(una, probe.start);
            }
        }
        if self.phase != Phase::Open || una == self.high {
            return;
        }
        if board.is_empty() {
            self.wait_for_end(now);
        } else if board.is_lost(una) {
            self.enter_recovery(now);
        } else if board.by_time.waits != Waits::Order {
            board.by_time.waits = Waits::Order;
            let window = self.config.reorder_window.unwrap_or(board.by_time.least / 4);
            self.deadline = (now + window).min(board.by_time.timeout);
        }
    }

    /// The deadline has come; whether it was another than the retransmission timer's.
    pub(super) fn is_early(&mut self, now: Time) -> bool {
        let rto = self.rtt.rto(&self.config.rto);
        let una = self.una;
        let Some(by_time) = self.by_time() else { return false };
        match core::mem::take(&mut by_time.waits) {
            Waits::Timeout => {
                by_time.probe = None;
                return false;
            }
            Waits::Probe => {
                by_time.probe_due = true;
                by_time.timeout = now + rto;
                self.deadline = by_time.timeout;
            }
            Waits::Order => {
                self.deadline = by_time.timeout;
                if let Some(board) = self.scoreboard.as_deref_mut() {
                    board.lose_below_arrived(una);
                }
                self.enter_recovery(now);
            }
        }
        true
    }

    /// The probe that is due: new data, or the last segment again; whatever the window.
    #[inline]
    pub(super) fn take_probe(&mut self) -> Option<(u64, u64)> {
        if self.config.loss_by_time { self.probe() } else { None }
    }

    fn probe(&mut self) -> Option<(u64, u64)> {
        let (una, high, mss) = (self.una, self.high, self.mss());
        let new_stop = self.end.min(high.saturating_add(mss));
        let has_new = new_stop > high && self.receiver_takes(new_stop);
        let is_open = self.phase == Phase::Open && una < high;
        let by_time = self.by_time()?;
        if !core::mem::take(&mut by_time.probe_due) || !is_open {
            return None;
        }
        let (start, end) =
            if has_new { (high, new_stop) } else { (high.saturating_sub(mss).max(una), high) };
        by_time.probe = Some(Range { start, end });
        Some((start, end))
    }
}
