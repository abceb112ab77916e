//! What a newcomer meets first: something to begin with, what the machine can do, completions, the
//! manual, schemas for editors.
#![cfg(unix)]
#![allow(clippy::unwrap_used)] // in the helpers, too, a failure is a failed test

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn forebay_in(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_forebay"));
    command.current_dir(folder).args(arguments).output().unwrap()
}

/// What a command prints that must succeed.
fn said(folder: &Path, arguments: &[&str]) -> String {
    let output = forebay_in(folder, arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

fn refused(folder: &Path, arguments: &[&str]) -> String {
    let output = forebay_in(folder, arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn what_is_begun_works_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let said = |arguments: &[&str]| said(folder.path(), arguments);
    let next = said(&["new", "experiment", "mine"]);
    assert_eq!(next, "mine.toml is written; next, forebay run mine.toml\n");
    let summary = said(&["run", "mine.toml"]);
    assert!(
        summary.contains("a burst of 1 MB\n    expected 0 % (ours), measured 0 %"),
        "{summary}"
    );
    assert!(!summary.contains('\x1b'), "no colours where there is no terminal");

    said(&["new", "tree", "mine"]);
    let tree = said(&["sched", "check", "mine.tree"]);
    assert!(tree.contains("5 nodes, 3 of them leaves"), "{tree}");

    if cfg!(target_os = "linux") {
        said(&["new", "lab", "lab.toml"]);
        let lab = said(&["switch", "lab.toml", "--check"]);
        assert_eq!(lab, "lab.toml is right: 4 hosts, 1 switch (occamy)\n");
        let wrong = refused(folder.path(), &["switch", "lab.toml", "--check", "--set", "alhpa=2"]);
        assert!(wrong.contains("did you mean `alpha`"), "{wrong}");
    }
}

#[test]
fn nothing_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    for (kind, name) in
        [("experiment", "a.toml"), ("lab", "b.toml"), ("tree", "c.tree"), ("policy", "own")]
    {
        said(folder.path(), &["new", kind, name]);
        let path = folder.path().join(name);
        let marked = if path.is_dir() { path.join("src/lib.rs") } else { path };
        fs::write(&marked, "mine").unwrap();
        let error = refused(folder.path(), &["new", kind, name]);
        assert!(error.starts_with(&format!("error: {name} is there already")), "{error}");
        assert_eq!(fs::read_to_string(&marked).unwrap(), "mine");
    }
    let error = refused(folder.path(), &["new", "lab", "no/such/folder"]);
    assert!(error.contains("make that first"), "{error}");
    for name in ["Own", "9lives", "a--b", "a_b", "match"] {
        let error = refused(folder.path(), &["new", "policy", name]);
        assert!(error.starts_with(&format!("error: {name:?} is ")), "{error}");
    }
    let error = refused(folder.path(), &["new", "tree", "d", "--source", "."]);
    assert!(error.contains("leave it out"), "{error}");
}

/// That the crate compiles and runs is tested in examples/own-policy, from the same sources.
#[test]
fn a_crate_has_its_own_name_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let source = root();
    let source = source.to_str().unwrap();
    said(folder.path(), &["new", "policy", "first-half", "--source", source]);
    let read =
        |name: &str| fs::read_to_string(folder.path().join("first-half").join(name)).unwrap();
    let manifest = read("Cargo.toml");
    assert!(manifest.contains("name = \"first-half\"") && manifest.contains("path = \"/"));
    assert!(!manifest.contains("SOURCE"), "{manifest}");
    for name in ["README.md", "compare.toml", "src/first_half.rs", "src/lib.rs", "src/main.rs"] {
        let text = read(name).to_lowercase();
        assert!(
            !["keep-room", "keep_room", "keeproom", "keep room"]
                .iter()
                .any(|own| text.contains(own))
        );
    }
    assert!(read("src/first_half.rs").contains("Choice::new(\"first-half\""));
    let own = root().join("examples/own-policy/src/keep_room.rs");
    let begun = root().join("crates/cli/src/new/policy/keep_room.rs");
    assert_eq!(fs::read_to_string(own).unwrap(), fs::read_to_string(begun).unwrap());
    let error = refused(folder.path(), &["new", "policy", "other", "--source", "/nowhere"]);
    assert!(error.contains("--source /nowhere") && !folder.path().join("other").exists());
}

#[test]
fn a_machine_is_examined() {
    let folder = tempfile::tempdir().unwrap();
    let text = said(folder.path(), &["doctor"]);
    let findings: Value =
        serde_json::from_str(&said(folder.path(), &["doctor", "--json"])).unwrap();
    for finding in findings.as_array().unwrap() {
        let name = finding["name"].as_str().unwrap();
        assert!(text.contains(&format!("  {name}: ")), "{text}");
        // What is there needs no advice, what is not there gets some.
        assert_eq!(finding["found"] == true, finding["fix"].is_null(), "{finding}");
        assert!(!finding["purpose"].as_str().unwrap().is_empty());
    }
    let names =
        ["network namespaces", "CAP_NET_ADMIN", "AF_XDP", "SCHED_FIFO", "Verilator", "yosys"];
    assert!(!cfg!(target_os = "linux") || names.iter().all(|name| text.contains(name)), "{text}");
}

#[test]
fn shells_complete_and_the_manual_has_a_page_for_each_command() {
    let folder = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish"] {
        let script = said(folder.path(), &["completions", shell]);
        assert!(script.contains("reproduce") && script.contains("forebay"), "{shell}");
        let file = folder.path().join(shell);
        fs::write(&file, script).unwrap();
        // Where the shell is there, it reads it.
        if let Ok(read) = Command::new(shell).arg("-n").arg(&file).output() {
            assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
        }
    }
    // Names of a registry, for the options that take them.
    let fish = said(folder.path(), &["completions", "fish"]);
    for (command, option, name) in [
        ("subcommand_from run", " -l switch ", "occamy"),
        ("subcommand_from run", " -l control ", "dctcp"),
        ("subcommand replay", " -l rank ", "stfq"),
        ("subcommand_from simulate", " -l policies ", "lru-mad"),
        ("subcommand_from live", " -l policy ", "wsjf"),
        ("subcommand_from compare", " -l policies ", "abm"),
    ] {
        // One a line, up to the next option.
        let mut options = fish.split("complete -c forebay ");
        let offers = |text: &str| [command, option, name].iter().all(|word| text.contains(word));
        assert!(options.any(offers), "{command}{option}{name}");
    }
    let pages = said(folder.path(), &["man", "man/man1"]);
    assert!(pages.ends_with("pages in man/man1\n"), "{pages}");
    for page in ["forebay.1", "forebay-net-run.1", "forebay-sched-check.1"] {
        let text = fs::read_to_string(folder.path().join("man/man1").join(page)).unwrap();
        assert!(text.contains(".SH SYNOPSIS"), "{page}");
    }
    // Lists keep their lines.
    let page = fs::read_to_string(folder.path().join("man/man1/forebay-net-run.1")).unwrap();
    let shape = page.lines().find(|line| line.trim_start().starts_with("star:HOSTS,RATE,DELAY"));
    assert!(shape.is_some_and(|line| line.ends_with("star:8,10G,1us")), "{shape:?}");
    let (_, more) = page.split_once(".SH MORE\n.nf\n").unwrap();
    assert!(more.contains("\n.fi\n"), "{more}");
}

/// Those in docs/schemas are the program's: `make schemas` writes them.
#[test]
#[cfg(target_os = "linux")]
fn the_stored_schemas_are_those_of_the_program() {
    for kind in ["experiment", "lab", "tree", "proxy"] {
        let path = root().join(format!("docs/schemas/{kind}.json"));
        let stored = fs::read_to_string(path).unwrap();
        let printed = said(&root(), &["schema", kind]);
        assert!(stored == printed, "docs/schemas/{kind}.json is out of date: run make schemas");
        let schema: Value = serde_json::from_str(&printed).unwrap();
        refer(&schema, &schema);
    }
}

/// Every reference leads somewhere, and nothing may be null, which TOML does not have.
#[cfg(target_os = "linux")]
fn refer(within: &Value, schema: &Value) {
    match within {
        Value::Object(members) => {
            if let Some(Value::String(to)) = members.get("$ref") {
                let place = to.strip_prefix('#').unwrap();
                assert!(schema.pointer(place).is_some(), "{to}");
            }
            assert_ne!(members.get("type"), Some(&Value::from("null")));
            members.values().for_each(|inner| refer(inner, schema));
        }
        Value::Array(items) => items.iter().for_each(|inner| refer(inner, schema)),
        _ => {}
    }
}

#[test]
fn what_the_program_knows_is_listed_anywhere() {
    let folder = tempfile::tempdir().unwrap();
    let output = forebay_in(folder.path(), &["list"]);
    let (list, note) = [&output.stdout, &output.stderr]
        .map(|text| String::from_utf8_lossy(text).into_owned())
        .into();
    assert!(output.status.success(), "{note}");
    assert!(list.contains("Scenarios\n") && list.contains("single-point"), "{list}");
    assert!(
        note.contains("there is no folder experiments here; `forebay new experiment"),
        "{note}"
    );
}
