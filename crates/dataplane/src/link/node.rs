//! A switch with the links behind its ports, and what becomes of the packets that are given to it,
//! as a list that whoever drives it reads afterwards. O(1) a packet that is given in the order of
//! time, beside the switch.

use std::collections::VecDeque;

use forebay_sched::Rank;
use forebay_switch::{AnySwitch, DropCause, Handle, Links, Lost, SwitchModel, Traffic};
use forebay_units::{Bytes, Rate, Time};

use super::pace::Pace;

/// What became of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Its last bit leaves its port at `end`.
    Sent {
        /// The packet, marked if the switch said so.
        packet: Handle,
        /// When.
        end: Time,
    },
    /// The switch gave it up.
    Lost {
        /// What the switch knows it by.
        packet: Handle,
        /// When.
        at: Time,
        /// Why.
        cause: DropCause,
    },
}

/// The switch, and what has happened in it that nobody has read yet.
pub(crate) struct Node<'a> {
    links: Links<'a, AnySwitch, Passage>,
}

impl<'a> Node<'a> {
    /// An empty one at instant 0, whose ports send at these paces; `rates` are their means.
    pub(crate) fn new(switch: &'a mut AnySwitch, rates: &'a [Rate], paces: Vec<Pace>) -> Self {
        let passage = Passage { arriving: VecDeque::new(), paces, outcomes: VecDeque::new() };
        Node { links: Links::new(switch, rates, passage) }
    }

    /// Until when all has happened.
    pub(crate) fn now(&self) -> Time {
        self.links.now()
    }

    /// The switch, to look at.
    pub(crate) fn switch(&self) -> &AnySwitch {
        self.links.switch()
    }

    /// A packet arrives at `at`, which is no earlier than the present, for `port`. Those of one
    /// instant arrive in the order in which they are given.
    pub(crate) fn arrive(&mut self, at: Time, port: u16, packet: Handle, rank: Option<Rank>) {
        let arriving = &mut self.links.traffic.arriving;
        let place = match arriving.back() {
            // Given once more, to another switch, while later ones are known already.
            Some(last) if last.at > at => arriving.partition_point(|other| other.at <= at),
            _ => arriving.len(),
        };
        arriving.insert(place, Arriving { at, port, packet, rank });
    }

    /// When something will happen, if nothing arrives before.
    pub(crate) fn due(&mut self) -> Option<Time> {
        self.links.due()
    }

    /// Lets everything happen until `now`.
    pub(crate) fn advance(&mut self, now: Time) {
        let now = now.max(self.links.now());
        while self.links.step_until(now) {}
    }

    /// Puts another switch in the place of this one, at the present, and adds to `moved` what
    /// waited, with its port, in the order in which it is to arrive again. What was lost by it is
    /// among the outcomes. The old switch is given back.
    pub(crate) fn exchange(
        &mut self,
        switch: AnySwitch,
        moved: &mut Vec<(u16, Handle)>,
    ) -> AnySwitch {
        self.links.exchange(switch, |port, packet| moved.push((port, packet)))
    }

    /// What became of the packet that is next in the order of what happened.
    pub(crate) fn outcome(&mut self) -> Option<Outcome> {
        self.links.traffic.outcomes.pop_front()
    }
}

/// A packet that was given and has not arrived.
struct Arriving {
    at: Time,
    port: u16,
    packet: Handle,
    rank: Option<Rank>,
}

struct Passage {
    /// In the order in which they arrive.
    arriving: VecDeque<Arriving>,
    paces: Vec<Pace>,
    outcomes: VecDeque<Outcome>,
}

impl<S: SwitchModel> Traffic<S> for Passage {
    fn next_at(&self) -> Option<Time> {
        self.arriving.front().map(|next| next.at)
    }

    fn arrive(&mut self, _: Time, switch: &mut S) -> Option<(u16, Handle)> {
        let Arriving { port, packet, rank, .. } = self.arriving.pop_front()?;
        if let Some(rank) = rank {
            // Whoever ranks by the size of a flow ranks the packet so.
            let size = Bytes::new(rank.get());
            switch.flow_added(packet.flow(), size, size);
        }
        Some((port, packet))
    }

    fn end(&mut self, port: u16, rate: Rate, begin: Time, size: Bytes) -> Time {
        match self.paces.get_mut(usize::from(port)) {
            Some(pace) => pace.end(begin, size),
            None => begin + rate.time_for(size),
        }
    }

    fn sent(&mut self, packet: &Handle, _: Time, end: Time) {
        self.outcomes.push_back(Outcome::Sent { packet: *packet, end });
    }

    fn lost(&mut self, lost: &Lost, at: Time, _: &S) {
        let Lost { packet, cause, .. } = *lost;
        self.outcomes.push_back(Outcome::Lost { packet, at, cause });
    }
}
