//! A traced run of any scenario of this crate: its trace is of switches, for Perfetto.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use forebay_lab::run::traced::{self, Traced};
use forebay_lab::run::{LabError, Observer};
use forebay_lab::{Experiment, ScenarioRegistry};
use forebay_trace::{Bounds, Tracing};

/// Runs the only run of `experiment` and writes the part of it within `bounds` to `path`; an error
/// says which scenarios of `registry` can be traced.
///
/// # Errors
/// [`LabError`]: the experiment has several runs, its scenario has no switches, the file cannot be
/// made or is one that the experiment reads, or the run fails.
pub fn traced(
    experiment: &Experiment,
    registry: &ScenarioRegistry,
    path: &Path,
    bounds: Bounds,
    stop: &AtomicBool,
    observer: &dyn Observer,
) -> Result<Traced, LabError> {
    let create = |path: &Path| Tracing::create(path, bounds);
    traced::traced(experiment, registry, path, create, Tracing::finish, stop, observer)
}
