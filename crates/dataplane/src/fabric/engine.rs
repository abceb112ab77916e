//! The fabric's event loop.

mod change;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use forebay_replay::with_room;
use forebay_switch::{
    AnySwitch, DropCause, Ecn, Handle, Observed, SwitchBuildError, SwitchObserver, SwitchShape,
    Tally,
};
use forebay_units::{Duration, Rate, Time};

use super::config::{DeviceConfig, Peer, PortConfig};
use super::counts::DeviceCounts;
use super::decision::HopDecision;
use super::forwarding::{Forwarding, Way};
use crate::link::{
    Flows, Frame, FrameCounts, FrameFate, LinkLoss, Node, Outcome, Pace, Rules, Store, Wire,
    largest_frame,
};
use crate::meter::Meter;

pub use change::Shapes;

/// The switches of a fabric, from which a [`Fabric`] is made.
pub struct Devices {
    made: Vec<Made>,
    mtu: u32,
    memory: u64,
}

struct Made {
    config: DeviceConfig,
    switch: AnySwitch,
    rates: Vec<Rate>,
    paces: Vec<Pace>,
}

impl Devices {
    /// Builds every switch, with room for frames of this MTU; all frames together take at most
    /// `memory` bytes.
    ///
    /// # Errors
    /// The first device, by its number, whose switch cannot be built.
    pub fn build(
        configs: Vec<DeviceConfig>,
        mtu: u32,
        memory: u64,
    ) -> Result<Self, (usize, SwitchBuildError)> {
        let build = |(index, config): (usize, DeviceConfig)| {
            let paces: Vec<Pace> = config.ports.iter().map(|port| port.pace.clone()).collect();
            let rates: Vec<Rate> = paces.iter().map(Pace::mean).collect();
            let switch = with_room(config.switch.clone(), largest_frame(mtu));
            let shape = SwitchShape { index: index as u32, ports: &rates };
            let switch = switch.build(&shape).map_err(|error| (index, error))?;
            Ok(Made { config, switch, rates, paces })
        };
        let made = configs.into_iter().enumerate().map(build).collect::<Result<_, _>>()?;
        Ok(Devices { made, mtu, memory })
    }

    /// The same, with whoever `observer` makes for each switch told what happens in it.
    #[must_use]
    pub fn observed<O: SwitchObserver + Send + 'static>(
        mut self,
        mut observer: impl FnMut(&str, &SwitchShape<'_>) -> O,
    ) -> Self {
        let observe = |(index, made): (usize, Made)| {
            let shape = SwitchShape { index: index as u32, ports: &made.rates };
            let observer = observer(&made.config.name, &shape);
            Made { switch: Box::new(Observed::new(made.switch, observer)), ..made }
        };
        self.made = self.made.into_iter().enumerate().map(observe).collect();
        self
    }

    /// The shapes of these devices, for whoever makes another policy for one while they are in use.
    #[must_use]
    pub fn shapes(&self) -> Shapes {
        Shapes { rates: self.made.iter().map(|made| made.rates.clone()).collect(), mtu: self.mtu }
    }

    /// By edge: from which port of which device frames leave there.
    fn exits_at(&self) -> Vec<Option<(u32, u16)>> {
        let mut all = Vec::new();
        for (device, made) in (0..).zip(&self.made) {
            for (port, config) in (0..).zip(&made.config.ports) {
                let Peer::Edge(edge) = config.peer else { continue };
                let edge = edge as usize;
                all.resize(all.len().max(edge + 1), None);
                all[edge] = Some((device, port));
            }
        }
        all
    }

    /// For how long frames of one segment that leave at an edge wait for one another.
    #[must_use]
    pub fn together(&self, edge: u32) -> Duration {
        let ports = self.made.iter().flat_map(|made| &made.config.ports);
        let mut leading = ports.filter(|port| port.peer == Peer::Edge(edge));
        leading.next().map_or(Duration::ZERO, |port| port.link.together)
    }

    /// The fabric of these switches, empty, at instant 0. Frames that come in at edge `i` arrive at
    /// `entrances[i]`, a device and a port of it.
    pub fn fabric(&mut self, entrances: Vec<(u32, u16)>) -> Fabric<'_> {
        let exits_at = self.exits_at();
        Fabric {
            devices: self.made.iter_mut().map(Device::new).collect(),
            latest: vec![Time::ZERO; entrances.len()],
            exits_at,
            entrances,
            store: Store::new(self.memory),
            on_the_way: Vec::new(),
            given: 0,
            decisions: None,
            meter: None,
            flows: Flows::default(),
            events: BinaryHeap::new(),
            sequence: 0,
            exits: VecDeque::new(),
            mtu: self.mtu,
            now: Time::ZERO,
        }
    }
}

/// A frame that leaves a fabric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exit {
    /// When its last bit arrives at the edge.
    pub at: Time,
    /// The number of the edge where it leaves.
    pub edge: u32,
    /// The frame, as the last device has sent it.
    pub frame: Frame,
}

/// A frame that comes into a fabric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incoming {
    /// When its last bit has come.
    pub at: Time,
    /// Through which edge.
    pub edge: u32,
    /// What came, headers included.
    pub frame: Frame,
}

/// Devices and everything on its way between them; see the [module's head](super).
pub struct Fabric<'a> {
    devices: Vec<Device<'a>>,
    /// By edge: from which port of which device frames leave there.
    exits_at: Vec<Option<(u32, u16)>>,
    /// By edge: where frames arrive that come through it.
    entrances: Vec<(u32, u16)>,
    /// By edge: when the last of them does.
    latest: Vec<Time>,
    store: Store,
    /// By number in the store: where the frame is.
    on_the_way: Vec<Place>,
    /// How many frames have come.
    given: u64,
    decisions: Option<Vec<HopDecision>>,
    meter: Option<Meter>,
    flows: Flows,
    events: BinaryHeap<Reverse<(Time, Event)>>,
    sequence: u64,
    exits: VecDeque<Exit>,
    mtu: u32,
    now: Time,
}

/// Where a frame is.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// Which frame it is, of those that came.
    frame: u64,
    /// The port that it is for in its device, once that is known.
    port: Option<u16>,
    /// When it came into the fabric.
    came: Time,
    /// When it arrived at the switch that it is in.
    arrived: Time,
    /// That switch, unless it is on a wire.
    waits_in: Option<u32>,
}

struct Device<'a> {
    name: String,
    node: Node<'a>,
    rules: Rules,
    forwarding: Forwarding,
    ports: Vec<Port>,
    counts: DeviceCounts,
    /// For when its next event is in the queue of events.
    scheduled: Time,
    /// How many frames have arrived.
    arrivals: u64,
}

impl<'a> Device<'a> {
    fn new(made: &'a mut Made) -> Self {
        let Made { config, switch, rates, paces } = made;
        let DeviceConfig { name, rules, forwarding, ports, .. } = config;
        let port = |(port, config): (usize, &PortConfig)| Port {
            peer: config.peer,
            wire: Wire::new(&config.link, &format!("{name} {port}")),
        };
        Device {
            counts: DeviceCounts::of(ports.len()),
            ports: ports.iter().enumerate().map(port).collect(),
            node: Node::new(switch, rates, paces.clone()),
            rules: rules.clone(),
            forwarding: forwarding.clone(),
            scheduled: Time::MAX,
            name: name.clone(),
            arrivals: 0,
        }
    }
}

struct Port {
    peer: Peer,
    wire: Wire,
}

/// What happens, in the order in which it does at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A frame comes in through a port: the order of coming, the device, its port, the frame's
    /// number.
    Comes(u64, u32, u16, u32),
    /// A frame has come to the end of a wire: the order of sending, and the port's.
    Arrives(u64, u32, u16),
    /// Something is due inside a device.
    Due(u32),
}

impl Fabric<'_> {
    /// A frame comes in through an edge at `at`: or at the present, or with the one before it, if
    /// those are later. Frames of an edge that there is not are lost.
    pub fn arrive(&mut self, Incoming { at, edge, frame }: Incoming) {
        let Some(&(device, port)) = self.entrances.get(edge as usize) else { return };
        let latest = &mut self.latest[edge as usize];
        let is_late = at < self.now;
        let at = at.max(self.now).max(*latest);
        *latest = at;
        let size = frame.size();
        let counts = &mut self.devices[device as usize].counts;
        counts.all.stamped_late += u64::from(is_late);
        self.given += 1;
        let place = Place { frame: self.given, came: at, ..Place::default() };
        if frame.payload() > self.mtu as usize {
            counts.refuse(port, size);
            return self.lose(device, place, LinkLoss::TooLarge, size, at);
        }
        match self.store.put(frame) {
            Ok(number) => {
                self.put(number, place);
                let sequence = self.next();
                self.events.push(Reverse((at, Event::Comes(sequence, device, port, number))));
            }
            Err(_) => {
                self.devices[device as usize].counts.refuse(port, size);
                self.lose(device, place, LinkLoss::NoMemory, size, at);
            }
        }
    }

    /// The same, keeping every [decision](Fabric::decisions) from now on.
    #[must_use]
    pub fn watched(mut self) -> Self {
        self.decisions = Some(Vec::new());
        self
    }

    /// What was decided since this was asked last, in the order in which it happened; nothing
    /// unless [watched](Fabric::watched).
    pub fn decisions(&mut self) -> Vec<HopDecision> {
        self.decisions.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The same, [metered](Fabric::meter) from now on.
    #[must_use]
    pub fn metered(self) -> Self {
        Fabric { meter: Some(Meter::default()), ..self }
    }

    /// What passed since it was last taken out; none unless [metered](Fabric::metered).
    pub fn meter(&mut self) -> Option<&mut Meter> {
        self.meter.as_mut()
    }

    /// Lets everything happen until `now`.
    pub fn advance(&mut self, now: Time) {
        while let Some(&Reverse((at, event))) = self.events.peek()
            && at <= now
        {
            self.events.pop();
            self.now = self.now.max(at);
            match event {
                Event::Comes(_, device, port, number) => self.come(device, port, number),
                Event::Arrives(_, device, port) => self.arrives(device, port),
                Event::Due(device) => self.due(device, at),
            }
        }
        self.now = self.now.max(now);
    }

    /// The next frame that has left by the instant to which time has advanced, in the order of
    /// their times.
    pub fn exit(&mut self) -> Option<Exit> {
        self.exits.pop_front()
    }

    /// When something will next happen if nothing comes before; never later than it does.
    #[must_use]
    pub fn next_event(&self) -> Option<Time> {
        self.events.peek().map(|Reverse((at, _))| *at)
    }

    /// When the next frame will leave at an edge, as far as that is known: one that is still further
    /// inside may do so a little earlier.
    #[must_use]
    pub fn next_exit(&self, edge: u32) -> Option<Time> {
        let (device, port) = self.exits_at.get(edge as usize).copied().flatten()?;
        let device = self.devices.get(device as usize)?;
        let wire = &device.ports.get(usize::from(port))?.wire;
        let scheduled = Some(device.scheduled).filter(|at| *at < Time::MAX);
        let sent = scheduled.map(|at| at + wire.least());
        let known = sent.into_iter().chain(wire.due()).min();
        known.or_else(|| self.next_event())
    }

    /// Until when all has happened.
    #[must_use]
    pub fn now(&self) -> Time {
        self.now
    }

    /// How many frames, copies among them, are inside.
    #[must_use]
    pub fn held(&self) -> usize {
        self.store.len()
    }

    /// The name and the counts of each device.
    pub fn counts(&self) -> impl Iterator<Item = (&str, &DeviceCounts)> {
        self.devices.iter().map(|device| (device.name.as_str(), &device.counts))
    }

    /// What is lost outside at an edge, before frames come in or once they have left: the counts of
    /// the device there.
    pub fn outside(&mut self, edge: u32) -> Option<&mut FrameCounts> {
        let &(device, _) = self.entrances.get(edge as usize)?;
        Some(&mut self.devices[device as usize].counts.all)
    }

    /// The switch of a device as it is at the present, to look at.
    #[must_use]
    pub fn switch(&mut self, device: usize) -> Option<&AnySwitch> {
        let now = self.now;
        let found = self.devices.get_mut(device)?;
        found.node.advance(now);
        self.outcomes(device as u32);
        self.devices.get(device).map(|device| device.node.switch())
    }

    fn next(&mut self) -> u64 {
        self.sequence += 1;
        self.sequence
    }

    /// Says where a frame of the store is.
    fn put(&mut self, number: u32, place: Place) {
        let index = number as usize;
        if self.on_the_way.len() <= index {
            self.on_the_way.resize(index + 1, Place::default());
        }
        self.on_the_way[index] = place;
    }

    fn place(&self, number: u32) -> Place {
        self.on_the_way.get(number as usize).copied().unwrap_or_default()
    }

    fn decide(&mut self, device: u32, Place { frame, port, .. }: Place, fate: FrameFate) {
        if let Some(decisions) = &mut self.decisions {
            decisions.push(HopDecision { frame, device, port, fate });
        }
    }

    /// A frame that came into a device is lost for a cause that is not its switch's.
    fn lose(&mut self, device: u32, place: Place, cause: LinkLoss, size: u32, at: Time) {
        self.devices[device as usize].counts.all.lose(cause, 1, size.into());
        self.decide(device, place, FrameFate::Lost { at, cause: cause.name() });
    }

    /// A frame is given up by a switch, or by what stands in front of it.
    fn drop(&mut self, device: u32, number: u32, cause: DropCause, size: u32, at: Time) {
        let lost = self.store.take(number);
        if let (Some(meter), Some(lost)) = (&mut self.meter, lost) {
            meter.lost(&lost);
        }
        self.devices[device as usize].counts.all.dropped.count(cause, size);
        self.decide(device, self.place(number), FrameFate::Lost { at, cause: cause.name() });
    }

    /// A frame has come to the end of the wire behind a port.
    fn arrives(&mut self, device: u32, port: u16) {
        let wire = &mut self.devices[device as usize].ports[usize::from(port)];
        let Some((at, number)) = wire.wire.arrived(self.now) else { return };
        match wire.peer {
            Peer::Port { device, port } => self.come(device, port, number),
            Peer::Edge(edge) => {
                if let Some(frame) = self.store.take(number) {
                    if let Some(meter) = &mut self.meter {
                        let came = self.on_the_way.get(number as usize).map_or(at, |way| way.came);
                        meter.left(&frame, at.since(came));
                    }
                    self.exits.push_back(Exit { at, edge, frame });
                }
            }
        }
    }

    /// A frame has come into a device, through a port, at the present.
    fn come(&mut self, index: u32, port: u16, number: u32) {
        let device = &mut self.devices[index as usize];
        let Some(frame) = self.store.get_mut(number) else { return };
        let size = frame.size();
        device.counts.all.arrived.count(size);
        if let Some(received) = device.counts.received.get_mut(usize::from(port)) {
            received.count(size);
        }
        match device.forwarding.way(self.now, port, frame) {
            Way::To(out) => self.enqueue(index, port, out, number),
            Way::Everywhere => self.flood(index, port, number),
            Way::NoRoute => self.drop(index, number, DropCause::NoRoute, size, self.now),
            Way::Lost(cause) => {
                self.store.take(number);
                let place = Place { port: None, ..self.place(number) };
                self.lose(index, place, cause, size, self.now);
            }
        }
    }

    /// Sends a frame out of every port but the one that it came through: itself out of the last,
    /// copies before.
    fn flood(&mut self, index: u32, port: u16, number: u32) {
        let ports = self.devices[index as usize].ports.len() as u16;
        let mut others = (0..ports).filter(|other| *other != port);
        let Some(last) = others.next_back() else {
            let frame = self.store.take(number);
            let size = frame.map_or(0, |frame| frame.size());
            let place = Place { port: None, ..self.place(number) };
            return self.lose(index, place, LinkLoss::Filtered, size, self.now);
        };
        let original = self.place(number);
        for other in others {
            let Some(copy) = self.store.get_mut(number).cloned() else { return };
            let size = copy.size();
            let counts = &mut self.devices[index as usize].counts;
            counts.copies += Tally { packets: 1, bytes: size.into() };
            let place = Place { port: Some(other), ..original };
            match self.store.put(copy) {
                Ok(copy) => {
                    self.put(copy, place);
                    self.enqueue(index, port, other, copy);
                }
                Err(_) => self.lose(index, place, LinkLoss::NoMemory, size, self.now),
            }
        }
        self.enqueue(index, port, last, number);
    }

    /// A frame arrives at its device's switch for the port `out`.
    fn enqueue(&mut self, index: u32, input: u16, out: u16, number: u32) {
        let device = &mut self.devices[index as usize];
        let Some(frame) = self.store.get_mut(number) else { return };
        let (size, read) = (frame.size(), frame.read());
        let flow = self.flows.number(read.flow);
        device.arrivals += 1;
        let (class, rank) = device.rules.apply(self.now, device.arrivals, size, flow, &read);
        let handle = Handle::numbered(number, flow, size)
            .with_ecn(read.ecn)
            .with_class(class)
            .with_input(input);
        if let Some(place) = self.on_the_way.get_mut(number as usize) {
            place.port = Some(out);
            place.arrived = self.now;
            place.waits_in = Some(index);
        }
        device.node.arrive(self.now, out, handle, rank);
        self.schedule(index);
    }

    /// Something is due inside a device at `at`, unless it was done already.
    fn due(&mut self, index: u32, at: Time) {
        let device = &mut self.devices[index as usize];
        if device.scheduled != at {
            return;
        }
        device.scheduled = Time::MAX;
        device.node.advance(at);
        self.outcomes(index);
        self.schedule(index);
    }

    /// Keeps the device's next event in the queue of events.
    fn schedule(&mut self, index: u32) {
        let device = &mut self.devices[index as usize];
        if let Some(due) = device.node.due()
            && due < device.scheduled
        {
            device.scheduled = due;
            self.events.push(Reverse((due, Event::Due(index))));
        }
    }

    /// Carries out what a device has decided.
    fn outcomes(&mut self, index: u32) {
        while let Some(outcome) = self.devices[index as usize].node.outcome() {
            match outcome {
                Outcome::Sent { packet, end } => self.sent(index, packet, end),
                Outcome::Lost { packet, at, cause } => {
                    self.drop(index, packet.packet().get(), cause, packet.size(), at);
                }
            }
        }
    }

    /// A frame's last bit leaves its device at `end`, and begins its way along the wire.
    fn sent(&mut self, index: u32, packet: Handle, end: Time) {
        let number = packet.packet().get();
        let place = self.place(number);
        let port = place.port.unwrap_or_default();
        if let Some(place) = self.on_the_way.get_mut(number as usize) {
            place.waits_in = None;
        }
        let sequence = self.next();
        let device = &mut self.devices[index as usize];
        let marked =
            packet.ecn() == Ecn::Experienced && self.store.get_mut(number).is_some_and(Frame::mark);
        device.counts.all.marked += u64::from(marked);
        if let Some(meter) = &mut self.meter {
            meter.sent(index, port, packet, marked, end.since(place.arrived));
        }
        let Some(at) = device.ports[usize::from(port)].wire.send(end, number) else {
            self.store.take(number);
            return self.lose(index, place, LinkLoss::Wire, packet.size(), end);
        };
        device.counts.all.left.count(packet.size());
        device.counts.sent[usize::from(port)].count(packet.size());
        self.events.push(Reverse((at, Event::Arrives(sequence, index, port))));
        self.decide(index, place, FrameFate::Left { end, at, marked });
    }
}

impl DeviceCounts {
    /// A frame came through `port`, and is refused at once.
    fn refuse(&mut self, port: u16, size: u32) {
        self.all.arrived.count(size);
        if let Some(received) = self.received.get_mut(usize::from(port)) {
            received.count(size);
        }
    }
}
