//! A scheduling tree from TOML (feature `serde`): the fields of [`TreeConfig`] and [`NodeConfig`]
//! under their names, quantities as text with a unit, and `match` for the rules of a leaf.
//!
//! Whatever the file says passes the same checks as a configuration made in code. A mistake in the
//! file's form is reported with its line.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::ops::RangeInclusive;
use core::str::FromStr;

use forebay_units::{Bytes, Duration, Rate};
use serde::de::{Deserialize, Deserializer, Error};

use super::{NodeConfig, Rule, Shaper, TreeConfig, TreeError};
use crate::functions::{JobCost, RankConfig};
use crate::scheduler::Weights;

/// Text with a unit.
struct Quantity<T>(T);

impl<'de, T: FromStr<Err: fmt::Display>> Deserialize<'de> for Quantity<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map(Quantity).map_err(D::Error::custom)
    }
}

/// One value, or the first and the last of a range.
#[derive(serde::Deserialize)]
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

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleFile {
    flow: Option<Values<u32>>,
    class: Option<Values<u8>>,
    input: Option<Values<u16>>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct ShaperFile {
    rate: Quantity<Rate>,
    burst: Quantity<Bytes>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct NodeFile {
    name: String,
    parent: Option<String>,
    scheduler: Option<String>,
    weight: Option<u32>,
    #[serde(default)]
    priority: u32,
    shaper: Option<ShaperFile>,
    guaranteed: Option<Quantity<Rate>>,
    order: Option<String>,
    limit: Option<usize>,
    #[serde(default, rename = "match")]
    rules: Vec<RuleFile>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct JobCostFile {
    per_packet: u32,
    per_byte: u32,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct RanksFile {
    flows: Option<usize>,
    default_weight: Option<u32>,
    weights: Option<Vec<u32>>,
    budgets: Option<Vec<Quantity<Duration>>>,
    job_costs: Option<Vec<JobCostFile>>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct TreeFile {
    rate: Quantity<Rate>,
    mtu: Option<Quantity<Bytes>>,
    capacity: Option<usize>,
    ranks: Option<RanksFile>,
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
        let file: TreeFile =
            toml::from_str(text).map_err(|error| TreeFileError::Form(error.to_string()))?;
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
                .map_err(|error| TreeFileError::Form(error.to_string()))?,
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

/// Why a file does not describe a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TreeFileError {
    /// It is not the TOML it should be; the text names the line.
    Form(String),
    /// The tree that it describes has a mistake.
    Tree(TreeError),
}

impl fmt::Display for TreeFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TreeFileError::Form(text) => f.write_str(text),
            TreeFileError::Tree(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for TreeFileError {}
