//! The command as its users meet it: exit codes, messages, and what survives a kill.
#![cfg(unix)]
#![allow(clippy::unwrap_used)] // in the helpers, too, a failure is a failed test

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

const FILE: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments/self-check/single-server.toml");

fn forebay() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_forebay"));
    command.stdin(Stdio::null());
    command
}

fn run(out: &Path, more: &[&str]) -> Output {
    forebay().args(["run", FILE, "--out"]).arg(out).args(more).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A short experiment: 18 runs.
const SHORT: &[&str] = &["--set", "jobs=2000", "--seed", "3"];

fn parts(out: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(out.join("parts")) else { return Vec::new() };
    let all = entries.map(|entry| entry.unwrap().path());
    all.filter(|path| path.extension().is_some_and(|e| e == "parquet")).collect()
}

/// Waits until a child has stored some parts (or has ended).
fn wait_for_parts(child: &mut Child, out: &Path, count: usize) {
    while parts(out).len() < count && child.try_wait().unwrap().is_none() {
        sleep(Duration::from_millis(2));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn wrong_arguments_have_colours_on_a_terminal_alone() {
    let wrong = ["run", "--sed"];
    let plain = forebay().args(wrong).output().unwrap();
    assert!(!text(&plain.stderr).contains('\x1b'), "{}", text(&plain.stderr));
    let line = format!("{} {}", env!("CARGO_BIN_EXE_forebay"), wrong.join(" "));
    let mut script = Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).env("TERM", "xterm").env_remove("NO_COLOR");
    // Not every machine has the program that makes a terminal.
    let Ok(shown) = script.output() else { return };
    assert!(text(&shown.stdout).contains("\x1b["), "{}", text(&shown.stdout));
    let line = format!("{} run --sed '\x1b[2J'", env!("CARGO_BIN_EXE_forebay"));
    let shown = Command::new("script").args(["-qec", &line, "/dev/null"]).output().unwrap();
    assert!(!text(&shown.stdout).contains("\x1b[2J"), "{}", text(&shown.stdout));
}

#[test]
fn a_run_shows_a_table_and_writes_everything() {
    let out = tempfile::tempdir().unwrap();
    let output = run(out.path(), SHORT);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    assert!(shown.contains("FCFS") && shown.contains("paper 1 µs, measured"), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 100 || line.starts_with("report:")));
    for name in ["results.csv", "results.parquet", "timelines.csv", "manifest.json", "report.html"]
    {
        assert!(out.path().join(name).is_file(), "{name}");
    }
    let again = run(out.path(), SHORT);
    assert!(text(&again.stderr).contains("18 of 18 runs already there"));
    fs::remove_file(out.path().join("report.html")).unwrap();
    let report = forebay().arg("report").arg(out.path()).output().unwrap();
    assert!(report.status.success() && out.path().join("report.html").is_file());
}

#[test]
fn tables_have_the_units_of_the_report() {
    let out = tempfile::tempdir().unwrap();
    let long = ["--set", "jobs=500", "--seed", "3", "--set", "mean_job=20 ms"];
    let output = run(out.path(), &long);
    let shown = text(&output.stdout);
    assert!(shown.contains("Mean wait (ms)"), "{shown}");
    let report = fs::read_to_string(out.path().join("report.html")).unwrap();
    let (_, numbers) = report.split_once("Numbers in ms").unwrap();
    let row = shown.lines().find(|line| line.trim_start().starts_with("0.9 ")).unwrap();
    for number in row.split_whitespace().skip(1) {
        assert!(numbers.contains(&format!(">{number}<")), "{number} of {row}");
    }
}

#[test]
fn one_run_of_an_experiment_is_traced() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("a.pftrace");
    let file =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments/occamy/fig10-queue-evolution.toml");
    let run = |more: &[&str]| {
        let mut command = forebay();
        command.current_dir(folder.path()).args(["run", file]).args(more);
        let output = command.arg("--trace").arg(&trace).output().unwrap();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (code, _, said) = run(&[]);
    assert_eq!(code, Some(2));
    assert!(said.contains("this experiment has 20") && said.contains("--policy NAME"), "{said}");
    let (code, _, said) = run(&["--policy", "occamie"]);
    assert!(code == Some(2) && said.contains("did you mean `occamy`"), "{said}");
    let (code, _, said) = run(&["--out", "a"]);
    assert!(code == Some(2) && said.contains("leave out --shard and --out"), "{said}");
    let (code, shown, said) = run(&["--policy", "occamy", "--set", "alpha=4", "--seed", "1"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(shown.contains("occamy, alpha = 4, seed 1") && shown.contains("a.pftrace"), "{shown}");
    assert!(fs::metadata(&trace).unwrap().len() > 1000);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is written");
    // A large one is announced while there is time to stop it.
    let one = ["--policy", "occamy", "--set", "alpha=4", "--seed", "1"];
    let (code, _, said) = run(&[&one[..], &["--set", "span=10 ms"]].concat());
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("the trace of the whole run will have about 1"), "{said}");
    assert!(said.contains(" MB; --trace-window and --trace-sample make it smaller"), "{said}");
}

#[test]
fn a_metric_that_no_run_can_have_is_refused_before_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("queries.toml");
    let text = "title = \"queries\"\nscenario = \"network\"\npolicies = [\"dt\"]\nseeds = [1]\n\
        [sweep]\nload = [0.1, 0.2]\n[[figure]]\nid = \"a\"\ntitle = \"a\"\nmetric = \"qct_mean\"\n\
        x = \"load\"\nkind = \"line\"\n";
    fs::write(&file, text).unwrap();
    let out = folder.path().join("out");
    let output = forebay().arg("run").arg(&file).arg("--out").arg(&out).output().unwrap();
    let said = self::text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("no run has `qct_mean`: there are no queries"), "{said}");
    assert!(said.contains("fix: set workload.query_bytes"), "{said}");
    assert!(!out.exists());
}

#[test]
fn a_trace_is_no_file_that_the_experiment_reads() {
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("a.toml"), folder.path().join("b.toml"));
    let original =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments/occamy/fig10-queue-evolution.toml");
    fs::copy(original, &file).unwrap();
    fs::hard_link(&file, &link).unwrap();
    let traced = |trace: &Path| {
        let mut command = forebay();
        command
            .arg("run")
            .arg(&file)
            .args(["--policy", "occamy", "--set", "alpha=4", "--seed", "1"]);
        let output = command.arg("--trace").arg(trace).output().unwrap();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    for trace in [&file, &link] {
        let (code, _, said) = traced(trace);
        assert_eq!(code, Some(2));
        assert!(said.contains("error: --trace: ") && said.contains("is the experiment"), "{said}");
    }
    assert_eq!(fs::read(&file).unwrap(), fs::read(original).unwrap());
    if cfg!(target_os = "linux") {
        let (code, shown, said) = traced(Path::new("/dev/full"));
        assert!(code == Some(1) && shown.contains("occamy, alpha = 4, seed 1"), "{shown}");
        assert!(said.contains("cannot write /dev/full: No space left"), "{said}");
    }
}

#[test]
fn overrides_have_a_folder_of_their_own() {
    let place = tempfile::tempdir().unwrap();
    let folder = |more: &[&str]| {
        let output =
            forebay().current_dir(place.path()).args(["run", FILE]).args(more).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        let shown = text(&output.stdout);
        let report = shown.lines().find_map(|line| line.strip_prefix("report: ")).unwrap();
        assert!(place.path().join(report).is_file(), "{report}");
        Path::new(report).parent().unwrap().to_str().unwrap().to_owned()
    };
    let one = folder(&["--set", "jobs=2000", "--set", "load=0.5", "--seed", "3"]);
    let suffix = one.strip_prefix("results/self-check/single-server.set-").unwrap();
    assert!(suffix.len() == 8 && suffix.bytes().all(|b| b.is_ascii_hexdigit()), "{one}");
    let again = folder(&["--seed", "3", "--set", "load=0.5", "--set", "jobs=2000"]);
    assert_eq!(one, again, "the order of options does not matter");
    let other = folder(&["--set", "jobs=2000", "--set", "load=0.5", "--seed", "4"]);
    assert_ne!(one, other);
    assert!(!place.path().join("results/self-check/single-server").exists());
}

#[test]
fn shards_share_a_folder_and_make_the_same_tables() {
    let (whole, shared) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    assert!(run(whole.path(), SHORT).status.success());
    fn shard(text: &str) -> Vec<&str> {
        [SHORT, &["--shard", text]].concat()
    }
    let children: Vec<_> = ["0/2", "1/2"]
        .map(|text| {
            let mut command = forebay();
            command.args(["run", FILE, "--out"]).arg(shared.path()).args(shard(text));
            command.stderr(Stdio::null()).spawn().unwrap()
        })
        .into();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert!(!shared.path().join("results.csv").exists());
    let output = run(shared.path(), SHORT);
    assert!(text(&output.stdout).contains("(0 computed,"), "{}", text(&output.stdout));
    for name in ["results.csv", "results.parquet", "timelines.csv"] {
        let read = |folder: &Path| fs::read(folder.join(name)).unwrap();
        assert!(read(whole.path()) == read(shared.path()), "{name} differs");
    }
    let wrong = run(shared.path(), &shard("2/2"));
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("write it as i/n"), "{}", text(&wrong.stderr));
}

#[test]
fn bad_input_exits_with_2_and_touches_nothing() {
    let out = tempfile::tempdir().unwrap();
    let folder = out.path().join("results");
    for (more, words) in [
        (&["--set", "lod=0.5"][..], "did you mean `load`?"),
        (&["--set", "load=5"], "is not a number between 0.01 and 0.99"),
        (&["--set", "load"], "key=value"),
        (&["--seed", "0"], "--seed"),
    ] {
        let output = run(&folder, more);
        assert_eq!(output.status.code(), Some(2), "{more:?}");
        assert!(text(&output.stderr).contains(words), "{}", text(&output.stderr));
        assert!(!folder.exists());
    }
    let missing = forebay().args(["run", "no-such-file.toml"]).output().unwrap();
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing.stderr).contains("cannot read no-such-file.toml"));
    let empty = forebay().arg("report").arg(out.path()).output().unwrap();
    assert_eq!(empty.status.code(), Some(2));
}

#[test]
fn an_error_shows_its_line_with_a_caret() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("e.toml");
    let good = fs::read_to_string(FILE).unwrap();
    fs::write(&file, good.replace("400_000", "\"many\"")).unwrap();
    let output = forebay().arg("show").arg(&file).output().unwrap();
    let shown = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(shown.contains("e.toml:11:18") && shown.contains("^^^^^^"), "{shown}");
}

#[test]
fn an_unwritable_folder_and_a_damaged_part_exit_with_2() {
    let out = tempfile::tempdir().unwrap();
    fs::write(out.path().join("file"), b"").unwrap();
    let output = run(&out.path().join("file"), SHORT);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("choose another folder (--out)"));
    let folder = out.path().join("results");
    assert!(run(&folder, SHORT).status.success());
    let victim = parts(&folder).remove(0);
    fs::write(&victim, b"x").unwrap();
    let output = run(&folder, SHORT);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains(victim.to_str().unwrap()));
}

#[test]
fn kill_9_loses_at_most_the_runs_in_flight() {
    let (whole, killed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let settings = ["--set", "jobs=50000"];
    assert!(run(whole.path(), &settings).status.success());
    let mut child = forebay()
        .args(["run", FILE, "--jobs", "2", "--out"])
        .arg(killed.path())
        .args(settings)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_for_parts(&mut child, killed.path(), 5);
    child.kill().unwrap();
    child.wait().unwrap();
    let stored = parts(killed.path()).len();
    assert!(stored >= 5);
    let output = run(killed.path(), &settings);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let expected = format!("{stored} of 90 runs already there");
    assert!(text(&output.stderr).contains(&expected), "{}", text(&output.stderr));
    for name in ["results.csv", "results.parquet", "timelines.csv", "timelines.parquet"] {
        let read = |folder: &Path| fs::read(folder.join(name)).unwrap();
        assert!(read(whole.path()) == read(killed.path()), "{name} differs");
    }
}

#[test]
fn ctrl_c_stops_soon_and_says_how_to_resume() {
    let out = tempfile::tempdir().unwrap();
    let mut child = forebay()
        .args(["run", FILE, "--jobs", "1", "--set", "jobs=1000000", "--out"])
        .arg(out.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for_parts(&mut child, out.path(), 1);
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let shown = text(&output.stderr);
    assert!(shown.contains("of 90 runs stored; the same command resumes there"), "{shown}");
    assert!(!out.path().join("results.csv").exists());
}

#[test]
fn every_experiment_in_the_tree_can_run() {
    let folder = Path::new(FILE).parent().unwrap().parent().unwrap();
    let output = forebay().arg("list").arg(folder).output().unwrap();
    let shown = text(&output.stdout);
    assert!(output.status.success() && shown.contains("single-server.toml"), "{shown}");
    assert!(!shown.contains("cannot run:"), "{shown}");
}

#[test]
fn a_closed_pipe_is_not_a_panic() {
    let mut child = forebay()
        .arg("list")
        .arg(Path::new(FILE).parent().unwrap())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[test]
fn results_that_would_replace_each_other_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let below = folder.path().join("sub");
    fs::create_dir(&below).unwrap();
    for place in [folder.path(), &below] {
        fs::copy(FILE, place.join("queue.toml")).unwrap();
    }
    let out = folder.path().join("out");
    let output = forebay().arg("run").arg(folder.path()).arg("--out").arg(&out).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("would both go to"), "{}", text(&output.stderr));
    assert!(!out.exists());
}

#[test]
fn one_mistake_is_one_error() {
    let file =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments/themis/fig10-single-point.toml");
    let output = forebay().args(["show", file, "--set", "rank=foo"]).output().unwrap();
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(errors.matches("error").count(), 1, "{errors}");
    assert!(errors.contains("foo"), "{errors}");
}

#[test]
fn what_is_set_must_be_read_by_a_policy_that_runs() {
    let folder = tempfile::tempdir().unwrap();
    let experiments = concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments");
    let dtd = format!("{experiments}/gearbox/dtd.toml");
    let out = folder.path().to_str().unwrap();
    for (arguments, expected) in [
        (
            &["--policy", "cq-1", "--set", "level_fifos=4"][..],
            "--set level_fifos=4: `scheduler.level_fifos` has no effect under cq-1",
        ),
        (&["--set", "span=2ms", "--set", "run.span=2ms"], "it is set already, as `span`"),
        (&["--set", "span=2ms", "--set", "span=3ms"], "`span` is set twice"),
    ] {
        let more = [&["run", &dtd, "--out", out], arguments].concat();
        let output = forebay().args(more).output().unwrap();
        let said = text(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(expected), "{said}");
    }
}

#[test]
fn of_a_folder_those_experiments_run_that_list_the_policy() {
    let folder = tempfile::tempdir().unwrap();
    let good = fs::read_to_string(FILE).unwrap();
    let (experiments, out) = (folder.path().join("e"), folder.path().join("out"));
    fs::create_dir(&experiments).unwrap();
    fs::write(experiments.join("both.toml"), &good).unwrap();
    let end = good.find("[[figure]]").unwrap();
    let one = good[..end].replace(r#""fcfs", "sjf""#, r#""fcfs""#);
    assert!(one.len() < end, "it lists two policies");
    fs::write(experiments.join("one.toml"), one).unwrap();
    let run = |policy: &str| {
        let mut command = forebay();
        command.arg("run").arg(&experiments).arg("--out").arg(&out).args(["--policy", policy]);
        command.args(SHORT).output().unwrap()
    };
    let output = run("sjf");
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("left out, without sjf: ") && said.contains("one.toml"), "{said}");
    assert!(out.join("both").exists() && !out.join("one").exists());
    let said = text(&run("sfj").stderr);
    assert!(said.contains("--policy: no experiment here runs policy `sfj`"), "{said}");
    assert!(said.contains("did you mean `sjf`?"), "{said}");
}

#[test]
fn a_file_that_is_not_there_comes_with_what_to_give() {
    for arguments in [
        &["show", "absent.toml"][..],
        &["sched", "check", "absent.tree"],
        &["buffer", "explain", "absent.json"],
        #[cfg(feature = "proxy")]
        &["proxy", "absent.toml"],
        #[cfg(all(feature = "live", target_os = "linux"))]
        &["switch", "absent.toml"],
        #[cfg(all(feature = "live", target_os = "linux"))]
        &["switch", "up", "absent.toml"],
    ] {
        let folder = tempfile::tempdir().unwrap();
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_forebay"));
        let output = command.args(arguments).current_dir(folder.path()).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains("absent") && said.contains("\n  fix: "), "{arguments:?}: {said}");
    }
}

/// As in PREFIX/bin and PREFIX/share of a package, from a folder without experiments.
#[test]
fn an_installed_program_finds_the_experiments_of_its_package() {
    let prefix = tempfile::tempdir().unwrap();
    let program = prefix.path().join("bin/forebay");
    fs::create_dir(prefix.path().join("bin")).unwrap();
    let built = env!("CARGO_BIN_EXE_forebay");
    fs::hard_link(built, &program).or_else(|_| fs::copy(built, &program).map(drop)).unwrap();
    let own = prefix.path().join("share/forebay/experiments");
    fs::create_dir_all(own.join("self-check")).unwrap();
    fs::copy(FILE, own.join("self-check/single-server.toml")).unwrap();
    let plan = "[[paper]]\nid = \"self-check\"\ntitle = \"Self-check\"\n[[experiment]]\n\
                file = \"self-check/single-server.toml\"\npaper = \"self-check\"\n";
    fs::write(own.join("reproduce.toml"), plan).unwrap();
    let here = tempfile::tempdir().unwrap();
    let asked = |arguments: &[&str]| {
        let output = Command::new(&program).args(arguments).current_dir(&here).output().unwrap();
        let texts = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        assert!(output.status.success(), "{arguments:?}: {texts:?}");
        texts
    };
    let place = own.display().to_string();
    let [listed, note] = asked(&["list"]);
    assert!(listed.starts_with(&format!("Experiments in {place}\n  {place}/self-check/")));
    assert!(note.contains("the package's") && note.contains(&place), "{note}");
    let [found, _] = asked(&["list", "single-server"]);
    assert!(found.contains("/self-check/single-server.toml"), "{found}");
    let [_, said] = asked(&["reproduce", "--quick"]);
    assert!(said.contains("those of the package are run") && said.contains(&place), "{said}");
    assert!(here.path().join("results/quick/index.html").is_file());
    // A folder here is what is meant.
    fs::create_dir(here.path().join("experiments")).unwrap();
    assert!(asked(&["list"])[0].starts_with("Experiments in experiments\n  none\n"));
}
