//! The resolved configuration: a value for every parameter of the scenario, in the order in which
//! it shows them, each with where it was set and what justifies it. [`Resolved::fill`] puts the
//! values into the fields of the scenario's configuration.
//!
//! Complexity: to look up a name is linear in the number of parameters.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use forebay_parameters::{
    Configure, Kind, Parameter as Spec, ParameterError, Setting, Source, UnknownName, Value, Walk,
    listed_all,
};

use crate::error::{About, ConfigError, Position};
use crate::scenario::Scenario;

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

impl From<Source> for Note {
    fn from(source: Source) -> Self {
        match source {
            Source::Paper(section) => Note::Paper(section.to_owned()),
            Source::Assumed { why, sensitivity } => {
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
    /// With `--set`, or by a quick run of `forebay reproduce`.
    CommandLine,
}

/// A parameter with its value.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// How the scenario declares it.
    pub spec: Arc<Spec>,
    /// The value in force.
    pub value: Value,
    /// What would be in force had it not been set where it was: the file's value below `--set`, or
    /// the default.
    pub otherwise: Value,
    /// Where it was set.
    pub origin: Origin,
    /// What justifies it.
    pub note: Note,
    /// The place in the file that set it, if one did.
    pub position: Option<Position>,
    /// What stands before the value on the command line that set it, as "--set load=" or "--objects
    /// ".
    pub typed: Option<String>,
    /// Whether any run of the experiment reads it.
    pub effective: bool,
}

impl Parameter {
    /// How a value of it is written on the command line.
    fn written(&self, value: &str) -> String {
        match &self.typed {
            Some(typed) => format!("{typed}{value}"),
            None => format!("--set {}={value}", self.spec.name),
        }
    }

    /// Where the value comes from, in a few words: "paper §6.3.1", "assumed: …", "experiment
    /// file:12".
    #[must_use]
    pub fn source(&self) -> String {
        let note = match &self.note {
            Note::Paper(section) => format!("paper {section}"),
            Note::Assumed { why, .. } => format!("assumed: {why}"),
            Note::Unstated => String::new(),
        };
        let origin = match (self.origin, &self.position) {
            (Origin::Default, _) => "default".to_owned(),
            (Origin::CommandLine, _) => "--set".to_owned(),
            (_, Some(position)) => format!("{}:{}", position.file, position.line),
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
    /// Every parameter of a scenario at its default, whichever policies have it; files are relative
    /// to `folder`.
    #[must_use]
    pub fn of(scenario: &dyn Scenario, folder: &Path) -> Self {
        let mut parameters: Vec<Parameter> = Vec::new();
        for policy in scenario.policies() {
            for one in listed_all(&mut *scenario.configure(&policy.name)) {
                if parameters.iter().any(|other| other.spec.name == one.parameter.name) {
                    continue;
                }
                // Behind the others of its group, whichever policy has those.
                let group =
                    |name: &str| name.rsplit_once('.').map_or("", |(group, _)| group).to_owned();
                let own = group(&one.parameter.name);
                let last = parameters.iter().rposition(|other| group(&other.spec.name) == own);
                let place = last.map_or(parameters.len(), |last| last + 1);
                parameters.insert(
                    place,
                    Parameter {
                        note: Note::from(one.parameter.source),
                        spec: Arc::new(one.parameter),
                        otherwise: one.value.clone(),
                        value: one.value,
                        origin: Origin::Default,
                        position: None,
                        typed: None,
                        effective: true,
                    },
                );
            }
        }
        Resolved { parameters, folder: Arc::from(folder) }
    }

    /// The defaults with some parameters set, as `--set` does; paths are of the working directory.
    ///
    /// # Errors
    /// Names the first that is not a parameter or cannot have its value.
    pub fn with_settings(
        scenario: &dyn Scenario,
        settings: &[(String, String)],
    ) -> Result<Self, ConfigError> {
        let mut resolved = Resolved::of(scenario, Path::new(""));
        for (name, text) in settings {
            resolved.set(name, text, None)?;
        }
        Ok(resolved)
    }

    /// Sets a parameter, as `--set` does, or an `option` of its own as "--objects ": problems with
    /// the value then name that.
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
        let typed = option.map_or_else(|| typed_as(name), str::to_owned);
        parameter.typed = Some(typed);
        let value = parameter.spec.kind.read_text(text).map_err(|problem| {
            ConfigError::new(format!("{}: {problem}", parameter.written(text)))
        })?;
        parameter.otherwise = std::mem::replace(&mut parameter.value, value);
        parameter.origin = Origin::CommandLine;
        parameter.note = Note::Unstated;
        Ok(())
    }

    /// Every parameter, in the order in which the scenario shows them.
    #[must_use]
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The parameter called `name`.
    ///
    /// # Errors
    /// None or several have this name.
    pub fn parameter(&self, name: &str) -> Result<&Parameter, ConfigError> {
        self.index(name).map(|index| &self.parameters[index])
    }

    /// The file that a parameter names, resolved against the experiment file's folder; none if it
    /// names none.
    pub(crate) fn file(&self, parameter: &Parameter) -> Option<PathBuf> {
        match (parameter.spec.kind, &parameter.value) {
            (Kind::Path, Value::Text(text)) if !text.is_empty() => Some(self.folder.join(text)),
            _ => None,
        }
    }

    pub(crate) fn index(&self, name: &str) -> Result<usize, ConfigError> {
        if let Some(index) = self.parameters.iter().position(|p| p.spec.name == name) {
            return Ok(index);
        }
        let named = |p: &&Parameter| p.spec.word() == name;
        let all: Vec<&Parameter> = self.parameters.iter().filter(named).collect();
        match all.as_slice() {
            [one] => {
                let name = &one.spec.name;
                Ok(self.parameters.iter().position(|p| p.spec.name == *name).unwrap_or(0))
            }
            [] => {
                let known = self.parameters.iter().flat_map(|p| [p.spec.word(), &p.spec.name]);
                let mut known: Vec<&str> = known.collect();
                known.sort_unstable();
                known.dedup();
                Err(UnknownName::new("parameter", name, known).into())
            }
            several => {
                let paths: Vec<&str> = several.iter().map(|p| &*p.spec.name).collect();
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
        let about = About { parameter: spec.name.to_string(), problem: message.clone() };
        let error = match (&parameter.position, parameter.origin) {
            (Some(position), _) => ConfigError::new(message).at(position.clone()),
            (None, Origin::CommandLine) => {
                let written = parameter.written(&value.to_string());
                ConfigError::new(format!("{written}: {message}"))
            }
            (None, Origin::Default | Origin::ExperimentFile | Origin::Sweep) => {
                ConfigError::new(format!("{} = {value}: {message}", spec.name))
            }
        };
        error.about(about)
    }

    /// The configuration with these values: each goes into the field of the parameter that has its
    /// name. Paths are resolved against the experiment file's folder. O(parameters), if both have
    /// them in the same order.
    ///
    /// # Errors
    /// A parameter cannot have its value here; it is blamed at the place where that was set.
    pub fn fill<C: Configure>(&self, mut config: C) -> Result<C, ConfigError> {
        self.visit(&mut config)?;
        Ok(config)
    }

    /// Fills a configuration, and says which parameters, by their places, it showed.
    pub(crate) fn visit(
        &self,
        config: &mut (impl Configure + ?Sized),
    ) -> Result<Vec<usize>, ConfigError> {
        let mut filling = Filling { from: self, shown: Vec::new(), error: None };
        config.walk(&mut filling);
        match filling.error {
            Some(error) => Err(self.refuse(&error)),
            None => Ok(filling.shown),
        }
    }

    /// The error of a configuration, at the place where its parameter was set.
    #[must_use]
    pub fn refuse(&self, error: &ParameterError) -> ConfigError {
        self.blame(error.name(), error.sentence())
    }

    /// Marks the parameters that have an effect in this configuration.
    pub(crate) fn mark(&self, config: &mut dyn Configure, effective: &mut [bool]) {
        for index in self.visit(config).unwrap_or_default() {
            effective[index] = true;
        }
    }
}

/// What stands before the value where `--set` sets a parameter by this name.
pub(crate) fn typed_as(name: &str) -> String {
    format!("--set {name}=")
}

/// A walk that fills fields with resolved values.
struct Filling<'a> {
    from: &'a Resolved,
    /// The places of the parameters that were shown.
    shown: Vec<usize>,
    error: Option<ParameterError>,
}

impl Filling<'_> {
    /// The place of a parameter: mostly right behind the last one.
    fn find(&self, name: &str) -> Option<usize> {
        let all = &self.from.parameters;
        let next = self.shown.last().map_or(0, |last| last + 1);
        let has_name = |index: &usize| all[*index].spec.name == name;
        (next..all.len()).find(has_name).or_else(|| (0..next).find(has_name))
    }

    fn put(&mut self, spec: &Spec, field: &mut dyn Setting) -> Result<(), String> {
        // What only something chosen by a value has (a rule, as a rank) stays as that has it.
        let Some(index) = self.find(&spec.name) else { return Ok(()) };
        self.shown.push(index);
        let value = match (&self.from.parameters[index].value, spec.kind) {
            (Value::Text(text), Kind::Path) if !text.is_empty() => {
                let path = self.from.folder.join(text);
                Value::Text(path.into_os_string().into_string().map_err(|_| "no UTF-8 path")?)
            }
            (value, _) => value.clone(),
        };
        field.put(&spec.kind.within(value)?)
    }
}

impl Walk for Filling<'_> {
    fn field(&mut self, spec: &Spec, field: &mut dyn Setting) {
        if let Err(problem) = self.put(spec, field) {
            self.error.get_or_insert(spec.refuse(problem));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Formula, FormulaConfig};

    #[test]
    fn fields_get_their_values_or_the_place_is_blamed() {
        let set = [("load".to_owned(), "0.9".to_owned()), ("file".to_owned(), "a.csv".to_owned())];
        let mut resolved = Resolved::with_settings(&Formula, &set).unwrap();
        resolved.folder = Arc::from(Path::new("/tmp"));
        let filled = resolved.fill(FormulaConfig::default()).unwrap();
        assert_eq!((filled.load, filled.file.as_str()), (0.9, "/tmp/a.csv"));
        let unknown = resolved.parameter("egres_rate").unwrap_err().to_string();
        assert!(unknown.contains("did you mean `egress_rate`?"), "{unknown}");
        let several = resolved.parameter("cells").unwrap_err().to_string();
        assert!(several.contains("workload.cells, switch.cells"), "{several}");
        let refused = resolved.refuse(&ParameterError::value("load", "it is too high"));
        assert_eq!(refused.to_string(), "--set load=0.9: it is too high");
    }
}
