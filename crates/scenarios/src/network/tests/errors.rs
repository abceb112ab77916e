//! What cannot be is refused, and the parameter at fault is named.

use super::*;

#[test]
fn what_cannot_be_is_named() {
    for (set, words) in [
        (("query_degree", "99"), "--set query_degree=99: degree is 99"),
        (("query_bytes", "1 B"), "--set query_bytes=1 B: query is 1"),
        (("queries_per_second", "0"), "--set queries_per_second=0: 0 queries"),
        (("workload.load", "0"), "--set workload.load=0: a load of 0"),
        (("workload.servers", "9"), "--set workload.servers=9: every host asks"),
        (("host_rate", "0 Gb/s"), "rate is 0 b/s"),
        (
            ("topology.delay", "0 us"),
            "--set topology.delay=0 ps: the delay of a link must be above 0",
        ),
        (("run.span", "0 s"), "the measured span must be above 0"),
        (("receivers", "8"), "leave no sender"),
        (("background_control", "cubic"), "both of class 0, which has one control"),
        (("query_window", "3"), "both of class 0, which has one first window"),
        (("switch.cell", "0 B"), "--set switch.cell=0 B: a cell must hold"),
        (
            ("switch.pool", "1 KB"),
            "--set switch.pool=1 KB: a buffer of 1 KB in cells of 200 B cannot hold",
        ),
        (
            ("transport.mss", "9 MB"),
            "--set transport.mss=9 MB: segments of 9 MB with headers of 52 B",
        ),
        (("transport.mss", "0 B"), "--set transport.mss=0 B: a segment payload"),
        (("min_rto", "0 s"), "--set min_rto=0 ps: retransmission timeouts"),
        (("receive_window", "1 KB"), "--set receive_window=1 KB: a receive window"),
        (("workload.background", "file"), "no file is named; give flow_file"),
        (("size_file", "no.csv"), "--set size_file=no.csv: cannot read no.csv"),
        (("topology.file", "no.txt"), "queries"),
    ] {
        let result = run("dt", &[set]).map_err(|error| error.to_string());
        match result {
            Err(error) => assert!(error.contains(words), "{words}: {error}"),
            // A file that nothing asks for is not read.
            Ok(_) => assert_eq!(set.0, "topology.file"),
        }
    }
    for (name, bad, words) in [
        ("run.scale", "1 ps", "scale=1 ps: 1 ps is not between a packet's time"),
        ("run.scale", "1 s", "and the span, 20 ms"),
        ("level_fifos", "3", "level_fifos=3: the top level has 3"),
        ("auto_fifos", "4", "auto_fifos=4: 4 FIFOs cannot reach"),
    ] {
        let set: Vec<_> = SINGLE_NODE.iter().copied().chain([(name, bad)]).collect();
        let policy = if name == "auto_fifos" { "gearbox-auto" } else { "gearbox" };
        let error = run(policy, &set).unwrap_err().to_string();
        assert!(error.contains(words), "{words}: {error}");
    }
    let senders = [("workload.background", "long-lived"), ("background_receiver", "6")];
    let error = run("dt", &senders).unwrap_err().to_string();
    assert!(error.contains("host 6 cannot be the receiver"), "{error}");
    for (name, bad, words) in [
        ("transport.mss", "60 KB", "--set transport.mss=60 KB: segments of 60 KB"),
        (
            "sram.staging",
            "1 KB",
            "--set sram.staging=1 KB: a staging buffer of 1 KB cannot hold a packet",
        ),
        ("sram.staging", "6 MB", "staging=6 MB: a staging buffer of 6 MB leaves no room"),
        ("switch.sram", "1 KB", "--set switch.sram=1 KB: an SRAM of 1 KB beside"),
    ] {
        let error = run("themis", &[(name, bad)]).unwrap_err().to_string();
        assert!(error.contains(words), "{words}: {error}");
    }
    let racks = [("topology.kind", "leaf-spine"), ("leaves", "1"), ("other_racks", "true")];
    let error = run("dt", &racks).unwrap_err().to_string();
    assert!(error.contains("--set other_racks=true: no host is in another rack"), "{error}");
    let few = [("receivers", "6"), ("workload.servers", "3")];
    let error = run("dt", &few).unwrap_err().to_string();
    assert!(error.contains("servers=3: 8 hosts less 6 receivers are 2"), "{error}");
    let error = run("occamy", &[("cells_per_second", "10")]).unwrap_err().to_string();
    assert!(error.contains("10: 10 cells a second are too few for any memory; give"), "{error}");
    for (classes, words) in [("2", "no class 5 among the 2 of a port; give 0 to 1"), ("8", "")] {
        let set = [("switch.classes", classes), ("ack_class", "5")];
        let error = run("dt", &set).map_or_else(|error| error.to_string(), |_| String::new());
        assert!(error.contains(words) && error.is_empty() == words.is_empty(), "{error}");
    }
    for (rate, cell, words) in [
        ("100 kb/s", "200 B", "--set host_rate=100 kb/s: 800 kb/s in all is too slow for a shared"),
        ("10 Mb/s", "64 KiB", "--set switch.cell=64 KiB: 80 Mb/s in all is too slow for a shared"),
    ] {
        let slow = [("host_rate", rate), ("switch.cell", cell)];
        let error = run("dt", &slow).unwrap_err().to_string();
        assert!(error.contains(words), "{words}: {error}");
    }
    for (policy, name, bad, words) in [
        ("pifo", "switch.rank", "shortest", "there is no rank function or field `shortest`"),
        ("themis", "switch.rank", "flow_size +", "--set switch.rank=flow_size +: column"),
        ("dt", "switch.scheduler", "fifo", "there is no port scheduler `fifo`"),
    ] {
        let set = [("switch.classes", "2"), (name, bad)];
        let set = if policy == "dt" { &set[..] } else { &set[1..] };
        let error = run(policy, set).unwrap_err().to_string();
        assert!(error.contains(words), "{words}: {error}");
    }
}

/// A parameter that nothing reads is told apart: the policy may be at fault, or the value of
/// another parameter.
#[test]
fn what_has_no_effect_says_why() {
    for (policy, name, value, words) in [
        ("dt", "workload.at_once", "3", "while `workload.background` is flows; remove it, or set"),
        ("dt", "workload.rounds", "barrier", "remove it, or set workload.background to all-to-all"),
        (
            "dt",
            "ack_class",
            "0",
            "while `switch.classes` is 1; remove it, or set switch.classes to",
        ),
        (
            "drop-tail",
            "ack_class",
            "0",
            "under drop-tail; remove it, or run a policy that reads it",
        ),
        ("dt", "cells_per_second", "10000000", "reads it, such as occamy"),
        (
            "smxq",
            "policy.alpha",
            "2",
            "under smxq; remove it, or run a policy that reads it, such as",
        ),
    ] {
        let error = crate::testing::experiment("network", policy, &[(name, value)]);
        let error = error.map(drop).unwrap_err().to_string();
        assert!(error.contains(words), "{policy}: {error}");
    }
    let error = crate::testing::experiment("network", "dt", &[("ack_class", "9")]);
    assert!(error.map(drop).unwrap_err().to_string().contains("\"9\" is not one of same, 0, 1"));
}

const GRANTS: [(&str, &str); 2] = [("pfc.lossless", "0"), ("pfc.form", "credits")];

#[test]
fn lossless_classes_have_room_and_hosts_that_take_turns() {
    for (set, words) in [
        (&[("pfc.lossless", "0"), ("host.nic", "fifo")][..], "one queue for all its flows"),
        (&[("pfc.lossless", "3")], "no class 3 among the 1 of a port"),
        (&[("pfc.lossless", "0"), ("switch.pool", "60 KB")], "less headroom"),
        (&[GRANTS[0], GRANTS[1], ("switch.pool", "60 KB")], "or inputs smaller ones"),
        (&[GRANTS[0], GRANTS[1], ("credits.buffer", "1 KB")], "hold no packet of 1.5 KB"),
        (&[("switch.mark_all_above", "1 KB")], "is not above 97.5 KB"),
    ] {
        let error = run("dt", set).map(drop).expect_err(words).to_string();
        assert!(error.contains(words), "{words}: {error}");
    }
    let error = crate::testing::experiment("network", "dt", &[("pfc.watchdog", "1 ms")]);
    let error = error.map(drop).unwrap_err().to_string();
    assert!(error.contains("`pfc.watchdog` has no effect beside the other values"), "{error}");
}
