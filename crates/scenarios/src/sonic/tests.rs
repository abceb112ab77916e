use std::fmt::Write as _;

use forebay_workload::random::{ChaCha8Rng, stream, uniform};

use super::*;
use crate::testing::{assert_absence_is_explained, run_with, value};

fn sonic() -> Sonic {
    Sonic::new(&Catalogue::default())
}

fn played(policy: &str, set: &[(&str, &str)]) -> Vec<(&'static str, f64)> {
    run_with(&sonic(), policy, set).unwrap()
}

fn told(point: &Point<'_>) -> Result<Story, RunError> {
    sonic().story(point, &AtomicBool::new(false))
}

/// A switch of `ports` ports of 100 Gb/s, whose lossless groups have so much headroom beside the
/// pool, and whose lossy ones are not limited.
struct Written {
    ports: usize,
    xoff: u64,
    metres: u32,
    exponent: i32,
    ingress: u64,
    egress: u64,
    flow_control: bool,
}

impl Written {
    fn json(&self) -> String {
        let mut text = String::from("{\n");
        let Written { xoff, exponent, ingress, egress, .. } = self;
        let _ = write!(
            text,
            r#""BUFFER_POOL": {{
                "in": {{"type": "ingress", "mode": "dynamic", "size": "{ingress}"}},
                "out": {{"type": "egress", "mode": "dynamic", "size": "{egress}"}},
                "out_lossless": {{"type": "egress", "mode": "static", "size": "1000000000"}}}},
            "BUFFER_PROFILE": {{
                "pg": {{"pool": "in", "size": "0", "xon": "0", "xoff": "{xoff}",
                    "dynamic_th": "{exponent}"}},
                "pg_lossy": {{"pool": "in", "size": "0", "static_th": "1000000000"}},
                "q": {{"pool": "out", "size": "0", "dynamic_th": "0"}},
                "q_lossless": {{"pool": "out_lossless", "size": "0", "static_th": "1000000000"}}}},
            "#
        );
        let ports: Vec<String> = (0..self.ports).map(|port| format!("Ethernet{port}")).collect();
        let table = |name: &str, entry: &dyn Fn(&String) -> String| {
            let entries: Vec<String> = ports.iter().map(entry).collect();
            format!("\"{name}\": {{{}}}", entries.join(", "))
        };
        let of = |port: &str, index: u8, profile: &str| {
            format!("\"{port}|{index}\": {{\"profile\": \"{profile}\"}}")
        };
        let metres = self.metres;
        let on = if self.flow_control { "3" } else { "" };
        let tables = [
            table("PORT", &|port| format!("\"{port}\": {{\"speed\": \"100000\"}}")),
            table("BUFFER_PG", &|port| [of(port, 0, "pg_lossy"), of(port, 3, "pg")].join(", ")),
            table("BUFFER_QUEUE", &|port| [of(port, 0, "q"), of(port, 3, "q_lossless")].join(", ")),
            table("PORT_QOS_MAP", &|port| format!("\"{port}\": {{\"pfc_enable\": \"{on}\"}}")),
            format!(
                "\"CABLE_LENGTH\": {{\"all\": {{{}}}}}",
                ports
                    .iter()
                    .map(|port| format!("\"{port}\": \"{metres}m\""))
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
        ];
        text + &tables.join(",\n") + "}"
    }
}

fn run(config: &Written, policy: &str, set: &[(&str, &str)]) -> Vec<(&'static str, f64)> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), config.json()).unwrap();
    let path = file.path().to_str().unwrap();
    run_with(&sonic(), policy, &[&[("switch.config", path)], set].concat()).unwrap()
}

#[test]
fn every_metric_and_series_is_there() {
    for policy in sonic().policies() {
        let settings = [("workload.burst".to_owned(), "both".to_owned())];
        let params = Resolved::with_settings(&sonic(), &settings).unwrap();
        sonic().check(&params, &policy.name).unwrap();
        let point = Point { params: &params, policy: &policy.name, seed: 1 };
        let output = sonic().run(&point, &mut RunContext::default()).unwrap();
        let names: Vec<&str> = output.values.iter().map(|(name, _)| *name).collect();
        let declared: Vec<&str> = metrics::METRICS.iter().map(|metric| metric.name).collect();
        assert_eq!(names, declared);
        let series: Vec<&str> = output.timelines.iter().map(|one| one.name).collect();
        assert_eq!(series, metrics::SERIES.iter().map(|one| one.name).collect::<Vec<_>>());
        assert_eq!(value(&output.values, "lossless_loss_fraction"), 0.0, "{}", policy.name);
    }
    assert_absence_is_explained(
        &sonic(),
        "dt",
        &[("workload.burst", "lossy"), ("workload.burst_bytes", "4 MB")],
        &["lossless_loss_fraction", "first_pause", "headroom_most", "headroom_unused", "completed"],
    );
}

/// A whole number from `from` to `to`.
fn between(random: &mut ChaCha8Rng, from: u64, to: u64) -> u64 {
    from + (uniform(random) * (to - from + 1) as f64) as u64
}

/// A random switch and burst whose groups have `part` of the headroom that their links need, and
/// what came of it.
fn random_burst(seed: u64, part: f64) -> Vec<(&'static str, f64)> {
    let mut random = stream(seed, "headroom", 0);
    let mut draw = |from, to| between(&mut random, from, to);
    let (packet, cell) = (draw(64, 9_000), draw(64, 400));
    let (metres, response) = (draw(0, 500) as u32, draw(0, 5_000));
    let settings = [
        ("workload.packet_bytes", packet.to_string()),
        ("switch.cell", format!("{cell} B")),
        ("pfc.response", format!("{response} ns")),
        ("workload.burst_senders", draw(1, 40).to_string()),
        ("workload.burst_bytes", format!("{} KB", draw(100, 4_000))),
        ("workload.background_queues", draw(0, 2).to_string()),
        ("workload.burst", ["lossless", "both"][draw(0, 1) as usize].to_owned()),
        ("run.samples", "0".to_owned()),
    ];
    let set: Vec<(&str, &str)> = settings.iter().map(|(name, text)| (*name, &**text)).collect();
    let mut config = Written {
        ports: draw(6, 9) as usize,
        xoff: 0,
        metres,
        exponent: draw(0, 6) as i32 - 5,
        ingress: draw(1_000_000, 4_000_000),
        egress: draw(1_000_000, 4_000_000),
        flow_control: true,
    };
    let params: Vec<(String, String)> =
        set.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    let params = Resolved::with_settings(&sonic(), &params).unwrap();
    let setup = sonic().setup(&params, "dt").unwrap();
    let example = build::Switch::new(&SonicSetup { cable: metres, ..setup.clone() }).unwrap();
    let mut example = example;
    example.played.ports[1].cable_metres = Some(metres);
    let packet = packet as u32;
    let cells = story::needed(&setup, &example, 1, packet, packet);
    config.xoff = (cells as f64 * part) as u64 * cell;
    let policy = ["dt", "abm", "occamy", "pushout"][draw(0, 3) as usize];
    run(&config, policy, &set)
}

#[test]
fn nothing_lossless_is_lost_with_the_computed_headroom() {
    let mut paused = 0;
    for seed in 0..60 {
        let values = random_burst(seed, 1.0);
        assert_eq!(value(&values, "lossless_loss_fraction"), 0.0, "seed {seed}: {values:?}");
        paused += u32::from(value(&values, "pauses") > 0.0);
    }
    assert!(paused > 20, "{paused} of 60 runs had pauses");
}

#[test]
fn half_of_the_computed_headroom_loses_packets() {
    let lost =
        (0..60).filter(|seed| value(&random_burst(*seed, 0.5), "lossless_loss_fraction") > 0.0);
    let lost = lost.count();
    assert!(lost > 10, "{lost} of 60 runs lost something");
}

/// Beside one another: the scenario `on-chip`, which knows the egress pool alone, and the whole
/// switch where nothing limits what comes in.
#[test]
fn without_ingress_limits_a_lossy_burst_fares_as_in_its_egress_pool_alone() {
    let config = Written {
        ports: 8,
        xoff: 0,
        metres: 1,
        exponent: 0,
        ingress: 18_000_000,
        egress: 9_000_000,
        flow_control: false,
    };
    let bursts = [("4 MB", "dt"), ("8 MB", "dt"), ("8 MB", "occamy"), ("12 MB", "pushout")];
    for (bytes, policy) in bursts {
        let shared = [
            ("workload.background_queues", "1"),
            ("workload.burst_senders", "10"),
            ("workload.burst_rate", "50 Gb/s"),
            ("workload.burst_bytes", bytes),
            ("workload.burst_start", "900 us"),
            ("workload.packet_bytes", "1000"),
            ("run.span", "2500 us"),
            ("run.samples", "0"),
        ];
        let whole = run(&config, policy, &[&shared[..], &[("workload.burst", "lossy")]].concat());
        let alone = [
            ("workload.background_rate", "200 Gb/s"),
            ("switch.port_rate", "100 Gb/s"),
            ("switch.buffer", "9 MB"),
            ("policy.alpha", "1"),
        ];
        let mut alone = [&shared[..], &alone].concat();
        if policy == "occamy" {
            alone.extend([("switch.memory_rate", "800 Gb/s"), ("policy.occamy_alpha", "8")]);
        }
        let on_chip = crate::on_chip::OnChip::new(&Catalogue::default());
        let alone = run_with(&on_chip, policy, &alone).unwrap();
        let name = "burst_loss_fraction";
        let (whole, alone) = (value(&whole, name), value(&alone, name));
        assert!((whole - alone).abs() < 0.01, "{bytes} {policy}: {whole} and {alone}");
        assert!(policy != "dt" || alone > 0.1, "{bytes} {policy} lost {alone}");
    }
}

/// 4096 senders of a packet each, and one byte: it takes no cell that the headroom has not.
#[test]
fn a_burst_is_of_whole_packets() {
    let config = |xoff| Written {
        ports: 8,
        xoff,
        metres: 40,
        exponent: -5,
        ingress: 2_000_000,
        egress: 9_000_000,
        flow_control: true,
    };
    let set = [
        ("workload.burst", "lossless"),
        ("workload.burst_senders", "4096"),
        ("workload.burst_bytes", "6148096 B"),
        ("workload.background_queues", "0"),
        ("run.samples", "0"),
    ];
    // What 40 m at 100 Gb/s need for packets of 1500 B.
    let values = run(&config(36_800), "dt", &set);
    assert_eq!(value(&values, "lossless_loss_fraction"), 0.0, "{values:?}");
    assert!(value(&values, "pauses") > 0.0, "{values:?}");
}

/// Every packet of the burst arrived, and was lost or left.
#[test]
fn every_packet_of_the_burst_is_lost_or_leaves() {
    for (policy, bytes) in [("dt", 6_000_000), ("occamy", 9_000_001), ("pushout", 2_000_003)] {
        let settings = [
            ("workload.burst_bytes", format!("{bytes} B")),
            ("run.span", "4 ms".to_owned()),
            ("workload.burst", "both".to_owned()),
        ];
        let settings = settings.map(|(name, text)| (name.to_owned(), text));
        let params = Resolved::with_settings(&sonic(), &settings).unwrap();
        let setup = sonic().setup(&params, policy).unwrap();
        let switch = build::Switch::new(&setup).unwrap();
        let mut context = RunContext::default();
        let (_, notes) = drive::run(&setup, &switch, 3, Unwatched, &mut context).unwrap();
        let [lossy, lossless, _] = notes.tallies;
        assert_eq!(lossy.arrived.1 + lossless.arrived.1, bytes / 1500 * 1500);
        assert_eq!((lossy.lost + lossy.left, lossless.lost), (lossy.arrived.1, 0));
        assert_eq!(lossless.left, lossless.arrived.1);
    }
}

/// The switch's own egress threshold is too small for what its groups let in.
#[test]
fn a_static_threshold_that_is_too_small_loses_lossless_packets() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let own = std::str::from_utf8(forebay_sonic::EXAMPLE).unwrap();
    let (before, queue) = own.split_once("\"q_lossless\": {").unwrap();
    let queue = queue.replacen("\"12000000\"", "\"400000\"", 1);
    let small = format!("{before}\"q_lossless\": {{{queue}");
    assert_ne!(own, small);
    std::fs::write(file.path(), small).unwrap();
    let set = [("switch.config", file.path().to_str().unwrap()), ("workload.burst", "lossless")];
    let params = set.map(|(name, text)| (name.to_owned(), text.to_owned()));
    let params = Resolved::with_settings(&sonic(), &params).unwrap();
    let point = Point { params: &params, policy: "occamy", seed: 1 };
    let story = told(&point).unwrap();
    let loss = story.first_loss.unwrap();
    assert!(loss.lossless && story.headroom.unwrap().used.get() == 0);
    assert_eq!(loss.cause.to_string(), "threshold");
}

/// Both classes in one egress pool, which lossy packets have filled when the burst comes: where the
/// scheme pushes out, these make room, even when the lossless queue is the longest.
#[test]
fn a_lossless_packet_pushes_lossy_ones_out_of_its_pool_and_not_the_other_way() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let own = std::str::from_utf8(forebay_sonic::EXAMPLE).unwrap();
    let one = own.replace("\"pool\": \"egress_lossless_pool\"", "\"pool\": \"egress_lossy_pool\"");
    assert_ne!(own, one);
    std::fs::write(file.path(), one).unwrap();
    let path = file.path().to_str().unwrap();
    for policy in ["pushout", "quasi-pushout", "pot"] {
        for (burst, busy) in [("lossless", "1"), ("both", "1"), ("lossless", "3")] {
            let set = [
                ("switch.config", path),
                ("workload.burst", burst),
                ("workload.background_queues", busy),
                ("run.samples", "0"),
            ];
            let values = played(policy, &set);
            let lost = value(&values, "lossless_loss_fraction");
            assert_eq!(lost, 0.0, "{policy} {burst} {busy}: {values:?}");
            assert!(value(&values, "background_loss_fraction") > 0.1, "{policy} {burst} {busy}");
        }
    }
}

#[test]
fn a_story_names_ports_priorities_and_headroom() {
    let params = [("workload.burst".to_owned(), "lossless".to_owned())];
    let params = Resolved::with_settings(&sonic(), &params).unwrap();
    let story = |policy| told(&Point { params: &params, policy, seed: 1 }).unwrap();
    let story = story("occamy");
    let first = story.first_paused.unwrap();
    assert_eq!((first.port.as_str(), first.priority, first.senders), ("Ethernet4", 3, 3));
    assert_eq!((story.first_loss, story.lost[1].0.get()), (None, 0));
    let (headroom, need) = (story.headroom.unwrap(), &story.needs[0]);
    assert_eq!((headroom.profile.as_str(), headroom.configured.get()), ("pg_lossless_40m", 80_000));
    // 40 m are 200 ns: 5,000 B there and back, 25,213 B of response, two packets and a frame, all
    // in packets of 8 cells; and the one that called.
    assert_eq!(need.needed.get(), 200 * (8 * ((5_000 + 25_213 + 64 + 3_000) / 1_500) + 8));
    assert!(headroom.used <= need.needed && headroom.used.get() > need.needed.get() / 2);
    assert!(story.marked.0 > 0 && story.completed.is_some());
}

/// One profile with cables of two lengths, another that has too little, and a pool that has: each
/// has its line, and the loss names its profile.
#[test]
fn every_lossless_profile_and_pool_has_its_arithmetic() {
    let mut config = std::str::from_utf8(forebay_sonic::EXAMPLE).unwrap().to_owned();
    for (own, other) in [
        ("\"xoff\": \"1200000\"", "\"xoff\": \"120000\""),
        ("\"xoff\": \"75000\"", "\"xoff\": \"24000\""),
        ("\"Ethernet8\": \"40m\"", "\"Ethernet8\": \"2000m\""),
    ] {
        assert!(config.contains(own), "{own}");
        config = config.replace(own, other);
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), config).unwrap();
    let set = [
        ("switch.config", file.path().to_str().unwrap()),
        ("workload.burst", "lossless"),
        ("workload.burst_bytes", "16 MB"),
        ("workload.background_queues", "0"),
    ];
    let params = set.map(|(name, text)| (name.to_owned(), text.to_owned()));
    let params = Resolved::with_settings(&sonic(), &params).unwrap();
    let story = told(&Point { params: &params, policy: "dt", seed: 1 }).unwrap();
    let named = |need: &story::HeadroomNeed| match &need.of {
        story::HeadroomOf::Profile { name, port, link: (_, metres) } => {
            format!("{name} {port} {metres}")
        }
        story::HeadroomOf::Pool { name, ports } => format!("{name} {ports}"),
    };
    let all: Vec<String> = story.needs.iter().map(named).collect();
    let wanted =
        ["pg_lossless_40m Ethernet8 2000", "pg_lossless_5m Ethernet24 5", "ingress_pool 7"];
    assert_eq!(all, wanted);
    let [long, small, pool] = [0, 1, 2].map(|which| story.needs[which].needed.get());
    assert_eq!(pool, long + 4 * 36_800 + 2 * small);
    let loss = story.first_loss.unwrap();
    assert!(loss.profile.is_some() && loss.cause.to_string() == "headroom-full", "{loss:?}");
}

#[test]
fn a_story_says_how_much_of_the_burst_arrived() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let own = std::str::from_utf8(forebay_sonic::EXAMPLE).unwrap();
    std::fs::write(file.path(), own.replace("\"40m\"", "\"300000m\"")).unwrap();
    let set = [("switch.config", file.path().to_str().unwrap()), ("workload.burst", "lossless")];
    let params = set.map(|(name, text)| (name.to_owned(), text.to_owned()));
    let params = Resolved::with_settings(&sonic(), &params).unwrap();
    let story = told(&Point { params: &params, policy: "dt", seed: 1 }).unwrap();
    let (arrived, all) = story.arrived;
    assert!(arrived < all && story.completed.is_none(), "{arrived} of {all}");
}

#[test]
fn a_story_ends_when_it_is_stopped() {
    let params = Resolved::with_settings(&sonic(), &[]).unwrap();
    let point = Point { params: &params, policy: "dt", seed: 1 };
    let stopped = sonic().story(&point, &AtomicBool::new(true));
    assert!(matches!(stopped, Err(RunError::Stopped)), "{stopped:?}");
}

#[test]
fn what_cannot_be_played_is_refused_by_name() {
    for (set, words) in [
        (("switch.config", "/no/such/file"), "cannot read /no/such/file"),
        (("switch.port", "Ethernet5"), "PORT: there is no port `Ethernet5`"),
        (("switch.lossless_queue", "0"), "BUFFER_QUEUE|Ethernet0|0: queue 0 may lose packets"),
        (("switch.lossy_queue", "3"), "BUFFER_QUEUE|Ethernet0|3: queue 3 is lossless"),
        (("switch.lossy_queue", "9"), "there is no queue 9 at any port"),
        (("workload.background_queues", "8"), "8 is more than the 7 other ports"),
        (("workload.background_queues", "4"), "which the congested ports take"),
        (("workload.burst_rate", "90 Gb/s"), "give 30.769 Gb/s or less"),
        (("workload.burst_rate", "1 b/s"), "a packet would take for ever"),
        (("workload.burst_bytes", "100 B"), "less than a packet"),
        (("run.span", "400 us"), "after the end of the run"),
        (("run.span", "9000 s"), "packets would be sent"),
        (("switch.cell", "1 B"), "give cells of at least 2 B"),
        (("switch.cell", "0 B"), "a cell must hold"),
    ] {
        let settings = [(set.0.to_owned(), set.1.to_owned())];
        let params = Resolved::with_settings(&sonic(), &settings).unwrap();
        let refused = sonic().check(&params, "occamy").unwrap_err().to_string();
        assert!(refused.contains(words), "{set:?}: {refused}");
    }
}
