//! Queries: who asks whom, how much and how often (Occamy §3.1, §6.2, §6.4).

use forebay_net::topology::Graph;
use forebay_net::workload::{Arrivals, IncastConfig, Load, Workload, WorkloadError, incast};

use super::Traffic;

impl Traffic {
    /// The queries, if there are any.
    ///
    /// # Errors
    /// If the numbers are impossible.
    pub fn queries(&self, graph: &Graph, seed: u64) -> Result<Option<Workload>, WorkloadError> {
        let asked = &self.config;
        let Some(bytes) = asked.query_bytes else { return Ok(None) };
        let per_second = if asked.query_load > 0.0 {
            let load = Load { fraction: asked.query_load, of: self.links(graph)? };
            load.bytes_per_second()? / bytes.get() as f64
        } else {
            asked.queries_per_second
        };
        let clients = if asked.receivers == 0 { graph.hosts } else { asked.receivers };
        let clients = 0..clients.min(graph.hosts);
        let servers = match asked.servers {
            0 => 0..graph.hosts,
            some => clients.end..clients.end.saturating_add(some),
        };
        let config =
            IncastConfig::new(graph.hosts, asked.query_degree, bytes, per_second, self.end);
        let workload = incast(&IncastConfig {
            clients,
            servers,
            rack: self.rack,
            servers_per_host: asked.servers_per_host,
            request: asked.request_bytes,
            arrivals: Arrivals::Poisson,
            seed,
            ..config
        })?;
        Ok(Some(workload.with_class(asked.query_class)))
    }
}
