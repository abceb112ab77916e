//! The exact order of values that change with time: a kinetic tournament.
//!
//! Slots are the leaves of a binary tree; each node names the leaf that goes first below it, and
//! until when that is certain: until the loser of the match could overtake the winner, or a node
//! below becomes uncertain. Asking for the first plays again only the matches whose time has come.
//!
//! Hits are put off. A key that falls (an object just used) leaves the old key in the tree as an
//! upper bound, and the leaf is marked stale; only a stale leaf that would go first is looked at
//! again. If the new key is lower now but rises faster, the bound holds until the lines cross, and
//! the leaf expires then. Removals are put off in the same way.
//!
//! Source: kinetic data structures (Basch, Guibas, Hershberger 1997); the paper scans the set
//! (§2.6.2). Complexity: insert O(log n), usually less, since a newcomer loses early; touch O(1)
//! when put off; first O(log n) per match whose time has come and per stale leaf it meets, of which
//! there are no more than touches. Memory: 81 bytes a leaf, up to twice as many leaves as slots;
//! keys are copied up the tree, so that a match reads its two players side by side.

use std::fmt;
use std::hint::select_unpredictable;

use super::{Key, Order, OrderConfig, Slot};

/// The exact [`Order`] over any keys.
///
/// ```
/// use forebay_cache::order::{Key, Order, OrderConfig, Slot, KineticTournament};
///
/// // Slot 1 was used later, but waits four times as impatiently.
/// let keys = [Key::rising(0, 1.0, 0), Key::rising(90, 4.0, 1)];
/// let key = |slot: Slot| keys[slot.0 as usize];
/// let mut order = KineticTournament::new(&OrderConfig::default());
/// order.insert(Slot(0), 100, || key(Slot(0)));
/// order.insert(Slot(1), 100, || key(Slot(1)));
/// assert_eq!(order.first(100, key), Some(Slot(0)));
/// assert_eq!(order.first(121, key), Some(Slot(1)));
/// ```
#[derive(Clone)]
pub struct KineticTournament {
    leaves: usize,
    /// The root at 1, the children of `n` at `2n` and `2n + 1`, leaf l at `leaves + l`.
    nodes: Vec<Node>,
    /// By leaf: what its key is worth.
    states: Vec<State>,
    members: usize,
}

impl fmt::Debug for KineticTournament {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KineticTournament").field("members", &self.members).finish_non_exhaustive()
    }
}

/// Who goes first below.
#[derive(Clone, Copy, Debug)]
struct Node {
    key: Key,
    /// From when it is uncertain.
    expiry: u64,
    leaf: u32,
}

/// What a leaf's key is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It is true.
    True,
    /// It is an upper bound.
    Bound,
    /// The slot has left, and the key with it, once anyone looks.
    Left,
}

impl Node {
    fn empty(leaf: usize) -> Node {
        Node { key: Key::LEAST, expiry: u64::MAX, leaf: leaf as u32 }
    }
}

impl KineticTournament {
    const LEAST_LEAVES: usize = 2;

    /// Plays the match of `node`.
    #[inline]
    fn play(&mut self, node: usize, now: u64) {
        let value = self.nodes[2 * node].key.value(now);
        self.nodes[node] = self.meet(2 * node, value, now).0;
    }

    /// Whoever of the player at `at`, whose key is worth `value`, and its rival goes first, what
    /// that one's key is worth, and until when both is certain. Who wins cannot be foreseen, so the
    /// winner is found by arithmetic rather than by a branch.
    #[inline]
    fn meet(&self, at: usize, value: f64, now: u64) -> (Node, f64) {
        let pair = &self.nodes[at & !1..(at & !1) + 2];
        let (own, other) = (at & 1, (at & 1) ^ 1);
        let theirs = pair[other].key.value(now);
        let beaten = pair[other].key.before_at(theirs, &pair[own].key, value);
        let (winner, loser) =
            (&pair[own ^ usize::from(beaten)], &pair[other ^ usize::from(beaten)]);
        let most = select_unpredictable(beaten, theirs, value);
        let least = select_unpredictable(beaten, value, theirs);
        let bound = winner.expiry.min(loser.expiry);
        let expiry = winner.key.certain_until((most, least), &loser.key, now, bound);
        (Node { expiry, ..*winner }, most)
    }

    /// Plays every match above `leaf` that its new key can matter to. The value of who climbs is
    /// carried along.
    #[inline]
    fn replay(&mut self, leaf: usize, now: u64) {
        let mut at = self.leaves + leaf;
        let mut value = self.nodes[at].key.value(now);
        while at > 1 {
            let (winner, most) = self.meet(at, value, now);
            at /= 2;
            let before = &mut self.nodes[at];
            let same = before.leaf == winner.leaf && before.expiry == winner.expiry;
            if same && winner.leaf as usize != leaf {
                break;
            }
            *before = winner;
            value = most;
        }
    }

    /// Makes `leaf` uncertain from `at`, if it is not so earlier.
    #[inline]
    fn expire(&mut self, leaf: usize, at: u64) {
        let mut node = self.leaves + leaf;
        while node >= 1 && self.nodes[node].expiry > at {
            self.nodes[node].expiry = at;
            node /= 2;
        }
    }

    #[inline]
    fn set(&mut self, leaf: usize, state: State, key: Key) {
        self.states[leaf] = state;
        self.nodes[self.leaves + leaf] = Node { key, expiry: u64::MAX, leaf: leaf as u32 };
    }

    /// Makes the key of `leaf` true; the matches above it are still to be played.
    fn settle(&mut self, leaf: usize, key_of: &mut impl FnMut(Slot) -> Key) {
        match self.states[leaf] {
            State::Left => self.set(leaf, State::Left, Key::LEAST),
            State::True | State::Bound => {
                self.set(leaf, State::True, key_of(Slot(leaf as u32)));
            }
        }
    }

    /// Plays every match below `node` whose time has come.
    fn repair(&mut self, node: usize, now: u64, key_of: &mut impl FnMut(Slot) -> Key) {
        if self.nodes[node].expiry > now {
            return;
        }
        if node >= self.leaves {
            self.settle(node - self.leaves, key_of);
            return;
        }
        self.repair(2 * node, now, key_of);
        self.repair(2 * node + 1, now, key_of);
        self.play(node, now);
    }

    /// Makes room for `leaf`, and plays everything anew. O(leaves), each time twice as many.
    fn grow_for(&mut self, leaf: usize, now: u64) {
        let leaves = (leaf + 1).next_power_of_two();
        let mut nodes = vec![Node::empty(0); leaves];
        nodes.extend_from_slice(&self.nodes[self.leaves..]);
        nodes.extend((self.leaves..leaves).map(Node::empty));
        self.states.resize(leaves, State::Left);
        (self.nodes, self.leaves) = (nodes, leaves);
        self.play_all(now);
    }

    fn play_all(&mut self, now: u64) {
        for node in (1..self.leaves).rev() {
            self.play(node, now);
        }
    }
}

impl Order for KineticTournament {
    const KEYED: bool = true;

    fn new(_: &OrderConfig) -> Self {
        let leaves = Self::LEAST_LEAVES;
        let inner = vec![Node::empty(0); leaves];
        KineticTournament {
            leaves,
            nodes: inner.into_iter().chain((0..leaves).map(Node::empty)).collect(),
            states: vec![State::Left; leaves],
            members: 0,
        }
    }

    #[inline]
    fn insert(&mut self, slot: Slot, now: u64, key: impl FnOnce() -> Key) {
        if slot.index() >= self.leaves {
            self.grow_for(slot.index(), now);
        }
        self.set(slot.index(), State::True, key());
        self.members += 1;
        self.replay(slot.index(), now);
    }

    #[inline]
    fn touch(&mut self, slot: Slot, now: u64, key: impl FnOnce() -> Key) {
        let key = key();
        let bound = self.nodes[self.leaves + slot.index()].key;
        if key.before(&bound, now) {
            self.set(slot.index(), State::True, key);
            self.replay(slot.index(), now);
        } else {
            self.states[slot.index()] = State::Bound;
            self.expire(slot.index(), bound.overtaken_by(&key, now));
        }
    }

    #[inline]
    fn remove(&mut self, slot: Slot) {
        if self.states.get(slot.index()).is_some_and(|state| *state != State::Left) {
            self.states[slot.index()] = State::Left;
            self.members -= 1;
        }
    }

    fn first(&mut self, now: u64, mut key_of: impl FnMut(Slot) -> Key) -> Option<Slot> {
        if self.members == 0 {
            return None;
        }
        loop {
            self.repair(1, now, &mut key_of);
            let leaf = self.nodes[1].leaf as usize;
            if self.states[leaf] == State::True {
                return Some(Slot(leaf as u32));
            }
            self.settle(leaf, &mut key_of);
            self.replay(leaf, now);
        }
    }
}
