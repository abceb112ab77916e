//! `Cache`: a cache in front of a store whose fetches take time, under any policy of the registry
//! or one of the user's.
//!
//! Time is counted in the paper's steps. A policy that needs the future (Belady, `-ad`) gets it in
//! `simulate`, which sees the whole trace; a first pass writes it into the requests.

mod bound;
pub(crate) mod own_policy;

use forebay_cache::offline::{Options, annotate_until};
use forebay_cache::policies::{
    BoxedPolicy, BuildPolicy, Eviction, PolicyConfig, SetConfig, bases, policies as built_in,
};
use forebay_cache::{
    Associativity, BackingStore, CacheGeometry, Capacity, Foresight, ObjectId, OfferError, Request,
    RequestOutcome, STEP, Simulation, at_step, steps,
};
use forebay_lab::results::number::plural;
use forebay_parameters::{Entry, set};
use forebay_units::{Bytes, Duration, Time, printable};
use numpy::PyArray1;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::arguments::{Size, Whole, bytes, quantity, whole};
use crate::arrays::Column;
use crate::catalogue::{names, policies};
use crate::rows::{Columns, Rows};
use crate::shown::Named;
use crate::{detached, errors};
use bound::Bounds;
use own_policy::OwnPolicy;

/// The last step that the engine's clock can count, with room for a fetch.
const LAST_STEP: u64 = (u64::MAX / 4) / STEP.as_ps();

/// A cache of `capacity` objects (or bytes) in front of a store whose fetch takes `fetch` steps, or
/// as many as its entry for the request's origin says. Times are in steps; in a text with a unit,
/// as "2 us", a step is a nanosecond.
///
/// `policy` is a name, or a class of your own (see `CachePolicy`), called with the capacity of each
/// set. After an exception of such a policy's the cache cannot be used any more.
#[pyclass(module = "forebay")]
pub(crate) struct Cache {
    /// As it is shown: a name in quotes, or the user's class.
    policy: String,
    capacity: Capacity,
    simulation: Simulation<BoxedPolicy>,
    store: BackingStore,
    /// Whether the user's policy has left the engine halfway through a request.
    broken: bool,
}

/// A number of a report.
#[derive(IntoPyObject)]
enum Measured {
    Count(u64),
    Mean(f64),
}

#[pymethods]
impl Cache {
    #[new]
    #[pyo3(signature = (
        policy: "str | Callable[[int], CachePolicy]",
        capacity: "Size",
        *,
        fetch: "Time | ArrayLike",
        unit: "Literal['objects', 'bytes']" = "objects",
        ways=None,
        sets=None,
        sampled=false,
        samples=None,
        seed: "SupportsIndex" = 0
    ))]
    #[expect(clippy::too_many_arguments, reason = "named parameters, most with a default")]
    fn new(
        policy: &Bound<'_, PyAny>,
        capacity: &Bound<'_, PyAny>,
        fetch: &Bound<'_, PyAny>,
        unit: &str,
        ways: Option<Whole<u64>>,
        sets: Option<Whole<u64>>,
        sampled: bool,
        samples: Option<Whole<u32>>,
        #[pyo3(from_py_with = whole)] seed: u64,
    ) -> PyResult<Self> {
        let capacity = match unit {
            "objects" => Capacity::Objects(named("capacity", capacity, whole)?),
            "bytes" => Capacity::Bytes(Bytes::new(named("capacity", capacity, bytes)?)),
            other => {
                return Err(PyValueError::new_err(format!(
                    "unit: \"{}\" is neither \"objects\" nor \"bytes\"",
                    printable(other)
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
        let drawn = Drawn { sampled, samples: samples.map(|samples| samples.0), seed };
        let (policy, build) = match policy.cast::<PyString>() {
            Ok(name) => named_policy(name.to_str()?, &drawn)?,
            Err(_) => own_policy(policy, &drawn)?,
        };
        let geometry = CacheGeometry { capacity, associativity };
        let simulation = errors::guarded(|| Simulation::new(geometry, store.clone(), build))?;
        let simulation = simulation.map_err(errors::shape)?;
        Ok(Cache { policy, capacity, simulation, store, broken: false })
    }

    /// Every base policy's name, with what it evicts; each also with `-mad`, `-mad-all` or `-ad`
    /// behind it.
    #[staticmethod]
    fn names() -> Vec<(String, String)> {
        let (bases, built_in) = (bases(), built_in());
        let mut all = names(policies().caches.clone());
        all.retain(|(name, _)| bases.get(name).is_some() || built_in.get(name).is_none());
        all
    }

    /// Serves a request: "hit", "delayed hit" or "miss", and the steps it takes. A cache of bytes
    /// needs the object's `size`.
    #[pyo3(signature = (
        time: "Time",
        object: "SupportsIndex",
        size: "Size | None" = None,
        *,
        origin: "SupportsIndex" = 0
    ))]
    fn offer(
        &mut self,
        #[pyo3(from_py_with = time_steps)] time: u64,
        #[pyo3(from_py_with = whole)] object: u64,
        size: Option<Size<u64>>,
        #[pyo3(from_py_with = whole)] origin: u32,
    ) -> PyResult<(&'static str, u64)> {
        self.sized(size.is_some(), "size: give the bytes of the object")?;
        for (name, number, most, why) in [
            ("time", time, LAST_STEP, &at_most_steps()),
            ("origin", origin.into(), self.last_origin(), &self.there_are()),
        ] {
            if number > most {
                return Err(PyValueError::new_err(format!("{name}: {number}; {why}")));
            }
        }
        self.usable()?;
        let request = request(time, object, size.map_or(1, |size| size.0), origin);
        let outcome = errors::guarded(|| self.simulation.offer(&request));
        self.broken = outcome.is_err();
        let outcome = outcome?.map_err(wrong)?;
        let kind = match outcome {
            RequestOutcome::Hit => "hit",
            RequestOutcome::DelayedHit { .. } => "delayed hit",
            RequestOutcome::Miss { .. } => "miss",
        };
        Ok((kind, in_steps(outcome.latency())))
    }

    /// Serves a whole trace: the steps that each request takes, 0 for a hit. A cache of bytes needs
    /// the `sizes` of the objects.
    ///
    /// After Ctrl-C, the exception's `index` is the first request that was not served, its `done`
    /// the steps of those before.
    #[pyo3(signature = (
        times: "ArrayLike",
        objects: "ArrayLike",
        sizes: "ArrayLike | None" = None,
        *,
        origins: "ArrayLike | None" = None
    ) -> "NDArray[np.uint64]")]
    fn simulate<'py>(
        &mut self,
        py: Python<'py>,
        times: &Bound<'py, PyAny>,
        objects: &Bound<'py, PyAny>,
        sizes: Option<&Bound<'py, PyAny>>,
        origins: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<u64>>> {
        self.usable()?;
        self.sized(sizes.is_some(), "sizes: give the bytes of each request's object")?;
        let names = ["times", "objects", "sizes", "origins"];
        let columns = Columns::read(names, [Some(times), Some(objects), sizes, origins])?;
        let rows = columns.rows()?;
        rows.sorted(py)?;
        rows.at_most(py, 0, LAST_STEP, &at_most_steps())?;
        rows.at_most(py, 3, self.last_origin(), &self.there_are())?;
        let mut latencies = Vec::with_capacity(rows.len());
        let ended = if self.simulation.needs() > Foresight::None {
            let trace = foretold(py, &rows, &self.store)?;
            self.play(py, rows.len(), |row| trace[row], &mut latencies)
        } else {
            self.play(py, rows.len(), |row| request_of(&rows, row), &mut latencies)
        };
        let served = latencies.len();
        let latencies = PyArray1::from_vec(py, latencies);
        match ended {
            Ok(()) => Ok(latencies),
            Err(error) => Err(errors::in_batch(py, error, served, latencies.into_any())),
        }
    }

    /// Between which mean latencies that of the best schedule of a trace lies, which knows the
    /// future, in a cache of `capacity` objects (Belatedly, thesis §2.4): `lower` is proven, a
    /// schedule with `upper` was found, and `rounded` is that of the paper's randomized rounding.
    /// It ends at a `gap` of (upper - lower) / lower, after so many `rounds`, or when further
    /// rounds gain nothing; the number of threads does not change the result.
    ///
    /// After Ctrl-C, the exception's `done` has the bounds found by then.
    #[staticmethod]
    #[pyo3(signature = (
        times: "ArrayLike",
        objects: "ArrayLike",
        capacity: "SupportsIndex",
        *,
        fetch: "Time",
        gap=0.001,
        rounds: "SupportsIndex" = 1000,
        threads: "SupportsIndex" = 2,
        seed: "SupportsIndex" = 1
    ))]
    #[expect(clippy::too_many_arguments, reason = "named parameters, most with a default")]
    fn bound(
        py: Python<'_>,
        times: &Bound<'_, PyAny>,
        objects: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = whole)] capacity: u64,
        #[pyo3(from_py_with = time_steps)] fetch: u64,
        gap: f64,
        #[pyo3(from_py_with = whole)] rounds: u32,
        #[pyo3(from_py_with = whole)] threads: u16,
        #[pyo3(from_py_with = whole)] seed: u64,
    ) -> PyResult<Bounds> {
        if capacity == 0 {
            return Err(errors::shape("capacity is 0: give 1 object at least"));
        }
        let fetch = span("fetch", fetch)?;
        let columns = Columns::read(["times", "objects"], [Some(times), Some(objects)])?;
        let rows = columns.rows()?;
        rows.sorted(py)?;
        rows.at_most(py, 0, LAST_STEP, &at_most_steps())?;
        let trace: Vec<Request> = (0..rows.len())
            .map(|row| request(rows.at(0, row, 0), rows.at(1, row, 0), 1, 0))
            .collect();
        let threads = threads.into();
        let options = Options { gap, rounds, threads, seed, ..Options::default() };
        bound::solve(py, &trace, (fetch, capacity), options)
    }

    /// What happened so far: counts, and the mean latency of a request in steps (nan before the
    /// first).
    #[getter]
    fn report(&self) -> Named<&'static str, Measured> {
        let report = self.simulation.report();
        let counts = [
            ("requests", report.requests),
            ("hits", report.hits),
            ("delayed_hits", report.delayed_hits),
            ("misses", report.misses),
            ("admissions", report.admissions),
            ("bypasses", report.bypasses),
            ("evictions", report.evictions),
        ];
        let mut shown: Vec<_> =
            counts.into_iter().map(|(name, count)| (name, Measured::Count(count))).collect();
        let mean = if report.requests == 0 { f64::NAN } else { report.mean_steps() };
        shown.push(("mean_latency", Measured::Mean(mean)));
        Named(shown)
    }

    /// The objects that are cached.
    fn __len__(&self) -> usize {
        self.simulation.cached()
    }

    fn __repr__(&self) -> String {
        let (policy, cached) = (&self.policy, self.simulation.cached());
        match self.capacity {
            Capacity::Objects(most) => {
                format!("<Cache {policy}: {cached} of {}>", plural(most, "object", "objects"))
            }
            Capacity::Bytes(most) => {
                format!("<Cache {policy}: {} in {most}>", plural(cached, "object", "objects"))
            }
        }
    }
}

impl Cache {
    /// Offers requests in order; the steps that each takes.
    fn play(
        &mut self,
        py: Python<'_>,
        requests: usize,
        request: impl Sync + Fn(usize) -> Request,
        latencies: &mut Vec<u64>,
    ) -> PyResult<()> {
        let (simulation, broken) = (&mut self.simulation, &mut self.broken);
        let played = detached::in_pieces(py, requests, |piece| {
            *broken = true; // unless the piece comes to its end
            let served = || {
                for row in piece {
                    latencies.push(in_steps(simulation.offer(&request(row))?.latency()));
                }
                Ok(())
            };
            let ended = served();
            *broken = false;
            ended
        })?;
        played.map_err(wrong)
    }

    /// Refuses what comes after an exception of the user's policy.
    fn usable(&self) -> PyResult<()> {
        if self.broken {
            return Err(errors::ForebayError::new_err(
                "an exception of its policy has left this cache halfway through a request: make a \
                 new one",
            ));
        }
        Ok(())
    }

    /// That sizes are given to a cache that counts them.
    fn sized(&self, is_given: bool, problem: &str) -> PyResult<()> {
        match self.capacity {
            Capacity::Bytes(_) if !is_given => {
                Err(errors::shape(format!("{problem}, as the cache's capacity is in bytes")))
            }
            Capacity::Bytes(_) | Capacity::Objects(_) => Ok(()),
        }
    }

    /// How many origins `fetch` lists, if it does.
    fn origins(&self) -> Option<usize> {
        let BackingStore::PerOrigin(spans) = &self.store else { return None };
        Some(spans.len())
    }

    /// The largest number of an origin.
    fn last_origin(&self) -> u64 {
        self.origins().map_or(u32::MAX.into(), |origins| origins.saturating_sub(1) as u64)
    }

    fn there_are(&self) -> String {
        match self.origins() {
            Some(origins) => format!("`fetch` has {origins} origins, numbered from 0"),
            None => "at most 2^32 - 1".to_owned(),
        }
    }
}

/// What only a policy of the registry reads.
struct Drawn {
    sampled: bool,
    samples: Option<u32>,
    seed: u64,
}

/// A policy of the registry as it is shown, and what builds it.
fn named_policy(name: &str, drawn: &Drawn) -> PyResult<(String, BuildPolicy)> {
    let mut config = PolicyConfig::default();
    config.order.seed ^= drawn.seed;
    if drawn.sampled {
        config.eviction = Eviction::Sampled;
    }
    if drawn.samples.is_some() && !drawn.sampled {
        let text = "samples: only a sampled eviction draws any; give sampled=True too";
        return Err(PyValueError::new_err(text));
    }
    let given = drawn.samples.map(|samples| ("samples", samples.to_string()));
    set(&mut config, given.as_slice()).map_err(errors::shape)?;
    let policy = policies().caches.named(name).map_err(errors::shape)?.clone();
    let build = policy.build(&config).map_err(errors::shape)?;
    Ok((format!("\"{}\"", policy.name()), build))
}

/// A class of the user's as it is shown, and what makes its objects.
fn own_policy(class: &Bound<'_, PyAny>, drawn: &Drawn) -> PyResult<(String, BuildPolicy)> {
    let given = [
        ("sampled", drawn.sampled),
        ("samples", drawn.samples.is_some()),
        ("seed", drawn.seed != 0),
    ];
    if let Some((name, _)) = given.into_iter().find(|(_, given)| *given) {
        return Err(PyValueError::new_err(format!(
            "{name}: a policy of your own chooses by itself"
        )));
    }
    let own = OwnPolicy::read(class)?;
    let name = own.name().to_owned();
    Ok((name, Box::new(move |set: &SetConfig| Box::new(own.build(set.capacity)))))
}

/// A store whose fetches take this long: a number, or one for each origin.
fn store(fetch: &Bound<'_, PyAny>) -> PyResult<BackingStore> {
    if fetch.is_instance_of::<PyString>() || fetch.len().is_err() {
        return Ok(BackingStore::Constant(span("fetch", named("fetch", fetch, time_steps)?)?));
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

/// What `read` makes of a value, whose errors begin with its name.
fn named<T>(
    name: &str,
    value: &Bound<'_, PyAny>,
    read: fn(&Bound<'_, PyAny>) -> PyResult<T>,
) -> PyResult<T> {
    read(value).map_err(|error| {
        let text = format!("{name}: {}", error.value(value.py()));
        match error.is_instance_of::<PyTypeError>(value.py()) {
            true => PyTypeError::new_err(text),
            false => PyValueError::new_err(text),
        }
    })
}

/// Steps; or a text with the unit of time, of which a step then is a nanosecond.
fn time_steps(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    let read = |text: &str| Ok(text.parse::<Duration>()?.as_ps().div_ceil(STEP.as_ps()));
    quantity(value, read, ("steps", "'2 us'"))
}

fn span(name: &str, count: u64) -> PyResult<Duration> {
    if count > LAST_STEP {
        return Err(PyValueError::new_err(format!("{name}: {count} steps; at most {LAST_STEP}")));
    }
    Ok(steps(count))
}

fn at_most_steps() -> String {
    format!("at most {LAST_STEP} steps")
}

fn in_steps(span: Duration) -> u64 {
    span.as_ps() / STEP.as_ps()
}

fn step_of(at: Time) -> u64 {
    at.as_ps() / STEP.as_ps()
}

/// The error of a request, its times in steps.
fn wrong(error: OfferError) -> PyErr {
    errors::shape(match error {
        OfferError::OutOfOrder { index, at, now } => format!(
            "request {index} is at {}, before the one at {}: sort the trace by time",
            step_of(at),
            step_of(now)
        ),
        OfferError::TooLate { index, at } => format!(
            "request {index} at {} is served after the latest step that can be compared: shift the \
             trace to begin at 0, or cut it",
            step_of(at)
        ),
        OfferError::NeedsFuture { .. } => {
            "the policy must know the future, which one request does not tell: \
             give simulate() the whole trace, or choose another policy"
                .to_owned()
        }
    })
}

/// A request whose numbers were checked.
fn request(time: u64, object: u64, size: u64, origin: u32) -> Request {
    let request = Request::new(at_step(time), ObjectId(object)).sized(Bytes::new(size));
    Request { origin, ..request }
}

fn request_of(rows: &Rows<'_, 4>, row: usize) -> Request {
    request(rows.at(0, row, 0), rows.at(1, row, 0), rows.at(2, row, 1), rows.at(3, row, 0) as u32)
}

/// The trace with what each request must know of the future.
fn foretold(py: Python<'_>, rows: &Rows<'_, 4>, store: &BackingStore) -> PyResult<Vec<Request>> {
    let (trace, interrupted) = detached::interruptible(py, |stop| {
        let mut trace: Vec<Request> = (0..rows.len()).map(|row| request_of(rows, row)).collect();
        annotate_until(&mut trace, store, stop);
        trace
    })?;
    match interrupted {
        Some(error) => Err(error),
        None => Ok(trace),
    }
}
