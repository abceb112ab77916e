//! Long work without the interpreter's lock.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use crate::errors;

/// About the time that a piece of a batch takes; between two pieces, signals (Ctrl-C) are looked
/// at.
const PIECE: Duration = Duration::from_millis(20);

/// Operations in the first piece of a batch, before it is known how long one takes.
const FIRST: usize = 1 << 10;

/// The most operations in a piece.
const MOST: usize = 1 << 20;

/// The time between two looks at signals.
const LOOK: Duration = Duration::from_millis(50);

/// How many threads want the lock for a look at signals.
static LOOKING: AtomicU32 = AtomicU32::new(0);
/// The longest that anybody gives way to a look: it takes microseconds.
const GIVEN: Duration = Duration::from_millis(20);

/// Lets a look at signals go before a call into Python: a thread that takes the lock again and
/// again, each time for less than the interpreter's switch interval, would otherwise keep it from
/// others. Called without the lock.
pub(crate) fn give_way() {
    let began = Instant::now();
    while LOOKING.load(Ordering::SeqCst) > 0 && began.elapsed() < GIVEN {
        std::thread::sleep(Duration::from_micros(100));
    }
}

/// Runs `work` on a thread of its own, without the lock. Ctrl-C raises the flag that it is given;
/// what it then answers comes with the exception.
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
                LOOKING.fetch_add(1, Ordering::SeqCst);
                let seen = Python::attach(|py| py.check_signals());
                LOOKING.fetch_sub(1, Ordering::SeqCst);
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
    py.detach(|| errors::guarded(work))
}

/// Does `rows` operations in order without the lock, in pieces whose size follows the time that
/// they take. Ends before its end with what `work` answers, or between two pieces with what Ctrl-C
/// raises.
pub(crate) fn in_pieces<E: Send>(
    py: Python<'_>,
    rows: usize,
    mut work: impl Send + FnMut(Range<usize>) -> Result<(), E>,
) -> PyResult<Result<(), E>> {
    let (mut next, mut size) = (0, FIRST);
    while next < rows {
        let end = rows.min(next.saturating_add(size));
        let began = Instant::now();
        let done = run(py, || work(next..end))?;
        if done.is_err() {
            return Ok(done);
        }
        if end < rows {
            py.check_signals()?;
        }
        (next, size) = (end, size_after(size, began.elapsed()));
    }
    Ok(Ok(()))
}

/// The same where the number of operations is not known: `work` does up to so many, and says
/// whether any is left.
pub(crate) fn until_done(
    py: Python<'_>,
    mut work: impl Send + FnMut(usize) -> bool,
) -> PyResult<()> {
    let mut size = FIRST;
    loop {
        let began = Instant::now();
        if !run(py, || work(size))? {
            return Ok(());
        }
        py.check_signals()?;
        size = size_after(size, began.elapsed());
    }
}

/// The operations of the next piece, where this one's took so long.
fn size_after(size: usize, took: Duration) -> usize {
    let fit = size as u128 * PIECE.as_nanos() / took.as_nanos().max(1);
    let fit = usize::try_from(fit).unwrap_or(MOST);
    fit.clamp(size / 8, size.saturating_mul(8)).clamp(1, MOST)
}
