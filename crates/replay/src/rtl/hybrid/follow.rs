//! Themis's manager of the library follows the core, cycle by cycle, and says where they part.
//!
//! What the manager is asked is the core's: when a packet is complete, when a departure, a batch or
//! an element that is swapped in has room. What it decides is compared, and so is all that the core
//! then does with packets.

use std::collections::VecDeque;
use std::io::{self, Read};

use forebay_buffer::{
    ThemisAnswer, ThemisCycle, ThemisManager, ThemisManagerConfig, ThemisOperation,
};
use forebay_pifo::Tier;

use super::config::HybridCoreConfig;
use super::events::{
    self, Answer, Cycle, Event, Leaving, Level, REGISTERS, Register, Told, Verdict,
};
use super::totals::HybridTotals;
use crate::rtl::difference::{Difference, Place};
use crate::rtl::events::Packet;
use crate::rtl::run::{Follow, Step};

/// What moved between the memories, and what was compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Moves {
    pub(super) swapped_out: u32,
    pub(super) swapped_in: u32,
    pub(super) written: u32,
    pub(super) read: u32,
    pub(super) row_hits: u32,
    pub(super) row_misses: u32,
    /// Answers of the queue that were compared.
    pub(super) answers: u64,
    /// How often nothing was under way, and free cells and regions were compared.
    pub(super) rests: u64,
}

/// The library beside the core.
pub(super) struct Follower<'a> {
    config: &'a HybridCoreConfig,
    /// Those that fit, and those that do not, in the order in which they come.
    packets: &'a [Packet],
    next: usize,
    next_malformed: usize,
    manager: ThemisManager,
    latency: u64,
    /// Cycles from reset on.
    cycles: u64,
    /// Packets whose verdict is due, when, and whether they are lost.
    verdicts: VecDeque<(u64, u32, bool)>,
    /// In this cycle: a packet's verdict, and a packet that leaves, from which memory.
    verdict: Option<(u32, Verdict)>,
    left: Option<(u32, ThemisOperation, Tier)>,
    /// Packets in each tier before this cycle.
    tiers: (u32, u32),
    /// Of each port: packets that have left the queue, not all of which is out.
    leaving: Vec<VecDeque<u32>>,
    /// What the core says became of packets, and what the library says, of each port.
    pub(super) core: HybridTotals,
    model: Vec<HybridTotals>,
    pub(super) moves: Moves,
    pub(super) malformed: u32,
    /// Counters and registers that have been compared.
    counted: usize,
    /// The cycle of the last event that has one.
    cycle: u64,
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
        if let Some(cycle) = <Self as Follow>::cycle(told) {
            self.cycle = cycle;
        }
        match &told.event {
            Event::Cycle(cycle) => self.cycle(cycle),
            Event::Malformed => self.malformed(),
            Event::Verdict { verdict, port, bytes } => self.verdict(*verdict, *port, *bytes),
            Event::Left { leaving, port, bytes } => self.left(*leaving, *port, *bytes),
            Event::Out { port, source, data } => self.out(*port, *source, data),
            Event::Level { level, value } => self.level(*level, *value),
            Event::Counter { port, number, packets, bytes } => {
                self.counter((*port, *number), *packets, *bytes)
            }
            Event::Register { register, value } => self.register(*register, *value),
            Event::End => self.end(),
        }
    }

    fn ended(&self) -> bool {
        self.ended
    }
}

impl<'a> Follower<'a> {
    /// An empty one of the core's sizes.
    ///
    /// # Errors
    /// What of the sizes the library refuses.
    pub(super) fn new(
        config: &'a HybridCoreConfig,
        ports: u16,
        packets: &'a [Packet],
    ) -> Result<Self, String> {
        let HybridCoreConfig { levels, width, slot_bits, near, high, low, batch, groups, .. } =
            *config;
        let sizes =
            ThemisManagerConfig { levels, width, slot_bits, near, high, low, batch, groups };
        let manager = ThemisManager::new(&sizes).map_err(|error| error.to_string())?;
        Ok(Follower {
            config,
            packets,
            next: 0,
            next_malformed: 0,
            manager,
            latency: u64::from(6 + 4 * (levels - 1)),
            cycles: 0,
            verdicts: VecDeque::new(),
            verdict: None,
            left: None,
            tiers: (0, 0),
            leaving: vec![VecDeque::new(); usize::from(ports)],
            core: HybridTotals::default(),
            model: vec![HybridTotals::default(); usize::from(ports)],
            moves: Moves::default(),
            malformed: 0,
            counted: 0,
            cycle: 0,
            ended: false,
        })
    }

    /// What the library says of all ports.
    pub(super) fn model(&self) -> HybridTotals {
        let mut all = HybridTotals::default();
        self.model.iter().for_each(|port| all.add(port));
        all
    }

    fn part(
        &self,
        place: Place,
        packet: Option<&Packet>,
        core: impl Into<String>,
        library: impl Into<String>,
    ) -> Step {
        let port = packet.map(|packet| packet.port);
        Err(Box::new(Difference {
            place,
            cycle: self.cycle,
            packet: packet.map(|packet| packet.index),
            port,
            core: core.into(),
            switch: library.into(),
        }))
    }

    fn fits(&self, packet: &Packet) -> bool {
        packet.bytes <= self.config.largest_bytes
    }

    /// The next packet from `from` that fits, or does not.
    fn find(&self, from: usize, fits: bool) -> Option<usize> {
        (from..self.packets.len()).find(|at| self.fits(&self.packets[*at]) == fits)
    }

    /// What is told of a cycle has been told when the next one begins.
    fn complete(&self) -> Step {
        if let Some((at, verdict)) = self.verdict {
            let packet = Some(&self.packets[at as usize]);
            return self.part(Place::Verdict, packet, "nothing", verdict.words());
        }
        if let Some((at, ..)) = self.left {
            let packet = Some(&self.packets[at as usize]);
            return self.part(Place::Departure, packet, "nothing", "it leaves");
        }
        Ok(())
    }

    fn cycle(&mut self, told: &Cycle) -> Step {
        self.complete()?;
        let at = match told.arrival {
            Some(_) => self.find(self.next, true),
            None => None,
        };
        if let Some(rank) = told.arrival {
            let Some(at) = at else {
                return self.part(Place::Event, None, "a packet asks", "no packet came");
            };
            let packet = &self.packets[at];
            if u32::from(rank) != packet.field {
                let (core, library) = (format!("rank {rank}"), format!("rank {}", packet.field));
                return self.part(Place::Event, Some(packet), core, library);
            }
        }
        self.tiers = self.manager.answered();
        let arrival = at.map(|at| (u64::from(self.packets[at].field), at as u64));
        let shown =
            self.manager.cycle_with(arrival, told.departs, told.takes_batch, told.takes_swap_in);
        let packet = at.map(|at| self.packets[at]);
        self.decided(told, &shown, packet.as_ref())?;
        if let (Some(at), true) = (at, shown.arrived) {
            self.next = at + 1;
            self.verdicts.push_back((self.cycles + self.latency, at as u32, shown.lost));
        }
        self.due(shown.answer);
        self.cycles += 1;
        Ok(())
    }

    /// That the core decides as the library does.
    fn decided(&mut self, told: &Cycle, shown: &ThemisCycle, packet: Option<&Packet>) -> Step {
        let core = (told.arrived, told.lost, told.departure_taken);
        let library = (shown.arrived, shown.lost, shown.departs);
        if core != library {
            let words = |(arrived, lost, departs): (bool, bool, bool)| {
                let arrival = if lost { "lost" } else { "taken" };
                let arrival = if arrived { arrival } else { "waits" };
                let departure = if departs { "taken" } else { "waits" };
                format!("arrival {arrival}, departure {departure}")
            };
            return self.part(Place::Verdict, packet, words(core), words(library));
        }
        let known = shown.answer.map(|answer| Answer {
            operation: answer.operation,
            done: answer.element.is_some(),
            is_far: answer.element.is_some_and(|(_, _, tier)| tier == Tier::Hbm),
            rank: answer.element.map_or(0, |(rank, ..)| rank as u32), // at most 15 bits
        });
        // Where nothing was found or stored, the rest is anything.
        let seen = told.answer.map(|answer| match answer.done {
            true => answer,
            false => Answer { is_far: false, rank: 0, ..answer },
        });
        if seen != known {
            let packet = shown.answer.and_then(|answer| answer.element);
            let packet = packet.map(|(_, at, _)| self.packets[at as usize]);
            let words = |answer: Option<Answer>| match answer {
                None => "no answer".to_owned(),
                Some(Answer { operation, done: false, .. }) => format!("{operation:?}: nothing"),
                Some(Answer { operation, is_far, rank, .. }) => {
                    let tier = if is_far { "far" } else { "near" };
                    format!("{operation:?}: rank {rank}, {tier}")
                }
            };
            return self.part(Place::Order, packet.as_ref(), words(seen), words(known));
        }
        self.moves.answers += u64::from(seen.is_some());
        Ok(())
    }

    /// What the core is to say in this cycle.
    fn due(&mut self, answer: Option<ThemisAnswer>) {
        if let Some(&(cycle, at, lost)) = self.verdicts.front()
            && cycle == self.cycles
        {
            self.verdicts.pop_front();
            let verdict = match answer.and_then(|answer| answer.element) {
                _ if lost => Verdict::Staging,
                None => Verdict::Full,
                Some((_, _, Tier::Sram)) => Verdict::Near,
                Some((_, _, Tier::Hbm)) => Verdict::Far,
            };
            self.verdict = Some((at, verdict));
        }
        let Some(ThemisAnswer { operation, element: Some((_, at, tier)) }) = answer else { return };
        match operation {
            ThemisOperation::Dequeue | ThemisOperation::DropLargest => {
                self.left = Some((at as u32, operation, tier));
            }
            ThemisOperation::SwapOut => self.moves.swapped_out += 1,
            ThemisOperation::SwapIn => self.moves.swapped_in += 1,
            ThemisOperation::Enqueue
            | ThemisOperation::EnqueueNear
            | ThemisOperation::EnqueueFar => {}
        }
    }

    fn malformed(&mut self) -> Step {
        let Some(at) = self.find(self.next_malformed, false) else {
            return self.part(Place::Event, None, "malformed", "no such packet");
        };
        self.next_malformed = at + 1;
        self.malformed += 1;
        Ok(())
    }

    fn verdict(&mut self, verdict: Verdict, port: u16, bytes: u32) -> Step {
        let Some((at, known)) = self.verdict.take() else {
            return self.part(Place::Event, None, "a verdict", "none is due");
        };
        let packet = self.packets[at as usize];
        self.core.came(verdict, bytes);
        self.model[usize::from(packet.port)].came(known, packet.bytes);
        if (port, bytes) != (packet.port, packet.bytes) {
            let core = format!("{bytes} B for port {port}");
            let library = format!("{} B for port {}", packet.bytes, packet.port);
            return self.part(Place::Verdict, Some(&packet), core, library);
        }
        if verdict != known {
            return self.part(Place::Verdict, Some(&packet), verdict.words(), known.words());
        }
        Ok(())
    }

    fn left(&mut self, leaving: Leaving, port: u16, bytes: u32) -> Step {
        let Some((at, operation, tier)) = self.left.take() else {
            return self.part(Place::Departure, None, leaving.words(), "nothing leaves");
        };
        let packet = self.packets[at as usize];
        self.core.left(leaving, bytes);
        // What is bound for HBM may not have been written yet: whether it was, the core says.
        let known = match (operation, tier) {
            (ThemisOperation::DropLargest, _) => Leaving::Dropped,
            (_, Tier::Hbm) if leaving == Leaving::SentFar => Leaving::SentFar,
            (_, Tier::Sram | Tier::Hbm) => Leaving::SentNear,
        };
        self.model[usize::from(packet.port)].left(known, packet.bytes);
        if (leaving, port, bytes) != (known, packet.port, packet.bytes) {
            let words = |leaving: Leaving, port, bytes| {
                format!("{bytes} B for port {port}, {}", leaving.words())
            };
            let library = words(known, packet.port, packet.bytes);
            return self.part(
                Place::Departure,
                Some(&packet),
                words(leaving, port, bytes),
                library,
            );
        }
        if known != Leaving::Dropped {
            self.leaving[usize::from(port)].push_back(at);
        }
        Ok(())
    }

    fn out(&mut self, port: u16, source: u8, data: &[u8]) -> Step {
        let Some(at) = self.leaving.get_mut(usize::from(port)).and_then(VecDeque::pop_front) else {
            let core = format!("{} B at port {port}", data.len());
            return self.part(Place::Bytes, None, core, "nothing is sent");
        };
        let packet = self.packets[at as usize];
        let wanted = packet.data();
        if data != wanted {
            let same = data.iter().zip(&wanted).take_while(|(one, other)| one == other).count();
            let core = format!("{} B, other from byte {same} on", data.len());
            let library = format!("{} B", wanted.len());
            return self.part(Place::Bytes, Some(&packet), core, library);
        }
        if source != packet.source {
            let (core, library) = (format!("input {source}"), format!("input {}", packet.source));
            return self.part(Place::Bytes, Some(&packet), core, library);
        }
        Ok(())
    }

    fn level(&mut self, level: Level, value: u32) -> Step {
        let (near, far) = self.manager.answered();
        let HybridCoreConfig { regions, batch, .. } = *self.config;
        // Each region in use has a packet, and as many as a batch at most.
        let used = regions.saturating_sub(value);
        let (same, known) = match level {
            Level::Near => (value == self.tiers.0, format!("{} near", self.tiers.0)),
            Level::Far => (value == self.tiers.1, format!("{} far", self.tiers.1)),
            Level::NearAtRest => (value == near, format!("{near} near")),
            Level::FarAtRest => (value == far, format!("{far} far")),
            Level::FreeCells => {
                let free = self.config.cells() - near;
                (value == free, format!("{free} free cells"))
            }
            Level::FreeRegions => {
                self.moves.rests += 1;
                let fits = value <= regions && used <= far && far <= used * batch;
                (fits, format!("{regions} regions of {batch}, and {far} packets far"))
            }
            Level::RowHits => {
                self.moves.row_hits = value;
                return Ok(());
            }
            Level::RowMisses => {
                self.moves.row_misses = value;
                return Ok(());
            }
        };
        if same {
            return Ok(());
        }
        self.part(Place::Cells, None, format!("{value} ({level:?})"), known)
    }

    /// The counters come port by port, each port's by their numbers.
    fn counter(&mut self, (port, number): (u16, u16), packets: u32, bytes: u64) -> Step {
        let counters = self.model.get(usize::from(port)).map(HybridTotals::counters);
        let counters = counters.unwrap_or_default();
        let due = (self.counted / counters.len(), self.counted % counters.len());
        let known = counters.get(usize::from(number));
        let Some(known) = known.filter(|_| due == (port.into(), number.into())) else {
            let library = format!("counter {} of port {} is due", due.1, due.0);
            return self.part(Place::Counter, None, format!("counter {number}"), library);
        };
        self.counted += 1;
        if (u64::from(packets), bytes) == (known.packets, known.bytes) {
            return Ok(());
        }
        let core = format!("counter {number} of port {port}: {packets} packets, {bytes} B");
        let library = format!("{} packets, {} B", known.packets, known.bytes);
        self.part(Place::Counter, None, core, library)
    }

    /// At the end everything is free, and the core has counted what was told.
    fn register(&mut self, register: Register, value: u32) -> Step {
        let known = match register {
            Register::Malformed => self.malformed,
            Register::Near | Register::Far | Register::Errors => 0,
            Register::FreeCells => self.config.cells(),
            Register::FreeRegions => self.config.regions,
            Register::SwappedOut => self.moves.swapped_out,
            Register::SwappedIn => self.moves.swapped_in,
            Register::Writes => {
                self.moves.written = value;
                value
            }
            // What left or was swapped in before its write was answered is not read.
            Register::Reads => {
                self.moves.read = value;
                value.min(self.moves.written)
            }
        };
        self.counted += 1;
        if value == known {
            return Ok(());
        }
        self.part(Place::Counter, None, format!("{value} {}", register.words()), known.to_string())
    }

    /// Every packet has come, and has been sent or lost.
    fn end(&mut self) -> Step {
        self.complete()?;
        self.ended = true;
        let left = [self.find(self.next, true), self.find(self.next_malformed, false)];
        if let Some(at) = left.into_iter().flatten().next() {
            return self.part(Place::Event, Some(&self.packets[at]), "it never came", "it is due");
        }
        let waiting = self.verdicts.iter().map(|(_, at, _)| *at);
        let waiting = waiting.chain(self.leaving.iter().flatten().copied()).next();
        if let Some(at) = waiting {
            let packet = self.packets[at as usize];
            return self.part(Place::Event, Some(&packet), "it never left", "it waits");
        }
        if self.manager.answered() != (0, 0) {
            let (near, far) = self.manager.answered();
            let library = format!("{near} packets wait near, {far} far");
            return self.part(Place::Event, None, "the end", library);
        }
        let all = self.model.len() * HybridTotals::default().counters().len() + REGISTERS.len();
        if self.counted == all {
            return Ok(());
        }
        let (core, library) = (format!("{} counters", self.counted), format!("there are {all}"));
        self.part(Place::Counter, None, core, library)
    }
}
