//! CUBIC's curve in time (RFC 9438), against numbers worked by hand.
//!
//! With W_max = 100, β = 0.7, C = 0.4: the window after congestion is 70, and K = ∛((100 − 70) /
//! 0.4) = ∛75 = 4.2172 s. So W(0) = 70, W(K) = 100, W(2K) = 130.

use std::sync::Arc;

use crate::transport::{
    AckSample, Cause, Congestion, CongestionControl, Cubic, CubicConfig, Window,
};
use forebay_units::{Bytes, Duration, Time};

extern crate std;

const MSS: Bytes = Bytes::new(1000);
const K: f64 = 4.217_163_3;

/// A CUBIC flow whose every segment is acknowledged evenly over each round trip.
struct Flow {
    control: Cubic,
    window: Window,
    now: Time,
    rtt: Duration,
    start: Time,
}

impl Flow {
    fn new(rtt: Duration) -> Self {
        let control = Cubic::new(&Arc::new(CubicConfig::default())).unwrap();
        let window = Window { cwnd: MSS * 100, ssthresh: MSS * 100, mss: MSS };
        Flow { control, window, now: Time::ZERO, rtt, start: Time::ZERO }
    }

    fn congestion(&mut self, cause: Cause) {
        let congestion = Congestion { now: self.now, cause, flight: self.window.cwnd };
        self.window.ssthresh = self.control.on_congestion(&self.window, &congestion);
        self.window.cwnd = self.window.ssthresh;
        self.start = self.now;
    }

    fn round_trip(&mut self) {
        let segments = self.window.cwnd.get() / MSS.get();
        for _ in 0..segments {
            self.acknowledge(MSS);
            self.now += self.rtt / segments;
        }
    }

    fn acknowledge(&mut self, acked: Bytes) {
        let sample = AckSample {
            now: self.now,
            acked,
            una: 0,
            sent: 0,
            rtt: Some(self.rtt),
            smoothed_rtt: Some(self.rtt),
            ece: false,
            grow: true,
            telemetry: &[],
        };
        self.control.on_ack(&mut self.window, &sample);
    }

    fn run_to(&mut self, seconds: f64) -> f64 {
        while self.now.since(self.start).as_secs_f64() < seconds {
            self.round_trip();
        }
        self.window.segments()
    }
}

fn close(found: f64, expected: f64, by: f64) {
    assert!((found - expected).abs() <= by, "{found}, expected {expected}");
}

#[test]
fn the_window_follows_the_cubic() {
    let mut flow = Flow::new(Duration::from_ms(100));
    flow.congestion(Cause::Loss);
    close(flow.window.segments(), 70.0, 0.0);
    // Half way to K: 100 − 0.4 (K/2)³ = 100 − 30/8 = 96.25. The steps aim one round trip ahead.
    close(flow.run_to(K / 2.0), 96.25, 0.7);
    close(flow.run_to(K), 100.0, 0.3);
    close(flow.run_to(2.0 * K), 130.0, 2.5);
}

/// With a round trip of 1 ms Reno is faster: 3 (1 − β) / (1 + β) = 0.5294 segments a round trip
/// from 70, and 1 a round trip once past the 100 of before, while the cubic is still at 71.
#[test]
fn it_is_never_slower_than_reno() {
    let mut flow = Flow::new(Duration::from_ms(1));
    flow.congestion(Cause::Loss);
    (0..50).for_each(|_| flow.round_trip());
    close(flow.window.segments(), 70.0 + 50.0 * 0.529_4, 0.6);
    (0..8).for_each(|_| flow.round_trip());
    let past = flow.window.segments();
    assert!(past > 100.0, "{past}");
    (0..10).for_each(|_| flow.round_trip());
    close(flow.window.segments(), past + 10.0, 0.6);
}

/// A second loss at 80, below W_max = 100: W_max = 80 · 1.7 / 2 = 68, the window 56, and K = ∛((68
/// − 56) / 0.4) = ∛30 = 3.107 s. The round trip is long, so that Reno is slower: at 60 by then.
#[test]
fn fast_convergence_aims_lower() {
    let mut flow = Flow::new(Duration::from_ms(400));
    flow.congestion(Cause::Loss);
    flow.window.cwnd = MSS * 80;
    flow.congestion(Cause::Loss);
    close(flow.window.segments(), 56.0, 0.0);
    close(flow.run_to(3.107), 68.0, 0.7);
}

/// Without an earlier maximum the cubic starts at its inflection: W(t) = W(0) + 0.4 t³.
#[test]
fn after_a_timeout_the_curve_starts_flat() {
    let mut flow = Flow::new(Duration::from_ms(100));
    flow.congestion(Cause::Timeout);
    close(flow.window.segments(), 70.0, 0.0);
    // 70 + 0.4 · 5³ = 120, and 123 one round trip later; Reno would be at 96.
    close(flow.run_to(5.0), 121.5, 2.5);
}

#[test]
fn one_acknowledgement_never_passes_the_target() {
    let mut flow = Flow::new(Duration::from_ms(100));
    flow.congestion(Cause::Loss);
    flow.round_trip();
    flow.now += Duration::from_ms(600_000);
    let before = flow.window.segments();
    flow.acknowledge(MSS * 10_000);
    close(flow.window.segments(), 1.5 * before, 1.0);
}

#[test]
fn one_step_never_exceeds_half_the_window() {
    let mut flow = Flow::new(Duration::from_ms(100));
    flow.congestion(Cause::Loss);
    flow.round_trip();
    flow.now += Duration::from_ms(600_000); // the curve is far above
    let before = flow.window.segments();
    flow.round_trip();
    close(flow.window.segments(), 1.5 * before, 15.0);
}
