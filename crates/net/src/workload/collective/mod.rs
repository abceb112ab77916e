//! Collectives: all hosts of a group exchange data in steps, and begin the next round when one is
//! over (Occamy §6.4).
//!
//! From the paper: "every host sends the same amount of data to all other hosts" (all-to-all), and
//! all-reduce by double binary trees "with all flows having an identical size". It does not say
//! when the next exchange begins. Here rounds follow each other without a pause. A host begins its
//! next round when it has received everything of this one, which is all that it can know without
//! further messages. All-to-all may take so many partners [at a time](CollectiveConfig::at_once) (the
//! paper's artifact: eight). With a [barrier](CollectiveConfig::barrier) all flows of a round begin
//! together when those of the last have arrived (the artifact, for all-reduce): that is the pattern's
//! traffic, without its steps. A ring is offered besides the trees.
//!
//! A message between two hosts in one step is one flow. Messages are not cut into chunks that
//! overtake each other's steps, which collective libraries do to keep all levels of a tree busy.
//!
//! O(flows). Besides its flows a round takes a gate per host (all-to-all: and step), per host and
//! step (ring), or at most three per host (trees); a barrier is one gate.

mod all_to_all;
mod ring;
mod round;
mod tree;

use alloc::vec::Vec;
use core::fmt;

use forebay_units::{Bytes, Duration, Rate, Time};

use super::{Gate, GateId, Workload, WorkloadError, check_size};
use crate::flow::MAX_FLOWS;
use round::Round;

/// Who sends what to whom in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// Every host sends to every other, all at once or some at a time. The size is that of each flow.
    AllToAll,
    /// All-reduce on a ring: the vector is cut into as many parts as hosts; each part goes around
    /// once to be summed, and once to be distributed. The size is that of the vector.
    RingAllReduce,
    /// All-reduce on two binary trees, each for half of the vector. The size is that of the vector.
    TreeAllReduce,
}

/// How a pattern builds its rounds. To add one, add a type in its own file, a variant and a line in
/// [`Pattern::exchange`].
trait Exchange {
    /// Its name in configurations.
    fn name(&self) -> &'static str;

    /// The fewest bytes that can be exchanged among `hosts`.
    fn least_bytes(&self, hosts: u64) -> u64;

    /// The number of flows in a round; saturating.
    fn flows(&self, hosts: u64) -> u64;

    /// An upper bound on the bytes that any host receives in a round.
    fn received(&self, hosts: u64, bytes: Bytes) -> Bytes;

    /// The fewest messages that follow on each other before any host has received all of a round.
    fn steps(&self, hosts: u64, at_once: u64) -> u64;

    /// Writes a round with the number of flows given by [`flows`](Exchange::flows).
    fn write(&self, round: &mut Round<'_>, bytes: Bytes);
}

impl Pattern {
    /// All patterns.
    pub const ALL: [Pattern; 3] =
        [Pattern::AllToAll, Pattern::RingAllReduce, Pattern::TreeAllReduce];

    fn exchange(self) -> &'static dyn Exchange {
        match self {
            Pattern::AllToAll => &all_to_all::AllToAll,
            Pattern::RingAllReduce => &ring::RingAllReduce,
            Pattern::TreeAllReduce => &tree::TreeAllReduce,
        }
    }

    /// The pattern with this name, if there is one.
    ///
    /// ```
    /// use forebay_net::workload::Pattern;
    ///
    /// assert_eq!(Pattern::named("ring-all-reduce"), Some(Pattern::RingAllReduce));
    /// let names: Vec<_> = Pattern::ALL.iter().map(|pattern| pattern.to_string()).collect();
    /// assert_eq!(names, ["all-to-all", "ring-all-reduce", "tree-all-reduce"]);
    /// ```
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|pattern| pattern.exchange().name() == name)
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.exchange().name())
    }
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
        /// The shortest time that a message takes, its bytes apart; it bounds rounds of small messages.
        trip: Duration,
    },
}

/// The parameters of [`collective`].
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
    /// To how many hosts each sends at a time in an all-to-all: to the next ones when it has received from as many.
    /// `None` for all of them.
    pub at_once: Option<u32>,
    /// Whether all flows of a round begin together, as soon as all of the last round have arrived everywhere;
    /// then none waits for another of its own round.
    pub barrier: bool,
    /// The time from the last byte that a step needs to the beginning of the step.
    pub delay: Duration,
    /// How many rounds.
    pub repeat: Repeat,
}

impl CollectiveConfig {
    /// To how many of the others each of so many hosts sends at a time.
    fn at_once(&self, hosts: u64) -> u64 {
        self.at_once.map_or(hosts - 1, u64::from).clamp(1, hosts - 1)
    }

    /// When no round begins any more.
    fn until(&self) -> Time {
        match self.repeat {
            Repeat::Times(_) => Time::MAX,
            Repeat::Until { stop, .. } => stop,
        }
    }

    /// The number of rounds to prepare.
    fn rounds(&self) -> Result<u32, WorkloadError> {
        let hosts = self.hosts.len() as u64;
        if hosts < 2 {
            return Err(WorkloadError::Hosts { found: self.hosts.len() as u32, least: 2 });
        }
        let mut sorted = self.hosts.clone();
        sorted.sort_unstable();
        if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(WorkloadError::TwiceInGroup(twice[0]));
        }
        check_size("bytes", self.bytes, self.pattern.exchange().least_bytes(hosts))?;
        let rounds = match self.repeat {
            Repeat::Times(0) => return Err(WorkloadError::NoRounds),
            Repeat::Times(rounds) => u64::from(rounds),
            Repeat::Until { stop, rate, trip } => {
                if rate == Rate::from_bps(0) {
                    return Err(WorkloadError::NoCapacity);
                }
                let exchange = self.pattern.exchange();
                let at_once = self.at_once(hosts);
                let steps = if self.barrier { 1 } else { exchange.steps(hosts, at_once) };
                let trips = (trip + self.delay) * steps;
                let shortest = rate.time_for(exchange.received(hosts, self.bytes)).max(trips);
                stop.since(self.start).as_ps() / shortest.as_ps().max(1) + 1
            }
        };
        match rounds.checked_mul(self.pattern.exchange().flows(hosts)) {
            Some(flows) if flows <= MAX_FLOWS as u64 => Ok(rounds as u32),
            _ => Err(WorkloadError::TooMany),
        }
    }
}

/// The rounds of a collective, one after the other, each with the same number of flows in the same
/// order.
///
/// ```
/// use forebay_net::workload::{CollectiveConfig, Pattern, Repeat, collective};
/// use forebay_units::{Bytes, Duration, Rate, Time};
///
/// let workload = collective(&CollectiveConfig {
///     pattern: Pattern::TreeAllReduce,
///     hosts: (0..128).collect(),
///     bytes: Bytes::new(1_000_000),
///     start: Time::ZERO,
///     at_once: None,
///     barrier: false,
///     delay: Duration::ZERO,
///     repeat: Repeat::Times(3),
/// })?;
/// // Two trees of 127 edges, each up and down, all of one size.
/// assert_eq!(workload.flows().len(), 3 * 4 * 127);
/// assert!(workload.flows().iter().all(|flow| flow.bytes == Bytes::new(500_000)));
/// assert_eq!(workload.check(128), Ok(()));
/// # Ok::<(), forebay_net::workload::WorkloadError>(())
/// ```
///
/// # Errors
/// [`WorkloadError`] if the parameters are impossible.
pub fn collective(config: &CollectiveConfig) -> Result<Workload, WorkloadError> {
    let rounds = config.rounds()?;
    if config.barrier {
        return Ok(together(config, rounds));
    }
    let mut workload = Workload::default();
    let mut entry: Option<Vec<GateId>> = None;
    for round in 1..=rounds {
        let mut writer = Round::new(config, &mut workload, entry.take(), round < rounds);
        config.pattern.exchange().write(&mut writer, config.bytes);
        entry = writer.finish();
    }
    Ok(workload)
}

/// Rounds whose flows begin together, with a barrier between each two.
fn together(config: &CollectiveConfig, rounds: u32) -> Workload {
    let mut one = Workload::default();
    let mut writer = Round::new(config, &mut one, None, false);
    config.pattern.exchange().write(&mut writer, config.bytes);
    let mut workload = Workload::default();
    let mut entry: Option<GateId> = None;
    for round in 1..=rounds {
        let (delay, until) = (config.delay, config.until());
        let exit =
            (round < rounds).then(|| workload.add_gate(Gate { delay, until, ..Gate::barrier() }));
        for flow in one.flows() {
            let flow = workload.add(*flow);
            entry.into_iter().for_each(|gate| workload.begin_at(flow, gate));
            exit.into_iter().for_each(|gate| workload.count(flow, gate));
        }
        entry = exit;
    }
    workload
}

#[cfg(test)]
mod tests;
