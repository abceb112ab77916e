//! `forebay sched` as its users meet it: the tree of the experiments, and messages for what is
//! wrong.
#![allow(clippy::unwrap_used)] // in the helpers, too, a failure is a failed test

use std::process::{Command, Output};

fn forebay(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_forebay")).args(arguments).output().unwrap()
}

const TREE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments/trees/tenants.tree");

#[test]
fn a_tree_is_printed_with_what_each_node_gets() {
    let output = forebay(&["sched", "check", TREE]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let line = |name: &str| {
        let line = text.lines().find(|line| line.trim_start().starts_with(name)).unwrap();
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(text.contains("12 nodes, 7 of them leaves; 10 Gb/s"), "{text}");
    assert_eq!(line("a-voice "), "a-voice fifo priority 0 2 Gb/s, 15 KB flow 1 2 Gb/s");
    assert_eq!(line("b "), "b drr weight 1 1 Gb/s, 15 KB 1 Gb/s");
    assert_eq!(line("b-web "), "b-web fifo weight 3 flow 4 750 Mb/s");
    assert_eq!(line("c "), "c stfq weight 1 everything else 2.2 Gb/s");
    // Children stand below their parents, one step further in.
    let place =
        |depth: usize, name| text.find(&format!("\n{}{name}", "  ".repeat(depth + 1))).unwrap();
    assert!(place(3, "a-voice") < place(3, "a-data") && place(4, "a-web") < place(2, "b "));
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.tree");
    let name = path.to_str().unwrap();
    let good = std::fs::read_to_string(TREE).unwrap();
    for (bad, words) in [
        (good.replace("weight = 3", "weight = 0"), "node \"a\": its weight is 0; give at least 1"),
        (good.replace("weight = 3", "wieght = 3"), "fix: did you mean `weight`?"),
        (good.replace("rate = \"10 Gb/s\"", "rate = 10"), "bad.tree:3:8\n"),
        (good.replace("rate = \"10 Gb/s\"", "rate = 10"), "error: rate = 10: give it in quotes"),
    ] {
        std::fs::write(&path, bad).unwrap();
        let output = forebay(&["sched", "check", name]);
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.starts_with("error: ") && error.contains(words), "{error}");
        assert!(error.contains(name), "{error}");
        assert_eq!(output.status.code(), Some(2));
    }
    let output = forebay(&["sched", "check", "/no/such/file"]);
    assert!(String::from_utf8(output.stderr).unwrap().starts_with("error: cannot read"));
}

/// The same file is the tree of every port of a network.
#[test]
fn a_network_takes_a_tree() {
    let folder = tempfile::tempdir().unwrap();
    let flows = folder.path().join("flows.txt");
    let text: String = (0..4).map(|host| format!("{host} 4 1000000 0\n")).collect();
    std::fs::write(&flows, text).unwrap();
    let run = |switch: &[&str]| {
        let own =
            ["net", "run", "--topology", "star:5,10G,1us", "--flows", flows.to_str().unwrap()];
        forebay(&[&own[..], switch].concat())
    };
    let output = run(&["--switch", "tree", "--tree", TREE, "--json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // Control, which is flow 0, has 200 Mb/s: 1 MB takes 40 ms and not the 3.2 ms of a fair share.
    let text = String::from_utf8(output.stdout).unwrap();
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(report["simulated_us"].as_f64().is_none_or(|us| us > 35_000.0), "{text}");
    let refused = run(&["--switch", "drr", "--tree", TREE]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8(refused.stderr).unwrap().contains("give --switch tree as well"));
}
