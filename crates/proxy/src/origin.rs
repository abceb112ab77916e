//! An origin to try a proxy on: it answers every path after a delay.
//!
//! A path's query changes the answer: `size` (bytes), `delay` (`50ms`), `ttl` (seconds of
//! `max-age`), `control` (a whole `Cache-Control`), `vary` (a field), `etag` (a text). Its body is
//! a line that says the path and how many answers were given before, repeated; so a reader can tell
//! one answer from another.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::server::bind;
use crate::signals::{Signal, Signals};

/// The most bytes of a request's header, and of an answer's body.
const MOST_HEADER: usize = 64 << 10;
const MOST_BODY: usize = 64 << 20;

/// How an origin answers unless the query says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OriginProgram {
    /// How long it takes to answer.
    pub delay: Duration,
    /// How many bytes an answer has.
    pub size: usize,
    /// How long it is fresh, in seconds.
    pub ttl: u64,
}

impl OriginProgram {
    /// Listens on `address`; returns where, and a future that serves until it is dropped.
    ///
    /// # Errors
    /// If the address cannot be had.
    pub async fn listen(
        self,
        address: SocketAddr,
    ) -> io::Result<(SocketAddr, impl Future<Output = ()> + Send)> {
        let listener = bind(address)?;
        let address = listener.local_addr()?;
        let answers = Arc::new(AtomicU64::new(0));
        Ok((address, async move {
            let mut clients = tokio::task::JoinSet::new();
            loop {
                while clients.try_join_next().is_some() {}
                match listener.accept().await {
                    Ok((stream, _)) => {
                        let answers = answers.clone();
                        clients.spawn(async move {
                            // A client that goes is no matter of the others.
                            self.serve(stream, &answers).await.unwrap_or_default();
                        });
                    }
                    Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
                }
            }
        }))
    }

    async fn serve(self, mut stream: TcpStream, answers: &AtomicU64) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let mut buffer = Vec::new();
        loop {
            let end = loop {
                if let Some(end) = buffer.windows(4).position(|end| end == b"\r\n\r\n") {
                    break end + 4;
                }
                let mut part = [0; 4096];
                let read = stream.read(&mut part).await?;
                if read == 0 || buffer.len() + read > MOST_HEADER {
                    return Ok(());
                }
                buffer.extend_from_slice(&part[..read]);
            };
            let header = String::from_utf8_lossy(&buffer[..end]).into_owned();
            buffer.drain(..end);
            let answer = self.answer(&header, answers).await;
            stream.write_all(&answer).await?;
        }
    }

    async fn answer(&self, header: &str, answers: &AtomicU64) -> Vec<u8> {
        let mut words = header.split_ascii_whitespace();
        let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or("/"));
        let query = target.split_once('?').map_or("", |(_, query)| query);
        let said = |name: &str| {
            let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            pairs.find(|(found, _)| *found == name).map(|(_, value)| value.replace('+', " "))
        };
        let number = |name: &str| said(name).and_then(|value| value.parse::<u64>().ok());
        let delay = said("delay").and_then(|text| parse_span(&text)).unwrap_or(self.delay);
        tokio::time::sleep(delay).await;

        let size = number("size").map_or(self.size, |size| size as usize).min(MOST_BODY);
        let ttl = number("ttl").unwrap_or(self.ttl);
        let control = said("control").unwrap_or_else(|| format!("max-age={ttl}"));
        let tag = said("etag").unwrap_or_else(|| "one".to_owned());
        let clean = |text: String| text.replace(['\r', '\n'], "");
        let mut head = format!(
            "cache-control: {}\r\netag: \"{}\"\r\ncontent-type: text/plain\r\n",
            clean(control),
            clean(tag.clone())
        );
        if let Some(vary) = said("vary") {
            head.push_str(&format!("vary: {}\r\n", clean(vary)));
        }
        let known = header.lines().any(|line| {
            line.split_once(':').is_some_and(|(name, value)| {
                name.eq_ignore_ascii_case("if-none-match") && value.trim() == format!("\"{tag}\"")
            })
        });
        let count = answers.fetch_add(1, Ordering::Relaxed);
        if known {
            return format!("HTTP/1.1 304 Not Modified\r\n{head}\r\n").into_bytes();
        }
        let line = format!("{target} answer {count}\n");
        let mut answer =
            format!("HTTP/1.1 200 OK\r\n{head}content-length: {size}\r\n\r\n").into_bytes();
        if method != "HEAD" {
            answer.extend(line.bytes().cycle().take(size));
        }
        answer
    }
}

/// Runs `program` at `address` until the process is told to stop (Ctrl-C, SIGTERM); `ready` is told
/// where it listens.
///
/// # Errors
/// If the address cannot be had.
pub fn run_origin(
    program: OriginProgram,
    address: SocketAddr,
    ready: impl FnOnce(SocketAddr),
) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut signals = Signals::new()?;
        let (address, serve) = program.listen(address).await?;
        ready(address);
        tokio::select! {
            () = serve => {}
            () = async { while signals.next().await != Signal::Stop {} } => {}
        }
        Ok(())
    })
}

/// A time as `50ms` or `2s`.
fn parse_span(text: &str) -> Option<Duration> {
    let span: forebay_units::Duration = text.parse().ok()?;
    Some(Duration::from_nanos(span.as_ps() / 1000))
}
