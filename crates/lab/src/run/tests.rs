use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use super::*;
use crate::config::Overrides;
use crate::config::tests::{GOOD, read, set};
use crate::context::RunContext;
use crate::error::ConfigError;
use crate::resolved::Resolved;
use crate::run::store::StoreError;
use crate::scenario::{LiveRuns, Point, RunError, RunOutput, Scenario};
use crate::schema::{MetricSpec, PolicyInfo, SeriesSpec};
use crate::testing::Formula;
use forebay_parameters::Configure;

fn options(folder: &Path, jobs: usize) -> Options {
    Options { out: folder.to_path_buf(), jobs }
}

fn go(experiment: &Experiment, folder: &Path, jobs: usize) -> Result<Finished, LabError> {
    run(experiment, &options(folder, jobs), &AtomicBool::new(false), &Unobserved)
}

fn good() -> Experiment {
    read(GOOD, &Overrides::default()).unwrap()
}

/// The result tables of a folder by name.
fn tables(folder: &Path) -> BTreeMap<&'static str, Vec<u8>> {
    ["results.csv", "results.parquet", "timelines.csv", "timelines.parquet"]
        .into_iter()
        .map(|name| (name, fs::read(folder.join(name)).unwrap()))
        .collect()
}

fn parts(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder.join("parts")).unwrap().map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn tables_are_tidy_and_the_same_on_any_number_of_threads() {
    let (one, eight) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    go(&good(), one.path(), 1).unwrap();
    go(&good(), eight.path(), 8).unwrap();
    assert_eq!(tables(one.path()), tables(eight.path()));
    let csv = fs::read_to_string(one.path().join("results.csv")).unwrap();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "policy,load,seed,metric,value,unit");
    assert_eq!(lines[1], "queue,0.2,1,in_system,0.2525,");
    assert_eq!(lines[2], "queue,0.2,1,utilization,0.2,fraction");
    assert_eq!(lines.len(), 1 + 18 * 2);
    let timelines = fs::read_to_string(one.path().join("timelines.csv")).unwrap();
    assert!(timelines.starts_with(
        "policy,load,seed,series,time_us,value,unit\nqueue,0.2,1,depth,0,0,packets\n"
    ));
    assert_eq!(parts(one.path()).len(), 18);
}

#[test]
fn a_partial_folder_is_completed_to_the_same_bytes() {
    let (whole, partial) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    go(&good(), whole.path(), 2).unwrap();
    go(&good(), partial.path(), 2).unwrap();
    for part in parts(partial.path()).iter().step_by(2) {
        fs::remove_file(part).unwrap();
    }
    let finished = go(&good(), partial.path(), 2).unwrap();
    assert_eq!((finished.manifest.reused, finished.manifest.computed), (9, 9));
    assert_eq!(tables(whole.path()), tables(partial.path()));
    let again = go(&good(), partial.path(), 2).unwrap();
    assert_eq!(again.manifest.computed, 0);
}

#[test]
fn shards_make_the_same_bytes_as_one_program() {
    let (whole, shared) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    go(&good(), whole.path(), 2).unwrap();
    let go_share = |text: &str| {
        let share = text.parse().unwrap();
        let stop = AtomicBool::new(false);
        share::share(&good(), &options(shared.path(), 2), &share, &stop, &Unobserved).unwrap()
    };
    let shares = ["2/4", "0/4", "0/4", "3/4"].map(go_share);
    assert_eq!(shares.map(|shared| shared.runs), [4, 5, 5, 4]);
    assert_eq!(shares.map(|shared| shared.reused), [0, 0, 5, 0]);
    let missing = share::missing(&good(), &options(shared.path(), 1)).unwrap();
    assert_eq!(missing, [1, 5, 9, 13, 17]);
    assert!(!shared.path().join("results.csv").exists());
    let finished = go(&good(), shared.path(), 2).unwrap();
    assert_eq!((finished.manifest.reused, finished.manifest.computed), (13, 5));
    assert_eq!(tables(whole.path()), tables(shared.path()));
}

#[test]
fn another_configuration_shares_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    go(&good(), folder.path(), 2).unwrap();
    let narrow = read(GOOD, &set(&[("load", "[0.2, 0.6]")])).unwrap();
    let finished = go(&narrow, folder.path(), 2).unwrap();
    assert_eq!(finished.manifest.reused, 6, "load 0.2 was there");
    let csv = fs::read_to_string(folder.path().join("results.csv")).unwrap();
    assert!(!csv.contains(",0.8,"), "the tables are those of the current configuration");
}

#[test]
fn a_damaged_part_is_named_and_nothing_is_touched() {
    let folder = tempfile::tempdir().unwrap();
    go(&good(), folder.path(), 2).unwrap();
    let before = tables(folder.path());
    let victim = parts(folder.path()).remove(0);
    fs::write(&victim, b"PAR1 nonsense PAR1").unwrap();
    let error = go(&good(), folder.path(), 2).unwrap_err();
    assert!(matches!(&error, LabError::Store(StoreError::Corrupt { file, .. }) if *file == victim));
    assert!(error.to_string().contains("delete that file and run again"), "{error}");
    assert_eq!(before, tables(folder.path()));
    fs::remove_file(&victim).unwrap();
    assert_eq!(go(&good(), folder.path(), 2).unwrap().manifest.computed, 1);
}

#[test]
fn a_failing_run_is_named_and_the_others_stay() {
    for (how, words) in [("error", "the formula has a pole"), ("panic", "a bug in a scenario")] {
        let folder = tempfile::tempdir().unwrap();
        let broken = read(GOOD, &set(&[("fails", how)])).unwrap();
        let error = go(&broken, folder.path(), 1).unwrap_err().to_string();
        assert!(error.starts_with("queue, load = 0.2, seed 1 failed: "), "{error}");
        assert!(error.contains(words) && error.contains("0 of 18"), "{error}");
        assert!(!folder.path().join("results.csv").exists());
    }
}

/// A caller's own way out goes through to it, and no run begins after it.
#[test]
fn what_unwinds_without_a_message_comes_to_the_caller() {
    let folder = tempfile::tempdir().unwrap();
    let left = read(GOOD, &set(&[("fails", "unwinds")])).unwrap();
    let went = std::panic::AssertUnwindSafe(|| go(&left, folder.path(), 1).map(drop));
    let with = std::panic::catch_unwind(went).unwrap_err();
    assert_eq!(with.downcast_ref(), Some(&1u64), "the seed of the first run");
    assert_eq!(parts(folder.path()).len(), 0);
    assert_eq!(go(&good(), folder.path(), 1).unwrap().manifest.computed, 18, "the folder is free");
}

#[test]
fn a_disk_that_refuses_is_an_error() {
    struct RemoveFolder<'a>(&'a Path);
    impl Observer for RemoveFolder<'_> {
        fn planned(&self, _: usize, _: usize) {}
        fn started(&self, run: usize, _: &str) {
            if run == 3 {
                fs::remove_dir_all(self.0.join("parts")).unwrap();
            }
        }
        fn progressed(&self, _: usize, _: f64) {}
        fn finished(&self, _: usize) {}
    }
    let folder = tempfile::tempdir().unwrap();
    let stop = AtomicBool::new(false);
    let observer = RemoveFolder(folder.path());
    let error = run(&good(), &options(folder.path(), 1), &stop, &observer).unwrap_err();
    assert!(matches!(error, LabError::Store(StoreError::Write { .. })), "{error}");
    assert!(!folder.path().join("results.csv").exists());
}

#[test]
fn stopping_keeps_what_is_stored() {
    struct StopAfter(usize, AtomicBool);
    impl Observer for StopAfter {
        fn planned(&self, _: usize, _: usize) {}
        fn started(&self, _: usize, _: &str) {}
        fn progressed(&self, _: usize, _: f64) {}
        fn finished(&self, run: usize) {
            if run + 1 >= self.0 {
                self.1.store(true, Ordering::SeqCst);
            }
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let observer = StopAfter(5, AtomicBool::new(false));
    let error = run(&good(), &options(folder.path(), 1), &observer.1, &observer).unwrap_err();
    assert!(matches!(error, LabError::Stopped { stored: 5, total: 18 }), "{error}");
    assert_eq!(go(&good(), folder.path(), 1).unwrap().manifest.reused, 5);
}

/// The formula with a remark on its trace at every point.
struct Remarking;

impl Scenario for Remarking {
    fn name(&self) -> &'static str {
        Formula.name()
    }
    fn about(&self) -> &'static str {
        Formula.about()
    }
    fn configure(&self, policy: &str) -> Box<dyn Configure> {
        Formula.configure(policy)
    }
    fn policies(&self) -> &'static [PolicyInfo] {
        Formula.policies()
    }
    fn metrics(&self) -> &'static [MetricSpec] {
        Formula.metrics()
    }
    fn series(&self) -> &'static [SeriesSpec] {
        Formula.series()
    }
    fn check(&self, params: &Resolved, policy: &str) -> Result<(), ConfigError> {
        Formula.check(params, policy)
    }
    fn warnings(&self, params: &Resolved) -> Vec<String> {
        vec![
            "the trace is <cut>".to_owned(),
            format!("load {}", params.parameter("load").unwrap().value),
        ]
    }
    fn version(&self) -> &'static str {
        "2"
    }
    fn run(&self, point: &Point<'_>, context: &mut RunContext<'_>) -> Result<RunOutput, RunError> {
        Formula.run(point, context)
    }
}

#[test]
fn warnings_are_told_once_and_kept() {
    struct Listening(Mutex<Vec<String>>);
    impl Observer for Listening {
        fn warned(&self, warning: &str) {
            self.0.lock().unwrap().push(warning.to_owned());
        }
        fn planned(&self, _: usize, _: usize) {}
        fn started(&self, _: usize, _: &str) {}
        fn progressed(&self, _: usize, _: f64) {}
        fn finished(&self, _: usize) {}
    }
    let folder = tempfile::tempdir().unwrap();
    let experiment = Experiment { scenario: Arc::new(Remarking), ..good() };
    let observer = Listening(Mutex::new(Vec::new()));
    let stop = AtomicBool::new(false);
    run(&experiment, &options(folder.path(), 2), &stop, &observer).unwrap();
    let told = observer.0.into_inner().unwrap();
    assert_eq!(told, ["the trace is <cut>", "load 0.2", "load 0.4", "load 0.8"]);
    assert_eq!(rebuild_report(folder.path()).unwrap().manifest.warnings, told);
    let report = fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert!(report.contains("Warning: the trace is &lt;cut&gt;</p>"));
}

#[test]
fn another_version_of_a_scenario_computes_anew() {
    let folder = tempfile::tempdir().unwrap();
    go(&good(), folder.path(), 2).unwrap();
    let newer = Experiment { scenario: Arc::new(Remarking), ..good() };
    assert_eq!(go(&newer, folder.path(), 2).unwrap().manifest.computed, 18);
}

#[test]
fn the_report_is_rebuilt_from_what_is_stored() {
    let folder = tempfile::tempdir().unwrap();
    let finished = go(&good(), folder.path(), 2).unwrap();
    let report = folder.path().join("report.html");
    let first = fs::read_to_string(&report).unwrap();
    fs::remove_file(&report).unwrap();
    fs::remove_dir_all(folder.path().join("parts")).unwrap();
    let again = rebuild_report(folder.path()).unwrap();
    assert_eq!(again.results, finished.results);
    assert_eq!(first, fs::read_to_string(&report).unwrap());
}

#[test]
fn results_that_do_not_fit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(load(folder.path()), Err(LabError::NoResults { .. })));
    go(&good(), folder.path(), 2).unwrap();
    let manifest = folder.path().join("manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replace("\"name\": \"fast\"", "\"name\": \"slow\"")).unwrap();
    assert!(matches!(load(folder.path()), Err(LabError::Mismatch(_))));
    fs::write(&manifest, &text[..text.len() / 2]).unwrap();
    assert!(matches!(load(folder.path()), Err(LabError::NoResults { .. })));
}

#[test]
fn what_no_run_yielded_is_told_once_with_the_parameter_to_set() {
    let text = GOOD.replace("metric = \"in_system\"", "metric = \"utilization\"");
    let told = |overrides| {
        let folder = tempfile::tempdir().unwrap();
        let experiment = read(&text, &overrides).unwrap();
        let options = Options { out: folder.path().to_path_buf(), jobs: 2 };
        let finished = run(&experiment, &options, &AtomicBool::new(false), &Unobserved).unwrap();
        absent(&experiment, &finished, str::to_owned)
    };
    assert!(told(Overrides::default()).is_empty());
    let sentence =
        "no run has a value of utilization (figure fig1): nothing arrives; set workload.trace";
    assert_eq!(told(set(&[("trace", "idle")])), [sentence]);
}

/// The formula, whose points of the policy "queue" are measured, one at a time.
struct Measured {
    unable: Option<&'static str>,
    /// How many runs are under way, and how many of them are live.
    under_way: [AtomicUsize; 2],
}

impl Measured {
    fn experiment(unable: Option<&'static str>) -> Experiment {
        let under_way = Default::default();
        Experiment { scenario: Arc::new(Measured { unable, under_way }), ..good() }
    }
}

impl LiveRuns for Measured {
    fn is_live(&self, _: &Resolved, policy: &str) -> bool {
        policy == "queue"
    }
    fn unable(&self, _: &Resolved, _: &str) -> Option<String> {
        self.unable.map(str::to_owned)
    }
}

impl Scenario for Measured {
    fn name(&self) -> &str {
        Formula.name()
    }
    fn about(&self) -> &str {
        Formula.about()
    }
    fn configure(&self, policy: &str) -> Box<dyn Configure> {
        Formula.configure(policy)
    }
    fn policies(&self) -> &[PolicyInfo] {
        Formula.policies()
    }
    fn metrics(&self) -> &[MetricSpec] {
        Formula.metrics()
    }
    fn series(&self) -> &[SeriesSpec] {
        Formula.series()
    }
    fn check(&self, params: &Resolved, policy: &str) -> Result<(), ConfigError> {
        Formula.check(params, policy)
    }
    fn live_runs(&self) -> Option<&dyn LiveRuns> {
        Some(self)
    }
    fn run(&self, point: &Point<'_>, context: &mut RunContext<'_>) -> Result<RunOutput, RunError> {
        let is_live = self.is_live(point.params, point.policy);
        let [all, live] = &self.under_way;
        let others = all.fetch_add(1, Ordering::SeqCst);
        let lonely = live.fetch_add(usize::from(is_live), Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(2));
        let output = Formula.run(point, context);
        live.fetch_sub(usize::from(is_live), Ordering::SeqCst);
        all.fetch_sub(1, Ordering::SeqCst);
        match lonely > 0 || is_live && others > 0 {
            true => Err(RunError::Failed("it is disturbed".to_owned())),
            false => output,
        }
    }
}

#[test]
fn live_runs_are_alone() {
    let folder = tempfile::tempdir().unwrap();
    let experiment = Measured::experiment(None);
    assert!(experiment.is_live() && !good().is_live());
    go(&experiment, folder.path(), 8).unwrap();
}

#[test]
fn what_a_machine_cannot_measure_is_refused_before_anything_runs_unless_it_is_stored() {
    let folder = tempfile::tempdir().unwrap();
    let unable = Measured::experiment(Some("no namespaces here"));
    let error = go(&unable, folder.path(), 2).unwrap_err();
    assert!(matches!(&error, LabError::Unable(why) if why == "no namespaces here"), "{error}");
    assert!(parts(folder.path()).is_empty());
    go(&good(), folder.path(), 2).unwrap();
    go(&unable, folder.path(), 2).unwrap();
}
