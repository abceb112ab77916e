//! The Python package `forebay` with what `own-policy` adds: its extension module, told of them
//! before it looks anything up.

use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;

#[pymodule]
fn _own(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let policies = own_policy::policies();
    let policies = policies.map_err(|error| PyImportError::new_err(error.to_string()))?;
    _forebay::extend(policies, own_policy::registry)?;
    module.add("_forebay", _forebay::module(module.py()))
}
