//! Requests that end without a word, as tasks that are aborted do.

use std::time::Duration;

use crate::support::*;
use forebay_pingora::Cache;
use pingora_cache::lock::LockWaitOutcome;
use tokio::task::JoinHandle;

/// A request that leads a fetch of `key` for ever.
async fn leader(cache: &'static Cache, key: &'static str) -> Result<JoinHandle<()>> {
    let (led, leads) = tokio::sync::oneshot::channel();
    let leading = tokio::spawn(async move {
        let mut leader = request(cache, key);
        let seen = look(&mut leader).await.map_err(|error| error.to_string());
        led.send(seen).ok();
        std::future::pending::<()>().await;
        drop(leader);
    });
    assert_eq!(leads.await??, Seen::Leads);
    Ok(leading)
}

async fn abort(leader: JoinHandle<()>) {
    leader.abort();
    // In a debug build Pingora holds it for a bug that a permit is dropped, and panics.
    assert!(leader.await.is_err());
}

#[tokio::test]
async fn leaders_that_were_aborted_leave_nothing_and_their_waiters_are_served() -> Result<()> {
    // Pingora wakes the waiters at once only without that panic.
    let patience = Duration::from_millis(200);
    let cache = leak(&Cache::builder(1 << 20).leader_timeout(patience).build()?);
    for key in ["alone", "alone too"] {
        let alone = leader(cache, key).await?;
        assert_eq!(cache.flights(), 1);
        abort(alone).await;
        assert_eq!(cache.flights(), 0);
    }
    let aborted = leader(cache, "a").await?;
    let (mut one, mut two) = (request(cache, "a"), request(cache, "a"));
    assert_eq!(look(&mut one).await?, Seen::Waits);
    assert_eq!(look(&mut two).await?, Seen::Waits);
    abort(aborted).await;
    let left = [LockWaitOutcome::Dangling, LockWaitOutcome::AgeTimeout];
    assert!(left.contains(&one.cache_lock_wait().await));
    assert_eq!(look(&mut one).await?, Seen::Leads);
    assert!(left.contains(&two.cache_lock_wait().await));
    assert_eq!(look(&mut two).await?, Seen::Waits);
    begin(&mut one, None).await?;
    write(&mut one, b"body", true).await?;
    assert_eq!(two.cache_lock_wait().await, LockWaitOutcome::Done);
    assert_eq!(look(&mut two).await?, Seen::Body(b"body".to_vec()));
    let stats = cache.stats();
    assert_eq!((cache.flights(), stats.waiting, stats.bytes_arriving), (0, 0, 0));
    assert_eq!((stats.misses, stats.delayed_hits, stats.failures), (3, 2, 3), "{stats:?}");
    Ok(())
}

#[tokio::test]
async fn waiters_that_were_aborted_leave_nothing_either() -> Result<()> {
    let cache = leak(&Cache::builder(1 << 20).build()?);
    let aborted = leader(cache, "a").await?;
    let waiters: Vec<_> = (0..10).map(|_| request(cache, "a")).collect();
    for mut waiter in waiters {
        assert_eq!(look(&mut waiter).await?, Seen::Waits);
    }
    abort(aborted).await;
    assert_eq!((cache.flights(), cache.stats().waiting), (0, 0));
    Ok(())
}

#[tokio::test]
async fn a_body_whose_writer_was_aborted_is_on_its_way_no_more() -> Result<()> {
    let cache = leak(&Cache::builder(1 << 20).build()?);
    let mut leader = request(cache, "a");
    look(&mut leader).await?;
    begin(&mut leader, Some(10)).await?;
    write(&mut leader, b"half", false).await?;
    drop(leader);
    assert_eq!((cache.flights(), cache.stats().bytes_arriving), (0, 0));
    Ok(())
}
