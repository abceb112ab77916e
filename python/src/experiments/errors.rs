//! The laboratory's errors as exceptions, with the text that the command prints.

use forebay_lab::ConfigErrors;
use forebay_lab::run::{self, LabError};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::import_exception;
use pyo3::prelude::*;

use crate::errors::StoreError;

import_exception!(forebay.errors, ConfigError);
import_exception!(forebay.errors, ForebayError);
import_exception!(forebay.errors, InUseError);
import_exception!(forebay.errors, ResultsError);
import_exception!(forebay.errors, RunError);

/// Every problem of an experiment file, each with its line and its fix.
pub(super) fn config(errors: &ConfigErrors) -> PyErr {
    ConfigError::new_err(errors.render().trim_end().to_owned())
}

/// Any error of a run.
pub(super) fn lab(error: &LabError) -> PyErr {
    let text = error.to_string();
    match error {
        LabError::Config(errors) => config(errors),
        LabError::Files(_) => ConfigError::new_err(text),
        LabError::Store(run::store::StoreError::Locked { .. }) => InUseError::new_err(text),
        LabError::Store(_) => StoreError::new_err(text),
        LabError::Run { .. } | LabError::TracedRun { .. } => RunError::new_err(text),
        LabError::Stopped { .. } | LabError::TraceStopped { .. } => {
            PyKeyboardInterrupt::new_err(text)
        }
        LabError::Threads { .. } => ForebayError::new_err(text),
        LabError::NoResults { .. } | LabError::Mismatch(_) => ResultsError::new_err(text),
    }
}
