//! What a scheduler is built from: a choice of the catalogue with its parameters, or a rule of the user's.

use std::fmt;
use std::sync::Arc;

use forebay_parameters::{Choice, Configure, Entry};
use forebay_sched::fair::Limits;
use forebay_sched::functions::expression::FIELDS;
use forebay_sched::scheduler::{PacketScheduler, SchedulerShape, tree};
use forebay_sched::tree::TreeConfig;
use forebay_units::Rate;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::ranking::Held;
use crate::arguments::bits_per_second;
use crate::catalogue::catalogue;
use crate::engine::rule::Rule;
use crate::errors;
use crate::parameters::Parameters;

/// What a scheduler is built from, once and again.
pub(super) enum Made {
    Named { choice: Choice<dyn PacketScheduler>, link_rate: Rate },
    Ranked { rule: Arc<Rule>, limits: Limits },
}

impl Made {
    /// One of the catalogue.
    pub(super) fn named(name: &str, parameters: &mut Parameters<'_>) -> PyResult<Self> {
        let known = catalogue().schedulers();
        let mut choice = known.named(name).map_err(errors::shape)?.clone();
        with_tree(&mut choice, parameters)?;
        parameters.fill(&mut choice)?;
        let mut link_rate = Rate::from_gbps(10);
        let rate = |value: &Bound<'_, PyAny>| bits_per_second(value).map(Rate::from_bps);
        parameters.set("link_rate", &mut link_rate, rate)?;
        Ok(Made::Named { choice, link_rate })
    }

    /// One whose rank is the user's.
    pub(super) fn ranked(
        rank: &Bound<'_, PyAny>,
        given: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let mut limits = Limits::default();
        let of = "a scheduler with a rank of your own";
        Parameters::fill_from(of, given, |walk| limits.walk(walk))?;
        let rule = Arc::new(Rule::read(rank, "rank", &FIELDS)?);
        Ok(Made::Ranked { rule, limits })
    }

    /// An empty scheduler.
    pub(super) fn build(&self) -> PyResult<Held> {
        match self {
            Made::Named { choice, link_rate } => {
                let built = choice.build(&SchedulerShape::of_link(*link_rate));
                built.map(Held::own).map_err(errors::shape)
            }
            Made::Ranked { rule, limits } => {
                Ok(Held::ranked(Arc::clone(rule), limits.packets, limits.bytes))
            }
        }
    }
}

impl fmt::Display for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Made::Named { choice, .. } => write!(f, "\"{}\"", choice.name()),
            Made::Ranked { .. } => f.write_str("by a rank of your own"),
        }
    }
}

/// In place of a tree, one of the user's own, as text.
pub(in crate::engine) fn with_tree(
    choice: &mut Choice<dyn PacketScheduler>,
    parameters: &mut Parameters<'_>,
) -> PyResult<()> {
    if choice.name() != "tree" {
        return Ok(());
    }
    parameters.set("tree", choice, |text| {
        let config = TreeConfig::from_toml(&text.extract::<String>()?);
        config.map(tree).map_err(errors::shape)
    })
}
