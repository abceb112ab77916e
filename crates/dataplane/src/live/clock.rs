//! The time since a link began, what the kernel's stamps mean in it, and being woken in time.

use std::num::NonZeroU64;

use forebay_units::{Duration, Time};
use rustix::time::{ClockId, clock_gettime};
use thread_priority::unix::{
    RealtimeThreadSchedulePolicy, ThreadSchedulePolicy, set_thread_priority_and_policy,
    thread_native_id,
};
use thread_priority::{ThreadPriority, ThreadPriorityValue};

const SECOND: i128 = 1_000_000_000;

/// A clock that was started.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// In nanoseconds of the monotonic clock.
    start: i128,
}

/// How far the wall clock is before a [`Clock`]'s time, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offset(i128);

/// When the kernel says that a frame came, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stamp {
    /// Of the wall clock, since the epoch.
    Wall(i128),
    /// Of the monotonic clock.
    Monotonic(i128),
}

impl Clock {
    pub(super) fn start() -> Self {
        Clock { start: read(ClockId::Monotonic) }
    }

    pub(super) fn now(&self) -> Time {
        time(read(ClockId::Monotonic) - self.start)
    }

    /// The instant of a stamp by the monotonic clock.
    pub(super) fn instant(&self, nanoseconds: i128) -> Time {
        time(nanoseconds - self.start)
    }

    /// What the wall clock reads at instant 0, now that someone may have set it.
    pub(super) fn offset(&self) -> Offset {
        Offset(read(ClockId::Realtime) - (read(ClockId::Monotonic) - self.start))
    }
}

impl Offset {
    /// The instant of a stamp by the wall clock, but no later than `now`.
    pub(super) fn instant(self, nanoseconds: i128, now: Time) -> Time {
        time(nanoseconds - self.0).min(now)
    }
}

/// Lets this thread be woken in time: before all that is not real-time (SCHED_FIFO), and by timers
/// without slack. Whether the first is permitted.
pub(super) fn wake_in_time() -> bool {
    // The kernel may otherwise delay timers by 50 us to save power.
    let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
    let policy = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo);
    let lowest = ThreadPriorityValue::try_from(1).map(ThreadPriority::Crossplatform);
    lowest.is_ok_and(|lowest| {
        set_thread_priority_and_policy(thread_native_id(), lowest, policy).is_ok()
    })
}

fn read(clock: ClockId) -> i128 {
    let read = clock_gettime(clock);
    i128::from(read.tv_sec) * SECOND + i128::from(read.tv_nsec)
}

fn time(nanoseconds: i128) -> Time {
    Time::ZERO
        + Duration::from_ns(
            u64::try_from(nanoseconds.max(0)).unwrap_or(u64::MAX / 1000).min(u64::MAX / 1000),
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_are_moved_to_the_time_of_the_run() {
        let clock = Clock::start();
        let stamp = read(ClockId::Realtime);
        let (offset, now) = (clock.offset(), clock.now());
        let instant = offset.instant(stamp, now);
        assert!(instant <= now && now.since(instant) < Duration::from_ms(500), "{instant}");
        assert_eq!(offset.instant(0, now), Time::ZERO, "long before");
        assert_eq!(offset.instant(stamp + 3_600 * SECOND, now), now, "somebody set the clock");
    }
}
