use super::*;
use crate::scenarios::testing::{run_with, value};

fn run(policy: &str, set: &[(&str, &str)]) -> Result<Vec<(&'static str, f64)>, RunError> {
    let small = [
        ("topology.kind", "star"),
        ("topology.hosts", "8"),
        ("host_rate", "10 Gb/s"),
        ("topology.delay", "1 us"),
        ("switch.pool", "410 KB"),
        ("mark_above", "97500 B"),
        ("query_bytes", "200 KB"),
        ("query_degree", "7"),
        ("workload.load", "0.5"),
        ("queries_per_second", "500"),
        ("warm_up", "1 ms"),
        ("run.span", "4 ms"),
    ];
    run_with(&DataCenter, policy, &[&small[..], set].concat())
}

#[test]
fn every_kind_of_switch_serves_flows_and_queries() {
    for policy in
        ["drop-tail", "dt", "occamy", "pushout", "pifo", "themis", "gearbox", "tree", "lstf"]
    {
        let values = run(policy, &[]).unwrap();
        assert_eq!(values.len(), metrics::METRICS.len());
        assert!(value(&values, "queries") > 5.0 && value(&values, "flows") > 5.0, "{policy}");
        assert!(value(&values, "qct_slowdown_mean") >= 1.0, "{policy}");
        assert!(value(&values, "fct_slowdown_mean") >= 1.0, "{policy}");
        assert_eq!(value(&values, "unfinished"), 0.0, "{policy}");
        assert!(value(&values, "goodput") > 1.0, "{policy}: {values:?}");
    }
}

#[test]
fn a_run_is_the_same_again() {
    let first = run("occamy", &[]).unwrap();
    let again = run("occamy", &[]).unwrap();
    assert_eq!(format!("{first:?}"), format!("{again:?}"), "NaN is NaN");
}

#[test]
fn collectives_are_a_background_too() {
    for background in ["all-to-all", "tree-all-reduce", "ring-all-reduce", "permutation"] {
        let values = run("dt", &[("background", background), ("flow_bytes", "64 KB")]).unwrap();
        assert!(
            value(&values, "flows") + value(&values, "queries") > 5.0,
            "{background} {values:?}"
        );
    }
}

/// Occamy §6.2, Fig. 13: CUBIC fills the buffer beside DCTCP queries, which alone see marks.
#[test]
fn the_background_has_a_control_of_its_own() {
    let classes = [("query_class", "0"), ("background_class", "1"), ("switch.classes", "2")];
    let with = |control| {
        let set = [&classes[..], &[("background_control", control)]].concat();
        let set = [&set[..], &[("host.nic", "fifo")]].concat();
        format!("{:?}", run("dt", &set).unwrap())
    };
    assert_eq!(with("same"), with("dctcp"));
    assert_ne!(with("same"), with("cubic"));
}

#[test]
fn what_cannot_be_is_named() {
    for (set, words) in [
        (("query_degree", "99"), "query_degree"),
        (("host_rate", "0 Gb/s"), "carries nothing"),
        (("run.span", "0 s"), "nothing is measured"),
        (("receivers", "8"), "leave no sender"),
        (("background_control", "cubic"), "both of class"),
    ] {
        let error = run("dt", &[set]).unwrap_err().to_string();
        assert!(error.contains(words), "{words}: {error}");
    }
    for (name, bad, words) in [
        ("run.scale", "1 ps", "scale=1 ps: 1 ps is not between a packet's time"),
        ("run.scale", "1 s", "and the span, 20 ms"),
        ("level_fifos", "3", "level_fifos=3: gearbox: the top level has 3"),
        ("auto_fifos", "4", "auto_fifos=4: gearbox: 4 FIFOs cannot reach"),
    ] {
        let set: Vec<_> = SINGLE_NODE.iter().copied().chain([(name, bad)]).collect();
        let policy = if name == "auto_fifos" { "gearbox-auto" } else { "gearbox" };
        let error = run(policy, &set).unwrap_err().to_string();
        assert!(error.contains(words), "{words}: {error}");
    }
}

/// gearbox §4.1.2: four flows to one host.
const SINGLE_NODE: &[(&str, &str)] = &[
    ("topology.hosts", "5"),
    ("topology.delay", "3 us"),
    ("transport.control", "new-reno"),
    ("receive_window", "64 KB"),
    ("mark_above", "0 B"),
    ("query_bytes", "0 B"),
    ("workload.background", "shares"),
    ("warm_up", "5 ms"),
    ("run.span", "20 ms"),
    ("run.samples", "10"),
];

#[test]
fn flows_of_different_weights_share_a_port() {
    let with = |policy, weights| {
        let set: Vec<_> = SINGLE_NODE.iter().copied().chain([("weights", weights)]).collect();
        run(policy, &set).unwrap()
    };
    for policy in ["pifo-wfq", "gearbox", "cq-10", "drr"] {
        let values = with(policy, "2:2:1:1");
        assert!(value(&values, "nfm_mean") < 0.2, "{policy}: {values:?}");
        assert!(value(&values, "least_share") > 0.85, "{policy}: {values:?}");
    }
    assert!(value(&with("drop-tail", "2:2:1:1"), "nfm_mean") > 0.5);
    assert!(value(&with("fq-codel", "1:1:1:1"), "nfm_mean") < 0.3);
}

#[test]
fn flows_join_and_leave() {
    let join = [("workload.background", "join-leave"), ("run.span", "65 ms")];
    let set: Vec<_> =
        SINGLE_NODE.iter().copied().chain(join).chain([("weights", "1:1:1:1")]).collect();
    let values = run("gearbox", &set).unwrap();
    assert!(value(&values, "share_error") < 0.2, "{values:?}");
    assert!(value(&values, "goodput") > 1.5, "the link is used: {values:?}");
    let error = run("gearbox", &[("workload.background", "shares"), ("weights", "1x9")]);
    assert!(error.unwrap_err().to_string().contains("9 flows need 10 hosts"));
}
