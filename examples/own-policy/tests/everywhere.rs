//! What this crate defines, wherever Forebay's own is: in experiments, networks and replays, by the command.

use std::path::{Path, PathBuf};
use std::process::Command;

const CAPTURE: &str = "../../experiments/themis/captures/mixed-programs.pcap";

/// What the command prints.
fn run(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_own-policy"));
    let output = command.args(arguments).output().expect("the command starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// A folder of this test's own, empty.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

/// The result tables of an experiment file of this crate: `results.csv`.
fn results(file: &str) -> String {
    let out = folder(file);
    run(&["run", file, "--out", out.to_str().expect("a path")]);
    std::fs::read_to_string(out.join("results.csv")).expect("results")
}

#[test]
fn the_policy_runs_in_an_experiment_beside_others() {
    let csv = results("compare.toml");
    let loss = |line: &&str| line.contains(",burst_loss_fraction,");
    let of = |policy| csv.lines().filter(loss).filter(move |line| line.starts_with(policy)).count();
    assert_eq!((of("keep-room,"), of("dt,")), (2, 2), "{csv}");
}

#[test]
fn the_scenario_runs() {
    let csv = results("formula.toml");
    assert!(csv.contains("0.25") && csv.contains("0.5"), "{csv}");
    assert!(run(&["list", "."]).contains("burst-room"));
}

#[test]
fn policy_and_rank_are_switches_of_a_network() {
    let flows = folder("net").join("flows.txt");
    let flows = flows.to_str().expect("a path");
    let hosts = ["--hosts", "8", "--pattern", "permutation", "--bytes", "200KB"];
    run(&[&["net", "flows"], &hosts[..], &["--out", flows]].concat());
    let net = ["net", "run", "--topology", "star:8,10G,1us", "--flows", flows];
    for own in [
        &["--switch", "keep-room", "--buffer", "60KB"][..],
        &["--switch", "mice-first"],
        &["--switch", "wfq-lists"],
        &["--switch", "pifo", "--rank", "mice-first"],
        &["--switch", "themis", "--rank", "flow_size > 100_000 ? 1 : 0"],
    ] {
        let told = run(&[&net[..], own].concat());
        assert!(told.contains("8 hosts"), "{told}");
    }
}

#[test]
fn policy_and_rank_are_switches_of_a_replay() {
    let ports = ["--ports", "2", "--rate", "300M", "--load", "1.1", "--switch"];
    for own in
        [&["keep-room"][..], &["mice-first"], &["wfq-lists"], &["pifo", "--rank", "mice-first"]]
    {
        let told = run(&[&["replay", CAPTURE], &ports[..], own].concat());
        assert!(told.contains(own[0]), "{told}");
    }
}

#[test]
fn parameters_are_set_as_those_of_any_other() {
    use forebay::prelude::*;

    let catalogue = own_policy::catalogue().expect("names of its own");
    let mut policy = catalogue.on_chip().named("keep-room").expect("the policy").clone();
    set(&mut policy, &[("kept", "0.5")]).expect("a part");
    assert!(set(&mut policy, &[("kept", "2")]).is_err());
    let mut rank = catalogue.ranks().named("mice-first").expect("the rank").clone();
    set(&mut rank, &[("mouse", "10 KB")]).expect("a size");
    assert_eq!(format!("{rank:?}"), "mice-first(mouse = 10 KB)");
}
