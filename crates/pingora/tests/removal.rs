//! What is removed stays removed, whatever was on its way.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::support::*;
use forebay_pingora::{Builder, Cache, RequestNotes};
use pingora_cache::lock::LockWaitOutcome;
use pingora_cache::{CacheKey, CacheMeta, HttpCache, NoCacheReason};

/// A removal: of one key, or of everything.
fn removals() -> [fn(&'static Cache); 2] {
    let one = |cache: &'static Cache| {
        cache.remove(&CacheKey::new("a", ""));
    };
    let all = |cache: &'static Cache| {
        cache.clear();
    };
    [one, all]
}

/// In memory and on disk.
fn builders(folder: &tempfile::TempDir) -> [Builder; 2] {
    let builder = || Cache::builder(1 << 20);
    [builder(), builder().folder(folder.path())]
}

/// A request that tells the cache which one it is.
fn noted(cache: &'static Cache, variant: Option<u128>) -> HttpCache {
    let mut request = HttpCache::new();
    request.enable(cache, Some(cache), None, Some(cache), None);
    let mut key = CacheKey::new("a", "");
    key.extensions.insert(Arc::new(RequestNotes::default()));
    if let Some(variant) = variant {
        key.set_variance_key(variant.to_be_bytes());
    }
    request.set_cache_key(key);
    request
}

#[tokio::test]
async fn what_was_asked_for_before_a_removal_is_not_cached_after_it() -> Result<()> {
    for remove in removals() {
        let folder = tempfile::tempdir()?;
        for builder in builders(&folder) {
            let cache = leak(&builder.build()?);
            // Before the answer begins.
            let mut leader = request(cache, "a");
            assert_eq!(look(&mut leader).await?, Seen::Leads);
            remove(cache);
            begin(&mut leader, None).await?;
            write(&mut leader, b"old", true).await?;
            drop(leader);
            settled(cache).await?;
            assert_eq!(cached(cache, "a").await?, None);
            // While it arrives.
            let mut leader = request(cache, "a");
            assert_eq!(look(&mut leader).await?, Seen::Leads);
            begin(&mut leader, None).await?;
            write(&mut leader, b"old", false).await?;
            remove(cache);
            assert_eq!(cached(cache, "a").await?, None, "nobody joins it");
            write(&mut leader, b" too", true).await?;
            drop(leader);
            settled(cache).await?;
            assert_eq!(cached(cache, "a").await?, None);
            assert_eq!((cache.stats().objects, cache.flights()), (0, 0));
            fetch(cache, "a", b"new").await?;
            settled(cache).await?;
            assert_eq!(cached(cache, "a").await?.as_deref(), Some(&b"new"[..]));
        }
    }
    Ok(())
}

#[tokio::test]
async fn who_comes_after_a_removal_does_not_wait_for_what_was_asked_before() -> Result<()> {
    for remove in removals() {
        let cache = leak(&Cache::builder(1 << 20).build()?);
        let mut before = noted(cache, None);
        assert_eq!(look(&mut before).await?, Seen::Leads);
        let mut waiter = noted(cache, None);
        assert_eq!(look(&mut waiter).await?, Seen::Waits);
        remove(cache);
        let mut after = noted(cache, None);
        assert_eq!(look(&mut after).await?, Seen::Leads);
        // The old answer comes first: whoever waited for it waits for the new one.
        begin(&mut before, None).await?;
        write(&mut before, b"old", true).await?;
        assert_eq!(waiter.cache_lock_wait().await, LockWaitOutcome::Done);
        assert_eq!(look(&mut waiter).await?, Seen::Waits);
        begin(&mut after, None).await?;
        write(&mut after, b"new", true).await?;
        assert_eq!(waiter.cache_lock_wait().await, LockWaitOutcome::Done);
        assert_eq!(look(&mut waiter).await?, Seen::Body(b"new".to_vec()));
        let stats = cache.stats();
        assert_eq!((stats.misses, stats.delayed_hits, stats.waiting), (2, 1, 0), "{stats:?}");
        assert_eq!(cache.flights(), 0);
    }
    Ok(())
}

#[tokio::test]
async fn a_leader_that_was_too_slow_brings_nothing_back_that_was_removed() -> Result<()> {
    for remove in removals() {
        let slow = Duration::from_millis(10);
        let cache = leak(&Cache::builder(1 << 20).leader_timeout(slow).build()?);
        let mut before = noted(cache, None);
        look(&mut before).await?;
        tokio::time::sleep(2 * slow).await;
        let mut next = noted(cache, None);
        assert_eq!(look(&mut next).await?, Seen::Leads);
        begin(&mut next, None).await?;
        write(&mut next, b"next", true).await?;
        remove(cache);
        begin(&mut before, None).await?;
        write(&mut before, b"old", true).await?;
        assert_eq!(cached(cache, "a").await?, None);
        assert_eq!(cache.flights(), 0);
    }
    Ok(())
}

/// A runtime whose only thread for files is held, so that nothing is written to disk until it is
/// let go.
fn held_disk() -> std::io::Result<(tokio::runtime::Runtime, std::sync::mpsc::Sender<()>)> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(1)
        .build()?;
    let (go, wait) = std::sync::mpsc::channel::<()>();
    runtime.spawn_blocking(move || wait.recv().ok());
    Ok((runtime, go))
}

#[test]
fn what_is_being_written_to_disk_is_not_cached_after_a_removal() -> Result<()> {
    for remove in removals() {
        let (runtime, go) = held_disk()?;
        let folder = tempfile::tempdir()?;
        runtime.block_on(async {
            let cache = leak(&Cache::builder(1 << 20).folder(folder.path()).build()?);
            fetch(cache, "a", b"old").await?;
            assert_eq!(cached(cache, "a").await?.as_deref(), Some(&b"old"[..]), "on its way");
            remove(cache);
            assert_eq!(cached(cache, "a").await?, None, "it was removed");
            drop(go);
            settled(cache).await?;
            assert_eq!(cached(cache, "a").await?, None, "it came back");
            assert_eq!((cache.stats().objects, cache.flights()), (0, 0));
            Ok::<(), Box<dyn std::error::Error>>(())
        })?;
    }
    Ok(())
}

#[tokio::test]
async fn variants_go_with_what_they_are_variants_of() -> Result<()> {
    let folder = tempfile::tempdir()?;
    for builder in builders(&folder) {
        let cache = leak(&builder.build()?);
        let variants = || async {
            fetch(cache, "a", b"first").await?;
            for variant in 1..=5 {
                let mut one = noted(cache, Some(variant));
                assert_eq!(look(&mut one).await?, Seen::Leads);
                begin(&mut one, Some(1)).await?;
                write(&mut one, b"v", true).await?;
            }
            settled(cache).await
        };
        fetch(cache, "b", b"stays").await?;
        settled(cache).await?;
        let before = cache.stats();
        variants().await?;
        assert_eq!(cache.stats().objects, 7);
        assert!(cache.remove(&CacheKey::new("a", "")));
        let after = cache.stats();
        assert_eq!((after.objects, after.bytes), (before.objects, before.bytes));
        // A new answer under the key itself makes no variant reachable either.
        variants().await?;
        tokio::time::sleep(Duration::from_millis(2)).await;
        let mut again = HttpCache::new();
        again.enable(cache, None, None, None, None);
        again.set_cache_key(CacheKey::new("a", ""));
        again.cache_miss();
        begin(&mut again, Some(5)).await?;
        write(&mut again, b"newer", true).await?;
        settled(cache).await?;
        assert_eq!(cache.stats().objects, 2);
        assert!(cached(cache, "b").await?.is_some());
    }
    Ok(())
}

/// Copies a folder, as a killed process leaves it: what is leaked here still holds its lock.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &to)?,
            false => drop(std::fs::copy(entry.path(), to)?),
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_restart_keeps_variants_of_what_is_there_and_no_others() -> Result<()> {
    let (before, after) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let cache = leak(&Cache::builder(1 << 20).folder(before.path()).build()?);
    // The variants come before the key itself in the index, as they may once it is written anew.
    let variant = |number: u128| async move {
        let mut one = noted(cache, Some(number));
        assert_eq!(look(&mut one).await?, Seen::Leads);
        begin(&mut one, Some(1)).await?;
        write(&mut one, b"v", true).await?;
        settled(cache).await
    };
    for number in 1..=3 {
        variant(number).await?;
    }
    copy(before.path(), &after.path().join("without"))?;
    let mut again = noted(cache, None);
    look(&mut again).await?;
    // As if its answer had come before theirs.
    let header = meta(Some(5))?.response_header_copy();
    let fresh_until = SystemTime::now() + Duration::from_secs(60);
    again.set_cache_meta(CacheMeta::new(fresh_until, UNIX_EPOCH, 0, 0, header));
    again.set_miss_handler().await?;
    write(&mut again, b"whole", true).await?;
    drop(again);
    settled(cache).await?;
    assert_eq!(cache.stats().objects, 4);
    copy(before.path(), &after.path().join("with"))?;
    for (folder, objects) in [("without", 0), ("with", 4)] {
        let cache = Cache::builder(1 << 20).folder(after.path().join(folder)).build()?;
        assert_eq!(cache.stats().objects, objects, "{folder}");
    }
    Ok(())
}

#[tokio::test]
async fn a_variant_on_its_way_goes_with_what_it_is_a_variant_of() -> Result<()> {
    let cache = leak(&Cache::builder(1 << 20).build()?);
    fetch(cache, "a", b"first").await?;
    let mut variant = noted(cache, Some(7));
    assert_eq!(look(&mut variant).await?, Seen::Leads);
    begin(&mut variant, Some(1)).await?;
    assert!(cache.remove(&CacheKey::new("a", "")));
    write(&mut variant, b"v", true).await?;
    assert_eq!((cache.stats().objects, cache.flights()), (0, 0));
    Ok(())
}

#[tokio::test]
async fn a_removed_renewal_that_fails_leaves_nothing() -> Result<()> {
    let cache = leak(&Cache::builder(1 << 20).build()?);
    let mut leader = noted(cache, None);
    look(&mut leader).await?;
    cache.clear();
    leader.disable(NoCacheReason::OriginNotCache);
    assert_eq!((cache.flights(), cache.stats().waiting), (0, 0));
    Ok(())
}
