//! What runs begin with: small enough for an unoptimized build, and together so varied that every parameter matters in
//! one of them.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

/// Settings to begin with.
pub(crate) struct Base {
    /// What is special about it.
    pub(crate) name: &'static str,
    /// Parameters and values.
    pub(crate) set: Vec<(String, String)>,
    /// The policies that it is for; empty: all.
    policies: &'static [&'static str],
    /// What the names of the parameters that it tries begin with; empty: all.
    groups: &'static [&'static str],
}

impl Base {
    fn of(name: &'static str, common: &[(&str, &str)], own: &[(&str, &str)]) -> Self {
        let set = common.iter().chain(own);
        let set = set.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Base { name, set, policies: &[], groups: &[] }
    }

    /// The same for these policies alone.
    fn under(self, policies: &'static [&'static str]) -> Self {
        Base { policies, ..self }
    }

    /// The same, trying these parameters alone.
    fn trying(self, groups: &'static [&'static str]) -> Self {
        Base { groups, ..self }
    }

    pub(crate) fn is_for(&self, policy: &str) -> bool {
        self.policies.is_empty() || self.policies.contains(&policy)
    }

    pub(crate) fn tries(&self, parameter: &str) -> bool {
        self.groups.is_empty() || self.groups.iter().any(|group| parameter.starts_with(group))
    }
}

/// Files that parameters name.
pub(crate) struct Files(TempDir);

const TREE: &str = r#"
rate = "10 Gb/s"
mtu = "1500 B"
node = [
    { name = "port", scheduler = "sp" },
    { name = "even", parent = "port", priority = 1, match = [{ class = 0 }] },
    { name = "odd", parent = "port", match = [{}] },
]
"#;
const LINKS: &str = "hosts 3\nswitches 1\nlink h0 s0 10Gb/s 1us\nlink h1 s0 10Gb/s 1us\n";
const CSV: &str = "trace.csv";
const OTHER_CSV: &str = "other.csv";

impl Files {
    pub(crate) fn new() -> Self {
        let files = Files(tempfile::tempdir().unwrap());
        files.write("port.tree", TREE);
        files.write("links.txt", &format!("{LINKS}link h2 s0 10Gb/s 2us\n"));
        files.write("slow.txt", &format!("{LINKS}link h2 s0 1Gb/s 2us\n"));
        files.write("flows.txt", "0 2 50000 0\n1 2 70000 1500\n");
        files.write("more.txt", "0 2 50000 0\n1 2 90000 1500\n");
        files.write("sizes.csv", "1000,0\n9000,0.8\n30000,1\n");
        files.write("large.csv", "2000,0\n9000,0.7\n60000,1\n");
        for (name, step) in [(CSV, 7), (OTHER_CSV, 11)] {
            files.write(name, &requests(step));
            files.write(&format!("{name}.steps"), &objects(step));
        }
        for (name, work) in [("recorded.csv", 4), ("longer.csv", 6)] {
            files.write(name, &recording(work));
        }
        files
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).unwrap();
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    /// Files for a parameter that names one.
    pub(crate) fn others(&self, parameter: &str) -> Vec<String> {
        let names: &[&str] = match parameter {
            "scheduler.tree" => &["port.tree"],
            "topology.file" => &["slow.txt"],
            "workload.flow_file" => &["more.txt"],
            "workload.size_file" | "workload.flow_size_file" => &["sizes.csv", "large.csv"],
            "trace.file" => &[OTHER_CSV, "other.csv.steps"],
            "traffic.file" => &["longer.csv"],
            _ => &[],
        };
        names.iter().map(|name| self.path(name)).collect()
    }
}

/// Requests of some objects, with a time, a size and an origin each.
fn requests(step: u64) -> String {
    let mut text = String::from("object,time,size,origin\n");
    for n in 0..400u64 {
        let object = n * step % 37;
        text += &format!("{object},{},{},{}\n", n * n / 9, 1 + object % 3, object % 2);
    }
    text
}

/// A line for each time step, some of them empty.
fn objects(step: u64) -> String {
    (0..400u64)
        .map(|n| if n % 5 == 0 { "\n".to_owned() } else { format!("{}\n", n * step % 37) })
        .collect()
}

/// Job sizes as measured: those of the attack grow by so many nanoseconds.
fn recording(work: u64) -> String {
    let mut text = String::from("class,flow,bytes,estimate_ns,work_ns\n");
    for n in 0..100 {
        text += &format!("innocent,{},{},{},{}\n", n % 9, 1000 + n, 150 + n, 100 + n);
    }
    for n in 1..=200 {
        text += &format!("attack,0,64,{},{}\n", 3 * work * n, 2 * work * n);
    }
    text
}

/// The bases of a scenario.
pub(crate) fn of(scenario: &str, files: &Files) -> Vec<Base> {
    match scenario {
        "single-point" => single_point(),
        "on-chip" => on_chip(),
        "delayed-hits" => delayed_hits(files),
        "hbm-pattern" => hbm_pattern(),
        "network" => network(files),
        "link" => link(),
        "hierarchy" => hierarchy(),
        "surge" => surge(files),
        "surge-buffers" => {
            let short = [("run.warm_up", "200 us"), ("run.span", "300 us")];
            let full = [
                ("scheduler.capacity", "50"),
                ("scheduler.ring", "8"),
                ("scheduler.access", "40 ns"),
            ];
            vec![Base::of("short", &short, &full)]
        }
        "single-server" => vec![Base::of("short", &[("workload.jobs", "500")], &[])],
        other => panic!("{other} has no base here; add one"),
    }
}

fn single_point() -> Vec<Base> {
    let short = [
        ("workload.inputs", "8"),
        ("workload.input_rate", "50 Gb/s"),
        ("switch.egress_rate", "100 Gb/s"),
        ("sram.capacity", "200 KB"),
        ("sram.staging", "16 KiB"),
        ("sram.port_rate", "800 Gb/s"),
        ("run.lead", "200 us"),
        ("run.warm_up", "10 us"),
        ("run.span", "60 us"),
        ("run.samples", "20"),
    ];
    let capture = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../experiments/themis/captures/mixed-programs.pcap");
    let capture = capture.display().to_string();
    vec![
        Base::of("poisson", &short, &[]),
        Base::of(
            "mix",
            &short,
            &[("workload.source", "priority-mix"), ("switch.rank", "strict-priority")],
        ),
        Base::of(
            "capture",
            &short,
            &[("workload.source", "capture"), ("workload.capture", &capture)],
        ),
        Base::of(
            "first-ready",
            &short,
            &[("hbm.scheduling", "fr-fcfs"), ("hbm.queue_depth", "16")],
        ),
        Base::of("refresh", &short, &[("hbm.refresh", "all-bank"), ("hbm.t_refi", "600")]),
        Base::of("refresh-bank", &short, &[("hbm.refresh", "single-bank"), ("hbm.t_refi", "600")]),
    ]
}

fn on_chip() -> Vec<Base> {
    let short = [
        ("workload.burst_bytes", "100 KB"),
        ("workload.burst_start", "40 us"),
        ("switch.buffer", "100 KB"),
        ("run.span", "150 us"),
        ("run.samples", "10"),
    ];
    let shared = [
        ("workload.share_port", "true"),
        ("workload.background_queues", "3"),
        ("workload.burst_queues", "2"),
    ];
    vec![Base::of("apart", &short, &[]), Base::of("shared", &short, &shared)]
}

fn delayed_hits(files: &Files) -> Vec<Base> {
    let short = [("trace.requests", "800"), ("store.z", "20"), ("cache.share", "0.3")];
    let csv = files.path(CSV);
    let steps = files.path("trace.csv.steps");
    let csv = [("trace.kind", "csv"), ("trace.file", &*csv), ("cache.objects", "6")];
    let timed = [
        &csv[..],
        &[("trace.clock", "time"), ("trace.time_unit", "1 us"), ("store.latency", "30 us")],
    ]
    .concat();
    let origins =
        [&csv[..], &[("trace.origin_column", "origin"), ("store.kind", "per-origin")]].concat();
    let bytes = [&csv[..2], &[("trace.size_column", "size"), ("cache.bytes", "9 B")]].concat();
    vec![
        Base::of("cdn", &short, &[("trace.objects", "60")]),
        Base::of("cdn, timed", &short, &[("trace.clock", "time"), ("store.latency", "30 ms")]),
        Base::of("bursts", &short, &[("trace.kind", "zipf-bursts"), ("trace.objects", "60")]),
        Base::of(
            "network",
            &short,
            &[("trace.kind", "network"), ("trace.clock", "time"), ("store.latency", "30 us")],
        ),
        Base::of(
            "on-off",
            &short,
            &[("trace.kind", "on-off"), ("measure.burstiness", "0.5"), ("cache.ways", "4")],
        ),
        Base::of("example", &short, &[("trace.kind", "example"), ("cache.objects", "1")]),
        Base::of("sampled", &short, &[("cache.eviction", "sampled"), ("cache.samples", "2")]),
        Base::of("csv", &short, &csv),
        Base::of("csv, timed", &short, &timed),
        Base::of("csv, origins", &short, &origins),
        Base::of("csv, bytes", &short, &bytes),
        Base::of(
            "steps",
            &short,
            &[("trace.kind", "steps"), ("trace.file", &*steps), ("cache.objects", "6")],
        ),
    ]
}

fn hbm_pattern() -> Vec<Base> {
    let short = [("pattern.activations", "256"), ("pattern.accesses", "256")];
    vec![
        Base::of("first-ready", &short, &[]),
        Base::of(
            "in-order",
            &short,
            &[("hbm.scheduling", "in-order"), ("hbm.queue_depth", "0"), ("hbm.lookahead", "4")],
        ),
        Base::of("closed", &short, &[("hbm.page", "closed"), ("pattern.direction", "write")]),
        Base::of("refresh", &short, &[("hbm.refresh", "all-bank"), ("hbm.t_refi", "700")]),
        Base::of("refresh-bank", &short, &[("hbm.refresh", "single-bank"), ("hbm.t_refi", "700")]),
    ]
}

/// What all policies of the network show alike is tried under one.
const SWITCHES: &[&str] = &[
    "switch.",
    "policy.",
    "scheduler.",
    "sram.",
    "hbm.",
    "rank.",
    "transport.ack_class",
    "workload.query_class",
    "workload.background_class",
];

fn network(files: &Files) -> Vec<Base> {
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
        ("switch.sram", "100 KB"),
        ("sram.staging", "16 KiB"),
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
    ];
    let shares = [
        ("workload.background", "shares"),
        ("scheduler.weights", "2:1"),
        ("workload.query_bytes", "0 B"),
        ("transport.control", "new-reno"),
        ("run.scale", "50 us"),
    ];
    let one = |name, own: &[(&str, &str)]| Base::of(name, &short, own).under(&["dt"]);
    vec![
        Base::of("star", &short, &[]).trying(SWITCHES),
        Base::of("classes", &short, &classes).trying(SWITCHES),
        Base::of("shares", &short, &shares).trying(SWITCHES),
        one("common", &[]),
        one(
            "classes",
            &[("workload.background_class", "1"), ("transport.background_control", "cubic")],
        ),
        one(
            "leaf-spine",
            &[
                ("topology.kind", "leaf-spine"),
                ("topology.leaves", "2"),
                ("topology.spines", "2"),
                ("topology.hosts", "2"),
                ("workload.query_degree", "2"),
            ],
        ),
        one(
            "fat-tree",
            &[("topology.kind", "fat-tree"), ("topology.pods", "2"), ("topology.hosts", "2")],
        ),
        one(
            "links",
            &[("topology.kind", "file"), ("topology.file", &links), ("workload.query_degree", "2")],
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

fn link() -> Vec<Base> {
    let short = [("run.span", "200 us"), ("scheduler.weights", "8:4:1:1")];
    vec![
        Base::of("weights", &short, &[("workload.load", "1.2")]),
        Base::of("bursts", &short, &[("workload.burst", "8")]),
        Base::of("buckets", &short, &[("scheduler.quantizer", "linear")]),
    ]
}

fn hierarchy() -> Vec<Base> {
    let short = [
        ("run.warm_up", "50 us"),
        ("run.span", "300 us"),
        ("workload.demands", "10 Gb/s:8 Gb/s:1 Gb/s:6 Gb/s"),
        ("workload.classes", "0:1:1:0"),
        ("scheduler.weights", "4:2:1:1"),
    ];
    vec![
        Base::of("four", &short, &[]),
        Base::of("buckets", &short, &[("scheduler.quantizer", "linear")]),
    ]
}

fn surge(files: &Files) -> Vec<Base> {
    let recording = files.path("recorded.csv");
    let short = [
        ("run.warm_up", "200 us"),
        ("run.span", "400 us"),
        ("scheduler.capacity", "64"),
        ("attack.rate", "500 Mb/s"),
    ];
    let recorded = [
        ("traffic.model", "recorded"),
        ("traffic.file", &*recording),
        ("traffic.load", "0.9"),
        ("attack.share", "0.05"),
    ];
    let given = [
        ("attack.kind", "given"),
        ("scheduler.servers", "2"),
        ("scheduler.estimates", "heuristic"),
    ];
    vec![
        Base::of("model", &short, &[]),
        Base::of("given", &short, &given),
        Base::of("buckets", &short, &[("scheduler.ranks", "buckets")]),
        Base::of("recorded", &short, &recorded),
        Base::of("in order", &short, &[&recorded[..], &[("traffic.order", "recorded")]].concat()),
    ]
}
