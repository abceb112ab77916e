//! Selective repeat (IRN), transition by transition.

use std::sync::Arc;

use forebay_switch::Ecn;
use forebay_units::{Bytes, Duration, Rate, Time};

use crate::transport::{
    Ack, ConfigError, DcqcnConfig, Path, Recovery, RoceConfig, RoceReceiver, RoceSender, Segment,
    SelectiveConfig,
};

/// Packets of 1000 bytes on the wire take 800 ns; the path holds 25 of them.
const PATH: Path = Path { line: Rate::from_gbps(10), round_trip: Duration::from_us(20), hops: 2 };

fn config(selective: SelectiveConfig) -> RoceConfig {
    RoceConfig {
        mtu: Bytes::new(948),
        timeout: Duration::from_ms(1),
        recovery: Recovery::Selective(selective),
        telemetry: RoceConfig::TELEMETRY,
        control: Arc::new(DcqcnConfig::default()),
    }
}

fn sender(packets: u64) -> RoceSender {
    let config = config(SelectiveConfig::default());
    RoceSender::new(&config, Bytes::new(948 * packets), 52, &PATH).unwrap()
}

fn us(us: u64) -> Time {
    Time::ZERO + Duration::from_us(us)
}

/// The numbers of the packets that it sends from `at` on until it has none.
fn sent(sender: &mut RoceSender, at: Time) -> Vec<u64> {
    let (mut now, mut packets) = (at, Vec::new());
    loop {
        match sender.poll(now) {
            Some(segment) => packets.push(segment.seq / 948),
            None if sender.is_held() => now += Duration::from_ns(100),
            None => return packets,
        }
    }
}

/// All before a packet have arrived, and another one beyond a hole.
fn beyond(packet: u64, arrived: u64) -> Ack {
    let mut ack = Ack::cumulative(948 * packet);
    assert!(ack.add_sack(948 * arrived, 948 * (arrived + 1)));
    ack.nack = true;
    ack
}

fn all(first: u64, end: u64) -> Vec<u64> {
    (first..end).collect()
}

#[test]
fn no_more_is_in_flight_than_the_path_holds() {
    let mut sender = sender(60);
    assert_eq!(PATH.capacity(), Bytes::new(25_000));
    // 26 packets of 948 bytes.
    assert_eq!(sent(&mut sender, us(0)), all(0, 26));
    sender.on_ack(us(30), &Ack::cumulative(948 * 3));
    assert_eq!(sent(&mut sender, us(30)), all(26, 29));
    let cap = SelectiveConfig { cap: Some(Bytes::new(3_000)), ..SelectiveConfig::default() };
    let mut sender = RoceSender::new(&config(cap), Bytes::new(94_800), 52, &PATH).unwrap();
    assert_eq!(sent(&mut sender, us(0)), [0, 1, 2]);
}

#[test]
fn in_recovery_only_what_is_missing_is_sent_again() {
    let mut sender = sender(12);
    assert_eq!(sent(&mut sender, us(0)), all(0, 12));
    // 3 is missing: it is sent at once.
    sender.on_ack(us(20), &beyond(3, 4));
    assert_eq!(sent(&mut sender, us(20)), [3]);
    // 5 and 6 are known to be missing only when 7 has arrived.
    assert!(sent(&mut sender, us(21)).is_empty());
    sender.on_ack(us(22), &beyond(3, 7));
    assert_eq!(sent(&mut sender, us(22)), [5, 6]);
    // Once each.
    sender.on_ack(us(24), &beyond(3, 8));
    assert!(sent(&mut sender, us(24)).is_empty());
    let counters = sender.counters();
    assert_eq!((counters.segments, counters.resent, counters.recoveries), (15, 3, 1));
}

#[test]
fn a_recovery_ends_when_what_was_sent_before_it_has_arrived() {
    let mut sender = sender(40);
    assert_eq!(sent(&mut sender, us(0)), all(0, 26));
    sender.on_ack(us(30), &beyond(3, 4));
    // New packets follow, as many as the path holds.
    assert_eq!(sent(&mut sender, us(30)), [3, 26, 27, 28]);
    sender.on_ack(us(40), &Ack::cumulative(948 * 25));
    // Still in it: another hole below what arrived is filled without another negative answer.
    sender.on_ack(us(41), &beyond(25, 27));
    assert_eq!(sender.counters().recoveries, 1);
    assert_eq!(sent(&mut sender, us(41))[..2], [25, 26]);
    sender.on_ack(us(60), &Ack::cumulative(948 * 28));
    // It is over, and the next one begins anew.
    sender.on_ack(us(61), &beyond(28, 30));
    assert_eq!(sender.counters().recoveries, 2);
    assert_eq!(sent(&mut sender, us(61)), [28, 29]);
}

#[test]
fn the_timer_is_short_while_few_packets_are_in_flight() {
    let mut sender = sender(4);
    assert_eq!(sender.poll(us(0)).map(|packet| packet.seq), Some(0));
    assert_eq!((sender.poll(us(0)), sender.is_held()), (None, true));
    assert_eq!(sent(&mut sender, us(1)), [1, 2, 3]);
    assert_eq!(sender.deadline(), Some(us(320)), "four are not few");
    sender.on_ack(us(50), &Ack::cumulative(948));
    assert_eq!(sender.deadline(), Some(us(150)), "three are");
}

#[test]
fn a_timeout_sends_the_first_packet_and_what_is_known_to_be_missing() {
    let mut sender = sender(8);
    assert_eq!(sent(&mut sender, us(0)), all(0, 8));
    sender.on_ack(us(20), &beyond(2, 5));
    assert_eq!(sent(&mut sender, us(20)), [2, 3, 4]);
    // These are lost again: only the timer finds that.
    sender.on_ack(us(30), &beyond(2, 6));
    assert!(sent(&mut sender, us(30)).is_empty());
    let deadline = sender.deadline().unwrap();
    assert_eq!(deadline, us(20 + 320));
    sender.on_deadline(deadline);
    assert_eq!((sender.backoff(), sender.counters().timeouts), (1, 1));
    assert_eq!(sent(&mut sender, deadline), [2, 3, 4]);
    // 7 is the last: nothing beyond it shows that it is missing.
    sender.on_ack(deadline, &Ack::cumulative(948 * 7));
    assert_eq!((sender.backoff(), sent(&mut sender, deadline)), (0, vec![]));
    sender.on_deadline(deadline + Duration::from_us(100));
    assert_eq!(sent(&mut sender, us(500)), [7]);
    sender.on_ack(us(520), &Ack::cumulative(948 * 8));
    assert_eq!((sender.is_finished(), sender.deadline()), (true, None));
}

#[test]
fn the_receiver_keeps_what_is_beyond_a_hole_and_tells_each() {
    let mut receiver = RoceReceiver::new(&config(SelectiveConfig::default()));
    let packet = |number: u64| Segment {
        seq: 948 * number,
        len: if number == 5 { 100 } else { 948 },
        fin: number == 5,
        ecn: Ecn::Capable,
        ..Segment::default()
    };
    let mut arrives = |number| {
        let ack = receiver.on_segment(us(0), &packet(number)).unwrap();
        let beyond: Vec<u64> = ack.sack_blocks().map(|(start, _)| start / 948).collect();
        (ack.cumulative, ack.nack, beyond)
    };
    assert_eq!(arrives(0), (948, false, vec![]));
    assert_eq!(arrives(2), (948, true, vec![2]));
    assert_eq!(arrives(5), (948, true, vec![5]));
    assert_eq!(arrives(1), (948 * 3, false, vec![]));
    assert_eq!(arrives(4), (948 * 3, true, vec![4]));
    assert_eq!(arrives(1), (948 * 3, false, vec![]), "what comes again is acknowledged again");
    assert_eq!(arrives(3), (948 * 5 + 100, false, vec![]));
    assert_eq!(receiver.delivered(), Bytes::new(948 * 5 + 100));
}

#[test]
fn no_timeout_is_refused() {
    let none = SelectiveConfig { rto_low: Duration::ZERO, ..SelectiveConfig::default() };
    let refused = RoceSender::new(&config(none), Bytes::new(1), 52, &PATH).err();
    assert!(matches!(refused, Some(ConfigError::RtoBounds { .. })));
}
