//! What a run is given beside its point: someone to tell how far it is, a flag that stops it, and
//! perhaps a trace to write into. None of it changes a result.

use std::any::Any;
use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

/// The flag of runs that nobody stops.
static NEVER: AtomicBool = AtomicBool::new(false);

/// A run's surroundings; [`RunContext::default`] has nobody who watches, stops or traces.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use forebay_lab::RunContext;
///
/// let (mut shares, stop) = (Vec::new(), AtomicBool::new(true));
/// let mut tell = |share| shares.push(share);
/// let mut context = RunContext::new(&mut tell, &stop);
/// context.progress(0.5);
/// assert!(context.stopped());
/// assert_eq!(shares, [0.5]);
/// ```
pub struct RunContext<'a> {
    progress: Option<&'a mut dyn FnMut(f64)>,
    stop: &'a AtomicBool,
    trace: Option<&'a dyn Any>,
    /// Whether the trace was asked for and found.
    taken: Cell<bool>,
}

impl Default for RunContext<'_> {
    fn default() -> Self {
        RunContext { progress: None, stop: &NEVER, trace: None, taken: Cell::new(false) }
    }
}

impl<'a> RunContext<'a> {
    /// `progress` takes the share done, 0 to 1; the run should end soon after `stop` becomes true.
    pub fn new(progress: &'a mut dyn FnMut(f64), stop: &'a AtomicBool) -> Self {
        RunContext { progress: Some(progress), stop, ..RunContext::default() }
    }

    /// The same with only a flag that stops the run.
    #[must_use]
    pub fn stopping(stop: &'a AtomicBool) -> Self {
        RunContext { stop, ..RunContext::default() }
    }

    /// The same with a trace. Of which type is between the scenario and whoever starts the run; the
    /// scenarios of this project take a `forebay_trace::Tracing`.
    #[must_use]
    pub fn traced(self, trace: &'a dyn Any) -> Self {
        RunContext { trace: Some(trace), ..self }
    }

    /// Tells which share of the run is done, 0 to 1.
    pub fn progress(&mut self, share: f64) {
        if let Some(progress) = &mut self.progress {
            progress(share);
        }
    }

    /// Whether the run should end.
    #[must_use]
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The flag itself, for what takes one.
    #[must_use]
    pub fn stop_flag(&self) -> &'a AtomicBool {
        self.stop
    }

    /// What happens is to be written into this, if the run is traced.
    #[must_use]
    pub fn trace<T: 'static>(&self) -> Option<&'a T> {
        let trace = self.trace?.downcast_ref();
        self.taken.set(self.taken.get() || trace.is_some());
        trace
    }

    /// Whether [`trace`](RunContext::trace) gave what it was asked for.
    #[must_use]
    pub fn trace_taken(&self) -> bool {
        self.taken.get()
    }
}

impl fmt::Debug for RunContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunContext")
            .field("stopped", &self.stopped())
            .field("traced", &self.trace.is_some())
            .finish_non_exhaustive()
    }
}
