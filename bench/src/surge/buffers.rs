//! The bounded buffers that race: Forebay's schedulers and their peers, all by job size per packet
//! size. The Fibonacci heaps of thesis §3.6.3 are those of `forebay_surge::model::heaps`, counting
//! and all.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use forebay_surge::model::heaps::{Buffer, HeapJob as Packet};
use forebay_surge::{DropRule, FlowKey, Job, Ranks, Scheduler, SchedulerConfig, SurgeError};
use forebay_units::Time;

/// One of Forebay's.
pub(super) struct Ours(Scheduler<Packet>);

impl Ours {
    pub(super) fn new(
        policy: &str,
        ranks: Ranks,
        capacity: usize,
        drop: DropRule,
    ) -> Result<Self, SurgeError> {
        let config = SchedulerConfig::under(policy)?;
        let config = SchedulerConfig { capacity, drop, ranks, secret: 0x5eed, ..config };
        Scheduler::new(&config).map(Ours)
    }
}

impl Buffer for Ours {
    fn offer(&mut self, packet: Packet) -> Option<Packet> {
        let job = Job::new(FlowKey(packet.flow), packet.size, packet.work);
        // WSJF does not ask for the time.
        self.0.offer(Time::ZERO, job, packet).dropped().map(|out| out.item)
    }

    fn poll(&mut self) -> Option<Packet> {
        self.0.poll().map(|next| next.item)
    }
}

/// A packet in a heap, by rank and arrival. Its number breaks all ties.
#[derive(Clone, Copy, Debug)]
struct Ranked {
    rank: u64,
    number: u64,
    packet: Packet,
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for Ranked {}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.rank, self.number).cmp(&(other.rank, other.number))
    }
}

/// The standard library's heap: it gives up its smallest only, so it drops what arrives.
pub(super) struct BinaryHeapBuffer {
    heap: BinaryHeap<Reverse<Ranked>>,
    capacity: usize,
    number: u64,
}

impl BinaryHeapBuffer {
    pub(super) fn new(capacity: usize) -> Self {
        BinaryHeapBuffer { heap: BinaryHeap::new(), capacity, number: 0 }
    }
}

impl Buffer for BinaryHeapBuffer {
    fn offer(&mut self, packet: Packet) -> Option<Packet> {
        if self.heap.len() >= self.capacity {
            return Some(packet);
        }
        self.number += 1;
        self.heap.push(Reverse(Ranked { rank: packet.ratio(), number: self.number, packet }));
        None
    }

    fn poll(&mut self) -> Option<Packet> {
        self.heap.pop().map(|ranked| ranked.0.packet)
    }
}

/// Two of the standard library's heaps over the same packets, one for each end. What leaves by one
/// end stays in the other heap until it comes up there, or until more than half of a heap is gone.
pub(super) struct PairOfHeaps {
    smallest: BinaryHeap<Reverse<(u64, u64, u32)>>,
    largest: BinaryHeap<(u64, u64, u32)>,
    /// By slot: the packet and the number it came with; 0 for none.
    slots: Vec<(u64, Packet)>,
    free: Vec<u32>,
    len: usize,
    capacity: usize,
    number: u64,
}

impl PairOfHeaps {
    pub(super) fn new(capacity: usize) -> Self {
        let (smallest, largest) = (BinaryHeap::new(), BinaryHeap::new());
        let (slots, free) = (Vec::new(), Vec::new());
        PairOfHeaps { smallest, largest, slots, free, len: 0, capacity, number: 0 }
    }

    fn leave(&mut self, number: u64, slot: u32) -> Option<Packet> {
        let place = &mut self.slots[slot as usize];
        if place.0 != number {
            return None;
        }
        place.0 = 0;
        self.free.push(slot);
        self.len -= 1;
        Some(place.1)
    }

    fn pop_min(&mut self) -> Option<Packet> {
        while let Some(Reverse((_, number, slot))) = self.smallest.pop() {
            if let Some(packet) = self.leave(number, slot) {
                return Some(packet);
            }
        }
        None
    }

    fn pop_max(&mut self) -> Option<Packet> {
        while let Some((_, number, slot)) = self.largest.pop() {
            if let Some(packet) = self.leave(number, slot) {
                return Some(packet);
            }
        }
        None
    }

    fn clean(&mut self) {
        let slots = &self.slots;
        if self.smallest.len() > 2 * self.len + 64 {
            self.smallest.retain(|Reverse((_, number, slot))| slots[*slot as usize].0 == *number);
        }
        if self.largest.len() > 2 * self.len + 64 {
            self.largest.retain(|(_, number, slot)| slots[*slot as usize].0 == *number);
        }
    }
}

impl Buffer for PairOfHeaps {
    fn offer(&mut self, packet: Packet) -> Option<Packet> {
        self.number += 1;
        let entry = (self.number, packet);
        let slot = self.free.pop().unwrap_or(self.slots.len() as u32);
        match self.slots.get_mut(slot as usize) {
            Some(place) => *place = entry,
            None => self.slots.push(entry),
        }
        self.len += 1;
        let (rank, number) = (packet.ratio(), self.number);
        self.smallest.push(Reverse((rank, number, slot)));
        self.largest.push((rank, number, slot));
        self.clean();
        if self.len > self.capacity { self.pop_max() } else { None }
    }

    fn poll(&mut self) -> Option<Packet> {
        self.pop_min()
    }
}

/// First in, first out.
pub(super) struct Fifo {
    queue: VecDeque<Packet>,
    capacity: usize,
}

impl Fifo {
    pub(super) fn new(capacity: usize) -> Self {
        Fifo { queue: VecDeque::new(), capacity }
    }
}

impl Buffer for Fifo {
    fn offer(&mut self, packet: Packet) -> Option<Packet> {
        if self.queue.len() >= self.capacity {
            return Some(packet);
        }
        self.queue.push_back(packet);
        None
    }

    fn poll(&mut self) -> Option<Packet> {
        self.queue.pop_front()
    }
}
