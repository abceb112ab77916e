//! `forebay queues` as its users meet it: the papers' numbers, JSON, and messages for bad input.
#![allow(clippy::unwrap_used)] // in the helpers, too, a failure is a failed test

use std::process::{Command, Output};

fn queues(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_forebay"));
    command.arg("queues").args(arguments).output().unwrap()
}

fn shown(arguments: &[&str]) -> String {
    let output = queues(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The words of the first line that starts with `label`.
fn line(text: &str, label: &str) -> String {
    let line = text.lines().find(|line| line.trim_start().starts_with(label)).unwrap();
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn tables_are_as_recorded() {
    for (arguments, golden) in [
        (&["--structure", "bbq,clubheap,rpu-bmw"][..], include_str!("queues/compare.txt")),
        (&["table1"], include_str!("queues/table1.txt")),
        (&["fig3"], include_str!("queues/fig3.txt")),
        (&["fragmentation"], include_str!("queues/fragmentation.txt")),
        (&["mesh"], include_str!("queues/mesh.txt")),
    ] {
        assert_eq!(shown(arguments), golden, "forebay queues {}", arguments.join(" "));
    }
}

#[test]
fn lines_fit_the_width() {
    let wide = ["--elements", "67108864", "--rank-bits", "64", "--partitions", "65536"];
    for arguments in [&[][..], &wide, &["table1"], &["fig3"], &["fragmentation"], &["mesh"]] {
        let text = shown(arguments);
        let longest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(longest <= 100, "{longest} columns: {arguments:?}\n{text}");
    }
}

#[test]
fn the_papers_numbers_come_out() {
    let fig3 = shown(&["fig3", "--partitions", "16"]);
    assert_eq!(line(&fig3, "K = 2 "), "K = 2 22.9 %", "clubheap §3.1");
    assert_eq!(line(&fig3, "K = 32"), "K = 32 30.5 %", "clubheap §3.1");
    let lost = shown(&["fragmentation", "--partitions", "8", "--structure", "rpu-bmw"]);
    assert_eq!(line(&lost, "RPU-BMW"), "RPU-BMW nothing 8 8,192 87.5 % 700.0 %", "thesis §4.4.1");
    let mesh = shown(&["mesh"]);
    assert_eq!(line(&mesh, "64"), "64 4,160 128 32.5", "clubheap §2.1");
    assert_eq!(line(&mesh, "BBQ"), "BBQ 3.1 2 1.55 8.4 12", "thesis §4.7.1");
}

#[test]
fn json_is_json_and_says_the_same() {
    for arguments in [&[][..], &["table1"], &["fig3"], &["fragmentation"], &["mesh"]] {
        let text = shown(&[arguments, &["--json"]].concat());
        serde_json::from_str::<serde_json::Value>(&text).unwrap();
    }
    let text = shown(&["--json", "--structure", "clubheap", "--cluster", "2"]);
    let rows: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(rows[0]["structure"], "clubheap");
    assert_eq!(rows[0]["cycles_per_replace"], 1);
    let banks = rows[0]["sram"].as_array().unwrap();
    let bits: u64 = banks
        .iter()
        .map(|bank| bank["words"].as_u64().unwrap() * bank["bits_per_word"].as_u64().unwrap())
        .sum();
    assert_eq!(rows[0]["sram_bits"], bits);
    // Beyond 64 bits a number is still written out.
    shown(&["--json", "--rank-bits", "64", "--partitions", "65536"]);
}

#[test]
fn the_figure_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("fig3.svg");
    shown(&["fig3", "--svg", file.to_str().unwrap()]);
    let svg = std::fs::read_to_string(file).unwrap();
    assert!(svg.starts_with("<svg ") && svg.contains("B2, M = 16") && svg.contains("K = 32"));
}

#[test]
fn bad_input_gets_one_clear_sentence() {
    for (arguments, words) in [
        (
            &["--elements", "4000000000000"][..],
            "a queue cannot have elements = 4,000,000,000,000: choose 1 to 67,108,864",
        ),
        (&["--elements", "0"][..], "a queue cannot have elements = 0: choose 1 to 67,108,864"),
        (&["--elements", "18446744073709551615"], "elements = 18,446,744,073,709,551,615: choose"),
        (
            &["--elements", "18446744073709551616"],
            "--elements: \"18446744073709551616\" is not a whole number",
        ),
        (&["--elements", "-1"], "--elements: \"-1\" is not a whole number from 1 to 67,108,864"),
        (&["--rank-bits", "65"], "rank bits = 65: choose 1 to 64"),
        (&["--partitions", "0"], "partitions = 0"),
        (&["--cluster", "2,1"], "cluster = 1: choose 2 to 1,024"),
        (&["--structure", "heap"], "there is no structure `heap`; did you mean `p-heap`?"),
        (&["fig3", "--cluster", "1"], "clusters of 1 do not make a ClubHeap"),
        (&["fig3", "--partitions", "0"], "0 logical PIFOs"),
        (&["fig3", "--cluster", "8", "--size", "3"], "choose --cluster below 2^3"),
        (&["fig3", "--size", "99"], "99"),
        (&["fig3", "--svg", "/nowhere/at/all.svg"], "give a file in a folder that exists"),
        (&["fragmentation", "--partitions", "0"], "partitions = 0"),
        (&["mesh", "--ports", "0"], "--ports: \"0\" is not a whole number from 1 to 1,048,576"),
        (&["mesh", "--packet-rate", "8.4G"], "--clock"),
        (
            &["mesh", "--packet-rate", "1G", "--clock", "x", "--structure", "bbq"],
            "such as 8.4G or 302M",
        ),
        (&["mesh", "--packet-rate", "1G", "--clock", "1", "--structure", "bbq"], "raise --clock"),
    ] {
        let output = queues(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains(words), "{arguments:?}: {message}");
        assert!(!message.contains("panicked") && output.stdout.is_empty());
    }
}

#[test]
fn help_names_every_view() {
    let help = shown(&["--help"]);
    for word in ["table1", "fig3", "fragmentation", "mesh", "--elements", "--json", "Examples"] {
        assert!(help.contains(word), "{word}");
    }
}

#[test]
fn what_no_structure_is_built_with_is_refused() {
    for (arguments, words) in [
        (
            &["--structure", "bbq,clubheap", "--ways", "4"][..],
            "error: --ways: it has no effect with these structures; leave it out, or give \
             --structure ",
        ),
        (&["--structure", "clubheap", "--bitmap-width", "16"], "error: --bitmap-width: "),
        (&["--structure", "sr-pifo,bbq", "--cluster", "4"], "error: --cluster: "),
    ] {
        let output = queues(arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && said.starts_with(words), "{said}");
    }
    assert!(shown(&["--structure", "bbq,clubheap", "--cluster", "4"]).contains("K=4"));
}
