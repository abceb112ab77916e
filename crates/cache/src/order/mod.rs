//! Which of a set of cached objects goes first: the order behind every policy's eviction.
//!
//! A policy says of each object how long it expects to wait for its next request (TTNA, thesis
//! §2.5.1) and how much delay that request would cause: together a [`Key`], whose value may change
//! with time alone. The object of the largest value is evicted. Three structures answer "which is
//! it now":
//!
//! | structure | answers | time | for |
//! |---|---|---|---|
//! | [`List`] | the one longest untouched | constant | recency, without delays |
//! | [`KineticTournament`] | the largest value, exactly | logarithmic, amortized | any key |
//! | [`Sample`] | the largest of a few drawn at random | constant | any key |
//!
//! The ranked queues of `forebay-pifo` order ranks that stay as they are. A delay-aware rank does
//! not: two objects of unequal delay change places while nothing happens to either. Hence the
//! tournament.

mod key;
mod list;
mod sample;
mod tournament;

pub use key::{Key, LATEST};
pub use list::List;
pub use sample::Sample;
pub use tournament::KineticTournament;

/// A place for one cached object; small numbers, used again after an eviction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(pub u32);

impl Slot {
    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What the orders are made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderConfig {
    /// How many objects [`Sample`] draws (64 in thesis §2.6.1's sets; LHD's paper draws as many).
    pub samples: u32,
    /// What the draws are seeded with.
    pub seed: u64,
}

impl Default for OrderConfig {
    fn default() -> Self {
        OrderConfig { samples: 64, seed: 1 }
    }
}

/// A set of slots that knows which one goes first.
///
/// `now` is a clock that never goes back: picoseconds, or a count of requests, as the policy likes.
/// Keys are asked for only when needed; `key_of` must give the true key of any slot in the set, as
/// of `now`.
pub trait Order: Send + Sync {
    /// Whether it asks for keys; if not, [`touch`](Self::touch) puts a slot last.
    const KEYED: bool;

    /// An order without slots.
    fn new(config: &OrderConfig) -> Self;

    /// Adds `slot`, which must not be in the set.
    fn insert(&mut self, slot: Slot, now: u64, key: impl FnOnce() -> Key);

    /// The key of `slot`, which is in the set, has changed to `key`.
    fn touch(&mut self, slot: Slot, now: u64, key: impl FnOnce() -> Key);

    /// Takes `slot` out of the set; nothing happens if it is not there.
    fn remove(&mut self, slot: Slot);

    /// The slot that goes first; it stays in the set.
    fn first(&mut self, now: u64, key_of: impl FnMut(Slot) -> Key) -> Option<Slot>;
}

/// An [`Order`] that honours keys, and so serves policies that are not about recency alone.
pub trait Keyed: Order {}

impl Keyed for KineticTournament {}
impl Keyed for Sample {}

#[cfg(test)]
mod tests;
