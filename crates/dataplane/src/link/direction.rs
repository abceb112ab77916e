//! One direction of a link: entrance, switch, rate and wire together.

use std::collections::HashSet;

use forebay_replay::with_room;
use forebay_switch::{
    AnySwitch, Ecn, Gauge, Handle, Observed, SwitchBuildError, SwitchConfig, SwitchObserver,
    SwitchShape,
};
use forebay_units::{Bytes, Rate, Time};

use super::config::EmulationConfig;
use super::counts::{FrameCounts, LinkLoss};
use super::decision::{Decision, FrameFate};
use super::flows::Flows;
use super::frame::Frame;
use super::node::{Node, Outcome};
use super::pace::Pace;
use super::policy::NewPolicy;
use super::rules::Rules;
use super::store::{Store, memory_of};
use super::wire::Wire;
use crate::meter::Meter;

/// What a frame has in front of an IP packet: Ethernet's header and a tag.
const LINK_HEADER: u32 = 14 + 4;

/// How many bytes the largest frame of a link with this MTU has in a buffer: with its Ethernet
/// header and a tag.
#[must_use]
pub fn largest_frame(mtu: u32) -> u32 {
    mtu.saturating_add(LINK_HEADER)
}

/// The least memory for frames on their way that a link with this MTU needs: that of its largest
/// frame. With less, every full frame would be lost.
#[must_use]
pub fn least_memory(mtu: u32) -> Bytes {
    Bytes::new(memory_of(largest_frame(mtu)))
}

/// The only port of a direction's switch.
const PORT: u16 = 0;

/// The switch in front of a link, and the mean rate of that: what a [`Direction`] works with.
pub struct Port {
    switch: AnySwitch,
    rate: [Rate; 1],
}

impl Port {
    /// The switch that `switch` describes, with room for the frames of a link like `config`, of
    /// this pace.
    ///
    /// # Errors
    /// If a parameter of the switch does not fit.
    pub fn new(
        switch: &SwitchConfig,
        config: &EmulationConfig,
        pace: &Pace,
    ) -> Result<Self, SwitchBuildError> {
        let rate = [pace.mean()];
        switch.check_lossy()?;
        let switch = with_room(switch.clone(), largest_frame(config.mtu));
        let switch = switch.build(&SwitchShape { index: 0, ports: &rate })?;
        Ok(Port { switch, rate })
    }

    /// The same, with whoever `observer` makes for such a switch told what happens in it.
    #[must_use]
    pub fn observed<O: SwitchObserver + Send + 'static>(
        self,
        index: u32,
        observer: impl FnOnce(&SwitchShape<'_>) -> O,
    ) -> Self {
        let observer = observer(&SwitchShape { index, ports: &self.rate });
        Port { switch: Box::new(Observed::new(self.switch, observer)), ..self }
    }

    /// The direction called `name`, which chooses its random streams; empty, at instant 0.
    pub fn direction(&mut self, config: &EmulationConfig, pace: Pace, name: &str) -> Direction<'_> {
        Direction {
            node: Node::new(&mut self.switch, &self.rate, vec![pace]),
            store: Store::new(config.memory.get()),
            wire: Wire::new(config, name),
            counts: FrameCounts::default(),
            given: 0,
            latest: Time::ZERO,
            held: Vec::new(),
            meter: None,
            decisions: None,
            flows: Flows::default(),
            rules: Rules::default(),
            mtu: config.mtu,
        }
    }
}

/// A frame that leaves a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Departure {
    /// When its last bit arrives at the other end.
    pub at: Time,
    /// The frame, marked if the switch said so.
    pub frame: Frame,
}

/// One direction of a link. Frames arrive in the order of time; then time
/// [advances](Direction::advance), and what has passed by then [departs](Direction::depart).
///
/// Every frame that arrived is exactly one of [held](Direction::held), given out, or counted as
/// lost. O(log frames) a frame beside what the switch takes, and memory up to
/// [`EmulationConfig::memory`].
pub struct Direction<'a> {
    node: Node<'a>,
    store: Store,
    wire: Wire,
    counts: FrameCounts,
    /// How many frames were given.
    given: u64,
    /// When the last of them arrives.
    latest: Time,
    /// By number in the store: which of them it is, and how far.
    held: Vec<Held>,
    meter: Option<Meter>,
    decisions: Option<Vec<Decision>>,
    flows: Flows,
    rules: Rules,
    mtu: u32,
}

/// A frame that is held.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    /// Which it is of those that were given.
    frame: u64,
    /// When it arrived.
    came: Time,
    /// Whether it is in the switch, and not yet on the wire.
    waits: bool,
}

impl Direction<'_> {
    /// The same, giving frames classes and ranks by these rules from now on.
    #[must_use]
    pub fn with_rules(self, rules: Rules) -> Self {
        Direction { rules, ..self }
    }

    /// The same, keeping every [decision](Direction::decisions) from now on.
    #[must_use]
    pub fn watched(mut self) -> Self {
        self.decisions = Some(Vec::new());
        self
    }

    /// What was decided since this was asked last, in the order in which it happened; nothing
    /// unless [watched](Direction::watched). They depend on the frames and their times alone, not
    /// on how often time advanced.
    pub fn decisions(&mut self) -> Vec<Decision> {
        self.decisions.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The same, [metered](Direction::meter) from now on.
    #[must_use]
    pub fn metered(self) -> Self {
        Direction { meter: Some(Meter::default()), ..self }
    }

    /// What passed since it was last taken out; none unless [metered](Direction::metered).
    pub fn meter(&mut self) -> Option<&mut Meter> {
        self.meter.as_mut()
    }

    /// Another policy decides from the instant on to which time has advanced. What waits moves to
    /// it: in the order in which the old switch would have served it, as if it arrived anew, and
    /// with the classes and ranks of the new rules. What the new switch has no room for is lost, as
    /// what the old one gives up on its way out. Gives back the old switch, to be freed elsewhere.
    pub fn change(&mut self, policy: NewPolicy) -> AnySwitch {
        let now = self.node.now();
        self.advance(now);
        let mut moved = Vec::new();
        let old = self.node.exchange(policy.switch, &mut moved);
        self.rules = policy.rules;
        self.advance(now);
        self.lose_all_but(&moved, now);
        for (port, packet) in moved {
            let (number, size) = (packet.packet().get(), packet.size());
            let Some(read) = self.store.get(number).map(Frame::read) else { continue };
            let frame = self.frame(number);
            let (class, rank) = self.rules.apply(now, frame, size, packet.flow(), &read);
            self.node.arrive(now, port, packet.with_class(class), rank);
        }
        self.advance(now);
        old
    }

    /// Loses what waited and is not among those that moved.
    fn lose_all_but(&mut self, moved: &[(u16, Handle)], now: Time) {
        let moved: HashSet<u32> = moved.iter().map(|(_, packet)| packet.packet().get()).collect();
        // What arrives later has not been in the old switch.
        let waits = |held: &Held| held.waits && held.came <= now;
        let stayed = |number: &u32| {
            !moved.contains(number) && self.held.get(*number as usize).is_some_and(waits)
        };
        let stayed: Vec<u32> = self.store.numbers().filter(stayed).collect();
        for number in stayed {
            let frame = self.frame(number);
            let size = self.store.take(number).map_or(0, |frame| frame.size());
            self.lose(LinkLoss::NotMoved, frame, size, now);
        }
    }

    /// Shows what can be read off the switch, as it was when something last happened in it: looking
    /// changes nothing.
    pub fn gauges(&self, show: &mut dyn FnMut(Gauge)) {
        self.node.switch().gauges(show);
    }

    /// A frame arrives, completely, at `at`: or at the direction's present, if that is later.
    pub fn arrive(&mut self, at: Time, buffered: Frame) {
        let present = self.node.now();
        let (size, payload) = (buffered.size(), buffered.payload());
        let read = buffered.read();
        self.counts.arrived.count(size);
        self.counts.stamped_late += u64::from(at < present);
        self.given += 1;
        let (frame, at) = (self.given, at.max(present).max(self.latest));
        if payload > self.mtu as usize {
            return self.lose(LinkLoss::TooLarge, frame, size, at);
        }
        let Ok(number) = self.store.put(buffered) else {
            return self.lose(LinkLoss::NoMemory, frame, size, at);
        };
        let held = Held { frame, came: at, waits: true };
        if let Some(place) = self.held.get_mut(number as usize) {
            *place = held;
        } else {
            self.held.push(held);
        }
        let flow = self.flows.number(read.flow);
        let (class, rank) = self.rules.apply(at, frame, size, flow, &read);
        let handle = Handle::numbered(number, flow, size).with_ecn(read.ecn).with_class(class);
        self.latest = at;
        self.node.arrive(at, PORT, handle, rank);
    }

    /// Lets everything happen until `now`.
    pub fn advance(&mut self, now: Time) {
        self.node.advance(now);
        while let Some(outcome) = self.node.outcome() {
            match outcome {
                Outcome::Sent { packet, end } => self.sent(packet, end),
                Outcome::Lost { packet, at, cause } => {
                    let number = packet.packet().get();
                    let fate = FrameFate::Lost { at, cause: cause.name() };
                    self.decide(self.frame(number), fate);
                    let lost = self.store.take(number);
                    if let (Some(meter), Some(lost)) = (&mut self.meter, lost) {
                        meter.lost(&lost);
                    }
                    self.counts.dropped.count(cause, packet.size());
                }
            }
        }
    }

    /// The next frame that has left by `now`, to which time has advanced. Frames come in the order
    /// of their times.
    pub fn depart(&mut self, now: Time) -> Option<Departure> {
        let (at, number) = self.wire.arrived(now)?;
        let frame = self.store.take(number)?;
        if let Some(meter) = &mut self.meter {
            let came = self.held.get(number as usize).map_or(at, |held| held.came);
            meter.left(&frame, at.since(came));
        }
        self.counts.left.count(frame.size());
        Some(Departure { at, frame })
    }

    /// When something will next happen if nothing arrives before: an event inside, or a departure.
    pub fn next_event(&mut self) -> Option<Time> {
        self.node.due().into_iter().chain(self.wire.due()).min()
    }

    /// No frame departs before this if none arrives, nor one that arrives later than that.
    pub fn next_departure(&mut self) -> Option<Time> {
        let sent = self.node.due().map(|due| due + self.wire.least());
        sent.into_iter().chain(self.wire.due()).min()
    }

    /// What has gone through, and what has not.
    #[must_use]
    pub fn counts(&self) -> &FrameCounts {
        &self.counts
    }

    /// The same, for losses that happen outside: before frames arrive here, or once they have left.
    pub fn counts_mut(&mut self) -> &mut FrameCounts {
        &mut self.counts
    }

    /// How many frames wait or are on their way.
    #[must_use]
    pub fn held(&self) -> usize {
        self.store.len()
    }

    /// How many frames are on the wire: those of [`Direction::held`] that have left the switch.
    #[must_use]
    pub fn on_the_wire(&self) -> usize {
        self.wire.len()
    }

    /// A frame's last bit leaves the port at `end`, and begins its way along the wire.
    fn sent(&mut self, packet: Handle, end: Time) {
        let number = packet.packet().get();
        let frame = self.frame(number);
        let marked =
            packet.ecn() == Ecn::Experienced && self.store.get_mut(number).is_some_and(Frame::mark);
        self.counts.marked += u64::from(marked);
        if let Some(held) = self.held.get_mut(number as usize) {
            held.waits = false;
            if let Some(meter) = &mut self.meter {
                meter.sent(0, PORT, packet, marked, end.since(held.came));
            }
        }
        match self.wire.send(end, number) {
            Some(at) => self.decide(frame, FrameFate::Left { end, at, marked }),
            None => {
                self.store.take(number);
                self.lose(LinkLoss::Wire, frame, packet.size(), end);
            }
        }
    }

    fn lose(&mut self, cause: LinkLoss, frame: u64, size: u32, at: Time) {
        self.counts.lose(cause, 1, size.into());
        self.decide(frame, FrameFate::Lost { at, cause: cause.name() });
    }

    fn decide(&mut self, frame: u64, fate: FrameFate) {
        if let Some(decisions) = &mut self.decisions {
            decisions.push(Decision { frame, fate });
        }
    }

    /// Which of the frames that were given has this number in the store.
    fn frame(&self, number: u32) -> u64 {
        self.held.get(number as usize).map_or(0, |held| held.frame)
    }
}
