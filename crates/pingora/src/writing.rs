//! Writing a body: into memory, or to disk after its request has ended, and the end of a fetch.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use bytes::Bytes;
use forebay_cache::policies::LastRequest;
use pingora_cache::CacheMeta;
use pingora_cache::storage::{HandleMiss, MissFinishType, streaming_write::U64WriteId};
use pingora_error::{Error, ErrorType, Result};

use crate::body::Body;
use crate::cache::{Inner, Landed, as_record};
use crate::clock::Nanos;
use crate::disk::{BLOCK, Meta, Name, Record};
use crate::fetches::Fetch;
use crate::flight::Waits;
use crate::pieces::PIECE;
use crate::state::{Entry, Landing, Stored, space};

/// A body on its way into the cache.
pub(crate) struct ToCache {
    pub(crate) inner: Arc<Inner>,
    pub(crate) key: u128,
    pub(crate) primary: u128,
    pub(crate) number: u64,
    /// The question that it answers.
    pub(crate) fetch: Arc<Fetch>,
    pub(crate) tag: U64WriteId,
    pub(crate) meta: Arc<Meta>,
    pub(crate) times: Times,
    pub(crate) body: Arc<Body>,
    /// What the header says it will have.
    pub(crate) length: Option<u64>,
    pub(crate) ended: bool,
}

/// What an answer's metadata says of times.
pub(crate) struct Times {
    created: SystemTime,
    /// Whether variants that are older than it are none of it (Pingora's provenance).
    begins_anew: bool,
    fresh_until: SystemTime,
    stale_while_revalidate: Duration,
}

impl Times {
    pub(crate) fn of(meta: &CacheMeta) -> Self {
        Times {
            created: meta.created(),
            begins_anew: meta.provenance() == meta.created(),
            fresh_until: meta.fresh_until(),
            stale_while_revalidate: Duration::from_secs(meta.stale_while_revalidate_sec().into()),
        }
    }
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
        // Told before the readers see the end, so that whoever counts knows it before they do.
        let arrived = self.arrived();
        self.body.complete();
        self.store(arrived);
        Ok(MissFinishType::Created(usize::try_from(found).unwrap_or(usize::MAX)))
    }

    fn streaming_write_tag(&self) -> Option<&[u8]> {
        Some(self.tag.as_bytes())
    }
}

/// When the last byte of a body arrived, and what was waited for it.
#[derive(Clone, Copy)]
struct Arrived {
    at: Nanos,
    z: Nanos,
    waits: Waits,
    last: LastRequest,
}

impl ToCache {
    fn arrived(&self) -> Arrived {
        let inner = &self.inner;
        let at = inner.now();
        let (z, waits, last) = inner.state().landed(self.key, self.number, at);
        inner.tell(&Landed {
            key: self.key,
            primary: self.primary,
            bytes: self.body.len() + self.meta.len(),
            space: space(self.body.len(), &self.meta, inner.disk.is_some()),
            fresh_until: self.times.fresh_until,
            stale_while_revalidate: self.times.stale_while_revalidate,
            z: Duration::from_nanos(z.0),
            waiters: waits.waiters,
            waited: Duration::from_nanos(waits.delay.0),
        });
        Arrived { at, z, waits, last }
    }

    fn store(&self, arrived: Arrived) {
        let inner = &self.inner;
        let piece = if inner.disk.is_some() { BLOCK } else { PIECE };
        let Some(pieces) = self.body.whole(piece) else {
            let mut state = inner.state();
            state.stats.bypasses += 1;
            state.end_write(self.key, self.number, arrived.at);
            return;
        };
        // From now on there is one copy of it.
        self.body.hold(&pieces);
        let Some(disk) = &inner.disk else {
            let landing = self.landing(Stored::Memory(pieces.into()), arrived);
            let (admitted, gone) = inner.state().land(landing);
            settle(&self.body, &self.fetch, admitted);
            drop(gone);
            return;
        };
        let name = Name { key: self.key, generation: disk.next_generation() };
        let landing = self.landing(Stored::Disk { generation: name.generation }, arrived);
        let (inner, body, fetch) = (inner.clone(), self.body.clone(), self.fetch.clone());
        let commit = move || inner.commit(name, &pieces, landing, (&body, &fetch));
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(commit)),
            Err(_) => commit(),
        }
    }

    fn landing(&self, stored: Stored, arrived: Arrived) -> Landing {
        let entry = Entry {
            key: self.key,
            primary: self.primary,
            meta: self.meta.clone(),
            created: self.times.created,
            stored,
            length: self.body.len(),
            z: arrived.z,
            waits: arrived.waits,
            owed: (0, Nanos(0)),
        };
        let (begins_anew, last, at) = (self.times.begins_anew, arrived.last, arrived.at);
        Landing { entry, begins_anew, write: self.number, last, at }
    }
}

/// `body` is on its way no more. What is not `cached` is let go once all have had it who waited for
/// `fetch`.
fn settle(body: &Body, fetch: &Fetch, cached: bool) {
    if cached || !fetch.is_awaited() {
        body.settled(cached);
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

    /// Writes a body, then names it, unless it is removed meanwhile.
    fn commit(
        &self,
        name: Name,
        blocks: &[Bytes],
        landing: Landing,
        (body, fetch): (&Body, &Fetch),
    ) {
        let Some(disk) = &self.disk else { return };
        if let Err(error) = disk.write(name, blocks) {
            log::warn!("a body cannot be written to the cache: {error}");
            self.state().stats.write_errors += 1;
            self.end(name.key, landing.write);
            return settle(body, fetch, false);
        }
        let (record, length) = (as_record(&landing.entry), landing.entry.length);
        let (admitted, gone) = self.state().land(landing);
        if admitted && let Some(record) = record {
            self.note_or_warn(&record);
            // Whoever removed it since then may have said so before it was named.
            if !self.state().get(name.key).is_some_and(|entry| entry.is_named(name)) {
                let Name { key, generation } = name;
                self.note_or_warn(&Record::Removed { key, generation });
            }
            body.cached_in(fetch.is_awaited(), || disk.open_body(name, length).ok());
        } else {
            settle(body, fetch, false);
        }
        gone.into_iter().for_each(|entry| self.forget(entry));
    }
}
