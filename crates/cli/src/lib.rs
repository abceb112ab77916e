//! The `forebay` command: run experiments, look at what there is, rebuild reports.
//!
//! [`main`] is the whole program, over the policies and scenarios that it is given: a crate with some of its own has
//! them in every command and in reports by these lines. `examples/own-policy` is such a crate.
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! use forebay_switch::Catalogue;
//!
//! fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
//!     let catalogue = Catalogue::default(); // and .with_on_chip(mine)?
//!     let registry = forebay_scenarios::registry(&catalogue); // and .with(Mine)?
//!     Ok(forebay_cli::main(&catalogue, registry))
//! }
//! ```
//!
//! Exit codes: 0 done, 1 a run failed, 2 the input is wrong, 130 stopped by the user.
#![forbid(unsafe_code)]

mod buffer;
mod cache;
mod experiment;
mod folder;
mod list;
mod net;
mod progress;
mod queues;
mod replay;
mod reproduce;
mod sched;
mod settings;
mod show;
mod summary;
mod surge;
mod terminal;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use forebay_lab::Registry;
use forebay_lab::run::share::Share;
use forebay_switch::Catalogue;

use crate::replay::TraceArguments;

/// Forebay: everything a network device decides about what waits.
///
/// The laboratory runs published schemes under the same conditions and reproduces the papers' figures. An
/// experiment is a TOML file; its results are tables (CSV and Parquet) and one HTML report.
#[derive(Parser)]
#[command(name = "forebay", version, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "Examples:
  forebay reproduce --quick                                 every paper in minutes: results/quick/index.html
  forebay reproduce                                         the same in full, in an hour: results/index.html
  forebay list                                              what can be run
  forebay list themis sensitivity --json                    some of it, for programs
  forebay show experiments/self-check/single-server.toml    every parameter, its value and its source
  forebay run experiments/self-check/single-server.toml     run it; the report is under results/
  forebay show network                                      a scenario: parameters, policies, metrics
  forebay run FILE --set load=0.9 --seed 1                  one point of a sweep, one seed
  forebay run FILE --set 'load=[0.5, 0.9]' --out /tmp/try   another sweep, another folder
  forebay buffer explain config_db.json                     thresholds of a SONiC switch, and its mistakes
  forebay cache simulate TRACE.csv --objects 1000 --z 500    hits, delayed hits and latency by policy
  forebay net run --topology star:8,10G,1us --flows FILE    flow completion times, drops, link loads
  forebay replay CAPTURE.pcap --ports 4 --rate 1G --load 0.9   a real capture through a switch
  forebay sched check experiments/trees/tenants.tree        a scheduling tree, and its mistakes
  forebay surge reassemble CAPTURE.pcap                     a real reassembler under attack, by policy

A stopped or killed run resumes where it was: give the same command again.";

#[derive(Subcommand)]
enum Command {
    /// Run experiments and write their tables and reports.
    ///
    /// Finished runs are stored one by one and never computed twice; Ctrl-C stops and keeps them.
    Run(RunArguments),
    /// Reproduce the papers: run all their experiments, the most valuable first, and write pages over the results.
    Reproduce(reproduce::Arguments),
    /// List experiments, scenarios and policies, and how much processor time experiments take.
    List(list::Arguments),
    /// Show every parameter of an experiment, or of a scenario: value, source and meaning.
    Show {
        /// The experiment, or a scenario's name: then also its policies, metrics and series.
        #[arg(value_name = "FILE|SCENARIO")]
        file: PathBuf,
        /// Change a parameter.
        #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_value)]
        set: Vec<(String, String)>,
    },
    /// Compare what hardware queues cost: cycles, comparators, memory, partitions.
    Queues(queues::Arguments),
    /// Look at a scheduling tree before it runs.
    #[command(subcommand)]
    Sched(sched::SchedCommand),
    /// Look into the buffer configuration of a SONiC switch.
    #[command(subcommand)]
    Buffer(buffer::BufferCommand),
    /// Try caching policies on a trace when misses take time.
    #[command(subcommand)]
    Cache(cache::CacheCommand),
    /// Simulate a network packet by packet, with flows of your own.
    #[command(subcommand)]
    Net(net::NetCommand),
    /// Drive a switch with a real capture: what leaves, what is lost and why, how long packets take.
    #[command(after_help = replay::HELP)]
    Replay(Box<replay::Arguments>),
    /// Attack a processor whose packets take unequal time, in the model or for real, and protect it.
    #[command(subcommand)]
    Surge(surge::SurgeCommand),
    /// Rebuild the report of stored results, without running anything.
    Report {
        /// A results folder.
        folder: PathBuf,
    },
}

#[derive(clap::Args)]
#[command(
    after_help = "Results go to results/PAPER/NAME unless --out is given: report.html, results.csv,
results.parquet, timelines.*, manifest.json, and parts/ with one file per run. With --set, --seed or
--policy the folder is results/PAPER/NAME.set-HASH, one for each choice, so that the full results stay as
they are.

--trace runs one run of one experiment, chosen by --policy, --set and --seed, prints its metrics, and stores
nothing but the trace."
)]
struct RunArguments {
    /// The experiments; of a folder all that are in it. If one of them has a mistake or cannot be read, none is run.
    #[arg(required = true, value_name = "FILE|FOLDER")]
    files: Vec<PathBuf>,
    /// Change a parameter, by name or path; on a swept one a value or a list replaces the sweep.
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_value)]
    set: Vec<(String, String)>,
    /// Use this seed instead of the file's; may be given several times.
    #[arg(long = "seed", value_name = "N", value_parser = clap::value_parser!(u64).range(1..=i64::MAX as u64))]
    seeds: Vec<u64>,
    /// How many runs at once [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    jobs: Option<u32>,
    /// The results folder; with several experiments, each gets its own inside.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Compute only worker I's share of the runs of N workers (I from 0), into a folder that all share.
    ///
    /// When all shares are done, the same command without --shard writes the tables and the report.
    #[arg(long, value_name = "I/N")]
    shard: Option<Share>,
    /// Run only these of the experiment's policies, without figures and claims about others.
    #[arg(long = "policy", value_name = "NAME,...", value_delimiter = ',')]
    policies: Vec<String>,
    #[command(flatten)]
    trace: TraceArguments,
}

/// Why a command ended without success, as text for the user and an exit code.
struct Failure {
    message: String,
    code: u8,
}

impl Failure {
    fn input(message: impl Into<String>) -> Self {
        Failure { message: message.into(), code: 2 }
    }
}

fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => {
            Ok((key.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("write it as key=value, for example load=0.9".to_owned()),
    }
}

/// Reads the program's arguments, does what they say over the switches of `catalogue` and the scenarios of `registry`,
/// and says how it ended.
#[must_use]
pub fn main(catalogue: &Catalogue, registry: Registry) -> ExitCode {
    let result = match Cli::parse().command {
        Command::Run(arguments) => experiment::run(&arguments, &registry),
        Command::Reproduce(arguments) => reproduce::reproduce(&arguments, &registry),
        Command::List(arguments) => list::list(&arguments, &registry),
        Command::Show { file, set } => show::show(&file, set, &registry),
        Command::Queues(arguments) => queues::show(&arguments),
        Command::Sched(command) => sched::run(&command),
        Command::Buffer(command) => buffer::run(&command, &registry),
        Command::Cache(command) => cache::run(&command),
        Command::Net(command) => net::run(&command, catalogue),
        Command::Replay(arguments) => replay::run(&arguments, catalogue),
        Command::Surge(command) => surge::run(&command),
        Command::Report { folder } => experiment::report(&folder),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            terminal::warn(failure.message.trim_end());
            ExitCode::from(failure.code)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn key_values_split_at_the_first_equals_sign() {
        assert_eq!(key_value("a=b=c"), Ok(("a".into(), "b=c".into())));
        assert!(key_value("=b").is_err() && key_value("ab").is_err());
    }
}
