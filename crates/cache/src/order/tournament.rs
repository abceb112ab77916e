//! The exact order of values that change with time: a kinetic tournament.
//!
//! Slots are the leaves of a binary tree; each node names the leaf that goes first below it, and until
//! when that is certain: until the loser of the match could overtake the winner, or a node below
//! becomes uncertain. Asking for the first plays again only the matches whose time has come.
//!
//! Hits are put off. A key that falls (an object just used) leaves the old key in the tree as an upper
//! bound, and the leaf is marked stale; only a stale leaf that would go first is looked at again. If the
//! new key is lower now but rises faster, the bound holds until the lines cross, and the leaf expires
//! then. Removals are put off in the same way.
//!
//! Source: kinetic data structures (Basch, Guibas, Hershberger 1997); the paper scans the set (§2.6.2).
//! Complexity: insert O(log n), usually less, since a newcomer loses early; touch O(1) when put off;
//! first O(log n) per match whose time has come and per stale leaf it meets, of which there are no more
//! than touches. Memory: 61 bytes a leaf, up to twice as many leaves as slots.

use super::{Expiring, Key, Order, OrderConfig, Slot};

/// The exact [`Order`] over any keys.
///
/// ```
/// use forebay_cache::order::{Key, Order, OrderConfig, Slot, Tournament};
///
/// // Slot 1 was used later, but waits four times as impatiently.
/// let keys = [Key::rising(0, 1.0, 0), Key::rising(90, 4.0, 1)];
/// let key = |slot: Slot| keys[slot.0 as usize].into();
/// let mut order = Tournament::new(&OrderConfig::default());
/// order.insert(Slot(0), 100, || key(Slot(0)));
/// order.insert(Slot(1), 100, || key(Slot(1)));
/// assert_eq!(order.first(100, key), Some(Slot(0)));
/// assert_eq!(order.first(121, key), Some(Slot(1)));
/// ```
#[derive(Clone, Debug)]
pub struct Tournament {
    leaves: usize,
    /// By leaf: its key, or an upper bound.
    keys: Vec<Key>,
    /// By leaf: what its key is worth.
    states: Vec<State>,
    /// By inner node, the root at 1: the leaf that goes first.
    winners: Vec<u32>,
    /// By node, leaf l at `leaves + l`: from when it is uncertain.
    expiries: Vec<u64>,
    members: usize,
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

impl Tournament {
    const LEAST_LEAVES: usize = 2;

    #[inline]
    fn winner(&self, node: usize) -> u32 {
        if node >= self.leaves { (node - self.leaves) as u32 } else { self.winners[node] }
    }

    /// Plays the match of `node` as of `now`. Whether anything came out otherwise than before.
    #[inline]
    fn play(&mut self, node: usize, now: u64) -> bool {
        let (left, right) = (self.winner(2 * node), self.winner(2 * node + 1));
        let (a, b) = (&self.keys[left as usize], &self.keys[right as usize]);
        let (winner, certain) = if b.before(a, now) {
            (right, b.overtaken_by(a, now))
        } else {
            (left, a.overtaken_by(b, now))
        };
        let below = self.expiries[2 * node].min(self.expiries[2 * node + 1]);
        let expiry = certain.min(below);
        let changed = self.winners[node] != winner || self.expiries[node] != expiry;
        self.winners[node] = winner;
        self.expiries[node] = expiry;
        changed
    }

    /// Plays every match above `leaf` that its new key can matter to.
    #[inline]
    fn replay(&mut self, leaf: usize, now: u64) {
        let mut node = (self.leaves + leaf) / 2;
        while node >= 1 {
            if !self.play(node, now) && self.winners[node] as usize != leaf {
                break;
            }
            node /= 2;
        }
    }

    /// Makes `leaf` uncertain from `at`, if it is not so earlier.
    #[inline]
    fn expire(&mut self, leaf: usize, at: u64) {
        let mut node = self.leaves + leaf;
        while node >= 1 && self.expiries[node] > at {
            self.expiries[node] = at;
            node /= 2;
        }
    }

    #[inline]
    fn set(&mut self, leaf: usize, state: State, Expiring { key, until }: Expiring) {
        self.states[leaf] = state;
        self.keys[leaf] = key;
        self.expiries[self.leaves + leaf] = until;
    }

    /// Makes the key of `leaf` true; the matches above it are still to be played.
    fn settle(&mut self, leaf: usize, key_of: &mut impl FnMut(Slot) -> Expiring) {
        match self.states[leaf] {
            State::Left => self.set(leaf, State::Left, Key::LEAST.into()),
            State::True | State::Bound => {
                self.set(leaf, State::True, key_of(Slot(leaf as u32)));
            }
        }
    }

    /// Plays every match below `node` whose time has come.
    fn repair(&mut self, node: usize, now: u64, key_of: &mut impl FnMut(Slot) -> Expiring) {
        if self.expiries[node] > now {
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
        let mut expiries = vec![u64::MAX; 2 * leaves];
        expiries[leaves..leaves + self.leaves].copy_from_slice(&self.expiries[self.leaves..]);
        self.keys.resize(leaves, Key::LEAST);
        self.states.resize(leaves, State::Left);
        self.winners = vec![0; leaves];
        self.expiries = expiries;
        self.leaves = leaves;
        self.play_all(now);
    }

    fn play_all(&mut self, now: u64) {
        for node in (1..self.leaves).rev() {
            self.play(node, now);
        }
    }
}

impl Order for Tournament {
    const KEYED: bool = true;

    fn new(_: &OrderConfig) -> Self {
        let leaves = Self::LEAST_LEAVES;
        Tournament {
            leaves,
            keys: vec![Key::LEAST; leaves],
            states: vec![State::Left; leaves],
            winners: vec![0; leaves],
            expiries: vec![u64::MAX; 2 * leaves],
            members: 0,
        }
    }

    #[inline]
    fn insert(&mut self, slot: Slot, now: u64, key: impl FnOnce() -> Expiring) {
        if slot.index() >= self.leaves {
            self.grow_for(slot.index(), now);
        }
        self.set(slot.index(), State::True, key());
        self.members += 1;
        self.replay(slot.index(), now);
    }

    #[inline]
    fn touch(&mut self, slot: Slot, now: u64, key: impl FnOnce() -> Expiring) {
        let Expiring { key, until } = key();
        let bound = self.keys[slot.index()];
        if key.before(&bound, now) {
            self.set(slot.index(), State::True, Expiring { key, until });
            self.replay(slot.index(), now);
        } else {
            self.states[slot.index()] = State::Bound;
            self.expire(slot.index(), bound.overtaken_by(&key, now).min(until));
        }
    }

    #[inline]
    fn remove(&mut self, slot: Slot) {
        if self.states.get(slot.index()).is_some_and(|state| *state != State::Left) {
            self.states[slot.index()] = State::Left;
            self.members -= 1;
        }
    }

    fn first(&mut self, now: u64, mut key_of: impl FnMut(Slot) -> Expiring) -> Option<Slot> {
        if self.members == 0 {
            return None;
        }
        loop {
            self.repair(1, now, &mut key_of);
            let leaf = self.winners[1] as usize;
            if self.states[leaf] == State::True {
                return Some(Slot(leaf as u32));
            }
            self.settle(leaf, &mut key_of);
            self.replay(leaf, now);
        }
    }

    fn rekey(&mut self, now: u64, mut key_of: impl FnMut(Slot) -> Expiring) {
        for leaf in 0..self.leaves {
            self.settle(leaf, &mut key_of);
        }
        self.play_all(now);
    }
}
