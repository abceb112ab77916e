//! `forebay surge measure`, `reassemble` and `match`: the two real processors on a user's captures.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use clap::{Args, ValueEnum};
use forebay_files::Files;
use forebay_lab::results::number::{self, plural};
use forebay_surge::estimate::DEFAULT_HALF_LIFE;
use forebay_surge_processors::driver::{MatchingTrial, ReassemblyTrial, Trial};
use forebay_surge_processors::rules::MatchConfig;
use forebay_surge_processors::tcp::{ListStore, Overlap, ReassemblyConfig, TreeStore};
use forebay_units::Rate;

use super::buffer::{Jobs, failed};
use super::run::{TrialArguments, compare};
use super::{RatioArguments, RuleArguments, cpu_clock, matcher, packets};
use crate::arguments::bytes;
use crate::damage::Damage;
use crate::given::{Given, ReadBeside};
use crate::net::{only_new, wrong};
use crate::{Failure, terminal};

#[derive(Args)]
struct ReassemblyArguments {
    /// How waiting segments are stored: in a list, the attack's target, or in a tree.
    #[arg(long, value_enum, default_value = "list")]
    store: Store,
    /// Bytes of a stream's window, at most 1 MiB; the attack's streams fill it.
    #[arg(long, value_name = "SIZE", default_value_t = ReassemblyConfig::paper().window,
          value_parser = bytes(1_u64..=1 << 20))]
    window: u64,
    /// Whose bytes count where segments overlap: first, bsd or last.
    #[arg(long, value_name = "NAME", default_value = "first")]
    overlap: String,
}

#[derive(Clone, Copy, ValueEnum)]
enum Store {
    List,
    Tree,
}

#[derive(Args)]
pub(crate) struct MeasureArguments {
    #[command(flatten)]
    given: Given,
    /// What to measure.
    #[arg(value_enum)]
    processor: Processor,
    /// Captures with whole payloads.
    #[arg(required = true)]
    captures: Vec<PathBuf>,
    /// The file for the recording [default: standard output].
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    reassembly: ReassemblyArguments,
    #[command(flatten)]
    rules: RuleArguments,
}

#[derive(Clone, Copy, ValueEnum)]
enum Processor {
    Reassemble,
    Match,
}

#[derive(Args)]
pub(crate) struct ReassembleArguments {
    /// Captures with whole payloads: the innocent traffic, repeated.
    #[arg(required = true)]
    captures: Vec<PathBuf>,
    #[command(flatten)]
    reassembly: ReassemblyArguments,
    #[command(flatten)]
    trial: TrialArguments,
}

#[derive(Args)]
pub(crate) struct MatchArguments {
    /// Captures with whole payloads: the innocent traffic, repeated.
    #[arg(required = true)]
    captures: Vec<PathBuf>,
    #[command(flatten)]
    rules: RuleArguments,
    #[command(flatten)]
    ratios: RatioArguments,
    #[command(flatten)]
    trial: TrialArguments,
}

fn reassembly(
    files: &[PathBuf],
    arguments: &ReassemblyArguments,
) -> Result<(ReassemblyTrial, Damage), Failure> {
    let overlap = Overlap::named(&arguments.overlap).map_err(|error| wrong("overlap", error))?;
    let config =
        ReassemblyConfig { window: arguments.window, overlap, ..ReassemblyConfig::paper() };
    let ((packets, damage), clock) = (packets(files)?, cpu_clock());
    let trial = match arguments.store {
        Store::List => ReassemblyTrial::new::<ListStore>(&packets, config, &clock),
        Store::Tree => ReassemblyTrial::new::<TreeStore>(&packets, config, &clock),
    };
    Ok((trial.map_err(|error| failed(&error))?, damage))
}

fn matching(
    files: &[PathBuf],
    arguments: &RuleArguments,
    half_life: u64,
) -> Result<(MatchingTrial, Damage), Failure> {
    let matcher = Rc::new(matcher(arguments)?);
    let (packets, damage) = packets(files)?;
    let trial = MatchingTrial::new(&packets, matcher, half_life, &cpu_clock());
    let trial = trial.map_err(|error| failed(&error))?;
    let cut = trial.suspects().iter().filter(|suspect| suspect.cut).count();
    if cut > 0 {
        let most = MatchConfig::default().hits;
        terminal::warn(&format!(
            "  {} more than {most} filter hits; rules beyond those are not tried",
            plural(cut, "packet has", "packets have")
        ));
    }
    Ok((trial, damage))
}

/// Which processor reads an option.
pub(super) const READ_BESIDE: &[ReadBeside] = &[
    ("store", &["reassemble"]),
    ("window", &["reassemble"]),
    ("overlap", &["reassemble"]),
    ("rules", &["match"]),
    ("backtracks", &["match"]),
    ("half-life", &["match"]),
];

pub(super) fn measure(arguments: &MeasureArguments) -> Result<(), Failure> {
    let processor = match arguments.processor {
        Processor::Reassemble => "reassemble",
        Processor::Match => "match",
    };
    arguments.given.beside("", processor, READ_BESIDE)?;
    let files = &arguments.captures;
    only_new(&files_of(arguments))?;
    arguments.out.as_deref().map_or(Ok(()), can_be_written)?;
    let (recorded, damage) = match arguments.processor {
        Processor::Reassemble => {
            let (trial, damage) = reassembly(files, &arguments.reassembly)?;
            (trial.recorded().clone(), damage)
        }
        Processor::Match => {
            let (trial, damage) = matching(files, &arguments.rules, DEFAULT_HALF_LIFE)?;
            (trial.recorded().clone(), damage)
        }
    };
    let joint = recorded.joint().map_err(|error| failed(&error))?;
    let means = recorded.means();
    terminal::warn(&format!(
        "  {}, r_max {}; {}, the longest {} in {}",
        plural(recorded.innocent.len(), "innocent packet", "innocent packets"),
        number::rate(Rate::from_bps(joint.max_rate() as u64)),
        plural(recorded.attack.len(), "attack packet", "attack packets"),
        means.longest,
        means.smallest
    ));
    match &arguments.out {
        None => terminal::print(&recorded.to_csv())?,
        Some(file) => {
            std::fs::write(file, recorded.to_csv()).map_err(|error| cannot_write(file, &error))?
        }
    }
    damage.result(2)
}

/// The files read and written.
fn files_of(arguments: &MeasureArguments) -> Files {
    let read = |files: Files, capture| files.read("a capture", capture);
    let files = arguments.captures.iter().fold(Files::default(), read);
    let files = match &arguments.rules.rules {
        Some(rules) => files.read("the file of rules", rules),
        None => files,
    };
    files.write_some("out", arguments.out.as_ref())
}

/// Finds a missing folder before anything is measured for it. Touches nothing.
fn can_be_written(file: &Path) -> Result<(), Failure> {
    let found = match file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        _ if file.exists() => File::options().append(true).open(file).map(drop),
        Some(folder) => std::fs::metadata(folder).map(drop),
        None => Ok(()),
    };
    found.map_err(|error| cannot_write(file, &error))
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("error: cannot write {}: {error}", path.display()), 1)
}

pub(super) fn reassemble(arguments: &ReassembleArguments, jobs: &Jobs) -> Result<(), Failure> {
    arguments.trial.check(jobs)?;
    let (trial, damage) = reassembly(&arguments.captures, &arguments.reassembly)?;
    let costs = trial.costs();
    terminal::warn(&format!(
        "  a packet {} on average, a traversal {}",
        number::time(costs.base),
        number::time(costs.step)
    ));
    compare(&trial, &arguments.trial, jobs)?;
    damage.result(2)
}

pub(super) fn match_rules(arguments: &MatchArguments, jobs: &Jobs) -> Result<(), Failure> {
    arguments.trial.check(jobs)?;
    let (trial, damage) =
        matching(&arguments.captures, &arguments.rules, arguments.ratios.half_life)?;
    let longest = trial.recorded().means().longest;
    terminal::warn(&format!(
        "  {} candidates; the attack's take {longest} for {}",
        plural(trial.suspects().len(), "packet has", "packets have"),
        trial.attack().size
    ));
    compare(&trial, &arguments.trial, jobs)?;
    damage.result(2)
}
