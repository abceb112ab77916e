//! The thresholds of a configuration beside the scheme that is compared: queues that must not lose
//! packets keep what the file says and are never expelled; the scheme decides about the others, and
//! which of them is pushed out for a packet that must not be lost.

use forebay_buffer::Descriptor;
use forebay_buffer::onchip::{Admission, Alpha, Exit, OnChipPolicy, PoolView, Removal, Victim};
use forebay_units::Time;

/// What a queue may hold of its pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// So many times what is free.
    Share(Alpha),
    /// So many cells.
    Cells(u32),
}

/// Queues with the file's thresholds, and a scheme for the others.
pub struct Limits {
    /// Of each queue of the buffer its limit; `None` for those of the scheme.
    own: Vec<Option<Limit>>,
    scheme: Box<dyn OnChipPolicy>,
}

impl Limits {
    /// Around a scheme.
    #[must_use]
    pub fn new(own: Vec<Option<Limit>>, scheme: Box<dyn OnChipPolicy>) -> Self {
        Limits { own, scheme }
    }

    fn own(&self, queue: u32) -> Option<Limit> {
        self.own.get(queue as usize).copied().flatten()
    }

    /// Whether a victim is of a queue whose packets stay. Schemes name packets by number only of
    /// those that they were told of, which are their own.
    fn keeps(&self, victim: Victim) -> bool {
        match victim {
            Victim::Head(queue) | Victim::Tail(queue) => self.own(queue).is_some(),
            Victim::Packet(_) => false,
        }
    }

    fn cells(limit: Limit, pool: PoolView<'_>) -> u32 {
        match limit {
            Limit::Share(alpha) => alpha.threshold(pool.free()),
            Limit::Cells(cells) => cells,
        }
    }
}

impl OnChipPolicy for Limits {
    fn admit(&mut self, pool: PoolView<'_>, arriving: &Descriptor, cells: u32) -> Admission {
        let Some(limit) = self.own(arriving.queue) else {
            return match self.scheme.admit(pool, arriving, cells) {
                Admission::PushOut(victim) if self.keeps(victim) => Admission::Drop,
                decided => decided,
            };
        };
        let with = pool.length(arriving.queue).saturating_add(cells);
        if with > Limits::cells(limit, pool) {
            return Admission::Drop;
        }
        if cells <= pool.free() {
            return Admission::Accept;
        }
        // Where the scheme pushes out, packets of its queues go for this one, however long its own
        // queue is.
        let victim = self.scheme.victim(pool).filter(|victim| !self.keeps(*victim));
        victim.map_or(Admission::Drop, Admission::PushOut)
    }

    fn threshold(&self, pool: PoolView<'_>, queue: u32) -> Option<u32> {
        match self.own(queue) {
            Some(limit) => Some(Limits::cells(limit, pool)),
            None => self.scheme.threshold(pool, queue),
        }
    }

    fn next_expulsion(&mut self, pool: PoolView<'_>) -> Option<Victim> {
        self.scheme.next_expulsion(pool).filter(|victim| !self.keeps(*victim))
    }

    fn expels(&self) -> bool {
        self.scheme.expels()
    }

    fn reads_alpha(&self) -> bool {
        self.scheme.reads_alpha()
    }

    fn reads_port_rate(&self) -> bool {
        self.scheme.reads_port_rate()
    }

    fn exit(&mut self, now: Time, pool: PoolView<'_>, departing: &Descriptor) -> Exit {
        match self.own(departing.queue) {
            Some(_) => Exit::Send,
            None => self.scheme.exit(now, pool, departing),
        }
    }

    fn reads_ranks(&self) -> bool {
        self.scheme.reads_ranks()
    }

    fn enqueued(&mut self, pool: PoolView<'_>, id: u32, packet: &Descriptor) {
        if self.own(packet.queue).is_none() {
            self.scheme.enqueued(pool, id, packet);
        }
    }

    fn removed(&mut self, pool: PoolView<'_>, id: u32, packet: &Descriptor, how: Removal) {
        if self.own(packet.queue).is_none() {
            self.scheme.removed(pool, id, packet, how);
        }
    }
}
