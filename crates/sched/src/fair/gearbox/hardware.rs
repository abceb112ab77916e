//! Gearbox as hardware: fixed-size state, one operation at a time, shifts and masks only. The
//! golden model of the core in `rtl/`.
//!
//! Source: gearbox §4.2. 4 levels of 16 FIFOs of 256 descriptors, granularities 16^l units, sets A
//! and B in all levels but the top, 1024 flows; a descriptor is the packet's pointer, length,
//! transmission time and flow. The departure time is counted in whole units. No step-down FIFOs,
//! and rounding per unit, as in the paper's prototype.
//!
//! State: the system time `ts`; per flow the departure time and level of its last packet; per FIFO
//! a ring of descriptors and the sum of their lengths; per level an occupancy bit per FIFO, and of
//! the interval being served: its number, its bytes served, the unit served last and its bytes.
//!
//! *Enqueue*, for all levels `l` at once:
//! 1. `F = max(ts, departure[flow]) + time`.
//! 2. `interval = F >> 4l`, `current = ts >> 4l`. The level reaches `F` if
//!    `(interval >> 4) - (current >> 4)` is 0 or 1 (the set being served or the next); the top if
//!    `interval - current < 16`.
//! 3. The level is the lowest that reaches `F`, not below `level[flow]`; without one the packet is
//!    dropped.
//! 4. The FIFO is `interval mod 32` of that level (bit 4 chooses A or B), at the top
//!    `interval mod 16`. If it holds 256, the packet is dropped.
//! 5. The descriptor is written, the FIFO's sum and occupancy bit updated, `departure[flow] = F`,
//!    `level[flow]` the level.
//!
//! *Dequeue*, for all levels at once:
//! 1. The occupancy bits, rotated by `current`, and a find-first-one give the next interval and its
//!    FIFO.
//! 2. If nothing of that interval has been served, its head is due at `max(ts, interval << 4l)`.
//!    Else the level's quota for a unit is `(served + waiting + 2^4l - 1) >> 4l` bytes, and its
//!    head is due at `ts`, or at `ts + 1` if `ts` has had the quota; never after the interval's
//!    last unit.
//! 3. The earliest due head leaves, of the lowest level among equals; `ts` is when it was due.
//! 4. The level's bytes served are counted: from zero if the interval or the unit is new.
//!
//! The paper's dequeue computes a unit's quotas once and then pops until they are met; here each
//! dequeue is one descriptor, and packets that join during the unit count in its quota.
//!
//! Widths: pointer 15, length 11, time 20, flow 10 bits; higher bits given are ignored, as wires
//! would. Times are 64 bits and do not wrap in practice: with jumps of 4096 units at every one of
//! 87.5 million operations a second they last 19 months. Sums of served bytes are 32 bits and stop
//! at the end.
//!
//! Complexity: O(1). Memory: 400 KiB.

use alloc::boxed::Box;
use alloc::vec;

use crate::DropCause;

/// Levels.
pub const LEVELS: usize = 4;
/// FIFOs of a set.
pub const FIFOS: usize = 16;
/// Descriptors in a FIFO.
pub const FIFO_DESCRIPTORS: usize = 256;
/// Flows.
pub const FLOWS: usize = 1024;

/// log2 of [`FIFOS`]: the shift from a level's granularity to the next.
const SHIFT: u32 = FIFOS.ilog2();
/// FIFO numbers per level; the top uses half of them.
const RING: usize = 2 * FIFOS;

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
    const fn masked(self) -> Self {
        GearboxDescriptor {
            pointer: self.pointer & 0x7FFF,
            length: self.length & 0x7FF,
            time: self.time & 0xF_FFFF,
            flow: self.flow & 0x3FF,
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
    /// The FIFO in the level: 0 to 15 are set A, 16 to 31 set B.
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

#[derive(Clone, Copy, Debug, Default)]
struct Service {
    interval: u64,
    bytes: u32,
    unit: u64,
    unit_bytes: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct CoreLevel {
    occupied: u32,
    service: Service,
}

/// A level's next descriptor.
#[derive(Clone, Copy, Debug)]
struct Head {
    due: u64,
    interval: u64,
    fifo: usize,
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
    unit: u64,
    flows: Box<[Flow]>,
    levels: [CoreLevel; LEVELS],
    fifos: [Fifo; LEVELS * RING],
    memory: Box<[GearboxDescriptor]>,
    len: usize,
}

forebay_pifo::debug_in_one_line!([] GearboxCore, |core| { len: core.len() });

impl Default for GearboxCore {
    fn default() -> Self {
        GearboxCore {
            unit: 0,
            flows: vec![Flow::default(); FLOWS].into(),
            levels: [CoreLevel::default(); LEVELS],
            fifos: [Fifo::default(); LEVELS * RING],
            memory: vec![GearboxDescriptor::default(); (LEVELS * RING - FIFOS) * FIFO_DESCRIPTORS]
                .into(),
            len: 0,
        }
    }
}

/// log2 of the granularity of a level.
const fn shift(level: usize) -> u32 {
    SHIFT * level as u32
}

/// log2 of the FIFOs of a level's ring.
const fn ring_bits(level: usize) -> u32 {
    if level + 1 == LEVELS { SHIFT } else { SHIFT + 1 }
}

/// The FIFO of an interval within its level.
const fn slot(level: usize, interval: u64) -> usize {
    (interval & ((1 << ring_bits(level)) - 1)) as usize
}

impl GearboxCore {
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

    /// Takes a descriptor, and answers where it went.
    ///
    /// # Errors
    /// Why it is dropped; then nothing has changed.
    pub fn enqueue(&mut self, descriptor: GearboxDescriptor) -> Result<Enqueued, DropCause> {
        let descriptor = descriptor.masked();
        let flow = self.flows[usize::from(descriptor.flow)];
        let departure = self.unit.max(flow.departure).saturating_add(u64::from(descriptor.time));
        let level = (usize::from(flow.level)..LEVELS)
            .find(|&level| self.reaches(level, departure))
            .ok_or(DropCause::Horizon)?;
        let slot = slot(level, departure >> shift(level));
        let fifo = &mut self.fifos[level * RING + slot];
        if usize::from(fifo.count) == FIFO_DESCRIPTORS {
            return Err(DropCause::QueueFull);
        }
        let place = (usize::from(fifo.head) + usize::from(fifo.count)) % FIFO_DESCRIPTORS;
        self.memory[(level * RING + slot) * FIFO_DESCRIPTORS + place] = descriptor;
        fifo.count += 1;
        fifo.bytes += u32::from(descriptor.length);
        self.levels[level].occupied |= 1 << slot;
        self.flows[usize::from(descriptor.flow)] = Flow { departure, level: level as u8 };
        self.len += 1;
        Ok(Enqueued { unit: departure, level: level as u8, fifo: slot as u8 })
    }

    /// Whether a level's sets hold a departure time.
    fn reaches(&self, level: usize, departure: u64) -> bool {
        let (interval, current) = (departure >> shift(level), self.unit >> shift(level));
        if level + 1 == LEVELS {
            interval - current < FIFOS as u64
        } else {
            (interval >> SHIFT) - (current >> SHIFT) < 2
        }
    }

    /// Gives up the next descriptor, with where it was and the unit it was due in.
    pub fn dequeue(&mut self) -> Option<(GearboxDescriptor, Enqueued)> {
        let mut first: Option<(usize, Head)> = None;
        for level in 0..LEVELS {
            let Some(head) = self.head(level) else { continue };
            if first.is_none_or(|(_, earliest)| head.due < earliest.due) {
                first = Some((level, head));
            }
        }
        let (level, head) = first?;
        let descriptor = self.pop(level, head.fifo);
        self.unit = head.due;
        self.count_service(level, head, u32::from(descriptor.length));
        let at = Enqueued { unit: head.due, level: level as u8, fifo: head.fifo as u8 };
        Some((descriptor, at))
    }

    /// The next descriptor of a level.
    fn head(&self, level: usize) -> Option<Head> {
        let CoreLevel { occupied, service } = self.levels[level];
        if occupied == 0 {
            return None;
        }
        let (shift, ring) = (shift(level), 1 << ring_bits(level));
        let current = self.unit >> shift;
        let start = slot(level, current) as u32;
        // The ring twice over, so that a shift rotates it.
        let turned = (u64::from(occupied) | u64::from(occupied) << ring) >> start;
        let interval = current + u64::from(turned.trailing_zeros());
        let fifo = slot(level, interval);
        let begins = interval << shift;
        if service.interval != interval || service.bytes == 0 {
            return Some(Head { due: begins.max(self.unit), interval, fifo });
        }
        let waiting = u64::from(self.fifos[level * RING + fifo].bytes);
        let ceiling = (1u64 << shift) - 1;
        let quota = (u64::from(service.bytes) + waiting + ceiling) >> shift;
        let done = service.unit == self.unit && u64::from(service.unit_bytes) >= quota;
        let due = (self.unit + u64::from(done)).min(begins | ceiling);
        Some(Head { due, interval, fifo })
    }

    /// Takes the first descriptor of a FIFO that has one.
    fn pop(&mut self, level: usize, slot: usize) -> GearboxDescriptor {
        let number = level * RING + slot;
        let fifo = &mut self.fifos[number];
        let descriptor = self.memory[number * FIFO_DESCRIPTORS + usize::from(fifo.head)];
        fifo.head = (fifo.head + 1) % FIFO_DESCRIPTORS as u16;
        fifo.count -= 1;
        fifo.bytes -= u32::from(descriptor.length);
        if fifo.count == 0 {
            self.levels[level].occupied &= !(1 << slot);
        }
        self.len -= 1;
        descriptor
    }

    fn count_service(&mut self, level: usize, head: Head, length: u32) {
        let service = &mut self.levels[level].service;
        if service.interval != head.interval {
            *service = Service { interval: head.interval, ..Service::default() };
        }
        if service.unit != head.due {
            (service.unit, service.unit_bytes) = (head.due, 0);
        }
        service.bytes = service.bytes.saturating_add(length);
        service.unit_bytes = service.unit_bytes.saturating_add(length);
    }
}
