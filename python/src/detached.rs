//! Long work without the interpreter's lock.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pyo3::prelude::*;

use crate::errors::InternalError;

/// Operations between two looks at pending signals (Ctrl-C): a few milliseconds' worth.
pub(crate) const CHUNK: usize = 1 << 18;

/// The time between two looks at signals.
const LOOK: Duration = Duration::from_millis(50);

/// Runs `work` on a thread of its own, without the lock. Ctrl-C raises the flag that it is given; what it then
/// answers comes with the exception.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    work: impl Send + FnOnce(&AtomicBool) -> T,
) -> PyResult<(T, Option<PyErr>)> {
    let stop = AtomicBool::new(false);
    let mut raised = None;
    let done = run(py, || {
        std::thread::scope(|scope| {
            let (ended, end) = std::sync::mpsc::channel::<()>();
            let stop = &stop;
            let worker = scope.spawn(move || {
                let _ended = ended; // closed when the work is done, or panics
                work(stop)
            });
            while end.recv_timeout(LOOK) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                let seen = Python::attach(|py| py.check_signals());
                if let Err(error) = seen {
                    raised.get_or_insert(error);
                    stop.store(true, Ordering::SeqCst);
                }
            }
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    })?;
    Ok((done, raised))
}

/// Runs `work` without the lock; a panic becomes `forebay.InternalError`.
pub(crate) fn run<T: Send>(py: Python<'_>, work: impl Send + FnOnce() -> T) -> PyResult<T> {
    py.detach(|| catch_unwind(AssertUnwindSafe(work))).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        let text = text.unwrap_or("no message");
        InternalError::new_err(format!("a defect of Forebay, please report it: {text}"))
    })
}
