//! Ranges and conditions that a whole answers, with real sockets (RFC 9110, 13 and 14).

use std::sync::Arc;

use crate::support::*;
use tokio::io::AsyncWriteExt;
use tokio::sync::Semaphore;

const FRESH: &str = "Cache-Control: max-age=60\r\n";

#[test]
fn a_range_of_no_byte_is_unsatisfiable() -> Result<()> {
    run(async {
        let origin = answering(|_, header| {
            ok(FRESH, if header.contains("/empty") { "" } else { "0123456789" })
        })
        .await?;
        let proxy = proxy(&origin.url(), "").await?;
        // Missed, then hit.
        for _ in 0..2 {
            for (path, range, said) in [
                ("/empty", "-1", "bytes */0"),
                ("/empty", "0-", "bytes */0"),
                ("/ten", "-0", "bytes */10"),
                ("/ten", "20-", "bytes */10"),
            ] {
                let got = get(&proxy, path, &format!("Range: bytes={range}\r\n")).await?;
                assert_eq!((got.status, got.header("content-range")), (416, Some(said)), "{range}");
            }
        }
        assert_eq!(get(&proxy, "/ten", "Range: bytes=-0,3-4\r\n").await?.text(), "34");
        assert_eq!(get(&proxy, "/empty", "").await?.status, 200);
        Ok(())
    })
}

#[test]
fn a_whole_that_came_in_chunks_has_a_length_and_ranges() -> Result<()> {
    run(async {
        let folder = tempfile::tempdir()?;
        for lines in [String::new(), format!("[cache]\nfolder = \"{}\"", folder.path().display())] {
            let origin = answering(|_, _| {
                format!(
                    "HTTP/1.1 200 OK\r\n{FRESH}ETag: \"a\"\r\nTransfer-Encoding: chunked\r\n\r\n\
                     4\r\n0123\r\n6\r\n456789\r\n0\r\n\r\n"
                )
            })
            .await?;
            let proxy = proxy(&origin.url(), &lines).await?;
            let first = get(&proxy, "/", "Range: bytes=2-5\r\n").await?;
            assert_eq!((first.status, first.text().as_str()), (200, "0123456789"));
            let part = get(&proxy, "/", "Range: bytes=2-5\r\n").await?;
            assert_eq!((part.status, part.text().as_str()), (206, "2345"), "{}", part.head);
            assert_eq!(part.header("content-range"), Some("bytes 2-5/10"));
            assert_eq!(part.header("transfer-encoding"), None);
            let whole = get(&proxy, "/", "").await?;
            assert_eq!((whole.text().as_str(), whole.whole), ("0123456789", true));
            assert_eq!(whole.header("content-length"), Some("10"));
            assert_eq!(
                get(&proxy, "/", "If-Range: \"b\"\r\nRange: bytes=2-5\r\n").await?.status,
                200
            );
            assert_eq!(origin.count(), 1);
        }
        Ok(())
    })
}

#[test]
fn ranges_of_what_arrives_without_a_length_are_the_whole() -> Result<()> {
    run(async {
        let gate = Arc::new(Semaphore::new(0));
        let open = gate.clone();
        let origin = origin(move |_, _, mut stream| {
            let open = open.clone();
            async move {
                let head = format!("HTTP/1.1 200 OK\r\n{FRESH}Transfer-Encoding: chunked\r\n\r\n");
                stream.write_all(format!("{head}4\r\n0123\r\n").as_bytes()).await?;
                open.acquire().await.map_err(std::io::Error::other)?.forget();
                stream.write_all(b"6\r\n456789\r\n0\r\n\r\n").await
            }
        })
        .await?;
        let proxy = Arc::new(proxy(&origin.url(), "").await?);
        let ask = || {
            let proxy = proxy.clone();
            tokio::spawn(async move { get(&proxy, "/", "Range: bytes=2-5\r\n").await })
        };
        let leader = ask();
        until(|| origin.count() == 1).await?;
        let waiter = ask();
        until(|| proxy.cache().stats().delayed_hits == 1).await?;
        gate.add_permits(1);
        for one in [leader, waiter] {
            let got = one.await??;
            assert_eq!((got.status, got.text().as_str()), (200, "0123456789"), "{}", got.head);
        }
        Ok(())
    })
}

#[test]
fn any_answer_fits_a_star_and_only_what_is_cached_promises_ranges() -> Result<()> {
    run(async {
        let origin = answering(|_, header| {
            ok(if header.contains("/pass") { "Cache-Control: no-store\r\n" } else { FRESH }, "body")
        })
        .await?;
        let proxy = proxy(&origin.url(), "").await?;
        assert_eq!(get(&proxy, "/", "").await?.header("accept-ranges"), Some("bytes"));
        assert_eq!(get(&proxy, "/", "If-None-Match: *\r\n").await?.status, 304);
        assert_eq!(get(&proxy, "/", "If-None-Match: \"x\"\r\n").await?.status, 200);
        assert_eq!(get(&proxy, "/pass", "").await?.header("accept-ranges"), None);
        Ok(())
    })
}
