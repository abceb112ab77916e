//! `-` is standard input wherever one file is read, and refused where a folder is needed.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// What a command says with this file as its standard input, and its exit code.
fn fed(folder: &Path, arguments: &[&str], input: &[u8]) -> (Option<i32>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_forebay"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that refuses its arguments reads nothing.
    let _ = child.stdin.take().unwrap().write_all(input);
    let done = child.wait_with_output().unwrap();
    let said = [done.stdout, done.stderr].concat();
    (done.status.code(), String::from_utf8_lossy(&said).into_owned())
}

fn file(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)).unwrap()
}

#[test]
fn every_command_that_reads_one_file_reads_standard_input() {
    let here = tempfile::tempdir().unwrap();
    let folder = here.path();
    fs::write(folder.join("flows.txt"), "0 1 5000 0\n").unwrap();
    let experiment = file("experiments/self-check/single-server.toml");
    let tree = file("experiments/trees/tenants.tree");
    let capture = file("experiments/themis/captures/mixed-programs.pcap");
    let web = file("crates/surge-processors/data/made-web.pcap");
    let star = ["net", "run", "--topology", "star:2,1G,1us"];
    let one = ["run", "-", "--set", "load=0.5", "--seed", "1", "--set", "jobs=1000"];
    for (arguments, input, words) in [
        (&one[..], &experiment[..], "results/standard-input"),
        (&["show", "-"], &experiment, "Self-check"),
        (&["sched", "check", "-"], &tree, "standard input: "),
        (&[&star[..], &["--flows", "-"]].concat(), b"0 1 5000 0\n", "1 flow"),
        (
            &["net", "run", "--topology", "-", "--flows", "flows.txt"],
            b"hosts 2\nswitches 1\nlink h0 s0 1G 1us\nlink h1 s0 1G 1us\n",
            "1 flow",
        ),
        (&["replay", "-", "--rate", "1G"], &capture, "packets"),
        (&["surge", "match", "-", "--span", "1 ms", "--policies", "fcfs"], &web, "fcfs"),
    ] {
        let (code, said) = fed(folder, arguments, input);
        assert_eq!(code, Some(0), "{arguments:?}: {said}");
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
    let report = folder.join("results/standard-input");
    assert!(fs::read_dir(report.with_file_name("")).unwrap().count() > 0);
}

#[test]
fn what_is_wrong_with_standard_input_names_it() {
    let here = tempfile::tempdir().unwrap();
    let star = ["net", "run", "--topology", "star:2,1G,1us"];
    for (arguments, input, words) in [
        (&["run", "-"][..], &b"title = 3"[..], "standard input"),
        (&["sched", "check", "-"], b"rate = 3", "standard input:1:8\n"),
        (&[&star[..], &["--flows", "-"]].concat(), b"0 1\n", "standard input: line 1: found 2"),
        (
            &["net", "run", "--topology", "-", "--flows", "-"],
            b"",
            "--flows: standard input is the topology, and can be read only once: give a file",
        ),
        (&["replay", "-", "--rate", "1G"], b"GIF89a", "error: standard input "),
        (&["replay", "-", "--rate", "1G", "--pcap", "x.pcap"], b"", "--pcap: what left is read"),
        #[cfg(feature = "proxy")]
        (&["proxy", "load", "-"], b"object\n1\n", "error: standard input: there is no column time"),
        (&["report", "-"], b"", "error: - is standard input, and here a folder is needed"),
        (&["reproduce", "-"], b"", "error: - is standard input, and here a folder is needed"),
        (&["man", "-"], b"", "error: - is standard input, and here a folder is needed"),
    ] {
        let (code, said) = fed(here.path(), arguments, input);
        assert_eq!(code, Some(2), "{arguments:?}: {said}");
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
}
