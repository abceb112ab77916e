//! A compiled expression: operations on a stack whose height is known in advance.

use alloc::vec::Vec;

use crate::error::ExpressionError;
use crate::parse;

/// The most values on the stack at once: a conditional holds two while it computes its third, so
/// the height can exceed twice the depth, and every binary level below a condition adds one.
pub(crate) const MAX_STACK: usize = 512;

/// One operation: takes its operands from the top of the stack and leaves its result there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Number(i64),
    Field(u32),
    /// Replaces a value.
    Unary(Unary),
    /// Reduces two values to one.
    Binary(Binary),
    /// Reduces a condition and two values to one value.
    Choose,
}

/// What becomes of one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Negate,
    Not,
    Log2,
}

/// What becomes of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Less,
    LessOrEqual,
    Equal,
    And,
    Or,
    Min,
    Max,
}

/// An expression over some fields, ready to be evaluated.
///
/// ```
/// use forebay_expression::Expression;
///
/// let rank = Expression::parse("flow_size / 1000 + class", &["class", "flow_size"])?;
/// assert_eq!(rank.evaluate(&[3, 70_000]), 73);
/// # Ok::<(), forebay_expression::ExpressionError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    ops: Vec<Op>,
}

impl Expression {
    /// Parses `text`, in which the names of `fields` may occur.
    ///
    /// # Errors
    /// [`ExpressionError`] with the column of the problem.
    pub fn parse(text: &str, fields: &[&str]) -> Result<Self, ExpressionError> {
        parse::ops(text, fields).map(|ops| Expression { ops })
    }

    /// The value of the expression, where `fields[n]` is the n-th of the fields it was parsed for;
    /// missing fields count as 0. O(operations), no allocation.
    #[must_use]
    pub fn evaluate(&self, fields: &[i64]) -> i64 {
        // Most rules are small, and clearing a large stack costs more than evaluating them.
        if self.ops.len() <= 16 {
            evaluate(&self.ops, fields, &mut [0; 16])
        } else {
            evaluate(&self.ops, fields, &mut [0; MAX_STACK])
        }
    }

    /// Whether the expression reads the n-th field.
    #[must_use]
    pub fn reads(&self, field: u32) -> bool {
        self.ops.contains(&Op::Field(field))
    }
}

/// The parser ensures that no operation finds too few values and that the stack does not overflow;
/// a missing value would count as 0.
fn evaluate(ops: &[Op], fields: &[i64], stack: &mut [i64]) -> i64 {
    let mut height = 0;
    for op in ops {
        let value = match *op {
            Op::Number(number) => number,
            Op::Field(field) => fields.get(field as usize).copied().unwrap_or(0),
            Op::Unary(op) => {
                height -= 1;
                unary(op, stack[height])
            }
            Op::Choose => {
                height -= 3;
                if stack[height] != 0 { stack[height + 1] } else { stack[height + 2] }
            }
            Op::Binary(op) => {
                height -= 2;
                binary(op, stack[height], stack[height + 1])
            }
        };
        stack[height] = value;
        height += 1;
    }
    stack[0]
}

fn unary(op: Unary, a: i64) -> i64 {
    match op {
        Unary::Negate => a.saturating_neg(),
        Unary::Not => i64::from(a == 0),
        Unary::Log2 => a.max(1).ilog2().into(),
    }
}

fn binary(op: Binary, a: i64, b: i64) -> i64 {
    match op {
        Binary::Add => a.saturating_add(b),
        Binary::Subtract => a.saturating_sub(b),
        Binary::Multiply => a.saturating_mul(b),
        Binary::Divide if b == 0 => 0,
        Binary::Divide => a.saturating_div(b),
        Binary::Remainder => a.checked_rem(b).unwrap_or(0),
        Binary::Less => (a < b).into(),
        Binary::LessOrEqual => (a <= b).into(),
        Binary::Equal => (a == b).into(),
        Binary::And => (a != 0 && b != 0).into(),
        Binary::Or => (a != 0 || b != 0).into(),
        Binary::Min => a.min(b),
        Binary::Max => a.max(b),
    }
}
