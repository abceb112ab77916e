//! Readers that do not read: what they hold is bounded, and is theirs alone.
#![allow(missing_docs)]

mod support;

use forebay_pingora::Cache;
use pingora_cache::{HitStatus, HttpCache};
use support::*;

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
