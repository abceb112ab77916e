use super::*;
use crate::testing::{experiment, run_with, value};

/// A star of four hosts with flows and queries, small enough to be real.
const SMALL: &[(&str, &str)] = &[
    ("topology.kind", "star"),
    ("topology.hosts", "4"),
    ("host_rate", "20 Mb/s"),
    ("topology.delay", "1 ms"),
    ("transport.control", "cubic"),
    ("min_rto", "200 ms"),
    ("receive_window", "100 KB"),
    ("switch.pool", "100 KB"),
    ("query_bytes", "60 KB"),
    ("query_degree", "3"),
    ("queries_per_second", "4"),
    ("warm_up", "0 s"),
    ("run.span", "900 ms"),
    ("run.give_up", "5 s"),
];

fn testbed() -> Testbed {
    Testbed::new(&Policies::default())
}

#[test]
fn simulated_packets_are_those_of_the_network() {
    let of_network = run_with(&DataCenter::new(&Policies::default()), "occamy", SMALL).unwrap();
    let simulated = run_with(&testbed(), "occamy", SMALL).unwrap();
    assert_eq!(simulated.len(), metrics::METRICS.len());
    assert_eq!(format!("{of_network:?}"), format!("{:?}", &simulated[..of_network.len()]));
    assert!(value(&simulated, "late_p99").is_nan());
}

#[test]
fn what_only_simulated_hosts_do_is_refused_by_name() {
    let wrong = [
        ("query_window", "5"),
        ("ack_class", "1"),
        ("request_bytes", "5 KB"),
        ("workload.background", "long-lived"),
    ];
    for (name, given) in wrong {
        let real =
            [("switch.classes", "2"), ("workload.background_class", "1"), ("packets", "real")];
        let set = [SMALL, &real, &[(name, given)]].concat();
        let error = experiment("testbed", "dt", &set).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains("packets=simulated"), "{error}");
    }
}

#[test]
fn only_real_packets_are_live_and_the_report_says_so() {
    let simulated = experiment("testbed", "dt", SMALL).unwrap();
    assert!(!simulated.is_live() && simulated.unable().is_none());
    let real = experiment("testbed", "dt", &[SMALL, &[("packets", "real")]].concat()).unwrap();
    assert!(real.is_live());
    let warnings = real.scenario.warnings(&real.at_point(0));
    assert!(warnings.len() == 1 && warnings[0].contains("real time"), "{warnings:?}");
    assert!(metrics::lack(true, "small_delay_p99").is_some());
    assert!(metrics::lack(false, "late_p99").is_some() && metrics::lack(true, "qct_p99").is_none());
}

/// Real TCP between namespaces; how fast it is, is the machine's affair.
#[cfg(all(feature = "live", target_os = "linux"))]
#[test]
fn real_packets_complete_the_same_flows_and_queries() {
    // A flow of each host, from the beginning.
    let flows = [("workload.background", "permutation"), ("flow_bytes", "40 KB")];
    let classes = [("switch.classes", "2"), ("workload.background_class", "1")];
    let set = [SMALL, &classes, &flows].concat();
    let simulated = run_with(&testbed(), "occamy", &set).unwrap();
    let real = [&set[..], &[("packets", "real")]].concat();
    let why = experiment("testbed", "occamy", &real).unwrap().unable();
    if let Some(why) = why {
        #[allow(clippy::print_stderr)]
        {
            eprintln!("not tested: {why}");
        }
        return;
    }
    let real = run_with(&testbed(), "occamy", &real).unwrap();
    for name in ["queries", "flows"] {
        assert!(value(&real, name) > 3.0, "{name}: {real:?}");
        assert_eq!(value(&real, name), value(&simulated, name), "{name}");
    }
    assert_eq!(value(&real, "unfinished"), 0.0, "{real:?}");
    // Nothing is faster than an empty network lets it be.
    assert!(value(&real, "qct_slowdown_mean") >= 1.0 && value(&real, "fct_slowdown_mean") >= 1.0);
    assert!(value(&real, "goodput") > 0.0 && value(&real, "late_p99") > 0.0, "{real:?}");
}
