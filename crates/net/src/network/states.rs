//! What a partition keeps of the flows that have an end in it: much while a flow is active, 12 or
//! 20 bytes afterwards.
//!
//! An active flow has a slot, which another flow takes when it has ended. Most flows then have
//! nothing to tell but when they finished and how long their packets took: nothing was lost, sent
//! again or marked, so that everything else follows from their size. Only of the others are the
//! counters kept, 40 bytes each. Whatever still arrives of a flow that has ended finds it here.
//!
//! Constant time per operation. Tables over all flows begin as zeros that nobody has written, which
//! take no memory: of several partitions, each pays for its own flows.

use alloc::vec::Vec;
use core::num::NonZeroU64;

use forebay_units::{Duration, Time};

use super::endpoint::{Sink, Source};
use crate::measure::Transit;
use crate::transport::SenderCounters;
use forebay_switch::FlowId;

/// The ends of one active flow that are in this partition.
#[derive(Debug)]
pub(super) struct FlowEnds {
    pub(super) flow: FlowId,
    pub(super) source: Source,
    pub(super) sink: Sink,
    /// Whether it is among its host's flows that take turns.
    pub(super) has_turn: bool,
    /// Whether the sender is in this partition and has not finished.
    pub(super) sends: bool,
    /// Whether the receiver is in this partition and has not dropped its state.
    pub(super) receives: bool,
    /// Whether everything has arrived.
    pub(super) complete: bool,
    /// What remains of a flow that has ended.
    pub(super) counts: Counts,
    /// The sum of its packets' delays.
    pub(super) delay: Duration,
}

impl FlowEnds {
    /// Records a data packet that arrived after `delay`.
    #[inline]
    pub(super) fn arrived_after(&mut self, delay: Duration) {
        self.counts.packets += 1;
        self.delay = Duration::from_ps(self.delay.as_ps().saturating_add(delay.as_ps()));
    }
}

/// What is counted of a flow in one partition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// The sender's counters, once it has finished.
    pub(super) sender: SenderCounters,
    /// Data packets that arrived.
    pub(super) packets: u64,
    /// Data packets that were lost.
    pub(super) lost: u64,
}

/// The number of an active flow's ends.
pub(super) type Slot = u32;

/// Where the state of a flow is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// It has none: nothing has happened.
    Nowhere,
    /// It is active, in this slot.
    Active(Slot),
    /// It has ended as usual.
    Usual,
    /// Its counts are here in the list: it has ended, or was lost only from here.
    Counted(u32),
}

/// A [`Place`] in 4 bytes.
#[derive(Clone, Copy, Debug, Default)]
struct PackedPlace(u32);

impl PackedPlace {
    const USUAL: u32 = 1;
    const COUNTED: u32 = 1 << 31;

    #[inline]
    fn unpacked(self) -> Place {
        match self.0 {
            0 => Place::Nowhere,
            Self::USUAL => Place::Usual,
            counted if counted & Self::COUNTED != 0 => Place::Counted(counted ^ Self::COUNTED),
            active => Place::Active(active - 2),
        }
    }
}

impl From<Place> for PackedPlace {
    #[inline]
    fn from(place: Place) -> Self {
        PackedPlace(match place {
            Place::Nowhere => 0,
            Place::Usual => Self::USUAL,
            Place::Counted(index) => index | Self::COUNTED,
            Place::Active(slot) => slot + 2,
        })
    }
}

/// What a partition keeps of its flows.
#[derive(Debug, Default)]
pub(super) struct FlowStates {
    /// For each flow, a [`PackedPlace`] as a number, of which zeros cost nothing.
    places: Vec<u32>,
    slots: Vec<FlowEnds>,
    free: Vec<Slot>,
    counted: Vec<Counts>,
    /// For each flow, one more than the picosecond when everything had arrived.
    finish: Vec<Option<NonZeroU64>>,
    /// For each flow that has ended, the sum of its packets' delays, in picoseconds; empty if they
    /// are not kept.
    delay: Vec<u64>,
    /// How many have finished.
    finished: usize,
    /// For flows that gates begin, when they do; may be shorter than the number of flows.
    released: Vec<Time>,
}

impl FlowStates {
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// Makes room for flows up to `count`.
    pub(super) fn grow(&mut self, count: usize, keep_delays: bool) {
        let delays = if keep_delays { count } else { 0 };
        if self.places.is_empty() {
            self.places = alloc::vec![0; count];
            self.finish = alloc::vec![None; count];
            self.delay = alloc::vec![0; delays];
        } else {
            self.places.resize(count, 0);
            self.finish.resize(count, None);
            self.delay.resize(delays, 0);
        }
    }

    #[inline]
    fn place(&self, flow: FlowId) -> Place {
        PackedPlace(self.places[flow as usize]).unpacked()
    }

    fn put(&mut self, flow: FlowId, place: Place) {
        self.places[flow as usize] = PackedPlace::from(place).0;
    }

    /// The slot of a flow, if it is active here.
    #[inline]
    pub(super) fn slot(&self, flow: FlowId) -> Option<Slot> {
        match self.place(flow) {
            Place::Active(slot) => Some(slot),
            Place::Nowhere | Place::Usual | Place::Counted(_) => None,
        }
    }

    #[inline]
    pub(super) fn at(&mut self, slot: Slot) -> &mut FlowEnds {
        &mut self.slots[slot as usize]
    }

    pub(super) fn ends(&self, flow: FlowId) -> Option<&FlowEnds> {
        self.slot(flow).map(|slot| &self.slots[slot as usize])
    }

    /// How many flows were active at once, at most.
    #[cfg(test)]
    pub(super) fn slots(&self) -> usize {
        self.slots.len()
    }

    /// Gives a flow without a slot one, with those of its ends that are here.
    pub(super) fn activate(&mut self, flow: FlowId, sends: bool, receives: bool) -> Slot {
        let ends = FlowEnds {
            flow,
            source: Source::Idle,
            sink: Sink::Untouched,
            has_turn: false,
            sends,
            receives,
            complete: false,
            // Before the first packet arrived, others may have been lost here.
            counts: self.counts(flow, Counts::default),
            delay: Duration::ZERO,
        };
        let slot = match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = ends;
                slot
            }
            None => {
                self.slots.push(ends);
                (self.slots.len() - 1) as Slot
            }
        };
        self.put(flow, Place::Active(slot));
        slot
    }

    /// Notes that everything has arrived.
    pub(super) fn finish(&mut self, slot: Slot, now: Time) {
        let ends = &mut self.slots[slot as usize];
        ends.complete = true;
        self.finish[ends.flow as usize] = NonZeroU64::new(now.as_ps().saturating_add(1));
        self.finished += 1;
    }

    /// When everything had arrived.
    pub(super) fn finished_at(&self, flow: FlowId) -> Option<Time> {
        self.finish[flow as usize].map(|after| Time::from_ps(after.get() - 1))
    }

    /// How many flows have finished here.
    pub(super) fn finished(&self) -> usize {
        self.finished
    }

    /// Notes when a flow begins that waited for a gate.
    pub(super) fn release(&mut self, flow: FlowId, start: Time) {
        if self.released.len() <= flow as usize {
            self.released.resize(self.places.len(), Time::MAX);
        }
        self.released[flow as usize] = start;
    }

    /// When a flow begins that waits for a gate; [`Time::MAX`] until that is known.
    pub(super) fn released_at(&self, flow: FlowId) -> Time {
        self.released.get(flow as usize).copied().unwrap_or(Time::MAX)
    }

    /// A data packet of a flow that has ended has arrived after `delay`.
    #[cold]
    pub(super) fn arrived_late(
        &mut self,
        flow: FlowId,
        delay: Duration,
        usual: impl FnOnce() -> Counts,
    ) {
        self.counts_mut(flow, usual).packets += 1;
        if let Some(kept) = self.delay.get_mut(flow as usize) {
            *kept = kept.saturating_add(delay.as_ps());
        }
    }

    /// What is counted of a flow so far. `usual` is what it counts if it has ended as usual.
    pub(super) fn counts(&self, flow: FlowId, usual: impl FnOnce() -> Counts) -> Counts {
        match self.place(flow) {
            Place::Nowhere => Counts::default(),
            Place::Usual => usual(),
            Place::Counted(index) => self.counted[index as usize],
            Place::Active(slot) => {
                let FlowEnds { source, counts, .. } = &self.slots[slot as usize];
                match source.counters() {
                    sender if sender.segments > 0 => Counts { sender, ..*counts },
                    _ => *counts,
                }
            }
        }
    }

    /// What became of a flow's data packets here, of which it is known what is `counted`.
    pub(super) fn transit(&self, flow: FlowId, counted: &Counts) -> Transit {
        let ended = self.delay.get(flow as usize).copied().map(Duration::from_ps);
        let delay = self.ends(flow).map_or(ended.unwrap_or_default(), |ends| ends.delay);
        Transit { packets: counted.packets, delay, lost: counted.lost }
    }

    /// The flow of a slot has ended here: keeps little of it. `usual` is what it counts if nothing
    /// was lost, sent again or marked.
    pub(super) fn retire(&mut self, slot: Slot, usual: &Counts) {
        let FlowEnds { flow, counts, delay, .. } = self.slots[slot as usize];
        if let Some(kept) = self.delay.get_mut(flow as usize) {
            *kept = delay.as_ps();
        }
        let place = if counts == *usual { Place::Usual } else { self.count(counts) };
        self.put(flow, place);
        self.free.push(slot);
    }

    fn count(&mut self, counts: Counts) -> Place {
        self.counted.push(counts);
        Place::Counted((self.counted.len() - 1) as u32)
    }

    /// The counts of a flow, to be changed. `usual` is what it counts if it has ended as usual.
    #[inline]
    pub(super) fn counts_mut(
        &mut self,
        flow: FlowId,
        usual: impl FnOnce() -> Counts,
    ) -> &mut Counts {
        let place = match self.place(flow) {
            Place::Active(slot) => return &mut self.slots[slot as usize].counts,
            Place::Counted(index) => return &mut self.counted[index as usize],
            Place::Nowhere => self.count(Counts::default()),
            Place::Usual => self.count(usual()),
        };
        self.put(flow, place);
        let index = self.counted.len() - 1;
        &mut self.counted[index]
    }
}
