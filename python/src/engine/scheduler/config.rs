//! What a scheduler is built from: a choice of the catalogue with its parameters, or a rule of the
//! user's.

use std::fmt;

use forebay_parameters::{Choice, Entry};
use forebay_sched::scheduler::{PacketScheduler, SchedulerShape, by_rank, tree};
use forebay_sched::tree::TreeConfig;
use forebay_units::Rate;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments::bits_per_second;
use crate::catalogue::policies;
use crate::parameters::{Parameters, named};
use crate::{errors, ranks};

/// What a scheduler is built from, once and again.
pub(super) struct Made {
    choice: Choice<dyn PacketScheduler>,
    link_rate: Rate,
    /// Whether its rank is the user's.
    is_own: bool,
}

impl Made {
    /// One of the catalogue.
    pub(super) fn named(name: &str, parameters: &mut Parameters<'_>) -> PyResult<Self> {
        let known = policies().switches.schedulers();
        let mut choice = known.named(name).map_err(errors::shape)?.clone();
        with_tree(&mut choice, parameters)?;
        Made::filled(choice, parameters, false)
    }

    fn filled(
        mut choice: Choice<dyn PacketScheduler>,
        parameters: &mut Parameters<'_>,
        is_own: bool,
    ) -> PyResult<Self> {
        parameters.fill(&mut choice)?;
        let mut link_rate = Rate::from_gbps(10);
        let rate = |value: &Bound<'_, PyAny>| bits_per_second(value).map(Rate::from_bps);
        let built = choice.build(&SchedulerShape::of_link(link_rate));
        if built.map_or(true, |scheduler| scheduler.reads_rate()) {
            parameters.set("link_rate", &mut link_rate, rate)?;
        } else {
            parameters.idle("link_rate", "it has no effect on this order; leave it out");
        }
        Ok(Made { choice, link_rate, is_own })
    }

    /// One whose rank is the user's.
    pub(super) fn ranked(
        rank: &Bound<'_, PyAny>,
        given: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let own = ranks::read(rank).map_err(|error| named(rank.py(), "rank", &error))?;
        let mut parameters = Parameters::new("a scheduler with a rank of your own", given);
        let made = Made::filled(by_rank(own), &mut parameters, true)?;
        parameters.finish().map(|()| made)
    }

    /// An empty scheduler.
    pub(super) fn build(&self) -> PyResult<Box<dyn PacketScheduler>> {
        self.choice.build(&SchedulerShape::of_link(self.link_rate)).map_err(errors::shape)
    }
}

impl fmt::Display for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_own {
            false => write!(f, "\"{}\"", self.choice.name()),
            true => f.write_str("by a rank of your own"),
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
        let over = policies().switches.tree();
        let config = TreeConfig::from_toml_over(&text.extract::<String>()?, &over);
        config.map(tree).map_err(errors::shape)
    })
}
