//! `forebay list`: the experiments in a folder, the scenarios with their policies, and what their
//! parameters name.

use std::path::{Path, PathBuf};

use forebay_lab::reproduction::costs::Costs;
use forebay_lab::results::number;
use forebay_lab::{Experiment, Overrides, Scenario, ScenarioRegistry, run};
use forebay_parameters::Entry;
use forebay_scenarios::Policies;
use serde::Serialize;

use crate::packaged::{self, USUAL};
use crate::terminal::{self, wrapped};
use crate::{Failure, folder, show};

/// What is to be listed.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Only what has all these words in its path, title or scenario; a folder is where experiments
    /// are looked for [default: experiments, or those of the package].
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
    choices: Vec<Choices>,
}

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

#[derive(Serialize)]
struct Described {
    name: String,
    about: String,
    policies: Vec<Policy>,
}

/// What a parameter of a scenario, or an option, can name.
#[derive(Serialize)]
struct Choices {
    what: &'static str,
    entries: Vec<Policy>,
}

#[derive(Serialize)]
struct Policy {
    name: String,
    about: String,
}

/// Lists everything that fits.
pub(crate) fn list(
    arguments: &Arguments,
    packaged: Option<&Path>,
    policies: &Policies,
    registry: &ScenarioRegistry,
) -> Result<(), Failure> {
    let (folders, words): (Vec<&String>, Vec<&String>) =
        arguments.words.iter().partition(|word| Path::new(word).is_dir());
    if let Some(file) = words.iter().find(|word| Path::new(word).is_file()) {
        return Err(Failure::input(format!(
            "error: {file} is a file; `forebay show {file}` shows what it holds, and list takes \
             folders"
        )));
    }
    let packaged = packaged::meant(packaged).filter(|_| folders.is_empty());
    let place = match folders.as_slice() {
        [] if packaged.is_some() => packaged.unwrap_or(Path::new(USUAL)),
        [] if !words.is_empty() && !Path::new(USUAL).is_dir() => {
            return Err(Failure::input(format!(
                "error: there is no folder {}, nor a folder {USUAL} to look for it in; give the \
                 folder of experiments",
                words[0]
            )));
        }
        [] => Path::new(USUAL),
        [one] => Path::new(one),
        _ => {
            return Err(Failure::input(
                "error: list one folder at a time; other words are filters",
            ));
        }
    };
    let words: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    // What the program knows can be listed anywhere.
    let is_nowhere = folders.is_empty() && !place.is_dir();
    let costs = Costs::load(place).map_err(|errors| Failure::input(errors.render()))?;
    let files = if is_nowhere { Vec::new() } else { folder::all_in(place)? }.into_iter();
    let mut listed = Listed {
        experiments: files.map(|file| listing(file, place, &costs, registry)).collect(),
        scenarios: registry.iter().map(described).collect(),
        choices: vec![
            choices(policies.switches.ranks()),
            choices(policies.switches.port_schedulers()),
            choices(policies.switches.disciplines()),
            choices(&policies.controls),
        ],
    };
    listed.keep(&words, place)?;
    if arguments.json {
        let text = serde_json::to_string_pretty(&listed);
        let text = text.map_err(|error| Failure::new(format!("error: {error}"), 1))?;
        terminal::print(&(text + "\n"))?;
    } else {
        terminal::print(&text(place, &listed, !words.is_empty()))?;
    }
    if let Some(packaged) = packaged {
        terminal::warn(&format!(
            "note: there is no folder {USUAL} here, so these are the package's, in {}",
            packaged.display()
        ));
    }
    if is_nowhere {
        terminal::warn(&format!(
            "note: there is no folder {USUAL} here; `forebay new experiment NAME` writes an experiment, \
             and `forebay list FOLDER` lists those of a folder"
        ));
    }
    Ok(())
}

impl Listed {
    /// Leaves what has all these words; a word that nothing has is a mistake, or a folder that is
    /// not there.
    fn keep(&mut self, words: &[String], place: &Path) -> Result<(), Failure> {
        let experiments = self.experiments.iter().map(Listing::text);
        let entries = self.choices.iter().flat_map(|all| all.entries.iter().map(Policy::text));
        let scenarios = self.scenarios.iter().map(Described::text);
        let texts: Vec<String> = experiments.chain(scenarios).chain(entries).collect();
        let unknown =
            |word: &&String| !texts.iter().any(|text| fits(std::slice::from_ref(*word), text));
        if let Some(word) = words.iter().find(unknown) {
            return Err(Failure::input(format!(
                "error: there is no folder `{word}`, and nothing in {} has `{word}` in its path, \
                 title or scenario; `forebay list` shows all that there is",
                place.display()
            )));
        }
        self.experiments.retain(|one| fits(words, &one.text()));
        self.scenarios.retain(|one| fits(words, &one.text()));
        for all in &mut self.choices {
            all.entries.retain(|one| fits(words, &one.text()));
        }
        self.choices.retain(|all| !all.entries.is_empty());
        Ok(())
    }
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
    if !listed.scenarios.is_empty() || !filtered {
        text += "\nScenarios\n";
    }
    for scenario in &listed.scenarios {
        text += &format!("  {}\n", scenario.name);
        text += &wrapped(&scenario.about, 100, "      ");
        for policy in &scenario.policies {
            text += &wrapped(&policy.text(), 100, "        ");
        }
    }
    for Choices { what, entries } in &listed.choices {
        let (first, rest) = what.split_at(1);
        text += &format!("\n{}{rest}s\n", first.to_uppercase());
        for entry in entries {
            text += &wrapped(&entry.text(), 100, "  ");
        }
    }
    text
}

fn fits(words: &[String], text: &str) -> bool {
    let text = text.to_lowercase();
    words.iter().all(|word| text.contains(word.as_str()))
}

fn listing(file: PathBuf, folder: &Path, costs: &Costs, registry: &ScenarioRegistry) -> Listing {
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

fn choices<E: Entry>(entries: &forebay_parameters::Registry<E>) -> Choices {
    let entry = |one: &E| Policy { name: one.name().to_owned(), about: one.about().to_owned() };
    Choices { what: E::WHAT, entries: entries.iter().map(entry).collect() }
}

impl Policy {
    fn text(&self) -> String {
        format!("{}: {}", self.name, self.about)
    }
}

impl Described {
    fn text(&self) -> String {
        let names: Vec<&str> = self.policies.iter().map(|policy| &*policy.name).collect();
        format!("{} {} {}", self.name, self.about, names.join(" "))
    }
}
