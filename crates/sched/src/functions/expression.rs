//! Ranks by a rule given as text, over what a switch knows of a packet.
//!
//! The text is compiled once (`forebay-expression`); a rank is a loop over its operations. Negative results count as 0.
//!
//! Source: ours. Complexity: O(operations) a packet.

use alloc::boxed::Box;
use alloc::string::String;

use forebay_expression::{Expression, ExpressionError};
use forebay_parameters::{Choice, Configure, Kind};
use forebay_units::Time;

use super::{RankFunction, RankShape};
use crate::{Packet, Rank};

/// What a rule may read of a packet that is in a switch, in the order of [`values`]: the time in picoseconds, and
/// the fields of [`Packet`].
pub const FIELDS: [&str; 6] = ["now", "size", "flow", "input", "class", "flow_size"];

/// The fields of a packet at `now`; what is beyond the range of expressions is its end.
#[must_use]
pub fn values(now: Time, packet: &Packet) -> [i64; FIELDS.len()] {
    let saturated = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    [
        saturated(now.as_ps()),
        packet.size.into(),
        packet.flow.into(),
        packet.input.into(),
        packet.class.into(),
        saturated(packet.flow_size),
    ]
}

/// Rank = the value of an expression.
///
/// ```
/// use forebay_sched::functions::expression::RankByExpression;
/// use forebay_sched::{Packet, RankFunction};
/// use forebay_units::Time;
///
/// let mut rank = RankByExpression::parse("class * 1_000_000 + min(flow_size, 999_999)")?;
/// let packet = Packet { class: 2, flow_size: 30_000, ..Packet::default() };
/// assert_eq!(rank.rank(Time::ZERO, &packet).get(), 2_030_000);
/// # Ok::<(), forebay_expression::ExpressionError>(())
/// ```
#[derive(Clone, Debug)]
pub struct RankByExpression {
    rule: Expression,
}

impl RankByExpression {
    /// By the rule `text` over [`FIELDS`].
    ///
    /// # Errors
    /// The place where the text cannot be read, and what would do there.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        Expression::parse(text, &FIELDS).map(|rule| RankByExpression { rule })
    }
}

impl RankFunction for RankByExpression {
    fn rank(&mut self, now: Time, packet: &Packet) -> Rank {
        Rank::new(u64::try_from(self.rule.evaluate(&values(now, packet))).unwrap_or(0))
    }
}

#[derive(Clone, Configure)]
struct RuleConfig {
    /// The rank as an expression over now (ps), size, flow, input, class and flow_size; the smallest first.
    #[parameter(assumed = "shortest flow first", kind = Kind::Text)]
    rule: String,
}

/// The choice `expression`, for a registry or by value; its parameter `rule` is the text.
#[must_use]
pub fn choice() -> Choice<dyn RankFunction> {
    let config = RuleConfig { rule: "flow_size".into() };
    Choice::new("expression", "a rule given as text", config, |config: &RuleConfig, _| {
        let rank = RankByExpression::parse(&config.rule)
            .map_err(|error| RuleConfig::RULE.refuse(error))?;
        Ok(Box::new(rank) as _)
    })
}

/// Ranks by this rule over [`FIELDS`], read once.
///
/// # Errors
/// The place where the text cannot be read, and what would do there.
pub fn by_rule(text: &str) -> Result<Choice<dyn RankFunction>, ExpressionError> {
    let rank = RankByExpression::parse(text)?;
    let build = move |(): &(), _: &RankShape| Ok(Box::new(rank.clone()) as _);
    Ok(Choice::new("expression", "a rule given as text", (), build))
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;
    use forebay_parameters::set;

    #[test]
    fn the_rule_of_a_choice_is_read_or_refused_by_name() {
        let mut own = choice();
        let packet = Packet { size: 1500, flow_size: 9000, ..Packet::default() };
        let rank = |own: &Choice<dyn RankFunction>| {
            own.build(&RankShape::default()).map(|mut own| own.rank(Time::ZERO, &packet).get())
        };
        assert_eq!(rank(&own), Ok(9000));
        set(&mut own, &[("rule", "size - 2000")]).unwrap();
        assert_eq!(rank(&own), Ok(0));
        set(&mut own, &[("rule", "siz")]).unwrap();
        let error = rank(&own).unwrap_err();
        assert!(error.name() == "rule" && error.to_string().contains("size"), "{error}");
    }
}
