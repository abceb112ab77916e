//! The virtual clock of the fluid server.
//!
//! Structure: the sessions that are backlogged in the fluid server, ordered by the finish tag of
//! their last packet, which is where they go idle and the clock speeds up. Time is carried from one
//! such point to the next, lazily, when somebody asks.
//!
//! Complexity: arrive and advance O(log n) amortized: each packet adds or moves one session, and
//! each session goes idle once for each time that it was added. Memory: 16 bytes a session seen,
//! and about 44 a session that was ever backlogged.

use forebay_pifo::{IndexedExact, IndexedQueue, MAX_ID};
use forebay_units::{Rate, Time};

use super::virtual_span;
use crate::flow_table::FlowTable;
use crate::scheduler::Weights;

/// The tags of one packet, in virtual time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GpsStamp {
    /// Where the fluid server begins with it.
    pub start: u128,
    /// Where it is done with it.
    pub finish: u128,
}

/// The virtual time of a fluid server, driven by arrivals.
///
/// ```
/// use forebay_sched::gps::{GpsClock, PICOBITS_PER_BYTE};
/// use forebay_sched::scheduler::Weights;
/// use forebay_units::{Rate, Time};
///
/// // 1 byte per nanosecond; session 0 has twice the weight of session 1.
/// let mut clock = GpsClock::new(Rate::from_gbps(8), Weights::new(1, vec![2])?, 1024);
/// clock.arrive(Time::ZERO, 0, 1000);
/// clock.arrive(Time::ZERO, 1, 1000);
/// // Both backlogged: 3 units of weight share 300 bytes.
/// assert_eq!(clock.advance(Time::from_ps(300_000)), 100 * PICOBITS_PER_BYTE);
/// // Session 0 is done after 1500 ns, session 1 after 2000 ns; then time stands still.
/// assert_eq!(clock.advance(Time::from_ps(1_500_000)), 500 * PICOBITS_PER_BYTE);
/// assert_eq!(clock.advance(Time::from_ps(9_000_000)), 1000 * PICOBITS_PER_BYTE);
/// # Ok::<(), forebay_sched::scheduler::ZeroWeight>(())
/// ```
#[derive(Clone, Debug)]
pub struct GpsClock {
    /// Bits per second: pico-bits per picosecond.
    rate: u128,
    weights: Weights,
    last_finish: FlowTable<u128>,
    /// The backlogged sessions by their last finish tag.
    backlogged: IndexedExact<u128>,
    /// The sum of their weights.
    weight: u128,
    virtual_time: u128,
    /// The work that had been offered when virtual time stood at `virtual_time`.
    work: u128,
    /// The last finish tag that the session of the last arrival had before it, and whether it was
    /// backlogged.
    before: (u128, bool),
}

impl GpsClock {
    /// At virtual time zero, for a server of `rate` and up to `sessions` sessions ([`MAX_FLOWS`] at
    /// most); session `s` uses the state and the weight of `s mod sessions`.
    ///
    /// [`MAX_FLOWS`]: crate::MAX_FLOWS
    #[must_use]
    pub fn new(rate: Rate, weights: Weights, sessions: usize) -> Self {
        const { assert!(crate::MAX_FLOWS - 1 <= MAX_ID as usize, "sessions are ids") };
        GpsClock {
            rate: u128::from(rate.as_bps()),
            weights,
            last_finish: FlowTable::new(sessions),
            backlogged: IndexedExact::new(),
            weight: 0,
            virtual_time: 0,
            work: 0,
            before: (0, false),
        }
    }

    /// Moves to `now` (an earlier instant changes nothing); the virtual time there.
    pub fn advance(&mut self, now: Time) -> u128 {
        let offered = self.rate * u128::from(now.as_ps());
        while let Some((finish, session)) = self.backlogged.peek_min() {
            let needed = (finish - self.virtual_time.min(finish)).checked_mul(self.weight);
            let Some(reached) = needed.and_then(|needed| self.work.checked_add(needed)) else {
                break;
            };
            if reached > offered {
                break;
            }
            (self.virtual_time, self.work) = (finish, reached);
            self.backlogged.remove(session);
            self.weight -= u128::from(self.weights.of(session));
        }
        let left = offered.saturating_sub(self.work);
        match left.checked_div(self.weight) {
            Some(passed) => {
                self.virtual_time = self.virtual_time.saturating_add(passed);
                self.work += passed * self.weight; // the rest is still to be done
            }
            None => self.work += left, // idle: nobody takes the work
        }
        self.virtual_time
    }

    /// A packet of `size` bytes arrives at `session` at `now`; its tags.
    pub fn arrive(&mut self, now: Time, session: u32, size: u32) -> GpsStamp {
        let virtual_time = self.advance(now);
        let session = self.last_finish.entry_of(session);
        let weight = self.weights.of(session);
        let last_finish = self.last_finish.of(session);
        let start = virtual_time.max(*last_finish);
        let finish = start.saturating_add(virtual_span(size, weight));
        self.before.0 = core::mem::replace(last_finish, finish);
        self.before.1 = self.backlogged.change_rank(session, finish);
        if !self.before.1 && self.backlogged.push(finish, session).is_ok() {
            self.weight += u128::from(weight);
        }
        GpsStamp { start, finish }
    }

    /// The last arrival, which was of `session`, does not count: nothing else may have happened
    /// since.
    pub(crate) fn take_back(&mut self, session: u32) {
        let session = self.last_finish.entry_of(session);
        let (finish, was_backlogged) = self.before;
        *self.last_finish.of(session) = finish;
        if was_backlogged {
            self.backlogged.change_rank(session, finish);
        } else if self.backlogged.remove(session).is_some() {
            self.weight -= u128::from(self.weights.of(session));
        }
    }

    /// Whether the fluid server has nothing left to serve, as of the last instant it was moved to.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.backlogged.is_empty()
    }
}
