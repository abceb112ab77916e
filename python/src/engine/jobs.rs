//! `JobScheduler`: which waiting job is processed next, and which is dropped, under any policy of
//! `forebay-surge`; with a job-size estimator and an admission of the user's.
//!
//! Sizes of jobs are picoseconds of work. A job as stated takes about 25 ns, one whose work is an expression 30 ns
//! and more; a function, which takes the interpreter's lock and makes a named tuple for each, 0.3 to 1.4 us
//! (`bench/python_overhead.py` on a busy machine).

use std::sync::{Mutex, PoisonError};

use forebay_surge::{
    DropRule, FlowId, Job, Offered, POLICIES, Ranks, Scheduler, SchedulerConfig, Waiting,
};
use forebay_units::{Bytes, Duration};
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::rule::{Raised, Rule, same_length, saturated};
use crate::arguments::Whole;
use crate::arrays::Column;
use crate::detached::{self, CHUNK};
use crate::errors;

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

/// A bounded buffer of jobs under a policy by name; job sizes are as stated, or what an expression or a function
/// estimates.
#[pyclass(module = "forebay")]
pub(crate) struct JobScheduler {
    /// Behind a lock only because schedulers are not made to be looked at from two threads.
    held: Mutex<Scheduler<Item>>,
    capacity: u64,
    size: Option<Rule>,
    admission: Option<Rule>,
    turned_away: u64,
    raised: Raised,
}

impl JobScheduler {
    fn held(&mut self) -> &mut Scheduler<Item> {
        self.held.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the estimator makes of a job; not below 0.
    fn estimate(&self, job: &Arriving) -> u64 {
        let Some(rule) = &self.size else { return job.work };
        let fields = [job.now, job.size, job.flow, job.work].map(saturated);
        u64::try_from(rule.value(&fields)).unwrap_or(0)
    }

    fn admits(&mut self, job: &Arriving, estimate: u64) -> bool {
        let waiting = self.held().len() as u64;
        let Some(rule) = &self.admission else { return true };
        let fields = [job.now, job.size, job.flow, job.work, estimate, waiting, self.capacity]
            .map(saturated);
        rule.value(&fields) != 0
    }

    /// A job arrives; the tag of the one that is dropped, if one is.
    fn take(&mut self, job: &Arriving, tag: u64) -> Option<u64> {
        let estimate = self.estimate(job);
        if !self.admits(job, estimate) {
            self.turned_away += 1;
            return Some(tag);
        }
        let known = Job::new(FlowId(job.flow), Bytes::new(job.size), Duration::from_ps(estimate));
        let offered: Offered<Waiting<Item>> =
            self.held().offer(known, Item { tag, work: job.work });
        offered.dropped().map(|dropped| dropped.item.tag)
    }
}

#[pymethods]
impl JobScheduler {
    #[new]
    #[pyo3(signature = (policy="wsjf", *, capacity=Whole(1024), drop="largest", exact=false, size=None, admission=None))]
    fn new(
        policy: &str,
        capacity: Whole<u32>,
        drop: &str,
        exact: bool,
        size: Option<&Bound<'_, PyAny>>,
        admission: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let mut config = SchedulerConfig { capacity: capacity.0 as usize, ..Default::default() };
        config.drop = match drop {
            "largest" => DropRule::Largest,
            "tail" => DropRule::Tail,
            other => {
                let text = format!("drop: {other:?} is no rule; give \"largest\" or \"tail\"");
                return Err(PyValueError::new_err(text));
            }
        };
        config.policy.ranks = if exact { Ranks::Exact } else { Ranks::Buckets };
        let raised = Raised::default();
        let rule = |value: Option<&Bound<'_, PyAny>>, name, fields: &[&str]| {
            value.map(|value| Rule::read(value, name, fields, &raised)).transpose()
        };
        Ok(JobScheduler {
            held: Mutex::new(Scheduler::new(policy, &config).map_err(errors::shape)?),
            capacity: capacity.0.into(),
            size: rule(size, "size", &ESTIMATED)?,
            admission: rule(admission, "admission", &ADMITTED)?,
            turned_away: 0,
            raised,
        })
    }

    /// Every policy, with what it does.
    #[staticmethod]
    fn names() -> Vec<(&'static str, &'static str)> {
        POLICIES.iter().map(|info| (info.name, info.about)).collect()
    }

    /// A job of `size` bytes and `work` picoseconds arrives. The tag of the job that is dropped for want of room, which
    /// may be its own; None if none is.
    #[pyo3(signature = (now, size, work, *, flow=Whole(0), tag=Whole(0)))]
    fn offer(
        &mut self,
        now: Whole<u64>,
        size: Whole<u64>,
        work: Whole<u64>,
        flow: Whole<u64>,
        tag: Whole<u64>,
    ) -> PyResult<Option<u64>> {
        let job = Arriving { now: now.0, size: size.0, flow: flow.0, work: work.0 };
        let dropped = self.take(&job, tag.0);
        self.raised.check()?;
        Ok(dropped)
    }

    /// The job to process next, as tag, size, flow and estimated work; None if none waits.
    fn poll(&mut self) -> Option<(u64, u64, u64, u64)> {
        let Waiting { job, item } = self.held().poll()?;
        Some((item.tag, job.size.get(), job.flow.0, job.work.as_ps()))
    }

    /// Plays jobs of these times, sizes, works and flows through one processor, from empty to empty, each to its
    /// end. The time at which each is done; the largest `uint64` where it was dropped.
    #[pyo3(signature = (times, sizes, works, *, flows=None))]
    fn serve<'py>(
        &mut self,
        py: Python<'py>,
        times: &Bound<'py, PyAny>,
        sizes: &Bound<'py, PyAny>,
        works: &Bound<'py, PyAny>,
        flows: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<u64>>> {
        if !self.held().is_empty() {
            let text = "the scheduler holds jobs already; serve a trace with an empty one";
            return Err(PyValueError::new_err(text));
        }
        let columns = [
            Column::read(times, "times")?,
            Column::read(sizes, "sizes")?,
            Column::read(works, "works")?,
        ];
        let flows = flows.map(|flows| Column::read(flows, "flows")).transpose()?;
        let mut given: Vec<&[u64]> =
            columns.iter().map(Column::as_slice).collect::<PyResult<_>>()?;
        given.extend(flows.as_ref().map(Column::as_slice).transpose()?);
        let names = ["times", "sizes", "works", "flows"];
        let rows = same_length(&names, &given)?;
        let job = |row: usize| Arriving {
            now: given[0][row],
            size: given[1][row],
            work: given[2][row],
            flow: given.get(3).map_or(0, |flows| flows[row]),
        };
        if let Some(row) = (1..rows).find(|row| given[0][*row] < given[0][row - 1]) {
            return Err(PyValueError::new_err(format!(
                "times: element {row} is {}, before the one ahead of it; sort by time",
                given[0][row]
            )));
        }
        let raised = self.raised.clone();
        let (mut free, mut done) = (0u64, vec![NEVER; rows]);
        for begin in (0..rows).step_by(CHUNK) {
            detached::run(py, || {
                for row in (begin..rows.min(begin + CHUNK)).take_while(|_| !raised.is_set()) {
                    let arriving = job(row);
                    self.process(arriving.now, &mut free, &mut done);
                    free = free.max(arriving.now);
                    // A dropped job shows as one that is never done.
                    let _ = self.take(&arriving, row as u64);
                }
            })?;
            if let Err(error) = raised.check().and_then(|()| py.check_signals()) {
                while self.held().poll().is_some() {}
                return Err(error);
            }
        }
        detached::run(py, || self.process(u64::MAX, &mut free, &mut done))?;
        Ok(PyArray1::from_vec(py, done))
    }

    /// What has become of jobs: offered, refused, displaced, served, and those that the admission turned away.
    #[getter]
    fn counts<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let counts = self.held().counts();
        let named = PyDict::new(py);
        named.set_item("offered", counts.offered + self.turned_away)?;
        named.set_item("turned_away", self.turned_away)?;
        named.set_item("refused", counts.refused)?;
        named.set_item("displaced", counts.displaced)?;
        named.set_item("served", counts.served)?;
        Ok(named)
    }

    fn __len__(&mut self) -> usize {
        self.held().len()
    }
}

impl JobScheduler {
    /// Processes what begins before `until`.
    fn process(&mut self, until: u64, free: &mut u64, done: &mut [u64]) {
        while *free < until {
            let Some(Waiting { item, .. }) = self.held().poll() else { return };
            *free = free.saturating_add(item.work).min(NEVER - 1);
            if let Some(done) = done.get_mut(item.tag as usize) {
                *done = *free;
            }
        }
    }
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<JobScheduler>()
}
