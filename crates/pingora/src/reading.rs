//! Reading a body: while it arrives, from memory, and from its file.

use std::any::Any;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use pingora_cache::storage::HandleHit;
use pingora_cache::trace::SpanHandle;
use pingora_cache::{CacheKey, HitHandler, Storage};
use pingora_error::{Error, ErrorType, Result};

use crate::body::Reader;
use crate::cache::Inner;
use crate::clock::Nanos;
use crate::disk::{BLOCK, ObjectFile};
use crate::pieces::{PIECE, blocking, part};
use crate::state::Entry;

/// Whether `handler`, found by a look-up in a [`Cache`](crate::Cache), reads a body that was still
/// arriving: a delayed hit.
#[must_use]
pub fn is_arriving(handler: &HitHandler) -> bool {
    handler.as_any().is::<FromBody>()
}

/// A request that came while the body was arriving: a delayed hit, once it reads.
pub(crate) struct Join {
    pub(crate) key: u128,
    pub(crate) write: u64,
    pub(crate) since: Nanos,
}

/// Reads a body while it arrives.
pub(crate) struct FromBody {
    pub(crate) inner: Arc<Inner>,
    pub(crate) reader: Reader,
    pub(crate) join: Option<Join>,
}

#[async_trait]
impl HandleHit for FromBody {
    async fn read_body(&mut self) -> Result<Option<Bytes>> {
        if let Some(Join { key, write, since }) = self.join.take() {
            self.inner.state().joined(key, write, since);
        }
        self.reader.read().await
    }

    async fn finish(
        self: Box<Self>,
        _: &'static (dyn Storage + Sync),
        _: &CacheKey,
        _: &SpanHandle,
    ) -> Result<()> {
        Ok(())
    }

    /// Pingora only seeks within the length that the header states; what has not arrived yet is
    /// waited for.
    fn can_seek(&self) -> bool {
        !self.reader.passes()
    }

    fn seek(&mut self, start: usize, end: Option<usize>) -> Result<()> {
        self.reader.seek(start as u64, end.map(|end| end as u64));
        Ok(())
    }

    /// It is counted as a delayed hit instead.
    fn should_count_access(&self) -> bool {
        false
    }

    fn as_any(&self) -> &(dyn Any + Send + Sync) {
        self
    }

    fn as_any_mut(&mut self) -> &mut (dyn Any + Send + Sync) {
        self
    }
}

/// A range within a whole body of `length`.
fn range(start: usize, end: Option<usize>, length: u64) -> Result<(u64, u64)> {
    let start = start as u64;
    if start > length {
        return Error::e_explain(
            ErrorType::InternalError,
            format!("byte {start} of a body of {length} was asked for"),
        );
    }
    Ok((start, end.map_or(length, |end| length.min(end as u64))))
}

/// Reads a whole body from memory.
pub(crate) struct FromMemory {
    pub(crate) pieces: Arc<[Bytes]>,
    pub(crate) at: u64,
    pub(crate) until: u64,
}

impl FromMemory {
    fn length(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.len() as u64).sum()
    }
}

#[async_trait]
impl HandleHit for FromMemory {
    async fn read_body(&mut self) -> Result<Option<Bytes>> {
        if self.at >= self.until {
            return Ok(None);
        }
        let number = self.at / PIECE as u64;
        let Some(piece) = self.pieces.get(number as usize) else { return Ok(None) };
        let data = part(piece, number, PIECE, self.at, self.until);
        self.at += data.len() as u64;
        Ok(Some(data))
    }

    async fn finish(
        self: Box<Self>,
        _: &'static (dyn Storage + Sync),
        _: &CacheKey,
        _: &SpanHandle,
    ) -> Result<()> {
        Ok(())
    }

    fn can_seek(&self) -> bool {
        true
    }

    fn seek(&mut self, start: usize, end: Option<usize>) -> Result<()> {
        (self.at, self.until) = range(start, end, self.length())?;
        Ok(())
    }

    fn as_any(&self) -> &(dyn Any + Send + Sync) {
        self
    }

    fn as_any_mut(&mut self) -> &mut (dyn Any + Send + Sync) {
        self
    }
}

/// Reads a whole body from its file, block by block.
pub(crate) struct FromFile {
    pub(crate) inner: Arc<Inner>,
    pub(crate) entry: Entry,
    /// Shared with the read under way, which goes on if Pingora drops its future.
    pub(crate) file: Arc<ObjectFile>,
    /// The block that was read last.
    pub(crate) block: (u64, Bytes),
    pub(crate) at: u64,
    pub(crate) until: u64,
}

#[async_trait]
impl HandleHit for FromFile {
    async fn read_body(&mut self) -> Result<Option<Bytes>> {
        if self.at >= self.until {
            return Ok(None);
        }
        let number = self.at / BLOCK as u64;
        if self.block.0 != number {
            let file = self.file.clone();
            match blocking(move || file.block(number)).await {
                Ok(data) => self.block = (number, data),
                Err(error) => {
                    self.inner.lose(&self.entry, &error);
                    return Error::e_explain(ErrorType::ReadError, error.to_string());
                }
            }
        }
        let data = part(&self.block.1, number, BLOCK, self.at, self.until);
        self.at += data.len() as u64;
        Ok(Some(data))
    }

    async fn finish(
        self: Box<Self>,
        _: &'static (dyn Storage + Sync),
        _: &CacheKey,
        _: &SpanHandle,
    ) -> Result<()> {
        Ok(())
    }

    fn can_seek(&self) -> bool {
        true
    }

    fn seek(&mut self, start: usize, end: Option<usize>) -> Result<()> {
        (self.at, self.until) = range(start, end, self.entry.length)?;
        Ok(())
    }

    fn as_any(&self) -> &(dyn Any + Send + Sync) {
        self
    }

    fn as_any_mut(&mut self) -> &mut (dyn Any + Send + Sync) {
        self
    }
}
