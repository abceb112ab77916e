use forebay_parameters::Choice;
use forebay_surge::policies::policies;

use super::*;
use crate::testing::{experiment, run_with, value};

const SHORT: &[(&str, &str)] = &[("run.warm_up", "2 ms"), ("run.span", "5 ms")];

fn run(policy: &str, set: &[(&str, &str)]) -> Result<Vec<(&'static str, f64)>, RunError> {
    run_with(&Surge::new(&policies()), policy, &[SHORT, set].concat())
}

/// A recording of ours: the innocent take 100 to 200 ns, the attack's n-th packet n times 4 ns.
fn recording() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("recording.csv");
    let mut text = String::from("class,flow,bytes,estimate_ns,work_ns\n");
    (0..100).for_each(|n| text += &format!("innocent,{n},1000,{},{}\n", 150 + n, 100 + n));
    (1..=1000).for_each(|n| text += &format!("attack,0,64,{},{}\n", 4 * n, 4 * n));
    std::fs::write(&file, text).unwrap();
    let name = file.display().to_string();
    (folder, name)
}

#[test]
fn every_policy_of_the_registry_runs_and_wsjf_keeps_its_bound() {
    let surge = Surge::new(&policies());
    for name in policies().names() {
        assert!(surge.policies().iter().any(|policy| policy.name == name), "{name}");
    }
    for policy in surge.policies() {
        let values = run(&policy.name, &[("attack.rate", "500 Mb/s")]).unwrap();
        assert_eq!(values.len(), metrics::METRICS.len());
        let goodput = value(&values, "goodput");
        assert!((0.0..=10.1).contains(&goodput), "{} {goodput}", policy.name);
    }
    for policy in ["wsjf", "wsjf-inorder", "wsjf-preemptive"] {
        let values = run(policy, &[]).unwrap();
        assert!(value(&values, "certain_factor") <= value(&values, "bound"), "{policy}");
    }
    assert!(value(&run("wsjf-tail", &[]).unwrap(), "bound").is_nan());
    let fcfs = value(&run("fcfs", &[]).unwrap(), "displacement_factor");
    assert!(fcfs > 20.0, "{fcfs}");
}

#[test]
fn no_part_is_above_one() {
    // They drop what came before the counting, too.
    for policy in ["fq-bytes", "fq-packets"] {
        let values = run(policy, &[("attack.rate", "20 Mb/s")]).unwrap();
        let loss = value(&values, "loss");
        assert!((0.7..=1.0).contains(&loss), "{policy}: {loss}");
        assert!(value(&values, "attack_served") <= 1.0);
    }
}

#[test]
fn a_recording_is_replayed_drawn_and_scaled() {
    let (_folder, file) = recording();
    let base = [("traffic.model", "recorded"), ("traffic.file", &*file), ("traffic.load", "0.8")];
    let attacked = [&base[..], &[("attack.share", "0.01")]].concat();
    let in_order = [&attacked[..], &[("traffic.order", "recorded")]].concat();
    for set in [&attacked, &in_order] {
        let [fcfs, wsjf] = ["fcfs", "wsjf"].map(|policy| run(policy, set).unwrap());
        assert!(value(&fcfs, "displaced") > 10.0 * value(&wsjf, "displaced").max(0.0), "{fcfs:?}");
        assert!(value(&fcfs, "latency_p99") > value(&fcfs, "latency_p99_alone"));
    }
    let few = [&in_order[..], &[("attack.segments", "10")]].concat();
    let work = |set: &[(&str, &str)]| value(&run("fcfs", set).unwrap(), "attack_work");
    assert!((work(&few) - 0.04).abs() < 1e-9 && (work(&in_order) - 4.0).abs() < 1e-9);
    let scaled = [&in_order[..], &[("traffic.max_rate", "1 Gb/s")]].concat();
    // E[P] / E[J] is 8000 bits in 149.5 ns.
    assert!((work(&scaled) / (4.0 * 8000.0 / 149.5) - 1.0).abs() < 1e-3);
}

#[test]
fn what_cannot_be_is_named() {
    for (name, bad, words) in [
        ("traffic.model", "recorded", "needs a file"),
        (
            "traffic.order",
            "recorded",
            "`traffic.order` has no effect while `traffic.model` is reassembly",
        ),
        ("traffic.rate", "0 b/s", "give a traffic rate above 0 b/s"),
        ("attack.rate", "0 b/s", "give a traffic rate above 0 b/s"),
        ("run.span", "0 s", "the measured span must be above 0"),
    ] {
        let error = experiment("surge", "wsjf", &[(name, bad)]).map(drop).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    let (folder, file) = recording();
    std::fs::write(&file, "flow,bytes\n").unwrap();
    let set = [("traffic.model", "recorded"), ("traffic.file", &*file)];
    let error = run("wsjf", &set).unwrap_err().to_string();
    assert!(error.contains("line 1"), "{error}");
    drop(folder);
}

#[test]
fn the_heuristic_changes_the_attack_and_little_else() {
    let set = [("attack.rate", "1 Gb/s")];
    let truth = value(&run("wsjf-inorder", &set).unwrap(), "displacement_factor");
    let guessed = [&set[..], &[("scheduler.estimates", "heuristic")]].concat();
    let guessed = value(&run("wsjf-inorder", &guessed).unwrap(), "displacement_factor");
    assert!((guessed - truth).abs() < 0.2, "{truth} {guessed}");
}

#[test]
fn only_a_heuristic_changes_anything() {
    let surge = Surge::new(&policies());
    let lacks = |estimates: &str, quantity| {
        let set = [("scheduler.estimates".to_owned(), estimates.to_owned())];
        let params = Resolved::with_settings(&surge, &set).unwrap();
        surge.lacks(&params, "wsjf", quantity).map(|lack| lack.parameter)
    };
    assert_eq!(lacks("true", "heuristic_change"), Some("scheduler.estimates"));
    assert_eq!(lacks("heuristic", "heuristic_change"), None);
    assert_eq!(lacks("true", "goodput"), None);
}

/// A stranger's policy with a parameter called as one of ours, and as one of the scheduler around
/// it.
#[derive(Clone, Configure)]
struct Own {
    /// Times.
    #[parameter(assumed = "not ours", range = 1.., default = 7)]
    overrun: u32,
    /// Jobs.
    #[parameter(assumed = "not ours", range = 1.., default = 3)]
    capacity: u32,
}

#[test]
fn a_strangers_policy_has_a_room_of_its_own() {
    let wsjf = policies().named("wsjf").unwrap().clone();
    let own = Choice::new("mine", "wsjf", Own::default(), move |_: &Own, shape| wsjf.build(shape));
    let jobs = policies().with(own).unwrap();
    forebay_lab::ScenarioRegistry::new().with(Surge::new(&jobs)).unwrap();
    let surge = Surge::new(&jobs);
    let values = |policy: &str, set: &[(&str, &str)]| {
        format!("{:?}", run_with(&surge, policy, &[SHORT, set].concat()).unwrap())
    };
    // Who attacks it knows by what it serves, whatever it is called.
    let mine = values("mine", &[("scheduler.mine_overrun", "9"), ("scheduler.mine_capacity", "1")]);
    let with_bound = |text: String| text.split("(\"bound\"").next().unwrap().to_owned();
    assert_eq!(with_bound(mine), with_bound(values("wsjf", &[])));
    assert!(surge.policies().iter().any(|policy| policy.name == "mine-tail"));
}
