//! A file that a replay writes as it goes. What cannot be written ends the file and not the replay:
//! the first problem is remembered, nothing more is written then, and [`Output::finish`] says it.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::error::ReplayError;

/// A file that is being written to `W`.
#[derive(Debug)]
pub(crate) struct Output<W> {
    out: W,
    name: String,
    failed: Option<ReplayError>,
}

impl Output<BufWriter<File>> {
    /// A new file at `path`.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(crate) fn create(path: &Path) -> Result<Self, ReplayError> {
        match File::create(path) {
            Ok(file) => Ok(Output::new(BufWriter::new(file), path.display().to_string())),
            Err(error) => Err(ReplayError::unwritten(path, &error)),
        }
    }
}

impl<W: Write> Output<W> {
    /// An empty one; `name` stands for it in messages.
    pub(crate) fn new(out: W, name: String) -> Self {
        Output { out, name, failed: None }
    }

    /// Lets `write` write, unless something went wrong before.
    pub(crate) fn write(&mut self, write: impl FnOnce(&mut W) -> io::Result<()>) {
        if self.failed.is_none()
            && let Err(error) = write(&mut self.out)
        {
            let (name, reason) = (self.name.clone(), error.to_string());
            self.fail(ReplayError::Write { name, reason });
        }
    }

    /// Ends the file for another reason.
    pub(crate) fn fail(&mut self, error: ReplayError) {
        self.failed.get_or_insert(error);
    }

    /// Writes what is still in memory.
    ///
    /// # Errors
    /// What went wrong first.
    pub(crate) fn finish(&mut self) -> Result<(), ReplayError> {
        self.write(W::flush);
        self.failed.take().map_or(Ok(()), Err)
    }
}
