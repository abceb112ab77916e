//! `examples/collective/allreduce.c` against the library, and what it computes against Rust.
#![allow(clippy::unwrap_used)] // a failed test is a panic

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use forebay_capi::{Messages, network};
use forebay_units::{Bytes, Duration, Time};

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap()
}

/// Where cargo put the library for C: beside the tests.
fn library() -> PathBuf {
    std::env::current_exe().unwrap().ancestors().nth(1).unwrap().to_owned()
}

/// The driver, compiled; none where there is no C compiler.
fn compiled(folder: &Path) -> Option<PathBuf> {
    let program = folder.join("allreduce");
    let mut cc = Command::new("cc");
    cc.args(["-std=c11", "-Wall", "-Wextra", "-Werror"]);
    cc.arg("-I").arg(repository().join("crates/capi/include"));
    cc.arg(repository().join("examples/collective/allreduce.c"));
    cc.arg("-L").arg(library()).args(["-lforebay_capi", "-o"]).arg(&program);
    match cc.status() {
        Ok(status) => {
            assert!(status.success(), "cc: {status}");
            Some(program)
        }
        Err(error) => {
            println!("not checked: there is no C compiler ({error})");
            None
        }
    }
}

fn run(program: &Path, words: &[&str]) -> Output {
    Command::new(program).args(words).env("LD_LIBRARY_PATH", library()).output().unwrap()
}

/// A ring as the driver has it, in Rust: when all ranks are done.
fn ring(ranks: u32, bytes: u64, topology: &str) -> Time {
    let piece = bytes.div_ceil(ranks.into());
    let mut net = Messages::new(network(topology, &[]).unwrap());
    let mut state = vec![(0u32, 0u32); ranks as usize];
    let step = |net: &mut Messages<(u32, bool)>, rank: u32, step: u64| {
        let before = (rank + ranks - 1) % ranks;
        net.receive(before, rank, step, (rank, true)).unwrap();
        net.send(rank, (rank + 1) % ranks, Bytes::new(piece), step, 0, Some((rank, true))).unwrap();
    };
    (0..ranks).for_each(|rank| step(&mut net, rank, 0));
    let mut last = Time::ZERO;
    while let Some((rank, message)) = net.next(Time::MAX).unwrap() {
        let (taken, halves) = &mut state[rank as usize];
        if message {
            *halves += 1;
            if *halves == 2 {
                (*halves, *taken) = (0, *taken + 1);
                let adding = if *taken < ranks { 5 * piece } else { 0 };
                net.schedule(Duration::from_ps(adding), (rank, false));
            }
        } else if *taken < 2 * (ranks - 1) {
            let taken = *taken;
            step(&mut net, rank, taken.into());
        } else {
            last = net.now();
        }
    }
    last
}

#[test]
fn the_driver_in_c_ends_when_the_same_in_rust_does() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = compiled(folder.path()) else { return };
    let topology = "leaf-spine:4x4x2,100G,100G,1us";
    let output = run(&program, &["ring", "16", "1000000", topology]);
    let said = String::from_utf8(output.stdout).unwrap();
    let us = ring(16, 1_000_000, topology).as_ps() as f64 / 1e6;
    let expected = format!("ring: 16 of 16 ranks done after {us:.3} us");
    assert!(output.status.success() && said.starts_with(&expected), "{said}{expected}");

    let with = |setting| run(&program, &["halving", "16", "1000000", topology, setting]);
    for setting in ["switch=occamy", "switch=themis", "control=dctcp"] {
        let output = with(setting);
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(said.starts_with("halving: 16 of 16 ranks done after "), "{setting}: {said}");
    }
}

#[test]
fn mistakes_are_told_in_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = compiled(folder.path()) else { return };
    let topology = "star:16,100G,1us";
    for (words, code, sentence) in [
        (
            &["ring", "16", "1", topology, "alpha"][..],
            1,
            "network: alpha: give a setting as name=value",
        ),
        (&["ring", "16", "1", topology, "switch=nope"], 1, "network: switch: "),
        (
            &["ring", "16", "1", topology, "alpha=1", "alpha=2"],
            1,
            "network: alpha: it is given twice",
        ),
        (&["ring", "16", "1", "star:nothing"], 1, "network: topology: "),
        (&["ring", "17", "1", topology], 2, "17 ranks need as many hosts"),
        (&["halving", "12", "1", topology], 2, "give ring with"),
    ] {
        let output = run(&program, words);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{words:?}: {said}");
        assert!(said.starts_with(&format!("allreduce: {sentence}")), "{words:?}: {said}");
    }
}
