//! Losses found by time (RFC 8985): probes and the timer of order.

use super::script::{RTT, Script, plain};
use crate::transport::{ConfigError, Phase, Sender, SenderConfig};
use forebay_units::Duration;

extern crate std;

const NOTHING: [u64; 0] = [];

fn by_time() -> SenderConfig {
    SenderConfig {
        sack: true,
        limited_transmit: true,
        loss_by_time: true,
        handshake_rtt: Some(RTT),
        ..plain()
    }
}

#[test]
fn a_lost_end_is_probed_for_and_repaired_without_a_timeout() {
    let mut script = Script::new("new-reno", by_time());
    script.end_after(10);
    assert_eq!(script.sent().len(), 10);
    assert_eq!(script.until_deadline(), RTT * 2, "two round trips");
    script.at_us(1100);
    assert_eq!(script.ack(7), NOTHING);
    assert_eq!(script.until_deadline(), RTT * 2, "anew after each acknowledgement");
    assert_eq!(script.time_out(), [9], "the last one again");
    assert_eq!(script.until_deadline(), Duration::from_ms(1), "then the timer");
    // It arrives: what was sent before it and did not is lost.
    assert_eq!(script.sack(7, &[(9, 10)]), [7, 8]);
    assert_eq!(script.sender.phase(), Phase::SackRecovery);
    script.ack(10);
    let counters = script.sender.counters();
    assert!(script.sender.is_finished());
    assert_eq!((counters.timeouts, counters.resent, counters.recoveries), (0, 3, 1));
}

#[test]
fn a_probe_is_new_data_if_there_is_some_and_one_is_enough() {
    let mut script = Script::new("new-reno", by_time());
    script.sent();
    assert_eq!(script.time_out(), [10], "beyond the window of ten");
    assert_eq!(script.sent(), NOTHING);
    assert_eq!(script.until_deadline(), Duration::from_ms(1), "no probe of a probe");
    assert_eq!(script.time_out(), [0], "the timeout");
    assert_eq!(script.sender.counters().timeouts, 1);
}

#[test]
fn an_answered_probe_lets_the_next_one_follow() {
    let mut script = Script::new("new-reno", by_time());
    script.sent();
    assert_eq!(script.time_out(), [10]);
    assert_eq!(script.ack(11).len(), 11, "nothing was lost: slow start goes on");
    assert_eq!(script.until_deadline(), RTT * 2);
    assert_eq!(script.sender.counters().resent, 0);
}

#[test]
fn a_single_segment_waits_for_its_delayed_acknowledgement() {
    let mut script = Script::new("new-reno", by_time());
    script.end_after(1);
    script.sent();
    // 200 us and the least timeout of 1 ms; the timer is earlier: 100 + 4 * 50 us, at least 1 ms.
    assert_eq!(script.until_deadline(), Duration::from_ms(1));
    assert_eq!(script.time_out(), [0]);
    assert_eq!(script.sender.counters().timeouts, 1);
}

#[test]
fn a_hole_is_lost_a_quarter_of_a_round_trip_after_what_followed_it() {
    let mut script = Script::new("new-reno", by_time());
    script.sent();
    script.at_us(1100);
    script.ack(1);
    let late = script.sack(1, &[(2, 3)]);
    assert!(!late.contains(&1), "one beyond the hole is not three");
    assert_eq!(script.until_deadline(), RTT / 4);
    script.sack(1, &[(2, 4)]);
    assert_eq!(script.until_deadline(), RTT / 4, "from the first of them");
    assert_eq!(script.time_out()[0], 1);
    assert_eq!(script.sender.phase(), Phase::SackRecovery);
    assert_eq!(script.sender.counters().timeouts, 0);
}

#[test]
fn what_was_only_reordered_is_not_sent_again() {
    let mut script = Script::new("new-reno", by_time());
    script.sent();
    script.at_us(1100);
    script.ack(1);
    script.sack(1, &[(2, 3)]);
    script.at_us(1110);
    script.ack(3);
    assert_eq!(script.until_deadline(), RTT * 2);
    assert_eq!(script.sender.counters().resent, 0);
}

#[test]
fn without_it_the_timer_is_all_there_is_and_it_needs_sack() {
    let mut script = Script::new("new-reno", SenderConfig { loss_by_time: false, ..by_time() });
    script.end_after(10);
    script.sent();
    assert_eq!(script.until_deadline(), Duration::from_ms(1));
    let config = SenderConfig { sack: false, ..by_time() };
    let refused = Sender::new(config.into(), None, super::control("cubic")).unwrap_err();
    assert_eq!(refused, ConfigError::NoSack);
    assert_eq!(refused.parameter(), "loss_by_time");
}
