//! What a page shows of a run: charts, tables and numbers, whatever the laboratory. All of it is
//! data, so that a page draws every laboratory alike and has a table of every chart.

use serde::Serialize;

/// A line of a chart.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// What it is of, as `port 3`.
    pub name: String,
    /// Whether it is a limit: at so much something happens.
    pub dashed: bool,
    /// A value at each place of the chart's axis; none where there was nothing to read.
    pub values: Vec<Option<f64>>,
}

/// A chart.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Chart {
    /// The same on both sides, which are then drawn side by side.
    pub id: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// What is along: its name and unit.
    pub x: [&'static str; 2],
    /// What is upwards.
    pub y: [&'static str; 2],
    /// Whether each axis is logarithmic.
    pub log: [bool; 2],
    /// The places along.
    pub at: Vec<f64>,
    /// The lines.
    pub lines: Vec<Line>,
}

/// A table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Table {
    /// What it shows.
    pub title: &'static str,
    /// Its columns.
    pub heads: Vec<&'static str>,
    /// Its rows, as many texts as there are columns.
    pub rows: Vec<Vec<String>>,
}

/// A number to compare the sides by.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measure {
    /// What it is, as `mean completion time`.
    pub name: &'static str,
    /// How much; none if there is nothing to measure.
    pub value: Option<f64>,
    /// Its unit: `us`, `bytes`, `packets`, `b/s`, or nothing.
    pub unit: &'static str,
    /// Whether less is better; none if neither is.
    pub less_is_better: Option<bool>,
}

impl Measure {
    pub(crate) fn of(
        name: &'static str,
        value: impl Into<Option<f64>>,
        unit: &'static str,
        less_is_better: Option<bool>,
    ) -> Self {
        Measure { name, value: value.into(), unit, less_is_better }
    }
}

/// A side as it stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Picture {
    /// How far it has come, in words.
    pub progress: String,
    /// How far, from 0 to 1, if that is known.
    pub part: Option<f64>,
    /// The numbers so far.
    pub measures: Vec<Measure>,
    /// The charts so far.
    pub charts: Vec<Chart>,
    /// The tables so far.
    pub tables: Vec<Table>,
}
