//! The scenarios that experiment files can name. A program makes its registry and passes it in; the
//! laboratory has none of its own, so that a scenario of another crate is worth the same as those
//! of this project.

use std::any::type_name;
use std::fmt;
use std::sync::Arc;

use crate::scenario::{Scenario, schema_problems};
use forebay_parameters::UnknownName;

/// Scenarios by name, in the order in which they were added.
///
/// `ScenarioRegistry::new().with(Mine)?`, or what another crate offers and then `.with(Mine)?`, is
/// all it takes.
#[derive(Clone, Default)]
pub struct ScenarioRegistry {
    entries: Vec<Entry>,
}

#[derive(Clone)]
struct Entry {
    scenario: Arc<dyn Scenario>,
    /// The type's path, for messages.
    of: &'static str,
}

/// Why a scenario cannot be added.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// Another has its name.
    #[error("two scenarios are called `{name}`: {first} and {second}; rename one")]
    Duplicate {
        /// The name that both have.
        name: String,
        /// The type that has it.
        first: &'static str,
        /// The type that was to be added.
        second: &'static str,
    },
    /// What it declares cannot be.
    #[error("scenario `{name}` ({of}) has an invalid declaration: {}", problems.join("; "))]
    Unsound {
        /// What the scenario is called.
        name: String,
        /// The Rust type that declares it.
        of: &'static str,
        /// What is wrong.
        problems: Vec<String>,
    },
}

impl ScenarioRegistry {
    /// Without scenarios.
    #[must_use]
    pub fn new() -> Self {
        ScenarioRegistry::default()
    }

    /// The same with one more scenario.
    ///
    /// # Errors
    /// Another has its name, or its declarations are [unsound](schema_problems).
    pub fn with<S: Scenario + 'static>(mut self, scenario: S) -> Result<Self, RegistryError> {
        let (name, of) = (scenario.name().to_owned(), type_name::<S>());
        if let Some(first) = self.entries.iter().find(|entry| entry.scenario.name() == name) {
            return Err(RegistryError::Duplicate { name, first: first.of, second: of });
        }
        let problems = schema_problems(&scenario);
        if !problems.is_empty() {
            return Err(RegistryError::Unsound { name, of, problems });
        }
        self.entries.push(Entry { scenario: Arc::new(scenario), of });
        Ok(self)
    }

    /// The scenario called `name`.
    ///
    /// # Errors
    /// There is no scenario of this name.
    pub fn get(&self, name: &str) -> Result<Arc<dyn Scenario>, UnknownName> {
        let found = self.entries.iter().find(|entry| entry.scenario.name() == name);
        let names = || self.iter().map(Scenario::name);
        found
            .map(|entry| Arc::clone(&entry.scenario))
            .ok_or_else(|| UnknownName::new("scenario", name, names()))
    }

    /// Every scenario, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = &dyn Scenario> {
        self.entries.iter().map(|entry| &*entry.scenario)
    }
}

impl fmt::Debug for ScenarioRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().map(Scenario::name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Formula, Unsound};

    #[test]
    fn names_are_found_once_and_misspelt_ones_explained() {
        let registry = ScenarioRegistry::new().with(Formula).unwrap();
        assert_eq!(registry.get("formula").unwrap().name(), "formula");
        let unknown = registry.get("formul").err().unwrap().to_string();
        assert_eq!(unknown, "there is no scenario `formul`; did you mean `formula`?");
        let twice = registry.with(Formula).unwrap_err().to_string();
        let both = "two scenarios are called `formula`: forebay_lab::testing::Formula and";
        assert!(twice.starts_with(both), "{twice}");
    }

    #[test]
    fn declarations_that_cannot_be_are_refused() {
        let error = ScenarioRegistry::new().with(Unsound).unwrap_err().to_string();
        for words in ["(forebay_lab::testing::Unsound)", "the default of a.b:", "a.b is declared"] {
            assert!(error.contains(words), "{words}: {error}");
        }
    }
}
