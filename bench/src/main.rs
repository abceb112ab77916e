//! Races Forebay's parts against their peers, side by side in one run.
//!
//! `cargo run --release -p forebay-bench -- NAME [--json]`; every number in the documentation comes from
//! one of these.

mod buffer;
#[cfg(feature = "dramsim3")]
mod dramsim3;
mod engine;
mod hbm;
mod queues;
mod race;

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
    /// Ranked queues: the hold model (pop the smallest, push it back a little later).
    Queues(race::Options),
    /// The HBM model: column accesses in four patterns.
    Hbm(race::Options),
    /// The on-chip shared buffer: admission, departure and expulsion under every policy.
    Buffer(race::Options),
    /// The engine: the single-point simulation under every policy.
    Engine(race::Options),
}

fn main() -> ExitCode {
    let (report, options) = match Args::parse().race {
        Race::Queues(options) => (queues::run(&options), options),
        Race::Hbm(options) => (hbm::run(&options), options),
        Race::Buffer(options) => (buffer::run(&options), options),
        Race::Engine(options) => (engine::run(&options), options),
    };
    match report.print(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("forebay-bench: cannot write the report: {error}");
            ExitCode::FAILURE
        }
    }
}
