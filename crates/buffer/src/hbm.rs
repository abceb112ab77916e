//! Space in HBM: rows and columns, and which of them hold a packet or a batch.
//!
//! Every packet is striped over all pseudo channels (themis App. A), so one *column* here is one
//! minimum access in each of them: 16 × 32 B = 512 B. A *row* is that row in every pseudo channel:
//! 16 × 1 KB = 16 KiB, Themis's batch. Two ways to use it, one per run:
//!
//! - [`HbmLayout::Packets`]: spillover schemes store packets one by one, each in a slot of its own.
//! - [`HbmLayout::Batches`]: Themis fills a whole row with packets that leave about the same time.

use alloc::vec::Vec;

use forebay_parameters::Word;

use crate::descriptor::{Descriptors, HbmAddress, NONE};

/// How packets find their place in HBM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HbmLayout {
    /// One slot per packet.
    Packets(SlotOrder),
    /// A row per batch.
    Batches,
}

/// In which order packet slots are handed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum SlotOrder {
    /// As a free list that has been in use for long: successive slots share no bank or row except
    /// by chance. A fixed pseudo-random permutation, the same in every run.
    Scattered,
    /// As a free list that was just initialized: successive slots are neighbours in one row.
    Sequential,
}

/// Size and shape of the HBM as the buffer sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HbmGeometry {
    /// Rows over all banks.
    pub rows: u32,
    /// Columns in a row.
    pub columns: u16,
    /// Bytes of one column over all pseudo channels.
    pub column_bytes: u32,
}

impl HbmGeometry {
    /// Columns that `size` bytes occupy.
    #[must_use]
    pub fn columns_for(&self, size: u32) -> u16 {
        size.div_ceil(self.column_bytes.max(1)).min(u32::from(u16::MAX)) as u16
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Batch {
    row: u32,
    used_columns: u16,
    /// Still being filled; not to be swapped in or freed.
    open: bool,
    packets: u32,
    head: u32,
}

/// The free and used space of the HBM.
#[derive(Clone, Debug)]
pub struct HbmSpace {
    geometry: HbmGeometry,
    layout: HbmLayout,
    slot_columns: u16,
    slots_in_row: u32,
    /// Rows or slots that were used and freed, to be used again.
    free: Vec<u32>,
    /// Rows or slots that were never used begin here.
    fresh: u32,
    /// Rows or slots in all.
    units: u32,
    used: u32,
    bytes: u64,
    batches: Vec<Batch>,
    free_batches: Vec<u32>,
}

impl HbmSpace {
    /// An empty HBM for at most `packets` packets at once; `largest_packet` bytes size the packet
    /// slots. Nothing is allocated afterwards, and memory is touched only as it is first used.
    #[must_use]
    pub fn new(
        geometry: HbmGeometry,
        layout: HbmLayout,
        largest_packet: u32,
        packets: u32,
    ) -> Self {
        let slot_columns = geometry.columns_for(largest_packet).clamp(1, geometry.columns.max(1));
        let slots_in_row = u32::from(geometry.columns / slot_columns);
        let units = match layout {
            HbmLayout::Packets(_) => geometry.rows.saturating_mul(slots_in_row),
            HbmLayout::Batches => geometry.rows,
        };
        // A unit in use holds a packet, or is one of the two batches that can be open while empty.
        let most = units.min(packets.saturating_add(2)) as usize;
        let batches = if layout == HbmLayout::Batches { most } else { 0 };
        HbmSpace {
            geometry,
            layout,
            slot_columns,
            slots_in_row: slots_in_row.max(1),
            free: Vec::with_capacity(most),
            fresh: 0,
            units,
            used: 0,
            bytes: 0,
            batches: Vec::with_capacity(batches),
            free_batches: Vec::with_capacity(batches),
        }
    }

    /// Size and shape.
    #[must_use]
    pub fn geometry(&self) -> &HbmGeometry {
        &self.geometry
    }

    /// The layout in use.
    #[must_use]
    pub fn layout(&self) -> HbmLayout {
        self.layout
    }

    /// Packet slots (or batch rows) in use.
    #[must_use]
    pub fn used_units(&self) -> u32 {
        self.used
    }

    /// Packet bytes stored or being written.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// A slot for one packet of `size` bytes; `None` if the HBM is full.
    pub fn take_slot(&mut self, size: u32) -> Option<HbmAddress> {
        let slot = self.take_unit()?;
        self.bytes += u64::from(size);
        let at = match self.layout {
            HbmLayout::Packets(SlotOrder::Scattered) => permute(slot, self.units),
            HbmLayout::Packets(SlotOrder::Sequential) | HbmLayout::Batches => slot,
        };
        Some(HbmAddress {
            row: at / self.slots_in_row,
            column: (at % self.slots_in_row) as u16 * self.slot_columns,
            columns: self.geometry.columns_for(size),
        })
    }

    fn give_back_slot(&mut self, address: HbmAddress) {
        let at = address.row * self.slots_in_row + u32::from(address.column / self.slot_columns);
        let slot = match self.layout {
            HbmLayout::Packets(SlotOrder::Scattered) => unpermute(at, self.units),
            HbmLayout::Packets(SlotOrder::Sequential) | HbmLayout::Batches => at,
        };
        self.give_back_unit(slot);
    }

    /// Opens an empty batch; `None` if the HBM is full.
    pub fn open_batch(&mut self) -> Option<u32> {
        let row = self.take_unit()?;
        let batch = Batch { row, used_columns: 0, open: true, packets: 0, head: NONE };
        if let Some(id) = self.free_batches.pop() {
            self.batches[id as usize] = batch;
            return Some(id);
        }
        self.batches.push(batch);
        Some(self.batches.len() as u32 - 1)
    }

    /// Whether a packet of `size` bytes still fits in `batch`.
    #[must_use]
    pub fn fits(&self, batch: u32, size: u32) -> bool {
        self.batches[batch as usize].used_columns.saturating_add(self.geometry.columns_for(size))
            <= self.geometry.columns
    }

    /// Puts packet `id` at the end of `batch`, in which it must fit. O(1).
    pub fn append(&mut self, descriptors: &mut Descriptors, batch: u32, id: u32) {
        let columns = self.geometry.columns_for(descriptors[id].packet.size);
        self.bytes += u64::from(descriptors[id].packet.size);
        let entry = &mut self.batches[batch as usize];
        let descriptor = &mut descriptors[id];
        descriptor.hbm = HbmAddress { row: entry.row, column: entry.used_columns, columns };
        descriptor.batch = batch;
        descriptor.prev = NONE;
        descriptor.next = entry.head;
        let old_head = core::mem::replace(&mut entry.head, id);
        entry.used_columns += columns;
        entry.packets += 1;
        if old_head != NONE {
            descriptors[old_head].prev = id;
        }
    }

    /// No more packets will be appended to `batch`; it is freed with its last packet (now, if
    /// empty).
    pub fn close_batch(&mut self, batch: u32) {
        self.batches[batch as usize].open = false;
        self.free_if_empty(batch);
    }

    /// Takes packet `id` out of its batch or slot: its data in HBM is no longer needed. O(1).
    pub fn release(&mut self, descriptors: &mut Descriptors, id: u32) {
        let descriptor = &mut descriptors[id];
        let (batch, prev, next) = (descriptor.batch, descriptor.prev, descriptor.next);
        self.bytes -= u64::from(descriptor.packet.size);
        if batch == NONE {
            self.give_back_slot(descriptor.hbm);
            return;
        }
        descriptor.batch = NONE;
        descriptor.prev = NONE;
        descriptor.next = NONE;
        match prev {
            NONE => self.batches[batch as usize].head = next,
            _ => descriptors[prev].next = next,
        }
        if next != NONE {
            descriptors[next].prev = prev;
        }
        self.batches[batch as usize].packets -= 1;
        self.free_if_empty(batch);
    }

    /// One packet of `batch`, from which [`crate::Descriptor::next`] leads to the others.
    #[must_use]
    pub fn first_in(&self, batch: u32) -> u32 {
        self.batches[batch as usize].head
    }

    /// Packets stored in batches (audits). O(batches).
    #[must_use]
    pub fn packets_in_batches(&self) -> u64 {
        self.batches.iter().map(|batch| u64::from(batch.packets)).sum()
    }

    fn free_if_empty(&mut self, batch: u32) {
        let entry = self.batches[batch as usize];
        if entry.packets == 0 && !entry.open {
            self.give_back_unit(entry.row);
            self.free_batches.push(batch);
        }
    }

    fn take_unit(&mut self) -> Option<u32> {
        let unit = match self.free.pop() {
            Some(unit) => unit,
            None if self.fresh < self.units => {
                self.fresh += 1;
                self.fresh - 1
            }
            None => return None,
        };
        self.used += 1;
        Some(unit)
    }

    fn give_back_unit(&mut self, unit: u32) {
        self.used -= 1;
        self.free.push(unit);
    }
}

/// A bijection on `0..units` that scatters neighbours: an invertible mix on the enclosing power of
/// two, walked until it falls inside.
fn permute(unit: u32, units: u32) -> u32 {
    let bits = bits_for(units);
    let mut at = unit;
    loop {
        at = mix(at, bits);
        if at < units {
            return at;
        }
    }
}

fn unpermute(at: u32, units: u32) -> u32 {
    let bits = bits_for(units);
    let mut unit = at;
    loop {
        unit = unmix(unit, bits);
        if unit < units {
            return unit;
        }
    }
}

fn bits_for(units: u32) -> u32 {
    (32 - units.saturating_sub(1).leading_zeros()).max(2)
}

/// Odd multipliers; `INVERSE[i]` undoes `MULTIPLIER[i]` modulo 2^32 and so modulo any smaller
/// power.
const MULTIPLIER: [u32; 2] = [0x9E37_79B1, 0x85EB_CA6B];
const INVERSE: [u32; 2] = [inverse(MULTIPLIER[0]), inverse(MULTIPLIER[1])];

const fn inverse(odd: u32) -> u32 {
    // Newton's iteration doubles the number of correct low bits.
    let mut x = odd;
    let mut round = 0;
    while round < 5 {
        x = x.wrapping_mul(2u32.wrapping_sub(odd.wrapping_mul(x)));
        round += 1;
    }
    x
}

fn mix(mut x: u32, bits: u32) -> u32 {
    let mask = mask(bits);
    let half = bits.div_ceil(2);
    for multiplier in MULTIPLIER {
        x = x.wrapping_mul(multiplier) & mask;
        x ^= x >> half;
    }
    x
}

fn unmix(mut x: u32, bits: u32) -> u32 {
    let mask = mask(bits);
    let half = bits.div_ceil(2);
    for inverse in INVERSE.iter().rev() {
        x ^= x >> half;
        x = x.wrapping_mul(*inverse) & mask;
    }
    x
}

fn mask(bits: u32) -> u32 {
    if bits >= 32 { u32::MAX } else { (1 << bits) - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn scattering_is_a_bijection_with_an_inverse() {
        for units in [1u32, 2, 3, 10, 1000, 4096, 5000] {
            let mut seen = vec![false; units as usize];
            for unit in 0..units {
                let at = permute(unit, units);
                assert!(!core::mem::replace(&mut seen[at as usize], true));
                assert_eq!(unpermute(at, units), unit);
            }
        }
        for unit in [0, 1, 77, u32::MAX - 1] {
            assert_eq!(unpermute(permute(unit, u32::MAX), u32::MAX), unit);
        }
    }

    #[test]
    fn what_is_given_back_is_used_again() {
        let geometry = HbmGeometry { rows: 3, columns: 32, column_bytes: 512 };
        for order in [SlotOrder::Scattered, SlotOrder::Sequential] {
            let mut space = HbmSpace::new(geometry, HbmLayout::Packets(order), 1500, 1000);
            for _ in 0..3 {
                let slots: Vec<HbmAddress> =
                    core::iter::from_fn(|| space.take_slot(1500)).collect();
                assert_eq!((slots.len(), space.used_units(), space.bytes()), (30, 30, 45_000));
                for (index, slot) in slots.iter().enumerate() {
                    assert!(slot.row < 3 && slot.column + slot.columns <= 32);
                    assert!(!slots[..index].contains(slot));
                }
                let mut descriptors = Descriptors::new(30);
                for hbm in slots {
                    let packet = forebay_sched::Packet { size: 1500, ..Default::default() };
                    let id = descriptors
                        .take(crate::Descriptor { hbm, packet, ..Default::default() })
                        .unwrap();
                    space.release(&mut descriptors, id);
                }
                assert_eq!((space.used_units(), space.bytes()), (0, 0));
            }
        }
    }

    #[test]
    fn scattered_slots_rarely_share_a_bank_with_their_predecessor() {
        let units = 10_485_760;
        let bank = |unit| permute(unit, units) / 10 % 16;
        let same = (1..10_000).filter(|unit| bank(*unit) == bank(unit - 1)).count();
        assert!((400..900).contains(&same), "{same} of 10,000, chance is 625");
    }
}
