//! Segments that wait for what comes before them: the trait of stores, and what they share.
//!
//! A store keeps pieces that do not overlap. Only the parts of a newcomer that nothing covers
//! become pieces; where it meets a piece, the piece keeps its bytes or takes the newcomer's. So all
//! overlap policies make the same pieces, and differ only in bytes.

use forebay_parameters::UnknownName;

/// What a waiting segment counts for besides its data, in bytes: its node and its allocation.
pub const SEGMENT_OVERHEAD: usize = 64;

/// Which bytes count where waiting segments overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overlap {
    /// Those that came first.
    #[default]
    First,
    /// Those of a segment that begins before the waiting ones; otherwise those that came first. BSD
    /// and tshark do this.
    Bsd,
    /// Those that came last.
    Last,
}

impl Overlap {
    /// Every policy with its name.
    const ALL: [(&'static str, Overlap); 3] =
        [("first", Overlap::First), ("bsd", Overlap::Bsd), ("last", Overlap::Last)];

    /// The policy with this name.
    ///
    /// ```
    /// use forebay_surge_processors::tcp::Overlap;
    ///
    /// assert_eq!(Overlap::named("last"), Ok(Overlap::Last));
    /// let error = Overlap::named("lst").err().map(|error| error.to_string());
    /// assert!(error.unwrap_or_default().starts_with("there is no overlap policy `lst`; "));
    /// ```
    ///
    /// # Errors
    /// There is none of this name.
    pub fn named(name: &str) -> Result<Self, UnknownName> {
        let found = Self::ALL.iter().find(|(known, _)| *known == name);
        let known = Self::ALL.iter().map(|(known, _)| *known);
        found
            .map(|(_, policy)| *policy)
            .ok_or_else(|| UnknownName::new("overlap policy", name, known))
    }
}

/// The out-of-order segments of one direction of a connection, by the offset of their first byte.
///
/// ```
/// use forebay_surge_processors::tcp::{ListStore, Newcomer, Overlap, SegmentStore, TreeStore};
///
/// fn third_walks<S: SegmentStore>() -> u32 {
///     let mut store = S::default();
///     for start in [10, 30, 50] {
///         store.insert(Newcomer::new(start, b"x", Overlap::First, usize::MAX));
///     }
///     store.insert(Newcomer::new(70, b"x", Overlap::First, usize::MAX)).visited
/// }
/// assert_eq!(third_walks::<ListStore>(), 3);
/// assert_eq!(third_walks::<TreeStore>(), 2); // the levels of a balanced tree
/// ```
pub trait SegmentStore: Default {
    /// The name of the store.
    const NAME: &'static str;

    /// Keeps the parts of a newcomer that are not covered; returns it with its account.
    fn insert<'a>(&mut self, newcomer: Newcomer<'a>) -> Newcomer<'a>;

    /// Where the first piece begins.
    fn first_start(&self) -> Option<u64>;

    /// Removes the first piece.
    fn pop_first(&mut self) -> Option<Vec<u8>>;

    /// The number of pieces.
    fn len(&self) -> usize;

    /// Whether the store is empty.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A segment on its way into a store: what is left of it, and its account so far.
#[derive(Clone, Copy, Debug)]
pub struct Newcomer<'a> {
    /// Where it begins.
    begin: u64,
    /// The offset of what is left.
    from: u64,
    /// What is left.
    data: &'a [u8],
    overlap: Overlap,
    /// Bytes that may still be kept, including [`SEGMENT_OVERHEAD`].
    room: usize,
    /// Segments that were visited for it.
    pub visited: u32,
    /// Bytes that it added, including [`SEGMENT_OVERHEAD`].
    pub kept: usize,
    /// Bytes for which there was no room.
    pub refused: usize,
}

impl<'a> Newcomer<'a> {
    /// The segment `data` at offset `from`, of which this many bytes may be kept.
    #[must_use]
    pub fn new(from: u64, data: &'a [u8], overlap: Overlap, room: usize) -> Self {
        Newcomer { begin: from, from, data, overlap, room, visited: 0, kept: 0, refused: 0 }
    }

    /// The offset of what is left.
    #[must_use]
    pub fn start(&self) -> u64 {
        self.from
    }

    /// Where it ends.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.from.saturating_add(self.data.len() as u64)
    }

    /// Takes the part before `until` as a new piece, if there is one and it fits.
    pub(super) fn piece_before(&mut self, until: u64) -> Option<(u64, Vec<u8>)> {
        let (start, piece) = (self.from, self.split(until));
        let cost = piece.len() + SEGMENT_OVERHEAD;
        if piece.is_empty() {
            return None;
        }
        if cost > self.room {
            self.refused += piece.len();
            return None;
        }
        self.room -= cost;
        self.kept += cost;
        Some((start, piece.to_vec()))
    }

    /// Handles a piece that begins at `start`, not after what is left of the newcomer.
    pub(super) fn meet(&mut self, start: u64, held: &mut [u8]) {
        let (from, common) = (self.from, self.split(start.saturating_add(held.len() as u64)));
        let wins = match self.overlap {
            Overlap::First => false,
            Overlap::Bsd => self.begin < start,
            Overlap::Last => true,
        };
        if wins {
            // The piece begins at or before `from`, and ends at or after the common part does.
            let at = (from - start) as usize;
            held[at..at + common.len()].copy_from_slice(common);
        }
    }

    /// Cuts off what lies before `until`.
    fn split(&mut self, until: u64) -> &'a [u8] {
        let length = until.saturating_sub(self.from).min(self.data.len() as u64) as usize;
        let (before, after) = self.data.split_at(length);
        self.data = after;
        self.from += length as u64;
        before
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ListStore, TreeStore};
    use super::*;
    use proptest::prelude::*;

    /// The expected content of a store: one byte per offset.
    fn naive(segments: &[(u64, Vec<u8>)], overlap: Overlap) -> Vec<Option<u8>> {
        let mut bytes = vec![None; 128];
        for (start, data) in segments {
            for (place, byte) in bytes[*start as usize..].iter_mut().zip(data) {
                if place.is_none() || overlap == Overlap::Last {
                    *place = Some(*byte);
                }
            }
        }
        bytes
    }

    fn check<S: SegmentStore>(segments: &[(u64, Vec<u8>)], overlap: Overlap) {
        let (mut store, mut kept, mut found) = (S::default(), 0, vec![None; 128]);
        for (start, data) in segments {
            let done = store.insert(Newcomer::new(*start, data, overlap, usize::MAX));
            assert_eq!((done.start(), done.refused), (start + data.len() as u64, 0));
            kept += done.kept;
        }
        assert_eq!(store.is_empty(), segments.is_empty());
        while let Some(start) = store.first_start() {
            let before = store.len();
            let data = store.pop_first().unwrap();
            assert_eq!(store.len(), before - 1);
            kept -= data.len() + SEGMENT_OVERHEAD;
            for (place, byte) in found[start as usize..].iter_mut().zip(data) {
                assert_eq!(place.replace(byte), None, "pieces overlap");
            }
        }
        assert_eq!(kept, 0);
        assert_eq!(found, naive(segments, overlap), "{} {overlap:?}", S::NAME);
    }

    fn segments() -> impl Strategy<Value = Vec<(u64, Vec<u8>)>> {
        prop::collection::vec((0u64..100, prop::collection::vec(any::<u8>(), 1..25)), 0..25)
    }

    proptest! {
        #[test]
        fn stores_hold_what_a_byte_map_holds(segments in segments(), last in any::<bool>()) {
            let overlap = if last { Overlap::Last } else { Overlap::First };
            check::<ListStore>(&segments, overlap);
            check::<TreeStore>(&segments, overlap);
        }

        #[test]
        fn no_store_keeps_more_than_there_is_room(segments in segments(), room in 0usize..1000) {
            let (mut list, mut tree) = (ListStore::default(), TreeStore::default());
            let mut used = 0;
            for (start, data) in &segments {
                let newcomer = Newcomer::new(*start, data, Overlap::First, room - used);
                let (one, other) = (list.insert(newcomer), tree.insert(newcomer));
                prop_assert_eq!((one.kept, one.refused), (other.kept, other.refused));
                used += one.kept;
                prop_assert!(used <= room && list.len() == tree.len());
            }
        }
    }
}
