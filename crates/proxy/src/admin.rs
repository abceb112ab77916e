//! The address to look at the proxy: `/metrics`, `/objects`, and to empty its cache. On loopback.
//!
//! | request | |
//! |---|---|
//! | `GET /` and what it needs | a page, if there is one ([`Page`]) |
//! | `GET /state` | what it shows, as JSON |
//! | `GET /metrics` | counters, as Prometheus text |
//! | `GET /objects` | the URLs that were waited for most, and how long in all |
//! | `GET /healthz` | `ok` |
//! | `POST /purge?host/path` | removes what is cached for this URL, which may begin with its scheme |
//! | `POST /clear` | removes everything |

use std::borrow::Cow;
use std::fmt::Write;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;

use crate::messages::{is_host, key_of};
use crate::shared::Shared;
use crate::state;

/// The most bytes of a request's header.
const MOST: usize = 16 << 10;
const PATIENCE: Duration = Duration::from_secs(5);
/// How many may look at a time.
const LOOKERS: usize = 16;

/// A file of a page.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct PageFile {
    /// Where it is found, as `/`.
    pub path: &'static str,
    /// Its `Content-Type`.
    pub kind: &'static str,
    /// What is in it.
    pub text: &'static str,
}

impl PageFile {
    /// One of these.
    #[must_use]
    pub const fn new(path: &'static str, kind: &'static str, text: &'static str) -> Self {
        PageFile { path, kind, text }
    }
}

/// A page that shows what the proxy does, from `GET /state`. It runs no script and shows no style
/// but its own, and asks nobody else.
#[derive(Clone, Copy, Debug, Default)]
pub struct Page(pub &'static [PageFile]);

const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";
/// For browsers: nothing from elsewhere, nothing inline, in nobody's frame.
const POLICY: &str = "content-security-policy: default-src 'none'; script-src 'self'; \
                      style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'\r\n\
                      x-content-type-options: nosniff\r\nreferrer-policy: no-referrer\r\n\
                      cache-control: no-store\r\n";

pub(crate) async fn serve(
    listener: TcpListener,
    shared: Arc<Shared>,
    mut stopped: watch::Receiver<bool>,
) {
    let room = Arc::new(Semaphore::new(LOOKERS));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stopped.changed() => return,
        };
        let (Ok((stream, _)), Ok(place)) = (accepted, room.clone().try_acquire_owned()) else {
            continue;
        };
        let shared = shared.clone();
        tokio::spawn(async move {
            // Whoever does not ask in time, or does not listen, gets nothing.
            if let Ok(Err(error)) = timeout(PATIENCE, answer(stream, &shared)).await {
                log::debug!("nobody looks any more: {error}");
            }
            drop(place);
        });
    }
}

async fn answer(mut stream: TcpStream, shared: &Shared) -> io::Result<()> {
    let mut header = Vec::new();
    while !header.windows(4).any(|end| end == b"\r\n\r\n") {
        let mut part = [0; 4096];
        let read = stream.read(&mut part).await?;
        if read == 0 || header.len() + read > MOST {
            return Ok(());
        }
        header.extend_from_slice(&part[..read]);
    }
    let Answer { status, kind, body } = respond(&String::from_utf8_lossy(&header), shared);
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\n{POLICY}content-length: {length}\r\n\
         connection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body.as_bytes()).await?;
    stream.shutdown().await
}

/// The value of a header field.
fn field<'a>(header: &'a str, name: &str) -> Option<&'a str> {
    header.lines().skip(1).find_map(|line| {
        let (found, value) = line.split_once(':')?;
        found.trim().eq_ignore_ascii_case(name).then_some(value.trim())
    })
}

/// Whether a page of another site asks, through a browser: by a name that is not this machine's, or
/// with the page's origin.
pub(crate) fn is_foreign(header: &str) -> bool {
    let host = field(header, "host").unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name).trim_matches(['[', ']']);
    let local = name == "localhost" || name.parse::<IpAddr>().is_ok();
    !local || field(header, "origin").is_some()
}

struct Answer {
    status: &'static str,
    kind: &'static str,
    body: Cow<'static, str>,
}

fn text(status: &'static str, body: impl Into<Cow<'static, str>>) -> Answer {
    Answer { status, kind: TEXT, body: body.into() }
}

/// Host, in lower case, and target of a URL, with its scheme or without; `None` if it is none.
fn named(url: &str) -> Option<(String, &str)> {
    let url = match url.split_once("://") {
        Some(("http" | "https", rest)) => rest,
        // It is a part of the path, as in /a?of=http://b/.
        Some((before, _)) if before.contains('/') => url,
        Some(_) => return None,
        None => url,
    };
    let (host, target) = url.split_at(url.find('/')?);
    (!host.is_empty() && is_host(host)).then(|| (host.to_ascii_lowercase(), target))
}

fn respond(header: &str, shared: &Shared) -> Answer {
    let mut words = header.split_ascii_whitespace();
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if is_foreign(header) {
        return text("403 Forbidden", "ask by address, and from no other page\n");
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    if let Some(file) = shared.page.0.iter().find(|file| file.path == path) {
        return match method {
            "GET" => Answer { status: "200 OK", kind: file.kind, body: file.text.into() },
            _ => text("405 Method Not Allowed", "GET it\n"),
        };
    }
    match (method, path) {
        ("GET", "/healthz") => text("200 OK", "ok\n"),
        ("GET", "/state") => {
            let body = state::of(shared).to_string().into();
            Answer { status: "200 OK", kind: "application/json", body }
        }
        ("GET", "/metrics") => {
            let cache = shared.cache;
            let unlogged = shared.log.as_ref().map(|log| log.failures()).unwrap_or_default();
            let (stats, flights) = (cache.stats(), cache.flights());
            text("200 OK", shared.metrics.text(&stats, flights, unlogged, &shared.what_if))
        }
        ("GET", "/objects") => {
            let mut lines = String::new();
            for (url, span) in shared.metrics.most_waited(50) {
                // Writing to a text does not fail.
                writeln!(lines, "{:12.3} s  {url}", span.as_secs_f64()).unwrap_or_default();
            }
            text("200 OK", lines)
        }
        ("POST", "/clear") => {
            shared.what_if.cleared();
            text("200 OK", format!("{} removed\n", shared.cache.clear()))
        }
        ("POST", "/purge") => {
            let Some((host, target)) = named(query) else {
                let usage = "give host and path, as /purge?www.example.com/a/b\n";
                return text("400 Bad Request", usage);
            };
            let live = shared.live();
            let origin = live.routes.find(&host, target);
            let removed = origin.is_some_and(|origin| {
                shared.remove(&key_of(&origin.config.url, &host, target.as_bytes()))
            });
            text("200 OK", if removed { "removed\n" } else { "nothing was cached\n" })
        }
        (_, "/metrics" | "/objects" | "/state" | "/healthz") => {
            text("405 Method Not Allowed", "GET it\n")
        }
        (_, "/clear" | "/purge") => text("405 Method Not Allowed", "POST it\n"),
        _ => {
            let usage = "GET /metrics, /objects, /state, /healthz; POST /purge?HOST/PATH, /clear\n";
            text("404 Not Found", usage)
        }
    }
}
