//! How long to sleep, and what may wake.
//!
//! To be woken costs as much as to pass a small frame on, and takes the processor from whoever
//! sends. So wherever frames come or leave densely, several are handled at once, as network cards
//! do (interrupt moderation, `ethtool -C`):
//!
//! - Frames that come are found at the end of a pause, or when something is due. The kernel has
//!   stamped them, so what is decided about them and when they should leave are the same. A frame
//!   leaves later only if it should leave before the pause is over. So a pause is as long as frames
//!   may be late, or half the least time that they take, if that is longer: then none is late.
//! - Frames that leave soon after others wait for as long as they may be late.
//!
//! Where frames leave seldom, they leave on time: whoever sleeps for long is woken a little early,
//! since a timer may be as late as [`EARLY`], and watches the clock for the rest.

use forebay_units::{Duration, Time};

/// How early to be woken, and from which time of sleep on: it takes 3 % of a processor at most.
const EARLY: Duration = Duration::from_us(60);
const LONG: Duration = Duration::from_ms(2);

/// What was found when it was looked for frames.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Found {
    pub(super) frames: usize,
    /// Whether others wait.
    pub(super) are_more: bool,
}

/// What is due next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Due {
    pub(super) at: Time,
    /// Whether it has waited for others already.
    pub(super) has_waited: bool,
}

/// How to sleep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sleep {
    /// For how long, if not until something comes.
    pub(super) span: Option<Duration>,
    /// Whether frames that come wake.
    pub(super) frames_wake: bool,
    /// Until when to watch the clock afterwards.
    pub(super) watch: Option<Time>,
}

/// How long to sleep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    late: Duration,
    pause: Duration,
    /// When frames were found last, and when some were due.
    found: Time,
    due: Time,
    /// Until when the pause lasts.
    until: Time,
}

impl Waiting {
    /// For frames that may leave `late`, and take no less than `least`, while so many `slots` have
    /// room for what comes: half of them at a million frames a second.
    pub(super) fn new(late: Duration, least: Duration, slots: usize) -> Self {
        let room = Duration::from_us(slots as u64 / 2);
        let pause = late.max((least / 2).min(room));
        Waiting { late, pause, found: Time::ZERO, due: Time::ZERO, until: Time::ZERO }
    }

    /// `next` is due, `found` was found: how to sleep from `now` on.
    pub(super) fn sleep(&mut self, now: Time, found: Found, next: Option<Due>) -> Sleep {
        if found.are_more {
            return Sleep { span: Some(Duration::ZERO), frames_wake: true, watch: None };
        }
        if found.frames > 0 {
            if now.since(self.found) <= self.pause {
                self.until = now + self.pause;
            }
            self.found = now;
        }
        let pause = Some(self.until).filter(|until| *until > now);
        let frames_wake = pause.is_none();
        let Some(next) = next else {
            return Sleep { span: pause.map(|until| until.since(now)), frames_wake, watch: None };
        };
        let waits = !next.has_waited && next.at.since(self.due) <= self.late;
        let due = if waits { self.due + self.late } else { next.at };
        if pause.is_some_and(|until| until < due) {
            return Sleep { span: Some(self.until.since(now)), frames_wake, watch: None };
        }
        let span = due.since(now);
        if span >= LONG {
            return Sleep { span: Some(span - EARLY), frames_wake, watch: Some(due) };
        }
        Sleep { span: Some(span), frames_wake, watch: None }
    }

    /// Something was due at `now`.
    pub(super) fn was_due(&mut self, now: Time) {
        self.due = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(us: u64) -> Time {
        Time::ZERO + Duration::from_us(us)
    }

    fn span(us: u64) -> Option<Duration> {
        Some(Duration::from_us(us))
    }

    fn frames(frames: usize) -> Found {
        Found { frames, are_more: false }
    }

    fn due(at: u64) -> Option<Due> {
        Some(Due { at: us(at), has_waited: false })
    }

    fn card() -> Waiting {
        Waiting::new(Duration::from_us(20), Duration::ZERO, 4096)
    }

    #[test]
    fn only_dense_frames_are_waited_for() {
        let mut waiting = card();
        let awake = Sleep { span: None, frames_wake: true, watch: None };
        for at in [100, 130, 160] {
            assert_eq!(waiting.sleep(us(at), frames(1), None), awake, "each wakes");
        }
        let pause = |us| Sleep { span: span(us), frames_wake: false, watch: None };
        assert_eq!(waiting.sleep(us(170), frames(1), None), pause(20));
        assert_eq!(waiting.sleep(us(180), frames(0), due(185)), pause(5), "something is due");
        assert_eq!(waiting.sleep(us(185), frames(0), due(195)), pause(5), "the pause is over");
        assert_eq!(waiting.sleep(us(190), frames(0), None), awake, "no more of them");
        assert_eq!(waiting.sleep(us(191), frames(1), None), awake);
        let more = Found { frames: 256, are_more: true };
        assert_eq!(waiting.sleep(us(192), more, None).span, span(0), "others wait");
    }

    #[test]
    fn what_leaves_soon_after_others_may_be_late() {
        let mut waiting = card();
        waiting.was_due(us(100));
        let next = |waiting: &mut Waiting, next| waiting.sleep(us(100), frames(0), next).span;
        assert_eq!(next(&mut waiting, due(112)), span(20));
        assert_eq!(next(&mut waiting, due(121)), span(21));
        let waited = Some(Due { at: us(112), has_waited: true });
        assert_eq!(next(&mut waiting, waited), span(12));
        let mut prompt = Waiting::new(Duration::ZERO, Duration::ZERO, 4096);
        prompt.was_due(us(100));
        assert_eq!(next(&mut prompt, due(112)), span(12));
    }

    #[test]
    fn what_leaves_seldom_is_on_time() {
        let sleep = card().sleep(us(100), frames(1), due(5_100));
        let expected = Sleep { span: span(4_940), frames_wake: true, watch: Some(us(5_100)) };
        assert_eq!(sleep, expected);
    }

    #[test]
    fn a_pause_makes_no_frame_late_that_takes_long() {
        let pause = |late, least, slots| Waiting::new(late, least, slots).pause;
        let (none, us) = (Duration::ZERO, Duration::from_us);
        assert_eq!(pause(none, none, 4096), none);
        assert_eq!(pause(none, us(30), 4096), us(15));
        assert_eq!(pause(us(20), us(30), 4096), us(20));
        assert_eq!(pause(us(20), us(25_000), 4096), us(2_048));
        assert_eq!(pause(us(20), us(25_000), 64), us(32));
        let mut off = Waiting::new(none, none, 4096);
        let wake = [9, 9].map(|count| off.sleep(Time::ZERO, frames(count), None).frames_wake);
        assert_eq!(wake, [true, true]);
    }
}
