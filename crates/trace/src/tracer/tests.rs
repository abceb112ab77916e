use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex};

use forebay_switch::{Losses, Observed, SwitchConfig, SwitchModel};
use proptest::prelude::*;

use super::*;
use crate::bounds::TraceWindow;
use crate::wire::reading::{Field, fields};

/// A file in memory that can be read while it is written.
#[derive(Clone, Debug, Default)]
struct File(Arc<Mutex<Vec<u8>>>);

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An event of a trace: its time, type, track and counter's value.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Event {
    at_ns: u64,
    kind: u64,
    track: u64,
    value: u64,
}

/// A naive reading of a trace: its tracks (name and parent by number), its events.
#[derive(Debug, Default)]
struct Read {
    tracks: HashMap<u64, (String, u64)>,
    events: Vec<Event>,
}

fn number(message: &[(u32, Field)], field: u32) -> u64 {
    match message.iter().find(|(number, _)| *number == field) {
        Some((_, Field::Number(value))) => *value,
        _ => 0,
    }
}

fn inside(message: &[(u32, Field)], field: u32) -> Option<Vec<(u32, Field)>> {
    message.iter().find_map(|(number, value)| match value {
        Field::Bytes(bytes) if *number == field => Some(fields(bytes)),
        _ => None,
    })
}

fn read(bytes: &[u8]) -> Read {
    let mut read = Read::default();
    for (_, packet) in fields(bytes) {
        let Field::Bytes(packet) = packet else { panic!("not a packet") };
        let packet = fields(&packet);
        if let Some(track) = inside(&packet, 60) {
            let name = track.iter().find_map(|(number, value)| match value {
                Field::Bytes(bytes) if *number == 2 => String::from_utf8(bytes.clone()).ok(),
                _ => None,
            });
            read.tracks.insert(number(&track, 1), (name.unwrap(), number(&track, 5)));
        }
        if let Some(event) = inside(&packet, 11) {
            read.events.push(Event {
                at_ns: number(&packet, 8),
                kind: number(&event, 9),
                track: number(&event, 11),
                value: number(&event, 30),
            });
        }
    }
    read
}

/// Four packets of 1500 bytes a nanosecond, of random ports, through a switch of 10 Gb/s; ends
/// empty.
fn run(switch: &str, bounds: Bounds, ports: &[u16]) -> (Read, u64, u64) {
    let file = File::default();
    let shared = Shared::new(file.clone());
    let rates = [Rate::from_gbps(10); 4];
    let shape = SwitchShape { index: 0, ports: &rates };
    let config = SwitchConfig::named(switch).unwrap().with_buffer(Bytes::new(200_000));
    let tracer = SwitchTracer::new(shared.clone(), "switch 0", &shape, bounds);
    let mut switch = Observed::new(config.build(&shape).unwrap(), tracer);
    let (mut losses, mut left, mut lost) = (Losses::default(), 0, 0);
    let mut take = |losses: &mut Losses| {
        while losses.pop().is_some() {
            lost += 1;
        }
    };
    let mut now = Time::ZERO;
    for (index, port) in (0u32..).zip(ports) {
        now = Time::from_ps(u64::from(index) * 250);
        while let Some(due) = switch.next_event().filter(|due| *due <= now) {
            switch.advance(due, &mut losses);
            take(&mut losses);
        }
        switch.arrive(now, *port, Handle::numbered(index, index % 7, 1500), &mut losses);
        take(&mut losses);
    }
    for port in 0..4 {
        while !switch.is_empty(port) {
            now = switch.next_event().map_or(now, |due| due.max(now));
            switch.advance(now, &mut losses);
            take(&mut losses);
            left += u64::from(switch.next(now, port, &mut losses).is_some());
            take(&mut losses);
            now += rates[0].time_for(Bytes::new(1500));
        }
    }
    shared.finish().unwrap();
    let bytes = file.0.lock().unwrap().clone();
    (read(&bytes), left, lost)
}

/// How many events of this kind are on tracks of this name.
fn count(read: &Read, kind: u64, name: &str) -> u64 {
    let on = |event: &&Event| event.kind == kind && read.tracks[&event.track].0 == name;
    read.events.iter().filter(on).count() as u64
}

/// Slices of each track end before the next begins, and every track's parent is there.
fn well_formed(read: &Read) {
    let mut open: HashMap<u64, u64> = HashMap::new();
    for event in &read.events {
        match event.kind {
            1 => assert_eq!(open.insert(event.track, event.at_ns), None),
            2 => assert!(open.remove(&event.track).is_some_and(|begin| begin <= event.at_ns)),
            _ => {}
        }
    }
    assert!(open.is_empty());
    for (_, parent) in read.tracks.values() {
        assert!(*parent == 0 || read.tracks.contains_key(parent));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn every_packet_is_a_slice_and_every_loss_an_instant(
        ports in prop::collection::vec(0u16..4, 1..400),
        switch in prop::sample::select(vec!["drop-tail", "pifo", "occamy", "pushout"]),
    ) {
        let (read, left, lost) = run(switch, Bounds::default(), &ports);
        well_formed(&read);
        let arrived = ports.len() as u64;
        prop_assert_eq!(left + lost, arrived);
        prop_assert_eq!(count(&read, 1, "waiting"), arrived);
        prop_assert_eq!(count(&read, 2, "waiting"), arrived);
        prop_assert_eq!(count(&read, 1, "sending"), left);
        let instants = (0..4).map(|port| count(&read, 3, &format!("port {port}"))).sum::<u64>();
        prop_assert_eq!(instants, lost);
        let total = read.events.iter().rev().find(|e| read.tracks[&e.track].0 == "lost packets");
        prop_assert_eq!(total.map_or(0, |event| event.value), lost);
    }
}

#[test]
fn levels_end_empty_and_thresholds_are_there() {
    let ports: Vec<u16> = (0..300).map(|index| index % 3).collect();
    let (read, ..) = run("occamy", Bounds::default(), &ports);
    let last = |name: &str| {
        let on = |event: &&Event| read.tracks[&event.track].0 == name;
        read.events.iter().rfind(on).unwrap().value
    };
    assert_eq!(last("pool 0 memory in use"), 0);
    assert!(last("threshold") > 0);
}

#[test]
fn swaps_are_instants() {
    let ports = vec![0; 3000];
    let file = File::default();
    let shared = Shared::new(file.clone());
    let rates = [Rate::from_gbps(400)];
    let shape = SwitchShape { index: 0, ports: &rates };
    let config = SwitchConfig::named("themis").unwrap().with_buffer(Bytes::new(400_000));
    let tracer = SwitchTracer::new(shared.clone(), "switch 0", &shape, Bounds::default());
    let mut switch = Observed::new(config.build(&shape).unwrap(), tracer);
    let mut losses = Losses::default();
    for (index, port) in (0u32..).zip(&ports) {
        let now = Time::from_ps(u64::from(index) * 10_000);
        while let Some(due) = switch.next_event().filter(|due| *due <= now) {
            switch.advance(due, &mut losses);
        }
        switch.arrive(now, *port, Handle::numbered(index, index, 1500), &mut losses);
    }
    shared.finish().unwrap();
    let read = read(&file.0.lock().unwrap());
    assert!(count(&read, 3, "switch 0") > 10);
    assert!(count(&read, 4, "swap-out watermark") == 1 && count(&read, 4, "HBM in use") > 1);
}

#[test]
fn a_port_has_as_many_rows_as_packets_waited_at_once() {
    let file = File::default();
    let shared = Shared::new(file.clone());
    let shape = SwitchShape { index: 0, ports: &[Rate::from_gbps(10)] };
    let tracer = SwitchTracer::new(shared.clone(), "switch 0", &shape, Bounds::default());
    let built = SwitchConfig::named("drop-tail").unwrap().build(&shape).unwrap();
    let (mut switch, mut losses) = (Observed::new(built, tracer), Losses::default());
    for pair in 0..50 {
        let now = Time::from_ps(pair * 10_000_000);
        for number in 0..2 {
            switch.arrive(now, 0, Handle::numbered(number, 1, 1500), &mut losses);
        }
        for _ in 0..2 {
            assert!(switch.next(now, 0, &mut losses).is_some());
        }
    }
    shared.finish().unwrap();
    let read = read(&file.0.lock().unwrap());
    assert_eq!(read.tracks.values().filter(|(name, _)| name == "waiting").count(), 2);
    assert_eq!(count(&read, 1, "waiting"), 100);
}

#[test]
fn a_window_and_a_sample_bound_the_trace() {
    let ports: Vec<u16> = (0..400).map(|index| index % 4).collect();
    let window = TraceWindow { from: Time::from_ps(25_000), to: Time::from_ps(50_000) };
    let (read, ..) = run("drop-tail", Bounds { window, ..Bounds::default() }, &ports);
    // Four packets a nanosecond, all of which are followed to their ends.
    assert_eq!((count(&read, 1, "waiting"), count(&read, 2, "waiting")), (100, 100));
    let levels = read.events.iter().filter(|event| event.kind == 4);
    assert!(levels.clone().count() > 0 && levels.clone().all(|e| (25..50).contains(&e.at_ns)));
    let sample = NonZeroU32::new(10).unwrap();
    let (read, ..) = run("drop-tail", Bounds { sample, ..Bounds::default() }, &ports);
    assert_eq!(count(&read, 1, "waiting"), 40);
}

/// A pause that the switch obeys and one that it asks for, as slices on tracks of the port.
#[test]
fn pauses_are_slices() {
    let file = File::default();
    let shared = Shared::new(file.clone());
    let rates = [Rate::from_gbps(10); 2];
    let shape = SwitchShape { index: 0, ports: &rates };
    let mut config = SwitchConfig::named("dt").unwrap();
    let SwitchConfig::OnChip(chip) = &mut config else { panic!("dt is on chip") };
    (chip.pfc.lossless, chip.pfc.pause_above) = (vec![0], Some(Bytes::new(3_000)));
    let tracer = SwitchTracer::new(shared.clone(), "switch 0", &shape, Bounds::default());
    let mut switch = Observed::new(config.build(&shape).unwrap(), tracer);
    let mut losses = Losses::default();
    let at = |us: u64| Time::from_ps(us * 1_000_000);
    let mut told = 0;
    switch.pause(at(1), Pause { port: 1, class: 0, on: true });
    for packet in 0..4 {
        switch.arrive(at(2), 1, Handle::numbered(packet, packet, 1500), &mut losses);
        assert_eq!(switch.next(at(2), 1, &mut losses), None);
    }
    assert_eq!(switch.next_event(), Some(at(2)));
    switch.advance(at(2), &mut losses);
    switch.pauses(&mut |pause| told += u32::from(pause.on));
    switch.pause(at(7), Pause { port: 1, class: 0, on: false });
    for packet in 0..4 {
        let left = switch.next(at(8 + packet * 2), 1, &mut losses);
        assert!(left.is_some());
    }
    switch.advance(at(20), &mut losses);
    switch.pauses(&mut |pause| told += 10 * u32::from(!pause.on));
    assert_eq!((told, losses.is_empty()), (11, true));
    shared.finish().unwrap();
    let read = read(&file.0.lock().unwrap());
    well_formed(&read);
    let times = |name: &str| {
        let on = |event: &&Event| read.tracks[&event.track].0 == name;
        read.events.iter().filter(on).map(|event| event.at_ns / 1000).collect::<Vec<_>>()
    };
    assert_eq!((times("paused"), times("pausing")), (vec![1, 7], vec![2, 20]));
}
