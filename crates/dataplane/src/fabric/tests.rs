//! Fabrics of frames that tests make: no network, no clock.

use std::collections::BTreeMap;

use forebay_net::topology::{Graph, read_shape};
use forebay_switch::{SwitchConfig, Tally};
use forebay_units::{Bytes, Duration, Time};

use super::*;
use crate::link::{EmulationConfig, Frame, Rules};

const MEMORY: u64 = 64 << 20;

fn graph(notation: &str) -> Graph {
    read_shape(notation).unwrap()
}

fn lab(notation: &str, mode: Mode, switch: &str) -> LabConfig {
    LabConfig {
        graph: graph(notation),
        mode,
        switch: SwitchConfig::named(switch).unwrap(),
        others: BTreeMap::new(),
        ports: Vec::new(),
        rules: Rules::default(),
        card: SwitchConfig::named("drop-tail").unwrap(),
        link: EmulationConfig::default(),
    }
}

/// A UDP packet from a host to another, of `payload` bytes.
fn packet(plan: &LabPlan, [from, to]: [usize; 2], port: u16, payload: usize) -> Frame {
    let (from, to) = (&plan.hosts[from], &plan.hosts[to]);
    let hardware = from.gateway.map_or(to.hardware, |gateway| gateway.hardware);
    let builder = etherparse::PacketBuilder::ethernet2(from.hardware, hardware)
        .ipv4(from.v4.0.octets(), to.v4.0.octets(), 64)
        .udp(port, 9);
    let mut bytes = Vec::new();
    builder.write(&mut bytes, &vec![7; payload]).unwrap();
    Frame::new(bytes)
}

fn at_us(us: u64) -> Time {
    Time::ZERO + Duration::from_us(us)
}

/// Whatever arrived, or was copied, was sent, lost or is held.
fn audit(fabric: &Fabric<'_>) {
    let (mut come, mut gone) = (0, 0);
    for (_, counts) in fabric.counts() {
        let lost: u64 = counts.all.causes().map(|(_, tally)| tally.packets).sum();
        come += counts.all.arrived.packets + counts.copies.packets;
        gone += counts.all.left.packets + lost;
        let sent: u64 = counts.sent.iter().map(|tally| tally.packets).sum();
        let received: u64 = counts.received.iter().map(|tally| tally.packets).sum();
        assert_eq!((sent, received), (counts.all.left.packets, counts.all.arrived.packets));
    }
    assert_eq!(come, gone + (fabric.held() - fabric.on_wires()) as u64);
}

#[test]
fn a_packet_takes_every_transmission_and_delay_of_its_way() {
    // 1000 bytes at 100 Mb/s are 80 us; two links, and each is sent twice: by the card and by the
    // switch.
    let plan = LabPlan::new(&lab("star:3,100M,5us", Mode::Learning, "drop-tail")).unwrap();
    let frame = packet(&plan, [0, 2], 1, 1000 - 42);
    let LabPlan { devices, entrances, .. } = plan;
    let mut devices = Devices::build(devices, 1500, MEMORY).unwrap();
    let mut fabric = devices.fabric(entrances);
    fabric.arrive(Incoming { at: at_us(10), edge: 0, frame: frame.clone() });
    fabric.advance(at_us(1_000));
    let exits: Vec<_> = std::iter::from_fn(|| fabric.exit()).collect();
    // Nobody knows where the third host is: everybody else gets it.
    let exit = |edge| Exit { at: at_us(10 + 2 * 85), edge, frame: frame.clone() };
    assert_eq!(exits, [exit(1), exit(2)]);
    assert_eq!(fabric.held(), 0);
    audit(&fabric);
}

/// Whoever sleeps until the next departure finds every frame at the instant at which it leaves.
#[test]
fn who_sleeps_until_the_next_departure_misses_none() {
    let config = lab("leaf-spine:2x4x2,1G,1G,2us", Mode::Routes, "occamy");
    let plan = LabPlan::new(&config).unwrap_or_else(|error| panic!("{error}"));
    let frames: Vec<_> =
        (0..40).map(|n| packet(&plan, [n as usize % 3, 7], n, 200 + 20 * n as usize)).collect();
    let LabPlan { devices, entrances, .. } = plan;
    let mut devices = Devices::build(devices, 1500, MEMORY).unwrap();
    let mut fabric = devices.fabric(entrances);
    for (n, frame) in (0..).zip(frames) {
        let edge = n % 3;
        fabric.arrive(Incoming { at: at_us(u64::from(n) / 3), edge, frame });
    }
    let (mut found, mut naps) = (0, 0);
    while let Some(next) = fabric.next_departure() {
        fabric.advance(next);
        naps += 1;
        while let Some(exit) = fabric.exit() {
            assert_eq!(exit.at, next);
            found += 1;
        }
    }
    assert_eq!(found, 40);
    assert!(naps < 4 * found, "{naps}: many events, few naps");
    audit(&fabric);
}

#[test]
fn switches_learn_and_then_nobody_else_is_bothered() {
    let plan = LabPlan::new(&lab("dumbbell:2,100M,100M,1us", Mode::Learning, "drop-tail"));
    let plan = match plan {
        Ok(plan) => plan,
        Err(error) => panic!("{error}"),
    };
    let there = packet(&plan, [0, 3], 1, 100);
    let back = packet(&plan, [3, 0], 1, 100);
    let LabPlan { devices, entrances, .. } = plan;
    let mut devices = Devices::build(devices, 1500, MEMORY).unwrap();
    let mut fabric = devices.fabric(entrances);
    let mut exits = |at, edge, frame: &Frame| {
        fabric.arrive(Incoming { at: at_us(at), edge, frame: frame.clone() });
        fabric.advance(at_us(at + 900));
        std::iter::from_fn(|| fabric.exit()).map(|exit| exit.edge).collect::<Vec<_>>()
    };
    let mut first = exits(0, 0, &there);
    first.sort_unstable();
    assert_eq!(first, [1, 2, 3]);
    assert_eq!(exits(1_000, 3, &back), [0]);
    assert_eq!(exits(2_000, 0, &there), [3]);
    audit(&fabric);
}

#[test]
fn routes_spread_flows_over_a_leaf_spine_and_take_three_hops() {
    let config = lab("leaf-spine:2x4x2,1G,1G,2us", Mode::Routes, "occamy");
    let plan = LabPlan::new(&config).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(plan.devices.len(), 4 + config.graph.hosts as usize);
    let hosts = config.graph.hosts as usize;
    let frames: Vec<Frame> =
        (0..400).map(|port| packet(&plan, [0, hosts - 1], port, 400)).collect();
    let expected = plan.hosts[hosts - 1].hardware;
    let LabPlan { devices, entrances, .. } = plan;
    let mut devices = Devices::build(devices, 1500, MEMORY).unwrap();
    let mut fabric = devices.fabric(entrances);
    for (number, frame) in frames.into_iter().enumerate() {
        fabric.arrive(Incoming { at: at_us(number as u64), edge: 0, frame });
    }
    fabric.advance(at_us(100_000));
    let exits: Vec<_> = std::iter::from_fn(|| fabric.exit()).collect();
    assert_eq!(exits.len(), 400);
    assert!(exits.iter().all(|exit| exit.edge as usize == hosts - 1
        && exit.frame.head()[..6] == expected
        && exit.frame.head()[22] == 64 - 3));
    let passed = |name: &str| {
        let found = fabric.counts().find(|(found, _)| *found == name);
        found.map(|(_, counts)| counts.all.left.packets).unwrap()
    };
    let spines: Vec<u64> = ["s1", "s2", "s3", "s4"].into_iter().map(passed).collect();
    assert_eq!(spines.iter().filter(|passed| **passed == 400).count(), 2, "{spines:?}");
    assert!(spines.iter().all(|passed| (150..=400).contains(passed)), "{spines:?}");
    audit(&fabric);
}

#[test]
fn what_comes_from_outside_is_at_the_switch_and_leaves_at_its_rate() {
    let mut config = lab("star:2,100M,5us", Mode::Learning, "drop-tail");
    let rate = forebay_units::Rate::from_bps(10_000_000);
    let delay = Duration::from_us(30);
    let port = |name: &str| OutsidePort { name: name.to_owned(), switch: 0, rate, delay };
    config.ports = vec![port("eth1"), port("eth2")];
    let plan = LabPlan::new(&config).unwrap();
    let frame = packet(&plan, [0, 1], 1, 1000 - 42);
    let LabPlan { devices, entrances, .. } = plan;
    assert_eq!(entrances[2..], [(0, 2), (0, 3)]);
    let mut devices = Devices::build(devices, 1500, MEMORY).unwrap();
    let mut fabric = devices.fabric(entrances);
    fabric.arrive(Incoming { at: at_us(10), edge: 2, frame: frame.clone() });
    fabric.advance(at_us(5_000));
    // 80 us and 5 us to a host, 800 us and 30 us to the other port: nobody is known yet.
    let exits = std::iter::from_fn(|| fabric.exit()).map(|exit| (exit.edge, exit.at));
    let exits: Vec<_> = exits.collect();
    assert_eq!(exits, [(0, at_us(95)), (1, at_us(95)), (3, at_us(840))]);
    audit(&fabric);
    config.mode = Mode::Routes;
    assert_eq!(LabPlan::new(&config).err(), Some(LabPlanError::RoutedPort { has_loops: false }));
}

#[test]
fn loops_are_refused_with_learning() {
    let config = lab("leaf-spine:2x4x2,1G,1G,2us", Mode::Learning, "occamy");
    assert_eq!(LabPlan::new(&config).err(), Some(LabPlanError::Loop));
    assert_eq!(Mode::of(&config.graph), Mode::Routes);
    assert_eq!(Mode::of(&graph("star:3,1G,1us")), Mode::Learning);
    let many = lab("star:1001,1G,1us", Mode::Learning, "occamy");
    assert_eq!(LabPlan::new(&many).err(), Some(LabPlanError::Hosts(1001)));
}

#[test]
fn a_shared_buffer_drops_by_cause_and_memory_is_bounded() {
    let mut config = lab("star:5,1G,1us", Mode::Learning, "dt");
    config.switch = config.switch.with_buffer(Bytes::new(60_000));
    let plan = LabPlan::new(&config).unwrap();
    let hello = packet(&plan, [4, 0], 1, 100);
    let burst: Vec<Vec<Frame>> =
        (0..4).map(|from| (0..100).map(|_| packet(&plan, [from, 4], 1, 1400)).collect()).collect();
    let LabPlan { devices, entrances, .. } = plan;
    let mut devices = Devices::build(devices, 1500, 300_000).unwrap();
    let mut fabric = devices.fabric(entrances);
    fabric.arrive(Incoming { at: at_us(0), edge: 4, frame: hello });
    fabric.advance(at_us(100));
    for (edge, frames) in burst.into_iter().enumerate() {
        for frame in frames {
            fabric.arrive(Incoming { at: at_us(100), edge: edge as u32, frame });
        }
    }
    fabric.advance(at_us(100_000));
    audit(&fabric);
    let lost = |name: &str| {
        let all = fabric.counts().flat_map(|(_, counts)| counts.all.causes());
        all.filter(|(cause, _)| *cause == name).map(|(_, tally)| tally.packets).sum::<u64>()
    };
    assert!(lost("no-memory") > 0 && lost("threshold") > 0, "{}", lost("threshold"));
    assert_eq!(fabric.held(), 0);
    let switch = fabric.counts().next().unwrap().1;
    assert_ne!(switch.sent[4], Tally::default());
}

#[test]
fn what_waits_moves_to_another_policy_and_keeps_its_order() {
    let plan = LabPlan::new(&lab("star:3,10M,5us", Mode::Routes, "drop-tail")).unwrap();
    let frames: Vec<Frame> =
        (0..60).map(|port| packet(&plan, [port as usize % 2, 2], port % 2, 900)).collect();
    let LabPlan { devices, entrances, .. } = plan;
    let mut devices = Devices::build(devices, 1500, MEMORY).unwrap();
    let shapes = devices.shapes();
    let policy = |name: &str, buffer| {
        let config = SwitchConfig::named(name).unwrap().with_buffer(Bytes::new(buffer));
        shapes.policy(0, &config, Rules::default()).unwrap().unwrap()
    };
    let mut fabric = devices.fabric(entrances).watched().metered();
    // Faster than the port sends: from two edges, so that cards are no bottleneck.
    for (number, frame) in frames.iter().enumerate() {
        let edge = number as u32 % 2;
        fabric.arrive(Incoming { at: at_us(0), edge, frame: frame.clone() });
    }
    let mut seen = Vec::new();
    for (at, name) in [(9_000, "fq-codel"), (14_000, "occamy"), (21_000, "themis"), (25_000, "sff")]
    {
        fabric.advance(at_us(at));
        let held = fabric.held();
        assert!(fabric.change(0, policy(name, 1_000_000)).is_some_and(|old| old.is_empty(2)));
        assert_eq!(fabric.held(), held, "{name}");
        audit(&fabric);
        seen.extend(std::iter::from_fn(|| fabric.exit()).map(|exit| exit.frame));
    }
    fabric.advance(at_us(1_000_000));
    seen.extend(std::iter::from_fn(|| fabric.exit()).map(|exit| exit.frame));
    assert_eq!((seen.len(), fabric.held()), (60, 0));
    // Each flow comes through one edge.
    for flow in 0..2 {
        let ports = |frame: &&Frame| frame.head()[35] == flow;
        assert!(seen.iter().filter(ports).map(|frame| frame.len()).eq([942; 30]));
    }
    let passed = fabric.meter().unwrap().take(5);
    let waited = passed.queues.iter().filter(|(name, _)| (name.device, name.port) == (0, 2));
    let sent: u64 = waited.map(|(_, queue)| queue.sent.packets).sum();
    assert_eq!((sent, passed.left.packets, passed.flows.len()), (60, 60, 2));
    assert!(fabric.change(99, policy("dt", 1_000_000)).is_none());
    audit(&fabric);
}

#[test]
fn what_a_new_policy_has_no_room_for_is_lost_with_its_cause() {
    let plan = LabPlan::new(&lab("star:3,10M,5us", Mode::Routes, "drop-tail")).unwrap();
    let frames: Vec<Frame> =
        (0..40).map(|port| packet(&plan, [port as usize % 2, 2], port, 900)).collect();
    let LabPlan { devices, entrances, .. } = plan;
    let mut devices = Devices::build(devices, 1500, MEMORY).unwrap();
    let shapes = devices.shapes();
    let small = SwitchConfig::named("drop-tail").unwrap().with_buffer(Bytes::new(3_000));
    let small = shapes.policy(0, &small, Rules::default()).unwrap().unwrap();
    let mut fabric = devices.fabric(entrances);
    for (number, frame) in frames.into_iter().enumerate() {
        fabric.arrive(Incoming { at: at_us(0), edge: number as u32 % 2, frame });
    }
    fabric.advance(at_us(14_000));
    fabric.change(0, small);
    fabric.advance(at_us(1_000_000));
    audit(&fabric);
    let counts = &fabric.counts().next().unwrap().1.all;
    let lost = counts.dropped.of(forebay_switch::DropCause::QueueFull).packets;
    assert!(lost > 5, "{lost}");
    assert_eq!(counts.left.packets + lost, 40);
    assert_eq!(fabric.held(), 0);
}

/// A switch that never gives out what it was given.
struct Hoard;

impl forebay_switch::SwitchModel for Hoard {
    fn arrive(
        &mut self,
        _: Time,
        _: u16,
        _: forebay_switch::Handle,
        _: &mut forebay_switch::Losses,
    ) {
    }
    fn next(
        &mut self,
        _: Time,
        _: u16,
        _: &mut forebay_switch::Losses,
    ) -> Option<forebay_switch::Handle> {
        None
    }
    fn is_empty(&self, _: u16) -> bool {
        false
    }
    fn backlog(&self) -> Bytes {
        Bytes::new(1)
    }
}

#[test]
fn what_an_old_policy_cannot_give_out_is_lost_and_counted() {
    let plan = LabPlan::new(&lab("star:2,10M,5us", Mode::Routes, "drop-tail")).unwrap();
    let frames: Vec<Frame> = (0..7).map(|port| packet(&plan, [0, 1], port, 900)).collect();
    let LabPlan { devices, entrances, .. } = plan;
    let mut devices = Devices::build(devices, 1500, MEMORY).unwrap();
    let shapes = devices.shapes();
    let drop_tail = SwitchConfig::named("drop-tail").unwrap();
    let policy = || shapes.policy(0, &drop_tail, Rules::default()).unwrap().unwrap();
    let mut hoard = policy();
    hoard.switch = Box::new(Hoard);
    let mut fabric = devices.fabric(entrances);
    fabric.change(0, hoard);
    for frame in frames {
        fabric.arrive(Incoming { at: at_us(0), edge: 0, frame });
    }
    fabric.advance(at_us(100_000));
    assert_eq!(fabric.held(), 7);
    fabric.change(0, policy());
    assert_eq!(fabric.held(), 0);
    let counts = &fabric.counts().next().unwrap().1.all;
    assert_eq!(counts.lost(crate::link::LinkLoss::NotMoved).packets, 7);
    audit(&fabric);
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(40))]
    #[test]
    fn any_frames_anywhere_are_conserved(
        given in proptest::collection::vec((0u64..400, 0u32..6, 0usize..5, 0usize..1600), 0..300),
        is_routed: bool,
        policy in 0usize..4,
        changes in proptest::collection::vec((1usize..300, 0u32..6, 0usize..6), 0..4),
    ) {
        let mode = if is_routed { Mode::Routes } else { Mode::Learning };
        let switch = ["drop-tail", "occamy", "fq-codel", "pushout"][policy];
        let mut config = lab("star:5,100M,3us", mode, switch);
        config.link.loss = 0.05;
        config.link.jitter = Duration::from_us(2);
        let plan = LabPlan::new(&config).unwrap();
        let frames: Vec<_> = given
            .iter()
            .map(|&(at, edge, to, size)| {
                let frame = packet(&plan, [(edge % 5) as usize, to], 1, size);
                Incoming { at: at_us(at), edge, frame }
            })
            .collect();
        let LabPlan { devices, entrances, .. } = plan;
        let mut devices = Devices::build(devices, 1500, MEMORY).unwrap();
        let shapes = devices.shapes();
        let mut fabric = devices.fabric(entrances);
        for (number, arrival) in frames.into_iter().enumerate() {
            fabric.arrive(arrival);
            if number % 7 == 0 {
                fabric.advance(at_us(number as u64));
                audit(&fabric);
            }
            for &(_, device, to) in changes.iter().filter(|(after, ..)| *after == number) {
                let name = ["dt", "tree", "fq-codel", "themis", "drop-tail", "edf"][to];
                let config = SwitchConfig::named(name).unwrap();
                let policy = shapes.policy(device, &config, Rules::default()).unwrap().unwrap();
                let before = fabric.held();
                fabric.change(device, policy);
                audit(&fabric);
                proptest::prop_assert!(fabric.held() <= before);
            }
        }
        fabric.advance(at_us(10_000_000));
        audit(&fabric);
        proptest::prop_assert_eq!(fabric.held(), 0);
        proptest::prop_assert_eq!(fabric.next_event(), None);
    }
}
