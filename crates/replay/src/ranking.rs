//! What orders the packets of a capture: a rank function, or a rule over header fields.

use std::fmt;
use std::sync::Arc;

use forebay_expression::Expression;
use forebay_parameters::Choice;
use forebay_sched::functions::expression::rank_of;
use forebay_sched::{Rank, RankFunction, ShortestFlowFirst};
use forebay_switch::{Catalogue, RankText, RankTextError, SwitchBuildError, SwitchConfig};

use crate::fields::names;

/// What ranks a packet by the values of its [`FIELDS`](crate::FIELDS).
pub type HeaderRule = Arc<dyn Fn(&[i64]) -> Rank + Send + Sync>;

/// What orders the packets in a switch that ranks them; the smallest rank leaves first.
#[derive(Clone)]
pub enum Ranking {
    /// A rank function, which reads what a switch knows of a packet.
    Function(Choice<dyn RankFunction>),
    /// A rule over header fields, asked once for each packet, in the order of arrival.
    Rule {
        /// What gives a packet its rank, over its header fields.
        rule: HeaderRule,
        /// Whether it may read the class of a packet.
        reads_class: bool,
    },
}

impl Ranking {
    /// The rank function of this name, or a rule over [`FIELDS`](crate::FIELDS), as `63 - dscp`.
    ///
    /// # Errors
    /// There is no such function, or the place where the rule cannot be read.
    pub fn read(text: &str, catalogue: &Catalogue) -> Result<Self, RankTextError> {
        Ok(match catalogue.rank_over(text, &names())? {
            RankText::Function(function) => Ranking::Function(function),
            RankText::Rule(rule) => rule.into(),
        })
    }

    /// The same switch, ordering by this: by the function, or, for a rule, by the size of a
    /// packet's flow, which whoever drives the switch tells it of each packet.
    ///
    /// # Errors
    /// If it does not take a rank.
    pub fn applied_to(&self, switch: SwitchConfig) -> Result<SwitchConfig, SwitchBuildError> {
        switch.ranked_by(match self {
            Ranking::Function(function) => function.clone(),
            Ranking::Rule { .. } => ShortestFlowFirst::choice(),
        })
    }
}

/// A rule that was compiled for the [`names`] of fields. Negative values count as 0.
impl From<Expression> for Ranking {
    fn from(rule: Expression) -> Self {
        let is_class = |(field, name): (u32, &str)| name == "class" && rule.reads(field);
        let reads_class = (0..).zip(names()).any(is_class);
        let rule = Arc::new(move |values: &[i64]| rank_of(rule.evaluate(values)));
        Ranking::Rule { rule, reads_class }
    }
}

impl fmt::Debug for Ranking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ranking::Function(function) => function.fmt(f),
            Ranking::Rule { .. } => f.write_str("a rule over header fields"),
        }
    }
}
