//! `replay`: a real capture through a switch. Arguments come as texts, which the crates read as the command
//! does; the report goes back as JSON, which the Python side makes a dictionary.

use std::path::PathBuf;
use std::str::FromStr;

use forebay_net::switch::SwitchConfig;
use forebay_net::topology::read_rate;
use forebay_replay::{Outputs, Pace, Plan, PlanConfig, ReplayError as Refusal, rule, run};
use forebay_trace::TraceOutput;
use forebay_units::Bytes;
use forebay_workload::{CaptureLimits, Recording};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::import_exception;
use pyo3::prelude::*;

use crate::arguments::{Whole, bounds, wrong};
use crate::detached;

import_exception!(forebay.errors, CaptureError);
import_exception!(forebay.errors, ExpressionError);
import_exception!(forebay.errors, ReplayError);

/// The error of the engine as an exception.
fn raised(error: &Refusal) -> PyErr {
    match error {
        Refusal::Write { .. } | Refusal::Reread { .. } => PyOSError::new_err(error.to_string()),
        _ => ReplayError::new_err(error.to_string()),
    }
}

/// Reads a text argument, if there is one.
fn read<T: FromStr<Err: std::fmt::Display>>(name: &str, text: Option<&str>) -> PyResult<Option<T>> {
    text.map(|text| text.parse().map_err(|error| wrong(name, error))).transpose()
}

/// Compiles a rule, if there is one.
fn compiled(
    py: Python<'_>,
    name: &str,
    text: Option<&str>,
) -> PyResult<Option<forebay_expression::Expression>> {
    text.map(rule).transpose().map_err(|error| {
        let raised = ExpressionError::new_err(format!("{name}: {error}"));
        match raised.value(py).setattr("column", error.column) {
            Ok(()) => raised,
            Err(other) => other,
        }
    })
}

/// The report as JSON; the packet in which the capture is cut, with the text of the error; warnings.
type Replayed = (String, Option<(u64, String)>, Vec<String>);

/// Replays a capture; see `forebay.replay`.
#[pyfunction]
#[pyo3(signature = (
    path, *, rates, routes, speed, load, switch, buffer, mark, rank, class_, classes, max_packets, out, pcap,
    trace, trace_window, trace_sample
))]
#[expect(clippy::too_many_arguments, reason = "named parameters of one call")]
fn replay_file(
    py: Python<'_>,
    path: PathBuf,
    rates: Vec<String>,
    routes: Vec<String>,
    speed: Option<f64>,
    load: Option<f64>,
    switch: &str,
    buffer: Option<&str>,
    mark: Option<&str>,
    rank: Option<&str>,
    class_: Option<&str>,
    classes: Option<Whole<u16>>,
    max_packets: Whole<u32>,
    out: Option<PathBuf>,
    pcap: Option<PathBuf>,
    trace: Option<PathBuf>,
    trace_window: &str,
    trace_sample: Whole<u32>,
) -> PyResult<Replayed> {
    let ports = rates.iter().map(|rate| read_rate(rate).map_err(|error| wrong("rate", error)));
    let config = PlanConfig {
        routes: routes
            .iter()
            .map(|route| route.parse().map_err(|error| wrong("routes", error)))
            .collect::<PyResult<_>>()?,
        pace: match (load, speed) {
            (Some(_), Some(_)) => return Err(wrong("load", "give either a load or a speed")),
            (Some(load), None) => Pace::Load(load),
            (None, speed) => Pace::Speed(speed.unwrap_or(1.0)),
        },
        rank: compiled(py, "rank", rank)?,
        class: compiled(py, "class_", class_)?,
        classes: classes.map(|classes| classes.0),
        ..PlanConfig::new(ports.collect::<PyResult<_>>()?)
    };
    let bounds = bounds(trace_window, trace_sample, "trace_")?;
    let trace = trace.map(|path| TraceOutput { path, bounds });
    let outputs = Outputs { table: out, departures: pcap, trace };
    let built = SwitchConfig::named(switch).map_err(|error| wrong("switch", error))?;
    let built = built.with_marks(read::<Bytes>("mark", mark)?);
    let built = match read::<Bytes>("buffer", buffer)? {
        Some(Bytes::ZERO) => return Err(wrong("buffer", "0 B holds no packet; give more")),
        Some(size) => built.with_buffer(size),
        None => built,
    };
    let limits = CaptureLimits { max_packets: max_packets.0 as usize, max_file_bytes: u64::MAX };
    let (done, interrupted) = detached::interruptible(py, |stop| {
        let recording = Recording::open(&path, limits).map_err(Problem::Capture)?;
        let plan = Plan::new(&recording, config).map_err(Problem::Replay)?;
        let report = run(&plan, &path, switch, built, &outputs, stop).map_err(Problem::Replay)?;
        let cut = recording.cut().map(|cut| {
            (cut.record, format!("{}; the {} before it were replayed", cut.error, cut.packets))
        });
        let warnings = recording.warnings().iter().map(ToString::to_string).collect();
        Ok((serde_json::to_string(&report).map_err(Problem::Text)?, cut, warnings))
    })?;
    if let Some(interrupted) = interrupted {
        return Err(interrupted);
    }
    done.map_err(|problem| match problem {
        Problem::Capture(error) => CaptureError::new_err(error.to_string()),
        Problem::Replay(error) => raised(&error),
        Problem::Text(error) => PyValueError::new_err(error.to_string()),
    })
}

/// What may be wrong while the lock is not held.
enum Problem {
    Capture(forebay_workload::CaptureError),
    Replay(Refusal),
    Text(serde_json::Error),
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(replay_file, module)?)
}
