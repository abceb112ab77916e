//! How long a run keeps a processor busy: what it costs, whatever else the machine does at the same
//! time.
//!
//! Where a system does not tell a thread's processor time, it is the time that passes. Work that a
//! run gives to threads of its own is not counted.

#[cfg(unix)]
mod clock {
    use rustix::time::{ClockId, clock_gettime};

    /// A moment of this thread's clock.
    pub(crate) struct ThreadTime(f64);

    fn seconds() -> f64 {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
    }

    impl ThreadTime {
        /// Now.
        pub(crate) fn now() -> Self {
            ThreadTime(seconds())
        }

        /// Seconds that this thread has worked since.
        pub(crate) fn elapsed(&self) -> f64 {
            (seconds() - self.0).max(0.0)
        }
    }
}

#[cfg(not(unix))]
mod clock {
    use std::time::Instant;

    /// A moment of the wall clock, in place of the thread's.
    pub(crate) struct ThreadTime(Instant);

    impl ThreadTime {
        /// Now.
        pub(crate) fn now() -> Self {
            ThreadTime(Instant::now())
        }

        /// Seconds since.
        pub(crate) fn elapsed(&self) -> f64 {
            self.0.elapsed().as_secs_f64()
        }
    }
}

pub(super) use clock::ThreadTime;
