//! What is sent: background and queries, from the parameters.

mod endless;
mod files;
mod queries;

use std::ops::Range;
use std::sync::Arc;

use forebay_lab::{ConfigError, Resolved};
use forebay_net::flow::Flow;
use forebay_net::topology::Graph;
use forebay_net::workload::{
    CollectiveConfig, LinkSet, Load, Pattern, PatternConfig, PermutationConfig, PoissonConfig,
    Repeat, Workload, WorkloadError, collective, pattern_flows, permutation_flows, poisson_flows,
};
use forebay_units::{Bytes, Duration, Rate, Time};
use forebay_workload::SizeDistribution;

use crate::schedulers;
use endless::LongLived;
pub(super) use files::read;
use queries::QueryParams;

/// The traffic of a run.
#[derive(Clone, Debug)]
pub struct Traffic {
    background: String,
    sizes: SizeDistribution,
    load: f64,
    /// Whose links a load is a share of.
    load_of: LoadOf,
    flow_bytes: Bytes,
    /// Whether a collective's flows wait for each other.
    closed: bool,
    queries: QueryParams,
    receivers: u32,
    background_receiver: u32,
    background_class: u8,
    long_lived: LongLived,
    /// The flows of a file.
    given: Arc<[Flow]>,
    host_rate: Rate,
    /// Weights of the flows of `shares` and `join-leave`.
    weights: Vec<u32>,
    /// Nothing begins later.
    end: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LoadOf {
    Hosts,
    Uplinks,
    CrossedUplinks,
}

impl Traffic {
    /// Reads the parameters.
    ///
    /// # Errors
    /// Names the parameter at fault.
    pub fn new(params: &Resolved, graph: &Graph) -> Result<Self, ConfigError> {
        let load_of = match (params.text("load_of")?, params.text("topology.kind")?) {
            (_, "star") | ("hosts", _) => LoadOf::Hosts,
            ("crossed-uplinks", _) => LoadOf::CrossedUplinks,
            _ => LoadOf::Uplinks,
        };
        Ok(Traffic {
            background: params.text("background")?.to_owned(),
            sizes: files::sizes(params)?,
            load: params.float("workload.load")?,
            load_of,
            flow_bytes: params.bytes("flow_bytes")?,
            closed: params.text("rounds")? == "closed",
            queries: QueryParams::new(params)?,
            receivers: params.count("receivers")? as u32,
            background_receiver: params.count("background_receiver")? as u32,
            background_class: params.count("background_class")? as u8,
            long_lived: LongLived::new(params)?,
            given: files::flows(params, graph)?,
            host_rate: params.rate("host_rate")?,
            weights: schedulers::weights(params)?,
            end: params.duration("warm_up")? + params.duration("run.span")?,
        })
    }

    /// The class of the queries.
    #[must_use]
    pub fn query_class(&self) -> u8 {
        self.queries.class
    }

    /// The classes of the background.
    #[must_use]
    pub fn background_classes(&self) -> Range<u8> {
        let several = if self.background == "long-lived" { self.long_lived.classes } else { 1 };
        self.background_class..self.background_class + several
    }

    /// Whether there is a background.
    #[must_use]
    pub fn has_background(&self) -> bool {
        self.background != "none"
    }

    fn links(&self, graph: &Graph) -> Result<LinkSet, WorkloadError> {
        match self.load_of {
            LoadOf::Hosts => Ok(LinkSet::Hosts { rate: self.host_rate }),
            LoadOf::Uplinks => LinkSet::uplinks(graph),
            LoadOf::CrossedUplinks => LinkSet::crossed_uplinks(graph),
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
            "long-lived" => return Ok(Workload::from(self.long_lived(graph))),
            "file" => Workload::from(self.given.to_vec()),
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
            bytes: self.vector(name, graph.hosts),
            load: Load { fraction: self.load, of: self.links(graph)? },
            span: self.end,
            seed,
        })
    }

    /// What a collective has to move so that its flows are as long as asked for: the trees of an all-reduce
    /// have half of the vector each, the steps of a ring a part for every host.
    fn vector(&self, name: &str, hosts: u32) -> Bytes {
        let flows = match name {
            "tree-all-reduce" => 2,
            "ring-all-reduce" => hosts.into(),
            _ => 1,
        };
        Bytes::new(self.flow_bytes.get().saturating_mul(flows))
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
            bytes: self.vector(name, hosts),
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
            "none" | "long-lived" | "file" | "shares" | "join-leave" | "permutation" => Ok(()),
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
}
