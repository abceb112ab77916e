//! The links into the switch: what each sends next, and which priorities it has been told to pause.
//!
//! A link sends one packet at a time, at its port's speed, of the flows that are due in turn. A
//! flow's next packet is due when its last one would have ended at the flow's own rate; a pause
//! delays it, and nothing is made up for. O(flows of the link) a packet.

use forebay_units::{Bytes, Duration, Rate, Time};

/// A flow and what it still has to send.
#[derive(Clone, Debug)]
pub struct Flow {
    /// The port that it leaves through.
    pub output: u16,
    /// The class that its packets have in the switch.
    pub class: u8,
    /// The priority that a pause must name to stop it; none if no pause does.
    pub priority: Option<u8>,
    /// How fast it sends.
    pub rate: Rate,
    /// Bytes left to send; none if it never ends.
    pub left: Option<u64>,
    /// When its next packet may begin.
    pub due: Time,
}

impl Flow {
    fn next_size(&self, packet: u32) -> Option<u32> {
        match self.left {
            None => Some(packet),
            Some(0) => None,
            Some(left) => Some(left.min(packet.into()) as u32),
        }
    }
}

/// A link into the switch.
#[derive(Clone, Debug)]
pub struct Input {
    rate: Rate,
    /// How long a bit takes over it.
    pub one_way: Duration,
    busy_until: Time,
    /// Its flows, and the one whose turn is next.
    flows: Vec<u32>,
    turn: usize,
    /// A bit for each priority that is paused.
    paused: u8,
}

/// What a link does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// It begins a packet of a flow: its size, and when its last bit has left.
    Sends {
        /// Which flow.
        flow: u32,
        /// Bytes.
        size: u32,
        /// When the link is free again.
        until: Time,
    },
    /// Nothing is due before then.
    Waits(Time),
    /// Nothing will be due, unless a pause ends.
    Idle,
}

impl Input {
    /// An idle link with these flows.
    #[must_use]
    pub fn new(rate: Rate, one_way: Duration, flows: Vec<u32>) -> Self {
        Input { rate, one_way, busy_until: Time::ZERO, flows, turn: 0, paused: 0 }
    }

    /// From now on the priority is paused, or no more.
    pub fn obey(&mut self, priority: u8, on: bool) {
        let bit = 1u8 << (priority & 7);
        self.paused = if on { self.paused | bit } else { self.paused & !bit };
    }

    /// Whether a priority is paused.
    #[must_use]
    pub fn is_paused(&self, priority: u8) -> bool {
        self.paused >> (priority & 7) & 1 == 1
    }

    /// How long a packet of this size takes on it.
    #[must_use]
    pub fn time_for(&self, size: u32) -> Duration {
        self.rate.time_for(Bytes::new(size.into()))
    }

    /// Begins the next packet that is due, if the link is free.
    pub fn next(&mut self, now: Time, flows: &mut [Flow], packet: u32) -> Next {
        if self.busy_until > now {
            return Next::Waits(self.busy_until);
        }
        let mut first = Time::MAX;
        for step in 0..self.flows.len() {
            let place = (self.turn + step) % self.flows.len();
            let number = self.flows[place];
            let flow = &mut flows[number as usize];
            let open = flow.priority.is_none_or(|priority| !self.is_paused(priority));
            let Some(size) = flow.next_size(packet).filter(|_| open) else { continue };
            if flow.due > now {
                first = first.min(flow.due);
                continue;
            }
            flow.left = flow.left.map(|left| left - u64::from(size));
            flow.due = now + flow.rate.time_for(Bytes::new(size.into()));
            self.turn = (place + 1) % self.flows.len();
            self.busy_until = now + self.time_for(size);
            return Next::Sends { flow: number, size, until: self.busy_until };
        }
        if first == Time::MAX { Next::Idle } else { Next::Waits(first) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(us: u64) -> Time {
        Time::ZERO + Duration::from_us(us)
    }

    #[test]
    fn a_link_sends_one_packet_at_a_time_and_leaves_out_who_is_paused() {
        let flow = |priority, left| Flow {
            output: 0,
            class: 0,
            priority,
            rate: Rate::from_gbps(4),
            left,
            due: Time::ZERO,
        };
        // 1000 bytes take 1 µs on the link, and are due every 2 µs.
        let mut flows = vec![flow(None, None), flow(Some(3), Some(1_500))];
        let mut input = Input::new(Rate::from_gbps(8), Duration::ZERO, vec![0, 1]);
        let sends = |flow, size, until| Next::Sends { flow, size, until: at(until) };
        assert_eq!(input.next(at(0), &mut flows, 1000), sends(0, 1000, 1));
        assert_eq!(input.next(at(0), &mut flows, 1000), Next::Waits(at(1)));
        assert_eq!(input.next(at(1), &mut flows, 1000), sends(1, 1000, 2));
        input.obey(3, true);
        assert!(input.is_paused(3) && !input.is_paused(4));
        assert_eq!(input.next(at(3), &mut flows, 1000), sends(0, 1000, 4));
        assert_eq!(input.next(at(4), &mut flows, 1000), Next::Waits(at(5)));
        input.obey(3, false);
        assert_eq!(input.next(at(4), &mut flows, 1000).clone(), sends_last(4));
        flows[0].left = Some(0);
        assert_eq!(input.next(at(9), &mut flows, 1000), Next::Idle);
    }

    /// The 500 bytes that were left, half a microsecond.
    fn sends_last(us: u64) -> Next {
        Next::Sends { flow: 1, size: 500, until: at(us) + Duration::from_ns(500) }
    }
}
