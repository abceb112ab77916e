//! The address to look at the proxy: `/metrics`, `/objects`, and to empty its cache. On loopback.
//!
//! | request | |
//! |---|---|
//! | `GET /metrics` | counters, as Prometheus text |
//! | `GET /objects` | the URLs that were waited for most, and how long in all |
//! | `GET /healthz` | `ok` |
//! | `POST /purge?host/path` | removes what is cached for this URL of any origin |
//! | `POST /clear` | removes everything |

use std::fmt::Write;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;

use crate::service::{Shared, key_of};

/// The most bytes of a request's header.
const MOST: usize = 16 << 10;
const PATIENCE: Duration = Duration::from_secs(5);
/// How many may look at a time.
const LOOKERS: usize = 16;

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
    let (status, body) = respond(&String::from_utf8_lossy(&header), shared);
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/plain; version=0.0.4; charset=utf-8\r\n\
         content-length: {length}\r\nconnection: close\r\n\r\n"
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
fn is_foreign(header: &str) -> bool {
    let host = field(header, "host").unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name).trim_matches(['[', ']']);
    let local = name == "localhost" || name.parse::<IpAddr>().is_ok();
    !local || field(header, "origin").is_some()
}

fn respond(header: &str, shared: &Shared) -> (&'static str, String) {
    let mut words = header.split_ascii_whitespace();
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if is_foreign(header) {
        return ("403 Forbidden", "ask by address, and from no other page\n".to_owned());
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    match (method, path) {
        ("GET", "/healthz") => ("200 OK", "ok\n".to_owned()),
        ("GET", "/metrics") => {
            let cache = shared.cache;
            let shadows = shared.what_if.shadows();
            ("200 OK", shared.metrics.text(&cache.stats(), cache.flights(), &shadows))
        }
        ("GET", "/objects") => {
            let mut text = String::new();
            for (url, span) in shared.metrics.most_waited(50) {
                // Writing to a text does not fail.
                writeln!(text, "{:12.3} s  {url}", span.as_secs_f64()).unwrap_or_default();
            }
            ("200 OK", text)
        }
        ("POST", "/clear") => ("200 OK", format!("{} removed\n", shared.cache.clear())),
        ("POST", "/purge") => {
            let Some(slash) = query.find('/') else {
                let usage = "give host and path, as /purge?www.example.com/a/b\n";
                return ("400 Bad Request", usage.to_owned());
            };
            let (host, target) = query.split_at(slash);
            let host = host.to_ascii_lowercase();
            let live = shared.live();
            let origin = live.routes.find(&host, target);
            let removed = origin.is_some_and(|origin| {
                shared.cache.remove(&key_of(&origin.config.url, &host, target.as_bytes()))
            });
            ("200 OK", if removed { "removed\n" } else { "nothing was cached\n" }.to_owned())
        }
        (_, "/metrics" | "/objects" | "/healthz") => {
            ("405 Method Not Allowed", "GET it\n".to_owned())
        }
        (_, "/clear" | "/purge") => ("405 Method Not Allowed", "POST it\n".to_owned()),
        _ => {
            let usage = "GET /metrics, /objects, /healthz; POST /purge?HOST/PATH, /clear\n";
            ("404 Not Found", usage.to_owned())
        }
    }
}
