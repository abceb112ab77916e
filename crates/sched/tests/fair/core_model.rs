//! The hardware-shaped core against the general Gearbox, where both apply.

use forebay_sched::fair::Limits;
use forebay_sched::fair::gearbox::{
    FIFO_DESCRIPTORS, Gearbox, GearboxConfig, GearboxCore, GearboxCoreConfig, GearboxDescriptor,
    LevelConfig, Rounding,
};
use forebay_sched::scheduler::{PacketScheduler, Weights};
use forebay_sched::{DropCause, Packet};
use forebay_units::{Bytes, Time};
use proptest::prelude::*;

/// Units that a byte of a flow takes: flows of three weights, so that time is not length.
fn per_byte(flow: u16) -> u32 {
    [1, 2, 4][usize::from(flow % 3)]
}

/// The general Gearbox in the shape of the core; a byte of the heaviest flows is a unit.
fn general(core: &GearboxCoreConfig) -> Gearbox {
    let flows = 1 << core.flows_log2;
    let mut config = GearboxConfig {
        levels: LevelConfig::equal(core.levels, 1 << core.fifos_log2),
        rounding: Rounding::PerUnit,
        step_down: core.step_down,
        fifo_packets: Some(1 << core.places_log2),
        flows,
        limits: Limits { packets: 1 << 20, bytes: Bytes::new(1 << 40) },
        ..GearboxConfig::default()
    };
    config.unit.bytes = Bytes::new(1);
    config.unit.total_weight = 4;
    let weights = (0..flows as u16).map(|flow| 4 / per_byte(flow)).collect();
    Gearbox::new(&config, Weights::new(1, weights).unwrap()).unwrap()
}

/// The paper's prototype, or smaller ones, with step-down FIFOs or without.
fn any_shape() -> impl Strategy<Value = GearboxCoreConfig> {
    let prototype = GearboxCoreConfig::default();
    let small = (2u32..=4, 2u32..=4, 1u32..=3, 1u32..=4).prop_map(
        |(levels, fifos_log2, places_log2, flows_log2)| GearboxCoreConfig {
            levels,
            fifos_log2,
            places_log2,
            flows_log2,
            step_down: false,
        },
    );
    let shape = prop_oneof![Just(prototype), small];
    (shape, any::<bool>()).prop_map(|(shape, step_down)| GearboxCoreConfig { step_down, ..shape })
}

#[derive(Clone, Copy, Debug)]
enum Operation {
    Enqueue { flow: u16, length: u16, times: u32 },
    Dequeue { times: u32 },
}

fn any_operation() -> impl Strategy<Value = Operation> {
    let flow = prop_oneof![0u16..4, 0u16..1024];
    let length = prop_oneof![1u16..16, 1u16..2048];
    prop_oneof![
        (flow, length, prop_oneof![9 => 1u32..4, 1 => 1u32..400])
            .prop_map(|(flow, length, times)| Operation::Enqueue { flow, length, times }),
        prop_oneof![9 => 1u32..5, 1 => 1u32..400].prop_map(|times| Operation::Dequeue { times }),
    ]
}

/// The same packet for both.
fn enqueue(core: &mut GearboxCore, general: &mut Gearbox, flow: u16, length: u16, tag: u16) {
    let time = u32::from(length) * per_byte(flow);
    let descriptor = GearboxDescriptor { pointer: tag, length, time, flow };
    let packet =
        Packet { flow: flow.into(), size: length.into(), tag: tag.into(), ..Packet::default() };
    let placed = general.place(&packet);
    let expected = placed.map(|placed| (placed.departure.units(), placed.level));
    let found = core.enqueue(descriptor).map(|at| (at.unit, usize::from(at.level)));
    assert_eq!(found, expected);
    assert_eq!(general.enqueue(Time::ZERO, packet).is_ok(), found.is_ok());
}

proptest! {
    #[test]
    fn the_core_is_the_general_gearbox(
        shape in any_shape(),
        operations in prop::collection::vec(any_operation(), 1..200),
    ) {
        let mut core = GearboxCore::new(&shape).unwrap();
        let (mut general, flows) = (general(&shape), (1 << shape.flows_log2) - 1);
        let mut tag = 0;
        for operation in operations.into_iter().chain([Operation::Dequeue { times: u32::MAX }]) {
            match operation {
                Operation::Enqueue { flow, length, times } => for _ in 0..times {
                    enqueue(&mut core, &mut general, flow & flows, length, tag);
                    tag = (tag + 1) & 0x7FFF;
                },
                Operation::Dequeue { times } => for _ in 0..times {
                    let expected = general.dequeue(Time::ZERO);
                    let found = core.dequeue();
                    prop_assert_eq!(
                        found.map(|(descriptor, _)| u32::from(descriptor.pointer)),
                        expected.map(|packet| packet.tag)
                    );
                    prop_assert_eq!(core.system_time(), general.system_time().units());
                    if found.is_none() {
                        break;
                    }
                },
            }
            prop_assert_eq!(core.len(), general.len());
        }
        prop_assert!(core.is_empty());
    }
}

#[test]
fn both_limits_of_the_core_are_named() {
    let mut core = GearboxCore::default();
    let stay = GearboxDescriptor { time: 0, length: 64, ..GearboxDescriptor::default() };
    for _ in 0..FIFO_DESCRIPTORS {
        assert!(core.enqueue(stay).is_ok());
    }
    assert_eq!(core.enqueue(stay), Err(DropCause::QueueFull));
    let far = GearboxDescriptor { time: 1 << 16, flow: 1, ..stay };
    assert_eq!(core.enqueue(far), Err(DropCause::Horizon));
    let wide =
        GearboxDescriptor { pointer: u16::MAX, length: u16::MAX, time: u32::MAX, flow: u16::MAX };
    assert_eq!(core.enqueue(wide), Err(DropCause::Horizon));
}

/// App. A in the core: a burst takes a flow to a level from which only step-down FIFOs bring it
/// back.
#[test]
fn a_flow_steps_down() {
    let lowest = |step_down| {
        let config = GearboxCoreConfig { step_down, ..GearboxCoreConfig::default() };
        let mut core = GearboxCore::new(&config).unwrap();
        let packet = GearboxDescriptor { length: 64, time: 4, ..GearboxDescriptor::default() };
        let burst: Vec<_> = (0..20).map(|_| core.enqueue(packet).unwrap().level).collect();
        assert_eq!(burst.iter().max(), Some(&1));
        while core.dequeue().is_some() {}
        let levels = (0..400).map(|_| {
            let level = core.enqueue(packet).unwrap().level;
            core.dequeue().unwrap();
            level
        });
        levels.min()
    };
    assert_eq!((lowest(true), lowest(false)), (Some(0), Some(1)));
}

#[test]
fn a_core_of_no_size_is_refused() {
    let config = GearboxCoreConfig { fifos_log2: 5, ..GearboxCoreConfig::default() };
    let refused = GearboxCore::new(&config).unwrap_err().to_string();
    assert!(refused.contains("fifos_log2: 5"), "{refused}");
}
