//! Runs the laboratory on threads of its own, while Python's main thread sees signals and progress.
//!
//! Ctrl-C and an exception of the progress callback raise the laboratory's stop flag: runs in
//! flight end soon, what is finished is kept, and the exception is raised then. The lock is taken
//! at most every [`LOOK`], so neither signals nor a callback slow the runs.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use forebay_lab::run::{LabError, Observer};
use pyo3::exceptions::{PyKeyboardInterrupt, PyUserWarning};
use pyo3::prelude::*;

use super::errors;
use crate::errors::unwound;

/// The time between two looks at signals and calls of the progress callback.
const LOOK: Duration = Duration::from_millis(100);

/// What happened to the runs.
enum Event {
    Warned(String),
    Planned { total: usize, reused: usize },
    Started(String),
    Progressed { run: usize, share: f64 },
    Finished { run: usize },
}

/// Passes on what happens. A send fails only once nobody listens, and then nothing is lost.
struct Told(Sender<Event>);

impl Observer for Told {
    fn warned(&self, warning: &str) {
        let _ = self.0.send(Event::Warned(warning.to_owned()));
    }

    fn planned(&self, total: usize, reused: usize) {
        let _ = self.0.send(Event::Planned { total, reused });
    }

    fn started(&self, _: usize, label: &str) {
        let _ = self.0.send(Event::Started(label.to_owned()));
    }

    fn progressed(&self, run: usize, share: f64) {
        let _ = self.0.send(Event::Progressed { run, share });
    }

    fn finished(&self, run: usize) {
        let _ = self.0.send(Event::Finished { run });
    }
}

/// Does `work`; calls `progress(done, total, label, share)` as runs finish: how many of how many,
/// the label of the run begun last, and how much of all is done, those in the middle included.
pub(super) fn run<T: Send>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(&AtomicBool, &dyn Observer) -> Result<T, LabError> + Send,
) -> PyResult<T> {
    let stop = AtomicBool::new(false);
    let (seen, done) = py.detach(|| {
        std::thread::scope(|scope| {
            let (sender, receiver) = channel();
            let worker = scope.spawn(|| work(&stop, &Told(sender)));
            let mut watch = Watch::new(progress);
            watch.until_the_end(&receiver, &stop);
            (watch, worker.join())
        })
    });
    let done = done.map_err(unwound)?;
    for warning in &seen.warnings {
        let text = std::ffi::CString::new(warning.replace('\0', " ")).unwrap_or_default();
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 1)?;
    }
    match (seen.raised, done) {
        // The laboratory's text says what is kept.
        (
            Some(raised),
            Err(stopped @ (LabError::Stopped { .. } | LabError::TraceStopped { .. })),
        ) if raised.is_instance_of::<PyKeyboardInterrupt>(py) => Err(errors::lab(&stopped)),
        (Some(raised), _) => Err(raised),
        (None, done) => done.map_err(|error| errors::lab(&error)),
    }
}

/// What was seen of the runs so far.
struct Watch {
    progress: Option<Py<PyAny>>,
    done: usize,
    total: usize,
    label: String,
    /// The shares of the runs in the middle.
    shares: BTreeMap<usize, f64>,
    warnings: Vec<String>,
    /// What Python raised first.
    raised: Option<PyErr>,
}

impl Watch {
    fn new(progress: Option<Py<PyAny>>) -> Self {
        let (label, shares, warnings) = (String::new(), BTreeMap::new(), Vec::new());
        Watch { progress, done: 0, total: 0, label, shares, warnings, raised: None }
    }

    /// Looks on until the work ends, which closes the channel.
    fn until_the_end(&mut self, events: &Receiver<Event>, stop: &AtomicBool) {
        let mut looked = Instant::now();
        loop {
            match events.recv_timeout(LOOK) {
                Ok(event) => self.note(event),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if looked.elapsed() >= LOOK {
                self.look(stop);
                looked = Instant::now();
            }
        }
        self.look(stop);
    }

    fn note(&mut self, event: Event) {
        match event {
            Event::Warned(warning) => self.warnings.push(warning),
            Event::Planned { total, reused } => (self.total, self.done) = (total, reused),
            Event::Started(label) => self.label = label,
            Event::Progressed { run, share } => {
                self.shares.insert(run, share);
            }
            Event::Finished { run } => {
                self.shares.remove(&run);
                self.done += 1;
            }
        }
    }

    /// Lets Python see signals and progress; nothing more is called once it has raised.
    fn look(&mut self, stop: &AtomicBool) {
        if self.raised.is_some() {
            return;
        }
        let seen = Python::attach(|py| {
            py.check_signals()?;
            match &self.progress {
                Some(progress) if self.total > 0 => {
                    let done = self.done as f64 + self.shares.values().sum::<f64>();
                    let share = (done / self.total as f64).min(1.0);
                    progress.call1(py, (self.done, self.total, &self.label, share)).map(drop)
                }
                _ => Ok(()),
            }
        });
        if let Err(raised) = seen {
            self.raised = Some(raised);
            stop.store(true, Ordering::SeqCst);
        }
    }
}
