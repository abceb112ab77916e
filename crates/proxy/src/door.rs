//! The door: lets clients in, as many as there may be, and serves each by what it speaks.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use pingora_core::apps::{HttpPersistentSettings, HttpServerApp};
use pingora_core::listeners::tls::Acceptor;
use pingora_core::protocols::http::ServerSession;
use pingora_core::protocols::http::v2::server::default_h2_options;
use pingora_core::protocols::l4::stream::Stream as Plain;
use pingora_core::protocols::{ALPN, Stream};
#[cfg(unix)]
use pingora_core::protocols::{GetSocketDigest, SocketDigest};
use pingora_proxy::HttpProxy;
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{AcquireError, Notify, OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;

use crate::http2;
use crate::plain;
use crate::service::Service;
use crate::shared::Shared;
use crate::stream::{Joined, Place};

/// How long a client may take to agree on TLS.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// How a client begins that speaks HTTP/2 (RFC 9113, 3.4).
const H2: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// How long to wait when the system has no room for another connection.
const NO_ROOM: Duration = Duration::from_millis(100);
/// How long an idle client may take to leave until another is told to.
const AGAIN: Duration = Duration::from_millis(20);

pub(crate) type Proxy = HttpProxy<Service>;
/// What makes TLS of a connection; it can be renewed.
pub(crate) type Tlss = Arc<RwLock<Option<Arc<Acceptor>>>>;

/// Waits until there may be another client. The one that has been idle for longest leaves for it;
/// if that one asks at the same moment, the next.
async fn permit(
    permits: Arc<Semaphore>,
    needed: &Notify,
) -> Result<OwnedSemaphorePermit, AcquireError> {
    if let Ok(permit) = permits.clone().try_acquire_owned() {
        return Ok(permit);
    }
    let mut permit = std::pin::pin!(permits.acquire_owned());
    loop {
        needed.notify_one();
        tokio::select! {
            permit = &mut permit => return permit,
            () = tokio::time::sleep(AGAIN) => {}
        }
    }
}

/// Lets clients in.
pub(crate) struct Door {
    pub(crate) proxy: Arc<Proxy>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) tls: Tlss,
    pub(crate) permits: Arc<Semaphore>,
    /// Tells an idle client to make room.
    pub(crate) needed: Arc<Notify>,
    pub(crate) stopped: watch::Receiver<bool>,
    pub(crate) grace: Duration,
}

impl Door {
    pub(crate) async fn open(mut self, listener: TcpListener) {
        let mut clients = JoinSet::new();
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                _ = self.stopped.changed() => break,
            };
            while clients.try_join_next().is_some() {}
            let stream = match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    log::warn!("a client could not be let in: {error}");
                    tokio::time::sleep(NO_ROOM).await;
                    continue;
                }
            };
            // One who is too many waits here, others in the system's queue.
            let permit = tokio::select! {
                permit = permit(self.permits.clone(), &self.needed) => permit,
                _ = self.stopped.changed() => break,
            };
            let Ok(permit) = permit else { break };
            let (proxy, shared) = (self.proxy.clone(), self.shared.clone());
            let tls = self.tls.read().unwrap_or_else(PoisonError::into_inner).clone();
            let stopped = self.stopped.clone();
            let place = Place::new(&self.needed);
            clients.spawn(async move {
                shared.connected(1);
                serve(&proxy, &shared, stream, tls, place, &stopped).await;
                shared.connected(-1);
                drop(permit);
            });
        }
        drop(listener);
        let all = async { while clients.join_next().await.is_some() {} };
        if tokio::time::timeout(self.grace, all).await.is_err() {
            log::warn!("requests that took too long to end were cut off");
            clients.shutdown().await;
        }
    }
}

/// A connection that knows whose it is.
#[cfg(unix)]
fn named(stream: TcpStream) -> Plain {
    use std::os::fd::AsRawFd;

    let digest = SocketDigest::from_raw_fd(stream.as_raw_fd());
    let mut plain = Plain::from(stream);
    plain.set_socket_digest(digest);
    plain
}

#[cfg(not(unix))]
fn named(stream: TcpStream) -> Plain {
    Plain::from(stream)
}

async fn serve(
    proxy: &Arc<Proxy>,
    shared: &Shared,
    stream: TcpStream,
    tls: Option<Arc<Acceptor>>,
    place: Place,
    stopped: &watch::Receiver<bool>,
) {
    // No part of an answer waits for the client to have got another.
    if let Err(error) = stream.set_nodelay(true) {
        log::debug!("a client is already gone: {error}");
        return;
    }
    let mut plain = named(stream);
    let Some(acceptor) = tls else {
        let patience = shared.live().config.limits.client_timeout;
        let mut stopping = stopped.clone();
        let first = tokio::select! {
            first = speaks_http2(&mut plain, patience) => first,
            _ = stopping.wait_for(|stopped| *stopped) => None,
        };
        return match first {
            None => {}
            Some(true) => serve_http2(proxy, shared, Box::new(plain), stopped).await,
            Some(false) => {
                let stream = Box::new(Joined::new(plain, place.clone()));
                serve_http1(proxy, shared, stream, &place, patience, stopped).await;
            }
        };
    };
    match tokio::time::timeout(HANDSHAKE, acceptor.tls_handshake(plain)).await {
        Ok(Ok(stream)) => {
            let stream: Stream = Box::new(stream);
            if matches!(stream.selected_alpn_proto(), Some(ALPN::H2)) {
                serve_http2(proxy, shared, stream, stopped).await;
            } else {
                let patience = shared.live().config.limits.client_timeout;
                serve_http1(proxy, shared, stream, &place, patience, stopped).await;
            }
        }
        Ok(Err(error)) => log::debug!("no TLS with a client: {error}"),
        Err(_) => log::debug!("a client takes too long to agree on TLS"),
    }
}

/// Reads until it shows whether a client speaks HTTP/2; `None` if it does not speak in time. What
/// was read is read again by who serves it. (Pingora's own look waits for all 24 bytes of HTTP/2's
/// beginning, for ever, and a request of HTTP/1.0 can have less.)
async fn speaks_http2(stream: &mut Plain, patience: Duration) -> Option<bool> {
    let mut start = [0; H2.len()];
    let mut read = 0;
    while read < H2.len() && start[..read] == H2[..read] {
        match tokio::time::timeout(patience, stream.read(&mut start[read..])).await {
            Ok(Ok(more)) if more > 0 => read += more,
            Ok(Ok(_) | Err(_)) | Err(_) => return None,
        }
    }
    stream.rewind(&start[..read]);
    Some(read == H2.len() && start == *H2)
}

async fn serve_http2(
    proxy: &Arc<Proxy>,
    shared: &Shared,
    stream: Stream,
    stopped: &watch::Receiver<bool>,
) {
    let limits = shared.live().config.limits.clone();
    let mut options = default_h2_options();
    options.max_header_list_size(u32::try_from(limits.header_bytes).unwrap_or(u32::MAX));
    http2::serve(proxy, stream, options, limits.client_timeout, stopped).await;
}

/// Serves the requests of one connection, one after another: those that are plain and ready here,
/// others by Pingora.
async fn serve_http1(
    proxy: &Arc<Proxy>,
    shared: &Shared,
    mut stream: Stream,
    place: &Place,
    patience: Duration,
    stopped: &watch::Receiver<bool>,
) {
    // Pingora counts in seconds.
    let idle = patience.as_secs() + u64::from(patience.subsec_nanos() > 0);
    let mut settings: Option<HttpPersistentSettings> = None;
    let mut keepalive = (!*stopped.borrow()).then_some(idle);
    while let Some(asking) = plain::serve(shared, stream, place, patience, stopped).await {
        let mut session = ServerSession::new_http1(asking);
        if let Some(settings) = settings.take() {
            settings.apply_to_session(&mut session);
        }
        // Pingora lets go of it with each request, and would then wait for ever.
        session.set_keepalive(keepalive);
        session.set_read_timeout(Some(patience));
        let Some(again) = proxy.process_new_http(session, stopped).await else { return };
        place.answered();
        (stream, settings) = again.consume();
        keepalive = Some(idle);
    }
}
