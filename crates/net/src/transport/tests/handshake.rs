//! The handshake: what goes before data, and what its loss costs.

use std::sync::Arc;

use super::script::plain;
use crate::transport::{Ack, Controller, Phase, Receiver, ReceiverConfig, Sender, SenderConfig};
use forebay_units::{Bytes, Duration, Time};

extern crate std;

fn sender() -> Sender<Controller> {
    let config = SenderConfig { handshake: true, initial_window: 4, ..plain() };
    let control = super::control("new-reno");
    Sender::new(Arc::new(config), Some(Bytes::new(10_000)), control).unwrap()
}

fn at(us: u64) -> Time {
    Time::ZERO + Duration::from_us(us)
}

#[test]
fn data_goes_when_the_answer_has_come() {
    let mut sender = sender();
    let mut receiver = Receiver::new(Arc::new(ReceiverConfig::default())).unwrap();
    let ask = sender.poll(at(0)).unwrap();
    assert_eq!((ask.seq, ask.len, ask.fin), (0, 0, false));
    assert!(sender.poll(at(0)).is_none() && !sender.is_finished());
    let answer = receiver.on_segment(at(40), &ask).unwrap();
    assert_eq!((answer.cumulative, receiver.delivered()), (0, Bytes::ZERO));
    sender.on_ack(at(80), &answer);
    assert_eq!(sender.rtt().smoothed(), Some(Duration::from_us(80)));
    let sent = std::iter::from_fn(|| sender.poll(at(80))).count();
    assert_eq!((sent, sender.phase()), (4, Phase::Open), "the initial window");
}

#[test]
fn a_lost_handshake_is_repeated_and_costs_the_first_window() {
    let mut sender = sender();
    assert!(sender.poll(at(0)).is_some());
    let mut waits = std::vec::Vec::new();
    for _ in 0..2 {
        let deadline = sender.deadline().unwrap();
        sender.on_deadline(deadline);
        let again = sender.poll(deadline).unwrap();
        assert!(again.resent && again.len == 0 && sender.poll(deadline).is_none());
        waits.push(sender.deadline().unwrap().since(deadline));
    }
    assert_eq!(waits[1], waits[0] * 2, "backed off");
    sender.on_ack(sender.deadline().unwrap(), &Ack::cumulative(0));
    let sent = std::iter::from_fn(|| sender.poll(Time::MAX)).count();
    assert_eq!((sent, sender.counters().timeouts), (1, 2), "RFC 5681, section 3.1");
}

#[test]
fn an_empty_flow_asks_nobody() {
    let config = SenderConfig { handshake: true, ..plain() };
    let control = super::control("new-reno");
    let mut empty = Sender::new(Arc::new(config), Some(Bytes::ZERO), control).unwrap();
    assert!(empty.is_finished() && empty.poll(at(0)).is_none());
}
