//! `forebay buffer compare`: sends an incast into a configuration's queue, as an experiment.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use forebay_lab::run::store::{StoreError, writable, write_whole};
use forebay_lab::{ConfigErrors, Experiment, Overrides, Point, PolicyInfo, ScenarioRegistry};
use forebay_parameters::{Kind, Value, grouped};
use forebay_scenarios::Policies;
use forebay_scenarios::sonic::Sonic;
use forebay_sonic::Config;
use forebay_sonic::config::Threshold;
use forebay_sonic::play::Burst;
use forebay_units::{Bytes, Rate};

use super::arguments::CompareArguments;
use super::compared::{self, Compared};
use super::incast::{Incast, find};
use super::told::told;
use super::uplinks::SLOWEST;
use super::whole::{self, Whole};
use super::written::{PARTS, Written};
use super::{load, value};
use crate::terminal::{self, wrapped};
use crate::{Failure, experiment};

/// The largest burst, far above any switch's buffer.
const LARGEST_BURST: Bytes = Bytes::new(10_000_000_000);

/// A burst that is played.
enum Game<'a> {
    /// Into a queue of an egress pool, with nothing else.
    Egress(Incast<'a>),
    /// Through the whole switch.
    Whole(Whole<'a>),
}

impl Game<'_> {
    fn place(&self) -> String {
        match self {
            Game::Egress(incast) => incast.place(),
            Game::Whole(whole) => whole.place(),
        }
    }

    fn experiment(&self) -> Written {
        match self {
            Game::Egress(incast) => incast.experiment(),
            Game::Whole(whole) => whole.experiment(),
        }
    }

    fn assumptions(&self) -> Vec<String> {
        match self {
            Game::Egress(incast) => incast.assumptions(),
            Game::Whole(whole) => whole.assumptions(),
        }
    }
}

/// What the arguments and the configuration say is played.
fn game<'a>(
    config: &'a Config,
    arguments: &'a CompareArguments,
    policies: &Policies,
    registry: &ScenarioRegistry,
) -> Result<Game<'a>, Failure> {
    let (bytes, rate) = (bytes(arguments)?, sender_rate(arguments)?);
    let compared = |scenario| Compared::read(arguments, policies, registry, scenario);
    let member = *find(config, arguments)?;
    let lossless = config.is_lossless(member.port, member.index);
    let burst = classes(arguments, lossless)?;
    let fixed = matches!(config.profile_of(&member).threshold, Threshold::Static(_));
    if burst != Burst::Lossy || arguments.ingress || fixed {
        let compared = compared(whole::SCENARIO)?;
        return Whole::new(config, burst, arguments, compared, bytes, rate).map(Game::Whole);
    }
    if arguments.cable.is_some() {
        return Err(Failure::input(
            "error: --cable: an egress pool alone has no cables; leave it out, or give --ingress",
        ));
    }
    let compared = compared(compared::SCENARIO)?;
    Incast::new(config, member, arguments, compared, bytes, rate).map(Game::Egress)
}

/// Which classes get the burst: what --burst says, or what the queues are that are named.
fn classes(arguments: &CompareArguments, lossless: bool) -> Result<Burst, Failure> {
    let named = arguments.queue.is_none() && arguments.lossless_queue.is_some();
    let implied = if lossless || named { Burst::Lossless } else { Burst::Lossy };
    let burst = arguments.burst.map_or(implied, Burst::from);
    let refused = |problem: &str| Err(Failure::input(format!("error: {problem}")));
    if arguments.lossless_queue.is_some() && !burst.lossless() {
        let problem = "--lossless-queue: the burst is lossy; leave it out, or give --burst both";
        return refused(problem);
    }
    if burst == Burst::Lossless
        && let (Some(queue), Some(other)) = (arguments.queue, arguments.lossless_queue)
        && queue != other
    {
        let problem = "--queue, --lossless-queue: a lossless burst has one queue; leave one out, \
                       or give --burst both";
        return refused(problem);
    }
    if arguments.response.is_some() && !burst.lossless() {
        let problem = "--response: a lossy burst is not paused; leave it out, or give --burst both";
        return refused(problem);
    }
    Ok(burst)
}

/// Builds the experiment, keeps its file beside the results, runs it.
pub(super) fn compare(
    arguments: &CompareArguments,
    policies: &Policies,
    registry: &ScenarioRegistry,
) -> Result<(), Failure> {
    let (config, bytes) = load(&arguments.file)?;
    let game = game(&config, arguments, policies, registry)?;
    let written = game.experiment();
    let out = out(arguments, &game.place());
    let file = out.join("experiment.toml");
    let unwritten = |error: StoreError| Failure::new(format!("error: {error}"), 1);
    if let Game::Whole(_) = game {
        // The experiment reads it.
        let copy = out.join(whole::COPY);
        writable(&out).and_then(|()| write_whole(&copy, &bytes)).map_err(unwritten)?;
    }
    let experiment = Experiment::read(
        &file.display().to_string(),
        written.text.as_bytes(),
        match game {
            Game::Egress(_) => Path::new("."),
            Game::Whole(_) => &out,
        },
        &Overrides::default(),
        registry,
    )
    .map_err(|errors| refused(&errors, &written))?;
    let mut assumed = "Assumed\n".to_owned();
    for assumption in game.assumptions() {
        assumed += &wrapped(&format!("- {assumption}"), 100, "  ");
    }
    terminal::print(&assumed)?;
    // Before the report, which links to it.
    writable(&out).and_then(|()| write_whole(&file, written.text.as_bytes())).map_err(unwritten)?;
    let stop = experiment::stop_flag();
    experiment::run_one(&experiment, &out, None, &stop, |name| written.option_of(name).to_owned())?;
    if let Game::Whole(_) = game {
        terminal::print(&stories(&experiment, policies, &stop)?)?;
    }
    terminal::print(&format!("experiment: {}\n", file.display()))
}

/// What happened at the largest burst under each policy.
fn stories(
    experiment: &Experiment,
    policies: &Policies,
    stop: &AtomicBool,
) -> Result<String, Failure> {
    let params = experiment.at_point(experiment.point_count() - 1);
    let sonic = Sonic::new(&policies.switches);
    let story = |policy: &PolicyInfo| {
        let point = Point { params: &params, policy: &policy.name, seed: 1 };
        sonic.story(&point, stop).map_err(|error| Failure::new(format!("error: {error}"), 1))
    };
    let all = experiment.policies.iter().map(story).collect::<Result<Vec<_>, _>>()?;
    let burst = params.parameter("workload.burst_bytes").map(|one| one.value.to_string());
    Ok(told(&all, &burst.unwrap_or_default()))
}

/// What is wrong with the experiment, which the user has not written, at the option or the entry of
/// the configuration that says it.
fn refused(errors: &ConfigErrors, written: &Written) -> Failure {
    let lines = errors.0.iter().map(|error| {
        let line = error.position().map(|position| position.line);
        let said_by = line.and_then(|line| written.source_of_line(line));
        let problem = error.problem();
        said_by.map_or_else(
            || format!("error: {problem}"),
            |said_by| format!("error: {said_by}: {problem}"),
        )
    });
    Failure::input(lines.collect::<Vec<_>>().join("\n"))
}

/// The largest burst, if given.
fn bytes(arguments: &CompareArguments) -> Result<Option<Bytes>, Failure> {
    let Some(text) = &arguments.bytes else { return Ok(None) };
    let least = PARTS * u64::from(arguments.packet);
    match value("bytes", text, Kind::Bytes)? {
        Value::Bytes(bytes) if (least..=LARGEST_BURST.get()).contains(&bytes.get()) => {
            Ok(Some(bytes))
        }
        _ => Err(Failure::input(format!(
            "error: --bytes: {text} is out of range; give {} B ({PARTS} packets) to \
             {LARGEST_BURST}",
            grouped(least)
        ))),
    }
}

/// The rate of a sender, if given.
fn sender_rate(arguments: &CompareArguments) -> Result<Option<Rate>, Failure> {
    let Some(text) = &arguments.sender_rate else { return Ok(None) };
    match value("sender-rate", text, Kind::Rate)? {
        Value::Rate(rate) if rate >= SLOWEST => Ok(Some(rate)),
        _ => Err(Failure::input(format!(
            "error: --sender-rate: {text} is too slow; give {SLOWEST} or more"
        ))),
    }
}

/// The results folder.
fn out(arguments: &CompareArguments, place: &str) -> PathBuf {
    if let Some(folder) = &arguments.out {
        return folder.clone();
    }
    let stem = arguments
        .file
        .file_stem()
        .map_or_else(|| "config_db".into(), |stem| stem.to_string_lossy());
    // A port's name may contain anything, even a slash.
    let clean = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '_' };
    let name: String =
        format!("{stem}-{place}-incast{}", arguments.incast).chars().map(clean).collect();
    Path::new("results").join("buffer").join(name)
}
