//! `forebay cache`: caching policies on a user's trace, when misses take time.

mod bound;
mod compare;
mod simulate;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use forebay_lab::{ConfigError, Resolved, Scenario};
use forebay_scenarios::delayed_hits::{DelayedHits, drive};

use crate::{Failure, key_value};

/// The subcommands of `forebay cache`.
#[derive(Subcommand)]
pub(crate) enum CacheCommand {
    /// Run policies over a trace: hits, delayed hits, misses and the mean latency of each.
    ///
    /// The trace is read as a stream, so its length costs no memory. A policy that needs the future
    /// needs --in-memory. Ctrl-C is noticed every few thousand requests; if they arrive slowly,
    /// press it twice.
    Simulate(SimulateArguments),
    /// Compare policies in pairs, by the hit rate of the classical model and by latency. Holds the
    /// trace in memory.
    Compare(CompareArguments),
    /// Bound the least latency that any schedule of a trace can reach, from below and above.
    Bound(bound::BoundArguments),
}

#[derive(Args)]
pub(crate) struct CompareArguments {
    #[command(flatten)]
    trace: TraceArguments,
    #[command(flatten)]
    policies: PolicyArguments,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(crate) struct PolicyArguments {
    /// The policies, separated by commas; `forebay list` shows all.
    #[arg(long, value_name = "NAMES", default_value = "lru,lru-mad", value_delimiter = ',')]
    policies: Vec<String>,
}

impl PolicyArguments {
    /// The names, each of which must be a policy.
    fn names(&self) -> Result<&[String], Failure> {
        for name in &self.policies {
            if name.is_empty() {
                let message = "error: --policies has an empty name: remove the extra comma";
                return Err(Failure::input(message.to_owned()));
            }
            drive::check_policy(name).map_err(|error| Failure::input(format!("error: {error}")))?;
        }
        Ok(&self.policies)
    }
}

#[derive(Args)]
pub(crate) struct SimulateArguments {
    #[command(flatten)]
    trace: TraceArguments,
    #[command(flatten)]
    policies: PolicyArguments,
    /// Hold the trace in memory: needed for policies that need the future, and for cache sizes as a
    /// share of the trace's objects.
    #[arg(long)]
    in_memory: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(crate) struct TraceArguments {
    /// A trace: .csv, .pcap, .pcapng, .oracleGeneral or .bin, or one line per time step. Without
    /// it, requests are generated: --set trace.kind=cdn, network, zipf-bursts, on-off.
    file: Option<PathBuf>,
    /// The cache's size in objects [default: 5 % of the most objects active at once, with
    /// --in-memory].
    #[arg(long, value_name = "N")]
    objects: Option<u64>,
    /// The cache's size in bytes of objects, as "64 MiB"; a CSV file needs --set
    /// trace.size_column=NAME.
    #[arg(long, value_name = "SIZE", conflicts_with = "objects")]
    bytes: Option<String>,
    /// The latency of a miss in time steps, one request per step [default: 1000].
    #[arg(long, value_name = "STEPS", conflicts_with = "latency")]
    z: Option<u64>,
    /// The latency of a miss in time, as "10 ms"; requests then arrive at the trace's own times.
    #[arg(long, value_name = "SPAN")]
    latency: Option<String>,
    /// Any other parameter of the scenario delayed-hits.
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_value)]
    set: Vec<(String, String)>,
    /// Seed of generated requests and sampled latencies.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=i64::MAX as u64))]
    seed: u64,
}

impl TraceArguments {
    /// The scenario's parameters as these arguments set them; what is wrong with one names its argument.
    fn params(&self) -> Result<Resolved, Failure> {
        self.resolved().map_err(|error| Failure::input(format!("error: {error}")))
    }

    fn resolved(&self) -> Result<Resolved, ConfigError> {
        let mut params = Resolved::with_settings(DelayedHits.params(), &[])?;
        if let Some(file) = &self.file {
            params.set("trace.kind", format_of(file), None)?;
            params.set("trace.file", &file.display().to_string(), Some(""))?;
            // All of it.
            params.set("trace.requests", "1000000000000", None)?;
        }
        if let Some(objects) = self.objects {
            params.set("cache.objects", &objects.to_string(), Some("--objects "))?;
        }
        if let Some(bytes) = &self.bytes {
            params.set("cache.bytes", bytes, Some("--bytes "))?;
        }
        if let Some(z) = self.z {
            params.set("store.z", &z.to_string(), Some("--z "))?;
        }
        if let Some(latency) = &self.latency {
            params.set("store.latency", latency, Some("--latency "))?;
            params.set("trace.clock", "time", None)?;
        }
        for (name, text) in &self.set {
            params.set(name, text, None)?;
        }
        Ok(params)
    }
}

/// The format that a file's name implies.
fn format_of(file: &Path) -> &'static str {
    let extension = file.extension().map(|end| end.to_string_lossy().to_ascii_lowercase());
    match extension.as_deref() {
        Some("csv") => "csv",
        Some("pcap" | "pcapng" | "cap") => "capture",
        Some("oraclegeneral" | "bin") => "oracle-general",
        _ => "steps",
    }
}

pub(crate) fn run(command: &CacheCommand) -> Result<(), Failure> {
    match command {
        CacheCommand::Simulate(arguments) => simulate::simulate(arguments),
        CacheCommand::Compare(arguments) => compare::compare(arguments),
        CacheCommand::Bound(arguments) => bound::bound(arguments),
    }
}
