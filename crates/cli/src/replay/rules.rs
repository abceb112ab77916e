//! The options for what orders packets, by their headers.

use forebay_expression::Expression;
use forebay_replay::{Ranking, class_rule};
use forebay_switch::Catalogue;

use crate::Failure;
use crate::arguments::whole;
use crate::net::wrong;

/// What orders packets, by their headers.
#[derive(clap::Args, Clone, Default)]
pub(crate) struct RuleArguments {
    /// The rank of a packet, for switches that order by rank: the name of a rank function, or a
    /// rule over its header fields (see below).
    #[arg(long, value_name = "RULE|NAME")]
    pub(crate) rank: Option<String>,
    /// The class of a packet by its header fields; 0 is the most urgent.
    #[arg(long, value_name = "RULE")]
    pub(crate) class: Option<String>,
    /// Number of queues by class at each port of an on-chip buffer.
    #[arg(long, value_name = "N", value_parser = whole(1_u16..=256))]
    pub(crate) classes: Option<u16>,
}

impl RuleArguments {
    /// The rank and the class.
    pub(crate) fn read(
        &self,
        catalogue: &Catalogue,
    ) -> Result<(Option<Ranking>, Option<Expression>), Failure> {
        let rank = self.rank.as_deref().map(|text| Ranking::read(text, catalogue)).transpose();
        let class = self.class.as_deref().map(class_rule).transpose();
        Ok((
            rank.map_err(|error| wrong("rank", error))?,
            class.map_err(|error| wrong("class", error))?,
        ))
    }
}
