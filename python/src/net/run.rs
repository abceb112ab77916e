//! `net_run`: flows through a network. Settings come as texts, which the crates read as the command does; the
//! report goes back as JSON, which the Python side makes a dictionary, and the flows as a table.

use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;

use forebay_lab::results::frame::{Column, Frame};
use forebay_net::measure::FlowRecord;
use forebay_net::switch::SwitchConfig;
use forebay_net_run::{Flows, HostConfig, NetRunError, Outcome, Plan, RunConfig};
use forebay_sched::tree::TreeConfig;
use forebay_trace::TraceOutput;
use forebay_units::{Bytes, Duration, Time};
use pyo3::exceptions::{PyTypeError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::{flows::from_columns, raised, read};
use crate::arguments::{Whole, bounds, wrong};
use crate::detached;
use crate::experiments::Table;

/// Named values that `forebay.net.run` passes on.
struct Named<'a, 'py>(&'a Bound<'py, PyDict>);

impl Named<'_, '_> {
    /// The value of this name; an error begins with the name.
    fn get<T: for<'a, 'py> FromPyObject<'a, 'py, Error = PyErr>>(&self, name: &str) -> PyResult<T> {
        let value = self.0.as_any().get_item(name)?;
        value.extract().map_err(|error: PyErr| {
            let text = format!("{name}: {}", error.value(value.py()));
            if error.is_instance_of::<PyTypeError>(value.py()) {
                PyTypeError::new_err(text)
            } else {
                PyValueError::new_err(text)
            }
        })
    }

    /// A text with a unit.
    fn read<T: FromStr<Err: Display>>(&self, name: &str) -> PyResult<T> {
        read(name, &self.get::<String>(name)?)
    }

    /// A text with a unit, or None.
    fn optional<T: FromStr<Err: Display>>(&self, name: &str) -> PyResult<Option<T>> {
        let text: Option<String> = self.get(name)?;
        text.map(|text| read(name, &text)).transpose()
    }
}

fn hosts(named: &Named<'_, '_>) -> PyResult<HostConfig> {
    Ok(HostConfig {
        control: named.get("control")?,
        mss: named.read("mss")?,
        initial_window: named.get::<Whole<u32>>("initial_window")?.0,
        min_rto: named.read("min_rto")?,
        initial_rto: named.optional("initial_rto")?,
        receive_window: named.optional("receive_window")?,
        delayed_ack: named.optional("delayed_ack")?,
        sack: named.get("sack")?,
        handshake: named.get("handshake")?,
        nic: named.get("nic")?,
    })
}

fn switch(named: &Named<'_, '_>) -> PyResult<SwitchConfig> {
    let known = SwitchConfig::named(&named.get::<String>("switch")?);
    let config = known.map_err(|error| wrong("switch", error))?;
    let config = match named.get::<Option<String>>("tree")? {
        Some(text) => with_tree(config, &text)?,
        None => config,
    };
    let config = match named.optional::<Bytes>("buffer")? {
        Some(Bytes::ZERO) => return Err(wrong("buffer", "0 B holds no packet; give more")),
        Some(size) => config.with_buffer(size),
        None => config,
    };
    Ok(config.with_marks(named.optional("mark")?))
}

/// The same switch with the tree of a text.
fn with_tree(mut config: SwitchConfig, text: &str) -> PyResult<SwitchConfig> {
    match &mut config {
        SwitchConfig::Scheduled(scheduled) if scheduled.scheduler == "tree" => {
            let tree = TreeConfig::from_toml(text).map_err(|error| wrong("tree", error))?;
            scheduled.parameters.tree = tree;
            Ok(config)
        }
        _ => Err(wrong("tree", "only a switch that is a tree has one: give switch=\"tree\" too")),
    }
}

fn config(named: &Named<'_, '_>) -> PyResult<RunConfig> {
    let window: String = named.get("trace_window")?;
    let bounds = bounds(&window, named.get("trace_sample")?, "trace_")?;
    let classes: Vec<String> = named.get("classes")?;
    let trace: Option<PathBuf> = named.get("trace")?;
    Ok(RunConfig {
        hosts: hosts(named)?,
        switch: switch(named)?,
        switch_name: named.get("switch")?,
        threads: named.get::<Whole<u16>>("threads")?.0,
        seed: named.get::<Whole<u64>>("seed")?.0,
        give_up: named.optional("give_up")?,
        warm_up: named.read("warm_up")?,
        max_timeouts: named.get::<Whole<u8>>("max_timeouts")?.0,
        fail: named.get("fail")?,
        classes: classes.iter().map(|size| read("classes", size)).collect::<PyResult<_>>()?,
        top: named.get::<Whole<u32>>("top")?.0 as usize,
        trace: trace.map(|path| TraceOutput { path, bounds }),
    })
}

/// The report as JSON, the flows, why some have not finished, what interrupted it.
type Done<'py> = (String, Table, Option<String>, Option<Bound<'py, PyAny>>);

/// Runs flows through a network; see `forebay.net.run`. `flows` is the path of a file, or four columns.
#[pyfunction]
#[pyo3(signature = (topology, flows, *, settings))]
fn net_run<'py>(
    py: Python<'py>,
    topology: &str,
    flows: &Bound<'py, PyAny>,
    settings: &Bound<'py, PyDict>,
) -> PyResult<Done<'py>> {
    let flows = match flows.extract::<[Bound<'py, PyAny>; 4]>() {
        Ok(columns) => Flows::Given(from_columns(&columns)?),
        Err(_) => Flows::File(flows.extract()?),
    };
    let config = config(&Named(settings))?;
    let (done, interrupted) = detached::interruptible(py, |stop| -> Result<_, NetRunError> {
        let plan = Plan::new(topology, flows, config)?;
        Ok((plan.notes(), forebay_net_run::run(&plan, &mut |_| (), stop)?))
    })?;
    let (notes, outcome) = done.map_err(|error| raised(&error))?;
    for note in notes {
        let text = std::ffi::CString::new(note).unwrap_or_default();
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 2)?;
    }
    let Outcome { report, records, problem, .. } = outcome;
    let text = serde_json::to_string(&report);
    let text = text.map_err(|error| PyValueError::new_err(error.to_string()))?;
    let interrupted = interrupted.map(|raised| raised.into_value(py).into_bound(py).into_any());
    Ok((text, table(&records)?, problem, interrupted))
}

/// The columns of the command's `--out`. What has not finished has no number in `finish_ns`, `fct_ns` and
/// `slowdown`.
fn table(records: &[FlowRecord]) -> PyResult<Table> {
    let whole = |name: &str, of: fn(&FlowRecord) -> u64| {
        let values = records.iter().map(|record| i64::try_from(of(record)).unwrap_or(i64::MAX));
        (name.to_owned(), Column::Whole(values.collect()))
    };
    let number = |name: &str, of: fn(&FlowRecord) -> Option<f64>| {
        let values = records.iter().map(|record| of(record).unwrap_or(f64::NAN));
        (name.to_owned(), Column::Number(values.collect()))
    };
    let columns = vec![
        whole("src", |record| record.flow.src.into()),
        whole("dst", |record| record.flow.dst.into()),
        whole("bytes", |record| record.flow.bytes.get()),
        number("start_ns", |record| Some(nanoseconds(record.flow.start.since(Time::ZERO)))),
        number("finish_ns", |record| record.finish.map(|at| nanoseconds(at.since(Time::ZERO)))),
        number("fct_ns", |record| record.fct().map(nanoseconds)),
        number("ideal_ns", |record| Some(nanoseconds(record.ideal))),
        number("slowdown", FlowRecord::slowdown),
        whole("delivered", |record| record.delivered.get()),
        whole("resent", |record| record.sender.resent.into()),
        whole("timeouts", |record| record.sender.timeouts.into()),
    ];
    Table::new(Frame { columns, facts: Vec::new() })
}

fn nanoseconds(span: Duration) -> f64 {
    span.as_ps() as f64 / 1e3
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(net_run, module)?)
}
