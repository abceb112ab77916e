//! The `forebay` command, over what the package knows by name.

use std::convert::Infallible;
use std::ffi::OsString;

use pyo3::prelude::*;

use crate::catalogue::{policies, registry};

/// Does what these arguments say, of which the first is the program's name; the exit code.
#[pyfunction]
pub(crate) fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    let (policies, registry) = (policies(), registry());
    let registry = || Ok::<_, Infallible>((*registry).clone());
    py.detach(|| forebay_cli::main_with(arguments, &policies, registry))
}
