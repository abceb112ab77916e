//! `forebay net train`: a training job through a network.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration as Wall, Instant};

use clap::Args;
use forebay_lab::results::number::{self, plural};
use forebay_net::network::HostConfig;
use forebay_net_run::{NetRunError, NetRunPlan, RunConfig, Session};
use forebay_scenarios::Policies;
use forebay_training::chakra::{self, ChakraConfig};
use forebay_training::generate::{GenerateError, generate, names_generator};
use forebay_training::{Job, Patterns, Plan, PlayError, Player, RankReport, Report, Span};
use forebay_units::{Bytes, Duration, Time, printable};
use serde::Serialize;

use super::progress::Progress;
use super::run::failure;
use super::{SwitchArguments, SwitchSettings, microseconds, read_by, switch, with_settings, wrong};
use crate::arguments::whole;
use crate::configured::Options;
use crate::terminal::columns;
use crate::{Failure, experiment, key_value, settings, terminal};

pub(super) const HELP: &str = "Jobs:
  pipeline:stages=8,microbatches=16      stages of a model, 1F1B or GPipe
  expert:ranks=8,layers=4,bytes=8MB      layers with experts: all-to-all before and after
  data:ranks=8,gradients=100MB           one model each; gradients all-reduced in buckets
  traces/NAME                            Chakra traces traces/NAME.0.et, traces/NAME.1.et, ...
A wrong parameter lists all. docs/training.md says what is modelled.

Ctrl-C ends the run with what is done.

Exit codes: 0 done, 1 the job did not end, 2 the input is wrong, 130 stopped.";

#[derive(Args)]
pub(crate) struct TrainArguments {
    /// The job: a generator with its parameters, or the prefix of Chakra traces (see below).
    #[arg(value_name = "JOB")]
    job: String,
    /// A topology file, or a shape such as star:8,100G,1us.
    #[arg(long, value_name = "FILE|SHAPE")]
    topology: String,
    #[command(flatten)]
    patterns: Options<Patterns>,
    /// The ranks of a group of Chakra's collectives (pg_name), as 7=0,1,4; repeat the option for
    /// more.
    #[arg(long, value_name = "NAME=RANKS", value_parser = key_value)]
    group: Vec<(String, String)>,
    /// Operations a second of an accelerator, for Chakra's computations that have no duration.
    #[arg(long, value_name = "N", value_parser = whole(1..=u64::MAX))]
    ops_per_second: Option<u64>,
    #[command(flatten)]
    hosts: Options<HostConfig>,
    #[command(flatten)]
    switches: SwitchArguments,
    #[command(flatten)]
    more: SwitchSettings,
    /// Seed of the hash that chooses among equal paths.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(0..=u64::MAX))]
    seed: u64,
    /// Stop after this much simulated time, even if the job is not done.
    #[arg(long, value_name = "SPAN")]
    give_up: Option<Duration>,
    /// Let a link fail at a time, and be repaired at a later one: 3@1ms, s0:s9@1ms-5ms; repeat the
    /// option for several failures.
    #[arg(long, value_name = "LINK@TIME[-REPAIR]")]
    fail: Vec<String>,
    /// Print when each node of this rank began and was done.
    #[arg(long, value_name = "N")]
    rank: Option<u32>,
    /// How often to report progress.
    #[arg(long, value_name = "SPAN", default_value = "5 s")]
    progress: Duration,
    /// How many ranks to print, those that end last.
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Print one JSON object instead of tables, with every rank.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &TrainArguments, policies: &Policies) -> Result<(), Failure> {
    let plan = Plan::new(job(arguments)?).map_err(|error| not_a_job(arguments, error))?;
    let net = NetRunPlan::open(&arguments.topology, config(arguments, policies)?)
        .and_then(|plan| Session::new(plan, |_, switch| switch))
        .map_err(|error| refused(error, arguments))?;
    let patterns = arguments.patterns.fill(Patterns::default())?;
    let mut player = Player::new(plan, net, patterns).map_err(|error| ended(&error))?;
    if let Some(rank) = arguments.rank {
        player.watch(rank).map_err(|error| wrong("rank", error))?;
    }
    let until = arguments.give_up.map_or(Time::MAX, |span| Time::ZERO + span);
    let result = play(&mut player, until, arguments.progress);
    let (report, spans) = (player.report(), player.spans());
    terminal::print(&if arguments.json {
        json(&report, arguments.rank.map(|_| spans))?
    } else {
        text(&report, arguments) + &nodes(&spans)
    })?;
    match result {
        Ok(Played::Done) => Ok(()),
        Ok(Played::GaveUp) => Err(Failure::new(
            format!("error: the job is not done at {until}: give a longer --give-up"),
            1,
        )),
        Ok(Played::Stopped) => Err(Failure::new("stopped".to_owned(), 130)),
        Err(error) => Err(ended(&error)),
    }
}

/// How a run ended that could go on.
enum Played {
    Done,
    GaveUp,
    Stopped,
}

/// Runs the job up to `until`, bit by bit, so that it can be stopped and tells how far it is.
fn play(player: &mut Player, until: Time, every: Duration) -> Result<Played, PlayError> {
    let stop = experiment::stop_flag_saying("results so far are printed");
    let mut progress = Progress::new(every);
    let mut step = FIRST_STEP;
    loop {
        let to = until.min(player.now() + step);
        let begin = Instant::now();
        if player.advance(to)? {
            return Ok(Played::Done);
        }
        if to == until {
            return Ok(Played::GaveUp);
        }
        if player.is_idle() {
            // The error of a job that cannot go on.
            let is_done = player.advance(until)?;
            return Ok(if is_done { Played::Done } else { Played::GaveUp });
        }
        if stop.load(Ordering::Relaxed) {
            return Ok(Played::Stopped);
        }
        step = match begin.elapsed() {
            wall if wall < SHORTEST => (step * 2).min(LARGEST_STEP),
            wall if wall > LONGEST => (step / 2).max(Duration::from_ns(1)),
            _ => step,
        };
        progress.line(|| {
            let (done, all) = player.progress();
            let now = number::time(player.now().since(Time::ZERO));
            format!("{now} simulated: {} of {} nodes done", number::count(done.into()), all)
        });
    }
}

/// The first step of a run, the largest, and how long one takes at least and at most.
const FIRST_STEP: Duration = Duration::from_us(10);
const LARGEST_STEP: Duration = Duration::from_ms(1000);
const SHORTEST: Wall = Wall::from_millis(20);
const LONGEST: Wall = Wall::from_millis(100);

/// The report, with the nodes of the rank that was asked for.
fn json(report: &Report, spans: Option<Vec<Span>>) -> Result<String, Failure> {
    #[derive(Serialize)]
    struct Whole<'a> {
        #[serde(flatten)]
        report: &'a Report,
        #[serde(skip_serializing_if = "Option::is_none")]
        nodes_of_rank: Option<Vec<Span>>,
    }
    let text = serde_json::to_string_pretty(&Whole { report, nodes_of_rank: spans });
    Ok(text.map_err(|error| Failure::new(format!("error: the report: {error}"), 1))? + "\n")
}

/// When the nodes of a rank began and were done; nothing if none was asked for.
fn nodes(spans: &[Span]) -> String {
    if spans.is_empty() {
        return String::new();
    }
    let heads = ["node", "name", "does", "began at", "done at", "took"];
    let row = |span: &Span| {
        let took = span.end_us.map(|end| end - span.begin_us);
        vec![
            span.id.to_string(),
            printable(&span.name).at_most(40).to_string(),
            span.kind.clone(),
            microseconds(span.begin_us),
            or_open(span.end_us),
            or_open(took),
        ]
    };
    let rows = std::iter::once(heads.map(str::to_owned).to_vec()).chain(spans.iter().map(row));
    format!("\n{}", columns(&rows.collect::<Vec<_>>(), 3))
}

fn job(arguments: &TrainArguments) -> Result<Job, Failure> {
    let of_traces = [
        ("group", !arguments.group.is_empty()),
        ("ops-per-second", arguments.ops_per_second.is_some()),
    ];
    let prefix = Path::new(&arguments.job);
    if is_goal(prefix) {
        return Err(not_a_job(
            arguments,
            "GOAL schedules are not read: give a generator, or Chakra traces",
        ));
    }
    if !names_generator(&arguments.job) && chakra::exists(prefix) {
        let job = chakra::read(prefix, &traces(arguments)?);
        return job.map_err(|error| Failure::input(format!("error: {error}")));
    }
    if let Some((name, _)) = of_traces.into_iter().find(|(_, given)| *given) {
        return Err(wrong(name, "it is for Chakra traces: leave it out"));
    }
    generate(&arguments.job).map_err(|error| match error {
        GenerateError::Unknown(_) => {
            not_a_job(arguments, format!("{error}, or traces, the first of which ends in .0.et"))
        }
        other => not_a_job(arguments, other),
    })
}

/// Whether a path is that of a schedule in GOAL (LogGOPSim): by its name, or by its first word.
fn is_goal(path: &Path) -> bool {
    if path.extension().is_some_and(|extension| extension == "goal") {
        return true;
    }
    let mut head = [0; 64];
    let read = File::open(path).and_then(|mut file| file.read(&mut head)).unwrap_or(0);
    head[..read].trim_ascii_start().starts_with(b"num_ranks")
}

/// The job that was given is none.
fn not_a_job(arguments: &TrainArguments, problem: impl std::fmt::Display) -> Failure {
    let job = printable(&arguments.job);
    Failure::input(format!("error: {}: {problem}", job.at_most(200)))
}

fn traces(arguments: &TrainArguments) -> Result<ChakraConfig, Failure> {
    let group = |(name, text): &(String, String)| {
        let ranks = text.split(',').map(|rank| rank.trim().parse());
        match ranks.collect::<Result<Vec<u32>, _>>() {
            Ok(ranks) => Ok((name.clone(), ranks)),
            Err(_) => Err(wrong("group", format!("{name}={text}: give ranks as 0,1,4"))),
        }
    };
    let groups = arguments.group.iter().map(group).collect::<Result<_, _>>()?;
    Ok(ChakraConfig { ops_per_second: arguments.ops_per_second, groups })
}

fn config(arguments: &TrainArguments, policies: &Policies) -> Result<RunConfig, Failure> {
    let switch = switch(&arguments.switches, &policies.switches)?;
    Ok(RunConfig {
        hosts: arguments.hosts.fill(HostConfig::among(&policies.controls))?,
        switch: with_settings(switch, &arguments.switches, &[], &arguments.more)?,
        switch_name: arguments.switches.switch.clone(),
        seed: arguments.seed,
        fail: arguments.fail.clone(),
        others: read_by(&arguments.switches),
        ..RunConfig::default()
    })
}

/// The library's error, blamed on the `--set` that gave the parameter if one did.
fn refused(error: NetRunError, arguments: &TrainArguments) -> Failure {
    match error {
        NetRunError::Parameter(error) => settings::refused(&error, &arguments.more.set),
        other => failure(other),
    }
}

/// Why the job did not end; wrong input if it could not begin.
fn ended(error: &PlayError) -> Failure {
    match error {
        PlayError::Hosts { .. } | PlayError::TooMany => wrong("topology", error),
        PlayError::Node { .. } => Failure::input(format!("error: {error}")),
        _ => Failure::new(format!("error: {error}"), 1),
    }
}

fn text(report: &Report, arguments: &TrainArguments) -> String {
    let ended = if report.done == report.nodes { "after" } else { "when the run ended at" };
    format!(
        "{}: {}, {} of {} done {ended} {}\n\n{}{}\n{}; {} lost; {}\n",
        printable(&arguments.job),
        plural(report.ranks.len() as u64, "rank", "ranks"),
        number::count(report.done.into()),
        plural(u64::from(report.nodes), "node", "nodes"),
        microseconds(report.end_us),
        iterations(&report.iteration_ends_us),
        ranks(report, arguments.top),
        plural(report.messages, "message", "messages"),
        plural(report.lost, "packet", "packets"),
        plural(report.packet_hops, "packet-hop", "packet-hops"),
    )
}

/// A time; a dash of what is not done.
fn or_open(us: Option<f64>) -> String {
    us.map_or_else(|| "–".to_owned(), microseconds)
}

/// When each iteration ended; nothing if there is one.
fn iterations(ends: &[Option<f64>]) -> String {
    if ends.len() < 2 {
        return String::new();
    }
    let heads = ["iteration", "done at", "took"].map(str::to_owned).to_vec();
    let before = std::iter::once(Some(0.0)).chain(ends.iter().copied());
    let row = |(number, (end, before)): (usize, (&Option<f64>, Option<f64>))| {
        let took = end.zip(before).map(|(end, before)| end - before);
        vec![(number + 1).to_string(), or_open(*end), or_open(took)]
    };
    let rows = ends.iter().zip(before).enumerate().map(row);
    columns(&std::iter::once(heads).chain(rows).collect::<Vec<_>>(), 1) + "\n"
}

fn ranks(report: &Report, top: usize) -> String {
    let heads = ["rank", "done at", "computed", "exposed", "", "sent"].map(str::to_owned).to_vec();
    let ranks = &report.ranks;
    // Those that are not done end last.
    let end = |rank: &RankReport| rank.end_us.unwrap_or(f64::INFINITY);
    let mut order: Vec<usize> = (0..ranks.len()).collect();
    order.sort_by(|a, b| end(&ranks[*b]).total_cmp(&end(&ranks[*a])));
    let row = |at: usize| {
        let rank = &ranks[at];
        let span = rank.end_us.unwrap_or(report.end_us).max(f64::MIN_POSITIVE);
        vec![
            at.to_string(),
            or_open(rank.end_us),
            microseconds(rank.compute_us),
            microseconds(rank.exposed_us),
            number::percent(rank.exposed_us / span, 1),
            Bytes::new(rank.sent_bytes).to_string(),
        ]
    };
    let rows = order.into_iter().take(top).map(row);
    columns(&std::iter::once(heads).chain(rows).collect::<Vec<_>>(), 1)
}
