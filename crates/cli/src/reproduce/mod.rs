//! `forebay reproduce`: every figure and table of every paper, in the order of value, and pages
//! over the results.
//!
//! All experiments share one pool of threads. What fails is named on the pages and ends nothing but
//! itself; what is stopped resumes where it was.

mod estimate;
mod pages;
mod progress;

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use clap::Parser;
use forebay_lab::report::site::{PaperPage, Section};
use forebay_lab::reproduction::costs::Costs;
use forebay_lab::reproduction::{Made, Reproduction, ReproductionEntry};
use forebay_lab::results::number::plural;
use forebay_lab::run::group::{self, GroupObserver, Member};
use forebay_lab::run::{Finished, LabError};
use forebay_lab::{ConfigError, Experiment, Overrides, ScenarioRegistry, run};

use crate::arguments::whole;
use crate::experiment::stop_flag;
use crate::packaged::{self, USUAL};
use crate::{Failure, queues, terminal};
use estimate::Estimate;
use pages::Pages;
use progress::Overall;

/// Which experiments, and how.
#[derive(clap::Args)]
#[command(
    after_help = "FOLDER/reproduce.toml lists the experiments in order of value; docs/experiments.md
says how. Results go to results/ (with --quick to results/quick/), where forebay run finds them, too; open
results/index.html. Finished runs are never computed twice: the same command resumes."
)]
pub(crate) struct Arguments {
    /// The folder of experiments [default: experiments, or that of the package].
    folder: Option<PathBuf>,
    /// Run one seed and short spans into a separate folder: a check in minutes that everything
    /// works.
    #[arg(long)]
    quick: bool,
    /// Also run the experiments that show how much assumptions matter (files called sensitivity-…).
    #[arg(long)]
    all: bool,
    /// How many runs at once [default: one per core].
    #[arg(long, value_name = "N", value_parser = whole(1_u32..=4096))]
    jobs: Option<u32>,
    /// The results folder [default: results, with --quick results/quick].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Store the measured costs in FOLDER/reproduce-costs.csv, which the time estimates of other
    /// machines start from.
    #[arg(long)]
    keep_costs: bool,
}

/// An experiment that is to be run.
struct Item {
    entry: ReproductionEntry,
    title: String,
    /// Claims of the file that this run leaves out.
    left_out: usize,
    folder: PathBuf,
}

/// Runs all.
pub(crate) fn reproduce(
    arguments: &Arguments,
    packaged: Option<&Path>,
    registry: &ScenarioRegistry,
) -> Result<(), Failure> {
    let folder = &folder(arguments, packaged);
    crate::folder::not_a_stream(folder)?;
    let wrong = |errors: forebay_lab::ConfigErrors| Failure::input(errors.render());
    let plan = Reproduction::load(folder, arguments.all).map_err(wrong)?;
    let mut costs = Costs::load(folder).map_err(wrong)?;
    check_commands(&plan)?;
    let out = arguments.out.clone().unwrap_or_else(|| {
        PathBuf::from(if arguments.quick { "results/quick" } else { "results" })
    });
    let mut items = Vec::new();
    let mut experiments = Vec::new();
    let mut problems = Vec::new();
    for entry in plan.entries {
        match load(&entry, arguments.quick, registry) {
            Ok((experiment, left_out)) => {
                let title = experiment.title.clone();
                items.push(Item { folder: out.join(&entry.name), entry, title, left_out });
                experiments.push(experiment);
            }
            Err(problem) => problems.push(problem),
        }
    }
    if !problems.is_empty() {
        return Err(Failure::input(problems.join("\n")));
    }
    run::store::writable(&out).map_err(|error| crate::experiment::failure(error.into()))?;

    let pages = Pages::new(folder, &out, arguments.quick);
    let sections: Vec<Mutex<Option<Section>>> = items.iter().map(|_| Mutex::new(None)).collect();
    let (mut members, mut places) = (Vec::new(), Vec::new());
    let mut estimate = Estimate::new(threads(arguments.jobs));
    crate::experiment::allow_live(experiments.iter());
    for (place, (item, experiment)) in items.iter().zip(experiments).enumerate() {
        match Member::open(experiment, &item.folder) {
            Ok(member) if let Some(why) = unable(&member) => {
                terminal::warn(&format!("{} is left out: {why}", item.entry.name));
                set(&sections[place], pages.left_out(item, &why));
            }
            Ok(member) => {
                let runs = member.run_count();
                let seconds = known_cost(item, &costs, arguments.quick);
                estimate.add(seconds.map(|seconds| seconds / runs as f64), member.missing());
                members.push(member);
                places.push(place);
            }
            Err(error) => set(&sections[place], pages.section(item, Err(&error))),
        }
    }
    introduce(plan.papers.len(), &members, &estimate);
    let stop = stop_flag();
    let watcher = Watcher {
        items: &items,
        places: &places,
        sections: &sections,
        pages: &pages,
        progress: Overall::new(estimate, members.len()),
        measured: Mutex::new(Vec::new()),
    };
    let jobs = arguments.jobs.unwrap_or(0) as usize;
    let started = group::run(&members, jobs, &stop, &watcher);
    watcher.progress.end();
    started.map_err(crate::experiment::failure)?;
    let measured = watcher.measured.into_inner().unwrap_or_else(PoisonError::into_inner);

    let mut papers: Vec<PaperPage> = Vec::new();
    for paper in &plan.papers {
        papers.push(pages.paper(paper, queues::printed)?);
    }
    let sections =
        sections.into_iter().map(|s| s.into_inner().unwrap_or_else(PoisonError::into_inner));
    let mut failed = Vec::new();
    for (item, section) in items.iter().zip(sections) {
        let Some(section) = section else { continue };
        if section.has_failed() {
            failed.push(item.entry.name.clone());
        }
        papers[item.entry.paper].sections.push(section);
    }
    let first = pages.write(&papers)?;
    if arguments.keep_costs {
        keep_costs(&mut costs, &items, &measured, folder, arguments.quick)?;
    }
    if !arguments.quick {
        ask_for_reasons(&papers);
    }
    conclude(&papers, &first, &failed, stop.load(Ordering::SeqCst))
}

/// Why an experiment cannot be finished on this machine.
fn unable(member: &Member) -> Option<String> {
    if member.missing() > 0 { member.experiment().unable() } else { None }
}

/// Names the claims that differ while their experiment does not say why.
fn ask_for_reasons(papers: &[PaperPage]) {
    for section in papers.iter().flat_map(|paper| &paper.sections) {
        for claim in section.without_reason() {
            terminal::warn(&format!(
                "{}: no reason is given why this differs from the paper: {claim}; add `why` to the \
                 claim",
                section.name()
            ));
        }
    }
}

/// Loads an experiment, short if it is to be quick; with how many claims that leaves out.
fn load(
    entry: &ReproductionEntry,
    quick: bool,
    registry: &ScenarioRegistry,
) -> Result<(Experiment, usize), String> {
    let render = |errors: forebay_lab::ConfigErrors| errors.render();
    let whole = Experiment::load(&entry.file, &Overrides::default(), registry).map_err(render)?;
    if !quick {
        return Ok((whole, 0));
    }
    let seeds = whole.seeds.first().copied().into_iter().collect();
    let short = Overrides { seeds, ..entry.quick.clone() };
    let short = Experiment::load(&entry.file, &short, registry)
        .map_err(|errors| format!("{}  in: the quick run of {}\n", errors.render(), entry.name))?;
    let left_out = whole.claims.len().saturating_sub(short.claims.len());
    Ok((short, left_out))
}

/// Outputs come from commands that this program has and that only print.
fn check_commands(plan: &Reproduction) -> Result<(), Failure> {
    for output in plan.papers.iter().flat_map(|paper| &paper.outputs) {
        if let Made::Command { words, place } = &output.made {
            queues::Words::try_parse_from(words).map_err(|error| {
                let error = error.to_string();
                let first = error.lines().next().unwrap_or_default().trim_start_matches("error: ");
                let message = format!("the command does not print an output: {first}");
                let fix = "give a view of `forebay queues`, such as \"forebay queues table1\"";
                Failure::input(ConfigError::new(message).fix(fix).at(place.clone()).render())
            })?;
        }
    }
    Ok(())
}

/// Processor seconds of all runs of an experiment: as measured here, or as stored with the
/// experiments.
fn known_cost(item: &Item, costs: &Costs, quick: bool) -> Option<f64> {
    let here = run::manifest(&item.folder).ok().and_then(|manifest| manifest.cpu_seconds);
    let stored = costs.by_name.get(&item.entry.name).copied().unwrap_or_default();
    here.or(if quick { stored.quick } else { stored.full })
}

fn threads(jobs: Option<u32>) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    jobs.map_or(cores, |jobs| jobs as usize)
}

fn introduce(papers: usize, members: &[Member], estimate: &Estimate) {
    let runs: usize = members.iter().map(Member::run_count).sum();
    let missing: usize = members.iter().map(Member::missing).sum();
    let already = match runs - missing {
        0 => String::new(),
        reused => format!(", {reused} already there"),
    };
    terminal::warn(&format!(
        "{}, {}, {}{already}: {}",
        plural(papers, "paper", "papers"),
        plural(members.len(), "experiment", "experiments"),
        plural(runs, "run", "runs"),
        estimate.outlook()
    ));
}

fn set(section: &Mutex<Option<Section>>, value: Section) {
    *section.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
}

/// Watches the runs, and turns results into sections of pages as soon as they are there.
struct Watcher<'a> {
    items: &'a [Item],
    /// Which item a member of the group is.
    places: &'a [usize],
    sections: &'a [Mutex<Option<Section>>],
    pages: &'a Pages,
    progress: Overall,
    /// Items and the processor seconds of all their runs.
    measured: Mutex<Vec<(usize, f64)>>,
}

impl GroupObserver for Watcher<'_> {
    fn started(&self, member: usize, run: usize, label: &str) {
        let name = &self.items[self.places[member]].entry.name;
        self.progress.started(member, run, format!("{name}: {label}"));
    }

    fn progressed(&self, member: usize, run: usize, share: f64) {
        self.progress.progressed(member, run, share);
    }

    fn finished(&self, member: usize, run: usize, cpu_seconds: f64) {
        self.progress.finished(member, run, cpu_seconds);
    }

    fn ended(&self, member: usize, outcome: Result<Finished, LabError>) {
        let place = self.places[member];
        let item = &self.items[place];
        let section = self.pages.section(item, outcome.as_ref());
        let told = match &outcome {
            Ok(_) => Some(section.counts().to_string()),
            Err(LabError::Stopped { .. }) => None,
            Err(error) => Some(format!("failed: {error}")),
        };
        self.progress.ended(member, told.map(|told| format!("{}: {told}", item.entry.name)));
        if let Some(seconds) = outcome.ok().and_then(|finished| finished.manifest.cpu_seconds) {
            let mut measured = self.measured.lock().unwrap_or_else(PoisonError::into_inner);
            measured.push((place, seconds));
        }
        set(&self.sections[place], section);
    }
}

/// The folder of experiments that is meant: what is given, what is here, the package's.
fn folder(arguments: &Arguments, packaged: Option<&Path>) -> PathBuf {
    if let Some(folder) = &arguments.folder {
        return folder.clone();
    }
    let Some(packaged) = packaged::meant(packaged) else { return PathBuf::from(USUAL) };
    terminal::warn(&format!(
        "note: there is no folder {USUAL} here, so those of the package are run, in {}",
        packaged.display()
    ));
    packaged.to_owned()
}

/// Writes what the experiments that ended cost into the table beside them.
fn keep_costs(
    costs: &mut Costs,
    items: &[Item],
    measured: &[(usize, f64)],
    folder: &Path,
    quick: bool,
) -> Result<(), Failure> {
    for (place, seconds) in measured {
        let cost = costs.by_name.entry(items[*place].entry.name.clone()).or_default();
        *(if quick { &mut cost.quick } else { &mut cost.full }) = Some(*seconds);
    }
    let stored = costs.store(folder);
    stored.map_err(|error| Failure::new(format!("error: {error}"), 1))
}

/// Prints how the claims stand, and says how it ended.
fn conclude(
    papers: &[PaperPage],
    first: &Path,
    failed: &[String],
    stopped: bool,
) -> Result<(), Failure> {
    let rows: Vec<Vec<String>> =
        papers.iter().map(|paper| vec![paper.id.clone(), paper.counts().to_string()]).collect();
    terminal::print(&format!("{}index: {}\n", terminal::columns(&rows, 2), first.display()))?;
    let message = match failed {
        [] if stopped => {
            return Err(Failure::new(
                "stopped; finished runs are kept, and the same command resumes there".to_owned(),
                130,
            ));
        }
        [] => return Ok(()),
        [one] => format!("error: {one} failed; the index says why"),
        several => format!("error: {} failed; the index says why", several.join(", ")),
    };
    Err(Failure::new(message, if stopped { 130 } else { 1 }))
}
