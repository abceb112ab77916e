//! RoCE's sender and receiver, packet by packet.

use std::sync::Arc;

use forebay_switch::Ecn;
use forebay_units::{Bytes, Duration, Rate, Time};

use crate::transport::{
    Ack, DcqcnConfig, Path, Recovery, RoceConfig, RoceReceiver, RoceSender, Segment,
};

fn ns(ns: u64) -> Time {
    Time::ZERO + Duration::from_ns(ns)
}

/// Packets of 1000 bytes on the wire, 800 ns each at 10 Gb/s; a timeout of 100 µs.
fn sender(packets: u64) -> RoceSender {
    let config = RoceConfig {
        mtu: Bytes::new(948),
        timeout: Duration::from_us(100),
        recovery: Recovery::GoBackN,
        telemetry: RoceConfig::TELEMETRY,
        control: Arc::new(DcqcnConfig::default()),
    };
    let path = Path::of_line(Rate::from_gbps(10));
    RoceSender::new(&config, Bytes::new(948 * packets), 52, &path).unwrap()
}

/// The numbers of the packets that are sent from `from` on until nothing is due for 2 µs.
fn sent(sender: &mut RoceSender, from: u64) -> Vec<u64> {
    let mut packets = Vec::new();
    let (mut now, mut idle) = (from, 0);
    while idle < 2_000 {
        match sender.poll(ns(now)) {
            Some(segment) => {
                packets.push(segment.seq / 948);
                idle = 0;
            }
            None => idle += 100,
        }
        now += 100;
    }
    packets
}

fn nack(packet: u64) -> Ack {
    let mut ack = Ack::cumulative(948 * packet);
    ack.nack = true;
    ack
}

#[test]
fn packets_leave_at_the_rate() {
    let mut sender = sender(4);
    for at in [0, 800, 1600] {
        let segment = sender.poll(ns(at)).unwrap();
        assert_eq!((segment.sent_at, segment.ecn, segment.fin), (ns(at), Ecn::Capable, false));
        assert_eq!((sender.poll(ns(at + 799)), sender.is_held()), (None, true));
        assert_eq!(sender.deadline(), Some(ns(at + 800)));
    }
    assert!(sender.poll(ns(2400)).unwrap().fin);
    // Nothing is left to send, so only the timeout is.
    assert_eq!((sender.poll(ns(5000)), sender.is_held()), (None, false));
    assert_eq!(sender.deadline(), Some(ns(100_000)));
    sender.on_ack(ns(9000), &Ack::cumulative(948 * 4));
    assert_eq!((sender.is_finished(), sender.deadline()), (true, None));
}

#[test]
fn a_negative_acknowledgement_goes_back() {
    let mut sender = sender(6);
    assert_eq!(sent(&mut sender, 0), [0, 1, 2, 3, 4, 5]);
    sender.on_ack(ns(20_000), &nack(2));
    assert_eq!(sent(&mut sender, 20_000), [2, 3, 4, 5]);
    let counters = sender.counters();
    assert_eq!((counters.segments, counters.resent, counters.recoveries), (10, 4, 1));
    // Another one for the same packet is another hole: the first of those sent again was lost.
    sender.on_ack(ns(40_000), &nack(2));
    assert_eq!(sent(&mut sender, 40_000), [2, 3, 4, 5]);
    // One that comes late asks for what has been acknowledged since.
    sender.on_ack(ns(60_000), &Ack::cumulative(948 * 6));
    sender.on_ack(ns(60_000), &nack(2));
    assert!(sender.is_finished() && sender.poll(ns(60_000)).is_none());
}

#[test]
fn a_timeout_sends_all_again_and_counts_until_there_is_progress() {
    let mut sender = sender(3);
    assert_eq!(sent(&mut sender, 0), [0, 1, 2]);
    sender.on_ack(ns(10_000), &Ack::cumulative(948));
    // Progress restarts the timer.
    assert_eq!(sender.deadline(), Some(ns(110_000)));
    sender.on_deadline(ns(109_999));
    assert_eq!(sender.backoff(), 0);
    for (timeouts, at) in [(1, 110_000), (2, 210_000)] {
        sender.on_deadline(ns(at));
        assert_eq!((sender.backoff(), sender.deadline()), (timeouts, Some(ns(at + 100_000))));
        assert_eq!(sent(&mut sender, at), [1, 2]);
    }
    sender.on_ack(ns(220_000), &Ack::cumulative(948 * 2));
    assert_eq!((sender.backoff(), sender.counters().timeouts), (0, 2));
}

#[test]
fn a_notification_halves_the_rate_of_the_next_packet() {
    let mut sender = sender(9);
    sender.poll(ns(0)).unwrap();
    let mut notified = Ack::cumulative(948);
    notified.ece = true;
    sender.on_ack(ns(100), &notified);
    // The packet that is due keeps its time; what follows it is spaced by the new rate.
    assert!(sender.poll(ns(800)).is_some() && sender.poll(ns(2399)).is_none());
    assert!(sender.poll(ns(2400)).is_some());
    assert_eq!(sender.rate(ns(2400)), Rate::from_gbps(5));
    assert_eq!(sender.counters().echoes, 1);
}

fn receiver() -> RoceReceiver {
    let (mtu, timeout) = (Bytes::new(948), Duration::from_us(100));
    let control = Arc::new(DcqcnConfig::default()); // notifies every 50 us
    let (recovery, telemetry) = (Recovery::GoBackN, RoceConfig::TELEMETRY);
    RoceReceiver::new(&RoceConfig { mtu, timeout, recovery, telemetry, control })
}

fn packet(number: u64, ecn: Ecn) -> Segment {
    Segment { seq: 948 * number, len: 948, ecn, ..Segment::default() }
}

#[test]
fn the_receiver_asks_once_for_what_is_missing() {
    let mut receiver = receiver();
    let mut arrives = |number| {
        let ack = receiver.on_segment(ns(0), &packet(number, Ecn::Capable));
        ack.map(|ack| (ack.cumulative / 948, ack.nack))
    };
    assert_eq!(arrives(0), Some((1, false)));
    assert_eq!([arrives(2), arrives(3)], [Some((1, true)), None]);
    assert_eq!(arrives(1), Some((2, false)), "those behind it were thrown away");
    assert_eq!(arrives(0), Some((2, false)), "what comes again is acknowledged again");
    assert_eq!(arrives(4), Some((2, true)), "another hole");
    assert_eq!(receiver.delivered(), Bytes::new(948 * 2));
}

#[test]
fn marks_are_notified_at_most_every_50_us() {
    let mut receiver = receiver();
    let mut notified = |at, number, ecn| {
        receiver.on_segment(ns(at), &packet(number, ecn)).is_some_and(|ack| ack.ece)
    };
    assert!(!notified(0, 0, Ecn::Capable));
    assert!(notified(1, 1, Ecn::Experienced) && !notified(2, 2, Ecn::Experienced));
    assert!(!notified(50_000, 3, Ecn::Experienced));
    assert!(notified(50_001, 4, Ecn::Experienced));
    // Out of order, and already asked for: a mark is told all the same.
    assert!(!notified(110_000, 9, Ecn::Capable));
    assert!(notified(110_001, 10, Ecn::Experienced));
}
