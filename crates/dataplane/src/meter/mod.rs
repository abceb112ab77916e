//! What passes through switches in a stretch of time, for whoever looks on: by port and class, and
//! the largest flows.
//!
//! Memory is bounded whatever passes: [`MOST_QUEUES`] queues are told apart, and [`MOST_FLOWS`]
//! flows. O(1) a frame, but for a flow that is not among those, which costs O([`MOST_FLOWS`]).

mod flows;

use std::collections::HashMap;

use forebay_switch::{Handle, Tally};
use forebay_units::Duration;

use crate::lateness::Lateness;
use crate::link::Frame;
use flows::Largest;
pub use flows::{FlowPassed, MOST_FLOWS};

/// The most queues (of a device, a port and a class) that are told apart; what is of others is not
/// counted.
pub const MOST_QUEUES: usize = 1024;

/// A queue: of a class at a port of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct QueueName {
    /// The device, from 0; of a link the direction's 0.
    pub device: u32,
    /// The port, from 0.
    pub port: u16,
    /// The class, from 0, the most urgent.
    pub class: u8,
}

/// What was sent from a queue.
#[derive(Clone, Debug, Default)]
pub struct QueuePassed {
    /// The frames.
    pub sent: Tally,
    /// Those among them that were marked.
    pub marked: u64,
    /// From the arrival at the switch until the last bit was sent.
    pub waits: Lateness,
}

/// What passed in a stretch of time.
#[derive(Clone, Debug, Default)]
pub struct Passed {
    /// By queue, in their order.
    pub queues: Vec<(QueueName, QueuePassed)>,
    /// The largest flows by what left, the largest first.
    pub flows: Vec<FlowPassed>,
    /// All that left, of every flow.
    pub left: Tally,
}

/// Counts what passes.
#[derive(Debug, Default)]
pub struct Meter {
    queues: HashMap<QueueName, QueuePassed>,
    flows: Largest,
    left: Tally,
}

impl Meter {
    /// A frame was sent from a queue, a `wait` after it arrived there.
    pub(crate) fn sent(
        &mut self,
        device: u32,
        port: u16,
        packet: Handle,
        is_marked: bool,
        wait: Duration,
    ) {
        let name = QueueName { device, port, class: packet.class() };
        if self.queues.len() >= MOST_QUEUES && !self.queues.contains_key(&name) {
            return;
        }
        let queue = self.queues.entry(name).or_default();
        queue.sent.count(packet.size());
        queue.marked += u64::from(is_marked);
        queue.waits.count(wait);
    }

    /// A frame left altogether, so long after it came.
    pub(crate) fn left(&mut self, frame: &Frame, took: Duration) {
        let size = frame.size();
        self.left.count(size);
        self.flows.left(frame.flow(), size, took);
    }

    /// A switch gave a frame up.
    pub(crate) fn lost(&mut self, frame: &Frame) {
        self.flows.lost(frame.flow());
    }

    /// What has passed since this was last called, with the `top` largest flows.
    pub fn take(&mut self, top: usize) -> Passed {
        let mut queues: Vec<_> = self.queues.drain().collect();
        queues.sort_unstable_by_key(|(name, _)| *name);
        Passed { queues, flows: self.flows.take(top), left: std::mem::take(&mut self.left) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_of_time_begins_when_the_last_was_taken() {
        let mut meter = Meter::default();
        let frame = Frame::new(vec![0; 1500]);
        let packet = Handle::new(1, 1500).with_class(3);
        for wait in 1..=10 {
            meter.sent(2, 1, packet, wait == 3, Duration::from_us(wait));
            meter.left(&frame, Duration::from_us(2 * wait));
        }
        let passed = meter.take(5);
        let [(name, queue)] = passed.queues.as_slice() else { panic!("{passed:?}") };
        assert_eq!(*name, QueueName { device: 2, port: 1, class: 3 });
        assert_eq!((queue.sent.packets, queue.sent.bytes, queue.marked), (10, 15_000, 1));
        assert_eq!(queue.waits.longest(), Duration::from_us(10));
        assert_eq!((passed.left.packets, passed.flows.len()), (10, 1));
        let nothing = meter.take(5);
        assert!(nothing.queues.is_empty() && nothing.flows.is_empty() && nothing.left.packets == 0);
    }

    #[test]
    fn queues_are_bounded() {
        let mut meter = Meter::default();
        for device in 0..2 * MOST_QUEUES as u32 {
            meter.sent(device, 0, Handle::new(1, 60), false, Duration::ZERO);
        }
        assert_eq!(meter.take(1).queues.len(), MOST_QUEUES);
    }
}
