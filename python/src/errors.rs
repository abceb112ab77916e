//! How errors of the engine become exceptions.
//!
//! The classes are Python's own (`forebay/errors.py`), so that they can be read, pickled and
//! derived from there. Every text is the one that the crate gives, as the command prints it.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use forebay_pifo::{Reason, Rejected};
use forebay_units::printable;
use pyo3::import_exception;
use pyo3::prelude::*;

use crate::queues::Item;

import_exception!(forebay.errors, ExpressionError);
import_exception!(forebay.errors, ForebayError);
import_exception!(forebay.errors, InternalError);
import_exception!(forebay.errors, Refused);
import_exception!(forebay.errors, RuleError);
import_exception!(forebay.errors, ShapeError);
import_exception!(forebay.errors, StoreError);

/// An impossible size or parameter.
pub(crate) fn shape(error: impl std::fmt::Display) -> PyErr {
    ShapeError::new_err(printable(&error.to_string()).in_lines().to_string())
}

/// A text that is no expression, with the column of the mistake.
pub(crate) fn expression(py: Python<'_>, text: String, column: usize) -> PyErr {
    let raised = ExpressionError::new_err(text);
    match raised.value(py).setattr("column", column) {
        Ok(()) => raised,
        Err(other) => other,
    }
}

/// The error for a structure that is not the one its class says.
pub(crate) fn lost() -> PyErr {
    InternalError::new_err("a queue does not hold what its class says; please report it")
}

/// The name of a reason, as `Refused.reason` has it.
fn name_of(reason: Reason) -> &'static str {
    match reason {
        Reason::Full { .. } => "full",
        Reason::RankTooLarge { .. } => "rank-too-large",
        Reason::BelowWindow { .. } => "below-window",
        Reason::BeyondWindow { .. } => "beyond-window",
        Reason::NoSuchPartition { .. } => "no-such-partition",
        Reason::NotAdmitted { .. } => "not-admitted",
        Reason::BeyondHorizon { .. } => "beyond-horizon",
    }
}

/// A refusal with the element that was refused, and its place in the batch if it came in one.
pub(crate) fn refused(
    py: Python<'_>,
    rejected: Rejected<u64, Item>,
    index: Option<usize>,
) -> PyErr {
    let text = match index {
        Some(index) => format!("element {index}: {rejected}"),
        None => rejected.to_string(),
    };
    let Rejected { rank, item, reason } = rejected;
    refusal(py, text, name_of(reason), rank, item.into_python(py), index)
}

/// A refusal of any kind of queue.
pub(crate) fn refusal(
    py: Python<'_>,
    text: String,
    reason: &'static str,
    rank: u64,
    item: Bound<'_, PyAny>,
    index: Option<usize>,
) -> PyErr {
    let error = Refused::new_err(text);
    let value = error.value(py);
    let attributes = value
        .setattr("reason", reason)
        .and_then(|()| value.setattr("rank", rank))
        .and_then(|()| value.setattr("item", item))
        .and_then(|()| value.setattr("index", index));
    attributes.err().unwrap_or(error)
}

/// What a replace answers: the popped element, or a refusal that carries it, since the pop took
/// place.
pub(crate) fn after_replace<'py>(
    py: Python<'py>,
    pushed: Result<(), Rejected<u64, Item>>,
    popped: Option<(u64, Bound<'py, PyAny>)>,
) -> PyResult<Option<(u64, Bound<'py, PyAny>)>> {
    match pushed {
        Ok(()) => Ok(popped),
        Err(rejected) => {
            let error = refused(py, rejected, None);
            error.value(py).setattr("popped", popped)?;
            Err(error)
        }
    }
}

/// The error that ended a batch at its element `index`, with what was decided before it: `done`.
pub(crate) fn in_batch(
    py: Python<'_>,
    error: PyErr,
    index: usize,
    done: Bound<'_, PyAny>,
) -> PyErr {
    let value = error.value(py);
    // An exception that takes no attributes is raised without them.
    if value.setattr("index", index).and_then(|()| value.setattr("done", done)).is_ok() {
        let note = format!("at element {index} of the batch; `done` has what was decided before");
        let _ = value.call_method1("add_note", (note,)); // Python 3.11
    }
    error
}

/// Runs a short call of the engine. What [`raise`] was given comes out here; a panic becomes
/// `InternalError`.
pub(crate) fn guarded<T>(work: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).map_err(unwound)
}

/// What a function of the user's has raised, on its way out of the engine.
struct Raised(PyErr);

/// Leaves the engine with an exception, from where the engine cannot fail. It comes out of
/// [`guarded`] or [`unwound`]; no panic hook is told, as it is no defect.
#[cold]
pub(crate) fn raise(error: PyErr) -> ! {
    resume_unwind(Box::new(Raised(error)))
}

/// The exception of work that unwound.
#[cold]
pub(crate) fn unwound(panic: Box<dyn Any + Send>) -> PyErr {
    match panic.downcast::<Raised>() {
        Ok(raised) => raised.0,
        Err(panic) => defect(panic.as_ref()),
    }
}

/// The error for a panic.
fn defect(panic: &(dyn Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    let text = text.unwrap_or("no message");
    InternalError::new_err(format!("a defect of Forebay, please report it: {text}"))
}
