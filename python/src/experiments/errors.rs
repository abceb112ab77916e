//! The laboratory's errors as exceptions, with the text that the command prints.

use forebay_lab::ConfigErrors;
use forebay_lab::run::LabError;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::import_exception;
use pyo3::prelude::*;

import_exception!(forebay.errors, ConfigError);
import_exception!(forebay.errors, ForebayError);
import_exception!(forebay.errors, ResultsError);
import_exception!(forebay.errors, RunError);
import_exception!(forebay.errors, StoreError);

/// Every problem of an experiment file, each with its line and its fix.
pub(super) fn config(errors: &ConfigErrors) -> PyErr {
    ConfigError::new_err(errors.render().trim_end().to_owned())
}

/// Any error of a run.
pub(super) fn lab(error: &LabError) -> PyErr {
    let text = error.to_string();
    match error {
        LabError::Config(errors) => config(errors),
        LabError::Store(_) => StoreError::new_err(text),
        LabError::Run { .. } => RunError::new_err(text),
        LabError::Stopped { .. } => PyKeyboardInterrupt::new_err(text),
        LabError::Threads { .. } => ForebayError::new_err(text),
        LabError::NoResults { .. } | LabError::Mismatch(_) => ResultsError::new_err(text),
    }
}
