//! One level: a ring of FIFOs over aligned intervals of virtual time, and when each of its packets
//! is due.
//!
//! Source: gearbox §3.1 to §3.3, §3.6, §4.2, App. A. Interval `k` of a level of granularity `g` is
//! the units `[k·g, (k+1)·g)`; its FIFO is number `k` modulo the size of the ring. Sets A and B are
//! the two halves of a ring. The *front* of a level are the split parts of the step-down FIFO of
//! the level above: one FIFO for each interval of one block of the level, which always is a set B,
//! served before the ring's FIFO of the same interval.
//!
//! Proportional service by due times: what a FIFO has held in its interval, served and waiting, is
//! spread evenly over the interval's units, and the head is due in the unit of its first byte
//! (`Carried`); or each unit serves a `g`th of those bytes, rounded up to packets (`PerUnit`). In
//! both, what waits in the last unit is due.
//!
//! Complexity: O(1), a rotation and a find-first-set over 128 bits. Memory: some 150 bytes.

use super::BLOCK;
use super::config::Rounding;
use super::divisor::Divisor;
use crate::Packet;
use crate::fair::fifos::Fifos;

/// The split step-down FIFO of the level above.
#[derive(Clone, Copy, Debug)]
struct Front {
    first: usize,
    occupied: u64,
    /// The block of intervals it stands before.
    block: u64,
}

/// A level's next packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// The unit in which it is due.
    pub(super) due: u64,
    /// The number of the interval that its FIFO stands for.
    interval: u64,
    /// Its FIFO.
    pub(super) fifo: usize,
}

/// How much of an interval has been served.
#[derive(Clone, Copy, Debug, Default)]
struct Service {
    interval: u64,
    bytes: u64,
    /// The unit served last, and its bytes.
    unit: u64,
    unit_bytes: u64,
}

#[derive(Clone, Debug)]
pub(super) struct Level {
    granularity: Divisor,
    /// FIFOs of a set.
    set: Divisor,
    /// FIFOs of the ring: one set or two.
    ring: Divisor,
    /// The number of the ring's first FIFO.
    first: usize,
    occupied: u128,
    front: Option<Front>,
    service: Service,
}

impl Level {
    /// A level of `sets` sets of `set` FIFOs, at most 128 in all, numbered from `first`.
    pub(super) fn new(granularity: u64, set: u64, sets: u64, first: usize) -> Self {
        Level {
            granularity: Divisor::new(granularity),
            set: Divisor::new(set),
            ring: Divisor::new(set * sets),
            first,
            occupied: 0,
            front: None,
            service: Service::default(),
        }
    }

    /// Gives the level a front of one set of FIFOs, numbered from `first`.
    pub(super) fn add_front(&mut self, first: usize) {
        self.front = Some(Front { first, occupied: 0, block: 0 });
    }

    pub(super) fn has_front(&self) -> bool {
        self.front.is_some()
    }

    pub(super) fn granularity(&self) -> u64 {
        self.granularity.get()
    }

    /// FIFOs of a set.
    pub(super) fn set(&self) -> u64 {
        self.set.get()
    }

    /// FIFOs of the ring.
    pub(super) fn ring(&self) -> u64 {
        self.ring.get()
    }

    /// Whether this is the interval of the level's step-down FIFO: FIFO 1 of set A.
    #[inline]
    pub(super) fn is_step_down(&self, interval: u64) -> bool {
        self.ring.remainder(interval) == 1
    }

    /// The interval of a unit.
    #[inline]
    pub(super) fn interval(&self, unit: u64) -> u64 {
        self.granularity.quotient(unit)
    }

    /// The first interval after `now` that has no FIFO: after the set that follows the one being
    /// served, or for a ring of one set after a whole turn.
    #[inline]
    pub(super) fn end(&self, now: u64) -> u64 {
        let current = self.interval(now);
        let (ring, set) = (self.ring.get(), self.set.get());
        if ring == set {
            current.saturating_add(ring)
        } else {
            self.set.quotient(current).saturating_add(2).saturating_mul(set)
        }
    }

    /// The ring's FIFO of an interval.
    #[inline]
    pub(super) fn fifo(&self, interval: u64) -> usize {
        self.first + self.ring.remainder(interval) as usize
    }

    /// The front's FIFO of an interval; the ring's if there is no front.
    pub(super) fn front_fifo(&self, interval: u64) -> usize {
        match self.front {
            Some(front) => front.first + self.set.remainder(interval) as usize,
            None => self.fifo(interval),
        }
    }

    /// Counts a packet that joined the ring's FIFO of `interval`.
    #[inline]
    pub(super) fn joined(&mut self, interval: u64) {
        self.occupied |= 1 << self.ring.remainder(interval);
    }

    /// Counts a packet that joined the front's FIFO of `interval`.
    pub(super) fn joined_front(&mut self, interval: u64) {
        if let Some(front) = &mut self.front {
            front.occupied |= 1 << self.set.remainder(interval);
            front.block = self.set.quotient(interval);
        }
    }

    /// The earliest interval that holds something, from `current` on, and its first FIFO.
    #[inline]
    fn next(&self, current: u64) -> Option<(u64, usize)> {
        let ring = (self.occupied != 0).then(|| {
            let slot = self.ring.remainder(current) as u32;
            let ahead = self.occupied >> slot;
            let steps = if ahead != 0 {
                u64::from(ahead.trailing_zeros())
            } else {
                self.ring.get() - u64::from(slot) + u64::from(self.occupied.trailing_zeros())
            };
            (current + steps, self.fifo(current + steps))
        });
        let front = self.front.filter(|front| front.occupied != 0).map(|front| {
            // Parts before the current interval are empty.
            let part = u64::from(front.occupied.trailing_zeros());
            (front.block * self.set.get() + part, front.first + part as usize)
        });
        match (ring, front) {
            (Some(ring), Some(front)) => Some(if front.0 <= ring.0 { front } else { ring }),
            (ring, front) => front.or(ring),
        }
    }

    /// The packet this level serves next, at system time `now`.
    #[inline]
    pub(super) fn head(
        &self,
        fifos: &Fifos<Packet, BLOCK>,
        now: u64,
        rounding: Rounding,
    ) -> Option<Head> {
        let (interval, fifo) = self.next(self.interval(now))?;
        let granularity = self.granularity.get();
        let start = interval * granularity;
        let begun = self.service.interval == interval && self.service.bytes > 0;
        if granularity == 1 || !begun {
            return Some(Head { due: start.max(now), interval, fifo });
        }
        let held = self.service.bytes.saturating_add(self.waiting(fifos, interval));
        let due = match rounding {
            Rounding::Carried => {
                start + self.service.bytes.saturating_mul(granularity) / held.max(1)
            }
            Rounding::PerUnit => {
                let quota = self.granularity.quotient(held.saturating_add(granularity - 1));
                let done = self.service.unit == now && self.service.unit_bytes >= quota;
                now + u64::from(done)
            }
        };
        let last = start + (granularity - 1);
        Some(Head { due: due.max(now).min(last), interval, fifo })
    }

    /// Bytes that wait for service in an interval.
    fn waiting(&self, fifos: &Fifos<Packet, BLOCK>, interval: u64) -> u64 {
        let before = self
            .front
            .filter(|front| front.block == self.set.quotient(interval))
            .map_or(0, |front| fifos.bytes(front.first + self.set.remainder(interval) as usize));
        before + fifos.bytes(self.fifo(interval))
    }

    /// Counts `size` bytes served from `head`, whose FIFO may now be empty.
    #[inline]
    pub(super) fn served(&mut self, head: Head, size: u32, is_empty: bool) {
        let service = &mut self.service;
        if service.interval != head.interval {
            *service = Service { interval: head.interval, ..Service::default() };
        }
        if service.unit != head.due {
            (service.unit, service.unit_bytes) = (head.due, 0);
        }
        service.bytes += u64::from(size);
        service.unit_bytes += u64::from(size);
        if is_empty {
            self.vacate(head);
        }
    }

    /// Marks the FIFO of `head` as empty.
    #[inline]
    fn vacate(&mut self, head: Head) {
        match &mut self.front {
            Some(front)
                if head.fifo >= front.first
                    && head.fifo < front.first + self.set.get() as usize =>
            {
                front.occupied &= !(1 << self.set.remainder(head.interval));
            }
            _ => self.occupied &= !(1 << self.ring.remainder(head.interval)),
        }
    }
}
