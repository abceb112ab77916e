//! The packets of a plan through a switch, and what becomes of each.

use std::sync::atomic::{AtomicBool, Ordering};

use forebay_sched::Rank;
use forebay_switch::{DropCause, Ecn, Handle, Links, Lost, SwitchModel, Traffic};
use forebay_units::{Bytes, Time};

use crate::plan::{Offered, ReplayPlan};

/// What became of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Its port sent it.
    Sent {
        /// When its first bit left.
        begin: Time,
        /// When its last bit left.
        end: Time,
        /// Whether the switch marked it.
        marked: bool,
    },
    /// It was lost.
    Lost {
        /// When the switch told; an expulsion may have happened before, but not what follows from
        /// it.
        at: Time,
        /// Why.
        cause: DropCause,
    },
}

/// Who is told what became of every packet, in the order in which that is decided.
pub trait Witness {
    /// The fate of a packet.
    fn see(&mut self, packet: &Offered<'_>, fate: &Fate);
}

impl<W: Witness + ?Sized> Witness for &mut W {
    fn see(&mut self, packet: &Offered<'_>, fate: &Fate) {
        (**self).see(packet, fate);
    }
}

/// All are told.
impl<W: Witness> Witness for Vec<W> {
    fn see(&mut self, packet: &Offered<'_>, fate: &Fate) {
        self.iter_mut().for_each(|witness| witness.see(packet, fate));
    }
}

impl<W: Witness + ?Sized> Witness for Box<W> {
    fn see(&mut self, packet: &Offered<'_>, fate: &Fate) {
        (**self).see(packet, fate);
    }
}

/// How a replay ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Every packet was sent or lost.
    Finished,
    /// The flag was raised: some packets have not arrived, others still wait.
    Stopped,
}

/// When and how a replay ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// When the last bit had left, or the replay was stopped.
    pub at: Time,
    /// How.
    pub how: Ended,
}

/// Drives `switch` with the packets of `plan` until all are gone, or `stop` is raised.
pub fn replay<S: SwitchModel>(
    plan: &ReplayPlan<'_>,
    switch: &mut S,
    witness: &mut impl Witness,
    stop: &AtomicBool,
) -> End {
    for (id, bytes) in (0..).zip(plan.recording().flow_bytes()) {
        // What a capture has is on the wire.
        switch.flow_added(id, Bytes::new(*bytes), Bytes::new(*bytes));
    }
    let (next, ranks) = (plan.offered(0), Vec::new());
    let traffic = Replayed { plan, witness, next, ranks, last: Time::ZERO };
    let mut links = Links::new(switch, plan.ports(), traffic);
    // Looked at for every event, which costs nothing that can be measured: a rank in Python may
    // take a millisecond.
    while !stop.load(Ordering::Relaxed) {
        if !links.step() {
            return End { at: links.traffic.last, how: Ended::Finished };
        }
    }
    End { at: links.now(), how: Ended::Stopped }
}

/// The packets of a plan on their way to and from a switch.
struct Replayed<'a, 'r, W> {
    plan: &'a ReplayPlan<'r>,
    witness: &'a mut W,
    next: Option<Offered<'r>>,
    /// What a rule gave the packets so far; empty without one.
    ranks: Vec<Rank>,
    /// When the last bit so far leaves.
    last: Time,
}

impl<W: Witness> Replayed<'_, '_, W> {
    fn see(&mut self, packet: &Handle, fate: &Fate) {
        let index = packet.packet().get();
        if let Some(offered) = self.plan.offered(index) {
            let rank = self.ranks.get(index as usize).copied();
            self.witness.see(&Offered { rank, ..offered }, fate);
        }
    }
}

impl<W: Witness, S: SwitchModel> Traffic<S> for Replayed<'_, '_, W> {
    fn next_at(&self) -> Option<Time> {
        self.next.map(|offered| offered.at)
    }

    fn arrive(&mut self, now: Time, switch: &mut S) -> Option<(u16, Handle)> {
        let mut offered = self.next?;
        offered.rank = self.plan.rank(&offered);
        self.ranks.extend(offered.rank);
        self.next = self.plan.offered(offered.index + 1);
        let Some(port) = offered.port else {
            let fate = Fate::Lost { at: now, cause: DropCause::NoRoute };
            self.witness.see(&offered, &fate);
            return None;
        };
        let recorded = offered.recorded;
        if let Some(rank) = offered.rank {
            // Whoever ranks by the size of a flow ranks the packet so.
            let size = Bytes::new(rank.get());
            switch.flow_added(recorded.flow, size, size);
        }
        let ecn = if recorded.ecn() == 0 { Ecn::NotCapable } else { Ecn::Capable };
        let handle = Handle::numbered(offered.index, recorded.flow, recorded.bytes)
            .with_class(offered.class)
            .with_input(offered.input)
            .with_ecn(ecn);
        Some((port, handle))
    }

    fn sent(&mut self, packet: &Handle, begin: Time, end: Time) {
        self.last = self.last.max(end);
        let marked = packet.ecn() == Ecn::Experienced;
        self.see(packet, &Fate::Sent { begin, end, marked });
    }

    fn lost(&mut self, lost: &Lost, at: Time, _: &S) {
        self.last = self.last.max(at);
        self.see(&lost.packet, &Fate::Lost { at, cause: lost.cause });
    }
}

#[cfg(test)]
mod tests;
