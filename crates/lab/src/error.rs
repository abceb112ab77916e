//! What can go wrong in an experiment file, and where: every problem names its line and column,
//! says what is wrong in one sentence, and offers the fix. All problems of a file are reported
//! together.

use std::fmt;

pub use forebay_parameters::Position;
pub(crate) use forebay_parameters::SourceText;
use forebay_parameters::{UnknownName, in_lines, in_one_line};

/// One problem of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    message: String,
    fix: Option<String>,
    position: Option<Box<Position>>,
    about: Option<Box<About>>,
    names_file: bool,
}

/// The parameter that a problem is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct About {
    /// Its full name.
    pub(crate) parameter: String,
    /// What is wrong with its value.
    pub(crate) problem: String,
}

impl ConfigError {
    /// A problem in one sentence, without a full stop.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        ConfigError {
            message: message.into(),
            fix: None,
            position: None,
            about: None,
            names_file: false,
        }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }

    /// Says that the message names the experiment file.
    #[must_use]
    pub(crate) fn naming_file(self) -> Self {
        ConfigError { names_file: true, ..self }
    }

    /// Adds the parameter that it is about.
    #[must_use]
    pub(crate) fn about(mut self, about: About) -> Self {
        self.about = Some(Box::new(about));
        self
    }

    /// The parameter that it is about, and what is wrong with its value, if it is about one.
    pub(crate) fn parameter(&self) -> Option<&About> {
        self.about.as_deref()
    }

    /// The same problem in other words, elsewhere; what to do about it stays.
    #[must_use]
    pub(crate) fn said(self, otherwise: ConfigError) -> Self {
        ConfigError { fix: self.fix, ..otherwise }
    }

    /// What is wrong, in one sentence, without the place and the fix.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Puts words before the message.
    #[must_use]
    pub(crate) fn under(mut self, before: &str) -> Self {
        self.message = format!("{before}: {}", self.message);
        self
    }

    /// Adds where it is.
    #[must_use]
    pub fn at(mut self, position: Position) -> Self {
        self.position = Some(Box::new(position));
        self
    }

    /// Where it is, if it is somewhere.
    #[must_use]
    pub fn position(&self) -> Option<&Position> {
        self.position.as_deref()
    }

    /// What is wrong and what to do about it, without the place.
    #[must_use]
    pub fn problem(&self) -> String {
        ConfigError { position: None, ..self.clone() }.to_string()
    }

    /// Message, position, source line with a caret, and fix, on several lines for a terminal.
    #[must_use]
    pub fn render(&self) -> String {
        format!("error: {}", in_lines(&self.message, self.position(), self.fix.as_deref()))
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&in_one_line(&self.message, self.position(), self.fix.as_deref()))
    }
}

impl std::error::Error for ConfigError {}

impl From<UnknownName> for ConfigError {
    fn from(unknown: UnknownName) -> Self {
        ConfigError::new(unknown.message()).fix(unknown.hint())
    }
}

/// All problems of a configuration; never empty when returned as an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigErrors(pub Vec<ConfigError>);

impl ConfigErrors {
    /// All of them at one place.
    #[must_use]
    pub(crate) fn at(self, position: &Position) -> Self {
        ConfigErrors(self.0.into_iter().map(|error| error.at(position.clone())).collect())
    }

    /// All of them, with the file's name before those that have no place and do not name it.
    #[must_use]
    pub fn of(self, file: &str) -> Self {
        let named = |error: ConfigError| match error.position {
            None if !error.names_file => error.under(file),
            _ => error,
        };
        ConfigErrors(self.0.into_iter().map(named).collect())
    }

    /// Every problem rendered for a terminal.
    #[must_use]
    pub fn render(&self) -> String {
        self.0.iter().map(ConfigError::render).collect::<Vec<_>>().join("\n")
    }
}

impl From<ConfigError> for ConfigErrors {
    fn from(error: ConfigError) -> Self {
        ConfigErrors(vec![error])
    }
}

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(ConfigError::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for ConfigErrors {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_names_its_file_is_not_said_of_it_again() {
        let errors = ConfigErrors(vec![
            ConfigError::new("cannot read a: it is a folder").naming_file(),
            ConfigError::new("there is no parameter `alpha`"),
            ConfigError::new("no unit")
                .at(SourceText { name: "a".into(), text: "x".into() }.position(&(0..1))),
        ]);
        let said = errors.of("a").to_string();
        let lines: Vec<&str> = said.lines().collect();
        assert_eq!(
            lines[..2],
            ["cannot read a: it is a folder", "a: there is no parameter `alpha`"]
        );
        assert_eq!(lines[2], "a:1:1: no unit");
    }

    #[test]
    fn the_caret_stands_under_the_value() {
        let source = SourceText { name: "a.toml".into(), text: "rate = 50".into() };
        let error =
            ConfigError::new("no unit").fix("write \"50 Gb/s\"").at(source.position(&(7..9)));
        assert_eq!(error.to_string(), "a.toml:1:8: no unit; write \"50 Gb/s\"");
        assert!(error.render().contains("1 | rate = 50\n  |        ^^\n"), "{}", error.render());
    }
}
