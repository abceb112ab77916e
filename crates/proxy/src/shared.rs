//! What all requests share, and what of it can change while the proxy runs.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Instant;

use forebay_pingora::Cache;
use pingora_cache::CacheKey;
use pingora_cache::key::CacheHashKey;
use pingora_cache::predictor::Predictor;

use crate::access_log::{AccessLog, Lost};
use crate::admin::Page;
use crate::config::Config;
use crate::error::ProxyError;
use crate::metrics::Metrics;
use crate::routes::Routes;
use crate::what_if::WhatIf;

/// URLs that are remembered not to be cacheable, in each of 16 shards.
const UNCACHEABLE: usize = 4096;

/// What can change while it runs.
pub(crate) struct Live {
    pub(crate) config: Config,
    pub(crate) routes: Routes,
}

/// What all requests share.
pub(crate) struct Shared {
    live: RwLock<Arc<Live>>,
    pub(crate) cache: &'static Cache,
    pub(crate) predictor: &'static Predictor<16>,
    pub(crate) metrics: Metrics,
    pub(crate) what_if: Arc<WhatIf>,
    pub(crate) log: Option<Arc<AccessLog>>,
    pub(crate) began: Instant,
    pub(crate) page: Page,
}

/// Whether a reason not to cache an answer says nothing about the next.
fn is_passing(reason: &'static str) -> bool {
    reason == Cache::NO_ROOM || reason == Cache::MANY_VARIANTS
}

impl Shared {
    pub(crate) fn new(
        live: Live,
        cache: &'static Cache,
        what_if: Arc<WhatIf>,
        log: Option<Arc<AccessLog>>,
        page: Page,
    ) -> Self {
        Shared {
            live: RwLock::new(Arc::new(live)),
            cache,
            predictor: Box::leak(Box::new(Predictor::new(UNCACHEABLE, Some(is_passing)))),
            metrics: Metrics::default(),
            what_if,
            log,
            began: Instant::now(),
            page,
        }
    }

    pub(crate) fn live(&self) -> Arc<Live> {
        self.live.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn renew(&self, live: Live) {
        *self.live.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(live);
    }

    /// Removes what is cached for `key`; whether there was something.
    pub(crate) fn remove(&self, key: &CacheKey) -> bool {
        self.what_if.removed(u128::from_be_bytes(key.primary_bin()));
        self.cache.remove(key)
    }

    /// Ends the access log; an error if it lacks requests.
    pub(crate) fn close_log(&self) -> Result<(), ProxyError> {
        match self.log.as_ref().and_then(|log| log.close()) {
            Some(Lost { path, rows, error }) => Err(ProxyError::Lost { path, rows, error }),
            None => Ok(()),
        }
    }

    /// One client more or less is connected.
    pub(crate) fn connected(&self, change: i64) {
        let connections = &self.metrics.connections;
        if change > 0 {
            connections.fetch_add(1, Ordering::Relaxed);
        } else {
            connections.fetch_sub(1, Ordering::Relaxed);
        }
    }
}
