//! What is sent: background and queries, from the parameters.

use forebay_net::flow::Flow;
use forebay_net::topology::Graph;
use forebay_net::workload::{
    Arrivals, CollectiveConfig, IncastConfig, LinkSet, Load, Pattern, PatternConfig,
    PermutationConfig, PoissonConfig, Repeat, Workload, WorkloadError, collective, incast,
    pattern_flows, permutation_flows, poisson_flows,
};
use forebay_units::{Bytes, Duration, Rate, Time};
use forebay_workload::SizeDistribution;

use crate::config::Resolved;
use crate::error::ConfigError;
use crate::scenarios::schedulers;

/// The traffic of a run.
#[derive(Clone, Debug)]
pub struct Traffic {
    background: String,
    sizes: SizeDistribution,
    load: f64,
    of_hosts: bool,
    flow_bytes: Bytes,
    /// Whether a collective's flows wait for each other.
    closed: bool,
    query_bytes: Bytes,
    query_degree: u32,
    servers_per_host: u32,
    queries_per_second: f64,
    query_load: f64,
    receivers: u32,
    background_receiver: u32,
    query_class: u8,
    background_class: u8,
    host_rate: Rate,
    /// Weights of the flows of `shares` and `join-leave`.
    weights: Vec<u32>,
    /// Nothing begins later.
    end: Duration,
}

/// Payload of what is sent: 1448 of 1500 bytes.
const PAYLOAD: f64 = 1448.0 / 1500.0;
/// Longer than any run.
const ENDLESS: Bytes = Bytes::new(1 << 44);

impl Traffic {
    /// Reads the parameters.
    ///
    /// # Errors
    /// Names the parameter at fault.
    pub fn new(params: &Resolved) -> Result<Self, ConfigError> {
        let sizes = SizeDistribution::builtin(params.text("sizes")?)
            .map_err(|error| params.blame("sizes", error.to_string()))?;
        Ok(Traffic {
            background: params.text("background")?.to_owned(),
            sizes,
            load: params.float("workload.load")?,
            of_hosts: params.text("load_of")? == "hosts" || params.text("topology.kind")? == "star",
            flow_bytes: params.bytes("flow_bytes")?,
            closed: params.text("rounds")? == "closed",
            query_bytes: params.bytes("query_bytes")?,
            query_degree: params.count("query_degree")? as u32,
            servers_per_host: params.count("servers_per_host")? as u32,
            queries_per_second: params.float("queries_per_second")?,
            query_load: params.float("query_load")?,
            receivers: params.count("receivers")? as u32,
            background_receiver: params.count("background_receiver")? as u32,
            query_class: params.count("query_class")? as u8,
            background_class: params.count("background_class")? as u8,
            host_rate: params.rate("host_rate")?,
            weights: schedulers::weights(params)?,
            end: params.duration("warm_up")? + params.duration("run.span")?,
        })
    }

    /// The classes of queries and of the background.
    #[must_use]
    pub fn classes(&self) -> [u8; 2] {
        [self.query_class, self.background_class]
    }

    fn links(&self, graph: &Graph) -> Result<LinkSet, WorkloadError> {
        if self.of_hosts {
            Ok(LinkSet::Hosts { rate: self.host_rate })
        } else {
            LinkSet::uplinks(graph)
        }
    }

    /// The background.
    ///
    /// # Errors
    /// If the numbers are impossible.
    pub fn background(&self, graph: &Graph, seed: u64) -> Result<Workload, WorkloadError> {
        let hosts = graph.hosts;
        let workload = match self.background.as_str() {
            "none" => Workload::default(),
            "flows" => Workload::from(self.flows(graph, seed)?),
            "shares" => Workload::from(self.shares(graph)),
            "join-leave" => Workload::from(self.join_and_leave(graph)),
            "permutation" => Workload::from(permutation_flows(&PermutationConfig {
                hosts,
                bytes: self.flow_bytes,
                start: Time::ZERO,
                seed,
            })?),
            name if !self.closed => {
                Workload::from(pattern_flows(&self.pattern(name, graph, seed)?)?)
            }
            name => {
                let stop = Time::ZERO + self.end;
                self.collective(name, hosts, Repeat::Until { stop, rate: self.host_rate })?
            }
        };
        Ok(workload.with_class(self.background_class))
    }

    fn pattern(
        &self,
        name: &str,
        graph: &Graph,
        seed: u64,
    ) -> Result<PatternConfig, WorkloadError> {
        Ok(PatternConfig {
            pattern: Pattern::named(name).unwrap_or(Pattern::AllToAll),
            hosts: graph.hosts,
            bytes: self.flow_bytes,
            load: Load { fraction: self.load, of: self.links(graph)? },
            span: self.end,
            seed,
        })
    }

    fn collective(
        &self,
        name: &str,
        hosts: u32,
        repeat: Repeat,
    ) -> Result<Workload, WorkloadError> {
        collective(&CollectiveConfig {
            pattern: Pattern::named(name).unwrap_or(Pattern::AllToAll),
            hosts: (0..hosts).collect(),
            bytes: self.flow_bytes,
            start: Time::ZERO,
            delay: Duration::ZERO,
            repeat,
        })
    }

    /// Whether the background's numbers are possible, without making all of it.
    ///
    /// # Errors
    /// If they are not.
    pub(super) fn check_background(&self, graph: &Graph) -> Result<(), WorkloadError> {
        match self.background.as_str() {
            "flows" => {
                Load { fraction: self.load, of: self.links(graph)? }.bytes_per_second().map(drop)
            }
            "none" | "shares" | "join-leave" | "permutation" => Ok(()),
            name if !self.closed => {
                let brief = Traffic { end: Duration::from_ns(1), ..self.clone() };
                pattern_flows(&brief.pattern(name, graph, 1)?).map(drop)
            }
            name => self.collective(name, graph.hosts, Repeat::Times(1)).map(drop),
        }
    }

    /// Whether the queries' numbers are possible, without making all of them.
    ///
    /// # Errors
    /// If they are not.
    pub(super) fn check_queries(&self, graph: &Graph) -> Result<(), WorkloadError> {
        let brief = Traffic { end: Duration::from_ns(1), ..self.clone() };
        brief.queries(graph, 1).map(drop)
    }

    /// Poisson flows between random hosts; with few receivers, each of those gets the load from the others.
    fn flows(&self, graph: &Graph, seed: u64) -> Result<Vec<Flow>, WorkloadError> {
        let hosts = graph.hosts;
        let few = self.receivers > 0 && self.receivers < hosts;
        let share = if few {
            self.load * f64::from(self.receivers) / f64::from(hosts - self.receivers)
        } else {
            self.load
        };
        let flows = poisson_flows(&PoissonConfig {
            hosts,
            load: Load { fraction: share, of: self.links(graph)? },
            sizes: self.sizes.clone(),
            span: self.end,
            seed,
        })?;
        if !few {
            return Ok(flows);
        }
        let receivers = self.background_receiver..self.background_receiver + self.receivers;
        let senders = flows.into_iter().filter(|flow| !receivers.contains(&flow.src));
        let to = |flow: &Flow| receivers.start + flow.dst % self.receivers;
        Ok(senders.map(|flow| Flow { dst: to(&flow), ..flow }).collect())
    }

    /// The weights of the flows whose shares are watched, in their order; none with other backgrounds.
    #[must_use]
    pub fn shared(&self) -> &[u32] {
        let watched = matches!(self.background.as_str(), "shares" | "join-leave");
        if watched { &self.weights } else { &[] }
    }

    /// Refuses more flows than hosts to send them.
    pub(super) fn check(&self, params: &Resolved, graph: &Graph) -> Result<(), ConfigError> {
        let flows = self.shared().len();
        if flows >= graph.hosts as usize {
            let message =
                format!("{flows} flows need {} hosts, there are {}", flows + 1, graph.hosts);
            return Err(params.blame("scheduler.weights", message).fix("give more hosts"));
        }
        Ok(())
    }

    /// One flow per weight to the last host, all from the beginning.
    fn shares(&self, graph: &Graph) -> Vec<Flow> {
        let last = graph.hosts - 1;
        let senders = 0..self.weights.len() as u32;
        senders.map(|src| Flow::new(src, last, ENDLESS, Time::ZERO)).collect()
    }

    /// Of n flows, flow i is there from i to n + i of 2n - 1 equal parts of the run: it has as many bytes as its
    /// share by weight gives it in that time.
    fn join_and_leave(&self, graph: &Graph) -> Vec<Flow> {
        let (last, flows) = (graph.hosts - 1, self.weights.len());
        let part = Duration::from_ps(self.end.as_ps() / (2 * flows as u64 - 1));
        let bytes_of_part =
            self.host_rate.as_bps() as f64 / 8.0 * PAYLOAD * part.as_ps() as f64 / 1e12;
        let weight = |flow: usize| f64::from(self.weights[flow]);
        let share = |flow: usize, part: usize| {
            let active = (0..flows).filter(|other| (*other..flows + other).contains(&part));
            weight(flow) / active.map(weight).sum::<f64>()
        };
        let flow = |index: usize| {
            let shares: f64 = (index..flows + index).map(|part| share(index, part)).sum();
            let bytes = Bytes::new((shares * bytes_of_part) as u64 + 1);
            Flow::new(index as u32, last, bytes, Time::ZERO + part * index as u64)
        };
        (0..flows).map(flow).collect()
    }

    /// The queries, if there are any.
    ///
    /// # Errors
    /// If the numbers are impossible.
    pub fn queries(&self, graph: &Graph, seed: u64) -> Result<Option<Workload>, WorkloadError> {
        if self.query_bytes == Bytes::ZERO {
            return Ok(None);
        }
        let per_second = if self.query_load > 0.0 {
            let load = Load { fraction: self.query_load, of: self.links(graph)? };
            load.bytes_per_second()? / self.query_bytes.get() as f64
        } else {
            self.queries_per_second
        };
        let clients = if self.receivers == 0 { graph.hosts } else { self.receivers };
        let workload = incast(&IncastConfig {
            clients: 0..clients.min(graph.hosts),
            servers_per_host: self.servers_per_host,
            arrivals: Arrivals::Poisson,
            seed,
            ..IncastConfig::new(
                graph.hosts,
                self.query_degree,
                self.query_bytes,
                per_second,
                self.end,
            )
        })?;
        Ok(Some(workload.with_class(self.query_class)))
    }
}
