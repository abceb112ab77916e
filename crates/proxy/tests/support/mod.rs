//! Origins that misbehave as told, and clients that write and read bytes.
#![allow(unreachable_pub)] // a test binary has no outside

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use forebay_proxy::{Config, Running};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;

pub type Failure = Box<dyn std::error::Error + Send + Sync>;
pub type Result<T> = std::result::Result<T, Failure>;

/// Nothing here takes so long.
const PATIENCE: Duration = Duration::from_secs(60);

pub async fn within<T>(future: impl Future<Output = Result<T>>) -> Result<T> {
    timeout(PATIENCE, future).await.map_err(|_| "it takes too long")?
}

/// Runs a test on threads of its own. Boxed, so that the runtime is compiled once, and not for each
/// test.
pub fn run<'a>(test: impl Future<Output = Result<()>> + 'a) -> Result<()> {
    let test: Pin<Box<dyn Future<Output = Result<()>> + 'a>> = Box::pin(test);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let result = runtime.block_on(within(test));
    runtime.shutdown_background();
    result
}

/// An origin that serves each request with a function of its own.
pub struct Origin {
    pub address: SocketAddr,
    /// The headers of all requests, in order.
    pub asked: Arc<Mutex<Vec<String>>>,
}

impl Origin {
    pub fn count(&self) -> usize {
        self.asked.lock().map_or(0, |asked| asked.len())
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

/// An origin whose connections each serve one request: its number and header are given to `serve`.
pub async fn origin<F, S>(serve: S) -> Result<Origin>
where
    F: Future<Output = io::Result<()>> + Send + 'static,
    S: Fn(usize, String, TcpStream) -> F + Send + Sync + 'static,
{
    served(Arc::new(move |number, header, stream| Box::pin(serve(number, header, stream)))).await
}

/// What serves a request, boxed.
type Serve = dyn Fn(usize, String, TcpStream) -> Pin<Box<dyn Future<Output = io::Result<()>> + Send>>
    + Send
    + Sync;

async fn served(serve: Arc<Serve>) -> Result<Origin> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let asked = Arc::new(Mutex::new(Vec::new()));
    let log = asked.clone();
    let count = Arc::new(AtomicUsize::new(0));
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let (serve, log, count) = (serve.clone(), log.clone(), count.clone());
            tokio::spawn(async move {
                let Ok(header) = read_header(&mut stream).await else { return };
                if header.is_empty() {
                    return;
                }
                if let Ok(mut log) = log.lock() {
                    log.push(header.clone());
                }
                let number = count.fetch_add(1, Ordering::SeqCst);
                drop(serve(number, header, stream).await);
            });
        }
    });
    Ok(Origin { address, asked })
}

/// An origin that answers every request with what `answer` says of its number and header.
pub async fn answering(
    answer: impl Fn(usize, &str) -> String + Send + Sync + 'static,
) -> Result<Origin> {
    let answer = Arc::new(answer);
    origin(move |number, header, mut stream| {
        let answer = answer.clone();
        async move {
            let text = answer(number, &header);
            stream.write_all(text.as_bytes()).await?;
            stream.shutdown().await
        }
    })
    .await
}

/// An origin that holds every answer back until it may go.
pub async fn held(lines: &'static str) -> Result<(Origin, Arc<Semaphore>)> {
    let gate = Arc::new(Semaphore::new(0));
    let open = gate.clone();
    let origin = origin(move |number, _, mut stream| {
        let open = open.clone();
        async move {
            open.acquire().await.map_err(io::Error::other)?.forget();
            stream.write_all(ok(lines, &format!("{number}")).as_bytes()).await
        }
    })
    .await?;
    Ok((origin, gate))
}

/// An answer with these header lines and this body.
pub fn ok(lines: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {length}\r\n{lines}\r\n{body}")
}

pub async fn read_header(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<String> {
    let mut header = Vec::new();
    while !header.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => header.push(byte),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break,
            Err(error) => return Err(error),
        }
    }
    Ok(String::from_utf8_lossy(&header).into_owned())
}

/// A proxy in front of `url`, with these lines more in its configuration.
pub async fn proxy(url: &str, lines: &str) -> Result<Running> {
    let text = format!(
        "listen = \"127.0.0.1:0\"\nadmin = \"127.0.0.1:0\"\n{lines}\n[[origin]]\nurl = \"{url}\"\n\
         timeout = \"2 s\"\nconnect_timeout = \"2 s\"\n"
    );
    Ok(Running::start(Config::parse(&text, ".".as_ref())?).await?)
}

#[derive(Debug, Default)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
    /// Whether the body ended as its frame says.
    pub whole: bool,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then_some(value.trim())
        })
    }

    /// What `Cache-Status` says, without its `ttl`.
    pub fn cache(&self) -> String {
        let said = self.header("cache-status").unwrap_or_default();
        let parts: Vec<&str> = said.split("; ").filter(|part| !part.starts_with("ttl=")).collect();
        parts.join("; ")
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// Reads an answer to its end.
pub async fn read_answer(stream: &mut (impl AsyncRead + Unpin), head_only: bool) -> Result<Answer> {
    let head = read_header(stream).await?;
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let mut answer = Answer { status, head, ..Answer::default() };
    if head_only || matches!(status, 204 | 304) {
        answer.whole = true;
        return Ok(answer);
    }
    let mut rest = Vec::new();
    let length = answer.header("content-length").and_then(|length| length.parse::<usize>().ok());
    if let Some(length) = length {
        rest.resize(length, 0);
        let mut read = 0;
        while read < length {
            match stream.read(&mut rest[read..]).await {
                Ok(0) | Err(_) => break,
                Ok(more) => read += more,
            }
        }
        rest.truncate(read);
        answer.whole = read == length;
        answer.body = rest;
        return Ok(answer);
    }
    if answer.header("transfer-encoding").is_none() {
        answer.whole = stream.read_to_end(&mut answer.body).await.is_ok();
        return Ok(answer);
    }
    loop {
        let mut line = Vec::new();
        while !line.ends_with(b"\r\n") {
            match stream.read_u8().await {
                Ok(byte) => line.push(byte),
                Err(_) => return Ok(answer),
            }
        }
        let size = String::from_utf8_lossy(&line).trim().to_owned();
        let size = usize::from_str_radix(&size, 16)?;
        let mut chunk = vec![0; size + 2];
        if stream.read_exact(&mut chunk).await.is_err() {
            return Ok(answer);
        }
        if size == 0 {
            answer.whole = true;
            return Ok(answer);
        }
        answer.body.extend_from_slice(&chunk[..size]);
    }
}

/// Sends these bytes over a new connection and reads what comes back.
pub async fn send(address: SocketAddr, request: &str) -> Result<Answer> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(request.as_bytes()).await?;
    read_answer(&mut stream, request.starts_with("HEAD")).await
}

/// A request for `path`, with these header lines more.
pub fn request(path: &str, lines: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: a.example\r\n{lines}\r\n")
}

pub async fn get(proxy: &Running, path: &str, lines: &str) -> Result<Answer> {
    send(proxy.addresses()[0], &request(path, lines)).await
}

/// What the proxy says of itself at `path`.
pub async fn admin(proxy: &Running, method: &str, path: &str) -> Result<Answer> {
    let address = proxy.admin().ok_or("no admin address")?;
    send(address, &format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\n\r\n")).await
}

/// Waits until `test` holds: what is waited for happens, only not at once.
pub async fn until(mut test: impl FnMut() -> bool) -> Result<()> {
    for _ in 0..10_000 {
        if test() {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    Err("it does not happen".into())
}

/// Writes all, whatever becomes of it.
pub async fn try_write(stream: &mut (impl AsyncWrite + Unpin), bytes: &[u8]) {
    drop(stream.write_all(bytes).await);
}
