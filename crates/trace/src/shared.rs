//! One trace that several switches write into.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::perfetto::Trace;

/// A trace with several writers. They must be driven in the order of time, and so from one thread.
#[derive(Debug)]
pub struct Shared<W: Write>(Arc<Mutex<Trace<W>>>);

impl<W: Write> Shared<W> {
    /// An empty trace.
    pub fn new(out: W) -> Self {
        Shared(Arc::new(Mutex::new(Trace::new(out))))
    }

    /// Writes what is still in memory.
    ///
    /// # Errors
    /// The first write that failed.
    pub fn finish(&self) -> io::Result<()> {
        self.lock().finish()
    }

    /// Events written so far.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.lock().events()
    }

    /// A writer that panicked leaves at worst a part of a packet in memory that is then
    /// overwritten.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Trace<W>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: Write> Clone for Shared<W> {
    fn clone(&self) -> Self {
        Shared(Arc::clone(&self.0))
    }
}
