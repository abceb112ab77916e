//! `forebay buffer` as its users meet it: what it prints, and how it refuses.
#![allow(clippy::unwrap_used)]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../sonic/tests/data");

fn buffer(arguments: &[&str], file: &str, more: &[&str]) -> Output {
    let file = Path::new(DATA).join(file);
    let mut command = Command::new(env!("CARGO_BIN_EXE_forebay"));
    // What a comparison leaves that is refused late is not left in the sources.
    command.current_dir(env!("CARGO_TARGET_TMPDIR"));
    command.arg("buffer").args(arguments).arg(file).args(more).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn an_explanation_fits_the_terminal_and_names_everything() {
    let output = buffer(&["explain"], "leaf.json", &[]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    for words in [
        "priority group 3-4 of Ethernet0 to Ethernet20 (6 ports)",
        "α · free, with α = 2^-2 = 0.25 (dynamic_th -2)",
        "2,742,000  2,056,500  1,371,000  685,500",
        "None of the classic mistakes found",
        "(there is no table TC_TO_QUEUE_MAP)",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    assert!(shown.lines().all(|line| line.chars().count() <= 110), "{shown}");
    let mistakes = text(&buffer(&["explain"], "mistakes.json", &[]).stdout);
    assert!(mistakes.contains("Warnings\n") && mistakes.contains("Notes\n"), "{mistakes}");
}

#[test]
fn warnings_are_a_failure_if_asked_for() {
    for (file, strict, code) in [
        ("mistakes.json", &[][..], 0),
        ("mistakes.json", &["--strict"], 1),
        ("mistakes.json", &["--strict", "--json"], 1),
        ("leaf.json", &["--strict"], 0),
        ("old-style.json", &["--strict"], 0), // a note
    ] {
        let output = buffer(&["explain"], file, strict);
        assert_eq!(output.status.code(), Some(code), "{file} {strict:?}");
        assert!(!output.stdout.is_empty());
        let said = text(&output.stderr);
        assert!(
            (code == 0) == said.is_empty() && (code == 0 || said.contains("(--strict)")),
            "{said}"
        );
    }
}

#[test]
fn a_configuration_comes_through_a_pipe() {
    let whole = text(&buffer(&["explain"], "chassis.json", &[]).stdout);
    assert!(whole.contains("Early marking and dropping: ecn\n"), "{whole}");
    assert!(whole.contains("from 300,000 B in the") && whole.contains(", WRED ecn\n"), "{whole}");
    for file in ["-", "/dev/stdin"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_forebay"));
        command.args(["buffer", "explain", file]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let config = std::fs::read(Path::new(DATA).join("chassis.json")).unwrap();
        child.stdin.take().unwrap().write_all(&config).unwrap();
        assert_eq!(text(&child.wait_with_output().unwrap().stdout), whole, "{file}");
    }
}

#[test]
fn long_lists_are_folded() {
    let leaf = std::fs::read_to_string(Path::new(DATA).join("leaf.json")).unwrap();
    let others: String = (0..90).map(|n| format!("\"TABLE_{n}\": {{}},")).collect();
    let profiles: String = (0..30)
        .map(|n| {
            format!(
                "\"spare_{n}\": {{\"pool\": \"ingress_pool\", \"size\": \"0\", \
                          \"dynamic_th\": \"0\"}},"
            )
        })
        .collect();
    let many = leaf.replacen('{', &format!("{{{others}"), 1);
    let many =
        many.replacen("\"BUFFER_PROFILE\": {", &format!("\"BUFFER_PROFILE\": {{{profiles}"), 1);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("many.json");
    std::fs::write(&file, many).unwrap();
    let shown = text(&buffer(&["explain"], file.to_str().unwrap(), &[]).stdout);
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("22 more (unused-profile); --json has them all"), "{shown}");
    assert!(words.ends_with("more; --json has them all"), "{shown}");
    assert!(words.matches("TABLE_").count() < 25, "{shown}");
}

#[test]
fn json_is_json() {
    let output = buffer(&["explain", "--json"], "shared-headroom.json", &[]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["pools"][0]["shared_headroom_bytes"], 1_500_000);
    assert_eq!(json["profiles"][0]["threshold_bytes"].as_array().unwrap().len(), 5);
}

#[test]
fn a_comparison_writes_a_report_and_its_experiment() {
    let out = tempfile::tempdir().unwrap();
    let folder = out.path().to_str().unwrap();
    let more = ["--incast", "4", "--bytes", "2 MB", "--busy", "2", "--out", folder];
    let output = buffer(&["compare"], "leaf.json", &more);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    for words in
        ["4 senders begin at once, each at 75 Gb/s", "3.00 times", "DT", "ABM", "Occamy", "Pushout"]
    {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    for name in ["report.html", "results.csv", "experiment.toml"] {
        assert!(out.path().join(name).is_file(), "{name}");
    }
    let experiment = std::fs::read_to_string(out.path().join("experiment.toml")).unwrap();
    assert!(experiment.contains("BUFFER_PROFILE|q_lossy.dynamic_th"), "{experiment}");
    let report = std::fs::read_to_string(out.path().join("report.html")).unwrap();
    assert!(report.contains("<a href=\"experiment.toml\">"), "{report}");
}

#[test]
fn a_comparison_writes_through_no_link() {
    let (out, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let precious = elsewhere.path().join("experiment.toml");
    std::fs::write(&precious, "mine").unwrap();
    let link = out.path().join("experiment.toml");
    std::os::unix::fs::symlink(&precious, &link).unwrap();
    let folder = out.path().to_str().unwrap();
    let output = buffer(&["compare"], "leaf.json", &["--incast", "4", "--out", folder]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(std::fs::read_to_string(&precious).unwrap(), "mine");
    assert!(link.symlink_metadata().unwrap().is_file());
}

#[test]
fn any_policy_on_chip_is_compared_with_its_parameters() {
    let out = tempfile::tempdir().unwrap();
    let folder = out.path().to_str().unwrap();
    let policies = ["--policies", "pot,harmonic", "--set", "policy.pot_threshold=100 KB"];
    let more = [&["--incast", "4", "--bytes", "1 MB", "--out", folder], &policies[..]].concat();
    let output = buffer(&["compare"], "leaf.json", &more);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    assert!(!shown.contains("alpha") && !shown.contains("head drops"), "nothing reads it: {shown}");
    assert!(shown.contains("policy.pot_threshold is 100 KB (--set)"), "{shown}");
    let csv = std::fs::read_to_string(out.path().join("results.csv")).unwrap();
    assert!(csv.contains("pot,") && csv.contains("harmonic,") && !csv.contains("occamy,"), "{csv}");
}

/// The chassis with an egress pool of another size.
fn chassis_of(folder: &Path, bytes: &str) -> String {
    let chassis = std::fs::read_to_string(Path::new(DATA).join("chassis.json")).unwrap();
    let file = folder.join("chassis.json");
    std::fs::write(&file, chassis.replace("\"80000000\"", &format!("\"{bytes}\""))).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn a_pool_of_gigabytes_asks_for_larger_cells() {
    let folder = tempfile::tempdir().unwrap();
    let file = chassis_of(folder.path(), "6441610000");
    let out = folder.path().join("out");
    let more = ["--incast", "1", "--out", out.to_str().unwrap()];
    let refused = buffer(&["compare"], &file, &more);
    let said = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    let expected = "error: --cell: BUFFER_POOL|egress_pool shares 6,441,604,000 B, more than \
                    16,777,216 cells of 200 B; give a cell of at least 384 B\n";
    assert_eq!(said, expected);
}

#[test]
fn sizes_of_bursts_are_in_one_kind_of_unit() {
    let folder = tempfile::tempdir().unwrap();
    let file = chassis_of(folder.path(), "1200000");
    let out = folder.path().join("out");
    let more = ["--incast", "1", "--busy", "0", "--out", out.to_str().unwrap()];
    let done = buffer(&["compare"], &file, &more);
    let (shown, warned) = (text(&done.stdout), text(&done.stderr));
    let told = "utilization_on_burst_loss (figure utilization): nothing of a burst was lost; set \
                --bytes";
    assert!(warned.contains(told), "{warned}");
    assert!(warned.contains("no queue is congested; set --busy"), "{warned}");
    assert!(shown.contains("  400 KB ") && !shown.contains("KiB"), "{shown}");
    assert!(shown.contains("1 sender begins at once, at 100 Gb/s, and reacts to no"), "{shown}");
}

#[test]
fn a_lossless_burst_is_paused_and_its_headroom_weighed() {
    let out = tempfile::tempdir().unwrap();
    let folder = out.path().to_str().unwrap();
    let more = ["--incast", "16", "--bytes", "8 MB", "--queue", "3", "--out", folder];
    let output = buffer(&["compare"], "lossless.json", &more);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    for words in [
        "queue 3 of Ethernet0 is lossless: traffic class 3, DSCP 24 26, priority group 3",
        "(SAI leaves that open)",
        "but obey pauses:",
        "At a burst of 8 MB, seed 1\n  DT\n    paused first: priority 3 at Ethernet4, with 3 senders,",
        "headroom: at most ",
        "nothing of the burst was lost",
        "BUFFER_PROFILE|pg_lossless_40m.xoff is 80,000 B.",
        "need 36,800 B: too much by 43,200 B.",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    assert!(shown.lines().all(|line| line.chars().count() <= 110), "{shown}");
    let csv = std::fs::read_to_string(out.path().join("results.csv")).unwrap();
    assert!(csv.contains("lossless_loss_fraction") && csv.contains("occamy,"), "{csv}");
    // The experiment runs again from its folder, wherever that is.
    let elsewhere = out.path().join("again");
    let mut again = Command::new(env!("CARGO_BIN_EXE_forebay"));
    let file = out.path().join("experiment.toml");
    let again = again.arg("run").arg(&file).arg("--out").arg(&elsewhere).output().unwrap();
    assert!(again.status.success(), "{}", text(&again.stderr));
    let results = elsewhere.join("results.csv");
    let same = std::fs::read_to_string(&results).unwrap_or_default();
    assert_eq!(same, csv);
}

#[test]
fn a_burst_that_does_not_fill_its_port_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let even = std::fs::read_to_string(Path::new(DATA).join("lossless.json")).unwrap();
    let file = folder.path().join("fast.json");
    for (speed, more, words) in [
        ("600000", ["--incast", "14", "--busy", "1"], "--busy: at "),
        ("600000", ["--incast", "1", "--busy", "0"], "--incast: at 100 Gb/s each"),
        ("800000", ["--incast", "16", "--busy", "0"], "--port: at 33.333 Gb/s each"),
    ] {
        let speed = format!("\"speed\": \"{speed}\"");
        std::fs::write(&file, even.replacen("\"speed\": \"100000\"", &speed, 1)).unwrap();
        let more = [&more[..], &["--burst", "lossless"]].concat();
        let output = buffer(&["compare"], file.to_str().unwrap(), &more);
        assert_eq!(output.status.code(), Some(2), "{more:?}");
        assert!(text(&output.stderr).contains(words), "{more:?}: {}", text(&output.stderr));
    }
}

/// The congested queues and the burst arrive later by the cable, and the run ends later.
#[test]
fn a_burst_over_long_cables_arrives_before_the_run_ends() {
    let folder = tempfile::tempdir().unwrap();
    let near = std::fs::read_to_string(Path::new(DATA).join("lossless.json")).unwrap();
    let far = near.replace("\"40m\"", "\"120000m\"").replace("\"5m\"", "\"120000m\"");
    let file = folder.path().join("far.json");
    std::fs::write(&file, far).unwrap();
    let out = folder.path().join("out");
    let more = ["--incast", "4", "--burst", "lossy", "--ingress", "--bytes", "1 MB", "--policies"];
    let more = [&more[..], &["dt", "--busy", "0", "--out", out.to_str().unwrap()]].concat();
    let output = buffer(&["compare"], file.to_str().unwrap(), &more);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    assert!(shown.contains("the burst was complete after"), "{shown}");
}

#[test]
fn a_queue_with_a_static_threshold_is_played() {
    let folder = tempfile::tempdir().unwrap();
    let leaf = std::fs::read_to_string(Path::new(DATA).join("leaf.json")).unwrap();
    let (before, queue) = leaf.split_once("\"q_lossy\": {").unwrap();
    let queue = queue.replacen("\"dynamic_th\": \"0\"", "\"static_th\": \"300000\"", 1);
    let file = folder.path().join("static.json");
    std::fs::write(&file, format!("{before}\"q_lossy\": {{{queue}")).unwrap();
    let out = folder.path().join("out");
    let more = ["--incast", "8", "--queue", "0", "--bytes", "2 MB", "--out", out.to_str().unwrap()];
    let output = buffer(&["compare"], file.to_str().unwrap(), &more);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    let said =
        "BUFFER_PROFILE|q_lossy.static_th: under DT the lossy queue has 300,000 B of its pool";
    assert!(shown.replace("\n  ", " ").contains(said), "{shown}");
    assert!(shown.contains("lost first: a lossy packet of sender"), "{shown}");
}

#[test]
fn what_cannot_be_compared_is_refused_with_its_place() {
    for (file, more, words) in [
        (
            "leaf.json",
            &["--burst", "lossless", "--queue", "0"][..],
            "BUFFER_QUEUE|Ethernet0|0: queue 0 may lose packets: pfc_enable leaves its priority out; \
             add the priority",
        ),
        ("leaf.json", &["--burst", "both", "--queue", "3"], "BUFFER_QUEUE|Ethernet0|3: queue 3 is"),
        ("leaf.json", &["--burst", "lossless", "--busy", "4"], "--busy: the other ports bring 700"),
        (
            "leaf.json",
            &["--burst", "both", "--sender-rate", "101 Gb/s"],
            "--sender-rate: 2 senders at 101 Gb/s are more than their ports bring",
        ),
        (
            "leaf.json",
            &["--burst", "lossless", "--bytes", "9 GB", "--sender-rate", "1 Mb/s"],
            "--bytes, --sender-rate:",
        ),
        (
            "shared-headroom.json",
            &["--ingress", "--cell", "1 B"],
            "--cell: the configuration's pools have more",
        ),
        ("old-style.json", &["--burst", "both"], "PORT_QOS_MAP: no queue of any port has"),
        (
            "dynamic-model.json",
            &["--burst", "lossless"],
            "BUFFER_POOL|ingress_lossless_pool.size: the pool's size is not in the file",
        ),
        (
            "lossless.json",
            &["--queue", "0", "--response", "5 us"],
            "--response: a lossy burst is not paused",
        ),
        ("lossless.json", &["--cable", "5"], "--cable: an egress pool alone has no cables"),
        (
            "lossless.json",
            &["--queue", "0", "--lossless-queue", "4"],
            "--lossless-queue: the burst is lossy",
        ),
        (
            "lossless.json",
            &["--queue", "3", "--lossless-queue", "4"],
            "--queue, --lossless-queue: a lossless burst has one queue",
        ),
        ("lossless.json", &["--lossless-queue", "0"], "queue 0 may lose packets"),
        ("leaf.json", &["--port", "Ethernet1"], "--port: there is no port `Ethernet1`"),
        ("leaf.json", &["--bytes", "2"], "--bytes:"),
        ("leaf.json", &["--bytes", "11999 B"], "--bytes: 11999 B is out of range"),
        ("leaf.json", &["--bytes", "1000 GB"], "--bytes: 1000 GB is out of range"),
        ("leaf.json", &["--sender-rate", "0 b/s"], "--sender-rate: 0 b/s is too slow"),
        (
            "leaf.json",
            &["--sender-rate", "300 Gb/s"],
            "--sender-rate: 2 senders at 300 Gb/s are more",
        ),
        ("leaf.json", &["--bytes", "9 GB", "--sender-rate", "1 Mb/s"], "--bytes, --sender-rate:"),
        ("leaf.json", &["--busy", "8"], "--busy: 8 is more than the 7 other ports"),
        ("leaf.json", &["--busy", "3"], "--busy: the other ports bring 700 Gb/s"),
        ("leaf.json", &["--occamy-alpha", "NaN"], "--occamy-alpha"),
        ("leaf.json", &["--policies", "dt,ocamy"], "--policies: there is no buffer policy `ocamy`"),
        ("leaf.json", &["--policies", "dt", "--occamy-alpha", "4"], "is an Occamy; name one"),
        ("leaf.json", &["--set", "policy.kept=1"], "--set policy.kept=1: there is no parameter"),
        ("leaf.json", &["--set", "alpha=1"], "the configuration or another option says it"),
        (
            "leaf.json",
            &["--burst", "both", "--policies", "dt", "--set", "policy.alpha=3"],
            "--set policy.alpha=3: policy.alpha: the configuration or another option says it",
        ),
        ("leaf.json", &["--occamy-alpha", "2000"], "--occamy-alpha"),
        ("leaf.json", &["--occamy-alpha", "1e-9"], "give an alpha from 0.001 to 1024"),
        (".", &[], "cannot read"),
        ("/dev/zero", &[], "the file has more than 8 MiB"),
        ("leaf.json", &["--cell", "0 B"], "is not a size from 1 B"),
        ("leaf.json", &["--cell", "1MB"], "error: --cell: a cell must hold 1 B to 64 KiB\n"),
        ("mistakes.json", &["--port", "Ethernet0", "--queue", "0"], "is an ingress pool"),
        ("no-such-file.json", &[], "cannot read"),
    ] {
        let output = buffer(&["compare", "--incast", "2"], file, more);
        assert_eq!(output.status.code(), Some(2), "{more:?}");
        assert!(text(&output.stderr).contains(words), "{more:?}: {}", text(&output.stderr));
    }
}
