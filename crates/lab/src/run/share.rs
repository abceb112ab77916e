//! A share of an experiment's runs: what one of several workers computes, here or on another
//! machine.
//!
//! Workers need nothing of each other but the folder: each stores its runs as parts, and a part
//! that is there is skipped, so a worker that died is replaced by starting it again. Then
//! [`run`](super::run) finds every part and writes the tables and the report. Source:
//! docs/experiments.md.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::sync::atomic::AtomicBool;

use super::store::Store;
use super::{LabError, Observer, Options, jobs, plan, read_parts, workers};
use crate::config::Experiment;
use crate::results::number::plural;

/// Which runs, by their places in the order of the result tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunShare {
    /// Every `count`-th run, from the run `index` on: the runs of one setting are spread over the
    /// workers.
    Shard {
        /// Which worker, from 0.
        index: usize,
        /// Of how many.
        count: usize,
    },
    /// The runs of these places.
    Runs(BTreeSet<usize>),
}

impl RunShare {
    /// Whether the run at this place belongs to it.
    #[must_use]
    pub fn takes(&self, run: usize) -> bool {
        match self {
            RunShare::Shard { index, count } => run.checked_rem(*count) == Some(*index),
            RunShare::Runs(runs) => runs.contains(&run),
        }
    }

    /// A place that is named and that an experiment of so many runs does not have.
    fn beyond(&self, runs: usize) -> Option<usize> {
        match self {
            RunShare::Shard { .. } => None,
            RunShare::Runs(places) => places.range(runs..).next().copied(),
        }
    }
}

/// Why a text is no shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("write it as i/n, worker i of n with i from 0 to n - 1, for example 0/8")]
pub struct NoShard;

/// Reads `i/n`.
///
/// ```
/// use forebay_lab::run::share::RunShare;
///
/// let share: RunShare = "1/4".parse()?;
/// assert_eq!((0..8).filter(|run| share.takes(*run)).collect::<Vec<_>>(), [1, 5]);
/// assert!("4/4".parse::<RunShare>().is_err());
/// # Ok::<(), forebay_lab::run::share::NoShard>(())
/// ```
impl FromStr for RunShare {
    type Err = NoShard;

    fn from_str(text: &str) -> Result<Self, NoShard> {
        let (index, count) = text.split_once('/').ok_or(NoShard)?;
        let number = |text: &str| text.trim().parse::<usize>().map_err(|_| NoShard);
        let (index, count) = (number(index)?, number(count)?);
        if index < count { Ok(RunShare::Shard { index, count }) } else { Err(NoShard) }
    }
}

/// What became of a share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shared {
    /// Its runs; all are stored.
    pub runs: usize,
    /// How many of them were stored before.
    pub reused: usize,
}

impl fmt::Display for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let computed = self.runs - self.reused;
        let runs = plural(self.runs, "run", "runs");
        write!(f, "{runs} of this share ({computed} computed, {} reused)", self.reused)
    }
}

/// Computes a share of an experiment and stores its parts; writes no tables.
///
/// # Errors
/// [`LabError`]; every run that finished before stays stored.
pub fn share(
    experiment: &Experiment,
    options: &Options,
    share: &RunShare,
    stop: &AtomicBool,
    observer: &dyn Observer,
) -> Result<Shared, LabError> {
    let all = plan::runs(experiment)?;
    if let Some(run) = share.beyond(all.len()) {
        return Err(LabError::NoSuchRun { run, runs: all.len() });
    }
    let all = all.into_iter().enumerate();
    let runs: Vec<_> = all.filter(|(place, _)| share.takes(*place)).map(|(_, run)| run).collect();
    let store = Store::join(&options.out)?;
    let mut parts = read_parts(&store, &runs)?;
    let reused = parts.iter().flatten().count();
    observer.planned(runs.len(), reused);
    workers::compute(experiment, &runs, &mut parts, &store, jobs(options.jobs), stop, observer)?;
    Ok(Shared { runs: runs.len(), reused })
}

/// The places of the runs that are not stored in a folder yet.
///
/// # Errors
/// [`LabError`] if a file that a parameter names cannot be read, or the folder cannot be used.
pub fn missing(experiment: &Experiment, options: &Options) -> Result<Vec<usize>, LabError> {
    let runs = plan::runs(experiment)?;
    let store = Store::join(&options.out)?;
    let absent = |(_, run): &(usize, plan::Run)| !store.has_part(&run.key);
    Ok(runs.into_iter().enumerate().filter(absent).map(|(place, _)| place).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_read_and_cover_every_run_once() {
        for wrong in ["", "1", "/", "1/", "/2", "2/2", "0/0", "-1/2", "a/b", "1/2/3"] {
            assert_eq!(wrong.parse::<RunShare>(), Err(NoShard), "{wrong}");
        }
        for count in 1..5 {
            let shards: Vec<RunShare> =
                (0..count).map(|index| format!("{index}/{count}").parse().unwrap()).collect();
            for run in 0..20 {
                assert_eq!(shards.iter().filter(|shard| shard.takes(run)).count(), 1);
            }
        }
        let some = RunShare::Runs([3, 1].into());
        assert!(some.takes(1) && !some.takes(2));
        assert_eq!((some.beyond(4), some.beyond(3), some.beyond(0)), (None, Some(3), Some(1)));
    }
}
