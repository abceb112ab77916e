//! The experiments in folders.
//!
//! A folder is searched four levels deep. Links to folders are not followed: they may lead above
//! the folder, or back into it. A TOML file that is no experiment is passed over, as a manifest;
//! one that cannot be read is found like an experiment, so that whoever loads it names it.
//! Complexity: linear in the files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use forebay_files::Input;
use forebay_lab::config::MAX_FILE;
use forebay_lab::{Experiment, reproduction};
use forebay_parameters::suggest;

use crate::failure::wrong;
use crate::{Failure, terminal};

/// How many folder levels are searched for experiments.
const DEPTH: usize = 4;

/// An experiment that was asked for.
pub(crate) struct Found {
    pub(crate) file: PathBuf,
    /// Whether it was found in a folder, and not named itself.
    pub(crate) in_folder: bool,
}

/// Files as they are, and the experiments of folders.
pub(crate) fn files(given: &[PathBuf]) -> Result<Vec<Found>, Failure> {
    let mut files: Vec<Found> = Vec::new();
    for path in given {
        let in_folder = path.is_dir();
        let found = if in_folder { all_in(path)? } else { vec![path.clone()] };
        if found.is_empty() {
            return Err(Failure::input(format!(
                "error: there are no experiments in {}; give a file, or a folder that contains \
                 some",
                path.display()
            )));
        }
        for file in found {
            match files.iter_mut().find(|found| found.file == file) {
                Some(known) => known.in_folder &= in_folder,
                None => files.push(Found { file, in_folder }),
            }
        }
    }
    Ok(files)
}

/// That a path that must be a folder does not stand for standard input.
pub(crate) fn not_a_stream(folder: &Path) -> Result<(), Failure> {
    match Input::of(folder).is_standard() {
        true => Err(Failure::input(
            "error: - is standard input, and here a folder is needed: give its path (./- for one \
             of that name)",
        )),
        false => Ok(()),
    }
}

/// Which of `policies` each experiment is to run: all of one that was named, and of one in a folder
/// those that it lists. One in a folder that lists none of them is left out, and told.
///
/// # Errors
/// A policy that no experiment lists.
pub(crate) fn with_policies(
    files: Vec<Found>,
    policies: &[String],
) -> Result<Vec<(PathBuf, Vec<String>)>, Failure> {
    let mut known: Vec<String> = Vec::new();
    let (mut chosen, mut left_out) = (Vec::new(), Vec::new());
    let in_folders = files.iter().any(|found| found.in_folder);
    let mut all_read = true;
    for Found { file, in_folder } in files {
        // A pipe can be read only once.
        let read = forebay_files::read_stored(&file, MAX_FILE as u64).ok();
        let listed = read.map(|bytes| Experiment::policies_in(&bytes)).unwrap_or_default();
        // What is wrong with the file is reported when it is loaded.
        let is_whole = !in_folder || listed.is_empty();
        let own = policies.iter().filter(|name| is_whole || listed.contains(name));
        match own.cloned().collect::<Vec<_>>() {
            own if own.is_empty() && !policies.is_empty() => left_out.push(file),
            own => chosen.push((file, own)),
        }
        all_read &= !listed.is_empty();
        known.extend(listed);
    }
    // Of experiments that were named, each says what it lists.
    let unlisted = policies.iter().find(|name| in_folders && all_read && !known.contains(name));
    if let Some(name) = unlisted {
        known.sort_unstable();
        known.dedup();
        let hint = suggest(name, known.iter().map(String::as_str));
        return Err(wrong("policy", format!("no experiment here runs policy `{name}`; {hint}")));
    }
    if !left_out.is_empty() {
        let names: Vec<String> = left_out.iter().map(|file| file.display().to_string()).collect();
        terminal::warn(&format!("left out, without {}: {}", policies.join(", "), names.join(", ")));
    }
    Ok(chosen)
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
        let name = format!("the folder {}", folder.display());
        let fix = "give a folder of experiments, as in `forebay list experiments`";
        Failure::unread(name, &error, fix)
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
