//! A scheduling tree from TOML (feature `serde`): the fields of [`TreeConfig`] and [`NodeConfig`]
//! under their names, quantities as text with a unit, and `match` for the rules of a leaf.
//!
//! Whatever the file says passes the same checks as a configuration made in code. A mistake in the
//! file's form is reported with its line.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::ops::RangeInclusive;
use core::str::FromStr;

use forebay_parameters::{FormError, read_quantity, read_toml};
use forebay_units::{Bytes, Duration, Rate, printable};
use serde::de::{Deserialize, Deserializer};

use super::{NodeConfig, Rule, Shaper, TreeConfig, TreeError};
use crate::functions::{JobCost, RankConfig};
use crate::scheduler::Weights;

/// Text with a unit.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transparent))]
struct Quantity<T>(T);

impl<'de, T: FromStr<Err: fmt::Display>> Deserialize<'de> for Quantity<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_quantity(deserializer).map(Quantity)
    }
}

/// The form of a tree's file, as JSON Schema (draft 7). Which schedulers and orders there are is
/// for the caller to add; what else must hold, [`TreeConfig::from_toml`] checks.
#[cfg(feature = "schema")]
#[must_use]
pub fn schema() -> schemars::Schema {
    let draft7 = schemars::generate::SchemaSettings::draft07();
    draft7.into_generator().into_root_schema_for::<TreeFile>()
}

/// One value, or the first and the last of a range.
#[derive(serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "expected a number, or the first and the last: [0, 7]")]
enum Values<T> {
    One(T),
    Range([T; 2]),
}

impl<T: Copy> Values<T> {
    fn range(&self) -> RangeInclusive<T> {
        match *self {
            Values::One(value) => value..=value,
            Values::Range([first, last]) => first..=last,
        }
    }
}

/// A packet matches a rule if it matches all that the rule names.
#[derive(serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct RuleFile {
    /// A flow, or the first and the last of several: `[0, 7]`.
    flow: Option<Values<u32>>,
    /// A priority class, or the first and the last of several.
    class: Option<Values<u8>>,
    /// An input, or the first and the last of several.
    input: Option<Values<u16>>,
}

/// A limit on what leaves a node.
#[derive(serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct ShaperFile {
    /// The most that leaves in the long run.
    rate: Quantity<Rate>,
    /// What may leave at once; at least `mtu`.
    burst: Quantity<Bytes>,
}

/// One node. One with children is an inner node and has a `scheduler`; one without is a leaf and
/// has `match`, `order` and `limit`.
#[derive(serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct NodeFile {
    /// Its name, unlike any other's.
    name: String,
    /// The name of its parent; the root alone has none.
    parent: Option<String>,
    /// Inner nodes: how it chooses among its children; `wfq` if nothing is said.
    scheduler: Option<String>,
    /// Its weight among its siblings, if their parent shares by weight; 1 if nothing is said.
    weight: Option<u32>,
    /// Its priority among its siblings, 0 the highest, if their parent goes by priority.
    #[serde(default)]
    priority: u32,
    /// The most that may leave it.
    shaper: Option<ShaperFile>,
    /// What it gets at least while it has packets; in place of the weight, for all siblings or
    /// none.
    guaranteed: Option<Quantity<Rate>>,
    /// Leaves: the rank function that orders its packets; `fifo` if nothing is said.
    order: Option<String>,
    /// Leaves: how many packets may wait there.
    limit: Option<usize>,
    /// Leaves: a packet that matches any of these goes here, unless an earlier leaf takes it;
    /// `[{}]` takes all.
    #[serde(default, rename = "match")]
    rules: Vec<RuleFile>,
}

/// What the packets of a class cost, where the order is by the size of jobs.
#[derive(serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct JobCostFile {
    /// Of each packet.
    per_packet: u32,
    /// Of each byte.
    per_byte: u32,
}

/// What the leaves' rank functions are told.
#[derive(serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct RanksFile {
    /// How many flows there are.
    flows: Option<usize>,
    /// The weight of a flow that has none of its own; 1 if nothing is said.
    default_weight: Option<u32>,
    /// The weights of flows, from flow 0 on.
    weights: Option<Vec<u32>>,
    /// How long packets of each class may take, from class 0 on.
    budgets: Option<Vec<Quantity<Duration>>>,
    /// What packets of each class cost, from class 0 on.
    job_costs: Option<Vec<JobCostFile>>,
}

/// A scheduling tree.
#[derive(serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct TreeFile {
    /// The port's rate.
    rate: Quantity<Rate>,
    /// The largest packet.
    mtu: Option<Quantity<Bytes>>,
    /// How many packets may wait in all.
    capacity: Option<usize>,
    /// What the leaves' rank functions are told.
    ranks: Option<RanksFile>,
    /// The nodes: a root, and below it all others.
    #[serde(rename = "node")]
    nodes: Vec<NodeFile>,
}

impl TreeConfig {
    /// Reads a tree and checks it.
    ///
    /// ```
    /// use forebay_sched::tree::TreeConfig;
    ///
    /// let config = TreeConfig::from_toml(r#"
    ///     rate = "10 Gb/s"
    ///
    ///     [[node]]
    ///     name = "port"
    ///     scheduler = "sp"
    ///
    ///     [[node]]
    ///     name = "voice"
    ///     parent = "port"
    ///     shaper = { rate = "1 Gb/s", burst = "20 KB" }
    ///     match = [{ class = 0 }]
    ///
    ///     [[node]]
    ///     name = "rest"
    ///     parent = "port"
    ///     priority = 1
    ///     order = "stfq"
    ///     match = [{}]
    /// "#)?;
    /// assert_eq!(config.nodes.len(), 3);
    /// # Ok::<(), forebay_sched::tree::TreeFileError>(())
    /// ```
    ///
    /// # Errors
    /// A mistake in form, with its line, or a [`TreeProblem`](super::TreeProblem).
    pub fn from_toml(text: &str) -> Result<Self, TreeFileError> {
        TreeConfig::from_toml_over(text, &TreeConfig::by_class())
    }

    /// The same over another tree: what nodes may name is as there, and so is what the file does
    /// not say of the leaves' orders, but for the rate.
    ///
    /// # Errors
    /// As [`from_toml`](Self::from_toml).
    pub fn from_toml_over(text: &str, over: &TreeConfig) -> Result<Self, TreeFileError> {
        let file: TreeFile = read_toml(text).map_err(TreeFileError::Form)?;
        let mut config = TreeConfig {
            disciplines: over.disciplines.clone(),
            orders: over.orders.clone(),
            ..TreeConfig::new(file.rate.0)
        };
        config.mtu = file.mtu.map_or(config.mtu, |mtu| mtu.0);
        config.capacity = file.capacity.unwrap_or(config.capacity);
        config.ranks = RankConfig { rate: file.rate.0, ..over.ranks.clone() };
        if let Some(ranks) = file.ranks {
            config.ranks = ranks.config(config.ranks)?;
        }
        config.nodes = file.nodes.into_iter().map(NodeFile::config).collect();
        config.check().map_err(TreeFileError::Tree)?;
        Ok(config)
    }
}

impl NodeFile {
    fn config(self) -> NodeConfig {
        let shaper =
            self.shaper.map(|shaper| Shaper { rate: shaper.rate.0, burst: shaper.burst.0 });
        NodeConfig {
            name: self.name,
            parent: self.parent,
            scheduler: self.scheduler,
            weight: self.weight,
            priority: self.priority,
            shaper,
            guaranteed: self.guaranteed.map(|rate| rate.0),
            order: self.order,
            limit: self.limit,
            rules: self.rules.iter().map(RuleFile::rule).collect(),
        }
    }
}

impl RuleFile {
    fn rule(&self) -> Rule {
        Rule {
            flow: self.flow.as_ref().map(Values::range),
            class: self.class.as_ref().map(Values::range),
            input: self.input.as_ref().map(Values::range),
        }
    }
}

impl RanksFile {
    fn config(self, defaults: RankConfig) -> Result<RankConfig, TreeFileError> {
        let weights = match (self.default_weight, self.weights) {
            (None, None) => defaults.weights,
            (default, own) => Weights::new(default.unwrap_or(1), own.unwrap_or_default())
                .map_err(|error| TreeFileError::Ranks(error.to_string()))?,
        };
        let budgets = self.budgets.map(|list| list.into_iter().map(|budget| budget.0).collect());
        let cost =
            |cost: JobCostFile| JobCost { per_packet: cost.per_packet, per_byte: cost.per_byte };
        let job_costs = self.job_costs.map(|list| list.into_iter().map(cost).collect());
        Ok(RankConfig {
            flows: self.flows.unwrap_or(defaults.flows),
            weights,
            budgets: budgets.unwrap_or(defaults.budgets),
            job_costs: job_costs.unwrap_or(defaults.job_costs),
            ..defaults
        })
    }
}

impl TreeFileError {
    /// What is wrong with the file of this name, on several lines for a terminal where the form is
    /// wrong.
    #[must_use]
    pub fn render(self, name: &str) -> String {
        match self {
            TreeFileError::Form(error) => error.of_file(name).render(),
            TreeFileError::Ranks(text) => format!("{}: {text}", printable(name)),
            TreeFileError::Tree(error) => format!("{}: {error}", printable(name)),
        }
    }
}

/// Why a file does not describe a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TreeFileError {
    /// It is not the TOML it should be.
    Form(FormError),
    /// The leaves' rank functions cannot be told so; the text says why.
    Ranks(String),
    /// The tree that it describes has a mistake.
    Tree(TreeError),
}

impl fmt::Display for TreeFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TreeFileError::Form(error) => error.fmt(f),
            TreeFileError::Ranks(text) => f.write_str(text),
            TreeFileError::Tree(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for TreeFileError {}
