//! `net_run`: flows through a network. Settings come as texts, which the crates read as the command
//! does; the report goes back as JSON, which the Python side makes a dictionary, and the flows as a
//! table.

use forebay_expression::Expression;
use forebay_files::Files;
use forebay_lab::results::frame::{Column, DataFrame};
use forebay_net::measure::FlowRecord;
use forebay_net_run::{
    Flows, HostConfig, NetRunError, NetRunOutcome, NetRunPlan, RunConfig, class_rule,
};
use forebay_switch::SwitchConfig;
use forebay_units::{Duration, Time};
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::{NetError, flows::from_columns, raised};
use crate::arguments::Whole;
use crate::catalogue::policies;
use crate::detached;
use crate::errors::{self, InternalError};
use crate::experiments::Table;
use crate::ranks;
use crate::settings::{Settings, fill_switch};

/// The hosts and the switch, with the parameters that have no argument of their own.
fn parts(py: Python<'_>, named: &Settings<'_, '_>) -> PyResult<(HostConfig, SwitchConfig)> {
    let mut hosts = HostConfig::among(&policies().controls);
    let mut switch = switch(named)?;
    let of = format!("hosts and switch {}", named.get::<String>("switch")?);
    let mut parameters = named.parameters(&of)?;
    let filled = parameters
        .fill(&mut hosts)
        .and_then(|()| fill_switch(&mut parameters, &mut switch))
        .and_then(|()| parameters.finish());
    named.refusing(py, filled)?;
    Ok((hosts, switch))
}

/// The switch, serving by the rank that is given.
fn switch(named: &Settings<'_, '_>) -> PyResult<SwitchConfig> {
    let (switch, rank) = (named.switch()?, named.rank(ranks::read)?);
    match rank {
        None => Ok(switch),
        Some(rank) => switch.ranked_by(rank).map_err(|error| named.wrong("rank", error)),
    }
}

/// The compiled rule for classes of flows, if there is one.
fn class(named: &Settings<'_, '_>) -> PyResult<Option<Expression>> {
    let text: Option<String> = named.get("class_")?;
    text.as_deref().map(class_rule).transpose().map_err(|error| {
        let text = format!("class_: {error}");
        Python::attach(|py| errors::expression(py, text, error.column))
    })
}

/// Into how many parts the network is cut.
fn threads(named: &Settings<'_, '_>, switch: &SwitchConfig) -> PyResult<u16> {
    let threads = named.get::<Whole<u16>>("threads")?.0;
    if threads > 1 && ranks::calls_python(switch) {
        let problem = "a rank that is a Python function is called from one thread; give 1, or the \
                       rule as text";
        return Err(named.wrong("threads", problem));
    }
    Ok(threads)
}

fn config(py: Python<'_>, named: &Settings<'_, '_>) -> PyResult<RunConfig> {
    let (hosts, switch) = parts(py, named)?;
    Ok(RunConfig {
        hosts,
        threads: threads(named, &switch)?,
        switch,
        class: class(named)?,
        switch_name: named.get("switch")?,
        seed: named.get::<Whole<u64>>("seed")?.0,
        give_up: named.optional("give_up")?,
        warm_up: named.read("warm_up")?,
        max_timeouts: named.get::<Whole<u8>>("max_timeouts")?.0,
        fail: named.get("fail")?,
        size_classes: named.several("size_classes")?,
        top: named.get::<Whole<u32>>("top")?.0 as usize,
        trace: named.trace()?,
        others: Files::default(),
    })
}

/// The report as JSON, the flows, why some have not finished, why the trace is not whole (an
/// exception), what interrupted it.
type Done = (String, Table, Option<String>, Option<Py<PyAny>>, Option<Py<PyAny>>);

/// Runs flows through a network; see `forebay.net.run`. `flows` is the path of a file, or four
/// columns.
#[pyfunction]
#[pyo3(signature = (
    topology,
    flows: "str | tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike]",
    *,
    settings: "dict[str, Any]"
) -> "tuple[str, Table, str | None, Any, Any]")]
pub(crate) fn net_run<'py>(
    py: Python<'py>,
    topology: &str,
    flows: &Bound<'py, PyAny>,
    settings: &Bound<'py, PyDict>,
) -> PyResult<Done> {
    let flows = match flows.extract::<[Bound<'py, PyAny>; 4]>() {
        Ok(columns) => Flows::Given(from_columns(&columns)?),
        Err(_) => Flows::File(flows.extract()?),
    };
    let config = config(py, &Settings::new(settings, NetError::new_err))?;
    let (done, interrupted) = detached::interruptible(py, |stop| -> Result<_, NetRunError> {
        let plan = NetRunPlan::new(topology, flows, config)?;
        Ok((plan.notes(), forebay_net_run::run(plan, &mut |_| (), stop)?))
    })?;
    let (notes, outcome) = done.map_err(|error| raised(&error))?;
    for note in notes {
        let text = std::ffi::CString::new(note).unwrap_or_default();
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 2)?;
    }
    let NetRunOutcome { report, records, problem, unwritten, .. } = outcome;
    let exception = |error: PyErr| error.into_value(py).into_any();
    let unwritten = unwritten.map(|error| exception(raised(&error)));
    let text = serde_json::to_string(&report);
    let text = text.map_err(|error| InternalError::new_err(error.to_string()))?;
    let records: Vec<FlowRecord> = records.iter().collect();
    Ok((text, table(&records)?, problem, unwritten, interrupted.map(exception)))
}

/// The columns of the command's `--out`. What has not finished has no number in `finish_ns`,
/// `fct_ns` and `slowdown`.
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
    Table::new(DataFrame { columns, facts: Vec::new() })
}

fn nanoseconds(span: Duration) -> f64 {
    span.as_ps() as f64 / 1e3
}
