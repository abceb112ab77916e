//! `forebay net train` as its users meet it.
#![allow(clippy::unwrap_used)]

use std::process::{Command, Output};

fn net(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_forebay")).arg("net").args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_training_job_runs_and_is_told_of() {
    let job =
        "pipeline:stages=2,microbatches=1,forward=3us,backward=5us,activation=1KB,iterations=2";
    let train = |more: &[&str]| {
        let line = [&["train", job, "--topology", "star:2,10G,1us"][..], more].concat();
        let output = net(&line);
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let shown = train(&["--switch", "occamy", "--set", "alpha=8"]);
    assert!(shown.contains("2 ranks, 16 of 16 nodes done after 46.73 µs"), "{shown}");
    assert!(shown.contains("exposed") && shown.contains("iteration"), "{shown}");
    let json: serde_json::Value = serde_json::from_str(&train(&["--json"])).unwrap();
    // Two hops each way, twice: 1,052 bytes at 10 Gb/s and 1 µs each.
    let end = 2.0 * (16.0 + 4.0 * 1.8416);
    assert!((json["end_us"].as_f64().unwrap() - end).abs() < 1e-6, "{json}");
    assert_eq!(json["ranks"][1]["compute_us"].as_f64(), Some(16.0));
}

#[test]
fn a_job_that_gives_up_is_a_failure_and_told_of() {
    let output = net(&["train", "data", "--topology", "star:8,10G,1us", "--give-up", "5 ms"]);
    assert_eq!(output.status.code(), Some(1));
    let error = text(&output.stderr);
    assert!(error.contains("the job is not done at 5 ms: give a longer --give-up"), "{error}");
    assert!(text(&output.stdout).contains("8 of 80 nodes done after 4.000 ms"), "the forward pass");
}

#[test]
fn chakra_traces_run_and_what_they_lack_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    // Metadata; then node 1, "ar", a collective (7): comm_type 0, comm_size 64, pg_name "7".
    let attributes = b"\x52\x0d\x0a\x09comm_type\x48\x00\x52\x0d\x0a\x09comm_size\x48\x40\
        \x52\x0d\x0a\x07pg_name\xea\x01\x017";
    let node = [&b"\x08\x01\x12\x02ar\x18\x07"[..], attributes].concat();
    let trace = [&b"\x07\x0a\x050.0.4"[..], &[node.len() as u8], &node].concat();
    for rank in 0..2 {
        std::fs::write(folder.path().join(format!("two.{rank}.et")), &trace).unwrap();
    }
    let prefix = folder.path().join("two").to_str().unwrap().to_owned();
    let line = ["train", &prefix, "--topology", "star:2,10G,1us"];
    let output = net(&line);
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(
        error.contains("rank 0, node 1 (ar): the ranks of its group 7 are not known"),
        "{error}"
    );
    let output = net(&[&line[..], &["--group", "7=0,1"][..]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("2 of 2 nodes done"), "{}", text(&output.stdout));
}
