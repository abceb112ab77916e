//! The initial window, slow start, and what is refused before a flow starts.

use std::sync::Arc;
use std::vec;
use std::vec::Vec;

use super::script::{MSS, Script, plain};
use crate::transport::{
    Ack, ConfigError, Controller, Cubic, CubicConfig, Dctcp, DctcpConfig, DelayedAck, NewReno,
    NewRenoConfig, Receiver, ReceiverConfig, RtoConfig, Sender, SenderConfig,
};
use forebay_units::{Bytes, Duration, Time};

extern crate std;

#[test]
fn the_initial_window_then_two_segments_per_acknowledgement() {
    for initial_window in [1, 10, 20] {
        let mut script = Script::new("new-reno", SenderConfig { initial_window, ..plain() });
        let window = u64::from(initial_window);
        assert_eq!(script.sent(), (0..window).collect::<Vec<_>>());
        assert_eq!(script.sender.bytes_in_flight(), Bytes::new(window * MSS));
        for n in 1..=window {
            let next = window + 2 * (n - 1);
            assert_eq!(script.ack(n), [next, next + 1]);
        }
        assert_eq!(script.cwnd(), 2.0 * window as f64, "doubled in a round trip");
    }
}

#[test]
fn slow_start_counts_at_most_the_limit_per_acknowledgement() {
    let mut script = Script::new("new-reno", plain());
    script.sent();
    script.ack(4);
    assert_eq!(script.cwnd(), 11.0, "RFC 5681: one segment, however many were acknowledged");
    let control = NewReno::new(&NewRenoConfig { slow_start_limit: 2 }).map(Controller::NewReno);
    script.sender = Sender::new(Arc::new(plain()), None, control.unwrap()).unwrap();
    script.sent();
    script.ack(4);
    assert_eq!(script.cwnd(), 12.0, "RFC 3465 with L = 2");
}

#[test]
fn the_last_segment_is_short_and_marked_last() {
    let control = super::control("new-reno");
    let length = Some(Bytes::new(2500));
    let mut sender = Sender::new(Arc::new(plain()), length, control).unwrap();
    let segments: Vec<_> = std::iter::from_fn(|| sender.poll(Time::ZERO)).collect();
    let shape: Vec<_> = segments.iter().map(|s| (s.seq, s.len, s.fin)).collect();
    assert_eq!(shape, [(0, 1000, false), (1000, 1000, false), (2000, 500, true)]);
    sender.on_ack(Time::ZERO, &Ack::cumulative(2501));
    assert_eq!(sender.acknowledged(), Bytes::ZERO, "bytes never sent cannot be acknowledged");
    sender.on_ack(Time::ZERO, &Ack::cumulative(2500));
    assert!(sender.is_finished());
    assert_eq!((sender.deadline(), sender.poll(Time::ZERO)), (None, None));
    sender.on_deadline(Time::MAX);
    assert_eq!(sender.counters().timeouts, 0);
}

#[test]
fn an_empty_flow_is_finished_at_once() {
    let control = super::control("cubic");
    let mut sender = Sender::new(Arc::new(plain()), Some(Bytes::ZERO), control).unwrap();
    assert!(sender.is_finished() && sender.poll(Time::ZERO).is_none());
}

#[test]
fn the_receive_window_bounds_what_is_beyond_the_cumulative_point() {
    let config = SenderConfig { receive_window: Bytes::new(3 * MSS), ..plain() };
    let mut script = Script::new("new-reno", config);
    assert_eq!(script.sent(), [0, 1, 2]);
    assert_eq!(script.ack(1), [3]);
}

#[test]
fn state_stays_small() {
    assert_eq!(size_of::<Sender<Controller>>(), 256);
    assert!(size_of::<Receiver>() <= 64, "{}", size_of::<Receiver>());
}

#[test]
fn impossible_choices_are_refused() {
    let sender = |config| {
        let control = super::control("new-reno");
        Sender::new(Arc::new(config), None, control).unwrap_err()
    };
    let rto = RtoConfig { min: Duration::from_ms(70_000), ..RtoConfig::default() };
    let errors = vec![
        sender(SenderConfig { mss: Bytes::ZERO, ..plain() }),
        sender(SenderConfig { mss: Bytes::new(1 << 30), ..plain() }),
        sender(SenderConfig { initial_window: 0, ..plain() }),
        sender(SenderConfig { receive_window: Bytes::new(999), ..plain() }),
        sender(SenderConfig { max_ranges: 0, ..plain() }),
        sender(SenderConfig { rto, ..plain() }),
    ];
    for error in errors {
        assert!(std::format!("{error}").contains("choose") || error == bounds(rto), "{error}");
    }
    let delayed_ack = Some(DelayedAck { timer: Duration::ZERO, every: 2 });
    let config = ReceiverConfig { delayed_ack, ..ReceiverConfig::default() };
    assert_eq!(Receiver::new(Arc::new(config)).unwrap_err(), ConfigError::DelayedAck);
}

fn bounds(rto: RtoConfig) -> ConfigError {
    ConfigError::RtoBounds { initial: rto.initial, min: rto.min, max: rto.max }
}

#[test]
fn impossible_controllers_are_refused() {
    let cubic =
        |c, beta| Cubic::new(&Arc::new(CubicConfig { c, beta, ..CubicConfig::default() })).err();
    let dctcp = |initial_alpha, gain_shift| {
        Dctcp::new(&DctcpConfig { gain_shift, initial_alpha, ..DctcpConfig::default() }).err()
    };
    let still = NewReno::new(&NewRenoConfig { slow_start_limit: 0 }).err();
    let refused = [
        cubic(0.0, 0.7),
        cubic(f64::NAN, 0.7),
        cubic(0.4, 1.0),
        dctcp(1.5, 4),
        dctcp(f64::NAN, 4),
        dctcp(1.0, 32),
        still,
    ];
    let names = refused.map(|error| error.unwrap().name().to_owned());
    let [c, beta, alpha, shift] = ["c", "beta", "initial_alpha", "gain_shift"];
    assert_eq!(names, [c, c, beta, alpha, alpha, shift, "slow_start_limit"]);
}
