//! Hits on their way to the policy.
//!
//! A hit happens under a shard's read lock, where the policy cannot be called. It leaves its slot
//! in a short buffer, which the next holder of the write lock empties first; the reader who fills
//! it tries to do so. While it is full, hits are counted but not passed on. So a slot in the buffer
//! always holds what was hit.
//!
//! Reading a clock costs more than the rest of a hit. Where hits come more often than every 100 µs,
//! every sixteenth is stamped, and those between bear the previous stamp; otherwise each one is.
//! O(1); 0.5 KB per shard.

use crate::clock::Nanos;
use crate::sync::{AtomicU32, AtomicU64, Ordering};

/// The most slots in the buffer.
const ROOM: usize = 64;
/// One frequent hit in this many is stamped.
const STAMPED: usize = 16;
/// A hit is frequent if the last buffer filled at least this fast.
const FREQUENT: u64 = 100_000;
/// A full buffer is looked at again after this many hits that found it full.
const RETRY: usize = 32;
/// Stands for the stamp of the previous hit.
const UNSTAMPED: u32 = u32::MAX;
/// Stamps count units of 2^10 ns since the buffer was last emptied; they last for about an hour.
const UNIT: u32 = 10;

/// A buffer of hits.
pub(crate) struct Hits {
    count: AtomicU64,
    /// Slot in the upper half, stamp in the lower.
    told: [AtomicU64; ROOM],
    /// When it was last emptied.
    emptied: AtomicU64,
    /// Whether hits are frequent: 1 or 0.
    frequent: AtomicU32,
}

impl Hits {
    pub(crate) fn new() -> Self {
        Hits {
            count: AtomicU64::new(0),
            told: std::array::from_fn(|_| AtomicU64::new(0)),
            emptied: AtomicU64::new(0),
            frequent: AtomicU32::new(0),
        }
    }

    /// Records a hit of `slot`; returns whether the buffer should be emptied. Under the read lock.
    #[inline]
    pub(crate) fn push(&self, slot: u32, now: impl FnOnce() -> Nanos) -> bool {
        let index = self.count.fetch_add(1, Ordering::Relaxed) as usize;
        let Some(place) = self.told.get(index) else {
            return (index - ROOM).is_multiple_of(RETRY);
        };
        let frequent = self.frequent.load(Ordering::Relaxed) == 1;
        let stamp = if frequent && !index.is_multiple_of(STAMPED) {
            UNSTAMPED
        } else {
            let since = now().since(Nanos(self.emptied.load(Ordering::Relaxed)));
            u32::try_from(since.0 >> UNIT).unwrap_or(UNSTAMPED - 1).min(UNSTAMPED - 1)
        };
        place.store(u64::from(slot) << 32 | u64::from(stamp), Ordering::Relaxed);
        index + 1 == ROOM
    }

    /// Empties the buffer into `each`, with the time of each hit, and returns how many hits there
    /// were, passed on or not. Under the write lock.
    pub(crate) fn empty(
        &self,
        now: impl FnOnce() -> Nanos,
        mut each: impl FnMut(u32, Nanos),
    ) -> u64 {
        let count = self.count.load(Ordering::Relaxed);
        if count == 0 {
            return 0;
        }
        let since = Nanos(self.emptied.load(Ordering::Relaxed));
        let mut at = since;
        for place in self.told.iter().take(count as usize) {
            let told = place.load(Ordering::Relaxed);
            if told as u32 != UNSTAMPED {
                at = at.max(since.plus(Nanos(u64::from(told as u32) << UNIT)));
            }
            each((told >> 32) as u32, at);
        }
        let now = now().max(at);
        let frequent = now.since(since).0 / count < FREQUENT;
        self.frequent.store(u32::from(frequent), Ordering::Relaxed);
        self.emptied.store(now.0, Ordering::Relaxed);
        self.count.store(0, Ordering::Relaxed);
        count
    }
}
