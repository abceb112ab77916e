//! The storage: look-ups, writes, and the end of a fetch.

use std::any::Any;
use std::io;
use std::sync::Arc;
use std::time::SystemTime;

use async_trait::async_trait;
use bytes::Bytes;
use pingora_cache::storage::streaming_write::U64WriteId;
use pingora_cache::trace::SpanHandle;
use pingora_cache::{
    CacheKey, CacheMeta, HitHandler, MissHandler, PurgeOutcome, PurgeTarget, PurgeType, Storage,
};
use pingora_error::Result;

use crate::body::{Body, Reader};
use crate::cache::{Cache, Inner, id, primary};
use crate::disk::{Meta, Name, Record};
use crate::fetches::Answer;
use crate::header::{self, with_length};
use crate::lock::{led_by, note_found, note_missed, promised};
use crate::pieces::blocking;
use crate::reading::{FromBody, FromFile, FromMemory, Join};
use crate::room;
use crate::share::Share;
use crate::state::{Begun, Entry, Stored};
use crate::writing::{Times, ToCache};

pub(crate) fn write_meta(meta: &CacheMeta) -> Result<Arc<Meta>> {
    header::write(meta).map(Arc::new)
}

/// What a look-up found, before any file is read.
enum Found {
    Arriving { meta: Arc<Meta>, reader: Reader, write: u64 },
    Whole(Entry),
}

impl Inner {
    /// What there is for `key`, for one who was promised `promised`.
    fn find(&self, key: u128, promised: Option<Answer>) -> Option<Found> {
        let state = self.state();
        if let Some(Answer { write, meta, body }) = promised {
            // Where it still arrives or is cached, it is found and counted as for everyone.
            let is_cached = state.get(key).is_some_and(|entry| Arc::ptr_eq(&entry.meta, &meta));
            if !is_cached
                && state.write(key, write).is_none()
                && let Some(reader) = body.reader()
            {
                return Some(Found::Arriving { meta, reader, write });
            }
        }
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

#[async_trait]
impl Storage for Cache {
    async fn lookup(
        &'static self,
        key: &CacheKey,
        _trace: &SpanHandle,
    ) -> Result<Option<(CacheMeta, HitHandler)>> {
        let (request, key) = (key, id(key));
        let now = self.inner.now();
        let found = self.inner.find(key, promised(request));
        note_missed(request, found.is_none().then_some(key));
        if found.is_some() {
            note_found(request);
        }
        let entry = match found {
            None => return Ok(None),
            Some(Found::Arriving { meta, reader, write }) => {
                let join = Some(Join { key, write, since: now });
                let (mut meta, whole) = (header::read(&meta)?, reader.whole());
                if let Some(length) = whole {
                    meta = with_length(meta, length)?;
                }
                let handler = Box::new(FromBody { inner: self.inner.clone(), reader, join });
                return Ok(Some((meta, handler)));
            }
            Some(Found::Whole(entry)) => entry,
        };
        let meta = header::read(&entry.meta).and_then(|meta| with_length(meta, entry.length));
        let meta = match meta {
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
        let (key_of, primary, written) = (id(key), primary(key), write_meta(meta)?);
        let room = room::made_for(meta).or_else(|| inner.room_for(meta));
        let is_crowded = room.is_none();
        let body = Body::new(room.unwrap_or_else(|| Share::new(&inner.arriving)));
        let length = room::length(meta);
        let is_large = length.is_some_and(|length| length > inner.settings.largest);
        if is_crowded || is_large || inner.has_many_variants(key) {
            body.pass();
        }
        let (meta_of, body_of, fetch) = (written.clone(), body.clone(), led_by(key));
        let begun = Begun { key: key_of, primary, meta: meta_of, body: body_of, fetch };
        let (number, fetch) = inner.state().begin_write(begun, inner.now());
        Ok(Box::new(ToCache {
            inner: inner.clone(),
            key: key_of,
            primary,
            number,
            fetch,
            tag: U64WriteId::from(number),
            meta: written,
            times: Times::of(meta),
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
        // Nothing is written, so there need not be room for it.
        drop(room::made_for(meta));
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
