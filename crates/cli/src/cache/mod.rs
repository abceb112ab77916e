//! `forebay cache`: caching policies on a user's trace, when misses take time.

mod bound;
mod compare;
mod latency;
mod simulate;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use forebay_cache::policies::CachePolicy;
use forebay_files::Input;
use forebay_lab::RunError;
use forebay_parameters::{Choices, ParameterError, check};
use forebay_scenarios::SimulationError;
use forebay_scenarios::delayed_hits::Contender;
use forebay_scenarios::delayed_hits::config::{ClockKind, Config};
use forebay_scenarios::delayed_hits::drive::DelayedHitsSetup;
use forebay_scenarios::delayed_hits::recorded::Recording;
use forebay_scenarios::delayed_hits::trace::Trace;
use forebay_units::{Bytes, Duration, printable};

use crate::arguments::whole;
use crate::damage::Damage;
use crate::failure::wrong;
use crate::given::Given;
use crate::settings::Decided;
use crate::{Failure, key_value, settings};

/// The subcommands of `forebay cache`.
#[derive(Subcommand)]
pub(crate) enum CacheCommand {
    /// Run policies over a trace: hits, delayed hits, misses and the mean latency of each.
    ///
    /// The trace is read once, as a stream, so its length costs no memory and it may come through a
    /// pipe. A policy that needs the future needs --in-memory. Ctrl-C is noticed every few thousand
    /// requests; if they arrive slowly, press it twice.
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
    /// Print JSON instead of text.
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
    /// The policies, each with its name.
    fn among(&self, caches: &Caches) -> Result<Vec<(&str, Contender)>, Failure> {
        let names = self.policies.iter();
        names
            .map(|name| match Contender::online(name, caches) {
                _ if name.is_empty() => {
                    let message = "error: --policies has an empty name: remove the extra comma";
                    Err(Failure::input(message.to_owned()))
                }
                Ok(policy) => Ok((&**name, policy)),
                Err(error) => Err(Failure::input(format!("error: --policies: {error}"))),
            })
            .collect()
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
    /// Print JSON instead of text.
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(crate) struct TraceArguments {
    #[command(flatten)]
    given: Given,
    /// A trace: text with columns, a line per time step ("id" or "time;id"), oracleGeneral, pcap or
    /// pcapng, also in gzip or zstd; the content tells which, also of a pipe. - is standard input.
    /// Without it, requests are generated: --set trace.kind=cdn, network, zipf-bursts, on-off.
    file: Option<PathBuf>,
    /// The cache's size in objects [default: 5 % of the most objects active at once, with
    /// --in-memory].
    #[arg(long, value_name = "N", value_parser = whole(1..=1_u64 << 31))]
    objects: Option<u64>,
    /// The cache's size in bytes of objects, as "64 MiB"; a CSV file needs --set
    /// trace.size_column=NAME.
    #[arg(long, value_name = "SIZE", conflicts_with = "objects")]
    bytes: Option<Bytes>,
    /// The latency of a miss in time steps, one request per step [default: 1000].
    #[arg(long, value_name = "STEPS", conflicts_with = "latency")]
    #[arg(value_parser = whole(0..=1_000_000_000_u64))]
    z: Option<u64>,
    /// The latency of a miss in time, as "10 ms"; requests then arrive at the trace's own times.
    #[arg(long, value_name = "SPAN")]
    latency: Option<Duration>,
    /// Any other parameter of the scenario delayed-hits.
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_value)]
    set: Vec<(String, String)>,
    /// Seed of generated requests and sampled latencies.
    #[arg(long, default_value_t = 1, value_parser = whole(1_u64..=i64::MAX as u64))]
    seed: u64,
}

impl TraceArguments {
    /// Opens the trace, if one is given, once what can be wrong without it has been looked at.
    fn open(&self) -> Result<Option<Recording>, Failure> {
        // In files zeros stand for nothing; an option can be left out instead.
        if self.bytes == Some(Bytes::ZERO) {
            return Err(wrong("bytes", "0 B hold no object; give at least 1 B"));
        }
        if self.latency == Some(Duration::ZERO) {
            return Err(wrong("latency", "it is 0 s; give a span above that"));
        }
        let Some(file) = &self.file else { return Ok(None) };
        let input = Input::of(file);
        let opened = match input.is_standard() {
            true => Recording::read(std::io::stdin(), &input.name()),
            false => Recording::open(file),
        };
        opened.map(Some).map_err(|error| self.refused("", &error))
    }

    /// The trace, of which a capture is read now, and how that ended.
    fn whole(&self, trace: Option<Recording>) -> Result<(Option<Recording>, Damage), Failure> {
        let trace = trace.map(Recording::captured).transpose();
        let (trace, mut damage) =
            (trace.map_err(|error| self.refused("", &error))?, Damage::default());
        let name = self.named().unwrap_or_default();
        damage.note(&name, trace.as_ref().map_or(&[], Recording::warnings), None);
        Ok((trace, damage))
    }

    /// What the trace is called in messages, if one is given.
    fn named(&self) -> Option<String> {
        self.file.as_ref().map(|file| Input::of(file).name())
    }

    /// The configuration of a policy as these arguments set it, over this trace if there is one.
    fn config(&self, policy: Contender, trace: Option<&Recording>) -> Result<Config, Failure> {
        let mut config = Config { measure: None, ..Config::new(policy) };
        let recorded = trace.map(Recording::kind);
        let Config { trace, store, cache, .. } = &mut config;
        if let Some(kind) = recorded {
            trace.file = self.named().unwrap_or_default();
            trace.kind = kind;
            trace.requests = 1_000_000_000_000; // all of it
        }
        (cache.objects, cache.bytes) = (self.objects, self.bytes);
        store.z = self.z.unwrap_or(store.z);
        if self.latency.is_some() {
            store.latency = self.latency;
            trace.clock = ClockKind::Time;
        }
        settings::set(std::slice::from_mut(&mut config), &self.set, &self.decided())
            .and_then(|()| check(&mut config))
            .and_then(|()| config.check_sizes())
            .and_then(|()| self.check_read(&config).map(|()| config))
            .map_err(|error| self.refused("", &error))
    }

    /// The configurations of policies, over one trace.
    fn configs(
        &self,
        policies: &[(&str, Contender)],
        trace: Option<&Recording>,
    ) -> Result<Vec<Config>, Failure> {
        let config = |(_, contender): &(&str, Contender)| {
            let config = self.config(contender.clone(), trace)?;
            self.check_seed(&config).map(|()| config)
        };
        policies.iter().map(config).collect()
    }

    /// That the seed is read, by what is not the program of an optimum.
    fn check_seed(&self, config: &Config) -> Result<(), Failure> {
        let instead =
            "what is drawn at random: a trace of --set trace.kind=cdn, or --set store.kind=sampled";
        self.given.read_if("seed", config.draws(), "a trace and latencies that are given", instead)
    }

    /// What options give, so that `--set` may not.
    fn decided(&self) -> Vec<Decided<'static>> {
        let options = [
            ("trace.file", "given as FILE, too", self.file.is_some()),
            ("cache.objects", "given as --objects, too", self.objects.is_some()),
            ("cache.bytes", "given as --bytes, too", self.bytes.is_some()),
            ("store.z", "given as --z, too", self.z.is_some()),
            ("store.latency", "given as --latency, too", self.latency.is_some()),
        ];
        let given = options.into_iter().filter(|(_, _, is_given)| *is_given);
        given.map(|(name, by, _)| (name, by)).collect()
    }

    /// That the file is read, and a span of time can be waited.
    fn check_read(&self, config: &Config) -> Result<(), ParameterError> {
        if self.latency.is_some() && config.trace.kind.counts_steps() {
            let problem = "the requests of this kind of trace have no times; give --z, in steps";
            return Err(ParameterError::value("store.latency", problem));
        }
        if self.file.is_none() || config.trace.kind.is_recorded() {
            return Ok(());
        }
        let problem = "a generated trace reads no file; leave out FILE, or the kind";
        Err(ParameterError::value("trace.kind", problem))
    }

    /// What is wrong with a parameter, called as these arguments call it.
    fn refused(&self, policy: &str, error: &ParameterError) -> Failure {
        let is_set = |name| self.set.iter().any(|(key, _)| key == name);
        // The trace and the size of the cache are the same for all policies.
        let is_of_all = error.name().starts_with("trace.") || error.name() == "cache.objects";
        let policy = if is_of_all { "" } else { policy };
        let sentence = error.sentence();
        let file = self.named();
        let named = match &file {
            // What a reader says of a place names the file.
            Some(file) if !sentence.contains(&printable(file).to_string()) => format!("{file}: "),
            Some(_) | None => String::new(),
        };
        let name = match error.name() {
            "trace.file" if file.is_some() => &named,
            "trace.requests" if file.is_some() => &named,
            "cache.objects" if !is_set("cache.objects") && !is_set("objects") => "--objects: ",
            "cache.bytes" if self.bytes.is_some() => "--bytes: ",
            "store.z" if self.z.is_some() => "--z: ",
            "store.latency" if self.latency.is_some() => "--latency: ",
            _ => {
                let blamed = settings::Blamed { option: "set", error, given: &self.set };
                return Failure::input(format!("error: {policy}{blamed}"));
            }
        };
        Failure::input(format!("error: {policy}{name}{sentence}"))
    }

    /// The error of a policy's run.
    fn failed(&self, policy: &str, error: &SimulationError) -> Failure {
        match error {
            SimulationError::Parameter(error) => self.refused(&format!("{policy}: "), error),
            SimulationError::Run(RunError::Stopped) => Failure::new("stopped".to_owned(), 130),
            SimulationError::Run(RunError::Failed(problem)) => {
                Failure::input(format!("error: {policy}: {problem}"))
            }
        }
    }
}

/// What `run` makes of each policy over one trace, which is read once and held.
fn over_one_trace<'a, T>(
    arguments: &TraceArguments,
    configs: impl Iterator<Item = (&'a str, &'a Config)>,
    recording: Option<Recording>,
    run: impl Fn(&str, &DelayedHitsSetup) -> Result<T, SimulationError>,
) -> Result<Vec<T>, Failure> {
    let (mut recording, mut held, mut found) = (recording, None, Vec::new());
    for (policy, config) in configs {
        let failed = |error: SimulationError| arguments.failed(policy, &error);
        let trace = match held.take() {
            Some(trace) => trace,
            None => Trace::over(&config.trace, arguments.seed, recording.take())
                .map_err(|error| failed(error.into()))?,
        };
        let setup = DelayedHitsSetup::over(config, arguments.seed, trace)
            .map_err(|error| failed(error.into()))?;
        found.push(run(policy, &setup).map_err(failed)?);
        held = Some(setup.into_trace());
    }
    Ok(found)
}

/// The policies that there are.
type Caches = Choices<dyn CachePolicy>;

pub(crate) fn run(command: &CacheCommand, caches: &Caches) -> Result<(), Failure> {
    match command {
        CacheCommand::Simulate(arguments) => simulate::simulate(arguments, caches),
        CacheCommand::Compare(arguments) => compare::compare(arguments, caches),
        CacheCommand::Bound(arguments) => bound::bound(arguments),
    }
}
