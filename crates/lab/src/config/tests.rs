use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::testing::registry;
use forebay_parameters::Value;

pub(crate) const GOOD: &str = r#"title = "A queue"
scenario = "formula"
description = "Two policies against load."
policies = ["queue", "fast"]
seeds = [1, 2, 3]
[workload]
trace = { value = "x", paper = "§1" }
[switch]
egress_rate = "100 Gb/s"
buffer = { value = "5 MB", assumed = "a guess", sensitivity = "test/buffer" }
wait = "20 us"
[sweep]
load = [0.2, 0.4, 0.8]
[[figure]]
id = "fig1"
title = "In system"
metric = "in_system"
x = "load"
kind = "line"
note = "It grows."
[[figure]]
id = "fig2"
title = "Depth"
series = "depth"
kind = "timeline"
at = { load = 0.8 }
[[claim]]
text = "Half as long"
source = "§1"
metric = "in_system"
subject = "fast"
against = ["queue"]
measure = "max-reduction"
paper = 0.5
"#;

pub(crate) fn read(text: &str, overrides: &Overrides) -> Result<Experiment, ConfigErrors> {
    Experiment::read("e.toml", text.as_bytes(), Path::new("."), overrides, &registry())
}

fn without_timeline(text: &str) -> String {
    let (before, rest) = text.rsplit_once("[[figure]]").unwrap();
    let (_, claims) = rest.split_once("[[claim]]").unwrap();
    format!("{before}[[claim]]{claims}")
}

pub(crate) fn set(pairs: &[(&str, &str)]) -> Overrides {
    let set = pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    Overrides { set, ..Overrides::default() }
}

#[test]
fn a_good_file_resolves() {
    let e = read(GOOD, &Overrides::default()).unwrap();
    assert_eq!((e.point_count(), e.run_count()), (3, 18));
    assert_eq!(e.axes[0].name, "load");
    let source = |name: &str| e.params.parameter(name).unwrap().source();
    assert_eq!(source("trace"), "paper §1 (e.toml:7)");
    assert_eq!(source("egress_rate"), "paper themis §6.3.1 (e.toml:9)", "equal to the default");
    assert_eq!(source("buffer"), "assumed: a guess (e.toml:10)");
    assert_eq!(source("wait"), "e.toml:11");
    assert_eq!(source("strict"), "assumed: a test (default)");
    assert_eq!(e.at_point(2).parameter("load").unwrap().value, Value::Float(0.8));
    assert_eq!(e.figures[1].at, [("load".to_owned(), "0.8".to_owned())]);
}

#[test]
fn the_last_axis_changes_fastest() {
    let text = without_timeline(GOOD)
        .replace("load = [0.2, 0.4, 0.8]", "load = [0.2, 0.8]\nswitch.cells = [1, 2, 3]");
    let e = read(&text, &Overrides::default()).unwrap();
    assert_eq!(e.axes[1].name, "switch.cells", "the last segment alone is ambiguous");
    let points: Vec<_> = (0..6).map(|p| e.coordinates(p)).collect();
    assert_eq!(points, [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]);
}

/// (what to replace, by what, the place and words of the error)
const BAD: &[(&str, &str, &str)] = &[
    (
        "paper = 0.5",
        "paper = 0.5\nbasis = \"our\"",
        ":35:9: there is no basis `our`; did you mean `ours`?",
    ),
    (
        "paper = 0.5",
        "paper = 0.5\nbasis = \"at-most\"",
        ":35:9: `at-most` is about an end of a range, and `paper` is a number",
    ),
    ("\"formula\"", "\"formul\"", ":2:12: there is no scenario `formul`; did you mean `formula`?"),
    ("title = \"A queue\"\n", "", "e.toml: the file has no `title`"),
    ("\"A queue\"", "3", ":1:9: `title` is the number 3, not a text"),
    ("\"fast\"]\n", "\"fats\"]\n", ":4:22: there is no policy `fats`; did you mean `fast`?"),
    (
        "[\"queue\", \"fast\"]\ns",
        "[\"queue\", \"queue\"]\ns",
        ":4:22: policy `queue` is listed twice",
    ),
    ("[\"queue\", \"fast\"]\ns", "[]\ns", ":4:12: `policies` is empty"),
    ("[1, 2, 3]", "[1, 0]", ":5:13: the number 0 is not a seed"),
    ("[1, 2, 3]", "[1, 1]", ":5:13: seed 1 is listed twice"),
    ("[1, 2, 3]", "[]", ":5:9: there are no seeds"),
    (
        "egress_rate =",
        "egres_rate =",
        ":9:1: there is no parameter `switch.egres_rate`; did you mean `egress_rate`?",
    ),
    ("[switch]", "[swich]", ":8:2: there is no parameter `swich`; did you mean `switch`?"),
    (
        "wait =",
        "load =",
        ":11:1: there is no parameter `switch.load`; did you mean `workload.load`?",
    ),
    ("\"100 Gb/s\"", "100", ":9:15: `switch.egress_rate`: the number 100 has no unit"),
    ("\"100 Gb/s\"", "\"100 GB/s\"", ":9:15: `switch.egress_rate`: \"100 GB/s\" is not a rate"),
    (
        "[switch]",
        "[switch]\ncells = 10",
        ":9:9: `switch.cells`: 10 is not a whole number between 1 and 9",
    ),
    ("[switch]", "[switch]\ncells = { paper = \"x\" }", ":9:9: `switch.cells` has no value"),
    ("assumed = \"a guess\"", "paper = \"x\"", "only an assumed value can have a sensitivity"),
    ("sensitivity = \"test/buffer\"", "paper = \"x\"", "from the paper or assumed, not both"),
    ("load = [0.2, 0.4, 0.8]", "", ":12:2: [sweep] has no axis"),
    ("[0.2, 0.4, 0.8]", "[]", ":13:8: axis `load` has no values"),
    ("[0.2, 0.4, 0.8]", "[0.2, 2]", ":13:14: axis `load`: 2 is not a number between 0 and 0.99"),
    ("[0.2, 0.4, 0.8]", "[0.8, 0.8]", ":13:14: axis `load` has 0.8 twice"),
    ("[0.2, 0.4, 0.8]", "[0.8]\nworkload.load = [0.8]", ":14:10: `workload.load` is swept twice"),
    (
        "load = [0.2, 0.4, 0.8]",
        "lod = [0.8]",
        ":13:1: there is no parameter `lod`; did you mean `load`?",
    ),
    (
        "load = [0.2, 0.4, 0.8]",
        "load = [0.8]\nwait = [\"1 us\"]",
        ":14:1: `switch.wait` is both given a value and swept",
    ),
    ("load = [0.2, 0.4, 0.8]", "load = [0.8]\ncells = [1]", "`cells` could be several parameters"),
    (
        "metric = \"in_system\"\nx",
        "metric = \"in_sistem\"\nx",
        "there is no metric `in_sistem`; did you mean `in_system`?",
    ),
    ("x = \"load\"", "x = \"wait\"", "`wait` is not a swept axis; sweep it"),
    (
        "kind = \"line\"",
        "kind = \"lines\"",
        "there is no kind of figure `lines`; did you mean `line`?",
    ),
    ("note =", "notes =", "a figure has no key `notes`; did you mean `note`?"),
    (
        "note =",
        "policies = [\"fsat\"]\nnote =",
        "`fsat` is not a policy of this file; did you mean",
    ),
    ("note =", "relative = { fast = 1 }\nnote =", "the base of `fast` is the number 1"),
    ("note =", "relative = { fast = \"que\" }\nnote =", "`que` is not a policy of this file"),
    ("\"fig2\"", "\"fig1\"", "two figures are called fig1"),
    (
        "{ load = 0.8 }",
        "{ load = 0.7 }",
        "axis `load` has no value 0.7; its values are 0.2, 0.4, 0.8",
    ),
    (
        "at = { load = 0.8 }",
        "",
        "a timeline shows one point, but `load` is swept; add at = { load = 0.8 }",
    ),
    ("\"max-reduction\"", "\"max-redution\"", "there is no measure `max-redution`"),
    ("\"max-reduction\"", "\"maximum\"", "maximum does not compare policies; remove `against`"),
    ("against = [\"queue\"]\n", "", "max-reduction needs policies to compare with"),
    (
        "against = [\"queue\"]\nmeasure = \"max-reduction\"",
        "measure = \"last-over-first\"\nat = { load = 0.8 }",
        ":32:11: last-over-first needs a swept axis with several values",
    ),
    ("subject = \"fast\"", "subject = \"slow\"", "`slow` is not a policy of this file"),
    ("paper = 0.5", "paper = [2, 1]", "`paper` is neither a number nor a range"),
    ("[switch]", "[switch]\norder = \"sjf\"\nx.y = 1", "there is no parameter `switch.x`"),
];

#[test]
fn every_problem_names_its_place_and_fix() {
    for (from, to, expected) in BAD {
        let text = GOOD.replacen(from, to, 1);
        assert_ne!(text, GOOD, "{from} is not in the file");
        let errors = read(&text, &Overrides::default()).expect_err(expected);
        assert!(errors.to_string().contains(expected), "expected {expected}\ngot {errors}");
    }
}

#[test]
fn all_problems_are_reported_together() {
    let text = GOOD
        .replace("[1, 2, 3]", "[0]")
        .replace("\"fast\"]\n", "\"fats\"]\n")
        .replace("\"20 us\"", "20");
    assert_eq!(
        read(&text, &Overrides::default()).unwrap_err().0.len(),
        3,
        "and not the claims that name fast"
    );
}

#[test]
fn scenarios_refuse_points_before_any_run() {
    let text = GOOD
        .replace("\"fast\"]\n", "\"fast\", \"slow\"]\n")
        .replace("[switch]", "[switch]\norder = \"sjf\"");
    let errors = read(&text, &Overrides::default()).unwrap_err();
    assert_eq!(errors.to_string(), "e.toml:9:9: slow cannot sort; use fifo");
}

#[test]
fn too_many_runs_are_refused() {
    let list = |n: i32, f: fn(i32) -> String| (1..=n).map(f).collect::<Vec<_>>().join(", ");
    let text = without_timeline(GOOD)
        .replace("[1, 2, 3]", &format!("[{}]", list(200, |s| s.to_string())))
        .replace(
            "load = [0.2, 0.4, 0.8]",
            &format!(
                "load = [{}]\nswitch.cells = [{}]\nworkload.cells = [{}]",
                list(40, |l| format!("0.{l:02}")),
                list(9, |c| c.to_string()),
                list(9, |c| c.to_string())
            ),
        );
    let errors = read(&text, &Overrides::default()).unwrap_err().to_string();
    assert!(errors.contains("has 1296000 runs; at most 1000000"), "{errors}");
}

#[test]
fn overrides_win_and_narrow_axes() {
    let e = read(GOOD, &set(&[("wait", "30 us"), ("load", "0.4")])).unwrap();
    assert_eq!(e.params.parameter("wait").unwrap().source(), "--set");
    assert_eq!((e.axes.len(), e.point_count()), (1, 1));
    assert_eq!(e.figures.len(), 1, "the timeline at 0.8 has nothing to show");
    let e = read(GOOD, &set(&[("switch.cells", "[1, 2]")])).unwrap();
    assert_eq!(e.point_count(), 6);
    for (name, value, words) in [
        ("wat", "1 us", "--set wat=1 us: there is no parameter `wat`; did you mean `wait`?"),
        ("wait", "1", "it has no unit"),
        ("load", "[0.1, 0.1]", "listed twice"),
        ("load", "[]", "the list is empty"),
        ("load", "[0.1", "not written as"),
        ("load", "[0.1]\nx = 1", "not written as"),
    ] {
        let errors = read(GOOD, &set(&[(name, value)])).unwrap_err().to_string();
        assert!(errors.contains(words), "{errors}");
    }
    let seeds = Overrides { seeds: vec![7, 7], ..Overrides::default() };
    assert_eq!(read(GOOD, &seeds).unwrap().seeds, [7]);
    let without = GOOD.replace("seeds = [1, 2, 3]\n", "");
    assert_eq!(read(&without, &seeds).unwrap().seeds, [7]);
    assert!(read(GOOD, &Overrides { seeds: vec![0], ..Overrides::default() }).is_err());
}

#[test]
fn a_path_on_the_command_line_is_of_the_working_directory_first() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("beside"), "").unwrap();
    let file = |path: &str| {
        let set = set(&[("file", path)]);
        Experiment::read("e.toml", GOOD.as_bytes(), folder.path(), &set, &registry())
            .map(|experiment| experiment.params.file(experiment.params.parameter("file").unwrap()))
    };
    let here = std::env::current_dir().unwrap().join("Cargo.toml");
    assert_eq!(file("Cargo.toml").unwrap(), Some(here), "tests run in the package's folder");
    assert_eq!(file("beside").unwrap(), Some(folder.path().join("beside")));
    assert_eq!(file("").unwrap(), None);
    let errors = file("nowhere").unwrap_err().to_string();
    let both = format!(
        "--set file=nowhere: there is no file nowhere in the working directory, nor {}",
        folder.path().join("nowhere").display()
    );
    assert!(errors.contains(&both), "{errors}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        let _ = parse(&bytes, &registry());
    }

    #[test]
    fn mutated_files_never_panic(
        cuts in proptest::collection::vec((any::<prop::sample::Index>(), 0usize..12, ".{0,8}"), 1..5),
    ) {
        let mut chars: Vec<char> = GOOD.chars().collect();
        for (at, remove, insert) in cuts {
            let at = at.index(chars.len());
            let end = (at + remove).min(chars.len());
            chars.splice(at..end, insert.chars());
        }
        let text: String = chars.into_iter().collect();
        match read(&text, &Overrides::default()) {
            Ok(experiment) => prop_assert!(experiment.run_count() >= 1),
            Err(errors) => prop_assert!(!errors.0.is_empty()),
        }
    }

    #[test]
    fn swapped_lines_never_panic(order in Just((0..GOOD.lines().count()).collect::<Vec<_>>()).prop_shuffle(), keep in 1usize..40) {
        let lines: Vec<&str> = GOOD.lines().collect();
        let text: Vec<&str> = order.iter().take(keep).map(|i| lines[*i]).collect();
        let _ = read(&text.join("\n"), &Overrides::default());
    }
}

#[test]
fn a_claim_about_a_sweep_needs_one_open_axis() {
    let text = without_timeline(GOOD)
        .replace("against = [\"queue\"]\n", "")
        .replace("max-reduction", "last-over-first");
    let claims = |set: Overrides| read(&text, &set).map(|experiment| experiment.claims.len());
    assert_eq!(claims(Overrides::default()).unwrap(), 1);
    assert_eq!(claims(set(&[("load", "[0.3, 0.5]")])).unwrap(), 1);
    assert_eq!(claims(set(&[("load", "0.4")])).unwrap(), 0, "nothing to go along");
    assert_eq!(claims(set(&[("switch.cells", "[1, 2]")])).unwrap(), 0, "two axes");
    let two = text.replace("0.8]\n", "0.8]\nswitch.cells = [1, 2]\n");
    let errors = read(&two, &Overrides::default()).unwrap_err().to_string();
    assert!(errors.contains("needs one open axis, not load, switch.cells"), "{errors}");
    let along = |axis: &str| {
        let key = format!("measure = \"last-over-first\"\nalong = \"{axis}\"");
        read(&two.replace("measure = \"last-over-first\"", &key), &Overrides::default())
    };
    assert_eq!(along("load").unwrap().claims[0].along, "load");
    let errors = along("queue").unwrap_err().to_string();
    assert!(errors.contains("`queue` is not an open axis"), "{errors}");
}

#[test]
fn values_of_axes_are_typed() {
    let text = without_timeline(GOOD)
        .replace("load = [0.2, 0.4, 0.8]", "load = [0.8]\nstrict = [true, false]");
    let e = read(&text, &Overrides::default()).unwrap();
    assert_eq!(e.axes[1].values, [Value::Bool(true), Value::Bool(false)]);
}

#[test]
fn a_parameter_that_no_policy_reads_is_refused_by_name() {
    let given = |policies: &str| {
        let text = GOOD.replace(r#"policies = ["queue", "fast"]"#, policies);
        // Without the claims, which name both.
        let text = text.split("[[claim]]").next().unwrap_or_default();
        read(text, &set(&[("servers", "3")]))
    };
    let both = given(r#"policies = ["queue", "fast"]"#).unwrap();
    let servers = both.params.parameter("servers").unwrap();
    assert!(servers.effective && servers.value == Value::Int(3));
    let error = given("policies = [\"queue\"]").unwrap_err().to_string();
    let expected = "--set servers=3: `policy.servers` has no effect under queue";
    assert!(error.contains(expected), "{error}");
}

#[test]
fn some_policies_are_run_without_what_is_about_others() {
    let chosen = |names: &[&str]| {
        let policies = names.iter().map(|name| (*name).to_owned()).collect();
        let overrides = Overrides { policies, ..Overrides::default() };
        read(GOOD, &overrides).map(|found| (overrides.digest(), found))
    };
    let (all, whole) = chosen(&[]).unwrap();
    let (one, queue) = chosen(&["queue"]).unwrap();
    assert!(all.is_none() && one.is_some());
    assert_eq!((queue.policies.len(), queue.claims.len(), whole.claims.len()), (1, 0, 1));
    assert_eq!(queue.figures.len(), whole.figures.len(), "they draw whatever there is");
    assert!(!queue.params.parameter("servers").unwrap().effective, "only fast reads it");
    let (both, two) = chosen(&["fast", "queue"]).unwrap();
    assert_eq!(two.policies[0].name, "queue", "the file's order");
    assert_eq!(both, chosen(&["queue", "fast"]).unwrap().0);
    let error = chosen(&["quue"]).map(|_| ()).unwrap_err().to_string();
    let expected = "the experiment does not run policy `quue`; did you mean `queue`?";
    assert!(error.starts_with("e.toml:") && error.ends_with(expected), "{error}");
    // The keys of its runs are those of the whole experiment.
    let keys = |found: &Experiment| crate::run::plan::runs(found).unwrap();
    assert_eq!(keys(&queue)[..], keys(&whole)[..9]);
}

#[test]
fn what_is_set_is_checked_against_the_chosen_policies_alone() {
    let chosen = |policy: &str, pairs: &[(&str, &str)]| {
        let policies = vec![policy.to_owned()];
        read(GOOD, &Overrides { policies, ..set(pairs) })
    };
    let fast = chosen("fast", &[("servers", "3")]).unwrap();
    assert!(fast.params.parameter("servers").unwrap().effective);
    let error = chosen("queue", &[("servers", "3")]).unwrap_err().to_string();
    let expected = "--set servers=3: `policy.servers` has no effect under queue; \
                    remove it, or run a policy that reads it, such as fast";
    assert_eq!(error, expected);
    // What the file sets is for the policies that it lists.
    let text = GOOD.replace("[sweep]", "[policy]\nservers = 3\n\n[sweep]");
    let policies = vec!["queue".to_owned()];
    let queue = read(&text, &Overrides { policies, ..Overrides::default() }).unwrap();
    assert!(!queue.params.parameter("servers").unwrap().effective);
}

#[test]
fn a_parameter_that_is_set_twice_is_refused() {
    for (pairs, expected) in [
        ([("load", "0.4"), ("load", "0.5")], "--set load=0.5: `load` is set twice; give one value"),
        (
            [("workload.load", "0.4"), ("load", "0.4")],
            "--set load=0.4: it is set already, as `workload.load`; give one value",
        ),
    ] {
        assert_eq!(read(GOOD, &set(&pairs)).unwrap_err().to_string(), expected);
    }
}

#[test]
fn the_policies_of_a_file_are_known_before_it_is_loaded() {
    assert_eq!(Experiment::policies_in(GOOD.as_bytes()), ["queue", "fast"]);
    let unknown = GOOD.replace("queue", "quue");
    assert_eq!(Experiment::policies_in(unknown.as_bytes()), ["quue", "fast"]);
    for text in ["title = 3", "policies = 3", "= ["] {
        assert!(Experiment::policies_in(text.as_bytes()).is_empty());
    }
}

#[test]
fn what_no_run_can_have_is_refused_with_the_parameter_to_set() {
    let busy = GOOD.replace("metric = \"in_system\"", "metric = \"utilization\"");
    let idle = busy.replace("{ value = \"x\", paper = \"§1\" }", "\"idle\"");
    let errors = read(&idle, &Overrides::default()).unwrap_err().to_string();
    let sentence = "no run has `utilization`: nothing arrives";
    assert_eq!(errors.matches(sentence).count(), 2, "the figure and the claim: {errors}");
    assert!(errors.contains("e.toml:17") && errors.contains("set workload.trace"), "{errors}");
    // One run that has it is enough.
    let some = busy.replace("trace = { value = \"x\", paper = \"§1\" }\n", "");
    let some = some.replace("[sweep]\n", "[sweep]\ntrace = [\"idle\", \"x\"]\n");
    read(&some.replace("{ load = 0.8 }", "{ load = 0.8, trace = \"x\" }"), &Overrides::default())
        .unwrap();
    // What the command line takes away is reported after the run.
    let taken = read(&busy, &set(&[("trace", "idle")])).unwrap();
    assert_eq!(taken.lack("utilization").unwrap().parameter, "workload.trace");
    assert_eq!(taken.lack("in_system"), None);
}
