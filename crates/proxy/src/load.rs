//! Requests by a plan, whether or not earlier ones were answered: an open loop, so that a server
//! that makes its clients wait does not thereby get fewer requests (coordinated omission).
//!
//! Every request has its instant; waits count from it, not from when the request could be sent. A
//! request takes an idle connection or makes one, without bound. Answers in the form of the
//! [origin program](crate::OriginProgram) are checked to the last byte.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;

/// The most bytes of an answer's header.
const MOST_HEADER: usize = 64 << 10;
/// What is read at a time.
const PART: usize = 64 << 10;

/// A request of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// When it is made, after the start.
    pub at: Duration,
    /// What it asks for, as `/a?size=10`.
    pub target: String,
}

/// How an answer came to be, as its `Cache-Status` says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Served {
    /// From the cache.
    Hit,
    /// By the fetch of another request.
    Delayed,
    /// By a fetch of its own.
    Fetched,
    /// It does not say.
    #[default]
    Unsaid,
}

/// What became of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answered {
    /// When it was due, after the start.
    pub at: Duration,
    /// How much later it was begun: how well this program keeps up.
    pub late: Duration,
    /// From when it was due to the last byte of the answer, or to the failure.
    pub wait: Duration,
    /// The answer's status; 0 if none came whole.
    pub status: u16,
    /// How many bytes its body has.
    pub bytes: u64,
    /// Whether the body is one that the origin program gives for this target.
    pub is_right: bool,
    /// How it came to be.
    pub served: Served,
}

/// Makes requests by plan.
#[derive(Clone, Debug)]
pub struct LoadProgram {
    /// To whom.
    pub to: SocketAddr,
    /// The host that is asked for.
    pub host: String,
    /// How long an answer may take.
    pub timeout: Duration,
}

struct Connection {
    stream: TcpStream,
    /// Read, and not used yet.
    buffer: Vec<u8>,
}

/// What one exchange gave; whether the connection can be used again.
struct Exchange {
    status: u16,
    bytes: u64,
    is_right: bool,
    served: Served,
    again: bool,
}

struct Shared {
    program: LoadProgram,
    plan: Vec<Planned>,
    start: Instant,
    idle: Mutex<Vec<Connection>>,
}

impl LoadProgram {
    /// Makes the requests of `plan`, which is in order; returns what became of each, in the plan's
    /// order. Requests under way end before it returns.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub async fn run(self, plan: Vec<Planned>) -> io::Result<Vec<Answered>> {
        let start = Instant::now() + Duration::from_millis(20);
        let count = plan.len();
        let shared = Arc::new(Shared { program: self, plan, start, idle: Mutex::default() });
        let (due, mut is_due) = mpsc::unbounded_channel();
        let (done, mut is_done) = mpsc::unbounded_channel();
        // A thread sleeps to within a tenth of a millisecond, the runtime's timers only to one.
        let clock = {
            let shared = shared.clone();
            std::thread::Builder::new().spawn(move || {
                for (number, planned) in shared.plan.iter().enumerate() {
                    let left = (start + planned.at).saturating_duration_since(Instant::now());
                    if !left.is_zero() {
                        std::thread::sleep(left);
                    }
                    if due.send(number).is_err() {
                        return;
                    }
                }
            })?
        };
        while let Some(number) = is_due.recv().await {
            let (shared, done) = (shared.clone(), done.clone());
            tokio::spawn(async move { done.send((number, shared.request(number).await)) });
        }
        drop(done);
        let mut answered = vec![Answered::default(); count];
        while let Some((number, answer)) = is_done.recv().await {
            answered[number] = answer;
        }
        clock.join().map_err(|_| io::Error::other("the clock's thread ended"))?;
        Ok(answered)
    }
}

impl Shared {
    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn request(&self, number: usize) -> Answered {
        let planned = &self.plan[number];
        let due = self.start + planned.at;
        let late = due.elapsed();
        let exchange = tokio::time::timeout(self.program.timeout, self.exchange(planned)).await;
        let wait = due.elapsed();
        let answered = Answered { at: planned.at, late, wait, ..Answered::default() };
        match exchange {
            Ok(Ok(Exchange { status, bytes, is_right, served, .. })) => {
                Answered { status, bytes, is_right, served, ..answered }
            }
            Ok(Err(_)) | Err(_) => answered,
        }
    }

    async fn exchange(&self, planned: &Planned) -> io::Result<Exchange> {
        let mut text = format!("GET {} HTTP/1.1\r\n", planned.target);
        text.push_str(&format!("Host: {}\r\n\r\n", self.program.host));
        let used = self.idle().pop();
        if let Some(mut connection) = used {
            // The server may have closed it meanwhile: then a new one is made, as clients do.
            if connection.stream.write_all(text.as_bytes()).await.is_ok()
                && connection.has_answer().await
            {
                return self.finish(connection, &planned.target).await;
            }
        }
        let stream = TcpStream::connect(self.program.to).await?;
        stream.set_nodelay(true)?;
        let mut connection = Connection { stream, buffer: Vec::new() };
        connection.stream.write_all(text.as_bytes()).await?;
        self.finish(connection, &planned.target).await
    }

    async fn finish(&self, mut connection: Connection, target: &str) -> io::Result<Exchange> {
        let exchange = connection.answer(target).await?;
        if exchange.again {
            self.idle().push(connection);
        }
        Ok(exchange)
    }
}

fn broken(problem: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, problem)
}

/// How a body ends.
#[derive(Clone, Copy)]
enum Frame {
    Length(u64),
    Chunks,
    Close,
}

impl Connection {
    /// Waits for the first bytes of an answer; whether any came.
    async fn has_answer(&mut self) -> bool {
        matches!(self.more().await, Ok(more) if more > 0)
    }

    async fn more(&mut self) -> io::Result<usize> {
        let before = self.buffer.len();
        self.buffer.resize(before + PART, 0);
        let read = self.stream.read(&mut self.buffer[before..]).await;
        self.buffer.truncate(before + *read.as_ref().unwrap_or(&0));
        read
    }

    /// Reads until there is `end`; returns what is before it, and takes both away.
    async fn until(&mut self, end: &[u8]) -> io::Result<Vec<u8>> {
        loop {
            if let Some(at) = self.buffer.windows(end.len()).position(|part| part == end) {
                let found = self.buffer[..at].to_vec();
                self.buffer.drain(..at + end.len());
                return Ok(found);
            }
            if self.buffer.len() > MOST_HEADER || self.more().await? == 0 {
                return Err(broken("no end of a header"));
            }
        }
    }

    async fn answer(&mut self, target: &str) -> io::Result<Exchange> {
        let header = self.until(b"\r\n\r\n").await?;
        let header = String::from_utf8_lossy(&header);
        let mut lines = header.split("\r\n");
        let first = lines.next().unwrap_or_default();
        let status = first.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status: u16 = status.ok_or_else(|| broken("no status"))?;
        let (mut frame, mut again, mut served) = (Frame::Close, true, Served::Unsaid);
        for (name, value) in lines.filter_map(|line| line.split_once(':')) {
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "content-length" => {
                    frame = Frame::Length(value.parse().map_err(|_| broken("an odd length"))?);
                }
                "transfer-encoding" => frame = Frame::Chunks,
                "connection" => again = !value.eq_ignore_ascii_case("close"),
                "cache-status" => served = served_by(value),
                _ => {}
            }
        }
        let mut check = Check { target, line: Vec::new(), whole: false, at: 0, right: true };
        match frame {
            Frame::Length(length) => self.take(length, &mut check).await?,
            Frame::Chunks => loop {
                let line = self.until(b"\r\n").await?;
                let line = String::from_utf8_lossy(&line);
                let digits = line.split(';').next().unwrap_or_default().trim();
                let length = u64::from_str_radix(digits, 16).map_err(|_| broken("an odd chunk"))?;
                self.take(length, &mut check).await?;
                if !self.until(b"\r\n").await?.is_empty() {
                    return Err(broken("a chunk of another length"));
                }
                if length == 0 {
                    break;
                }
            },
            Frame::Close => {
                again = false;
                loop {
                    check.see(&self.buffer);
                    self.buffer.clear();
                    if self.more().await? == 0 {
                        break;
                    }
                }
            }
        }
        let (bytes, is_right) = (check.at, check.is_right());
        Ok(Exchange { status, bytes, is_right, served, again })
    }

    async fn take(&mut self, length: u64, check: &mut Check<'_>) -> io::Result<()> {
        let mut left = length;
        while left > 0 {
            if self.buffer.is_empty() && self.more().await? == 0 {
                return Err(broken("the body ends early"));
            }
            let part = self.buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            check.see(&self.buffer[..part]);
            self.buffer.drain(..part);
            left -= part as u64;
        }
        Ok(())
    }
}

fn served_by(said: &str) -> Served {
    let has = |word: &str| said.split(';').any(|part| part.trim() == word);
    match (has("hit"), has("collapsed"), said.contains("fwd=")) {
        (true, ..) => Served::Hit,
        (_, true, _) => Served::Delayed,
        (.., true) => Served::Fetched,
        _ => Served::Unsaid,
    }
}

/// Compares a body with what the origin program gives: one line again and again.
struct Check<'a> {
    target: &'a str,
    line: Vec<u8>,
    /// Whether all of the line has been seen.
    whole: bool,
    at: u64,
    right: bool,
}

impl Check<'_> {
    fn see(&mut self, mut part: &[u8]) {
        while !part.is_empty() {
            if !self.whole {
                let end = part.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
                let taken = end.unwrap_or(part.len());
                self.line.extend_from_slice(&part[..taken]);
                self.whole = end.is_some();
                self.at += taken as u64;
                part = &part[taken..];
                continue;
            }
            let from = (self.at % self.line.len() as u64) as usize;
            let taken = part.len().min(self.line.len() - from);
            self.right &= part[..taken] == self.line[from..from + taken];
            self.at += taken as u64;
            part = &part[taken..];
        }
    }

    /// Whether all was as it should be: this target's line, as far as there is room for it.
    fn is_right(&self) -> bool {
        let start = format!("{} answer ", self.target);
        let seen = self.line.len().min(start.len());
        self.right && self.line[..seen] == start.as_bytes()[..seen]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OriginProgram;
    use tokio::net::TcpListener;

    fn plan(requests: &[(u64, &str)]) -> Vec<Planned> {
        let one = |(at, target): &(u64, &str)| Planned {
            at: Duration::from_millis(*at),
            target: (*target).to_owned(),
        };
        requests.iter().map(one).collect()
    }

    fn load(to: SocketAddr) -> LoadProgram {
        LoadProgram { to, host: "here".to_owned(), timeout: Duration::from_secs(5) }
    }

    #[tokio::test]
    async fn requests_come_when_they_are_due_though_earlier_ones_wait() -> io::Result<()> {
        let origin = OriginProgram { delay: Duration::from_millis(60), size: 100, ttl: 9 };
        let (to, serve) = origin.listen(([127, 0, 0, 1], 0).into()).await?;
        tokio::spawn(serve);
        let requests = plan(&[(0, "/a"), (10, "/b?size=70000"), (20, "/c?delay=1ms&size=3")]);
        let answered = load(to).run(requests).await?;
        assert!(answered.iter().all(|one| one.status == 200 && one.is_right), "{answered:?}");
        let bytes: Vec<u64> = answered.iter().map(|one| one.bytes).collect();
        assert_eq!(bytes, [100, 70_000, 3]);
        assert!(answered[0].wait >= Duration::from_millis(60), "{answered:?}");
        assert!(answered[2].wait < Duration::from_millis(60), "{answered:?}");
        Ok(())
    }

    #[tokio::test]
    async fn bodies_that_are_cut_or_another_s_are_seen() -> io::Result<()> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let to = listener.local_addr()?;
        tokio::spawn(async move {
            for answer in [
                "HTTP/1.1 200 OK\r\ncontent-length: 30\r\n\r\n/a answer 1\n/a ans",
                "HTTP/1.1 200 OK\r\ncontent-length: 12\r\n\r\n/b answer 1\n",
                "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n\
                 9\r\n/c answer\r\n6\r\n 1\n/c \r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\n\r\n/d answer 1\n/d answer 2\n",
            ] {
                let Ok((mut stream, _)) = listener.accept().await else { return };
                let mut request = [0; 1000];
                let _ = stream.read(&mut request).await;
                let _ = stream.write_all(answer.as_bytes()).await;
            }
        });
        let requests = plan(&[(0, "/a"), (50, "/x"), (100, "/c"), (150, "/d")]);
        let answered = load(to).run(requests).await?;
        let seen: Vec<_> = answered.iter().map(|one| (one.status, one.is_right)).collect();
        assert_eq!(seen, [(0, false), (200, false), (200, true), (200, false)]);
        Ok(())
    }

    #[test]
    fn cache_status_says_how_an_answer_came_to_be() {
        assert_eq!(served_by("forebay; hit; ttl=3"), Served::Hit);
        assert_eq!(served_by("forebay; fwd=uri-miss; collapsed; ttl=3"), Served::Delayed);
        assert_eq!(served_by("forebay; fwd=uri-miss; stored"), Served::Fetched);
        assert_eq!(served_by("other"), Served::Unsaid);
    }
}
