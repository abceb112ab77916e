//! Interrupt moderation: while frames come densely, looking for them now and then instead of being
//! woken by each.
//!
//! To be woken costs as much as to pass a small frame on, and takes the processor from whoever
//! sends; network cards wait for the same reason (`ethtool -C`). A frame that comes in a pause is
//! found later, but the kernel has stamped it, so what is decided about it and when it should leave
//! are the same. It leaves later only if it should leave before the pause is over. So a pause is as
//! long as frames may leave late, or half the least time that they take, if that is longer: then
//! none is late. Pauses end early for what is due.

use forebay_units::{Duration, Time};

/// No pause is longer, unless frames may be as late: a ring has room for what comes in it.
const LONGEST: Duration = Duration::from_us(100);

/// What was found when it was looked for frames.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Found {
    pub(super) frames: usize,
    /// Whether others wait.
    pub(super) are_more: bool,
}

/// When not to be woken by frames.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moderation {
    pause: Duration,
    /// When frames were found last.
    found: Time,
    until: Time,
}

impl Moderation {
    /// For frames that may leave `late`, and take no less than `least`.
    pub(super) fn new(late: Duration, least: Duration) -> Self {
        let pause = late.max((least / 2).min(LONGEST));
        Moderation { pause, found: Time::ZERO, until: Time::ZERO }
    }

    /// So many frames have been found by `now`. Until when no other is to wake whoever sleeps from
    /// now on; `None` if each is.
    pub(super) fn pause(&mut self, now: Time, found: Found) -> Option<Time> {
        if found.frames > 0 {
            if now.since(self.found) <= self.pause {
                self.until = now + self.pause;
            }
            self.found = now;
        }
        (self.until > now && !found.are_more).then_some(self.until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(us: u64) -> Time {
        Time::ZERO + Duration::from_us(us)
    }

    fn frames(frames: usize) -> Found {
        Found { frames, are_more: false }
    }

    #[test]
    fn only_dense_frames_are_waited_for() {
        let mut moderation = Moderation::new(Duration::from_us(20), Duration::ZERO);
        for at in [100, 130, 160] {
            assert_eq!(moderation.pause(us(at), frames(1)), None, "each wakes");
        }
        assert_eq!(moderation.pause(us(170), frames(1)), Some(us(190)));
        assert_eq!(moderation.pause(us(180), frames(0)), Some(us(190)), "woken for a departure");
        assert_eq!(moderation.pause(us(190), frames(0)), None, "no more of them");
        assert_eq!(moderation.pause(us(191), frames(1)), None);
        let more = Found { frames: 256, are_more: true };
        assert_eq!(moderation.pause(us(192), more), None, "nobody sleeps while others wait");
    }

    #[test]
    fn a_pause_makes_no_frame_late_that_takes_long() {
        let pause = |late, least| Moderation::new(late, least).pause;
        let (none, us) = (Duration::ZERO, Duration::from_us);
        assert_eq!(pause(none, none), none);
        assert_eq!(pause(none, us(30)), us(15));
        assert_eq!(pause(us(20), us(30)), us(20));
        assert_eq!(pause(us(20), us(25_000)), LONGEST);
        let mut off = Moderation::new(none, none);
        let pauses = [9, 9].map(|count| off.pause(Time::ZERO, frames(count)));
        assert_eq!(pauses, [None, None]);
    }
}
