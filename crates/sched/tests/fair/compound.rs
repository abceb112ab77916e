//! Proportional service of the compound FIFO (gearbox §3.2).

use forebay_sched::Packet;
use forebay_sched::fair::gearbox::{GearboxConfig, Rounding};
use forebay_sched::scheduler::PacketScheduler;
use forebay_units::Time;
use proptest::prelude::*;

use super::{decimal, gearbox, packet};

/// Packets of these sizes in FIFO 2 of level 2 (units 20 to 29): (unit, size) of each that leaves.
fn level_2(sizes: &[u32], rounding: Rounding) -> Vec<(u64, u32)> {
    let mut config = GearboxConfig { rounding, ..decimal(2) };
    config.flows = 1 << 10;
    let mut gearbox = gearbox(&config);
    for (flow, size) in (0..).zip(sizes) {
        // Sent after a packet that is due at 20, every flow's packet is due there or soon after.
        let lead = packet(flow, 20.0, 1);
        assert_eq!(gearbox.place(&lead).unwrap().level, 1);
        gearbox.enqueue(Time::ZERO, Packet { size: 2000, ..lead }).unwrap();
        gearbox
            .enqueue(Time::ZERO, Packet { flow, size: *size, tag: 2, ..Packet::default() })
            .unwrap();
    }
    let serve = || {
        let packet = gearbox.dequeue(Time::ZERO)?;
        Some((gearbox.system_time().units(), packet.size))
    };
    core::iter::from_fn(serve).collect()
}

proptest! {
    /// After u of g units at least u/g of the bytes have left, and less than a packet more.
    #[test]
    fn carried_service_is_exact_to_a_packet(sizes in prop::collection::vec(1u32..=900, 1..60)) {
        let left = level_2(&sizes, Rounding::Carried);
        let total: u64 = left.iter().map(|(_, size)| u64::from(*size)).sum();
        for units in 1..=10 {
            let within = || left.iter().filter(|(unit, _)| *unit < 20 + units);
            let served: u64 = within().map(|(_, size)| u64::from(*size)).sum();
            let last = within().next_back().map_or(0, |(_, size)| u64::from(*size));
            prop_assert!(served * 10 >= total * units, "{served} of {total} after {units}");
            prop_assert!((served - last) * 10 < total * units, "{served} of {total} after {units}");
        }
    }

    /// Rounding each unit up serves a tenth of the bytes in every unit until nothing is left.
    #[test]
    fn service_per_unit_rounds_every_unit_up(sizes in prop::collection::vec(1u32..=900, 1..60)) {
        let left = level_2(&sizes, Rounding::PerUnit);
        let total: u64 = left.iter().map(|(_, size)| u64::from(*size)).sum();
        let (mut rest, quota) = (total, total.div_ceil(10));
        for unit in 20..30 {
            let within = || left.iter().filter(|(at, _)| *at == unit);
            let served: u64 = within().map(|(_, size)| u64::from(*size)).sum();
            let last = within().next_back().map_or(0, |(_, size)| u64::from(*size));
            prop_assert!(served >= quota.min(rest) && served < quota + last);
            rest -= served;
        }
        prop_assert_eq!(rest, 0);
    }
}

/// §3.2: the lowest level is drained first in every unit.
#[test]
fn finer_levels_go_first_in_a_unit() {
    let mut gearbox = gearbox(&decimal(2));
    for flow in 0..10 {
        gearbox.enqueue(Time::ZERO, packet(flow, 20.0, 2)).unwrap(); // a packet a unit from 20 on
    }
    for flow in 10..20 {
        gearbox.enqueue(Time::ZERO, packet(flow, 19.0, 1)).unwrap();
    }
    while gearbox.system_time().units() < 19 || gearbox.len() > 10 {
        assert_eq!(gearbox.dequeue(Time::ZERO).map(|packet| packet.tag), Some(1));
    }
    gearbox.enqueue(Time::ZERO, packet(30, 4.0, 1)).unwrap(); // due at 23
    let tags: Vec<u32> =
        core::iter::from_fn(|| gearbox.dequeue(Time::ZERO)).map(|packet| packet.tag).collect();
    assert_eq!(tags, [2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 2]);
}

/// What joins a FIFO in the last unit of its interval leaves in that unit.
#[test]
fn the_last_unit_drains_the_fifo() {
    for rounding in [Rounding::PerUnit, Rounding::Carried] {
        let mut gearbox = gearbox(&GearboxConfig { rounding, ..decimal(2) });
        for flow in 0..20 {
            gearbox.enqueue(Time::ZERO, packet(flow, 20.0, 0)).unwrap(); // two a unit from 20 on
        }
        for _ in 0..19 {
            gearbox.dequeue(Time::ZERO).unwrap();
        }
        assert_eq!(gearbox.system_time().units(), 29);
        for flow in 0..19 {
            let late = packet(flow, 0.5, 0);
            assert_eq!(gearbox.place(&late).unwrap().level, 1);
            gearbox.enqueue(Time::ZERO, late).unwrap();
        }
        gearbox.enqueue(Time::ZERO, Packet { flow: 1, ..Packet::default() }).unwrap();
        while gearbox.dequeue(Time::ZERO).is_some() {
            assert_eq!(gearbox.system_time().units(), 29);
        }
    }
}
