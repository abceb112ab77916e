//! Collects the problems of one file while its parts are read, so that all are reported together.

use std::ops::Range;

use super::document::{Entry, Table, Tree};
use crate::error::{ConfigError, ConfigErrors, SourceText};
use forebay_parameters::{UnknownName, suggest};

/// Problems beyond this many are not recorded: nobody reads them.
const MAX_ERRORS: usize = 50;

/// The file being read and the problems found so far.
pub(crate) struct Reader {
    pub(crate) source: SourceText,
    pub(crate) errors: Vec<ConfigError>,
}

impl Reader {
    pub(crate) fn new(source: SourceText) -> Self {
        Reader { source, errors: Vec::new() }
    }

    pub(crate) fn into_errors(self) -> ConfigErrors {
        ConfigErrors(self.errors)
    }

    /// Records a problem at a place.
    pub(crate) fn fail(
        &mut self,
        span: &Range<usize>,
        message: impl Into<String>,
        fix: impl Into<String>,
    ) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(ConfigError::new(message).fix(fix).at(self.source.position(span)));
        }
    }

    /// Records a problem whose message says itself what would do.
    pub(crate) fn refuse(&mut self, span: &Range<usize>, message: impl Into<String>) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(ConfigError::new(message).at(self.source.position(span)));
        }
    }

    /// Records a name at a place that nothing has.
    pub(crate) fn unknown(&mut self, span: &Range<usize>, name: &UnknownName) {
        self.fail(span, name.message(), name.hint());
    }

    /// Records a problem of the file as a whole.
    pub(crate) fn missing(&mut self, message: impl Into<String>, fix: impl Into<String>) {
        let message = format!("{}: {}", self.source.name, message.into());
        self.errors.push(ConfigError::new(message).fix(fix));
    }

    /// The text under `key`; a problem and "" if it is missing, empty or not a text.
    pub(crate) fn required_text(&mut self, table: &Table, key: &str, of: &str) -> String {
        let Some(entry) = table.get(key) else {
            self.missing(format!("{of} has no `{key}`"), format!("add {key} = \"…\""));
            return String::new();
        };
        let text = self.text(entry);
        if text.trim().is_empty() && matches!(entry.node.tree, Tree::Text(_)) {
            self.fail(&entry.node.span, format!("`{key}` is empty"), "write a text");
        }
        text
    }

    /// The text under `key`, or "".
    pub(crate) fn optional_text(&mut self, table: &Table, key: &str) -> String {
        table.get(key).map(|entry| self.text(entry)).unwrap_or_default()
    }

    fn text(&mut self, entry: &Entry) -> String {
        if let Tree::Text(text) = &entry.node.tree {
            return text.clone();
        }
        let message = format!("`{}` is {}, not a text", entry.key, entry.node.describe());
        self.fail(&entry.node.span, message, "put it between quotes");
        String::new()
    }

    /// The texts in the list under `key` with their places; a problem if it is empty or no such
    /// list.
    pub(crate) fn texts(
        &mut self,
        table: &Table,
        key: &str,
        what: &str,
    ) -> Vec<(String, Range<usize>)> {
        let Some(entry) = table.get(key) else { return Vec::new() };
        let Tree::Array(items) = &entry.node.tree else {
            let message = format!("`{key}` is {}, not a list", entry.node.describe());
            self.fail(&entry.node.span, message, format!("write {key} = [\"…\"] with {what}"));
            return Vec::new();
        };
        if items.is_empty() {
            self.fail(&entry.node.span, format!("`{key}` is empty"), format!("list {what}"));
        }
        let mut texts = Vec::new();
        for item in items {
            match &item.tree {
                Tree::Text(text) => texts.push((text.clone(), item.span.clone())),
                _ => {
                    let message = format!("{} is not a text", item.describe());
                    self.fail(&item.span, message, format!("list {what} between quotes"));
                }
            }
        }
        texts
    }

    /// The number under `key`, if it is there and finite.
    pub(crate) fn number(&mut self, table: &Table, key: &str) -> Option<f64> {
        let entry = table.get(key)?;
        match entry.node.tree {
            Tree::Int(number) => Some(number as f64),
            Tree::Float(number) if number.is_finite() => Some(number),
            _ => {
                let message = format!("`{key}` is {}, not a number", entry.node.describe());
                self.fail(&entry.node.span, message, "write a number");
                None
            }
        }
    }

    /// Records a problem for every key that is not among `known`.
    pub(crate) fn refuse_unknown(&mut self, table: &Table, known: &[&str], of: &str) {
        for entry in &table.entries {
            if !known.contains(&entry.key.as_str()) {
                let message = format!("{of} has no key `{}`", entry.key);
                self.fail(&entry.key_span, message, suggest(&entry.key, known.iter().copied()));
            }
        }
    }

    /// The tables of `[[key]]`.
    pub(crate) fn tables<'t>(
        &mut self,
        table: &'t Table,
        key: &str,
    ) -> Vec<(&'t Table, Range<usize>)> {
        let Some(entry) = table.get(key) else { return Vec::new() };
        let fix = format!("write [[{key}]] above its keys");
        let Tree::Array(items) = &entry.node.tree else {
            self.fail(&entry.key_span, format!("`{key}` is not a list of tables"), fix);
            return Vec::new();
        };
        let mut tables = Vec::new();
        for item in items {
            match &item.tree {
                Tree::Table(inner) => tables.push((inner, item.span.clone())),
                _ => self.fail(&item.span, format!("`{key}` holds {}", item.describe()), &*fix),
            }
        }
        tables
    }
}
