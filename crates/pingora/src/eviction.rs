//! The eviction manager. What is evicted is decided when a body is stored ([`crate::storage`]), in
//! one step with storing it, so that the bound on bytes holds at every moment; Pingora's calls tell
//! of hits, and never have anything to remove.

use std::time::SystemTime;

use async_trait::async_trait;
use pingora_cache::eviction::EvictionManager;
use pingora_cache::{CacheEntryKey, CacheEntryKeyRef};
use pingora_error::Result;

use crate::cache::{Cache, id};

fn size(size: u64) -> usize {
    usize::try_from(size).unwrap_or(usize::MAX)
}

#[async_trait]
impl EvictionManager for Cache {
    fn total_size(&self) -> usize {
        size(self.inner.state().used())
    }

    fn total_items(&self) -> usize {
        self.inner.state().len()
    }

    /// Not counted: 0. [`Cache::stats`] counts evicted responses.
    fn evicted_size(&self) -> usize {
        0
    }

    fn evicted_items(&self) -> usize {
        size(self.inner.state().stats.evictions)
    }

    fn admit(&self, _: CacheEntryKey, _: usize, _: SystemTime) -> Vec<CacheEntryKey> {
        Vec::new()
    }

    fn increment_weight(
        &self,
        _: &CacheEntryKey,
        _: usize,
        _: Option<usize>,
    ) -> Vec<CacheEntryKey> {
        Vec::new()
    }

    fn remove(&self, _: CacheEntryKeyRef<'_>) {}

    /// A hit, unless what was found is stale.
    fn access(&self, item: &CacheEntryKey, _: usize, fresh_until: SystemTime) -> bool {
        let (now, fresh) = (self.inner.now(), SystemTime::now() <= fresh_until);
        self.inner.state().found(id(item.key()), fresh, now)
    }

    fn peek(&self, item: &CacheEntryKey) -> bool {
        self.inner.state().get(id(item.key())).is_some()
    }

    /// The index on disk needs no saving.
    async fn save(&self, _: &str) -> Result<()> {
        Ok(())
    }

    async fn load(&self, _: &str) -> Result<()> {
        Ok(())
    }
}
