//! The storage: look-ups, writes, and the end of a fetch.

use std::any::Any;
use std::io;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use bytes::Bytes;
use http::header::CONTENT_LENGTH;
use pingora_cache::key::CacheHashKey;
use pingora_cache::storage::{HandleHit, HandleMiss, MissFinishType, streaming_write::U64WriteId};
use pingora_cache::trace::SpanHandle;
use pingora_cache::{
    CacheKey, CacheMeta, HitHandler, MissHandler, PurgeOutcome, PurgeTarget, PurgeType, Storage,
};
use pingora_error::{Error, ErrorType, Result};

use crate::body::{Body, Reader};
use crate::cache::{Cache, Inner, Landed, as_record, id, primary};
use crate::clock::Nanos;
use crate::disk::{BLOCK, Meta, Name, ObjectFile, Record};
use crate::flight::Waits;
use crate::header;
use crate::state::{Entry, Stored, space};

/// The largest piece of a body in memory.
const PIECE: usize = 1 << 20;

fn write_meta(meta: &CacheMeta) -> Result<Arc<Meta>> {
    header::write(meta).map(Arc::new)
}

/// What a look-up found, before any file is read.
enum Found {
    Arriving { meta: Arc<Meta>, reader: Reader, write: u64 },
    Whole(Entry),
}

impl Inner {
    fn find(&self, key: u128) -> Option<Found> {
        let state = self.state();
        // What is on its way is newer than what is cached.
        if let Some(write) = state.latest_write(key)
            && let Some(reader) = write.body.reader()
        {
            return Some(Found::Arriving { meta: write.meta.clone(), reader, write: write.id });
        }
        state.get(key).cloned().map(Found::Whole)
    }

    /// Opens the body of `entry` and reads its first block, off the runtime's threads.
    async fn open(self: &Arc<Self>, entry: &Entry, generation: u64) -> io::Result<FromFile> {
        let inner = self.clone();
        let (name, length) = (Name { key: entry.key, generation }, entry.length);
        let opened = blocking(move || {
            let Some(disk) = &inner.disk else { return Err(io::Error::other("there is no disk")) };
            let file = disk.open_body(name, length)?;
            let first = if length > 0 { file.block(0)? } else { Bytes::new() };
            Ok((file, first))
        });
        let (file, first) = opened.await?;
        Ok(FromFile {
            inner: self.clone(),
            entry: entry.clone(),
            file: Arc::new(file),
            block: (0, first),
            at: 0,
            until: length,
        })
    }
}

/// Runs what waits for a disk where it keeps nobody else waiting.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(io::Error::other)?
}

#[async_trait]
impl Storage for Cache {
    async fn lookup(
        &'static self,
        key: &CacheKey,
        _trace: &SpanHandle,
    ) -> Result<Option<(CacheMeta, HitHandler)>> {
        let key = id(key);
        let now = self.inner.now();
        let entry = match self.inner.find(key) {
            None => return Ok(None),
            Some(Found::Arriving { meta, reader, write }) => {
                let join = Some(Join { key, write, since: now });
                let handler = Box::new(FromBody { inner: self.inner.clone(), reader, join });
                return Ok(Some((header::read(&meta)?, handler)));
            }
            Some(Found::Whole(entry)) => entry,
        };
        let meta = match header::read(&entry.meta) {
            Ok(meta) => meta,
            // An index of another version of Pingora, say: it is fetched again.
            Err(error) => {
                self.inner.lose(&entry, &error);
                return Ok(None);
            }
        };
        let handler: HitHandler = match &entry.stored {
            Stored::Memory(pieces) => {
                let (pieces, until) = (pieces.clone(), entry.length);
                Box::new(FromMemory { pieces, at: 0, until })
            }
            Stored::Disk { generation } => match self.inner.open(&entry, *generation).await {
                Ok(file) => Box::new(file),
                Err(error) => {
                    self.inner.lose(&entry, &error);
                    return Ok(None);
                }
            },
        };
        Ok(Some((meta, handler)))
    }

    async fn lookup_streaming_write(
        &'static self,
        key: &CacheKey,
        streaming_write_tag: Option<&[u8]>,
        _trace: &SpanHandle,
    ) -> Result<Option<(CacheMeta, HitHandler)>> {
        let tag = streaming_write_tag.and_then(|tag| U64WriteId::try_from(tag).ok());
        let Some(write) = tag.map(u64::from) else { return Ok(None) };
        let state = self.inner.state();
        let Some(write) = state.write(id(key), write) else { return Ok(None) };
        let Some(reader) = write.body.reader() else { return Ok(None) };
        let meta = write.meta.clone();
        drop(state);
        let inner = self.inner.clone();
        Ok(Some((header::read(&meta)?, Box::new(FromBody { inner, reader, join: None }))))
    }

    async fn get_miss_handler(
        &'static self,
        key: &CacheKey,
        meta: &CacheMeta,
        _trace: &SpanHandle,
    ) -> Result<MissHandler> {
        let inner = &self.inner;
        let length = meta.headers().get(CONTENT_LENGTH);
        let length = length.and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
        let written = write_meta(meta)?;
        let body = Body::new(&inner.arriving);
        let (id, primary) = (id(key), primary(key));
        let mut state = inner.state();
        let full = key.variance_bin().is_some()
            && state.get(id).is_none()
            && state.variants(primary) >= inner.settings.most_variants;
        if full || length.is_some_and(|length| length > inner.settings.largest) {
            body.pass();
        }
        let number = state.begin_write(id, written.clone(), body.clone(), inner.now());
        drop(state);
        Ok(Box::new(ToCache {
            inner: inner.clone(),
            key: id,
            primary,
            number,
            tag: U64WriteId::from(number),
            meta: written,
            fresh_until: meta.fresh_until(),
            stale_while_revalidate: Duration::from_secs(meta.stale_while_revalidate_sec().into()),
            body,
            length,
            ended: false,
        }))
    }

    async fn purge(
        &'static self,
        target: PurgeTarget<'_>,
        _type: PurgeType,
        _trace: &SpanHandle,
    ) -> Result<PurgeOutcome> {
        if matches!(target, PurgeTarget::Exact(entry) if entry.entry_id().is_some()) {
            return Ok(PurgeOutcome::NotFound);
        }
        let found = self.remove(target.key());
        Ok(if found { PurgeOutcome::Purged(None) } else { PurgeOutcome::NotFound })
    }

    async fn expire(
        &'static self,
        target: PurgeTarget<'_>,
        _trace: &SpanHandle,
    ) -> Result<PurgeOutcome> {
        let key = id(target.key());
        let Some(entry) = self.inner.state().get(key).cloned() else {
            return Ok(PurgeOutcome::NotFound);
        };
        let mut meta = header::read(&entry.meta)?;
        meta.expire_at(SystemTime::now());
        self.inner.change(key, &entry.meta, write_meta(&meta)?);
        Ok(PurgeOutcome::Expired)
    }

    async fn update_meta(
        &'static self,
        key: &CacheKey,
        meta: &CacheMeta,
        _trace: &SpanHandle,
    ) -> Result<bool> {
        let key = id(key);
        let Some(old) = self.inner.state().get(key).map(|entry| entry.meta.clone()) else {
            return Ok(false);
        };
        // A renewal that was slow may be of an answer whose place another has taken: the headers of
        // the one must not come before the body of the other.
        if header::read(&old)?.created() != meta.created() {
            return Ok(false);
        }
        Ok(self.inner.change(key, &old, write_meta(meta)?))
    }

    fn support_streaming_partial_write(&self) -> bool {
        true
    }

    fn as_any(&self) -> &(dyn Any + Send + Sync + 'static) {
        self
    }
}

impl Inner {
    fn change(&self, key: u128, old: &Arc<Meta>, meta: Arc<Meta>) -> bool {
        let now = self.now();
        let Some((entry, gone)) = self.state().change(key, old, meta, now) else { return false };
        if let Stored::Disk { generation } = entry.stored {
            let meta = Meta::clone(&entry.meta);
            if let Err(error) = self.note(&Record::Changed { key, generation, meta }) {
                log::warn!("the index of the cache cannot be written: {error}");
            }
        }
        gone.into_iter().for_each(|entry| self.forget(entry));
        true
    }
}

/// A body on its way into the cache.
struct ToCache {
    inner: Arc<Inner>,
    key: u128,
    primary: u128,
    number: u64,
    tag: U64WriteId,
    meta: Arc<Meta>,
    fresh_until: SystemTime,
    stale_while_revalidate: Duration,
    body: Arc<Body>,
    /// What the header says it will have.
    length: Option<u64>,
    ended: bool,
}

#[async_trait]
impl HandleMiss for ToCache {
    async fn write_body(&mut self, data: Bytes, _eof: bool) -> Result<()> {
        let most = self.inner.settings.largest;
        if self.body.len() + data.len() as u64 > most && !self.body.passes() {
            self.body.pass();
        }
        self.body.write(&data)
    }

    async fn finish(mut self: Box<Self>) -> Result<MissFinishType> {
        self.ended = true;
        let found = self.body.len();
        if let Some(length) = self.length.filter(|length| *length != found) {
            self.body.fail();
            self.inner.end(self.key, self.number);
            return Error::e_explain(
                ErrorType::ReadError,
                format!("a body of {length} bytes ended after {found}"),
            );
        }
        self.body.complete();
        self.land();
        Ok(MissFinishType::Created(usize::try_from(found).unwrap_or(usize::MAX)))
    }

    fn streaming_write_tag(&self) -> Option<&[u8]> {
        Some(self.tag.as_bytes())
    }
}

impl ToCache {
    fn land(&self) {
        let inner = &self.inner;
        let now = inner.now();
        let (z, waits, last) = inner.state().landed(self.key, self.number, now);
        inner.tell(&Landed {
            key: self.key,
            primary: self.primary,
            bytes: self.body.len() + self.meta.len(),
            space: space(self.body.len(), &self.meta, inner.disk.is_some()),
            fresh_until: self.fresh_until,
            stale_while_revalidate: self.stale_while_revalidate,
            z: Duration::from_nanos(z.0),
            waiters: waits.waiters,
            waited: Duration::from_nanos(waits.delay.0),
        });
        let piece = if inner.disk.is_some() { BLOCK } else { PIECE };
        let Some(pieces) = self.body.whole(piece) else {
            let mut state = inner.state();
            state.stats.bypasses += 1;
            state.end_write(self.key, self.number, now);
            return;
        };
        let entry = |stored| self.entry(stored, z, waits);
        let Some(disk) = &inner.disk else {
            let mut state = inner.state();
            let gone = state.admit(entry(Stored::Memory(pieces.into())), last, now);
            state.end_write(self.key, self.number, now);
            drop(state);
            drop(gone);
            return;
        };
        let name = Name { key: self.key, generation: disk.next_generation() };
        let entry = entry(Stored::Disk { generation: name.generation });
        let (inner, key, number) = (inner.clone(), self.key, self.number);
        let commit = move || {
            inner.commit(name, &pieces, entry, last, now);
            inner.end(key, number);
        };
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(commit)),
            Err(_) => commit(),
        }
    }

    fn entry(&self, stored: Stored, z: Nanos, waits: Waits) -> Entry {
        Entry {
            key: self.key,
            primary: self.primary,
            meta: self.meta.clone(),
            stored,
            length: self.body.len(),
            z,
            waits,
            owed: (0, Nanos(0)),
        }
    }
}

impl Drop for ToCache {
    fn drop(&mut self) {
        if !self.ended {
            self.body.fail();
            self.inner.end(self.key, self.number);
        }
    }
}

impl Inner {
    /// A body is no longer on its way.
    fn end(&self, key: u128, number: u64) {
        let now = self.now();
        self.state().end_write(key, number, now);
    }

    /// Writes a body, then names it.
    fn commit(
        &self,
        name: Name,
        blocks: &[Bytes],
        entry: Entry,
        last: forebay_cache::policies::LastRequest,
        now: Nanos,
    ) {
        let Some(disk) = &self.disk else { return };
        if let Err(error) = disk.write(name, blocks) {
            log::warn!("a body cannot be written to the cache: {error}");
            self.state().stats.write_errors += 1;
            return;
        }
        let record = as_record(&entry);
        let gone = self.state().admit(entry, last, now);
        let admitted = gone.iter().all(|other| !is_named(other, name));
        if admitted && let Some(Err(error)) = record.map(|record| self.note(&record)) {
            log::warn!("the index of the cache cannot be written: {error}");
            self.state().stats.write_errors += 1;
        }
        gone.into_iter().for_each(|entry| self.forget(entry));
    }
}

fn is_named(entry: &Entry, name: Name) -> bool {
    matches!(entry.stored, Stored::Disk { generation } if generation == name.generation)
        && entry.key == name.key
}

/// Whether `handler`, found by a look-up in a [`Cache`], reads a body that was still arriving: a
/// delayed hit.
#[must_use]
pub fn is_arriving(handler: &HitHandler) -> bool {
    handler.as_any().is::<FromBody>()
}

/// A request that came while the body was arriving: a delayed hit, once it reads.
struct Join {
    key: u128,
    write: u64,
    since: Nanos,
}

/// Reads a body while it arrives.
struct FromBody {
    inner: Arc<Inner>,
    reader: Reader,
    join: Option<Join>,
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

/// The part of `piece`, number `number` of pieces of `size` bytes, between `at` and `until`.
fn part(piece: &Bytes, number: u64, size: usize, at: u64, until: u64) -> Bytes {
    let start = number * size as u64;
    let from = (at - start) as usize;
    let to = ((until - start).min(piece.len() as u64)) as usize;
    piece.slice(from.min(to)..to)
}

/// Reads a whole body from memory.
struct FromMemory {
    pieces: Arc<[Bytes]>,
    at: u64,
    until: u64,
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
struct FromFile {
    inner: Arc<Inner>,
    entry: Entry,
    /// Shared with the read under way, which goes on if Pingora drops its future.
    file: Arc<ObjectFile>,
    /// The block that was read last.
    block: (u64, Bytes),
    at: u64,
    until: u64,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::{Put, write_index};
    use pingora_cache::trace::Span;

    #[tokio::test]
    async fn headers_that_cannot_be_read_are_a_miss_and_are_forgotten() -> Result<()> {
        let folder = tempfile::tempdir().unwrap();
        let key = CacheKey::new("a", "");
        // A whole record, as another version of Pingora could have left it.
        let meta = Meta { internal: b"odd".to_vec(), header: b"odd".to_vec() };
        let (key_of, primary, generation) = (id(&key), primary(&key), 7);
        let (length, z, waiters, delay) = (3, 1, 1, 1);
        let put = Put { key: key_of, primary, generation, length, z, waiters, delay, meta };
        write_index(&folder.path().join("index"), &[Record::Put(put)]).unwrap();
        let cache = Cache::builder(1 << 20).folder(folder.path()).build().unwrap();
        let cache: &'static Cache = Box::leak(Box::new(cache));
        assert_eq!(cache.stats().objects, 1);
        assert!(cache.lookup(&key, &Span::inactive().handle()).await?.is_none());
        assert_eq!((cache.stats().objects, cache.stats().damaged), (0, 1));
        Ok(())
    }
}
