//! Order within a flow (gearbox §3.5, §3.6, App. A).

use forebay_sched::Packet;
use forebay_sched::fair::gearbox::{
    DepartureTime, Gearbox, GearboxConfig, LevelConfig, LevelPlacement, Rounding,
};
use forebay_sched::scheduler::{PacketScheduler, Weights};
use forebay_units::Time;
use proptest::prelude::*;

use super::{advance, decimal, drain, gearbox, packet};

/// Tags of flow 0 in order of service.
fn served(gearbox: &mut Gearbox) -> Vec<u32> {
    drain(gearbox).iter().filter(|packet| packet.flow == 0).map(|packet| packet.tag).collect()
}

fn algorithm1(levels: u32) -> GearboxConfig {
    GearboxConfig { placement: LevelPlacement::Algorithm1, step_down: false, ..decimal(levels) }
}

/// Fig. 4: A1 and A2 wait at level 2, behind others; at t_s = 10, A3 is due at 12.
fn figure_4(level_memory: bool) -> Vec<u32> {
    let mut gearbox = gearbox(&GearboxConfig { level_memory, ..algorithm1(3) });
    for flow in 1..10 {
        gearbox.enqueue(Time::ZERO, packet(flow, 11.0, 0)).unwrap();
    }
    let [a1, a2, a3] = [(11.0, 1), (0.5, 2), (0.5, 3)].map(|(units, tag)| packet(0, units, tag));
    for packet in [a1, a2] {
        assert_eq!(gearbox.place(&packet).unwrap().level, 1);
        gearbox.enqueue(Time::ZERO, packet).unwrap();
    }
    advance(&mut gearbox, 10);
    let placed = gearbox.place(&a3).unwrap();
    assert_eq!((placed.departure.units(), placed.level), (12, usize::from(level_memory)));
    gearbox.enqueue(Time::ZERO, a3).unwrap();
    served(&mut gearbox)
}

#[test]
fn figure_4_reorders_without_level_memory_and_not_with_it() {
    assert_eq!(figure_4(false), [3, 1, 2]);
    assert_eq!(figure_4(true), [1, 2, 3]);
}

/// Algorithm 1 counts intervals from the one being served: a later packet can get an earlier FIFO.
fn unaligned(placement: LevelPlacement) -> Vec<u32> {
    let levels = vec![LevelConfig { fifos: 10, granularity: 10 }];
    let config = GearboxConfig { levels, step_down: false, placement, ..decimal(1) };
    let mut gearbox = gearbox(&config);
    gearbox.enqueue(Time::ZERO, packet(1, 10.0, 0)).unwrap();
    assert_eq!(gearbox.dequeue(Time::ZERO).map(|packet| packet.flow), Some(1));
    for flow in 2..12 {
        gearbox.enqueue(Time::ZERO, packet(flow, 5.0, 0)).unwrap();
    }
    gearbox.enqueue(Time::ZERO, packet(0, 10.0, 1)).unwrap(); // at 10, due at 20
    while gearbox.system_time().units() < 18 {
        gearbox.dequeue(Time::ZERO);
    }
    gearbox.enqueue(Time::ZERO, packet(0, 1.0, 2)).unwrap(); // at 18, due at 21
    served(&mut gearbox)
}

#[test]
fn intervals_counted_from_the_current_one_reorder_a_level() {
    assert_eq!(unaligned(LevelPlacement::Algorithm1), [2, 1]);
    assert_eq!(unaligned(LevelPlacement::PingPong), [1, 2]);
}

/// A flow that rises a level: its packet at the upper level may be due before the one below.
fn rise(config: GearboxConfig) -> Vec<u32> {
    let mut gearbox = gearbox(&config);
    advance(&mut gearbox, 50);
    for (units, tag) in [(99.0, 1), (2.0, 2)] {
        gearbox.enqueue(Time::ZERO, packet(0, units, tag)).unwrap(); // due at 149, 151
    }
    served(&mut gearbox)
}

#[test]
fn reach_by_algorithm_1_reorders_a_flow_that_rises() {
    assert_eq!(rise(algorithm1(3)), [2, 1]);
    assert_eq!(rise(decimal(3)), [1, 2]);
}

/// Any valid shape of two to four levels.
fn any_shape() -> impl Strategy<Value = Vec<LevelConfig>> {
    (prop::collection::vec(1u32..6, 2..5), 1u64..4).prop_map(|(halves, first)| {
        let mut granularity = first;
        let level = |half: u32| {
            let level = LevelConfig { fifos: 2 * half, granularity };
            granularity *= u64::from(2 * half);
            level
        };
        halves.into_iter().map(level).collect()
    })
}

fn any_config() -> impl Strategy<Value = GearboxConfig> {
    (any_shape(), any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(levels, step_down, is_carried, is_fair)| GearboxConfig {
            levels,
            step_down,
            rounding: if is_carried { Rounding::Carried } else { Rounding::PerUnit },
            departure: if is_fair {
                DepartureTime::FinishTime
            } else {
                DepartureTime::ShortestRemaining
            },
            ..decimal(1)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// The two rules of §3.6, with and without step-down FIFOs, keep every flow in order.
    #[test]
    fn no_flow_is_reordered(
        config in any_config(),
        steps in prop::collection::vec((0u32..7, 1u32..1500, any::<bool>(), 0u32..3), 1..500),
    ) {
        let mut gearbox = Gearbox::new(&config, Weights::new(1, vec![1, 7, 30]).unwrap()).unwrap();
        let mut last = [0; 7];
        for (tag, (flow, size, is_arrival, departures)) in (1..).zip(steps) {
            if is_arrival {
                let packet = Packet { flow, size, tag, flow_size: 60_000, ..Packet::default() };
                gearbox.enqueue(Time::ZERO, packet).ok();
            }
            for _ in 0..departures {
                let Some(packet) = gearbox.dequeue(Time::ZERO) else { break };
                prop_assert!(packet.tag > last[packet.flow as usize], "flow {}", packet.flow);
                last[packet.flow as usize] = packet.tag;
            }
        }
        for packet in drain(&mut gearbox) {
            prop_assert!(packet.tag > last[packet.flow as usize], "flow {}", packet.flow);
            last[packet.flow as usize] = packet.tag;
        }
    }
}
