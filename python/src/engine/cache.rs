//! `Cache`: a cache in front of a store whose fetches take time, under any policy of the registry.
//!
//! Time is counted in the paper's steps. A policy that needs the future (Belady, `-ad`) gets it in
//! `simulate`, which sees the whole trace; a first pass writes it into the requests.

use forebay_cache::offline::annotate;
use forebay_cache::policies::{
    BoxedPolicy, Eviction, Policy, PolicyConfig, SetConfig, bases, policy,
};
use forebay_cache::{
    Associativity, BackingStore, Capacity, Foresight, Geometry, ObjectId, Outcome, Request,
    Simulation, at_step, steps,
};
use forebay_units::{Bytes, Duration};
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::rule::same_length;
use crate::arguments::Whole;
use crate::arrays::Column;
use crate::detached::{self, CHUNK};
use crate::errors;

/// The last step that the engine's clock can count, with room for a fetch.
const LAST_STEP: u64 = (u64::MAX / 4) / forebay_cache::STEP.as_ps();

/// A cache of `capacity` objects (or bytes) in front of a store whose fetch takes `fetch` steps, or as
/// many as its entry for the request's origin says.
#[pyclass(module = "forebay")]
pub(crate) struct Cache {
    simulation: Simulation<BoxedPolicy>,
    store: BackingStore,
    needs: Foresight,
}

#[pymethods]
impl Cache {
    #[new]
    #[pyo3(signature = (
        policy, capacity, *, fetch, unit="objects", ways=None, sets=None, sampled=false, seed=Whole(0)
    ))]
    #[expect(clippy::too_many_arguments, reason = "named parameters, most with a default")]
    fn new(
        policy: &str,
        capacity: Whole<u64>,
        fetch: &Bound<'_, PyAny>,
        unit: &str,
        ways: Option<Whole<u64>>,
        sets: Option<Whole<u64>>,
        sampled: bool,
        seed: Whole<u64>,
    ) -> PyResult<Self> {
        let capacity = match unit {
            "objects" => Capacity::Objects(capacity.0),
            "bytes" => Capacity::Bytes(Bytes::new(capacity.0)),
            other => {
                return Err(PyValueError::new_err(format!(
                    "unit: \"{other}\" is neither \"objects\" nor \"bytes\""
                )));
            }
        };
        let associativity = match (ways, sets) {
            (None, None) => Associativity::Full,
            (Some(ways), None) => Associativity::Ways(ways.0),
            (None, Some(sets)) => Associativity::Sets(sets.0),
            _ => return Err(PyValueError::new_err("give ways or sets, not both")),
        };
        let store = store(fetch)?;
        let mut config = PolicyConfig::default();
        config.order.seed ^= seed.0;
        if sampled {
            config.eviction = Eviction::Sampled;
        }
        let build = self::policy(policy, &config).map_err(errors::shape)?;
        let first = SetConfig { index: 0, capacity: 1, order: config.order };
        let needs = build(&first).needs();
        let geometry = Geometry { capacity, associativity };
        let simulation = Simulation::new(geometry, store.clone(), build).map_err(errors::shape)?;
        Ok(Cache { simulation, store, needs })
    }

    /// Every base policy's name, with what it evicts; each also with `-mad`, `-mad-all` or `-ad` behind it.
    #[staticmethod]
    fn names() -> Vec<(&'static str, &'static str)> {
        bases().iter().map(|base| (base.name, base.about)).collect()
    }

    /// Serves a request: "hit", "delayed hit" or "miss", and the steps it takes.
    #[pyo3(signature = (time, object, size=Whole(1), *, origin=Whole(0)))]
    fn offer(
        &mut self,
        time: Whole<u64>,
        object: Whole<u64>,
        size: Whole<u64>,
        origin: Whole<u32>,
    ) -> PyResult<(&'static str, u64)> {
        let request = request(0, time.0, object.0, size.0, u64::from(origin.0))?;
        let outcome = self.simulation.offer(&request).map_err(errors::shape)?;
        let kind = match outcome {
            Outcome::Hit => "hit",
            Outcome::DelayedHit { .. } => "delayed hit",
            Outcome::Miss { .. } => "miss",
        };
        Ok((kind, in_steps(outcome.latency())))
    }

    /// Serves a whole trace: the steps that each request takes, 0 for a hit.
    #[pyo3(signature = (times, objects, sizes=None, *, origins=None))]
    fn simulate<'py>(
        &mut self,
        py: Python<'py>,
        times: &Bound<'py, PyAny>,
        objects: &Bound<'py, PyAny>,
        sizes: Option<&Bound<'py, PyAny>>,
        origins: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let (times, objects) = (Column::read(times, "times")?, Column::read(objects, "objects")?);
        let sizes = sizes.map(|sizes| Column::read(sizes, "sizes")).transpose()?;
        let origins = origins.map(|origins| Column::read(origins, "origins")).transpose()?;
        let trace = trace(&times, &objects, sizes.as_ref(), origins.as_ref())?;
        let trace = detached::run(py, || {
            let mut trace = trace;
            if self.needs > Foresight::None {
                annotate(&mut trace, &self.store);
            }
            trace
        })?;
        let mut latencies = Vec::with_capacity(trace.len());
        for piece in trace.chunks(CHUNK) {
            let served = detached::run(py, || {
                piece.iter().try_for_each(|request| {
                    latencies.push(in_steps(self.simulation.offer(request)?.latency()));
                    Ok::<(), forebay_cache::OfferError>(())
                })
            })?;
            served.map_err(errors::shape)?;
            py.check_signals()?;
        }
        Ok(PyArray1::from_vec(py, latencies))
    }

    /// What happened so far: counts, and the mean latency of a request in steps.
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let report = self.simulation.report();
        let shown = PyDict::new(py);
        for (name, count) in [
            ("requests", report.requests),
            ("hits", report.hits),
            ("delayed_hits", report.delayed_hits),
            ("misses", report.misses),
            ("admissions", report.admissions),
            ("bypasses", report.bypasses),
            ("evictions", report.evictions),
        ] {
            shown.set_item(name, count)?;
        }
        shown.set_item("mean_latency", report.mean_steps())?;
        Ok(shown)
    }

    /// The objects that are cached.
    fn __len__(&self) -> usize {
        self.simulation.cached()
    }
}

/// A store whose fetches take this long.
fn store(fetch: &Bound<'_, PyAny>) -> PyResult<BackingStore> {
    if let Ok(each) = fetch.extract::<Whole<u64>>() {
        return Ok(BackingStore::Constant(span("fetch", each.0)?));
    }
    let column = Column::read(fetch, "fetch")?;
    let spans: Vec<Duration> =
        column.as_slice()?.iter().map(|each| span("fetch", *each)).collect::<PyResult<_>>()?;
    if spans.is_empty() {
        return Err(PyValueError::new_err(
            "fetch: give the steps of a fetch, or one for each origin",
        ));
    }
    Ok(BackingStore::PerOrigin(spans))
}

fn span(name: &str, count: u64) -> PyResult<Duration> {
    if count > LAST_STEP {
        return Err(PyValueError::new_err(format!("{name}: {count} steps; at most {LAST_STEP}")));
    }
    Ok(steps(count))
}

fn in_steps(span: Duration) -> u64 {
    span.as_ps() / forebay_cache::STEP.as_ps()
}

fn request(row: usize, time: u64, object: u64, size: u64, origin: u64) -> PyResult<Request> {
    if time > LAST_STEP {
        return Err(PyValueError::new_err(format!(
            "times: element {row} is {time}; at most {LAST_STEP} steps"
        )));
    }
    let origin = u32::try_from(origin).map_err(|_| {
        PyValueError::new_err(format!("origins: element {row} is {origin}; at most 2^32 - 1"))
    })?;
    let request = Request::new(at_step(time), ObjectId(object)).sized(Bytes::new(size));
    Ok(Request { origin, ..request })
}

fn trace(
    times: &Column<'_>,
    objects: &Column<'_>,
    sizes: Option<&Column<'_>>,
    origins: Option<&Column<'_>>,
) -> PyResult<Vec<Request>> {
    let mut names = vec!["times", "objects"];
    let mut columns = vec![times.as_slice()?, objects.as_slice()?];
    for (name, column) in [("sizes", sizes), ("origins", origins)] {
        if let Some(column) = column {
            names.push(name);
            columns.push(column.as_slice()?);
        }
    }
    let rows = same_length(&names, &columns)?;
    let (times, objects) = (columns[0], columns[1]);
    let column = |name: &str| names.iter().position(|other| *other == name).map(|at| columns[at]);
    let (sizes, origins) = (column("sizes"), column("origins"));
    (0..rows)
        .map(|row| {
            let size = sizes.map_or(1, |sizes| sizes[row]);
            let origin = origins.map_or(0, |origins| origins[row]);
            request(row, times[row], objects[row], size, origin)
        })
        .collect()
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Cache>()
}
