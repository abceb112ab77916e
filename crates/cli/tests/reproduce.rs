//! `forebay reproduce` and what finds its experiments: a folder of two papers, run quickly, in
//! full, stopped, resumed, with one that fails.
#![cfg(unix)]
#![allow(clippy::unwrap_used)] // in the helpers, too, a failure is a failed test

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

const ORIGINAL: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments/self-check/single-server.toml");

const PLAN: &str = r#"
[[paper]]
id = "first"
title = "The <first> paper"
citation = "Somebody, 2025"
docs = ["../docs/first.md", "../docs/not-there.md"]
[[paper.output]]
title = "A table by formulas"
command = "forebay queues table1"
[[paper.output]]
title = "A picture by formulas"
command = "forebay queues fig3 --svg {picture}"
[[paper.output]]
title = "Hardware"
files = ["../rtl/a.csv", "../rtl/b.svg"]
made_by = "make synth"

[[paper]]
id = "second"
title = "The second paper"

[[experiment]]
file = "one/fig1.toml"
paper = "first"
quick = { jobs = "1000", load = "[0.1, 0.8]" }

[[experiment]]
file = "two/fig2.toml"
paper = "second"
quick = { jobs = "1000" }
"#;

/// A place with a folder of experiments.
struct Place(tempfile::TempDir);

impl Place {
    fn new(jobs: &str) -> Self {
        let place = Place(tempfile::tempdir().unwrap());
        let text = fs::read_to_string(ORIGINAL).unwrap().replace("400_000", jobs);
        for (name, text) in [
            ("experiments/reproduce.toml", PLAN),
            ("experiments/one/fig1.toml", &text),
            ("experiments/two/fig2.toml", &text.replace("[1, 2, 3, 4, 5]", "[7, 8]")),
            ("experiments/two/sensitivity-more.toml", &text.replace("[1, 2, 3, 4, 5]", "[9]")),
            ("docs/first.md", "The page."),
            ("rtl/b.svg", "<?xml version=\"1.0\"?><svg id=\"hardware\"></svg>"),
        ] {
            let file = place.path(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_forebay"));
        command.stdin(Stdio::null()).current_dir(self.0.path()).args(arguments);
        command
    }

    fn run(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let Output { status, stdout, stderr } = self.command(arguments).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (status.code(), text(&stdout), text(&stderr))
    }
}

fn parts(folder: &Path) -> usize {
    let Ok(entries) = fs::read_dir(folder.join("parts")) else { return 0 };
    let names = entries.map(|entry| entry.unwrap().path());
    names.filter(|path| path.extension().is_some_and(|e| e == "parquet")).count()
}

#[test]
fn a_quick_run_leaves_the_full_results_alone_and_writes_every_page() {
    let place = Place::new("2000");
    let (code, shown, said) = place.run(&["reproduce", "--quick"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("2 papers, 2 experiments, 22 runs: about"), "{said}");
    assert!(shown.contains("index: results/quick/index.html"), "{shown}");
    assert!(said.contains("one/fig1: no claims"), "its load is gone: {said}");
    assert!(said.contains("two/fig2: 2 claims: "), "{said}");
    assert!(place.path("results/quick/one/fig1/report.html").is_file());
    assert!(!place.path("results/one").exists());
    assert!(!place.path("results/quick/two/sensitivity-more").exists());
    let index = place.read("results/quick/index.html");
    for words in [
        "Quick results",
        "<a href=\"first.html\">The &lt;first&gt; paper</a>",
        "<a href=\"second.html#two-fig2\">two/fig2</a>",
        "What is not reproduced, and why",
        "href=\"../../experiments/reproduce.toml\"",
    ] {
        assert!(index.contains(words), "{words}");
    }
    let page = place.read("results/quick/first.html");
    for words in [
        "href=\"../../docs/first.md\"",
        "href=\"one/fig1/report.html\"",
        "href=\"one/fig1/results.parquet\"",
        "href=\"../../experiments/one/fig1.toml\"",
        "Printed by: forebay queues table1.",
        "ClubHeap",
        "<svg id=\"hardware\">",
        "Made by: make synth.",
        "2 claims are about values that this run leaves out",
    ] {
        assert!(page.contains(words), "{words}");
    }
    let second = place.read("results/quick/second.html");
    assert!(second.contains("name=\"show\" id=\"show-no\"") && second.contains("<tr class=\""));
    assert!(!page.contains("not-there") && !page.contains("a.csv"), "what is not there is no link");
    assert!(page.matches("</svg>").count() >= 4, "figures, and both pictures");
    for page in [&index, &page] {
        for word in ["NaN", "Some(", "None", "Config {"] {
            assert!(!page.contains(word), "{word}");
        }
    }
    // Again: nothing is computed, and the pages are the same.
    let (code, _, said) = place.run(&["reproduce", "--quick"]);
    assert!(code == Some(0) && said.contains("22 runs, 22 already there: about 0 s"), "{said}");
    assert_eq!(page, place.read("results/quick/first.html"));
}

#[test]
fn all_has_sensitivities_and_costs_are_kept_for_the_next_estimate() {
    let place = Place::new("2000");
    let (code, _, said) = place.run(&["reproduce", "experiments", "--all", "--keep-costs"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("3 experiments, 144 runs"), "{said}");
    assert!(said.contains("a guess for 3 experiments that were never measured"), "{said}");
    assert!(place.read("results/second.html").contains("id=\"two-sensitivity-more\""));
    let costs = place.read("experiments/reproduce-costs.csv");
    assert!(costs.contains("\none/fig1,") && costs.contains("\ntwo/sensitivity-more,"), "{costs}");
    let (_, shown, _) = place.run(&["list"]);
    assert!(shown.contains("= 90 runs of single-server; took 0."), "{shown}");
    fs::remove_dir_all(place.path("results")).unwrap();
    let (_, shown, _) = place.run(&["list"]);
    assert!(shown.contains("= 90 runs of single-server; about 0."), "{shown}");
    let (_, _, said) = place.run(&["reproduce"]);
    assert!(!said.contains("a guess"), "{said}");
}

#[test]
fn claims_are_listed_and_one_that_differs_has_to_say_why() {
    let place = Place::new("2000");
    let file = place.path("experiments/two/fig2.toml");
    let text = fs::read_to_string(&file).unwrap();
    let odd = text.replacen("paper = 1.0", "paper = 100.0", 1);
    assert_ne!(odd, text);
    let said = |text: &str| {
        fs::write(&file, text).unwrap();
        let (code, _, said) = place.run(&["reproduce"]);
        assert_eq!(code, Some(0), "{said}");
        said
    };
    let words =
        "two/fig2: no reason is given why this differs from the paper: Mean wait at load 0.5";
    assert!(said(&odd).contains(words));
    let list = place.read("results/claims.csv");
    assert!(list.contains("second,two/fig2,Mean wait at load 0.5") && list.contains(",differs,"));
    assert_eq!(list.lines().count(), 5, "{list}");
    assert!(place.read("results/index.html").contains("href=\"claims.csv\""));
    assert!(
        !said(&odd.replacen("paper = 100.0", "paper = 100.0\nwhy = \"odd\"", 1)).contains(words)
    );
}

#[test]
fn one_that_fails_stops_no_other_and_is_named() {
    let place = Place::new("2000");
    fs::create_dir_all(place.path("results/one")).unwrap();
    fs::write(place.path("results/one/fig1"), "no folder").unwrap();
    let (code, shown, said) = place.run(&["reproduce"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("error: one/fig1 failed; the index says why"), "{said}");
    assert!(shown.contains("index: results/index.html"), "{shown}");
    assert!(place.path("results/two/fig2/report.html").is_file());
    let index = place.read("results/index.html");
    assert!(
        index.contains("Experiments without results") && index.contains("cannot write results")
    );
    fs::remove_file(place.path("results/one/fig1")).unwrap();
    let (code, _, said) = place.run(&["reproduce"]);
    assert!(code == Some(0) && said.contains("36 already there"), "{said}");
    assert!(!place.read("results/index.html").contains("Experiments without results"));
}

#[test]
fn ctrl_c_keeps_what_is_done_and_the_same_command_resumes() {
    let place = Place::new("200_000");
    let child = place
        .command(&["reproduce", "--jobs", "1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut child = child;
    while parts(&place.path("results/one/fig1")) < 2 && child.try_wait().unwrap().is_none() {
        sleep(Duration::from_millis(2));
    }
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("the same command resumes there"), "{said}");
    let index = place.read("results/index.html");
    assert!(index.contains("not finished") && index.contains("runs stored"), "{index}");
    let stored = parts(&place.path("results/one/fig1")) + parts(&place.path("results/two/fig2"));
    let (code, _, said) = place.run(&["reproduce"]);
    assert!(code == Some(0) && said.contains(&format!("{stored} already there")), "{said}");
    let alone = place.run(&["run", "experiments/one/fig1.toml", "--out", "alone"]);
    assert_eq!(alone.0, Some(0));
    for name in ["results.csv", "results.parquet"] {
        let read = |folder: &str| fs::read(place.path(folder).join(name)).unwrap();
        assert!(read("results/one/fig1") == read("alone"), "{name} differs");
    }
}

#[test]
fn mistakes_are_found_before_anything_runs() {
    let place = Place::new("2000");
    let plan = place.path("experiments/reproduce.toml");
    for (from, to, words) in [
        ("one/fig1.toml", "one/fig9.toml", "there is no file experiments/one/fig9.toml"),
        ("quick =", "quik =", "did you mean `quick`?"),
        ("jobs = \"1000\", load", "jobz = \"1000\", load", "did you mean `jobs`?"),
        ("jobs = \"1000\", load", "jobz = \"1000\", load", "experiments/reproduce.toml:25:11"),
        ("[0.1, 0.8]", "[0.1, 8]", "experiments/reproduce.toml:25:26"),
        ("[0.1, 0.8]", "[0.1, 8]", "in: the quick run of one/fig1"),
        ("queues table1", "queues table9", "experiments/reproduce.toml:9:11"),
        ("queues table1", "run experiments", "a view of `forebay queues`"),
        ("forebay queues table1", "queues table1", "the command begins with `queues`"),
    ] {
        let text = PLAN.replacen(from, to, 1);
        assert_ne!(text, PLAN, "{from}");
        fs::write(&plan, text).unwrap();
        let (code, _, said) = place.run(&["reproduce", "--quick"]);
        assert!(code == Some(2) && said.contains(words), "{from}: {said}");
        assert!(!place.path("results").exists(), "{from}");
    }
    let (code, _, said) = place.run(&["reproduce", "docs"]);
    assert!(code == Some(2) && said.contains("cannot read docs/reproduce.toml"), "{said}");
    fs::write(&plan, PLAN).unwrap();
    for command in [&["reproduce"][..], &["run", "experiments/one", "experiments/two"]] {
        let (code, shown, said) = place.run(&[command, &["--out", "docs/first.md"]].concat());
        assert!(
            code == Some(2) && said.starts_with("error: cannot write results to docs/"),
            "{said}"
        );
        assert!(shown.is_empty() && !place.path("results").exists(), "{shown}");
    }
}

#[test]
fn list_filters_and_speaks_json() {
    let place = Place::new("2000");
    let (_, all, _) = place.run(&["list"]);
    assert!(all.contains("one/fig1.toml") && all.contains("two/sensitivity-more.toml"), "{all}");
    assert!(!all.contains("reproduce.toml") && !all.contains("cannot run"), "{all}");
    let (_, one, _) = place.run(&["show", "experiments/two/fig2.toml", "--set", "load=0.5"]);
    assert!(one.contains("2 policies × 1 point × 2 seeds = 4 runs of single-server"), "{one}");
    let (_, some, _) = place.run(&["list", "experiments/two", "FIG2", "self-check"]);
    assert!(some.contains("two/fig2.toml") && !some.contains("sensitivity"), "{some}");
    let (code, none, _) = place.run(&["list", "fig1", "network"]);
    assert!(code == Some(0) && none.contains("none") && !none.contains("Scenarios"), "{none}");
    let (code, json, _) = place.run(&["list", "fig1", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(code, Some(0));
    let one = &value["experiments"][0];
    assert_eq!((one["runs"].as_u64(), one["scenario"].as_str()), (Some(90), Some("single-server")));
    assert_eq!(value["experiments"].as_array().unwrap().len(), 1);
    assert!(value["scenarios"].as_array().unwrap().is_empty());
}

#[test]
fn what_list_does_not_find_is_a_mistake() {
    let place = Place::new("2000");
    for (words, expected) in [
        (&["missing"][..], "there is no folder `missing`, and nothing in experiments"),
        (&["fig1", "no/such"], "there is no folder `no/such`"),
        (&["experiments/one", "fig2"], "nothing in experiments/one has `fig2`"),
    ] {
        let (code, shown, said) = place.run(&[&["list"], words].concat());
        assert!(code == Some(2) && said.contains(expected) && shown.is_empty(), "{shown}{said}");
    }
    fs::rename(place.path("experiments"), place.path("elsewhere")).unwrap();
    let (code, _, said) = place.run(&["list", "missing"]);
    assert!(
        code == Some(2) && said.contains("no folder missing, nor a folder experiments"),
        "{said}"
    );
}

#[test]
fn a_folder_has_its_experiments_and_nothing_else() {
    use std::os::unix::fs::symlink;
    let place = Place::new("2000");
    fs::write(place.path("experiments/Cargo.toml"), "[package]\nname = \"no-experiment\"\n")
        .unwrap();
    fs::create_dir(place.path("experiments/one/folder.toml")).unwrap();
    symlink("..", place.path("experiments/one/up")).unwrap();
    symlink("../fig1.toml", place.path("experiments/one/folder.toml/link.toml")).unwrap();
    let (code, all, _) = place.run(&["list", "."]);
    assert_eq!((code, all.matches("runs of single-server").count()), (Some(0), 4), "{all}");
    assert!(!all.contains("cannot run") && !all.contains("/up/"), "{all}");
    let (code, _, said) = place.run(&["show", "experiments/Cargo.toml"]);
    assert!(code == Some(2) && said.contains("the file has no `scenario`"), "{said}");
    symlink("nowhere", place.path("experiments/one/gone.toml")).unwrap();
    let (code, all, _) = place.run(&["list"]);
    assert_eq!((code, all.matches("runs of single-server").count()), (Some(0), 4), "{all}");
    assert!(all.contains("cannot run: cannot read experiments/one/gone.toml"), "{all}");
    let (code, shown, said) = place.run(&["run", "experiments/one"]);
    assert!(
        code == Some(2) && said.contains("gone.toml") && said.contains("repair the link"),
        "{said}"
    );
    assert!(shown.is_empty(), "{shown}");
}

#[test]
fn run_takes_folders_and_policies() {
    let place = Place::new("2000");
    let (code, shown, said) = place.run(&["run", "experiments/two", "--policy", "fcfs"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(
        shown.contains("18 runs (18 computed") && shown.contains("9 runs (9 computed"),
        "{shown}"
    );
    let reports: Vec<&str> = shown.lines().filter(|line| line.starts_with("report: ")).collect();
    assert_eq!(reports.len(), 2);
    assert!(reports[0].contains("results/two/fig2.set-"), "{shown}");
    assert!(shown.contains("FCFS") && !shown.contains("SJF"), "{shown}");
    let (code, _, said) = place.run(&["run", "experiments/two", "--policy", "fcfs,sfj"]);
    let expected = "error: --policy: no experiment here runs policy `sfj`; did you mean `sjf`?\n";
    assert!(code == Some(2) && said == expected, "{said}");
    let named = ["run", "experiments/two/fig2.toml", "--policy", "fcfs,sfj"];
    let (code, _, said) = place.run(&named);
    assert!(code == Some(2) && said.contains("did you mean `sjf`"), "{said}");
    assert!(said.contains("--> experiments/two/fig2.toml:7:12"), "{said}");
    let (code, _, said) = place.run(&["run", "experiments/two", "--set", "lod=0.5"]);
    assert!(
        code == Some(2) && said.contains("error: experiments/two/fig2.toml: --set lod=0.5: "),
        "{said}"
    );
    let (code, _, said) = place.run(&["run", "docs"]);
    assert!(code == Some(2) && said.contains("no experiments in docs"), "{said}");
}

#[test]
fn show_describes_a_scenario() {
    let place = Place::new("2000");
    let (code, shown, said) = place.run(&["show", "single-server"]);
    assert_eq!(code, Some(0), "{said}");
    for words in [
        "[workload]",
        "load = ",
        "[policies]",
        "fcfs: ",
        "[metrics]",
        "mean_wait (us): ",
        "[series]",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    assert!(shown.lines().all(|line| line.chars().count() <= 100), "{shown}");
    let (code, _, said) = place.run(&["show", "single-serve"]);
    assert!(code == Some(2) && said.contains("did you mean `single-server`"), "{said}");
    let (code, _, said) = place.run(&["show", "single-server", "--set", "load=0.5"]);
    assert!(code == Some(2) && said.contains("--set changes an experiment"), "{said}");
}

/// A wider tolerance would call reproduced what no reader of the paper would. The exception is a
/// table that prints one decimal of numbers as small as 0.2.
#[test]
fn no_claim_of_the_project_has_a_tolerance_above_a_tenth() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
    let folders = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let files = folders.filter(|path| path.is_dir()).flat_map(|path| fs::read_dir(path).unwrap());
    for file in files.map(|entry| entry.unwrap().path()) {
        if file.extension().is_none_or(|e| e != "toml")
            || file.ends_with("delayed-hits/example.toml")
        {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        for tolerance in text.lines().filter_map(|line| line.strip_prefix("tolerance = ")) {
            assert!(tolerance.parse::<f64>().unwrap() <= 0.1, "{}: {tolerance}", file.display());
        }
    }
}

/// What is not listed would be missing on the pages.
#[test]
fn every_experiment_of_the_project_is_listed_and_its_quick_run_fits() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let listed = fs::read_to_string(root.join("experiments/reproduce.toml")).unwrap();
    for folder in fs::read_dir(root.join("experiments")).unwrap().map(|entry| entry.unwrap().path())
    {
        for file in fs::read_dir(&folder).into_iter().flatten().map(|entry| entry.unwrap().path()) {
            let name = file.strip_prefix(root.join("experiments")).unwrap().display().to_string();
            if name.ends_with(".toml") && !name.contains("/sensitivity-") {
                assert!(
                    listed.contains(&format!("file = \"{name}\"")),
                    "{name} is not in reproduce.toml"
                );
            }
        }
    }
}
