//! The server: one thread, few connections, each bounded in time and memory.

use std::convert::Infallible;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hyper::header::{self, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::sync::{Notify, Semaphore, watch as signal};
use tokio::time::sleep;

use super::access::Token;
use super::answers::answer;
use super::watch::Watch;

/// What a client has to say what it wants.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);
/// What an answer may take that is no stream, and what a stream may stand still.
pub(super) const STALLED: Duration = Duration::from_secs(10);
/// The most connections at once; further ones wait to be taken.
const CONNECTIONS: usize = 64;
/// The most that is kept of what a client sends.
const BUFFER: usize = 16 << 10;

/// Serves until `stopped` hears that its sender is gone.
pub(super) fn run(
    listener: TcpListener,
    token: Token,
    watch: Watch,
    mut stopped: signal::Receiver<()>,
) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    // Without one there is no view, but all else.
    let Ok(runtime) = runtime else { return };
    runtime.block_on(async {
        let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
        let (token, room) = (Arc::new(token), Arc::new(Semaphore::new(CONNECTIONS)));
        loop {
            let Ok(place) = Arc::clone(&room).acquire_owned().await else { return };
            tokio::select! {
                taken = listener.accept() => match taken {
                    Ok((stream, _)) => {
                        let (token, watch) = (Arc::clone(&token), watch.clone());
                        tokio::spawn(async move {
                            serve(stream, token, watch).await;
                            drop(place);
                        });
                    }
                    // Too many open files, say: that may pass.
                    Err(_) => sleep(Duration::from_millis(50)).await,
                },
                _ = stopped.changed() => return,
            }
        }
    });
}

/// Answers one request, since none of the few places is to be held by who asks for nothing.
async fn serve(stream: TcpStream, token: Arc<Token>, watch: Watch) {
    let is_stream = Arc::new(AtomicBool::new(false));
    let streams = Arc::clone(&is_stream);
    let stalls = Arc::new(Notify::new());
    let stalled = Arc::clone(&stalls);
    let service = service_fn(move |request| {
        let (token, watch, streams) = (Arc::clone(&token), watch.clone(), Arc::clone(&streams));
        let stalls = Arc::clone(&stalls);
        async move {
            let response = answer(request, &token, &watch, stalls).await;
            let kind = response.headers().get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
            streams.store(kind == Some(b"text/event-stream"), Ordering::Relaxed);
            Ok::<_, Infallible>(response)
        }
    });
    let connection = http1::Builder::new()
        .keep_alive(false)
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .max_buf_size(BUFFER)
        .serve_connection(TokioIo::new(stream), service);
    let too_long = async {
        sleep(2 * PATIENCE + STALLED).await;
        if is_stream.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        // Whoever went away does not want to know.
        _ = connection => {}
        () = too_long => {}
        () = stalled.notified() => {}
    }
}
