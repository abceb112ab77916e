//! No file of integration tests is left out. Where they are modules of few programs, Cargo looks
//! for none by itself: a file that no program names would compile nowhere, and fail never.
#![allow(clippy::unwrap_used)] // in the helpers, too, a failure is a failed test

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The names that a crate's test programs and their modules have.
fn named(folder: &Path, manifest: &toml::Table) -> BTreeSet<String> {
    let tests = manifest.get("test").and_then(|tests| tests.as_array());
    let programs = tests.into_iter().flatten().filter_map(|test| test.get("name")?.as_str());
    let mut all = BTreeSet::new();
    for program in programs {
        let root = fs::read_to_string(folder.join(format!("{program}.rs"))).unwrap();
        let modules = root.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
        all.extend(modules.map(str::to_owned));
        all.insert(program.to_owned());
    }
    all
}

/// The tests of a crate that nothing compiles.
fn left_out(package: &Path) -> Vec<String> {
    let manifest = fs::read_to_string(package.join("Cargo.toml")).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    let finds_all = manifest["package"].get("autotests").is_none();
    let folder = package.join("tests");
    if finds_all || !folder.exists() {
        return Vec::new();
    }
    let named = named(&folder, &manifest);
    let files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let sources = files.filter(|path| {
        path.extension().is_some_and(|extension| extension == "rs") || path.join("mod.rs").exists()
    });
    let names = sources.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned());
    names.filter(|name| !named.contains(name)).collect()
}

#[test]
fn every_file_of_tests_is_compiled() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let packages = fs::read_dir(crates).unwrap().map(|entry| entry.unwrap().path());
    for package in packages.filter(|path| path.join("Cargo.toml").exists()) {
        let left_out = left_out(&package);
        let name = package.file_name().unwrap().display();
        assert!(left_out.is_empty(), "{name}: no program of tests has {left_out:?}");
    }
}

#[test]
fn a_file_that_nothing_names_is_found() {
    let package = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = package.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let manifest = "[package]\nautotests = false\n[[test]]\nname = \"integration\"\n";
    write("Cargo.toml", manifest);
    write("tests/integration.rs", "mod known;\n");
    write("tests/known.rs", "");
    write("tests/data/table.txt", "");
    assert!(left_out(package.path()).is_empty());
    write("tests/stray.rs", "");
    write("tests/folder/mod.rs", "");
    let mut found = left_out(package.path());
    found.sort();
    assert_eq!(found, ["folder", "stray"]);
    write("Cargo.toml", &manifest.replace("autotests = false\n", ""));
    assert!(left_out(package.path()).is_empty(), "Cargo finds them by itself");
}
