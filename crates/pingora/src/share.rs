//! A bound on the bytes of all bodies on their way, and what each of them has of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// See [`Cache::NO_ROOM`](crate::Cache::NO_ROOM).
pub(crate) const NO_ROOM: &str = "NoRoomToArrive";

/// Bytes of all bodies on their way, and how many there may be.
pub(crate) struct Arriving {
    bytes: AtomicU64,
    limit: u64,
}

impl Arriving {
    pub(crate) fn new(limit: u64) -> Self {
        Arriving { bytes: AtomicU64::new(0), limit }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    fn take(&self, bytes: u64, limit: u64) -> bool {
        let more = |now: u64| now.checked_add(bytes).filter(|sum| *sum <= limit);
        self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }

    fn give(&self, bytes: u64) {
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// What one body has of the room, until it is dropped.
pub(crate) struct Share {
    arriving: Arc<Arriving>,
    bytes: u64,
}

impl Share {
    pub(crate) fn new(arriving: &Arc<Arriving>) -> Self {
        Share { arriving: arriving.clone(), bytes: 0 }
    }

    /// Has at least `bytes`, if there is room.
    pub(crate) fn grow_to(&mut self, bytes: u64) -> bool {
        self.grow_within(bytes, self.arriving.limit)
    }

    /// Has at least `bytes`, for what will not be cached: that leaves half of the room to what
    /// will.
    pub(crate) fn grow_by_the_way(&mut self, bytes: u64) -> bool {
        self.grow_within(bytes, self.arriving.limit / 2)
    }

    fn grow_within(&mut self, bytes: u64, limit: u64) -> bool {
        let more = bytes.saturating_sub(self.bytes);
        let grown = more == 0 || self.arriving.take(more, limit);
        self.bytes += if grown { more } else { 0 };
        grown
    }

    /// Has at most `bytes`.
    pub(crate) fn shrink_to(&mut self, bytes: u64) {
        let less = self.bytes.saturating_sub(bytes);
        self.arriving.give(less);
        self.bytes -= less;
    }

    pub(crate) fn limit(&self) -> u64 {
        self.arriving.limit()
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.shrink_to(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_more(arriving: &Arc<Arriving>) -> Share {
        Share::new(arriving)
    }

    #[test]
    fn shares_are_within_the_bound_and_come_back() {
        let arriving = Arc::new(Arriving::new(10));
        let (mut one, mut two) = (Share::new(&arriving), Share::new(&arriving));
        assert!(one.grow_to(6) && one.grow_to(3) && !two.grow_to(5));
        assert_eq!(arriving.bytes(), 6);
        one.shrink_to(5);
        assert!(two.grow_to(5) && !one.grow_to(u64::MAX));
        drop(one);
        assert_eq!(arriving.bytes(), 5);
        assert!(!one_more(&arriving).grow_by_the_way(1) && one_more(&arriving).grow_to(1));
        drop(two);
        assert_eq!(arriving.bytes(), 0);
    }
}
