//! `read_trace`: a recorded trace as the arrays that `Cache.simulate` takes.

use std::path::Path;

use forebay_cache::policies::policies;
use forebay_cache::{Request, STEP};
use forebay_parameters::{
    Configure, Parameter, ParameterError, Problem, Renamed, Walk, check, gate, set,
};
use forebay_scenarios::delayed_hits::Contender;
use forebay_scenarios::delayed_hits::config::{Config, TraceConfig, TraceKind};
use forebay_scenarios::delayed_hits::recorded::Recording;
use forebay_scenarios::delayed_hits::trace::Trace;
use forebay_units::printable;
use numpy::PyArray1;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::arguments::{FilePath, Whole, type_name};
use crate::errors;
use crate::shown::Named;

/// The group of the scenario's parameters that say how a trace is read.
const GROUP: &str = "trace.";

/// The parameters that are arguments here.
const ARGUMENTS: [&str; 10] = [
    "kind",
    "requests",
    "clock",
    "object_column",
    "time_column",
    "size_column",
    "origin_column",
    "header",
    "delimiter",
    "time_unit",
];

/// A column by its name, or by its number from 1.
pub(crate) struct ColumnName(String);

impl<'py> FromPyObject<'_, 'py> for ColumnName {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let number = || value.extract::<Whole<u32>>().map(|number| number.0.to_string());
        value.extract::<String>().or_else(|_| number()).map(ColumnName).map_err(|_| {
            let got = type_name(&value);
            PyTypeError::new_err(format!("expected a column's name, or its number, got {got}"))
        })
    }
}

/// Reads a trace: text with columns, a line for each time step (`id` or `time;id`), oracleGeneral,
/// pcap or pcapng, also in gzip or zstd, from a file or a pipe. The content tells which, and what
/// is none of these raises `ShapeError`, as do columns that are not there; a file that is not there
/// raises `FileNotFoundError`. `kind` is one of "csv", "steps", "oracle-general", "capture".
///
/// The result holds the arguments of `Cache.simulate`: `times`, `objects`, `origins`, and `sizes`
/// if the trace tells them, as text does by `size_column`. Requests come one a step; with
/// `clock="time"` when the trace says, a nanosecond a step. Columns are names, or numbers from 1;
/// `header` is "yes", "no" or "auto", `delimiter` a character, "tab", "space" or "auto",
/// `time_unit` what time stamps count, as "1 ms".
#[pyfunction]
#[pyo3(signature = (
    path,
    *,
    kind=None,
    requests=None,
    clock=None,
    object_column: "str | SupportsIndex | None" = None,
    time_column: "str | SupportsIndex | None" = None,
    size_column: "str | SupportsIndex | None" = None,
    origin_column: "str | SupportsIndex | None" = None,
    header=None,
    delimiter=None,
    time_unit=None
) -> "dict[str, NDArray[np.uint64]]")]
#[expect(clippy::too_many_arguments, reason = "named parameters, all with a default")]
pub(crate) fn read_trace<'py>(
    py: Python<'py>,
    path: FilePath,
    kind: Option<String>,
    requests: Option<Whole<u64>>,
    clock: Option<String>,
    object_column: Option<ColumnName>,
    time_column: Option<ColumnName>,
    size_column: Option<ColumnName>,
    origin_column: Option<ColumnName>,
    header: Option<String>,
    delimiter: Option<String>,
    time_unit: Option<String>,
) -> PyResult<Named<&'static str, Bound<'py, PyArray1<u64>>>> {
    let FilePath(path) = path;
    let column = |column: Option<ColumnName>| column.map(|column| column.0);
    let given = [
        kind,
        requests.map(|requests| requests.0.to_string()),
        clock,
        column(object_column),
        column(time_column),
        column(size_column),
        column(origin_column),
        header,
        delimiter,
        time_unit,
    ];
    let given = ARGUMENTS.into_iter().zip(given);
    let given: Vec<(&str, String)> =
        given.filter_map(|(name, value)| Some((name, value?))).collect();
    // A file that is not there is Python's own error.
    py.import("os")?.call_method1("stat", (&path,))?;
    let read = py.detach(|| errors::guarded(|| read(&path, &given)))?;
    let (trace, is_sized) = read.map_err(|error| refused(&error, &path))?;
    let column = |of: fn(&Request) -> u64| PyArray1::from_iter(py, trace.requests.iter().map(of));
    let mut columns = vec![
        ("times", column(|request| request.at.as_ps() / STEP.as_ps())),
        ("objects", column(|request| request.object.0)),
    ];
    if is_sized {
        columns.push(("sizes", column(|request| request.size.get())));
    }
    columns.push(("origins", column(|request| request.origin.into())));
    Ok(Named(columns))
}

/// The parameters of a trace by the names of the arguments.
#[derive(Clone)]
struct Arguments(TraceConfig);

impl Configure for Arguments {
    fn walk(&mut self, walk: &mut dyn Walk) {
        self.0.walk(&mut Renamed::new(walk, |parameter: &Parameter| {
            let word = parameter.word();
            ARGUMENTS.contains(&word).then(|| parameter.called(word.to_owned()))
        }));
    }
}

/// The trace, and whether it tells the sizes of its objects.
fn read(path: &Path, given: &[(&str, String)]) -> Result<(Trace, bool), ParameterError> {
    // Any policy that reads all of a request.
    let reader = Contender::online("lru", &policies());
    let config = Config::new(reader.map_err(|error| ParameterError::value("policy", error))?);
    let recording = Recording::open(path)?;
    let mut arguments = Arguments(TraceConfig {
        file: path.display().to_string(),
        requests: 1_000_000_000_000, // all of it
        kind: recording.kind(),
        ..config.trace
    });
    let recorded = ["csv", "steps", "oracle-general", "capture"];
    if let Some((name, kind)) = given.iter().find(|(name, _)| *name == "kind")
        && !recorded.contains(&kind.as_str())
    {
        let problem = format!("\"{}\" is not one of {}", printable(kind), recorded.join(", "));
        return Err(ParameterError::value(*name, problem));
    }
    set(&mut arguments, given).map_err(|error| without_effect(&arguments, error))?;
    check(&mut arguments)?;
    let trace = arguments.0;
    let is_sized = match trace.kind {
        TraceKind::Csv => !trace.size_column.is_empty(),
        TraceKind::Steps | TraceKind::Example | TraceKind::ZipfBursts | TraceKind::OnOff => false,
        TraceKind::OracleGeneral | TraceKind::Capture | TraceKind::Cdn | TraceKind::Network => true,
    };
    Ok((Trace::over(&trace, 1, Some(recording))?, is_sized))
}

/// The error of an argument that nothing reads beside the others, with the one that it depends on.
fn without_effect(arguments: &Arguments, error: ParameterError) -> ParameterError {
    match error.problem() {
        Problem::Value(_) => return error,
        Problem::Unknown(_) => {}
    }
    let name = error.name();
    let problem = match gate(|| arguments.clone(), name) {
        // What the content shows is not for the caller to choose.
        Some(gate) if gate.name == "kind" => {
            format!("it has no effect, since {}; leave it out", gate.now())
        }
        Some(gate) => format!(
            "it has no effect, since {}; leave it out, or give {}=\"{}\"",
            gate.now(),
            gate.name,
            gate.instead
        ),
        None => "it has no effect on this kind of trace; leave it out".to_owned(),
    };
    ParameterError::value(name, problem)
}

/// The error of an argument, or of what is in the file.
fn refused(error: &ParameterError, path: &Path) -> PyErr {
    let (name, sentence) = (error.name(), error.sentence());
    let file = path.display().to_string();
    match name.strip_prefix(GROUP).unwrap_or(name) {
        // What a reader says of a place names the file.
        "file" if sentence.contains(&printable(&file).to_string()) => errors::shape(sentence),
        "file" => errors::shape(format!("{file}: {sentence}")),
        name => errors::shape(format!("{name}: {sentence}")),
    }
}
