//! The Python package `forebay` with what `own-policy` adds: its extension module, told of them before it looks
//! anything up.

use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;

#[pymodule]
fn _own(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let wrong = |error: &dyn std::error::Error| PyImportError::new_err(error.to_string());
    let catalogue = own_policy::catalogue().map_err(|error| wrong(&error))?;
    let registry = own_policy::registry().map_err(|error| wrong(&*error))?;
    _forebay::extend(catalogue, registry);
    module.add("_forebay", _forebay::module(module.py()))
}
