//! Step-down FIFOs (App. A).

use forebay_sched::fair::VirtualTime;
use forebay_sched::fair::gearbox::GearboxConfig;
use forebay_sched::scheduler::PacketScheduler;
use forebay_units::Time;
use proptest::prelude::*;

use super::{advance, decimal, drain, gearbox, packet};

/// A flow sends a burst that takes it to level 2 or 3, then keeps to its rate; when it is at level
/// 1 again.
fn returns_after(step_down: bool, burst: u32) -> Option<u32> {
    let mut gearbox = gearbox(&GearboxConfig { step_down, ..decimal(3) });
    let mut highest = 0;
    for tag in 0..burst {
        highest = highest.max(gearbox.place(&packet(0, 1.0, tag)).unwrap().level);
        gearbox.enqueue(Time::ZERO, packet(0, 1.0, tag)).unwrap();
    }
    assert!(highest > 0);
    while gearbox.dequeue(Time::ZERO).is_some() {}
    (0..5000).find(|tag| {
        let packet = packet(0, 1.0, *tag);
        let placed = gearbox.place(&packet).unwrap();
        gearbox.enqueue(Time::ZERO, packet).unwrap();
        assert_eq!(gearbox.dequeue(Time::ZERO), Some(packet));
        placed.level == 0 && !placed.stepped_down
    })
}

proptest! {
    /// The same beside flows that keep to rates of their own: whatever level a burst took the flow
    /// to, it is back at level 1 within two turns of the top level. Its next packets come in time,
    /// as App. A supposes: a departure time further from the last than a step-down FIFO is long may
    /// miss that, turn after turn.
    #[test]
    fn a_flow_returns_to_its_level_among_others(
        burst in 15u32..300,
        units in 1u32..=4,
        others in prop::collection::vec(1u32..90, 0..6),
    ) {
        let mut gearbox = gearbox(&decimal(3));
        let own = |tag| packet(0, f64::from(units), tag);
        let sent = (0..burst).filter(|tag| gearbox.enqueue(Time::ZERO, own(*tag)).is_ok()).count();
        let mut highest = 0;
        let mut due = vec![VirtualTime::ZERO; others.len() + 1];
        let (mut waiting, mut since) = (sent, None);
        for step in 0u32.. {
            for (flow, units) in (1..).zip(&others) {
                let packet = packet(flow, f64::from(*units), 0);
                if due[flow as usize] <= gearbox.system_time() {
                    due[flow as usize] = gearbox.place(&packet).unwrap().departure;
                    gearbox.enqueue(Time::ZERO, packet).unwrap();
                }
            }
            let now = gearbox.system_time();
            if waiting < 3 {
                let begin = *since.get_or_insert(now.units());
                let placed = gearbox.place(&own(step)).unwrap();
                highest = highest.max(placed.level);
                if placed.level == 0 && !placed.stepped_down {
                    prop_assert!(highest > 0 || sent as u32 * units < 20, "{sent} packets stayed low");
                    return Ok(());
                }
                let passed = now.units() - begin;
                prop_assert!(passed < 2000 + 200 + 20, "after {passed} units at level {}", placed.level);
                gearbox.enqueue(Time::ZERO, own(step)).unwrap();
                waiting += 1;
            }
            if let Some(packet) = gearbox.dequeue(Time::ZERO) {
                waiting -= usize::from(packet.flow == 0);
            }
        }
    }
}

#[test]
fn a_flow_back_at_its_rate_returns_to_its_level() {
    assert!(returns_after(true, 30).is_some_and(|packets| packets <= 200));
    assert!(returns_after(true, 300).is_some_and(|packets| packets <= 1200));
    assert_eq!(returns_after(false, 30), None);
    assert_eq!(returns_after(false, 300), None);
}

/// Fig. 16, a level higher and a turn later (set B of level 2 reaches 199 at t_s = 0): at t_s =
/// 250, packets due at 1100 to 1190 join level 3's FIFO 1. Split, it has the granularity of
/// level 2.
fn intervals_of_10_kept(step_down: bool) -> usize {
    let mut gearbox = gearbox(&GearboxConfig { step_down, ..decimal(3) });
    advance(&mut gearbox, 250);
    for flow in (0..10).rev() {
        let packet = packet(flow, 850.0 + 10.0 * f64::from(flow), flow);
        let placed = gearbox.place(&packet).unwrap();
        assert_eq!((placed.level, placed.stepped_down), (2 - usize::from(step_down), step_down));
        gearbox.enqueue(Time::ZERO, packet).unwrap();
    }
    let mut kept = 0;
    while let Some(packet) = gearbox.dequeue(Time::ZERO) {
        kept += usize::from(gearbox.system_time().units() / 10 == 110 + u64::from(packet.flow));
    }
    kept
}

#[test]
fn a_step_down_fifo_has_the_finer_granularity() {
    assert_eq!(intervals_of_10_kept(true), 10);
    assert!(intervals_of_10_kept(false) < 5);
}

/// Within an interval of the finer level, the split FIFO is served in proportion, as any FIFO.
#[test]
fn a_split_fifo_is_spread_over_its_interval() {
    let mut gearbox = gearbox(&decimal(3));
    advance(&mut gearbox, 250);
    for flow in 0..10 {
        let packet = packet(flow, 855.0, 0);
        assert!(gearbox.place(&packet).unwrap().stepped_down);
        gearbox.enqueue(Time::ZERO, packet).unwrap();
    }
    for unit in 1100..1110 {
        assert!(gearbox.dequeue(Time::ZERO).is_some());
        assert_eq!(gearbox.system_time().units(), unit);
    }
}

/// Once its packet is in a step-down FIFO, a flow may join the finer level, and stays in order.
#[test]
fn the_next_packet_may_join_the_finer_level() {
    let mut gearbox = gearbox(&decimal(3));
    advance(&mut gearbox, 250);
    gearbox.enqueue(Time::ZERO, packet(0, 855.0, 1)).unwrap(); // due at 1105
    advance(&mut gearbox, 1000); // past which level 2 reaches to 1199
    let next = packet(0, 1.0, 2); // due at 1106
    let placed = gearbox.place(&next).unwrap();
    assert_eq!((placed.departure.units(), placed.level, placed.stepped_down), (1106, 1, false));
    gearbox.enqueue(Time::ZERO, next).unwrap();
    let tags: Vec<u32> = drain(&mut gearbox).iter().map(|packet| packet.tag).collect();
    assert_eq!(tags, [1, 2]);
}
