//! What is stored about an experiment beside its numbers: enough to rebuild its report on any
//! machine, without the experiment file and without the engine.

use serde::{Deserialize, Serialize};

use crate::config::{Axis, Claim, Experiment, Figure};
use crate::resolved::{Note, Origin};
use crate::results::number;
use crate::schema::Better;

/// An experiment as it was run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The experiment file, as the user named it.
    pub file: String,
    /// The title of the experiment file, one line.
    pub title: String,
    /// The description of the experiment file, a paragraph.
    pub description: String,
    /// Its scenario's name.
    pub scenario: String,
    /// What the scenario simulates.
    pub about: String,
    /// The policies, in order.
    pub policies: Vec<PolicyRecord>,
    /// The scenario's metrics, in order.
    pub metrics: Vec<MetricRecord>,
    /// The scenario's series, in order.
    pub series: Vec<MetricRecord>,
    /// The swept axes, in order.
    pub axes: Vec<AxisRecord>,
    /// The seeds that were run, in the file's order.
    pub seeds: Vec<u64>,
    /// Every parameter, in order.
    pub parameters: Vec<ParameterRecord>,
    /// What the file asks to be drawn.
    pub figures: Vec<Figure>,
    /// What the paper states, to be compared with what was measured.
    pub claims: Vec<Claim>,
}

/// A policy as it was run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PolicyRecord {
    /// Its name in files and in the columns of results.
    pub name: String,
    /// Its name in figures.
    pub label: String,
    /// What it does.
    pub doc: String,
}

/// A metric or a series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetricRecord {
    /// Its name in files and in the columns of results.
    pub name: String,
    /// Its unit in results, empty for a plain number.
    pub unit: String,
    /// Its name in figures.
    pub label: String,
    /// Which direction is good.
    pub better: Better,
    /// What it is.
    pub doc: String,
}

/// A swept parameter, as a manifest keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AxisRecord {
    /// Its column in results.
    pub name: String,
    /// The path of the parameter that it sweeps.
    pub path: String,
    /// What the parameter means.
    pub doc: String,
    /// The unit of its numbers on an axis.
    pub unit: String,
    /// Whether its column holds numbers, with another column for their unit if they have one;
    /// otherwise texts.
    pub is_number: bool,
    /// Its values, in order.
    pub values: Vec<AxisValue>,
}

/// A value of an axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AxisValue {
    /// The text that equal values have in common.
    pub text: String,
    /// Its place along an axis, if it is a number.
    pub number: Option<f64>,
}

impl AxisValue {
    /// For people: the text, its thousands apart and its unit as reports have it.
    #[must_use]
    pub fn shown(&self) -> String {
        shown(&self.text)
    }
}

/// A parameter's value for people: its thousands apart if it is a number, with a unit or not, and
/// microseconds as reports spell them; a text or a list of nothing says so.
fn shown(value: &str) -> String {
    if value.is_empty() {
        return "(empty)".to_owned();
    }
    let end = value.find(|c: char| !c.is_ascii_digit()).unwrap_or(value.len());
    let (digits, rest) = value.split_at(end);
    let fraction =
        rest.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    if digits.is_empty() || !(rest.is_empty() || rest.starts_with(' ') || fraction) {
        return value.to_owned();
    }
    let rest = match rest.split_once(' ') {
        Some((fraction, unit)) => format!("{fraction} {}", number::shown(unit).1),
        None => rest.to_owned(),
    };
    format!("{}{rest}", number::apart(digits))
}

/// A parameter as it was resolved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParameterRecord {
    /// `group.name`, as in the experiment file.
    pub path: String,
    /// Its value, as canonical text; for a swept one all values, separated by commas.
    pub value: String,
    /// What it means.
    pub doc: String,
    /// Where it was set.
    pub origin: Origin,
    /// What justifies it.
    pub note: Note,
    /// `file:line`, if it was set in the file.
    pub place: Option<String>,
}

impl ParameterRecord {
    /// Its value for people, as [`AxisValue::shown`]; of a swept one all values.
    #[must_use]
    pub fn shown(&self) -> String {
        self.value.split(", ").map(shown).collect::<Vec<_>>().join(", ")
    }
}

impl Record {
    /// The record of a checked experiment.
    #[must_use]
    pub fn of(experiment: &Experiment) -> Self {
        let scenario = &experiment.scenario;
        Record {
            file: experiment.source.name.clone(),
            title: experiment.title.clone(),
            description: experiment.description.clone(),
            scenario: scenario.name().to_owned(),
            about: scenario.about().to_owned(),
            policies: experiment
                .policies
                .iter()
                .map(|policy| PolicyRecord {
                    name: policy.name.clone().into_owned(),
                    label: policy.label.clone().into_owned(),
                    doc: policy.doc.clone().into_owned(),
                })
                .collect(),
            metrics: scenario
                .metrics()
                .iter()
                .map(|m| metric(m.name, m.unit, m.label, m.better, m.doc))
                .collect(),
            series: scenario
                .series()
                .iter()
                .map(|s| metric(s.name, s.unit, s.label, Better::Neither, s.doc))
                .collect(),
            axes: experiment.axes.iter().map(|axis| axis_record(experiment, axis)).collect(),
            seeds: experiment.seeds.clone(),
            parameters: parameters(experiment),
            figures: experiment.figures.clone(),
            claims: experiment.claims.clone(),
        }
    }

    /// How many points the axes span.
    #[must_use]
    pub fn point_count(&self) -> usize {
        self.axes.iter().fold(1, |count, axis| count * axis.values.len())
    }

    /// Which value of each axis the point of this index has.
    #[must_use]
    pub fn coordinates(&self, mut point: usize) -> Vec<usize> {
        let mut indices = vec![0; self.axes.len()];
        for (index, axis) in indices.iter_mut().zip(&self.axes).rev() {
            *index = point % axis.values.len().max(1);
            point /= axis.values.len().max(1);
        }
        indices
    }

    /// The metric of this name and its place, if there is one.
    #[must_use]
    pub fn metric(&self, name: &str) -> Option<(usize, &MetricRecord)> {
        self.metrics.iter().enumerate().find(|(_, metric)| metric.name == name)
    }
}

fn metric(name: &str, unit: &str, label: &str, better: Better, doc: &str) -> MetricRecord {
    MetricRecord {
        name: name.to_owned(),
        unit: unit.to_owned(),
        label: label.to_owned(),
        better,
        doc: doc.to_owned(),
    }
}

fn axis_record(experiment: &Experiment, axis: &Axis) -> AxisRecord {
    let spec = &experiment.params.parameters()[axis.parameter].spec;
    AxisRecord {
        name: axis.name.clone(),
        path: spec.name.to_string(),
        doc: spec.about.to_owned(),
        unit: spec.kind.axis_unit().to_owned(),
        is_number: spec.kind.is_number(),
        values: axis
            .values
            .iter()
            .map(|value| AxisValue { text: value.to_string(), number: value.number() })
            .collect(),
    }
}

fn parameters(experiment: &Experiment) -> Vec<ParameterRecord> {
    let all = experiment.params.parameters().iter().enumerate();
    all.filter(|(_, parameter)| parameter.effective)
        .map(|(index, parameter)| {
            let axis = experiment.axes.iter().find(|axis| axis.parameter == index);
            let value = match axis {
                Some(axis) => {
                    axis.values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
                }
                None => parameter.value.to_string(),
            };
            ParameterRecord {
                path: parameter.spec.name.to_string(),
                value,
                doc: parameter.spec.about.to_owned(),
                origin: parameter.origin,
                note: parameter.note.clone(),
                place: parameter
                    .position
                    .as_ref()
                    .map(|position| format!("{}:{}", position.file, position.line)),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_numbers_have_their_thousands_apart() {
        let shown = |text: &str| AxisValue { text: text.to_owned(), number: None }.shown();
        for (text, expected) in [
            ("10000000", "10,000,000"),
            ("419430 B", "419,430 B"),
            ("12345.5 us", "12,345.5 µs"),
            ("50 us", "50 µs"),
            ("2.5 us", "2.5 µs"),
            ("4096", "4,096"),
            ("20000x4", "20000x4"),
            ("10 KB", "10 KB"),
            ("20261126.toml", "20261126.toml"),
            ("themis", "themis"),
            ("", "(empty)"),
        ] {
            assert_eq!(shown(text), expected);
        }
        let swept = ParameterRecord {
            path: "switch.cells_per_second".to_owned(),
            value: "0, 200000000, 5000000000".to_owned(),
            doc: String::new(),
            origin: Origin::Sweep,
            note: Note::Unstated,
            place: None,
        };
        assert_eq!(swept.shown(), "0, 200,000,000, 5,000,000,000");
    }
}
