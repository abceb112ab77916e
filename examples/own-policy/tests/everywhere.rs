//! What this crate defines, wherever Forebay's own is: in experiments, networks and replays, by the
//! command.

use std::path::{Path, PathBuf};
use std::process::Command;

const CAPTURE: &str = "../../experiments/themis/captures/mixed-programs.pcap";

/// A switch whose ports have the scheduler of this crate.
const TWO_CLASSES: [&str; 6] =
    ["--switch", "dt", "--set", "classes=2", "--set", "scheduler=smallest-head"];

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
        &["--switch", "size-split"],
        &["--switch", "wfq-lists"],
        &["--switch", "pifo", "--rank", "mice-first"],
        &["--control", "westwood", "--buffer", "60KB"],
        &["--switch", "themis", "--rank", "flow_size > 100_000 ? 1 : 0"],
        &[&TWO_CLASSES[..], &["--class", "src % 2"]].concat(),
    ] {
        let told = run(&[&net[..], own].concat());
        assert!(told.contains("8 hosts"), "{told}");
    }
}

#[test]
fn the_congestion_control_sends_where_packets_are_lost() {
    let flows = folder("incast").join("flows.txt");
    let flows = flows.to_str().expect("a path");
    let queries = ["--pattern", "incast", "--query", "1MB", "--degree", "7", "--per-second", "500"];
    let made = ["net", "flows", "--hosts", "8", "--span", "4ms", "--out", flows];
    run(&[&made[..], &queries].concat());
    let net = ["net", "run", "--topology", "star:8,10G,1us", "--flows", flows, "--buffer", "60KB"];
    let [own, usual] = ["westwood", "new-reno"].map(|control| {
        let told = run(&[&net[..], &["--control", control]].concat());
        assert!(told.contains(control), "{told}");
        told.lines().skip(1).take(6).map(str::to_owned).collect::<Vec<_>>()
    });
    assert_ne!(own, usual);
}

#[test]
fn a_tree_takes_the_discipline_and_the_rank_in_every_command() {
    let told = run(&["sched", "check", "turns.tree"]);
    assert!(told.contains("turns") && told.contains("mice-first"), "{told}");
    let flows = folder("tree").join("flows.txt");
    let flows = flows.to_str().expect("a path");
    run(&[
        "net",
        "flows",
        "--hosts",
        "8",
        "--pattern",
        "permutation",
        "--bytes",
        "200KB",
        "--out",
        flows,
    ]);
    let tree = ["--switch", "tree", "--tree", "turns.tree"];
    let net = ["net", "run", "--topology", "star:8,10G,1us", "--flows", flows];
    assert!(run(&[&net[..], &tree].concat()).contains("8 hosts"));
    let replay = ["replay", CAPTURE, "--ports", "2", "--rate", "300M", "--load", "1.1"];
    assert!(run(&[&replay[..], &tree].concat()).contains("tree"));
}

#[test]
fn the_hybrid_policy_runs_in_an_experiment_beside_others() {
    let csv = results("hybrid.toml");
    let of = |policy: &str| rows(&csv, &format!("{policy},")).len();
    assert!(of("size-split") > 0 && of("size-split") == of("greedy-hybrid"), "{csv}");
}

#[test]
fn the_port_scheduler_and_the_discipline_run_in_experiments() {
    let csv = results("ports.toml");
    assert!(!rows(&csv, "smallest-head").is_empty(), "{csv}");
    assert!(!rows(&results("link.toml"), "tree,").is_empty());
}

/// Rows of a result table that are of this policy, or have this word.
fn rows(csv: &str, word: &str) -> Vec<String> {
    csv.lines().filter(|line| line.contains(word)).map(str::to_owned).collect()
}

#[test]
fn the_congestion_control_sends_in_an_experiment() {
    let csv = results("network.toml");
    let [own, usual] = ["westwood", "new-reno"].map(|control| rows(&csv, control));
    assert!(!own.is_empty() && own.len() == usual.len(), "{csv}");
}

#[test]
fn the_cache_policy_evicts_in_the_command_and_in_an_experiment() {
    let trace =
        ["--objects", "100", "--set", "trace.kind=zipf-bursts", "--set", "trace.requests=5000"];
    let policies = ["cache", "simulate", "--policies", "lru,fifo-reinsertion"];
    let told = run(&[&policies[..], &trace].concat());
    assert!(told.contains("fifo-reinsertion"), "{told}");
    let by = |set: &[&str]| {
        let own = ["cache", "simulate", "--policies", "fifo-reinsertion"];
        run(&[&own[..], &trace, set].concat())
    };
    let never = by(&["--set", "policy.fifo_reinsertion_chances=0"]);
    assert_ne!(never, by(&[]), "what is never spared leaves first in, first out");
    let csv = results("cache.toml");
    let of = |policy: &str| rows(&csv, &format!("{policy},")).len();
    assert!(of("fifo-reinsertion") > 0 && of("fifo-reinsertion") == of("lru"), "{csv}");
}

#[test]
fn the_job_scheduler_is_attacked_in_the_command_and_in_an_experiment() {
    let short = ["--rates", "500", "--set", "run.warm_up=1ms", "--set", "run.span=2ms"];
    let df = ["surge", "df", "--policies", "least-attained,least-attained-tail,wsjf"];
    let told = run(&[&df[..], &short].concat());
    assert!(told.contains("least-attained-tail"), "{told}");
    let csv = results("surge.toml");
    let of = |policy: &str| rows(&csv, &format!("{policy},")).len();
    assert!(of("least-attained") > 0 && of("least-attained") == of("wsjf"), "{csv}");
}

#[test]
fn all_are_listed_and_shown() {
    let listed = run(&["list", "."]);
    for name in [
        "keep-room",
        "mice-first",
        "wfq-lists",
        "westwood",
        "fifo-reinsertion",
        "size-split",
        "smallest-head",
        "turns",
    ] {
        assert!(listed.contains(&format!("{name}: ")), "{name} of {listed}");
    }
    for (scenario, words) in [
        ("surge", &["least-attained:", "least_attained_remembered = 65536"][..]),
        ("delayed-hits", &["fifo-reinsertion:", "fifo_reinsertion_chances = 1"]),
        ("link", &["mice-first:", "mice_first_mouse = 100 KB"]),
    ] {
        let shown = run(&["show", scenario]);
        assert!(words.iter().all(|word| shown.contains(word)), "{shown}");
    }
}

#[test]
fn policy_and_rank_are_switches_of_a_replay() {
    let ports = ["--ports", "2", "--rate", "300M", "--load", "1.1", "--switch"];
    for own in [
        &["keep-room"][..],
        &["mice-first"],
        &["size-split"],
        &["wfq-lists"],
        &["pifo", "--rank", "mice-first"],
        &[&TWO_CLASSES[1..], &["--class", "hash % 2"]].concat(),
    ] {
        let told = run(&[&["replay", CAPTURE], &ports[..], own].concat());
        assert!(told.contains(own[0]), "{told}");
    }
}

#[test]
fn parameters_are_set_as_those_of_any_other() {
    use forebay::prelude::*;

    let policies = own_policy::policies().expect("names of its own");
    let catalogue = policies.switches;
    let mut policy = catalogue.on_chip().named("keep-room").expect("the policy").clone();
    set(&mut policy, &[("kept", "0.5")]).expect("a part");
    assert!(set(&mut policy, &[("kept", "2")]).is_err());
    let mut rank = catalogue.ranks().named("mice-first").expect("the rank").clone();
    set(&mut rank, &[("mouse", "10 KB")]).expect("a size");
    assert_eq!(format!("{rank:?}"), "mice-first(mouse = 10 KB)");
}
