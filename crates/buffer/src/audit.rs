//! The conservation check: recounts everything from the descriptors and compares with every
//! counter.

use alloc::string::String;
use core::fmt;

use forebay_pifo::{Tier, TieredQueue};

use crate::buffer::Buffer;
use crate::descriptor::{NONE, PacketState};

/// A counter that does not agree with the packets it counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditError {
    what: String,
    counted: u64,
    recorded: u64,
}

impl AuditError {
    /// Compares a recount with a record.
    ///
    /// # Errors
    /// Names `what` and both numbers if they differ.
    pub fn unless_same(what: &str, counted: u64, recorded: u64) -> Result<(), AuditError> {
        if counted == recorded {
            return Ok(());
        }
        Err(AuditError { what: what.into(), counted, recorded })
    }
}

impl fmt::Display for AuditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: counted {}, recorded {}", self.what, self.counted, self.recorded)
    }
}

impl core::error::Error for AuditError {}

impl<Q: TieredQueue> Buffer<Q> {
    /// Recounts cells, queue lengths, staging bytes, HBM units and rank order from the descriptors.
    /// O(descriptors + queues); for tests, after every operation.
    ///
    /// # Errors
    /// The first counter that disagrees.
    pub fn audit(&self) -> Result<(), AuditError> {
        let same = AuditError::unless_same;
        let mut cells = 0u64;
        let mut leaving = 0u64;
        let mut staged = 0u64;
        let mut slots = 0u64;
        let mut batched = 0u64;
        let mut tiers = [0u64; 2];
        let mut lengths = alloc::vec![0u64; self.queues.count() as usize];
        let mut live = 0u64;
        let mut charged = 0u64;
        for (id, descriptor) in self.descriptors.iter() {
            live += 1;
            cells += u64::from(descriptor.cells.cells());
            if self.protects(&descriptor.packet) {
                charged += u64::from(descriptor.cells.cells());
            }
            let ordered = !descriptor.committed && !descriptor.departed;
            let in_order = self.ranked[usize::from(descriptor.port)].get(id);
            let tier = match descriptor.state {
                PacketState::Sram | PacketState::MovingIn => Tier::Sram,
                PacketState::Free
                | PacketState::Staged
                | PacketState::StagedWriting
                | PacketState::MovingOut
                | PacketState::Hbm
                | PacketState::Fetching
                | PacketState::Fetched => Tier::Hbm,
            };
            same("a packet is in the rank order", in_order.is_some().into(), ordered.into())?;
            if let Some(entry) = in_order {
                same("the rank of a packet", entry.rank, descriptor.rank.get())?;
                same("the tier of a packet", entry.tier as u64, tier as u64)?;
                tiers[tier as usize] += 1;
            }
            match descriptor.state {
                PacketState::Staged | PacketState::StagedWriting => {
                    staged += u64::from(descriptor.packet.size)
                }
                PacketState::MovingOut => leaving += u64::from(descriptor.cells.cells()),
                PacketState::Sram if ordered => {
                    lengths[descriptor.queue as usize] += u64::from(descriptor.cells.cells());
                }
                // In no on-chip account, or gone from its queue's.
                PacketState::Free
                | PacketState::Sram
                | PacketState::Hbm
                | PacketState::MovingIn
                | PacketState::Fetching
                | PacketState::Fetched => {}
            }
            let in_hbm = matches!(
                descriptor.state,
                PacketState::StagedWriting
                    | PacketState::MovingOut
                    | PacketState::Hbm
                    | PacketState::MovingIn
                    | PacketState::Fetching
            );
            match (in_hbm, descriptor.batch) {
                (true, NONE) => slots += 1,
                (true, _) => batched += 1,
                (false, batch) => {
                    same("a packet on chip is in a batch", NONE.into(), batch.into())?
                }
            }
        }
        same("descriptors in use", live, self.descriptors.live().into())?;
        same("SRAM cells in use", cells, self.cells.used().into())?;
        if let Some(ingress) = &self.ingress {
            let (shared, headroom) = ingress.held();
            same("cells charged to inputs", charged, shared + headroom)?;
        }
        same("SRAM cells on their way out", leaving, self.leaving.into())?;
        same("bytes in staging", staged, self.staging.used())?;
        same("packets in HBM batches", batched, self.hbm.packets_in_batches())?;
        if slots > 0 {
            same("packet slots in HBM", slots, self.hbm.used_units().into())?;
        }
        for tier in [Tier::Sram, Tier::Hbm] {
            let recorded = self.ranked.iter().map(|queue| queue.len_in(tier) as u64).sum();
            same("packets in a tier of the rank order", tiers[tier as usize], recorded)?;
        }
        for (queue, length) in (0..).zip(lengths) {
            same("the length of a queue in cells", length, self.queues.length(queue).into())?;
        }
        Ok(())
    }
}
