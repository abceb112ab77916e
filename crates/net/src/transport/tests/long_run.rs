//! Long flows against theory.

use std::boxed::Box;
use std::sync::Arc;
use std::vec::Vec;

use super::pipe::{Fate, Flow, Pipe, Step, safe};
use crate::transport::{
    Controller, Cubic, CubicConfig, ReceiverConfig, RtoConfig, SenderConfig, congestion_controls,
};
use forebay_parameters::Entry;
use forebay_units::{Bytes, Duration, Rate, Time};

extern crate std;

const MSS: u64 = 1448;

/// Every `period`-th segment is lost.
fn periodic(period: u64) -> Fate {
    Box::new(move |n| (n % period != period - 1).then_some(Duration::ZERO))
}

fn steady(sack: bool, ssthresh: u64) -> SenderConfig {
    SenderConfig {
        sack,
        initial_ssthresh: Bytes::new(ssthresh * MSS),
        rto: RtoConfig { min: Duration::from_ms(200), ..RtoConfig::default() },
        ..SenderConfig::default()
    }
}

/// Loss every 1/p segments gives a sawtooth between W/2 and W with 3/8 W² = 1/p, so a throughput of
/// MSS / RTT · √(3 / (2p)).
#[test]
fn new_reno_follows_the_square_root_law() {
    for sack in [false, true] {
        for period in [100u64, 500, 2000] {
            let expected = (1.5 * period as f64).sqrt() * MSS as f64 / 0.1;
            let pipe = Pipe {
                rate: Rate::from_gbps(100),
                delay: Duration::from_ms(50),
                mark_above: Bytes::new(u64::MAX),
                data_fate: periodic(period),
                ack_fate: safe(),
            };
            let control = super::control("new-reno");
            let config = steady(sack, (period as f64).sqrt() as u64);
            let mut flow = Flow::new(control, config, ReceiverConfig::default(), None, pipe);
            let seconds = 300;
            flow.run(Time::ZERO + Duration::from_ms(1000 * seconds), |_, _| {});
            let found = flow.receiver.delivered().get() as f64 / seconds as f64;
            let ratio = found / expected;
            assert!((0.8..1.2).contains(&ratio), "sack {sack}, 1/p {period}: {ratio:.3}");
            assert_eq!(flow.sender.counters().timeouts, 0, "sack {sack}, 1/p {period}");
        }
    }
}

/// Equation 6 of RFC 9438, with loss every 1/p segments, without fast convergence: an average
/// window of 1.054 (RTT / p)^(3/4) segments. Here 1.054 · (0.1 · 10,000)^(3/4) = 187; Reno would
/// have 122.
#[test]
fn cubic_follows_its_response_function() {
    let pipe = Pipe {
        rate: Rate::from_gbps(100),
        delay: Duration::from_ms(50),
        mark_above: Bytes::new(u64::MAX),
        data_fate: periodic(10_000),
        ack_fate: safe(),
    };
    let config = CubicConfig { fast_convergence: false, ..CubicConfig::default() };
    let control = Cubic::new(&Arc::new(config)).map(Controller::Cubic).unwrap();
    let mut flow = Flow::new(control, steady(true, 150), ReceiverConfig::default(), None, pipe);
    let seconds = 300;
    flow.run(Time::ZERO + Duration::from_ms(1000 * seconds), |_, _| {});
    let window = flow.receiver.delivered().get() as f64 / MSS as f64 / seconds as f64 * 0.1;
    assert!((0.9..1.1).contains(&(window / 187.0)), "{window:.1}");
}

/// 10 Gb/s, a round trip of 100 µs, marks above 65 segments (Occamy §6.2): the link stays busy and
/// the queue stays about the threshold.
#[test]
fn dctcp_holds_the_queue_at_the_threshold() {
    let threshold = 65 * MSS;
    let pipe = Pipe {
        rate: Rate::from_gbps(10),
        delay: Duration::from_us(50),
        mark_above: Bytes::new(threshold),
        data_fate: safe(),
        ack_fate: safe(),
    };
    let control = super::control("dctcp");
    let config = SenderConfig { ecn: true, ..SenderConfig::default() };
    let mut flow = Flow::new(control, config, ReceiverConfig::default(), None, pipe);
    let warm = Time::ZERO + Duration::from_ms(20);
    flow.run(warm, |_, _| {});
    let before = flow.receiver.delivered();
    let mut queues = Vec::new();
    flow.run(warm + Duration::from_ms(50), |flow, step| {
        if matches!(step, Step::Sent(_)) {
            queues.push(flow.queue().get());
        }
    });
    let rate = Rate::mean(flow.receiver.delivered() - before, Duration::from_ms(50));
    assert!(rate >= Rate::from_bps(9_900_000_000), "{rate}");
    let mean = queues.iter().sum::<u64>() / queues.len() as u64;
    let highest = queues.iter().copied().max().unwrap();
    assert!((threshold / 2..threshold * 5 / 4).contains(&mean), "mean {mean}");
    assert!(highest < threshold + 20 * MSS, "highest {highest}");
    assert_eq!(flow.sender.counters().resent, 0);
}

/// Without loss a flow takes its bytes' time on the link plus the slow start's round trips.
#[test]
fn a_flow_alone_takes_its_ideal_time() {
    for choice in congestion_controls() {
        let control = choice.build(&()).unwrap();
        if matches!(control, Controller::Rate(_)) || choice.name() == "ndp" {
            continue; // no window: tests/roce.rs, tests/pull.rs
        }
        let length = Bytes::new(1_000_000);
        let pipe = Pipe {
            rate: Rate::from_gbps(10),
            delay: Duration::from_us(40),
            mark_above: Bytes::new(u64::MAX),
            data_fate: safe(),
            ack_fate: safe(),
        };
        let mut flow = Flow::new(
            control,
            SenderConfig::default(),
            ReceiverConfig::default(),
            Some(length),
            pipe,
        );
        assert!(flow.run(Time::MAX, |_, _| {}));
        let ideal = Rate::from_gbps(10).time_for(length) + Duration::from_us(80);
        let took = flow.now.since(Time::ZERO);
        assert!(
            took >= ideal && took < ideal + Duration::from_us(240),
            "{choice:?}: {took} {ideal}"
        );
    }
}
