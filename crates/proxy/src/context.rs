//! What is known of one request while it is under way. If it is aborted, this is dropped, and with
//! it what others hold for it: its line in the log, and its place in the caches that could be.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use forebay_pingora::{Cache, RequestNotes};
use http::Method;
use pingora_cache::{CachePhase, NoCacheReason};
use pingora_error::{Error, ErrorType};
use pingora_http::ResponseHeader;
use pingora_proxy::Session;

use crate::access_log::Line;
use crate::answers::Question;
use crate::messages::{Refusal, refusal};
use crate::metrics::Outcome;
use crate::routes::{Origin, Tries};
use crate::rules::Asked;
use crate::shared::{Live, Shared};
use crate::status::{CacheStatus, Forward};
use crate::what_if::Asks;

/// What is known of one request.
pub(crate) struct Context {
    pub(crate) live: Arc<Live>,
    pub(crate) began: Instant,
    /// Its line in the access log.
    pub(crate) line: Option<Line>,
    /// What the caches that could be instead take it for.
    pub(crate) asks: Option<Asks>,
    pub(crate) notes: Arc<RequestNotes>,
    pub(crate) origin: Option<Arc<Origin>>,
    pub(crate) host: String,
    pub(crate) asked: Asked,
    /// The key of what may be cached.
    pub(crate) key: Option<u128>,
    /// Whether the body was on its way when it was found.
    pub(crate) arriving: bool,
    /// Whether the client's wish made it go to the origin, or wait for who did.
    pub(crate) by_request: bool,
    /// Whether what was found had to be renewed.
    pub(crate) stale: bool,
    pub(crate) question: Question,
    pub(crate) tries: Tries,
    pub(crate) upstream_status: Option<u16>,
    /// How long the origin took to begin its answer.
    pub(crate) answered: Duration,
    /// What it said of what is stored, if that still holds.
    pub(crate) renewal: Option<Box<ResponseHeader>>,
    pub(crate) stored: bool,
    pub(crate) outcome: Outcome,
    pub(crate) body: u64,
    pub(crate) refusal: Option<Refusal>,
}

impl Context {
    pub(crate) fn new(shared: &Shared) -> Self {
        Context {
            live: shared.live(),
            began: Instant::now(),
            line: shared.log.as_ref().map(|log| log.begin(SystemTime::now())),
            asks: None,
            notes: Arc::default(),
            origin: None,
            host: String::new(),
            asked: Asked::default(),
            key: None,
            arriving: false,
            by_request: false,
            stale: false,
            question: Question::default(),
            tries: Tries::default(),
            upstream_status: None,
            answered: Duration::ZERO,
            renewal: None,
            stored: false,
            outcome: Outcome::Error,
            body: 0,
            refusal: None,
        }
    }
}

/// An error that ends the request with this answer.
pub(crate) fn refuse(context: &mut Context, status: u16, detail: &'static str) -> Box<Error> {
    context.refusal = Some(refusal(status, detail));
    Error::explain(ErrorType::HTTPStatus(status), detail)
}

/// Whole seconds from `now` until `later`; negative if that is past.
pub(crate) fn seconds_between(now: SystemTime, later: SystemTime) -> i64 {
    let seconds = |span: Duration| i64::try_from(span.as_secs()).unwrap_or(i64::MAX);
    match later.duration_since(now) {
        Ok(left) => seconds(left),
        Err(past) => -seconds(past.duration()),
    }
}

/// What `Cache-Status` says, and what is counted.
pub(crate) fn status_of(
    session: &Session,
    context: &Context,
    now: SystemTime,
) -> (CacheStatus, Outcome) {
    let cache = &session.cache;
    let ttl = cache.maybe_cache_meta().map(|meta| seconds_between(now, meta.fresh_until()));
    let request = session.req_header();
    let vary = cache.maybe_cache_key().is_some_and(|key| key.get_variance_key().is_some());
    let missed = match (context.by_request, context.stale, vary) {
        (true, ..) => Forward::Request,
        (false, true, _) => Forward::Stale,
        (false, false, true) => Forward::VaryMiss,
        (false, false, false) => Forward::UriMiss,
    };
    let waited = context.notes.collapsed() || context.arriving;
    let base =
        CacheStatus { ttl, forward_status: context.upstream_status, ..CacheStatus::default() };
    match cache.phase() {
        CachePhase::Hit if waited => {
            let status = CacheStatus { forward: Some(missed), collapsed: true, ..base };
            (status, Outcome::DelayedHit)
        }
        CachePhase::Hit => (CacheStatus { forward_status: None, ..base }, Outcome::Hit),
        CachePhase::StaleUpdating => (CacheStatus { forward_status: None, ..base }, Outcome::Stale),
        CachePhase::Stale => {
            (CacheStatus { forward: Some(Forward::Stale), ..base }, Outcome::Stale)
        }
        CachePhase::Revalidated | CachePhase::RevalidatedNoCache(_) => {
            let why = if context.by_request { Forward::Request } else { Forward::Stale };
            let stored = cache.phase() == CachePhase::Revalidated;
            (CacheStatus { forward: Some(why), stored, ..base }, Outcome::Renewed)
        }
        CachePhase::Expired => {
            let why = if context.by_request { Forward::Request } else { Forward::Stale };
            let stored = context.stored;
            (CacheStatus { forward: Some(why), stored, ..base }, Outcome::Miss)
        }
        CachePhase::Miss => {
            let stored = context.stored;
            (CacheStatus { forward: Some(missed), stored, ..base }, Outcome::Miss)
        }
        CachePhase::Bypass
        | CachePhase::Disabled(_)
        | CachePhase::Uninit
        | CachePhase::CacheKey => {
            let cacheable = matches!(request.method, Method::GET | Method::HEAD);
            let why = match (cacheable, context.key.is_some()) {
                (false, _) => Forward::Method,
                (true, false) => Forward::Bypass,
                (true, true) if context.asked.no_store => Forward::Request,
                (true, true) => missed,
            };
            let status = CacheStatus {
                forward: Some(why),
                ttl: None,
                collapsed: context.notes.collapsed(),
                detail: want_of_room(cache.phase()),
                ..base
            };
            (status, Outcome::Pass)
        }
    }
}

/// For want of what an answer was not cached that could have been.
fn want_of_room(phase: CachePhase) -> Option<&'static str> {
    match phase {
        CachePhase::Disabled(NoCacheReason::Custom(Cache::NO_ROOM)) => Some("no-room"),
        CachePhase::Disabled(NoCacheReason::Custom(Cache::MANY_VARIANTS)) => Some("many-variants"),
        _ => None,
    }
}
