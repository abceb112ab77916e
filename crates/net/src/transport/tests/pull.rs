//! NDP's sender and receiver, packet by packet.

use forebay_units::{Bytes, Duration, Time};
use proptest::prelude::*;

use crate::transport::{Ack, PullConfig, PullReceiver, PullSender, PullTransport, Segment};

const MTU: u64 = 1_000;

fn us(us: u64) -> Time {
    Time::ZERO + Duration::from_us(us)
}

fn transport(first_window: u32) -> PullTransport {
    let config = PullConfig { first_window, ..PullConfig::default() };
    PullTransport { mtu: Bytes::new(MTU), config }
}

/// A flow of so many packets, the last one half as long.
fn sender(first_window: u32, packets: u64) -> PullSender {
    PullSender::new(&transport(first_window), Bytes::new(MTU * packets - MTU / 2)).unwrap()
}

/// The numbers of the packets that may be sent at once.
fn sent(sender: &mut PullSender, at: u64) -> Vec<u64> {
    std::iter::from_fn(|| sender.poll(us(at))).map(|segment| segment.seq / MTU).collect()
}

fn segment(packet: u64) -> Segment {
    Segment { seq: packet * MTU, len: MTU as u32, ..Segment::default() }
}

/// That packets below `first` have arrived, and this one.
fn ack(first: u64, packet: u64) -> Ack {
    let mut ack = Ack::cumulative(first * MTU);
    ack.add_sack(packet * MTU, (packet + 1) * MTU);
    ack
}

fn nack(first: u64, packet: u64) -> Ack {
    ack(first, packet).negative()
}

#[test]
fn a_first_window_goes_unasked_and_then_a_packet_for_each_pull() {
    let mut sender = sender(3, 6);
    assert_eq!(sent(&mut sender, 0), [0, 1, 2]);
    sender.on_ack(us(10), &ack(1, 0));
    assert_eq!(sent(&mut sender, 10), [] as [u64; 0]);
    sender.on_pull(us(11), 1);
    assert_eq!(sent(&mut sender, 11), [3]);
    // The pulls 2 and 3 were lost, or are late: the fourth stands for them, and they for nothing.
    sender.on_pull(us(12), 4);
    sender.on_pull(us(13), 3);
    let last = std::iter::from_fn(|| sender.poll(us(13))).last().unwrap();
    assert_eq!((last.seq, last.len, last.fin), (5_000, 500, true));
    assert!(!sender.is_ready() && !sender.is_finished());
    sender.on_ack(us(20), &Ack::cumulative(5_500));
    assert!(sender.is_finished());
    assert_eq!((sender.deadline(), sender.counters().resent), (None, 0));
}

#[test]
fn what_was_trimmed_goes_first_in_its_order() {
    let mut sender = sender(4, 9);
    assert_eq!(sent(&mut sender, 0), [0, 1, 2, 3]);
    sender.on_ack(us(10), &nack(0, 2));
    sender.on_ack(us(10), &nack(0, 0));
    sender.on_ack(us(10), &nack(0, 0)); // told twice, sent once
    sender.on_pull(us(11), 3);
    assert_eq!(sent(&mut sender, 11), [2, 0, 4]);
    assert_eq!((sender.counters().segments, sender.counters().resent), (7, 2));
    // Something arrived in the meantime.
    sender.on_ack(us(12), &nack(0, 1));
    sender.on_ack(us(12), &ack(0, 1));
    sender.on_pull(us(12), 4);
    assert_eq!(sent(&mut sender, 12), [5]);
}

/// Pulls that come before there is something to send are not lost.
#[test]
fn a_pull_is_kept_for_what_is_trimmed_later() {
    let mut sender = sender(2, 2);
    assert_eq!(sent(&mut sender, 0), [0, 1]);
    sender.on_pull(us(9), 1);
    assert_eq!(sent(&mut sender, 9), [] as [u64; 0]);
    sender.on_ack(us(10), &nack(0, 1));
    assert_eq!(sent(&mut sender, 10), [1]);
}

#[test]
fn a_timeout_sends_again_what_nobody_answered() {
    let mut sender = sender(3, 9);
    assert_eq!(sender.deadline(), None);
    assert_eq!(sent(&mut sender, 0), [0, 1, 2]);
    sender.on_ack(us(100), &ack(0, 1));
    assert_eq!(sender.deadline(), Some(us(1_100)));
    sender.on_deadline(us(1_099));
    assert_eq!((sender.backoff(), sent(&mut sender, 1_099).len()), (0, 0));
    sender.on_deadline(us(1_100));
    assert_eq!(sent(&mut sender, 1_100), [0, 2]);
    // Twice as long, until something is heard.
    assert_eq!((sender.backoff(), sender.deadline()), (1, Some(us(3_100))));
    sender.on_ack(us(1_200), &ack(1, 0));
    assert_eq!((sender.backoff(), sender.deadline()), (0, Some(us(2_200))));
    assert_eq!(sender.counters().timeouts, 1);
}

/// A lost pull, after which none comes: one packet goes without.
#[test]
fn a_lost_pull_is_made_good_by_the_timer() {
    let mut sender = sender(2, 2);
    assert_eq!(sent(&mut sender, 0), [0, 1]);
    sender.on_ack(us(10), &nack(0, 0));
    sender.on_ack(us(10), &nack(0, 1));
    assert_eq!(sent(&mut sender, 999), [] as [u64; 0]);
    sender.on_deadline(us(1_010));
    assert_eq!(sent(&mut sender, 1_010), [0]);
}

/// What may go and only waits for the host's link is not late.
#[test]
fn a_flow_that_waits_for_its_turn_has_no_timeout() {
    let mut sender = sender(2, 9);
    assert!(sender.poll(us(0)).is_some());
    sender.on_deadline(us(1_000));
    assert_eq!((sender.counters().timeouts, sender.deadline()), (0, Some(us(2_000))));
}

#[test]
fn what_comes_back_waits_for_a_pull_if_one_is_to_come() {
    let mut sender = sender(3, 9);
    assert_eq!(sent(&mut sender, 0), [0, 1, 2]);
    sender.on_returned(us(5), &segment(1));
    assert_eq!(sent(&mut sender, 5), [] as [u64; 0]); // two are under way
    sender.on_ack(us(10), &ack(1, 0));
    sender.on_ack(us(10), &ack(1, 2));
    assert_eq!(sent(&mut sender, 10), [] as [u64; 0]); // two pulls are to come
    sender.on_pull(us(11), 1);
    assert_eq!(sent(&mut sender, 11), [1]);
}

/// All of a first window comes back: it does not go at once a second time.
#[test]
fn without_pulls_what_came_back_goes_one_by_one() {
    let mut sender = sender(3, 3);
    assert_eq!(sent(&mut sender, 0), [0, 1, 2]);
    sender.on_returned(us(5), &segment(0));
    sender.on_returned(us(5), &segment(1));
    assert_eq!(sent(&mut sender, 5), [] as [u64; 0]);
    sender.on_returned(us(5), &segment(2));
    assert_eq!(sent(&mut sender, 5), [0]);
    // It has sent everything once, so no pull need come for what arrives.
    sender.on_ack(us(10), &ack(1, 0));
    assert_eq!(sent(&mut sender, 10), [1]);
    sender.on_returned(us(12), &segment(1)); // once more
    assert_eq!(sent(&mut sender, 12), [2]);
}

/// Each answer lets one more be pulled, until it is known that nothing is missing.
#[test]
fn pulls_end_with_the_flow() {
    let mut receiver = PullReceiver::new(&transport(2));
    let last = Segment { fin: true, ..segment(3) };
    receiver.on_packet(&segment(0));
    receiver.on_packet(&segment(1));
    assert_eq!([receiver.pull(), receiver.pull(), receiver.pull()], [Some(1), Some(2), None]);
    // Of four, two were sent unasked and two were pulled: what is missing is under way.
    receiver.on_packet(&last);
    assert!(!receiver.is_due());
    receiver.on_header(&segment(2));
    assert_eq!((receiver.pull(), receiver.is_due()), (Some(3), false));
    let ack = receiver.on_packet(&segment(2));
    assert_eq!((ack.cumulative, ack.has_sack(), receiver.is_due()), (4_000, false, false));
    assert_eq!(receiver.delivered(), Bytes::new(4_000));
}

/// Pulls that are no longer needed are taken back when the end is known.
#[test]
fn pulls_of_a_short_flow_are_taken_back() {
    let mut receiver = PullReceiver::new(&transport(30));
    for packet in 0..5 {
        receiver.on_packet(&segment(packet));
    }
    assert!(receiver.is_due());
    receiver.on_header(&Segment { fin: true, ..segment(5) });
    assert_eq!((receiver.pull(), receiver.pull()), (Some(1), None));
}

/// What comes twice is answered and counted once.
#[test]
fn what_comes_again_is_acknowledged_again() {
    let mut receiver = PullReceiver::new(&transport(30));
    receiver.on_packet(&segment(1));
    let again = receiver.on_packet(&segment(1));
    assert_eq!(again.sack_blocks().collect::<Vec<_>>(), [(1_000, 2_000)]);
    let header = receiver.on_header(&segment(1));
    assert!(!header.nack);
    assert_eq!(receiver.delivered(), Bytes::new(1_000));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Whatever is trimmed, sent back, lost or overtaken, a flow ends, and no packet that was
    /// acknowledged is sent again.
    #[test]
    fn every_flow_ends(
        packets in 1u64..60,
        window in 1u32..40,
        fates in prop::collection::vec((0u8..8, 0usize..6), 400),
    ) {
        let mut sender = sender(window, packets);
        let mut receiver = PullReceiver::new(&transport(window));
        let mut fates = fates.into_iter();
        let mut draw = || fates.next().unwrap_or((7, 0));
        let (mut there, mut back) = (Vec::<(Segment, bool)>::new(), Vec::<Answer>::new());
        let (mut now, mut arrived, mut rounds) = (0, [false; 60], 0);
        while !sender.is_finished() {
            rounds += 1;
            prop_assert!(rounds < 5_000, "it does not end");
            while let Some(one) = sender.poll(us(now)) {
                prop_assert!(!arrived[(one.seq / MTU) as usize]);
                match draw() {
                    (0, _) => {} // lost
                    (1, _) => back.push(Answer::Returned(one)),
                    (2 | 3, place) => there.insert(there.len().saturating_sub(place), (one, true)),
                    (_, place) => there.insert(there.len().saturating_sub(place), (one, false)),
                }
            }
            for (one, trimmed) in there.drain(..) {
                let ack = match trimmed {
                    true => receiver.on_header(&one),
                    false => receiver.on_packet(&one),
                };
                let (fate, place) = draw();
                if fate > 0 {
                    back.insert(back.len().saturating_sub(place), Answer::Ack(ack));
                }
                if let Some(number) = receiver.pull() && draw().0 > 0 {
                    back.push(Answer::Pull(number));
                }
            }
            now += 10;
            if back.is_empty() {
                now = sender.deadline().unwrap().as_ps().div_ceil(1_000_000);
                sender.on_deadline(us(now));
            }
            for answer in back.drain(..) {
                match answer {
                    Answer::Ack(ack) => {
                        sender.on_ack(us(now), &ack);
                        let named = ack.sack_blocks().filter(|_| !ack.nack);
                        named.for_each(|(start, _)| arrived[(start / MTU) as usize] = true);
                        arrived[..ack.cumulative.div_ceil(MTU) as usize].fill(true);
                    }
                    Answer::Pull(number) => sender.on_pull(us(now), number),
                    Answer::Returned(one) => sender.on_returned(us(now), &one),
                }
            }
        }
        prop_assert_eq!(receiver.delivered(), Bytes::new(MTU * packets - MTU / 2));
    }
}

/// What comes to a sender.
enum Answer {
    Ack(Ack),
    Pull(u64),
    Returned(Segment),
}
