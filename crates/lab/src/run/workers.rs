//! Computes the runs that are not stored yet, in order, on several threads, and stores each at
//! once.
//!
//! A failed run or a raised stop flag ends the handing out; runs in flight end by themselves
//! (failure) or through their stop flag. A panic in a scenario is a failed run, not a lost
//! experiment. What unwinds with a value of a caller's, and no message, is the caller's own way
//! out: it goes through to it.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::plan::Run;
use super::quiet::{Inside, Quiet};
use super::store::{Part, Store};
use super::thread_time::ThreadTime;
use super::{LabError, Observer};
use crate::config::Experiment;
use crate::context::RunContext;
use crate::scenario::{Point, RunError, RunOutput};

struct Shared<'a> {
    experiment: &'a Experiment,
    store: &'a Store,
    stop: &'a AtomicBool,
    observer: &'a dyn Observer,
    /// The runs to compute: place in the experiment and the run.
    pending: Vec<(usize, &'a Run)>,
    quiet: Quiet,
    next: AtomicUsize,
    halted: AtomicBool,
    done: Mutex<Vec<(usize, Part)>>,
    failure: Mutex<Option<Failure>>,
}

enum Failure {
    Run { label: String, problem: String },
    Store(super::StoreError),
}

/// Fills the empty places of `parts`.
pub(super) fn compute(
    experiment: &Experiment,
    runs: &[Run],
    parts: &mut [Option<Part>],
    store: &Store,
    jobs: usize,
    stop: &AtomicBool,
    observer: &dyn Observer,
) -> Result<(), LabError> {
    let missing = |(index, _): &(usize, &Run)| parts[*index].is_none();
    let pending: Vec<(usize, &Run)> = runs.iter().enumerate().filter(missing).collect();
    let shared = Shared {
        experiment,
        store,
        stop,
        observer,
        pending,
        quiet: Quiet::default(),
        next: AtomicUsize::new(0),
        halted: AtomicBool::new(false),
        done: Mutex::new(Vec::new()),
        failure: Mutex::new(None),
    };
    if !shared.pending.is_empty() {
        let threads = jobs.min(shared.pending.len());
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| LabError::Threads { jobs: threads, problem: error.to_string() })?;
        pool.broadcast(|_| work(&shared));
    }
    for (index, part) in lock(&shared.done).drain(..) {
        parts[index] = Some(part);
    }
    let (stored, total) = (parts.iter().flatten().count(), parts.len());
    let failure = lock(&shared.failure).take();
    match failure {
        Some(Failure::Store(error)) => Err(error.into()),
        Some(Failure::Run { label, problem }) => {
            Err(LabError::Run { label, problem, stored, total })
        }
        None if stored < total => Err(LabError::Stopped { stored, total }),
        None => Ok(()),
    }
}

/// A panicking observer must not take the others down: its lock is still good.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the handing out if its thread unwinds.
struct HaltsUnwinding<'a>(&'a AtomicBool);

impl Drop for HaltsUnwinding<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::SeqCst);
        }
    }
}

fn work(shared: &Shared<'_>) {
    let _halts = HaltsUnwinding(&shared.halted);
    loop {
        let halted = shared.halted.load(Ordering::SeqCst) || shared.stop.load(Ordering::SeqCst);
        let number = shared.next.fetch_add(1, Ordering::SeqCst);
        let Some((index, run)) = shared.pending.get(number).filter(|_| !halted) else { return };
        let label = label(shared.experiment, run);
        let inside = enter(shared.experiment, run, &shared.quiet);
        shared.observer.started(number, &label);
        let tell = |share| shared.observer.progressed(number, share);
        match one(shared.experiment, run, inside, shared.stop, tell) {
            Ok(part) => match shared.store.write_part(&run.key, &part) {
                Ok(()) => {
                    lock(&shared.done).push((*index, part));
                    shared.observer.finished(number);
                }
                Err(error) => fail(shared, Failure::Store(error)),
            },
            Err(RunError::Stopped) if shared.stop.load(Ordering::SeqCst) => return,
            Err(error) => fail(shared, Failure::Run { label, problem: error.to_string() }),
        }
    }
}

fn fail(shared: &Shared<'_>, failure: Failure) {
    shared.halted.store(true, Ordering::SeqCst);
    lock(&shared.failure).get_or_insert(failure);
}

/// The policy, the swept values and the seed of a run, as "themis, load = 0.9, seed 2".
pub(super) fn label(experiment: &Experiment, run: &Run) -> String {
    let mut label = experiment.policies[run.policy].name.clone().into_owned();
    for (axis, index) in experiment.axes.iter().zip(experiment.coordinates(run.point)) {
        label += &format!(", {} = {}", axis.name, axis.values[index]);
    }
    label + &format!(", seed {}", run.seed)
}

/// Waits until a run may be computed: a live one alone.
pub(super) fn enter<'a>(experiment: &Experiment, run: &Run, quiet: &'a Quiet) -> Inside<'a> {
    // Most scenarios have none, and their points need not be made to know it.
    let is_live = experiment.scenario.live_runs().is_some_and(|live| {
        let policy = experiment.policies[run.policy].name.as_ref();
        live.is_live(&experiment.at_point(run.point), policy)
    });
    quiet.enter(is_live)
}

/// Computes one run; `tell` takes the share done, 0 to 1.
pub(super) fn one(
    experiment: &Experiment,
    run: &Run,
    inside: Inside<'_>,
    stop: &AtomicBool,
    tell: impl Fn(f64),
) -> Result<Part, RunError> {
    let params = experiment.at_point(run.point);
    let policy = experiment.policies[run.policy].name.as_ref();
    let point = Point { params: &params, policy, seed: run.seed };
    let mut progress = |share: f64| tell(share.clamp(0.0, 1.0));
    let mut context = RunContext::new(&mut progress, stop);
    let (began, worked) = (Instant::now(), ThreadTime::now());
    let output = guarded(|| experiment.scenario.run(&point, &mut context))?;
    // While a live run waits, nobody else works.
    let seconds = if inside.is_alone() { began.elapsed().as_secs_f64() } else { worked.elapsed() };
    drop(inside);
    let part = check(experiment, output)?;
    Ok(Part { seconds: Some(seconds), ..part })
}

/// Runs `scenario`; a panic in it is a failed run.
pub(super) fn guarded(
    scenario: impl FnOnce() -> Result<RunOutput, RunError>,
) -> Result<RunOutput, RunError> {
    catch_unwind(AssertUnwindSafe(scenario)).unwrap_or_else(|payload| match message(&*payload) {
        Some(words) => {
            Err(RunError::Failed(format!("the scenario has a defect: it panicked ({words})")))
        }
        None => resume_unwind(payload),
    })
}

/// What a panic says.
fn message(payload: &(dyn Any + Send)) -> Option<&str> {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str))
}

/// A run must give every metric once, and only series that its scenario declares.
fn check(experiment: &Experiment, output: RunOutput) -> Result<Part, RunError> {
    let defect = |what: String| RunError::Failed(format!("the scenario has a defect: {what}"));
    for metric in experiment.scenario.metrics() {
        let count = output.values.iter().filter(|(name, _)| *name == metric.name).count();
        if count != 1 {
            return Err(defect(format!("it gave metric {} {count} times", metric.name)));
        }
    }
    if output.values.len() != experiment.scenario.metrics().len() {
        return Err(defect("it gave a metric that it does not declare".to_owned()));
    }
    let mut part = Part::default();
    part.values.extend(output.values.iter().map(|(name, value)| ((*name).into(), *value)));
    for timeline in output.timelines.into_iter().filter(|timeline| !timeline.points.is_empty()) {
        let name = timeline.name;
        if !experiment.scenario.series().iter().any(|series| series.name == name) {
            return Err(defect(format!("it recorded series {name} without declaring it")));
        }
        if part.series.iter().any(|(other, _)| **other == *name) {
            return Err(defect(format!("it recorded series {name} twice")));
        }
        part.series.push((name.into(), timeline.points));
    }
    Ok(part)
}
