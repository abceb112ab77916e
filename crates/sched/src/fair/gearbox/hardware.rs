//! Gearbox as hardware: fixed-size state, one operation at a time, shifts and masks only. The
//! golden model of `rtl/gearbox`; its page is `docs/rtl-gearbox.md`.
//!
//! Source: gearbox §4.2, App. A. 4 levels of 16 FIFOs of 256 descriptors, granularities 16^l units,
//! sets A and B in all levels but the top, 1024 flows; a descriptor is the packet's pointer,
//! length, transmission time and flow. The departure time is counted in whole units, and each unit
//! rounds up to packets for itself, as in the paper's prototype, which has no step-down FIFOs.
//! [`GearboxCoreConfig`] has other sizes and step-down FIFOs; below, F is the number of FIFOs of a
//! set, 16, and s its logarithm, 4.
//!
//! State: the system time `ts`; per flow the departure time and level of its last packet; per FIFO
//! a ring of descriptors and the sum of their lengths; per level an occupancy bit per FIFO, and of
//! the interval being served: its number, all bytes that it has held, the unit served last and its
//! bytes.
//!
//! *Enqueue*, for all levels `l` at once:
//! 1. `D = max(ts, departure[flow]) + time`.
//! 2. `interval = D >> s·l`, `current = ts >> s·l`. The level reaches `D` if
//!    `(interval >> s) - (current >> s)` is 0 or 1 (the set being served or the next); the top if
//!    `interval - current < F`.
//! 3. The level is the lowest that reaches `D`, not below `level[flow]`; without one the packet is
//!    dropped.
//! 4. The FIFO is `interval mod 2F` of that level (the upper bit chooses A or B), at the top
//!    `interval mod F`. With step-down FIFOs, FIFO 1 of a level is split: its packets go to the
//!    *front* of the level below, FIFO `2F + interval mod F` by that level's interval, and count as
//!    being at that level. If the FIFO is full, the packet is dropped.
//! 5. The descriptor is written, the FIFO's sum and occupancy bit updated, `departure[flow] = D`,
//!    `level[flow]` the level; if the FIFO's interval is being served, it has held so much more.
//!
//! *Dequeue*, for all levels at once:
//! 1. The occupancy bits, rotated by `current`, and a find-first-one give the next interval and its
//!    FIFO; the front goes before the sets' FIFO of the same interval.
//! 2. If nothing of that interval has been served, its head is due at `max(ts, interval << s·l)`.
//!    Else at `ts`, or at `ts + 1` if the bytes served in `ts` are at least a 2^(s·l)th of those
//!    that the interval has held; never after the interval's last unit.
//! 3. The earliest due head leaves, of the lowest level among equals; `ts` is when it was due.
//! 4. The unit's bytes are counted, from zero if the unit is new. If the interval is new, it has
//!    held what waits in its FIFOs.
//!
//! The paper's dequeue computes a unit's quotas once and then pops until they are met; here each
//! dequeue is one descriptor, and packets that join during the unit count in its quota.
//!
//! Widths: pointer 15, length 11, time 20, flow 10 bits; higher bits given are ignored, as wires
//! would. Times are 64 bits and do not wrap in practice: with jumps of 4096 units at every one of
//! 87.5 million operations a second they last 19 months. Sums of bytes stop at 2^24 - 1.
//!
//! Complexity: O(1). Memory: 500 KiB.

use alloc::boxed::Box;
use alloc::vec;

use forebay_parameters::{Configure, ParameterError, check};

use crate::DropCause;

/// Levels of the paper's prototype.
pub const LEVELS: usize = 4;
/// FIFOs of a set there.
pub const FIFOS: usize = 16;
/// Descriptors in a FIFO there.
pub const FIFO_DESCRIPTORS: usize = 256;
/// Flows there.
pub const FLOWS: usize = 1024;

/// Sums of an interval's bytes stop here, as the core's counters do.
const MOST_BYTES: u32 = (1 << 24) - 1;

/// Parameters of [`GearboxCore`], those of the core: powers of two by their logarithms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Configure)]
pub struct GearboxCoreConfig {
    /// Levels of FIFOs.
    #[parameter(paper = "gearbox §4.2: 4", range = 2..=4, default = 4)]
    pub levels: u32,
    /// FIFOs of a set. With two, the top level would reach no further than the one below.
    #[parameter(paper = "gearbox §4.2: 16", range = 2..=4, default = 4)]
    pub fifos_log2: u32,
    /// Descriptors in a FIFO.
    #[parameter(paper = "gearbox §4.2: 256", range = 1..=8, default = 8)]
    pub places_log2: u32,
    /// Flows that have state of their own.
    #[parameter(paper = "gearbox §4.2: 1024", range = 1..=10, default = 10)]
    pub flows_log2: u32,
    /// Whether each level above the first has a step-down FIFO.
    #[parameter(paper = "gearbox §4.2: App. A is not in the prototype", default = false)]
    pub step_down: bool,
}

/// What the core knows of a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GearboxDescriptor {
    /// Where the packet lies in the packet buffer, 15 bits.
    pub pointer: u16,
    /// Bytes, 11 bits.
    pub length: u16,
    /// Transmission time at the flow's rate, in units of virtual time, 20 bits.
    pub time: u32,
    /// The flow, 10 bits.
    pub flow: u16,
}

impl GearboxDescriptor {
    /// The bits that there are wires for.
    const fn masked(self, flows_log2: u32) -> Self {
        GearboxDescriptor {
            pointer: self.pointer & 0x7FFF,
            length: self.length & 0x7FF,
            time: self.time & 0xF_FFFF,
            flow: self.flow & ((1 << flows_log2) - 1),
        }
    }
}

/// Where an enqueue put a descriptor, or a dequeue found it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Enqueued {
    /// The departure time, or when dequeued the system time.
    pub unit: u64,
    /// The level, from 0.
    pub level: u8,
    /// The FIFO in the level: 0 to 15 are set A, 16 to 31 set B, and 32 to 47 the front, which are
    /// parts of the step-down FIFO of the level above (with 16 FIFOs in a set).
    pub fifo: u8,
}

#[derive(Clone, Copy, Debug, Default)]
struct Flow {
    departure: u64,
    level: u8,
}

/// A FIFO's registers; its descriptors lie in the core's memory.
#[derive(Clone, Copy, Debug, Default)]
struct Fifo {
    head: u16,
    count: u16,
    bytes: u32,
}

/// The interval being served; none until its first packet has left.
#[derive(Clone, Copy, Debug)]
struct Service {
    interval: u64,
    /// All bytes that it has held.
    held: u32,
    /// Whether a byte has been served.
    begun: bool,
    /// The unit served last, and its bytes.
    unit: u64,
    unit_bytes: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct CoreLevel {
    /// Of sets A and B.
    occupied: u32,
    /// Of the front, and the number of its interval at the level above.
    front: u32,
    block: u64,
    service: Option<Service>,
}

/// The FIFO of an interval of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    level: usize,
    interval: u64,
    /// Its number in the level: sets A and B, then the front.
    fifo: usize,
}

/// A level's next descriptor.
#[derive(Clone, Copy, Debug)]
struct Head {
    due: u64,
    place: Place,
}

/// The machine of §4.2.
///
/// ```
/// use forebay_sched::fair::gearbox::{GearboxDescriptor, GearboxCore};
///
/// let mut core = GearboxCore::default();
/// let far = GearboxDescriptor { pointer: 1, length: 1500, time: 40, flow: 7 };
/// let near = GearboxDescriptor { pointer: 2, length: 64, time: 3, flow: 8 };
/// assert_eq!(core.enqueue(far).map(|at| at.level), Ok(1));
/// assert_eq!(core.enqueue(near).map(|at| at.level), Ok(0));
/// assert_eq!(core.dequeue().map(|(descriptor, _)| descriptor), Some(near));
/// assert_eq!(core.dequeue().map(|(descriptor, at)| (descriptor, at.unit)), Some((far, 32)));
/// ```
#[derive(Clone)]
pub struct GearboxCore {
    config: GearboxCoreConfig,
    unit: u64,
    flows: Box<[Flow]>,
    levels: [CoreLevel; LEVELS],
    fifos: Box<[Fifo]>,
    memory: Box<[GearboxDescriptor]>,
    len: usize,
}

forebay_pifo::debug_in_one_line!([] GearboxCore, |core| { len: core.len() });

impl Default for GearboxCore {
    /// The paper's prototype.
    fn default() -> Self {
        GearboxCore::of(GearboxCoreConfig::default())
    }
}

impl GearboxCore {
    /// An empty core at system time 0.
    ///
    /// # Errors
    /// A parameter is out of its range.
    pub fn new(config: &GearboxCoreConfig) -> Result<Self, ParameterError> {
        let mut checked = *config;
        check(&mut checked)?;
        Ok(GearboxCore::of(checked))
    }

    fn of(config: GearboxCoreConfig) -> Self {
        let fifos = config.levels as usize * (3 << config.fifos_log2);
        let descriptors = fifos << config.places_log2;
        GearboxCore {
            config,
            unit: 0,
            flows: vec![Flow::default(); 1 << config.flows_log2].into(),
            levels: [CoreLevel::default(); LEVELS],
            fifos: vec![Fifo::default(); fifos].into(),
            memory: vec![GearboxDescriptor::default(); descriptors].into(),
            len: 0,
        }
    }

    /// The system time, in units.
    #[must_use]
    pub const fn system_time(&self) -> u64 {
        self.unit
    }

    /// Descriptors that wait.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether none waits.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    const fn levels(&self) -> usize {
        self.config.levels as usize
    }

    const fn is_top(&self, level: usize) -> bool {
        level + 1 == self.levels()
    }

    /// log2 of the granularity of a level.
    const fn shift(&self, level: usize) -> u32 {
        self.config.fifos_log2 * level as u32
    }

    /// log2 of the FIFOs of a level's ring.
    const fn ring_bits(&self, level: usize) -> u32 {
        self.config.fifos_log2 + !self.is_top(level) as u32
    }

    /// The FIFO of an interval within its level's ring.
    const fn slot(&self, level: usize, interval: u64) -> usize {
        (interval & ((1 << self.ring_bits(level)) - 1)) as usize
    }

    /// The FIFO of an interval within its level's front.
    const fn front(&self, interval: u64) -> usize {
        let set = 1 << self.config.fifos_log2;
        2 * set + (interval & (set as u64 - 1)) as usize
    }

    /// A FIFO among those of all levels.
    const fn number(&self, level: usize, fifo: usize) -> usize {
        level * (3 << self.config.fifos_log2) + fifo
    }

    /// Takes a descriptor, and answers where it went.
    ///
    /// # Errors
    /// Why it is dropped; then nothing has changed.
    pub fn enqueue(&mut self, descriptor: GearboxDescriptor) -> Result<Enqueued, DropCause> {
        let descriptor = descriptor.masked(self.config.flows_log2);
        let flow = self.flows[usize::from(descriptor.flow)];
        let departure = self.unit.max(flow.departure).saturating_add(u64::from(descriptor.time));
        let level = (usize::from(flow.level)..self.levels())
            .find(|&level| self.reaches(level, departure))
            .ok_or(DropCause::Horizon)?;
        let place = self.place(level, departure);
        let number = self.number(place.level, place.fifo);
        let fifo = &mut self.fifos[number];
        let places = 1 << self.config.places_log2;
        if fifo.count == places {
            return Err(DropCause::QueueFull);
        }
        let at = usize::from((fifo.head + fifo.count) % places);
        self.memory[number * usize::from(places) + at] = descriptor;
        fifo.count += 1;
        fifo.bytes += u32::from(descriptor.length);
        self.joined(place, u32::from(descriptor.length));
        let level = place.level as u8;
        self.flows[usize::from(descriptor.flow)] = Flow { departure, level };
        self.len += 1;
        Ok(Enqueued { unit: departure, level, fifo: place.fifo as u8 })
    }

    /// Whether a level's sets hold a departure time.
    const fn reaches(&self, level: usize, departure: u64) -> bool {
        let shift = self.shift(level);
        let (interval, current) = (departure >> shift, self.unit >> shift);
        let set = self.config.fifos_log2;
        if self.is_top(level) {
            interval - current < 1 << set
        } else {
            (interval >> set) - (current >> set) < 2
        }
    }

    /// The FIFO of a departure time at a level that reaches it, or the part of its step-down FIFO.
    const fn place(&self, level: usize, departure: u64) -> Place {
        let interval = departure >> self.shift(level);
        let fifo = self.slot(level, interval);
        if self.config.step_down && level > 0 && fifo == 1 {
            let interval = departure >> self.shift(level - 1);
            return Place { level: level - 1, interval, fifo: self.front(interval) };
        }
        Place { level, interval, fifo }
    }

    /// Marks the FIFO of a packet that joined, and counts its bytes.
    fn joined(&mut self, place: Place, length: u32) {
        let set = self.config.fifos_log2;
        let level = &mut self.levels[place.level];
        match place.fifo.checked_sub(2 << set) {
            Some(part) => {
                level.front |= 1 << part;
                level.block = place.interval >> set;
            }
            None => level.occupied |= 1 << place.fifo,
        }
        if let Some(service) = level.service.as_mut().filter(|s| s.interval == place.interval) {
            service.held = MOST_BYTES.min(service.held + length);
        }
    }

    /// Gives up the next descriptor, with where it was and the unit it was due in.
    pub fn dequeue(&mut self) -> Option<(GearboxDescriptor, Enqueued)> {
        let mut first: Option<Head> = None;
        for level in 0..self.levels() {
            let Some(head) = self.head(level) else { continue };
            if first.is_none_or(|earliest| head.due < earliest.due) {
                first = Some(head);
            }
        }
        let Head { due, place } = first?;
        self.begin(place);
        let descriptor = self.pop(place);
        self.unit = due;
        if let Some(service) = &mut self.levels[place.level].service {
            service.count(due, u32::from(descriptor.length));
        }
        let at = Enqueued { unit: due, level: place.level as u8, fifo: place.fifo as u8 };
        Some((descriptor, at))
    }

    /// The next descriptor of a level.
    fn head(&self, level: usize) -> Option<Head> {
        let place = self.next(level)?;
        let shift = self.shift(level);
        let begins = place.interval << shift;
        let begun = |service: &Service| service.interval == place.interval && service.begun;
        let Some(service) = self.levels[level].service.filter(begun) else {
            return Some(Head { due: begins.max(self.unit), place });
        };
        let done = service.unit == self.unit
            && u64::from(service.unit_bytes) << shift >= u64::from(service.held);
        let last = begins | ((1 << shift) - 1);
        Some(Head { due: (self.unit + u64::from(done)).min(last), place })
    }

    /// The earliest interval of a level that holds something, and its first FIFO.
    fn next(&self, level: usize) -> Option<Place> {
        let CoreLevel { occupied, front, block, .. } = self.levels[level];
        let ring = (occupied != 0).then(|| {
            let (current, bits) = (self.unit >> self.shift(level), 1 << self.ring_bits(level));
            let start = self.slot(level, current);
            // The ring twice over, so that a shift rotates it.
            let turned = (u64::from(occupied) | u64::from(occupied) << bits) >> start;
            let interval = current + u64::from(turned.trailing_zeros());
            Place { level, interval, fifo: self.slot(level, interval) }
        });
        let front = (front != 0).then(|| {
            // Parts before the current interval are empty.
            let part = u64::from(front.trailing_zeros());
            let interval = (block << self.config.fifos_log2) + part;
            Place { level, interval, fifo: self.front(interval) }
        });
        match (ring, front) {
            (Some(ring), Some(front)) => {
                Some(if front.interval <= ring.interval { front } else { ring })
            }
            (ring, front) => front.or(ring),
        }
    }

    /// The interval of a head that leaves is the one being served; if it is a new one, what it has
    /// held is what waits.
    fn begin(&mut self, Place { level, interval, .. }: Place) {
        if self.levels[level].service.is_some_and(|service| service.interval == interval) {
            return;
        }
        let CoreLevel { front, block, .. } = self.levels[level];
        let bytes = |fifo| self.fifos[self.number(level, fifo)].bytes;
        let mut held = bytes(self.slot(level, interval));
        if front != 0 && block == interval >> self.config.fifos_log2 {
            held += bytes(self.front(interval));
        }
        let held = MOST_BYTES.min(held);
        self.levels[level].service =
            Some(Service { interval, held, begun: false, unit: self.unit, unit_bytes: 0 });
    }

    /// Takes the first descriptor of a FIFO that has one.
    fn pop(&mut self, place: Place) -> GearboxDescriptor {
        let number = self.number(place.level, place.fifo);
        let (fifo, places) = (&mut self.fifos[number], 1 << self.config.places_log2);
        let descriptor = self.memory[number * usize::from(places) + usize::from(fifo.head)];
        fifo.head = (fifo.head + 1) % places;
        fifo.count -= 1;
        fifo.bytes -= u32::from(descriptor.length);
        if fifo.count == 0 {
            let level = &mut self.levels[place.level];
            match place.fifo.checked_sub(2 << self.config.fifos_log2) {
                Some(part) => level.front &= !(1 << part),
                None => level.occupied &= !(1 << place.fifo),
            }
        }
        self.len -= 1;
        descriptor
    }
}

impl Service {
    /// Counts bytes that leave in a unit.
    fn count(&mut self, unit: u64, length: u32) {
        if self.unit != unit {
            (self.unit, self.unit_bytes) = (unit, 0);
        }
        self.begun |= length > 0;
        self.unit_bytes = MOST_BYTES.min(self.unit_bytes + length);
    }
}
