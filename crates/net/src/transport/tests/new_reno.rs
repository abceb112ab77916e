//! Fast retransmit and fast recovery without SACK (RFC 6582), limited transmit (RFC 3042).

use std::vec::Vec;

use super::script::{MSS, Script, plain};
use crate::transport::{Phase, SenderConfig};
use forebay_units::Duration;

extern crate std;

const NOTHING: [u64; 0] = [];

#[test]
fn the_third_duplicate_retransmits_and_halves() {
    let mut script = Script::new("new-reno", plain());
    script.sent(); // 0 to 9; 0 is lost
    assert_eq!(script.ack(0), NOTHING);
    assert_eq!(script.ack(0), NOTHING);
    assert_eq!(script.ack(0), [0]);
    assert_eq!((script.ssthresh(), script.cwnd()), (5.0, 8.0), "half of 10, and 3 that left");
    // Six more duplicates, for 4 to 9: the window inflates to 14 and passes the 10 outstanding.
    let sent: Vec<_> = (0..6).flat_map(|_| script.ack(0)).collect();
    assert_eq!(sent, [10, 11, 12, 13]);
    // The retransmission fills the gap. 4 outstanding: the window is min(5, 4 + 1).
    assert_eq!(script.ack(10), [14]);
    assert_eq!((script.cwnd(), script.sender.phase()), (5.0, Phase::Open));
    let counters = script.sender.counters();
    assert_eq!((counters.segments, counters.resent, counters.recoveries), (16, 1, 1));
}

#[test]
fn a_partial_acknowledgement_retransmits_the_next_gap_once() {
    let mut script = Script::new("new-reno", plain());
    script.sent(); // 0 and 3 are lost
    let sent: Vec<_> = (0..8).flat_map(|_| script.ack(0)).collect();
    assert_eq!(sent, [0, 10, 11, 12]);
    // Partial: 3 segments left the window of 13, one is added: 11, and 10 are outstanding.
    assert_eq!(script.ack(3), [3, 13]);
    assert_eq!((script.cwnd(), script.sender.phase()), (11.0, Phase::FastRecovery));
    // Duplicates for 10, 11, 12 inflate; 3 is not sent again.
    let sent: Vec<_> = (0..3).flat_map(|_| script.ack(3)).collect();
    assert_eq!(sent, [14, 15, 16]);
    assert_eq!(script.ack(13), [17]);
    assert_eq!((script.cwnd(), script.ssthresh()), (5.0, 5.0));
    assert_eq!(script.sender.counters().resent, 2);
}

#[test]
fn many_losses_are_repaired_one_per_round_trip() {
    let mut script = Script::new("new-reno", plain());
    script.sent(); // 0 to 5 are lost, 6 to 9 arrive
    let mut resent: Vec<u64> = (0..4).flat_map(|_| script.ack(0)).collect();
    for n in 1..6 {
        resent.extend(script.ack(n).into_iter().filter(|&s| s < 10));
    }
    assert_eq!(resent, [0, 1, 2, 3, 4, 5]);
    assert_eq!(script.sender.phase(), Phase::FastRecovery);
    script.ack(10);
    assert_eq!((script.sender.phase(), script.sender.counters().recoveries), (Phase::Open, 1));
}

#[test]
fn the_first_partial_acknowledgement_restarts_the_timer() {
    for slow_but_steady in [false, true] {
        let mut script = Script::new("new-reno", SenderConfig { slow_but_steady, ..plain() });
        script.at_us(1000).sent();
        (0..4).for_each(|_| drop(script.at_us(1100).ack(0)));
        script.at_us(1200).ack(1);
        assert_eq!(script.until_deadline(), Duration::from_ms(1), "the first restarts it");
        script.at_us(1300).ack(2);
        let left = if slow_but_steady { 1000 } else { 900 };
        assert_eq!(script.until_deadline(), Duration::from_us(left));
    }
}

#[test]
fn a_loss_right_after_a_recovery_is_recovered_fast_again() {
    let mut script = Script::new("new-reno", plain());
    script.sent();
    (0..9).for_each(|_| drop(script.ack(0))); // sends 0 and 10 to 13
    script.ack(10);
    // 10 is lost too: three duplicates for 11 to 13 at the very recovery point.
    assert_eq!((script.ack(10), script.ack(10)), (Vec::new(), Vec::new()));
    assert_eq!(script.ack(10), [10]);
}

#[test]
fn limited_transmit_sends_new_data_for_the_first_two_duplicates() {
    let mut script = Script::new("new-reno", SenderConfig { limited_transmit: true, ..plain() });
    script.sent();
    assert_eq!(script.ack(0), [10]);
    assert_eq!(script.ack(0), [11]);
    assert_eq!(script.cwnd(), 10.0, "the window itself does not change");
    assert_eq!(script.ack(0), [0]);
    assert_eq!(script.ssthresh(), 5.0, "the two do not count as flight (RFC 5681, 3.2)");
}

#[test]
fn the_threshold_is_never_below_two_segments() {
    let mut script = Script::new("new-reno", SenderConfig { initial_window: 3, ..plain() });
    script.sent();
    script.ack(1); // 3, 4 follow; 1 is lost
    (0..3).for_each(|_| drop(script.ack(1)));
    assert_eq!(script.ssthresh(), 2.0);
    assert_eq!(script.sender.window().floor().get(), 2 * MSS);
}
