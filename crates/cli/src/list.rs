//! `forebay list`: the experiments in a folder, and the scenarios with their policies.

use std::path::{Path, PathBuf};

use forebay_lab::{Experiment, Overrides, Registry};

use crate::terminal::{self, wrapped};
use crate::{Failure, show};

/// How many folder levels are searched for experiments.
const DEPTH: usize = 4;

/// Lists everything.
pub(crate) fn list(folder: &Path, registry: &Registry) -> Result<(), Failure> {
    let mut files = Vec::new();
    find(folder, DEPTH, &mut files).map_err(|error| {
        let name = folder.display();
        Failure::input(format!(
            "error: cannot read the folder {name}: {error}; give the folder of experiments, as in \
             `forebay list experiments`"
        ))
    })?;
    files.sort();
    let mut text = format!("Experiments in {}\n", folder.display());
    for file in &files {
        text += &format!("  {}\n", file.display());
        match Experiment::load(file, &Overrides::default(), registry) {
            Ok(experiment) => {
                text += &wrapped(&experiment.title, 100, "      ");
                text += &format!("      {}\n", show::size(&experiment));
            }
            Err(errors) => {
                let first = errors.0.first().map(ToString::to_string).unwrap_or_default();
                text += &wrapped(&format!("cannot run: {first}"), 100, "      ");
            }
        }
    }
    if files.is_empty() {
        text += "  none\n";
    }
    text += "\nScenarios\n";
    for scenario in registry.iter() {
        text += &format!("  {}\n", scenario.name());
        text += &wrapped(scenario.about(), 100, "      ");
        for policy in scenario.policies() {
            text += &wrapped(&format!("{}: {}", policy.name, policy.doc), 100, "        ");
        }
    }
    terminal::print(&text);
    Ok(())
}

fn find(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() && depth > 0 {
            find(&path, depth - 1, files)?;
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            files.push(path);
        }
    }
    Ok(())
}
