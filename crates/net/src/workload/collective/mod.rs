//! Collectives: all hosts of a group exchange data in steps, and begin the next round when one is
//! over (Occamy §6.4).
//!
//! From the paper: "every host sends the same amount of data to all other hosts" (all-to-all), and
//! all-reduce by double binary trees "with all flows having an identical size". It does not say
//! when the next exchange begins. Here rounds follow each other without a pause. A host begins its
//! next round when it has received everything of this one, which is all that it can know without
//! further messages. All-to-all may take so many partners [at a time](CollectiveConfig::at_once)
//! (the paper's artifact: eight). With a [barrier](CollectiveConfig::barrier) all flows of a round
//! begin together when those of the last have arrived (the artifact, for all-reduce): that is the
//! pattern's traffic, without its steps. Rings and recursive halving are offered besides trees.
//!
//! A message between two hosts in one step is one flow. Messages are not cut into chunks that
//! overtake each other's steps, which collective libraries do to keep all levels of a tree busy.
//!
//! O(flows). Besides its flows a round takes a gate per host (all-to-all: and step), per host and
//! step (ring, halving), or at most three per host (trees); a barrier is one gate.

mod all_to_all;
mod config;
mod exchange;
mod halving;
mod ring;
mod round;
mod tree;

use alloc::vec::Vec;
use core::fmt;

use forebay_switch::FlowId;
use forebay_units::Rate;

use super::{Gate, GateId, Stage, Workload, WorkloadError, check_size, room};
use crate::flow::{Flow, MAX_FLOWS};
pub use config::{CollectiveConfig, Pattern, Repeat};
use exchange::Exchange;
use round::Round;

/// What a flow takes while it is added, with what waits for it: lists twice as long as they must
/// be.
const MEMORY_OF_FLOW: usize =
    2 * (size_of::<Flow>() + size_of::<Gate>() + 2 * size_of::<(FlowId, GateId)>());

impl Pattern {
    /// Every pattern, in the order of listings.
    pub const ALL: [Pattern; 4] = [
        Pattern::AllToAll,
        Pattern::RingAllReduce,
        Pattern::TreeAllReduce,
        Pattern::HalvingAllReduce,
    ];

    fn exchange(self) -> &'static dyn Exchange {
        match self {
            Pattern::AllToAll => &all_to_all::AllToAll,
            Pattern::RingAllReduce => &ring::RingAllReduce,
            Pattern::TreeAllReduce => &tree::TreeAllReduce,
            Pattern::HalvingAllReduce => &halving::HalvingAllReduce,
        }
    }

    /// The pattern with this name, if there is one.
    ///
    /// ```
    /// use forebay_net::workload::Pattern;
    ///
    /// assert_eq!(Pattern::named("ring-all-reduce"), Some(Pattern::RingAllReduce));
    /// let names: Vec<_> = Pattern::ALL.iter().map(|pattern| pattern.to_string()).collect();
    /// let known = ["all-to-all", "ring-all-reduce", "tree-all-reduce", "halving-all-reduce"];
    /// assert_eq!(names, known);
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

impl CollectiveConfig {
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
            Some(flows) if flows <= MAX_FLOWS as u64 => room::check(flows, MEMORY_OF_FLOW)?,
            Some(_) | None => return Err(WorkloadError::TooMany),
        }
        Ok(rounds as u32)
    }
}

/// The rounds of a collective, one after the other, each with the same number of flows in the same
/// order.
///
/// ```
/// use forebay_net::workload::{CollectiveConfig, Pattern, Repeat, collective};
/// use forebay_units::{Bytes, Duration, Time};
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
        let first = workload.flows().len() as FlowId;
        for flow in one.flows() {
            let flow = workload.add(*flow);
            entry.into_iter().for_each(|gate| workload.begin_at(flow, gate));
            exit.into_iter().for_each(|gate| workload.count(flow, gate));
        }
        let flows = first..workload.flows().len() as FlowId;
        workload.add_stage(Stage { flows, together: true });
        entry = exit;
    }
    workload
}

#[cfg(test)]
mod tests;
