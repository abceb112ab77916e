//! `JobScheduler`: which waiting job is processed next, and which is dropped, under any policy of
//! `forebay-surge`; with a job-size estimator and an admission of the user's.
//!
//! Sizes of jobs are picoseconds of work. A job as stated takes about 25 ns, one whose work is an
//! expression 30 ns and more; a function, which takes the interpreter's lock and makes a named
//! tuple for each, 0.3 to 1.4 us (`bench/python_overhead.py` on a busy machine).

use std::sync::{Mutex, PoisonError};

use forebay_parameters::Entry;
use forebay_surge::{DropRule, FlowKey, Job, Offered, Ranks, Scheduler, SchedulerConfig, Waiting};
use forebay_units::{Bytes, Duration, Time};
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::rule::{Rule, saturated};
use crate::arguments::{bytes, picoseconds, whole};
use crate::catalogue::{names, policies};
use crate::parameters::Parameters;
use crate::rows::{Columns, Rows};
use crate::shown::{Counts, Named};
use crate::{detached, errors};

/// What an estimator may read.
const ESTIMATED: [&str; 4] = ["now", "size", "flow", "work"];
/// What an admission may read.
const ADMITTED: [&str; 7] = ["now", "size", "flow", "work", "estimate", "waiting", "capacity"];

/// What stands for a job that was dropped.
const NEVER: u64 = u64::MAX;

/// A job as it comes.
#[derive(Clone, Copy)]
struct Arriving {
    now: u64,
    size: u64,
    flow: u64,
    /// What the caller says of its work.
    work: u64,
}

/// A job that waits: the caller's tag, and its real work.
#[derive(Clone, Copy)]
struct Item {
    tag: u64,
    work: u64,
}

/// A bounded buffer of jobs under a policy by name; job sizes are as stated, or what an expression
/// or a function estimates.
#[pyclass(module = "forebay")]
pub(crate) struct JobScheduler {
    /// Behind a lock only because schedulers are not made to be looked at from two threads.
    held: Mutex<Scheduler<Item>>,
    config: SchedulerConfig,
    size: Option<Rule>,
    admission: Option<Rule>,
    turned_away: u64,
}

impl JobScheduler {
    fn held(&mut self) -> &mut Scheduler<Item> {
        self.held.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the estimator makes of a job; not below 0.
    fn estimate(&self, job: &Arriving) -> PyResult<u64> {
        let Some(rule) = &self.size else { return Ok(job.work) };
        let fields = [job.now, job.size, job.flow, job.work].map(saturated);
        Ok(u64::try_from(rule.value(&fields)?).unwrap_or(0))
    }

    fn admits(&mut self, job: &Arriving, estimate: u64) -> PyResult<bool> {
        let (waiting, capacity) = (self.held().len() as u64, self.config.capacity as u64);
        let Some(rule) = &self.admission else { return Ok(true) };
        let fields = [job.now, job.size, job.flow, job.work, estimate, waiting, capacity];
        Ok(rule.value(&fields.map(saturated))? != 0)
    }

    /// A job arrives; the tag of the one that is dropped, if one is. What a rule raises leaves all
    /// as it was.
    fn take(&mut self, job: &Arriving, tag: u64) -> PyResult<Option<u64>> {
        let estimate = self.estimate(job)?;
        if !self.admits(job, estimate)? {
            self.turned_away += 1;
            return Ok(Some(tag));
        }
        let known = Job::new(FlowKey(job.flow), Bytes::new(job.size), Duration::from_ps(estimate));
        let offered: Offered<Waiting<Item>> =
            self.held().offer(Time::from_ps(job.now), known, Item { tag, work: job.work });
        Ok(offered.dropped().map(|dropped| dropped.item.tag))
    }

    /// Plays jobs that were checked. When each is done, whatever ended it before its end.
    fn play(
        &mut self,
        py: Python<'_>,
        rows: Rows<'_, 4>,
    ) -> (Vec<u64>, Result<(), (usize, PyErr)>) {
        let (mut free, mut next) = (0, 0);
        let mut done = match detached::run(py, || vec![NEVER; rows.len()]) {
            Ok(done) => done,
            Err(error) => return (Vec::new(), Err((0, error))),
        };
        let arrived = detached::in_pieces(py, rows.len(), |piece| {
            for row in piece {
                let [now, size, work, flow] = [0, 1, 2, 3].map(|column| rows.at(column, row, 0));
                self.process(now, usize::MAX, &mut free, &mut done);
                free = free.max(now);
                // A dropped job shows as one that is never done.
                let _ = self.take(&Arriving { now, size, flow, work }, row as u64)?;
                next = row + 1;
            }
            Ok(())
        });
        let processed = arrived.and_then(|arrived: PyResult<()>| arrived).and_then(|()| {
            detached::until_done(py, |jobs| self.process(NEVER, jobs, &mut free, &mut done))
        });
        (done, processed.map_err(|error| (next, error)))
    }
}

/// The policy's own parameters.
fn parameters(config: &mut SchedulerConfig, parameters: &mut Parameters<'_>) -> PyResult<()> {
    if config.built().map_err(errors::shape)?.reads_secret() {
        parameters.set("secret", &mut config.secret, whole)?;
    }
    parameters.fill_by(|walk| config.walk_policy(walk))
}

#[pymethods]
impl JobScheduler {
    #[new]
    #[pyo3(signature = (
        policy="wsjf",
        *,
        capacity: "SupportsIndex" = 1024,
        drop: "Literal['largest', 'tail']" = "largest",
        exact=false,
        size: "Rule | None" = None,
        admission: "Rule | None" = None,
        **parameters: "Unpack[JobParameters]"
    ))]
    fn new(
        policy: &str,
        #[pyo3(from_py_with = whole)] capacity: u32,
        drop: &str,
        exact: bool,
        size: Option<&Bound<'_, PyAny>>,
        admission: Option<&Bound<'_, PyAny>>,
        parameters: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let known = policies().jobs.named(policy).map_err(errors::shape)?.clone();
        let mut config = SchedulerConfig::new(known);
        config.capacity = capacity as usize;
        config.drop = match drop {
            "largest" => DropRule::Largest,
            "tail" => DropRule::Tail,
            other => {
                let text = format!("drop: {other:?} is not a rule; give \"largest\" or \"tail\"");
                return Err(PyValueError::new_err(text));
            }
        };
        config.ranks = if exact { Ranks::Exact } else { Ranks::Buckets };
        let mut given = Parameters::new(format!("job scheduler \"{policy}\""), parameters);
        self::parameters(&mut config, &mut given)?;
        let held = Mutex::new(Scheduler::new(&config).map_err(errors::shape)?);
        given.finish()?;
        let rule = |value: Option<&Bound<'_, PyAny>>, name, fields: &[&str]| {
            value.map(|value| Rule::read(value, name, fields)).transpose()
        };
        Ok(JobScheduler {
            held,
            config,
            size: rule(size, "size", &ESTIMATED)?,
            admission: rule(admission, "admission", &ADMITTED)?,
            turned_away: 0,
        })
    }

    /// Every policy, with what it does.
    #[staticmethod]
    fn names() -> Vec<(String, String)> {
        names(policies().jobs.clone())
    }

    /// A job of `size` bytes and `work` picoseconds arrives. The tag of the job that is dropped for
    /// want of room, which may be its own; None if none is.
    #[pyo3(signature = (
        now: "Time",
        size: "Size",
        work: "Time",
        *,
        flow: "SupportsIndex" = 0,
        tag: "SupportsIndex" = 0
    ))]
    fn offer(
        &mut self,
        #[pyo3(from_py_with = picoseconds)] now: u64,
        #[pyo3(from_py_with = bytes)] size: u64,
        #[pyo3(from_py_with = picoseconds)] work: u64,
        #[pyo3(from_py_with = whole)] flow: u64,
        #[pyo3(from_py_with = whole)] tag: u64,
    ) -> PyResult<Option<u64>> {
        errors::guarded(|| self.take(&Arriving { now, size, flow, work }, tag))?
    }

    /// The job to process next, as tag, size, flow and estimated work; None if none waits.
    fn poll(&mut self) -> PyResult<Option<(u64, u64, u64, u64)>> {
        let polled = errors::guarded(|| self.held().poll())?;
        Ok(polled
            .map(|Waiting { job, item }| (item.tag, job.size.get(), job.flow.0, job.work.as_ps())))
    }

    /// Makes the scheduler as it was at first, its counts included.
    fn clear(&mut self) -> PyResult<()> {
        let held = Scheduler::new(&self.config).map_err(errors::shape)?;
        (self.held, self.turned_away) = (Mutex::new(held), 0);
        Ok(())
    }

    /// Plays jobs of these times, sizes, works and flows through one processor, from empty to
    /// empty, each to its end. The time at which each is done; the largest `uint64` where it was
    /// dropped, and one less where that is later than can be counted.
    ///
    /// What a rule raises, or Ctrl-C, leaves no job waiting; the exception's `index` is the job's,
    /// its `done` the times so far.
    #[pyo3(signature = (
        times: "ArrayLike",
        sizes: "ArrayLike",
        works: "ArrayLike",
        *,
        flows: "ArrayLike | None" = None
    ) -> "NDArray[np.uint64]")]
    fn serve<'py>(
        &mut self,
        py: Python<'py>,
        times: &Bound<'py, PyAny>,
        sizes: &Bound<'py, PyAny>,
        works: &Bound<'py, PyAny>,
        flows: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<u64>>> {
        if !self.held().is_empty() {
            let text = "the scheduler holds jobs already; serve a trace with an empty one, as \
                        after clear()";
            return Err(PyValueError::new_err(text));
        }
        let names = ["times", "sizes", "works", "flows"];
        let columns = Columns::read(names, [Some(times), Some(sizes), Some(works), flows])?;
        let rows = columns.rows()?;
        rows.sorted(py)?;
        let (done, ended) = self.play(py, rows);
        let done = PyArray1::from_vec(py, done);
        match ended {
            Ok(()) => Ok(done),
            Err((index, error)) => {
                while self.held().poll().is_some() {}
                Err(errors::in_batch(py, error, index, done.into_any()))
            }
        }
    }

    /// What has become of jobs: offered, refused, displaced, served, and those that the admission
    /// turned away.
    #[getter]
    fn counts(&mut self) -> Counts {
        let counts = self.held().counts();
        Named(vec![
            ("offered", counts.offered + self.turned_away),
            ("turned_away", self.turned_away),
            ("refused", counts.refused),
            ("displaced", counts.displaced),
            ("served", counts.served),
        ])
    }

    fn __len__(&mut self) -> usize {
        self.held().len()
    }

    fn __repr__(&mut self) -> String {
        let (waiting, capacity) = (self.held().len(), self.config.capacity);
        format!("<JobScheduler \"{}\": {waiting} of {capacity} waiting>", self.config.policy.name())
    }
}

impl JobScheduler {
    /// Processes what begins before `until`, at most so many jobs; whether there may be more.
    fn process(&mut self, until: u64, jobs: usize, free: &mut u64, done: &mut [u64]) -> bool {
        for _ in 0..jobs {
            if *free >= until {
                return false;
            }
            let Some(Waiting { item, .. }) = self.held().poll() else { return false };
            *free = free.saturating_add(item.work).min(NEVER - 1);
            if let Some(done) = done.get_mut(item.tag as usize) {
                *done = *free;
            }
        }
        true
    }
}
