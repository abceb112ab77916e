//! Out-of-order segments in a balanced tree, for comparison: it makes the attack on the list
//! pointless.
//!
//! Built on the standard library's B-tree, which does not report how many nodes it visits; we count
//! the levels of a balanced binary tree and the pieces that the newcomer meets. Complexity: O(log
//! pieces + pieces met). Memory: about 40 bytes per piece besides the data.

use std::collections::BTreeMap;

use super::segments::{Newcomer, SegmentStore};

/// Pieces by their offsets.
#[derive(Clone, Debug, Default)]
pub struct TreeStore {
    pieces: BTreeMap<u64, Vec<u8>>,
}

impl SegmentStore for TreeStore {
    const NAME: &'static str = "tree";

    fn insert<'a>(&mut self, mut newcomer: Newcomer<'a>) -> Newcomer<'a> {
        let end = newcomer.end();
        newcomer.visited += usize::BITS - self.pieces.len().leading_zeros();
        // The last piece that begins at or before the newcomer may reach into it.
        let first = self.pieces.range(..=newcomer.start()).next_back().map(|(start, _)| *start);
        let mut pieces = Vec::new();
        for (start, held) in self.pieces.range_mut(first.unwrap_or(newcomer.start())..end) {
            if start.saturating_add(held.len() as u64) > newcomer.start() {
                newcomer.visited += 1;
                pieces.extend(newcomer.piece_before(*start));
                newcomer.meet(*start, held);
            }
        }
        pieces.extend(newcomer.piece_before(end));
        self.pieces.extend(pieces);
        newcomer
    }

    fn first_start(&self) -> Option<u64> {
        self.pieces.first_key_value().map(|(start, _)| *start)
    }

    fn pop_first(&mut self) -> Option<Vec<u8>> {
        self.pieces.pop_first().map(|(_, data)| data)
    }

    fn len(&self) -> usize {
        self.pieces.len()
    }
}
