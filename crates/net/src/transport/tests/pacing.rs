//! Segments that follow each other no faster than something other than the window allows.

use std::sync::Arc;
use std::vec::Vec;

use super::script::{MSS, plain};
use crate::transport::{
    Ack, AckSample, ConfigError, Congestion, CongestionControl, Controller, PortReport, Receiver,
    ReceiverConfig, RtoConfig, Segment, Sender, SenderConfig, Window,
};
use forebay_units::{Bytes, Duration, Rate, Time};

extern crate std;

const DELAY: Duration = Duration::from_us(50);

/// Sends at a rate in whatever window, and notes the telemetry it is shown.
#[derive(Default)]
struct Fixed {
    rate: Option<Rate>,
    window: Option<Bytes>,
    seen: Vec<PortReport>,
}

impl CongestionControl for Fixed {
    fn on_ack(&mut self, window: &mut Window, sample: &AckSample<'_>) {
        window.cwnd = self.window.unwrap_or(window.cwnd);
        self.seen.extend(sample.telemetry);
    }

    fn on_congestion(&mut self, window: &Window, _: &Congestion) -> Bytes {
        window.cwnd
    }

    fn pacing_rate(&self) -> Option<Rate> {
        self.rate
    }
}

fn sender<C: CongestionControl>(config: SenderConfig, segments: u64, control: C) -> Sender<C> {
    Sender::new(Arc::new(config), Some(Bytes::new(segments * MSS)), control).unwrap()
}

fn slow_timer() -> SenderConfig {
    let rto = RtoConfig { min: Duration::from_ms(100), ..RtoConfig::default() };
    SenderConfig { rto, ..plain() }
}

/// When each segment goes of a flow over a way of `DELAY` that loses those that `lost` names, by
/// their number.
fn run<C: CongestionControl>(sender: &mut Sender<C>, lost: &[usize]) -> Vec<(Time, Segment)> {
    let mut receiver = Receiver::new(Arc::new(ReceiverConfig::default())).unwrap();
    let (mut now, mut sent, mut acks) = (Time::ZERO, Vec::new(), Vec::<(Time, Ack)>::new());
    while !sender.is_finished() {
        while let Some(segment) = sender.poll(now) {
            if !lost.contains(&sent.len()) {
                let ack = receiver.on_segment(now + DELAY, &segment).unwrap();
                acks.push((now + DELAY * 2, ack));
            }
            sent.push((now, segment));
        }
        let answer = acks.first().map(|(at, _)| *at);
        now = answer.into_iter().chain(sender.deadline()).min().unwrap();
        if answer == Some(now) {
            sender.on_ack(now, &acks.remove(0).1);
        } else {
            sender.on_deadline(now);
        }
    }
    sent
}

fn gaps(sent: &[(Time, Segment)]) -> Vec<Duration> {
    sent.windows(2).map(|pair| pair[1].0.since(pair[0].0)).collect()
}

#[test]
fn a_controller_sets_the_rate() {
    // 1000 bytes a microsecond.
    let fixed = Fixed { rate: Some(Rate::from_gbps(8)), ..Fixed::default() };
    let config = SenderConfig { initial_window: 1000, ..slow_timer() };
    let mut sender = sender(config, 200, fixed);
    let sent = run(&mut sender, &[]);
    assert_eq!(gaps(&sent), std::vec![Duration::from_us(1); 199]);
    assert_eq!(sender.counters().timeouts, 0);
}

/// The window still counts: three segments a round trip.
#[test]
fn a_rate_above_the_window_changes_little() {
    let fixed = Fixed { rate: Some(Rate::from_gbps(8)), ..Fixed::default() };
    let mut sender = sender(SenderConfig { initial_window: 3, ..slow_timer() }, 9, fixed);
    let us = |n| Duration::from_us(n);
    let round = [us(1), us(1), us(98)];
    assert_eq!(gaps(&run(&mut sender, &[])), [round, round, [us(1), us(1), us(98)]].concat()[..8]);
}

#[test]
fn what_is_sent_again_is_paced_too() {
    for sack in [true, false] {
        let fixed = Fixed { rate: Some(Rate::from_gbps(8)), ..Fixed::default() };
        let mut sender = sender(SenderConfig { sack, ..slow_timer() }, 60, fixed);
        let sent = run(&mut sender, &[5, 6, 8]);
        assert!(sent.iter().any(|(_, segment)| segment.resent));
        assert!(gaps(&sent).iter().all(|gap| *gap >= Duration::from_us(1)));
    }
}

/// A window of a quarter of a segment: one segment in four round trips, and losses do not stop it.
#[test]
fn a_window_below_a_segment_spaces_segments() {
    let quarter = || Fixed { window: Some(Bytes::new(MSS / 4)), ..Fixed::default() };
    let config = SenderConfig { initial_window: 1, ..slow_timer() };
    let mut sender = sender(config, 30, quarter());
    let sent = run(&mut sender, &[]);
    assert_eq!(gaps(&sent)[..2], [DELAY * 2, DELAY * 8]);
    assert!(gaps(&sent)[1..].iter().all(|gap| *gap == DELAY * 8));
    assert_eq!((sent.len(), sender.counters().timeouts), (30, 0));
    let config = SenderConfig { initial_window: 10, sack: true, ..slow_timer() };
    let mut sender = super::pacing::sender(config, 30, quarter());
    let sent = run(&mut sender, &[3, 12]);
    assert!(sender.is_finished() && sent.len() >= 32);
}

#[test]
fn a_flow_can_have_a_rate_of_its_own() {
    let cubic = || -> Controller { super::control("cubic") };
    let pacing = Some(Rate::from_gbps(4));
    let config = SenderConfig { pacing, initial_window: 1000, ..slow_timer() };
    let sent = run(&mut sender(config, 50, cubic()), &[]);
    assert_eq!(gaps(&sent), std::vec![Duration::from_us(2); 49]);
    let never = SenderConfig { pacing: Some(Rate::from_bps(0)), ..plain() };
    assert_eq!(Sender::new(Arc::new(never), None, cubic()).err(), Some(ConfigError::NoRate));
}

#[test]
fn telemetry_reaches_the_controller() {
    let report = |queue| PortReport { queue: Bytes::new(queue), ..PortReport::default() };
    let mut sender = sender(plain(), 3, Fixed::default());
    while sender.poll(Time::ZERO).is_some() {}
    let at = |us| Time::ZERO + Duration::from_us(us);
    sender.on_ack_with(at(100), &Ack::cumulative(MSS), &[report(7), report(9)]);
    sender.on_ack(at(101), &Ack::cumulative(2 * MSS));
    assert_eq!(sender.control().seen, [report(7), report(9)]);
}
