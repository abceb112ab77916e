//! When a receiver acknowledges, and what it says (RFC 5681, RFC 2018, RFC 7323).

use std::sync::Arc;
use std::vec::Vec;

use crate::transport::{Ack, DelayedAck, Receiver, ReceiverConfig, Segment};
use forebay_units::{Bytes, Duration, Time};

extern crate std;

const MSS: u64 = 1000;

fn receiver(delayed: bool) -> Receiver {
    let timer = Duration::from_us(500);
    let delayed_ack = delayed.then_some(DelayedAck { timer, every: 2 });
    let config = ReceiverConfig { delayed_ack, ..ReceiverConfig::default() };
    Receiver::new(Arc::new(config)).unwrap()
}

fn at(us: u64) -> Time {
    Time::ZERO + Duration::from_us(us)
}

/// Segment `n`, sent and received at `us`.
fn give(receiver: &mut Receiver, us: u64, n: u64) -> Option<Ack> {
    let segment = Segment { seq: n * MSS, len: MSS as u32, sent_at: at(us), ..Segment::default() };
    receiver.on_segment(at(us), &segment)
}

fn blocks(ack: Ack) -> Vec<(u64, u64)> {
    ack.sack_blocks().map(|(start, end)| (start / MSS, end / MSS)).collect()
}

#[test]
fn every_second_segment_or_the_timer() {
    let mut receiver = receiver(true);
    assert_eq!(give(&mut receiver, 10, 0), None);
    assert_eq!(receiver.deadline(), Some(at(510)));
    let ack = give(&mut receiver, 20, 1).unwrap();
    assert_eq!((ack.cumulative, ack.echo), (2 * MSS, at(10)), "echoes the first it covers");
    assert_eq!(receiver.deadline(), None);
    assert_eq!(give(&mut receiver, 30, 2), None);
    assert_eq!(receiver.on_deadline(at(529)), None);
    assert_eq!(receiver.on_deadline(at(530)).unwrap().cumulative, 3 * MSS);
    assert_eq!(receiver.on_deadline(at(531)), None);
}

#[test]
fn gaps_and_their_filling_are_acknowledged_at_once() {
    let mut receiver = receiver(true);
    assert_eq!(give(&mut receiver, 0, 1).unwrap().cumulative, 0);
    assert_eq!(give(&mut receiver, 1, 3).unwrap().cumulative, 0);
    assert_eq!(give(&mut receiver, 2, 0).unwrap().cumulative, 2 * MSS, "fills a part");
    assert_eq!(give(&mut receiver, 3, 2).unwrap().cumulative, 4 * MSS, "fills the rest");
    assert_eq!(give(&mut receiver, 4, 4), None, "in order again");
    assert_eq!(give(&mut receiver, 5, 2).unwrap().cumulative, 5 * MSS, "a duplicate");
    assert_eq!(receiver.delivered(), Bytes::new(5 * MSS));
}

#[test]
fn the_last_segment_is_acknowledged_at_once() {
    let mut receiver = receiver(true);
    let last = Segment { len: 10, fin: true, ..Segment::default() };
    assert!(receiver.on_segment(at(0), &last).is_some());
}

#[test]
fn blocks_are_reported_newest_first_and_repeated() {
    let mut receiver = receiver(false);
    assert_eq!(blocks(give(&mut receiver, 0, 2).unwrap()), [(2, 3)]);
    assert_eq!(blocks(give(&mut receiver, 1, 4).unwrap()), [(4, 5), (2, 3)]);
    assert_eq!(blocks(give(&mut receiver, 2, 6).unwrap()), [(6, 7), (4, 5), (2, 3)]);
    assert_eq!(blocks(give(&mut receiver, 3, 8).unwrap()), [(8, 9), (6, 7), (4, 5)]);
    // 5 joins two blocks; one of the three is gone, the block at 2 is no longer known as recent.
    assert_eq!(blocks(give(&mut receiver, 4, 5).unwrap()), [(4, 7), (8, 9)]);
    assert_eq!(blocks(give(&mut receiver, 5, 0).unwrap()), [(4, 7), (8, 9)]);
    let ack = give(&mut receiver, 6, 1).unwrap();
    assert_eq!((ack.cumulative, blocks(ack)), (3 * MSS, [(4, 7), (8, 9)].into()));
}

#[test]
fn a_duplicate_echoes_the_timestamp_of_the_last_in_order() {
    let mut receiver = receiver(false);
    give(&mut receiver, 10, 0);
    assert_eq!(give(&mut receiver, 20, 2).unwrap().echo, at(10));
    assert_eq!(give(&mut receiver, 30, 1).unwrap().echo, at(30), "the one that filled the gap");
}

#[test]
fn a_full_memory_refuses_what_needs_one_more_range() {
    let config = ReceiverConfig { max_ranges: 2, ..ReceiverConfig::default() };
    let mut receiver = Receiver::new(Arc::new(config)).unwrap();
    for n in [2, 4, 6] {
        assert!(give(&mut receiver, n, n).is_some());
    }
    assert_eq!(receiver.refused(), 1);
    for n in [0, 1, 3, 5] {
        give(&mut receiver, 10 + n, n);
    }
    assert_eq!(receiver.delivered(), Bytes::new(6 * MSS), "6 must come again");
}

#[test]
fn nonsense_segments_are_harmless() {
    let mut receiver = receiver(false);
    let empty = Segment::default();
    assert_eq!(receiver.on_segment(at(0), &empty).unwrap().cumulative, 0);
    let far = Segment { seq: u64::MAX - 10, len: 1000, ..Segment::default() };
    let ack = receiver.on_segment(at(0), &far).unwrap();
    assert_eq!((ack.cumulative, ack.has_sack()), (0, false), "too far to report");
}
