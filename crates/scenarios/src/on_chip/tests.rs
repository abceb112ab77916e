use std::path::Path;

use forebay_lab::{Experiment, Overrides};

use super::*;
use crate::testing::run_with;
use crate::{Policies, registry};

fn on_chip() -> OnChip {
    OnChip::new(&Catalogue::default())
}

const FILE: &[u8] =
    b"title = 't'\nscenario = 'on-chip'\npolicies = ['dt', 'occamy']\nseeds = [1]\n";

fn experiment(set: &[(&str, &str)]) -> Result<Experiment, String> {
    let set = set.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    let overrides = Overrides { set, ..Overrides::default() };
    Experiment::read(
        "x.toml",
        FILE,
        Path::new("."),
        &overrides,
        &registry(&Policies::default()).unwrap(),
    )
    .map_err(|e| e.to_string())
}

fn run(policy: &str, seed: u64, set: &[(&str, &str)]) -> RunOutput {
    let params = experiment(set).unwrap().at_point(0);
    let point = Point { params: &params, policy, seed };
    on_chip().check(&params, policy).unwrap();
    on_chip().run(&point, &mut RunContext::default()).unwrap()
}

fn value(output: &RunOutput, name: &str) -> f64 {
    output.values.iter().find(|(metric, _)| *metric == name).unwrap().1
}

/// Two numbers within a packet or two of each other, in MB.
fn close(measured: f64, expected: f64) {
    assert!((measured - expected).abs() < 0.006, "{measured} MB, expected {expected} MB");
}

#[test]
fn every_metric_and_series_is_there() {
    for policy in on_chip().policies() {
        let output = run(&policy.name, 1, &[]);
        let names: Vec<&str> = output.values.iter().map(|(name, _)| *name).collect();
        let declared: Vec<&str> = on_chip().metrics().iter().map(|metric| metric.name).collect();
        assert_eq!(names, declared);
        assert!(output.timelines.len() >= 3, "{}", policy.name);
        for timeline in &output.timelines {
            assert!(on_chip().series().iter().any(|series| series.name == timeline.name));
            assert_eq!(timeline.points.len(), 300);
        }
    }
}

#[test]
fn a_burst_below_the_line_rate_is_not_lost() {
    for policy in ["dt", "abm", "occamy", "pushout", "static-partition"] {
        let output = run(policy, 1, &[("burst_rate", "9 Gb/s"), ("burst_bytes", "1 MB")]);
        assert_eq!(value(&output, "burst_loss_fraction"), 0.0, "{policy}");
        assert!((value(&output, "absorbed") - 1.0).abs() < 1e-9, "{policy}");
        assert!(value(&output, "background_utilization") > 0.99, "{policy}");
    }
}

/// While a burst of rate R fills its queue, the congested one drains at the line rate C. With F the
/// free buffer when it begins, the burst's queue meets the threshold after α F / (r + α (r - C)),
/// r = R - C, unless the other queue keeps up with the threshold (Eq. 3), when it gets its fair
/// share.
#[test]
fn dt_absorbs_what_the_fluid_model_says() {
    for (alpha, rate) in [(4.0, 28.0), (8.0, 100.0), (1.0, 50.0), (1.0, 28.0), (0.5, 35.0)] {
        let (buffer, line) = (2.0, 10.0);
        let net = rate - line;
        let free = buffer / (1.0 + alpha);
        let follows = rate <= line * (1.0 + (1.0 + alpha) / alpha);
        let queue = if follows {
            alpha * buffer / (1.0 + 2.0 * alpha)
        } else {
            net * alpha * free / (net + alpha * (net - line))
        };
        let (alpha, rate_text) = (format!("{alpha}"), format!("{rate} Gb/s"));
        // Whole cells in a packet, so that the buffer holds what its size says.
        let set =
            [("policy.alpha", &*alpha), ("burst_rate", &*rate_text), ("packet_bytes", "1000")];
        let output = run("dt", 1, &set);
        close(value(&output, "absorbed"), queue * rate / net);
        let fair = value(&output, "fair_share_reached");
        assert_eq!(fair > 0.98, follows, "{alpha} {rate}: {fair}");
    }
}

#[test]
fn complete_sharing_leaves_the_burst_what_is_free() {
    let output = run("complete-sharing", 1, &[]);
    assert!(value(&output, "loss_threshold_fraction") == 0.0);
    assert!(value(&output, "utilization_on_drop") > 0.99);
    assert!(value(&output, "absorbed") < 0.2, "the buffer was full when the burst came");
}

#[test]
fn seeds_differ_a_little_and_equal_seeds_not_at_all() {
    assert_eq!(run("dt", 3, &[]), run("dt", 3, &[]));
    let (one, two) = (run("dt", 1, &[]), run("dt", 2, &[]));
    assert_ne!(one.timelines, two.timelines);
    let loss = |output| value(output, "burst_loss_fraction");
    assert!((loss(&one) - loss(&two)).abs() < 0.02);
}

#[test]
fn low_priorities_at_the_same_port_choke_a_burst() {
    let set = [("share_port", "true"), ("background_queues", "3"), ("burst_rate", "20 Gb/s")];
    let alone =
        value(&run("dt", 1, &[("background_queues", "0"), ("burst_rate", "20 Gb/s")]), "absorbed");
    let choked = value(&run("dt", 1, &set), "absorbed");
    assert!(choked < 0.5 * alone, "{choked} {alone}");
}

#[test]
fn impossible_parameters_are_refused_by_name() {
    for (set, words) in [
        (("span", "600 us"), "past the end of the run"),
        (("port_rate", "0 b/s"), "the rate is 0 b/s"),
        (("cell", "0 B"), "a cell must hold"),
        (("burst_reserved", "3 MB"), "pools and reservations need"),
        (
            ("buffer", "1 KB"),
            "--set buffer=1 KB: a buffer of 1 KB in cells of 200 B cannot hold a packet",
        ),
        (("memory_rate", "1 Mb/s"), "--set memory_rate=1 Mb/s: 1 Mb/s in all is too slow"),
        (("span", "10000 s"), "packets would be sent"),
    ] {
        let checked = experiment(&[set]).and_then(|experiment| {
            on_chip().check(&experiment.at_point(0), "occamy").map_err(|error| error.to_string())
        });
        assert!(checked.as_ref().is_err_and(|e| e.contains(words)), "{set:?}: {checked:?}");
    }
}

#[test]
fn the_scheduler_of_a_shared_port_has_its_parameters() {
    let shared = [("share_port", "true"), ("background_queues", "1"), ("scheduler", "wrr")];
    let run = |weights| {
        let set = [&shared[..], &[("scheduler.wrr_weights", weights)]].concat();
        run_with(&on_chip(), "dt", &set)
    };
    let absorbed = |weights| crate::testing::value(&run(weights).unwrap(), "absorbed");
    assert!(absorbed("9:1") > absorbed("1:9"));
    let error = run("1:2:3").unwrap_err().to_string();
    assert!(error.contains("3 for 2 queues"), "{error}");
}

/// Eq. (2) and the fair share of two queues with α = 4 (occamy §4.4): 4/9 of the buffer each, a
/// ninth free.
#[test]
fn occamy_gives_the_burst_its_fair_share_where_dt_does_not() {
    let set = [("packet_bytes", "1000")];
    let (occamy, dt) = (run("occamy", 1, &set), run("dt", 1, &set));
    assert!((value(&occamy, "fair_share_reached") - 1.0).abs() < 0.01);
    assert!((value(&occamy, "utilization_on_burst_loss") - 8.0 / 9.0).abs() < 0.01);
    close(value(&occamy, "absorbed"), 2.0 * 4.0 / 9.0 * 28.0 / 18.0);
    assert!(value(&dt, "fair_share_reached") < 0.9);
    assert_eq!(value(&dt, "loss_expelled_fraction"), 0.0);
    // Without bandwidth to spare Occamy is DT (§4.5).
    let bare = run("occamy", 1, &[("packet_bytes", "1000"), ("memory_rate", "20 Gb/s")]);
    assert!((value(&bare, "absorbed") - value(&dt, "absorbed")).abs() < 0.03, "{:?}", bare.values);
}

/// Every sender of the burst sends a large packet and a small one: which of them is expelled is a
/// matter of rank.
#[test]
fn a_policy_that_reads_ranks_is_given_them() {
    let burst = [
        ("burst_senders", "64"),
        ("burst_bytes", "100096 B"),
        ("switch.buffer", "60 KB"),
        ("run.samples", "0"),
    ];
    let run = |policy: &str, more: &[(&str, &str)]| {
        run_with(&on_chip(), policy, &[&burst[..], more].concat())
    };
    let lost = |rank: &[(&str, &str)]| {
        let values = run("occamy-rank", rank).unwrap();
        values.iter().find(|(name, _)| *name == "burst_loss_fraction").unwrap().1
    };
    let by = |rank| lost(&[("switch.rank", rank)]);
    assert!(by("size") > by("0 - size") && by("0 - size") > 0.0);
    assert_eq!(lost(&[]), by("fifo"));
    let error = run("occamy-rank", &[("switch.rank", "shortest")]).unwrap_err().to_string();
    assert!(error.contains("there is no rank function or field `shortest`"), "{error}");
    let shown = forebay_parameters::listed_all(&mut *on_chip().configure("occamy"));
    assert!(shown.iter().all(|one| one.parameter.name != "switch.rank"));
}
