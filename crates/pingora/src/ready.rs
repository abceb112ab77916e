//! Plain hits without the life of a request in Pingora: what a server can send as it is.
//!
//! Most requests of a busy cache are for what is cached, fresh and the same for everybody. Pingora
//! reads the header anew for each, clones it, and takes it through its filters; here the lines that
//! do not change are kept, for as many answers as [`PLACES`].

use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use http::StatusCode;
use http::header::{ACCEPT_RANGES, AGE, CONNECTION, DATE, TRANSFER_ENCODING, VARY};
use pingora_cache::CacheMeta;
use pingora_cache::key::CacheHashKey;

use crate::cache::{Cache, id};
use crate::clock::Nanos;
use crate::disk::Meta;
use crate::header;
use crate::state::{Entry, State, Stored};
use crate::storage::with_length;

/// Of how many answers the lines are kept; a power of two.
const PLACES: usize = 1024;
/// The longest header that is kept, as it is stored: all of them take 4 MiB at most.
const LONGEST: u64 = 2 << 10;

/// The header of a whole answer with status 200, as far as it does not depend on when it is sent.
#[derive(Debug)]
#[non_exhaustive]
pub struct ReadyHeader {
    /// Status line and fields as HTTP/1.1 writes them, each with its line's end, without
    /// `Accept-Ranges`, `Age`, `Connection` and `Date`.
    pub text: Box<[u8]>,
    /// Until when it is fresh.
    pub fresh_until: SystemTime,
    /// From when its age counts.
    pub epoch: SystemTime,
}

/// An answer that can be sent as it is to whoever asks for it by a plain GET.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Ready {
    /// Its header.
    pub header: Arc<ReadyHeader>,
    /// Its body, piece by piece.
    pub body: Arc<[Bytes]>,
    /// How long the body is, in bytes.
    pub length: u64,
}

/// What is kept of one answer: its stored header, and its lines, if it can be ready at all.
struct Kept {
    of: Arc<Meta>,
    header: Option<Arc<ReadyHeader>>,
}

/// The lines of the answers that were last asked for.
#[derive(Default)]
pub(crate) struct Headers(Vec<Option<Kept>>);

impl Headers {
    /// Those of `entry`.
    fn get(&mut self, entry: &Entry) -> Option<Arc<ReadyHeader>> {
        if entry.meta.len() > LONGEST {
            return None;
        }
        self.0.resize_with(PLACES, || None);
        let place = &mut self.0[entry.key as usize % PLACES];
        match place {
            Some(kept) if Arc::ptr_eq(&kept.of, &entry.meta) => kept.header.clone(),
            _ => {
                let header = read(entry).map(Arc::new);
                *place = Some(Kept { of: entry.meta.clone(), header: header.clone() });
                header
            }
        }
    }
}

/// The lines of `entry`, if it is the same for everybody.
fn read(entry: &Entry) -> Option<ReadyHeader> {
    let mut meta: CacheMeta =
        header::read(&entry.meta).and_then(|meta| with_length(meta, entry.length)).ok()?;
    let (fresh_until, epoch) = (meta.fresh_until(), meta.epoch());
    let varies = meta.variance().is_some() || meta.headers().contains_key(VARY);
    let header = meta.response_header_mut();
    if header.status != StatusCode::OK || varies || header.headers.contains_key(TRANSFER_ENCODING) {
        return None;
    }
    for changing in [ACCEPT_RANGES, AGE, DATE, CONNECTION] {
        header.remove_header(&changing);
    }
    let mut text = b"HTTP/1.1 200 OK\r\n".to_vec();
    header.header_to_h1_wire(&mut text);
    Some(ReadyHeader { text: text.into_boxed_slice(), fresh_until, epoch })
}

impl State {
    /// What is cached for `key`, if it can be sent as it is at `at`; then it is a hit.
    fn ready(&mut self, key: u128, at: SystemTime, now: Nanos) -> Option<Ready> {
        // What is on its way is newer than what is cached.
        if self.latest_write(key).is_some() {
            return None;
        }
        let mut headers = std::mem::take(&mut self.headers);
        let ready = self.get(key).and_then(|entry| {
            let Stored::Memory(body) = &entry.stored else { return None };
            let header = headers.get(entry)?;
            let (body, length) = (body.clone(), entry.length);
            (at <= header.fresh_until).then_some(Ready { header, body, length })
        });
        self.headers = headers;
        ready.filter(|_| self.found(key, true, now))
    }
}

impl Cache {
    /// What is cached for `key`, if it can be sent at `at` as it is: with status 200, fresh, whole,
    /// in memory, and for every request alike (no `Vary`). It counts as a hit.
    ///
    /// For servers that answer plain hits before a request's life in Pingora begins. Whether the
    /// request is a plain one is theirs to see: a GET without ranges, conditions or wishes.
    ///
    /// Takes the cache's lock once.
    #[must_use]
    pub fn ready(&self, key: &impl CacheHashKey, at: SystemTime) -> Option<Ready> {
        let now = self.inner.now();
        self.inner.state().ready(id(key), at, now)
    }
}
