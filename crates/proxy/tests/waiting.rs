//! Many who ask for one thing at the same time.

use std::sync::Arc;

use crate::support::*;
use tokio::io::AsyncWriteExt;
use tokio::sync::Notify;

#[test]
fn a_thousand_wait_for_one_fetch() -> Result<()> {
    run(async {
        let (origin, gate) = held("Cache-Control: max-age=60\r\n").await?;
        let proxy = Arc::new(proxy(&origin.url(), "").await?);
        let clients: Vec<_> = (0..1000)
            .map(|_| {
                let proxy = proxy.clone();
                tokio::spawn(async move { get(&proxy, "/a", "").await })
            })
            .collect();
        until(|| proxy.cache().stats().waiting == 999).await?;
        gate.add_permits(1);
        let mut collapsed = 0;
        for client in clients {
            let answer = client.await??;
            assert_eq!((answer.status, answer.text().as_str()), (200, "0"));
            collapsed += usize::from(answer.cache().contains("collapsed"));
        }
        assert_eq!((origin.count(), collapsed), (1, 999));
        let stats = proxy.cache().stats();
        assert_eq!((stats.misses, stats.delayed_hits, stats.hits), (1, 999, 0));
        let metrics = admin(&proxy, "GET", "/metrics").await?.text();
        for said in [
            "forebay_request_seconds_count{outcome=\"delayed_hit\"} 999\n",
            "forebay_cache_misses_total 1\n",
            "forebay_what_if_requests_total{policy=\"lru-mad\",bytes=\"1000000000\"}",
        ] {
            assert!(metrics.contains(said), "{said}:\n{metrics}");
        }
        assert!(admin(&proxy, "GET", "/objects").await?.text().contains("a.example/a"));
        Ok(())
    })
}

#[test]
fn answers_that_cannot_be_shared_keep_nobody_waiting_in_a_row() -> Result<()> {
    run(async {
        // After the first answer, each of the other nineteen is held back until all have asked.
        let (all, first) = (Arc::new(tokio::sync::Barrier::new(19)), Arc::new(Notify::new()));
        let (barrier, go) = (all.clone(), first.clone());
        let origin = origin(move |number, _, mut stream| {
            let (barrier, go) = (barrier.clone(), go.clone());
            async move {
                match number {
                    0 => go.notified().await,
                    _ => {
                        barrier.wait().await;
                    }
                }
                stream.write_all(ok("Cache-Control: no-store\r\n", "own").as_bytes()).await
            }
        })
        .await?;
        let proxy = Arc::new(proxy(&origin.url(), "").await?);
        let clients: Vec<_> = (0..20)
            .map(|_| {
                let proxy = proxy.clone();
                tokio::spawn(async move { get(&proxy, "/", "").await })
            })
            .collect();
        until(|| proxy.cache().stats().waiting == 19).await?;
        first.notify_one();
        for client in clients {
            assert_eq!(client.await??.text(), "own");
        }
        // The next burst does not wait for each other even once.
        Ok(())
    })
}
