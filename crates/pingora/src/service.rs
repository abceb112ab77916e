//! What a Pingora service of one's own asks of the cache, in a call each.

use http::Method;
use http::header::AUTHORIZATION;
use pingora_cache::cache_control::CacheControl;
use pingora_cache::filters::resp_cacheable;
use pingora_cache::{CacheKey, CacheMetaDefaults, HttpCache, NoCacheReason, RespCacheable};
use pingora_http::{RequestHeader, ResponseHeader};

use crate::builder::{BuildError, Builder};
use crate::cache::Cache;

/// Nothing is fresh that does not say so.
const DEFAULTS: CacheMetaDefaults = CacheMetaDefaults::new(|_| None, 0, 0);

impl Builder {
    /// Builds the cache for as long as the process lives, which is as long as Pingora serves.
    ///
    /// # Errors
    /// As [`Builder::build`].
    pub fn build_static(self) -> Result<&'static Cache, BuildError> {
        Ok(Box::leak(Box::new(self.build()?)))
    }
}

impl Cache {
    /// Caches a request, whose `session.cache` is `request`: this one object is its storage,
    /// eviction manager and lock. For a service's `request_cache_filter`.
    pub fn enable(&'static self, request: &mut HttpCache) {
        request.enable(self, Some(self), None, Some(self), None);
    }

    /// Whether the answer `response` to `request` may be cached for `key`: if it is one to GET or
    /// HEAD, as long as its `Cache-Control` says, and if there is room ([`Cache::make_room`]). For
    /// a service's `response_cache_filter`.
    #[must_use]
    pub fn admit(
        &self,
        key: &CacheKey,
        request: &RequestHeader,
        response: &ResponseHeader,
    ) -> RespCacheable {
        if !matches!(request.method, Method::GET | Method::HEAD) {
            return RespCacheable::Uncacheable(NoCacheReason::OriginNotCache);
        }
        let control = CacheControl::from_resp_headers(response);
        let own = request.headers.contains_key(AUTHORIZATION);
        self.make_room(key, resp_cacheable(control.as_ref(), response.clone(), own, &DEFAULTS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_admitted_as_it_says() {
        let cache = Cache::builder(1 << 20).build().unwrap();
        let key = CacheKey::new("/", "");
        let admitted = |method: &str, password: bool, control: &str| {
            let mut request = RequestHeader::build(method, b"/", None).unwrap();
            if password {
                request.insert_header(AUTHORIZATION, "Basic eDp5").unwrap();
            }
            let mut response = ResponseHeader::build(200, None).unwrap();
            response.insert_header("cache-control", control).unwrap();
            cache.admit(&key, &request, &response).is_cacheable()
        };
        assert!(admitted("GET", false, "max-age=9") && admitted("HEAD", false, "max-age=9"));
        assert!(admitted("GET", true, "public, max-age=9"));
        assert!(!admitted("POST", false, "max-age=9") && !admitted("GET", true, "max-age=9"));
        assert!(!admitted("GET", false, "no-store") && !admitted("GET", false, "x"));
    }
}
