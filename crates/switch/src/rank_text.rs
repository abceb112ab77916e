//! What a text says where a rank is wanted: the name of a rank function, or a rule.

use core::fmt;

use forebay_expression::{Expression, ExpressionError, Problem};
use forebay_parameters::{Choice, UnknownName};
use forebay_sched::RankFunction;
use forebay_sched::functions::expression::{FIELDS, by_rule};

use crate::Catalogue;

/// What orders packets, read from a text.
#[derive(Clone, Debug)]
pub enum RankText {
    /// A rank function of the catalogue.
    Function(Choice<dyn RankFunction>),
    /// A rule over the fields that were allowed.
    Rule(Expression),
}

/// Why a text stands for no rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RankTextError {
    /// Neither a rank function nor a field has this name.
    Unknown(UnknownName),
    /// The rule cannot be read.
    Rule(ExpressionError),
}

impl fmt::Display for RankTextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RankTextError::Unknown(error) => error.fmt(f),
            RankTextError::Rule(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for RankTextError {}

impl Catalogue {
    /// The rank function of this name, or of a rule over what a switch knows of a packet, such as
    /// `class * 100`.
    ///
    /// # Errors
    /// There is no such function, or the place where the rule cannot be read.
    pub fn rank(&self, text: &str) -> Result<Choice<dyn RankFunction>, RankTextError> {
        Ok(match self.rank_over(text, &FIELDS)? {
            RankText::Function(function) => function,
            RankText::Rule(rule) => by_rule(rule),
        })
    }

    /// The same where rules may read other `fields`.
    ///
    /// # Errors
    /// As [`Catalogue::rank`].
    pub fn rank_over(&self, text: &str, fields: &[&str]) -> Result<RankText, RankTextError> {
        let text = text.trim();
        if let Some(function) = self.ranks().get(text) {
            return Ok(RankText::Function(function.clone()));
        }
        Expression::parse(text, fields).map(RankText::Rule).map_err(|error| {
            if matches!(error.problem, Problem::Renamed { .. }) || !is_word(text) {
                return RankTextError::Rule(error);
            }
            let known = self.ranks().names().chain(fields.iter().copied());
            RankTextError::Unknown(UnknownName::new("rank function or field", text, known))
        })
    }
}

/// Whether a text looks like a name.
fn is_word(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(|letter| letter.is_alphanumeric() || letter == '-' || letter == '_')
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::ToString;

    use forebay_parameters::Entry;

    use super::*;

    fn error(text: &str) -> alloc::string::String {
        Catalogue::default().rank(text).unwrap_err().to_string()
    }

    #[test]
    fn a_name_goes_before_a_rule_and_what_is_neither_says_what_there_is() {
        let catalogue = Catalogue::default();
        assert_eq!(catalogue.rank("lstf").unwrap().name(), "lstf");
        assert_eq!(catalogue.rank("class * 100").unwrap().name(), "expression");
        assert!(matches!(catalogue.rank("shortest"), Err(RankTextError::Unknown(_))));
        assert_eq!(catalogue.rank(" srpt\n").unwrap().name(), "srpt");
        for (text, hint) in [("srt", "srpt"), ("siz", "size"), ("SRPT", "did you mean `srpt`?")] {
            let error = error(text);
            let words = format!("there is no rank function or field `{text}`; ");
            assert!(error.starts_with(&words) && error.contains(hint), "{error}");
        }
        assert_eq!(error("length"), "column 1: there is no field `length`; write `size`");
        assert!(error("siz + 1").starts_with("column 1: there is no field `siz`; "));
    }
}
