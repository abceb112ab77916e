//! What is sent, and which part of it is measured.

use forebay_net::workload::Pattern;
use forebay_parameters::{Configure, Kind, Word};
use forebay_units::{Bytes, Duration};
use forebay_workload::SizeDistribution;

use super::{COUNT, NONE, OCCAMY, SHARE, TopologyKind};

/// What the background is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Background {
    /// There is none.
    None,
    /// Flows between random hosts.
    Flows,
    /// A collective pattern, round after round or at a load.
    Collective(Pattern),
    /// A flow of each host to another.
    Permutation,
    /// Flows without end from the last hosts to one.
    LongLived,
    /// A flow of each weight, without end.
    Shares,
    /// The same, joining and leaving.
    JoinLeave,
    /// As a file has it.
    File,
}

impl Word for Background {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("none", Background::None),
        ("flows", Background::Flows),
        ("all-to-all", Background::Collective(Pattern::AllToAll)),
        ("tree-all-reduce", Background::Collective(Pattern::TreeAllReduce)),
        ("ring-all-reduce", Background::Collective(Pattern::RingAllReduce)),
        ("halving-all-reduce", Background::Collective(Pattern::HalvingAllReduce)),
        ("permutation", Background::Permutation),
        ("long-lived", Background::LongLived),
        ("shares", Background::Shares),
        ("join-leave", Background::JoinLeave),
        ("file", Background::File),
    ];
}

impl Background {
    /// Whether the shares of its flows are what is measured.
    #[must_use]
    pub fn watches_shares(self) -> bool {
        matches!(self, Background::Shares | Background::JoinLeave)
    }
}

/// When the flows of a collective pattern begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum Rounds {
    /// Round after round; a host begins its next when it has received all of this one.
    Closed,
    /// Round after round, all flows of one together, when all of the last have arrived.
    Barrier,
    /// Each by itself, at a load.
    Poisson,
}

/// Of which links a load is a share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum LoadOf {
    /// Uplinks, as if all bytes crossed them.
    Uplinks,
    /// Uplinks, by the bytes that cross them.
    CrossedUplinks,
    /// The links of hosts.
    Hosts,
}

/// What the rest of a configuration says to the traffic.
#[derive(Clone, Copy, Debug)]
pub struct Around {
    /// What hosts are connected by.
    pub kind: TopologyKind,
    /// Whether anything depends on the class of a flow: its queue, its rank, its transport.
    pub reads_class: bool,
}

/// What is sent.
#[derive(Clone, Debug, Configure)]
#[parameter(group = "workload.", given(around: Around))]
pub struct WorkloadConfig {
    /// What the background is; long-lived: flows without end from the last hosts to one; shares: a
    /// flow of each weight to the last host, without end; join-leave: the same, one joining after
    /// the other until all are there, then leaving in that order; file: workload.flow_file.
    #[parameter(source = OCCAMY, default = Background::Flows)]
    pub background: Background,
    /// The background's flows, src dst bytes start_ns a line, where workload.background is file.
    #[parameter(
        kind = Kind::Path,
        default = String::new(),
        when = self.background == Background::File,
    )]
    #[parameter(source = NONE)]
    pub flow_file: String,
    /// Flows without end, where the background is long-lived; to workload.background_receiver.
    #[parameter(kind = COUNT, default = 14, when = self.background == Background::LongLived)]
    #[parameter(paper = "occamy §3.1")]
    pub long_lived: u32,
    /// Hosts that send the long-lived flows in turn: the last ones.
    #[parameter(kind = COUNT, default = 2, when = self.background == Background::LongLived)]
    #[parameter(paper = "occamy §3.1")]
    pub background_senders: u32,
    /// Classes that long-lived flows take in turn, from workload.background_class on.
    #[parameter(range = 1..=8, default = 1)]
    #[parameter(when = self.background == Background::LongLived && around.reads_class)]
    #[parameter(assumed = "one: only long-lived flows have more (occamy §3.1, seven)")]
    pub background_classes: u8,
    /// When the flows of a collective pattern begin: round after round as a host has received all
    /// of one; all of a round together after a barrier; or each by itself at workload.load.
    #[parameter(default = Rounds::Closed, when = self.is_collective())]
    #[parameter(assumed = "a host begins its next round when it has received all of this one")]
    pub rounds: Rounds,
    /// How many hosts each sends to at a time in the rounds of an all-to-all; 0: all.
    #[parameter(
        range = 0..=65_536,
        default = None,
        when = self.is_all_to_all() && self.rounds == Rounds::Closed,
    )]
    #[parameter(assumed = "all at once: the paper does not say")]
    pub at_once: Option<u32>,
    /// Sizes of background flows as a CSV file of size_bytes,cum_prob lines, instead of
    /// workload.sizes.
    #[parameter(
        kind = Kind::Path,
        default = String::new(),
        when = self.background == Background::Flows,
    )]
    #[parameter(source = NONE)]
    pub size_file: String,
    /// Sizes of background flows.
    #[parameter(
        kind = Kind::Choice(&SizeDistribution::BUILTIN),
        default = "websearch".to_owned(),
        when = self.background == Background::Flows && self.size_file.is_empty(),
    )]
    #[parameter(source = OCCAMY)]
    pub sizes: String,
    /// Load of the background flows.
    #[parameter(source = OCCAMY, kind = SHARE, default = 0.9, when = self.has_load())]
    pub load: f64,
    /// Bytes of each flow of a collective pattern or permutation; the vector of an all-reduce is as
    /// long as that needs.
    #[parameter(source = NONE, default = Bytes::new(1_000_000), when = self.has_equal_flows())]
    pub flow_bytes: Bytes,
    /// Bytes of a query's responses together; 0: no queries.
    #[parameter(source = NONE, default = None)]
    pub query_bytes: Option<Bytes>,
    /// Bytes of the request to each server; 0: responses begin when the client asks.
    #[parameter(default = Some(Bytes::new(64)), when = self.query_bytes.is_some())]
    #[parameter(
        assumed = "a server answers upon receiving the query (occamy §6.2); its size is in no \
                   paper, and one packet whatever it is"
    )]
    pub request_bytes: Option<Bytes>,
    /// Responses to a query.
    #[parameter(range = 1..=4096, default = 16, when = self.query_bytes.is_some())]
    #[parameter(paper = "occamy §6.2")]
    pub query_degree: u32,
    /// Hosts that answer queries: those after the receivers.
    #[parameter(range = 0..=65_536, default = 0, when = self.query_bytes.is_some())]
    #[parameter(assumed = "0: every host answers")]
    pub servers: u32,
    /// Whether queries go to hosts of other racks only.
    #[parameter(
        default = false,
        when = matches!(around.kind, TopologyKind::LeafSpine | TopologyKind::FatTree)
            && self.query_bytes.is_some(),
    )]
    #[parameter(paper = "occamy §6.2: servers on other hosts, of which rack it does not say")]
    pub other_racks: bool,
    /// Servers that each host runs.
    #[parameter(kind = COUNT, default = 2, when = self.query_bytes.is_some())]
    #[parameter(paper = "occamy §6.2")]
    pub servers_per_host: u32,
    /// Load of the queries, instead of their number; 0: their number counts.
    #[parameter(source = NONE, kind = SHARE, default = 0.0, when = self.query_bytes.is_some())]
    pub query_load: f64,
    /// Queries of each client per second.
    #[parameter(
        range = 0.0..=1e9,
        default = 200.0,
        when = self.query_bytes.is_some() && self.query_load == 0.0,
    )]
    #[parameter(source = OCCAMY)]
    pub queries_per_second: f64,
    /// Class of the queries' flows.
    #[parameter(source = NONE, range = 0..=7, default = 0)]
    #[parameter(when = self.query_bytes.is_some() && around.reads_class)]
    pub query_class: u8,
    /// Of which links the loads are shares: uplinks counts all bytes as crossing them,
    /// crossed-uplinks those that do; a star has host links only.
    #[parameter(paper = "occamy §6.4, footnote 5", default = LoadOf::Uplinks, when = around.kind != TopologyKind::Star && self.has_loads())]
    pub load_of: LoadOf,
    /// Hosts that ask and receive, the first ones; the load is then that of their links.
    #[parameter(assumed = "0: every host", range = 0..=65_536, default = 0)]
    pub receivers: u32,
    /// With few receivers, the first of those that the background goes to.
    #[parameter(range = 0..=65_536, default = 0, when = self.has_few_receivers())]
    #[parameter(assumed = "0: the background goes where the queries do")]
    pub background_receiver: u32,
    /// Class of the background, the first where it has several.
    #[parameter(source = NONE, range = 0..=7, default = 0)]
    #[parameter(when = self.background != Background::None && around.reads_class)]
    pub background_class: u8,
}

impl WorkloadConfig {
    fn is_collective(&self) -> bool {
        matches!(self.background, Background::Collective(_))
    }

    /// Whether rounds of a collective follow each other.
    #[must_use]
    pub fn goes_in_rounds(&self) -> bool {
        self.is_collective() && self.rounds != Rounds::Poisson
    }

    fn is_all_to_all(&self) -> bool {
        self.background == Background::Collective(Pattern::AllToAll)
    }

    /// Whether its flows begin at a load.
    fn has_load(&self) -> bool {
        self.background == Background::Flows
            || self.is_collective() && self.rounds == Rounds::Poisson
    }

    /// Whether anything begins at a load.
    fn has_loads(&self) -> bool {
        self.has_load() || self.query_bytes.is_some() && self.query_load > 0.0
    }

    /// Whether the background goes to one receiver, or to the first of a few.
    fn has_few_receivers(&self) -> bool {
        self.background == Background::LongLived
            || self.background == Background::Flows && self.receivers > 0
    }

    /// Whether all flows of the background are of one size.
    fn has_equal_flows(&self) -> bool {
        self.is_collective() || self.background == Background::Permutation
    }
}

/// What is measured, and when.
#[derive(Clone, Debug, Configure)]
#[parameter(group = "run.", given(watches_shares: bool))]
pub struct RunPart {
    /// What begins earlier is not measured.
    #[parameter(default = Duration::from_ms(2))]
    #[parameter(assumed = "several RTTs and most of the small flows")]
    pub warm_up: Duration,
    /// What begins later is not measured.
    #[parameter(default = Duration::from_ms(20))]
    #[parameter(assumed = "a few thousand queries and ten thousand flows")]
    pub span: Duration,
    /// Flows that have not finished by then count as unfinished.
    #[parameter(assumed = "a hundred of the longest timeouts", default = Duration::from_ms(1000))]
    pub give_up: Duration,
    /// Flows below this are small.
    #[parameter(paper = "occamy §6.2, themis §6.3.2", default = Bytes::new(100_000))]
    pub small: Bytes,
    /// Flows from this on are large, those between are medium.
    #[parameter(default = Bytes::new(1_000_000))]
    #[parameter(assumed = "gearbox §4.1.3 has mid-sized flows around 200 KB, and large ones")]
    pub large: Bytes,
    /// Time over which fairness is measured (shares, join-leave).
    #[parameter(default = Duration::from_ms(1), when = watches_shares)]
    #[parameter(assumed = "within the range of gearbox Fig. 9, whose axis is not in its text")]
    pub scale: Duration,
    /// Samples of the series over the span.
    #[parameter(assumed = "no pictures over time", range = 0..=10_000, default = 0)]
    pub samples: u64,
}
