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

use crate::disk::Meta;
use crate::header::{self, with_length};

/// Of how many answers the lines are kept; a power of two.
const PLACES: usize = 1024;
/// The longest header that is kept, as it is stored: all of them take 4 MiB at most.
pub(crate) const LONGEST: u64 = 2 << 10;

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
pub(crate) struct Kept {
    of: Arc<Meta>,
    pub(crate) header: Option<Arc<ReadyHeader>>,
}

impl Kept {
    /// Reads the lines of what has the stored header `of` and a body of `length`.
    pub(crate) fn read(of: Arc<Meta>, length: u64) -> Self {
        let header = read(&of, length).map(Arc::new);
        Kept { of, header }
    }
}

/// The lines of the answers that were last asked for.
#[derive(Default)]
pub(crate) struct Headers(Vec<Option<Kept>>);

impl Headers {
    /// What is kept of what has the stored header `meta`.
    pub(crate) fn get(&self, key: u128, meta: &Arc<Meta>) -> Option<&Kept> {
        let kept = self.0.get(key as usize % PLACES)?.as_ref();
        kept.filter(|kept| Arc::ptr_eq(&kept.of, meta))
    }

    pub(crate) fn keep(&mut self, key: u128, kept: Kept) {
        if self.0.is_empty() {
            self.0.resize_with(PLACES, || None);
        }
        self.0[key as usize % PLACES] = Some(kept);
    }
}

/// What a look-up finds.
pub(crate) enum Found {
    Ready(Ready),
    /// Nothing that can be sent as it is.
    Nothing,
    /// Something whose header must be read first, which takes longer than to look up: its stored
    /// header, and how long its body is.
    Unread(Arc<Meta>, u64),
}

/// The lines of what has the stored header `meta` and a body of `length`, if it is the same for
/// everybody.
fn read(meta: &Meta, length: u64) -> Option<ReadyHeader> {
    let mut meta: CacheMeta = header::read(meta).and_then(|meta| with_length(meta, length)).ok()?;
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
