//! The `replay` command: its tables, its files, its errors. What is decided is tested in
//! `forebay-replay`.

#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn capture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../experiments/themis/captures/mixed-programs.pcap")
}

fn replay(file: &Path, options: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_forebay"));
    command.arg("replay").arg(file).args(options).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

const CONGESTED: [&str; 10] =
    ["--ports", "4", "--rate", "1G", "--load", "0.9", "--switch", "occamy", "--buffer", "100KB"];

#[test]
fn tables_and_json_say_the_same() {
    let tables = replay(&capture(), &CONGESTED);
    assert_eq!(tables.status.code(), Some(0), "{}", text(&tables.stderr));
    let json = replay(&capture(), &[&CONGESTED[..], &["--json"]].concat());
    let report: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let packets = |what: &str| report["report"][what]["packets"].as_u64().unwrap();
    assert_eq!(packets("sent") + packets("lost"), 5728);
    let says = text(&tables.stdout).replace(',', ""); // thousands stand apart
    assert!(says.contains(&format!("{} sent {} lost", packets("sent"), packets("lost"))), "{says}");
    for lost in report["report"]["causes"].as_array().unwrap() {
        assert!(says.contains(lost["cause"].as_str().unwrap()), "{says}");
    }
}

#[test]
fn files_are_written_and_repeat_byte_for_byte() {
    let folder = tempfile::tempdir().unwrap();
    let mut written = Vec::new();
    for run in 0..2 {
        let names =
            ["csv", "pcapng", "pftrace"].map(|end| folder.path().join(format!("{run}.{end}")));
        let [table, left, trace] = names.each_ref().map(|name| name.to_str().unwrap());
        let files = ["--out", table, "--pcap", left, "--trace", trace];
        let done = replay(&capture(), &[&CONGESTED[..], &files].concat());
        assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
        written.push(names.map(|name| std::fs::read(name).unwrap()));
    }
    assert_eq!(written[0], written[1]);
    assert_eq!(text(&written[0][0]).lines().count(), 5729);
}

#[test]
fn a_cut_capture_is_replayed_as_far_as_it_goes_and_says_where() {
    let folder = tempfile::tempdir().unwrap();
    let cut = folder.path().join("cut.pcap");
    std::fs::write(&cut, &std::fs::read(capture()).unwrap()[..200_000]).unwrap();
    let done = replay(&cut, &["--rate", "1G"]);
    assert_eq!(done.status.code(), Some(1));
    let says = text(&done.stderr);
    assert!(says.contains("is cut off inside packet 1,948, at byte"), "{says}");
    assert!(says.contains("the 1,947 before it were replayed"), "{says}");
    assert!(text(&done.stdout).contains("1,947 packets offered, 1,947 sent"));
}

#[test]
fn wrong_options_say_which_and_what_would_do() {
    let refused = |options: &[&str], says: &str| {
        let done = replay(&capture(), options);
        let error = text(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{error}");
        assert!(error.contains(says), "{error}");
    };
    refused(&["--rate", "1G", "--switch", "nope"], "there is no switch `nope`");
    refused(&["--rate", "1G,2G", "--ports", "3"], "2 rates for 3 ports");
    let ranked = |rank, says| refused(&["--rate", "1G", "--switch", "pifo", "--rank", rank], says);
    ranked("dcsp", "--rank: there is no rank function or field `dcsp`; did you mean `dscp`?");
    ranked("dcsp + 1", "--rank: column 1: there is no field `dcsp`; did you mean `dscp`?");
    ranked("length", "--rank: column 1: there is no field `length`; write `size`");
    refused(&["--rate", "1G", "--switch", "drr", "--rank", "dscp"], "drr does not take a rank");
    refused(&["--rate", "1G", "--trace-window", "1 ms..2 ms"], "--trace <FILE>");
    refused(&["--rate", "1G", "--route", "here=1"], "such as 10.1.0.0/16=3");
    refused(&["--rate", "1G", "--classes", "2"], "only on-chip buffers");
}

#[test]
fn several_queues_of_a_port_have_a_scheduler_of_ones_choice() {
    let report = |scheduler: &[&str]| {
        let load = ["--rate", "300M", "--load", "1.1", "--switch", "dt", "--json"];
        let classes = ["--classes", "2", "--class", "hash % 2"];
        let done = replay(&capture(), &[&load[..], &classes, scheduler].concat());
        assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
        let all: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
        all["report"].clone()
    };
    let usual = report(&["--set", "scheduler=drr"]);
    assert_eq!(usual, report(&[]));
    let favoured = report(&["--set", "scheduler=wrr", "--set", "weights=1:9"]);
    assert!(favoured != usual && favoured != report(&["--set", "scheduler=wrr"]));
}

/// A rank function by name orders as the rule that says the same.
#[test]
fn ranks_are_named_or_given_as_a_rule() {
    let report = |rank: &str| {
        let load =
            ["--rate", "300M", "--ports", "2", "--load", "1.1", "--buffer", "60KB", "--json"];
        let done = replay(&capture(), &[&load[..], &["--switch", "pifo", "--rank", rank]].concat());
        assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
        let all: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
        all["report"].clone()
    };
    assert_eq!(report("sff"), report("flow_size"));
    assert_eq!(report("fifo"), report("0"));
    assert_ne!(report("srpt"), report("sff"));
}

/// Never a parameter that follows from what was typed, such as the clock of a memory.
#[test]
fn a_switch_that_cannot_be_built_names_the_option_that_made_it_so() {
    for (options, says) in [
        (
            &["--rate", "1M", "--switch", "dt", "--buffer", "1500B"][..],
            "--rate: 1 Mb/s in all is too slow for a shared buffer: a cell of 200 B would take \
             longer than 1 ms; give at least 1.6 Mb/s",
        ),
        (
            &["--rate", "2M", "--switch", "dt", "--buffer", "1500B"],
            "--buffer: a buffer of 1.5 KB in cells of 200 B cannot hold a packet of 1.514 KB: give \
             it at least 1.6 KB",
        ),
        (
            &["--rate", "1G", "--switch", "occamy", "--buffer", "64GB"],
            "--buffer: 64 GB is more than 2^24 cells of 200 B; give at most 3.125 GiB",
        ),
        (
            &["--rate", "1G", "--switch", "themis", "--buffer", "1KB"],
            "--buffer: an SRAM of 1 KB beside a staging buffer of 64 KiB leaves no room for one \
             batch",
        ),
        (
            &["--rate", "1G", "--switch", "themis", "--buffer", "64GB"],
            "--buffer: 64 GB is more than 2^24 cells of 256 B; give at most 4 GiB",
        ),
        (
            &["--rate", "1G", "--switch", "dt", "--rank", "dscp"],
            "--rank: switch dt does not take a rank: use pifo,",
        ),
        (
            &["--rate", "1G", "--switch", "drop-tail", "--rank", "dscp"],
            "--rank: switch drop-tail does not take a rank: use pifo,",
        ),
        (
            &["--rate", "100M", "--switch", "themis", "--set", "hbm.t_ccd_l=1"],
            "--set hbm.t_ccd_l=1: it is 1; ",
        ),
        (&["--rate", "1G", "--switch", "themis", "--set", "t_rc=1"], "--set t_rc=1: it is 1; "),
        (
            &["--rate", "1G", "--switch", "themis", "--set", "sram=1KB"],
            "--set sram=1KB: an SRAM of 1 KB beside a staging buffer of 64 KiB leaves no room",
        ),
        (
            &["--rate", "2M", "--switch", "dt", "--set", "pool=1500B"],
            "--set pool=1500B: a buffer of 1.5 KB in cells of 200 B cannot hold a packet",
        ),
        (
            &["--rate", "1G", "--switch", "themis", "--buffer", "1KB", "--set", "t_rc=40"],
            "--buffer: an SRAM of 1 KB",
        ),
        (&["--rate", "0G"], "--rate: port 0 must have a rate above zero"),
        (&["--rate", "1G", "--route", "::/0=7"], "--route: a route leads to port 7, but the last"),
        (&["--rate", "1G", "--classes", "2"], "--classes: only on-chip buffers"),
        (
            &["--rate", "1G", "--switch", "dt", "--classes", "2"],
            "--classes: without a rule for classes every packet has class 0",
        ),
        (
            &["--rate", "1G", "--switch", "edf", "--class", "dscp"],
            "--class: nothing here reads the class of a packet",
        ),
        (
            &["--rate", "1G", "--switch", "dt", "--class", "dscp"],
            "--class: nothing here reads the class of a packet",
        ),
        (
            &["--rate", "1G", "--switch", "pifo", "--rank", "size", "--class", "dscp"],
            "--class: nothing here reads the class of a packet",
        ),
        (
            &["--rate", "1G,1G", "--route", "10.1.0.0/16=0", "--route", "10.1.3.0/16=1"],
            "--route: the prefix 10.1.3.0/16 has two routes: leave out one",
        ),
        (&["--rate", "1G", "--load", "0"], "--load: a load of 0 is no fraction"),
        (&["--rate", "1G", "--speed", "1e-12"], "--speed: the replay would last longer"),
        (&["--rate", "1G", "--load", "1e-12"], "106 days: give a load of at least 3.84e-9"),
    ] {
        let done = replay(&capture(), options);
        let error = text(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{options:?}: {error}");
        assert!(error.starts_with("error: --") && error.contains(says), "{options:?}: {error}");
    }
    let tree = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/trees/tenants.tree");
    let tree = ["--switch", "tree", "--tree", tree.to_str().unwrap()];
    let done = replay(&capture(), &[&["--rate", "1G"][..], &tree].concat());
    let error = text(&done.stderr);
    assert!(error.starts_with("error: --tree: node \"a-voice\": its shaper's 2 Gb/s"), "{error}");
}

#[test]
fn no_output_is_the_capture_or_another_output() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (file, hard, tree) = (at("a.pcap"), at("hard.pcap"), at("a.tree"));
    std::fs::copy(capture(), &file).unwrap();
    std::fs::hard_link(&file, &hard).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/trees/tenants.tree");
    std::fs::copy(root, &tree).unwrap();
    let before = std::fs::read(&file).unwrap();
    let says = |options: &[&str], words: &str| {
        let done = replay(Path::new(&file), &[&["--rate", "1G"][..], options].concat());
        let error = text(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{options:?}: {error}");
        assert!(error.contains(words), "{error}");
        assert!(std::fs::read(&file).unwrap() == before, "{options:?}");
    };
    for option in ["--out", "--pcap", "--trace"] {
        says(&[option, &file], &format!("{option}: {file} is the capture, which would be lost"));
        says(&[option, &hard], &format!("{option}: {hard} is the capture ({file})"));
        let words = format!("{option}: {tree} is the scheduling tree, which would be lost");
        says(&["--switch", "tree", "--tree", &tree, option, &tree], &words);
    }
    let new = at("new");
    says(
        &["--out", &new, "--trace", &new],
        "is the file of out, too: give each output its own file",
    );
    assert!(!Path::new(&new).exists());
    let done =
        replay(Path::new(&file), &["--rate", "1G", "--out", "/dev/null", "--pcap", "/dev/null"]);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_costs_the_file_and_not_the_report() {
    let whole = text(&replay(&capture(), &CONGESTED).stdout);
    for option in ["--out", "--pcap", "--trace"] {
        let done = replay(&capture(), &[&CONGESTED[..], &[option, "/dev/full"]].concat());
        assert_eq!(done.status.code(), Some(1));
        assert_eq!(text(&done.stdout), whole);
        let error = text(&done.stderr);
        assert!(error.contains("cannot write /dev/full: No space left"), "{error}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_folder_without_a_setup_is_told_to_lack_it() {
    let folder = tempfile::tempdir().unwrap();
    let replay = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_forebay"));
        let output = command.arg("replay").arg(folder.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let said = replay();
    assert!(said.contains("setup.json: there is none"), "{said}");
    let setup = folder.path().join("setup.json");
    std::os::unix::fs::symlink("/dev/zero", &setup).unwrap();
    let said = replay();
    assert!(said.contains("setup.json: it cannot be read: it is a folder, a pipe or"), "{said}");
    std::fs::remove_file(&setup).unwrap();
    std::fs::write(&setup, "nothing").unwrap();
    let said = replay();
    assert!(said.contains("setup.json: it is no JSON at line 1, column "), "{said}");
}

#[test]
fn the_hardware_is_found_or_it_is_said_how() {
    let folder = tempfile::tempdir().unwrap();
    let from = |folder: &Path, options: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_forebay"));
        let file = std::fs::canonicalize(capture()).unwrap();
        let hardware = ["--ports", "4", "--rate", "10G", "--rtl"];
        let command = command.arg("replay").arg(file).args(hardware).args(options);
        let done = command.current_dir(folder).output().unwrap();
        (done.status.code(), text(&done.stderr))
    };
    let (code, said) = from(folder.path(), &[]);
    assert_eq!(code, Some(2));
    assert!(said.contains("in a checkout of the repository"), "{said}");
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR"));
    let nowhere = folder.path().join("none").display().to_string();
    let (code, said) = from(checkout, &["--rtl-tools", &nowhere]);
    assert_eq!(code, Some(2));
    assert!(said.contains(&nowhere) && said.contains("--rtl-tools FOLDER"), "{said}");
}

#[test]
fn what_the_hardware_does_not_have_is_refused_by_name() {
    let refused = |options: &[&str], name: &str, problem: &str| {
        let hardware = ["--ports", "4", "--rate", "10G", "--rtl"];
        let done = replay(&capture(), &[&hardware[..], options].concat());
        let said = text(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{said}");
        assert!(said.contains(name) && said.contains(problem), "{said}");
    };
    refused(&["--switch", "drop-tail"], "--switch", "occamy, dt and themis");
    refused(&["--set", "scheduler=gearbox", "--set", "fraction=12"], "--set", "fraction");
    refused(&["--set", "cores=3"], "--set", "no parameter `cores`");
    refused(&["--set", "scheduler=fifo"], "--set", "clubheap");
    refused(&["--wave", "w.fst", "--wave-cycles", "9..5"], "--wave-cycles", "5000..9000");
    refused(&["--wave", "w", "--trace", "w"], "--trace", "its own file");
    refused(&["--buffer", "64KB", "--set", "cells=256"], "--buffer", "leave one of them out");
    refused(&["--out", "a.csv"], "--out", "cannot be used with");
    let hybrid = |options: &[&str], name: &str, problem: &str| {
        refused(&[&["--switch", "themis"], options].concat(), name, problem);
    };
    hybrid(&["--buffer", "64KB"], "--buffer", "--set near");
    hybrid(&["--trace", "t"], "--trace", "--wave");
    hybrid(&["--set", "near=4000"], "--set", "slot_bits");
    hybrid(&["--set", "cells=256"], "--set", "no parameter `cells`");
}
