//! Shapes: the paper's, those chosen automatically, those refused, and other ranks.

use forebay_sched::fair::gearbox::{
    DepartureTime, Gearbox, GearboxConfig, GearboxError, LevelConfig, LevelPlacement, WeightRange,
};
use forebay_sched::scheduler::PacketScheduler;
use forebay_sched::{DropCause, Packet};
use forebay_units::Time;
use proptest::prelude::*;

use super::{decimal, drain, gearbox, packet};

#[test]
fn figure_3_s_enqueue_example() {
    // At t_s = 123, a packet due at 135 joins level 2; level 1 reaches to the end of its set
    // B, 139.
    let mut gearbox = gearbox(&GearboxConfig {
        placement: LevelPlacement::Algorithm1,
        step_down: false,
        ..decimal(3)
    });
    super::advance(&mut gearbox, 123);
    assert_eq!(gearbox.place(&packet(0, 12.0, 0)).unwrap().level, 1);
    assert_eq!(gearbox.place(&packet(0, 9.0, 0)).unwrap().level, 0);
    assert_eq!(gearbox.place(&packet(0, 150.0, 0)).unwrap().level, 2);
    assert_eq!(gearbox.place(&packet(0, 1001.0, 0)), Err(DropCause::Horizon));
}

#[test]
fn the_levels_of_the_paper_take_56_fifos() {
    let config = GearboxConfig::default();
    let granularities: Vec<u64> = config.levels.iter().map(|level| level.granularity).collect();
    assert_eq!((granularities, config.fifos()), (vec![1, 8, 64], 56));
    assert_eq!(GearboxConfig { step_down: false, ..config }.fifos(), 40);
}

#[test]
fn ten_thousand_to_one_needs_more_fifos_and_says_how_many() {
    let range =
        WeightRange { heaviest: 10_000, total_weight: 20_002, backlog: 4, ..WeightRange::new(56) };
    let error = GearboxConfig::for_weights(&range).unwrap_err();
    let GearboxError::Budget { fifos: 56, horizon: 40_001.., needed: Some(needed) } = error else {
        panic!("{error}")
    };
    let enough = GearboxConfig::for_weights(&WeightRange { fifos: needed, ..range }).unwrap();
    assert!(enough.fifos() <= needed && enough.horizon() >= 40_000);
    let short = WeightRange { fifos: needed - 1, ..range };
    assert!(GearboxConfig::for_weights(&short).is_err());
    let none = WeightRange { lightest: 0, ..range };
    assert_eq!(GearboxConfig::for_weights(&none), Err(GearboxError::Weights));
}

proptest! {
    /// What is chosen is valid, keeps to the budget, and takes the lightest flow's backlog.
    #[test]
    fn chosen_levels_serve_the_range(
        heaviest in 1u32..20_000,
        others in 0u32..1000,
        fifos in 0u32..800,
        backlog in 1u32..64,
        step_down in any::<bool>(),
    ) {
        let range = WeightRange {
            heaviest,
            total_weight: heaviest + others + 1,
            backlog,
            step_down,
            ..WeightRange::new(fifos)
        };
        match GearboxConfig::for_weights(&range) {
            Ok(config) => {
                prop_assert!(config.check().is_ok() && config.fifos() <= fifos);
                let mut gearbox = gearbox(&config);
                for tag in 0..backlog {
                    let packet = Packet { size: 1500, tag, ..Packet::default() };
                    prop_assert_eq!(gearbox.enqueue(Time::ZERO, packet), Ok(()));
                }
            }
            Err(GearboxError::Budget { needed, .. }) => prop_assert!(needed.is_none_or(|n| n > fifos)),
            Err(error) => prop_assert!(false, "{}", error),
        }
    }
}

#[test]
fn impossible_shapes_are_refused() {
    let shape = |levels: &[(u32, u64)]| {
        let level = |&(fifos, granularity)| LevelConfig { fifos, granularity };
        let levels = levels.iter().map(level).collect();
        GearboxConfig { levels, ..GearboxConfig::default() }.check()
    };
    assert_eq!(shape(&[]), Err(GearboxError::Levels { asked: 0 }));
    assert_eq!(shape(&[(65, 1)]), Err(GearboxError::Fifos { level: 1, asked: 65 }));
    assert_eq!(shape(&[(8, 0)]), Err(GearboxError::Granularity { level: 1 }));
    assert_eq!(shape(&[(8, 1), (8, 3)]), Err(GearboxError::Ratio { level: 2, span: 8 }));
    assert_eq!(shape(&[(8, 1), (8, 1)]), Err(GearboxError::Ratio { level: 2, span: 8 }));
    assert_eq!(shape(&[(8, 1), (8, 4)]), Err(GearboxError::StepDownSpan { level: 2, span: 8 }));
    assert_eq!(shape(&[(8, 1), (7, 8)]), Err(GearboxError::StepDownOdd { fifos: 7 }));
    for error in [GearboxError::Unit, GearboxError::StepDownPlacement, GearboxError::Limits] {
        assert!(!error.to_string().is_empty());
    }
}

/// A flow number is used again when the flow's bytes are complete: the second flow of 0 is as long
/// as it says.
#[test]
fn a_flow_that_is_complete_makes_room_for_another_of_its_number() {
    let config = GearboxConfig { departure: DepartureTime::ShortestRemaining, ..decimal(3) };
    let mut gearbox = gearbox(&config);
    for (flow_size, packets) in [(40_000, 80), (50_000, 2)] {
        for tag in 0..packets {
            let packet = Packet { flow: 0, size: 500, flow_size, tag, ..Packet::default() };
            assert_eq!(gearbox.enqueue(Time::ZERO, packet), Ok(()));
        }
        drain(&mut gearbox);
    }
    let long = Packet { flow: 0, size: 500, flow_size: 50_000, ..Packet::default() };
    let short = Packet { flow: 1, size: 500, flow_size: 20_000, ..Packet::default() };
    let departure = |gearbox: &Gearbox, packet| gearbox.place(packet).unwrap().departure;
    assert!(departure(&gearbox, &long) > departure(&gearbox, &short));
}

#[test]
fn shortest_remaining_flow_goes_first_and_nothing_is_beyond_the_horizon() {
    let config = GearboxConfig { departure: DepartureTime::ShortestRemaining, ..decimal(3) };
    let mut gearbox = gearbox(&config);
    for (flow, flow_size) in [(0, 10_000_000), (1, 50_000), (2, 1000)] {
        for tag in 0..3 {
            let packet = Packet { flow, size: 500, flow_size, tag, ..Packet::default() };
            assert_eq!(gearbox.enqueue(Time::ZERO, packet), Ok(()));
        }
    }
    let flows: Vec<u32> = drain(&mut gearbox).iter().map(|packet| packet.flow).collect();
    assert_eq!(flows, [2, 2, 2, 1, 1, 1, 0, 0, 0]);
}
