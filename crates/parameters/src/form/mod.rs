//! A file in TOML, read into a type by its serde form: a mistake is said with its place, in words
//! of the file instead of the program's, and with the fix or the key that may have been meant.
//!
//! What is wrong is known by type, from what the form asks for ([`refusal::Refusal`]), and never
//! read out of a parser's sentence. Complexity: linear in the file.

mod node;
mod quantity;
mod refusal;

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use core::fmt;

use serde::de::DeserializeOwned;
use toml::de::DeTable;

use crate::{Position, SourceText, in_lines, in_one_line};
use node::Root;
pub use quantity::read_quantity;

/// What is wrong with a file's form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormError {
    message: String,
    position: Option<Position>,
    fix: Option<String>,
}

impl FormError {
    /// The same, of the file with this name.
    #[must_use]
    pub fn of_file(mut self, name: &str) -> Self {
        match &mut self.position {
            Some(position) => name.clone_into(&mut position.file),
            None => self.message = format!("{name}: {}", self.message),
        }
        self
    }

    /// Message, place, the line with a caret, and fix, on several lines for a terminal.
    #[must_use]
    pub fn render(&self) -> String {
        in_lines(&self.message, self.position.as_ref(), self.fix.as_deref())
    }
}

impl fmt::Display for FormError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&in_one_line(&self.message, self.position.as_ref(), self.fix.as_deref()))
    }
}

impl core::error::Error for FormError {}

/// Reads `text` into a type of which serde knows the form; the file has no name yet
/// ([`FormError::of_file`]).
///
/// ```
/// #[derive(Debug, serde::Deserialize)]
/// #[serde(deny_unknown_fields)]
/// struct File {
///     rate: String,
/// }
///
/// let error = forebay_parameters::read_toml::<File>("rte = \"1 Gb/s\"").unwrap_err();
/// assert_eq!(
///     error.of_file("a.toml").render(),
///     "there is no key `rte`\n  --> a.toml:1:1\n  |\n1 | rte = \"1 Gb/s\"\n  | ^^^\n  \
///      fix: did you mean `rate`?\n"
/// );
/// ```
///
/// # Errors
/// It is not TOML, or not of that form: a [`FormError`] with the place and the fix.
pub fn read_toml<T: DeserializeOwned>(text: &str) -> Result<T, FormError> {
    let source = SourceText { name: String::new(), text: text.to_owned() };
    let table = DeTable::parse(text).map_err(|error| FormError {
        message: format!("this is not valid TOML: {}", error.message().replace('\n', ", ")),
        position: Some(source.position(&error.span().unwrap_or(0..0))),
        fix: Some("correct the syntax here".to_owned()),
    })?;
    T::deserialize(Root(table.get_ref())).map_err(|refused| {
        let (message, fix) = refused.said();
        FormError { message, position: refused.span().map(|span| source.position(&span)), fix }
    })
}

#[cfg(test)]
mod tests;
