use forebay_pifo::TieredQueue;
use forebay_units::Bytes;

use super::{Move, MoveRoom, Placement, Policy, PolicyConfig, Pressure};
use crate::buffer::{Arriving, Buffer};

/// Themis (themis §4.1): the packets that leave soonest are in SRAM.
///
/// - *Admission*: to SRAM if the packet's rank is smaller than the smallest rank off chip. A packet in
///   the staging buffer or on its way out counts as off chip, so that a flow stays in order.
/// - *Swap-out* above the upper watermark: a batch of the largest ranks on chip. Cells already on
///   their way out do not count, so one excess is not swapped out twice.
/// - *Swap-in* below the lower watermark: the batch with the smallest representative rank.
/// - *Loss* (§4.3): with the staging buffer full, the arriving packet (cause 1); with the SRAM full
///   although a swap-out is under way, a batch of the largest ranks (cause 2). A packet is never
///   dropped while one with a larger rank stays in SRAM; for cause 1 the paper states this order but
///   describes a plain tail drop, so it is the parameter `strict_drop_order`.
#[derive(Clone, Copy, Debug)]
pub struct Themis {
    swap_in: f64,
    swap_out: f64,
    batch: u64,
    strict_drop_order: bool,
}

impl Themis {
    /// With the watermarks and drop order of `config`, and batches of `batch`.
    #[must_use]
    pub fn new(config: &PolicyConfig, batch: Bytes) -> Self {
        Themis {
            swap_in: config.swap_in_watermark,
            swap_out: config.swap_out_watermark,
            batch: batch.get(),
            strict_drop_order: config.strict_drop_order,
        }
    }
}

impl<Q: TieredQueue> Policy<Q> for Themis {
    fn place(&mut self, buffer: &Buffer<Q>, arriving: &Arriving) -> Placement {
        match buffer.smallest_far() {
            Some(entry) if entry.rank <= arriving.rank.get() => Placement::Far,
            _ => Placement::Near,
        }
    }

    fn near_full(&mut self, _buffer: &Buffer<Q>, _arriving: &Arriving) -> Pressure {
        Pressure::DropLargest { bytes: self.batch }
    }

    fn staging_full(&mut self, _buffer: &Buffer<Q>, arriving: &Arriving) -> Pressure {
        if self.strict_drop_order {
            Pressure::DropLargest { bytes: u64::from(arriving.packet.size) }
        } else {
            Pressure::DropArriving
        }
    }

    fn next_move(&mut self, buffer: &Buffer<Q>, room: MoveRoom) -> Option<Move> {
        let occupancy = f64::from(buffer.near_staying()) / f64::from(buffer.near_capacity());
        if room.outward && occupancy > self.swap_out {
            return Some(Move::SwapOut);
        }
        if room.inward && occupancy < self.swap_in && buffer.smallest_far().is_some() {
            return Some(Move::SwapIn);
        }
        None
    }

    fn batches(&self) -> bool {
        true
    }
}
