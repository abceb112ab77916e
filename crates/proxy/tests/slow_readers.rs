//! Clients that read next to nothing: what they keep waiting is themselves.

use std::sync::Arc;
use std::time::Duration;

use crate::support::*;
use forebay_proxy::Running;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::Semaphore;

/// Far more than the system's buffers take.
const LARGE: usize = 12 << 20;

/// An origin whose bodies are large; of unknown length below `/chunks`, and far larger then below
/// `/stream`.
async fn large(lines: &'static str) -> Result<Origin> {
    origin(move |_, header, mut stream| async move {
        let path = header.split(' ').nth(1).unwrap_or_default();
        let is_stream = path.starts_with("/stream");
        let body = vec![b'x'; if is_stream { 4 * LARGE } else { LARGE }];
        let mut head =
            "HTTP/1.1 200 OK\r\nConnection: close\r\nCache-Control: max-age=60\r\n".to_owned();
        head += lines;
        if is_stream || path.starts_with("/chunks") {
            head += "Transfer-Encoding: chunked\r\n\r\n";
            head += &format!("{:x}\r\n", body.len());
            stream.write_all(head.as_bytes()).await?;
            stream.write_all(&body).await?;
            return stream.write_all(b"\r\n0\r\n\r\n").await;
        }
        head += &format!("Content-Length: {}\r\n\r\n", body.len());
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(&body).await
    })
    .await
}

/// A client that asks for `path` and reads only the beginning of the answer.
async fn slow(proxy: &Running, path: &str, lines: &str) -> Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.set_recv_buffer_size(16 << 10)?;
    let mut client = socket.connect(proxy.addresses()[0]).await?;
    client.write_all(request(path, lines).as_bytes()).await?;
    assert!(read_header(&mut client).await?.starts_with("HTTP/1.1 200"), "{path}");
    Ok(client)
}

/// Reads the rest of a large body; its connection stays open.
async fn rest(mut client: TcpStream) -> Result<()> {
    let mut body = vec![0; LARGE];
    client.read_exact(&mut body).await?;
    assert!(body.iter().all(|byte| *byte == b'x'));
    Ok(())
}

#[test]
fn many_slow_readers_of_what_is_cached_leave_room_for_others() -> Result<()> {
    run(async {
        let folder = tempfile::tempdir()?;
        let on_disk = format!("folder = \"{}\"", folder.path().display());
        for kept in ["", &on_disk] {
            let origin = large("").await?;
            let lines = format!("[limits]\narriving = \"30 MB\"\n[cache]\nsize = \"1 GB\"\n{kept}");
            let proxy = Arc::new(proxy(&origin.url(), &lines).await?);
            let mut clients = Vec::new();
            for object in 0..6 {
                for _ in 0..10 {
                    clients.push(slow(&proxy, &format!("/{object}"), "").await?);
                }
                until(|| proxy.cache().stats().objects == object + 1).await?;
                until(|| proxy.cache().stats().bytes_arriving == 0).await?;
            }
            assert_eq!(origin.count(), 6);
            let other = get(&proxy, "/other", "").await?;
            assert!(other.whole && other.body.len() == LARGE);
            assert_eq!(other.cache(), "forebay; fwd=uri-miss; fwd-status=200; stored");
            // Each still gets what it asked for.
            for client in clients.into_iter().step_by(7) {
                rest(client).await?;
            }
        }
        Ok(())
    })
}

#[test]
fn slow_readers_of_what_is_not_cached_leave_room_for_others() -> Result<()> {
    run(async {
        // Variants beyond the first, and streams that turn out to be too large.
        let origin = large("Vary: X-Any\r\n").await?;
        let lines = "[limits]\narriving = \"30 MB\"\n[cache]\nvariants = 1\nlargest = \"12600 KB\"";
        let proxy = Arc::new(proxy(&origin.url(), lines).await?);
        get(&proxy, "/", "X-Any: first\r\n").await?;
        let mut clients = Vec::new();
        for number in 0..15 {
            clients.push(slow(&proxy, "/", &format!("X-Any: {number}\r\n")).await?);
            clients.push(slow(&proxy, &format!("/stream/{number}"), "").await?);
        }
        assert_eq!(get(&proxy, "/", "X-Any: first\r\n").await?.cache(), "forebay; hit");
        for path in ["/large", "/chunks"] {
            until(|| proxy.cache().stats().bytes_arriving <= 15_000_000).await?;
            let got = get(&proxy, path, "").await?;
            assert!(got.status == 200 && got.whole && got.body.len() == LARGE, "{}", got.head);
            assert_eq!(got.cache(), "forebay; fwd=uri-miss; fwd-status=200; stored");
        }
        let variant = get(&proxy, "/", "X-Any: other\r\n").await?;
        assert_eq!(variant.cache(), "forebay; fwd=vary-miss; fwd-status=200; detail=many-variants");
        drop(clients);
        until(|| proxy.cache().stats().bytes_arriving == 0).await
    })
}

#[test]
fn an_answer_without_room_passes_by_uncached_and_whole() -> Result<()> {
    run(async {
        let gate = Arc::new(Semaphore::new(0));
        let open = gate.clone();
        let origin = origin(move |_, header, mut stream| {
            let open = open.clone();
            async move {
                let fresh = "Connection: close\r\nCache-Control: max-age=60\r\n";
                let head = format!("HTTP/1.1 200 OK\r\n{fresh}Content-Length: {LARGE}\r\n\r\n");
                stream.write_all(head.as_bytes()).await?;
                if header.contains("/held") {
                    open.acquire().await.map_err(std::io::Error::other)?.forget();
                }
                stream.write_all(&vec![b'x'; LARGE]).await
            }
        })
        .await?;
        let proxy = Arc::new(proxy(&origin.url(), "[limits]\narriving = \"30 MB\"").await?);
        // Two that the origin holds back have their room already.
        let held: Vec<_> = (0..2)
            .map(|number| {
                let proxy = proxy.clone();
                tokio::spawn(async move { get(&proxy, &format!("/held/{number}"), "").await })
            })
            .collect();
        until(|| proxy.cache().stats().bytes_arriving == 2 * LARGE as u64).await?;
        let others: Vec<_> = (0..10)
            .map(|_| {
                let proxy = proxy.clone();
                tokio::spawn(async move { get(&proxy, "/other", "").await })
            })
            .collect();
        for other in others {
            let got = other.await??;
            assert!(got.status == 200 && got.whole && got.body.len() == LARGE, "{}", got.head);
            assert!(got.cache().ends_with("detail=no-room") || got.cache().contains("collapsed"));
        }
        assert!(proxy.cache().stats().no_room >= 1);
        let metrics = admin(&proxy, "GET", "/metrics").await?.text();
        assert!(metrics.contains("forebay_cache_no_room_total"), "{metrics}");
        gate.add_permits(2);
        for one in held {
            let got = one.await??;
            assert_eq!(got.cache(), "forebay; fwd=uri-miss; fwd-status=200; stored");
        }
        until(|| proxy.cache().stats().bytes_arriving == 0).await?;
        // That it once had no room is not remembered.
        get(&proxy, "/other", "").await?;
        assert_eq!(get(&proxy, "/other", "").await?.cache(), "forebay; hit");
        Ok(())
    })
}

#[test]
fn a_slow_reader_among_many_does_not_slow_them() -> Result<()> {
    run(async {
        let origin = large("").await?;
        let proxy = Arc::new(proxy(&origin.url(), "").await?);
        let slow = slow(&proxy, "/", "").await?;
        let others: Vec<_> = (0..20)
            .map(|_| {
                let proxy = proxy.clone();
                tokio::spawn(async move { get(&proxy, "/", "").await })
            })
            .collect();
        for other in others {
            let got = tokio::time::timeout(Duration::from_secs(20), other).await???;
            assert!(got.whole && got.body.len() == LARGE);
        }
        assert_eq!(origin.count(), 1);
        rest(slow).await
    })
}
