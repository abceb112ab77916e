//! The `forebay` command: run experiments, list what there is, rebuild reports.
//!
//! [`main`] is the whole program, over the policies and scenarios that it is given: a crate that
//! adds its own gets them in every command and report, as `examples/own-policy` does:
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! use forebay_scenarios::Policies;
//!
//! fn main() -> ExitCode {
//!     let policies = Policies::default(); // and policies.caches.with(mine)?
//!     forebay_cli::main(&policies, || forebay_scenarios::registry(&policies)) // and .with(Mine)
//! }
//! ```
//!
//! Exit codes: 0 done, 1 a run failed, 2 the input is wrong, 130 stopped by the user.
#![forbid(unsafe_code)]

mod arguments;
mod buffer;
mod cache;
mod configured;
mod damage;
mod doctor;
mod experiment;
mod failure;
mod folder;
mod given;
#[cfg(all(target_os = "linux", feature = "live"))]
mod link;
mod list;
mod net;
mod new;
mod packaged;
#[cfg(any(feature = "proxy", all(target_os = "linux", feature = "view")))]
mod page;
mod progress;
#[cfg(feature = "proxy")]
mod proxy;
mod queues;
#[cfg(all(target_os = "linux", feature = "live"))]
mod recorded;
mod replay;
mod reproduce;
mod sched;
mod schema;
mod settings;
mod shell;
mod show;
mod summary;
mod surge;
#[cfg(all(target_os = "linux", feature = "live"))]
mod switch;
mod terminal;
#[cfg(all(target_os = "linux", feature = "view"))]
mod view;

use std::ffi::OsString;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;
use forebay_lab::ScenarioRegistry;
use forebay_scenarios::Policies;
use forebay_units::printable;

use experiment::RunArguments;
pub(crate) use failure::Failure;
#[cfg(all(target_os = "linux", feature = "live"))]
pub use recorded::read_recording;
pub(crate) use settings::key_value;
#[cfg(all(target_os = "linux", feature = "live"))]
pub use switch::{BuiltLab, build_lab};

/// Forebay: everything a network device decides about what waits.
///
/// The laboratory runs published schemes under the same conditions and reproduces the papers'
/// figures. An experiment is a TOML file; its results are tables (CSV and Parquet) and one HTML
/// report.
#[derive(Parser)]
#[command(name = "forebay", version, after_help = examples(BUILT))]
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
  forebay link 20M,25ms --switch fq-codel -- COMMAND        a real link with real packets (Linux)
  forebay switch star:4,100M,1ms                            hosts and switches with real packets (Linux)
  forebay proxy --origin http://127.0.0.1:9000              a caching HTTP proxy that knows delayed hits
  forebay sched check experiments/trees/tenants.tree        a scheduling tree, and its mistakes
  forebay surge reassemble CAPTURE.pcap                     a real reassembler under attack, by policy

A stopped or killed run resumes where it was: give the same command again.";

/// Whether there are real packets, and a proxy.
const BUILT: [bool; 2] =
    [cfg!(all(target_os = "linux", feature = "live")), cfg!(feature = "proxy")];

/// The examples of what is built in.
fn examples([live, proxy]: [bool; 2]) -> String {
    let is_built = |line: &&str| {
        let is = |command: &str| line.trim_start().starts_with(&format!("forebay {command} "));
        (live || !is("link") && !is("switch")) && (proxy || !is("proxy"))
    };
    EXAMPLES.lines().filter(is_built).collect::<Vec<_>>().join("\n")
}

#[derive(Subcommand)]
enum Command {
    /// Run experiments and write their tables and reports.
    ///
    /// Finished runs are stored one by one and never computed twice; Ctrl-C stops and keeps them.
    Run(RunArguments),
    /// Reproduce the papers: run all their experiments, the most valuable first, and write pages
    /// about the results.
    Reproduce(reproduce::Arguments),
    /// List experiments, scenarios, policies and what parameters can name, and how much processor
    /// time experiments take.
    List(list::Arguments),
    /// Show every parameter of an experiment, or of a scenario: value, source and meaning.
    Show {
        /// The experiment, - for standard input; or a scenario's name: then also its policies,
        /// metrics and series.
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
    /// Examine the buffer configuration of a SONiC switch.
    #[command(subcommand)]
    Buffer(buffer::BufferCommand),
    /// Try caching policies on a trace when misses take time.
    #[command(subcommand)]
    Cache(cache::CacheCommand),
    /// Simulate a network packet by packet, with flows of your own.
    #[command(subcommand)]
    Net(net::NetCommand),
    /// Drive a switch with a real capture: what leaves, what is lost and why, how long packets
    /// take.
    #[command(after_help = replay::HELP)]
    Replay(Box<replay::Arguments>),
    /// Run a command behind an emulated link, whose real packets any switch decides about (Linux).
    #[cfg(all(target_os = "linux", feature = "live"))]
    #[command(after_help = link::HELP)]
    Link(Box<link::Arguments>),
    /// Hosts in namespaces, joined by switches that any policy governs, with real packets (Linux).
    #[cfg(all(target_os = "linux", feature = "live"))]
    #[command(after_help = switch::HELP)]
    Switch(Box<switch::Arguments>),
    /// Cache HTTP in front of origins: one fetch for all who wait; what is slow to fetch is kept.
    #[cfg(feature = "proxy")]
    #[command(after_help = proxy::HELP)]
    Proxy(Box<proxy::Arguments>),
    /// Attack a processor whose packets take unequal time, in the model or for real, and protect
    /// it.
    #[command(subcommand)]
    Surge(surge::SurgeCommand),
    /// Write something to begin with: a policy in Rust, an experiment, a lab, a scheduling tree.
    #[command(after_help = new::HELP)]
    New(new::Arguments),
    /// What of this machine can be used, what for, and how to get what is not there.
    #[command(after_help = doctor::HELP)]
    Doctor(doctor::Arguments),
    /// Print the form of a kind of file as JSON Schema, with which editors complete and check.
    #[command(after_help = schema::HELP)]
    Schema {
        /// The kind of file.
        #[arg(value_name = "KIND")]
        of: schema::Of,
    },
    /// Print what lets a shell complete this command.
    #[command(after_help = shell::COMPLETIONS_HELP)]
    Completions {
        /// The shell.
        #[arg(value_name = "SHELL")]
        shell: Shell,
    },
    /// Write the manual, a page for each command, into a folder.
    #[command(after_help = shell::MAN_HELP)]
    Man {
        /// The folder; it is made if it is not there.
        folder: PathBuf,
    },
    /// Rebuild the report of stored results, without running anything.
    Report {
        /// A results folder.
        folder: PathBuf,
    },
}

/// Reads the program's arguments, does what they say with these policies and the scenarios of
/// `registry`, and says how it ended.
///
/// The registry is asked for where scenarios are needed: to check what they declare takes longer
/// than to start.
#[must_use]
pub fn main<E: Display>(
    policies: &Policies,
    registry: impl FnOnce() -> Result<ScenarioRegistry, E>,
) -> ExitCode {
    let packaged = packaged::beside_program();
    ExitCode::from(main_with(std::env::args_os(), packaged.as_deref(), policies, registry))
}

/// The same with these arguments, of which the first is the program's name; the exit code as a
/// number; `packaged` is the folder with the experiments of its package, if it has some. For a
/// program that is not the command itself, as an interpreter.
#[must_use]
pub fn main_with<E: Display>(
    arguments: impl IntoIterator<Item = OsString>,
    packaged: Option<&Path>,
    policies: &Policies,
    registry: impl FnOnce() -> Result<ScenarioRegistry, E>,
) -> u8 {
    let parsed = with_negative_numbers(Cli::command()).try_get_matches_from(arguments);
    let cli = match parsed.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(asked) => return shown(&asked),
    };
    ended(done(cli.command, packaged, policies, || {
        registry().map_err(|error| Failure::input(format!("error: {error}")))
    }))
}

/// Does what a command says; the exit code, if nothing failed.
fn done(
    command: Command,
    packaged: Option<&Path>,
    policies: &Policies,
    registry: impl FnOnce() -> Result<ScenarioRegistry, Failure>,
) -> Result<u8, Failure> {
    match command {
        Command::Run(arguments) => experiment::run(&arguments, &registry()?),
        Command::Reproduce(arguments) => reproduce::reproduce(&arguments, packaged, &registry()?),
        Command::List(arguments) => list::list(&arguments, packaged, policies, &registry()?),
        Command::Show { file, set } => show::show(&file, set, &registry()?),
        Command::Queues(arguments) => queues::show(&arguments),
        Command::Sched(command) => sched::run(&command, &policies.switches),
        Command::Buffer(command) => buffer::run(&command, policies, registry),
        Command::Cache(command) => cache::run(&command, &policies.caches),
        Command::Net(command) => net::run(&command, policies),
        Command::Replay(arguments) => replay::run(&arguments, &policies.switches),
        #[cfg(all(target_os = "linux", feature = "live"))]
        Command::Link(arguments) => return link::run(&arguments, &policies.switches),
        #[cfg(all(target_os = "linux", feature = "live"))]
        Command::Switch(arguments) => switch::run(&arguments, &policies.switches),
        #[cfg(feature = "proxy")]
        Command::Proxy(arguments) => proxy::run(&arguments),
        Command::Surge(command) => surge::run(&command, &policies.jobs),
        Command::New(arguments) => new::new(&arguments),
        Command::Doctor(arguments) => doctor::doctor(&arguments),
        Command::Schema { of } => schema::show(of, policies, registry),
        Command::Completions { shell } => shell::completions(Cli::command(), shell, policies),
        Command::Man { folder } => {
            folder::not_a_stream(&folder).and_then(|()| shell::man(Cli::command(), &folder))
        }
        Command::Report { folder } => experiment::report(&folder),
    }?;
    Ok(0)
}

/// The same, where a negative number is the value of the option before it: one that takes none says
/// so, instead of that there is no such option.
fn with_negative_numbers(command: clap::Command) -> clap::Command {
    command
        .mut_args(|argument| match argument.get_action().takes_values() {
            true => argument.allow_negative_numbers(true),
            false => argument,
        })
        .mut_subcommands(with_negative_numbers)
}

/// Prints the help or the version that was asked for, or what is wrong with the arguments.
fn shown(asked: &clap::Error) -> u8 {
    if let Some(message) = arguments::refused(asked) {
        return ended(Err(Failure::input(message)));
    }
    if !asked.use_stderr() {
        return ended(terminal::written(asked.print()).map(|()| 0));
    }
    let plain = asked.render().to_string();
    match printable(&plain).in_lines().to_string() == plain {
        // In colours, if standard error has some.
        true => drop(asked.print()),
        false => terminal::warn(plain.trim_end()),
    }
    u8::try_from(asked.exit_code()).unwrap_or(2)
}

/// The exit code of what was done, after the reason of a failure.
fn ended(result: Result<u8, Failure>) -> u8 {
    match result {
        Ok(code) => code,
        Err(failure) => {
            terminal::warn(failure.message.trim_end());
            failure.code
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn examples_are_of_what_is_built_in() {
        assert_eq!(examples([true, true]), EXAMPLES);
        let few = examples([false, false]);
        let gone = ["forebay link ", "forebay switch ", "forebay proxy "];
        assert!(gone.iter().all(|command| EXAMPLES.contains(command) && !few.contains(command)));
        assert_eq!(few.lines().count() + gone.len(), EXAMPLES.lines().count());
    }

    #[test]
    fn scenarios_are_asked_for_where_they_are_needed() {
        let policies = Policies::default();
        let ended = |words: &[&str]| {
            let words = words.iter().map(OsString::from);
            main_with(words, None, &policies, || Err("they cannot be"))
        };
        assert_eq!(ended(&["forebay", "--version"]), 0);
        assert_eq!(ended(&["forebay", "list"]), 2);
    }
}
