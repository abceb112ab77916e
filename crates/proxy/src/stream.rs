//! A client's connection whose answers leave in one piece: Pingora writes an answer's header and
//! the beginning of its body one after the other, and each would be a system call and a packet.
//!
//! The first write after the client has asked, the header, is held back until the next one, or
//! until somebody flushes or waits for the client; then both go together.
//!
//! Between two requests it leaves if its place is needed: its client is then told as if the
//! connection had been idle for too long.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use async_trait::async_trait;
use pingora_core::protocols::l4::stream::Stream as Plain;
use pingora_core::protocols::raw_connect::ProxyDigest;
use pingora_core::protocols::{
    GetProxyDigest, GetSocketDigest, GetTimingDigest, Peek, Shutdown, SocketDigest, Ssl,
    TimingDigest, UniqueID, UniqueIDType,
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::Notify;
use tokio::sync::futures::OwnedNotified;

/// The most that is held back.
const MOST: usize = 8 << 10;

/// See the module's head.
#[derive(Debug)]
pub(crate) struct Joined {
    stream: Plain,
    held: Vec<u8>,
    /// How much of it has left.
    left: usize,
    /// Whether nothing has been written since the client asked.
    asked: bool,
    place: Place,
    /// Its place in the row of those who leave when told to.
    leave: Option<Pin<Box<OwnedNotified>>>,
}

/// A connection's place among those that there may be.
#[derive(Clone, Debug, Default)]
pub(crate) struct Place {
    /// Tells one connection that is idle, the one that has been for longest, to leave.
    pub(crate) needed: Arc<Notify>,
    /// Whether the client has its answers, and has asked for nothing yet.
    idle: Arc<AtomicBool>,
}

impl Place {
    /// One of those that `needed` tells.
    pub(crate) fn new(needed: &Arc<Notify>) -> Self {
        Place { needed: needed.clone(), idle: Arc::default() }
    }

    /// The last answer has ended.
    pub(crate) fn answered(&self) {
        self.idle.store(true, Ordering::Relaxed);
    }
}

impl Joined {
    pub(crate) fn new(stream: Plain, place: Place) -> Self {
        Joined { stream, held: Vec::new(), left: 0, asked: true, place, leave: None }
    }

    /// Gives back what was read: it is read again.
    pub(crate) fn rewind(&mut self, data: &[u8]) {
        self.stream.rewind(data);
    }

    /// Whether it is told to leave: then it reads as if the client had gone.
    fn poll_leave(&mut self, context: &mut Context<'_>) -> bool {
        if !self.place.idle.load(Ordering::Relaxed) {
            return false;
        }
        let needed = &self.place.needed;
        let leave = self.leave.get_or_insert_with(|| Box::pin(needed.clone().notified_owned()));
        let leaves = leave.as_mut().poll(context).is_ready();
        if leaves {
            self.leave = None;
        }
        leaves
    }

    /// Writes what is held back.
    fn poll_held(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.left < self.held.len() {
            let written =
                ready!(Pin::new(&mut self.stream).poll_write(context, &self.held[self.left..]))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.left += written;
        }
        self.held.clear();
        self.left = 0;
        Poll::Ready(Ok(()))
    }
}

impl AsyncRead for Joined {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        let read = Pin::new(&mut this.stream).poll_read(context, buffer);
        match &read {
            Poll::Ready(Ok(())) if buffer.filled().len() > before => {
                this.asked = true;
                this.place.idle.store(false, Ordering::Relaxed);
                this.leave = None;
            }
            // Whoever waits for the client has no more to write for now.
            Poll::Pending => {
                if let Poll::Ready(Err(error)) = this.poll_held(context) {
                    return Poll::Ready(Err(error));
                }
                if this.poll_leave(context) {
                    return Poll::Ready(Ok(()));
                }
            }
            Poll::Ready(_) => {}
        }
        read
    }
}

impl AsyncWrite for Joined {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        data: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if std::mem::take(&mut this.asked) && this.held.is_empty() && data.len() <= MOST {
            this.held.extend_from_slice(data);
            return Poll::Ready(Ok(data.len()));
        }
        loop {
            let held = this.held.len() - this.left;
            if held == 0 || data.is_empty() {
                ready!(this.poll_held(context))?;
                return Pin::new(&mut this.stream).poll_write(context, data);
            }
            let both = [IoSlice::new(&this.held[this.left..]), IoSlice::new(data)];
            let written = ready!(Pin::new(&mut this.stream).poll_write_vectored(context, &both))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            this.left += written.min(held);
            if written > held {
                this.held.clear();
                this.left = 0;
                return Poll::Ready(Ok(written - held));
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_held(context))?;
        Pin::new(&mut this.stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_held(context))?;
        Pin::new(&mut this.stream).poll_shutdown(context)
    }
}

#[async_trait]
impl Shutdown for Joined {
    async fn shutdown(&mut self) {
        Shutdown::shutdown(&mut self.stream).await;
    }
}

impl UniqueID for Joined {
    fn id(&self) -> UniqueIDType {
        self.stream.id()
    }
}

impl Ssl for Joined {}

impl Peek for Joined {}

impl GetTimingDigest for Joined {
    fn get_timing_digest(&self) -> Vec<Option<TimingDigest>> {
        self.stream.get_timing_digest()
    }
}

impl GetProxyDigest for Joined {
    fn get_proxy_digest(&self) -> Option<Arc<ProxyDigest>> {
        self.stream.get_proxy_digest()
    }
}

impl GetSocketDigest for Joined {
    fn get_socket_digest(&self) -> Option<Arc<SocketDigest>> {
        self.stream.get_socket_digest()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};

    async fn pair() -> io::Result<(TcpStream, Joined)> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let client = TcpStream::connect(listener.local_addr()?).await?;
        let (server, _) = listener.accept().await?;
        server.set_nodelay(true)?;
        Ok((client, Joined::new(Plain::from(server), Place::default())))
    }

    async fn comes(client: &mut TcpStream) -> Option<Vec<u8>> {
        let mut data = vec![0; 100];
        let soon = tokio::time::timeout(Duration::from_millis(50), client.read(&mut data)).await;
        let read = soon.ok()?.ok()?;
        data.truncate(read);
        Some(data)
    }

    #[tokio::test]
    async fn a_header_leaves_with_the_body_s_beginning_and_the_rest_at_once() -> io::Result<()> {
        let (mut client, mut server) = pair().await?;
        server.write_all(b"header ").await?;
        assert_eq!(comes(&mut client).await, None);
        server.write_all(b"body").await?;
        assert_eq!(comes(&mut client).await.unwrap(), b"header body");
        server.write_all(b" more").await?;
        assert_eq!(comes(&mut client).await.unwrap(), b" more");
        Ok(())
    }

    #[tokio::test]
    async fn what_is_held_leaves_when_flushed_or_when_the_client_is_waited_for() -> io::Result<()> {
        let (mut client, mut server) = pair().await?;
        server.write_all(b"one").await?;
        server.flush().await?;
        assert_eq!(comes(&mut client).await.unwrap(), b"one");
        client.write_all(b"again").await?;
        let mut asked = [0; 5];
        server.read_exact(&mut asked).await?;
        server.write_all(b"two").await?;
        let waits = tokio::time::timeout(Duration::from_millis(30), server.read(&mut asked)).await;
        assert!(waits.is_err());
        assert_eq!(comes(&mut client).await.unwrap(), b"two");
        Ok(())
    }

    #[tokio::test]
    async fn bodies_larger_than_the_system_s_buffers_come_whole() -> io::Result<()> {
        let (mut client, mut server) = pair().await?;
        let body: Vec<u8> = (0..20_000_000_u32).map(|number| number as u8).collect();
        let sent = body.clone();
        let sending = tokio::spawn(async move {
            server.write_all(b"header").await?;
            server.write_all(&sent).await?;
            AsyncWriteExt::shutdown(&mut server).await
        });
        let mut all = Vec::new();
        client.read_to_end(&mut all).await?;
        sending.await??;
        assert!(all.starts_with(b"header") && all[6..] == body);
        Ok(())
    }
}
