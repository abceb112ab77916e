//! `forebay surge`: schedulers in front of processors whose packets take unequal time, under attack
//! (thesis chapter 3).

mod buffer;
mod live;
mod model;
mod processors;
mod run;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use forebay_files::Input;
use forebay_lab::results::number::plural;
use forebay_surge::estimate::DEFAULT_HALF_LIFE;
use forebay_surge_processors::driver::Clock;
use forebay_surge_processors::rules::{MAX_BACKTRACKS, MatchConfig, Matcher};
use forebay_surge_processors::{EXAMPLE_RULES, Packet, read_packets};
use forebay_units::Time;
use forebay_workload::{CaptureLimits, open_capture};
use rustix::time::{ClockId, clock_gettime};

use crate::arguments::whole;
use crate::damage::Damage;
use crate::{Failure, terminal};
use buffer::{Jobs, failed};

/// The subcommands of `forebay surge`.
#[derive(Subcommand)]
pub(crate) enum SurgeCommand {
    /// Compute displacement factors in the model: every policy under its optimal attack.
    Df(model::DfArguments),
    /// Let an adversary search for the attack that displaces most, and report the worst one found.
    Attack(model::AttackArguments),
    /// Measure how long each packet of a capture and of an attack takes, and write a recording.
    ///
    /// Times are CPU times of this machine and differ from run to run; a replay of the recording
    /// (the scenario surge, traffic.model = recorded) does not.
    Measure(processors::MeasureArguments),
    /// Attack a real TCP reassembler with out-of-order segments, under each policy.
    ///
    /// Arrivals are virtual, service times are CPU times of this machine, so results differ from
    /// run to run.
    Reassemble(processors::ReassembleArguments),
    /// Attack a real rule matcher with payloads that backtrack, under each policy.
    ///
    /// Arrivals are virtual, service times are CPU times of this machine, so results differ from
    /// run to run.
    Match(processors::MatchArguments),
    /// Process packets behind a scheduler while their capture is being written.
    ///
    /// For example: dumpcap -q -i eth0 -P -w - | forebay surge live
    Live(live::LiveArguments),
}

pub(crate) fn run(command: &SurgeCommand, jobs: &Jobs) -> Result<(), Failure> {
    match command {
        SurgeCommand::Df(arguments) => model::df(arguments, jobs),
        SurgeCommand::Attack(arguments) => model::attack(arguments, jobs),
        SurgeCommand::Measure(arguments) => processors::measure(arguments),
        SurgeCommand::Reassemble(arguments) => processors::reassemble(arguments, jobs),
        SurgeCommand::Match(arguments) => processors::match_rules(arguments, jobs),
        SurgeCommand::Live(arguments) => live::live(arguments, jobs),
    }
}

/// What a matcher looks for.
#[derive(Args)]
struct RuleArguments {
    /// Snort-like rules [default: the shipped examples].
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    /// How often an expression may backtrack in one payload, 1 to 10 million.
    #[arg(long, value_name = "N", default_value_t = 3500,
          value_parser = whole(1_u32..=MAX_BACKTRACKS))]
    backtracks: u32,
}

/// How the time of a rule is estimated.
#[derive(Args)]
struct RatioArguments {
    /// After how many jobs half of what was learned about a rule is forgotten; 0 for never, as in
    /// the paper.
    #[arg(long, value_name = "JOBS", default_value_t = DEFAULT_HALF_LIFE, value_parser = whole(0..=u64::MAX))]
    half_life: u64,
}

/// The packets of captures, one file after the other; of a damaged or truncated file, those before
/// the damage.
fn packets(files: &[PathBuf]) -> Result<(Vec<Packet>, Damage), Failure> {
    let (mut all, mut damage) = (Vec::new(), Damage::default());
    for file in files {
        let input = Input::of(file);
        let (name, limits) = (input.name(), CaptureLimits::default());
        let read = match input.is_standard() {
            true => read_packets(std::io::stdin(), &name, limits),
            false => open_capture(file).and_then(|open| read_packets(open, &name, limits)),
        };
        let read = read.map_err(|error| failed(&error))?;
        warn_of_cut(&name, read.cut);
        damage.note(&name, &read.warnings, read.damage);
        all.extend(read.packets);
    }
    Ok((all, damage))
}

/// Says so if a capture has only parts of packets: no rule matches what is not there.
fn warn_of_cut(name: &str, cut: u64) {
    if cut > 0 {
        terminal::warn(&format!(
            "  {name}: {} cut when captured; give whole payloads",
            plural(cut, "packet was", "packets were")
        ));
    }
}

fn cannot_read(file: &Path, error: &std::io::Error) -> Failure {
    Failure::unread(
        file.display(),
        error,
        "give the path of a file that is there and yours to read",
    )
}

/// The largest file of rules, in bytes: several times all public rules together.
const LARGEST_RULES: u64 = 256 << 20;

/// A matcher for the rules in a file, or for the shipped examples; bad rules are reported.
fn matcher(arguments: &RuleArguments) -> Result<Matcher, Failure> {
    let text = match &arguments.rules {
        Some(file) => {
            forebay_files::read(file, LARGEST_RULES).map_err(|error| cannot_read(file, &error))?
        }
        None => EXAMPLE_RULES.as_bytes().to_vec(),
    };
    let config = MatchConfig { backtracks: arguments.backtracks, ..MatchConfig::default() };
    let matcher = Matcher::new(text, config);
    for error in matcher.errors() {
        terminal::warn(&format!("  left out: {error}"));
    }
    if matcher.rules().is_empty() {
        return Err(Failure::input(
            "error: no rule can be used; give a file with at least one good rule",
        ));
    }
    Ok(matcher)
}

/// The CPU time of this thread, for everything that is measured: other work of the machine does not
/// count. The command does not build on systems without such a clock.
fn cpu_clock() -> Clock {
    Clock::new(|| {
        let now = clock_gettime(ClockId::ThreadCPUTime);
        Time::from_ps((now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64) * 1000)
    })
}
