//! Origins that are dead, slow, wrong or hostile, with real sockets: every client gets an answer in
//! bounded time, and nothing wrong is cached.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::support::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::{Notify, Semaphore};

const FRESH: &str = "Cache-Control: max-age=60\r\n";

#[test]
fn a_dead_origin_is_said_to_be_dead() -> Result<()> {
    run(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        drop(listener);
        let proxy = proxy(&url, "").await?;
        let answer = get(&proxy, "/", "").await?;
        assert_eq!(
            (answer.status, answer.cache().as_str()),
            (502, "forebay; detail=origin-failed")
        );
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert_eq!(proxy.cache().flights(), 0);
        Ok(())
    })
}

#[test]
fn a_silent_origin_is_given_up_in_time_and_who_waits_is_answered() -> Result<()> {
    run(async {
        let origin = origin(|_, _, mut stream| async move {
            // Silent until the proxy has had enough.
            stream.read_u8().await.map(|_| ())
        })
        .await?;
        let lines = "[cache]\nleader_timeout = \"1 s\"\nleader_failures = 1";
        let proxy = Arc::new(proxy(&origin.url(), lines).await?);
        let began = Instant::now();
        let clients: Vec<_> = (0..10)
            .map(|_| {
                let proxy = proxy.clone();
                tokio::spawn(async move { get(&proxy, "/", "").await })
            })
            .collect();
        for client in clients {
            let status = client.await??.status;
            assert!(matches!(status, 502 | 504), "{status}");
        }
        assert!(began.elapsed() < Duration::from_secs(20));
        // One asked, one took its place; the others were not let loose on the origin.
        assert!(origin.count() <= 3, "{}", origin.count());
        assert_eq!(proxy.cache().stats().waiting, 0);
        Ok(())
    })
}

#[test]
fn a_slow_leader_is_replaced_and_all_are_served() -> Result<()> {
    run(async {
        let never = Arc::new(Semaphore::new(0));
        let gate = never.clone();
        let origin = origin(move |number, _, mut stream| {
            let gate = gate.clone();
            async move {
                if number == 0 {
                    gate.acquire().await.map_err(std::io::Error::other)?.forget();
                }
                stream.write_all(ok(FRESH, &format!("{number}")).as_bytes()).await
            }
        })
        .await?;
        let proxy = Arc::new(proxy(&origin.url(), "[cache]\nleader_timeout = \"300 ms\"").await?);
        let slow = {
            let proxy = proxy.clone();
            tokio::spawn(async move { get(&proxy, "/", "").await })
        };
        until(|| origin.count() == 1).await?;
        let clients: Vec<_> = (0..20)
            .map(|_| {
                let proxy = proxy.clone();
                tokio::spawn(async move { get(&proxy, "/", "").await })
            })
            .collect();
        for client in clients {
            assert_eq!(client.await??.text(), "1");
        }
        assert_eq!(origin.count(), 2);
        never.add_permits(1);
        assert_eq!(slow.await??.text(), "0");
        Ok(())
    })
}

#[test]
fn bodies_cut_short_are_not_cached_and_clients_can_tell() -> Result<()> {
    run(async {
        for answer in [
            format!("HTTP/1.1 200 OK\r\n{FRESH}Content-Length: 10\r\n\r\n12345"),
            format!("HTTP/1.1 200 OK\r\n{FRESH}Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n"),
            format!(
                "HTTP/1.1 200 OK\r\n{FRESH}Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n9\r\n1"
            ),
        ] {
            let text = answer.clone();
            let origin = answering(move |_, _| text.clone()).await?;
            let proxy = proxy(&origin.url(), "").await?;
            for round in 1..=2 {
                let got = get(&proxy, "/", "").await?;
                // Where nothing was sent yet, the client gets an error instead.
                let cut = !got.whole && got.body.len() <= 6;
                assert!(cut || got.status == 502, "{answer:?}: {got:?}");
                // A second request asks the origin again.
                until(|| proxy.cache().flights() == 0).await?;
                assert!(origin.count() >= round);
            }
            assert_eq!(proxy.cache().stats().objects, 0);
        }
        Ok(())
    })
}

#[test]
fn who_waits_for_a_body_cut_short_learns_of_it() -> Result<()> {
    run(async {
        let (half, cut) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let (told, go) = (half.clone(), cut.clone());
        let origin = origin(move |_, _, mut stream| {
            let (told, go) = (told.clone(), go.clone());
            async move {
                let head = format!("HTTP/1.1 200 OK\r\n{FRESH}Content-Length: 10\r\n\r\n12345");
                stream.write_all(head.as_bytes()).await?;
                told.notify_one();
                go.notified().await;
                Ok(())
            }
        })
        .await?;
        let proxy = Arc::new(proxy(&origin.url(), "").await?);
        let leader = {
            let proxy = proxy.clone();
            tokio::spawn(async move { get(&proxy, "/", "").await })
        };
        half.notified().await;
        let waiter = {
            let proxy = proxy.clone();
            tokio::spawn(async move { get(&proxy, "/", "").await })
        };
        until(|| proxy.cache().stats().delayed_hits == 1).await?;
        cut.notify_one();
        for client in [leader, waiter] {
            let got = client.await??;
            assert!(!got.whole && got.text() == "12345", "{got:?}");
        }
        assert_eq!(proxy.cache().stats().objects, 0);
        Ok(())
    })
}

#[test]
fn bytes_behind_the_body_are_nobodys() -> Result<()> {
    run(async {
        // A second answer behind the first: it must not become that of the next request.
        let wrong = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong";
        let origin = answering(move |number, _| {
            format!("HTTP/1.1 200 OK\r\n{FRESH}Content-Length: 5\r\n\r\nright{number}{wrong}")
        })
        .await?;
        let proxy = proxy(&origin.url(), "").await?;
        for path in ["/a", "/b", "/a", "/b", "/c"] {
            let got = get(&proxy, path, "").await?;
            assert_eq!((got.text().as_str(), got.whole), ("right", true));
        }
        Ok(())
    })
}

#[test]
fn headers_without_end_are_refused() -> Result<()> {
    run(async {
        let many: String = (0..100_000).map(|number| format!("X-{number}: 1\r\n")).collect();
        let some: String = (0..200).map(|number| format!("X-{number}: 1\r\n")).collect();
        let large = format!("X-Large: {}\r\n", "x".repeat(1 << 20));
        let above = format!("X-Large: {}\r\n", "x".repeat(70 << 10));
        for lines in [many, some, large, above] {
            let answer = ok(&format!("{FRESH}{lines}"), "body");
            let origin = answering(move |_, _| answer.clone()).await?;
            let proxy = proxy(&origin.url(), "").await?;
            let got = get(&proxy, "/", "").await?;
            assert_eq!(got.status, 502, "{}", got.head);
            assert_eq!(proxy.cache().stats().objects, 0);
        }
        Ok(())
    })
}

#[test]
fn chunks_that_lie_are_not_believed() -> Result<()> {
    run(async {
        for chunks in [
            "ffffffffffffffff\r\n12345".to_owned(),
            "fffffffffffffffffffffffff\r\n12345".to_owned(),
            "-5\r\n12345\r\n0\r\n\r\n".to_owned(),
            "zz\r\n12345\r\n0\r\n\r\n".to_owned(),
            format!("5;{}\r\n12345\r\n0\r\n\r\n", "x".repeat(1 << 20)),
        ] {
            let answer =
                format!("HTTP/1.1 200 OK\r\n{FRESH}Transfer-Encoding: chunked\r\n\r\n{chunks}");
            let origin = answering(move |_, _| answer.clone()).await?;
            let proxy = proxy(&origin.url(), "").await?;
            let got = get(&proxy, "/", "").await?;
            assert!(!got.whole || got.status == 502, "{:?}: {got:?}", &chunks[..10]);
            assert_eq!(proxy.cache().stats().objects, 0, "{:?}", &chunks[..10]);
        }
        Ok(())
    })
}

#[test]
fn a_body_in_chunks_of_a_byte_is_a_body() -> Result<()> {
    run(async {
        const CHUNKS: usize = 200_000;
        let origin = origin(|_, _, mut stream| async move {
            let head = format!("HTTP/1.1 200 OK\r\n{FRESH}Transfer-Encoding: chunked\r\n\r\n");
            stream.write_all(head.as_bytes()).await?;
            stream.write_all("1\r\nx\r\n".repeat(CHUNKS).as_bytes()).await?;
            stream.write_all(b"0\r\n\r\n").await
        })
        .await?;
        let proxy = proxy(&origin.url(), "").await?;
        for _ in 0..2 {
            let got = get(&proxy, "/", "").await?;
            assert_eq!((got.whole, got.body.len()), (true, CHUNKS));
        }
        assert_eq!(origin.count(), 1);
        Ok(())
    })
}

#[test]
fn a_full_disk_costs_no_answer() -> Result<()> {
    run(async {
        let origin = answering(|number, _| ok(FRESH, &format!("{number}").repeat(1000))).await?;
        let folder = tempfile::tempdir()?;
        let shown = folder.path().display();
        let proxy = proxy(&origin.url(), &format!("[cache]\nfolder = \"{shown}\"")).await?;
        // A file in the place of the folder for bodies fails every write, for root as well.
        std::fs::remove_dir(folder.path().join("bodies"))?;
        std::fs::write(folder.path().join("bodies"), "")?;
        for round in 0..5 {
            let got = get(&proxy, "/", "").await?;
            assert_eq!(
                (got.status, got.whole, got.text()),
                (200, true, format!("{round}").repeat(1000))
            );
            until(|| proxy.cache().stats().write_errors == round + 1).await?;
        }
        // There is room again.
        std::fs::remove_file(folder.path().join("bodies"))?;
        get(&proxy, "/", "").await?;
        until(|| proxy.cache().stats().objects == 1).await?;
        assert_eq!(get(&proxy, "/", "").await?.cache(), "forebay; hit");
        Ok(())
    })
}

#[test]
fn two_lengths_of_an_answer_are_refused() -> Result<()> {
    run(async {
        for lengths in [
            "Content-Length: 5\r\nContent-Length: 6\r\n",
            "Content-Length: 5, 6\r\n",
            "Content-Length: -1\r\n",
        ] {
            let answer = format!("HTTP/1.1 200 OK\r\n{FRESH}{lengths}\r\n123456");
            let origin = answering(move |_, _| answer.clone()).await?;
            let proxy = proxy(&origin.url(), "").await?;
            let got = get(&proxy, "/", "").await?;
            assert!(got.status == 502 || !got.whole, "{lengths:?}: {got:?}");
            assert_eq!(proxy.cache().stats().objects, 0, "{lengths:?}");
        }
        Ok(())
    })
}

#[test]
fn a_stream_too_large_to_cache_goes_by_in_bounded_memory() -> Result<()> {
    run(async {
        const PIECES: usize = 400;
        let origin = origin(|_, _, mut stream| async move {
            let head = format!("HTTP/1.1 200 OK\r\n{FRESH}Transfer-Encoding: chunked\r\n\r\n");
            stream.write_all(head.as_bytes()).await?;
            let piece = format!("{:x}\r\n{}\r\n", 10_000, "x".repeat(10_000));
            for _ in 0..PIECES {
                stream.write_all(piece.as_bytes()).await?;
            }
            stream.write_all(b"0\r\n\r\n").await
        })
        .await?;
        let proxy = proxy(&origin.url(), "[cache]\nlargest = \"50 KB\"").await?;
        let got = get(&proxy, "/", "").await?;
        assert_eq!((got.whole, got.body.len()), (true, PIECES * 10_000));
        assert_eq!(proxy.cache().stats().objects, 0);
        until(|| proxy.cache().stats().bytes_arriving == 0).await?;
        Ok(())
    })
}

#[test]
fn redirects_are_the_clients_matter() -> Result<()> {
    run(async {
        let origin = answering(|_, header| {
            let path = header.split(' ').nth(1).unwrap_or_default().to_owned();
            format!(
                "HTTP/1.1 301 Moved\r\nConnection: close\r\nLocation: {path}\r\n{FRESH}Content-Length: 0\r\n\r\n"
            )
        })
        .await?;
        let proxy = proxy(&origin.url(), "").await?;
        for cache in ["forebay; fwd=uri-miss; fwd-status=301; stored", "forebay; hit"] {
            let got = get(&proxy, "/loop", "").await?;
            assert_eq!((got.status, got.cache().as_str()), (301, cache));
            assert_eq!(got.header("location"), Some("/loop"));
        }
        assert_eq!(origin.count(), 1, "the proxy goes round in no loop");
        Ok(())
    })
}
