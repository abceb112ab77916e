//! How much processor time each experiment takes, in full and quickly: `reproduce-costs.csv` beside
//! `reproduce.toml`.
//!
//! It is what an estimate starts from on a machine that has no results yet. The table is measured:
//! `forebay reproduce --keep-costs` writes what the runs of its results took.

use std::collections::BTreeMap;
use std::path::Path;

use crate::config::MAX_FILE;
use crate::error::{ConfigError, ConfigErrors};
use crate::run::store::{StoreError, write_whole};

/// The name of the file.
pub const FILE: &str = "reproduce-costs.csv";

const HEAD: &str = "experiment,full_seconds,quick_seconds";

/// Processor seconds of all runs of an experiment; none if they were not measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Of the experiment as its file has it.
    pub full: Option<f64>,
    /// Of its quick run.
    pub quick: Option<f64>,
}

/// The costs of experiments by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Costs {
    /// A cost for every experiment that has one.
    pub by_name: BTreeMap<String, Cost>,
}

impl Costs {
    /// Reads the table in `folder`; without one nothing is known.
    ///
    /// # Errors
    /// It cannot be read, or a line of it is none of the table.
    pub fn load(folder: &Path) -> Result<Self, ConfigErrors> {
        let path = folder.join(FILE);
        match forebay_files::read_text(&path, MAX_FILE as u64) {
            Ok(text) => Ok(Costs::read(&path.display().to_string(), &text)?),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Costs::default()),
            Err(error) => {
                let message = format!("cannot read {}: {error}", path.display());
                Err(ConfigError::new(message).fix("make it readable, or delete it").into())
            }
        }
    }

    /// Reads the text of a file called `name`.
    ///
    /// # Errors
    /// Names the line that does not read.
    pub fn read(name: &str, text: &str) -> Result<Self, ConfigError> {
        let wrong = |line: usize, what: &str| {
            ConfigError::new(format!("{name}:{line}: {what}"))
                .fix(format!("write {HEAD}, or delete the file: it can be measured again"))
        };
        let mut costs = Costs::default();
        let mut lines = (1..).zip(text.lines());
        if lines.next().map(|(_, head)| head) != Some(HEAD) {
            return Err(wrong(1, "the column names are wrong"));
        }
        for (line, text) in lines {
            let mut fields = text.split(',');
            let (Some(experiment), Some(full), Some(quick), None) =
                (fields.next(), fields.next(), fields.next(), fields.next())
            else {
                return Err(wrong(line, "the line does not have three columns"));
            };
            let number = |text: &str| match text {
                "" => Some(None),
                text => {
                    let number = text.parse().ok();
                    number.filter(|n: &f64| n.is_finite() && *n >= 0.0).map(Some)
                }
            };
            let (Some(full), Some(quick)) = (number(full), number(quick)) else {
                return Err(wrong(line, "the time is not a number of seconds"));
            };
            costs.by_name.insert(experiment.to_owned(), Cost { full, quick });
        }
        Ok(costs)
    }

    /// The table as text, with times to a hundredth of a second.
    #[must_use]
    pub fn text(&self) -> String {
        let number = |seconds: Option<f64>| seconds.map_or(String::new(), |s| format!("{s:.2}"));
        let mut text = format!("{HEAD}\n");
        for (name, cost) in &self.by_name {
            text += &format!("{name},{},{}\n", number(cost.full), number(cost.quick));
        }
        text
    }

    /// Writes the table into `folder`.
    ///
    /// # Errors
    /// The disk refuses it.
    pub fn store(&self, folder: &Path) -> Result<(), StoreError> {
        write_whole(&folder.join(FILE), self.text().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_reads_back() {
        let text = format!("{HEAD}\na/b,12.50,\nc,,0.25\n");
        let costs = Costs::read("t.csv", &text).unwrap();
        assert_eq!(costs.by_name["a/b"], Cost { full: Some(12.5), quick: None });
        assert_eq!(costs.text(), text);
    }

    #[test]
    fn a_wrong_line_is_named() {
        for (text, words) in [
            ("", "t.csv:1: the column names"),
            ("a,b,c\n", "t.csv:1: the column names"),
            ("HEAD\na,1\n", "t.csv:2: the line"),
            ("HEAD\na,1,2,3\n", "t.csv:2: the line"),
            ("HEAD\na,1,2\nb,-1,\n", "t.csv:3: the time"),
            ("HEAD\na,NaN,\n", "t.csv:2: the time"),
        ] {
            let error = Costs::read("t.csv", &text.replace("HEAD", HEAD)).unwrap_err().to_string();
            assert!(error.starts_with(words), "{text:?}: {error}");
        }
    }
}
