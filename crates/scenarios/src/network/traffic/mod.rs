//! What is sent: background and queries, from the parameters.

mod endless;
mod files;
mod queries;

use std::ops::Range;
use std::sync::Arc;

use forebay_net::flow::Flow;
use forebay_net::topology::{Graph, Link, Node};
use forebay_net::workload::{
    CollectiveConfig, LinkSet, Load, Pattern, PatternConfig, PermutationConfig, PoissonConfig,
    Repeat, Workload, WorkloadError, collective, pattern_flows, permutation_flows, poisson_flows,
};
use forebay_parameters::ParameterError;
use forebay_units::{Bytes, Duration, Rate, Time};
use forebay_workload::SizeDistribution;

use super::params::{Background, Config, LoadOf, Rounds, TopologyKind, WorkloadConfig};
use crate::flow_sizes::flow_sizes;
pub(super) use files::read_topology;

/// The traffic of a run.
#[derive(Clone, Debug)]
pub struct Traffic {
    config: WorkloadConfig,
    sizes: SizeDistribution,
    /// Whose links a load is a share of.
    load_of: LoadOf,
    /// The flows of a file.
    given: Arc<[Flow]>,
    host_rate: Rate,
    /// Neighbouring hosts of which none asks another.
    rack: u32,
    /// Weights of the flows of `shares` and `join-leave`.
    weights: Vec<u32>,
    /// Nothing begins later.
    end: Duration,
}

impl Traffic {
    /// What is sent over a graph.
    ///
    /// # Errors
    /// Names the parameter at fault.
    pub fn new(config: &Config, graph: &Graph) -> Result<Self, ParameterError> {
        let workload = config.workload.clone();
        let load_of = match config.hosts.kind {
            TopologyKind::Star => LoadOf::Hosts,
            TopologyKind::LeafSpine | TopologyKind::FatTree | TopologyKind::File => {
                workload.load_of
            }
        };
        Ok(Traffic {
            sizes: flow_sizes(
                &workload.sizes,
                &workload.size_file,
                [&WorkloadConfig::SIZES, &WorkloadConfig::SIZE_FILE],
            )?,
            load_of,
            given: files::flows(&workload, graph)?,
            host_rate: config.hosts.host_rate,
            rack: if workload.other_racks { config.hosts.hosts } else { 1 },
            weights: config.switch.weights().to_vec(),
            end: config.run.warm_up + config.run.span,
            config: workload,
        })
    }

    /// The class of the queries.
    #[must_use]
    pub fn query_class(&self) -> u8 {
        self.config.query_class
    }

    /// The classes of the background; empty without one.
    #[must_use]
    pub fn background_classes(&self) -> Range<u8> {
        let several = match self.config.background {
            Background::None => 0,
            Background::LongLived => self.config.background_classes,
            Background::Flows
            | Background::Collective(_)
            | Background::Permutation
            | Background::Shares
            | Background::JoinLeave
            | Background::File => 1,
        };
        self.config.background_class..self.config.background_class + several
    }

    /// Whether there is a background.
    #[must_use]
    pub fn has_background(&self) -> bool {
        self.config.background != Background::None
    }

    fn links(&self, graph: &Graph) -> Result<LinkSet, WorkloadError> {
        match self.load_of {
            LoadOf::Hosts => Ok(LinkSet::Hosts { rate: self.host_rate }),
            LoadOf::Uplinks => LinkSet::uplinks(graph),
            LoadOf::CrossedUplinks => LinkSet::crossed_uplinks(graph),
        }
    }

    /// The flows of the configured background; empty if there is none.
    ///
    /// # Errors
    /// If the numbers are impossible.
    pub fn background(&self, graph: &Graph, seed: u64) -> Result<Workload, WorkloadError> {
        let hosts = graph.hosts;
        let workload = match self.config.background {
            Background::None => Workload::default(),
            Background::Flows => Workload::from(self.flows(graph, seed)?),
            Background::LongLived => return Ok(Workload::from(self.long_lived(graph))),
            Background::File => Workload::from(self.given.to_vec()),
            Background::Shares => Workload::from(self.shares(graph)),
            Background::JoinLeave => Workload::from(self.join_and_leave(graph)),
            Background::Permutation => Workload::from(permutation_flows(&PermutationConfig {
                hosts,
                bytes: self.config.flow_bytes,
                start: Time::ZERO,
                seed,
            })?),
            Background::Collective(pattern) => match self.config.rounds {
                Rounds::Poisson => {
                    Workload::from(pattern_flows(&self.pattern(pattern, graph, seed)?)?)
                }
                Rounds::Closed | Rounds::Barrier => {
                    let stop = Time::ZERO + self.end;
                    let repeat =
                        Repeat::Until { stop, rate: self.host_rate, trip: shortest_trip(graph) };
                    self.collective(pattern, hosts, repeat)?
                }
            },
        };
        Ok(workload.with_class(self.config.background_class))
    }

    fn pattern(
        &self,
        pattern: Pattern,
        graph: &Graph,
        seed: u64,
    ) -> Result<PatternConfig, WorkloadError> {
        Ok(PatternConfig {
            pattern,
            hosts: graph.hosts,
            bytes: self.vector(pattern, graph.hosts),
            load: Load { fraction: self.config.load, of: self.links(graph)? },
            span: self.end,
            seed,
        })
    }

    /// What a collective has to move so that its flows are as long as asked for: the trees of an
    /// all-reduce have half of the vector each, the steps of a ring a part for every host.
    fn vector(&self, pattern: Pattern, hosts: u32) -> Bytes {
        let flows = match pattern {
            Pattern::TreeAllReduce | Pattern::HalvingAllReduce => 2,
            Pattern::RingAllReduce => hosts.into(),
            Pattern::AllToAll => 1,
        };
        Bytes::new(self.config.flow_bytes.get().saturating_mul(flows))
    }

    fn collective(
        &self,
        pattern: Pattern,
        hosts: u32,
        repeat: Repeat,
    ) -> Result<Workload, WorkloadError> {
        collective(&CollectiveConfig {
            pattern,
            hosts: (0..hosts).collect(),
            bytes: self.vector(pattern, hosts),
            start: Time::ZERO,
            at_once: self.config.at_once,
            barrier: self.config.rounds == Rounds::Barrier,
            delay: Duration::ZERO,
            repeat,
        })
    }

    /// Whether the background's numbers are possible, without making all of it.
    ///
    /// # Errors
    /// If they are not.
    pub(super) fn check_background(&self, graph: &Graph) -> Result<(), WorkloadError> {
        match (self.config.background, self.config.rounds) {
            (Background::Flows, _) => {
                let load = Load { fraction: self.config.load, of: self.links(graph)? };
                load.bytes_per_second().map(drop)
            }
            (Background::Collective(pattern), Rounds::Poisson) => {
                let brief = Traffic { end: Duration::from_ns(1), ..self.clone() };
                pattern_flows(&brief.pattern(pattern, graph, 1)?).map(drop)
            }
            (Background::Collective(pattern), Rounds::Closed | Rounds::Barrier) => {
                self.collective(pattern, graph.hosts, Repeat::Times(1)).map(drop)
            }
            (
                Background::None
                | Background::LongLived
                | Background::File
                | Background::Shares
                | Background::JoinLeave
                | Background::Permutation,
                _,
            ) => Ok(()),
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

    /// Poisson flows between random hosts; with few receivers, each of those gets the load from the
    /// others.
    fn flows(&self, graph: &Graph, seed: u64) -> Result<Vec<Flow>, WorkloadError> {
        let WorkloadConfig { load, receivers, background_receiver, .. } = self.config;
        let hosts = graph.hosts;
        let few = receivers > 0 && receivers < hosts;
        let share =
            if few { load * f64::from(receivers) / f64::from(hosts - receivers) } else { load };
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
        let count = receivers;
        let receivers = background_receiver..background_receiver + count;
        let senders = flows.into_iter().filter(|flow| !receivers.contains(&flow.src));
        let to = |flow: &Flow| receivers.start + flow.dst % count;
        Ok(senders.map(|flow| Flow { dst: to(&flow), ..flow }).collect())
    }
}

/// The least propagation between two hosts: over the links of both, or over the one that joins
/// them.
fn shortest_trip(graph: &Graph) -> Duration {
    let trip = |link: &Link| match link.ends {
        [Node::Host(_), Node::Host(_)] => Some(link.config.delay),
        [Node::Host(_), Node::Switch(_)] | [Node::Switch(_), Node::Host(_)] => {
            Some(link.config.delay * 2)
        }
        [Node::Switch(_), Node::Switch(_)] => None,
    };
    graph.links.iter().filter_map(trip).min().unwrap_or(Duration::ZERO)
}
