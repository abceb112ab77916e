//! Room for bodies on their way: a bound on all together, and what each of them has of it.
//!
//! A body whose length is known has its room before it begins, one of unknown length the room for
//! its beginning; so a fetch that begins is not cut off because others read slowly. An answer
//! without room passes by uncached ([`Cache::make_room`]).

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use http::header::CONTENT_LENGTH;
use pingora_cache::key::CacheHashKey;
use pingora_cache::{CacheKey, CacheMeta, NoCacheReason, RespCacheable};

use crate::cache::{Cache, Inner, id, primary};

/// The room that a body of unknown length begins with, at most.
const BEGINNING: u64 = 256 << 10;

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

/// Room that was made for an answer, until its body begins. It travels in the answer's metadata.
#[derive(Clone)]
struct Made(Arc<Mutex<Option<Share>>>);

/// The room that was made for the answer of `meta`, for whoever takes it first.
pub(crate) fn made_for(meta: &CacheMeta) -> Option<Share> {
    let made = meta.extensions().get::<Made>()?;
    made.0.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// How long a body will be, if its header says so.
pub(crate) fn length(meta: &CacheMeta) -> Option<u64> {
    meta.headers().get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

impl Inner {
    /// Whether `key` is that of a variant that would be one too many.
    pub(crate) fn has_many_variants(&self, key: &CacheKey) -> bool {
        if key.variance_bin().is_none() {
            return false;
        }
        let state = self.state();
        state.get(id(key)).is_none() && state.variants(primary(key)) >= self.settings.most_variants
    }

    /// Room for the body of `meta`; `None` if there is none.
    pub(crate) fn room_for(&self, meta: &CacheMeta) -> Option<Share> {
        let largest = self.settings.largest;
        let needed = match length(meta) {
            // It will not be cached, and needs no more than its readers leave unread.
            Some(length) if length > largest => 0,
            Some(length) => length,
            None => BEGINNING.min(largest).min(self.arriving.limit() / 16),
        };
        let mut share = Share::new(&self.arriving);
        share.grow_to(needed).then_some(share)
    }
}

impl Cache {
    /// The reason for which an answer is not cached that finds no room ([`Cache::make_room`]), and
    /// the error of one of unknown length that finds none in its middle. A predictor should not
    /// remember it: it says nothing about the answer.
    pub const NO_ROOM: &'static str = "NoRoomToArrive";

    /// The reason for which a variant is not cached that is one too many
    /// ([`Builder::most_variants`](crate::Builder::most_variants)). A predictor should not remember
    /// it either.
    pub const MANY_VARIANTS: &'static str = "ManyVariants";

    /// Makes room for the body of `answer` for `key`, if it may be cached; without room
    /// ([`Builder::bytes_arriving`](crate::Builder::bytes_arriving)) it may not, and Pingora passes
    /// it on as fast as its client reads. For the end of a service's `response_cache_filter`.
    #[must_use]
    pub fn make_room(&self, key: &CacheKey, answer: RespCacheable) -> RespCacheable {
        let mut meta = match answer {
            RespCacheable::Cacheable(meta) => meta,
            RespCacheable::Uncacheable(_) => return answer,
        };
        if self.inner.has_many_variants(key) {
            return RespCacheable::Uncacheable(NoCacheReason::Custom(Self::MANY_VARIANTS));
        }
        let Some(share) = self.inner.room_for(&meta) else {
            self.inner.state().stats.no_room += 1;
            return RespCacheable::Uncacheable(NoCacheReason::Custom(Self::NO_ROOM));
        };
        meta.extensions_mut().insert(Made(Arc::new(Mutex::new(Some(share)))));
        RespCacheable::Cacheable(meta)
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
