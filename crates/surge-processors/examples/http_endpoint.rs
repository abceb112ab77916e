//! A JSON endpoint that an attacker can make slow, protected: requests wait in a `Protect` instead
//! of a queue.
//!
//! ```sh
//! cargo run --release -p forebay-surge-processors --example http_endpoint
//! ```
//!
//! `POST /check` with `{"text": "…"}` answers `{"rule": 1004}` or `{"rule": null}`: which example
//! rule a text matches. One thread works on one request at a time. The program serves itself over
//! loopback: well-behaved clients, and an attacker whose texts backtrack; under FCFS, then under
//! WSJF-Inorder. What was dropped gets status 503.
//!
//! Twice: with clients whose texts the attacked rule is no candidate for, and with clients for whom
//! it is. The ratio learned for a rule is that of its slowest text, so the second look like
//! attackers themselves (thesis §3.5.2 names this weakness): a scheduler is as good as its
//! estimates.
use std::convert::Infallible;
use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration as Span, Instant};

use forebay_surge::estimate::ClassRatios;
use forebay_surge::{FlowKey, Protect, ProtectConfig, SchedulerConfig};
use forebay_surge_processors::rules::{MatchConfig, Matcher, backtracking_payload};
use forebay_surge_processors::{EXAMPLE_RULES, Packet, Transport};
use forebay_units::Time;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes as Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

type Failure = Box<dyn Error + Send + Sync>;

/// The largest body that is read.
const MOST_BYTES: usize = 64 << 10;

/// A request that waits. Its sender hears of its end either way: dropping it drops the channel.
struct Call {
    client: u64,
    packet: Packet,
    reply: oneshot::Sender<Option<u32>>,
}

/// Works on calls, one at a time, until nobody can send any.
fn work(policy: &str, matcher: &Matcher, calls: &Receiver<Call>) -> Result<(), Failure> {
    let scheduler = SchedulerConfig { capacity: 32, ..SchedulerConfig::under(policy)? };
    let config = ProtectConfig { scheduler, ..ProtectConfig::default() };
    let describe = |call: &Call| (FlowKey(call.client), call.packet.size);
    // 10 ns per byte and rule until better is known.
    let candidates = |call: &Call| matcher.candidates(&call.packet).rules;
    let estimator = ClassRatios::new(matcher.rules().len(), 10e-9, candidates);
    let check = |call: Call| {
        let candidates = matcher.candidates(&call.packet).rules;
        let verdict = matcher.full_match(&call.packet, &candidates, || Time::ZERO);
        let sid = verdict.matched.and_then(|rule| matcher.rules().get(rule as usize));
        // Who has hung up does not want to know.
        let _ = call.reply.send(sid.map(|rule| rule.sid));
    };
    let mut endpoint = Protect::new(&config, describe, estimator, check)?;
    let start = Instant::now();
    let now = || Time::from_ps(start.elapsed().as_nanos() as u64 * 1000);
    loop {
        if endpoint.is_empty() {
            let Ok(call) = calls.recv() else { return Ok(()) };
            drop(endpoint.offer(now(), call));
        }
        while let Ok(call) = calls.try_recv() {
            drop(endpoint.offer(now(), call)); // and with it the channel of what was dropped
        }
        endpoint.poll(now);
    }
}

fn answer(status: StatusCode, body: String) -> Response<Full<Body>> {
    let mut response = Response::new(Full::new(Body::from(body)));
    *response.status_mut() = status;
    response
}

/// Reads a request, lets it wait for its turn, and answers.
async fn handle(
    request: Request<Incoming>,
    peer: SocketAddr,
    calls: SyncSender<Call>,
) -> Result<Response<Full<Body>>, Infallible> {
    let body = Limited::new(request.into_body(), MOST_BYTES).collect().await;
    let json = body
        .ok()
        .and_then(|body| serde_json::from_slice::<serde_json::Value>(&body.to_bytes()).ok());
    let text = json.as_ref().and_then(|json| json.get("text")?.as_str());
    let Some(text) = text else {
        let error = r#"{"error": "send {\"text\": \"…\"}, at most 64 KiB"}"#;
        return Ok(answer(StatusCode::BAD_REQUEST, error.to_owned()));
    };
    let here = ([127, 0, 0, 1], 80).into();
    let packet = Packet::new(peer, here, Transport::Tcp(Default::default()), text.as_bytes());
    let (reply, result) = oneshot::channel();
    let call = Call { client: u64::from(peer.port()), packet, reply };
    let busy = || answer(StatusCode::SERVICE_UNAVAILABLE, r#"{"error": "busy"}"#.to_owned());
    if calls.try_send(call).is_err() {
        return Ok(busy());
    }
    Ok(result.await.map_or_else(
        |_| busy(),
        |rule| answer(StatusCode::OK, serde_json::json!({ "rule": rule }).to_string()),
    ))
}

async fn serve(listener: TcpListener, calls: SyncSender<Call>) {
    while let Ok((stream, peer)) = listener.accept().await {
        let calls = calls.clone();
        let service = service_fn(move |request| handle(request, peer, calls.clone()));
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

/// Asks again and again over one connection, and counts answers and refusals.
async fn ask(
    address: SocketAddr,
    text: String,
    counts: Arc<[AtomicU64; 2]>,
) -> Result<(), Failure> {
    let stream = TcpStream::connect(address).await?;
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    let body = Body::from(serde_json::json!({ "text": text }).to_string());
    loop {
        sender.ready().await?;
        let request = Request::post("/check").header("host", "localhost");
        let response = sender.send_request(request.body(Full::new(body.clone()))?).await?;
        let refused = response.status() != StatusCode::OK;
        response.into_body().collect().await?;
        counts[usize::from(refused)].fetch_add(1, Ordering::Relaxed);
    }
}

/// What clients send: no candidate for the rule that is attacked, and one.
fn texts() -> [String; 2] {
    let plain = format!("GET /index.html HTTP/1.1\r\nHost: {}\r\n", "forest.example, ".repeat(60));
    let alike = format!("GET /index.html HTTP/1.1\r\nCookie: {}\r\n", "theme=dark; ".repeat(80));
    [plain, alike]
}

/// Two seconds of well-behaved clients, with and without an attacker; their answers per second.
async fn measure(policy: &'static str, good: &str, attackers: usize) -> Result<f64, Failure> {
    let matcher = Matcher::new(EXAMPLE_RULES, MatchConfig::default());
    let peer = ([127, 0, 0, 1], 1).into();
    let like = Packet::new(peer, peer, Transport::Tcp(Default::default()), b"");
    let start = Instant::now();
    let clock = || Time::from_ps(start.elapsed().as_nanos() as u64 * 1000);
    let (evil, _) =
        backtracking_payload(&matcher, &like, 60, clock).ok_or("no rule has an expression")?;
    let evil = String::from_utf8_lossy(&evil.payload).into_owned();
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let (calls, waiting) = sync_channel(256);
    std::thread::spawn(move || work(policy, &matcher, &waiting));
    let server = tokio::spawn(serve(listener, calls));
    let (innocent, attack): (Arc<[AtomicU64; 2]>, Arc<[AtomicU64; 2]>) = Default::default();
    let asked = |text: &str, counts: &Arc<_>| ask(address, text.to_owned(), Arc::clone(counts));
    let mut tasks: Vec<_> = (0..attackers).map(|_| tokio::spawn(asked(&evil, &attack))).collect();
    tasks.extend((0..8).map(|_| tokio::spawn(asked(good, &innocent))));
    tokio::time::sleep(Span::from_millis(500)).await;
    let before = innocent[0].load(Ordering::Relaxed);
    tokio::time::sleep(Span::from_secs(2)).await;
    let answered = innocent[0].load(Ordering::Relaxed) - before;
    tasks.into_iter().for_each(|task| task.abort());
    server.abort();
    Ok(answered as f64 / 2.0)
}

fn main() -> Result<(), Failure> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let [plain, alike] = texts();
    println!("{:<14}{:<30}{:>14}{:>18}", "policy", "clients", "alone, per s", "attacked, per s");
    for (clients, text) in [("of another rule", plain), ("of the attacked rule", alike)] {
        for policy in ["fcfs", "wsjf-inorder"] {
            let alone = runtime.block_on(measure(policy, &text, 0))?;
            let attacked = runtime.block_on(measure(policy, &text, 64))?;
            println!("{policy:<14}{clients:<30}{alone:>14.0}{attacked:>18.0}");
        }
    }
    Ok(())
}
