//! The resolved configuration: a value for every parameter of the scenario, in the schema's order, each
//! with where it was set and what justifies it. Getters return errors, never panic.
//!
//! Complexity: a getter is linear in the number of parameters.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use forebay_units::{Bytes, Duration, Rate};

use crate::error::{ConfigError, Place};
use crate::parameter::{DefaultSource, ParamSpec};
use crate::unknown::UnknownName;
use crate::value::Value;

/// What justifies a value.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Note {
    /// A paper states it.
    Paper(String),
    /// Nobody states it.
    Assumed {
        /// Why this value.
        why: String,
        /// The experiment that shows how much it matters.
        sensitivity: Option<String>,
    },
    /// The file gives no reason.
    Unstated,
}

impl From<DefaultSource> for Note {
    fn from(source: DefaultSource) -> Self {
        match source {
            DefaultSource::Paper(section) => Note::Paper(section.to_owned()),
            DefaultSource::Assumed { why, sensitivity } => {
                Note::Assumed { why: why.to_owned(), sensitivity: sensitivity.map(str::to_owned) }
            }
        }
    }
}

/// Where a value was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// Nowhere: it is the scenario's default.
    Default,
    /// In the experiment file.
    ExperimentFile,
    /// As a value of a swept axis.
    Sweep,
    /// With `--set`.
    CommandLine,
}

/// A parameter with its value.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its declaration.
    pub spec: ParamSpec,
    /// Its value.
    pub value: Value,
    /// Where it was set.
    pub origin: Origin,
    /// What justifies it.
    pub note: Note,
    /// The place in the experiment file, if it was set there.
    pub place: Option<Place>,
    /// What stands before the value where an option of its own set it, as "--objects "; none: `--set`.
    pub option: Option<&'static str>,
}

impl Parameter {
    /// How the command line has a value of it.
    fn written(&self, value: &str) -> String {
        match self.option {
            Some(option) => format!("{option}{value}"),
            None => format!("--set {}={value}", self.spec.name()),
        }
    }

    /// Where the value comes from, in a few words: "paper §6.3.1", "assumed: …", "experiment file:12".
    #[must_use]
    pub fn source(&self) -> String {
        let note = match &self.note {
            Note::Paper(section) => format!("paper {section}"),
            Note::Assumed { why, .. } => format!("assumed: {why}"),
            Note::Unstated => String::new(),
        };
        let origin = match (self.origin, &self.place) {
            (Origin::Default, _) => "default".to_owned(),
            (Origin::CommandLine, _) => "--set".to_owned(),
            (_, Some(place)) => format!("{}:{}", place.file, place.line),
            (_, None) => "experiment file".to_owned(),
        };
        if note.is_empty() { origin } else { format!("{note} ({origin})") }
    }
}

/// A value for every parameter of a scenario.
///
/// Names are full paths (`"switch.egress_rate"`) or last segments (`"egress_rate"`) where only one
/// parameter has it.
#[derive(Clone, Debug)]
pub struct Resolved {
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) folder: Arc<Path>,
}

impl Resolved {
    /// Every parameter at its default; defaults that do not read are left out.
    pub(crate) fn defaults(specs: &[ParamSpec], folder: &Path) -> Self {
        let parameters = specs
            .iter()
            .filter_map(|spec| {
                let value = spec.kind.read_text(spec.default).ok()?;
                let note = Note::from(spec.source);
                Some(Parameter {
                    spec: *spec,
                    value,
                    origin: Origin::Default,
                    note,
                    place: None,
                    option: None,
                })
            })
            .collect();
        Resolved { parameters, folder: Arc::from(folder) }
    }

    /// The defaults with some parameters set, as `--set` does; paths are of the working directory.
    ///
    /// # Errors
    /// Names the first that is not a parameter or cannot have its value.
    pub fn with_settings(
        specs: &[ParamSpec],
        settings: &[(String, String)],
    ) -> Result<Self, ConfigError> {
        let mut resolved = Resolved::defaults(specs, Path::new(""));
        for (name, text) in settings {
            resolved.set(name, text, None)?;
        }
        Ok(resolved)
    }

    /// Sets a parameter, as `--set` does, or an `option` of its own as "--objects ": problems with the value then
    /// name that.
    ///
    /// # Errors
    /// It is not a parameter or cannot have this value.
    pub fn set(
        &mut self,
        name: &str,
        text: &str,
        option: Option<&'static str>,
    ) -> Result<(), ConfigError> {
        let index = self.index(name)?;
        let parameter = &mut self.parameters[index];
        parameter.option = option;
        parameter.value = parameter.spec.kind.read_text(text).map_err(|problem| {
            ConfigError::new(format!("{}: {problem}", parameter.written(text)))
        })?;
        parameter.origin = Origin::CommandLine;
        parameter.note = Note::Unstated;
        Ok(())
    }

    /// Every parameter, in the schema's order.
    #[must_use]
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The parameter called `name`.
    ///
    /// # Errors
    /// None or several are called so.
    pub fn parameter(&self, name: &str) -> Result<&Parameter, ConfigError> {
        self.index(name).map(|index| &self.parameters[index])
    }

    pub(crate) fn index(&self, name: &str) -> Result<usize, ConfigError> {
        if let Some(index) = self.parameters.iter().position(|p| p.spec.path == name) {
            return Ok(index);
        }
        let named = |p: &&Parameter| p.spec.name() == name;
        let all: Vec<&Parameter> = self.parameters.iter().filter(named).collect();
        match all.as_slice() {
            [one] => {
                let path = one.spec.path;
                Ok(self.parameters.iter().position(|p| p.spec.path == path).unwrap_or(0))
            }
            [] => {
                let known = self.parameters.iter().flat_map(|p| [p.spec.name(), p.spec.path]);
                let mut known: Vec<&str> = known.collect();
                known.sort_unstable();
                known.dedup();
                Err(UnknownName::new("parameter", name, known).into())
            }
            several => {
                let paths: Vec<&str> = several.iter().map(|p| p.spec.path).collect();
                Err(ConfigError::new(format!("`{name}` could be several parameters"))
                    .fix(format!("write one of {}", paths.join(", "))))
            }
        }
    }

    /// A problem with the parameter called `name`, at the place where its value was set; for
    /// [`crate::Scenario::check`].
    #[must_use]
    pub fn blame(&self, name: &str, message: impl Into<String>) -> ConfigError {
        let message = message.into();
        let Ok(parameter) = self.parameter(name) else { return ConfigError::new(message) };
        let Parameter { spec, value, .. } = parameter;
        match (parameter.origin, &parameter.place) {
            (Origin::CommandLine, _) => {
                let written = parameter.written(&value.to_string());
                ConfigError::new(format!("{written}: {message}"))
            }
            (_, Some(place)) => ConfigError::new(message).at(place.clone()),
            (_, None) => ConfigError::new(format!("{} = {value}: {message}", spec.path)),
        }
    }

    fn mismatch(&self, name: &str, wanted: &str) -> ConfigError {
        ConfigError::new(format!("parameter `{name}` is not declared as {wanted} in its scenario"))
    }

    /// A rate.
    ///
    /// # Errors
    /// Unknown name, or declared as something else.
    pub fn rate(&self, name: &str) -> Result<Rate, ConfigError> {
        match self.parameter(name)?.value {
            Value::Rate(rate) => Ok(rate),
            _ => Err(self.mismatch(name, "a rate")),
        }
    }

    /// A size.
    ///
    /// # Errors
    /// Unknown name, or declared as something else.
    pub fn bytes(&self, name: &str) -> Result<Bytes, ConfigError> {
        match self.parameter(name)?.value {
            Value::Bytes(size) => Ok(size),
            _ => Err(self.mismatch(name, "a size")),
        }
    }

    /// A span of time.
    ///
    /// # Errors
    /// Unknown name, or declared as something else.
    pub fn duration(&self, name: &str) -> Result<Duration, ConfigError> {
        match self.parameter(name)?.value {
            Value::Duration(span) => Ok(span),
            _ => Err(self.mismatch(name, "a span of time")),
        }
    }

    /// A real number.
    ///
    /// # Errors
    /// Unknown name, or declared as something else.
    pub fn float(&self, name: &str) -> Result<f64, ConfigError> {
        match self.parameter(name)?.value {
            Value::Float(number) => Ok(number),
            _ => Err(self.mismatch(name, "a real number")),
        }
    }

    /// A whole number.
    ///
    /// # Errors
    /// Unknown name, or declared as something else.
    pub fn int(&self, name: &str) -> Result<i64, ConfigError> {
        match self.parameter(name)?.value {
            Value::Int(number) => Ok(number),
            _ => Err(self.mismatch(name, "a whole number")),
        }
    }

    /// A whole number that cannot be negative.
    ///
    /// # Errors
    /// Unknown name, declared as something else, or negative.
    pub fn count(&self, name: &str) -> Result<u64, ConfigError> {
        let number = self.int(name)?;
        u64::try_from(number)
            .map_err(|_| self.blame(name, format!("`{name}` is {number}; it cannot be negative")))
    }

    /// True or false.
    ///
    /// # Errors
    /// Unknown name, or declared as something else.
    pub fn bool(&self, name: &str) -> Result<bool, ConfigError> {
        match self.parameter(name)?.value {
            Value::Bool(flag) => Ok(flag),
            _ => Err(self.mismatch(name, "true or false")),
        }
    }

    /// A choice or a text.
    ///
    /// # Errors
    /// Unknown name, or declared as something else.
    pub fn text(&self, name: &str) -> Result<&str, ConfigError> {
        match &self.parameter(name)?.value {
            Value::Text(text) => Ok(text),
            _ => Err(self.mismatch(name, "a text")),
        }
    }

    /// A file's path, resolved against the experiment file's folder; none if the text is empty.
    ///
    /// # Errors
    /// Unknown name, or declared as something else.
    pub fn path(&self, name: &str) -> Result<Option<PathBuf>, ConfigError> {
        self.text(name).map(|text| (!text.is_empty()).then(|| self.folder.join(text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Scenario;
    use crate::testing::Formula;

    #[test]
    fn getters_give_values_or_errors() {
        let resolved = Resolved::defaults(Formula.params(), Path::new("/tmp"));
        assert_eq!(resolved.rate("egress_rate").unwrap(), Rate::from_gbps(100));
        assert_eq!(resolved.rate("switch.egress_rate").unwrap(), Rate::from_gbps(100));
        assert_eq!(resolved.float("load").unwrap(), 0.5);
        assert!(resolved.bytes("egress_rate").unwrap_err().to_string().contains("not declared"));
        let unknown = resolved.rate("egres_rate").unwrap_err().to_string();
        assert!(unknown.contains("did you mean `egress_rate`?"), "{unknown}");
        let several = resolved.int("cells").unwrap_err().to_string();
        assert!(several.contains("workload.cells, switch.cells"), "{several}");
    }
}
