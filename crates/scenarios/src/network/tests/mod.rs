use forebay_parameters::Choice;

use super::*;
use crate::testing::{run_with, value};

mod errors;
mod traffic;

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
    run_with(&DataCenter::new(&Policies::default()), policy, &[&small[..], set].concat())
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

/// A congestion control of another crate, here DCTCP under another name, gets the marks that it
/// wants and has a class of its own where the background's is another.
#[test]
fn a_strangers_congestion_control_sends() {
    let dctcp = forebay_net::transport::Dctcp::choice();
    let own = Choice::new("own", "as dctcp", (), move |(), ()| dctcp.build(&()));
    let built_in = Policies::default();
    let policies = Policies { controls: built_in.controls.with(own).unwrap(), ..built_in };
    let network = DataCenter::new(&policies);
    let run = |set: &[(&str, &str)]| {
        let queries = [("topology.kind", "star"), ("topology.hosts", "8"), ("run.span", "2 ms")];
        run_with(&network, "dt", &[&queries[..], set].concat())
    };
    let same = |control| format!("{:?}", run(&[("transport.control", control)]).unwrap());
    assert_eq!(same("own"), same("dctcp"));
    assert_ne!(same("own"), same("new-reno"));
    let apart = [("background_control", "own"), ("background_class", "1")];
    assert!(run(&apart).is_ok());
    for name in ["transport.control", "transport.background_control"] {
        let error = run(&[(name, "onw")]).unwrap_err().to_string();
        assert!(
            error.contains("there is no congestion control `onw`; did you mean `own`"),
            "{error}"
        );
    }
}

/// Any rank function of the catalogue, or a rule as text: here that of shortest flow first.
#[test]
fn ranks_are_named_or_given_as_a_rule() {
    for policy in ["pifo", "themis", "occamy-rank"] {
        // A buffer shared on chip reads ranks where it expels.
        let small = [("switch.pool", "60 KB")];
        let more = if policy == "occamy-rank" { &small[..] } else { &[] };
        let run = |rank| {
            let ranked = [more, &[("switch.rank", rank)]].concat();
            format!("{:?}", run(policy, &ranked).unwrap())
        };
        assert_eq!(run("flow_size"), run("sff"), "{policy}");
        assert_ne!(run("las"), run("sff"), "{policy}");
    }
}

#[test]
fn collectives_are_a_background_too() {
    let collectives = ["all-to-all", "tree-all-reduce", "ring-all-reduce", "halving-all-reduce"];
    for background in collectives.into_iter().chain(["permutation"]) {
        let values = run("dt", &[("background", background), ("flow_bytes", "64 KB")]).unwrap();
        assert!(
            value(&values, "flows") + value(&values, "queries") > 5.0,
            "{background} {values:?}"
        );
    }
}

/// Closed rounds have times; a flow of one is part of its round.
#[test]
fn rounds_of_collectives_have_times() {
    for (background, rounds) in
        [("all-to-all", "closed"), ("all-to-all", "barrier"), ("tree-all-reduce", "barrier")]
    {
        let set = [("background", background), ("flow_bytes", "64 KB"), ("rounds", rounds)];
        // Nothing is lost: a timeout takes longer than the window.
        let calm = [("warm_up", "0 s"), ("switch.pool", "4 MB")];
        let values = run("dt", &[&set[..], &calm].concat()).unwrap();
        assert!(value(&values, "rounds") >= 2.0, "{background} {values:?}");
        let [mean, p99, flow] = ["round_mean", "round_p99", "fct_mean"].map(|n| value(&values, n));
        assert!(flow < mean && mean <= p99, "{background} {values:?}");
    }
    assert!(value(&run("dt", &[]).unwrap(), "round_mean").is_nan(), "flows have no rounds");
    let poisson = [("background", "all-to-all"), ("rounds", "poisson")];
    assert!(value(&run("dt", &poisson).unwrap(), "round_mean").is_nan());
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

/// A query whose responses fit into their first windows takes no second round trip; the background
/// is as it was.
#[test]
fn queries_have_a_first_window_of_their_own() {
    let with = |window| {
        let set = [("background_class", "1"), ("query_window", window), ("initial_window", "2")];
        run("dt", &[&set[..], &[("query_bytes", "100 KB"), ("topology.delay", "50 us")]].concat())
    };
    let [slow, same, fast] = ["0", "2", "20"].map(|window| with(window).unwrap());
    assert_eq!(format!("{slow:?}"), format!("{same:?}"));
    // Ten segments a response: 2, 4 and 4 instead of all at once.
    let [slow, fast] = [&slow, &fast].map(|values| value(values, "qct_mean"));
    assert!(slow > fast + 300.0, "two round trips of 200 us less: {slow} {fast}");
}

/// Acknowledgements that wait in the data's queue come late; in one of their own under DRR they do
/// not.
#[test]
fn acknowledgements_choose_a_queue_by_their_class() {
    let with = |ack_class| {
        let classes = [("query_class", "1"), ("background_class", "1"), ("switch.classes", "2")];
        let set = [&classes[..], &[("ack_class", ack_class), ("workload.load", "0.8")]].concat();
        value(&run("dt", &set).unwrap(), "fct_slowdown_mean")
    };
    let [apart, together, same] = ["0", "1", "same"].map(with);
    assert_eq!(together, same);
    assert!(apart < together, "{apart} {together}");
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

/// A packet that fits no buffer is sent for ever; what else was measured is kept.
#[test]
fn a_run_that_cannot_end_keeps_its_measurements() {
    let small = [("port_limit", "1200 B"), ("min_rto", "10 us"), ("known_rtt", "true")];
    let values = run("drop-tail", &[&small[..], &[("run.give_up", "10 s")]].concat()).unwrap();
    assert_eq!(value(&values, "stuck"), 1.0);
    assert!(value(&values, "unfinished") > 0.0 && value(&values, "timeouts") > 15.0, "{values:?}");
    assert!(value(&values, "loss_queue_full_fraction") > 0.0);
    assert_eq!(value(&run("drop-tail", &[]).unwrap(), "stuck"), 0.0);
}

#[test]
fn buffers_hold_the_largest_packet_that_hosts_send() {
    for policy in ["dt", "occamy", "themis"] {
        let values = run(policy, &[("transport.mss", "8960 B")]).unwrap();
        assert_eq!(value(&values, "loss_impossible_fraction"), 0.0, "{policy}");
        assert!(value(&values, "flows") > 5.0, "{policy}");
    }
}

#[test]
fn uplinks_carry_what_is_offered_and_losses_have_causes() {
    let spine = [
        ("topology.kind", "leaf-spine"),
        ("leaves", "2"),
        ("spines", "1"),
        ("topology.hosts", "4"),
        ("fabric_rate", "20 Gb/s"),
        ("load_of", "crossed-uplinks"),
        ("query_bytes", "0 B"),
        ("run.span", "40 ms"),
    ];
    let values = run("dt", &spine).unwrap();
    let [mean, most] =
        ["uplink_utilization_mean", "uplink_utilization_max"].map(|name| value(&values, name));
    assert!((0.3..0.75).contains(&mean) && mean <= most && most <= 1.0, "{mean} {most}");
    let lost = value(&values, "loss_fraction");
    let causes = values.iter().filter(|(name, _)| causes::LOSSES.iter().any(|m| m.name == *name));
    assert!((causes.map(|(_, share)| share).sum::<f64>() - lost).abs() < 1e-12);
    assert!(value(&run("dt", &[]).unwrap(), "uplink_utilization_mean").is_nan(), "a star has none");
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

#[test]
fn what_there_is_not_is_explained() {
    let star = [("topology.kind", "star"), ("topology.hosts", "4"), ("query_degree", "3")];
    let short = [
        ("query_bytes", "30 KB"),
        ("queries_per_second", "1"),
        ("workload.load", "0.001"),
        ("warm_up", "10 ms"),
        ("run.span", "1 ns"),
    ];
    let network = DataCenter::new(&Policies::default());
    let values = run_with(&network, "occamy", &[&star[..], &short].concat()).unwrap();
    let without: Vec<_> =
        values.iter().filter(|(_, value)| value.is_nan()).map(|(name, _)| *name).collect();
    assert!(without.len() > 30, "{without:?}");
    for name in without.into_iter().chain(metrics::FLOW_SERIES) {
        // Rounds and shares are lacking before the run; what else there is not, after it.
        let params = Resolved::with_settings(&network, &[]).unwrap();
        let lack = network.lacks(&params, "occamy", name).or_else(|| network.missing(name));
        let lack = lack.unwrap_or_else(|| panic!("{name} is not explained"));
        let known = params.parameters().iter().any(|one| one.spec.name == lack.parameter);
        assert!(known, "{name}: there is no parameter {}", lack.parameter);
    }
    let fewer = network.missing("flow_4").unwrap();
    assert_eq!(fewer.parameter, "scheduler.weights");
}

/// Pauses instead of losses, and metrics of them; none without lossless classes.
#[test]
fn lossless_classes_are_measured() {
    let lossless = [("switch.pool", "1 MB"), ("pfc.lossless", "0"), ("pfc.pause_above", "20 KB")];
    for policy in ["dt", "occamy"] {
        let values = run(policy, &lossless).unwrap();
        assert_eq!(value(&values, "loss_fraction"), 0.0, "{policy}");
        assert!(value(&values, "pauses") > 0.0 && value(&values, "headroom_most") > 0.0);
        let share = value(&values, "host_pause_fraction");
        assert!(share > 0.0 && share < 1.0, "{policy}: {share}");
        assert_eq!((value(&values, "deadlock"), value(&values, "watchdog_fires")), (0.0, 0.0));
    }
    assert!(value(&run("dt", &[]).unwrap(), "pauses").is_nan());
}

/// Neither losses nor pauses that anybody asked for, but senders that wait for credit.
#[test]
fn credit_is_measured() {
    let granted = [
        ("switch.pool", "1 MB"),
        ("pfc.lossless", "0"),
        ("pfc.form", "credits"),
        ("credits.buffer", "6 KB"),
    ];
    let values = run("dt", &granted).unwrap();
    assert_eq!((value(&values, "loss_fraction"), value(&values, "pauses")), (0.0, 0.0));
    let share = value(&values, "host_pause_fraction");
    assert!(share > 0.0 && share < 1.0, "{share}");
    assert!(value(&values, "headroom_most") > 0.0);
    assert_eq!(value(&values, "deadlock"), 0.0);
}
