//! What is sent next: data given up by the timer, holes, new data; and whether the window has room.

use forebay_units::Time;

use super::{Phase, Sender, Timed};
use crate::transport::congestion::{CongestionControl, EcnEcho};
use crate::transport::segment::Segment;
use forebay_switch::Ecn;

impl<C: CongestionControl> Sender<C> {
    /// The next segment that may be sent at `now`, if any.
    pub fn poll(&mut self, now: Time) -> Option<Segment> {
        self.held = now < self.paced_until;
        if self.held {
            return None;
        }
        if let Some((start, stop)) = self.take_probe() {
            return Some(self.emit(now, start, stop));
        }
        let (start, stop) = match self.phase {
            Phase::Connecting => return self.ask(now),
            Phase::SackRecovery => self.take_by_pipe()?,
            Phase::Open | Phase::FastRecovery | Phase::AfterTimeout => match self.resend_first {
                true => self.take_first(),
                false => self.next_by_window()?,
            },
        };
        Some(self.emit(now, start, stop))
    }

    /// The segment at the cumulative point, as fast retransmit sends it.
    fn take_first(&mut self) -> (u64, u64) {
        self.resend_first = false;
        (self.una, self.high.min(self.una.saturating_add(self.mss())))
    }

    /// The next segment in order, if the window has room for it.
    fn next_by_window(&self) -> Option<(u64, u64)> {
        let (start, limit) = self.next_unsent();
        let stop = limit.min(start.saturating_add(self.mss()));
        let limited = self.phase == Phase::Open && !self.config.limited_transmit;
        // Without limited transmit, SACKed data makes no room before the recovery.
        let flight = if limited { self.next - self.una } else { self.occupied() };
        let fits = flight.saturating_add(stop - start) <= self.allowance();
        (start < stop && fits && self.receiver_takes(stop)).then_some((start, stop))
    }

    /// What comes next in order: data given up by the timer and not SACKed, then new data.
    fn next_unsent(&self) -> (u64, u64) {
        if self.next < self.high {
            match &self.scoreboard {
                None => return (self.next, self.high),
                Some(board) => {
                    if let Some(gap) = board.gap(self.next, self.high) {
                        return (gap.start, gap.end);
                    }
                }
            }
        }
        (self.high, self.end)
    }

    pub(super) fn receiver_takes(&self, stop: u64) -> bool {
        stop - self.una <= self.config.receive_window.get()
    }

    /// Bytes in the network, as far as the sender can tell.
    pub(super) fn occupied(&self) -> u64 {
        let sent = self.next - self.una;
        match &self.scoreboard {
            None => sent,
            Some(board) if self.phase == Phase::SackRecovery => board.pipe(),
            Some(board) => sent - board.sacked_below(self.next),
        }
    }

    /// The window, plus what limited transmit adds: a segment for each duplicate before the last,
    /// which ends the phase. With SACK it adds nothing: the SACKed segments no longer occupy the
    /// window (RFC 6675, §5, step 3).
    fn allowance(&self) -> u64 {
        let cwnd = self.room();
        let extra = self.phase == Phase::Open && self.config.limited_transmit && !self.config.sack;
        let segments = if extra { u64::from(self.duplicates) } else { 0 };
        cwnd.saturating_add(segments * self.mss())
    }

    /// The window, but at least a segment: a smaller window is kept by pacing.
    fn room(&self) -> u64 {
        self.window.cwnd.max(self.window.mss).get()
    }

    /// NextSeg() of RFC 6675, if the pipe has room; the first segment of a recovery is sent in any
    /// case.
    fn take_by_pipe(&mut self) -> Option<(u64, u64)> {
        let (mss, una, high) = (self.mss(), self.una, self.high);
        let first = core::mem::take(&mut self.resend_first);
        let new_stop = self.end.min(high.saturating_add(mss));
        let new = (new_stop > high && self.receiver_takes(new_stop)).then_some((high, new_stop));
        let room = self.room();
        let board = self.scoreboard.as_deref_mut()?;
        if !first && board.pipe().saturating_add(mss) > room {
            return None;
        }
        let lost = if first { board.take_unsacked(mss) } else { board.take_lost(mss) };
        let chosen = lost.map(|r| (r.start, r.end)).or(new).or_else(|| {
            let piece = board.take_unsacked(mss).or_else(|| board.take_rescue(una, high, mss));
            piece.map(|r| (r.start, r.end))
        })?;
        board.add_to_pipe(chosen.1 - chosen.0);
        Some(chosen)
    }

    /// Sends `start..stop`.
    fn emit(&mut self, now: Time, start: u64, stop: u64) -> Segment {
        let resent = start < self.high;
        self.counters.segments += 1;
        self.counters.resent += u32::from(resent);
        if resent {
            self.timed = None;
        } else if self.timed.is_none() && !self.config.timestamps {
            self.timed = Some(Timed::new(stop, now));
        }
        if self.phase == Phase::Open && self.duplicates > 0 && stop - self.una > self.cwnd() {
            self.limited = self.limited.saturating_add((stop - start) as u32);
        }
        if start >= self.next {
            self.next = stop;
            self.high = self.high.max(stop);
        }
        if self.deadline == Time::MAX {
            self.arm_timer(now);
        }
        if !resent {
            self.wait_for_end(now);
        }
        self.pace(now, stop - start);
        let exact = self.control.ecn_echo() == EcnEcho::Exact;
        let capable = self.config.ecn && (exact || !resent);
        Segment {
            seq: start,
            sent_at: now,
            len: (stop - start) as u32,
            ecn: if capable { Ecn::Capable } else { Ecn::NotCapable },
            cwr: !resent && core::mem::take(&mut self.cwr_due),
            fin: stop == self.end,
            resent,
        }
    }
}
