//! A lossy pipe: one queue of a fixed rate, a fixed delay each way, losses and marks as told.

use std::boxed::Box;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::transport::{
    Ack, CongestionControl, Controller, Receiver, ReceiverConfig, Segment, Sender, SenderConfig,
};
use forebay_switch::Ecn;
use forebay_units::{Bytes, Duration, Rate, Time};

extern crate std;

enum Event {
    Data(Segment),
    Ack(Ack),
}

/// What happens to the `n`-th packet sent in a direction: lost, or delivered with an extra delay.
pub(super) type Fate = Box<dyn FnMut(u64) -> Option<Duration>>;

/// A packet of either direction is delivered without extra delay.
pub(super) fn safe() -> Fate {
    Box::new(|_| Some(Duration::ZERO))
}

pub(super) struct Pipe {
    pub(super) rate: Rate,
    pub(super) delay: Duration,
    /// Queue above which segments are marked.
    pub(super) mark_above: Bytes,
    pub(super) data_fate: Fate,
    pub(super) ack_fate: Fate,
}

/// What happened last, for a checker.
pub(super) enum Step<'a> {
    Sent(&'a Segment),
    Received(&'a Segment),
    Answered(&'a Ack),
    Acknowledged(&'a Ack),
    TimerCalled,
}

/// One flow over a pipe.
pub(super) struct Flow {
    pub(super) sender: Sender<Controller>,
    pub(super) receiver: Receiver,
    pub(super) now: Time,
    pipe: Pipe,
    events: BTreeMap<(Time, u64), Event>,
    free_at: Time,
    counts: [u64; 3],
}

impl Flow {
    pub(super) fn new(
        control: Controller,
        sender: SenderConfig,
        mut receiver: ReceiverConfig,
        length: Option<Bytes>,
        pipe: Pipe,
    ) -> Self {
        if sender.ecn {
            receiver.ecn = control.ecn_echo();
        }
        Flow {
            sender: Sender::new(Arc::new(sender), length, control).unwrap(),
            receiver: Receiver::new(Arc::new(receiver)).unwrap(),
            now: Time::ZERO,
            pipe,
            events: BTreeMap::new(),
            free_at: Time::ZERO,
            counts: [0; 3],
        }
    }

    /// Bytes in the queue.
    pub(super) fn queue(&self) -> Bytes {
        let wait = self.free_at.since(self.now).as_secs_f64();
        Bytes::new((wait * self.pipe.rate.as_bps() as f64 / 8.0) as u64)
    }

    /// Runs to `until`, or until nothing is left to do. Whether the flow finished.
    pub(super) fn run(&mut self, until: Time, mut see: impl FnMut(&Flow, Step<'_>)) -> bool {
        loop {
            while let Some(segment) = self.sender.poll(self.now) {
                self.transmit(segment);
                see(self, Step::Sent(&segment));
            }
            let event = self.events.first_key_value().map(|(&(time, _), _)| time);
            let timers = [self.sender.deadline(), self.receiver.deadline()];
            let timer = timers.into_iter().flatten().min();
            let Some(next) = event.into_iter().chain(timer).min().filter(|&next| next <= until)
            else {
                return self.sender.is_finished();
            };
            self.now = next;
            if event == Some(next) {
                self.handle_event(&mut see);
            } else {
                let answer = self.receiver.on_deadline(next);
                self.answer(answer, &mut see);
                self.sender.on_deadline(next);
                see(self, Step::TimerCalled);
            }
        }
    }

    fn handle_event(&mut self, see: &mut impl FnMut(&Flow, Step<'_>)) {
        match self.events.pop_first() {
            Some((_, Event::Data(segment))) => {
                let answer = self.receiver.on_segment(self.now, &segment);
                see(self, Step::Received(&segment));
                self.answer(answer, see);
            }
            Some((_, Event::Ack(ack))) => {
                self.sender.on_ack(self.now, &ack);
                see(self, Step::Acknowledged(&ack));
            }
            None => {}
        }
    }

    fn count(&mut self, what: usize) -> u64 {
        self.counts[what] += 1;
        self.counts[what] - 1
    }

    fn transmit(&mut self, mut segment: Segment) {
        if segment.ecn == Ecn::Capable && self.queue() > self.pipe.mark_above {
            segment.ecn = Ecn::Experienced;
        }
        self.free_at = self.free_at.max(self.now) + self.pipe.rate.time_for(segment.payload());
        let number = self.count(0);
        if let Some(extra) = (self.pipe.data_fate)(number) {
            let at = self.free_at + self.pipe.delay + extra;
            let order = self.count(2);
            self.events.insert((at, order), Event::Data(segment));
        }
    }

    fn answer(&mut self, ack: Option<Ack>, see: &mut impl FnMut(&Flow, Step<'_>)) {
        let Some(ack) = ack else { return };
        see(self, Step::Answered(&ack));
        let number = self.count(1);
        if let Some(extra) = (self.pipe.ack_fate)(number) {
            let order = self.count(2);
            self.events.insert((self.now + self.pipe.delay + extra, order), Event::Ack(ack));
        }
    }
}
