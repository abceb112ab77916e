//! HTTP/2 to clients, so that none holds up another.
//!
//! Pingora writes an HTTP/2 answer and reads the origin's in one step: a leader that does not read
//! would stop the fetch that others wait for. Its sessions of HTTP/1.1, and those that a service
//! brings itself, take answers as tasks to be written when there is room, while the fetch goes on.
//! So this is a session of our own around Pingora's, which only writes differently.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use futures_core::Stream;
use h2::SendStream;
use http::HeaderMap;
use pingora_core::apps::HttpServerApp;
use pingora_core::protocols::http::custom::CustomMessageWrite;
use pingora_core::protocols::http::custom::server::Session as CustomSession;
use pingora_core::protocols::http::v2::server::{H2Accept, H2Options, HttpSession, handshake};
use pingora_core::protocols::http::{HttpTask, ServerSession};
use pingora_core::protocols::l4::socket::SocketAddr;
use pingora_core::protocols::{Digest, Stream as Connection};
use pingora_error::{Error, ErrorType, OrErr, Result};
use pingora_http::{RequestHeader, ResponseHeader};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// How many malformed requests a connection may send.
const MOST_MALFORMED: usize = 32;
/// How many requests of a connection may be under way: more than its streams at a time, since a
/// fetch goes on when its stream is reset; a connection with more ends.
const MOST_REQUESTS: usize = 200;

/// Serves the requests of one connection, all at a time. It is closed when it was silent for
/// `patience`, and takes no more requests once `stopped`.
pub(crate) async fn serve<A>(
    app: &Arc<A>,
    stream: Connection,
    options: H2Options,
    patience: Duration,
    stopped: &watch::Receiver<bool>,
) where
    A: HttpServerApp + Send + Sync + 'static,
{
    let digest = Arc::new(Digest {
        ssl_digest: stream.get_ssl_digest(),
        timing_digest: stream.get_timing_digest(),
        proxy_digest: stream.get_proxy_digest(),
        socket_digest: stream.get_socket_digest(),
    });
    let handshaken = tokio::time::timeout(patience, handshake(stream, Some(options))).await;
    let Ok(Ok(mut connection)) = handshaken else { return };
    let (mut requests, mut malformed, mut stopping) = (JoinSet::new(), 0, stopped.clone());
    let mut is_stopping = false;
    loop {
        let accepted = tokio::select! {
            accepted = HttpSession::from_h2_conn(&mut connection, digest.clone()) => accepted,
            Some(_) = requests.join_next() => continue,
            _ = stopping.wait_for(|stopped| *stopped), if !is_stopping => {
                connection.graceful_shutdown();
                is_stopping = true;
                continue;
            }
            () = tokio::time::sleep(patience), if requests.is_empty() => return,
        };
        match accepted {
            Ok(Some(H2Accept::Session(_))) if requests.len() >= MOST_REQUESTS => break,
            Ok(Some(H2Accept::Session(session))) => {
                let (app, stopped) = (app.clone(), stopped.clone());
                requests.spawn(async move {
                    let session = ServerSession::new_custom(Box::new(Patient::new(session)));
                    app.process_new_http(session, &stopped).await;
                });
            }
            Ok(Some(H2Accept::Rejected)) if malformed < MOST_MALFORMED => malformed += 1,
            // Requests under way end by themselves, and let go of who waits for them.
            Ok(Some(H2Accept::Rejected)) => break,
            Ok(None) => break,
            Err(error) => {
                log::debug!("a client of HTTP/2 is gone: {error}");
                break;
            }
        }
    }
    // Fetches that they lead go on for others.
    while requests.join_next().await.is_some() {}
}

/// A session that writes when there is room.
struct Patient {
    inner: HttpSession,
    /// Where the body goes, once the header is written.
    writer: Option<SendStream<Bytes>>,
    tasks: VecDeque<HttpTask>,
    /// What is being written, and whether it is the last.
    writing: Option<(Bytes, bool)>,
    /// Whether the last has come, and whether the end was written.
    last: bool,
    ended: bool,
    sent: usize,
    timeout: Option<Duration>,
    decoupled: bool,
}

impl Patient {
    fn new(inner: HttpSession) -> Self {
        Patient {
            inner,
            writer: None,
            tasks: VecDeque::new(),
            writing: None,
            last: false,
            ended: false,
            sent: 0,
            timeout: None,
            decoupled: false,
        }
    }

    fn write_header(&mut self, header: Box<ResponseHeader>, end: bool) -> Result<()> {
        let informational = header.status.is_informational();
        self.inner.write_response_header(header, end).map_err(Error::into_down)?;
        if !informational {
            if self.writer.is_none() {
                self.writer = self.inner.take_response_body_writer();
            }
            self.ended |= end;
        }
        Ok(())
    }

    /// Writes what there is to be written as the client makes room for it. Nothing is lost or
    /// written twice if this is dropped and called again.
    async fn write_pending(&mut self) -> Result<()> {
        while let Some((data, end)) = &mut self.writing {
            if self.ended {
                self.writing = None;
                break;
            }
            let Some(writer) = &mut self.writer else {
                return Error::e_explain(ErrorType::H2Error, "a body comes before its header");
            };
            if data.is_empty() {
                if *end {
                    writer.send_data(Bytes::new(), true).or_err(ErrorType::WriteError, "an end")?;
                    self.ended = true;
                }
                self.writing = None;
                break;
            }
            writer.reserve_capacity(data.len());
            let room = poll_fn(|cx| writer.poll_capacity(cx));
            let room = match self.timeout {
                Some(most) => tokio::time::timeout(most, room).await.map_err(|_| {
                    Error::explain(ErrorType::WriteTimedout, "a client takes nothing more")
                })?,
                None => room.await,
            };
            let Some(room) = room else {
                return Error::e_explain(ErrorType::H2Error, "a client takes nothing any more");
            };
            let room = room.or_err(ErrorType::H2Error, "while waiting for room")?;
            let part = data.split_to(room.min(data.len()));
            let (length, whole) = (part.len(), data.is_empty());
            writer.send_data(part, whole && *end).or_err(ErrorType::WriteError, "a body")?;
            self.sent += length;
            self.ended |= whole && *end;
            if whole {
                self.writing = None;
            }
        }
        Ok(())
    }

    /// Takes up a task; whether it was the last.
    fn begin(&mut self, task: HttpTask) -> Result<bool> {
        match task {
            HttpTask::Header(header, end) => {
                self.write_header(header, end)?;
                Ok(end)
            }
            HttpTask::Body(Some(data), end) if !data.is_empty() => {
                self.writing = Some((data, end));
                Ok(end)
            }
            HttpTask::Body(_, end) => Ok(end),
            HttpTask::UpgradedBody(..) => {
                Error::e_explain(ErrorType::InternalError, "HTTP/2 is not upgraded")
            }
            HttpTask::Trailer(trailers) => {
                if let Some(trailers) = trailers {
                    self.send_trailers(*trailers)?;
                }
                Ok(true)
            }
            HttpTask::Done => Ok(true),
            HttpTask::Failed(error) => Err(error),
        }
    }

    fn send_trailers(&mut self, trailers: HeaderMap) -> Result<()> {
        if let Some(writer) = self.writer.as_mut().filter(|_| !self.ended) {
            writer.send_trailers(trailers).or_err(ErrorType::WriteError, "trailers")?;
            self.ended = true;
        }
        Ok(())
    }

    async fn write_tasks(&mut self) -> Result<bool> {
        loop {
            self.write_pending().await?;
            let Some(task) = self.tasks.pop_front() else { break };
            self.last |= self.begin(task)?;
        }
        if self.last {
            self.end()?;
        }
        Ok(self.last)
    }

    /// Says that the answer has ended, unless that was said.
    fn end(&mut self) -> Result<()> {
        if let Some(writer) = self.writer.as_mut().filter(|_| !self.ended) {
            writer.send_data(Bytes::new(), true).or_err(ErrorType::WriteError, "an end")?;
            self.ended = true;
        }
        Ok(())
    }
}

type MessageReader = Box<dyn Stream<Item = Result<Bytes>> + Unpin + Send + Sync + 'static>;

#[async_trait]
impl CustomSession for Patient {
    fn req_header(&self) -> &RequestHeader {
        self.inner.req_header()
    }

    fn req_header_mut(&mut self) -> &mut RequestHeader {
        self.inner.req_header_mut()
    }

    async fn read_body_bytes(&mut self) -> Result<Option<Bytes>> {
        self.inner.read_body_bytes().await
    }

    async fn drain_request_body(&mut self) -> Result<()> {
        self.inner.drain_request_body().await
    }

    async fn write_response_header(
        &mut self,
        header: Box<ResponseHeader>,
        end: bool,
    ) -> Result<()> {
        self.write_header(header, end)
    }

    async fn write_response_header_ref(
        &mut self,
        header: &ResponseHeader,
        end: bool,
    ) -> Result<()> {
        self.write_header(Box::new(header.clone()), end)
    }

    async fn write_body(&mut self, data: Bytes, end: bool) -> Result<()> {
        self.write_pending().await?;
        self.writing = Some((data, end));
        self.write_pending().await.map_err(Error::into_down)
    }

    async fn write_trailers(&mut self, trailers: HeaderMap) -> Result<()> {
        self.write_pending().await?;
        self.send_trailers(trailers)
    }

    async fn response_duplex_vec(&mut self, tasks: Vec<HttpTask>) -> Result<bool> {
        self.tasks.extend(tasks);
        self.write_tasks().await.map_err(Error::into_down)
    }

    fn proxy_tasks_enabled(&self) -> bool {
        self.decoupled
    }

    fn set_proxy_tasks_enabled(&mut self, enabled: bool) {
        self.decoupled = enabled;
    }

    fn send_proxy_task(&mut self, task: HttpTask) {
        self.tasks.push_back(task);
    }

    fn has_pending_proxy_tasks(&self) -> bool {
        self.writing.is_some() || !self.tasks.is_empty()
    }

    async fn write_proxy_tasks(&mut self) -> Result<bool> {
        self.write_tasks().await.map_err(Error::into_down)
    }

    /// Streams have no time of their own to be read in; the connection has.
    fn set_read_timeout(&mut self, _: Option<Duration>) {}

    fn get_read_timeout(&self) -> Option<Duration> {
        None
    }

    fn set_write_timeout(&mut self, timeout: Option<Duration>) {
        self.timeout = timeout;
    }

    fn get_write_timeout(&self) -> Option<Duration> {
        self.timeout
    }

    fn set_total_drain_timeout(&mut self, timeout: Option<Duration>) {
        self.inner.set_total_drain_timeout(timeout);
    }

    fn get_total_drain_timeout(&self) -> Option<Duration> {
        self.inner.get_total_drain_timeout()
    }

    fn request_summary(&self) -> String {
        self.inner.request_summary()
    }

    fn response_written(&self) -> Option<&ResponseHeader> {
        self.inner.response_written()
    }

    async fn shutdown(&mut self, _: u32, _: &str) {
        if !self.ended {
            self.inner.shutdown();
        }
    }

    fn is_body_done(&mut self) -> bool {
        self.inner.is_body_done()
    }

    async fn finish(&mut self) -> Result<()> {
        self.write_tasks().await.map_err(Error::into_down)?;
        self.end().map_err(Error::into_down)
    }

    fn is_body_empty(&mut self) -> bool {
        self.inner.is_body_empty()
    }

    async fn read_body_or_idle(&mut self, no_body_expected: bool) -> Result<Option<Bytes>> {
        if !no_body_expected && !self.inner.is_body_done() {
            return self.inner.read_body_bytes().await;
        }
        let reason = match &mut self.writer {
            Some(writer) => poll_fn(|cx| writer.poll_reset(cx))
                .await
                .or_err(ErrorType::H2Error, "while waiting for a client")?,
            None => self.inner.idle().await?,
        };
        Error::e_explain(ErrorType::H2Error, format!("a client has gone: {reason}"))
    }

    fn body_bytes_sent(&self) -> usize {
        self.sent
    }

    fn body_bytes_read(&self) -> usize {
        self.inner.body_bytes_read()
    }

    fn digest(&self) -> Option<&Digest> {
        self.inner.digest()
    }

    fn digest_mut(&mut self) -> Option<&mut Digest> {
        self.inner.digest_mut()
    }

    fn client_addr(&self) -> Option<&SocketAddr> {
        self.inner.client_addr()
    }

    fn server_addr(&self) -> Option<&SocketAddr> {
        self.inner.server_addr()
    }

    fn pseudo_raw_h1_request_header(&self) -> Bytes {
        self.inner.pseudo_raw_h1_request_header()
    }

    fn enable_retry_buffering(&mut self) {
        self.inner.enable_retry_buffering();
    }

    fn retry_buffer_truncated(&self) -> bool {
        self.inner.retry_buffer_truncated()
    }

    fn get_retry_buffer(&self) -> Option<Bytes> {
        self.inner.get_retry_buffer()
    }

    async fn finish_custom(&mut self) -> Result<()> {
        Ok(())
    }

    fn take_custom_message_reader(&mut self) -> Option<MessageReader> {
        None
    }

    fn restore_custom_message_reader(&mut self, _: MessageReader) -> Result<()> {
        Ok(())
    }

    fn take_custom_message_writer(&mut self) -> Option<Box<dyn CustomMessageWrite>> {
        None
    }

    fn restore_custom_message_writer(&mut self, _: Box<dyn CustomMessageWrite>) -> Result<()> {
        Ok(())
    }
}
