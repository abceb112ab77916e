//! What runs begin with: small enough for an unoptimized build, and together so varied that every
//! parameter matters in one of them.

mod network;

use crate::effects::files::Files;

/// Settings to begin with.
pub(crate) struct Base {
    /// What is special about it.
    pub(crate) name: &'static str,
    /// Parameters and values.
    pub(crate) set: Vec<(String, String)>,
    /// The policies that it is for; empty: all.
    policies: &'static [&'static str],
    /// Those that refuse it.
    without: &'static [&'static str],
    /// What the names of the parameters that it tries begin with; empty: all.
    groups: &'static [&'static str],
}

impl Base {
    fn of(name: &'static str, common: &[(&str, &str)], own: &[(&str, &str)]) -> Self {
        let set = common.iter().chain(own);
        let set = set.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Base { name, set, policies: &[], without: &[], groups: &[] }
    }

    /// The same for these policies alone.
    fn under(self, policies: &'static [&'static str]) -> Self {
        Base { policies, ..self }
    }

    /// The same, but not for these policies, which refuse it.
    fn but_for(self, without: &'static [&'static str]) -> Self {
        Base { without, ..self }
    }

    /// The same, trying these parameters alone.
    fn trying(self, groups: &'static [&'static str]) -> Self {
        Base { groups, ..self }
    }

    pub(crate) fn is_for(&self, policy: &str) -> bool {
        let is_meant = self.policies.is_empty() || self.policies.contains(&policy);
        is_meant && !self.without.contains(&policy)
    }

    pub(crate) fn tries(&self, parameter: &str) -> bool {
        self.groups.is_empty() || self.groups.iter().any(|group| parameter.starts_with(group))
    }
}

/// The bases of a scenario.
pub(crate) fn of(scenario: &str, files: &Files) -> Vec<Base> {
    match scenario {
        "single-point" => single_point(files),
        "on-chip" => on_chip(),
        "sonic" => sonic(files),
        "delayed-hits" => delayed_hits(files),
        "hbm-pattern" => hbm_pattern(),
        "network" => network::bases(files),
        // Its parameters are those of `network`, which tries them; what its own does, real packets
        // would tell, and no test of digits may wait for those.
        "testbed" => network::bases(files)
            .into_iter()
            .take(1)
            .map(|base| base.trying(&["nothing"]))
            .collect(),
        // Its traces and caches are those of `delayed-hits`, which tries them; real requests are
        // for no test of digits.
        "prototype" => {
            let short = [("trace.requests", "2000"), ("trace.objects", "100")];
            let own = &["prototype.origins", "prototype.step"];
            vec![Base::of("short", &short, &[]).trying(own)]
        }
        "link" => link(),
        "hierarchy" => hierarchy(),
        "surge" => surge(files),
        "departures" => departures(),
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

/// An HBM that is slow both ways, with so many clocks between columns: writes wait.
fn slow_columns(clocks: &str) -> [(&'static str, &str); 4] {
    ["hbm.t_ccd_s", "hbm.t_ccd_l", "hbm.t_rtw", "hbm.t_wtr"].map(|name| (name, clocks))
}

fn single_point(files: &Files) -> Vec<Base> {
    let (sizes, capture) = (files.path("sizes.csv"), files.path("whole.pcap"));
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
    let capture = [("workload.source", "capture"), ("workload.capture", &*capture)];
    let mix = [("workload.source", "priority-mix"), ("switch.rank", "strict-priority")];
    let first = [("hbm.scheduling", "fr-fcfs"), ("hbm.queue_depth", "16"), ("run.span", "200 us")];
    let small =
        [("workload.flow_size_file", &*sizes), ("switch.rank_bits", "1"), ("run.span", "200 us")];
    let overload = [
        ("hbm.t_ccd_s", "12"),
        ("hbm.t_ccd_l", "12"),
        ("run.span", "200 us"),
        ("switch.rank_bits", "2"),
    ];
    let slow = [("workload.load", "0.4"), ("run.span", "200 us")];
    let refresh = [("hbm.refresh", "all-bank"), ("hbm.t_refi", "900")];
    let bank_refresh = [("hbm.refresh", "per-bank"), ("hbm.t_refi", "6000")];
    vec![
        Base::of("poisson", &short, &[]),
        Base::of("mix", &short, &mix),
        Base::of("capture", &short, &capture),
        Base::of("first ready", &short, &first),
        Base::of("small flows", &short, &small),
        Base::of("overload", &short, &overload),
        Base::of("slow", &short, &[&mix[..], &slow, &slow_columns("200")].concat()),
        Base::of("refresh", &short, &[&mix[..], &refresh].concat()),
        Base::of("bank refresh", &short, &[&mix[..], &bank_refresh].concat()),
    ]
}

fn departures() -> Vec<Base> {
    let short =
        [("sram.capacity", "200 KB"), ("sram.staging", "16 KiB"), ("sram.port_rate", "800 Gb/s")];
    // While packets arrive, those of smallest rank leave, which are on chip: the HBM is read when
    // no more come.
    let all =
        [("workload.packets", "2000"), ("workload.ranks", "16"), ("run.group_packets", "2000")];
    let drained = [("workload.packets", "4000"), ("run.group_packets", "3000")];
    let later = [("run.group_packets", "256"), ("run.group", "4")];
    let first = [("hbm.scheduling", "fr-fcfs"), ("hbm.queue_depth", "16")];
    let refresh = [("hbm.refresh", "all-bank"), ("hbm.t_refi", "900")];
    let bank_refresh = [("hbm.refresh", "per-bank"), ("hbm.t_refi", "6000")];
    // Batches with larger ranks than others off chip are on chip when the staging buffer is full.
    let swapping = [("policy.swap_in_watermark", "0.75"), ("run.group_packets", "4000")];
    vec![
        Base::of("all", &short, &all),
        Base::of("later", &short, &later),
        Base::of("first ready", &short, &[&all[..], &first].concat()),
        Base::of("refresh", &short, &[&all[..], &refresh].concat()),
        Base::of("bank refresh", &short, &[&all[..], &bank_refresh].concat()),
        Base::of("slow", &short, &[&drained[..], &slow_columns("200")].concat()),
        Base::of("swapping", &short, &[&swapping[..], &slow_columns("100")].concat())
            .under(&["themis"]),
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
    let alone = [("workload.background_queues", "0"), ("workload.burst_bytes", "250 KB")];
    vec![
        Base::of("apart", &short, &[]),
        Base::of("senders", &short, &[("workload.burst_senders", "7")]),
        Base::of("shared", &short, &shared),
        Base::of("alone", &short, &alone),
    ]
}

fn sonic(files: &Files) -> Vec<Base> {
    let file = files.path("switch.json");
    let short = [
        ("switch.config", &*file),
        ("workload.burst_bytes", "150 KB"),
        ("workload.burst_start", "60 us"),
        ("workload.burst_senders", "4"),
        ("run.span", "300 us"),
        ("run.samples", "20"),
    ];
    // The parameters of schemes are those of `on-chip`, which tries them; in so short a run nobody
    // is paused, so that neither the response nor which lossless queue it is makes a difference.
    const SHOWN: [&str; 6] =
        ["workload.", "switch.c", "switch.port", "switch.lossy", "switch.memory_rate", "run."];
    let own = &SHOWN;
    vec![
        Base::of("both", &short, &[]).trying(own),
        Base::of("lossless", &short, &[("workload.burst", "lossless")]).trying(own),
        Base::of("lossy", &short, &[("workload.burst", "lossy")]).trying(own),
    ]
}

fn delayed_hits(files: &Files) -> Vec<Base> {
    let short = [("trace.requests", "400"), ("store.z", "20"), ("cache.share", "0.3")];
    let (csv, columns) = (files.path("trace.csv"), files.path("trace.columns"));
    let steps = files.path("trace.steps");
    let csv = [("trace.kind", "csv"), ("trace.file", &*csv), ("cache.objects", "4")];
    let with = |own: &[(&'static str, &'static str)]| [&csv[..], own].concat();
    let timed =
        with(&[("trace.clock", "time"), ("trace.time_unit", "1 us"), ("store.latency", "30 us")]);
    let origins = with(&[
        ("trace.origin_column", "origin"),
        ("store.kind", "per-origin"),
        ("trace.clock", "time"),
    ]);
    let bytes =
        with(&[("trace.size_column", "size"), ("cache.objects", "0"), ("cache.bytes", "7 B")]);
    let columns = [
        ("trace.kind", "csv"),
        ("trace.file", &*columns),
        ("trace.object_column", "1"),
        ("cache.objects", "4"),
    ];
    let few = |name, own: &[(&str, &str)]| Base::of(name, &short, own).but_for(&["belatedly"]);
    vec![
        Base::of("cdn", &short, &[("trace.objects", "60")]),
        few("cdn, timed", &[("trace.clock", "time"), ("store.latency", "30 ms")]),
        Base::of("bursts", &short, &[("trace.kind", "zipf-bursts"), ("trace.objects", "60")]),
        few(
            "network",
            &[("trace.kind", "network"), ("trace.clock", "time"), ("store.latency", "30 us")],
        ),
        few(
            "on-off",
            &[("trace.kind", "on-off"), ("measure.burstiness", "0.5"), ("trace.requests", "4000")],
        ),
        few("example", &[("trace.kind", "example"), ("cache.objects", "1")]),
        few(
            "sampled",
            &[("cache.eviction", "sampled"), ("cache.samples", "2"), ("cache.ways", "4")],
        ),
        Base::of("csv", &short, &csv),
        Base::of("columns", &short, &columns),
        few("csv, timed", &timed),
        few("csv, origins", &origins),
        few("csv, bytes", &bytes),
        Base::of(
            "steps",
            &short,
            &[("trace.kind", "steps"), ("trace.file", &*steps), ("cache.objects", "4")],
        ),
    ]
}

fn hbm_pattern() -> Vec<Base> {
    let short = [("pattern.activations", "256"), ("pattern.accesses", "256")];
    // Refreshes are within the measured half: only they close a row that is written, or read, on
    // and on.
    let long = [("pattern.activations", "256"), ("pattern.accesses", "1000")];
    vec![
        Base::of("first-ready", &short, &[]),
        Base::of(
            "in-order",
            &short,
            &[("hbm.scheduling", "in-order"), ("hbm.queue_depth", "0"), ("hbm.lookahead", "4")],
        ),
        Base::of("closed", &short, &[("hbm.page", "closed"), ("hbm.queue_depth", "1")]),
        Base::of("writes", &short, &[("pattern.direction", "write")]),
        Base::of("refresh", &long, &[("hbm.refresh", "all-bank"), ("hbm.t_refi", "900")]),
        Base::of("refresh-bank", &long, &[("hbm.refresh", "per-bank"), ("hbm.t_refi", "3000")]),
    ]
}

/// Few queues, columns and FIFOs, which flows share.
const COARSE: &[(&str, &str)] = &[
    ("scheduler.codel_target", "1 us"),
    ("scheduler.codel_interval", "5 us"),
    ("scheduler.hashed_queues", "2"),
    ("scheduler.sketch_columns", "2"),
    ("scheduler.quantizer", "linear 100000"),
];

fn link() -> Vec<Base> {
    let short = [("run.span", "200 us"), ("scheduler.weights", "8:4:1:1")];
    let far = [
        ("scheduler.weights", "64:16:4:1:1"),
        ("workload.load", "1.3"),
        ("workload.burst", "8"),
        ("run.span", "500 us"),
        ("scheduler.levels", "2"),
        ("scheduler.level_fifos", "4"),
        ("scheduler.step_down", "false"),
    ];
    vec![
        Base::of("weights", &short, &[("workload.load", "1.2")]),
        Base::of("bursts", &short, &[("workload.burst", "8")]),
        Base::of("far", &short, &far),
        Base::of("coarse", &short, COARSE),
        Base::of("full", &short, &[COARSE, &[("workload.load", "1.5")]].concat()),
    ]
}

fn hierarchy() -> Vec<Base> {
    let short = [
        ("run.warm_up", "50 us"),
        ("run.span", "300 us"),
        ("workload.demands", "3 Gb/s:8 Gb/s:4 Gb/s:2 Gb/s"),
        ("workload.classes", "0:1:1:0"),
        ("scheduler.weights", "4:2"),
    ];
    let far = [
        ("workload.demands", "10 Gb/s x5"),
        ("scheduler.weights", "64:16:4:1:1"),
        ("scheduler.levels", "2"),
        ("scheduler.level_fifos", "4"),
        ("scheduler.step_down", "false"),
    ];
    vec![
        Base::of("four", &short, &[]),
        Base::of("far", &short, &far),
        Base::of("coarse", &short, COARSE).but_for(&["token-bucket"]),
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
        ("attack.share", "0.2"),
        ("run.span", "2 ms"),
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
