//! `forebay show`: an experiment as it would run.

use std::path::Path;

use forebay_lab::{Experiment, Overrides, Registry};

use crate::Failure;
use crate::terminal::{self, wrapped};

/// Shows every parameter, the sweep and the number of runs.
pub(crate) fn show(
    file: &Path,
    set: Vec<(String, String)>,
    registry: &Registry,
) -> Result<(), Failure> {
    let overrides = Overrides { set, seeds: Vec::new() };
    let experiment = Experiment::load(file, &overrides, registry)
        .map_err(|errors| Failure::input(errors.render()))?;
    terminal::print(&text(&experiment));
    Ok(())
}

/// "2 policies × 9 points × 5 seeds = 90 runs of single-server".
pub(crate) fn size(experiment: &Experiment) -> String {
    format!(
        "{} policies × {} points × {} seeds = {} runs of {}",
        experiment.policies.len(),
        experiment.point_count(),
        experiment.seeds.len(),
        experiment.run_count(),
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
    let mut group = "";
    let all = experiment.params.parameters().iter().enumerate();
    for (index, parameter) in all.filter(|(_, parameter)| parameter.effective) {
        let path = &*parameter.spec.name;
        let (of, name) = path.rsplit_once('.').unwrap_or(("", path));
        if of != group {
            text += &format!("\n[{of}]\n");
            group = of;
        }
        let swept = experiment.axes.iter().find(|axis| axis.sweeps(index));
        let value = match swept {
            Some(axis) => format!("swept over {} values", axis.values.len()),
            None => parameter.value.to_string(),
        };
        text += &format!("  {name} = {value}\n");
        text += &wrapped(parameter.spec.about, 100, "      ");
        text += &wrapped(&parameter.source(), 100, "      ");
    }
    text
}
