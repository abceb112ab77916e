//! `JobScheduler`: which job to run next so that an attacker must spend as much as he displaces.
//!
//! The size of a job is said by the caller, or estimated by a rule of the user's from what is cheap to know:
//! the packet's size, its flow, and a hint (a length in a header, a count of candidates).

use std::sync::{Mutex, PoisonError};

use forebay_surge::policies::POLICIES;
use forebay_surge::{DropRule, FlowId, Job, Offered, SchedulerConfig, Waiting};
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
use crate::queues::Item;

/// What an estimate may read.
const FIELDS: [&str; 3] = ["size", "flow", "hint"];

type Held = forebay_surge::Scheduler<Item>;

/// A job for Python: its item, flow, size, and the picoseconds that it was said to take.
type Shown<'py> = (Bound<'py, PyAny>, u64, u64, u64);

fn shown<'py>(py: Python<'py>, waiting: Waiting<Item>) -> Shown<'py> {
    let Job { flow, size, work, .. } = waiting.job;
    (waiting.item.into_python(py), flow.0, size.get(), work.as_ps())
}

/// A bounded buffer of jobs in front of a processor, under a policy by name: WSJF and its kin.
#[pyclass(module = "forebay")]
pub(crate) struct JobScheduler {
    held: Mutex<Held>,
    estimate: Option<Rule>,
    raised: Raised,
}

/// The job of a row, its size estimated.
fn estimated(rule: &Rule, flow: u64, size: u64, hint: u64) -> Job {
    let work = rule.value(&[saturated(size), saturated(flow), saturated(hint)]);
    let work = Duration::from_ps(u64::try_from(work).unwrap_or(0));
    Job::new(FlowId(flow), Bytes::new(size), work)
}

impl JobScheduler {
    fn held(&mut self) -> &mut Held {
        self.held.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    fn rule(&self) -> PyResult<&Rule> {
        self.estimate.as_ref().ok_or_else(|| {
            PyValueError::new_err(
                "there is no estimate; give work, or build it as in JobScheduler(\"wsjf\", estimate=\"hint\")",
            )
        })
    }
}

#[pymethods]
impl JobScheduler {
    #[new]
    #[pyo3(signature = (policy="wsjf-inorder", *, estimate=None, capacity=Whole(1024), drop="largest"))]
    fn new(
        policy: &str,
        estimate: Option<&Bound<'_, PyAny>>,
        capacity: Whole<usize>,
        drop: &str,
    ) -> PyResult<Self> {
        let drop = match drop {
            "largest" => DropRule::Largest,
            "tail" => DropRule::Tail,
            other => {
                return Err(PyValueError::new_err(format!(
                    "drop: \"{other}\" is neither \"largest\" nor \"tail\""
                )));
            }
        };
        let raised = Raised::default();
        let read = |rule| Rule::read(rule, "estimate", &FIELDS, &raised);
        let estimate = estimate.map(read).transpose()?;
        let config = SchedulerConfig { capacity: capacity.0, drop, ..SchedulerConfig::default() };
        let held = Mutex::new(Held::new(policy, &config).map_err(errors::shape)?);
        Ok(JobScheduler { held, estimate, raised })
    }

    /// Every policy's name, with what it does.
    #[staticmethod]
    fn names() -> Vec<(&'static str, &'static str)> {
        POLICIES.iter().map(|info| (info.name, info.about)).collect()
    }

    /// A job arrives that takes `work` picoseconds, or as many as the estimate says. The job that was
    /// dropped for it, which may be itself, as item, flow, size and work; None if none was.
    #[pyo3(signature = (item=None, *, size, flow=Whole(0), hint=Whole(0), work=None))]
    fn offer<'py>(
        &mut self,
        py: Python<'py>,
        item: Option<Bound<'py, PyAny>>,
        size: Whole<u64>,
        flow: Whole<u64>,
        hint: Whole<u64>,
        work: Option<Whole<u64>>,
    ) -> PyResult<Option<Shown<'py>>> {
        let job = match work {
            Some(work) => Job::new(FlowId(flow.0), Bytes::new(size.0), Duration::from_ps(work.0)),
            None => estimated(self.rule()?, flow.0, size.0, hint.0),
        };
        self.raised.check()?;
        let offered = self.held().offer(job, Item::from_argument(py, item));
        Ok(offered.dropped().map(|out| shown(py, out)))
    }

    /// Jobs arrive in order, each its place as its item and as large as the estimate says. An array of 1
    /// for those that were dropped, 0 for the others. From empty: items of earlier batches look alike.
    #[pyo3(signature = (sizes, *, flows=None, hints=None))]
    fn offer_many<'py>(
        &mut self,
        py: Python<'py>,
        sizes: &Bound<'py, PyAny>,
        flows: Option<&Bound<'py, PyAny>>,
        hints: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let sizes = Column::read(sizes, "sizes")?;
        let flows = flows.map(|flows| Column::read(flows, "flows")).transpose()?;
        let hints = hints.map(|hints| Column::read(hints, "hints")).transpose()?;
        let sizes = sizes.as_slice()?;
        let flows = flows.as_ref().map(Column::as_slice).transpose()?;
        let hints = hints.as_ref().map(Column::as_slice).transpose()?;
        for (name, column) in [("flows", flows), ("hints", hints)] {
            same_length(&["sizes", name], &[sizes, column.unwrap_or(sizes)])?;
        }
        self.rule()?;
        if self.held().len() > 0 {
            return Err(PyValueError::new_err("jobs wait already; offer a batch when none does"));
        }
        let JobScheduler { held, estimate, raised } = self;
        let held = held.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut dropped = vec![0; sizes.len()];
        for start in (0..sizes.len()).step_by(CHUNK) {
            detached::run(py, || {
                for row in start..sizes.len().min(start + CHUNK) {
                    let of = |column: Option<&[u64]>| column.map_or(0, |column| column[row]);
                    let Some(rule) = estimate else { return };
                    let job = estimated(rule, of(flows), sizes[row], of(hints));
                    if raised.is_set() {
                        return;
                    }
                    let offered = held.offer(job, Item::Number(row as u64));
                    note(offered, &mut dropped);
                }
            })?;
            raised.check()?;
            py.check_signals()?;
        }
        Ok(PyArray1::from_vec(py, dropped))
    }

    /// Takes the job to run next, as item, flow, size and work; None if none waits.
    fn poll<'py>(&mut self, py: Python<'py>) -> Option<Shown<'py>> {
        self.held().poll().map(|next| shown(py, next))
    }

    /// Jobs offered, refused, displaced and served.
    #[getter]
    fn counts<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let counts = self.held().counts();
        let shown = PyDict::new(py);
        shown.set_item("offered", counts.offered)?;
        shown.set_item("refused", counts.refused)?;
        shown.set_item("displaced", counts.displaced)?;
        shown.set_item("served", counts.served)?;
        Ok(shown)
    }

    fn __len__(&mut self) -> usize {
        self.held().len()
    }
}

/// Marks the place of a job that was dropped.
fn note(offered: Offered<Waiting<Item>>, dropped: &mut [u8]) {
    if let Some(Waiting { item: Item::Number(place), .. }) = offered.dropped()
        && let Some(mark) = dropped.get_mut(place as usize)
    {
        *mark = 1;
    }
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<JobScheduler>()
}
