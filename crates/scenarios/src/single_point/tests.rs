use std::path::Path;

use forebay_lab::{Experiment, Overrides};

use super::*;
use crate::testing::assert_absence_is_explained;
use crate::{Policies, registry};

fn single_point() -> SinglePoint {
    SinglePoint::new(&Catalogue::default())
}

const FILE: &[u8] = b"title = 't'\nscenario = 'single-point'\npolicies = ['themis']\nseeds = [1]\n\
    [run]\nwarm_up = '100 us'\nspan = '300 us'\nsamples = 3\n";

fn experiment(set: &[(&str, &str)]) -> Result<Experiment, String> {
    // Only Poisson flows have been arriving for a while.
    let lead = [("lead", "1 ms")];
    let lead = if set.iter().any(|(name, _)| *name == "source") { &[][..] } else { &lead };
    let set = [set, lead].concat();
    let set = set.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    let overrides = Overrides { set, ..Overrides::default() };
    Experiment::read(
        "x.toml",
        FILE,
        Path::new("."),
        &overrides,
        &registry(&Policies::default()).unwrap(),
    )
    .map_err(|e| e.to_string())
}

fn run(policy: &str, seed: u64, set: &[(&str, &str)]) -> RunOutput {
    let params = experiment(set).unwrap().at_point(0);
    let point = Point { params: &params, policy, seed };
    single_point().run(&point, &mut RunContext::default()).unwrap()
}

fn value(output: &RunOutput, name: &str) -> f64 {
    output.values.iter().find(|(metric, _)| *metric == name).unwrap().1
}

#[test]
fn every_metric_and_series_is_there() {
    let output = run("themis", 1, &[("load", "0.5")]);
    let names: Vec<&str> = output.values.iter().map(|(name, _)| *name).collect();
    let declared: Vec<&str> = single_point().metrics().iter().map(|metric| metric.name).collect();
    assert_eq!(names, declared);
    for timeline in &output.timelines {
        assert!(single_point().series().iter().any(|series| series.name == timeline.name));
        assert_eq!(timeline.points.len(), 20);
    }
}

#[test]
fn an_output_as_fast_as_the_inputs_loses_nothing_and_waits_for_nothing() {
    for policy in single_point().policies() {
        let output = run(&policy.name, 1, &[("load", "0.9"), ("egress_rate", "1.6 Tb/s")]);
        assert_eq!(value(&output, "loss_fraction"), 0.0);
        assert_eq!(value(&output, "on_chip_hit_rate"), 1.0);
        // What arrives leaves within a packet or two.
        let gap = value(&output, "egress_utilization") - value(&output, "offered_load");
        assert!(gap.abs() < 1e-3, "{}: {gap}", policy.name);
        assert_eq!(value(&output, "egress_utilization_backlogged"), 1.0);
    }
}

#[test]
fn under_pressure_themis_is_ahead_of_every_baseline() {
    let metrics = [("loss_fraction", -1.0), ("on_chip_hit_rate", 1.0), ("hbm_throughput", 1.0)];
    for seed in 1..4 {
        let set = [("load", "0.8"), ("warm_up", "1 ms"), ("span", "1 ms")];
        let themis = run("themis", seed, &set);
        for policy in ["greedy-hybrid", "dt-hybrid", "occamy-hybrid"] {
            let other = run(policy, seed, &set);
            for (metric, sign) in metrics {
                let (ours, theirs) = (value(&themis, metric), value(&other, metric));
                assert!(sign * ours > sign * theirs, "{metric}: {ours} and {policy} {theirs}");
            }
        }
    }
}

#[test]
fn runs_repeat_to_the_bit() {
    let set = [("load", "0.7")];
    assert_eq!(run("occamy-hybrid", 3, &set).values, run("occamy-hybrid", 3, &set).values);
    assert_ne!(run("occamy-hybrid", 3, &set).values, run("occamy-hybrid", 4, &set).values);
}

#[test]
fn the_priority_mix_hits_as_often_as_its_batches_hold_urgent_packets() {
    // A batch of 16 KB holds ten packets of 1500 B, of which n/(n+1) are urgent; each batch that is
    // fetched costs one dequeue from HBM and makes the other urgent ones hits.
    for (ratio, urgent) in [("1", 5.0), ("4", 8.0)] {
        let set = [
            ("source", "priority-mix"),
            ("rank", "strict-priority"),
            ("high_per_low", ratio),
            ("load", "0.8"),
            ("warm_up", "1 ms"),
            ("span", "2 ms"),
        ];
        let hits = value(&run("themis", 1, &set), "on_chip_hit_rate");
        let expected = 1.0 - 1.0 / urgent;
        assert!((hits - expected).abs() < 0.03, "ratio {ratio}: {hits}, expected {expected}");
    }
}

/// Each in a run that fills the SRAM.
#[test]
fn the_rules_of_the_papers_hardware_reach_the_switch() {
    let run = |rules: &[(&str, &str)]| {
        let full = [("load", "0.9"), ("capacity", "400 KB")];
        let output = run("themis", 1, &[&full[..], rules].concat());
        ["loss_fraction", "hbm_throughput", "sram_occupancy"].map(|name| value(&output, name))
    };
    let as_in_the_text = run(&[]);
    for rule in [
        ("staging_writes", "closed"),
        ("staging_writes", "whole"),
        ("strict_drop_order", "false"),
        ("swap_in_urgent", "true"),
        ("equal_ranks", "sram"),
    ] {
        assert_ne!(run(&[rule]), as_in_the_text, "{rule:?}");
    }
}

#[test]
fn impossible_combinations_are_refused_by_name() {
    for (set, expected) in [
        (("swap_in_watermark", "0.8"), "swap_out_watermark is 0.8; it must be below that"),
        (("watermark_gap", "0.9"), "watermark_gap=0.9"),
        (("capacity", "70 KB"), "no room for one batch"),
        (("port_rate", "1 Tb/s"), "raise port_rate"),
        (("egress_rate", "0 Gb/s"), "above zero"),
        (("span", "0 ms"), "longer than zero"),
        (("source", "capture"), "capture = \"FILE\""),
        (("load", "0"), "between 0.001 and 1"),
        (("load", "NaN"), "load=NaN"),
        (("flow_size_file", "no.csv"), "no.csv"),
        (("staging", "1 KiB"), "a staging buffer of 1 KiB cannot hold a packet of 1.5 KB"),
    ] {
        let error = experiment(&[set]).map(drop).unwrap_err();
        assert!(error.contains(expected), "{set:?}: {error}");
    }
}

#[test]
fn what_there_is_not_is_explained() {
    let quiet = [
        ("load", "0.001"),
        ("inputs", "1"),
        ("warm_up", "0 us"),
        ("run.span", "1 ns"),
        ("lead", "0 us"),
    ];
    let names = [
        "loss_fraction",
        "loss_bytes_fraction",
        "on_chip_hit_rate",
        "hbm_throughput",
        "egress_utilization_backlogged",
        "at_hand_rate",
        "loss_staging_fraction",
        "loss_sram_fraction",
        "loss_other_fraction",
        "loss_staging_bytes_fraction",
        "loss_sram_bytes_fraction",
        "loss_other_bytes_fraction",
        "moved_out_fraction",
        "moved_in_fraction",
    ];
    assert_absence_is_explained(&single_point(), "themis", &quiet, &names);
}
