//! The fabric's event loop.

mod change;
mod devices;
mod way;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use forebay_switch::AnySwitch;
use forebay_units::{Duration, Time};

use super::counts::DeviceCounts;
use super::decision::HopDecision;
use crate::link::{Flows, Frame, FrameCounts, LinkLoss, Store};
use crate::meter::Meter;

pub use change::Shapes;
use devices::Device;
pub use devices::Devices;

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
    /// Frames on wires, or that come in at an instant that has not come.
    on_wires: usize,
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
    /// A frame comes in through an edge at `at`: or right after the present, or with the one before
    /// it, if those are later. Frames of an edge that there is not are lost.
    pub fn arrive(&mut self, Incoming { at, edge, frame }: Incoming) {
        let Some(&(device, port)) = self.entrances.get(edge as usize) else { return };
        let latest = &mut self.latest[edge as usize];
        let is_late = at < self.now;
        // After all that has happened: then it does not matter how often time advances.
        let at = at.max(self.now + Duration::from_ps(1)).max(*latest);
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
                self.on_wires += 1;
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
                Event::Comes(_, device, port, number) => {
                    self.on_wires -= 1;
                    self.come(device, port, number);
                }
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

    /// No frame leaves before this if none comes, nor one that comes later than that: what happens
    /// further inside must pass the last wire. O(edges).
    #[must_use]
    pub fn next_departure(&self) -> Option<Time> {
        let wires = self.exits_at.iter().flatten().filter_map(|&(device, port)| {
            let device = self.devices.get(device as usize)?;
            device.ports.get(usize::from(port)).map(|port| &port.wire)
        });
        let (mut due, mut least) = (Time::MAX, Duration::MAX);
        for wire in wires {
            due = due.min(wire.due().unwrap_or(Time::MAX));
            least = least.min(wire.least());
        }
        self.next_event().map(|next| due.min(next + least))
    }

    /// When the next frame will leave at an edge, as far as that is known: one that is still
    /// further inside may do so a little earlier.
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

    /// How many of those are in no device: on a wire, or about to come in. All others arrived at
    /// their device, or were copied there, and were neither sent nor lost.
    #[must_use]
    pub fn on_wires(&self) -> usize {
        self.on_wires
    }

    /// The name and the counts of each device.
    pub fn counts(&self) -> impl Iterator<Item = (&str, &DeviceCounts)> {
        self.devices.iter().map(|device| (device.name.as_str(), &device.counts))
    }

    /// Of each device, the frames from addresses for which its table had no room.
    pub fn not_learnt(&self) -> impl Iterator<Item = u64> {
        self.devices.iter().map(|device| device.forwarding.not_learnt())
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
}
