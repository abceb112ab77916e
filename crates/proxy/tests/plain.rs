//! Plain hits: answered as others are, and only where they may be; with real sockets.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

use crate::support::*;
use forebay_proxy::Running;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

const FRESH: &str = "Cache-Control: max-age=60\r\n";
/// A field that is not known to be indifferent.
const ODD: &str = "Unheard-Of: 1\r\n";

/// A client that keeps its connection.
struct Client(TcpStream);

impl Client {
    async fn of(proxy: &Running) -> Result<Self> {
        Ok(Client(TcpStream::connect(proxy.addresses()[0]).await?))
    }

    async fn get(&mut self, target: &str, lines: &str) -> Result<Answer> {
        let text = format!("GET {target} HTTP/1.1\r\nHost: a.example\r\n{lines}\r\n");
        self.0.write_all(text.as_bytes()).await?;
        read_answer(&mut self.0, false).await
    }
}

/// The lines of a header but for when it was sent.
fn lines(answer: &Answer) -> BTreeSet<String> {
    let line = |line: &str| match line.split_once(": ") {
        Some(("Date" | "Age", _)) => line.split(' ').next().unwrap_or_default().to_owned(),
        Some(("cache-status", _)) => answer.cache(),
        Some(_) | None => line.to_owned(),
    };
    answer.head.lines().map(line).collect()
}

#[test]
fn plain_hits_have_the_lines_and_bytes_of_others() -> Result<()> {
    run(async {
        let origin = answering(|_, header| {
            let target = header.split(' ').nth(1).unwrap_or_default();
            let long = "x".repeat(300_000);
            match target {
                "/empty" => ok(FRESH, ""),
                "/long" => ok(FRESH, &long),
                "/lines" => {
                    let date = httpdate::fmt_http_date(SystemTime::now());
                    let more = "Age: 7\r\nX-Odd: a\r\nX-Odd: b\r\nETag: \"e\"\r\nAccept-Ranges: \
                                none\r\nCache-Status: other; hit\r\n";
                    ok(&format!("{FRESH}Date: {date}\r\n{more}"), "lines")
                }
                "/chunks" => format!(
                    "HTTP/1.1 200 OK\r\nConnection: close\r\n{FRESH}Transfer-Encoding: \
                     chunked\r\n\r\n5\r\nchunk\r\n0\r\n\r\n"
                ),
                _ => ok(FRESH, target),
            }
        })
        .await?;
        let proxy = proxy(&origin.url(), "").await?;
        let mut client = Client::of(&proxy).await?;
        for target in ["/a?b=c%20d", "/empty", "/long", "/lines", "/chunks"] {
            let first = client.get(target, "").await?;
            assert!(first.head.contains("; stored; "), "{}", first.head);
            let (plain, other) = (client.get(target, "").await?, client.get(target, ODD).await?);
            for answer in [&plain, &other] {
                assert_eq!((answer.status, answer.whole), (200, true), "{target}");
                assert_eq!(answer.body, first.body, "{target}");
            }
            assert_eq!(lines(&plain), lines(&other), "{target}");
            let age =
                |answer: &Answer| answer.header("age").and_then(|age| age.parse::<u64>().ok());
            let (one, two) = (age(&plain).ok_or("no age")?, age(&other).ok_or("no age")?);
            assert!(two - one <= 1, "{target}: {one} {two}");
            let ends = if target == "/lines" { 7..=9 } else { 0..=2 };
            assert!(ends.contains(&one), "{target}: {one}");
        }
        assert_eq!(origin.count(), 5);
        proxy.shutdown().await?;
        Ok(())
    })
}

#[test]
fn what_is_not_plain_takes_the_longer_way_on_the_same_connection() -> Result<()> {
    run(async {
        let origin = answering(|number, header| {
            let lines = match header.split(' ').nth(1).unwrap_or_default() {
                "/vary" => "Cache-Control: max-age=60\r\nVary: Accept\r\n",
                "/stale" => "Cache-Control: max-age=1, stale-while-revalidate=60\r\n",
                "/none" => {
                    return "HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: \
                    4\r\nCache-Control: max-age=60\r\n\r\nnone"
                        .to_owned();
                }
                _ => "Cache-Control: max-age=60\r\nETag: \"e\"\r\n",
            };
            ok(lines, &format!("answer {number}"))
        })
        .await?;
        let proxy = proxy(&origin.url(), "").await?;
        let mut client = Client::of(&proxy).await?;
        let first = client.get("/a", "").await?;
        assert_eq!(first.text(), "answer 0");
        assert_eq!(client.get("/a", "").await?.cache(), "forebay; hit");
        let part = client.get("/a", "Range: bytes=0-2\r\n").await?;
        assert_eq!((part.status, part.text().as_str()), (206, "ans"));
        let same = client.get("/a", "If-None-Match: \"e\"\r\n").await?;
        assert_eq!((same.status, same.text().as_str()), (304, ""));
        let anew = client.get("/a", "Cache-Control: no-cache\r\n").await?;
        assert_eq!(
            (anew.text().as_str(), &anew.cache()[..20]),
            ("answer 1", "forebay; fwd=request")
        );
        let hit = client.get("/a", "").await?;
        assert_eq!((hit.text().as_str(), hit.cache().as_str()), ("answer 1", "forebay; hit"));
        // Each variant by itself.
        let accept = |kind: &str| format!("Accept: {kind}\r\n");
        let one = client.get("/vary", &accept("one")).await?.text();
        let two = client.get("/vary", &accept("two")).await?.text();
        assert_ne!(one, two);
        for (kind, text) in [("one", &one), ("two", &two)] {
            let hit = client.get("/vary", &accept(kind)).await?;
            assert_eq!((&hit.text(), hit.cache().as_str()), (text, "forebay; hit"));
        }
        // Another status.
        client.get("/none", "").await?;
        let none = client.get("/none", "").await?;
        assert_eq!((none.status, none.cache().as_str()), (404, "forebay; hit"));
        // What was removed, and what is stale.
        client.get("/stale", "").await?;
        tokio::time::sleep(Duration::from_millis(1100)).await;
        let ttl = |answer: &Answer| {
            let said = answer.header("cache-status").and_then(|said| said.split("ttl=").nth(1));
            said.and_then(|ttl| ttl.parse::<i64>().ok())
        };
        let stale = client.get("/stale", "").await?;
        assert!(ttl(&stale).is_some_and(|ttl| ttl <= 0), "{}", stale.head);
        assert_eq!(admin(&proxy, "POST", "/purge?a.example/a").await?.status, 200);
        assert!(client.get("/a", "").await?.cache().contains("fwd=uri-miss"));
        proxy.shutdown().await?;
        Ok(())
    })
}

#[test]
fn a_request_in_pieces_and_two_at_once_are_answered_as_before() -> Result<()> {
    run(async {
        let origin = answering(|number, _| ok(FRESH, &format!("{number}"))).await?;
        let proxy = proxy(&origin.url(), "").await?;
        let mut client = Client::of(&proxy).await?;
        client.get("/a", "").await?;
        for piece in ["GET /a HT", "TP/1.1\r\nHost: a.exa", "mple\r\n\r", "\n"] {
            client.0.write_all(piece.as_bytes()).await?;
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert_eq!(read_answer(&mut client.0, false).await?.cache(), "forebay; hit");
        // A header that is longer than what is looked at.
        let long = format!("X-Long: {}\r\n", "x".repeat(5000));
        assert_eq!(client.get("/a", &long).await?.cache(), "forebay; hit");
        // Whoever asks for two at once gets the first, and then the end.
        let one = "GET /a HTTP/1.1\r\nHost: a.example\r\n\r\n";
        client.0.write_all(format!("{one}{one}").as_bytes()).await?;
        assert_eq!(read_answer(&mut client.0, false).await?.cache(), "forebay; hit");
        assert_eq!(read_answer(&mut client.0, false).await?.status, 0, "it is closed");
        proxy.shutdown().await?;
        Ok(())
    })
}

#[test]
fn plain_hits_are_counted_and_logged_as_others_are() -> Result<()> {
    run(async {
        let folder = tempfile::tempdir()?;
        let log = folder.path().join("log.csv");
        let origin = answering(|_, _| ok(FRESH, "four")).await?;
        let lines = format!(
            "access_log = \"{}\"\n[what_if]\npolicies = [\"lru\"]\nsample = 1.0",
            log.display()
        );
        let proxy = proxy(&origin.url(), &lines).await?;
        let mut client = Client::of(&proxy).await?;
        let counted = async |proxy: &Running| -> Result<(u64, String)> {
            let text = admin(proxy, "GET", "/metrics").await?.text();
            let value = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
            let hits =
                value("forebay_request_seconds_count{outcome=\"hit\"} ").unwrap_or("0").parse()?;
            let shadow = text.lines().filter(|line| line.starts_with("forebay_what_if_"));
            let shadow = shadow.filter(|line| line.contains("hits")).collect::<Vec<_>>().join("\n");
            Ok((hits, shadow))
        };
        client.get("/a", "").await?;
        let (none, _) = counted(&proxy).await?;
        client.get("/a", "").await?;
        let (plain, shadow) = counted(&proxy).await?;
        client.get("/a", ODD).await?;
        let (other, again) = counted(&proxy).await?;
        assert_eq!((plain - none, other - plain), (1, 1));
        assert_ne!(shadow, again, "the other cache counts hits");
        assert_eq!(proxy.cache().stats().hits, 2);
        proxy.shutdown().await?;
        let text = std::fs::read_to_string(&log)?;
        let rows: Vec<Vec<&str>> =
            text.lines().skip(1).map(|line| line.split(',').skip(1).collect()).collect();
        assert_eq!(rows.len(), 3);
        assert!(rows.iter().all(|row| *row == rows[0]), "{text}");
        Ok(())
    })
}

#[test]
fn half_a_request_does_not_keep_a_proxy_from_stopping() -> Result<()> {
    run(async {
        let origin = answering(|_, _| ok(FRESH, "a")).await?;
        let proxy = proxy(&origin.url(), "shutdown = \"20 s\"").await?;
        let mut clients = Vec::new();
        for half in ["GET /a HTTP/1.1\r\nHo", "\r\n"] {
            let mut client = Client::of(&proxy).await?;
            client.get("/a", "").await?;
            client.get("/a", "").await?;
            client.0.write_all(half.as_bytes()).await?;
            clients.push(client);
        }
        // It has been read.
        tokio::time::sleep(Duration::from_millis(50)).await;
        let began = std::time::Instant::now();
        proxy.shutdown().await?;
        assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
        Ok(())
    })
}

#[test]
fn clients_that_only_hit_leave_when_the_proxy_stops_or_they_are_silent() -> Result<()> {
    run(async {
        let origin = answering(|_, _| ok(FRESH, "a")).await?;
        let proxy = proxy(&origin.url(), "[limits]\nclient_timeout = \"200 ms\"").await?;
        let mut silent = Client::of(&proxy).await?;
        silent.get("/a", "").await?;
        assert_eq!(silent.get("/a", "").await?.cache(), "forebay; hit");
        assert_eq!(
            read_answer(&mut silent.0, false).await?.status,
            0,
            "it was silent for too long"
        );
        let mut busy = Client::of(&proxy).await?;
        assert_eq!(busy.get("/a", "").await?.cache(), "forebay; hit");
        proxy.shutdown().await?;
        assert_eq!(read_answer(&mut busy.0, false).await?.status, 0, "the proxy has stopped");
        Ok(())
    })
}
