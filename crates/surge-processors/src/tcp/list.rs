//! Out-of-order segments in a singly linked list, walked from its head: the structure of thesis
//! §3.5.1, Fig. 3.10, which an attacker makes long.
//!
//! As in the figure, nodes are not merged. Complexity: O(pieces before the newcomer's end). Memory:
//! 40 bytes per node besides the data; nodes are reused, and compacted when fewer than a quarter
//! are in use.

use super::segments::{Newcomer, SegmentStore};

/// No node.
const NONE: u32 = u32::MAX;

/// This many nodes may be free however few are in use.
const SPARE: usize = 16;

#[derive(Clone, Debug)]
struct Node {
    start: u64,
    data: Vec<u8>,
    next: u32,
}

impl Node {
    fn end(&self) -> u64 {
        self.start.saturating_add(self.data.len() as u64)
    }
}

/// A linked list of pieces in the order of their offsets.
#[derive(Clone, Debug)]
pub struct ListStore {
    nodes: Vec<Node>,
    head: u32,
    /// The first free node.
    free: u32,
    len: usize,
}

impl Default for ListStore {
    fn default() -> Self {
        ListStore { nodes: Vec::new(), head: NONE, free: NONE, len: 0 }
    }
}

impl ListStore {
    /// Links a piece between two neighbours. Offsets bound the number of nodes: each holds at least
    /// one byte of a window below 2^31.
    fn link(&mut self, before: u32, (start, data): (u64, Vec<u8>), next: u32) {
        let node = Node { start, data, next };
        let index = if self.free == NONE {
            self.nodes.push(node);
            (self.nodes.len() - 1) as u32
        } else {
            let index = self.free;
            self.free = self.nodes[index as usize].next;
            self.nodes[index as usize] = node;
            index
        };
        match self.nodes.get_mut(before as usize) {
            Some(before) => before.next = index,
            None => self.head = index,
        }
        self.len += 1;
    }

    /// Compacts the nodes, in their order, so that a list that was once long holds no more than it
    /// needs.
    fn compact(&mut self) {
        let mut nodes = Vec::with_capacity(self.len);
        let mut at = self.head;
        while let Some(node) = self.nodes.get_mut(at as usize) {
            at = node.next;
            let next = if at == NONE { NONE } else { nodes.len() as u32 + 1 };
            nodes.push(Node { start: node.start, data: std::mem::take(&mut node.data), next });
        }
        (self.nodes, self.head, self.free) = (nodes, 0, NONE);
    }
}

impl SegmentStore for ListStore {
    const NAME: &'static str = "list";

    fn insert<'a>(&mut self, mut newcomer: Newcomer<'a>) -> Newcomer<'a> {
        let (end, mut before, mut at) = (newcomer.end(), NONE, self.head);
        while let Some(node) = self.nodes.get_mut(at as usize) {
            if node.start >= end {
                break;
            }
            newcomer.visited += 1;
            if node.end() > newcomer.start() {
                if let Some(piece) = newcomer.piece_before(node.start) {
                    self.link(before, piece, at);
                }
                let node = &mut self.nodes[at as usize];
                newcomer.meet(node.start, &mut node.data);
            }
            (before, at) = (at, self.nodes[at as usize].next);
        }
        if let Some(piece) = newcomer.piece_before(end) {
            self.link(before, piece, at);
        }
        newcomer
    }

    fn first_start(&self) -> Option<u64> {
        self.nodes.get(self.head as usize).map(|node| node.start)
    }

    fn pop_first(&mut self) -> Option<Vec<u8>> {
        let index = self.head;
        let node = self.nodes.get_mut(index as usize)?;
        let data = std::mem::take(&mut node.data);
        self.head = std::mem::replace(&mut node.next, self.free);
        self.free = index;
        self.len -= 1;
        if self.len == 0 {
            *self = Self::default(); // an idle flow holds nothing
        } else if self.nodes.capacity() > SPARE.max(4 * self.len) {
            self.compact();
        }
        Some(data)
    }

    fn len(&self) -> usize {
        self.len
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::Overlap;

    #[test]
    fn a_list_that_was_long_gives_its_nodes_back() {
        let mut list = ListStore::default();
        let piece = |n: u64| Newcomer::new(2 * n, b"x", Overlap::First, 1 << 20);
        for n in 0..8192 {
            list.insert(piece(n));
        }
        for n in 0..8190 {
            assert_eq!(list.first_start(), Some(2 * n));
            assert_eq!(list.pop_first().as_deref(), Some(&b"x"[..]));
            assert!(list.nodes.capacity() <= SPARE.max(4 * (list.len() + 1)), "{n}");
        }
        list.insert(piece(9000));
        list.insert(piece(8999));
        let rest: Vec<_> = std::iter::from_fn(|| {
            let start = list.first_start();
            list.pop_first().and(start)
        })
        .collect();
        assert_eq!(rest, [16380, 16382, 17998, 18000]);
    }
}
