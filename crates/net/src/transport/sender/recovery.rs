//! Losses, marks and timeouts: how they are detected, and the windows they leave.
//!
//! Three choices where the RFCs leave room. A loss always reduces the window, a mark only if
//! nothing else did within the same window of data (RFC 3168, §6.1.2). After a timeout, duplicates
//! at the recovery point count as a loss only by the acknowledgement heuristic of RFC 6582, §4.1;
//! after a fast recovery, which sends nothing twice, they always do. And a timeout inside a
//! recovery uses a flight size of at most the slow-start threshold, since more was sent only
//! because of the inflated window.

use forebay_units::{Bytes, Time};

use super::{Phase, Sender};
use crate::transport::congestion::{Cause, Congestion, CongestionControl};

impl<C: CongestionControl> Sender<C> {
    /// An acknowledgement that advances nothing, while data is outstanding.
    pub(super) fn on_duplicate(&mut self, now: Time) {
        self.duplicates = self.duplicates.saturating_add(1);
        let threshold = self.config.duplicate_threshold;
        match self.phase {
            Phase::Open => {
                let lost = self.scoreboard.as_ref().is_some_and(|board| board.is_lost(self.una));
                if self.duplicates >= threshold || lost {
                    self.enter_recovery(now);
                }
            }
            Phase::AfterTimeout if self.duplicates == threshold => {
                let near = u64::from(self.last_advance) <= 4 * self.mss();
                let fresh = self.una == self.recover && self.cwnd() > self.mss() && near;
                if fresh && !self.config.sack {
                    self.enter_recovery(now);
                }
            }
            Phase::FastRecovery => self.window.cwnd += self.window.mss,
            Phase::AfterTimeout | Phase::SackRecovery | Phase::Connecting => {}
        }
    }

    /// Fast retransmit: RFC 6582, §3.2, steps 2 and 3; RFC 6675, §5, steps 4.1 to 4.4.
    pub(super) fn enter_recovery(&mut self, now: Time) {
        let flight = (self.high - self.una) - u64::from(self.limited).min(self.high - self.una);
        self.reduce(now, Cause::Loss, flight);
        self.counters.recoveries += 1;
        self.recover = self.high;
        (self.resend_first, self.partial_seen) = (true, false);
        let (una, high, mss) = (self.una, self.high, self.mss());
        if let Some(board) = self.scoreboard.as_deref_mut().filter(|_| self.config.sack) {
            board.start_recovery(una, high, mss);
            self.phase = Phase::SackRecovery;
            self.window.cwnd = self.window.ssthresh;
        } else {
            self.phase = Phase::FastRecovery;
            let left = u64::from(self.config.duplicate_threshold);
            self.window.cwnd = self.window.ssthresh + self.window.mss * left;
        }
    }

    /// RFC 6582, §3.2, step 3, partial acknowledgement. Returns whether the timer restarts.
    pub(super) fn on_partial(&mut self, acked: u64) -> bool {
        let (mss, acked) = (self.window.mss, Bytes::new(acked));
        let deflated = self.window.cwnd - acked + if acked >= mss { mss } else { Bytes::ZERO };
        self.window.cwnd = deflated.max(mss);
        self.resend_first = true;
        let first = !core::mem::replace(&mut self.partial_seen, true);
        first || self.config.slow_but_steady
    }

    /// RFC 6582, §3.2, step 3, full acknowledgement, option 1: no burst if little is in flight.
    pub(super) fn leave_fast_recovery(&mut self) {
        let flight = Bytes::new(self.high - self.una);
        self.window.cwnd = self.window.ssthresh.min(flight.max(self.window.mss) + self.window.mss);
        self.leave_recovery();
    }

    pub(super) fn leave_recovery(&mut self) {
        self.phase = Phase::Open;
        self.resend_first = false;
        self.forget_duplicates();
    }

    /// An ECN echo: at most one reduction per window of data.
    pub(super) fn on_echo(&mut self, now: Time) {
        if self.una <= self.reduced_until {
            return;
        }
        self.reduce(now, Cause::Echo, self.high - self.una);
        self.counters.echoes += 1;
        self.window.cwnd = self.window.cwnd.min(self.window.ssthresh);
    }

    /// Sets the threshold, and records that this window of data has had its reduction.
    fn reduce(&mut self, now: Time, cause: Cause, flight: u64) {
        let congestion = Congestion { now, cause, flight: Bytes::new(flight) };
        let threshold = self.control.on_congestion(&self.window, &congestion);
        self.window.ssthresh = threshold.max(self.window.floor());
        self.reduced_until = self.high;
        self.cwr_due = self.config.ecn;
    }

    /// Acts on the timer if it has expired by `now` (RFC 6298, §5.4 to §5.6; RFC 5681, §3.1). Call
    /// [`poll`](Sender::poll) afterwards.
    pub fn on_deadline(&mut self, now: Time) {
        // A sender that shares a link may have to wait for its turn to poll.
        self.held &= now < self.paced_until;
        if self.phase == Phase::Connecting && now >= self.deadline {
            return self.ask_again();
        }
        if now < self.deadline || self.una == self.high || self.is_early(now) {
            return;
        }
        self.counters.timeouts += 1;
        if !core::mem::replace(&mut self.first_timed_out, true) {
            let flight = match self.phase {
                Phase::Open | Phase::Connecting => {
                    (self.high - self.una).saturating_sub(u64::from(self.limited))
                }
                Phase::AfterTimeout => self.occupied(),
                Phase::FastRecovery | Phase::SackRecovery => {
                    (self.high - self.una).min(self.window.ssthresh.get())
                }
            };
            self.reduce(now, Cause::Timeout, flight);
        }
        self.phase = Phase::AfterTimeout;
        self.window.cwnd = self.window.mss;
        (self.recover, self.reduced_until, self.next) = (self.high, self.high, self.una);
        (self.resend_first, self.timed) = (false, None);
        self.forget_duplicates();
        self.rtt.back_off();
        self.arm_timer(now);
    }
}
