//! A fetch under way and its waiters: the state machine of coalescing.
//!
//! A flight is led by one caller, who runs its own loader. If the leader succeeds, or fails and
//! errors are shared, the flight lands, and all waiters take the outcome. If the leader is dropped,
//! panics, or fails and errors are not shared, the flight is vacant: the waiter that joined first
//! is called, the first to look leads with its own loader, and the others keep waiting. One is
//! called rather than all, so that a row of failures wakes each waiter once; if it gives up, the
//! next is called. So a flight with waiters always has a leader or a pending wake-up.
//!
//! Source: the queue of thesis Eq. 2.3; the paper's fetches neither fail nor are abandoned.
//! Joining, leaving and looking are O(log waiters), looking at a landed flight O(1), landing
//! O(waiters); about 60 bytes per waiter. Locks: a flight's lock is taken inside its shard's, never
//! around it.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::task::Waker;

use forebay_cache::policies::LastRequest;

use crate::clock::Nanos;
use crate::sync::{Mutex, lock};

/// An error of any type, shared by its waiters.
pub(crate) type SharedError = Arc<dyn Any + Send + Sync>;

/// The outcome of a flight.
#[derive(Clone)]
pub(crate) enum Outcome<V> {
    Value(V),
    Error(SharedError),
}

/// What a waiter finds.
pub(crate) enum Look<V> {
    /// Nothing yet; the waker is kept.
    Wait,
    /// Nobody leads; from now on the looker does.
    Lead,
    /// The flight has landed.
    Landed(Outcome<V>),
}

/// What a waiter is known by in its flight, in the order of joining.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ticket(u64);

/// How many wait for data that arrives now, their total wait (thesis Eq. 2.13, as it happened), and
/// the last request of all that came for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waits {
    pub(crate) waiters: u32,
    pub(crate) delay: Nanos,
    pub(crate) last: LastRequest,
}

/// Who is to be woken after a change. Wakers are foreign code, to be run without locks held.
#[must_use]
pub(crate) struct Woken {
    /// Whether nobody leads and nobody waits.
    pub(crate) deserted: bool,
    wakers: Vec<Waker>,
}

impl Woken {
    /// Wakes them.
    pub(crate) fn wake(self) {
        self.wakers.into_iter().for_each(Waker::wake);
    }
}

enum Phase<V> {
    Led,
    /// Nobody leads; this waiter has been woken to do so, or all will look by themselves.
    Vacant(Option<Ticket>),
    Landed(Outcome<V>),
}

struct Waiter {
    since: Nanos,
    waker: Option<Waker>,
}

struct State<V> {
    phase: Phase<V>,
    /// Who waits, in the order of joining; nobody any more once the flight has landed.
    waiters: BTreeMap<Ticket, Waiter>,
    tickets: u64,
    last: LastRequest,
}

impl<V> State<V> {
    /// Nobody leads: calls the first waiter that can be woken. One that cannot has just joined, and
    /// looks by itself.
    fn vacate(&mut self) -> Woken {
        let mut sleeping = self.waiters.iter_mut().filter(|(_, waiter)| waiter.waker.is_some());
        let called = sleeping.next().map(|(ticket, waiter)| (*ticket, waiter.waker.take()));
        self.phase = Phase::Vacant(called.as_ref().map(|(ticket, _)| *ticket));
        let wakers = called.and_then(|(_, waker)| waker).into_iter().collect();
        Woken { deserted: self.waiters.is_empty(), wakers }
    }
}

/// A fetch under way.
pub(crate) struct Flight<K, V> {
    pub(crate) key: K,
    pub(crate) hash: u64,
    state: Mutex<State<V>>,
}

impl<K, V> Flight<K, V> {
    /// A flight led by its creator, whose request is `miss`.
    pub(crate) fn led(key: K, hash: u64, miss: LastRequest) -> Self {
        let state = State { phase: Phase::Led, waiters: BTreeMap::new(), tickets: 0, last: miss };
        Flight { key, hash, state: Mutex::new(state) }
    }

    /// Waits from `now` on, with the `number`-th request to the set.
    pub(crate) fn join(&self, now: Nanos, number: u64) -> Ticket {
        let mut state = lock(&self.state);
        state.tickets += 1;
        state.last = state.last.then(now.policy_time(), number);
        let ticket = Ticket(state.tickets);
        state.waiters.insert(ticket, Waiter { since: now, waker: None });
        ticket
    }

    /// How long the waiters have waited by `now`; `each` is called with every wait.
    pub(crate) fn waits(&self, now: Nanos, mut each: impl FnMut(Nanos)) -> Waits {
        let state = lock(&self.state);
        let mut waits = Waits { waiters: 0, delay: Nanos(0), last: state.last };
        for waiter in state.waiters.values() {
            let wait = now.since(waiter.since);
            each(wait);
            waits.waiters = waits.waiters.saturating_add(1);
            waits.delay = waits.delay.plus(wait);
        }
        waits
    }

    /// The leader's flight has ended in `outcome`.
    pub(crate) fn land(&self, outcome: Outcome<V>) -> Woken {
        let mut state = lock(&self.state);
        state.phase = Phase::Landed(outcome);
        let waiters = std::mem::take(&mut state.waiters);
        drop(state);
        let wakers = waiters.into_values().filter_map(|waiter| waiter.waker).collect();
        Woken { deserted: false, wakers }
    }

    /// The leader gives up.
    pub(crate) fn abandon(&self) -> Woken {
        lock(&self.state).vacate()
    }

    /// Whether nobody leads and nobody waits.
    pub(crate) fn deserted(&self) -> bool {
        let state = lock(&self.state);
        matches!(state.phase, Phase::Vacant(_)) && state.waiters.is_empty()
    }

    /// Stops waiting, answered or not. Whoever was called to lead passes the call on.
    pub(crate) fn leave(&self, ticket: Ticket) -> Woken {
        let mut state = lock(&self.state);
        state.waiters.remove(&ticket);
        match state.phase {
            Phase::Vacant(called) if called == Some(ticket) || state.waiters.is_empty() => {
                state.vacate()
            }
            Phase::Vacant(_) | Phase::Led | Phase::Landed(_) => {
                Woken { deserted: false, wakers: Vec::new() }
            }
        }
    }
}

impl<K, V: Clone> Flight<K, V> {
    /// Looks on behalf of the holder of `ticket`, who keeps it only with [`Look::Wait`].
    pub(crate) fn look(&self, ticket: Ticket, waker: &Waker) -> Look<V> {
        let mut state = lock(&self.state);
        match &state.phase {
            Phase::Led => {
                if let Some(waiter) = state.waiters.get_mut(&ticket) {
                    waiter.waker = Some(waker.clone());
                }
                Look::Wait
            }
            Phase::Vacant(_) => {
                state.phase = Phase::Led;
                state.waiters.remove(&ticket);
                Look::Lead
            }
            Phase::Landed(outcome) => Look::Landed(outcome.clone()),
        }
    }
}
