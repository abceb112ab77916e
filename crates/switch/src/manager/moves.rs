//! What goes on between SRAM and HBM: swap-outs, swap-ins, expulsions, writes from staging, reads
//! for departure, and which of them gets the HBM next.

use forebay_buffer::{DropCause, HbmAddress, Move, MoveRoom, NONE, PacketState, Unstaged};
use forebay_pifo::TieredQueue;
use forebay_units::Time;

use super::TrafficManager;
use super::config::{HbmOrder, StagingWrites};
use super::hbm_path::{Kind, Transaction};
use super::outcome::Loss;

/// Builds the chain of packets that one transaction carries.
struct Chain {
    first: u32,
    last: u32,
    at: HbmAddress,
    bytes: u64,
    cells: u32,
}

impl Chain {
    fn new() -> Self {
        Chain { first: NONE, last: NONE, at: HbmAddress::default(), bytes: 0, cells: 0 }
    }

    fn is_empty(&self) -> bool {
        self.first == NONE
    }

    fn into_transaction(self, kind: Kind) -> Transaction {
        Transaction { kind, first: self.first, at: self.at, bytes: self.bytes, cells: self.cells }
    }
}

impl<Q: TieredQueue> TrafficManager<Q> {
    fn append(&mut self, chain: &mut Chain, id: u32) {
        self.buffer.link(id, None);
        let descriptor = self.buffer.descriptor(id);
        if chain.is_empty() {
            chain.first = id;
            chain.at = descriptor.hbm;
        } else {
            chain.at.column = chain.at.column.min(descriptor.hbm.column);
            chain.at.columns += descriptor.hbm.columns;
        }
        chain.bytes += u64::from(descriptor.packet.size);
        chain.cells += descriptor.cells.cells();
        if chain.last != NONE {
            self.buffer.link(chain.last, Some(id));
        }
        chain.last = id;
    }

    /// Begins the background moves that the policy asks for, as many as may be under way.
    pub(crate) fn begin_moves(&mut self, now: Time) {
        loop {
            let room = MoveRoom {
                outward: self.moving_out < self.move_bytes,
                inward: self.moving_in < self.move_bytes,
            };
            if !room.outward && !room.inward {
                return;
            }
            let begun = match self.policy.next_move(&self.buffer, room) {
                None => false,
                Some(Move::SwapOut) => self.begin_swap_out(now),
                Some(Move::Expel { queue }) => self.begin_expulsion(now, queue),
                Some(Move::SwapIn) => self.begin_swap_in(now),
            };
            if !begun {
                return;
            }
        }
    }

    /// Takes the on-chip packets with the largest ranks, up to a batch, and starts reading them out
    /// of the SRAM (themis §4.1).
    fn begin_swap_out(&mut self, now: Time) -> bool {
        let Some(batch) = self.buffer.open_batch() else { return false };
        let mut chain = Chain::new();
        while let Some(largest) = self.buffer.largest_sram() {
            if !self.buffer.begin_move_out(largest.id, Some(batch)) {
                break;
            }
            self.append(&mut chain, largest.id);
            self.counters.swapped_out.count(self.buffer.descriptor(largest.id).packet.size);
        }
        self.buffer.close_batch(batch);
        self.begin_outward(now, chain)
    }

    /// Starts reading the head packet of an over-allocated queue out of the SRAM (occamy §4.3).
    fn begin_expulsion(&mut self, now: Time, queue: u32) -> bool {
        let Some(id) = self.buffer.queues().head(queue) else { return false };
        if !self.buffer.begin_move_out(id, None) {
            return false;
        }
        let mut chain = Chain::new();
        self.append(&mut chain, id);
        self.counters.expelled.count(self.buffer.descriptor(id).packet.size);
        self.begin_outward(now, chain)
    }

    fn begin_outward(&mut self, now: Time, chain: Chain) -> bool {
        if chain.is_empty() {
            return false;
        }
        let (cells, bytes) = (chain.cells, chain.bytes);
        let index = self.hbm.open(chain.into_transaction(Kind::MoveOut));
        self.moving_out += bytes;
        self.read_port.begin(now, index, cells);
        true
    }

    /// Takes the batch that holds the smallest rank off chip and queues its read (themis §4.1).
    /// While that packet is still on its way to HBM there is nothing to read yet.
    fn begin_swap_in(&mut self, now: Time) -> bool {
        let Some(smallest) = self.buffer.smallest_hbm() else { return false };
        let descriptor = self.buffer.descriptor(smallest.id);
        if descriptor.state != PacketState::Hbm {
            return false;
        }
        let mut chain = Chain::new();
        match descriptor.batch {
            NONE => self.gather(&mut chain, smallest.id, 0),
            batch => self.gather_batch(&mut chain, batch, 0),
        }
        if chain.is_empty() {
            return false;
        }
        self.moving_in += chain.bytes;
        let index = self.hbm.open(chain.into_transaction(Kind::MoveIn));
        self.hbm.moves.push_back((now, index));
        true
    }

    /// Queues the read of a packet that its port waits for, and, if HBM is read in whole batches
    /// (themis §4.1), of the rest of its batch into SRAM, as far as the reserve for arrivals
    /// allows.
    pub(crate) fn request_fetch(&mut self, now: Time, id: u32) {
        let batch = self.buffer.descriptor(id).batch;
        self.buffer.begin_fetch(id);
        let mut chain = Chain::new();
        self.append(&mut chain, id);
        if self.fetch_batches && batch != NONE {
            self.gather_batch(&mut chain, batch, self.fetch_reserve);
        }
        let index = self.hbm.open(chain.into_transaction(Kind::Fetch));
        self.hbm.fetches.push_back((now, index));
    }

    /// Begins moving into SRAM the packets of `batch` that rest in HBM, as long as `reserve` cells
    /// stay free; nothing more joins the batch.
    fn gather_batch(&mut self, chain: &mut Chain, batch: u32, reserve: u32) {
        if self.hbm.open_batch == Some(batch) {
            self.hbm.open_batch = None;
            self.buffer.close_batch(batch);
        }
        let mut next = self.buffer.hbm().first_in(batch);
        while next != NONE {
            let id = next;
            next = self.buffer.descriptor(id).next;
            self.gather(chain, id, reserve);
        }
    }

    fn gather(&mut self, chain: &mut Chain, id: u32, reserve: u32) {
        if self.buffer.sram_free() > reserve && self.buffer.begin_move_in(id) {
            self.append(chain, id);
            self.counters.swapped_in.count(self.buffer.descriptor(id).packet.size);
        }
    }

    /// Gives the HBM its next transaction, in the configured order. `false` if none waits.
    pub(crate) fn submit_next(&mut self, now: Time) -> bool {
        self.buffer.skip_departed_staged();
        let nothing_moves = self.hbm.fetches.is_empty() && self.hbm.moves.is_empty();
        if nothing_moves {
            // Mostly.
            return self.staged_front().is_some() && self.submit_staged(now);
        }
        let fetch = self.hbm.fetches.front().map(|(since, _)| *since);
        let moved = self.hbm.moves.front().map(|(since, _)| *since);
        let staged = self.staged_front().map(|id| self.buffer.descriptor(id).arrived);
        let first = |candidate: Option<Time>, others: [Option<Time>; 2]| {
            candidate.is_some_and(|since| others.iter().flatten().all(|other| since <= *other))
        };
        let fetch_goes = match self.hbm_order {
            HbmOrder::ReadsFirst => fetch.is_some(),
            HbmOrder::Fcfs => first(fetch, [moved, staged]),
        };
        if fetch_goes {
            self.submit_fetch(now)
        } else if first(moved, [staged, None]) {
            self.submit_move(now)
        } else if staged.is_some() {
            // What must not be lost waits until reads make room in the HBM.
            self.submit_staged(now) || self.submit_fetch(now) || self.submit_move(now)
        } else {
            false
        }
    }

    /// The staged packet that has waited longest, if what waits can be written now.
    fn staged_front(&self) -> Option<u32> {
        let staging = self.buffer.staging();
        let ready = match self.staging_writes {
            StagingWrites::Merged | StagingWrites::Closed => true,
            StagingWrites::Whole => self.staged_is_due || !staging.fits(self.largest_packet),
        };
        staging.front().filter(|_| ready)
    }

    fn submit_fetch(&mut self, now: Time) -> bool {
        let Some((_, index)) = self.hbm.fetches.pop_front() else { return false };
        self.hbm.submit(now, index);
        true
    }

    fn submit_move(&mut self, now: Time) -> bool {
        let Some((_, index)) = self.hbm.moves.pop_front() else { return false };
        self.hbm.submit(now, index);
        true
    }

    /// Writes staged packets: one, or, in batches, all that wait and fit in the row that is being
    /// filled (themis §4.1: a write that follows at once is merged with the one before).
    fn submit_staged(&mut self, now: Time) -> bool {
        let mut chain = Chain::new();
        if self.batches {
            self.chain_into_batch(&mut chain);
        } else if let Some(id) = self.buffer.begin_write(None) {
            self.append(&mut chain, id);
        }
        if chain.is_empty() {
            return self.unstage();
        }
        let mut next = Some(chain.first);
        while let Some(id) = next {
            self.counters.staged.count(self.buffer.descriptor(id).packet.size);
            next = self.buffer.linked(id);
        }
        self.staged_is_due &= self.buffer.staging().front().is_some();
        let index = self.hbm.open(chain.into_transaction(Kind::Write));
        self.hbm.submit(now, index);
        true
    }

    fn chain_into_batch(&mut self, chain: &mut Chain) {
        loop {
            if self.hbm.open_batch.is_none() {
                self.hbm.open_batch = self.buffer.open_batch();
            }
            let Some(batch) = self.hbm.open_batch else { return };
            while let Some(id) = self.buffer.begin_write(Some(batch)) {
                self.append(chain, id);
            }
            // The row is full if a packet still waits; the next burst opens another.
            if self.buffer.staging().front().is_some() {
                self.buffer.close_batch(batch);
                self.hbm.open_batch = None;
                if chain.is_empty() {
                    continue;
                }
            }
            return;
        }
    }

    /// The HBM is full: its next packet is lost, unless its port already waits for it; one that
    /// must not be lost lets those pass that ports wait for.
    fn unstage(&mut self) -> bool {
        match self.buffer.unstage() {
            Some(Unstaged::Dropped(port, packet)) => {
                self.lose(Loss { packet, port, cause: DropCause::HbmFull });
                true
            }
            Some(Unstaged::HandedOver(id)) => {
                self.ready(id);
                true
            }
            None => false,
        }
    }
}
