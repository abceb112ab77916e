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
    let shown = text(&output.stdout);
    assert!(shown.contains("8 of 80 nodes done when the run ended at 5.000 ms"), "{shown}");
}

#[test]
fn ranks_that_are_not_done_have_no_end_and_waited_until_the_run_ended() {
    let job = ["train", "data:ranks=8,gradients=10MB", "--topology", "star:8,100G,1us"];
    let fails = ["--fail", "3@100us", "--give-up", "50 ms"];
    let line = [&job[..], &fails].concat();
    let output = net(&line);
    assert_eq!(output.status.code(), Some(1));
    let shown = text(&output.stdout);
    let rank = shown.lines().find(|line| line.trim_start().starts_with("3 ")).unwrap();
    let cells: Vec<&str> = rank.split_whitespace().collect();
    assert_eq!(cells[1], "–", "{shown}");
    assert!(shown.contains("when the run ended at 50.0"), "{shown}");
    let output = net(&[&line[..], &["--json"]].concat());
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["end_us"].as_f64(), Some(50_000.0));
    assert!(json["iteration_ends_us"][0].is_null(), "{}", json["iteration_ends_us"]);
    for rank in json["ranks"].as_array().unwrap() {
        assert!(rank["end_us"].is_null(), "{rank}");
        let of = |name: &str| rank[name].as_f64().unwrap();
        assert!((of("compute_us") + of("exposed_us") - 50_000.0).abs() < 1e-6, "{rank}");
    }
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

#[test]
fn the_nodes_of_a_rank_are_told_when_they_began_and_were_done() {
    let job = "pipeline:stages=2,microbatches=1,forward=3us,backward=5us,activation=1KB";
    let output = net(&["train", job, "--topology", "star:2,10G,1us", "--rank", "1", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let nodes = json["nodes_of_rank"].as_array().unwrap();
    let of = |kind: &str| nodes.iter().find(|node| node["kind"] == kind).unwrap();
    // Two hops of 1,052 bytes at 10 Gb/s and 1 µs each, after 3 µs of the first stage.
    let (receive, compute) = (of("receive"), of("compute"));
    assert_eq!(receive["begin_us"].as_f64(), Some(0.0));
    let end = receive["end_us"].as_f64().unwrap();
    assert!((end - (3.0 + 2.0 + 2.0 * 0.8416)).abs() < 1e-6, "{receive}");
    assert_eq!(compute["begin_us"].as_f64(), Some(end));
    assert_eq!(compute["end_us"].as_f64(), Some(end + 3.0));
    let output = net(&["train", job, "--topology", "star:2,10G,1us", "--rank", "0"]);
    assert!(text(&output.stdout).contains("began at"), "{}", text(&output.stdout));
    let output = net(&["train", job, "--topology", "star:2,10G,1us", "--rank", "2"]);
    assert_eq!(output.status.code(), Some(2));
    let error = text(&output.stderr);
    assert!(error.contains("--rank: there is no rank 2 among 2: give 0 to 1"), "{error}");
}

#[test]
fn a_link_may_fail_under_a_job() {
    let job = "data:ranks=2,gradients=1MB,iterations=1";
    let end = |more: &[&str]| {
        let line = [&["train", job, "--topology", "star:2,10G,1us", "--json"][..], more].concat();
        let output = net(&line);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        json["end_us"].as_f64().unwrap()
    };
    let whole = end(&[]);
    let fails = format!("0@{:.0}us-{:.0}us", whole - 500.0, whole + 500.0);
    assert!(end(&["--fail", &fails]) > whole + 400.0);
    let output = net(&["train", job, "--topology", "star:2,10G,1us", "--fail", "9@1ms"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
}

#[test]
fn a_goal_schedule_is_refused_in_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("schedule");
    std::fs::write(&path, "num_ranks 2\nrank 0 {\n}\n").unwrap();
    for name in [path.to_str().unwrap(), "some.goal"] {
        let output = net(&["train", name, "--topology", "star:2,10G,1us"]);
        assert_eq!(output.status.code(), Some(2));
        let error = text(&output.stderr);
        assert!(error.contains("GOAL schedules are not read: give a generator"), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}
