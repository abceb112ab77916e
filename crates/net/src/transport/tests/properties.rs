//! With any pattern of loss, reordering and options: the flow ends, every byte arrives once and in
//! order, the window is kept, and what is in flight is counted right.

use std::boxed::Box;
use std::ops::Range;
use std::sync::Arc;
use std::vec;
use std::vec::Vec;

use super::pipe::{Fate, Flow, Pipe, Step};
use crate::transport::{
    Ack, DelayedAck, Phase, Receiver, ReceiverConfig, RtoConfig, Segment, Sender, SenderConfig,
};
use forebay_switch::Ecn;
use forebay_units::{Bytes, Duration, Rate, Time};
use proptest::prelude::*;

extern crate std;

const MSS: u64 = 100;

/// What a naive observer knows of a flow.
struct Model {
    /// Which bytes the receiver has, and how many of the first.
    got: Vec<bool>,
    prefix: usize,
    /// The same before the last segment.
    earlier_prefix: usize,
    refused: u32,
    /// Bytes sent since the last timeout and not acknowledged in any way, and how many they are.
    flying: Vec<bool>,
    in_flight: u64,
    una: u64,
    timeouts: u32,
    /// Whether the next segment may be a probe.
    probes: bool,
    steps: u64,
}

impl Model {
    fn new(length: usize) -> Self {
        Model {
            got: vec![false; length],
            prefix: 0,
            earlier_prefix: 0,
            refused: 0,
            flying: vec![false; length],
            in_flight: 0,
            una: 0,
            timeouts: 0,
            probes: false,
            steps: 0,
        }
    }

    fn see(&mut self, flow: &Flow, step: Step<'_>) {
        self.steps += 1;
        assert!(self.steps < 2_000_000, "no progress: {:?}", flow.sender);
        match step {
            Step::Sent(segment) => self.sent(flow, segment),
            Step::Received(segment) => self.received(flow, segment),
            Step::Answered(ack) => self.answered(ack),
            Step::Acknowledged(ack) => self.acknowledged(ack),
            Step::TimerCalled => self.probes = flow.sender.finds_by_time(),
        }
        if self.timeouts != flow.sender.counters().timeouts {
            self.timeouts = flow.sender.counters().timeouts;
            self.fly(0..self.flying.len() as u64, false);
        }
        assert!(flow.sender.bytes_in_flight() <= Bytes::new(2 * self.got.len() as u64));
        if flow.sender.phase() != Phase::SackRecovery {
            let expected = Bytes::new(self.in_flight);
            assert_eq!(flow.sender.bytes_in_flight(), expected, "{:?}", flow.sender);
        }
    }

    fn fly(&mut self, bytes: Range<u64>, flying: bool) {
        for byte in &mut self.flying[bytes.start as usize..bytes.end as usize] {
            self.in_flight = self.in_flight + u64::from(flying) - u64::from(*byte);
            *byte = flying;
        }
    }

    fn sent(&mut self, flow: &Flow, segment: &Segment) {
        assert!(segment.len > 0 && u64::from(segment.len) <= MSS);
        assert!(segment.end() <= self.got.len() as u64 && segment.seq >= self.una);
        self.fly(segment.seq..segment.end(), true);
        // A probe is sent whatever the window.
        if !segment.resent && !self.probes {
            let window = flow.sender.window();
            let extra = if flow.sender.phase() == Phase::Open { 2 } else { 0 };
            let allowed = window.cwnd + window.mss * extra;
            assert!(flow.sender.bytes_in_flight() <= allowed, "{:?}", flow.sender);
        }
        self.probes = false;
        assert!(flow.sender.deadline().is_some());
    }

    fn received(&mut self, flow: &Flow, segment: &Segment) {
        if self.refused == flow.receiver.refused() {
            self.got[segment.seq as usize..segment.end() as usize].fill(true);
        }
        self.refused = flow.receiver.refused();
        self.earlier_prefix = self.prefix;
        while self.got.get(self.prefix) == Some(&true) {
            self.prefix += 1;
        }
        assert_eq!(flow.receiver.delivered(), Bytes::new(self.prefix as u64));
    }

    fn answered(&self, ack: &Ack) {
        // What waited when the mark changed is acknowledged without the segment that changed it.
        let known = [self.prefix as u64, self.earlier_prefix as u64];
        assert!(known.contains(&ack.cumulative), "{ack:?}, {known:?}");
        for (start, end) in ack.sack_blocks() {
            assert!(self.got[start as usize..end as usize].iter().all(|&g| g));
        }
    }

    fn acknowledged(&mut self, ack: &Ack) {
        if ack.cumulative < self.una {
            return;
        }
        self.fly(self.una..ack.cumulative, false);
        self.una = ack.cumulative;
        ack.sack_blocks().for_each(|(start, end)| self.fly(start..end, false));
    }
}

/// A repeated pattern: 0 loses the packet, anything else delays it by so many microseconds less
/// one.
fn fate(pattern: Vec<u8>) -> Fate {
    Box::new(move |n| {
        let entry = pattern[(n % pattern.len() as u64) as usize];
        (entry > 0).then(|| Duration::from_us(u64::from(entry) - 1))
    })
}

fn pattern() -> impl Strategy<Value = Vec<u8>> {
    let entry = prop_oneof![3 => Just(1u8), 2 => Just(0u8), 1 => 1..60u8];
    prop::collection::vec(entry, 1..14)
        .prop_filter("not all may be lost", |pattern| pattern.iter().any(|&entry| entry > 0))
}

fn configs() -> impl Strategy<Value = (SenderConfig, ReceiverConfig)> {
    let flags = prop::array::uniform7(any::<bool>());
    (flags, 1..12u32, any::<bool>(), 1..6u16).prop_map(|(flags, initial_window, ecn, ranges)| {
        let [timestamps, limited_transmit, sack, slow_but_steady, delayed, few, by_time] = flags;
        let rto = RtoConfig {
            initial: Duration::from_us(300),
            min: Duration::from_us(150),
            max: Duration::from_ms(5),
            granularity: Duration::from_us(1),
        };
        let sender = SenderConfig {
            mss: Bytes::new(MSS),
            initial_window,
            rto,
            timestamps,
            limited_transmit,
            sack,
            loss_by_time: sack && by_time,
            slow_but_steady,
            ecn,
            ..SenderConfig::default()
        };
        let delayed_ack = delayed.then_some(DelayedAck { timer: Duration::from_us(100), every: 2 });
        let max_ranges = if few { ranges } else { 256 };
        (sender, ReceiverConfig { delayed_ack, sack, max_ranges, ..ReceiverConfig::default() })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn every_flow_ends_with_every_byte_in_order(
        (sender, receiver) in configs(),
        name in prop::sample::select(&["new-reno", "cubic", "dctcp"][..]),
        length in 1..8_000u64,
        data in pattern(),
        acks in pattern(),
    ) {
        let pipe = Pipe {
            rate: Rate::from_gbps(1),
            delay: Duration::from_us(30),
            mark_above: Bytes::new(5 * MSS),
            data_fate: fate(data),
            ack_fate: fate(acks),
        };
        let mut flow = Flow::new(super::control(name), sender, receiver, Some(Bytes::new(length)), pipe);
        let mut model = Model::new(length as usize);
        prop_assert!(flow.run(Time::MAX, |flow, step| model.see(flow, step)));
        prop_assert_eq!(flow.receiver.delivered(), Bytes::new(length));
        prop_assert!(model.got.iter().all(|&g| g));
        prop_assert_eq!(flow.sender.bytes_in_flight(), Bytes::ZERO);
        let counters = flow.sender.counters();
        let first_time = counters.segments - u64::from(counters.resent);
        prop_assert_eq!(first_time, length.div_ceil(MSS));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn no_acknowledgement_or_segment_can_break_the_state(
        (sender, receiver) in configs(),
        name in prop::sample::select(&["new-reno", "cubic", "dctcp"][..]),
        steps in prop::collection::vec(
            (0..4u8, 0..3000u64, 0..3000u64, 0..900u64, any::<bool>(), 0..400u64),
            1..150,
        ),
    ) {
        let mut sender =
            Sender::new(Arc::new(sender), Some(Bytes::new(2500)), super::control(name)).unwrap();
        let mut receiver = Receiver::new(Arc::new(receiver)).unwrap();
        let mut now = Time::ZERO;
        for (step, a, b, len, flag, wait) in steps {
            now += Duration::from_us(wait);
            match step {
                0 | 1 => {
                    let mut ack = Ack::cumulative(if step == 0 { a } else { a / 50 });
                    ack.add_sack(b, b + len);
                    ack.add_sack(a + len, a + b);
                    ack.ece = flag;
                    ack.echo = if flag { Time::from_ps(a) } else { Time::MAX };
                    sender.on_ack(now, &ack);
                }
                2 => sender.on_deadline(now),
                _ => {
                    let ecn = if flag { Ecn::Experienced } else { Ecn::Capable };
                    let seq = if b == 0 { u64::MAX - a } else { a };
                    let segment = Segment { seq, len: len as u32, ecn, ..Segment::default() };
                    receiver.on_segment(now, &segment);
                    receiver.on_deadline(now);
                }
            }
            let polled = std::iter::from_fn(|| sender.poll(now)).take(100).count();
            prop_assert!(polled < 100, "a bounded flow has no more to send: {sender:?}");
            prop_assert!(sender.window().cwnd >= sender.window().mss);
            prop_assert!(sender.acknowledged() <= Bytes::new(2500));
        }
    }
}
