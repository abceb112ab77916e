//! What is known of a fetch under way: who leads, how many wait, and since when.
//!
//! Pingora wakes waiters itself (`LockCore`, a semaphore: no poll) and lets them look again, so a
//! waiter comes back without a name. A flight therefore counts: whoever waits when the leader ends
//! is *owed* a look, and the next so many that come for the key are taken to be those, not new
//! requests. Their total is exact; which of them had come first is not known, nor needed, since the
//! aggregate delay (thesis Eq. 2.13) is a sum: `n · end − Σ since`.
//!
//! Open in the paper, chosen here: a fetch ends with the last byte of its body, though waiters read
//! it from the first on; a fetch whose leader was replaced is timed anew from the new leader on; a
//! waiter that gave up after its timeout counts as if it had waited to the end, since Pingora does
//! not say when it left.

use std::sync::Arc;

use forebay_cache::policies::LastRequest;
use pingora_cache::lock::{LockCore, LockStatus};

use crate::clock::Nanos;
use crate::fetches::Fetch;

/// Which flight a permit or a body belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FlightId(pub(crate) u64);

/// What others waited for data that arrives now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waits {
    pub(crate) waiters: u32,
    pub(crate) delay: Nanos,
}

pub(crate) struct Flight {
    pub(crate) id: FlightId,
    /// What its leader asks.
    pub(crate) fetch: Arc<Fetch>,
    /// Where waiters wait, as long as someone leads and has not begun to write.
    pub(crate) core: Option<Arc<LockCore>>,
    /// When the leader began.
    pub(crate) began: Nanos,
    pub(crate) last: LastRequest,
    /// Whether it renews what is cached: then waiters may be served what is stale, so that nobody
    /// knows who waits.
    pub(crate) stale: bool,
    /// Whether a body is being written.
    pub(crate) writing: bool,
    waiters: u32,
    since: u128,
    /// How many are to come back.
    owed: u32,
}

impl Flight {
    pub(crate) fn led(
        id: FlightId,
        fetch: Arc<Fetch>,
        core: Arc<LockCore>,
        last: LastRequest,
        now: Nanos,
    ) -> Self {
        let stale = core.stale_writer();
        Flight {
            id,
            fetch,
            core: Some(core),
            began: now,
            last,
            stale,
            writing: false,
            waiters: 0,
            since: 0,
            owed: 0,
        }
    }

    /// Whether somebody leads who is neither gone nor too slow, to an answer that was not removed.
    pub(crate) fn is_led(&self) -> bool {
        !self.fetch.is_removed()
            && self.core.as_ref().is_some_and(|core| {
                core.lock_status() == LockStatus::Waiting
                    && core.lock_start.elapsed() < core.age_timeout
            })
    }

    /// Whether its leader is gone without a word.
    pub(crate) fn is_left(&self) -> bool {
        let dangles = |core: &Arc<LockCore>| core.lock_status() == LockStatus::Dangling;
        self.is_forgotten() || self.core.as_ref().is_some_and(dangles)
    }

    /// Whether leader and waiters are gone: nobody else has the lock.
    pub(crate) fn is_forgotten(&self) -> bool {
        self.core.as_ref().is_some_and(|core| Arc::strong_count(core) == 1)
    }

    pub(crate) fn waiters(&self) -> u32 {
        self.waiters
    }

    /// How many are still to come back.
    pub(crate) fn owed(&self) -> u32 {
        self.owed
    }

    /// A request waits from `now` on; whether it is a new one.
    pub(crate) fn join(&mut self, now: Nanos) -> bool {
        if self.returns() {
            return false;
        }
        self.waiters = self.waiters.saturating_add(1);
        self.since += u128::from(now.0);
        true
    }

    /// Whether a request that comes now is one that is owed a look.
    pub(crate) fn returns(&mut self) -> bool {
        let owed = self.owed > 0;
        self.owed -= u32::from(owed);
        owed
    }

    /// The leader has ended, or has begun to write: all waiters come back.
    pub(crate) fn wake(&mut self) {
        self.core = None;
        self.owed = self.waiters;
    }

    /// A request leads from `now` on in the place of a leader that failed or was too slow, or whose
    /// answer was removed. If it had waited, it waits no longer: its part is taken to be the mean.
    /// Whether it is a new one.
    pub(crate) fn lead_again(
        &mut self,
        id: FlightId,
        fetch: Arc<Fetch>,
        core: Arc<LockCore>,
        now: Nanos,
    ) -> bool {
        let removed = self.fetch.is_removed();
        if self.writing {
            // Who has come back has read what was written.
            self.keep(self.owed);
        }
        let all_wait = self.owed == 0 && self.core.is_some();
        if all_wait && !removed {
            // Too slow: its waiters leave one by one, this one first.
            self.owed = self.waiters;
        }
        let returns = self.returns();
        if returns {
            self.keep(self.waiters.saturating_sub(1));
        }
        if all_wait && removed {
            // They come back when the leader before has ended.
            self.owed = self.waiters;
        }
        self.stale = core.stale_writer();
        (self.id, self.fetch, self.core) = (id, fetch, Some(core));
        (self.began, self.writing) = (now, false);
        removed && !returns
    }

    /// So many wait on; the parts of those who do not are taken to be the mean.
    fn keep(&mut self, waiters: u32) {
        let each = self.since / u128::from(self.waiters.max(1));
        self.since -= each * u128::from(self.waiters.saturating_sub(waiters));
        self.waiters = self.waiters.min(waiters);
    }

    /// How long all have waited by `now`, the leader included.
    pub(crate) fn land(&self, now: Nanos) -> Waits {
        let own = u128::from(now.since(self.began).0);
        let all = u128::from(self.waiters) * u128::from(now.0);
        let delay = all.saturating_sub(self.since).saturating_add(own);
        Waits {
            waiters: self.waiters.saturating_add(1),
            delay: Nanos(u64::try_from(delay).unwrap_or(u64::MAX)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fetches::Fetches;
    use std::time::Duration;

    fn core(timeout: Duration) -> Arc<LockCore> {
        LockCore::new_arc(timeout, false, http::Extensions::new())
    }

    fn fetch() -> Arc<Fetch> {
        Fetches::default().begin(1, 1)
    }

    fn flight(now: u64) -> Flight {
        let last = LastRequest::miss(Nanos(now).policy_time(), 1);
        Flight::led(FlightId(1), fetch(), core(Duration::from_secs(9)), last, Nanos(now))
    }

    #[test]
    fn the_aggregate_delay_is_that_of_the_miss_and_its_delayed_hits() {
        // Z = 10 from 100 on; requests at 104 and 109: 10 + 6 + 1.
        let mut flight = flight(100);
        assert!(flight.join(Nanos(104)) && flight.join(Nanos(109)));
        assert_eq!(flight.land(Nanos(110)), Waits { waiters: 3, delay: Nanos(17) });
    }

    #[test]
    fn who_comes_back_is_not_counted_twice() {
        let mut flight = flight(0);
        for at in [1, 2, 3] {
            assert!(flight.join(Nanos(at)));
        }
        flight.wake();
        // Three come back, the fourth is new.
        assert!(!flight.join(Nanos(5)) && !flight.join(Nanos(5)) && !flight.join(Nanos(5)));
        assert!(flight.join(Nanos(6)));
        assert_eq!(flight.waiters(), 4);
        assert_eq!(flight.land(Nanos(10)).delay, Nanos(10 + 9 + 8 + 7 + 4));
    }

    #[test]
    fn a_waiter_that_leads_waits_no_longer() {
        let mut flight = flight(0);
        flight.join(Nanos(2));
        flight.join(Nanos(4));
        flight.wake();
        assert!(!flight.lead_again(FlightId(2), fetch(), core(Duration::from_secs(9)), Nanos(10)));
        assert_eq!(flight.waiters(), 1);
        assert!(!flight.join(Nanos(10)), "the other comes back");
        // One waiter since 3 (the mean), one leader since 10.
        assert_eq!(flight.land(Nanos(20)), Waits { waiters: 2, delay: Nanos(17 + 10) });
    }

    #[test]
    fn a_leader_that_is_too_slow_does_not_lead() {
        let last = LastRequest::miss(Nanos(0).policy_time(), 1);
        let slow = Flight::led(FlightId(1), fetch(), core(Duration::ZERO), last, Nanos(0));
        assert!(!slow.is_led());
        assert!(flight(0).is_led());
    }
}
