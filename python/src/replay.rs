//! `replay`: a real capture through a switch. Settings come as texts, which the crates read as the
//! command does; the report goes back as JSON, which the Python side makes a dictionary.

use std::sync::Arc;

use forebay_expression::Expression;
use forebay_files::Files;
use forebay_replay::{
    Outputs, Pace, PlanConfig, Ranking, ReplayError as Refusal, ReplayPlan, names, run,
    with_classes,
};
use forebay_workload::{CaptureLimits, Recording};
use pyo3::import_exception;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments::{FilePath, Whole};
use crate::errors::{InternalError, StoreError};
use crate::ranks::Own;
use crate::settings::{Settings, blamed, fill_switch};
use crate::{detached, errors};

import_exception!(forebay.errors, CaptureError);
import_exception!(forebay.errors, ReplayError);

/// What may be wrong while the lock is not held.
enum Problem {
    Capture(forebay_workload::CaptureError),
    Replay(Refusal),
    Text(serde_json::Error),
}

/// The error of the engine as an exception.
fn raised(problem: &Problem) -> PyErr {
    match problem {
        Problem::Capture(error) => CaptureError::new_err(error.to_string()),
        Problem::Replay(error @ Refusal::Write { .. }) => StoreError::new_err(error.to_string()),
        Problem::Replay(error @ Refusal::Reread { .. }) => CaptureError::new_err(error.to_string()),
        Problem::Replay(error @ (Refusal::NoSuchPort { .. } | Refusal::TwoRoutes(_))) => {
            ReplayError::new_err(format!("routes: {}", error.sentence()))
        }
        Problem::Replay(error @ Refusal::ClassUnread) => {
            ReplayError::new_err(format!("class_: {}", error.sentence()))
        }
        Problem::Replay(Refusal::Switch(error)) => ReplayError::new_err(blamed(error)),
        Problem::Replay(error) => ReplayError::new_err(error.to_string()),
        Problem::Text(error) => InternalError::new_err(error.to_string()),
    }
}

/// The compiled rule for classes, if there is one.
fn class_rule(settings: &Settings<'_, '_>) -> PyResult<Option<Expression>> {
    let text: Option<String> = settings.get("class_")?;
    text.as_deref().map(forebay_replay::class_rule).transpose().map_err(|error| {
        let text = format!("class_: {error}");
        Python::attach(|py| errors::expression(py, text, error.column))
    })
}

/// A rank over header fields, or one that a switch knows.
fn ranking(value: &Bound<'_, PyAny>) -> PyResult<Ranking> {
    Ok(match Own::read(value, &names())? {
        Own::Named(function) => Ranking::Function(function),
        Own::Rule(rule) => rule.into(),
        Own::Called(called) => {
            Ranking::Rule { rule: Arc::new(move |values| called.rank(values)), reads_class: true }
        }
    })
}

fn pace(settings: &Settings<'_, '_>) -> PyResult<Pace> {
    let (load, speed): (Option<f64>, Option<f64>) = (settings.get("load")?, settings.get("speed")?);
    match (load, speed) {
        (Some(_), Some(_)) => Err(settings.wrong("load", "give either a load or a speed")),
        (Some(load), None) => Ok(Pace::Load(load)),
        (None, speed) => Ok(Pace::Speed(speed.unwrap_or(1.0))),
    }
}

fn config(settings: &Settings<'_, '_>) -> PyResult<PlanConfig> {
    Ok(PlanConfig {
        routes: settings.several("routes")?,
        pace: pace(settings)?,
        rank: settings.rank(ranking)?,
        class: class_rule(settings)?,
        classes: settings.get::<Option<Whole<u16>>>("classes")?.map(|classes| classes.0),
        ..PlanConfig::new(settings.several("rate")?)
    })
}

fn outputs(settings: &Settings<'_, '_>) -> PyResult<Outputs> {
    Ok(Outputs {
        table: settings.get("out")?,
        departures: settings.get("pcap")?,
        trace: settings.trace()?,
        others: Files::default(),
    })
}

fn limits(settings: &Settings<'_, '_>) -> PyResult<CaptureLimits> {
    match settings.get::<Whole<u32>>("max_packets")?.0 {
        0 => Err(settings.wrong("max_packets", "0 packets cannot be replayed; give at least 1")),
        most => Ok(CaptureLimits { max_packets: most as usize, max_file_bytes: u64::MAX }),
    }
}

/// The report as JSON; the packet in which the capture is cut, with the text of the error;
/// warnings; which file could not be written to its end, as an exception; what interrupted it.
type Replayed = (String, Option<(u64, String)>, Vec<String>, Option<Py<PyAny>>, Option<Py<PyAny>>);

/// Replays a capture; see `forebay.replay`.
#[pyfunction]
#[pyo3(signature = (
    path,
    *,
    settings: "dict[str, Any]"
) -> "tuple[str, tuple[int, str] | None, list[str], Any, Any]")]
pub(crate) fn replay_file(
    py: Python<'_>,
    path: FilePath,
    settings: &Bound<'_, PyDict>,
) -> PyResult<Replayed> {
    let FilePath(path) = path;
    let settings = &Settings::new(settings, ReplayError::new_err);
    let (config, outputs, limits) = (config(settings)?, outputs(settings)?, limits(settings)?);
    let (mut switch, name): (_, String) = (settings.switch()?, settings.get("switch")?);
    // Before what can be given only where there are several.
    if let Some(classes) = config.classes {
        let several = with_classes(switch, classes);
        switch = several.map_err(|error| raised(&Problem::Replay(error)))?;
    }
    let mut parameters = settings.parameters(&format!("switch {name}"))?;
    let filled = fill_switch(&mut parameters, &mut switch).and_then(|()| parameters.finish());
    settings.refusing(py, filled)?;
    let (done, interrupted) = detached::interruptible(py, |stop| {
        let recording = Recording::open(&path, limits).map_err(Problem::Capture)?;
        let plan = ReplayPlan::new(&recording, config).map_err(Problem::Replay)?;
        let done = run(&plan, &path, &name, switch, &outputs, stop).map_err(Problem::Replay)?;
        let cut = recording.cut().map(|cut| {
            (cut.record, format!("{}; the {} before it were replayed", cut.error, cut.packets))
        });
        let warnings = recording.warnings().iter().map(ToString::to_string).collect();
        let report = serde_json::to_string(&done.report).map_err(Problem::Text)?;
        Ok((report, cut, warnings, done.unwritten))
    })?;
    let exception = |error: PyErr| error.into_value(py).into_any();
    match (done, interrupted) {
        (Ok((report, cut, warnings, unwritten)), interrupted) => {
            let unwritten = unwritten.map(|error| exception(raised(&Problem::Replay(error))));
            Ok((report, cut, warnings, unwritten, interrupted.map(exception)))
        }
        (Err(_), Some(interrupted)) => Err(interrupted),
        (Err(problem), None) => Err(raised(&problem)),
    }
}
