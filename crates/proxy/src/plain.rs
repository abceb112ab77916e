//! Plain hits: answered on the connection itself, before a request's life in Pingora begins.
//!
//! A request is plain if nothing in it bears on how a cache answers: GET by HTTP/1.1, in origin
//! form, without ranges, conditions, wishes, credentials or a body, and alone. If what it asks for
//! is ready ([`Cache::ready`](forebay_pingora::Cache::ready)), the same lines and the same bytes go
//! out as by the longer way, and the same is counted; anything else is given back unread.

use std::io::Write;
use std::time::{Duration, Instant, SystemTime};

use forebay_pingora::Ready;
use httpdate::HttpDate;
use pingora_cache::key::CacheHashKey;
use pingora_cache::predictor::CacheablePredictor;
use pingora_core::protocols::Stream;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::watch;

use crate::access_log::Line;
use crate::context::seconds_between;
use crate::messages::{is_host, key_of};
use crate::metrics::Outcome;
use crate::shared::Shared;
use crate::status::CacheStatus;
use crate::stream::{Joined, Place};
use crate::what_if::{Asks, WhatIf};

/// The longest header that is looked at.
const LONGEST: usize = 2 << 10;
/// The most fields that are looked at.
const MOST: usize = 32;
/// Fields that say nothing to a cache whose answer does not vary; so do those that begin with `x-`
/// or `sec-`.
const INDIFFERENT: [&str; 15] = [
    "accept",
    "accept-charset",
    "accept-encoding",
    "accept-language",
    "cookie",
    "dnt",
    "forwarded",
    "from",
    "origin",
    "priority",
    "purpose",
    "referer",
    "upgrade-insecure-requests",
    "user-agent",
    "via",
];

/// What a plain request asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Plain<'a> {
    pub(crate) host: &'a str,
    pub(crate) target: &'a str,
    /// How many fields it has, and how many bytes those and the target take.
    pub(crate) size: (usize, u64),
}

/// What is known of the beginning of a request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Beginning<'a> {
    /// There is more of it to come.
    Cut,
    Plain(Plain<'a>),
    /// It is not plain, or not alone.
    Other,
}

fn begins_with(name: &str, prefix: &str) -> bool {
    name.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

fn is_indifferent(name: &str) -> bool {
    begins_with(name, "x-")
        || begins_with(name, "sec-")
        || INDIFFERENT.iter().any(|other| name.eq_ignore_ascii_case(other))
}

/// Whether a target means the same to every reader.
fn is_clear(target: &str) -> bool {
    let clear = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/%?".contains(&byte);
    target.starts_with('/') && target.bytes().all(clear)
}

/// What begins with `bytes`.
pub(crate) fn read(bytes: &[u8]) -> Beginning<'_> {
    let mut fields = [httparse::EMPTY_HEADER; MOST];
    let mut request = httparse::Request::new(&mut fields);
    match request.parse(bytes) {
        Ok(httparse::Status::Partial) => return Beginning::Cut,
        Ok(httparse::Status::Complete(length)) if length == bytes.len() => {}
        Ok(httparse::Status::Complete(_)) | Err(_) => return Beginning::Other,
    }
    let (Some("GET"), Some(1), Some(target)) = (request.method, request.version, request.path)
    else {
        return Beginning::Other;
    };
    let mut host = None;
    let mut size = target.len();
    for field in request.headers.iter() {
        size += field.name.len() + field.value.len() + 4;
        if field.name.eq_ignore_ascii_case("host") {
            match std::str::from_utf8(field.value) {
                Ok(value) if host.is_none() && is_host(value) => host = Some(value),
                Ok(_) | Err(_) => return Beginning::Other,
            }
        } else if field.name.eq_ignore_ascii_case("connection") {
            if !field.value.eq_ignore_ascii_case(b"keep-alive") {
                return Beginning::Other;
            }
        } else if !is_indifferent(field.name) {
            return Beginning::Other;
        }
    }
    let (Some(host), true) = (host, is_clear(target)) else { return Beginning::Other };
    Beginning::Plain(Plain { host, target, size: (request.headers.len(), size as u64) })
}

/// A plain hit.
struct Hit {
    ready: Ready,
    began: Instant,
    at: SystemTime,
    line: Option<Line>,
    /// Leaves when the hit has been answered.
    _asks: Option<Asks>,
    /// What the log has of it.
    entry: (u64, u64, usize),
    /// How long its client may take for the next bytes.
    patience: Duration,
}

impl Hit {
    /// What is ready for `asked`.
    fn find(shared: &Shared, asked: &Plain<'_>) -> Option<Self> {
        let (began, at) = (Instant::now(), SystemTime::now());
        let live = shared.live();
        let limits = &live.config.limits;
        if asked.size.0 > limits.headers || asked.size.1 > limits.header_bytes {
            return None;
        }
        let host = asked.host.to_ascii_lowercase();
        let path = asked.target.split('?').next().unwrap_or_default();
        let origin = live.routes.find(&host, path)?;
        let key = key_of(&origin.config.url, &host, asked.target.as_bytes());
        // What was found not to be cacheable since is asked of the origin.
        if !shared.predictor.cacheable_prediction(&key) {
            return None;
        }
        let key = key.to_compact();
        let ready = shared.cache.ready(&key, at)?;
        let primary = u128::from_be_bytes(key.primary_bin());
        Some(Hit {
            began,
            at,
            line: shared.log.as_ref().map(|log| log.begin(at)),
            _asks: WhatIf::ask(&shared.what_if, primary),
            entry: (primary as u64, ready.length, origin.number),
            patience: limits.client_timeout,
            ready,
        })
    }

    /// Status line and fields.
    fn head(&self) -> Vec<u8> {
        let header = &self.ready.header;
        let age = self.at.duration_since(header.epoch).unwrap_or_default().as_secs();
        let ttl = Some(seconds_between(self.at, header.fresh_until));
        let status = CacheStatus { ttl, ..CacheStatus::default() }.text();
        // A clock before 1970 has no date.
        let date = HttpDate::from(self.at.max(SystemTime::UNIX_EPOCH));
        let mut head = Vec::with_capacity(header.text.len() + 160);
        head.extend_from_slice(&header.text);
        // Writing to memory does not fail.
        write!(
            head,
            "Age: {age}\r\nAccept-Ranges: bytes\r\ncache-status: {status}\r\nDate: {date}\r\n\
             Connection: keep-alive\r\n\r\n"
        )
        .unwrap_or_default();
        head
    }

    /// Sends it, and counts it; whether its client is still there.
    async fn answer(self, shared: &Shared, stream: &mut Joined) -> bool {
        let sent = self.send(stream).await;
        if let Some(line) = self.line {
            line.end(sent.then_some(self.entry));
        }
        shared.metrics.record(Outcome::Hit, self.began.elapsed());
        sent
    }

    async fn send(&self, stream: &mut Joined) -> bool {
        let head = self.head();
        for part in std::iter::once(&head[..]).chain(self.ready.body.iter().map(|part| &part[..])) {
            match tokio::time::timeout(self.patience, stream.write_all(part)).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) | Err(_) => return false,
            }
        }
        matches!(tokio::time::timeout(self.patience, stream.flush()).await, Ok(Ok(())))
    }
}

/// Answers what is plain and ready on a connection in the clear, until something else comes, which
/// it gives back; `None`: the client has gone, or has to.
pub(crate) async fn serve(
    shared: &Shared,
    stream: Stream,
    place: &Place,
    patience: Duration,
    stopped: &watch::Receiver<bool>,
) -> Option<Stream> {
    if !(*stream).as_any().is::<Joined>() {
        return Some(stream);
    }
    let mut stream = stream.into_any().downcast::<Joined>().ok()?;
    let mut buffer = vec![0; LONGEST];
    let mut stopping = stopped.clone();
    let mut filled = 0;
    loop {
        let more = tokio::time::timeout(patience, async {
            tokio::select! {
                biased;
                more = stream.read(&mut buffer[filled..]) => more.ok(),
                // Nobody is kept who has asked for nothing, or for half of something.
                _ = stopping.wait_for(|stopped| *stopped) => None,
            }
        });
        filled += more.await.ok().flatten().filter(|more| *more > 0)?;
        let hit = match read(&buffer[..filled]) {
            Beginning::Cut if filled < LONGEST => continue,
            Beginning::Plain(asked) if !*stopped.borrow() => Hit::find(shared, &asked),
            Beginning::Cut | Beginning::Plain(_) | Beginning::Other => None,
        };
        let Some(hit) = hit else {
            stream.rewind(&buffer[..filled]);
            return Some(stream);
        };
        if !hit.answer(shared, &mut stream).await {
            return None;
        }
        filled = 0;
        place.answered();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> bool {
        matches!(read(text.as_bytes()), Beginning::Plain(_))
    }

    #[test]
    fn a_browsers_request_is_plain() {
        let text = "GET /a/b?c=d%20e HTTP/1.1\r\nHost: www.example.com:80\r\nUser-Agent: Mozilla/5.0 \
                    (X11)\r\nAccept: */*\r\nAccept-Encoding: gzip\r\nsec-fetch-mode: no-cors\r\n\
                    Connection: keep-alive\r\nX-Any: thing\r\n\r\n";
        let Beginning::Plain(asked) = read(text.as_bytes()) else { panic!("it is not plain") };
        assert_eq!((asked.host, asked.target), ("www.example.com:80", "/a/b?c=d%20e"));
        assert_eq!(asked.size.0, 7);
        for cut in 0..text.len() {
            assert_eq!(read(&text.as_bytes()[..cut]), Beginning::Cut, "{cut}");
        }
    }

    #[test]
    fn what_bears_on_the_answer_is_not_plain() {
        let with = |field: &str| format!("GET /a HTTP/1.1\r\nHost: a\r\n{field}\r\n\r\n");
        assert!(plain(&with("Accept: */*")));
        for field in [
            "Range: bytes=0-1",
            "If-None-Match: \"one\"",
            "If-Modified-Since: Thu, 26 Nov 2026 20:35:14 GMT",
            "Cache-Control: no-cache",
            "Pragma: no-cache",
            "Authorization: Basic YTpi",
            "Connection: close",
            "Connection: keep-alive, x-any",
            "Upgrade: websocket",
            "Expect: 100-continue",
            "TE: trailers",
            "Content-Length: 0",
            "Transfer-Encoding: chunked",
            "Host: b",
            "Unheard-Of: 1",
        ] {
            assert!(!plain(&with(field)), "{field}");
        }
        for text in [
            "GET /a HTTP/1.0\r\nHost: a\r\n\r\n",
            "HEAD /a HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /a HTTP/1.1\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: a b\r\n\r\n",
            "GET http://b/a HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET * HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /\u{e4} HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "\u{16}\u{3}\u{1}",
        ] {
            assert!(!plain(text), "{text}");
        }
    }
}
