//! What the views share: a table or JSON, the models by name, numbers and labels.

use forebay_asic::{CostModel, QueueShapeError, STRUCTURES, Shape, Tuning, structure};
use forebay_parameters::UnknownName;
use serde::Serialize;

use crate::Failure;

/// The widest line.
pub(super) const WIDTH: usize = 100;

/// A table for people and the same numbers as JSON.
pub(super) struct Shown<R> {
    pub(super) text: String,
    pub(super) rows: R,
}

impl<R: Serialize> Shown<R> {
    pub(super) fn shown(self, json: bool) -> Result<String, Failure> {
        if !json {
            return Ok(self.text);
        }
        let text = serde_json::to_string_pretty(&self.rows);
        text.map(|text| text + "\n").map_err(|error| {
            Failure::new(format!("error: the numbers cannot be written as JSON: {error}"), 1)
        })
    }
}

/// Input that a model refuses.
pub(super) fn refused(error: impl std::fmt::Display) -> Failure {
    Failure::input(format!("error: {error}"))
}

/// The models with these names; all of them if none is named.
pub(super) fn models(names: &[String]) -> Result<Vec<&'static CostModel>, Failure> {
    if names.is_empty() {
        return Ok(STRUCTURES.iter().collect());
    }
    let known = || STRUCTURES.iter().map(|model| model.name);
    let find = |name: &String| {
        structure(name).ok_or_else(|| refused(UnknownName::new("structure", name, known())))
    };
    names.iter().map(find).collect()
}

/// "ClubHeap, K=2".
pub(super) fn label(model: &CostModel, shape: &Shape) -> String {
    let title = model.title;
    match model.tuning {
        Tuning::Nothing => title.to_owned(),
        Tuning::BitmapWidth => format!("{title}, W={}", shape.bitmap_width),
        Tuning::Cluster => format!("{title}, K={}", shape.cluster),
        Tuning::Ways => format!("{title}, {}-way", shape.ways),
    }
}

/// A share with one decimal, "87.5 %"; without decimals from 10,000 % on.
pub(super) fn percent(part: u128, whole: u128) -> String {
    let share = 100.0 * part as f64 / whole as f64;
    let decimals = if share < 10_000.0 { 1 } else { 0 };
    format!("{} %", forebay_lab::results::number::fixed(share, decimals))
}

/// A count with thousands separated; large ones rounded.
pub(super) fn count(value: u128) -> String {
    if value < 1_000_000_000 {
        forebay_lab::results::number::fixed(value as f64, 0)
    } else {
        forebay_lab::results::number::short(value as f64)
    }
}

pub(super) fn cells<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

impl From<QueueShapeError> for Failure {
    fn from(error: QueueShapeError) -> Self {
        refused(error)
    }
}
