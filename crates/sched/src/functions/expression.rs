//! Ranks by a rule given as text, over what a switch knows of a packet.
//!
//! The text is compiled once (`forebay-expression`); a rank is a loop over its operations. Negative
//! results count as 0.
//!
//! Source: ours. Complexity: O(operations) a packet.

use alloc::boxed::Box;
use alloc::string::String;

use forebay_expression::Expression;
use forebay_parameters::{Choice, Configure, Kind};
use forebay_units::Time;

use super::{RankFunction, RankShape};
use crate::{Packet, Rank};

/// What a rule may read of a packet that is in a switch, in the order of [`values`]: the time in
/// picoseconds, and the fields of [`Packet`].
pub const FIELDS: [&str; 6] = ["now", "size", "flow", "input", "class", "flow_size"];

/// The fields of a packet at `now`, where a rank function of this shape sees it; what is beyond the
/// range of expressions is its end. A flow has one number, whichever way its packets go.
#[must_use]
pub fn values(now: Time, packet: &Packet, shape: &RankShape) -> [i64; FIELDS.len()] {
    let saturated = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    [
        saturated(now.as_ps()),
        packet.size.into(),
        (packet.flow >> u32::from(shape.pairs)).into(),
        packet.input.into(),
        packet.class.into(),
        saturated(packet.flow_size),
    ]
}

/// Rank = the value of an expression.
///
/// ```
/// use forebay_expression::Expression;
/// use forebay_sched::functions::RankShape;
/// use forebay_sched::functions::expression::{FIELDS, by_rule};
/// use forebay_sched::{Packet, RankFunction};
/// use forebay_units::Time;
///
/// let rule = Expression::parse("class * 1_000_000 + min(flow_size, 999_999)", &FIELDS)?;
/// let mut rank = by_rule(rule).build(&RankShape::default())?;
/// let packet = Packet { class: 2, flow_size: 30_000, ..Packet::default() };
/// assert_eq!(rank.rank(Time::ZERO, &packet).get(), 2_030_000);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[must_use]
pub fn by_rule(rule: Expression) -> Choice<dyn RankFunction> {
    let build = move |(): &(), shape: &RankShape| {
        Ok(Box::new(RankByExpression { rule: rule.clone(), shape: *shape }) as _)
    };
    Choice::new("expression", ABOUT, (), build)
}

const ABOUT: &str = "a rule given as text";

struct RankByExpression {
    rule: Expression,
    shape: RankShape,
}

impl RankFunction for RankByExpression {
    fn reads_class(&self) -> bool {
        (0..).zip(FIELDS).any(|(field, name)| name == "class" && self.rule.reads(field))
    }

    fn rank(&mut self, now: Time, packet: &Packet) -> Rank {
        rank_of(self.rule.evaluate(&values(now, packet, &self.shape)))
    }
}

/// The rank that the value of a rule is: of a negative one 0.
#[must_use]
pub fn rank_of(value: i64) -> Rank {
    Rank::new(u64::try_from(value).unwrap_or(0))
}

#[derive(Clone, Configure)]
struct RuleConfig {
    /// The rank as an expression over now (ps), size, flow, input, class and flow_size; the
    /// smallest first.
    #[parameter(assumed = "shortest flow first", kind = Kind::Text)]
    rule: String,
}

/// The choice `expression`, for a registry or by value; its parameter `rule` is the text.
#[must_use]
pub fn choice() -> Choice<dyn RankFunction> {
    let config = RuleConfig { rule: "flow_size".into() };
    Choice::new("expression", ABOUT, config, |config: &RuleConfig, shape| {
        let rule = Expression::parse(&config.rule, &FIELDS)
            .map_err(|error| RuleConfig::RULE.refuse(error))?;
        by_rule(rule).build(shape)
    })
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
