//! `forebay run` and `forebay report`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use forebay_files::Input;
use forebay_lab::config::MAX_FILE;
use forebay_lab::results::number::{self, plural};
use forebay_lab::run::share::RunShare;
use forebay_lab::run::{self, LabError, Options};
use forebay_lab::{ConfigErrors, Experiment, Overrides, ScenarioRegistry};
use forebay_trace::TraceOutput;

use crate::arguments::whole;
use crate::failure::wrong;
use crate::progress::Progress;
use crate::replay::trace::TraceArguments;
use crate::terminal::Paint;
use crate::{Failure, folder, key_value, summary, terminal};

/// What `forebay run` is given.
#[derive(clap::Args)]
#[command(
    after_help = "Results go to results/PAPER/NAME unless --out is given: report.html, results.csv,
results.parquet, timelines.*, manifest.json, and parts/ with one file per run. With --set, --seed or
--policy the folder is results/PAPER/NAME.set-HASH, a separate folder per combination, so that the full
results are kept.

--trace runs one run of one experiment, chosen by --policy, --set and --seed, prints its metrics, and stores
nothing but the trace."
)]
pub(crate) struct RunArguments {
    /// The experiments; a folder stands for all experiments in it, - for one on standard input. If
    /// one has a mistake or cannot be read, none is run.
    #[arg(required = true, value_name = "FILE|FOLDER")]
    files: Vec<PathBuf>,
    /// Change a parameter, by name or path; for a swept parameter, a value or list replaces the
    /// sweep.
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_value)]
    set: Vec<(String, String)>,
    /// Use this seed instead of the file's; may be given several times.
    #[arg(long = "seed", value_name = "N", value_parser = whole(1_u64..=i64::MAX as u64))]
    seeds: Vec<u64>,
    /// How many runs at once [default: one per core].
    #[arg(long, value_name = "N", value_parser = whole(1_u32..=4096))]
    jobs: Option<u32>,
    /// The results folder; with several experiments, each gets its own inside.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Compute only worker I's share of the runs of N workers (I from 0), into a folder that all
    /// share.
    ///
    /// When all shares are done, the same command without --shard writes the tables and the report.
    #[arg(long, value_name = "I/N")]
    shard: Option<RunShare>,
    /// Run only these of the experiment's policies, without figures and claims about others; of a
    /// folder, the experiments that list one.
    #[arg(long = "policy", value_name = "NAME,...", value_delimiter = ',')]
    policies: Vec<String>,
    #[command(flatten)]
    trace: TraceArguments,
}

/// Checks every file, then runs them one after the other.
pub(crate) fn run(arguments: &RunArguments, registry: &ScenarioRegistry) -> Result<(), Failure> {
    let traced = arguments.trace.output();
    let mut experiments = Vec::new();
    let mut problems = Vec::new();
    let files = folder::files(&arguments.files)?;
    let alone = files.len() == 1;
    let chosen = folder::with_policies(files, &arguments.policies)?;
    for (file, policies) in &chosen {
        let (set, seeds) = (arguments.set.clone(), arguments.seeds.clone());
        let overrides =
            Overrides { set, seeds, policies: policies.clone(), ..Overrides::default() };
        let name = Input::of(file).name();
        match load(file, &overrides, registry)? {
            Ok(experiment) => {
                experiments.push((experiment, out(arguments, &overrides, file, alone)));
            }
            Err(errors) if alone => problems.push(errors.render()),
            Err(errors) => problems.push(errors.of(&name).render()),
        }
    }
    if !problems.is_empty() {
        return Err(Failure::input(problems.join("\n")));
    }
    if let Some(output) = traced {
        return run_traced(arguments, experiments, registry, &output);
    }
    let files: Vec<&Path> = chosen.iter().map(|(file, _)| file.as_path()).collect();
    places_of_their_own(&files, &experiments)?;
    if let Some(out) = &arguments.out {
        run::store::writable(out).map_err(|error| failure(error.into()))?;
    }
    allow_live(experiments.iter().map(|(experiment, _)| experiment));
    let stop = stop_flag();
    for (experiment, folder) in &experiments {
        match &arguments.shard {
            Some(share) => run_share(experiment, folder, arguments.jobs, share, &stop)?,
            None => run_one(experiment, folder, arguments.jobs, &stop, str::to_owned)?,
        }
    }
    Ok(())
}

/// The experiment of a file, or of standard input, whose paths are relative to this folder.
///
/// # Errors
/// Standard input cannot be read; what is wrong with the experiment is in the result.
pub(crate) fn load(
    file: &Path,
    overrides: &Overrides,
    registry: &ScenarioRegistry,
) -> Result<Result<Experiment, ConfigErrors>, Failure> {
    let input = Input::of(file);
    if !input.is_standard() {
        return Ok(Experiment::load(file, overrides, registry));
    }
    let name = input.name();
    let bytes = input
        .read(MAX_FILE as u64)
        .map_err(|error| Failure::unread(&name, &error, "give an experiment there"))?;
    Ok(Experiment::read(&name, &bytes, Path::new("."), overrides, registry))
}

/// Lets live runs be made without root, where the kernel permits that: to be called before any
/// thread is started. Where it does not permit it, the experiments say so.
pub(crate) fn allow_live<'a>(experiments: impl IntoIterator<Item = &'a Experiment>) {
    #[cfg(all(feature = "live", target_os = "linux"))]
    if experiments.into_iter().any(Experiment::is_live) {
        let _ = forebay_dataplane::live::isolate(false);
    }
    #[cfg(not(all(feature = "live", target_os = "linux")))]
    drop(experiments.into_iter());
}

/// Refuses experiments whose results would go to one folder, where the last would replace the
/// others'.
fn places_of_their_own(
    files: &[&Path],
    experiments: &[(Experiment, PathBuf)],
) -> Result<(), Failure> {
    for (later, (_, folder)) in experiments.iter().enumerate() {
        if let Some(first) = experiments[..later].iter().position(|(_, other)| other == folder) {
            return Err(Failure::input(format!(
                "error: the results of {} and {} would both go to {}: run them one by one, each \
                 with an --out of its own",
                files[first].display(),
                files[later].display(),
                folder.display()
            )));
        }
    }
    Ok(())
}

/// Executes the one chosen run with a trace, and prints its metrics.
fn run_traced(
    arguments: &RunArguments,
    mut experiments: Vec<(Experiment, PathBuf)>,
    registry: &ScenarioRegistry,
    output: &TraceOutput,
) -> Result<(), Failure> {
    if arguments.shard.is_some() || arguments.out.is_some() {
        let stores = "it stores no results: leave out --shard and --out";
        return Err(wrong("trace", stores));
    }
    let (Some((experiment, _)), true) = (experiments.pop(), experiments.is_empty()) else {
        return Err(wrong("trace", "a trace shows one run: give one experiment"));
    };
    terminal::warn(&experiment.title);
    let progress = Progress::new();
    let stop = stop_flag_saying("the trace ends here");
    let (path, bounds) = (&output.path, output.bounds);
    let done = forebay_scenarios::traced(&experiment, registry, path, bounds, &stop, &progress);
    progress.end();
    let done = done.map_err(failure)?;
    terminal::print(&format!(
        "{}\n\n{}\ntrace: {}\n",
        done.label,
        summary::metrics(experiment.scenario.metrics(), &done.output.values),
        output.path.display()
    ))?;
    done.unwritten.map_or(Ok(()), |error| Err(failure(error.into())))
}

/// Computes one worker's share of an experiment, into a folder that others write to as well.
fn run_share(
    experiment: &Experiment,
    folder: &Path,
    jobs: Option<u32>,
    share: &RunShare,
    stop: &AtomicBool,
) -> Result<(), Failure> {
    terminal::warn(&experiment.title);
    let options = Options { out: folder.to_path_buf(), jobs: jobs.unwrap_or(0) as usize };
    let progress = Progress::new();
    let shared = run::share::share(experiment, &options, share, stop, &progress);
    progress.end();
    let shared = shared.map_err(failure)?;
    terminal::print(&format!(
        "{shared}\nwhen all shares are done, the same command without --shard writes the report\n"
    ))
}

/// Runs an experiment into a folder and shows its summary. Advice to set a parameter has it as it
/// is `named` by what the user wrote.
pub(crate) fn run_one(
    experiment: &Experiment,
    folder: &Path,
    jobs: Option<u32>,
    stop: &AtomicBool,
    named: impl Fn(&str) -> String,
) -> Result<(), Failure> {
    terminal::warn(&experiment.title);
    let options = Options { out: folder.to_path_buf(), jobs: jobs.unwrap_or(0) as usize };
    let progress = Progress::new();
    let finished = run::run(experiment, &options, stop, &progress);
    progress.end();
    let finished = finished.map_err(failure)?;
    let manifest = &finished.manifest;
    let mut text = summary::text(&manifest.experiment, &finished.results, Paint::of_stdout());
    text += &format!(
        "\n{} ({} computed, {} reused) in {} s on {}\nreport: {}\n",
        plural(manifest.runs, "run", "runs"),
        manifest.computed,
        manifest.reused,
        number::short(manifest.wall_seconds),
        plural(manifest.jobs, "thread", "threads"),
        folder.join("report.html").display()
    );
    terminal::print(&text)?;
    for sentence in run::absent(experiment, &finished, named) {
        terminal::warn(&format!("warning: {sentence}"));
    }
    Ok(())
}

/// Rebuilds a report and shows the summary.
pub(crate) fn report(folder: &Path) -> Result<(), Failure> {
    folder::not_a_stream(folder)?;
    let finished = run::rebuild_report(folder).map_err(failure)?;
    let paint = Paint::of_stdout();
    let text = summary::text(&finished.manifest.experiment, &finished.results, paint);
    terminal::print(&format!("{text}\nreport: {}\n", folder.join("report.html").display()))
}

pub(crate) fn failure(error: LabError) -> Failure {
    use run::store::StoreError;
    let code = match &error {
        LabError::Config(_)
        | LabError::Files(_)
        | LabError::NoSuchRun { .. }
        | LabError::NoResults { .. }
        | LabError::Mismatch(_) => 2,
        LabError::Store(
            StoreError::Write { .. } | StoreError::Trace { .. } | StoreError::Encode { .. },
        ) => 1,
        LabError::Store(
            StoreError::Unwritable { .. } | StoreError::Locked { .. } | StoreError::Corrupt { .. },
        ) => 2,
        LabError::Run { .. }
        | LabError::TracedRun { .. }
        | LabError::Unable(_)
        | LabError::Threads { .. } => 1,
        LabError::Stopped { .. } | LabError::TraceStopped { .. } => 130,
    };
    let message = match &error {
        LabError::Config(errors) => errors.render(),
        LabError::Stopped { .. } | LabError::TraceStopped { .. } => error.to_string(),
        LabError::Files(error) => format!("error: --{error}"),
        LabError::Store(StoreError::Unwritable { .. } | StoreError::Locked { .. }) => {
            format!("error: {error} (--out)")
        }
        LabError::Threads { .. } => format!("error: {error} (--jobs)"),
        LabError::Store(_)
        | LabError::NoSuchRun { .. }
        | LabError::NoResults { .. }
        | LabError::Mismatch(_)
        | LabError::Run { .. }
        | LabError::Unable(_)
        | LabError::TracedRun { .. } => format!("error: {error}"),
    };
    Failure::new(message, code)
}

/// A flag that Ctrl-C raises; a second Ctrl-C ends the program at once.
pub(crate) fn stop_flag() -> Arc<AtomicBool> {
    stop_flag_saying("finished runs are kept")
}

/// The same, with a message about what is kept.
pub(crate) fn stop_flag_saying(kept: &'static str) -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&stop);
    on_stop(kept, move || raised.store(true, Ordering::SeqCst));
    stop
}

/// Does something at the first interrupt, with a message about what is kept; the second ends the
/// program.
pub(crate) fn on_stop(kept: &'static str, mut stop: impl FnMut() + Send + 'static) {
    let mut is_first = true;
    let set = ctrlc::set_handler(move || {
        if !std::mem::replace(&mut is_first, false) {
            std::process::exit(130);
        }
        stop();
        terminal::warn(&format!("stopping; {kept} (Ctrl-C again ends at once)"));
    });
    if let Err(error) = set {
        terminal::warn(&format!("Ctrl-C will end the program at once: {error}"));
    }
}

/// The results folder.
fn out(arguments: &RunArguments, overrides: &Overrides, file: &Path, alone: bool) -> PathBuf {
    let named = Path::new("standard-input");
    let file = if Input::of(file).is_standard() { named } else { file };
    match &arguments.out {
        Some(folder) if alone => folder.clone(),
        Some(folder) => folder.join(run::name(file)),
        None => run::default_folder(file, overrides),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_named_for_the_experiment() {
        for (file, expected) in [
            ("experiments/themis/fig10.toml", "themis/fig10"),
            ("/a/experiments/x.toml", "x"),
            ("../elsewhere/fig.toml", "fig"),
        ] {
            assert_eq!(run::name(Path::new(file)), Path::new(expected));
        }
    }
}
