//! The order of recency: a doubly linked list over slots. Constant time; 8 bytes a slot.

use std::fmt;

use super::{Key, Order, OrderConfig, Slot};

/// The [`Order`] in which the slot longest untouched goes first. It asks for no keys.
///
/// ```
/// use forebay_cache::order::{Key, List, Order, OrderConfig, Slot};
///
/// let mut list = List::new(&OrderConfig::default());
/// let key = || Key::constant(0.0, 0);
/// list.insert(Slot(4), 0, key);
/// list.insert(Slot(9), 1, key);
/// list.touch(Slot(4), 2, key);
/// assert_eq!(list.first(3, |_| key()), Some(Slot(9)));
/// ```
#[derive(Clone)]
pub struct List {
    /// Node 0 is the head: its next is the first, its previous the last. Slot s is node s + 1.
    nodes: Vec<Node>,
}

impl fmt::Debug for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("List").field("slots", &self.nodes.len()).finish_non_exhaustive()
    }
}

#[derive(Clone, Copy, Debug)]
struct Node {
    previous: u32,
    next: u32,
}

/// The links of a slot that is not in the list.
const OUT: Node = Node { previous: u32::MAX, next: u32::MAX };

impl List {
    #[inline]
    fn unlink(&mut self, node: u32) {
        let Node { previous, next } = self.nodes[node as usize];
        self.nodes[previous as usize].next = next;
        self.nodes[next as usize].previous = previous;
    }

    #[inline]
    fn link_last(&mut self, node: u32) {
        let last = self.nodes[0].previous;
        self.nodes[last as usize].next = node;
        self.nodes[node as usize] = Node { previous: last, next: 0 };
        self.nodes[0].previous = node;
    }
}

impl Order for List {
    const KEYED: bool = false;

    fn new(_: &OrderConfig) -> Self {
        List { nodes: vec![Node { previous: 0, next: 0 }] }
    }

    #[inline]
    fn insert(&mut self, slot: Slot, _: u64, _: impl FnOnce() -> Key) {
        let node = slot.0 + 1;
        if self.nodes.len() <= node as usize {
            self.nodes.resize(node as usize + 1, OUT);
        }
        self.link_last(node);
    }

    #[inline]
    fn touch(&mut self, slot: Slot, _: u64, _: impl FnOnce() -> Key) {
        self.unlink(slot.0 + 1);
        self.link_last(slot.0 + 1);
    }

    #[inline]
    fn remove(&mut self, slot: Slot) {
        let node = slot.0 + 1;
        if self.nodes.get(node as usize).is_some_and(|links| links.next != OUT.next) {
            self.unlink(node);
            self.nodes[node as usize] = OUT;
        }
    }

    #[inline]
    fn first(&mut self, _: u64, _: impl FnMut(Slot) -> Key) -> Option<Slot> {
        self.nodes[0].next.checked_sub(1).map(Slot)
    }
}
