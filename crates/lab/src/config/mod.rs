//! An experiment file, read and checked against its scenario's declarations.
//!
//! Decides that nothing runs before everything is right: every unknown key, bad unit, value out of
//! range, misspelt policy, metric, axis or measure is found here, with its line, and all are
//! reported together. Complexity: linear in the file plus one check per point and policy.

mod axes;
mod basis;
mod claim;
mod culprit;
pub(crate) mod document;
mod effect;
mod figure;
mod measure;
mod note;
mod parameters;
pub(crate) mod reader;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

pub use axes::Axis;
pub use basis::Basis;
pub use claim::{Claim, Published};
pub use document::MAX_FILE;
pub use figure::{Figure, FigureKind};
pub use measure::Measure;

use crate::digest::field;
use crate::error::{ConfigError, ConfigErrors, Position, SourceText};
use crate::registry::ScenarioRegistry;
use crate::resolved::{Origin, Resolved};
use crate::scenario::{Lack, Scenario};
use crate::schema::PolicyInfo;
use culprit::blame;
use document::{Table, Tree};
use forebay_parameters::{UnknownName, suggest};
use reader::Reader;

/// The most runs one experiment may have.
pub const MAX_RUNS: usize = 1_000_000;

/// What the command line changes in an experiment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// Parameters: name or path, and text. On a swept axis the value (or `[list]`) replaces the
    /// axis.
    pub set: Vec<(String, String)>,
    /// Where each of `set` is written, if that is in a file; empty if they are of the command line.
    pub places: Vec<Position>,
    /// Seeds; none keeps the file's.
    pub seeds: Vec<u64>,
    /// Which of the file's policies to run; none keeps all.
    pub policies: Vec<String>,
}

impl Overrides {
    /// Eight hexadecimal digits of a BLAKE3 hash over what is changed, whatever the order on the
    /// command line. None if nothing is changed.
    #[must_use]
    pub fn digest(&self) -> Option<String> {
        if self.set.is_empty() && self.seeds.is_empty() && self.policies.is_empty() {
            return None;
        }
        let set: BTreeMap<&str, &str> =
            self.set.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        let seeds: BTreeSet<u64> = self.seeds.iter().copied().collect();
        let mut hasher = blake3::Hasher::new();
        for (name, text) in set {
            field(&mut hasher, name);
            field(&mut hasher, text);
        }
        field(&mut hasher, "seeds");
        for seed in seeds {
            field(&mut hasher, &seed.to_string());
        }
        // Folders of choices without policies are called as before there were any.
        for policy in self.policies.iter().collect::<BTreeSet<_>>() {
            field(&mut hasher, "policy");
            field(&mut hasher, policy);
        }
        Some(hasher.finalize().to_hex()[..8].to_owned())
    }
}

/// An experiment file that has been read and checked, parameter by parameter.
#[derive(Clone)]
pub struct Experiment {
    /// The experiment file, which errors point into.
    pub source: SourceText,
    /// One line.
    pub title: String,
    /// What it is about, in a paragraph.
    pub description: String,
    /// What it runs.
    pub scenario: Arc<dyn Scenario>,
    /// Which policies, in the file's order.
    pub policies: Vec<PolicyInfo>,
    /// The seeds, each at least 1.
    pub seeds: Vec<u64>,
    /// Every parameter; swept ones at their axis's first value.
    pub params: Resolved,
    /// The swept parameters, in the file's order, the last one changing fastest.
    pub axes: Vec<Axis>,
    /// What to draw.
    pub figures: Vec<Figure>,
    /// What the paper states.
    pub claims: Vec<Claim>,
}

impl std::fmt::Debug for Experiment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Experiment")
            .field("file", &self.source.name)
            .field("scenario", &self.scenario.name())
            .finish_non_exhaustive()
    }
}

/// Reads bytes as an experiment over the scenarios of `registry`; any input gives a value or
/// errors.
///
/// # Errors
/// Every problem of the file.
pub fn parse(bytes: &[u8], registry: &ScenarioRegistry) -> Result<Experiment, ConfigErrors> {
    let overrides = Overrides::default();
    Experiment::read("experiment.toml", bytes, Path::new("."), &overrides, registry)
}

impl Experiment {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// The file cannot be read, or has problems: all of them.
    pub fn load(
        path: &Path,
        overrides: &Overrides,
        registry: &ScenarioRegistry,
    ) -> Result<Self, ConfigErrors> {
        let name = path.display().to_string();
        let bytes = forebay_files::read(path, MAX_FILE as u64).map_err(|error| {
            ConfigError::new(format!("cannot read {name}: {error}")).naming_file().fix(
                match path.is_symlink() {
                    true => "repair the link, or remove it",
                    false => "give the path of an experiment file",
                },
            )
        })?;
        let folder = path.parent().unwrap_or(Path::new("."));
        Experiment::read(&name, &bytes, folder, overrides, registry)
    }

    /// Whether a TOML file is meant as an experiment: it names a scenario or policies. A file that
    /// is no TOML may be meant as one.
    #[must_use]
    pub fn is_meant(bytes: &[u8]) -> bool {
        document::read("", bytes).map_or(true, |(_, table)| {
            ["scenario", "policies"].iter().any(|key| table.get(key).is_some())
        })
    }

    /// Reads the content of a file called `name`, whose paths are relative to `folder`.
    ///
    /// # Errors
    /// Every problem of the file.
    pub fn read(
        name: &str,
        bytes: &[u8],
        folder: &Path,
        overrides: &Overrides,
        registry: &ScenarioRegistry,
    ) -> Result<Self, ConfigErrors> {
        let (source, table) = document::read(name, bytes)?;
        let mut reader = Reader::new(source);
        let Some(scenario) = read_scenario(&mut reader, &table, registry) else {
            return Err(reader.into_errors());
        };
        let title = reader.required_text(&table, "title", "the file");
        let description = reader.optional_text(&table, "description");
        let before = reader.errors.len();
        let policies = read_policies(&mut reader, &table, scenario.policies());
        let policies_hold = reader.errors.len() == before;
        let seeds = read_seeds(&mut reader, &table, &overrides.seeds);
        let mut params = Resolved::of(&*scenario, folder);
        parameters::read_groups(&mut reader, &table, &mut params);
        let before = reader.errors.len();
        let mut axes = axes::read(&mut reader, &table, &mut params);
        parameters::apply_overrides(&mut reader, overrides, &mut params, &mut axes);
        let axes_hold = reader.errors.len() == before;
        // With a broken sweep or policy list, what refers to them would only repeat the complaint.
        let figures = match axes_hold && policies_hold {
            true => figure::read_all(&mut reader, &table, &*scenario, &policies, &params, &axes),
            false => Vec::new(),
        };
        let claims = match axes_hold && policies_hold {
            true => claim::read_all(&mut reader, &table, &*scenario, &policies, &params, &axes),
            false => Vec::new(),
        };
        let source = reader.source.clone();
        let mut experiment = Experiment {
            source,
            title,
            description,
            scenario,
            policies,
            seeds,
            params,
            axes,
            figures,
            claims,
        };
        if !reader.errors.is_empty() {
            return Err(reader.into_errors());
        }
        let listed = experiment.policies.clone();
        if !overrides.policies.is_empty() {
            let chosen = experiment.keep_policies(&overrides.policies);
            chosen.map_err(|errors| match table.get("policies") {
                Some(entry) => errors.at(&experiment.source.position(&entry.node.span)),
                None => errors,
            })?;
        }
        experiment.check(&mut reader, &listed);
        // What the command line takes away from a figure is no mistake of the file.
        if reader.errors.is_empty() && overrides.set.is_empty() && overrides.policies.is_empty() {
            experiment.refuse_absent(&mut reader, &table);
        }
        if reader.errors.is_empty() { Ok(experiment) } else { Err(reader.into_errors()) }
    }

    /// Whether a run with these parameters is measured on this machine, in real time.
    #[must_use]
    pub fn is_live_at(&self, params: &Resolved, policy: &str) -> bool {
        self.scenario.live_runs().is_some_and(|live| live.is_live(params, policy))
    }

    /// Whether any run is measured on this machine, in real time.
    #[must_use]
    pub fn is_live(&self) -> bool {
        self.scenario.live_runs().is_some()
            && self.every(|params, policy| self.is_live_at(params, policy).then_some(())).is_some()
    }

    /// Why this machine cannot make all of its runs, and what would do; none if it can.
    #[must_use]
    pub fn unable(&self) -> Option<String> {
        let live = self.scenario.live_runs()?;
        self.every(|params, policy| {
            let is_live = live.is_live(params, policy);
            is_live.then(|| live.unable(params, policy)).flatten()
        })
    }

    /// What is first found at a point under a policy.
    fn every<T>(&self, find: impl Fn(&Resolved, &str) -> Option<T>) -> Option<T> {
        (0..self.point_count()).find_map(|point| {
            let params = self.at_point(point);
            self.policies.iter().find_map(|policy| find(&params, &policy.name))
        })
    }

    /// The names in the list of policies of a TOML file, known or not; none of what is no
    /// experiment.
    #[must_use]
    pub fn policies_in(bytes: &[u8]) -> Vec<String> {
        let Ok((_, table)) = document::read("", bytes) else { return Vec::new() };
        let Some(Tree::Array(items)) = table.get("policies").map(|entry| &entry.node.tree) else {
            return Vec::new();
        };
        let texts = items.iter().filter_map(|item| match &item.tree {
            Tree::Text(name) => Some(name.clone()),
            _ => None,
        });
        texts.collect()
    }

    /// Leaves only the policies of these names, in the file's order. Figures and claims about
    /// others are left out, and parameters that only others read have no effect.
    ///
    /// # Errors
    /// The experiment does not run one of them; it is then unchanged.
    pub fn choose_policies(&mut self, names: &[String]) -> Result<(), ConfigErrors> {
        self.keep_policies(names)?;
        let effective = self.effective(&self.policies);
        for (parameter, effective) in self.params.parameters.iter_mut().zip(effective) {
            parameter.effective = effective;
        }
        Ok(())
    }

    /// The same, but for the effect of parameters.
    fn keep_policies(&mut self, names: &[String]) -> Result<(), ConfigErrors> {
        let known = |name: &str| self.policies.iter().any(|policy| policy.name == name);
        let unknown = names.iter().filter(|name| !known(name)).map(|name| {
            let message = format!("the experiment does not run policy `{name}`");
            let known = self.policies.iter().map(|policy| &*policy.name);
            ConfigError::new(message).fix(suggest(name, known))
        });
        let unknown: Vec<ConfigError> = unknown.collect();
        if !unknown.is_empty() {
            return Err(ConfigErrors(unknown));
        }
        let chosen = |name: &str| names.iter().any(|other| other == name);
        self.policies.retain(|policy| chosen(&policy.name));
        let whole =
            |claim: &Claim| chosen(&claim.subject) && claim.against.iter().all(|name| chosen(name));
        self.claims.retain(whole);
        // A figure that draws others alone, or relative to others, has nothing to show.
        self.figures.retain_mut(|figure| {
            let relative = !figure.relative.is_empty();
            figure.relative.retain(|(policy, base)| chosen(policy) && chosen(base));
            figure.policies.is_empty() && !(relative && figure.relative.is_empty())
                || figure.policies.iter().any(|name| chosen(name))
        });
        Ok(())
    }

    /// Which parameters any run under one of these policies reads.
    fn effective(&self, policies: &[PolicyInfo]) -> Vec<bool> {
        let mut effective = vec![false; self.params.parameters.len()];
        for point in 0..self.point_count() {
            let params = self.at_point(point);
            for policy in policies {
                params.mark(&mut *self.scenario.configure(&policy.name), &mut effective);
            }
        }
        effective
    }

    /// Refuses figures and claims about what no run has.
    fn refuse_absent(&self, reader: &mut Reader, table: &Table) {
        let mut tables = reader.tables(table, "figure");
        tables.extend(reader.tables(table, "claim"));
        for (table, _) in tables {
            let Some(entry) = table.get("metric").or(table.get("series")) else { continue };
            let Tree::Text(name) = &entry.node.tree else { continue };
            if let Some(Lack { why, parameter }) = self.lack(name) {
                let message = format!("no run has `{name}`: {why}");
                reader.fail(
                    &entry.node.span,
                    message,
                    format!("set {parameter}, or leave out what asks for it"),
                );
            }
        }
    }

    /// What every run lacks to have values of a metric or a series; none if one of them may have
    /// some.
    #[must_use]
    pub fn lack(&self, quantity: &str) -> Option<Lack> {
        let mut found = None;
        for point in 0..self.point_count() {
            let params = self.at_point(point);
            for policy in &self.policies {
                found = Some(self.scenario.lacks(&params, &policy.name, quantity)?);
            }
        }
        found
    }

    /// How many points the axes span.
    #[must_use]
    pub fn point_count(&self) -> usize {
        self.axes.iter().fold(1usize, |count, axis| count.saturating_mul(axis.values.len()))
    }

    /// How many runs the experiment has: policies × points × seeds.
    #[must_use]
    pub fn run_count(&self) -> usize {
        self.point_count().saturating_mul(self.policies.len()).saturating_mul(self.seeds.len())
    }

    /// Which value of each axis the point of this index has.
    #[must_use]
    pub fn coordinates(&self, mut point: usize) -> Vec<usize> {
        let mut indices = vec![0; self.axes.len()];
        for (index, axis) in indices.iter_mut().zip(&self.axes).rev() {
            let length = axis.values.len().max(1);
            *index = point % length;
            point /= length;
        }
        indices
    }

    /// The parameters at the point of this index.
    #[must_use]
    pub fn at_point(&self, point: usize) -> Resolved {
        let mut params = self.params.clone();
        for (axis, index) in self.axes.iter().zip(self.coordinates(point)) {
            if let Some(parameter) = params.parameters.get_mut(axis.parameter) {
                parameter.value = axis.values[index].clone();
            }
        }
        params
    }

    /// Checks every point under every policy that runs, and that each parameter that was set has an
    /// effect: what the file sets, under one of the policies that it lists; what is set beside it,
    /// under one that runs.
    fn check(&mut self, reader: &mut Reader, listed: &[PolicyInfo]) {
        if self.run_count() > MAX_RUNS {
            let error = ConfigError::new(format!(
                "the experiment has {} runs; at most {MAX_RUNS} are allowed",
                self.run_count()
            ));
            reader.errors.push(error.fix("sweep fewer values, or split the experiment"));
            return;
        }
        let known = reader.errors.len();
        // Most points fail alike, and for the same value.
        let (mut seen, mut culprit) = (Vec::new(), None);
        for point in 0..self.point_count() {
            let params = self.at_point(point);
            for policy in &self.policies {
                let Err(error) = self.scenario.check(&params, &policy.name) else { continue };
                if seen.contains(&error) {
                    continue;
                }
                seen.push(error.clone());
                culprit = self.culprit(&params, &policy.name, &error, culprit);
                let error = match culprit {
                    Some(index) => blame(&params, index, error),
                    None => error,
                };
                if !reader.errors.contains(&error) {
                    reader.errors.push(error);
                }
            }
            if reader.errors.len() >= 20 {
                return;
            }
        }
        let effective = self.effective(&self.policies);
        for (parameter, effective) in self.params.parameters.iter_mut().zip(effective) {
            parameter.effective = effective;
        }
        // A configuration that cannot be made does not show what it would read.
        if reader.errors.len() > known {
            return;
        }
        let mut idle: Vec<usize> = (0..self.params.parameters.len()).collect();
        idle.retain(|index| !self.params.parameters[*index].effective);
        let set =
            |index: &usize, ways: &[Origin]| ways.contains(&self.params.parameters[*index].origin);
        let of_file = [Origin::ExperimentFile, Origin::Sweep];
        let read = match idle.iter().any(|index| set(index, &of_file)) {
            true if listed.len() > self.policies.len() => self.effective(listed),
            true | false => vec![false; self.params.parameters.len()],
        };
        for index in idle {
            if set(&index, &[Origin::CommandLine]) {
                reader.errors.push(self.without_effect(index, &self.policies));
            } else if set(&index, &of_file) && !read[index] {
                let error = self.made_idle(index, listed);
                reader.errors.push(error.unwrap_or_else(|| self.without_effect(index, listed)));
            }
        }
    }
}

fn read_scenario(
    reader: &mut Reader,
    table: &Table,
    registry: &ScenarioRegistry,
) -> Option<Arc<dyn Scenario>> {
    let name = reader.required_text(table, "scenario", "the file");
    match (registry.get(&name), table.get("scenario")) {
        (Ok(scenario), _) => Some(scenario),
        (Err(unknown), Some(entry)) if !name.is_empty() => {
            reader.unknown(&entry.node.span, &unknown);
            None
        }
        (Err(_), _) => None,
    }
}

fn read_policies(reader: &mut Reader, table: &Table, known: &[PolicyInfo]) -> Vec<PolicyInfo> {
    let mut policies: Vec<PolicyInfo> = Vec::new();
    let names = || known.iter().map(|policy| &*policy.name);
    for (name, span) in reader.texts(table, "policies", "the names of policies") {
        let Some(policy) = known.iter().find(|policy| policy.name == name) else {
            reader.unknown(&span, &UnknownName::new("policy", &name, names()));
            continue;
        };
        if policies.iter().any(|other| other.name == policy.name) {
            reader.fail(&span, format!("policy `{name}` is listed twice"), "remove one");
            continue;
        }
        policies.push(policy.clone());
    }
    if table.get("policies").is_none() {
        let list = names().collect::<Vec<_>>().join("\", \"");
        reader.missing("the file names no policies", format!("add policies = [\"{list}\"]"));
    }
    policies
}

fn read_seeds(reader: &mut Reader, table: &Table, given: &[u64]) -> Vec<u64> {
    if let Some(zero) = given.iter().find(|seed| **seed == 0) {
        reader.missing(format!("seed {zero} is not positive"), "seeds count from 1");
    }
    // A seed that is given twice counts once: the same run again would narrow the intervals.
    let mut chosen: Vec<u64> = Vec::new();
    for seed in given.iter().filter(|seed| **seed > 0) {
        if !chosen.contains(seed) {
            chosen.push(*seed);
        }
    }
    let Some(entry) = table.get("seeds") else {
        return if given.is_empty() { vec![1] } else { chosen };
    };
    let Tree::Array(items) = &entry.node.tree else {
        let found = entry.node.describe();
        reader.fail(&entry.node.span, format!("seeds is {found}"), "write seeds = [1, 2, 3]");
        return Vec::new();
    };
    if items.is_empty() {
        reader.fail(&entry.node.span, "there are no seeds", "write seeds = [1]");
    }
    let mut seeds = Vec::new();
    for item in items {
        match item.tree {
            Tree::Int(seed) if seed > 0 && !seeds.contains(&seed.unsigned_abs()) => {
                seeds.push(seed.unsigned_abs());
            }
            Tree::Int(seed) if seed > 0 => {
                reader.fail(&item.span, format!("seed {seed} is listed twice"), "remove one");
            }
            _ => reader.fail(
                &item.span,
                format!("{} is not a seed", item.describe()),
                "a seed is a whole number of at least 1",
            ),
        }
    }
    if given.is_empty() { seeds } else { chosen }
}

#[cfg(test)]
pub(crate) mod tests;
