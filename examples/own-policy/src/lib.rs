//! A policy of each kind, a queue and a scenario of one's own.
//!
//! Forebay knows nothing of this crate. [`policies`] adds a buffer policy on chip and a hybrid one,
//! a rank function, a scheduler over a queue of its own, one of a port's queues, a discipline of
//! scheduling trees, a congestion control, a cache policy and a job scheduler to what can be chosen
//! by name, [`registry`] the scenario to those of the laboratory; from there all work as the
//! built-in ones do. The queue itself, [`Lists`], goes by value wherever a ranked queue does. The
//! program of this package is the `forebay` command with them:
//!
//! ```sh
//! cargo run -- run compare.toml                     # an experiment: the policy beside Dynamic Threshold
//! cargo run -- run formula.toml                     # the scenario
//! cargo run -- net run --topology star:8,10G,1us --flows flows.txt --switch keep-room --control westwood
//! cargo run -- replay capture.pcap --rate 1G --switch mice-first
//! cargo run -- replay capture.pcap --rate 1G --switch tree --tree turns.tree
//! cargo run -- cache simulate trace.csv --objects 1000 --policies lru,fifo-reinsertion
//! cargo run -- surge df --policies wsjf,least-attained
//! ```
#![forbid(unsafe_code)]

mod formula;
mod keep_room;
mod least_attained;
mod lists;
mod mice_first;
mod reinsertion;
mod size_split;
mod smallest_head;
mod turns;
mod westwood;

use forebay::lab::ScenarioRegistry;
use forebay::parameters::TakenName;
use forebay::scenarios::Policies;

pub use formula::Formula;
pub use lists::Lists;

/// What is built in, and what is in this crate.
///
/// # Errors
/// Forebay has one of the names itself.
pub fn policies() -> Result<Policies, TakenName> {
    let built_in = Policies::default();
    Ok(Policies {
        switches: built_in
            .switches
            .with_on_chip(keep_room::choice())?
            .with_hybrid(size_split::choice())?
            .with_rank(mice_first::choice())?
            .with_scheduler(lists::choice())?
            .with_port_scheduler(smallest_head::choice())?
            .with_discipline(turns::TURNS)?,
        controls: built_in.controls.with(westwood::choice())?,
        caches: built_in.caches.with(reinsertion::choice())?,
        jobs: built_in.jobs.with(least_attained::choice())?,
    })
}

/// The laboratory's scenarios over policies such as [`policies`], and the one of this crate.
///
/// # Errors
/// A name is taken, or a declaration is unsound.
pub fn registry(policies: &Policies) -> Result<ScenarioRegistry, Box<dyn std::error::Error>> {
    Ok(forebay::scenarios::registry(policies)?.with(Formula)?)
}
