//! The switch of the library follows the core, event by event, and says where they part.
//!
//! The core's time decides when a port asks for a packet, when a queue gets one, and which queue
//! Occamy expels from; what follows from that is the switch's own, and is compared.

mod end;

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};

use forebay_buffer::Alpha;
use forebay_buffer::onchip::{ChipConfig, DtConfig, DynamicThreshold, MemoryConfig, SharedBuffer};
use forebay_sched::DropCause;
use forebay_sched::port::{Heads, PortScheduler};
use forebay_switch::{Handle, Losses, OnChip, SwitchModel};
use forebay_units::{Rate, Time};

use super::config::CoreConfig;
use super::difference::{Difference, Place};
use super::events::{self, Event, Packet, Told, Verdict};
use super::order::Order;
use super::run::{Follow, Step};
use super::watch::{Totals, Watchers};

/// What the port scheduler of the switch is told: the queue whose turn it is.
struct Turn(Arc<AtomicU16>);

impl PortScheduler for Turn {
    fn select(&mut self, heads: Heads<'_>) -> Option<u16> {
        let class = self.0.load(Ordering::Relaxed);
        heads(class).map(|_| class)
    }
}

/// The switch beside the core.
pub(super) struct Follower<'a> {
    config: &'a CoreConfig,
    classes: u16,
    /// Those that fit, and those that do not, in the order in which they come.
    packets: &'a [Packet],
    next: usize,
    next_malformed: usize,
    switch: OnChip,
    turns: Vec<Arc<AtomicU16>>,
    lost: Losses,
    order: Order,
    /// Let in, and not yet in their queues.
    let_in: VecDeque<u32>,
    /// Of each queue: its packets.
    queues: Vec<VecDeque<u32>>,
    /// Of each queue: whether the scheduler has an element for it, or it is on its way.
    listed: Vec<bool>,
    /// Of each port: the queue that it has asked for.
    due: Vec<Option<u16>>,
    /// Of each port: packets that have left the buffer, not all of which is out.
    leaving: Vec<VecDeque<u32>>,
    /// What the core says became of packets, and what the switch says, of each port.
    pub(super) core: Totals,
    model: Vec<Totals>,
    pub(super) malformed: u32,
    /// Counters and registers that have been compared.
    counted: usize,
    /// The cycle of the last event that has one.
    cycle: u64,
    pub(super) watchers: Option<Watchers>,
    /// How often free cells were compared.
    pub(super) cells_compared: u64,
    pub(super) ended: bool,
}

impl Follow for Follower<'_> {
    type Told = Told;

    fn read(from: &mut impl Read) -> io::Result<Option<Told>> {
        events::read(from)
    }

    // Counters have none: they are read when everything is done.
    fn cycle(told: &Told) -> Option<u64> {
        (!matches!(told.event, Event::Counter { .. })).then_some(told.cycle)
    }

    fn step(&mut self, told: &Told) -> Step {
        Follower::step(self, told)
    }

    fn ended(&self) -> bool {
        self.ended
    }
}

impl<'a> Follower<'a> {
    /// An empty switch of the core's sizes.
    ///
    /// # Errors
    /// What of the sizes the library refuses.
    pub(super) fn new(
        config: &'a CoreConfig,
        rates: &[Rate],
        classes: u16,
        packets: &'a [Packet],
    ) -> Result<Self, String> {
        let ports = rates.len() as u16;
        let chip = ChipConfig {
            ports,
            classes,
            capacity: config.buffer(),
            memory: MemoryConfig::of_capacity(Rate::from_gbps(80), config.cell_bytes()),
            // More than there are cells, which are to run out first.
            descriptors: config.cells + 1,
            largest_packet: config.largest_bytes,
            ..ChipConfig::default()
        };
        let dt = DtConfig { alpha: Alpha::power_of_two(config.alpha_log2 as i32) };
        let buffer = SharedBuffer::with_policies(&chip, |_, shape| {
            Ok(Box::new(DynamicThreshold::new(&dt, shape)))
        });
        let buffer = buffer.map_err(|error| error.to_string())?;
        let turns: Vec<_> = rates.iter().map(|_| Arc::new(AtomicU16::new(0))).collect();
        let turn = |turn: &Arc<AtomicU16>| Box::new(Turn(Arc::clone(turn))) as Box<_>;
        let schedulers = turns.iter().map(turn).collect();
        let queues = usize::from(ports) * usize::from(classes);
        Ok(Follower {
            config,
            classes,
            packets,
            next: 0,
            next_malformed: 0,
            switch: OnChip::sharing(buffer, schedulers, rates),
            turns,
            lost: Losses::default(),
            order: Order::new(config, ports, classes)?,
            let_in: VecDeque::new(),
            queues: vec![VecDeque::new(); queues],
            listed: vec![false; queues],
            due: vec![None; rates.len()],
            leaving: vec![VecDeque::new(); rates.len()],
            core: Totals::default(),
            model: vec![Totals::default(); rates.len()],
            malformed: 0,
            counted: 0,
            cycle: 0,
            watchers: None,
            cells_compared: 0,
            ended: false,
        })
    }

    /// What the switch did at all ports.
    pub(super) fn model(&self) -> Totals {
        let mut all = Totals::default();
        self.model.iter().for_each(|port| all.add(port));
        all
    }

    /// The switch does what the core has done.
    pub(super) fn step(&mut self, told: &Told) -> Step {
        if let Some(cycle) = <Self as Follow>::cycle(told) {
            self.cycle = cycle;
        }
        let cycle = self.cycle;
        let now = self.config.clock().time_of(cycle);
        self.exists(cycle, &told.event)?;
        match &told.event {
            Event::Malformed => self.malformed(cycle),
            Event::Verdict { verdict, queue, bytes } => {
                self.verdict(cycle, now, *verdict, *queue, *bytes)
            }
            Event::Linked { queue } => self.linked(cycle, *queue),
            Event::Request { port } => self.request(cycle, *port),
            Event::Left { expelled: true, queue, bytes } => {
                self.expelled(cycle, now, *queue, *bytes)
            }
            Event::Left { expelled: false, queue, bytes } => self.left(cycle, now, *queue, *bytes),
            Event::None { queue } => self.none(cycle, *queue),
            Event::Out { port, class, source, data } => {
                self.out(cycle, *port, (*class, *source), data)
            }
            Event::Cells { free } => self.cells(cycle, now, *free),
            Event::Counter { port, number, packets, bytes } => {
                self.counter(cycle, (*port, *number), *packets, *bytes)
            }
            Event::Register { register, value } => self.register(cycle, *register, *value),
            Event::End => self.end(cycle),
        }
    }

    /// That there is the queue, or the port, that the core names.
    fn exists(&self, cycle: u64, event: &Event) -> Step {
        let (what, number, all) = match event {
            Event::Verdict { queue, .. }
            | Event::Linked { queue }
            | Event::Left { queue, .. }
            | Event::None { queue } => ("queue", *queue, self.queues.len()),
            Event::Request { port } | Event::Out { port, .. } | Event::Counter { port, .. } => {
                ("port", *port, self.due.len())
            }
            Event::Malformed | Event::Cells { .. } | Event::Register { .. } | Event::End => {
                return Ok(());
            }
        };
        if usize::from(number) < all {
            return Ok(());
        }
        let (core, switch) = (format!("{what} {number}"), format!("there are {all}"));
        Self::part(Place::Event, cycle, None, None, core, switch)
    }

    fn part(
        place: Place,
        cycle: u64,
        packet: Option<&Packet>,
        port: Option<u16>,
        core: impl Into<String>,
        switch: impl Into<String>,
    ) -> Step {
        Err(Self::difference(place, cycle, packet, port, core, switch))
    }

    fn difference(
        place: Place,
        cycle: u64,
        packet: Option<&Packet>,
        port: Option<u16>,
        core: impl Into<String>,
        switch: impl Into<String>,
    ) -> Box<Difference> {
        let (core, switch) = (core.into(), switch.into());
        let packet = packet.map(|packet| packet.index);
        Box::new(Difference { place, cycle, packet, port, core, switch })
    }

    fn fits(&self, packet: &Packet) -> bool {
        packet.bytes <= self.config.largest_bytes
    }

    /// The next packet from `from` that fits, or does not.
    fn find(&self, from: usize, fits: bool) -> Option<usize> {
        (from..self.packets.len()).find(|at| self.fits(&self.packets[*at]) == fits)
    }

    fn handle(packet: &Packet) -> Handle {
        Handle::numbered(packet.index, packet.flow, packet.bytes)
            .with_class(packet.class)
            .with_input(packet.source.into())
    }

    fn split(&self, queue: u16) -> (u16, u16) {
        (queue / self.classes, queue % self.classes)
    }

    fn queue_of(&self, packet: &Packet) -> u16 {
        packet.port * self.classes + u16::from(packet.class)
    }

    fn malformed(&mut self, cycle: u64) -> Step {
        let Some(at) = self.find(self.next_malformed, false) else {
            return Self::part(Place::Event, cycle, None, None, "malformed", "no such packet");
        };
        self.next_malformed = at + 1;
        self.malformed += 1;
        Ok(())
    }

    fn verdict(&mut self, cycle: u64, now: Time, verdict: Verdict, queue: u16, bytes: u32) -> Step {
        let Some(at) = self.find(self.next, true) else {
            return Self::part(Place::Event, cycle, None, None, "a verdict", "no packet came");
        };
        self.next = at + 1;
        let packet = self.packets[at];
        let port = packet.port;
        if (queue, bytes) != (self.queue_of(&packet), packet.bytes) {
            let core = format!("{bytes} B for queue {queue}");
            let switch = format!("{} B for queue {}", packet.bytes, self.queue_of(&packet));
            return Self::part(Place::Verdict, cycle, Some(&packet), Some(port), core, switch);
        }
        let handle = Self::handle(&packet);
        self.switch.arrive(now, port, handle, &mut self.lost);
        let said = match self.lost.pop() {
            None => Verdict::Admitted,
            Some(lost) if lost.cause == DropCause::Threshold => Verdict::Threshold,
            Some(_) => Verdict::Full,
        };
        self.core.came(verdict, bytes);
        self.model[usize::from(port)].came(said, bytes);
        if let Some(watchers) = &mut self.watchers {
            watchers.came(now, port, &handle, [verdict, said]);
        }
        if said == Verdict::Admitted {
            self.let_in.push_back(at as u32);
        }
        if verdict == said {
            return Ok(());
        }
        let place = Place::Verdict;
        Self::part(place, cycle, Some(&packet), Some(port), verdict.words(), said.words())
    }

    /// A packet is in its queue, which gets an element if it has none.
    fn linked(&mut self, cycle: u64, queue: u16) -> Step {
        let Some(at) = self.let_in.pop_front() else {
            return Self::part(
                Place::Event,
                cycle,
                None,
                None,
                "a packet is queued",
                "none is due",
            );
        };
        let packet = self.packets[at as usize];
        let (port, class) = self.split(queue);
        if queue != self.queue_of(&packet) {
            let switch = format!("queue {}", self.queue_of(&packet));
            let core = format!("queue {queue}");
            return Self::part(Place::Event, cycle, Some(&packet), Some(port), core, switch);
        }
        self.queues[usize::from(queue)].push_back(at);
        if !self.listed[usize::from(queue)] {
            self.listed[usize::from(queue)] = true;
            return self.push(cycle, port, class, at);
        }
        Ok(())
    }

    fn push(&mut self, cycle: u64, port: u16, class: u16, at: u32) -> Step {
        let packet = &self.packets[at as usize];
        let key = self.order.key(packet.field, packet.bytes);
        if self.order.push(port, class, key) {
            return Ok(());
        }
        let packet = Some(packet);
        Self::part(Place::Order, cycle, packet, Some(port), "an element is pushed", "no place")
    }

    fn request(&mut self, cycle: u64, port: u16) -> Step {
        self.due[usize::from(port)] = self.order.pop(port);
        if self.due[usize::from(port)].is_some() {
            return Ok(());
        }
        Self::part(Place::Order, cycle, None, Some(port), "the port asks", "no queue has packets")
    }

    /// That it is the turn of this queue.
    fn turn(&mut self, cycle: u64, queue: u16) -> Step {
        let (port, class) = self.split(queue);
        let packet = self.queues[usize::from(queue)].front().map(|at| self.packets[*at as usize]);
        let due = self.due[usize::from(port)].take();
        if due == Some(class) {
            return Ok(());
        }
        let switch = due.map_or("no queue's turn".to_owned(), |due| format!("class {due}"));
        let core = format!("class {class}");
        Self::part(Place::Order, cycle, packet.as_ref(), Some(port), core, switch)
    }

    fn none(&mut self, cycle: u64, queue: u16) -> Step {
        self.turn(cycle, queue)?;
        self.listed[usize::from(queue)] = false;
        let Some(at) = self.queues[usize::from(queue)].front() else {
            return Ok(());
        };
        let packet = self.packets[*at as usize];
        let port = packet.port;
        let place = Place::Departure;
        Self::part(place, cycle, Some(&packet), Some(port), "the queue is empty", "this waits")
    }

    fn left(&mut self, cycle: u64, now: Time, queue: u16, bytes: u32) -> Step {
        self.turn(cycle, queue)?;
        let (port, class) = self.split(queue);
        self.turns[usize::from(port)].store(class, Ordering::Relaxed);
        let sent = self.switch.next(now, port, &mut self.lost);
        let at = self.departed((cycle, now), queue, bytes, false, sent)?;
        self.leaving[usize::from(port)].push_back(at);
        // If more wait, the queue gets an element again, with the key of its next.
        match self.queues[usize::from(queue)].front() {
            Some(behind) => self.push(cycle, port, class, *behind),
            None => {
                self.listed[usize::from(queue)] = false;
                Ok(())
            }
        }
    }

    fn expelled(&mut self, cycle: u64, now: Time, queue: u16, bytes: u32) -> Step {
        let (port, class) = self.split(queue);
        self.switch.expel(now, port, class as u8, &mut self.lost);
        let gone = self.lost.pop().map(|lost| lost.packet);
        self.departed((cycle, now), queue, bytes, true, gone).map(|_| ())
    }

    /// That the first packet of the core's queue is what the switch has given up; which it is.
    fn departed(
        &mut self,
        (cycle, now): (u64, Time),
        queue: u16,
        bytes: u32,
        expelled: bool,
        gone: Option<Handle>,
    ) -> Result<u32, Box<Difference>> {
        let port = queue / self.classes;
        let at = self.queues[usize::from(queue)].pop_front();
        let packet = at.map(|at| self.packets[at as usize]);
        self.core.left(expelled, bytes);
        if let Some(watchers) = &mut self.watchers {
            let packets = [packet.as_ref().map(Self::handle), gone];
            watchers.left(now, port, expelled, packets);
        }
        if let Some(gone) = &gone {
            self.model[usize::from(port)].left(expelled, gone.size());
        }
        let number = gone.map(|gone| gone.packet().get());
        if let (Some(at), Some(packet)) = (at, packet)
            && number == Some(packet.index)
            && bytes == packet.bytes
        {
            return Ok(at);
        }
        let core = match packet {
            None => format!("{bytes} B leave an empty queue"),
            Some(_) => format!("{bytes} B leave"),
        };
        let switch = match gone {
            None => "nothing".to_owned(),
            Some(gone) => format!("packet {} of {} B", gone.packet().get(), gone.size()),
        };
        Err(Self::difference(Place::Departure, cycle, packet.as_ref(), Some(port), core, switch))
    }

    fn out(&mut self, cycle: u64, port: u16, (class, source): (u8, u8), data: &[u8]) -> Step {
        let Some(at) = self.leaving.get_mut(usize::from(port)).and_then(VecDeque::pop_front) else {
            let core = format!("{} B", data.len());
            return Self::part(Place::Bytes, cycle, None, Some(port), core, "nothing is sent");
        };
        let packet = self.packets[at as usize];
        let wanted = packet.data();
        if data != wanted {
            let same = data.iter().zip(&wanted).take_while(|(one, other)| one == other).count();
            let core = format!("{} B, other from byte {same} on", data.len());
            let switch = format!("{} B", wanted.len());
            return Self::part(Place::Bytes, cycle, Some(&packet), Some(port), core, switch);
        }
        if (class, source) != (packet.class, packet.source) {
            let core = format!("class {class} from input {source}");
            let switch = format!("class {} from input {}", packet.class, packet.source);
            return Self::part(Place::Bytes, cycle, Some(&packet), Some(port), core, switch);
        }
        Ok(())
    }

    fn cells(&mut self, cycle: u64, now: Time, free: u32) -> Step {
        self.cells_compared += 1;
        let (used, all) = self.switch.pools().first().map_or((0, 0), SharedBuffer::occupancy);
        if let Some(watchers) = &mut self.watchers {
            watchers.cells(now, self.config, free, &self.switch);
        }
        if free == all - used {
            return Ok(());
        }
        let (core, switch) = (free.to_string(), (all - used).to_string());
        Self::part(Place::Cells, cycle, None, None, core, switch)
    }
}
