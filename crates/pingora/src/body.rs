//! A body on its way: written once, read by any number of requests while it arrives.
//!
//! Readers are woken by every piece (a watch channel: no poll). A body that outgrows what may be
//! cached goes on as a stream that nobody can join any more: what all readers have read is let go.
//! The writer cannot wait for readers, because Pingora drives the leader's reading and writing in
//! one task; so memory is bounded by a limit on all bodies together ([`crate::share`]), beyond
//! which a write fails. Once a body is cached, those who still read it read what is cached.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use pingora_error::{Error, ErrorType, Result};
use tokio::sync::watch;

use crate::disk::{BLOCK, ObjectFile};
use crate::pieces::{blocking, part};
use crate::share::{NO_ROOM, Share};

/// Pieces are joined up to this length.
const JOINED: usize = 4096;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Open,
    Complete,
    Failed,
}

struct State {
    /// Pieces still held, with the place in the body where each begins.
    pieces: Vec<(u64, Bytes)>,
    len: u64,
    end: End,
    /// Whether it will not be cached, and nobody may join.
    passing: bool,
    /// Bytes held that are counted in the share, and the share.
    held: u64,
    share: Share,
    /// Where those who still read find it once it is cached on disk.
    file: Option<Arc<ObjectFile>>,
    /// Where each reader is, by its ticket; `None` for one that has left.
    readers: Vec<Option<u64>>,
}

/// A body on its way.
pub(crate) struct Body {
    state: Mutex<State>,
    changed: watch::Sender<()>,
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Body {
    pub(crate) fn new(share: Share) -> Arc<Self> {
        let state = State {
            pieces: Vec::new(),
            len: 0,
            end: End::Open,
            passing: false,
            held: 0,
            share,
            file: None,
            readers: Vec::new(),
        };
        Arc::new(Body { state: Mutex::new(state), changed: watch::channel(()).0 })
    }

    /// From now on nobody may join, and what was read is let go.
    pub(crate) fn pass(&self) {
        let mut state = lock(&self.state);
        state.passing = true;
        state.trim();
    }

    pub(crate) fn passes(&self) -> bool {
        lock(&self.state).passing
    }

    pub(crate) fn len(&self) -> u64 {
        lock(&self.state).len
    }

    /// Adds a piece. It is copied, so that it holds no larger buffer of the connection alive.
    pub(crate) fn write(&self, data: &Bytes) -> Result<()> {
        if !data.is_empty() {
            let mut state = lock(&self.state);
            let held = state.held + data.len() as u64;
            let has_room = match state.passing {
                true => state.share.grow_by_the_way(held),
                false => state.share.grow_to(held),
            };
            if !has_room {
                let limit = state.share.limit();
                state.abandon();
                drop(state);
                self.end(End::Failed);
                return Error::e_explain(
                    ErrorType::Custom(NO_ROOM),
                    format!(
                        "more than {limit} bytes of bodies are on their way, or half of that of \
                         bodies that are not cached: allow more of them (bytes_arriving) or fewer \
                         requests at a time"
                    ),
                );
            }
            state.held = held;
            let at = state.len;
            match state.pieces.last_mut() {
                // A piece takes much more than a byte: those of a body in tiny chunks are joined.
                Some((_, last)) if last.len() + data.len() <= JOINED => {
                    *last = [&last[..], &data[..]].concat().into();
                }
                _ => state.pieces.push((at, Bytes::copy_from_slice(data))),
            }
            state.len += data.len() as u64;
            // Where nobody reads and nobody can join, nothing is held.
            state.trim();
        }
        self.changed.send_replace(());
        Ok(())
    }

    pub(crate) fn complete(&self) {
        self.end(End::Complete);
    }

    pub(crate) fn fail(&self) {
        self.end(End::Failed);
    }

    /// The first end counts: a body that is complete does not fail any more.
    fn end(&self, end: End) {
        let mut state = lock(&self.state);
        if state.end == End::Open {
            state.end = end;
            // Nothing more comes, so what is held is all that it needs.
            let held = state.held;
            state.share.shrink_to(held);
            state.passing |= end == End::Failed;
            state.trim();
        }
        drop(state);
        self.changed.send_replace(());
    }

    /// The whole, in pieces of its own of at most `most` bytes; `None` unless it is complete and
    /// all of it is still held.
    pub(crate) fn whole(&self, most: usize) -> Option<Vec<Bytes>> {
        let state = lock(&self.state);
        if state.end != End::Complete || state.passing {
            return None;
        }
        let total = usize::try_from(state.len).ok()?;
        let mut whole = Vec::with_capacity(total.div_ceil(most.max(1)));
        let mut piece = Vec::with_capacity(total.min(most));
        let mut left = total;
        for (_, mut data) in state.pieces.iter().cloned() {
            while !data.is_empty() {
                let part = data.split_to(data.len().min(most - piece.len()));
                piece.extend_from_slice(&part);
                left -= part.len();
                if piece.len() == most {
                    let next = Vec::with_capacity(left.min(most));
                    whole.push(Bytes::from(std::mem::replace(&mut piece, next)));
                }
            }
        }
        if !piece.is_empty() {
            whole.push(Bytes::from(piece));
        }
        Some(whole)
    }

    /// A reader from the first byte on; `None` where nobody may join any more.
    pub(crate) fn reader(self: &Arc<Self>) -> Option<Reader> {
        let mut state = lock(&self.state);
        if state.passing
            && state.pieces.first().is_none_or(|(start, _)| *start > 0)
            && state.len > 0
        {
            return None;
        }
        if state.end == End::Failed {
            return None;
        }
        // A place that was left is taken again, so that many short readers take no room.
        let free = state.readers.iter().position(Option::is_none);
        let ticket = free.unwrap_or(state.readers.len());
        match free {
            Some(free) => state.readers[free] = Some(0),
            None => state.readers.push(Some(0)),
        }
        drop(state);
        let changed = self.changed.subscribe();
        let (at, until, block) = (0, u64::MAX, None);
        Some(Reader { body: self.clone(), ticket, changed, at, until, block })
    }

    /// From now on it holds these `pieces` of the whole, which others hold, too.
    pub(crate) fn hold(&self, pieces: &[Bytes]) {
        let mut state = lock(&self.state);
        let mut at = 0;
        let placed = pieces.iter().map(|piece| {
            let start = at;
            at += piece.len() as u64;
            (start, piece.clone())
        });
        state.pieces = placed.collect();
    }

    /// Nobody can join any more. What whoever still reads it holds is part of the cache if it was
    /// `cached` in memory; else it is let go as they read.
    pub(crate) fn settled(&self, cached: bool) {
        if cached {
            lock(&self.state).counted_elsewhere();
        } else {
            self.pass();
        }
    }

    /// It is cached on disk, and nobody can join any more but those for whom it `is_awaited`.
    /// Whoever still reads it reads the file that `open` opens, or what is held if that cannot be.
    pub(crate) fn cached_in(&self, is_awaited: bool, open: impl FnOnce() -> Option<ObjectFile>) {
        let is_read = is_awaited || lock(&self.state).readers.iter().any(Option::is_some);
        let Some(file) = is_read.then(open).flatten() else { return self.settled(false) };
        let mut state = lock(&self.state);
        state.file = Some(Arc::new(file));
        state.pieces = Vec::new();
        state.counted_elsewhere();
    }
}

impl State {
    /// Lets go of what all readers have read, if it will not be cached.
    fn trim(&mut self) {
        if !self.passing {
            return;
        }
        // Without a reader all of it is gone: nobody can join to read it.
        let least = self.readers.iter().flatten().min().copied().unwrap_or(self.len);
        let read = |(start, piece): &&(u64, Bytes)| start + piece.len() as u64 <= least;
        let gone = self.pieces.iter().take_while(read).count();
        let bytes: u64 = self.pieces.drain(..gone).map(|(_, piece)| piece.len() as u64).sum();
        self.held = self.held.saturating_sub(bytes);
        self.share.shrink_to(self.held);
    }

    /// There is no room for it: its readers get nothing more.
    fn abandon(&mut self) {
        self.pieces = Vec::new();
        self.counted_elsewhere();
    }

    /// What is held is part of the cache, or nothing.
    fn counted_elsewhere(&mut self) {
        self.held = 0;
        self.share.shrink_to(0);
    }
}

/// One request's reading of a [`Body`].
pub(crate) struct Reader {
    body: Arc<Body>,
    ticket: usize,
    changed: watch::Receiver<()>,
    at: u64,
    until: u64,
    /// The block of a file that was read last.
    block: Option<(u64, Bytes)>,
}

enum Look {
    Data(Bytes),
    /// In this file, up to here.
    File(Arc<ObjectFile>, u64),
    End,
    Wait,
    Failed,
}

impl Reader {
    /// The next piece; `None` at the end.
    pub(crate) async fn read(&mut self) -> Result<Option<Bytes>> {
        loop {
            self.changed.borrow_and_update();
            match self.look() {
                Look::Data(data) => return Ok(Some(data)),
                Look::File(file, until) => return self.read_file(file, until).await.map(Some),
                Look::End => return Ok(None),
                Look::Wait => {}
                Look::Failed => {
                    return Error::e_explain(
                        ErrorType::ReadError,
                        "the fetch of this body ended before the body did",
                    );
                }
            }
            // The sender is in the body, which this reader holds: it cannot be gone.
            if self.changed.changed().await.is_err() {
                return Error::e_explain(ErrorType::InternalError, "the body is gone");
            }
        }
    }

    async fn read_file(&mut self, file: Arc<ObjectFile>, until: u64) -> Result<Bytes> {
        let number = self.at / BLOCK as u64;
        let block = match self.block.take() {
            Some((last, block)) if last == number => block,
            _ => match blocking(move || file.block(number)).await {
                Ok(block) => block,
                Err(error) => return Error::e_explain(ErrorType::ReadError, error.to_string()),
            },
        };
        let data = part(&block, number, BLOCK, self.at, until);
        self.block = Some((number, block));
        self.at += data.len() as u64;
        Ok(data)
    }

    /// Reads from `start` to before `until` from now on.
    pub(crate) fn seek(&mut self, start: u64, until: Option<u64>) {
        self.at = start;
        self.until = until.unwrap_or(u64::MAX);
    }

    /// How long the body is, once all of it is here.
    pub(crate) fn whole(&self) -> Option<u64> {
        let state = lock(&self.body.state);
        (state.end == End::Complete).then_some(state.len)
    }

    /// Whether the body goes by without being cached.
    pub(crate) fn passes(&self) -> bool {
        self.body.passes()
    }

    fn look(&mut self) -> Look {
        let body = self.body.clone();
        let mut state = lock(&body.state);
        if self.at >= self.until {
            return Look::End;
        }
        if self.at < state.len {
            if let Some(file) = &state.file {
                return Look::File(file.clone(), self.until.min(state.len));
            }
            let index = state.pieces.partition_point(|(start, _)| *start <= self.at);
            let Some((start, piece)) = index.checked_sub(1).and_then(|i| state.pieces.get(i))
            else {
                return Look::Failed;
            };
            let from = (self.at - start) as usize;
            let to = piece.len().min(usize::try_from(self.until - start).unwrap_or(usize::MAX));
            let data = piece.slice(from..to);
            self.at += data.len() as u64;
            state.readers[self.ticket] = Some(self.at);
            state.trim();
            return Look::Data(data);
        }
        match state.end {
            End::Open => Look::Wait,
            End::Complete => Look::End,
            End::Failed => Look::Failed,
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut state = lock(&self.body.state);
        state.readers[self.ticket] = None;
        state.trim();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::share::Arriving;

    fn body(limit: u64) -> (Arc<Body>, Arc<Arriving>) {
        let arriving = Arc::new(Arriving::new(limit));
        (Body::new(Share::new(&arriving)), arriving)
    }

    async fn rest(mut reader: Reader) -> Result<Vec<u8>> {
        let mut all = Vec::new();
        while let Some(data) = reader.read().await? {
            all.extend_from_slice(&data);
        }
        Ok(all)
    }

    #[tokio::test]
    async fn readers_read_while_it_arrives_and_each_from_the_start() -> Result<()> {
        let (body, _) = body(100);
        let mut first = body.reader().unwrap();
        body.write(&Bytes::from_static(b"ab"))?;
        assert_eq!(first.read().await?.unwrap(), "ab");
        let waiting = tokio::spawn(rest(body.reader().unwrap()));
        body.write(&Bytes::from_static(b"cde"))?;
        body.complete();
        assert_eq!(waiting.await.unwrap()?, b"abcde");
        assert_eq!(rest(first).await?, b"cde");
        let mut part = body.reader().unwrap();
        part.seek(1, Some(4));
        assert_eq!(rest(part).await?, b"bcd");
        assert_eq!(body.whole(2).unwrap(), [&b"ab"[..], b"cd", b"e"]);
        Ok(())
    }

    #[tokio::test]
    async fn who_reads_a_fetch_that_fails_gets_an_error_and_no_end() -> Result<()> {
        let (body, _) = body(100);
        let mut reader = body.reader().unwrap();
        body.write(&Bytes::from_static(b"ab"))?;
        body.fail();
        assert_eq!(reader.read().await?.unwrap(), "ab");
        assert!(reader.read().await.is_err());
        assert!(body.reader().is_none());
        body.complete();
        assert!(body.whole(9).is_none());
        Ok(())
    }

    #[tokio::test]
    async fn a_body_too_large_to_cache_holds_only_what_is_unread() -> Result<()> {
        let (body, arriving) = body(20);
        let mut reader = body.reader().unwrap();
        body.write(&Bytes::from_static(b"12345678"))?;
        body.pass();
        assert_eq!(arriving.bytes(), 8);
        assert_eq!(reader.read().await?.unwrap(), "12345678");
        assert_eq!(arriving.bytes(), 0);
        assert!(body.reader().is_none(), "its beginning is gone");
        body.write(&Bytes::from_static(b"12345678"))?;
        assert!(body.write(&Bytes::from_static(b"123")).is_err(), "above half of the limit");
        // A reader that is so far behind is cut off, and keeps nothing.
        assert_eq!(arriving.bytes(), 0);
        assert!(reader.read().await.is_err());
        Ok(())
    }

    #[tokio::test]
    async fn a_body_in_tiny_chunks_takes_few_pieces() -> Result<()> {
        const LENGTH: usize = 100_000;
        let (body, _) = body(1 << 20);
        let mut reader = body.reader().unwrap();
        let mut all = Vec::new();
        for at in 0..LENGTH {
            body.write(&Bytes::copy_from_slice(&[(at % 251) as u8]))?;
            // One that reads now and then is in the middle of a piece.
            if at % 1000 == 0 {
                all.extend_from_slice(&reader.read().await?.unwrap());
            }
        }
        body.complete();
        assert!(lock(&body.state).pieces.len() <= LENGTH / 2048 + 1);
        all.extend_from_slice(&rest(reader).await?);
        let expected: Vec<u8> = (0..LENGTH).map(|at| (at % 251) as u8).collect();
        assert_eq!(all, expected);
        assert_eq!(body.whole(1 << 20).unwrap().concat(), expected);
        Ok(())
    }

    #[test]
    fn readers_that_leave_take_no_room() {
        let (body, _) = body(10);
        for _ in 0..1000 {
            drop(body.reader());
        }
        assert_eq!(lock(&body.state).readers.len(), 1);
    }
}
