//! Loss recovery from SACK blocks (RFC 6675).

use std::vec::Vec;

use super::script::{MSS, Script, plain};
use crate::transport::{Phase, SenderConfig};
use forebay_units::Bytes;

extern crate std;

const NOTHING: [u64; 0] = [];

fn with_sack() -> SenderConfig {
    SenderConfig { sack: true, limited_transmit: true, ..plain() }
}

/// 0, 3 and 7 of the first ten segments are lost. Pipe is worked out in the comments, in segments.
#[test]
fn only_the_holes_are_retransmitted() {
    let mut script = Script::new("new-reno", with_sack());
    script.sent();
    assert_eq!(script.sack(0, &[(1, 2)]), [10], "limited transmit: 9 in the pipe of 10");
    assert_eq!(script.sack(0, &[(1, 3)]), [11]);
    // Third duplicate: threshold (12 - 2) / 2 = 5. Pipe: 12 - 3 SACKed - 0 lost + 0 resent = 9.
    assert_eq!(script.sack(0, &[(4, 5), (1, 3)]), [0]);
    assert_eq!((script.cwnd(), script.sender.phase()), (5.0, Phase::SackRecovery));
    assert_eq!(script.sender.bytes_in_flight(), Bytes::new(9 * MSS));
    assert_eq!(script.sack(0, &[(4, 6), (1, 3)]), NOTHING); // 8
    assert_eq!(script.sack(0, &[(4, 7), (1, 3)]), NOTHING); // 3 is lost now: 7, 8 to 11, 0 again: 6
    assert_eq!(script.sack(0, &[(8, 9), (4, 7), (1, 3)]), NOTHING); // 7, 9, 10, 11, 0 again: 5
    assert_eq!(script.sack(0, &[(8, 10), (4, 7), (1, 3)]), [3]); // 4, room for one
    // 7 is lost now. 11, 0 and 3 again: 3, room for the hole at 7, then for new data.
    assert_eq!(script.sack(0, &[(8, 11), (4, 7), (1, 3)]), [7, 12]);
    assert_eq!(script.sack(0, &[(8, 12), (4, 7), (1, 3)]), [13]); // 12, and 0, 3, 7 again: 4
    assert_eq!(script.sack(3, &[(8, 12), (4, 7)]), [14]); // 12, 13, and 3, 7 again: 4
    assert_eq!(script.sack(7, &[(8, 12)]), [15]);
    // The recovery point was 12.
    assert_eq!(script.sack(12, &[]), [16]);
    assert_eq!((script.cwnd(), script.sender.phase()), (5.0, Phase::Open));
    let counters = script.sender.counters();
    assert_eq!((counters.resent, counters.recoveries, counters.timeouts), (3, 1, 0));
}

#[test]
fn three_segments_beyond_the_hole_in_one_acknowledgement_are_enough() {
    let mut script = Script::new("new-reno", with_sack());
    script.sent();
    // More than (DupThresh - 1) segments' bytes: lost, although it is the first duplicate.
    assert_eq!(script.sack(0, &[(1, 4)])[0], 0);
    assert_eq!(script.sender.phase(), Phase::SackRecovery);
}

#[test]
fn an_acknowledgement_without_news_is_no_duplicate() {
    let mut script = Script::new("new-reno", with_sack());
    script.sent();
    let sent: Vec<u64> = (0..9).flat_map(|_| script.sack(0, &[(1, 2)])).collect();
    assert_eq!((sent, script.sender.phase()), (std::vec![10], Phase::Open));
}

#[test]
fn a_lost_tail_is_rescued_once() {
    let mut script = Script::new("new-reno", with_sack());
    script.end_after(10); // no new data in the way
    script.sent(); // 0, 8 and 9 are lost
    let sent: Vec<u64> = (2..=8).flat_map(|end| script.sack(0, &[(1, end)])).collect();
    // 0 is resent; 8 and 9 are above everything SACKed: the rescue takes the highest.
    assert_eq!(sent, [0, 9]);
    assert_eq!(script.sack(8, &[]), NOTHING);
    assert_eq!(script.sender.bytes_in_flight(), Bytes::new(2 * MSS), "8 and 9");
    assert_eq!(script.sack(8, &[(9, 10)]), [8], "a hole again: rule 3");
}

#[test]
fn without_limited_transmit_the_first_duplicates_send_nothing() {
    let config = SenderConfig { limited_transmit: false, ..with_sack() };
    let mut script = Script::new("new-reno", config);
    script.sent();
    assert_eq!(script.sack(0, &[(1, 2)]), NOTHING);
    assert_eq!(script.sack(0, &[(1, 3)]), NOTHING);
    assert_eq!(script.sack(0, &[(1, 4)]), [0]);
    assert_eq!(script.ssthresh(), 5.0);
}

#[test]
fn after_a_timeout_what_was_sacked_is_not_sent_again() {
    let mut script =
        Script::new("new-reno", SenderConfig { limited_transmit: false, ..with_sack() });
    script.sent(); // 2 and 3 arrive, and 7
    script.sack(0, &[(2, 3)]);
    script.sack(0, &[(7, 8), (2, 3)]);
    assert_eq!(script.time_out(), [0]);
    assert_eq!(script.sack(1, &[(7, 8), (2, 3)]), [1, 3]);
    assert_eq!(script.sack(3, &[(7, 8)]), [4, 5]);
    assert_eq!(script.sack(4, &[(7, 8)]), [6, 8]);
    assert_eq!(script.sender.bytes_in_flight(), Bytes::new(4 * MSS)); // 4, 5, 6, 8
    assert_eq!(script.sender.counters().recoveries, 0);
}

#[test]
fn at_the_recovery_point_of_a_timeout_sack_tells_losses_apart() {
    let config = SenderConfig { limited_transmit: false, ..with_sack() };
    let mut script = Script::new("new-reno", config);
    script.sent();
    script.time_out();
    script.sack(1, &[]);
    script.sack(2, &[]);
    assert_eq!(script.sack(10, &[]), [10, 11, 12, 13]);
    script.sack(10, &[(11, 12)]);
    assert_eq!(script.sender.phase(), Phase::Open, "open at the recovery point (RFC 6675, 5.1)");
    script.sack(10, &[(11, 13)]);
    assert_eq!(script.sack(10, &[(11, 14)])[0], 10);
}

#[test]
fn nonsense_blocks_are_harmless() {
    let mut script = Script::new("new-reno", with_sack());
    script.sent();
    let sent = script.sack(0, &[(10, 12), (500, 900)]); // never sent
    assert_eq!((sent, script.sender.phase()), (Vec::new(), Phase::Open));
    script.sack(0, &[(1, 1000)]); // more than was sent
    assert!(script.sender.bytes_in_flight() <= Bytes::new(10 * MSS));
    assert_eq!(script.sender.phase(), Phase::SackRecovery);
    assert!(!script.sack(11, &[]).is_empty());
    assert_eq!(script.sender.acknowledged(), Bytes::new(11 * MSS));
}
