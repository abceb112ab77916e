//! Classes of flows by a rule.

use forebay_expression::{Expression, ExpressionError};
use forebay_net::flow::FlowList;
use forebay_units::Time;

/// What a rule for classes reads of a flow: its fields in a flow file, and its number there,
/// from 0.
pub const FLOW_FIELDS: [&str; 5] = ["src", "dst", "bytes", "start_ns", "flow"];

/// A rule for the class of a flow, compiled.
///
/// # Errors
/// The mistake, with its column.
pub fn class_rule(text: &str) -> Result<Expression, ExpressionError> {
    Expression::parse(text, &FLOW_FIELDS)
}

/// Gives flows the classes of a rule. O(flows).
pub(crate) fn classify(flows: &mut FlowList, rule: &Expression) {
    let whole = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    flows.classify(|number, flow| {
        let start = flow.start.since(Time::ZERO).as_ps() / 1000;
        let number = whole(number as u64);
        let fields =
            [flow.src.into(), flow.dst.into(), whole(flow.bytes.get()), whole(start), number];
        rule.evaluate(&fields).clamp(0, u8::MAX.into()) as u8
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use forebay_net::flow::Flow;
    use forebay_units::{Bytes, Duration};

    #[test]
    fn a_rule_reads_what_the_file_says() {
        let at = |ns| Time::ZERO + Duration::from_ns(ns);
        let mut flows = FlowList::default();
        for (src, dst, bytes, start) in [(0, 3, 10, 5), (1, 2, 700, 5), (1, 2, 70, 9)] {
            flows.push(&Flow::new(src, dst, Bytes::new(bytes), at(start))).unwrap();
        }
        let mut classes = |rule: &str| {
            classify(&mut flows, &class_rule(rule).unwrap());
            flows.iter().map(|flow| flow.class).collect::<Vec<_>>()
        };
        assert_eq!(classes("bytes"), [10, 255, 70]);
        assert_eq!(classes("flow + 10 * (src - dst)"), [0, 0, 0]);
        assert_eq!(classes("start_ns - 6"), [0, 0, 3]);
        assert!(class_rule("size").is_err());
    }
}
