//! One segment more per window of data.

use super::script::{MSS, Script, plain};
use crate::transport::SenderConfig;
use forebay_units::Bytes;

#[test]
fn the_window_grows_by_one_segment_per_window_acknowledged() {
    let config = SenderConfig { initial_ssthresh: Bytes::new(10 * MSS), ..plain() };
    let mut script = Script::new("new-reno", config);
    script.sent();
    for n in 1..10 {
        assert_eq!(script.ack(n).len(), 1);
        assert_eq!(script.cwnd(), 10.0);
    }
    assert_eq!(script.ack(10).len(), 2);
    assert_eq!(script.cwnd(), 11.0);
    (11..21).for_each(|n| drop(script.ack(n)));
    assert_eq!(script.cwnd(), 11.0);
    script.ack(21);
    assert_eq!(script.cwnd(), 12.0);
}

#[test]
fn slow_start_ends_at_the_threshold() {
    let config = SenderConfig { initial_ssthresh: Bytes::new(12 * MSS), ..plain() };
    let mut script = Script::new("new-reno", config);
    script.sent();
    script.ack(1);
    script.ack(2);
    assert_eq!(script.cwnd(), 12.0);
    (3..14).for_each(|n| drop(script.ack(n)));
    assert_eq!(script.cwnd(), 12.0);
    script.ack(14);
    assert_eq!(script.cwnd(), 13.0);
}

#[test]
fn congestion_forgets_what_counted_towards_the_next_segment() {
    let config = SenderConfig { initial_ssthresh: Bytes::new(10 * MSS), ..plain() };
    let mut script = Script::new("new-reno", config);
    script.sent();
    (1..10).for_each(|n| drop(script.ack(n))); // nine tenths of a window
    (0..9).for_each(|_| drop(script.ack(9)));
    script.ack(19);
    assert_eq!(script.cwnd(), 5.0);
    (20..24).for_each(|n| drop(script.ack(n)));
    assert_eq!(script.cwnd(), 5.0);
    script.ack(24);
    assert_eq!(script.cwnd(), 6.0);
}
