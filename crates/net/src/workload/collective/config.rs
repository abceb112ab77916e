//! The parameters of a collective.

use alloc::vec::Vec;

use forebay_units::{Bytes, Duration, Rate, Time};

/// Who sends what to whom in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// Every host sends to every other, all at once or some at a time. The size is that of each
    /// flow.
    AllToAll,
    /// All-reduce on a ring: the vector is cut into as many parts as hosts; each part goes around
    /// once to be summed, and once to be distributed. The size is that of the vector.
    RingAllReduce,
    /// All-reduce on two binary trees, each for half of the vector. The size is that of the vector.
    TreeAllReduce,
    /// All-reduce by recursive halving and doubling. The size is that of the vector.
    HalvingAllReduce,
}

/// How many rounds there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeat {
    /// This many rounds, however long they take.
    Times(u32),
    /// As many as there is time for: no host begins a round at `stop` or later. A round that only
    /// some hosts have begun stays unfinished.
    Until {
        /// The time from which on no host begins a round.
        stop: Time,
        /// The fastest rate at which any of the hosts can receive. It bounds how many rounds are
        /// prepared: if it is too low, too few are.
        rate: Rate,
        /// The shortest time that a message takes, its bytes apart; it bounds rounds of small
        /// messages.
        trip: Duration,
    },
}

/// The parameters of [`collective`](super::collective).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectiveConfig {
    /// Who sends what to whom.
    pub pattern: Pattern,
    /// The hosts in the order of their ranks, each once; at least 2.
    pub hosts: Vec<u32>,
    /// The size, in bytes; the pattern says of what.
    pub bytes: Bytes,
    /// When the first round begins, at all hosts.
    pub start: Time,
    /// To how many hosts each sends at a time in an all-to-all: to the next ones when it has
    /// received from as many. `None` for all of them.
    pub at_once: Option<u32>,
    /// Whether all flows of a round begin together, as soon as all of the last round have arrived
    /// everywhere; then none waits for another of its own round.
    pub barrier: bool,
    /// The time from the last byte that a step needs to the beginning of the step.
    pub delay: Duration,
    /// How many rounds.
    pub repeat: Repeat,
}

impl CollectiveConfig {
    /// To how many of the others each of so many hosts sends at a time.
    pub(super) fn at_once(&self, hosts: u64) -> u64 {
        self.at_once.map_or(hosts - 1, u64::from).clamp(1, hosts - 1)
    }

    /// When no round begins any more.
    pub(super) fn until(&self) -> Time {
        match self.repeat {
            Repeat::Times(_) => Time::MAX,
            Repeat::Until { stop, .. } => stop,
        }
    }
}
