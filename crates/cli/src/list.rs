//! `forebay list`: the experiments in a folder, and the scenarios with their policies.

use std::path::{Path, PathBuf};

use forebay_lab::reproduction::{self, costs::Costs};
use forebay_lab::results::number;
use forebay_lab::{Experiment, Overrides, Registry, Scenario, run};
use serde::Serialize;

use crate::terminal::{self, wrapped};
use crate::{Failure, show};

/// How many folder levels are searched for experiments.
const DEPTH: usize = 4;

/// What is to be listed.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Only what has all these words in its path, title or scenario; a folder is where experiments are
    /// looked for [default: experiments].
    #[arg(value_name = "FOLDER|WORD")]
    words: Vec<String>,
    /// Print JSON instead of text.
    #[arg(long)]
    json: bool,
}

/// What is listed.
#[derive(Serialize)]
struct Listed {
    experiments: Vec<Listing>,
    scenarios: Vec<Described>,
}

/// An experiment.
#[derive(Serialize)]
struct Listing {
    file: PathBuf,
    #[serde(flatten)]
    facts: Facts,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Facts {
    Runs(Box<Runs>),
    Broken { error: String },
}

#[derive(Serialize)]
struct Runs {
    title: String,
    scenario: String,
    policies: Vec<String>,
    points: usize,
    seeds: Vec<u64>,
    runs: usize,
    figures: usize,
    claims: usize,
    #[serde(skip)]
    size: String,
    cpu_seconds: Option<f64>,
    /// Whether the time is that of results here, and not of the machine that stored it.
    measured_here: bool,
}

/// A scenario.
#[derive(Serialize)]
struct Described {
    name: String,
    about: String,
    policies: Vec<Policy>,
}

#[derive(Serialize)]
struct Policy {
    name: String,
    about: String,
}

/// Lists everything that fits.
pub(crate) fn list(arguments: &Arguments, registry: &Registry) -> Result<(), Failure> {
    let (folders, words): (Vec<&String>, Vec<&String>) =
        arguments.words.iter().partition(|word| Path::new(word).is_dir());
    let folder = match folders.as_slice() {
        [] => Path::new("experiments"),
        [one] => Path::new(one),
        _ => {
            return Err(Failure::input(
                "error: list one folder at a time; other words are filters",
            ));
        }
    };
    let words: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let costs = Costs::load(folder).map_err(|errors| Failure::input(errors.render()))?;
    let mut experiments = Vec::new();
    for file in all_in(folder)? {
        let listing = listing(file, folder, &costs, registry);
        if fits(&words, &listing.text()) {
            experiments.push(listing);
        }
    }
    let scenarios = registry.iter().map(described);
    let scenarios = scenarios.filter(|one| fits(&words, &one.text())).collect();
    let listed = Listed { experiments, scenarios };
    if arguments.json {
        let text = serde_json::to_string_pretty(&listed);
        let text = text.map_err(|error| Failure { message: format!("error: {error}"), code: 1 })?;
        terminal::print(&(text + "\n"));
    } else {
        terminal::print(&text(folder, &listed, !words.is_empty()));
    }
    Ok(())
}

fn text(folder: &Path, listed: &Listed, filtered: bool) -> String {
    let mut text = format!("Experiments in {}\n", folder.display());
    for listing in &listed.experiments {
        text += &format!("  {}\n", listing.file.display());
        match &listing.facts {
            Facts::Runs(runs) => {
                text += &wrapped(&runs.title, 100, "      ");
                text += &format!("      {}{}\n", runs.size, runs.time());
            }
            Facts::Broken { error } => {
                text += &wrapped(&format!("cannot run: {error}"), 100, "      ");
            }
        }
    }
    if listed.experiments.is_empty() {
        text += "  none\n";
    }
    if listed.scenarios.is_empty() && filtered {
        return text;
    }
    text += "\nScenarios\n";
    for scenario in &listed.scenarios {
        text += &format!("  {}\n", scenario.name);
        text += &wrapped(&scenario.about, 100, "      ");
        for policy in &scenario.policies {
            text += &wrapped(&format!("{}: {}", policy.name, policy.about), 100, "        ");
        }
    }
    text
}

fn fits(words: &[String], text: &str) -> bool {
    let text = text.to_lowercase();
    words.iter().all(|word| text.contains(word.as_str()))
}

fn listing(file: PathBuf, folder: &Path, costs: &Costs, registry: &Registry) -> Listing {
    let facts = match Experiment::load(&file, &Overrides::default(), registry) {
        Ok(experiment) => {
            let here = run::manifest(&run::default_folder(&file, &Overrides::default()));
            let here = here.ok().and_then(|manifest| manifest.cpu_seconds);
            let below = file.strip_prefix(folder).unwrap_or(&file).with_extension("");
            let stored = costs.by_name.get(&below.to_string_lossy().into_owned());
            Facts::Runs(Box::new(Runs {
                title: experiment.title.clone(),
                scenario: experiment.scenario.name().to_owned(),
                policies: experiment
                    .policies
                    .iter()
                    .map(|policy| policy.name.to_string())
                    .collect(),
                points: experiment.point_count(),
                seeds: experiment.seeds.clone(),
                runs: experiment.run_count(),
                figures: experiment.figures.len(),
                claims: experiment.claims.len(),
                size: show::size(&experiment),
                cpu_seconds: here.or(stored.and_then(|cost| cost.full)),
                measured_here: here.is_some(),
            }))
        }
        Err(errors) => {
            let error = errors.0.first().map(ToString::to_string).unwrap_or_default();
            Facts::Broken { error }
        }
    };
    Listing { file, facts }
}

impl Listing {
    fn text(&self) -> String {
        let file = self.file.display();
        match &self.facts {
            Facts::Runs(runs) => format!("{file} {} {}", runs.title, runs.scenario),
            Facts::Broken { error } => format!("{file} {error}"),
        }
    }
}

impl Runs {
    /// "; took 12 s of processor time".
    fn time(&self) -> String {
        let words = if self.measured_here { "took" } else { "about" };
        let time = |seconds| format!("; {words} {} s of processor time", number::short(seconds));
        self.cpu_seconds.map_or(String::new(), time)
    }
}

fn described(scenario: &dyn Scenario) -> Described {
    Described {
        name: scenario.name().to_owned(),
        about: scenario.about().to_owned(),
        policies: scenario
            .policies()
            .iter()
            .map(|policy| Policy { name: policy.name.to_string(), about: policy.doc.to_string() })
            .collect(),
    }
}

impl Described {
    fn text(&self) -> String {
        let names: Vec<&str> = self.policies.iter().map(|policy| &*policy.name).collect();
        format!("{} {} {}", self.name, self.about, names.join(" "))
    }
}

/// Files as they are, and those of folders.
pub(crate) fn files(given: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files: Vec<PathBuf> = Vec::new();
    for path in given {
        let found = if path.is_dir() { all_in(path)? } else { vec![path.clone()] };
        if found.is_empty() {
            return Err(Failure::input(format!(
                "error: there are no experiments in {}; give a file, or a folder with some",
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
fn all_in(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    find(folder, DEPTH, &mut files).map_err(|error| unreadable(folder, &error.to_string()))?;
    files.sort();
    Ok(files)
}

fn unreadable(folder: &Path, error: &str) -> Failure {
    let name = folder.display();
    Failure::input(format!(
        "error: cannot read the folder {name}: {error}; give the folder of experiments, as in \
         `forebay list experiments`"
    ))
}

fn find(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let listing = path.file_name().is_some_and(|name| name == reproduction::FILE);
        if path.is_dir() && depth > 0 {
            find(&path, depth - 1, files)?;
        } else if path.extension().is_some_and(|extension| extension == "toml") && !listing {
            files.push(path);
        }
    }
    Ok(())
}
