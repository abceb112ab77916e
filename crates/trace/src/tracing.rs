//! A trace in a file, as runs hand it to the switches that are watched.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use forebay_switch::SwitchShape;

use crate::bounds::Bounds;
use crate::shared::Shared;
use crate::tracer::SwitchTracer;

/// A trace that is to be written.
#[derive(Clone, Debug)]
pub struct TraceOutput {
    /// Where the trace is written.
    pub path: PathBuf,
    /// Which part of the run goes into it.
    pub bounds: Bounds,
}

/// A trace that is being written to a file, and which part of the run goes into it.
#[derive(Debug)]
pub struct Tracing {
    file: Shared<File>,
    bounds: Bounds,
}

impl Tracing {
    /// Begins a trace in a new file.
    ///
    /// # Errors
    /// If the file cannot be made.
    pub fn create(path: &Path, bounds: Bounds) -> io::Result<Self> {
        Ok(Tracing { file: Shared::new(File::create(path)?), bounds })
    }

    /// Who watches the switch of this shape; `scheme` is what it is.
    #[must_use]
    pub fn tracer(&self, scheme: &str, shape: &SwitchShape<'_>) -> SwitchTracer<File> {
        let name = format!("switch {} ({scheme})", shape.index);
        SwitchTracer::new(self.file.clone(), &name, shape, self.bounds)
    }

    /// Writes what is still in memory.
    ///
    /// # Errors
    /// The first write that failed.
    pub fn finish(&self) -> io::Result<()> {
        self.file.finish()
    }
}
