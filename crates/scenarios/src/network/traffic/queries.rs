//! Queries: who asks whom, how much and how often (Occamy §3.1, §6.2, §6.4).

use forebay_lab::{ConfigError, Resolved};
use forebay_net::topology::Graph;
use forebay_net::workload::{Arrivals, IncastConfig, Load, Workload, WorkloadError, incast};
use forebay_units::Bytes;

use super::Traffic;

/// The parameters of queries.
#[derive(Clone, Copy, Debug)]
pub(super) struct QueryParams {
    bytes: Bytes,
    request: Bytes,
    degree: u32,
    servers: u32,
    servers_per_host: u32,
    per_second: f64,
    load: f64,
    pub(super) class: u8,
}

impl QueryParams {
    pub(super) fn new(params: &Resolved) -> Result<Self, ConfigError> {
        Ok(QueryParams {
            bytes: params.bytes("query_bytes")?,
            request: params.bytes("request_bytes")?,
            degree: params.count("query_degree")? as u32,
            servers: params.count("workload.servers")? as u32,
            servers_per_host: params.count("servers_per_host")? as u32,
            per_second: params.float("queries_per_second")?,
            load: params.float("query_load")?,
            class: params.count("query_class")? as u8,
        })
    }
}

impl Traffic {
    /// The queries, if there are any.
    ///
    /// # Errors
    /// If the numbers are impossible.
    pub fn queries(&self, graph: &Graph, seed: u64) -> Result<Option<Workload>, WorkloadError> {
        let asked = self.queries;
        if asked.bytes == Bytes::ZERO {
            return Ok(None);
        }
        let per_second = if asked.load > 0.0 {
            let load = Load { fraction: asked.load, of: self.links(graph)? };
            load.bytes_per_second()? / asked.bytes.get() as f64
        } else {
            asked.per_second
        };
        let clients = if self.receivers == 0 { graph.hosts } else { self.receivers };
        let clients = 0..clients.min(graph.hosts);
        let servers = match asked.servers {
            0 => 0..graph.hosts,
            some => clients.end..clients.end.saturating_add(some),
        };
        let config =
            IncastConfig::new(graph.hosts, asked.degree, asked.bytes, per_second, self.end);
        let workload = incast(&IncastConfig {
            clients,
            servers,
            servers_per_host: asked.servers_per_host,
            request: (asked.request > Bytes::ZERO).then_some(asked.request),
            arrivals: Arrivals::Poisson,
            seed,
            ..config
        })?;
        Ok(Some(workload.with_class(asked.class)))
    }
}
