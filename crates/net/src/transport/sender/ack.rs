//! How an acknowledgement changes the sender.

use core::mem::take;

use alloc::boxed::Box;
use forebay_units::{Bytes, Duration, Time};

use super::{Phase, Sender};
use crate::transport::congestion::{AckSample, CongestionControl};
use crate::transport::report::PortReport;
use crate::transport::scoreboard::Scoreboard;
use crate::transport::segment::Ack;

impl<C: CongestionControl> Sender<C> {
    /// Processes an acknowledgement that arrived at `now`. One that is old, or covers bytes never
    /// sent, is ignored.
    pub fn on_ack(&mut self, now: Time, ack: &Ack) {
        self.on_ack_with(now, ack, &[]);
    }

    /// Like [`on_ack`](Sender::on_ack), with the telemetry that ports on the data's path recorded
    /// and the receiver returned.
    pub fn on_ack_with(&mut self, now: Time, ack: &Ack, telemetry: &[PortReport]) {
        if ack.cumulative < self.una || ack.cumulative > self.high {
            return;
        }
        if self.phase == Phase::Connecting {
            return self.connect(now, ack);
        }
        let sack_news = self.note_sack(ack);
        let mut round_trip = None;
        if ack.cumulative > self.una {
            round_trip = self.on_new_data(now, ack, telemetry);
        } else if self.una < self.high && (sack_news || !self.config.sack) {
            self.on_duplicate(now);
        }
        self.look_at_time(now, ack, round_trip);
        if ack.ece && self.config.ecn {
            self.on_echo(now);
        }
    }

    /// Records SACK blocks; returns whether they reported new bytes.
    fn note_sack(&mut self, ack: &Ack) -> bool {
        if !self.config.sack || (self.scoreboard.is_none() && !ack.has_sack()) {
            return false;
        }
        let (high, mss, config) = (self.high, self.mss(), &self.config);
        let new = || Box::new(Scoreboard::new(config.max_ranges, config.duplicate_threshold));
        let board = self.scoreboard.get_or_insert_with(new);
        if !ack.has_sack() && board.is_empty() && self.phase != Phase::SackRecovery {
            return false; // No gap now: the common case after a flow's first loss.
        }
        board.update(ack, high, mss)
    }

    /// The cumulative point moved; the round trip that this measured, if any.
    fn on_new_data(&mut self, now: Time, ack: &Ack, telemetry: &[PortReport]) -> Option<Duration> {
        let acked = ack.cumulative - self.una;
        let growing = matches!(self.phase, Phase::Open | Phase::AfterTimeout);
        let rtt = self.measure(now, ack);
        self.una = ack.cumulative;
        self.next = self.next.max(self.una);
        self.last_advance = u32::try_from(acked).unwrap_or(u32::MAX);
        self.first_timed_out = false;

        let restart_timer = self.move_phase(acked);
        let ece = ack.ece && self.config.ecn;
        let sample = AckSample {
            now,
            acked: Bytes::new(acked),
            una: self.una,
            sent: self.high,
            rtt,
            smoothed_rtt: self.rtt.smoothed(),
            ece,
            grow: growing && !ece,
            telemetry,
        };
        self.control.on_ack(&mut self.window, &sample);
        if self.una == self.high {
            self.deadline = Time::MAX;
        } else if restart_timer {
            self.arm_timer(now);
        }
        rtt
    }

    /// The phase after `acked` new bytes; returns whether the timer restarts.
    fn move_phase(&mut self, acked: u64) -> bool {
        let recovered = self.una >= self.recover;
        match self.phase {
            Phase::Open => self.forget_duplicates(),
            Phase::AfterTimeout => {
                self.forget_duplicates();
                // At `recover` itself duplicates are still ambiguous without SACK: see
                // `on_duplicate`.
                if self.una > self.recover || (recovered && self.config.sack) {
                    self.phase = Phase::Open;
                }
            }
            Phase::FastRecovery if recovered => self.leave_fast_recovery(),
            Phase::FastRecovery => return self.on_partial(acked),
            Phase::SackRecovery if recovered => {
                self.window.cwnd = self.window.ssthresh;
                self.leave_recovery();
            }
            Phase::SackRecovery | Phase::Connecting => {}
        }
        true
    }

    /// The round trip that this acknowledgement measures, if any.
    pub(super) fn measure(&mut self, now: Time, ack: &Ack) -> Option<Duration> {
        let sent_at = if self.config.timestamps {
            (ack.echo <= now).then_some(ack.echo)?
        } else {
            let due = self.timed.is_some_and(|timed| ack.cumulative >= timed.end);
            if due { take(&mut self.timed)?.sent_at() } else { return None }
        };
        let rtt = now.since(sent_at);
        self.rtt.sample(rtt);
        Some(rtt)
    }

    pub(super) fn forget_duplicates(&mut self) {
        (self.duplicates, self.limited) = (0, 0);
    }
}
