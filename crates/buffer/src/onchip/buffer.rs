//! The buffer itself: packets, queues and accounts, kept consistent by enqueue, dequeue and drop.
//!
//! Complexity: O(1), plus what the policy takes. Memory per packet: one descriptor; per queue: 64
//! bytes and the policy's.

use alloc::boxed::Box;
use alloc::vec::Vec;

use forebay_sched::port::PortScheduler;
use forebay_sched::{DropCause, Packet, Rank};
use forebay_units::Time;

use super::inputs::Inputs;
use super::memory::{MemoryConfig, SpareBandwidth};
use super::occupancy::{Account, PoolLevel, PoolView};
use super::outcome::{OnChipCounters, OnChipDeparture, OnChipLoss, OnChipVerdict};
use super::policy::{Admission, Exit, OnChipPolicy, Removal, Victim};
use crate::cells::CellPool;
use crate::descriptor::{Descriptor, Descriptors, PacketState};
use crate::lists::PacketLists;

/// The shared packet buffer of a switch chip.
///
/// Calls come with a `now` that never decreases; an earlier one counts as the latest seen. Every
/// call first lets the expulsions happen that are due (see [`SharedBuffer::advance`]).
pub struct SharedBuffer {
    pub(super) memory: MemoryConfig,
    pub(super) classes: u16,
    pub(super) largest_packet: u32,
    pub(super) descriptors: Descriptors,
    pub(super) cells: CellPool,
    pub(super) lists: PacketLists,
    pub(super) accounts: Vec<Account>,
    pub(super) levels: Vec<PoolLevel>,
    pub(super) policies: Vec<Box<dyn OnChipPolicy>>,
    /// The accounts of inputs, if packets are counted as they come in.
    pub(super) inputs: Option<Box<Inputs>>,
    pub(super) spare: SpareBandwidth,
    /// Whether a policy expels.
    pub(super) expels: bool,
    /// The pool that expels next, in turn.
    pub(super) turn: usize,
    /// When each port may take its next packet.
    pub(super) free_from: Vec<Time>,
    pub(super) now: Time,
    pub(super) losses: Vec<OnChipLoss>,
    pub(super) counters: OnChipCounters,
}

impl SharedBuffer {
    // ---- Reading ------------------------------------------------------------------------------

    /// The number of the queue of `class` at `port`, if there is one.
    #[must_use]
    pub fn queue(&self, port: u16, class: u16) -> Option<u32> {
        let queue = u32::from(port) * u32::from(self.classes) + u32::from(class);
        (class < self.classes && (queue as usize) < self.accounts.len()).then_some(queue)
    }

    /// Queues in all.
    #[must_use]
    pub fn queues(&self) -> u32 {
        self.accounts.len() as u32
    }

    /// Queues of a port.
    #[must_use]
    pub fn classes(&self) -> u16 {
        self.classes
    }

    /// What `queue` holds and has seen, if it exists.
    #[must_use]
    pub fn account(&self, queue: u32) -> Option<&Account> {
        self.accounts.get(queue as usize)
    }

    /// The next packet of `queue`.
    #[must_use]
    pub fn head(&self, queue: u32) -> Option<&Packet> {
        self.accounts.get(queue as usize)?;
        self.lists.head(queue).map(|id| &self.descriptors[id].packet)
    }

    /// The shared pool `pool`, if it exists.
    #[must_use]
    pub fn pool(&self, pool: u16) -> Option<PoolView<'_>> {
        let level = self.levels.get(usize::from(pool))?;
        Some(PoolView { queues: &self.accounts, level })
    }

    /// Whether a policy of its pools reads the ranks of packets.
    #[must_use]
    pub fn reads_ranks(&self) -> bool {
        self.policies.iter().any(|policy| policy.reads_ranks())
    }

    /// The most cells of its pool that `queue` may hold now, if its policy has such a number.
    #[must_use]
    pub fn threshold(&self, queue: u32) -> Option<u32> {
        let pool = self.accounts.get(queue as usize)?.pool();
        if self.is_lossless(queue) {
            return None;
        }
        self.policies[usize::from(pool)].threshold(self.pool(pool)?, queue)
    }

    /// When `port` may take its next packet: later than now only after its policy has
    /// [dropped](super::Exit::Drop) one on its way.
    #[must_use]
    #[inline]
    pub fn free_from(&self, port: u16) -> Time {
        self.free_from.get(usize::from(port)).copied().unwrap_or(Time::ZERO)
    }

    /// How its memories were configured.
    #[must_use]
    pub fn memory(&self) -> &MemoryConfig {
        &self.memory
    }

    /// Cells in use and in all.
    #[must_use]
    pub fn occupancy(&self) -> (u32, u32) {
        (self.cells.used(), self.cells.capacity())
    }

    /// Totals since the buffer was built.
    #[must_use]
    pub fn counters(&self) -> &OnChipCounters {
        &self.counters
    }

    /// Packets lost during the last call after they had been accepted before, in order. The
    /// arriving packet is not among them: its fate is the call's answer.
    #[must_use]
    pub fn losses(&self) -> &[OnChipLoss] {
        &self.losses
    }

    // ---- Arrival ------------------------------------------------------------------------------

    /// A packet of rank `rank` arrives for `queue` (all of its bytes are there). A packet without
    /// bytes takes a descriptor and no cells.
    pub fn enqueue(&mut self, now: Time, queue: u32, packet: Packet, rank: Rank) -> OnChipVerdict {
        self.advance(now);
        self.counters.arrived.count(packet.size);
        let port = (queue / u32::from(self.classes)) as u16;
        let arriving =
            Descriptor { packet, rank, port, queue, arrived: self.now, ..Descriptor::default() };
        match self.admit(&arriving) {
            Ok(()) => OnChipVerdict::Queued,
            Err(cause) => {
                self.counters.dropped.count(cause, packet.size);
                OnChipVerdict::Dropped(cause)
            }
        }
    }

    fn admit(&mut self, arriving: &Descriptor) -> Result<(), DropCause> {
        let account = self.accounts.get_mut(arriving.queue as usize);
        account.ok_or(DropCause::Impossible)?.arrive(&arriving.packet);
        if arriving.packet.size > self.largest_packet {
            return Err(DropCause::Impossible);
        }
        if !self.descriptors.has_free() {
            return Err(DropCause::NoDescriptor);
        }
        let cells = self.memory.cells(arriving.packet.size);
        let room = if self.inputs.is_some() {
            self.ask_inputs(arriving, cells)?
        } else {
            self.ask(arriving, cells)?;
            None
        };
        let id = self.store(arriving, cells)?;
        if self.inputs.is_some() && self.entered_through(arriving, cells, room) {
            return Ok(());
        }
        let pool = usize::from(self.accounts[arriving.queue as usize].pool());
        let view = PoolView { queues: &self.accounts, level: &self.levels[pool] };
        self.policies[pool].enqueued(view, id, &self.descriptors[id]);
        Ok(())
    }

    /// Asks the policy until it accepts or refuses; every push-out takes one packet, so it ends.
    /// What the packet's own queue loses may free its reservation: then less is charged to the
    /// pool, or nothing.
    pub(super) fn ask(&mut self, arriving: &Descriptor, cells: u32) -> Result<(), DropCause> {
        let queue = arriving.queue as usize;
        let pool = usize::from(self.accounts[queue].pool());
        loop {
            let charge = self.accounts[queue].charge(cells);
            if charge == 0 {
                return Ok(());
            }
            let view = PoolView { queues: &self.accounts, level: &self.levels[pool] };
            let fits = charge <= view.free();
            match self.policies[pool].admit(view, arriving, charge) {
                Admission::Accept if fits => return Ok(()),
                Admission::Drop if fits => return Err(DropCause::Threshold),
                Admission::Accept | Admission::Drop => return Err(DropCause::SramFull),
                Admission::PushOut(victim) => {
                    let victim = self.find(victim).ok_or(DropCause::SramFull)?;
                    self.lose(victim, DropCause::PushedOut, Removal::PushedOut, self.now);
                }
            }
        }
    }

    /// Stores a packet that is let in, and returns the number of its descriptor.
    #[inline]
    fn store(&mut self, arriving: &Descriptor, cells: u32) -> Result<u32, DropCause> {
        // Pools and reservations are carved out of the memory, so that what they allow is there.
        let taken = self.cells.take(cells).ok_or(DropCause::SramFull)?;
        let descriptor = Descriptor { state: PacketState::Sram, cells: taken, ..*arriving };
        let Some(id) = self.descriptors.take(descriptor) else {
            self.cells.give_back(taken);
            return Err(DropCause::NoDescriptor);
        };
        self.lists.push_back(&mut self.descriptors, id);
        let account = &mut self.accounts[arriving.queue as usize];
        let pool = usize::from(account.pool());
        self.levels[pool].used += account.add(&arriving.packet, cells);
        self.counters.written.packet(&self.memory, cells);
        Ok(id)
    }

    /// Marks the packet of `queue` that arrived last, if its flow understands marks.
    pub fn mark_tail(&mut self, queue: u32) {
        if let Some(id) = self.find(Victim::Tail(queue)) {
            let ecn = &mut self.descriptors[id].packet.ecn;
            *ecn = ecn.marked();
        }
    }

    // ---- Departure and loss -------------------------------------------------------------------

    /// The next packet of `queue`: its port begins to send it. `None` if the queue is empty or
    /// unknown, or if its policy drops packets on their way to the port and the port has to
    /// [wait](SharedBuffer::free_from).
    pub fn dequeue(&mut self, now: Time, queue: u32) -> Option<OnChipDeparture> {
        self.advance(now);
        self.take((queue / u32::from(self.classes)) as u16, |_| Some(queue))
    }

    /// The next packet of `port`, from the queue that `scheduler` selects. `None` if nothing waits
    /// there, or as for [`SharedBuffer::dequeue`].
    pub fn serve(
        &mut self,
        now: Time,
        port: u16,
        scheduler: &mut dyn PortScheduler,
    ) -> Option<OnChipDeparture> {
        self.serve_open(now, port, scheduler, |_| true)
    }

    /// The same of the classes alone that `is_open` admits: the others are paused.
    pub fn serve_open(
        &mut self,
        now: Time,
        port: u16,
        scheduler: &mut dyn PortScheduler,
        is_open: impl Fn(u16) -> bool,
    ) -> Option<OnChipDeparture> {
        self.advance(now);
        self.take(port, |buffer| {
            let size = |class| buffer.head(buffer.queue(port, class)?).map(|packet| packet.size);
            let head = |class| if is_open(class) { size(class) } else { None };
            buffer.queue(port, scheduler.select(&head)?)
        })
    }

    /// Takes packets of `port` out of the queues that `select` names, until one is sent.
    #[inline]
    fn take(
        &mut self,
        port: u16,
        mut select: impl FnMut(&Self) -> Option<u32>,
    ) -> Option<OnChipDeparture> {
        while self.free_from(port) <= self.now {
            let id = self.find(Victim::Head(select(self)?))?;
            let descriptor = &self.descriptors[id];
            let exit = if self.is_lossless(descriptor.queue) {
                Exit::Send
            } else {
                let pool = usize::from(self.accounts[descriptor.queue as usize].pool());
                let view = PoolView { queues: &self.accounts, level: &self.levels[pool] };
                self.policies[pool].exit(self.now, view, descriptor)
            };
            match exit {
                Exit::Send => return Some(self.depart(id)),
                Exit::Drop { until } => {
                    let cells = descriptor.cells.cells();
                    self.free_from[usize::from(port)] = until;
                    // Unlike a head drop's, its data was read.
                    self.counters.read.data += u64::from(self.memory.data_cycles(cells));
                    self.lose(id, DropCause::Expelled, Removal::Expelled, self.now);
                }
            }
        }
        None
    }

    #[inline]
    fn depart(&mut self, id: u32) -> OnChipDeparture {
        let descriptor = self.release(id, Removal::Dequeued);
        let (queue, cells) = (descriptor.queue, descriptor.cells.cells());
        self.spare.take(self.memory.release_cycles(cells));
        self.counters.read.packet(&self.memory, cells);
        self.counters.departed.count(descriptor.packet.size);
        self.accounts[queue as usize].depart(&descriptor.packet);
        OnChipDeparture { packet: descriptor.packet, queue, arrived: descriptor.arrived }
    }

    /// Drops the next packet of `queue`, whatever the policy says: its descriptor and pointers are
    /// read, its data is not (occamy §4.3). It goes at once and uses read bandwidth as a departure
    /// does.
    pub fn head_drop(&mut self, now: Time, queue: u32) -> Option<OnChipLoss> {
        self.advance(now);
        let id = self.find(Victim::Head(queue))?;
        Some(self.lose(id, DropCause::PushedOut, Removal::PushedOut, self.now))
    }

    /// The same, counted as an expulsion: for whoever follows a chip that decides elsewhere what it
    /// expels, and when.
    pub fn expel(&mut self, now: Time, queue: u32) -> Option<OnChipLoss> {
        self.advance(now);
        let id = self.find(Victim::Head(queue))?;
        Some(self.lose(id, DropCause::Expelled, Removal::Expelled, self.now))
    }

    /// The packet that `victim` names, if there is one.
    pub(super) fn find(&self, victim: Victim) -> Option<u32> {
        let known = |queue: u32| (queue as usize) < self.accounts.len();
        match victim {
            Victim::Head(queue) if known(queue) => self.lists.head(queue),
            Victim::Tail(queue) if known(queue) => self.lists.tail(queue),
            Victim::Packet(id) if self.descriptors.is_live(id) => Some(id),
            Victim::Head(_) | Victim::Tail(_) | Victim::Packet(_) => None,
        }
    }

    /// Drops the waiting packet `id`.
    pub(super) fn lose(&mut self, id: u32, cause: DropCause, how: Removal, at: Time) -> OnChipLoss {
        let descriptor = self.release(id, how);
        let (packet, cells) = (descriptor.packet, descriptor.cells.cells());
        self.spare.take(self.memory.release_cycles(cells));
        self.counters.read.head_drop(&self.memory, cells);
        self.counters.dropped.count(cause, packet.size);
        let loss = OnChipLoss { packet, queue: descriptor.queue, cause, at };
        self.losses.push(loss);
        loss
    }

    /// Takes packet `id` out of its queue and frees its cells and descriptor.
    fn release(&mut self, id: u32, how: Removal) -> Descriptor {
        self.lists.remove(&mut self.descriptors, id);
        let descriptor = self.descriptors[id];
        self.cells.give_back(descriptor.cells);
        self.descriptors.give_back(id);
        let account = &mut self.accounts[descriptor.queue as usize];
        let pool = usize::from(account.pool());
        self.levels[pool].used -= account.remove(&descriptor.packet, descriptor.cells.cells());
        if self.inputs.is_some() && self.left_input(&descriptor) {
            return descriptor;
        }
        let view = PoolView { queues: &self.accounts, level: &self.levels[pool] };
        self.policies[pool].removed(view, id, &descriptor, how);
        descriptor
    }
}
