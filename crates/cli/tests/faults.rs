//! Bad input and faults of the system, for every command: an error with its exit code, and nothing
//! is lost in silence.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The command in the project's folder, with these arguments.
fn forebay(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_forebay"));
    command.current_dir(root()).args(arguments);
    command
}

/// Its exit code, and what it says on standard error.
fn said(output: Output) -> (Option<i32>, String) {
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

const WEB: &str = "crates/surge-processors/data/made-web.pcap";
const LEAF: &str = "crates/sonic/tests/data/leaf.json";
const TRACE: &str = "fuzz/seeds/cache_csv/named.csv";
const CAPTURE: &str = "experiments/themis/captures/mixed-programs.pcap";

#[test]
fn output_that_cannot_be_written_is_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let compared = folder.path().join("compared");
    let compared = compared.to_str().unwrap();
    let flows = folder.path().join("flows.txt");
    fs::write(&flows, "0 1 5000 0\n").unwrap();
    let flows = flows.to_str().unwrap();
    for arguments in [
        &["--help"][..],
        &["--version"],
        &["list"],
        &["show", "single-server"],
        &[
            "run",
            "experiments/self-check/single-server.toml",
            "--set",
            "jobs=1000",
            "--seed",
            "1",
            "--out",
            out,
        ],
        &["report", out],
        &["queues"],
        &["queues", "table1"],
        &["queues", "fig3"],
        &["queues", "fragmentation"],
        &["queues", "mesh"],
        &["buffer", "explain", LEAF],
        &["buffer", "explain", LEAF, "--json"],
        &["buffer", "compare", LEAF, "--incast", "4", "--out", compared],
        &["cache", "simulate", TRACE, "--objects", "2", "--z", "5"],
        &["cache", "compare", TRACE, "--objects", "2", "--z", "5"],
        &["cache", "bound", TRACE, "--objects", "2", "--z", "5"],
        &["surge", "live", WEB, "--every", "0"],
        &["sched", "check", "experiments/trees/tenants.tree"],
        &["net", "flows", "--hosts", "4", "--pattern", "permutation", "--bytes", "1KB"],
        &["net", "run", "--topology", "star:2,1G,1us", "--flows", flows],
        &["replay", CAPTURE, "--rate", "1G"],
        &["surge", "measure", "reassemble", WEB, "--window", "400"],
    ] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let (code, said) = said(forebay(arguments).stdout(full).output().unwrap());
        assert_eq!(code, Some(1), "{arguments:?}: {said}");
        assert!(
            said.contains("cannot write to standard output: No space left"),
            "{arguments:?}: {said}"
        );
    }
}

#[test]
fn a_file_that_cannot_be_written_is_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    let flows = folder.path().join("flows.txt");
    fs::write(&flows, "0 1 5000 0\n").unwrap();
    let flows = flows.to_str().unwrap();
    let star = ["net", "run", "--topology", "star:2,1G,1us", "--flows", flows];
    for arguments in [
        &["queues", "fig3", "--svg", "/dev/full"][..],
        &[&star[..], &["--out", "/dev/full"]].concat(),
        &[&star[..], &["--trace", "/dev/full"]].concat(),
        &[
            "net",
            "flows",
            "--hosts",
            "4",
            "--pattern",
            "permutation",
            "--bytes",
            "1KB",
            "--out",
            "/dev/full",
        ],
        &["replay", CAPTURE, "--rate", "1G", "--trace", "/dev/full"],
        &["replay", CAPTURE, "--rate", "1G", "--out", "/dev/full"],
        &["replay", CAPTURE, "--rate", "1G", "--pcap", "/dev/full"],
        &["surge", "measure", "reassemble", WEB, "--window", "400", "--out", "/dev/full"],
    ] {
        let (code, said) = said(forebay(arguments).output().unwrap());
        assert_eq!(code, Some(1), "{arguments:?}: {said}");
        assert!(said.contains("cannot write /dev/full"), "{arguments:?}: {said}");
    }
}

#[test]
fn inputs_without_an_end_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let flows = folder.path().join("flows.txt");
    fs::write(&flows, "0 1 5000 0\n").unwrap();
    let flows = flows.to_str().unwrap();
    for (arguments, words) in [
        (&["run", "/dev/zero"][..], "cannot read /dev/zero: it has more than 1 MB, the most"),
        (&["show", "/dev/zero"], "cannot read /dev/zero: it has more than 1 MB, the most"),
        (&["sched", "check", "/dev/zero"], "cannot read /dev/zero: it has more than"),
        (
            &["net", "run", "--topology", "/dev/zero", "--flows", flows],
            "--topology: cannot read /dev/zero: it has more",
        ),
        (
            &["net", "run", "--topology", "star:2,1G,1us", "--flows", "/dev/zero"],
            "/dev/zero: line 1: the line has more than 64 KiB",
        ),
        (
            &["surge", "match", WEB, "--rules", "/dev/zero"],
            "cannot read /dev/zero: it has more than",
        ),
        (
            &["surge", "df", "--set", "traffic.model=recorded", "--set", "traffic.file=/dev/zero"],
            "line 1: it has 1024 bytes or more; give a recording",
        ),
        (&["replay", "/dev/zero", "--rate", "1G"], "/dev/zero is not a capture"),
        (&["surge", "live", "/dev/zero"], "/dev/zero is not a capture"),
        (&["buffer", "explain", "/dev/zero"], "/dev/zero: the file has more than 8 MiB"),
        (
            &["cache", "simulate", "/dev/zero", "--objects", "3", "--z", "4"],
            "/dev/zero, byte 0: it is none of the formats of a trace",
        ),
        (
            &[
                "net",
                "flows",
                "--hosts",
                "4",
                "--load",
                "0.5",
                "--rate",
                "10G",
                "--span",
                "1ms",
                "--sizes",
                "/dev/zero",
            ],
            "--sizes: /dev/zero is longer than 4 MiB",
        ),
        (&["report", "/dev/zero"], "/dev/zero holds no finished results"),
    ] {
        let (code, said) = said(forebay(arguments).output().unwrap());
        assert_eq!(code, Some(2), "{arguments:?}: {said}");
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
}

#[test]
fn mistakes_are_blamed_on_what_was_given() {
    let experiment = "experiments/self-check/single-server.toml";
    for (arguments, words) in [
        (
            &["replay", ".", "--rate", "1G"][..],
            ". cannot be opened: it is a folder; give a pcap or pcapng file",
        ),
        (&["surge", "live", "."], ". cannot be opened: it is a folder"),
        (&["surge", "match", "."], ". cannot be opened: it is a folder"),
        (
            &["list", experiment],
            "is a file; `forebay show experiments/self-check/single-server.toml` shows",
        ),
        (
            &["replay", CAPTURE, "--rate", "1G", "--speed", "inf"],
            "--speed: \"inf\" is not a number such as 0.9",
        ),
        (
            &["replay", CAPTURE, "--rate", "1G", "--buffer", "20B"],
            "--buffer: no packet of the capture fits, since the smallest has",
        ),
        (
            &["replay", CAPTURE, "--rate", "1G", "--switch", "DT"],
            "there is no switch `DT`; did you mean `dt`?",
        ),
        (
            &["replay", CAPTURE, "--rate", "1G", "--switch", "pifo", "--rank", "SRPT"],
            "there is no rank function or field `SRPT`; did you mean `srpt`?",
        ),
        (
            &["net", "flows", "--hosts", "4", "--pattern", "permutation", "--bytes", "0B"],
            "--bytes: bytes is 0: give 1 to",
        ),
        (
            &["net", "flows", "--hosts", "1", "--pattern", "permutation", "--bytes", "1KB"],
            "--hosts: 1 hosts are too few",
        ),
    ] {
        let (code, said) = said(forebay(arguments).output().unwrap());
        assert_eq!(code, Some(2), "{arguments:?}: {said}");
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
    let blanks =
        forebay(&["replay", CAPTURE, "--rate", "1G", "--switch", "pifo", "--rank", " srpt "]);
    assert_eq!(said({ blanks }.output().unwrap()).0, Some(0));
}

#[test]
fn a_run_that_gives_up_is_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    let flows = folder.path().join("flows.txt");
    fs::write(&flows, "0 1 5000000 0\n1 0 1 0\n").unwrap();
    let flows = flows.to_str().unwrap();
    let run = ["net", "run", "--topology", "star:2,1G,1us", "--flows", flows, "--give-up", "1ms"];
    let (code, said) = said(forebay(&run).output().unwrap());
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("1 flow had not finished after 1 ms: give a longer --give-up"), "{said}");
    // It gives up when it was told to, though nothing has happened by then.
    fs::write(flows, "0 1 5000000 1000\n").unwrap();
    let run = ["net", "run", "--topology", "star:2,1G,1us", "--flows", flows, "--give-up", "1ns"];
    let output = forebay(&run).output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(shown.contains("after 1.000 ns of simulated time"), "{shown}");
    assert!(shown.contains("No link was used.") && !shown.contains("busiest links"), "{shown}");
}

#[test]
fn more_threads_than_cores_are_said_to_be_more() {
    let folder = tempfile::tempdir().unwrap();
    let flows = folder.path().join("flows.txt");
    fs::write(&flows, "0 1 5000 0\n").unwrap();
    let flows = flows.to_str().unwrap();
    let cores = std::thread::available_parallelism().unwrap().get();
    for (topology, words, is_so) in [
        ("leaf-spine:64x1x1,1G,1G,1us", "note: 64 threads share", cores < 64),
        ("star:2,1G,1us", "note: 1 thread runs, and not 64", true),
        ("leaf-spine:2x1x1,1G,1G,1us", "note: 2 threads run, and not 64", true),
    ] {
        let run = ["net", "run", "--topology", topology, "--flows", flows, "--threads", "64"];
        let (code, said) = said(forebay(&run).output().unwrap());
        assert_eq!(code, Some(0), "{said}");
        assert_eq!(said.contains(words), is_so, "{said}");
    }
}

#[test]
fn more_ports_than_memory_say_what_they_need() {
    let ports = ["replay", CAPTURE, "--ports", "65535", "--rate", "10G", "--switch"];
    for (switch, words) in [
        ("dt", "--ports: a switch of 65,535 ports needs about 2.76 GB of memory"),
        ("afq", "--ports: there is memory for about"),
        ("pifo", ""),
        ("themis", "--ports: a switch of 65,535 ports needs about"),
    ] {
        let limit = if switch == "themis" { 150_000 } else { 1_000_000 };
        let limited = format!("ulimit -v {limit}; exec \"$0\" {} {switch}", ports.join(" "));
        let mut shell = Command::new("sh");
        shell.current_dir(root()).args(["-c", &limited, env!("CARGO_BIN_EXE_forebay")]);
        let (code, said) = said(shell.output().unwrap());
        assert_eq!(code, Some(if words.is_empty() { 0 } else { 2 }), "{switch}: {said}");
        assert!(said.contains(words), "{switch}: {said}");
    }
}

#[test]
fn networks_larger_than_memory_say_what_they_need() {
    let folder = tempfile::tempdir().unwrap();
    let flows = folder.path().join("flows.txt");
    fs::write(&flows, "0 1 1000 0\n").unwrap();
    for (topology, switch, words) in [
        ("fat-tree:k=128,10G,1us", "drop-tail", "links need about 1."),
        ("fat-tree:k=64,10G,1us", "drop-tail", ""),
        ("fat-tree:k=64,10G,1us", "occamy", "of the 5,120 switches"),
        ("fat-tree:k=16,10G,1us", "themis", "--topology: "),
        ("leaf-spine:1000000x1x1,10G,10G,1us", "dt", "--topology: "),
    ] {
        let limited = format!(
            "ulimit -v 600000; exec \"$0\" net run --topology {topology} --switch {switch} --flows {}",
            flows.display()
        );
        let mut shell = Command::new("sh");
        let (code, said) =
            said(shell.args(["-c", &limited, env!("CARGO_BIN_EXE_forebay")]).output().unwrap());
        assert_eq!(code, Some(if words.is_empty() { 0 } else { 2 }), "{topology} {switch}: {said}");
        assert!(said.contains(words), "{topology} {switch}: {said}");
    }
}

/// What the command says under a limit of so many KiB of addresses, and its exit code.
fn limited_to(kib: u32, arguments: &str) -> (Option<i32>, String) {
    let limited = format!("ulimit -v {kib}; exec \"$0\" {arguments}");
    let mut shell = Command::new("sh");
    said(shell.args(["-c", &limited, env!("CARGO_BIN_EXE_forebay")]).output().unwrap())
}

#[test]
fn more_flows_than_memory_say_what_they_need() {
    let many = "net flows --hosts 100000 --rate 50G --load 0.5 --out /dev/null";
    for (more, words) in [
        ("--span 40ms", "--span: about 7,3"),
        ("--span 4ms", ""),
        ("--span 4ms --pattern incast --query 1MiB", "--span: about 19,073,486 flows need about"),
    ] {
        let (code, said) = limited_to(300_000, &format!("{many} {more}"));
        assert_eq!(code, Some(if words.is_empty() { 0 } else { 2 }), "{more}: {said}");
        assert!(said.contains(words), "{more}: {said}");
    }
}

#[test]
fn caches_larger_than_memory_say_what_they_need() {
    let made = "--set trace.kind=zipf-bursts --set trace.requests=";
    let folder = tempfile::tempdir().unwrap();
    let fills = folder.path().join("ids");
    fs::write(&fills, (0..2_000_000).map(|id| format!("{id}\n")).collect::<String>()).unwrap();
    let fills = fills.display();
    for (arguments, words) in [
        (
            format!("simulate --objects 2147483648 --policies w-tinylfu {made}1000"),
            "w-tinylfu: the tables for caches of this size need about 210 MB of memory",
        ),
        (
            format!("compare --objects 2147483648 --policies lru,w-tinylfu-mad {made}1000"),
            "w-tinylfu-mad: the tables for caches of this size need about 210 MB of memory",
        ),
        (format!("simulate --objects 2147483648 --policies s3-fifo,lru {made}1000"), ""),
        (
            format!("simulate --objects 2147483648 --set cache.ways=128 {made}1000"),
            "the tables for caches of this size need about",
        ),
        (
            format!("simulate --objects 9 --in-memory {made}1000000000"),
            "--set trace.requests=1000000000: 1,000,000,000 requests that are held need about",
        ),
        (
            format!("simulate --objects 2147483648 --policies lfu {fills}"),
            "lfu: there is memory for about",
        ),
        (format!("simulate --objects 9 --z 1000000000 {fills}"), "lru: there is memory for about"),
        (
            format!("simulate --objects 9 --policies lru-mad-all {fills}"),
            "lru-mad-all: there is memory for about",
        ),
        (
            format!("simulate --objects 9 --in-memory {fills}"),
            "ids: 2,000,000 requests that are held need about 180 MB of memory; give fewer",
        ),
        (
            format!("simulate --objects 9 {made}1000 --set trace.objects=134217728"),
            "--set trace.objects=134217728: 134,217,728 objects need about 3.23 GB of memory",
        ),
        (
            "bound --set trace.requests=1000000".to_owned(),
            "--set trace.requests=1000000: 1,000,000 requests that are held need about",
        ),
    ] {
        let (code, said) = limited_to(250_000, &format!("cache {arguments}"));
        assert_eq!(code, Some(if words.is_empty() { 0 } else { 2 }), "{arguments}: {said}");
        assert!(said.contains(words), "{arguments}: {said}");
    }
}

#[test]
fn buffers_of_more_cells_than_memory_say_what_they_need() {
    let leaf = concat!(env!("CARGO_MANIFEST_DIR"), "/../sonic/tests/data/leaf.json");
    let compare = format!("buffer compare {leaf} --incast 16 --cell 1B --out /nowhere/at/all");
    let (code, said) = limited_to(200_000, &compare);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("error: --cell: a buffer of "), "{said}");
    assert!(said.contains(" of memory; give larger cells"), "{said}");
}

/// A capture of one IPv4 fragment.
fn fragment() -> Vec<u8> {
    let mut ip = vec![0x45, 0, 0, 28, 0, 1, 0x20, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
    ip.extend([0; 8]);
    let mut file = 0xa1b2_c3d4_u32.to_le_bytes().to_vec();
    file.extend([2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 101, 0, 0, 0]);
    file.extend([0; 8]);
    file.extend([28, 0, 0, 0, 28, 0, 0, 0]);
    file.extend(ip);
    file
}

#[test]
fn fragments_alone_are_said_to_be_fragments() {
    let folder = tempfile::tempdir().unwrap();
    let capture = folder.path().join("fragments.pcap");
    fs::write(&capture, fragment()).unwrap();
    let live = ["surge", "live", capture.to_str().unwrap(), "--every", "0"];
    let (code, said) = said(forebay(&live).output().unwrap());
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.contains("1 fragment or damaged packet, of which none could be processed"),
        "{said}"
    );
}

#[test]
fn a_pipe_in_place_of_results_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name| {
        let place = folder.path().join(name);
        assert!(Command::new("mkfifo").arg(place).status().unwrap().success());
    };
    place("manifest.json");
    let (code, said) =
        said(forebay(&["report", folder.path().to_str().unwrap()]).output().unwrap());
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("manifest.json: it is a folder, a pipe or a device"), "{said}");
}

#[test]
fn an_experiment_comes_through_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let script = "cat experiments/self-check/single-server.toml | exec \"$0\" run /dev/stdin --out";
    let mut shell = Command::new("sh");
    let script = format!("{script} {}", folder.path().display());
    shell.current_dir(root()).args(["-c", &script, env!("CARGO_BIN_EXE_forebay")]);
    let (code, said) = said(shell.output().unwrap());
    assert_eq!(code, Some(0), "{said}");
    assert!(folder.path().join("report.html").exists());
}
