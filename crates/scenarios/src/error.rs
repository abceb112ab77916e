//! Why a configuration could not be simulated: the parameter at fault, or what a run says.

use forebay_lab::{Resolved, RunError};
use forebay_parameters::ParameterError;

/// Why a configuration could not be simulated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SimulationError {
    /// A parameter cannot have its value.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// As of any run.
    #[error(transparent)]
    Run(#[from] RunError),
}

impl SimulationError {
    /// It could not be done; one sentence.
    pub(crate) fn failed(error: impl ToString) -> Self {
        RunError::Failed(error.to_string()).into()
    }

    /// The same of a point: a parameter is blamed at the place where it was set.
    pub(crate) fn of_point(self, params: &Resolved) -> RunError {
        match self {
            SimulationError::Parameter(error) => params.refuse(&error).into(),
            SimulationError::Run(error) => error,
        }
    }
}
