//! A fetch under way and its waiters: the state machine of coalescing.
//!
//! A flight is led by one caller, who runs its own loader. If the leader succeeds, or fails and
//! errors are shared, the flight lands, and all waiters take the outcome. If the leader is dropped,
//! panics, or fails and errors are not shared, the flight is vacant: all waiters are woken, the
//! first to look leads with its own loader, and the others keep waiting. All are woken rather than
//! one, because nobody guarantees that the one is polled. So a flight with waiters always has a
//! leader or a pending wake-up.
//!
//! Source: the queue of thesis Eq. 2.3; the paper's fetches neither fail nor are abandoned.
//! Joining, leaving and looking are O(waiters) at worst, mostly O(1); 48 bytes per waiter. Locks: a
//! flight's lock is taken inside its shard's, never around it.

use std::any::Any;
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ticket(u64);

/// How many wait for data that arrives now, their total wait (thesis Eq. 2.13, as it happened), and the last
/// request of all that came for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waits {
    pub(crate) waiters: u32,
    pub(crate) delay: Nanos,
    pub(crate) last: LastRequest,
}

/// The waiters at the time of a change. Their wakers are foreign code, to be run without locks
/// held.
#[must_use]
pub(crate) struct Woken {
    /// Whether there are any.
    pub(crate) anyone: bool,
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
    Vacant,
    Landed(Outcome<V>),
}

struct Waiter {
    ticket: Ticket,
    since: Nanos,
    waker: Option<Waker>,
}

struct State<V> {
    phase: Phase<V>,
    waiters: Vec<Waiter>,
    tickets: u64,
    last: LastRequest,
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
        let state = State { phase: Phase::Led, waiters: Vec::new(), tickets: 0, last: miss };
        Flight { key, hash, state: Mutex::new(state) }
    }

    /// Waits from `now` on, with the `number`-th request to the set.
    pub(crate) fn join(&self, now: Nanos, number: u64) -> Ticket {
        let mut state = lock(&self.state);
        state.tickets += 1;
        state.last = state.last.then(now.policy_time(), number);
        let ticket = Ticket(state.tickets);
        state.waiters.push(Waiter { ticket, since: now, waker: None });
        ticket
    }

    /// How long the waiters have waited by `now`; `each` is called with every wait.
    pub(crate) fn waits(&self, now: Nanos, mut each: impl FnMut(Nanos)) -> Waits {
        let state = lock(&self.state);
        let mut waits = Waits { waiters: 0, delay: Nanos(0), last: state.last };
        for waiter in &state.waiters {
            let wait = now.since(waiter.since);
            each(wait);
            waits.waiters = waits.waiters.saturating_add(1);
            waits.delay = waits.delay.plus(wait);
        }
        waits
    }

    /// The leader's flight has ended in `outcome`.
    pub(crate) fn land(&self, outcome: Outcome<V>) -> Woken {
        self.change(Phase::Landed(outcome))
    }

    /// The leader gives up.
    pub(crate) fn abandon(&self) -> Woken {
        self.change(Phase::Vacant)
    }

    /// Whether nobody leads and nobody waits.
    pub(crate) fn deserted(&self) -> bool {
        let state = lock(&self.state);
        matches!(state.phase, Phase::Vacant) && state.waiters.is_empty()
    }

    /// Stops waiting, answered or not; returns whether the flight is now deserted.
    pub(crate) fn leave(&self, ticket: Ticket) -> bool {
        let mut state = lock(&self.state);
        state.waiters.retain(|waiter| waiter.ticket != ticket);
        matches!(state.phase, Phase::Vacant) && state.waiters.is_empty()
    }

    /// Enters `phase`.
    fn change(&self, phase: Phase<V>) -> Woken {
        let mut state = lock(&self.state);
        state.phase = phase;
        let wakers = state.waiters.iter_mut().filter_map(|waiter| waiter.waker.take()).collect();
        Woken { anyone: !state.waiters.is_empty(), wakers }
    }
}

impl<K, V: Clone> Flight<K, V> {
    /// Looks on behalf of the holder of `ticket`, who keeps it only with [`Look::Wait`].
    pub(crate) fn look(&self, ticket: Ticket, waker: &Waker) -> Look<V> {
        let mut state = lock(&self.state);
        let found = match &state.phase {
            Phase::Led => {
                let waiter = state.waiters.iter_mut().find(|waiter| waiter.ticket == ticket);
                if let Some(waiter) = waiter {
                    waiter.waker = Some(waker.clone());
                }
                return Look::Wait;
            }
            Phase::Vacant => Look::Lead,
            Phase::Landed(outcome) => Look::Landed(outcome.clone()),
        };
        if matches!(found, Look::Lead) {
            state.phase = Phase::Led;
        }
        state.waiters.retain(|waiter| waiter.ticket != ticket);
        found
    }
}
