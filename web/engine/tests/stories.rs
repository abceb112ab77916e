//! The stories of the page: every one can be run, tells what it says, and has the digits of the
//! crates it is made of.
#![allow(clippy::unwrap_used, clippy::panic)] // in the helpers, too, a failure is a failed test

use std::sync::atomic::AtomicBool;

use forebay_net::flow::read_flows;
use forebay_net_run::{Flows, NetRunPlan, RunConfig, run};
use forebay_parameters::set;
use forebay_switch::SwitchConfig;
use forebay_units::Bytes;
use forebay_web::{Inputs, Run, Setup, panel};
use serde_json::Value;

fn stories() -> Vec<Value> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../src/stories.json");
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

fn report(setup: &Setup, side: usize, effort: f64) -> Value {
    let mut run = Run::new(setup, side, &Inputs::default()).unwrap();
    while !run.advance(effort).unwrap() {}
    let picture = run.picture();
    assert!(picture.charts.iter().all(|chart| !chart.at.is_empty()), "{}", picture.progress);
    for chart in &picture.charts {
        assert!(chart.lines.iter().all(|line| line.values.len() == chart.at.len()), "{}", chart.id);
    }
    serde_json::from_str(&run.report(0.0).unwrap()).unwrap()
}

/// What a story says of its two sides: the left one is worse, by its own measure.
fn told(id: &str, report: &Value) -> f64 {
    let class = |index: usize, field: &str| report["classes"][index][field].as_f64().unwrap();
    match id {
        // The burst's flows of 150 KB; the queries of 60 KB.
        "anomaly" => class(2, "fct_mean_us"),
        "choking" => class(1, "fct_mean_us"),
        "spill" | "gearbox" => class(5, "slowdown_mean"),
        "attack" => report["attacks"][0]["displacement"].as_f64().unwrap(),
        "delayed" => report["mean_latency_steps"].as_f64().unwrap(),
        other => panic!("there is no story {other}"),
    }
}

#[test]
fn every_story_tells_what_it_says() {
    for story in stories() {
        let id = story["id"].as_str().unwrap();
        let setup = Setup::read(&story["setup"].to_string()).unwrap();
        for side in 0..2 {
            assert!(!panel(&setup, side).unwrap().policies.is_empty());
        }
        let [left, right] = [0, 1].map(|side| told(id, &report(&setup, side, 100.0)));
        let least = if id == "delayed" { 1.05 } else { 3.0 };
        assert!(left > least * right, "{id}: {left} and {right}");
    }
}

#[test]
fn steps_of_any_length_give_the_digits_of_one_run() {
    let flows = "0 2 900000 0\n1 2 900000 0\n";
    let config = || {
        let mut switch = SwitchConfig::named("occamy").unwrap();
        set(&mut switch, &[("pool", "200 KB"), ("alpha", "4")]).unwrap();
        RunConfig { switch, switch_name: "occamy".to_owned(), ..RunConfig::default() }
    };
    let given = Flows::Given(read_flows(flows, 3).unwrap());
    let plan = NetRunPlan::new("star:3,10G,1us", given, config()).unwrap();
    let whole = run(plan, &mut |_| (), &AtomicBool::new(false)).unwrap().report;
    assert!(whole.packets.lost > 0 && whole.classes[2].from_bytes == Bytes::new(100_000).get());
    let mut whole = serde_json::to_value(whole).unwrap();
    let side = r#"{"policy":"occamy","set":{"pool":"200 KB","alpha":"4"}}"#;
    let lines = flows.replace('\n', "\\n");
    let setup = format!(
        r#"{{"lab":"network","topology":"star:3,10G,1us","sides":[{side},{side}],
            "traffic":[{{"pattern":"flows","lines":"{lines}"}}]}}"#
    );
    for effort in [0.3, 7.0, 1e6] {
        let mut own = report(&Setup::read(&setup).unwrap(), 1, effort);
        for clock in ["wall_s", "packet_hops_per_second"] {
            (own[clock], whole[clock]) = (Value::Null, Value::Null);
        }
        assert_eq!(own, whole);
    }
}

#[test]
fn what_cannot_run_is_refused_with_the_place_and_the_fix() {
    let refused = |text: &str| {
        let setup = Setup::read(text).unwrap();
        Run::new(&setup, 0, &Inputs::default()).unwrap_err().to_string()
    };
    let flows = r#""traffic":[{"pattern":"permutation","bytes":"1 KB"}]"#;
    let network = |more: &str| refused(&format!(r#"{{"lab":"network",{flows},{more}}}"#));
    assert!(refused(r#"{"lab":"network"}"#).contains("there are no flows: give at least one"));
    assert!(network(r#""watch":1"#).starts_with("watch: there is no switch 1: give one below 1"));
    assert!(network(r#""hosts":{"mss":"none"}"#).starts_with("hosts: mss: "));
    assert!(network(r#""class":"colour""#).starts_with("class: "));
    let side = r#"{"policy":"dt","set":{"pool":"1 KB"}}"#;
    let error = network(&format!(r#""sides":[{side},{side}]"#));
    assert!(error.starts_with("dt: buffer: "), "{error}");
    assert!(refused(r#"{"lab":"capture"}"#).starts_with("capture: there is no capture"));
    assert!(refused(r#"{"lab":"cache","z":0}"#).starts_with("z: 0 is not within 1 to"));
    assert!(refused(r#"{"lab":"jobs","attacks":[]}"#).starts_with("attacks: 0 rates"));
}
