//! Which buckets hold something: a tree of bitmaps, searched by find-first-set and find-last-set.
//!
//! Source: the hierarchical FFS tree of BBQ (thesis §3.5.4 and §4.2.1) and, for more than one lane,
//! the shadow bitmaps of Themis (§5.3): one geometry, with one bitmap per lane at every level. A
//! bit of a leaf stands for a bucket; a bit above stands for a word below and is set if and only if
//! that word is not zero.
//!
//! BBQ keeps a subtree occupancy counter (StOC) beside every bit, because its pipeline must know,
//! before the level below has been read, whether an operation empties a subtree. A processor
//! finishes one operation before it starts the next and reads that answer from the word it has just
//! written, so no counters are kept here: they would only add a memory write per level.
//!
//! Complexity: every operation reads at most one word per level, `ceil(log_W(buckets))` words:
//! three for 2^15 buckets at `W = 64`, four for 2^20.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

/// The largest number of buckets a queue may index by bitmaps.
pub const MAX_BUCKETS: usize = 1 << 20;

/// Levels of a tree of two-bit bitmaps over [`MAX_BUCKETS`] buckets, the deepest there can be.
const MAX_LEVELS: usize = MAX_BUCKETS.ilog2() as usize;

/// Why a bitmap-indexed queue cannot have the shape asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum GeometryError {
    /// The number of buckets is zero or more than [`MAX_BUCKETS`].
    Buckets {
        /// The number asked for; saturated if it does not fit.
        asked: usize,
    },
    /// The partitions do not fall on whole bits of one bitmap.
    Partitions {
        /// The number of partitions asked for.
        asked: usize,
        /// The buckets they would share.
        buckets: usize,
        /// Bits per bitmap.
        width: usize,
    },
}

impl fmt::Display for GeometryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            GeometryError::Buckets { asked } => write!(
                f,
                "a bitmap tree cannot have {asked} buckets: ask for 1 to {MAX_BUCKETS}, \
                 and quantize ranks that need more"
            ),
            GeometryError::Partitions { asked, buckets, width } => write!(
                f,
                "{buckets} buckets under {width}-bit bitmaps cannot be split into {asked} \
                 partitions: choose a number that divides a power of {width} and leaves each a \
                 whole bucket"
            ),
        }
    }
}

impl core::error::Error for GeometryError {}

/// A set of bucket numbers below a fixed bound, once per lane, with its smallest and largest member
/// always at hand.
///
/// `W` is the width of a bitmap in bits (2 to 64, checked when compiled); `LANES` is the number of
/// sets that share the geometry. Memory: about `LANES · 8 / W` bytes per bucket. Bucket numbers
/// given to a method must be below `len` and lanes below `LANES`.
#[derive(Clone)]
pub(crate) struct BitmapTree<const W: usize, const LANES: usize> {
    /// The words of every level, leaves first.
    words: Vec<[u64; LANES]>,
    /// Where each level starts in `words`.
    starts: [usize; MAX_LEVELS],
    depth: usize,
    buckets: usize,
}

/// The aligned group of bits below which a search stays: one word of one level, and a mask over it.
///
/// This is the logical partitioning of BBQ (§4.4.2) in both its forms: in the root with a mask when
/// the partitions are no more than `W`, in a deeper word (steering) when they are more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Subtree {
    level: usize,
    word: usize,
    mask: u64,
}

impl<const W: usize, const LANES: usize> BitmapTree<W, LANES> {
    /// An empty tree over `buckets` buckets.
    ///
    /// # Errors
    /// [`GeometryError::Buckets`] unless `1 <= buckets <= MAX_BUCKETS`.
    pub(crate) fn new(buckets: usize) -> Result<Self, GeometryError> {
        const { assert!(W >= 2 && W <= 64, "a bitmap has 2 to 64 bits") };
        if buckets == 0 || buckets > MAX_BUCKETS {
            return Err(GeometryError::Buckets { asked: buckets });
        }
        let (mut starts, mut depth, mut total, mut below) = ([0; MAX_LEVELS], 0, 0, buckets);
        loop {
            let words = below.div_ceil(W);
            starts[depth] = total;
            depth += 1;
            total += words;
            below = words;
            if words == 1 {
                break;
            }
        }
        Ok(BitmapTree { words: vec![[0; LANES]; total], starts, depth, buckets })
    }

    /// The number of buckets.
    pub(crate) fn len(&self) -> usize {
        self.buckets
    }

    /// The number of levels, which is the number of words a search reads.
    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    /// Sets `bucket` in `lane`.
    #[inline]
    pub(crate) fn insert(&mut self, lane: usize, bucket: usize) {
        let mut index = bucket;
        for start in &self.starts[..self.depth] {
            let word = &mut self.words[start + index / W][lane];
            let before = *word;
            *word = before | 1 << (index % W);
            if before != 0 {
                return;
            }
            index /= W;
        }
    }

    /// Clears `bucket` in `lane`.
    #[inline]
    pub(crate) fn remove(&mut self, lane: usize, bucket: usize) {
        let mut index = bucket;
        for start in &self.starts[..self.depth] {
            let word = &mut self.words[start + index / W][lane];
            *word &= !(1 << (index % W));
            if *word != 0 {
                return;
            }
            index /= W;
        }
    }

    /// The smallest bucket set in `lane`.
    #[inline]
    pub(crate) fn first(&self, lane: usize) -> Option<usize> {
        self.descend(self.root(), first_bit, |level, word| self.lane(lane, level, word))
    }

    /// The largest bucket set in `lane`.
    #[inline]
    pub(crate) fn last(&self, lane: usize) -> Option<usize> {
        self.descend(self.root(), last_bit, |level, word| self.lane(lane, level, word))
    }

    /// The smallest bucket set in any lane.
    #[inline]
    pub(crate) fn first_any(&self) -> Option<usize> {
        self.descend(self.root(), first_bit, |level, word| self.any(level, word))
    }

    /// The smallest bucket set in `lane` that is not below `from`.
    #[inline]
    pub(crate) fn first_from(&self, lane: usize, from: usize) -> Option<usize> {
        let (mut index, mut skip) = (from, 0);
        for level in 0..self.depth {
            // At the leaves `from` itself counts; above, only what lies right of the path does.
            let above = (u64::MAX << (index % W)) << skip;
            let subtree = Subtree { level, word: index / W, mask: above };
            let found =
                self.descend(subtree, first_bit, |level, word| self.lane(lane, level, word));
            if found.is_some() {
                return found;
            }
            (index, skip) = (index / W, 1);
        }
        None
    }

    /// The largest bucket set in `lane` that is below `bound`.
    #[inline]
    pub(crate) fn last_below(&self, lane: usize, bound: usize) -> Option<usize> {
        let mut index = bound;
        for level in 0..self.depth {
            let below = (1 << (index % W)) - 1;
            let subtree = Subtree { level, word: index / W, mask: below };
            let found = self.descend(subtree, last_bit, |level, word| self.lane(lane, level, word));
            if found.is_some() {
                return found;
            }
            index /= W;
        }
        None
    }

    /// The smallest bucket of `lane` below `subtree`.
    #[inline]
    pub(crate) fn first_under(&self, lane: usize, subtree: Subtree) -> Option<usize> {
        self.descend(subtree, first_bit, |level, word| self.lane(lane, level, word))
    }

    /// The largest bucket of `lane` below `subtree`.
    #[inline]
    pub(crate) fn last_under(&self, lane: usize, subtree: Subtree) -> Option<usize> {
        self.descend(subtree, last_bit, |level, word| self.lane(lane, level, word))
    }

    /// The subtree over buckets `number · span .. (number + 1) · span`, if these are whole bits of
    /// one word at some level.
    pub(crate) fn subtree(&self, number: usize, span: usize) -> Option<Subtree> {
        let (mut level, mut bits) = (0, span);
        while bits >= W && bits.is_multiple_of(W) && level + 1 < self.depth {
            (level, bits) = (level + 1, bits / W);
        }
        if bits == 0 || bits > W || !W.is_multiple_of(bits) {
            return None;
        }
        let first = number.checked_mul(bits)?;
        let mask = u64::MAX >> (64 - bits) << (first % W);
        Some(Subtree { level, word: first / W, mask })
    }

    fn root(&self) -> Subtree {
        Subtree { level: self.depth - 1, word: 0, mask: u64::MAX }
    }

    #[inline]
    fn lane(&self, lane: usize, level: usize, word: usize) -> u64 {
        self.words[self.starts[level] + word][lane]
    }

    #[inline]
    fn any(&self, level: usize, word: usize) -> u64 {
        self.words[self.starts[level] + word].iter().fold(0, |all, lane| all | lane)
    }

    /// Follows the chosen bit of each word from `subtree` down to a bucket.
    #[inline]
    fn descend(
        &self,
        subtree: Subtree,
        choose: impl Fn(u64) -> usize,
        read: impl Fn(usize, usize) -> u64,
    ) -> Option<usize> {
        let top = read(subtree.level, subtree.word) & subtree.mask;
        if top == 0 {
            return None;
        }
        let mut index = subtree.word * W + choose(top);
        for level in (0..subtree.level).rev() {
            index = index * W + choose(read(level, index));
        }
        Some(index)
    }
}

/// Find-first-set of a word that is not zero.
#[inline]
fn first_bit(word: u64) -> usize {
    word.trailing_zeros() as usize
}

/// Find-last-set of a word that is not zero.
#[inline]
fn last_bit(word: u64) -> usize {
    63 - word.leading_zeros() as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;
    use proptest::prelude::*;

    /// Plays random insertions and removals against a sorted set and compares every search.
    fn agrees<const W: usize>(buckets: usize, moves: &[(bool, usize, usize)]) {
        let mut tree = BitmapTree::<W, 2>::new(buckets).unwrap();
        let mut sets = [BTreeSet::new(), BTreeSet::new()];
        for &(insert, lane, bucket) in moves {
            let bucket = bucket % buckets;
            if insert {
                tree.insert(lane, bucket);
                sets[lane].insert(bucket);
            } else {
                tree.remove(lane, bucket);
                sets[lane].remove(&bucket);
            }
            for (lane, set) in sets.iter().enumerate() {
                assert_eq!(tree.first(lane), set.first().copied());
                assert_eq!(tree.last(lane), set.last().copied());
                assert_eq!(tree.first_from(lane, bucket), set.range(bucket..).next().copied());
                assert_eq!(tree.last_below(lane, bucket), set.range(..bucket).next_back().copied());
            }
            let union: BTreeSet<_> = sets[0].union(&sets[1]).copied().collect();
            assert_eq!(tree.first_any(), union.first().copied());
        }
    }

    proptest! {
        #[test]
        fn searches_agree_with_a_sorted_set(
            buckets in 1usize..300,
            moves in prop::collection::vec((any::<bool>(), 0usize..2, 0usize..300), 1..200),
        ) {
            agrees::<2>(buckets, &moves);
            agrees::<3>(buckets, &moves);
            agrees::<4>(buckets, &moves);
            agrees::<64>(buckets, &moves);
        }

        #[test]
        fn searches_agree_over_four_levels(
            moves in prop::collection::vec((any::<bool>(), 0usize..2, 0usize..MAX_BUCKETS), 1..100),
        ) {
            agrees::<64>(MAX_BUCKETS, &moves);
            agrees::<2>(MAX_BUCKETS, &moves);
        }
    }

    #[test]
    fn geometry_is_bounded() {
        assert!(BitmapTree::<64, 1>::new(0).is_err());
        assert!(BitmapTree::<64, 1>::new(MAX_BUCKETS + 1).is_err());
        assert_eq!(BitmapTree::<64, 1>::new(1 << 15).unwrap().depth(), 3);
        assert_eq!(BitmapTree::<64, 1>::new(MAX_BUCKETS).unwrap().depth(), 4);
        assert_eq!(BitmapTree::<2, 1>::new(MAX_BUCKETS).unwrap().depth(), MAX_LEVELS);
    }

    #[test]
    fn subtrees_are_the_papers_two_forms() {
        let tree = BitmapTree::<4, 1>::new(16).unwrap();
        // §4.4.2 (1): two partitions of the root, masks 0x3 and 0xC.
        assert_eq!(tree.subtree(1, 8), Some(Subtree { level: 1, word: 0, mask: 0xC }));
        // §4.4.2 (2): eight partitions, q2 and q3 steered to the second leaf.
        assert_eq!(tree.subtree(3, 2), Some(Subtree { level: 0, word: 1, mask: 0xC }));
        assert_eq!(tree.subtree(0, 3), None);
    }
}
