//! What runs of the network begin with.

use super::Base;
use crate::effects::files::Files;

/// What all policies of the network show alike is tried under one.
const SWITCHES: &[&str] = &[
    "switch.",
    "policy.",
    "scheduler.",
    "sram.",
    "hbm.",
    "rank.",
    "pfc.",
    "credits.",
    "transport.ack_class",
    "workload.query_class",
    "workload.background_class",
];

/// Policies of a shared memory on chip, which can have lossless classes.
const ON_CHIP: &[&str] = &[
    "abm",
    "complete-sharing",
    "dt",
    "harmonic",
    "occamy",
    "occamy-longest",
    "occamy-p4",
    "occamy-rank",
    "pot",
    "pushout",
    "quasi-pushout",
    "smxq",
    "static-partition",
];

/// Policies of SRAM beside HBM, which can have them, too.
const HYBRID: &[&str] = &["dt-hybrid", "greedy-hybrid", "occamy-hybrid", "themis"];

/// What they have of flow control; the rest is tried on chip.
const DEEP: &[&str] = &["pfc.lossless", "pfc.pause_above", "pfc.headroom", "pfc.response"];

pub(super) fn bases(files: &Files) -> Vec<Base> {
    let (sizes, links, flows) =
        (files.path("sizes.csv"), files.path("links.txt"), files.path("flows.txt"));
    let short = [
        ("topology.kind", "star"),
        ("topology.hosts", "4"),
        ("topology.host_rate", "10 Gb/s"),
        ("topology.fabric_rate", "10 Gb/s"),
        ("topology.delay", "1 us"),
        ("transport.min_rto", "200 us"),
        ("switch.pool", "30 KB"),
        ("switch.sram", "24 KB"),
        ("sram.staging", "4 KB"),
        ("switch.port_limit", "30 KB"),
        ("switch.mark_above", "10 KB"),
        ("workload.query_bytes", "60 KB"),
        ("workload.query_degree", "3"),
        ("workload.queries_per_second", "2000"),
        ("workload.size_file", &sizes),
        ("run.warm_up", "50 us"),
        ("run.span", "400 us"),
        ("run.give_up", "20 ms"),
        ("run.small", "5 KB"),
        ("run.large", "20 KB"),
        ("run.samples", "4"),
    ];
    let classes = [
        ("switch.classes", "2"),
        ("workload.query_class", "1"),
        ("transport.ack_class", "1"),
        ("workload.load", "0.9"),
        ("scheduler.weights", "9:1:4"),
        ("scheduler.budgets", "10 us:200 us"),
        ("scheduler.job_costs", "1:20"),
    ];
    let coarse = [
        ("switch.ranked_queue", "buckets"),
        ("switch.rank_bits", "1"),
        ("workload.load", "1.2"),
        ("scheduler.codel_target", "1 us"),
        ("scheduler.codel_interval", "5 us"),
        ("scheduler.hashed_queues", "2"),
        ("scheduler.sketch_columns", "2"),
        ("scheduler.quantizer", "linear 1000"),
    ];
    let shares = [
        ("workload.background", "shares"),
        ("scheduler.weights", "2:1"),
        ("workload.query_bytes", "0 B"),
        ("transport.control", "new-reno"),
        ("run.scale", "50 us"),
        ("scheduler.step_down", "false"),
    ];
    // Packets wait at several levels.
    let levels = [
        ("scheduler.step_down", "false"),
        ("scheduler.weights", "64:16:4:1:1"),
        ("workload.load", "0.9"),
        ("switch.port_limit", "300 KB"),
    ];
    // Headroom of four ports, and little more, so that pauses begin.
    let lossless = [
        ("switch.pool", "160 KB"),
        ("switch.mark_all_above", "20 KB"),
        ("pfc.lossless", "0"),
        ("workload.load", "0.9"),
    ];
    let granted = [
        ("switch.pool", "160 KB"),
        ("switch.mark_above", "0 B"),
        ("pfc.lossless", "0"),
        ("pfc.form", "credits"),
        ("credits.buffer", "4800 B"),
        ("credits.return_after", "3 KB"),
        ("credits.return_within", "2 us"),
        ("workload.load", "0.9"),
    ];
    // The same beside staging and a batch, and an HBM that is soon full.
    let deep = [
        ("switch.sram", "230 KB"),
        ("hbm.rows", "1"),
        ("hbm.bank_groups", "1"),
        ("hbm.banks_per_group", "1"),
        ("pfc.pause_above", "3 KB"),
        ("pfc.lossless", "0"),
        ("workload.load", "0.9"),
    ];
    // Only switches have queues that are paused and a watchdog that empties them.
    let watched = [
        ("topology.kind", "leaf-spine"),
        ("topology.leaves", "2"),
        ("topology.spines", "2"),
        ("topology.hosts", "2"),
        ("workload.query_degree", "2"),
        ("pfc.pause_above", "3 KB"),
        ("pfc.watchdog", "5 us"),
        ("pfc.restore", "20 us"),
    ];
    let watched = [&lossless[..], &watched].concat();
    let leaf_spine = [
        ("topology.kind", "leaf-spine"),
        ("topology.leaves", "2"),
        ("topology.spines", "4"),
        ("topology.hosts", "2"),
        ("workload.query_degree", "2"),
    ];
    let flowlets = [("route.balance", "flowlet"), ("route.flowlet_entries", "2")];
    let adaptive = [("route.balance", "adaptive"), ("workload.load", "0.9")];
    let selective = [
        ("transport.control", "dcqcn"),
        ("transport.recovery", "selective"),
        ("switch.pool", "9 KB"),
        ("workload.load", "0.9"),
    ];
    // Queues of six packets, and of ten headers.
    let trimmed = [
        ("transport.control", "ndp"),
        ("switch.trim", "true"),
        ("switch.port_limit", "9 KB"),
        ("switch.trim_header_limit", "640 B"),
        ("workload.load", "0.9"),
    ];
    // And of one.
    let few_headers = [&trimmed[..], &[("switch.trim_header_limit", "64 B")]].concat();
    // So long that a control has to find its rate.
    let long = |control: &'static str| {
        [
            ("transport.control", control),
            ("workload.background", "none"),
            ("workload.query_bytes", "6 MB"),
            ("run.span", "300 us"),
        ]
    };
    // Round trips on both sides of the thresholds, and between them.
    let near = [
        ("switch.pool", "300 KB"),
        ("transport.timely_low", "10 us"),
        ("transport.timely_high", "60 us"),
        ("transport.timely_segment", "3 KB"),
    ];
    let one = |name, own: &[(&str, &str)]| Base::of(name, &short, own).under(&["dt"]);
    vec![
        Base::of("star", &short, &[]).trying(SWITCHES),
        Base::of("classes", &short, &classes).trying(SWITCHES),
        Base::of("coarse", &short, &coarse).trying(SWITCHES),
        Base::of("shares", &short, &shares).trying(SWITCHES),
        Base::of("levels", &short, &levels)
            .under(&["gearbox", "gearbox-auto", "gearbox-srpt"])
            .trying(&["scheduler."]),
        Base::of("paused", &short, &lossless).under(ON_CHIP).trying(&[
            "pfc.lossless",
            "pfc.form",
            "switch.mark_",
        ]),
        Base::of("deep", &short, &deep).under(HYBRID).trying(DEEP),
        one("credits", &granted).trying(&["credits.", "pfc."]),
        one("lossless", &lossless).trying(&["pfc.", "switch.mark_"]),
        one("watchdog", &watched).trying(&["pfc."]),
        one("roce", &[("transport.control", "dcqcn")]).trying(&["transport."]),
        one("reports", &[("transport.control", "hpcc")]).trying(&["transport."]),
        one("selective", &selective).trying(&["transport."]),
        one("long dcqcn", &long("dcqcn")).trying(&["transport.dcqcn_"]),
        one("long hpcc", &long("hpcc")).trying(&["transport.hpcc_"]),
        one("long swift", &long("swift")).trying(&["transport.swift_"]),
        one("long timely", &[&long("timely")[..], &near].concat()).trying(&["transport.timely_"]),
        one("long powertcp", &long("powertcp")).trying(&["transport.powertcp_"]),
        one("long cubic", &long("cubic")).trying(&["transport.cubic_"]),
        one(
            "long new-reno",
            &[&long("new-reno")[..], &[("transport.delayed_ack", "true")]].concat(),
        )
        .trying(&["transport.new_reno_"]),
        one("long dctcp", &long("dctcp")).trying(&["transport.dctcp_"]),
        Base::of("trimmed", &short, &trimmed)
            .under(&["drop-tail"])
            .trying(&["switch.trim", "transport.ndp_"]),
        Base::of("few headers", &short, &few_headers)
            .under(&["drop-tail"])
            .trying(&["switch.trim", "transport.ndp_"]),
        one("common", &[]),
        one(
            "classes",
            &[("workload.background_class", "1"), ("transport.background_control", "cubic")],
        ),
        one("leaf-spine", &leaf_spine),
        one("flowlets", &[&leaf_spine[..], &flowlets].concat()).trying(&["route."]),
        one("adaptive", &[&leaf_spine[..], &adaptive].concat()).trying(&["route."]),
        one(
            "fat-tree",
            &[("topology.kind", "fat-tree"), ("topology.pods", "2"), ("topology.hosts", "2")],
        ),
        one(
            "links",
            &[
                ("topology.kind", "file"),
                ("topology.file", &links),
                ("workload.load_of", "hosts"),
                ("workload.query_degree", "2"),
            ],
        ),
        one(
            "sizes",
            &[("workload.size_file", ""), ("workload.sizes", "hadoop"), ("run.give_up", "1 ms")],
        ),
        one("none", &[("workload.background", "none"), ("workload.query_load", "0.3")]),
        one("closed", &[("workload.background", "all-to-all"), ("workload.flow_bytes", "20 KB")]),
        one(
            "poisson",
            &[
                ("workload.background", "ring-all-reduce"),
                ("workload.rounds", "poisson"),
                ("workload.flow_bytes", "20 KB"),
            ],
        ),
        one(
            "permutation",
            &[("workload.background", "permutation"), ("workload.flow_bytes", "20 KB")],
        ),
        one(
            "long-lived",
            &[
                ("workload.background", "long-lived"),
                ("workload.receivers", "1"),
                ("workload.background_senders", "1"),
                ("workload.servers", "2"),
                ("workload.query_degree", "2"),
                ("switch.classes", "4"),
            ],
        ),
        one("shares", &shares),
        one("join-leave", &[&shares[..], &[("workload.background", "join-leave")]].concat()),
        one("file", &[("workload.background", "file"), ("workload.flow_file", &flows)]),
    ]
}
