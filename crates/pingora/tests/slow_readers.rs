//! Readers that do not read: what they hold is bounded, and is theirs alone.

use crate::support::*;
use forebay_pingora::Cache;
use pingora_cache::{CacheKey, CacheMeta, HitStatus, HttpCache, NoCacheReason, RespCacheable};

/// A reader of `key` that came while its body arrived, and reads nothing for now.
async fn joined(cache: &'static Cache, key: &str) -> Result<HttpCache> {
    let mut reader = request(cache, key);
    let (meta, handler) = reader.cache_lookup().await?.ok_or("nothing arrives")?;
    reader.cache_found(meta, handler, HitStatus::Fresh);
    Ok(reader)
}

#[tokio::test]
async fn readers_of_what_is_cached_take_nothing_from_what_arrives() -> Result<()> {
    const BODY: usize = 300_000;
    let folder = tempfile::tempdir()?;
    let builder = || Cache::builder(100 << 20).bytes_arriving(1 << 20);
    for builder in [builder(), builder().folder(folder.path())] {
        let cache = leak(&builder.build()?);
        let mut readers = Vec::new();
        for number in 0..50 {
            let key = format!("{number}");
            let body: Vec<u8> = (0..BODY).map(|at| (at * 7 + number) as u8).collect();
            let mut leader = request(cache, &key);
            look(&mut leader).await?;
            begin(&mut leader, Some(BODY)).await?;
            write(&mut leader, &body[..1000], false).await?;
            let mut reader = joined(cache, &key).await?;
            let first = reader.hit_handler().read_body().await?.ok_or("nothing")?;
            write(&mut leader, &body[1000..], true).await?;
            settled(cache).await?;
            readers.push((reader, leader, body, first));
        }
        assert_eq!(cache.stats().objects, 50);
        for (mut reader, mut leader, body, first) in readers {
            let all = [first.to_vec(), read(&mut reader).await?].concat();
            assert!(all == body);
            let mut all = Vec::new();
            let handler = leader.miss_body_reader().ok_or("no reader")?;
            while let Some(data) = handler.read_body().await? {
                all.extend_from_slice(&data);
            }
            assert!(all == body);
        }
    }
    Ok(())
}

#[tokio::test]
async fn what_is_not_cached_is_let_go_as_it_is_read() -> Result<()> {
    let cache = leak(&Cache::builder(1 << 20).bytes_arriving(1 << 20).build()?);
    let mut leader = request(cache, "a");
    look(&mut leader).await?;
    begin(&mut leader, Some(9000)).await?;
    write(&mut leader, &[1; 9000], false).await?;
    let mut reader = joined(cache, "a").await?;
    cache.clear();
    write(&mut leader, &[], true).await?;
    drop(leader);
    assert_eq!(cache.stats().bytes_arriving, 9000);
    assert_eq!(read(&mut reader).await?.len(), 9000);
    assert_eq!(cache.stats().bytes_arriving, 0);
    Ok(())
}

/// Whether there was room for an answer of this length.
fn has_room(cache: &Cache, length: Option<usize>) -> Result<Option<CacheMeta>> {
    match cache.make_room(&CacheKey::new("any", ""), RespCacheable::Cacheable(meta(length)?)) {
        RespCacheable::Cacheable(meta) => Ok(Some(meta)),
        RespCacheable::Uncacheable(reason) => {
            assert_eq!(reason, NoCacheReason::Custom(Cache::NO_ROOM));
            Ok(None)
        }
    }
}

#[tokio::test]
async fn an_answer_that_begins_has_its_room_whatever_others_hold() -> Result<()> {
    let cache = leak(&Cache::builder(100 << 20).bytes_arriving(1 << 20).build()?);
    // It has room for the whole, though nothing of it has come.
    let mut first = request(cache, "first");
    look(&mut first).await?;
    let made = has_room(cache, Some(600_000))?.ok_or("no room in an empty cache")?;
    assert_eq!(cache.stats().bytes_arriving, 600_000);
    first.set_cache_meta(made);
    first.set_miss_handler().await?;
    assert!(has_room(cache, Some(500_000))?.is_none());
    // What is not begun gives its room back; of unknown length it has some, too.
    drop(has_room(cache, Some(400_000))?.ok_or("no room for what fits")?);
    drop(has_room(cache, None)?.ok_or("no room for the beginning")?);
    assert_eq!(cache.stats().bytes_arriving, 600_000);
    // Others take what is left, and that does not stop it.
    let mut second = request(cache, "second");
    look(&mut second).await?;
    begin(&mut second, None).await?;
    while cache.stats().bytes_arriving < (1 << 20) - 10_000 {
        write(&mut second, &[2; 10_000], false).await?;
    }
    assert!(write(&mut second, &[2; 10_000], false).await.is_err());
    write(&mut first, &[1; 600_000], true).await?;
    assert_eq!(cached(cache, "first").await?.map(|body| body.len()), Some(600_000));
    drop((first, second));
    assert_eq!((cache.stats().bytes_arriving, cache.stats().no_room), (0, 1));
    Ok(())
}

#[tokio::test]
async fn who_did_not_ask_for_room_passes_by_uncached() -> Result<()> {
    let cache = leak(&Cache::builder(100 << 20).bytes_arriving(2000).build()?);
    let mut leader = request(cache, "a");
    look(&mut leader).await?;
    begin(&mut leader, Some(5000)).await?;
    for _ in 0..5 {
        write(&mut leader, &[1; 1000], false).await?;
        let reader = leader.miss_body_reader().ok_or("no reader")?;
        assert_eq!(reader.read_body().await?.map(|data| data.len()), Some(1000));
    }
    write(&mut leader, &[], true).await?;
    assert_eq!((cache.stats().objects, cache.stats().bytes_arriving), (0, 0));
    Ok(())
}

#[tokio::test]
async fn what_passes_by_leaves_half_of_the_room_to_what_will_be_cached() -> Result<()> {
    let builder = Cache::builder(100 << 20).largest(300_000);
    let cache = leak(&builder.bytes_arriving(1_000_000).build()?);
    // Of unknown length, and nobody reads: once they are too large, they get no more than half.
    let mut streams = Vec::new();
    for number in 0..10 {
        let mut stream = request(cache, &format!("stream {number}"));
        look(&mut stream).await?;
        begin(&mut stream, None).await?;
        for _ in 0..100 {
            if write(&mut stream, &[1; 10_000], false).await.is_err() {
                break;
            }
        }
        assert!(cache.stats().bytes_arriving <= 500_000);
        streams.push(stream);
    }
    let mut leader = request(cache, "chunks");
    look(&mut leader).await?;
    begin(&mut leader, None).await?;
    for _ in 0..29 {
        write(&mut leader, &[1; 10_000], false).await?;
    }
    write(&mut leader, &[1; 10_000], true).await?;
    assert_eq!(cached(cache, "chunks").await?.map(|body| body.len()), Some(300_000));
    Ok(())
}
