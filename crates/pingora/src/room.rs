//! Room for bodies on their way: what each has of the [bound](crate::share) on all together.
//!
//! A body whose length is known has its room before it begins, one of unknown length the room for
//! its beginning; so a fetch that begins is not cut off because others read slowly. An answer
//! without room passes by uncached ([`Cache::make_room`]).

use std::sync::{Arc, Mutex, PoisonError};

use http::header::CONTENT_LENGTH;
use pingora_cache::key::CacheHashKey;
use pingora_cache::{CacheKey, CacheMeta, NoCacheReason, RespCacheable};

use crate::cache::{Cache, Inner, id, primary};
use crate::share::{self, Share};

/// The room that a body of unknown length begins with, at most.
const BEGINNING: u64 = 256 << 10;

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
    pub const NO_ROOM: &'static str = share::NO_ROOM;

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
