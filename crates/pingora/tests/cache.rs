//! The cache under Pingora's own state machine of a request, without sockets.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::support::*;
use bytes::Bytes;
use forebay_pingora::{Cache, Landed, RequestNotes};
use pingora_cache::key::CacheHashKey;
use pingora_cache::lock::{CacheKeyLock, LockStatus, LockWaitOutcome, Locked};
use pingora_cache::trace::Span;
use pingora_cache::{CacheKey, HitStatus, HttpCache, NoCacheReason, Storage};

#[tokio::test]
async fn one_fetches_the_rest_waits_and_reads_while_it_arrives() -> Result<()> {
    let cache = leak(&Cache::builder(1 << 20).build()?);
    let landed = Arc::new(std::sync::Mutex::new(None::<Landed>));
    let told = landed.clone();
    cache.on_landed(move |landed| *told.lock().unwrap() = Some(*landed));
    let mut leader = request(cache, "a");
    assert_eq!(look(&mut leader).await?, Seen::Leads);
    let waiting: Vec<_> = (0..1000)
        .map(|_| {
            tokio::spawn(async move {
                let mut waiter = request(cache, "a");
                let seen = look(&mut waiter).await.map_err(|error| error.to_string())?;
                assert_eq!(seen, Seen::Waits);
                let outcome = waiter.cache_lock_wait().await;
                assert_eq!(outcome, LockWaitOutcome::Done);
                look(&mut waiter).await.map_err(|error| error.to_string())
            })
        })
        .collect();
    while cache.stats().waiting < 1000 {
        tokio::task::yield_now().await;
    }
    begin(&mut leader, Some(5)).await?;
    write(&mut leader, b"he", false).await?;
    // One more comes while the body arrives: it neither leads nor waits at the lock.
    let late = tokio::spawn(async move {
        let mut late = request(cache, "a");
        look(&mut late).await.map_err(|error| error.to_string())
    });
    tokio::task::yield_now().await;
    write(&mut leader, b"llo", true).await?;
    for one in waiting {
        assert_eq!(one.await??, Seen::Body(b"hello".to_vec()));
    }
    assert_eq!(late.await??, Seen::Body(b"hello".to_vec()));
    assert_eq!(cached(cache, "a").await?.as_deref(), Some(&b"hello"[..]));
    let stats = cache.stats();
    assert_eq!((stats.misses, stats.fetched, stats.waiting), (1, 1, 0));
    // Who waited is not counted as a hit as well; which of them is the late one, nobody knows.
    assert_eq!(stats.hits + stats.delayed_hits, 1001, "{stats:?}");
    assert!((1000..=1001).contains(&stats.delayed_hits), "{stats:?}");
    assert!(stats.waited >= stats.fetch_time * 2, "{stats:?}");
    let landed = landed.lock().unwrap().ok_or("nobody was told")?;
    assert!(landed.waiters >= 1001 && landed.z == stats.fetch_time);
    assert_eq!(landed.key, u128::from_be_bytes(CacheKey::new("a", "").combined_bin()));
    assert_eq!(cache.flights(), 0);
    Ok(())
}

#[tokio::test]
async fn what_came_between_look_up_and_lock_is_not_fetched_again() -> Result<()> {
    let cache = leak(&Cache::builder(1 << 20).build()?);
    let noted = || {
        let mut key = CacheKey::new("a", "");
        key.extensions.insert(Arc::new(RequestNotes::default()));
        key
    };
    let (late, never) = (noted(), noted());
    for key in [&late, &never] {
        assert!(cache.lookup(key, &Span::inactive().handle()).await?.is_none());
    }
    // Nothing came yet: it leads, and leaves.
    let Locked::Write(permit) = cache.lock(&never, false) else { return Err("it waits".into()) };
    cache.release(&never, permit, LockStatus::GiveUp);
    let mut leader = request(cache, "a");
    assert_eq!(look(&mut leader).await?, Seen::Leads);
    begin(&mut leader, Some(5)).await?;
    write(&mut leader, b"hello", true).await?;
    let misses = cache.stats().misses;
    let Locked::Read(again) = cache.lock(&late, false) else { return Err("it leads".into()) };
    assert_eq!(again.lock_status(), LockStatus::Done);
    assert_eq!(cache.stats().misses, misses);
    assert!(cache.lookup(&late, &Span::inactive().handle()).await?.is_some());
    // What it found does not do for it: it leads, as ever.
    let Locked::Write(permit) = cache.lock(&late, false) else { return Err("it waits".into()) };
    cache.release(&late, permit, LockStatus::GiveUp);
    Ok(())
}

#[tokio::test]
async fn who_waited_gets_it_though_it_is_cached_no_more() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let builder = || Cache::builder(1 << 20).policy("lru");
    for builder in [builder(), builder().folder(folder.path())] {
        let cache = leak(&builder.build()?);
        let mut leader = request(cache, "a");
        assert_eq!(look(&mut leader).await?, Seen::Leads);
        let (mut waiter, mut gone) = (noted(cache, "a"), noted(cache, "a"));
        let mut stranger = request(cache, "a");
        for waiter in [&mut waiter, &mut gone, &mut stranger] {
            assert_eq!(look(waiter).await?, Seen::Waits);
        }
        begin(&mut leader, Some(5)).await?;
        write(&mut leader, b"hello", true).await?;
        settled(cache).await?;
        // Others come before those who waited have their turn.
        for key in 0..40 {
            fetch(cache, &format!("other {key}"), &[b'x'; 100_000]).await?;
        }
        settled(cache).await?;
        assert_eq!(cached(cache, "a").await?, None, "it was given up");
        assert_eq!(waiter.cache_lock_wait().await, LockWaitOutcome::Done);
        assert_eq!(look(&mut waiter).await?, Seen::Body(b"hello".to_vec()));
        drop(gone);
        assert_eq!(look(&mut stranger).await?, Seen::Leads, "it kept no notes");
        stranger.disable(NoCacheReason::UpstreamError);
    }
    Ok(())
}

#[tokio::test]
async fn what_is_not_admitted_is_held_for_those_who_waited_and_no_longer() -> Result<()> {
    let cache = leak(&Cache::builder(5_000).largest(5_000).build()?);
    let mut leader = request(cache, "a");
    assert_eq!(look(&mut leader).await?, Seen::Leads);
    let (mut one, mut two) = (noted(cache, "a"), noted(cache, "a"));
    for waiter in [&mut one, &mut two] {
        assert_eq!(look(waiter).await?, Seen::Waits);
    }
    begin(&mut leader, Some(4_900)).await?;
    write(&mut leader, &[b'x'; 4_900], true).await?;
    assert_eq!(cached(cache, "a").await?, None, "with its headers it is too large");
    assert_eq!(cache.stats().bytes_arriving, 4_900);
    assert_eq!(one.cache_lock_wait().await, LockWaitOutcome::Done);
    assert_eq!(look(&mut one).await?, Seen::Body(vec![b'x'; 4_900]));
    // The leader could read it, too.
    drop((leader, one));
    assert_eq!(cache.stats().bytes_arriving, 4_900);
    drop(two);
    assert_eq!((cache.stats().bytes_arriving, cache.flights()), (0, 0));
    Ok(())
}

#[tokio::test]
async fn leaders_that_failed_are_counted_and_others_are_not() -> Result<()> {
    let cache = leak(&Cache::builder(1 << 20).build()?);
    let mut key = CacheKey::new("a", "");
    let notes = Arc::new(RequestNotes::default());
    key.extensions.insert(notes.clone());
    for failed in 1..=3 {
        let mut leader = request(cache, "a");
        look(&mut leader).await?;
        let Locked::Read(read) = cache.lock(&key, false) else { return Err("it leads".into()) };
        leader.disable(NoCacheReason::UpstreamError);
        assert_eq!(read.lock_status(), LockStatus::TransientError);
        assert_eq!(notes.leaders_failed(), failed);
    }
    let mut leader = request(cache, "a");
    look(&mut leader).await?;
    let Locked::Read(_) = cache.lock(&key, false) else { return Err("it leads".into()) };
    begin(&mut leader, Some(1)).await?;
    write(&mut leader, b"x", true).await?;
    assert_eq!(notes.leaders_failed(), 3);
    Ok(())
}

#[tokio::test]
async fn a_leader_that_fails_is_replaced_by_one_who_waits() -> Result<()> {
    let cache = leak(&Cache::builder(1 << 20).build()?);
    let mut leader = request(cache, "a");
    look(&mut leader).await?;
    let (mut one, mut two) = (request(cache, "a"), request(cache, "a"));
    assert_eq!(look(&mut one).await?, Seen::Waits);
    assert_eq!(look(&mut two).await?, Seen::Waits);
    leader.disable(NoCacheReason::UpstreamError);
    assert_eq!(one.cache_lock_wait().await, LockWaitOutcome::TransientError);
    assert_eq!(two.cache_lock_wait().await, LockWaitOutcome::TransientError);
    assert_eq!(look(&mut one).await?, Seen::Leads);
    assert_eq!(look(&mut two).await?, Seen::Waits);
    begin(&mut one, None).await?;
    write(&mut one, b"x", true).await?;
    assert_eq!(two.cache_lock_wait().await, LockWaitOutcome::Done);
    assert_eq!(look(&mut two).await?, Seen::Body(b"x".to_vec()));
    let stats = cache.stats();
    assert_eq!((stats.misses, stats.delayed_hits, stats.failures), (1, 2, 1));
    Ok(())
}

#[tokio::test]
async fn a_leader_that_is_too_slow_is_replaced() -> Result<()> {
    let builder = Cache::builder(1 << 20).leader_timeout(Duration::from_millis(20));
    let cache = leak(&builder.build()?);
    let mut slow = request(cache, "a");
    look(&mut slow).await?;
    let mut waiter = request(cache, "a");
    assert_eq!(look(&mut waiter).await?, Seen::Waits);
    assert_eq!(waiter.cache_lock_wait().await, LockWaitOutcome::AgeTimeout);
    assert_eq!(look(&mut waiter).await?, Seen::Leads);
    begin(&mut waiter, None).await?;
    write(&mut waiter, b"fast", true).await?;
    // The slow one comes in after all, and does no harm.
    begin(&mut slow, None).await?;
    write(&mut slow, b"slow", true).await?;
    assert_eq!(cached(cache, "a").await?.as_deref(), Some(&b"slow"[..]));
    assert_eq!(cache.flights(), 0);
    Ok(())
}

#[tokio::test]
async fn who_waits_for_what_may_not_be_shared_goes_alone_and_at_once() -> Result<()> {
    let cache = leak(&Cache::builder(1 << 20).build()?);
    let mut leader = request(cache, "a");
    look(&mut leader).await?;
    let mut waiters: Vec<_> = (0..9).map(|_| request(cache, "a")).collect();
    for waiter in &mut waiters {
        assert_eq!(look(waiter).await?, Seen::Waits);
    }
    leader.disable(NoCacheReason::OriginNotCache);
    for waiter in &mut waiters {
        assert_eq!(waiter.cache_lock_wait().await, LockWaitOutcome::GiveUp);
    }
    assert_eq!((cache.stats().given_up, cache.stats().waiting, cache.flights()), (1, 0, 0));
    Ok(())
}

#[tokio::test]
async fn too_many_waiters_are_refused_and_know_it() -> Result<()> {
    let cache = leak(&Cache::builder(1 << 20).most_waiting(1).build()?);
    let mut leader = request(cache, "a");
    look(&mut leader).await?;
    let mut one = request(cache, "a");
    assert_eq!(look(&mut one).await?, Seen::Waits);
    let notes = Arc::new(forebay_pingora::RequestNotes::default());
    let mut two = HttpCache::new();
    two.enable(cache, Some(cache), None, Some(cache), None);
    let mut key = CacheKey::new("a", "");
    key.extensions.insert(notes.clone());
    two.set_cache_key(key);
    assert_eq!(look(&mut two).await?, Seen::Waits);
    assert_eq!(two.cache_lock_wait().await, LockWaitOutcome::GiveUp);
    assert!(notes.refused() && !notes.collapsed());
    assert_eq!(cache.stats().refused, 1);
    leader.disable(NoCacheReason::UpstreamError);
    Ok(())
}

#[tokio::test]
async fn a_body_that_ends_early_is_an_error_for_all_and_cached_for_none() -> Result<()> {
    let cache = leak(&Cache::builder(1 << 20).build()?);
    for leave in [true, false] {
        let mut leader = request(cache, "a");
        assert_eq!(look(&mut leader).await?, Seen::Leads);
        begin(&mut leader, Some(10)).await?;
        write(&mut leader, b"half", false).await?;
        let mut reader = request(cache, "a");
        let (meta, handler) = reader.cache_lookup().await?.ok_or("nothing arrives")?;
        reader.cache_found(meta, handler, HitStatus::Fresh);
        if leave {
            drop(leader);
        } else {
            assert!(leader.finish_miss_handler().await.is_err(), "4 bytes are not 10");
        }
        assert!(read(&mut reader).await.is_err());
        assert_eq!(cached(cache, "a").await?, None);
    }
    assert_eq!((cache.stats().objects, cache.flights()), (0, 0));
    settled(cache).await?;
    Ok(())
}

#[tokio::test]
async fn what_is_too_large_goes_by_and_the_bound_holds() -> Result<()> {
    let cache = leak(&Cache::builder(100_000).largest(1000).build()?);
    let mut leader = request(cache, "large");
    look(&mut leader).await?;
    begin(&mut leader, None).await?;
    for _ in 0..100 {
        write(&mut leader, &[7; 500], false).await?;
        let reader = leader.miss_body_reader().ok_or("no reader")?;
        assert_eq!(reader.read_body().await?.map(|data| data.len()), Some(500));
        assert!(cache.stats().bytes_arriving <= 1500);
    }
    write(&mut leader, &[], true).await?;
    assert_eq!(cached(cache, "large").await?, None);
    for number in 0..500 {
        fetch(cache, &format!("{number}"), &[1; 700]).await?;
        assert!(cache.stats().bytes <= 100_000);
    }
    let stats = cache.stats();
    assert!(stats.evictions > 300 && stats.objects > 50, "{stats:?}");
    Ok(())
}

#[tokio::test]
async fn variants_of_one_key_are_bounded() -> Result<()> {
    let cache = leak(&Cache::builder(10 << 20).most_variants(10).build()?);
    fetch(cache, "other", b"stays").await?;
    for variant in 0..1000_u128 {
        let mut one = HttpCache::new();
        one.enable(cache, Some(cache), None, Some(cache), None);
        let mut key = CacheKey::new("a", "");
        key.set_variance_key(variant.to_be_bytes());
        one.set_cache_key(key);
        assert_eq!(look(&mut one).await?, Seen::Leads);
        begin(&mut one, Some(1)).await?;
        write(&mut one, b"v", true).await?;
    }
    assert_eq!(cache.stats().objects, 11);
    assert!(cached(cache, "other").await?.is_some());
    Ok(())
}

#[tokio::test]
async fn a_million_variants_take_the_room_of_a_few() -> Result<()> {
    let cache = leak(&Cache::builder(10 << 20).most_variants(10).build()?);
    let (meta, span) = (meta(Some(1))?, pingora_cache::trace::Span::inactive().handle());
    let mut key = CacheKey::new("a", "");
    for variant in 0..1_000_000_u128 {
        key.set_variance_key(variant.to_be_bytes());
        let mut body = cache.get_miss_handler(&key, &meta, &span).await?;
        body.write_body(Bytes::from_static(b"v"), true).await?;
        body.finish().await?;
    }
    let stats = cache.stats();
    assert_eq!((stats.objects, stats.bytes_arriving, cache.flights()), (10, 0, 0));
    assert!(stats.bytes < 10_000);
    Ok(())
}

#[tokio::test]
async fn purging_removes_what_is_cached_and_what_is_on_its_way() -> Result<()> {
    let cache = leak(&Cache::builder(1 << 20).build()?);
    fetch(cache, "a", b"old").await?;
    assert!(request(cache, "a").purge().await?);
    assert_eq!(cached(cache, "a").await?, None);
    assert!(!request(cache, "a").purge().await?);
    let mut leader = request(cache, "a");
    look(&mut leader).await?;
    begin(&mut leader, None).await?;
    write(&mut leader, b"asked before", false).await?;
    assert!(request(cache, "a").purge().await?);
    write(&mut leader, b" the purge", true).await?;
    assert_eq!(cached(cache, "a").await?, None);
    fetch(cache, "b", b"1").await?;
    fetch(cache, "c", b"2").await?;
    assert_eq!(cache.clear(), 2);
    assert_eq!((cache.stats().objects, cache.stats().bytes), (0, 0));
    Ok(())
}

#[tokio::test]
async fn what_was_expired_by_hand_is_stale_and_still_there() -> Result<()> {
    let folder = tempfile::tempdir()?;
    for builder in [Cache::builder(1 << 20), Cache::builder(1 << 20).folder(folder.path())] {
        let cache = leak(&builder.build()?);
        fetch(cache, "a", b"body").await?;
        settled(cache).await?;
        assert!(request(cache, "a").expire().await?);
        let mut one = request(cache, "a");
        let (meta, _) = one.cache_lookup().await?.ok_or("gone")?;
        assert!(!meta.is_fresh(SystemTime::now()));
    }
    Ok(())
}

#[tokio::test]
async fn a_renewal_that_comes_late_changes_no_newer_answer() -> Result<()> {
    let folder = tempfile::tempdir()?;
    for builder in [Cache::builder(1 << 20), Cache::builder(1 << 20).folder(folder.path())] {
        let cache = leak(&builder.build()?);
        let key = CacheKey::new("a", "");
        fetch(cache, "a", b"old").await?;
        settled(cache).await?;
        let (old, _) = request(cache, "a").cache_lookup().await?.ok_or("gone")?;
        let trace = Span::inactive().handle();
        assert!(cache.update_meta(&key, &old, &trace).await?);
        // Somebody asks whether it is still so; meanwhile another answer takes its place.
        assert!(cache.remove(&key));
        fetch(cache, "a", b"newer").await?;
        settled(cache).await?;
        assert!(!cache.update_meta(&key, &old, &trace).await?);
        let (meta, _) = request(cache, "a").cache_lookup().await?.ok_or("gone")?;
        assert!(meta.created() > old.created());
        cache.remove(&key);
    }
    Ok(())
}

#[tokio::test]
async fn mad_keeps_what_many_wait_for() -> Result<()> {
    // Room for two. "slow" is fetched once, with ten who wait; the others by one each, later.
    let cache = leak(&Cache::builder(2500).largest(1000).policy("lru-mad").build()?);
    let mut leader = request(cache, "slow");
    look(&mut leader).await?;
    for _ in 0..10 {
        assert_eq!(look(&mut request(cache, "slow")).await?, Seen::Waits);
    }
    tokio::time::sleep(Duration::from_millis(30)).await;
    begin(&mut leader, None).await?;
    write(&mut leader, &[1; 600], true).await?;
    for number in 0..6 {
        fetch(cache, &format!("fast {number}"), &[1; 600]).await?;
    }
    assert!(cached(cache, "slow").await?.is_some(), "what costs 330 ms is kept");
    Ok(())
}

/// A file below `folder` whose name has `text` in it.
fn files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push(path),
        }
    }
    found
}

#[tokio::test]
async fn a_folder_survives_restarts_and_damage_is_a_miss() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let open = || Cache::builder(10 << 20).folder(folder.path()).build();
    let large: Vec<u8> = (0..300_000_u32).map(|at| (at % 251) as u8).collect();
    {
        let cache = open()?;
        let kept = leak(&cache);
        for number in 0..20 {
            fetch(kept, &format!("{number}"), format!("body {number}").as_bytes()).await?;
        }
        fetch(kept, "large", &large).await?;
        settled(kept).await?;
        assert!(request(kept, "3").purge().await?);
        // The process that holds the folder keeps others out.
        let error = open().err().ok_or("two processes use it")?.to_string();
        assert!(error.contains("another process uses it"), "{error}");
        // What is leaked here holds the lock; a copy of the folder is what a killed process leaves.
        for path in files(folder.path()) {
            let name = path.strip_prefix(folder.path())?;
            let to = folder.path().join("copy").join(name);
            if !name.starts_with("copy") {
                std::fs::create_dir_all(to.parent().ok_or("no parent")?)?;
                std::fs::copy(&path, to)?;
            }
        }
    }
    let copy = folder.path().join("copy");
    let bodies = copy.join("bodies");
    std::fs::write(bodies.join("00000000000000000000000000000001-1.part"), "half")?;
    let cache = leak(&Cache::builder(10 << 20).folder(&copy).build()?);
    assert_eq!(cached(cache, "3").await?, None);
    for number in (0..20).filter(|number| *number != 3) {
        let found = cached(cache, &format!("{number}")).await?;
        assert_eq!(found, Some(format!("body {number}").into_bytes()));
    }
    assert_eq!(cached(cache, "large").await?, Some(large.clone()));
    // Every body is damaged now: none is served, each is fetched again.
    for path in files(&bodies) {
        let mut bytes = std::fs::read(&path)?;
        let at = bytes.len() - 3;
        bytes[at] ^= 1;
        std::fs::write(&path, bytes)?;
    }
    assert_eq!(cached(cache, "7").await?, None);
    assert!(cached(cache, "large").await.is_err(), "it ends before the damage");
    assert_eq!(cached(cache, "large").await?, None);
    assert_eq!(cache.stats().damaged, 2);
    fetch(cache, "7", b"again").await?;
    settled(cache).await?;
    assert_eq!(cached(cache, "7").await?.as_deref(), Some(&b"again"[..]));
    Ok(())
}

#[tokio::test]
async fn a_full_disk_costs_the_cache_and_no_request() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let cache = leak(&Cache::builder(10 << 20).folder(folder.path()).build()?);
    // A file in the place of the folder for bodies fails every write, for root as well.
    std::fs::remove_dir(folder.path().join("bodies"))?;
    std::fs::write(folder.path().join("bodies"), "")?;
    let mut leader = request(cache, "a");
    look(&mut leader).await?;
    begin(&mut leader, None).await?;
    write(&mut leader, b"answer", true).await?;
    assert_eq!(
        leader.miss_body_reader().ok_or("none")?.read_body().await?.as_deref(),
        Some(&b"answer"[..])
    );
    drop(leader);
    settled(cache).await?;
    assert_eq!(cached(cache, "a").await?, None);
    assert_eq!((cache.stats().write_errors, cache.stats().objects), (1, 0));
    Ok(())
}

#[test]
fn what_cannot_be_is_refused_with_the_fix() {
    let wrong = |builder: forebay_pingora::Builder| builder.build().err().unwrap().to_string();
    assert!(wrong(Cache::builder(0)).contains("give the cache room"));
    assert!(wrong(Cache::builder(10).largest(11)).contains("largest is 11 bytes"));
    assert!(wrong(Cache::builder(10).policy("belady")).contains("future"));
    assert!(wrong(Cache::builder(10).policy("lru-mad-all")).contains("memory has a bound"));
    assert!(wrong(Cache::builder(10).leader_timeout(Duration::ZERO)).contains("leader_timeout"));
    assert!(wrong(Cache::builder(10).folder("/dev/null/x")).contains("/dev/null/x"));
}
