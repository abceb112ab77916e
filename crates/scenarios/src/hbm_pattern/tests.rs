//! The scenario against the paper's numbers, closed forms, and parameters that cannot be.

use std::path::Path;

use forebay_lab::{ConfigErrors, Experiment, Overrides};
use forebay_parameters::{Kind, Source, listed_all};

use super::*;

/// A one-point experiment over `policy`, with `name = value` parameters in the syntax of `--set`.
fn experiment(policy: &str, set: &[(&str, &str)]) -> Result<Experiment, ConfigErrors> {
    crate::testing::experiment("hbm-pattern", policy, set)
}

fn run_seed(policy: &str, set: &[(&str, &str)], seed: u64) -> RunOutput {
    let experiment = experiment(policy, set).unwrap();
    let point = Point { params: &experiment.params, policy, seed };
    HbmPattern.run(&point, &mut RunContext::default()).unwrap()
}

fn metric(policy: &str, set: &[(&str, &str)], name: &str) -> f64 {
    let output = run_seed(policy, set, 1);
    output.values.iter().find(|(metric, _)| *metric == name).unwrap().1
}

fn refusal(policy: &str, set: &[(&str, &str)]) -> String {
    experiment(policy, set).unwrap_err().to_string()
}

fn assert_near(measured: f64, expected: f64, tolerance: f64) {
    assert!((measured / expected - 1.0).abs() <= tolerance, "{measured}, not {expected}");
}

/// What a point of an experiment comes to.
fn config(policy: &str, set: &[(&str, &str)]) -> Config {
    let experiment = experiment(policy, set).unwrap_or_else(|errors| panic!("{errors}"));
    experiment.params.fill(Config::new(Pattern::named(policy).unwrap())).unwrap()
}

#[test]
fn the_defaults_are_the_library_s() {
    let config = config("best", &[]);
    assert_eq!(config.hbm, forebay_mem::HbmConfig::samsung_hbm2e());
    assert_eq!(config.controller, forebay_mem::ControllerConfig::fr_fcfs());
}

#[test]
fn every_parameter_reaches_the_memory() {
    for policy in ["one-bank", "continuous"] {
        for one in listed_all(&mut Config::new(Pattern::named(policy).unwrap())) {
            let (name, value) = (&*one.parameter.name, one.value.to_string());
            let other = match (one.parameter.kind, one.parameter.word()) {
                (Kind::Choice(words), _) => words.iter().find(|word| **word != value).unwrap(),
                (_, "row_bytes") => "2 KiB",
                (Kind::Bytes, _) => "64 B",
                (Kind::Duration, _) => "1 ns",
                // Above every default, below every limit, and valid whatever the others are.
                _ if name.starts_with("pattern.") => "5000",
                (_, "rows") => "100",
                (_, "burst") => "1",
                (_, "t_ccd_s") => "3",
                (_, "t_ccd_l") => "8",
                (_, "t_ras") => "60",
                (_, "t_rrd_s") => "6",
                (_, "t_refi") => "9999",
                (_, "cl" | "cwl") => "23",
                _ if name.starts_with("hbm.t_") => "99",
                _ => "7",
            };
            let mut set = vec![(name, other)];
            let along = match one.parameter.word() {
                "lookahead" => Some(("scheduling", "in-order")),
                "t_refi" | "t_rfc" => Some(("refresh", "all-bank")),
                "t_rfc_sb" => Some(("refresh", "per-bank")),
                _ => None,
            };
            set.extend(along);
            let text = format!("{:?}", config(policy, &set));
            let without = format!("{:?}", config(policy, &set[1..]));
            assert_ne!(text, without, "{name} changes nothing");
            if name.starts_with("hbm.t_") && name != "hbm.t_ck" || name == "hbm.lookahead" {
                let field = format!("{}: {other}", one.parameter.word());
                assert!(text.contains(&field), "{name} does not set {field}: {text}");
            }
        }
    }
}

#[test]
fn every_policy_has_a_pattern_and_every_metric_a_place() {
    for policy in pattern::POLICIES {
        let few = [("activations", "256")];
        let cells = matches!(Pattern::named(&policy.name), Ok(Pattern::Cells(_)));
        let output = run_seed(&policy.name, if cells { &few } else { &[] }, 1);
        let names: Vec<&str> = output.values.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, METRICS.iter().map(|metric| metric.name).collect::<Vec<_>>());
        let is_table = matches!(Pattern::named(&policy.name), Ok(Pattern::Table2(_)));
        for (name, value) in &output.values {
            let empty = *name == "latency" && !is_table;
            assert_eq!(value.is_nan(), empty, "{} of {}", name, policy.name);
        }
        assert!((0.0..=1.0).contains(&output.values[2].1), "{}", policy.name);
    }
    assert!(
        Pattern::named("on-bank").unwrap_err().to_string().contains("did you mean `one-bank`?")
    );
}

#[test]
fn the_seed_has_no_effect() {
    for policy in ["all-banks", "ping-pong"] {
        let values = |seed| format!("{:?}", run_seed(policy, &[], seed).values);
        assert_eq!(values(1), values(99));
    }
}

#[test]
fn table_2_is_within_five_percent() {
    let latency = |policy| metric(policy, &[], "latency");
    let (best, worst, packet) = (latency("best"), latency("worst"), latency("packet-worst"));
    assert_near(best, 2.64, 0.05);
    assert_near(worst, 1540.0, 0.05);
    assert_near(packet, 24.0, 0.05);
    assert_near(worst / best, 583.0, 0.05);
    assert_near(metric("packet-worst", &[], "peak_fraction"), 1.0 / 9.0, 0.05);
    // One channel works, so 1 MB over the whole time is the device's rate.
    assert_near(metric("worst", &[], "throughput"), 8.0 * 1.048_576e6 / worst / 1e3, 1e-6);
}

#[test]
fn one_bank_takes_exactly_its_row_cycles() {
    for cell in [32u64, 64, 128, 256, 512, 1024] {
        let text = format!("{cell} B");
        let gbps = |clocks: u64| (cell * 16 * 8) as f64 / (clocks as f64 * 0.625);
        let columns = cell / 32 - 1;
        for scheduling in ["in-order", "fr-fcfs"] {
            let rate = |direction| {
                let set = [
                    ("cell_bytes", text.as_str()),
                    ("scheduling", scheduling),
                    ("direction", direction),
                ];
                metric("one-bank", &set, "throughput")
            };
            assert_near(rate("read"), gbps(75.max(22 + columns * 4 + 8 + 22)), 1e-6);
            assert_near(rate("write"), gbps(75.max(18 + columns * 4 + 8 + 2 + 26 + 22)), 1e-6);
        }
        let set = [("cell_bytes", text.as_str())];
        assert_eq!(metric("one-bank", &set, "bytes_per_activation"), cell as f64);
    }
}

#[test]
fn ping_pong_is_a_fifth_of_a_stream() {
    let rate = |policy, set: &[(&str, &str)]| metric(policy, set, "throughput");
    let stream = rate("continuous", &[]);
    assert_near(stream, 1638.4, 1e-3);
    assert_near(rate("continuous", &[("direction", "write")]), stream, 1e-6);
    assert_near(rate("ping-pong", &[]) / stream, 4.0 / 21.0, 1e-3);
    assert_near(rate("ping-pong", &[("write_to_read", "jedec")]) / stream, 4.0 / 26.0, 1e-3);
}

#[test]
fn choices_matter_as_they_should() {
    let whole = |policy, set: &[(&str, &str)]| metric(policy, set, "throughput");
    assert_near(whole("all-banks", &[]), 3276.8, 1e-3);
    // The literal reading of "4 clock cycles" halves the peak, and half the peak is then all of it.
    assert_near(whole("all-banks", &[("t_ccd_s", "4")]), 1638.4, 1e-3);
    assert_near(metric("all-banks", &[("t_ccd_s", "4")], "peak_fraction"), 1.0, 1e-3);
    assert!(whole("all-banks", &[("queue_depth", "1")]) < 1300.0);
    let latency = |set: &[(&str, &str)]| metric("packet-worst", set, "latency");
    assert!(latency(&[("refresh", "all-bank")]) > latency(&[]) * 1.05);
}

#[test]
fn bad_parameters_are_named_with_the_fix() {
    for (policy, name, value, words) in [
        ("one-bank", "cell_bytes", "48 B", "no row can give 48 B"),
        ("one-bank", "cell_bytes", "0 B", "give a multiple of 32 B up to 1 KiB"),
        ("one-bank", "cell_bytes", "2 KiB", "no row can give 2 KiB"),
        ("all-banks", "rows", "32", "give more rows than queue_depth"),
        ("all-banks", "bank_groups", "2", "it is 2, but the pattern visits 4"),
        ("packet-worst", "pseudo_channels", "1", "2,048 B would need"),
        ("worst", "direction", "write", "has no effect under worst; remove it"),
        ("best", "t_ccd_s", "1", "t_ccd_s=1: it is 1; give at least 2 clocks"),
        ("best", "t_ccd_l", "1", "t_ccd_l=1: it is 1; give at least 2 clocks"),
        ("best", "t_rc", "50", "t_rc=50: it is 50; give at least 53 clocks"),
        ("ping-pong", "t_rtw", "3", "t_rtw=3: it is 3"),
        ("one-bank", "queue_depth", "65", "a whole number between 0 and 64"),
        ("one-bank", "t_faw", "0", "a whole number between 1 and 16,777,216"),
        ("one-bank", "activations", "1", "a whole number between 256 and 1,000,000"),
        ("one-bank", "scheduling", "fifo", "one of in-order, fr-fcfs"),
    ] {
        let text = refusal(policy, &[(name, value)]);
        assert!(text.contains(words) && text.contains(name), "{name} = {value}: {text}");
    }
    for (refresh, t_rc) in [("all-bank", "6000"), ("per-bank", "400")] {
        let text = refusal("one-bank", &[("refresh", refresh), ("t_rc", t_rc)]);
        assert!(
            text.contains("t_refi = 6240 does not fit it: it is 6240; give at least")
                && text.contains(&format!("t_rc={t_rc}")),
            "{text}"
        );
    }
    // What a pattern does not read is refused, not checked.
    assert!(refusal("best", &[("cell_bytes", "48 B")]).contains("has no effect under best"));
}

#[test]
fn a_problem_of_the_file_has_its_line() {
    let text = "title = \"t\"\nscenario = \"hbm-pattern\"\npolicies = [\"best\"]\nseeds = [1]\n\
                [hbm]\nt_rc = 50\n";
    let overrides = Overrides::default();
    let registry = &crate::registry(&crate::Policies::default()).unwrap();
    let errors = Experiment::read("e.toml", text.as_bytes(), Path::new("."), &overrides, registry);
    assert!(errors.unwrap_err().to_string().starts_with("e.toml:6:8: "));
}

#[test]
fn every_sensitivity_named_is_an_experiment() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
    for one in listed_all(&mut Config::new(Pattern::named("one-bank").unwrap())) {
        let spec = one.parameter;
        let Source::Assumed { sensitivity: Some(name), .. } = spec.source else { continue };
        let path = folder.join(format!("{name}.toml"));
        let read = Experiment::load(
            &path,
            &Overrides::default(),
            &crate::registry(&crate::Policies::default()).unwrap(),
        );
        let experiment = read.unwrap_or_else(|errors| panic!("{}", errors.render()));
        let parameters = experiment.params.parameters();
        let place = parameters.iter().position(|parameter| parameter.spec.name == spec.name);
        let swept = experiment.axes.iter().any(|axis| place.is_some_and(|at| axis.sweeps(at)));
        assert!(swept || spec.name == "hbm.lookahead", "{name} does not sweep {}", spec.name);
    }
}

#[test]
fn a_latency_asks_for_a_pattern_of_table_2() {
    let text = "title = \"t\"\nscenario = \"hbm-pattern\"\npolicies = [\"ping-pong\"]\nseeds = [1]\n\
                [[figure]]\nid = \"a\"\ntitle = \"t\"\nkind = \"bars\"\nmetric = \"latency\"\n";
    let read = |text: &str| {
        let registry = crate::registry(&crate::Policies::default()).unwrap();
        let folder = Path::new(".");
        Experiment::read("e.toml", text.as_bytes(), folder, &Overrides::default(), &registry)
    };
    let error = read(text).unwrap_err().to_string();
    assert!(error.contains("only the patterns of Table 2 move 1 MB"), "{error}");
    assert!(read(&text.replace("ping-pong\"", "best\", \"ping-pong\"")).is_ok());
}
