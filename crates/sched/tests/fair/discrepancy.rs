//! Departure time discrepancy (gearbox §2.3, §2.4, §3.4).

use forebay_sched::fair::gearbox::{Gearbox, GearboxConfig, LevelConfig, Rounding};
use forebay_sched::fair::measure::{discrepancy, normalized_discrepancy};
use forebay_sched::fair::{PifoConfig, PifoWfq, VirtualTime};
use forebay_sched::scheduler::{PacketScheduler, Weights};
use forebay_units::Time;
use proptest::prelude::*;

use super::{decimal, drain, gearbox, packet};

/// §2.4: at t_s = 10 and g = 10, packets due at 11 and 91 leave at 19 and 99 behind others of their
/// FIFO.
#[test]
fn the_example_of_section_2_4() {
    let levels = vec![LevelConfig { fifos: 10, granularity: 10 }];
    let mut gearbox = gearbox(&GearboxConfig { levels, ..decimal(1) });
    gearbox.enqueue(Time::ZERO, packet(0, 10.0, 0)).unwrap();
    gearbox.dequeue(Time::ZERO);
    let arrived = gearbox.system_time();
    assert_eq!(arrived.units(), 10);
    let mut due = Vec::new();
    for (flow, units) in [(1, 1.0), (21, 81.0)] {
        for flow in flow..flow + 10 {
            let packet = packet(flow, units, flow);
            due.push((flow, gearbox.place(&packet).unwrap().departure));
            gearbox.enqueue(Time::ZERO, packet).unwrap();
        }
    }
    let mut late = Vec::new();
    while let Some(packet) = gearbox.dequeue(Time::ZERO) {
        let due = due.iter().find(|(flow, _)| *flow == packet.flow).unwrap().1;
        let left = gearbox.system_time();
        if [10, 30].contains(&packet.flow) {
            late.push((
                (due.units(), left.units()),
                discrepancy(due, left),
                normalized_discrepancy(arrived, due, left),
            ));
        }
    }
    assert_eq!(late, [((11, 19), 8.0, 8.0), ((91, 99), 8.0, 8.0 / 81.0)]);
}

fn any_rounding() -> impl Strategy<Value = Rounding> {
    prop_oneof![Just(Rounding::Carried), Just(Rounding::PerUnit)]
}

proptest! {
    /// Eq. 6: flows of any weights that keep to their rate (a packet when the one before is due)
    /// are late by less than the delay they expect, with step-down FIFOs and without.
    #[test]
    fn normalized_discrepancy_is_at_most_one(
        units in prop::collection::vec(1u32..800, 2..12),
        weights in prop::collection::vec(1u32..5, 12),
        picks in prop::collection::vec((any::<bool>(), 0usize..12), 1..600),
        rounding in any_rounding(),
        step_down in any::<bool>(),
    ) {
        let config = GearboxConfig { rounding, step_down, ..decimal(3) };
        let weights = Weights::new(1, weights).unwrap();
        let mut gearbox = Gearbox::new(&config, weights).unwrap();
        let mut due = vec![VirtualTime::ZERO; units.len()];
        let mut waiting = vec![Vec::new(); units.len()];
        for (is_arrival, pick) in picks {
            let flow = pick % units.len();
            if is_arrival {
                let arrived = gearbox.system_time();
                let packet = packet(flow as u32, f64::from(units[flow]) / 4.0, 0);
                if due[flow] > arrived || packet.size == 0 {
                    continue; // it would be ahead of its rate
                }
                due[flow] = gearbox.place(&packet).unwrap().departure;
                waiting[flow].push((arrived, due[flow]));
                gearbox.enqueue(Time::ZERO, packet).unwrap();
            } else if let Some(packet) = gearbox.dequeue(Time::ZERO) {
                let (arrived, due) = waiting[packet.flow as usize].remove(0);
                let late = normalized_discrepancy(arrived, due, gearbox.system_time());
                prop_assert!(late <= 1.0, "{late}");
            }
        }
    }

    /// Whatever arrives: a packet at level l leaves less than g_l after it is due, and (Eq. 3's
    /// converse) less than g_l before.
    #[test]
    fn a_packet_leaves_in_the_interval_of_its_fifo(
        arrivals in prop::collection::vec((0u32..9, 1u32..4000, 0usize..3), 1..400),
        rounding in any_rounding(),
        step_down in any::<bool>(),
    ) {
        let config = GearboxConfig { rounding, step_down, ..decimal(3) };
        let mut gearbox = gearbox(&config);
        let mut due = Vec::new();
        for (flow, size, departures) in arrivals {
            let packet = forebay_sched::Packet { flow, size, tag: due.len() as u32, ..Default::default() };
            if let Ok(placed) = gearbox.place(&packet) {
                gearbox.enqueue(Time::ZERO, packet).unwrap();
                due.push(placed);
            }
            for _ in 0..departures {
                let Some(packet) = gearbox.dequeue(Time::ZERO) else { break };
                let placed = due[packet.tag as usize];
                let granularity = config.levels[placed.level].granularity as f64;
                let left = gearbox.system_time();
                prop_assert!(discrepancy(placed.departure, left) < granularity);
                prop_assert!(placed.departure.since(left) < granularity + 1.0
                    || left.units() == placed.departure.units());
            }
        }
    }

    /// A burst gets the same departure times from Gearbox and from exact WFQ, whose order Gearbox
    /// keeps but for packets less than two intervals of the coarser apart.
    #[test]
    fn a_burst_is_served_almost_in_exact_order(
        sizes in prop::collection::vec((0u32..6, 1u32..1500), 1..150),
    ) {
        let config = decimal(3);
        let mut gearbox = gearbox(&config);
        let pifo = PifoConfig { unit: config.unit, ..PifoConfig::default() };
        let mut exact = PifoWfq::exact(&pifo, Weights::default());
        let mut placed = Vec::new();
        for (flow, size) in sizes {
            let tag = placed.len() as u32;
            let packet = forebay_sched::Packet { flow, size, tag, ..Default::default() };
            let Ok(place) = gearbox.place(&packet) else { continue };
            prop_assert_eq!(place.departure, exact.departure(&packet));
            gearbox.enqueue(Time::ZERO, packet).unwrap();
            exact.enqueue(Time::ZERO, packet).unwrap();
            placed.push(place);
        }
        let served = drain(&mut gearbox);
        let mut expected = drain(&mut exact);
        for (early, later) in served.iter().enumerate().flat_map(|(n, early)| {
            served[n + 1..].iter().map(move |later| (early, later))
        }) {
            let (early, later) = (placed[early.tag as usize], placed[later.tag as usize]);
            let coarse = config.levels[early.level.max(later.level)].granularity as f64;
            prop_assert!(early.departure.since(later.departure) < 2.0 * coarse);
        }
        expected.sort_by_key(|packet| packet.tag);
        let mut served = served;
        served.sort_by_key(|packet| packet.tag);
        prop_assert_eq!(served, expected);
    }
}
