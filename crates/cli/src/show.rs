//! `forebay show`: an experiment as it would run, or what a scenario offers.

use std::path::Path;

use forebay_files::Input;
use forebay_lab::resolved::Parameter;
use forebay_lab::results::number::plural;
use forebay_lab::{Experiment, Overrides, Resolved, Scenario, ScenarioRegistry};
use forebay_parameters::listed_all;

use crate::terminal::{self, wrapped};
use crate::{Failure, experiment};

/// Shows every parameter, the sweep and the number of runs; of a scenario every parameter, policy
/// and metric.
pub(crate) fn show(
    file: &Path,
    set: Vec<(String, String)>,
    registry: &ScenarioRegistry,
) -> Result<(), Failure> {
    // A word that is no file may be a scenario, a misspelt one perhaps.
    let bare = !Input::of(file).is_standard()
        && file.extension().is_none()
        && file.components().count() == 1
        && !file.exists();
    if let Some(name) = file.to_str().filter(|_| bare) {
        let scenario = registry.get(name).map_err(|unknown| {
            Failure::input(format!("error: there is no file {name}, and {unknown}"))
        })?;
        if !set.is_empty() {
            let message = "error: --set changes an experiment: give a file, or leave it out";
            return Err(Failure::input(message));
        }
        terminal::print(&of_scenario(&*scenario))?;
        return Ok(());
    }
    let overrides = Overrides { set, ..Overrides::default() };
    let experiment = experiment::load(file, &overrides, registry)?
        .map_err(|errors| Failure::input(errors.render()))?;
    terminal::print(&text(&experiment))
}

/// "2 policies × 9 points × 5 seeds = 90 runs of single-server".
pub(crate) fn size(experiment: &Experiment) -> String {
    format!(
        "{} × {} × {} = {} of {}",
        plural(experiment.policies.len(), "policy", "policies"),
        plural(experiment.point_count(), "point", "points"),
        plural(experiment.seeds.len(), "seed", "seeds"),
        plural(experiment.run_count(), "run", "runs"),
        experiment.scenario.name()
    )
}

fn text(experiment: &Experiment) -> String {
    let mut text = format!("{}\n", experiment.title);
    text += &wrapped(&experiment.description, 100, "  ");
    text += &format!("\n{}\n", size(experiment));
    let policies: Vec<&str> = experiment.policies.iter().map(|policy| &*policy.name).collect();
    text += &format!("  policies: {}\n", policies.join(", "));
    let seeds: Vec<String> = experiment.seeds.iter().map(u64::to_string).collect();
    text += &wrapped(&format!("seeds: {}", seeds.join(", ")), 100, "  ");
    for axis in &experiment.axes {
        let values: Vec<String> = axis.values.iter().map(ToString::to_string).collect();
        text += &wrapped(&format!("sweep {}: {}", axis.name, values.join(", ")), 100, "  ");
    }
    let mut groups = Groups::default();
    let all = experiment.params.parameters().iter().enumerate();
    for (index, parameter) in all.filter(|(_, parameter)| parameter.effective) {
        let swept = experiment.axes.iter().find(|axis| axis.sweeps(index));
        let value = match swept {
            Some(axis) => format!("swept over {}", plural(axis.values.len(), "value", "values")),
            None => parameter.value.to_string(),
        };
        text += &groups.parameter(parameter, &value);
        text += &wrapped(&parameter.source(), 100, "      ");
    }
    text
}

/// Writes parameters under the names of their groups.
#[derive(Default)]
struct Groups(String);

impl Groups {
    /// A parameter, its value and what it means, under its group's name if that is another than the
    /// last one's.
    fn parameter(&mut self, parameter: &Parameter, value: &str) -> String {
        let path = &*parameter.spec.name;
        let (of, name) = path.rsplit_once('.').unwrap_or(("", path));
        let mut text = String::new();
        if of != self.0 {
            text += &format!("\n[{of}]\n");
            of.clone_into(&mut self.0);
        }
        let value = if value.is_empty() { "\"\"" } else { value };
        text += &format!("  {name} = {value}\n");
        text + &wrapped(parameter.spec.about, 100, "      ")
    }
}

/// Everything that a scenario offers: parameters at their defaults, policies, metrics and series.
fn of_scenario(scenario: &dyn Scenario) -> String {
    let mut text = format!("{}\n", scenario.name());
    text += &wrapped(scenario.about(), 100, "  ");
    let params = Resolved::of(scenario, Path::new("."));
    let readers = readers(scenario);
    let mut groups = Groups::default();
    for parameter in params.parameters() {
        text += &groups.parameter(parameter, &parameter.value.to_string());
        text += &wrapped(
            &format!("{}: {}", parameter.spec.kind.describe(), parameter.source()),
            100,
            "      ",
        );
        let of: Vec<&str> = readers
            .iter()
            .filter(|(_, names)| names.contains(&parameter.spec.name.to_string()))
            .map(|(policy, _)| *policy)
            .collect();
        if of.len() < readers.len() {
            text += &wrapped(&format!("only {}", of.join(", ")), 100, "      ");
        }
    }
    text += "\n[policies]\n";
    for policy in scenario.policies() {
        text += &wrapped(&format!("{}: {}", policy.name, policy.doc), 100, "  ");
    }
    text += "\n[metrics]\n";
    for metric in scenario.metrics() {
        text += &described(metric.name, metric.unit, metric.doc);
    }
    if !scenario.series().is_empty() {
        text += "\n[series]\n";
    }
    for series in scenario.series() {
        text += &described(series.name, series.unit, series.doc);
    }
    text
}

/// The parameters that each policy has at the defaults.
fn readers(scenario: &dyn Scenario) -> Vec<(&str, Vec<String>)> {
    let policies = scenario.policies().iter();
    policies
        .map(|policy| {
            let all = listed_all(&mut *scenario.configure(&policy.name)).into_iter();
            (&*policy.name, all.map(|one| one.parameter.name.to_string()).collect())
        })
        .collect()
}

/// "loss_fraction (fraction): lost over arrived".
fn described(name: &str, unit: &str, doc: &str) -> String {
    let unit = if unit.is_empty() { String::new() } else { format!(" ({unit})") };
    wrapped(&format!("{name}{unit}: {doc}"), 100, "  ")
}
