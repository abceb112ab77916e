//! Answers of origins that fit no question, or say two things, with real sockets.

use crate::support::*;

const FRESH: &str = "Cache-Control: max-age=60\r\n";

#[test]
fn another_coding_than_chunks_is_refused() -> Result<()> {
    run(async {
        let zipped = "\x1f\x08body";
        for (coding, body) in [
            ("gzip, chunked", format!("6\r\n{zipped}\r\n0\r\n\r\n")),
            ("gzip", zipped.to_owned()),
            ("chunked, chunked", format!("6\r\n{zipped}\r\n0\r\n\r\n")),
            ("chunked\r\nTransfer-Encoding: gzip", format!("6\r\n{zipped}\r\n0\r\n\r\n")),
        ] {
            let answer =
                format!("HTTP/1.1 200 OK\r\n{FRESH}Transfer-Encoding: {coding}\r\n\r\n{body}");
            let origin = answering(move |_, _| answer.clone()).await?;
            let proxy = proxy(&origin.url(), "").await?;
            for path in ["/", "/again"] {
                let got = get(&proxy, path, "").await?;
                assert_eq!(got.status, 502, "{coding}: {}", got.head);
            }
            assert_eq!(proxy.cache().stats().objects, 0, "{coding}");
        }
        let plain = format!(
            "HTTP/1.1 200 OK\r\n{FRESH}Transfer-Encoding: Chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n"
        );
        let origin = answering(move |_, _| plain.clone()).await?;
        assert_eq!(get(&proxy(&origin.url(), "").await?, "/", "").await?.text(), "body");
        Ok(())
    })
}

#[test]
fn an_answer_without_content_has_none() -> Result<()> {
    run(async {
        let origin = answering(|number, _| match number {
            0 => format!("HTTP/1.1 204 No\r\n{FRESH}Content-Length: 5\r\n\r\nwrong"),
            _ => ok(FRESH, "right"),
        })
        .await?;
        let proxy = proxy(&origin.url(), "").await?;
        for cache in ["forebay; fwd=uri-miss; fwd-status=204; stored", "forebay; hit"] {
            let got = get(&proxy, "/", "").await?;
            assert_eq!((got.status, got.cache().as_str()), (204, cache), "{}", got.head);
            assert_eq!(got.header("content-length"), None);
        }
        assert_eq!(get(&proxy, "/other", "").await?.text(), "right");
        Ok(())
    })
}

#[test]
fn an_answer_to_what_nobody_asked_is_refused() -> Result<()> {
    run(async {
        let origin = answering(|_, header| {
            let switch = "HTTP/1.1 101 Go\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
            let same = "HTTP/1.1 304 Same\r\nConnection: close\r\nETag: \"a\"\r\n\r\n";
            if header.contains("/switch") { switch.to_owned() } else { same.to_owned() }
        })
        .await?;
        let proxy = proxy(&origin.url(), "").await?;
        for path in ["/switch", "/same"] {
            for lines in ["", "Cache-Control: no-store\r\n"] {
                let got = get(&proxy, path, lines).await?;
                assert_eq!((got.status, got.whole), (502, true), "{path}: {}", got.head);
            }
        }
        // Of what was asked both are answers.
        let lines = "Cache-Control: no-store\r\nIf-None-Match: \"a\"\r\n";
        assert_eq!(get(&proxy, "/same", lines).await?.status, 304);
        let lines = "Upgrade: websocket\r\nConnection: Upgrade\r\n";
        let asked = request("/switch", lines);
        assert_eq!(send(proxy.addresses()[0], &asked).await?.status, 101);
        Ok(())
    })
}

#[test]
fn interim_answers_are_for_those_who_asked_and_few() -> Result<()> {
    run(async {
        let origin = answering(|_, header| {
            let count = if header.contains("/many") { 3000 } else { 3 };
            let interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: </a>\r\n\r\n";
            interim.repeat(count) + &ok(FRESH, "body")
        })
        .await?;
        let proxy = proxy(&origin.url(), "").await?;
        for lines in ["", "Cache-Control: no-store\r\n"] {
            let got = get(&proxy, "/few", lines).await?;
            assert_eq!((got.status, got.text().as_str()), (200, "body"), "{}", got.head);
            assert_eq!(get(&proxy, "/many", lines).await?.status, 502);
        }
        assert_eq!(get(&proxy, "/few", "").await?.cache(), "forebay; hit");
        // It is told to go on, and by the proxy alone what became of it.
        let asked =
            request("/post", "Connection: close\r\nExpect: 100-continue\r\nContent-Length: 0\r\n");
        let asked = asked.replace("GET", "POST");
        let got = send(proxy.addresses()[0], &asked).await?;
        assert_eq!((got.status, got.header("cache-status")), (100, None), "{}", got.head);
        Ok(())
    })
}

#[test]
fn two_lengths_that_are_one_are_sent_once() -> Result<()> {
    run(async {
        for lengths in ["Content-Length: 4\r\nContent-Length: 4\r\n", "Content-Length: 4, 4\r\n"] {
            let answer = format!("HTTP/1.1 200 OK\r\n{FRESH}{lengths}\r\nbody");
            let origin = answering(move |_, _| answer.clone()).await?;
            let proxy = proxy(&origin.url(), "").await?;
            for path in ["/a", "/a", "/b?no-store"] {
                let got = get(&proxy, path, "").await?;
                assert_eq!(got.text(), "body");
                let head = got.head.to_ascii_lowercase();
                assert_eq!(head.matches("content-length").count(), 1, "{head}");
                assert_eq!(got.header("content-length"), Some("4"));
            }
        }
        Ok(())
    })
}

#[test]
fn a_client_of_http_1_0_gets_no_chunks() -> Result<()> {
    run(async {
        let origin = answering(|_, header| {
            let control = if header.contains("/pass") { "no-store" } else { "max-age=60" };
            let head = format!("HTTP/1.1 200 OK\r\nCache-Control: {control}\r\n");
            match header.contains("/close") {
                true => format!("{head}Connection: close\r\n\r\nbody"),
                false => format!(
                    "{head}Transfer-Encoding: chunked\r\n\r\n2\r\nbo\r\n2\r\ndy\r\n0\r\n\r\n"
                ),
            }
        })
        .await?;
        let proxy = proxy(&origin.url(), "").await?;
        for path in ["/store", "/store", "/pass", "/pass", "/close", "/close"] {
            for line in ["", "Connection: keep-alive\r\n"] {
                let asked = format!("GET {path} HTTP/1.0\r\nHost: a.example\r\n{line}\r\n");
                let got = send(proxy.addresses()[0], &asked).await?;
                assert_eq!(got.header("transfer-encoding"), None, "{path}: {}", got.head);
                assert_eq!((got.text().as_str(), got.whole), ("body", true), "{path}");
            }
        }
        Ok(())
    })
}
