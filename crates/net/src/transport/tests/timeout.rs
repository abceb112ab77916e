//! The retransmission timer (RFC 6298) and what follows when it runs out (RFC 5681, RFC 6582).

use std::vec::Vec;

use super::script::{MSS, Script, plain};
use crate::transport::{Phase, SenderConfig};
use forebay_units::{Bytes, Duration};

extern crate std;

const NOTHING: [u64; 0] = [];

#[test]
fn a_timeout_resends_one_segment_and_doubles_the_timer() {
    let mut script = Script::new("new-reno", SenderConfig { initial_window: 8, ..plain() });
    script.sent();
    assert_eq!(script.until_deadline(), Duration::from_ms(10), "the first timeout");
    assert_eq!(script.time_out(), [0]);
    assert_eq!((script.cwnd(), script.ssthresh()), (1.0, 4.0));
    for backed_off in [20, 40, 80, 100, 100] {
        assert_eq!(script.until_deadline(), Duration::from_ms(backed_off));
        assert_eq!(script.time_out(), [0]);
        assert_eq!(script.ssthresh(), 4.0, "reduced once for the same segment");
    }
    assert_eq!(script.sender.backoff(), 6);
}

#[test]
fn after_a_timeout_slow_start_goes_back_and_on() {
    let mut script = Script::new("new-reno", SenderConfig { initial_window: 8, ..plain() });
    script.sent(); // all lost
    script.time_out();
    assert_eq!(script.ack(1), [1, 2]);
    assert_eq!(script.ack(2), [3, 4]);
    assert_eq!(script.ack(3), [5, 6]);
    assert_eq!((script.cwnd(), script.sender.bytes_in_flight()), (4.0, Bytes::new(4 * MSS)));
    // At the threshold: congestion avoidance, and past 7 the data is new.
    assert_eq!([script.ack(4), script.ack(5), script.ack(6)].concat(), [7, 8, 9]);
    assert_eq!(script.sender.counters().resent, 8);
}

#[test]
fn data_that_had_arrived_is_skipped_when_acknowledged() {
    let mut script = Script::new("new-reno", plain());
    script.sent(); // only 0 is lost, and all duplicates are
    assert_eq!(script.time_out(), [0]);
    assert_eq!(script.ack(10), [10, 11]);
    assert_eq!(script.sender.bytes_in_flight(), Bytes::new(2 * MSS));
}

#[test]
fn duplicates_of_resent_data_do_not_start_a_recovery() {
    let mut script = Script::new("new-reno", plain());
    script.sent();
    script.time_out();
    script.ack(1);
    for _ in 0..6 {
        assert_eq!(script.ack(1), NOTHING);
    }
    assert_eq!(
        (script.sender.phase(), script.sender.counters().recoveries),
        (Phase::AfterTimeout, 0)
    );
}

#[test]
fn at_the_recovery_point_a_long_jump_means_needless_resends() {
    // RFC 6582, 4.1: the acknowledgement that reached the recovery point advanced by 9 segments, so
    // the duplicates answer resent data; after an advance of one segment they show a loss.
    for (steps, recovers) in [(std::vec![1, 10], false), (std::vec![1, 7, 9, 10], true)] {
        let mut script = Script::new("new-reno", plain());
        script.sent();
        script.time_out();
        for n in steps {
            script.ack(n);
        }
        let sent: Vec<u64> = (0..3).flat_map(|_| script.ack(10)).collect();
        assert_eq!(sent.first() == Some(&10), recovers, "{sent:?}");
    }
}

#[test]
fn the_timer_runs_while_data_is_outstanding_and_restarts_with_new_data_acknowledged() {
    let mut script = Script::new("new-reno", SenderConfig { initial_window: 2, ..plain() });
    assert_eq!(script.sender.deadline(), None);
    script.at_us(1000).sent();
    // One measurement of 100 us: 100 + 4 * 50 us, but at least 1 ms.
    script.at_us(1500).ack(1);
    assert_eq!(script.until_deadline(), Duration::from_ms(1));
    script.at_us(1700).ack(1);
    assert_eq!(script.until_deadline(), Duration::from_us(800), "a duplicate does not restart it");
    let early = script.now;
    script.sender.on_deadline(early);
    assert_eq!(script.sender.counters().timeouts, 0, "an early call does nothing");
}

#[test]
fn without_timestamps_a_resent_segment_is_not_measured() {
    let config = SenderConfig { initial_window: 1, timestamps: false, ..plain() };
    let mut script = Script::new("new-reno", config);
    script.at_us(0).sent();
    script.time_out(); // at 10 ms
    script.at_us(10_050).ack(1); // of either copy: Karn's rule. Sends 1 and 2.
    assert_eq!((script.sender.rtt().smoothed(), script.sender.backoff()), (None, 1));
    assert_eq!(script.until_deadline(), Duration::from_ms(20), "the back-off stays");
    script.at_us(10_250).ack(2);
    assert_eq!(script.sender.rtt().smoothed(), Some(Duration::from_us(200)));
    assert_eq!((script.sender.backoff(), script.until_deadline()), (0, Duration::from_ms(1)));
}

#[test]
fn without_timestamps_a_fast_retransmit_ends_the_measurement() {
    let mut script = Script::new("new-reno", SenderConfig { timestamps: false, ..plain() });
    script.sent(); // 0 is being timed, and is lost
    (0..3).for_each(|_| drop(script.ack(0)));
    script.at_us(1200).ack(10);
    assert_eq!(script.sender.rtt().smoothed(), None);
}

#[test]
fn a_handshake_stands_in_for_the_first_measurement() {
    let handshake_rtt = Some(Duration::from_us(600));
    let mut script = Script::new("new-reno", SenderConfig { handshake_rtt, ..plain() });
    script.sent();
    assert_eq!(script.until_deadline(), Duration::from_us(1800)); // 600 + 4 * 300
}

#[test]
fn a_timeout_in_recovery_takes_the_flight_of_the_deflated_window() {
    let mut script = Script::new("new-reno", plain());
    script.sent();
    (0..9).for_each(|_| drop(script.ack(0))); // 14 outstanding, threshold 5
    assert_eq!(script.time_out(), [0]);
    assert_eq!((script.ssthresh(), script.cwnd()), (2.5, 1.0));
}
