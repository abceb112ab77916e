//! Races Forebay's parts against their peers, side by side in one run.
//!
//! `cargo run --release -p forebay-bench -- NAME [--json]`; every number in the documentation comes
//! from one of these.

mod belatedly;
mod buffer;
mod cache;
#[cfg(feature = "dramsim3")]
mod dramsim3;
mod engine;
mod fetch_cache;
mod hbm;
mod net;
mod queues;
mod race;
mod sched;
mod surge;
mod tree;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Races Forebay's parts against their peers, side by side in one run.
#[derive(Parser)]
#[command(name = "forebay-bench")]
struct Args {
    #[command(subcommand)]
    race: Race,
}

#[derive(Subcommand)]
enum Race {
    /// Ranked queues: the hold model (pop the smallest, push it back a little later), filling and
    /// draining, and both ends.
    Queues(queues::Options),
    /// One queue under the hold model, for a tool that counts instructions.
    Instructions(queues::Instructions),
    /// The HBM model: column accesses in four patterns.
    Hbm(race::Options),
    /// The on-chip shared buffer: admission, departure and expulsion under every policy.
    Buffer(race::Options),
    /// The engine: the single-point simulation under every policy.
    Engine(race::Options),
    /// Caches with delayed hits: requests through the simulator under every policy.
    Cache(race::Options),
    /// The concurrent cache: hits, and callers' waits, against other caches.
    FetchCache(race::Options),
    /// The offline optimum of delayed hits: time, memory and proven gap by length of the trace.
    Belatedly(belatedly::Options),
    /// The network: events, and packets of a whole leaf-spine.
    Net(net::Options),
    /// Schedulers that hold packets: enqueue and dequeue against the number of flows.
    Sched(race::Options),
    /// Scheduling trees: what a level costs.
    Tree(race::Options),
    /// Adversarial scheduling: overhead per packet, and goodput under attack.
    Surge(race::Options),
}

/// How a run that prints for itself ends.
fn exit<E: std::fmt::Display>(result: Result<(), E>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("forebay-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn main() -> ExitCode {
    let (report, options) = match Args::parse().race {
        Race::Queues(options) => (queues::run(&options), options.race),
        Race::Instructions(options) => {
            return exit(queues::hold_once(&options));
        }
        Race::Belatedly(options) => return exit(belatedly::run(&options)),
        Race::Hbm(options) => (hbm::run(&options), options),
        Race::Buffer(options) => (buffer::run(&options), options),
        Race::Engine(options) => (engine::run(&options), options),
        Race::Cache(options) => (cache::run(&options), options),
        Race::Net(options) => (net::run(&options), options.race),
        Race::Sched(options) => (sched::run(&options), options),
        Race::Tree(options) => (tree::run(&options), options),
        Race::FetchCache(options) => (fetch_cache::run(&options), options),
        Race::Surge(options) => (surge::run(&options), options),
    };
    match report.print(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("forebay-bench: cannot write the report: {error}");
            ExitCode::FAILURE
        }
    }
}
