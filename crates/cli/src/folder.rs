//! The experiments in folders.
//!
//! A folder is searched four levels deep. Links to folders are not followed: they may lead above the folder, or back
//! into it. A TOML file that is no experiment is passed over, as a manifest; one that cannot be read is found like an
//! experiment, so that whoever loads it names it. Complexity: linear in the files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use forebay_lab::config::MAX_FILE;
use forebay_lab::{Experiment, reproduction};

use crate::Failure;

/// How many folder levels are searched for experiments.
const DEPTH: usize = 4;

/// Files as they are, and the experiments of folders.
pub(crate) fn files(given: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files: Vec<PathBuf> = Vec::new();
    for path in given {
        let found = if path.is_dir() { all_in(path)? } else { vec![path.clone()] };
        if found.is_empty() {
            return Err(Failure::input(format!(
                "error: there are no experiments in {}; give a file, or a folder that contains some",
                path.display()
            )));
        }
        for file in found {
            if !files.contains(&file) {
                files.push(file);
            }
        }
    }
    Ok(files)
}

/// The experiments in a folder, sorted.
pub(crate) fn all_in(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    find(folder, DEPTH, &mut files)?;
    files.sort();
    Ok(files)
}

fn find(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let unreadable = |error: io::Error| {
        Failure::input(format!(
            "error: cannot read the folder {}: {error}; give a folder of experiments, as in `forebay list experiments`",
            folder.display()
        ))
    };
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let path = entry.path();
        if entry.file_type().map_err(unreadable)?.is_dir() {
            if depth > 0 {
                find(&path, depth - 1, files)?;
            }
        } else if is_experiment(&path) {
            files.push(path);
        }
    }
    Ok(())
}

fn is_experiment(path: &Path) -> bool {
    let toml = path.extension().is_some_and(|extension| extension == "toml");
    let plan = path.file_name().is_some_and(|name| name == reproduction::FILE);
    // A pipe of that name would keep a reader waiting.
    let other = fs::metadata(path).is_ok_and(|found| !found.is_file());
    toml && !plan
        && !other
        && forebay_files::read(path, MAX_FILE as u64)
            .map_or(true, |bytes| Experiment::is_meant(&bytes))
}
