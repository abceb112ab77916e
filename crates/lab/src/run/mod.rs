//! Runs an experiment: finds what is already stored, computes the rest on several threads, stores
//! each run as it finishes, and writes the tables, the manifest and the report.
//!
//! Several experiments can share the threads ([`group`]).
//!
//! Nothing is computed before the configuration, the folder and every stored part are known to be
//! good; a killed, stopped or failed experiment keeps every finished run. Source:
//! docs/experiments.md.

pub mod group;
mod links;
pub mod manifest;
pub mod plan;
mod quiet;
pub mod record;
pub mod share;
pub mod store;
mod thread_time;
pub mod traced;
mod workers;

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use forebay_files::SameFile;

use crate::config::{Experiment, Overrides};
use crate::error::ConfigErrors;
use crate::results::frame::DataFrame;
use crate::results::number::plural;
use crate::results::{Mismatch, Results, RunSeries, RunValues};
use manifest::{Machine, Manifest};
use record::Record;
use store::{LARGEST, Part, Store, StoreError, write_whole};

/// The folder for an experiment's results, in the working directory: `results` and [`name`]. With
/// overrides it has a suffix of its own, so that a quick try never replaces the results of the
/// whole experiment.
#[must_use]
pub fn default_folder(file: &Path, overrides: &Overrides) -> PathBuf {
    let mut folder = Path::new("results").join(name(file)).into_os_string();
    if let Some(digest) = overrides.digest() {
        folder.push(format!(".set-{digest}"));
    }
    folder.into()
}

/// The experiment's path below `experiments`, without its extension; its last part if it is
/// elsewhere.
///
/// ```
/// use forebay_lab::run::name;
///
/// assert_eq!(name("experiments/themis/fig10.toml".as_ref()).to_str(), Some("themis/fig10"));
/// assert_eq!(name("../elsewhere/fig.toml".as_ref()).to_str(), Some("fig"));
/// ```
#[must_use]
pub fn name(file: &Path) -> PathBuf {
    let parts: Vec<Component<'_>> = file.components().collect();
    let below = parts.iter().rposition(|part| part.as_os_str() == "experiments");
    let below = below.map_or(parts.len().saturating_sub(1), |place| place + 1);
    let path: PathBuf = parts[below.min(parts.len())..].iter().collect();
    path.with_extension("")
}

/// How to run an experiment.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where tables, parts and the report are written.
    pub out: PathBuf,
    /// On how many threads; 0 means one per core.
    pub jobs: usize,
}

/// Told what happens; every method may be called from several threads.
pub trait Observer: Sync {
    /// An input can be used but was not whole; called before anything else.
    fn warned(&self, _warning: &str) {}
    /// `total` runs, of which `reused` are already stored.
    fn planned(&self, total: usize, reused: usize);
    /// A run begins; `run` counts from 0 among those computed now.
    fn started(&self, run: usize, label: &str);
    /// A share of a run is done, 0 to 1.
    fn progressed(&self, run: usize, share: f64);
    /// A run is stored.
    fn finished(&self, run: usize);
    /// A trace of a whole run will have about so many bytes; called once, early in the run.
    fn traces(&self, _bytes: u64) {}
}

/// An observer that does not look.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn planned(&self, _: usize, _: usize) {}
    fn started(&self, _: usize, _: &str) {}
    fn progressed(&self, _: usize, _: f64) {}
    fn finished(&self, _: usize) {}
}

/// Why an experiment gave no results.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// The configuration is wrong.
    #[error(transparent)]
    Config(#[from] ConfigErrors),
    /// A file that is to be written is one that the experiment reads.
    #[error(transparent)]
    Files(#[from] SameFile),
    /// The results folder cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The scenario could not finish a run.
    #[error("{label} failed: {problem}; {stored} of {total} runs are stored and will be reused")]
    Run {
        /// Which run.
        label: String,
        /// Why.
        problem: String,
        /// How many runs are stored.
        stored: usize,
        /// Of how many.
        total: usize,
    },
    /// The stop flag was raised.
    #[error("stopped with {stored} of {total} runs stored; the same command resumes there")]
    Stopped {
        /// How many runs are stored.
        stored: usize,
        /// Of how many.
        total: usize,
    },
    /// A traced run failed.
    #[error("{label} failed: {problem}; of a traced run only the incomplete trace is kept")]
    TracedRun {
        /// Which run.
        label: String,
        /// Why.
        problem: String,
    },
    /// The stop flag was raised in a traced run.
    #[error("stopped; the trace {} is incomplete", trace.display())]
    TraceStopped {
        /// The trace file that could not be written.
        trace: PathBuf,
    },
    /// This machine cannot make the experiment's live runs.
    #[error("{0}")]
    Unable(String),
    /// A share with a run that there is not.
    #[error("there is no run {run}: the experiment has {}, counted from 0", plural(*runs, "run", "runs"))]
    NoSuchRun {
        /// Its place.
        run: usize,
        /// How many there are.
        runs: usize,
    },
    /// Threads cannot be started.
    #[error("cannot start {}: {problem}; try fewer", plural(*jobs, "thread", "threads"))]
    Threads {
        /// How many.
        jobs: usize,
        /// What the system says.
        problem: String,
    },
    /// A folder holds no finished results.
    #[error("{} holds no finished results ({problem}); run the experiment first", folder.display())]
    NoResults {
        /// The folder that holds results of something else.
        folder: PathBuf,
        /// What is missing.
        problem: String,
    },
    /// Stored results do not fit their manifest.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
}

/// All runs of an experiment with what they yielded, new or stored.
#[derive(Clone, Debug)]
pub struct Finished {
    /// What was run.
    pub manifest: Manifest,
    /// What it yielded.
    pub results: Results,
}

/// Runs an experiment and writes its results.
///
/// # Errors
/// [`LabError`]; every run that finished before stays stored.
pub fn run(
    experiment: &Experiment,
    options: &Options,
    stop: &AtomicBool,
    observer: &dyn Observer,
) -> Result<Finished, LabError> {
    let started = Instant::now();
    let runs = plan::runs(experiment)?;
    let store = Store::open(&options.out)?;
    let mut parts = read_parts(&store, &runs)?;
    let warnings = warnings(experiment);
    warnings.iter().for_each(|warning| observer.warned(warning));
    let reused = parts.iter().flatten().count();
    if let Some(why) = experiment.unable().filter(|_| reused < runs.len()) {
        return Err(LabError::Unable(why));
    }
    observer.planned(runs.len(), reused);
    let jobs = jobs(options.jobs);
    workers::compute(experiment, &runs, &mut parts, &store, jobs, stop, observer)?;
    let took = started.elapsed();
    let made = Made { computed: runs.len() - reused, jobs, took, warnings };
    conclude(experiment, &store, &runs, parts, made)
}

/// What a command did for an experiment.
struct Made {
    computed: usize,
    jobs: usize,
    took: Duration,
    warnings: Vec<String>,
}

/// Writes tables, manifest and report of an experiment, every run of which is there.
fn conclude(
    experiment: &Experiment,
    store: &Store,
    runs: &[plan::Run],
    parts: Vec<Option<Part>>,
    made: Made,
) -> Result<Finished, LabError> {
    let record = Record::of(experiment);
    let seconds = |part: &Option<Part>| part.as_ref().and_then(|part| part.seconds);
    let cpu_seconds = parts.iter().map(seconds).sum::<Option<f64>>();
    let results = collect(&record, runs, parts);
    let manifest = Manifest {
        program: "forebay".to_owned(),
        version: plan::VERSION.to_owned(),
        engine_hash: plan::ENGINE_HASH.to_owned(),
        configuration_hash: plan::configuration_hash(runs),
        runs: runs.len(),
        computed: made.computed,
        reused: runs.len() - made.computed,
        wall_seconds: milliseconds(made.took.as_secs_f64()),
        jobs: made.jobs,
        cpu_seconds: cpu_seconds.map(milliseconds),
        machine: Machine::this(),
        warnings: made.warnings,
        experiment: record,
    };
    let finished = Finished { manifest, results };
    write(store.folder(), &finished)?;
    Ok(finished)
}

/// Rounded to a thousandth.
fn milliseconds(seconds: f64) -> f64 {
    (seconds * 1e3).round() / 1e3
}

/// On how many threads.
fn jobs(wanted: usize) -> usize {
    match wanted {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        jobs => jobs,
    }
}

/// What is stored of these runs.
fn read_parts(store: &Store, runs: &[plan::Run]) -> Result<Vec<Option<Part>>, StoreError> {
    runs.iter().map(|run| store.read_part(&run.key)).collect()
}

/// A sentence for each metric or series that a figure or a claim is about and of which no run has a
/// value, with the parameter to set where that is known, as the one who set it calls it.
#[must_use]
pub fn absent(
    experiment: &Experiment,
    finished: &Finished,
    named: impl Fn(&str) -> String,
) -> Vec<String> {
    let record = &finished.manifest.experiment;
    let (figures, claims) = (&record.figures, &record.claims);
    let drawn = figures.iter().map(|figure| (&figure.metric, format!("figure {}", figure.id)));
    let claimed = claims.iter().map(|claim| (&claim.metric, format!("claim \"{}\"", claim.text)));
    let mut told: Vec<&str> = Vec::new();
    let mut sentences = Vec::new();
    for (name, asking) in drawn.chain(claimed) {
        if told.contains(&name.as_str()) || is_there(record, &finished.results, name) {
            continue;
        }
        told.push(name);
        let lack = experiment.lack(name).or_else(|| experiment.scenario.missing(name));
        let hint = lack.map(|lack| format!(": {}; set {}", lack.why, named(lack.parameter)));
        sentences
            .push(format!("no run has a value of {name} ({asking}){}", hint.unwrap_or_default()));
    }
    sentences
}

/// Whether any run has a value of a metric or a series.
fn is_there(record: &Record, results: &Results, name: &str) -> bool {
    let series = record.series.iter().position(|series| series.name == *name);
    let recorded =
        results.series.iter().any(|run| Some(run.series) == series && !run.points.is_empty());
    let metric = record.metric(name).map(|(place, _)| place);
    recorded
        || metric.is_some_and(|place| results.runs.iter().any(|run| run.values[place].is_finite()))
}

/// The warnings of every point, each once, in the order of the points.
fn warnings(experiment: &Experiment) -> Vec<String> {
    let mut seen = HashSet::new();
    (0..experiment.point_count())
        .flat_map(|point| experiment.scenario.warnings(&experiment.at_point(point)))
        .filter(|warning| seen.insert(warning.clone()))
        .collect()
}

fn collect(record: &Record, runs: &[plan::Run], parts: Vec<Option<Part>>) -> Results {
    let mut results = Results::default();
    for (run, part) in runs.iter().zip(parts) {
        let mut part = part.unwrap_or_default();
        let value = |name: &str| {
            let found = part.values.iter().find(|(other, _)| **other == *name);
            found.map_or(f64::NAN, |(_, value)| *value)
        };
        let values = record.metrics.iter().map(|metric| value(&metric.name)).collect();
        let (policy, point, seed) = (run.policy, run.point, run.seed);
        results.runs.push(RunValues { policy, point, seed, values });
        for (series, spec) in record.series.iter().enumerate() {
            if let Some(place) = part.series.iter().position(|(name, _)| **name == *spec.name) {
                let (_, points) = part.series.swap_remove(place);
                results.series.push(RunSeries { policy, point, seed, series, points });
            }
        }
    }
    results
}

fn write(folder: &Path, finished: &Finished) -> Result<(), LabError> {
    let record = &finished.manifest.experiment;
    write_table(folder, "results", &finished.results.metrics_frame(record))?;
    let timelines = finished.results.series_frame(record);
    if timelines.rows() > 0 {
        write_table(folder, "timelines", &timelines)?;
    } else {
        for name in ["timelines.csv", "timelines.parquet"] {
            let _ = std::fs::remove_file(folder.join(name)); // of an earlier configuration, if any
        }
    }
    let file = folder.join("manifest.json");
    let json = serde_json::to_string_pretty(&finished.manifest)
        .map_err(|e| StoreError::Encode { file: file.clone(), problem: e.to_string() })?;
    write_whole(&file, (json + "\n").as_bytes())?;
    write_report(folder, finished)
}

fn write_table(folder: &Path, name: &str, frame: &DataFrame) -> Result<(), LabError> {
    let file = folder.join(format!("{name}.parquet"));
    let bytes = frame
        .to_parquet()
        .map_err(|e| StoreError::Encode { file: file.clone(), problem: e.to_string() })?;
    write_whole(&file, &bytes)?;
    write_whole(&folder.join(format!("{name}.csv")), frame.to_csv().as_bytes())?;
    Ok(())
}

fn write_report(folder: &Path, finished: &Finished) -> Result<(), LabError> {
    let links = links::of(folder, &finished.manifest.experiment);
    let html = crate::report::html(&finished.manifest, &finished.results, &links);
    write_whole(&folder.join("report.html"), html.as_bytes())?;
    Ok(())
}

/// Reads the manifest of the finished results in a folder, and no results.
///
/// # Errors
/// There is none, or it does not read.
pub fn manifest(folder: &Path) -> Result<Manifest, LabError> {
    let absent = |problem: String| LabError::NoResults { folder: folder.to_path_buf(), problem };
    let bytes = forebay_files::read_stored(&folder.join("manifest.json"), LARGEST)
        .map_err(|error| absent(format!("manifest.json: {error}")))?;
    serde_json::from_slice(&bytes).map_err(|error| absent(format!("manifest.json: {error}")))
}

/// Reads the finished results in a folder.
///
/// # Errors
/// There are none, or they do not read.
pub fn load(folder: &Path) -> Result<Finished, LabError> {
    let manifest = manifest(folder)?;
    let absent = |problem: String| LabError::NoResults { folder: folder.to_path_buf(), problem };
    let read = |name: &str| {
        forebay_files::read_stored(&folder.join(name), LARGEST)
            .map_err(|error| absent(format!("{name}: {error}")))
    };
    let frame = |name: &str| {
        DataFrame::from_parquet(read(name)?).map_err(|error| absent(format!("{name}: {error}")))
    };
    let metrics = frame("results.parquet")?;
    let timelines = match folder.join("timelines.parquet").exists() {
        true => Some(frame("timelines.parquet")?),
        false => None,
    };
    let results = Results::from_frames(&manifest.experiment, &metrics, timelines.as_ref())?;
    Ok(Finished { manifest, results })
}

/// Rebuilds `report.html` from the results stored in a folder.
///
/// # Errors
/// There are none, or the report cannot be written.
pub fn rebuild_report(folder: &Path) -> Result<Finished, LabError> {
    let finished = load(folder)?;
    write_report(folder, &finished)?;
    Ok(finished)
}

#[cfg(test)]
mod tests;
