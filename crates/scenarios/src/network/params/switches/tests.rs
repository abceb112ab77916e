//! What of switches can be set, and what it does.

use super::*;
use forebay_mem::PagePolicy;
use forebay_parameters::Value;
use forebay_switch::manager::{HbmOrder, QueueBy};

use crate::testing::experiment;

const RTT: Duration = Duration::from_us(40);

/// A switch of this name with some parameters set, in a network with a background or without.
fn made(policy: &str, given: &[(&str, &str)], has_background: bool) -> SwitchConfig {
    let catalogue = Catalogue::default();
    let mut part = SwitchPart::new(catalogue.switch(policy).unwrap(), &catalogue);
    set(&mut part, given).unwrap();
    part.made(RTT, has_background).unwrap()
}

fn chip(policy: &str, given: &[(&str, &str)], has_background: bool) -> OnChipConfig {
    match made(policy, given, has_background) {
        SwitchConfig::OnChip(chip) => chip,
        other => panic!("{other:?}"),
    }
}

#[test]
fn abm_measures_over_a_round_trip_unless_told_otherwise() {
    let abm = |given: &[(&str, &str)]| format!("{:?}", chip("abm", given, true).policy);
    assert!(abm(&[]).contains("interval = 40 us"));
    assert!(abm(&[("policy.abm_interval", "7 us")]).contains("interval = 7 us"));
}

/// A parameter that is called as ABM's, or as one of the switch, was hidden once.
#[test]
fn a_strangers_policy_keeps_its_parameters() {
    let abm = Catalogue::default().on_chip().named("abm").unwrap().clone();
    assert!(has(&abm, "interval"));
    let own = Choice::new("own", "as ABM", Interval { interval: 1, cell: 1 }, move |_, shape| {
        abm.build(shape)
    });
    let catalogue = Catalogue::default().with_on_chip(own).unwrap();
    let mut part = SwitchPart::new(catalogue.switch("own").unwrap(), &catalogue);
    set(&mut part, &[("policy.own_interval", "7"), ("policy.own_cell", "5")]).unwrap();
    set(&mut part, &[("switch.cell", "100 B")]).unwrap();
    let SwitchConfig::OnChip(chip) = part.made(RTT, true).unwrap() else { panic!() };
    assert_eq!(format!("{:?}", chip.policy), "own(interval = 7, own_cell = 5)");
    assert_eq!(chip.cell, 100);
}

#[derive(Clone, Configure)]
struct Interval {
    /// Any.
    #[parameter(assumed = "any", range = 0..)]
    interval: u32,
    /// Any.
    #[parameter(assumed = "any", range = 0..)]
    cell: u32,
}

#[test]
fn the_scheduler_of_several_classes_has_its_parameters() {
    let given =
        [("switch.classes", "2"), ("switch.scheduler", "wrr"), ("scheduler.wrr_weights", "3:1")];
    assert_eq!(format!("{:?}", chip("dt", &given, true).scheduler), "wrr(weights = 3:1)");
    assert!(experiment("network", "dt", &given).is_ok());
    let error = experiment("network", "dt", &given[..1]).and_then(|_| {
        experiment("network", "dt", &[&given[..1], &[("scheduler.wfq_weights", "3:1")]].concat())
    });
    let error = error.err().unwrap().to_string();
    assert!(error.contains("`scheduler.wfq_weights` has no effect"), "{error}");
}

#[test]
fn one_factor_for_all_schemes_goes_before_their_own() {
    let alphas = |given: &[(&str, &str)]| {
        ["dt", "abm", "occamy-rank"].map(|policy| {
            let mut policy = chip(policy, given, true).policy;
            listed(&mut policy)[0].value.clone()
        })
    };
    assert_eq!(alphas(&[]), [1.0, 2.0, 8.0].map(Value::Float));
    assert_eq!(alphas(&[("policy.alpha", "4")]), [4.0; 3].map(Value::Float));
}

/// Occamy §3.1: 8 beside low-priority traffic, 1 without, so that the burst deserves half of
/// the buffer in both.
#[test]
fn the_first_class_may_have_another_factor_while_it_is_alone() {
    let catalogue = Catalogue::default();
    let mut part = SwitchPart::new(catalogue.switch("dt").unwrap(), &catalogue);
    set(&mut part, &[("policy.first_alpha", "8"), ("switch.classes", "8")]).unwrap();
    let first = |part: &SwitchPart, has_background| {
        let SwitchConfig::OnChip(chip) = part.made(RTT, has_background).unwrap() else { panic!() };
        chip.classes[0].alpha.map(Alpha::get)
    };
    assert_eq!((first(&part, true), first(&part, false)), (Some(8.0), Some(8.0)));
    part.first_alpha_alone = 1.0;
    assert_eq!((first(&part, true), first(&part, false)), (Some(8.0), Some(1.0)));
}

/// What a hybrid switch shows reaches it: each had no effect once.
#[test]
fn the_parameters_of_hybrid_switches_reach_them() {
    let given = [
        ("policy.dt_alpha", "0.5"),
        ("switch.queue_by", "class"),
        ("switch.sram", "2 MB"),
        ("sram.staging", "128 KiB"),
        ("hbm.t_ccd_l", "8"),
        ("hbm.page", "closed"),
        ("hbm.order", "reads-first"),
    ];
    let SwitchConfig::Hybrid(config) = made("dt-hybrid", &given, true) else { panic!() };
    assert_eq!(format!("{:?}", config.scheme), "dt-hybrid(alpha = 0.5)");
    let memory = config.memory;
    assert_eq!((memory.sram, memory.staging), (Bytes::new(2_000_000), Bytes::new(128 << 10)));
    assert_eq!((memory.hbm.timing.t_ccd_l, memory.queue_by), (8, QueueBy::Class));
    assert_eq!(
        (memory.hbm_order, memory.controller.page),
        (HbmOrder::ReadsFirst, PagePolicy::Closed)
    );
    let SwitchConfig::Hybrid(occamy) = made("occamy-hybrid", &[("policy.occamy_alpha", "2")], true)
    else {
        panic!()
    };
    assert_eq!(format!("{:?}", occamy.scheme), "occamy-hybrid(alpha = 2)");
}

#[test]
fn what_a_switch_does_not_read_is_refused_by_name() {
    let catalogue = Catalogue::default();
    for (policy, name) in [
        ("themis", "policy.dt_alpha"),
        ("dt", "hbm.rows"),
        ("drop-tail", "switch.rank"),
        // It is called after its rank.
        ("srpt", "switch.rank"),
        ("drr", "scheduler.levels"),
        ("greedy-hybrid", "policy.fetch_batches"),
        ("greedy-hybrid", "policy.move_bytes"),
        ("themis", "switch.queue_by"),
        ("dt", "switch.cells_per_second"),
        ("pushout", "switch.burst_cells"),
        ("pushout", "policy.alpha"),
        ("harmonic", "policy.first_alpha"),
        ("dt", "policy.other_alpha"),
    ] {
        let mut part = SwitchPart::new(catalogue.switch(policy).unwrap(), &catalogue);
        let error = set(&mut part, &[(name, "1")]).unwrap_err();
        assert_eq!(error.name(), name, "{policy}: {error}");
        assert!(error.to_string().starts_with("there is no parameter"), "{policy}: {error}");
    }
}

#[test]
fn a_rule_is_a_rank_as_good_as_a_function() {
    for policy in ["pifo", "themis"] {
        let ruled = format!("{:?}", made(policy, &[("switch.rank", "class * 100")], true));
        assert!(ruled.contains("expression("), "{ruled}");
    }
}
