//! The size of a queue, and which sizes there can be.
//!
//! Source: the parameters of clubheap §5 (N, P, M, K) and of thesis §4.6.1 (N, D, W). Defaults are
//! those of clubheap §6.1: 16-bit ranks, 32-bit metadata, one logical PIFO. The limits are those of
//! [`ClubGeometry`](forebay_pifo::ClubGeometry) and ours: far above any chip, and low enough that
//! 128-bit arithmetic cannot overflow.

use core::fmt;
use core::ops::{Deref, RangeInclusive};

use forebay_parameters::grouped;
use forebay_pifo::{MAX_CLUB_ELEMENTS, MAX_CLUB_PARTITIONS, MAX_CLUB_WAYS, MAX_CLUSTER};

/// How large a queue is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// N: elements that may wait at once, over all partitions; 1 to 2^26.
    pub elements: u64,
    /// log2 P: the width of a rank in bits; 1 to 64.
    pub rank_bits: u32,
    /// The width of what each element carries (flow or packet number) in bits; 0 to 4096.
    pub item_bits: u32,
    /// M: logical PIFOs; 1 to 2^16.
    pub partitions: u64,
    /// K: elements per cluster of a ClubHeap; 2 to 1024.
    pub cluster: u32,
    /// Subtrees per node of a BMW-Tree; 2 to 16.
    pub ways: u32,
    /// W: bits per bitmap of a BBQ; 2 to 1024.
    pub bitmap_width: u32,
}

impl Default for Shape {
    /// 2^16 − 16 elements, which heaps with K = 2 and K = 16 and BBQ hold without rounding up to
    /// 2^17.
    fn default() -> Self {
        Shape {
            elements: 65_520,
            rank_bits: 16,
            item_bits: 32,
            partitions: 1,
            cluster: 2,
            ways: 4,
            bitmap_width: 8,
        }
    }
}

impl Shape {
    /// What [`elements`](Shape::elements) may be.
    pub const ELEMENTS: RangeInclusive<u64> = 1..=MAX_CLUB_ELEMENTS as u64;
    /// What [`rank_bits`](Shape::rank_bits) may be.
    pub const RANK_BITS: RangeInclusive<u32> = 1..=64;
    /// What [`item_bits`](Shape::item_bits) may be.
    pub const ITEM_BITS: RangeInclusive<u32> = 0..=4096;
    /// What [`partitions`](Shape::partitions) may be.
    pub const PARTITIONS: RangeInclusive<u64> = 1..=MAX_CLUB_PARTITIONS as u64;
    /// What [`cluster`](Shape::cluster) may be.
    pub const CLUSTER: RangeInclusive<u32> = 2..=MAX_CLUSTER as u32;
    /// What [`ways`](Shape::ways) may be.
    pub const WAYS: RangeInclusive<u32> = 2..=MAX_CLUB_WAYS as u32;
    /// What [`bitmap_width`](Shape::bitmap_width) may be.
    pub const BITMAP_WIDTH: RangeInclusive<u32> = 2..=1024;

    /// The shape, if every number is within its limits.
    ///
    /// # Errors
    /// [`QueueShapeError`] names the first number that is not.
    pub fn check(self) -> Result<CheckedShape, QueueShapeError> {
        let wide = |range: RangeInclusive<u32>| -> RangeInclusive<u64> {
            (*range.start()).into()..=(*range.end()).into()
        };
        let limits: [(&'static str, u64, RangeInclusive<u64>); 7] = [
            ("elements", self.elements, Self::ELEMENTS),
            ("rank bits", self.rank_bits.into(), wide(Self::RANK_BITS)),
            ("item bits", self.item_bits.into(), wide(Self::ITEM_BITS)),
            ("partitions", self.partitions, Self::PARTITIONS),
            ("cluster", self.cluster.into(), wide(Self::CLUSTER)),
            ("ways", self.ways.into(), wide(Self::WAYS)),
            ("bitmap width", self.bitmap_width.into(), wide(Self::BITMAP_WIDTH)),
        ];
        match limits.into_iter().find(|(_, value, range)| !range.contains(value)) {
            Some((name, value, range)) => {
                let (low, high) = range.into_inner();
                Err(QueueShapeError { name, value, low, high })
            }
            None => Ok(CheckedShape(self)),
        }
    }
}

/// A [`Shape`] whose numbers are within their limits: what a cost model takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckedShape(Shape);

impl Deref for CheckedShape {
    type Target = Shape;

    fn deref(&self) -> &Shape {
        &self.0
    }
}

impl CheckedShape {
    /// N.
    pub(crate) fn n(&self) -> u128 {
        self.elements.into()
    }

    /// M.
    pub(crate) fn m(&self) -> u128 {
        self.partitions.into()
    }

    /// Bits of a stored element: rank, item and a mark that it is there.
    pub(crate) fn element_bits(&self) -> u128 {
        u128::from(self.rank_bits) + u128::from(self.item_bits) + 1
    }
}

/// A number of a shape that is outside its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueShapeError {
    name: &'static str,
    value: u64,
    low: u64,
    high: u64,
}

impl fmt::Display for QueueShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let QueueShapeError { name, value, low, high } = self;
        let [value, low, high] = [*value, *low, *high].map(grouped);
        write!(f, "a queue cannot have {name} = {value}: choose {low} to {high}")
    }
}

impl core::error::Error for QueueShapeError {}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn every_limit_is_checked() {
        let good = Shape::default();
        let bad = [
            (Shape { elements: 0, ..good }, "elements = 0: choose 1 to 67,108,864"),
            (Shape { elements: u64::MAX, ..good }, "elements = 18,446,744,073,709,551,615"),
            (Shape { rank_bits: 65, ..good }, "rank bits = 65: choose 1 to 64"),
            (Shape { item_bits: 5000, ..good }, "item bits = 5,000"),
            (Shape { partitions: 0, ..good }, "partitions = 0"),
            (Shape { cluster: 1, ..good }, "cluster = 1: choose 2 to 1,024"),
            (Shape { ways: 1, ..good }, "ways = 1"),
            (Shape { bitmap_width: 1, ..good }, "bitmap width = 1"),
        ];
        for (shape, expected) in bad {
            let message = shape.check().unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
        assert_eq!(*good.check().unwrap(), good);
    }
}
