//! `read_trace`: a recorded trace as the arrays that `Cache.simulate` takes.

use std::path::PathBuf;

use forebay_cache::policies::policies;
use forebay_cache::{Request, STEP};
use forebay_parameters::{ParameterError, set};
use forebay_scenarios::delayed_hits::Contender;
use forebay_scenarios::delayed_hits::config::Config;
use forebay_scenarios::delayed_hits::recorded::kind_of;
use forebay_scenarios::delayed_hits::trace::Trace;
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::arguments::Whole;
use crate::errors;
use crate::shown::Named;

/// The group of the scenario's parameters that say how a trace is read.
const GROUP: &str = "trace.";

/// Reads a trace: text with columns, a line for each time step (`id` or `time;id`), oracleGeneral,
/// pcap or pcapng, also in gzip or zstd. The content tells which, and what is none of these raises
/// `ShapeError`, as do columns that are not there; a file that is not there raises
/// `FileNotFoundError`. `kind` is one of "csv", "steps", "oracle-general", "capture".
///
/// The result holds the arguments of `Cache.simulate`: `times`, `objects`, `sizes` and `origins`.
/// Requests come one a step; with `clock="time"` when the trace says, a nanosecond a step. Columns
/// are names, or numbers from 1; `header` is "yes", "no" or "auto", `delimiter` a character, "tab",
/// "space" or "auto", `time_unit` what time stamps count, as "1 ms".
#[pyfunction]
#[pyo3(signature = (
    path,
    *,
    kind=None,
    requests=None,
    clock=None,
    object_column=None,
    time_column=None,
    size_column=None,
    origin_column=None,
    header=None,
    delimiter=None,
    time_unit=None
) -> "dict[str, NDArray[np.uint64]]")]
#[expect(clippy::too_many_arguments, reason = "named parameters, all with a default")]
pub(crate) fn read_trace<'py>(
    py: Python<'py>,
    path: PathBuf,
    kind: Option<String>,
    requests: Option<Whole<u64>>,
    clock: Option<String>,
    object_column: Option<String>,
    time_column: Option<String>,
    size_column: Option<String>,
    origin_column: Option<String>,
    header: Option<String>,
    delimiter: Option<String>,
    time_unit: Option<String>,
) -> PyResult<Named<&'static str, Bound<'py, PyArray1<u64>>>> {
    let given = [
        ("kind", kind),
        ("requests", requests.map(|requests| requests.0.to_string())),
        ("clock", clock),
        ("object_column", object_column),
        ("time_column", time_column),
        ("size_column", size_column),
        ("origin_column", origin_column),
        ("header", header),
        ("delimiter", delimiter),
        ("time_unit", time_unit),
    ];
    let given =
        given.into_iter().filter_map(|(name, value)| Some((format!("{GROUP}{name}"), value?)));
    let given: Vec<(String, String)> = given.collect();
    // A file that is not there is Python's own error.
    py.import("os")?.call_method1("stat", (&path,))?;
    let read = py.detach(|| errors::guarded(|| read(&path, &given)))?;
    let trace = read.map_err(|error| match error.name().strip_prefix(GROUP) {
        Some("file") | None => errors::shape(error.sentence()),
        Some(name) => errors::shape(format!("{name}: {}", error.sentence())),
    })?;
    let column = |of: fn(&Request) -> u64| PyArray1::from_iter(py, trace.requests.iter().map(of));
    Ok(Named(vec![
        ("times", column(|request| request.at.as_ps() / STEP.as_ps())),
        ("objects", column(|request| request.object.0)),
        ("sizes", column(|request| request.size.get())),
        ("origins", column(|request| request.origin.into())),
    ]))
}

fn read(path: &std::path::Path, given: &[(String, String)]) -> Result<Trace, ParameterError> {
    // Any policy that reads all of a request.
    let reader = Contender::online("lru", &policies());
    let mut config = Config::new(reader.map_err(|error| ParameterError::value("policy", error))?);
    config.trace.file = path.display().to_string();
    config.trace.requests = 1_000_000_000_000; // all of it
    config.trace.kind = kind_of(&config.trace.file)?;
    set(&mut config, given)?;
    Trace::new(&config.trace, 1)
}
