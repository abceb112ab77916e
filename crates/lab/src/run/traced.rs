//! One run of an experiment, with a trace of what happens in it. Computed anew and not stored.

use std::io;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use super::plan::{self, Run};
use super::store::StoreError;
use super::{LabError, Observer, workers};
use crate::config::Experiment;
use crate::context::RunContext;
use crate::error::{ConfigError, ConfigErrors};
use crate::registry::ScenarioRegistry;
use crate::scenario::{Point, RunError, RunOutput, Scenario};

/// A run that was traced.
#[derive(Debug)]
pub struct Traced {
    /// Which one, as "themis, load = 0.9, seed 2".
    pub label: String,
    /// What it yielded: as without a trace.
    pub output: RunOutput,
    /// Why the trace is not whole, if it is not; the run went on without it.
    pub unwritten: Option<StoreError>,
}

/// Leaves only the policy of this name.
///
/// # Errors
/// The experiment does not run it; it is then unchanged.
pub fn choose_policy(experiment: &mut Experiment, name: &str) -> Result<(), ConfigErrors> {
    experiment.choose_policies(&[name.to_owned()])
}

/// Runs the only run of `experiment` with a trace at `path`, which `create` opens and `finish`
/// ends.
///
/// The run takes the trace from its [context](RunContext::trace); which type it is, is between the
/// scenario and whoever calls this, so that the laboratory needs none.
///
/// # Errors
/// [`LabError`]: the experiment has several runs, its scenario traces none, the file cannot be made
/// or is one that the experiment reads, or the run fails.
pub fn traced<T: 'static>(
    experiment: &Experiment,
    registry: &ScenarioRegistry,
    path: &Path,
    create: impl FnOnce(&Path) -> io::Result<T>,
    finish: impl FnOnce(&T) -> io::Result<()>,
    stop: &AtomicBool,
    observer: &dyn Observer,
) -> Result<Traced, LabError> {
    let run = only(experiment, registry)?;
    let label = workers::label(experiment, &run);
    let params = experiment.at_point(run.point);
    let policy = experiment.policies[run.policy].name.as_ref();
    let point = Point { params: &params, policy, seed: run.seed };
    plan::files(experiment).write("trace", path).check()?;
    let unwritten = |source| StoreError::Trace { file: path.to_path_buf(), source };
    let trace = create(path).map_err(unwritten)?;
    observer.planned(1, 0);
    observer.started(0, &label);
    let mut told = false;
    let mut progress = |share: f64| {
        observer.progressed(0, share.clamp(0.0, 1.0));
        if let Some(bytes) = will_have(path, share).filter(|_| !told) {
            told = true;
            observer.traces(bytes);
        }
    };
    let mut context = RunContext::new(&mut progress, stop).traced(&trace);
    let output = workers::guarded(|| {
        let output = experiment.scenario.run(&point, &mut context)?;
        if context.trace_taken() {
            return Ok(output);
        }
        Err(RunError::Failed("the scenario has a defect: it traced nothing".to_owned()))
    });
    observer.finished(0);
    let unwritten = finish(&trace).map_err(unwritten).err();
    match (output, unwritten) {
        (Ok(output), unwritten) => Ok(Traced { label, output, unwritten }),
        (Err(RunError::Failed(problem)), _) => Err(LabError::TracedRun { label, problem }),
        (Err(RunError::Stopped), Some(unwritten)) => Err(unwritten.into()),
        (Err(RunError::Stopped), None) => Err(LabError::TraceStopped { trace: path.to_path_buf() }),
    }
}

/// About how large a trace will be, from what it has when a hundredth of the run is done: as if
/// each later share of the run wrote as much as the first. None before that, and while it has less
/// than the buffer that writes it holds.
fn will_have(path: &Path, share: f64) -> Option<u64> {
    const EARLY: f64 = 0.01;
    const BUFFER: u64 = 64 << 10;
    if share < EARLY {
        return None;
    }
    let bytes = path.metadata().ok()?.len();
    (bytes >= BUFFER).then(|| (bytes as f64 / share.min(1.0)) as u64)
}

/// The experiment's run, if it has one and that can be traced.
fn only(experiment: &Experiment, registry: &ScenarioRegistry) -> Result<Run, ConfigErrors> {
    if !experiment.scenario.traces() {
        let name = experiment.scenario.name();
        let message = format!("scenario `{name}` has no switch that can be traced");
        return Err(ConfigError::new(message).fix(traceable(registry)).into());
    }
    let mut runs = plan::runs(experiment)?;
    match (runs.pop(), runs.len()) {
        (Some(run), 0) => Ok(run),
        (_, others) => {
            let message = format!("a trace shows one run, and this experiment has {}", others + 1);
            let fix = format!("choose {}", choices(experiment).join(", "));
            Err(ConfigError::new(message).fix(fix).into())
        }
    }
}

/// Which scenarios can be traced.
fn traceable(registry: &ScenarioRegistry) -> String {
    let names: Vec<&str> =
        registry.iter().filter(|scenario| scenario.traces()).map(Scenario::name).collect();
    match names.split_last() {
        None => "leave out the trace".to_owned(),
        Some((only, [])) => format!("trace scenario {only}"),
        Some((last, others)) => {
            format!("trace one of the scenarios {} and {last}", others.join(", "))
        }
    }
}

/// What must still be chosen for one run to be left, and how.
fn choices(experiment: &Experiment) -> Vec<String> {
    let mut choices = Vec::new();
    let mut choose = |option: String, values: Vec<String>| {
        if values.len() > 1 {
            choices.push(format!("{option} (one of {})", values.join(", ")));
        }
    };
    let names = experiment.policies.iter().map(|policy| policy.name.clone().into_owned());
    choose("--policy NAME".to_owned(), names.collect());
    for axis in &experiment.axes {
        let values = axis.values.iter().map(ToString::to_string).collect();
        choose(format!("--set {}=VALUE", axis.name), values);
    }
    choose("--seed N".to_owned(), experiment.seeds.iter().map(u64::to_string).collect());
    choices
}
