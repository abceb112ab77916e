//! Marks: RFC 3168's handshake, DCTCP's exact echo and reduction (RFC 8257).

use std::sync::Arc;
use std::vec::Vec;

use super::script::{MSS, Script, plain};
use crate::transport::{
    AckSample, CongestionControl, Controller, Dctcp, DctcpConfig, DelayedAck, EcnEcho, Receiver,
    ReceiverConfig, Segment, SenderConfig, Window,
};
use forebay_switch::Ecn;
use forebay_units::{Bytes, Duration, Time};

extern crate std;

fn with_ecn() -> SenderConfig {
    SenderConfig { ecn: true, ..plain() }
}

fn receiver(ecn: EcnEcho, delayed: bool) -> Receiver {
    let timer = Duration::from_us(500);
    let delayed_ack = delayed.then_some(DelayedAck { timer, every: 2 });
    Receiver::new(Arc::new(ReceiverConfig { delayed_ack, ecn, ..ReceiverConfig::default() }))
        .unwrap()
}

fn segment(n: u64, ecn: Ecn) -> Segment {
    Segment { seq: n * MSS, len: MSS as u32, ecn, ..Segment::default() }
}

#[test]
fn an_echo_halves_once_per_window_and_the_next_segment_says_so() {
    let mut script = Script::new("new-reno", with_ecn());
    assert!(script.segments().iter().all(|s| s.ecn == Ecn::Capable && !s.cwr));
    // 0 was marked. 9 are still out; the threshold is half of them, and the window holds them back.
    assert!(script.ack_with_echo(1).is_empty());
    assert_eq!((script.cwnd(), script.ssthresh()), (4.5, 4.5));
    for n in 2..=6 {
        assert!(script.ack_with_echo(n).is_empty(), "one reduction per window");
    }
    assert_eq!(script.cwnd(), 4.5, "and no growth with an echo");
    let next = script.ack_with_echo(7);
    assert_eq!(next.iter().map(|s| (s.seq / MSS, s.cwr)).collect::<Vec<_>>(), [(10, true)]);
    assert!(script.ack_with_echo(8).iter().all(|s| !s.cwr));
    script.ack(10);
    // 10 was sent after the reduction: an echo beyond it counts again.
    script.ack_with_echo(11);
    assert_eq!(script.sender.counters().echoes, 2);
}

#[test]
fn the_echo_is_latched_until_the_window_is_reduced() {
    let mut receiver = receiver(EcnEcho::Latched, false);
    let mut echo = |n, ecn, cwr| {
        let ack = receiver.on_segment(Time::ZERO, &Segment { cwr, ..segment(n, ecn) });
        ack.unwrap().ece
    };
    assert!(!echo(0, Ecn::Capable, false));
    assert!(echo(1, Ecn::Experienced, false));
    assert!(echo(2, Ecn::Capable, false));
    assert!(!echo(3, Ecn::Capable, true));
    assert!(echo(4, Ecn::Experienced, true), "marked on the way itself");
}

#[test]
fn resent_data_is_markable_only_for_dctcp() {
    for (name, ecn) in [("new-reno", Ecn::NotCapable), ("dctcp", Ecn::Capable)] {
        let mut script = Script::new(name, with_ecn());
        script.segments();
        script.now = script.sender.deadline().unwrap();
        script.sender.on_deadline(script.now);
        assert_eq!(script.segments().iter().map(|s| s.ecn).collect::<Vec<_>>(), [ecn]);
    }
}

#[test]
fn without_ecn_nothing_is_markable_and_echoes_are_ignored() {
    let mut script = Script::new("dctcp", plain());
    assert!(script.segments().iter().all(|s| s.ecn == Ecn::NotCapable));
    script.ack_with_echo(1);
    assert_eq!((script.cwnd(), script.sender.counters().echoes), (11.0, 0));
}

#[test]
fn exact_echo_with_delayed_acknowledgements() {
    let mut receiver = receiver(EcnEcho::Exact, true);
    let now = Time::ZERO + Duration::from_us(7);
    let mut give = |n, ecn| {
        receiver.on_segment(now, &segment(n, ecn)).map(|ack| (ack.cumulative / MSS, ack.ece))
    };
    assert_eq!(give(0, Ecn::Capable), None);
    assert_eq!(give(1, Ecn::Capable), Some((2, false)));
    assert_eq!(give(2, Ecn::Capable), None);
    assert_eq!(give(3, Ecn::Experienced), Some((3, false)), "2 alone, with the old flag");
    assert_eq!(give(4, Ecn::Experienced), Some((5, true)));
    assert_eq!(give(5, Ecn::Capable), None, "nothing waited");
    assert_eq!(give(6, Ecn::Experienced), Some((6, false)));
    // The segment beyond a gap flips the flag again and needs its own answer: the timer is due now.
    assert_eq!(give(8, Ecn::Capable), Some((7, true)));
    assert_eq!(receiver.deadline(), Some(now));
    let ack = receiver.on_deadline(now).unwrap();
    assert_eq!((ack.cumulative, ack.ece, ack.has_sack()), (7 * MSS, false, true));
    assert_eq!(receiver.deadline(), None);
}

/// g = 1/16, first α = 1. A window of 10 segments with 4 marked: α = 15/16 · 1 + 1/16 · 0.4 =
/// 0.9625. The next with none: 15/16 · 0.9625 = 0.90234375.
#[test]
fn alpha_is_updated_once_per_window() {
    let mut control = Dctcp::new(&DctcpConfig::default()).unwrap();
    let mss = Bytes::new(MSS);
    let mut window = Window { cwnd: mss * 10, ssthresh: mss * 5, mss };
    let mut give = |control: &mut Dctcp, una: u64, ece| {
        let sample = AckSample {
            now: Time::ZERO,
            acked: mss,
            una: una * MSS,
            sent: (una + 9) * MSS,
            rtt: None,
            smoothed_rtt: None,
            ece,
            grow: false,
            telemetry: &[],
        };
        control.on_ack(&mut window, &sample);
        control.alpha()
    };
    // The first acknowledgement ends the empty first window: 15/16.
    assert_eq!(give(&mut control, 1, false), 0.9375);
    // That window ended at 10: eleven acknowledged now, ten of them in the next.
    for una in 2..=10 {
        assert_eq!(give(&mut control, una, una <= 5), 0.9375);
    }
    let alpha = give(&mut control, 11, false);
    assert!((alpha - (0.9375 * 0.9375 + 0.4 / 16.0)).abs() < 1e-12, "{alpha}");
    for una in 12..=20 {
        assert_eq!(give(&mut control, una, false), alpha);
    }
    assert!((give(&mut control, 21, false) - alpha * 0.9375).abs() < 1e-12);
}

#[test]
fn dctcp_reduces_by_half_of_alpha_once_per_window() {
    let mut script = Script::new("dctcp", with_ecn());
    script.sent();
    // The first acknowledgement, marked, ends a window of its own: α stays 1, and the window
    // halves.
    script.ack_with_echo(1);
    assert_eq!((script.cwnd(), script.ssthresh()), (5.0, 5.0));
    (2..=10).for_each(|n| drop(script.ack_with_echo(n)));
    assert_eq!(script.sender.counters().echoes, 1);
    let alpha = |script: &Script| match script.sender.control() {
        Controller::Dctcp(dctcp) => dctcp.alpha(),
        other => unreachable!("{other:?}"),
    };
    assert_eq!(alpha(&script), 1.0);
    // 11 was sent after the reduction. Unmarked, it ends the window 2 to 11, of which 9 in 10 were
    // marked: α = 15/16 + 0.9/16. Then a mark reduces by half of that.
    script.ack(11);
    assert!((alpha(&script) - (15.0 + 0.9) / 16.0).abs() < 1e-12);
    let before = script.cwnd();
    script.ack_with_echo(12);
    let expected = before * (1.0 - alpha(&script) / 2.0);
    assert!((script.cwnd() - expected).abs() < 0.001, "{} {expected}", script.cwnd());
}

#[test]
fn dctcp_answers_a_loss_like_new_reno() {
    let mut script = Script::new("dctcp", with_ecn());
    script.sent();
    (0..3).for_each(|_| drop(script.ack(0)));
    assert_eq!(script.ssthresh(), 5.0);
}
