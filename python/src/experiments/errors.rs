//! The laboratory's errors as exceptions, with the text that the command prints, of Python's
//! arguments in place of its options.

use forebay_lab::ConfigErrors;
use forebay_lab::run::{self, LabError};
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
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
    ConfigError::new_err(in_python(errors.render().trim_end()))
}

/// What the command says of its options, said of Python's arguments: `load=2` in place of `--set
/// load=2`.
fn in_python(text: &str) -> String {
    const SAID: [(&str, &str); 3] =
        [("--policy NAME", "policy=NAME"), ("--seed N", ".with_seeds([N])"), ("--set ", "")];
    SAID.iter().fold(text.to_owned(), |text, (command, python)| text.replace(command, python))
}

/// Any error of a run.
pub(super) fn lab(error: &LabError) -> PyErr {
    let text = in_python(&error.to_string());
    match error {
        LabError::Config(errors) => config(errors),
        LabError::Files(_) => ConfigError::new_err(text),
        LabError::Store(run::store::StoreError::Locked { .. }) => InUseError::new_err(text),
        LabError::Store(_) => StoreError::new_err(text),
        LabError::Run { .. } | LabError::TracedRun { .. } | LabError::Unable(_) => {
            RunError::new_err(text)
        }
        LabError::Stopped { .. } | LabError::TraceStopped { .. } => {
            PyKeyboardInterrupt::new_err(text)
        }
        LabError::NoSuchRun { .. } => PyValueError::new_err(format!("runs: {text}")),
        LabError::Threads { .. } => ForebayError::new_err(text),
        LabError::NoResults { .. } | LabError::Mismatch(_) => ResultsError::new_err(text),
    }
}
