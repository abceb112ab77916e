//! Requests as Pingora makes them, step by step.
#![allow(unreachable_pub)] // a test binary has no outside

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use forebay_pingora::{Cache, RequestNotes};
use pingora_cache::{CacheKey, CacheMeta, HitStatus, HttpCache};
use pingora_http::ResponseHeader;

pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

pub fn leak(cache: &Cache) -> &'static Cache {
    Box::leak(Box::new(cache.clone()))
}

pub fn request(cache: &'static Cache, key: &str) -> HttpCache {
    let mut request = HttpCache::new();
    request.enable(cache, Some(cache), None, Some(cache), None);
    request.set_cache_key(CacheKey::new(key, ""));
    request
}

/// A request that keeps notes.
pub fn noted(cache: &'static Cache, key: &str) -> HttpCache {
    let mut request = HttpCache::new();
    request.enable(cache, Some(cache), None, Some(cache), None);
    let mut key = CacheKey::new(key, "");
    key.extensions.insert(Arc::new(RequestNotes::default()));
    request.set_cache_key(key);
    request
}

pub fn meta(length: Option<usize>) -> Result<CacheMeta> {
    let mut header = ResponseHeader::build(200, None)?;
    if let Some(length) = length {
        header.insert_header("content-length", length)?;
    }
    let now = SystemTime::now();
    Ok(CacheMeta::new(now + Duration::from_secs(60), now, 0, 0, header))
}

/// What a look-up says.
#[derive(Debug, PartialEq)]
pub enum Seen {
    Leads,
    Waits,
    Body(Vec<u8>),
}

pub async fn look(request: &mut HttpCache) -> Result<Seen> {
    let Some((meta, handler)) = request.cache_lookup().await? else {
        return Ok(if request.is_cache_locked() {
            Seen::Waits
        } else {
            request.cache_miss();
            Seen::Leads
        });
    };
    request.cache_found(meta, handler, HitStatus::Fresh);
    Ok(Seen::Body(read(request).await?))
}

pub async fn read(request: &mut HttpCache) -> Result<Vec<u8>> {
    let mut all = Vec::new();
    while let Some(data) = request.hit_handler().read_body().await? {
        all.extend_from_slice(&data);
    }
    Ok(all)
}

pub async fn begin(request: &mut HttpCache, length: Option<usize>) -> Result<()> {
    request.set_cache_meta(meta(length)?);
    request.set_miss_handler().await?;
    Ok(())
}

pub async fn write(request: &mut HttpCache, data: &[u8], end: bool) -> Result<()> {
    let data = Bytes::copy_from_slice(data);
    let handler = request.miss_handler().ok_or("nothing is written")?;
    handler.write_body(data, end).await?;
    if end {
        request.finish_miss_handler().await?;
    }
    Ok(())
}

/// Puts `body` in as the answer of a fetch.
pub async fn fetch(cache: &'static Cache, key: &str, body: &[u8]) -> Result<()> {
    let mut leader = request(cache, key);
    assert_eq!(look(&mut leader).await?, Seen::Leads);
    begin(&mut leader, Some(body.len())).await?;
    write(&mut leader, body, true).await
}

/// What is cached for `key`, without being counted as a request that waits or leads.
pub async fn cached(cache: &'static Cache, key: &str) -> Result<Option<Vec<u8>>> {
    let mut plain = HttpCache::new();
    plain.enable(cache, None, None, None, None);
    plain.set_cache_key(CacheKey::new(key, ""));
    match look(&mut plain).await? {
        Seen::Body(body) => Ok(Some(body)),
        Seen::Leads | Seen::Waits => Ok(None),
    }
}

/// Waits until nothing is on its way any more: bodies go to disk after their requests end.
pub async fn settled(cache: &Cache) -> Result<()> {
    for _ in 0..10_000 {
        if cache.stats().bytes_arriving == 0 {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    Err("bodies are still on their way".into())
}
