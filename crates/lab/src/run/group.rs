//! Several experiments on one pool of threads, so that the end of one, when few of its runs are
//! left, leaves no thread idle.
//!
//! Runs are handed out in the order of the experiments and of their tables. An experiment ends,
//! with tables and a report, as soon as its last run does, and only then are its stored runs read:
//! in memory are the runs in flight and the results of those that end. What fails ends its own
//! experiment and no other. Complexity: linear in the runs.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use super::plan::{self, Run};
use super::quiet::Quiet;
use super::store::Store;
use super::workers::{self, lock};
use super::{Finished, LabError, Made, conclude, read_parts, warnings};
use crate::config::Experiment;
use crate::scenario::RunError;

/// An experiment with its folder, which stays locked as long as this lives.
#[derive(Debug)]
pub struct Member {
    experiment: Experiment,
    store: Store,
    runs: Vec<Run>,
    /// Places of the runs that are not stored.
    missing: Vec<usize>,
}

impl Member {
    /// Opens the folder and finds out what is missing in it; nothing is computed.
    ///
    /// # Errors
    /// A file that a parameter names cannot be read, or the folder cannot be used.
    pub fn open(experiment: Experiment, folder: &Path) -> Result<Self, LabError> {
        let runs = plan::runs(&experiment)?;
        let store = Store::open(folder)?;
        let absent = |place: &usize| !store.has_part(&runs[*place].key);
        let missing = (0..runs.len()).filter(absent).collect();
        Ok(Member { experiment, store, runs, missing })
    }

    /// The experiment whose runs these are.
    #[must_use]
    pub fn experiment(&self) -> &Experiment {
        &self.experiment
    }

    /// How many runs it has.
    #[must_use]
    pub fn run_count(&self) -> usize {
        self.runs.len()
    }

    /// How many of them are not stored.
    #[must_use]
    pub fn missing(&self) -> usize {
        self.missing.len()
    }
}

/// Told what happens; every method may be called from several threads. `member` is the experiment's
/// place in the group, `run` counts from 0 among the runs that are computed now, of each experiment
/// anew.
pub trait GroupObserver: Sync {
    /// A run begins.
    fn started(&self, member: usize, run: usize, label: &str);
    /// A share of a run is done, 0 to 1.
    fn progressed(&self, member: usize, run: usize, share: f64);
    /// A run is stored; it took so much processor time.
    fn finished(&self, member: usize, run: usize, cpu_seconds: f64);
    /// An experiment has all its results, or will have none now. Called once for each, when it
    /// ends.
    fn ended(&self, member: usize, outcome: Result<Finished, LabError>);
}

struct State {
    /// Runs that are neither stored nor given up.
    left: AtomicUsize,
    stored: AtomicUsize,
    failed: AtomicBool,
    failure: Mutex<Option<LabError>>,
    began: Mutex<Option<Instant>>,
    ended: AtomicBool,
}

struct Group<'a> {
    members: &'a [Member],
    states: Vec<State>,
    /// A run of a member, as a place in [`Member::missing`]; none where only tables are to be
    /// written.
    tasks: Vec<(usize, Option<usize>)>,
    quiet: Quiet,
    next: AtomicUsize,
    jobs: usize,
    stop: &'a AtomicBool,
    observer: &'a dyn GroupObserver,
}

/// Computes what is missing and writes tables and reports of all, on `jobs` threads (0: one per
/// core).
///
/// # Errors
/// Threads cannot be started. Whatever else goes wrong is reported to the observer.
pub fn run(
    members: &[Member],
    jobs: usize,
    stop: &AtomicBool,
    observer: &dyn GroupObserver,
) -> Result<(), LabError> {
    let states = members.iter().map(|member| State {
        left: AtomicUsize::new(member.missing.len()),
        stored: AtomicUsize::new(member.runs.len() - member.missing.len()),
        failed: AtomicBool::new(false),
        failure: Mutex::new(None),
        began: Mutex::new(None),
        ended: AtomicBool::new(false),
    });
    let tasks = members.iter().enumerate().flat_map(|(index, member)| {
        let runs = (0..member.missing.len()).map(Some);
        let tables = member.missing.is_empty().then_some(None);
        runs.chain(tables).map(move |task| (index, task))
    });
    let jobs = super::jobs(jobs);
    let group = Group {
        members,
        states: states.collect(),
        tasks: tasks.collect(),
        quiet: Quiet::default(),
        next: AtomicUsize::new(0),
        jobs,
        stop,
        observer,
    };
    let threads = jobs.min(group.tasks.len()).max(1);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| LabError::Threads { jobs: threads, problem: error.to_string() })?;
    pool.broadcast(|_| group.work());
    for member in 0..members.len() {
        group.end(member);
    }
    Ok(())
}

impl Group<'_> {
    fn work(&self) {
        while !self.stop.load(Ordering::SeqCst) {
            let number = self.next.fetch_add(1, Ordering::SeqCst);
            let Some(&(member, task)) = self.tasks.get(number) else { return };
            lock(&self.states[member].began).get_or_insert_with(Instant::now);
            let Some(run) = task else {
                self.end(member);
                continue;
            };
            let state = &self.states[member];
            if !state.failed.load(Ordering::SeqCst) && !self.compute(member, run) {
                return;
            }
            if state.left.fetch_sub(1, Ordering::SeqCst) == 1 {
                self.end(member);
            }
        }
    }

    /// Computes and stores a run; whether to go on.
    fn compute(&self, member: usize, number: usize) -> bool {
        let Member { experiment, store, runs, missing } = &self.members[member];
        let state = &self.states[member];
        let run = &runs[missing[number]];
        let label = workers::label(experiment, run);
        let inside = workers::enter(experiment, run, &self.quiet);
        self.observer.started(member, number, &label);
        let tell = |share| self.observer.progressed(member, number, share);
        let fail = |error: LabError| {
            state.failed.store(true, Ordering::SeqCst);
            lock(&state.failure).get_or_insert(error);
        };
        match workers::one(experiment, run, inside, self.stop, tell) {
            Ok(part) => match store.write_part(&run.key, &part) {
                Ok(()) => {
                    state.stored.fetch_add(1, Ordering::SeqCst);
                    self.observer.finished(member, number, part.seconds.unwrap_or(0.0));
                }
                Err(error) => fail(error.into()),
            },
            Err(RunError::Stopped) if self.stop.load(Ordering::SeqCst) => return false,
            Err(error) => {
                // How many are stored is known when it ends.
                let problem = error.to_string();
                fail(LabError::Run { label, problem, stored: 0, total: runs.len() });
            }
        }
        true
    }

    /// Ends an experiment, unless it has ended.
    fn end(&self, member: usize) {
        if !self.states[member].ended.swap(true, Ordering::SeqCst) {
            self.observer.ended(member, self.outcome(member));
        }
    }

    fn outcome(&self, index: usize) -> Result<Finished, LabError> {
        let (member, state) = (&self.members[index], &self.states[index]);
        let (stored, total) = (state.stored.load(Ordering::SeqCst), member.runs.len());
        match lock(&state.failure).take() {
            Some(LabError::Run { label, problem, .. }) => {
                return Err(LabError::Run { label, problem, stored, total });
            }
            Some(error) => return Err(error),
            None if stored < total => return Err(LabError::Stopped { stored, total }),
            None => {}
        }
        let parts = read_parts(&member.store, &member.runs)?;
        let took = lock(&state.began).map(|began| began.elapsed()).unwrap_or_default();
        let warnings = warnings(&member.experiment);
        let made = Made { computed: member.missing.len(), jobs: self.jobs, took, warnings };
        conclude(&member.experiment, &member.store, &member.runs, parts, made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::tests::{GOOD, read, set};

    /// What was reported: how many runs finished, and how each experiment ended.
    #[derive(Default)]
    struct Notes {
        finished: AtomicUsize,
        ended: Mutex<Vec<(usize, String)>>,
        stop: AtomicBool,
        /// Raises the flag after so many runs; 0: never.
        stop_after: usize,
    }

    impl GroupObserver for Notes {
        fn started(&self, _: usize, _: usize, _: &str) {}
        fn progressed(&self, _: usize, _: usize, _: f64) {}
        fn finished(&self, _: usize, _: usize, cpu_seconds: f64) {
            assert!(cpu_seconds >= 0.0);
            if self.finished.fetch_add(1, Ordering::SeqCst) + 1 == self.stop_after {
                self.stop.store(true, Ordering::SeqCst);
            }
        }
        fn ended(&self, member: usize, outcome: Result<Finished, LabError>) {
            let told = match outcome {
                Ok(finished) => {
                    assert!(finished.manifest.cpu_seconds.is_some());
                    format!("{} runs", finished.manifest.runs)
                }
                Err(error) => error.to_string(),
            };
            lock(&self.ended).push((member, told));
        }
    }

    fn member(folder: &Path, name: &str, change: &[(&str, &str)]) -> Member {
        Member::open(read(GOOD, &set(change)).unwrap(), &folder.join(name)).unwrap()
    }

    fn go(members: &[Member], notes: &Notes) -> Vec<(usize, String)> {
        run(members, 2, &notes.stop, notes).unwrap();
        let mut ended = lock(&notes.ended).clone();
        ended.sort();
        ended
    }

    #[test]
    fn a_failure_ends_its_own_experiment_alone() {
        let folder = tempfile::tempdir().unwrap();
        let all = [
            member(folder.path(), "good", &[]),
            member(folder.path(), "bad", &[("fails", "error")]),
            member(folder.path(), "panics", &[("fails", "panic")]),
            member(folder.path(), "short", &[("load", "0.4")]),
        ];
        let ended = go(&all, &Notes::default());
        assert_eq!(ended.len(), 4);
        assert_eq!((ended[0].1.as_str(), ended[3].1.as_str()), ("18 runs", "6 runs"));
        assert!(ended[1].1.contains("the formula has a pole; 0 of 18 runs"), "{}", ended[1].1);
        assert!(ended[2].1.contains("it panicked"), "{}", ended[2].1);
        assert!(folder.path().join("good/report.html").is_file());
        assert!(!folder.path().join("bad/report.html").exists());
    }

    #[test]
    fn what_is_stopped_goes_on_and_is_the_same_as_alone() {
        let folder = tempfile::tempdir().unwrap();
        let open = || {
            let second = [("load", "[0.4, 0.8]")];
            [member(folder.path(), "a", &[]), member(folder.path(), "b", &second)]
        };
        let stopped = Notes { stop_after: 20, ..Notes::default() };
        let ended = go(&open(), &stopped);
        assert_eq!(ended[0].1, "18 runs");
        assert!(ended[1].1.starts_with("stopped with "), "{}", ended[1].1);
        let again = open();
        assert_eq!(again[0].missing(), 0, "{} of 18", again[0].missing());
        let notes = Notes::default();
        assert_eq!(go(&again, &notes), [(0, "18 runs".to_owned()), (1, "12 runs".to_owned())]);
        assert_eq!(notes.finished.into_inner(), again[1].missing());
        let alone = tempfile::tempdir().unwrap();
        let options = crate::run::Options { out: alone.path().to_path_buf(), jobs: 1 };
        let unwatched = crate::run::Unobserved;
        let never = AtomicBool::new(false);
        crate::run::run(again[0].experiment(), &options, &never, &unwatched).unwrap();
        for name in ["results.csv", "results.parquet", "timelines.csv"] {
            let read = |folder: &Path| std::fs::read(folder.join(name)).unwrap();
            assert_eq!(read(alone.path()), read(&folder.path().join("a")), "{name}");
        }
    }
}
