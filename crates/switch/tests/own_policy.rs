//! A policy of a stranger's, by value, in a traffic manager and in every kind of switch; and every
//! built-in choice's parameters.
#![allow(clippy::unwrap_used)]

use forebay_buffer::onchip::{Admission, OnChipPolicy, PoolView};
use forebay_buffer::{
    BufferView, Descriptor, HybridPolicy, Move, MoveRoom, Placement, Pressure, policies,
};
use forebay_parameters::{
    Choice, Configure, Entry, Kind, Parameter, Source, Value, Walk, listed, listed_all, set,
};
use forebay_pifo::{TieredBuckets, TieredExact};
use forebay_sched::port::StrictPriorityPort;
use forebay_sched::{Fifo, Packet};
use forebay_switch::manager::{ManagerConfig, TrafficManager, Verdict};
use forebay_switch::{Catalogue, SwitchBuildError, SwitchConfig, SwitchShape};
use forebay_units::{Rate, Time};

/// Every packet goes to HBM while more than a share of the SRAM is in use; counts what it was
/// asked.
struct Fill {
    share: f64,
}

#[derive(Clone)]
struct FillConfig {
    share: f64,
}

const SHARE: Parameter = Parameter::new(
    "share",
    Kind::Float { min: 0.0, max: 1.0 },
    Source::assumed("for a test"),
    "Share of the SRAM to fill.",
);

impl Configure for FillConfig {
    fn walk(&mut self, walk: &mut dyn Walk) {
        walk.field(&SHARE, &mut self.share);
    }
}

impl HybridPolicy for Fill {
    fn place(&mut self, buffer: &dyn BufferView, _arriving: &Descriptor) -> Placement {
        let used = f64::from(buffer.sram_used()) / f64::from(buffer.sram_capacity());
        if used < self.share { Placement::Sram } else { Placement::Hbm }
    }

    fn sram_full(&mut self, _buffer: &dyn BufferView, _arriving: &Descriptor) -> Pressure {
        Pressure::Divert
    }

    fn staging_full(&mut self, _buffer: &dyn BufferView, _arriving: &Descriptor) -> Pressure {
        Pressure::DropArriving
    }

    fn next_move(&mut self, _buffer: &dyn BufferView, _room: MoveRoom) -> Option<Move> {
        None
    }
}

#[test]
fn a_strangers_policy_is_at_home_over_any_ranked_queue() {
    let mut fill = Choice::<dyn HybridPolicy>::new(
        "fill",
        "HBM beyond a share of the SRAM",
        FillConfig { share: 0.5 },
        |config: &FillConfig, _| Ok(Box::new(Fill { share: config.share })),
    );
    set(&mut fill, &[("share", "0.01")]).unwrap();
    let registry = policies().with(fill).unwrap();
    let fill = registry.named("fill").unwrap();
    let config = ManagerConfig::default();
    let rank = || Box::new(Fifo);
    let mut exact = TrafficManager::new(&config, fill, rank(), |_| Ok(TieredExact::new())).unwrap();
    let mut buckets =
        TrafficManager::new(&config, fill, rank(), |_| Ok(TieredBuckets::new(256).unwrap()))
            .unwrap();
    let packet = Packet { size: 1500, ..Packet::default() };
    let mut verdicts = Vec::new();
    for _ in 0..100 {
        let verdict = exact.enqueue(Time::ZERO, 0, packet);
        assert_eq!(verdict, buckets.enqueue(Time::ZERO, 0, packet));
        verdicts.push(verdict);
    }
    // 1 % of 4.9 MB is 32 packets of 6 cells.
    assert_eq!(verdicts.iter().filter(|verdict| **verdict == Verdict::Sram).count(), 33);
    assert!(verdicts.contains(&Verdict::Hbm));
}

#[test]
fn every_choice_lists_parameters_that_read_back_and_can_be_set() {
    for choice in &policies() {
        let mut choice = choice.clone();
        for one in listed(&mut choice.clone()) {
            let (name, kind) = (&one.parameter.name, &one.parameter.kind);
            assert_eq!(kind.within(one.value.clone()), Ok(one.value.clone()), "{name}");
            assert_eq!(kind.read_text(&one.value.to_string()), Ok(one.value.clone()), "{name}");
            let other = match kind {
                Kind::Bool => (one.value == Value::Bool(false)).to_string(),
                Kind::Choice(words) => {
                    words.iter().find(|word| **word != one.value.to_string()).unwrap().to_string()
                }
                _ => "0.75".to_owned(),
            };
            set(&mut choice, &[(name.as_ref(), other)]).unwrap();
            let now = listed(&mut choice).into_iter().find(|now| now.parameter.name == *name);
            assert_ne!(now.unwrap().value, one.value, "{} of {}", name, choice.name());
        }
    }
}

#[test]
fn what_does_not_fit_is_refused_by_its_declared_name() {
    let refused = |config: ManagerConfig, policy: &Choice<dyn HybridPolicy>| {
        let queue = |_| Ok(TieredExact::new());
        let manager = TrafficManager::new(&config, policy, Box::new(Fifo), queue);
        manager.err().unwrap().name().to_owned()
    };
    let mut themis = policies().named("themis").unwrap().clone();
    let mut config = ManagerConfig::default();
    config.hbm.timing.t_ccd_l = 1;
    assert_eq!(refused(config, &themis), "hbm.t_ccd_l");
    let config = ManagerConfig { queues: 0, ..ManagerConfig::default() };
    assert_eq!(refused(config, &themis), "accounting_queues");
    set(&mut themis, &[("swap_in_watermark", "0.9")]).unwrap();
    assert_eq!(refused(ManagerConfig::default(), &themis), "swap_in_watermark");
}

/// Whole numbers by names that are not its own alone.
#[derive(Clone)]
struct Namesakes(Vec<(String, i64)>);

impl Configure for Namesakes {
    fn walk(&mut self, walk: &mut dyn Walk) {
        let kind = Kind::Int { min: 0, max: 9 };
        let source = Source::assumed("for a test");
        for (name, value) in &mut self.0 {
            walk.field(&Parameter::new("", kind, source, "Any.").called(name.clone()), value);
        }
    }
}

struct Everything;

impl OnChipPolicy for Everything {
    fn admit(&mut self, _: PoolView<'_>, _: &Descriptor, _: u32) -> Admission {
        Admission::Accept
    }
}

/// Names of parameters, sorted.
fn names(config: &mut SwitchConfig) -> Vec<String> {
    let shown = listed_all(config).into_iter().map(|one| one.parameter.name.into_owned());
    let mut names: Vec<String> = shown.collect();
    names.sort();
    names
}

/// `--set cell=…` once set the policy's parameter `cell` and the switch's alike.
#[test]
fn a_strangers_parameters_may_be_called_as_those_of_the_switch() {
    let built_in = Catalogue::default();
    for model in ["occamy", "occamy-hybrid", "dt-hybrid", "themis", "drr"] {
        let taken = names(&mut built_in.switch(model).unwrap());
        // What has a dot stands in a group.
        let plain = taken.iter().filter(|name| !name.contains('.'));
        let namesakes = Namesakes(plain.map(|name| (name.clone(), 1)).collect());
        let catalogue = match built_in.switch(model).unwrap() {
            SwitchConfig::OnChip(_) => {
                let build = |_: &Namesakes, _: &_| Ok(Box::new(Everything) as _);
                built_in.clone().with_on_chip(Choice::new("own", "any", namesakes, build))
            }
            SwitchConfig::Hybrid(_) => {
                let build = |_: &Namesakes, _: &_| Ok(Box::new(Fill { share: 0.5 }) as _);
                built_in.clone().with_hybrid(Choice::new("own", "any", namesakes, build))
            }
            _ => {
                let drr = built_in.schedulers().named("drr").unwrap().clone();
                let build = move |_: &Namesakes, shape: &_| drr.build(shape);
                built_in.clone().with_scheduler(Choice::new("own", "any", namesakes, build))
            }
        };
        let mut own = catalogue.unwrap().switch("own").unwrap();
        let shown = names(&mut own);
        let mut once = shown.clone();
        once.dedup();
        assert_eq!(shown, once, "{model}");
        // Its own policy's, which the model's do not stand beside, is the switch's `mark_above`.
        set(&mut own, &[("own_mark_above", "7")]).unwrap();
        assert!(!own.marks(), "{model}");
    }
}

#[test]
fn a_port_scheduler_is_chosen_by_name_with_its_parameters() {
    let own = StrictPriorityPort::choice();
    let own = Choice::new("own", "the last first", (), move |(), queues| own.build(queues));
    let catalogue = Catalogue::default().with_port_scheduler(own).unwrap();
    let shape = SwitchShape { index: 0, ports: &[Rate::from_gbps(10); 2] };
    let mut dt = catalogue.switch("dt").unwrap();
    let error = set(&mut dt, &[("scheduler", "own")]).unwrap_err();
    assert_eq!(error.name(), "scheduler", "one queue leaves no choice: {error}");
    set(&mut dt, &[("classes", "2"), ("scheduler", "own")]).unwrap();
    assert!(dt.build(&shape).is_ok());
    set(&mut dt, &[("scheduler", "wrr"), ("scheduler.weights", "3:1")]).unwrap();
    assert!(dt.build(&shape).is_ok());
    set(&mut dt, &[("scheduler.weights", "3:1:1")]).unwrap();
    match dt.build(&shape) {
        Err(SwitchBuildError::Parameter(error)) => assert_eq!(error.name(), "scheduler.weights"),
        other => panic!("{:?}", other.err()),
    }
    let error = set(&mut dt, &[("scheduler", "owl")]).unwrap_err().to_string();
    assert!(error.contains("there is no port scheduler `owl`; did you mean `own`?"), "{error}");
}
