//! Networks of hosts and switches, over `forebay-net-run`: `forebay.net`.
//!
//! | file | Python |
//! |---|---|
//! | `run` | `forebay.net.run` |
//! | `flows` | `forebay.net.poisson`, `incast`, `permutation`; flows as columns |

pub(crate) mod flows;
pub(crate) mod run;

use forebay_net_run::NetRunError;
use pyo3::import_exception;
use pyo3::prelude::*;

use crate::errors::StoreError;
use crate::settings::blamed;

import_exception!(forebay.errors, NetError);

/// The error of the engine as an exception; parameters are called as in Python.
fn raised(error: &NetRunError) -> PyErr {
    match error {
        NetRunError::Parameter(error) if error.name() == "class" => {
            wrong("class_", error.sentence())
        }
        NetRunError::Parameter(error) => NetError::new_err(blamed(error)),
        NetRunError::Write { .. } => StoreError::new_err(error.to_string()),
        other => NetError::new_err(other.to_string()),
    }
}

/// An argument that does not fit.
fn wrong(name: &str, problem: impl std::fmt::Display) -> PyErr {
    NetError::new_err(format!("{name}: {problem}"))
}

/// Reads a text argument.
fn read<T: std::str::FromStr<Err: std::fmt::Display>>(name: &str, text: &str) -> PyResult<T> {
    text.parse().map_err(|error| wrong(name, error))
}
