//! Small expressions over whole numbers: ranks, job sizes and admission rules given as text.
//!
//! A user's rule is called once per packet. A function of a scripting language is a call into its
//! interpreter each time. An [`Expression`] is parsed once, against the names of the fields that it
//! may read; from then on it is a loop over its operations, allocates nothing and cannot fail.
//! Source: ours; no paper describes it.
//!
//! ```
//! use forebay_expression::Expression;
//!
//! let slack = Expression::parse("max(deadline - now, 0) + (class > 3 ? 1_000 : 0)", &["now", "deadline", "class"])?;
//! assert_eq!(slack.evaluate(&[100, 250, 0]), 150);
//! assert_eq!(slack.evaluate(&[300, 250, 7]), 1_000);
//!
//! let error = Expression::parse("2 * siz", &["size", "flow"]).unwrap_err();
//! assert!(error.to_string().starts_with("column 5: there is no field `siz`; "));
//! # Ok::<(), forebay_expression::ExpressionError>(())
//! ```
//!
//! | operators, loosest first | meaning |
//! |---|---|
//! | `a ? b : c` | `b` if `a` is not 0, else `c` |
//! | `\|\|`, then `&&` | 1 or 0; a number is true if it is not 0 |
//! | `<` `<=` `>` `>=` `==` `!=` | 1 or 0; they do not chain |
//! | `+` `-`, then `*` `/` `%` | see below |
//! | `-a`, `!a` | negation; 1 if `a` is 0, else 0 |
//! | `min(a, b)`, `max(a, b)`, `log2(a)` | `log2` rounds down, and is 0 for `a < 2` |
//!
//! Every number is an `i64` and every operation total: results beyond the range saturate, a
//! division rounds towards zero, and division or remainder by zero gives 0. All parts are always
//! evaluated.
//!
//! A packet's bytes are `size` and the time is `now`, in picoseconds, wherever rules are read;
//! other words for them are refused with these.
//!
//! Limits: texts of up to [`MAX_TEXT`] bytes, nested up to [`MAX_DEPTH`] deep. Complexity: parsing
//! is linear in the text, evaluating in the operations. Memory: 16 bytes per operation.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod error;
mod parse;
mod program;
mod token;

pub use error::{ExpressionError, Problem};
pub use program::Expression;

/// The longest text, in bytes.
pub const MAX_TEXT: usize = 4096;

/// The deepest nesting of parentheses, calls, signs and conditions.
pub const MAX_DEPTH: usize = 64;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
