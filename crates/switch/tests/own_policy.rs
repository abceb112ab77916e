//! A policy of a stranger's, by value, in a traffic manager; and every built-in choice's
//! parameters.
#![allow(clippy::unwrap_used)]

use forebay_buffer::{
    BufferView, Descriptor, HybridPolicy, Move, MoveRoom, Placement, Pressure, policies,
};
use forebay_parameters::{
    Choice, Configure, Entry, Kind, Parameter, Source, Value, Walk, listed, set,
};
use forebay_pifo::{TieredBuckets, TieredExact};
use forebay_sched::{Fifo, Packet};
use forebay_switch::manager::{ManagerConfig, TrafficManager, Verdict};
use forebay_units::Time;

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
