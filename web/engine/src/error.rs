//! One sentence for the page: where it is wrong, what, and what would do.

use std::fmt;

use forebay_parameters::ParameterError;

/// Why a setup cannot be, or a run cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabError {
    /// The place in the setup, as `traffic 1` or `sides 0`; empty if it is the whole.
    pub place: String,
    /// What is wrong, and the fix.
    pub problem: String,
}

impl LabError {
    /// What is wrong at this place.
    pub(crate) fn at(place: impl Into<String>, problem: impl fmt::Display) -> Self {
        LabError { place: place.into(), problem: problem.to_string() }
    }

    /// What is asked for is in the other part of the engine.
    #[cfg(not(all(feature = "switches", feature = "others")))]
    pub(crate) fn elsewhere(what: &str) -> Self {
        LabError::at("", format!("{what} is in another part of the engine: load that"))
    }

    /// The same, as a part of a larger place.
    pub(crate) fn within(self, place: &str) -> Self {
        let inner = if self.place.is_empty() { String::new() } else { format!(", {}", self.place) };
        LabError { place: format!("{place}{inner}"), ..self }
    }
}

impl fmt::Display for LabError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place.as_str() {
            "" => f.write_str(&self.problem),
            place => write!(f, "{place}: {}", self.problem),
        }
    }
}

impl std::error::Error for LabError {}

impl From<ParameterError> for LabError {
    fn from(error: ParameterError) -> Self {
        LabError::at("", error)
    }
}

#[cfg(feature = "switches")]
impl From<forebay_net_run::NetRunError> for LabError {
    fn from(error: forebay_net_run::NetRunError) -> Self {
        LabError::at("", error)
    }
}
