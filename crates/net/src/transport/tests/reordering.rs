//! Packets that overtake each other are no losses where the sender is told to wait.

use super::script::{RTT, Script, plain};
use crate::network::HostConfig;
use crate::transport::{ConfigError, NewReno, NewRenoConfig, Phase, Sender, SenderConfig};
use forebay_parameters::set;
use forebay_units::Duration;

fn with_threshold(sack: bool, duplicate_threshold: u32) -> Script {
    Script::new("new-reno", SenderConfig { sack, duplicate_threshold, ..plain() })
}

#[test]
fn a_loss_takes_as_many_duplicates_as_the_threshold() {
    let mut script = with_threshold(false, 5);
    assert_eq!(script.sent().len(), 10);
    for _ in 0..4 {
        script.ack(0);
        assert_eq!(script.sender.phase(), Phase::Open);
    }
    assert_eq!(script.ack(0), [0]);
    assert_eq!(script.sender.phase(), Phase::FastRecovery);
    // Half of what was in flight, and the five that left.
    assert_eq!((script.ssthresh(), script.cwnd()), (5.0, 10.0));
}

#[test]
fn with_sack_a_loss_takes_as_many_segments_beyond_the_hole() {
    let mut script = with_threshold(true, 5);
    assert_eq!(script.sent().len(), 10);
    for end in 2..6 {
        script.sack(0, &[(1, end)]);
        assert_eq!(script.sender.phase(), Phase::Open, "{end}");
    }
    assert_eq!(script.sack(0, &[(1, 6)]).first(), Some(&0));
    assert_eq!(script.sender.phase(), Phase::SackRecovery);
}

#[test]
fn what_was_overtaken_and_arrives_is_no_loss() {
    let mut script = with_threshold(true, 5);
    assert_eq!(script.sent().len(), 10);
    script.sack(0, &[(1, 5)]);
    script.ack(5);
    assert_eq!((script.sender.phase(), script.sender.counters().resent), (Phase::Open, 0));
    let usual = SenderConfig::default().duplicate_threshold;
    let mut script = with_threshold(true, usual);
    assert_eq!(script.sent().len(), 10);
    script.sack(0, &[(1, 5)]);
    assert_eq!(script.sender.phase(), Phase::SackRecovery);
}

#[test]
fn by_time_a_hole_is_lost_after_the_window() {
    for (reorder_window, us) in [(None, 25), (Some(Duration::from_us(70)), 70)] {
        let config = SenderConfig {
            sack: true,
            loss_by_time: true,
            duplicate_threshold: 1000,
            reorder_window,
            ..plain()
        };
        let mut script = Script::new("new-reno", config);
        assert_eq!(script.sent().len(), 10);
        script.now += RTT;
        script.sack(1, &[]); // the round trip is measured: 100 us
        script.sack(1, &[(2, 9)]);
        assert_eq!(script.until_deadline(), Duration::from_us(us));
        assert_eq!(script.time_out().first(), Some(&1));
        assert_eq!(script.sender.phase(), Phase::SackRecovery);
    }
}

#[test]
fn a_threshold_of_none_is_refused() {
    let config = SenderConfig { duplicate_threshold: 0, ..plain() };
    let control = NewReno::new(&NewRenoConfig::default()).unwrap();
    let refused = Sender::new(config.into(), None, control).err().unwrap();
    assert_eq!(
        (&refused, refused.parameter()),
        (&ConfigError::NoDuplicates, "duplicate_threshold")
    );
}

/// An experiment gives every parameter, also those that it leaves as they are.
#[test]
fn a_window_of_zero_is_the_usual_one() {
    let window = |given: &str| {
        let mut hosts = HostConfig::default();
        set(&mut hosts, &[("loss_by_time", "true"), ("reorder_window", given)]).unwrap();
        hosts.sender().reorder_window
    };
    assert_eq!((window("0 s"), window("7 us")), (None, Some(Duration::from_us(7))));
}
