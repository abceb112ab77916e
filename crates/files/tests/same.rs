//! Files that are one under several names are found, and what is no file is not.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::fs;
use std::path::PathBuf;

use forebay_files::{Files, SameFile};

/// A folder with a file `a`.
fn folder() -> (tempfile::TempDir, impl Fn(&str) -> PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().to_path_buf();
    fs::write(root.join("a"), "kept").unwrap();
    (folder, move |name| root.join(name))
}

fn refused(files: &Files) -> SameFile {
    files.check().unwrap_err()
}

#[test]
fn an_input_is_no_output_under_any_name() {
    let (_folder, at) = folder();
    fs::create_dir(at("b")).unwrap();
    let read = || Files::default().read("the input", at("a"));
    for other in ["a", "./a", "b/../a"] {
        let error = refused(&read().write("out", at(other)));
        assert_eq!(error.parameter, "out");
        assert!(error.problem.contains("is the input") && error.problem.contains("another file"));
    }
    // In whichever order they are told.
    assert!(Files::default().write("out", at("a")).read("the input", at("a")).check().is_err());
    assert!(read().write("out", at("c")).write("trace", at("b/c")).check().is_ok());
    assert!(read().read("another input", at("a")).check().is_ok());
    assert_eq!(fs::read_to_string(at("a")).unwrap(), "kept");
    assert!(!at("c").exists());
}

#[cfg(unix)]
#[test]
fn links_of_both_kinds_are_followed() {
    use std::os::unix::fs::symlink;
    let (_folder, at) = folder();
    fs::hard_link(at("a"), at("hard")).unwrap();
    symlink("a", at("soft")).unwrap();
    symlink(at("soft"), at("softer")).unwrap();
    fs::create_dir(at("b")).unwrap();
    symlink("../b", at("b/round")).unwrap();
    for other in ["hard", "soft", "softer", "b/round/../hard"] {
        let error = refused(&Files::default().read("the input", at("a")).write("out", at(other)));
        assert!(error.problem.contains("/a), which would be lost"), "{error}");
    }
    // Links to what is not there yet: a file would be made where they lead.
    symlink("new", at("to-new")).unwrap();
    let pair = |one: &str, other: &str| {
        Files::default().write("out", at(one)).write("trace", at(other)).check()
    };
    assert!(pair("new", "to-new").is_err() && pair("b/round/new", "b/new").is_err());
    assert!(pair("new", "b/new").is_ok());
    symlink("loop", at("loop")).unwrap();
    assert!(pair("loop", "new").is_ok());
}

#[test]
fn two_outputs_are_two_files() {
    let (_folder, at) = folder();
    for name in ["a", "new"] {
        let error = refused(&Files::default().write("pcap", at(name)).write("out", at(name)));
        assert_eq!(error.parameter, "out");
        assert!(error.to_string().starts_with("out: ") && error.problem.contains("file of pcap"));
    }
}

#[cfg(unix)]
#[test]
fn devices_may_repeat() {
    let files = Files::default().read("the input", "/dev/null");
    assert!(files.write("out", "/dev/null").write("trace", "/dev/null").check().is_ok());
}

#[test]
fn what_cannot_be_opened_is_left_to_whoever_opens_it() {
    let (_folder, at) = folder();
    let files = Files::default().write("out", at("no/such")).write("trace", at("no/such"));
    assert!(files.check().is_ok());
    assert!(Files::default().write("out", "").write("trace", "/").check().is_ok());
}
