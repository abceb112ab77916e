//! The parameters of the network experiments and where each comes from.

use forebay_workload::SizeDistribution;

use crate::scenario::DefaultSource::{self, Paper};
use crate::scenario::{ParamSpec, assumed, joined, param, shown};
use crate::scenarios::on_chip::params::SCHEDULERS;
use crate::scenarios::schedulers;
use crate::value::Kind;

const OCCAMY: DefaultSource = Paper("occamy §6.4");
const THEMIS: DefaultSource = Paper("themis §6.3.2");
const COUNT: Kind = Kind::Int { min: 1, max: 4096 };
const SHARE: Kind = Kind::Float { min: 0.0, max: 10.0 };
const ALPHA: Kind = Kind::Float { min: 0.0, max: 1024.0 };
const CONTROLS: Kind = Kind::Choice(&["new-reno", "cubic", "dctcp"]);
const USUAL: DefaultSource = assumed(
    "8 ToR, 8 aggregation and 4 core switches (gearbox §4.1.1) in the usual shape; Fig. 6 is not in the text",
);
const NONE: DefaultSource = assumed("none: not part of every experiment");

/// Every parameter.
pub const PARAMS: &[ParamSpec] = &ALL;

const ALL: [ParamSpec; OWN.len() + schedulers::PARAMS.len()] = joined(OWN, schedulers::PARAMS);

const OWN: &[ParamSpec] = &[
    param(
        "topology.kind",
        Kind::Choice(&["leaf-spine", "star", "fat-tree"]),
        "leaf-spine",
        OCCAMY,
        "Leaves and spines, hosts at one switch, or a three-level fat-tree.",
    ),
    param("topology.leaves", COUNT, "8", OCCAMY, "Leaf switches (leaf-spine)."),
    param("topology.spines", COUNT, "8", OCCAMY, "Spine switches (leaf-spine)."),
    param(
        "topology.hosts",
        Kind::Int { min: 2, max: 65_536 },
        "16",
        OCCAMY,
        "Hosts of a leaf or an edge switch; of a star, all.",
    ),
    param("topology.pods", COUNT, "4", USUAL, "Pods (fat-tree)."),
    param("topology.edges_per_pod", COUNT, "2", USUAL, "Edge switches of a pod (fat-tree)."),
    param(
        "topology.aggregations_per_pod",
        COUNT,
        "2",
        USUAL,
        "Aggregation switches of a pod (fat-tree).",
    ),
    param("topology.cores_per_group", COUNT, "2", USUAL, "Core switches of each group (fat-tree)."),
    param("topology.host_rate", Kind::Rate, "100 Gb/s", OCCAMY, "Rate of hosts' links."),
    param(
        "topology.fabric_rate",
        Kind::Rate,
        "100 Gb/s",
        OCCAMY,
        "Rate of links between switches.",
    ),
    param(
        "topology.delay",
        Kind::Duration,
        "10 us",
        OCCAMY,
        "Propagation delay of every link: 80 us of RTT across a spine.",
    ),
    param(
        "topology.host_delay",
        Kind::Duration,
        "0 s",
        assumed("most papers have one delay for all links"),
        "Propagation delay of hosts' links, where it is another; 0: the same.",
    ),
    param("transport.control", CONTROLS, "dctcp", OCCAMY, "Congestion control."),
    param(
        "transport.background_control",
        Kind::Choice(&["same", "new-reno", "cubic", "dctcp"]),
        "same",
        Paper("occamy §6.2"),
        "Congestion control of the background traffic, where it is another.",
    ),
    param(
        "transport.mss",
        Kind::Bytes,
        "1448 B",
        THEMIS,
        "Payload of a segment; 52 bytes of headers come on top.",
    ),
    param(
        "transport.initial_window",
        Kind::Int { min: 1, max: 10_000 },
        "10",
        assumed("RFC 6928; Themis §6.3.2 has 20"),
        "First window, in segments.",
    ),
    param("transport.min_rto", Kind::Duration, "5 ms", OCCAMY, "Shortest retransmission timeout."),
    param(
        "transport.known_rtt",
        Kind::Bool,
        "true",
        assumed(
            "a handshake, which is left out, would have measured it; otherwise the first loss costs a second (RFC 6298)",
        ),
        "Whether a flow knows the round trip of the empty network when it starts.",
    ),
    param(
        "transport.sack",
        Kind::Bool,
        "true",
        assumed("Linux and ns-3 have it on; off under plain NewReno (Themis)"),
        "Selective acknowledgements.",
    ),
    param(
        "transport.receive_window",
        Kind::Bytes,
        "0 B",
        assumed("receivers keep up, and grow their windows"),
        "How much a receiver lets a sender have under way; 0: any amount.",
    ),
    param(
        "transport.delayed_ack",
        Kind::Bool,
        "false",
        assumed("data-centre practice; neither paper says"),
        "Acknowledge every second segment, or after 40 us.",
    ),
    param(
        "host.nic",
        Kind::Choice(&["fair", "fifo"]),
        "fair",
        shown(
            "as Linux hosts do; in one queue small flows wait behind their neighbours' windows whatever the switches do",
            "themis/sensitivity-nic",
        ),
        "Whether a host's flows take turns at its link, or wait in one queue.",
    ),
    param(
        "switch.mark_above",
        Kind::Bytes,
        "720 KB",
        OCCAMY,
        "ECN threshold of a queue, for DCTCP; 0: never.",
    ),
    param(
        "switch.port_limit",
        Kind::Bytes,
        "1 MB",
        assumed("the drop-tail of the speed comparison"),
        "Buffer of each port, for drop-tail, PIFO and the schedulers.",
    ),
    param(
        "switch.pool",
        Kind::Bytes,
        "4 MB",
        OCCAMY,
        "On-chip memory that a group of ports shares.",
    ),
    param("switch.ports_per_pool", COUNT, "8", OCCAMY, "Ports of a group."),
    param(
        "switch.cell",
        Kind::Bytes,
        "200 B",
        Paper("occamy §5.3"),
        "Bytes per cell of on-chip memory.",
    ),
    param("switch.classes", Kind::Int { min: 1, max: 8 }, "1", OCCAMY, "Queues of each port."),
    param(
        "switch.scheduler",
        Kind::Choice(&SCHEDULERS),
        "drr",
        Paper("occamy §6.2"),
        "Which queue of a port sends next.",
    ),
    param(
        "switch.sram",
        Kind::Bytes,
        "5 MB",
        Paper("themis §6.3.1"),
        "On-chip memory of a hybrid switch.",
    ),
    param(
        "switch.rank",
        Kind::Choice(&["sff", "fifo", "strict-priority"]),
        "sff",
        Paper("themis §6.3.1"),
        "Order of packets in hybrid and PIFO switches.",
    ),
    param("policy.dt_alpha", ALPHA, "1", Paper("occamy §6.2"), "Threshold factor of DT."),
    param("policy.abm_alpha", ALPHA, "2", Paper("occamy §6.2"), "Threshold factor of ABM."),
    param("policy.occamy_alpha", ALPHA, "8", Paper("occamy §6.2"), "Threshold factor of Occamy."),
    param(
        "policy.first_alpha",
        ALPHA,
        "0",
        Paper("occamy §6.2, Fig. 14"),
        "Threshold factor of class 0 under every policy; 0: that of the policy.",
    ),
    param(
        "policy.other_alpha",
        ALPHA,
        "0",
        Paper("occamy §6.2, Fig. 14"),
        "Threshold factor of the other classes; 0: that of the policy.",
    ),
    param(
        "workload.background",
        Kind::Choice(&[
            "none",
            "flows",
            "all-to-all",
            "tree-all-reduce",
            "ring-all-reduce",
            "permutation",
            "shares",
            "join-leave",
        ]),
        "flows",
        OCCAMY,
        "What the background is; shares: a flow of each weight to the last host, without end; join-leave: \
         the same, one joining after the other until all are there, then leaving in that order.",
    ),
    param(
        "workload.rounds",
        Kind::Choice(&["closed", "poisson"]),
        "closed",
        assumed("a host begins its next round when it has received all of this one"),
        "When the flows of a collective pattern begin: round after round, or each by itself at workload.load.",
    ),
    param(
        "workload.sizes",
        Kind::Choice(&SizeDistribution::BUILTIN),
        "websearch",
        OCCAMY,
        "Sizes of background flows.",
    ),
    param("workload.load", SHARE, "0.9", OCCAMY, "Load of the background flows."),
    param(
        "workload.load_of",
        Kind::Choice(&["uplinks", "hosts"]),
        "uplinks",
        Paper("occamy §6.4, footnote 5"),
        "Of which links the loads are shares; a star has host links only.",
    ),
    param(
        "workload.flow_bytes",
        Kind::Bytes,
        "1 MB",
        NONE,
        "Bytes of each flow of a collective pattern or permutation; of the vector, in an all-reduce.",
    ),
    param(
        "workload.query_bytes",
        Kind::Bytes,
        "0 B",
        NONE,
        "Bytes of a query's responses together; 0: no queries.",
    ),
    param(
        "workload.query_degree",
        Kind::Int { min: 1, max: 4096 },
        "16",
        Paper("occamy §6.2"),
        "Responses to a query.",
    ),
    param(
        "workload.servers_per_host",
        COUNT,
        "2",
        Paper("occamy §6.2"),
        "Servers that each host runs.",
    ),
    param(
        "workload.queries_per_second",
        Kind::Float { min: 0.0, max: 1e9 },
        "200",
        OCCAMY,
        "Queries of each client per second.",
    ),
    param(
        "workload.query_load",
        SHARE,
        "0",
        NONE,
        "Load of the queries, instead of their number; 0: their number counts.",
    ),
    param(
        "workload.receivers",
        Kind::Int { min: 0, max: 65_536 },
        "0",
        assumed("0: every host"),
        "Hosts that ask and receive, the first ones; the load is then that of their links.",
    ),
    param(
        "workload.background_receiver",
        Kind::Int { min: 0, max: 65_536 },
        "0",
        assumed("0: the background goes where the queries do"),
        "With few receivers, the first of those that the background goes to.",
    ),
    param(
        "workload.query_class",
        Kind::Int { min: 0, max: 7 },
        "0",
        NONE,
        "Class of the queries' flows.",
    ),
    param(
        "workload.background_class",
        Kind::Int { min: 0, max: 7 },
        "0",
        NONE,
        "Class of the background.",
    ),
    param(
        "run.warm_up",
        Kind::Duration,
        "2 ms",
        assumed("several RTTs and most of the small flows"),
        "What begins earlier is not measured.",
    ),
    param(
        "run.span",
        Kind::Duration,
        "20 ms",
        assumed("a few thousand queries and ten thousand flows"),
        "What begins later is not measured.",
    ),
    param(
        "run.give_up",
        Kind::Duration,
        "1 s",
        assumed("a hundred of the longest timeouts"),
        "Flows that have not finished by then count as unfinished.",
    ),
    param(
        "run.small",
        Kind::Bytes,
        "100 KB",
        Paper("occamy §6.2, themis §6.3.2"),
        "Flows below this are small.",
    ),
    param(
        "run.large",
        Kind::Bytes,
        "1 MB",
        assumed("gearbox §4.1.3 has mid-sized flows around 200 kB, and large ones"),
        "Flows from this on are large, those between are medium.",
    ),
    param(
        "run.scale",
        Kind::Duration,
        "1 ms",
        assumed("within the range of gearbox Fig. 9, whose axis is not in its text"),
        "Time over which fairness is measured (shares, join-leave).",
    ),
    param(
        "run.samples",
        Kind::Int { min: 0, max: 10_000 },
        "0",
        assumed("no pictures over time"),
        "Samples of the series over the span.",
    ),
];
