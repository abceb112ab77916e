//! What is sent is what the papers' formulas say.

use std::fs;

use forebay_lab::Resolved;
use forebay_net::topology::Graph;
use forebay_units::{Bytes, Duration, Time};

use super::*;
use crate::network::traffic::Traffic;

/// The traffic and the graph of some settings.
fn traffic(set: &[(&str, &str)]) -> (Traffic, Graph) {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let settings: Vec<_> = set.iter().map(owned).collect();
    let network = DataCenter::new(&Policies::default());
    let params = Resolved::with_settings(&network, &settings).unwrap();
    let (config, setup) = network.setup(&params, "dt").unwrap();
    setup.check(&config).unwrap();
    (setup.traffic, setup.graph)
}

/// Occamy §6.4: at 10 % of the uplinks 186 queries of 3.2 MB (binary) a second and host, at 80 %
/// 1,490.
#[test]
fn a_load_of_the_uplinks_is_that_of_the_papers_formula() {
    for (load, expected) in [("0.1", 186.0), ("0.8", 1490.0)] {
        let set = [("query_bytes", "3355443 B"), ("query_load", load), ("run.span", "998 ms")];
        let (traffic, graph) = traffic(&set);
        let queries = traffic.queries(&graph, 1).unwrap().unwrap();
        let each = queries.queries().len() as f64 / 128.0;
        // Four standard deviations of a Poisson process.
        let spread = 4.0 * (expected / 128.0f64).sqrt();
        assert!((each - expected).abs() < spread, "{each} at {load}");
    }
    // The background has the same formula: 45 Gb/s of payload a host at 0.9, here in flows of one
    // size.
    let set = [("workload.background", "all-to-all"), ("workload.rounds", "poisson")];
    let (traffic, graph) = traffic(&set);
    let bytes: Bytes = traffic.background(&graph, 1).unwrap().flows().iter().map(|f| f.bytes).sum();
    let gbps = bytes.get() as f64 * 8.0 / 22e6 / 128.0;
    assert!((gbps - 45.0).abs() < 1.5, "{gbps}");
}

/// Occamy §3.1: 14 flows from two senders over seven queues; 40 responses from five others.
#[test]
fn long_lived_flows_and_queries_come_from_different_hosts() {
    let (traffic, graph) = traffic(&[
        ("topology.kind", "star"),
        ("topology.hosts", "8"),
        ("workload.background", "long-lived"),
        ("background_class", "1"),
        ("background_classes", "7"),
        ("switch.classes", "8"),
        ("receivers", "1"),
        ("workload.servers", "5"),
        ("servers_per_host", "8"),
        ("query_degree", "40"),
        ("query_bytes", "1 MB"),
    ]);
    let background = traffic.background(&graph, 1).unwrap();
    assert_eq!(background.flows().len(), 14);
    for class in 1..=7 {
        let of = background.flows().iter().filter(|flow| flow.class == class);
        assert_eq!(of.map(|flow| (flow.src, flow.dst)).collect::<Vec<_>>(), [(6, 0), (7, 0)]);
    }
    let queries = traffic.queries(&graph, 1).unwrap().unwrap();
    let query = &queries.queries()[0];
    assert_eq!(query.responses.len(), 40);
    for server in 1..=5 {
        let range = query.responses.start as usize..query.responses.end as usize;
        let of = queries.flows()[range].iter().filter(|flow| flow.src == server);
        assert_eq!(of.count(), 8, "each answers as often as it has servers");
    }
    assert!(queries.flows().iter().all(|flow| flow.class == 0));
}

/// The artifact of Occamy's simulation: nobody answers in the client's own rack.
#[test]
fn queries_may_go_to_other_racks_only() {
    let racks = [("leaves", "3"), ("topology.hosts", "4"), ("query_bytes", "1 MB")];
    let inside = |other_racks| {
        let (traffic, graph) = traffic(&[&racks[..], &[("other_racks", other_racks)]].concat());
        let queries = traffic.queries(&graph, 1).unwrap().unwrap();
        assert!(queries.queries().len() > 20);
        queries.flows().iter().filter(|flow| flow.src / 4 == flow.dst / 4).count()
    };
    assert_eq!(inside("true"), 0);
    assert!(inside("false") > 0);
}

#[test]
fn servers_answer_when_they_are_asked() {
    let alone = |request| {
        let set = [("background", "none"), ("request_bytes", request), ("query_bytes", "7 KB")];
        value(&run("dt", &set).unwrap(), "qct_mean")
    };
    // The question takes two links of 1 µs, and 116 bytes on each.
    let trip = alone("64 B") - alone("0 B");
    assert!((2.0..3.0).contains(&trip), "{trip} us");
}

/// The axis of Fig. 18 is the size of a flow, not that of the vector.
#[test]
fn flows_of_a_collective_have_the_size_that_is_asked_for() {
    for background in ["all-to-all", "tree-all-reduce", "ring-all-reduce"] {
        for rounds in ["closed", "barrier", "poisson"] {
            let set = [
                ("workload.background", background),
                ("workload.rounds", rounds),
                ("flow_bytes", "50 KB"),
            ];
            let (traffic, graph) = traffic(&set);
            let flows = traffic.background(&graph, 1).unwrap();
            assert!(!flows.flows().is_empty());
            let other = flows.flows().iter().find(|flow| flow.bytes != Bytes::new(50_000));
            assert_eq!(other, None, "{background} {rounds}");
        }
    }
}

#[test]
fn topology_flows_and_sizes_come_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let graph = "hosts 3\nswitches 1\nlink h0 s0 10Gb/s 1us\nlink h1 s0 10Gb/s 1us\n\
                 link h2 s0 10Gb/s 2us\n";
    let graph = file("graph.txt", graph);
    let flows = file("flows.txt", "0 2 5000 0\n1 2 7000 1500\n");
    let sizes = file("sizes.csv", "4000,0\n4000,1\n");
    let set = [
        ("topology.kind", "file"),
        ("topology.file", graph.as_str()),
        ("workload.background", "file"),
        ("flow_file", flows.as_str()),
        ("background_class", "3"),
        ("switch.classes", "4"),
    ];
    let (given, graph) = traffic(&set);
    assert_eq!((graph.hosts, graph.links[2].config.delay), (3, Duration::from_us(2)));
    let workload = given.background(&graph, 1).unwrap();
    let flow = workload.flows()[1];
    assert_eq!((flow.src, flow.bytes, flow.class), (1, Bytes::new(7000), 3));
    assert_eq!(flow.start, Time::ZERO + Duration::from_ns(1500));
    let sized = [("size_file", sizes.as_str()), ("load_of", "hosts")];
    let (sized, graph) = traffic(&[&set[..2], &sized[..]].concat());
    let workload = sized.background(&graph, 1).unwrap();
    assert!(workload.flows().iter().all(|flow| flow.bytes == Bytes::new(4000)));
}
