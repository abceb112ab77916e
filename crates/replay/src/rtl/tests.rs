//! The follower against events made by hand: what a core that is right says, and what it says with
//! one thing wrong. The model itself is run by `make rtl-test` and `make rtl-capture`.

use std::path::Path;
#[cfg(unix)]
use std::sync::atomic::AtomicBool;

use forebay_units::Rate;

use super::config::{CoreConfig, CoreScheduler};
use super::difference::{Difference, Place};
use super::events::{Event, Packet, Register, Told, Verdict, read};
use super::follow::Follower;
use super::model::RtlTools;
use super::order::Order;
use super::{RtlError, Totals};

const CLASSES: u16 = 2;
const CELL: u32 = 256;

fn core() -> CoreConfig {
    CoreConfig { cells: 12, largest_bytes: 600, alpha_log2: 0, ..CoreConfig::default() }
}

/// Three packets for port 1: one of class 1, then two of class 0, which goes first. And one that is
/// too long.
fn packets() -> Vec<Packet> {
    let packet = |index, class, bytes| Packet {
        index,
        earliest: 0,
        bytes,
        field: u32::from(class),
        port: 1,
        class,
        source: 1,
        flow: 0,
    };
    vec![packet(4, 1, 600), packet(5, 0, 64), packet(6, 0, 601), packet(7, 0, 300)]
}

/// What a right core says of them: the first two are sent, the last is expelled.
fn right() -> Vec<Event> {
    let packets = packets();
    let verdict = |queue, bytes| Event::Verdict { verdict: Verdict::Admitted, queue, bytes };
    let left = |expelled, queue, bytes| Event::Left { expelled, queue, bytes };
    let out = |at: usize| {
        let Packet { port, class, source, .. } = packets[at];
        Event::Out { port, class, source, data: packets[at].data() }
    };
    let counter = |port, number, packets, bytes| Event::Counter { port, number, packets, bytes };
    let mut events = vec![
        verdict(3, 600),
        Event::Cells { free: 9 },
        verdict(2, 64),
        Event::Malformed,
        verdict(2, 300),
        Event::Cells { free: 6 },
        Event::Linked { queue: 3 },
        Event::Linked { queue: 2 },
        Event::Linked { queue: 2 },
        Event::Request { port: 1 },
        left(false, 2, 64),
        out(1),
        Event::Cells { free: 7 },
        left(true, 2, 300),
        Event::Cells { free: 9 },
        Event::Request { port: 1 },
        Event::None { queue: 2 },
        Event::Request { port: 1 },
        left(false, 3, 600),
        out(0),
        Event::Cells { free: 12 },
    ];
    events.extend((0..6).map(|number| counter(0, number, 0, 0)));
    let counts = [(3, 964), (0, 0), (0, 0), (0, 0), (2, 664), (1, 300)];
    events.extend(
        (0..).zip(counts).map(|(number, (packets, bytes))| counter(1, number, packets, bytes)),
    );
    events.push(Event::Register { register: Register::Malformed, value: 1 });
    events.push(Event::Register { register: Register::Free, value: 12 });
    events.push(Event::End);
    events
}

fn followed(core: &CoreConfig, events: Vec<Event>) -> Result<(Totals, Totals), Difference> {
    let packets = packets();
    let rates = [Rate::from_gbps(10); 2];
    let mut follower = Follower::new(core, &rates, CLASSES, &packets).unwrap();
    for (cycle, event) in (0..).zip(events) {
        follower.step(&Told { cycle, event }).map_err(|difference| *difference)?;
    }
    assert!(follower.ended);
    Ok((follower.core, follower.model()))
}

#[test]
fn a_right_core_is_equal() {
    assert_eq!(core().cell_bytes(), CELL);
    let (core, model) = followed(&core(), right()).unwrap();
    assert_eq!(core, model);
    assert_eq!((core.came.packets, core.sent.packets, core.expelled.packets), (3, 2, 1));
}

#[test]
fn the_first_difference_is_named_with_its_place() {
    let wrong = |at: usize, event: Event, place: Place, packet: Option<u32>| {
        let mut events = right();
        assert_ne!(events[at], event, "event {at}");
        events[at] = event;
        let difference = followed(&core(), events).unwrap_err();
        assert_eq!((difference.place, difference.cycle), (place, at as u64), "{difference}");
        assert_eq!(difference.packet, packet, "{difference}");
    };
    let lost = Event::Verdict { verdict: Verdict::Threshold, queue: 3, bytes: 600 };
    wrong(0, lost, Place::Verdict, Some(4));
    let short = Event::Verdict { verdict: Verdict::Admitted, queue: 2, bytes: 63 };
    wrong(2, short, Place::Verdict, Some(5));
    wrong(1, Event::Cells { free: 8 }, Place::Cells, None);
    wrong(6, Event::Linked { queue: 2 }, Place::Event, Some(4));
    wrong(9, Event::Request { port: 0 }, Place::Order, None);
    let other = Event::Left { expelled: false, queue: 3, bytes: 600 };
    wrong(10, other, Place::Order, Some(4));
    let shorter = Event::Left { expelled: false, queue: 2, bytes: 65 };
    wrong(10, shorter, Place::Departure, Some(5));
    let mut data = packets()[1].data();
    data[7] ^= 1;
    wrong(11, Event::Out { port: 1, class: 0, source: 1, data }, Place::Bytes, Some(5));
    let data = packets()[1].data();
    let class = Event::Out { port: 1, class: 1, source: 1, data };
    wrong(11, class, Place::Bytes, Some(5));
    let empty = Event::Left { expelled: true, queue: 0, bytes: 64 };
    wrong(13, empty, Place::Departure, None);
    wrong(3, Event::End, Place::Event, Some(7));
    let counter = Event::Counter { port: 1, number: 4, packets: 2, bytes: 665 };
    let mut events = right();
    events[31] = counter;
    let difference = followed(&core(), events).unwrap_err();
    assert_eq!((difference.place, difference.cycle), (Place::Counter, 20), "{difference}");
}

#[test]
fn every_counter_is_asked_for_once() {
    let differs = |events: Vec<Event>, said: &str| {
        let difference = followed(&core(), events).unwrap_err();
        assert_eq!(difference.place, Place::Counter, "{difference}");
        assert!(difference.to_string().contains(said), "{said}: {difference}");
    };
    let counts = right().iter().position(|event| matches!(event, Event::Counter { .. })).unwrap();
    let (last, end) = (counts + 11, counts + 14);
    for left_out in [last, last + 1, last + 2] {
        let mut events = right();
        events.remove(left_out);
        differs(events, "13 counters; switch: there are 14");
    }
    let mut events = right();
    events.swap(counts, counts + 1);
    differs(events, "counter 1; switch: counter 0 of port 0 is due");
    for number in [6, u16::MAX] {
        let mut events = right();
        events.insert(last, Event::Counter { port: 1, number, packets: 0, bytes: 0 });
        differs(events, "counter 5 of port 1 is due");
    }
    let mut events = right();
    events[last + 1] = Event::Register { register: Register::Malformed, value: 0 };
    differs(events, "0 malformed packets; switch: 1");
    let mut events = right();
    events[last + 2] = Event::Register { register: Register::Free, value: 11 };
    differs(events, "11 free cells; switch: 12");
    assert_eq!(right()[end], Event::End);
}

#[test]
fn a_queue_or_a_port_that_is_not_there_is_a_difference() {
    let wrong = |event: Event, said: &str, switch: &str| {
        let difference = followed(&core(), vec![event]).unwrap_err();
        assert_eq!((difference.place, difference.packet), (Place::Event, None), "{difference}");
        assert_eq!((&difference.core[..], &difference.switch[..]), (said, switch));
    };
    for queue in [4, u16::MAX] {
        let named = format!("queue {queue}");
        let verdict = Event::Verdict { verdict: Verdict::Admitted, queue, bytes: 600 };
        wrong(verdict, &named, "there are 4");
        wrong(Event::Linked { queue }, &named, "there are 4");
        wrong(Event::None { queue }, &named, "there are 4");
        for expelled in [false, true] {
            wrong(Event::Left { expelled, queue, bytes: 64 }, &named, "there are 4");
        }
    }
    wrong(Event::Request { port: 2 }, "port 2", "there are 2");
    let out = Event::Out { port: 255, class: 0, source: 0, data: Vec::new() };
    wrong(out, "port 255", "there are 2");
    let counter = Event::Counter { port: 2, number: 0, packets: 0, bytes: 0 };
    wrong(counter, "port 2", "there are 2");
}

#[test]
fn why_the_model_gave_up_is_told() {
    let stuck =
        super::run::gave_up("a warning\nStuck: the input has taken nothing since cycle 7\n", 9);
    assert_eq!(
        stuck.to_string(),
        "input in cycle 9: rtl/tm: the input has taken nothing since cycle 7; switch: goes on"
    );
    let failed =
        super::run::gave_up("[12] %Error: tm.sv:5: Assertion failed in x: y\nAborting\n", 9);
    assert_eq!(failed.place, Place::Assertion);
    assert!(failed.core.ends_with("Assertion failed in x: y"), "{failed}");
}

/// What following a driver says that does this; it is not waited for in vain.
#[cfg(unix)]
fn driven(script: &str, stop: bool) -> Result<bool, String> {
    use std::process::{Command, Stdio};
    let mut command = Command::new("sh");
    command.args(["-c", script]).stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = super::process::start(&mut command).unwrap();
    let (core, packets, rates) = (core(), packets(), [Rate::from_gbps(10); 2]);
    let mut follower = Follower::new(&core, &rates, CLASSES, &packets).unwrap();
    let seen = super::run::follow(child, &packets, &mut follower, &AtomicBool::new(stop));
    seen.map(|seen| seen.difference.is_some()).map_err(|error| error.to_string())
}

#[test]
#[cfg(unix)]
fn a_driver_that_does_not_come_to_its_end_is_broken() {
    let broken = |script: &str, words: &[&str]| {
        let said = driven(script, false).unwrap_err();
        assert!(words.iter().all(|word| said.contains(word)), "{script}: {said}");
    };
    broken("exit 0", &["it ended before the end", "exit status: 0"]);
    broken("echo its words >&2; exit 9", &["exit status: 9", "its words"]);
    broken("printf abc; echo its words >&2; exit 9", &["amid an event", "9", "its words"]);
    broken("kill -SEGV $$", &["it ended before the end", "signal: 11"]);
    // It says nothing more, but lives.
    broken("exec >&-; sleep 60", &["it ended before the end"]);
    broken("printf 12345678zzzzzzzz; sleep 60", &["there is no event 122"]);
    assert_eq!(driven("echo Stuck: it is >&2; exit 3", false), Ok(true));
}

#[test]
#[cfg(unix)]
fn a_driver_is_ended_when_it_is_stopped() {
    assert_eq!(driven("sleep 60", true), Ok(false));
    // Amid an event.
    assert_eq!(driven("printf abc; sleep 60", true), Ok(false));
}

#[test]
fn what_never_leaves_is_told() {
    let mut events = right();
    // The last packet stays where it is, and the counters are not asked.
    events.truncate(15);
    events.push(Event::End);
    let difference = followed(&core(), events).unwrap_err();
    assert_eq!((difference.place, difference.packet), (Place::Event, Some(4)), "{difference}");
}

#[test]
fn events_are_read_as_the_driver_writes_them() {
    let mut bytes = Vec::new();
    bytes.extend(9_u64.to_le_bytes());
    bytes.extend([4, 1, 2, 1]);
    bytes.extend(64_u32.to_le_bytes());
    bytes.extend(10_u64.to_le_bytes());
    bytes.extend([6, 3, 1, 2]);
    bytes.extend(2_u32.to_le_bytes());
    bytes.extend([7, 8]);
    let mut from = &bytes[..];
    let left = Event::Left { expelled: true, queue: 258, bytes: 64 };
    assert_eq!(read(&mut from).unwrap(), Some(Told { cycle: 9, event: left }));
    let out = Event::Out { port: 3, class: 1, source: 2, data: vec![7, 8] };
    assert_eq!(read(&mut from).unwrap(), Some(Told { cycle: 10, event: out }));
    assert_eq!(read(&mut from).unwrap(), None);
    for cut in [1, 15, 17, 31, 33] {
        let mut from = &bytes[..cut];
        let error = std::iter::repeat_with(|| read(&mut from)).find_map(Result::err).unwrap();
        assert_eq!(error.to_string(), "it ended amid an event", "{cut}");
    }
    for kind in [11, 255] {
        let mut record = [0; 16];
        record[8] = kind;
        assert!(read(&mut &record[..]).unwrap_err().to_string().contains(&kind.to_string()));
    }
}

#[test]
fn keys_are_the_cores() {
    let order = |scheduler| {
        let core = CoreConfig { scheduler, levels: 3, width: 8, ..core() };
        Order::new(&core, 4, 4).unwrap()
    };
    // A weight of 40 of 32nds, rounded up; at most half of what is reached.
    let mut fair = order(CoreScheduler::Gearbox);
    assert_eq!(fair.key(40, 100), fair.key(40, 100));
    assert_ne!(fair.key(40, 100), fair.key(41, 100));
    let (light, heavy) = (fair.key(32, 64), fair.key(4095, 600));
    assert!(fair.push(0, 1, heavy) && fair.push(0, 2, light));
    assert_eq!((fair.pop(0), fair.pop(0), fair.pop(0)), (Some(2), Some(1), None));
    // The larger job in the longer packet may go first.
    let mut jobs = order(CoreScheduler::Wsjf);
    let (short, long) = (jobs.key(100, 64), jobs.key(200, 600));
    assert!(jobs.push(3, 0, short) && jobs.push(3, 1, long));
    assert_eq!(jobs.pop(3), Some(1));
    let mut heap = order(CoreScheduler::ClubHeap);
    let (second, first) = (heap.key(9, 1), heap.key(8, 1));
    assert!(heap.push(1, 0, second) && heap.push(1, 3, first));
    assert_eq!((heap.pop(0), heap.pop(1)), (None, Some(3)));
}

#[test]
fn a_core_that_cannot_be_is_refused_by_name() {
    let refused = |core: CoreConfig, ports, classes| {
        core.check(ports, classes).unwrap_err().name().to_owned()
    };
    assert_eq!(core().check(4, 8), Ok(()));
    assert_eq!(refused(core(), 1, 1), "ports");
    assert_eq!(refused(core(), 17, 1), "ports");
    assert_eq!(refused(core(), 4, 3), "classes");
    assert_eq!(refused(core(), 4, 64), "classes");
    assert_eq!(refused(CoreConfig { data_bits: 96, ..core() }, 4, 1), "data_bits");
    assert_eq!(refused(CoreConfig { width: 12, ..core() }, 4, 1), "width");
    assert_eq!(refused(CoreConfig { cells: 2, ..core() }, 4, 1), "cells");
    assert_eq!(refused(CoreConfig { levels: 4, ..core() }, 4, 1), "levels");
    let wsjf = CoreConfig { scheduler: CoreScheduler::Wsjf, ..core() };
    assert_eq!(wsjf.check(4, 1), Ok(()));
    assert_eq!(refused(CoreConfig { field_bits: 13, ..wsjf.clone() }, 4, 1), "field_bits");
    assert_eq!(refused(CoreConfig { rank_bits: 6, ..wsjf }, 4, 1), "rank_bits");
    let fair = CoreConfig { scheduler: CoreScheduler::Gearbox, ..core() };
    assert_eq!(refused(CoreConfig { levels: 5, ..fair.clone() }, 4, 1), "levels");
    assert_eq!(refused(CoreConfig { width: 2, ..fair.clone() }, 4, 1), "width");
    for fraction in [12, 16] {
        assert_eq!(refused(CoreConfig { fraction, ..fair.clone() }, 4, 1), "fraction");
    }
    assert_eq!(CoreConfig { fraction: 11, ..fair.clone() }.check(4, 1), Ok(()));
    let jumbo = CoreConfig { largest_bytes: 2048, cells: 512, ..fair };
    assert_eq!(refused(jumbo, 4, 1), "largest_bytes");
}

#[test]
fn without_sources_or_tools_it_says_what_to_do() {
    let nowhere = Path::new("/");
    assert_eq!(RtlTools::find(None, nowhere), Err(RtlError::NoSources));
    let said = RtlError::NoSources.to_string();
    assert!(said.contains("in a checkout"), "{said}");
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR"));
    let none = Path::new("/no/tools");
    let error = RtlTools::find(Some(none), checkout).unwrap_err();
    assert_eq!(error, RtlError::NoTools { folder: none.to_path_buf() });
    assert!(error.to_string().contains("/no/tools: make rtl-lint"), "{error}");
}
