//! `forebay cache` as its users meet it.
#![allow(clippy::unwrap_used)]

use std::process::{Command, Output};

fn cache(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_forebay")).arg("cache").args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_csv_of_ones_own_is_simulated() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trace.csv");
    let lines: Vec<String> = (0..2000).map(|i| format!("{},{}", i as f64 / 1e6, i % 7)).collect();
    std::fs::write(&file, format!("time,object\n{}\n", lines.join("\n"))).unwrap();
    let file = file.to_str().unwrap();
    let output = cache(&["simulate", file, "--objects", "3", "--z", "10"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    assert!(shown.contains("lru-mad") && shown.contains("2000"), "{shown}");
    let output = cache(&["simulate", file, "--objects", "3", "--latency", "20 us", "--json"]);
    let rows: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(rows[0]["requests"], 2000);
    let latency = rows[0]["mean_latency"].as_f64().unwrap();
    assert!(latency > 1000.0 && latency <= 20_000.0, "{latency} ns");
}

#[test]
fn what_cannot_be_is_refused_with_the_fix() {
    for (arguments, words) in [
        (&["simulate", "--policies", "belady", "--objects", "9"][..], "add --in-memory"),
        (&["simulate"][..], "add --in-memory"),
        (&["simulate", "absent.csv", "--objects", "9"][..], "cannot read absent.csv"),
        (&["simulate", "--objects", "9", "--policies", "lur"][..], "there is no policy \"lur\""),
        (&["simulate", "--set", "store.zz=3"][..], "there is no parameter `store.zz`"),
    ] {
        let output = cache(arguments);
        assert_eq!(output.status.code(), Some(2), "{words}");
        assert!(text(&output.stderr).contains(words), "{words}: {}", text(&output.stderr));
    }
}

#[test]
fn pairs_are_compared() {
    let output = cache(&[
        "compare",
        "--policies",
        "lru,lfu",
        "--set",
        "trace.requests=5000",
        "--set",
        "trace.kind=zipf-bursts",
    ]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("MISLEADS"), "the legend at least");
}

#[test]
fn the_optimum_is_bounded_and_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = folder.path().join("prices");
    let arguments = [
        "bound",
        "--set",
        "trace.requests=3000",
        "--set",
        "trace.kind=zipf-bursts",
        "--z",
        "50",
        "--objects",
        "60",
        "--checkpoint",
        checkpoint.to_str().unwrap(),
    ];
    let first = text(&cache(&arguments).stdout);
    assert!(first.contains("no schedule is below"), "{first}");
    assert!(std::fs::metadata(&checkpoint).unwrap().len() > 0);
    assert!(text(&cache(&arguments).stdout).contains("a schedule reaches"), "it goes on");
    std::fs::write(&checkpoint, "nonsense").unwrap();
    let refused = cache(&arguments);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("remove it to begin anew"), "{}", text(&refused.stderr));
}
