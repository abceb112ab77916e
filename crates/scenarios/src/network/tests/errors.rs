//! What cannot be is refused, and the parameter at fault is named.

use super::*;

#[test]
fn what_cannot_be_is_named() {
    for (set, words) in [
        (("query_degree", "99"), "--set query_degree=99: degree is 99"),
        (("query_bytes", "1 B"), "--set query_bytes=1 B: query is 1"),
        (("queries_per_second", "0"), "--set queries_per_second=0: 0 queries"),
        (("workload.load", "0"), "--set load=0: a load of 0"),
        (("workload.servers", "9"), "--set servers=9"),
        (("host_rate", "0 Gb/s"), "rate is 0 b/s"),
        (("topology.delay", "0 us"), "--set delay=0 ps: the delay of a link must be above 0"),
        (("run.span", "0 s"), "the measured span must be above 0"),
        (("receivers", "8"), "leave no sender"),
        (("background_control", "cubic"), "both of class 0, which has one control"),
        (("query_window", "3"), "both of class 0, which has one first window"),
        (("switch.cell", "0 B"), "--set cell=0 B: a cell must hold"),
        (
            ("switch.pool", "1 KB"),
            "--set pool=1 KB: a buffer of 1 KB in cells of 200 B cannot hold",
        ),
        (("transport.mss", "9 MB"), "--set mss=9 MB: segments of 9 MB with headers of 52 B"),
        (("transport.mss", "0 B"), "--set mss=0 B: a segment payload"),
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
        ("transport.mss", "60 KB", "--set mss=60 KB: segments of 60 KB"),
        (
            "sram.staging",
            "1 KB",
            "--set staging=1 KB: a staging buffer of 1 KB cannot hold a packet",
        ),
        ("switch.sram", "1 KB", "--set sram=1 KB: an SRAM of 1 KB beside"),
    ] {
        let error = run("themis", &[(name, bad)]).unwrap_err().to_string();
        assert!(error.contains(words), "{words}: {error}");
    }
    for (rate, cell, words) in [
        ("100 kb/s", "200 B", "--set host_rate=100 kb/s: 800 kb/s in all is too slow for a shared"),
        ("10 Mb/s", "64 KiB", "--set cell=64 KiB: 80 Mb/s in all is too slow for a shared"),
    ] {
        let slow = [("host_rate", rate), ("switch.cell", cell)];
        let error = run("dt", &slow).unwrap_err().to_string();
        assert!(error.contains(words), "{words}: {error}");
    }
    for (policy, name, bad, words) in [
        ("pifo", "switch.rank", "shortest", "there is no rank function or field `shortest`"),
        ("themis", "switch.rank", "flow_size +", "--set rank=flow_size +: column"),
        ("dt", "switch.scheduler", "fifo", "there is no port scheduler `fifo`"),
    ] {
        let error = run(policy, &[(name, bad)]).unwrap_err().to_string();
        assert!(error.contains(words), "{words}: {error}");
    }
}
