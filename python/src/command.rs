//! The `forebay` command, over what the package knows by name.

use std::convert::Infallible;
use std::ffi::OsString;
use std::path::PathBuf;

use pyo3::prelude::*;

use crate::catalogue::{policies, registry};

/// Does what these arguments say, of which the first is the program's name; the exit code. The
/// experiments that the package carries are in the folder `packaged`.
#[pyfunction]
pub(crate) fn run_command(
    py: Python<'_>,
    arguments: Vec<OsString>,
    packaged: Option<PathBuf>,
) -> u8 {
    let (policies, registry) = (policies(), registry());
    let registry = || Ok::<_, Infallible>((*registry).clone());
    py.detach(|| forebay_cli::main_with(arguments, packaged.as_deref(), &policies, registry))
}
