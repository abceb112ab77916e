//! Flows as columns, and the generators that make them.

use forebay_lab::results::frame::{Column, DataFrame};
use forebay_net::flow::Flow;
use forebay_net::workload::{
    IncastConfig, Load, PermutationConfig, PoissonConfig, incast, permutation_flows, poisson_flows,
};
use forebay_net_run::sizes;
use forebay_units::{Bytes, Time};
use pyo3::prelude::*;

use super::{NetError, raised, read, wrong};
use crate::arguments::Whole;
use crate::arrays;
use crate::detached;
use crate::experiments::Table;

/// Flows of columns `src`, `dst`, `bytes` and `start_ps`.
pub(super) fn from_columns(columns: &[Bound<'_, PyAny>; 4]) -> PyResult<Vec<Flow>> {
    let names = ["flows[\"src\"]", "flows[\"dst\"]", "flows[\"bytes\"]", "flows[\"start_ps\"]"];
    let read = |which: usize| arrays::Column::read(&columns[which], names[which]);
    let held = [read(0)?, read(1)?, read(2)?, read(3)?];
    let [src, dst, bytes, start] = [&held[0], &held[1], &held[2], &held[3]];
    let (src, dst, bytes, start) =
        (src.as_slice()?, dst.as_slice()?, bytes.as_slice()?, start.as_slice()?);
    for (name, column) in names.iter().zip([src, dst, bytes, start]) {
        if column.len() != src.len() {
            let (found, expected) = (column.len(), src.len());
            let problem = format!("{found} values for {expected} flows; give one for each");
            return Err(wrong(name, problem));
        }
    }
    let host = |name: &str, index: usize, host: u64| {
        u32::try_from(host)
            .map_err(|_| wrong(name, format!("element {index} is {host}, which is not a host")))
    };
    let one = |index: usize| {
        let ends = (host(names[0], index, src[index])?, host(names[1], index, dst[index])?);
        Ok(Flow::new(ends.0, ends.1, Bytes::new(bytes[index]), Time::from_ps(start[index])))
    };
    (0..src.len()).map(one).collect()
}

/// The same columns of flows.
fn table(flows: &[Flow]) -> PyResult<Table> {
    let column = |name: &str, of: fn(&Flow) -> u64| {
        let values = flows.iter().map(|flow| i64::try_from(of(flow)).unwrap_or(i64::MAX));
        (name.to_owned(), Column::Whole(values.collect()))
    };
    let columns = vec![
        column("src", |flow| flow.src.into()),
        column("dst", |flow| flow.dst.into()),
        column("bytes", |flow| flow.bytes.get()),
        column("start_ps", |flow| flow.start.as_ps()),
    ];
    Table::new(DataFrame { columns, facts: Vec::new() })
}

/// A load that is a fraction of what every host can send.
fn load(fraction: f64, rate: &str) -> PyResult<Load> {
    Ok(Load::of_hosts(fraction, read("rate", rate)?))
}

fn refused(error: impl std::fmt::Display) -> PyErr {
    NetError::new_err(error.to_string())
}

/// Flows between random hosts; see `forebay.net.poisson`.
#[pyfunction]
pub(crate) fn poisson_table(
    py: Python<'_>,
    hosts: Whole<u32>,
    load_fraction: f64,
    rate: &str,
    sizes_name: &str,
    span: &str,
    seed: Whole<u64>,
) -> PyResult<Table> {
    let config = PoissonConfig {
        hosts: hosts.0,
        load: load(load_fraction, rate)?,
        sizes: sizes(sizes_name).map_err(|error| raised(&error))?,
        span: read("span", span)?,
        seed: seed.0,
    };
    table(&detached::run(py, || poisson_flows(&config))?.map_err(refused)?)
}

/// Queries to several hosts at once; see `forebay.net.incast`.
#[pyfunction]
pub(crate) fn incast_table(
    py: Python<'_>,
    hosts: Whole<u32>,
    degree: Whole<u32>,
    query: &str,
    per_second: f64,
    span: &str,
    seed: Whole<u64>,
) -> PyResult<Table> {
    let (query, span) = (read("query", query)?, read("span", span)?);
    let config = IncastConfig::new(hosts.0, degree.0, query, per_second, span);
    let config = IncastConfig { seed: seed.0, ..config };
    let made = detached::run(py, || incast(&config))?.map_err(refused)?;
    table(made.flows())
}

/// A flow from each host to one other; see `forebay.net.permutation`.
#[pyfunction]
pub(crate) fn permutation_table(
    hosts: Whole<u32>,
    bytes: &str,
    seed: Whole<u64>,
) -> PyResult<Table> {
    let config = PermutationConfig {
        hosts: hosts.0,
        bytes: read("bytes", bytes)?,
        start: Time::ZERO,
        seed: seed.0,
    };
    table(&permutation_flows(&config).map_err(refused)?)
}
