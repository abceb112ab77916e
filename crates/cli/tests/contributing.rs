//! CONTRIBUTING.md says how a policy of each kind, a queue and a scenario come in: each as a diff
//! of at most two files. The diffs fit the files as they are, and name only what there is.
#![allow(clippy::unwrap_used)] // in the helpers, too, a failure is a failed test

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A file of a diff.
struct Change<'a> {
    /// Where it is, from the root; whether the diff makes it.
    file: &'a str,
    is_new: bool,
    lines: Vec<&'a str>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text() -> String {
    fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap()
}

/// The diffs of a text, each with its heading.
fn diffs(text: &str) -> Vec<(&str, Vec<Change<'_>>)> {
    let mut found: Vec<(&str, Vec<Change<'_>>)> = Vec::new();
    let (mut heading, mut inside, mut is_new) = ("", false, false);
    for line in text.lines() {
        match line {
            "```diff" => {
                inside = true;
                found.push((heading, Vec::new()));
            }
            "```" => inside = false,
            _ if !inside => heading = line.strip_prefix("### ").unwrap_or(heading),
            _ => {
                let changes = &mut found.last_mut().unwrap().1;
                if let Some(old) = line.strip_prefix("--- ") {
                    is_new = old == "/dev/null";
                } else if let Some(file) = line.strip_prefix("+++ b/") {
                    changes.push(Change { file, is_new, lines: Vec::new() });
                } else {
                    changes.last_mut().unwrap().lines.push(line);
                }
            }
        }
    }
    found
}

/// What does not fit the file as it is: every added line stands behind a line of the file, which is
/// looked for behind the line that the `@@` before it names.
fn misfits(change: &Change<'_>, content: &str) -> Vec<String> {
    let all: Vec<&str> = content.lines().collect();
    let (mut wrong, mut place) = (Vec::new(), None);
    for line in &change.lines {
        let find =
            |from: usize, fits: &dyn Fn(&str) -> bool| (from..all.len()).find(|at| fits(all[*at]));
        if let Some(named) = line.strip_prefix("@@ ") {
            place = find(0, &|other| other.starts_with(named));
        } else if let Some(kept) = line.strip_prefix([' ', '-']) {
            place = find(place.unwrap_or(0), &|other| other == kept);
        } else if let Some(added) = line.strip_prefix('+') {
            if all.contains(&added) {
                wrong.push(format!("{added} is there already"));
            }
            continue;
        }
        if place.is_none() {
            wrong.push(format!("there is no {line}"));
        }
    }
    if !change.lines.first().is_some_and(|line| line.starts_with(['@', ' '])) {
        wrong.push("nothing says where the first line goes".to_owned());
    }
    wrong
}

/// The text of all sources of a crate and of those below it.
fn sources(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            sources(&entry, text);
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            *text += &fs::read_to_string(entry).unwrap();
        }
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Names of types, macros, fields and methods in the lines of a new file that no crate of the
/// project knows.
fn strangers(change: &Change<'_>, known: &BTreeSet<&str>) -> Vec<String> {
    let code = change.lines.iter().filter_map(|line| line.strip_prefix('+'));
    let code: Vec<&str> = code.filter(|line| !line.trim_start().starts_with("//")).collect();
    let code = code.join("\n");
    let own: BTreeSet<&str> =
        code.split("pub struct ").skip(1).filter_map(|rest| words(rest).next()).collect();
    let names = words(&code).filter(|word| word.len() > 3 && !own.contains(word));
    let names =
        names.filter(|word| word.starts_with(char::is_uppercase) || word[1..].contains('_'));
    names.filter(|name| !known.contains(name)).map(str::to_owned).collect()
}

#[test]
fn every_diff_is_of_two_files_at_most_and_fits_them() {
    let text = text();
    let diffs = diffs(&text);
    let headings: Vec<&str> = diffs.iter().map(|(heading, _)| *heading).collect();
    assert_eq!(
        headings,
        [
            "A policy (buffer manager)",
            "A hybrid policy (SRAM beside HBM)",
            "A rank function",
            "A scheduler",
            "A port scheduler",
            "A discipline of scheduling trees",
            "A congestion control",
            "A cache policy",
            "A job scheduler",
            "A queue",
            "A scenario"
        ]
    );
    let mut all = String::new();
    sources(&root().join("crates"), &mut all);
    let known: BTreeSet<&str> = words(&all).collect();
    let mut wrong = Vec::new();
    for (heading, changes) in &diffs {
        let mut complain =
            |file: &str, what: String| wrong.push(format!("{heading}: {file}: {what}"));
        if changes.len() > 2 || changes.iter().filter(|change| change.is_new).count() != 1 {
            complain("", "it is not one new file and at most one other".to_owned());
        }
        for change in changes {
            let path = root().join(change.file);
            if !change.is_new {
                let content = fs::read_to_string(&path).unwrap_or_default();
                misfits(change, &content).into_iter().for_each(|what| complain(change.file, what));
                continue;
            }
            if path.exists() || !path.parent().unwrap().is_dir() {
                complain(change.file, "it is there, or its folder is not".to_owned());
            }
            let added = change.lines.iter().filter(|line| line.starts_with('+')).count();
            if change.lines[0] != format!("@@ -0,0 +1,{added} @@") {
                complain(change.file, format!("it has {added} lines, and not {}", change.lines[0]));
            }
            for name in strangers(change, &known) {
                complain(change.file, format!("nothing is called {name}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_file_that_is_named_is_there() {
    let text = text();
    let tokens = text.split(['`', '(', ')', '[', ']', ' ', '\n', ';', ',']);
    let folders = ["crates/", "docs/", "examples/", "experiments/", "bench/", "golden/"];
    let named = tokens.filter(|token| folders.iter().any(|folder| token.starts_with(folder)));
    let places = named.filter(|token| !token.contains(char::is_uppercase) && !token.contains('…'));
    let places: BTreeSet<&str> = places.map(|token| token.trim_end_matches(['.', ':'])).collect();
    assert!(places.len() > 8, "{places:?}");
    let gone: Vec<&&str> = places.iter().filter(|place| !root().join(place).exists()).collect();
    assert!(gone.is_empty(), "{gone:?}");
}

#[test]
fn what_does_not_fit_is_found() {
    let block = "### A\n```diff\n--- a/x\n+++ b/x\n mod a;\n+mod b;\n@@ fn all(\n     one,\n+    \
                 two,\n```\n";
    let diffs = diffs(block);
    let change = &diffs[0].1[0];
    let fits = "mod a;\nfn all() {\n    one,\n}\n";
    assert!(misfits(change, fits).is_empty());
    for (content, expected) in [
        (fits.replace("mod a;", "mod c;"), "there is no  mod a;"),
        (fits.replace("fn all", "fn some"), "there is no @@ fn all("),
        (format!("    one,\n{}", fits.replace("    one,\n", "")), "there is no      one,"),
        (fits.replace("one,", "one,\n    two,"), "    two, is there already"),
    ] {
        assert!(misfits(change, &content).iter().any(|what| what == expected), "{content}");
    }
    let new = Change { file: "", is_new: true, lines: vec!["+pub struct Mine(Known, Strange);"] };
    assert_eq!(strangers(&new, &BTreeSet::from(["Known"])), ["Strange"]);
}
