//! How long connections last, to clients and to origins, with real sockets.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::support::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const FRESH: &str = "Cache-Control: max-age=60\r\n";

/// A request that leaves its connection open.
fn kept(path: &str) -> String {
    request(path, "")
}

#[test]
fn a_client_that_was_answered_leaves_in_time() -> Result<()> {
    run(async {
        let origin = answering(|_, _| ok(FRESH, "body")).await?;
        let proxy = proxy(&origin.url(), "[limits]\nclient_timeout = \"1 s\"").await?;
        // Idle, or with the beginning of a request; after one answer, or after two.
        for (beginning, answers) in [("", 1), ("G", 1), ("GET / HTTP/1.1\r\nHost:", 2)] {
            let mut client = TcpStream::connect(proxy.addresses()[0]).await?;
            for _ in 0..answers {
                client.write_all(kept("/").as_bytes()).await?;
                assert_eq!(read_answer(&mut client, false).await?.text(), "body");
            }
            client.write_all(beginning.as_bytes()).await?;
            let began = Instant::now();
            let mut rest = [0; 10];
            let left = tokio::time::timeout(Duration::from_secs(10), client.read(&mut rest));
            assert_eq!(left.await??, 0, "{beginning:?}");
            assert!(began.elapsed() > Duration::from_millis(500), "{beginning:?}");
        }
        Ok(())
    })
}

#[test]
fn clients_that_began_a_second_request_lock_nobody_out() -> Result<()> {
    run(async {
        let origin = answering(|_, _| ok(FRESH, "body")).await?;
        let lines = "[limits]\nconnections = 3\nclient_timeout = \"1 s\"";
        let proxy = proxy(&origin.url(), lines).await?;
        let mut slow = Vec::new();
        for _ in 0..3 {
            let mut client = TcpStream::connect(proxy.addresses()[0]).await?;
            client.write_all(kept("/").as_bytes()).await?;
            assert_eq!(read_answer(&mut client, false).await?.text(), "body");
            client.write_all(b"G").await?;
            slow.push(client);
        }
        let fourth = tokio::time::timeout(Duration::from_secs(10), get(&proxy, "/", ""));
        assert_eq!(fourth.await??.text(), "body");
        Ok(())
    })
}

/// An origin that answers each connection's first request and then, once told, leaves without a
/// word at the next; how many requests it got.
async fn leaving() -> Result<(std::net::SocketAddr, Arc<AtomicBool>, Arc<AtomicUsize>)> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let (leaves, asked) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let (told, count) = (leaves.clone(), asked.clone());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let (told, count) = (told.clone(), count.clone());
            tokio::spawn(async move {
                while read_header(&mut stream).await.is_ok_and(|header| !header.is_empty()) {
                    count.fetch_add(1, Ordering::SeqCst);
                    if told.load(Ordering::SeqCst) {
                        return;
                    }
                    // So long that those who ask at once have a connection each.
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody";
                    try_write(&mut stream, answer.as_bytes()).await;
                }
            });
        }
    });
    Ok((address, leaves, asked))
}

#[test]
fn an_origin_that_leaves_without_a_word_is_asked_once_more() -> Result<()> {
    run(async {
        let (address, leaves, asked) = leaving().await?;
        let proxy = Arc::new(proxy(&format!("http://{address}"), "").await?);
        // Many connections to it are idle afterwards.
        let many: Vec<_> = (0..20)
            .map(|number| {
                let proxy = proxy.clone();
                tokio::spawn(async move { get(&proxy, &format!("/{number}"), "").await })
            })
            .collect();
        for one in many {
            assert_eq!(one.await??.text(), "body");
        }
        leaves.store(true, Ordering::SeqCst);
        asked.store(0, Ordering::SeqCst);
        assert_eq!(get(&proxy, "/", "").await?.status, 502);
        assert_eq!(asked.swap(0, Ordering::SeqCst), 2);
        // Nor is it stormed by many who want the same: two for each leader, of whom few are tried
        // (16 for each of them came before).
        let herd: Vec<_> = (0..20)
            .map(|_| {
                let proxy = proxy.clone();
                tokio::spawn(async move { get(&proxy, "/herd", "").await })
            })
            .collect();
        for one in herd {
            assert_eq!(one.await??.status, 502);
        }
        let count = asked.swap(0, Ordering::SeqCst);
        assert!(count <= 20, "{count}");
        // What changes something is not asked again at all (RFC 9110, 9.2.2).
        let post = request("/", "Content-Length: 0\r\n").replace("GET", "POST");
        assert_eq!(send(proxy.addresses()[0], &post).await?.status, 502);
        assert_eq!(asked.swap(0, Ordering::SeqCst), 1);
        // An idle connection that is left costs nothing, if the origin is there again.
        leaves.store(false, Ordering::SeqCst);
        assert_eq!(get(&proxy, "/", "").await?.text(), "body");
        Ok(())
    })
}
