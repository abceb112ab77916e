//! What is sent, and what of it is measured.

use forebay_net::workload::Pattern;
use forebay_parameters::{Kind, Parameter, Source, Walk, Word};
use forebay_units::{Bytes, Duration};
use forebay_workload::SizeDistribution;

use super::{COUNT, NONE, OCCAMY, SHARE};

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounds {
    /// Round after round.
    Closed,
    /// Each by itself, at a load.
    Poisson,
}

impl Word for Rounds {
    const WORDS: &'static [(&'static str, Self)] =
        &[("closed", Rounds::Closed), ("poisson", Rounds::Poisson)];
}

/// Of which links a load is a share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadOf {
    /// Uplinks, as if all bytes crossed them.
    Uplinks,
    /// Uplinks, by the bytes that cross them.
    CrossedUplinks,
    /// The links of hosts.
    Hosts,
}

impl Word for LoadOf {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("uplinks", LoadOf::Uplinks),
        ("crossed-uplinks", LoadOf::CrossedUplinks),
        ("hosts", LoadOf::Hosts),
    ];
}

/// What is sent.
#[derive(Clone, Debug)]
pub struct WorkloadConfig {
    /// What the background is.
    pub background: Background,
    /// The file of its flows.
    pub flow_file: String,
    /// Flows without end.
    pub long_lived: u32,
    /// Hosts that send them.
    pub background_senders: u32,
    /// When the flows of a collective pattern begin.
    pub rounds: Rounds,
    /// Sizes of flows, by name.
    pub sizes: String,
    /// Their file.
    pub size_file: String,
    /// Load of the background.
    pub load: f64,
    /// Of which links.
    pub load_of: LoadOf,
    /// Bytes of each flow of a collective pattern or permutation.
    pub flow_bytes: Bytes,
    /// Bytes of a query's responses together; none: no queries.
    pub query_bytes: Option<Bytes>,
    /// Bytes of the question to each server.
    pub request_bytes: Option<Bytes>,
    /// Responses to a query.
    pub query_degree: u32,
    /// Hosts that answer; 0: all.
    pub servers: u32,
    /// Servers that each host runs.
    pub servers_per_host: u32,
    /// Queries of each client.
    pub queries_per_second: f64,
    /// Their load instead; 0: their number counts.
    pub query_load: f64,
    /// Hosts that ask and receive; 0: all.
    pub receivers: u32,
    /// The first of those that the background goes to.
    pub background_receiver: u32,
    /// Class of the queries' flows.
    pub query_class: u8,
    /// Class of the background, the first where it has several.
    pub background_class: u8,
    /// Classes that long-lived flows take in turn.
    pub background_classes: u8,
}

impl Default for WorkloadConfig {
    fn default() -> Self {
        WorkloadConfig {
            background: Background::Flows,
            flow_file: String::new(),
            long_lived: 14,
            background_senders: 2,
            rounds: Rounds::Closed,
            sizes: "websearch".to_owned(),
            size_file: String::new(),
            load: 0.9,
            load_of: LoadOf::Uplinks,
            flow_bytes: Bytes::new(1_000_000),
            query_bytes: None,
            request_bytes: Some(Bytes::new(64)),
            query_degree: 16,
            servers: 0,
            servers_per_host: 2,
            queries_per_second: 200.0,
            query_load: 0.0,
            receivers: 0,
            background_receiver: 0,
            query_class: 0,
            background_class: 0,
            background_classes: 1,
        }
    }
}

/// What is measured, and when.
#[derive(Clone, Debug)]
pub struct RunPart {
    /// What begins earlier is not measured.
    pub warm_up: Duration,
    /// Nor what begins after this much more.
    pub span: Duration,
    /// Flows that have not finished by then count as unfinished.
    pub give_up: Duration,
    /// Flows below this are small.
    pub small: Bytes,
    /// From this on they are large.
    pub large: Bytes,
    /// Time over which fairness is measured.
    pub scale: Duration,
    /// Samples of the series over the span.
    pub samples: u64,
}

impl Default for RunPart {
    fn default() -> Self {
        RunPart {
            warm_up: Duration::from_ms(2),
            span: Duration::from_ms(20),
            give_up: Duration::from_ms(1000),
            small: Bytes::new(100_000),
            large: Bytes::new(1_000_000),
            scale: Duration::from_ms(1),
            samples: 0,
        }
    }
}

pub(crate) const BACKGROUND: Parameter = Parameter::new(
    "workload.background",
    Kind::of::<Background>(),
    OCCAMY,
    "What the background is; long-lived: flows without end from the last hosts to one; shares: a flow of \
         each weight to the last host, without end; join-leave: the same, one joining after the other until \
         all are there, then leaving in that order; file: workload.flow_file.",
);
pub(crate) const FLOW_FILE: Parameter = Parameter::new(
    "workload.flow_file",
    Kind::Path,
    NONE,
    "The background's flows, src dst bytes start_ns a line, where workload.background is file.",
);
const LONG_LIVED: Parameter = Parameter::new(
    "workload.long_lived",
    COUNT,
    Source::paper("occamy §3.1"),
    "Flows without end, where the background is long-lived; to workload.background_receiver.",
);
pub(crate) const BACKGROUND_SENDERS: Parameter = Parameter::new(
    "workload.background_senders",
    COUNT,
    Source::paper("occamy §3.1"),
    "Hosts that send the long-lived flows in turn: the last ones.",
);
const ROUNDS: Parameter = Parameter::new(
    "workload.rounds",
    Kind::of::<Rounds>(),
    Source::assumed("a host begins its next round when it has received all of this one"),
    "When the flows of a collective pattern begin: round after round, or each by itself at workload.load.",
);
pub(crate) const SIZES: Parameter = Parameter::new(
    "workload.sizes",
    Kind::Choice(&SizeDistribution::BUILTIN),
    OCCAMY,
    "Sizes of background flows.",
);
pub(crate) const SIZE_FILE: Parameter = Parameter::new(
    "workload.size_file",
    Kind::Path,
    NONE,
    "Sizes of background flows as a CSV file of size_bytes,cum_prob lines, instead of workload.sizes.",
);
pub(crate) const LOAD: Parameter =
    Parameter::new("workload.load", SHARE, OCCAMY, "Load of the background flows.");
pub(crate) const LOAD_OF: Parameter = Parameter::new(
    "workload.load_of",
    Kind::of::<LoadOf>(),
    Source::paper("occamy §6.4, footnote 5"),
    "Of which links the loads are shares: uplinks counts all bytes as crossing them, crossed-uplinks \
         those that do; a star has host links only.",
);
pub(crate) const FLOW_BYTES: Parameter = Parameter::new(
    "workload.flow_bytes",
    Kind::Bytes,
    NONE,
    "Bytes of each flow of a collective pattern or permutation; the vector of an all-reduce is as long as that needs.",
);
pub(crate) const QUERY_BYTES: Parameter = Parameter::new(
    "workload.query_bytes",
    Kind::Bytes,
    NONE,
    "Bytes of a query's responses together; 0: no queries.",
);
pub(crate) const REQUEST_BYTES: Parameter = Parameter::new(
    "workload.request_bytes",
    Kind::Bytes,
    Source::assumed(
        "a server answers upon receiving the query (occamy §6.2); its size is in no paper, and one packet whatever it is",
    ),
    "Bytes of the question to each server; 0: the responses begin when the client asks.",
);
pub(crate) const QUERY_DEGREE: Parameter = Parameter::new(
    "workload.query_degree",
    Kind::Int { min: 1, max: 4096 },
    Source::paper("occamy §6.2"),
    "Responses to a query.",
);
pub(crate) const SERVERS: Parameter = Parameter::new(
    "workload.servers",
    Kind::Int { min: 0, max: 65_536 },
    Source::assumed("0: every host answers"),
    "Hosts that answer queries: those after the receivers.",
);
const SERVERS_PER_HOST: Parameter = Parameter::new(
    "workload.servers_per_host",
    COUNT,
    Source::paper("occamy §6.2"),
    "Servers that each host runs.",
);
pub(crate) const QUERIES_PER_SECOND: Parameter = Parameter::new(
    "workload.queries_per_second",
    Kind::Float { min: 0.0, max: 1e9 },
    OCCAMY,
    "Queries of each client per second.",
);
pub(crate) const QUERY_LOAD: Parameter = Parameter::new(
    "workload.query_load",
    SHARE,
    NONE,
    "Load of the queries, instead of their number; 0: their number counts.",
);
pub(crate) const RECEIVERS: Parameter = Parameter::new(
    "workload.receivers",
    Kind::Int { min: 0, max: 65_536 },
    Source::assumed("0: every host"),
    "Hosts that ask and receive, the first ones; the load is then that of their links.",
);
pub(crate) const BACKGROUND_RECEIVER: Parameter = Parameter::new(
    "workload.background_receiver",
    Kind::Int { min: 0, max: 65_536 },
    Source::assumed("0: the background goes where the queries do"),
    "With few receivers, the first of those that the background goes to.",
);
const QUERY_CLASS: Parameter = Parameter::new(
    "workload.query_class",
    Kind::Int { min: 0, max: 7 },
    NONE,
    "Class of the queries' flows.",
);
const BACKGROUND_CLASS: Parameter = Parameter::new(
    "workload.background_class",
    Kind::Int { min: 0, max: 7 },
    NONE,
    "Class of the background, the first where it has several.",
);
const BACKGROUND_CLASSES: Parameter = Parameter::new(
    "workload.background_classes",
    Kind::Int { min: 1, max: 8 },
    Source::assumed("one: only long-lived flows have more (occamy §3.1, seven)"),
    "Classes that long-lived flows take in turn, from workload.background_class on.",
);
const WARM_UP: Parameter = Parameter::new(
    "run.warm_up",
    Kind::Duration,
    Source::assumed("several RTTs and most of the small flows"),
    "What begins earlier is not measured.",
);
pub(crate) const SPAN: Parameter = Parameter::new(
    "run.span",
    Kind::Duration,
    Source::assumed("a few thousand queries and ten thousand flows"),
    "What begins later is not measured.",
);
const GIVE_UP: Parameter = Parameter::new(
    "run.give_up",
    Kind::Duration,
    Source::assumed("a hundred of the longest timeouts"),
    "Flows that have not finished by then count as unfinished.",
);
const SMALL: Parameter = Parameter::new(
    "run.small",
    Kind::Bytes,
    Source::paper("occamy §6.2, themis §6.3.2"),
    "Flows below this are small.",
);
pub(crate) const LARGE: Parameter = Parameter::new(
    "run.large",
    Kind::Bytes,
    Source::assumed("gearbox §4.1.3 has mid-sized flows around 200 kB, and large ones"),
    "Flows from this on are large, those between are medium.",
);
pub(crate) const SCALE: Parameter = Parameter::new(
    "run.scale",
    Kind::Duration,
    Source::assumed("within the range of gearbox Fig. 9, whose axis is not in its text"),
    "Time over which fairness is measured (shares, join-leave).",
);
const SAMPLES: Parameter = Parameter::new(
    "run.samples",
    Kind::Int { min: 0, max: 10_000 },
    Source::assumed("no pictures over time"),
    "Samples of the series over the span.",
);

impl WorkloadConfig {
    /// Shows what is sent; only some topologies have uplinks, and so a choice of links.
    pub(super) fn walk_over(&mut self, has_uplinks: bool, walk: &mut dyn Walk) {
        walk.field(&BACKGROUND, &mut self.background);
        let (all, background) = (walk.wants_all(), self.background);
        let long_lived = all || background == Background::LongLived;
        let flows = all || background == Background::Flows;
        let collective = all || matches!(background, Background::Collective(_));
        if all || background == Background::File {
            walk.field(&FLOW_FILE, &mut self.flow_file);
        }
        if long_lived {
            walk.field(&LONG_LIVED, &mut self.long_lived);
            walk.field(&BACKGROUND_SENDERS, &mut self.background_senders);
            walk.field(&BACKGROUND_CLASSES, &mut self.background_classes);
        }
        if collective {
            walk.field(&ROUNDS, &mut self.rounds);
        }
        if flows {
            walk.field(&SIZES, &mut self.sizes);
            walk.field(&SIZE_FILE, &mut self.size_file);
        }
        if flows || collective && self.rounds == Rounds::Poisson {
            walk.field(&LOAD, &mut self.load);
        }
        if collective || background == Background::Permutation {
            walk.field(&FLOW_BYTES, &mut self.flow_bytes);
        }
        walk.field(&QUERY_BYTES, &mut self.query_bytes);
        let queries = all || self.query_bytes.is_some();
        if queries {
            walk.field(&REQUEST_BYTES, &mut self.request_bytes);
            walk.field(&QUERY_DEGREE, &mut self.query_degree);
            walk.field(&SERVERS, &mut self.servers);
            walk.field(&SERVERS_PER_HOST, &mut self.servers_per_host);
            walk.field(&QUERY_LOAD, &mut self.query_load);
            if all || self.query_load == 0.0 {
                walk.field(&QUERIES_PER_SECOND, &mut self.queries_per_second);
            }
            walk.field(&QUERY_CLASS, &mut self.query_class);
        }
        if has_uplinks || all {
            walk.field(&LOAD_OF, &mut self.load_of);
        }
        walk.field(&RECEIVERS, &mut self.receivers);
        walk.field(&BACKGROUND_RECEIVER, &mut self.background_receiver);
        walk.field(&BACKGROUND_CLASS, &mut self.background_class);
    }
}

impl RunPart {
    /// Shows what is measured; `watched`: of flows' shares, too.
    pub(super) fn walk_for(&mut self, watched: bool, walk: &mut dyn Walk) {
        walk.field(&WARM_UP, &mut self.warm_up);
        walk.field(&SPAN, &mut self.span);
        walk.field(&GIVE_UP, &mut self.give_up);
        walk.field(&SMALL, &mut self.small);
        walk.field(&LARGE, &mut self.large);
        if watched || walk.wants_all() {
            walk.field(&SCALE, &mut self.scale);
        }
        walk.field(&SAMPLES, &mut self.samples);
    }
}
