//! Long work without the interpreter's lock.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::prelude::*;

use crate::errors::InternalError;

/// Operations between two looks at pending signals (Ctrl-C): a few milliseconds' worth.
pub(crate) const CHUNK: usize = 1 << 18;

/// Runs `work` without the lock; a panic becomes `forebay.InternalError`.
pub(crate) fn run<T: Send>(py: Python<'_>, work: impl Send + FnOnce() -> T) -> PyResult<T> {
    py.detach(|| catch_unwind(AssertUnwindSafe(work))).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        let text = text.unwrap_or("no message");
        InternalError::new_err(format!("a defect of Forebay, please report it: {text}"))
    })
}
