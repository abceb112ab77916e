//! SR-PIFO: the sorted shift register, the PIFO as it was first built.
//!
//! Source: clubheap §1 and §2.2 ("a shift register performs all comparisons within one cycle"),
//! thesis §4.4.1 and Fig. 4.7 for its logical PIFOs. N registers, sorted by rank, each with a rank,
//! the number of its logical PIFO and an item. The occupied ones are the first ones.
//!
//! - push: every register compares its rank with the new one. The bits are ones from some register
//!   on; the first of them is where the new element goes, and those from there on shift up by one.
//! - pop: every register compares its logical PIFO with the wanted one. The first of the bits (a
//!   priority decoder) is the smallest, the last of them the largest; those behind shift down by
//!   one.
//! - replace: both selections at once; only the registers between the two places shift, by one.
//!
//! Here 64 comparisons make one word of bits, and first and last are found in words. The papers
//! leave open how elements of equal rank stand; we put a new one behind them, so ties are first-in
//! first-out.
//!
//! Cycles: 2 per push and 2 per pop, 4 per replace (clubheap §1, Table 1); thesis §4.6 counts one
//! push and one pop in the same cycle. N comparators for the rank, N more for the logical PIFO.
//!
//! Complexity in software: O(n) for every operation, except that a single queue peeks at both ends
//! and pops the largest in O(1). Memory: a rank, an item and an eight-byte number per element,
//! taken as they arrive.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::shape::{HardwareShapeError, check_capacity, check_partitions};
use crate::ranked::{
    DoubleEnded, DoubleEndedPartitions, Elements, FifoTies, PartitionedQueue, RankedQueue, Reason,
    Rejected, Replaced, Ties,
};

/// Comparators whose answers fit one word.
const WORD: usize = u64::BITS as usize;

#[derive(Clone)]
struct Register<R, T> {
    rank: R,
    logical: usize,
    item: T,
}

/// The sorted shift register with logical PIFOs: any of them may use every register.
///
/// ```
/// use forebay_pifo::{PartitionedQueue, PartitionedShiftRegister};
///
/// let mut pifo: PartitionedShiftRegister<u32, char> = PartitionedShiftRegister::new(2, 8)?;
/// pifo.push_in(1, 2, 'A')?;
/// pifo.push_in(0, 1, 'F')?;
/// pifo.push_in(1, 9, 'B')?;
/// assert_eq!(pifo.pop_min_in(1), Some((2, 'A')));
/// assert_eq!(pifo.pop_min_in(1), Some((9, 'B')));
/// assert_eq!(pifo.pop_min_in(1), None);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct PartitionedShiftRegister<R, T> {
    /// The occupied registers, by rank and within a rank by arrival.
    registers: Vec<Register<R, T>>,
    partitions: usize,
    capacity: usize,
}

crate::debug_in_one_line!([R: Copy + Ord, T] PartitionedShiftRegister<R, T> as PartitionedQueue);

impl<R: Copy + Ord, T> PartitionedShiftRegister<R, T> {
    /// Empty registers for up to `capacity` elements of `partitions` logical PIFOs.
    ///
    /// # Errors
    /// [`HardwareShapeError`] unless both are from 1 to
    /// [`MAX_HARDWARE_ELEMENTS`](super::MAX_HARDWARE_ELEMENTS).
    pub fn new(partitions: usize, capacity: usize) -> Result<Self, HardwareShapeError> {
        check_partitions(partitions)?;
        check_capacity(capacity)?;
        Ok(PartitionedShiftRegister { registers: Vec::new(), partitions, capacity })
    }

    /// The answers of a comparator at every occupied register: for each word, the number of its
    /// first register and a bit per register, the lowest for the first.
    #[inline]
    fn compare(
        &self,
        answer: impl Fn(&Register<R, T>) -> bool,
    ) -> impl DoubleEndedIterator<Item = (usize, u64)> {
        self.registers.chunks(WORD).enumerate().map(move |(word, registers)| {
            let bits =
                registers.iter().rev().fold(0, |bits, one| bits << 1 | u64::from(answer(one)));
            (word * WORD, bits)
        })
    }

    /// The register before which an element of `rank` goes: the first of a larger rank.
    #[inline]
    fn place(&self, rank: R) -> usize {
        let first = self.compare(|register| register.rank > rank).find(|&(_, bits)| bits != 0);
        first.map_or(self.registers.len(), |(start, bits)| start + bits.trailing_zeros() as usize)
    }

    /// The register of the smallest element of `partition`.
    #[inline]
    fn first(&self, partition: usize) -> Option<usize> {
        let mut words = self.compare(|register| register.logical == partition);
        let (start, bits) = words.find(|&(_, bits)| bits != 0)?;
        Some(start + bits.trailing_zeros() as usize)
    }

    /// The register of the largest element of `partition`.
    #[inline]
    fn last(&self, partition: usize) -> Option<usize> {
        let mut words = self.compare(|register| register.logical == partition);
        let (start, bits) = words.rfind(|&(_, bits)| bits != 0)?;
        Some(start + bits.ilog2() as usize)
    }

    #[inline]
    fn show(&self, place: usize) -> Option<(R, &T)> {
        self.registers.get(place).map(|register| (register.rank, &register.item))
    }

    #[inline]
    fn take(&mut self, place: usize) -> (R, T) {
        let register = self.registers.remove(place);
        (register.rank, register.item)
    }

    /// Takes the element at `from` and puts a new one of the same logical PIFO where it belongs.
    #[inline]
    fn exchange(&mut self, from: usize, rank: R, item: T) -> (R, T) {
        let to = self.place(rank);
        let register = &mut self.registers[from];
        let popped = core::mem::replace(&mut register.item, item);
        let popped_rank = core::mem::replace(&mut register.rank, rank);
        if from < to {
            self.registers[from..to].rotate_left(1);
        } else {
            self.registers[to..=from].rotate_right(1);
        }
        (popped_rank, popped)
    }
}

impl<R: Copy + Ord, T> PartitionedQueue for PartitionedShiftRegister<R, T> {
    type Rank = R;
    type Item = T;

    fn partitions(&self) -> usize {
        self.partitions
    }

    #[inline]
    fn push_in(&mut self, partition: usize, rank: R, item: T) -> Result<(), Rejected<R, T>> {
        let (partitions, capacity) = (self.partitions, self.capacity);
        let reason = if partition >= partitions {
            Reason::NoSuchPartition { partitions }
        } else if self.registers.len() == capacity {
            Reason::Full { capacity }
        } else {
            let place = self.place(rank);
            self.registers.insert(place, Register { rank, logical: partition, item });
            return Ok(());
        };
        Err(Rejected { rank, item, reason })
    }

    #[inline]
    fn pop_min_in(&mut self, partition: usize) -> Option<(R, T)> {
        self.first(partition).map(|place| self.take(place))
    }

    #[inline]
    fn peek_min_in(&self, partition: usize) -> Option<(R, &T)> {
        self.first(partition).and_then(|place| self.show(place))
    }

    #[inline]
    fn replace_in(&mut self, partition: usize, rank: R, item: T) -> Replaced<R, T> {
        match self.first(partition) {
            None => Replaced { popped: None, pushed: self.push_in(partition, rank, item) },
            Some(place) => {
                Replaced { popped: Some(self.exchange(place, rank, item)), pushed: Ok(()) }
            }
        }
    }

    /// A count of the bits that a pop selects by; O(n).
    fn len_in(&self, partition: usize) -> usize {
        let words = self.compare(|register| register.logical == partition);
        words.map(|(_, bits)| bits.count_ones() as usize).sum()
    }

    fn len(&self) -> usize {
        self.registers.len()
    }

    fn capacity(&self) -> usize {
        self.capacity
    }

    fn ties(&self) -> Ties {
        Ties::Fifo
    }
}

impl<R: Copy + Ord, T> DoubleEndedPartitions for PartitionedShiftRegister<R, T> {
    #[inline]
    fn pop_max_in(&mut self, partition: usize) -> Option<(R, T)> {
        self.last(partition).map(|place| self.take(place))
    }

    #[inline]
    fn peek_max_in(&self, partition: usize) -> Option<(R, &T)> {
        self.last(partition).and_then(|place| self.show(place))
    }
}

/// The sorted shift register as a single [`RankedQueue`]: one logical PIFO, so nothing to select.
///
/// ```
/// use forebay_pifo::{DoubleEnded, RankedQueue, ShiftRegister};
///
/// let mut pifo: ShiftRegister<u32, &str> = ShiftRegister::new(64)?;
/// pifo.push(20, "later")?;
/// pifo.push(10, "sooner")?;
/// pifo.push(20, "latest")?;
/// assert_eq!(pifo.pop_min(), Some((10, "sooner")));
/// assert_eq!(pifo.pop_max(), Some((20, "latest")));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct ShiftRegister<R, T> {
    pifo: PartitionedShiftRegister<R, T>,
}

crate::debug_in_one_line!([R: Copy + Ord + core::fmt::Debug, T] ShiftRegister<R, T> as RankedQueue);

impl<R: Copy + Ord, T> ShiftRegister<R, T> {
    /// Empty registers for up to `capacity` elements.
    ///
    /// # Errors
    /// [`HardwareShapeError::Capacity`] unless `capacity` is from 1 to
    /// [`MAX_HARDWARE_ELEMENTS`](super::MAX_HARDWARE_ELEMENTS).
    pub fn new(capacity: usize) -> Result<Self, HardwareShapeError> {
        Ok(ShiftRegister { pifo: PartitionedShiftRegister::new(1, capacity)? })
    }
}

impl<R: Copy + Ord, T> RankedQueue for ShiftRegister<R, T> {
    type Rank = R;
    type Item = T;

    #[inline]
    fn push(&mut self, rank: R, item: T) -> Result<(), Rejected<R, T>> {
        self.pifo.push_in(0, rank, item)
    }

    #[inline]
    fn pop_min(&mut self) -> Option<(R, T)> {
        (!self.is_empty()).then(|| self.pifo.take(0))
    }

    #[inline]
    fn peek_min(&self) -> Option<(R, &T)> {
        self.pifo.show(0)
    }

    #[inline]
    fn replace(&mut self, rank: R, item: T) -> Replaced<R, T> {
        self.pifo.replace_in(0, rank, item)
    }

    fn len(&self) -> usize {
        self.pifo.len()
    }

    fn capacity(&self) -> usize {
        self.pifo.capacity
    }

    fn iter(&self) -> Elements<'_, R, T> {
        Box::new(self.pifo.registers.iter().map(|register| (register.rank, &register.item)))
    }

    fn ties(&self) -> Ties {
        Ties::Fifo
    }
}

impl<R: Copy + Ord, T> FifoTies for ShiftRegister<R, T> {}

impl<R: Copy + Ord, T> DoubleEnded for ShiftRegister<R, T> {
    #[inline]
    fn pop_max(&mut self) -> Option<(R, T)> {
        let last = self.len().checked_sub(1)?;
        Some(self.pifo.take(last))
    }

    #[inline]
    fn peek_max(&self) -> Option<(R, &T)> {
        self.pifo.show(self.len().checked_sub(1)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hardware::MAX_HARDWARE_ELEMENTS;
    use crate::hardware::checks::{drive, steps};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn registers_stay_sorted(capacity in 1usize..200, steps in steps()) {
            drive(ShiftRegister::new(capacity).unwrap(), &steps, |queue| {
                assert!(queue.pifo.registers.is_sorted_by_key(|register| register.rank));
            });
        }
    }

    #[test]
    fn any_logical_pifo_may_use_every_register() {
        let mut pifo = PartitionedShiftRegister::new(3, 200).unwrap();
        for item in 0..200_u32 {
            pifo.push_in(2, 199 - item, item).unwrap();
        }
        let refused = pifo.push_in(0, 0, 0).unwrap_err();
        assert_eq!(refused.reason, Reason::Full { capacity: 200 });
        assert_eq!((pifo.len_in(2), pifo.len_in(0), pifo.len_in(3)), (200, 0, 0));
        assert_eq!(pifo.pop_max_in(2), Some((199, 0)));
    }

    #[test]
    fn impossible_shapes_are_refused() {
        let most = MAX_HARDWARE_ELEMENTS;
        let new = PartitionedShiftRegister::<u8, ()>::new;
        assert_eq!(new(0, 1).err(), Some(HardwareShapeError::Partitions { asked: 0, most }));
        assert_eq!(new(1, 0).err(), Some(HardwareShapeError::Capacity { asked: 0, most }));
        let asked = most + 1;
        assert_eq!(new(1, asked).err(), Some(HardwareShapeError::Capacity { asked, most }));
    }
}
