use alloc::string::ToString;
use alloc::vec::Vec;

use forebay_units::Duration;

use super::*;

const RATE: Rate = Rate::from_bps(100_000_000);

fn cake(config: CakeConfig) -> Cake {
    Cake::new(&config, RATE).unwrap()
}

fn packet(flow: u32, class: u8) -> Packet {
    Packet { flow, class, size: 1500, ..Packet::default() }
}

/// The bytes that each of `classes` sends in a second, with packets of all always waiting.
fn shares(tins: Tins, classes: &[u8]) -> Vec<f64> {
    let mut cake = cake(CakeConfig { tins, ..CakeConfig::default() });
    let (mut now, mut sent) = (Time::ZERO, [0u32; 256]);
    for class in classes {
        for _ in 0..4 {
            cake.enqueue(now, packet(u32::from(*class), *class)).unwrap();
        }
    }
    let packets = 8_000;
    for _ in 0..packets {
        let left = cake.dequeue(now).unwrap();
        sent[usize::from(left.class)] += 1;
        while cake.take_dropped().is_some() {}
        cake.enqueue(now, left).unwrap();
        now += RATE.time_for(Bytes::new(1500));
    }
    let share = |class: &u8| f64::from(sent[usize::from(*class)]) / f64::from(packets);
    classes.iter().map(share).collect()
}

#[test]
fn tins_have_priority_up_to_their_thresholds() {
    let near = |tins, classes: &[u8], expected: &[f64]| {
        let found = shares(tins, classes);
        let fits = found.iter().zip(expected).all(|(found, expected)| {
            (found - expected).abs() < 0.02 // of the link
        });
        assert!(fits, "{tins:?} {classes:?}: {found:?}, not {expected:?}");
    };
    near(Tins::Diffserv3, &[0, 1, 2], &[0.25, 0.6875, 0.0625]);
    near(Tins::Diffserv4, &[0, 1, 2, 3], &[0.25, 0.5, 0.1875, 0.0625]);
    near(Tins::Diffserv3, &[0], &[1.0]);
    near(Tins::Diffserv3, &[1, 2], &[0.9375, 0.0625]);
    // One tin: flows share, whatever their class.
    near(Tins::BestEffort, &[0, 7], &[0.5, 0.5]);
}

#[test]
fn an_overflow_takes_from_the_longest_queue_and_teaches_its_flow() {
    let limits = Limits { packets: 20, ..Limits::default() };
    let mut cake = cake(CakeConfig { limits, ..CakeConfig::default() });
    for flow in (0..200).map(|n| u32::from(n % 10 == 0)) {
        cake.enqueue(Time::ZERO, packet(flow, 0)).unwrap();
        let lost: Vec<_> = core::iter::from_fn(|| cake.take_dropped()).collect();
        assert!(
            lost.iter().all(|(lost, cause)| *cause == DropCause::QueueFull && lost.flow == 0
                || cake.len() == 20),
            "{lost:?}"
        );
    }
    assert_eq!(cake.len(), 20);
    let left: Vec<u32> =
        core::iter::from_fn(|| cake.dequeue(Time::ZERO)).map(|packet| packet.flow).collect();
    assert_eq!(left.iter().filter(|flow| **flow == 1).count(), 10, "half of it: {left:?}");
}

#[test]
fn a_flow_that_does_not_listen_is_dropped_from_until_it_fits() {
    // Twice the link's rate for two seconds, beside a flow of a packet every 10 ms.
    let limits = Limits { packets: 100, ..Limits::default() };
    let mut cake = cake(CakeConfig { limits, ..CakeConfig::default() });
    let step = RATE.time_for(Bytes::new(1500));
    let (mut now, mut waits, mut lost) = (Time::ZERO, Vec::new(), 0);
    for n in 0u32..16_000 {
        for _ in 0..2 {
            cake.enqueue(now, packet(0, 0)).unwrap();
        }
        if n % 80 == 0 {
            cake.enqueue(now, Packet { tag: n, ..packet(1, 0) }).unwrap();
        }
        if let Some(left) = cake.dequeue(now) {
            waits.extend((left.flow == 1).then(|| n - left.tag));
        }
        while let Some((packet, cause)) = cake.take_dropped() {
            assert_eq!(packet.flow, 0, "{cause:?}");
            lost += 1;
        }
        now += step;
    }
    assert!(waits.iter().all(|wait| *wait <= 2), "the sparse flow waits for two packets at most");
    assert!(lost > 15_000, "{lost}");
    // Remembered after its last packet, and forgotten in the end.
    while cake.dequeue(now).is_some() {
        while cake.take_dropped().is_some() {}
    }
    let mut looks = 0;
    while !cake.tins[0].is_at_rest() {
        now += Duration::from_ms(6);
        cake.enqueue(now, packet(1, 0)).unwrap();
        assert!(cake.dequeue(now).is_some());
        looks += 1;
    }
    assert!(looks > 16, "{looks}");
}

#[test]
fn dropped_packets_that_nobody_takes_are_bounded() {
    let limits = Limits { packets: 10, ..Limits::default() };
    let mut cake = cake(CakeConfig { limits, ..CakeConfig::default() });
    let taken = (0..1000).filter(|_| cake.enqueue(Time::ZERO, packet(0, 0)).is_ok()).count();
    let dropped = core::iter::from_fn(|| cake.take_dropped()).count();
    assert!(dropped <= 11 && taken == dropped + cake.len(), "{taken} {dropped}");
}

#[test]
fn a_link_without_a_rate_is_refused() {
    let error = Cake::new(&CakeConfig::default(), Rate::from_bps(15)).err().unwrap();
    assert_eq!(error.to_string(), "rate: give at least 16 b/s");
}
