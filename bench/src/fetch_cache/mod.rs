//! The concurrent cache against moka and quick_cache: hits, and what callers wait when misses take
//! time.

mod hits;
mod waits;

use crate::race::{Options, Report};

/// Runs every case.
pub(crate) fn run(options: &Options) -> Report {
    let mut report = Report::default();
    hits::run(&mut report, options);
    waits::run(&mut report, options);
    report
}
