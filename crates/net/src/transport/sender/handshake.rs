//! The optional handshake: a segment without payload, answered before data is sent.
//!
//! Sources: RFC 9293 (§3.5; the third segment is sent with the data, and the answer is an
//! acknowledgement of nothing), RFC 6298 (the answer is the first measurement), RFC 5681 (§3.1: an
//! initial window of one segment if the timer expired before). Constant time.

use forebay_units::Time;

use super::{Phase, Sender, Timed};
use crate::transport::congestion::CongestionControl;
use crate::transport::segment::{Ack, Segment};
use forebay_switch::Ecn;

impl<C: CongestionControl> Sender<C> {
    /// The segment that requests an answer, if it is due.
    pub(super) fn ask(&mut self, now: Time) -> Option<Segment> {
        if !core::mem::take(&mut self.resend_first) {
            return None;
        }
        let resent = self.counters.timeouts > 0;
        self.counters.segments += 1;
        self.counters.resent += u32::from(resent);
        if !resent && !self.config.timestamps {
            self.timed = Some(Timed::new(0, now));
        }
        self.arm_timer(now);
        let (ecn, cwr, fin) = (Ecn::NotCapable, false, false);
        Some(Segment { seq: 0, sent_at: now, len: 0, ecn, cwr, fin, resent })
    }

    /// The answer has arrived: data may be sent.
    pub(super) fn connect(&mut self, now: Time, ack: &Ack) {
        self.measure(now, ack);
        if self.counters.timeouts > 0 {
            self.window.cwnd = self.window.mss;
        }
        (self.phase, self.deadline, self.resend_first) = (Phase::Open, Time::MAX, false);
    }

    /// No answer: asks again, each time later.
    pub(super) fn ask_again(&mut self) {
        self.counters.timeouts += 1;
        self.rtt.back_off();
        (self.resend_first, self.timed, self.deadline) = (true, None, Time::MAX);
    }
}
