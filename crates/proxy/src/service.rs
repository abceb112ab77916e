//! What becomes of a request: Pingora calls these filters in the order of its life.

use std::borrow::Cow;
use std::ops::Deref;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant, SystemTime};

use async_trait::async_trait;
use bytes::Bytes;
use forebay_pingora::{Cache, RequestNotes, is_arriving};
use http::header::{
    CONNECTION, CONTENT_LENGTH, CONTENT_LOCATION, HOST, HeaderName, LOCATION, TE, TRAILER,
    TRANSFER_ENCODING, UPGRADE, VIA,
};
use http::{HeaderMap, Method, StatusCode, Version};
use pingora_cache::key::CacheHashKey;
use pingora_cache::predictor::Predictor;
use pingora_cache::{
    CacheKey, CacheMeta, CacheOptionOverrides, CachePhase, ForcedFreshness, HitHandler,
    NoCacheReason, RespCacheable,
};
use pingora_core::upstreams::peer::HttpPeer;
use pingora_error::{Error, ErrorSource, ErrorType, Result};
use pingora_http::authority::{RawTargetAuthority, raw_target_authority};
use pingora_http::{RequestHeader, ResponseHeader};
use pingora_proxy::{FailToProxy, ProxyHttp, Session};

use crate::access_log::{AccessLog, Place};
use crate::admin::Page;
use crate::config::{Config, Limits, Waiters};
use crate::metrics::{Metrics, Outcome};
use crate::routes::{Origin, Routes};
use crate::rules::{Asked, named_target, renewed, storable, variance};
use crate::status::{CacheStatus, Forward};
use crate::what_if::{Fresh, WhatIf};

const CACHE_STATUS: HeaderName = HeaderName::from_static("cache-status");
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
/// Fields by which some origins choose their answers though they are no part of a URL or of `Vary`:
/// with them a client could have its own answer cached for all. They do not go along with requests
/// whose answers may be cached.
const UNKEYED: [&str; 9] = [
    "forwarded",
    "x-forwarded-host",
    "x-forwarded-port",
    "x-forwarded-proto",
    "x-forwarded-scheme",
    "x-host",
    "x-original-url",
    "x-rewrite-url",
    "x-http-method-override",
];
/// URLs that are remembered not to be cacheable, in each of 16 shards.
const UNCACHEABLE: usize = 4096;

/// What can change while it runs.
pub(crate) struct Live {
    pub(crate) config: Config,
    pub(crate) routes: Routes,
}

/// What all requests share.
pub(crate) struct Shared {
    live: RwLock<Arc<Live>>,
    pub(crate) cache: &'static Cache,
    predictor: &'static Predictor<16>,
    pub(crate) metrics: Metrics,
    pub(crate) what_if: Arc<WhatIf>,
    pub(crate) log: Option<Arc<AccessLog>>,
    pub(crate) began: Instant,
    pub(crate) page: Page,
}

/// The proxy, as Pingora holds it.
pub(crate) struct Service(pub(crate) Arc<Shared>);

impl Deref for Service {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

impl Shared {
    pub(crate) fn new(
        live: Live,
        cache: &'static Cache,
        what_if: Arc<WhatIf>,
        log: Option<Arc<AccessLog>>,
        page: Page,
    ) -> Self {
        Shared {
            live: RwLock::new(Arc::new(live)),
            cache,
            predictor: Box::leak(Box::new(Predictor::new(UNCACHEABLE, None))),
            metrics: Metrics::default(),
            what_if,
            log,
            began: Instant::now(),
            page,
        }
    }

    pub(crate) fn live(&self) -> Arc<Live> {
        self.live.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn renew(&self, live: Live) {
        *self.live.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(live);
    }
}

/// What is known of one request.
pub(crate) struct Context {
    live: Arc<Live>,
    began: Instant,
    at: SystemTime,
    place: Option<Place>,
    notes: Arc<RequestNotes>,
    origin: Option<Arc<Origin>>,
    host: String,
    asked: Asked,
    /// The key of what may be cached.
    key: Option<u128>,
    /// Whether the body was on its way when it was found.
    arriving: bool,
    /// Whether the client's wish made it go to the origin.
    by_request: bool,
    upstream_status: Option<u16>,
    /// How long the origin took to begin its answer.
    answered: Duration,
    /// What it said of what is stored, if that still holds.
    renewal: Option<Box<ResponseHeader>>,
    stored: bool,
    outcome: Outcome,
    body: u64,
    refusal: Option<Refusal>,
}

/// Why the proxy answers by itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refusal {
    status: u16,
    detail: &'static str,
}

const fn refusal(status: u16, detail: &'static str) -> Refusal {
    Refusal { status, detail }
}

/// An error that ends the request with this answer.
fn refuse(context: &mut Context, status: u16, detail: &'static str) -> Box<Error> {
    context.refusal = Some(refusal(status, detail));
    Error::explain(ErrorType::HTTPStatus(status), detail)
}

/// How many fields there are, and their bytes.
fn size(headers: &HeaderMap) -> (usize, u64) {
    let bytes =
        headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum::<usize>();
    (headers.len(), bytes as u64)
}

/// The host that a request is for, in lower case; why it is for none.
fn host_of(request: &RequestHeader) -> std::result::Result<String, Refusal> {
    let mut hosts = request.headers.get_all(HOST).iter();
    let (first, second) = (hosts.next(), hosts.next());
    if second.is_some() {
        return Err(refusal(400, "several-hosts"));
    }
    // An authority in the target counts, and Host is then ignored (RFC 9112, 3.2.2).
    let named = match raw_target_authority(request.raw_path()) {
        RawTargetAuthority::Absolute { authority, .. } => Some(authority),
        RawTargetAuthority::None => request.uri.authority().map(|name| name.as_str().as_bytes()),
        RawTargetAuthority::AmbiguousAuthority => return Err(refusal(400, "odd-target")),
    };
    let host = match named.or(first.map(|host| host.as_bytes())) {
        Some(host) => std::str::from_utf8(host).map_err(|_| refusal(400, "odd-host"))?,
        None if request.version < Version::HTTP_11 => "",
        None => return Err(refusal(400, "no-host")),
    };
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:[]%".contains(&byte);
    if !host.bytes().all(plain) || host.len() > 255 {
        return Err(refusal(400, "odd-host"));
    }
    Ok(host.to_ascii_lowercase())
}

pub(crate) fn check_request(
    request: &RequestHeader,
    limits: &Limits,
) -> std::result::Result<String, Refusal> {
    let (count, bytes) = size(&request.headers);
    let target = request.raw_path().len() as u64;
    if count > limits.headers || bytes + target > limits.header_bytes {
        return Err(refusal(431, "large-header"));
    }
    // Two lengths are how requests are smuggled (RFC 9112, 6.1 and 6.3).
    let lengths = request.headers.get_all(CONTENT_LENGTH).iter().count();
    let coded = request.headers.get_all(TRANSFER_ENCODING).iter().count();
    if lengths > 1 || coded > 1 || lengths > 0 && coded > 0 {
        return Err(refusal(400, "ambiguous-length"));
    }
    // Another coding would be taken off here and the origin never told (RFC 9112, 6.1).
    let plain = |coding: &http::HeaderValue| coding.as_bytes().eq_ignore_ascii_case(b"chunked");
    if request.headers.get(TRANSFER_ENCODING).is_some_and(|coding| !plain(coding)) {
        return Err(refusal(501, "odd-coding"));
    }
    if let Some(length) = request.headers.get(CONTENT_LENGTH) {
        let length = length.to_str().ok().and_then(|length| length.parse::<u64>().ok());
        match length {
            None => return Err(refusal(400, "odd-length")),
            Some(length) if length > limits.request_body => {
                return Err(refusal(413, "large-body"));
            }
            Some(_) => {}
        }
    }
    host_of(request)
}

/// The key of a request: host and target, framed so that neither runs into the other.
pub(crate) fn key_of(origin: &str, host: &str, target: &[u8]) -> CacheKey {
    let mut key = Vec::with_capacity(origin.len() + host.len() + target.len() + 12);
    for part in [origin.as_bytes(), host.as_bytes(), target] {
        key.extend_from_slice(&(part.len() as u32).to_le_bytes());
        key.extend_from_slice(part);
    }
    CacheKey::new(key, "")
}

/// Path and query as they came; those of a target in absolute form are the same as in origin form.
pub(crate) fn target(request: &RequestHeader) -> Cow<'_, [u8]> {
    match raw_target_authority(request.raw_path()) {
        RawTargetAuthority::Absolute { path_and_query, .. } if path_and_query.starts_with(b"/") => {
            path_and_query.into()
        }
        RawTargetAuthority::Absolute { path_and_query, .. } => {
            [b"/", path_and_query].concat().into()
        }
        RawTargetAuthority::None | RawTargetAuthority::AmbiguousAuthority => {
            request.raw_path().into()
        }
    }
}

/// Fields of one connection, which do not go on (RFC 9110, 7.6.1).
pub(crate) fn remove_hops(response: &mut ResponseHeader) {
    let nominated: Vec<String> = response
        .headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .collect();
    for name in nominated {
        // What frames the body is Pingora's to read.
        if !matches!(name.as_str(), "transfer-encoding" | "content-length" | "upgrade") {
            response.remove_header(name.as_str());
        }
    }
    response.remove_header("keep-alive");
    response.remove_header("proxy-connection");
    response.remove_header(&TRAILER);
    response.remove_header(&TE);
    if response.status != StatusCode::SWITCHING_PROTOCOLS {
        response.remove_header(&CONNECTION);
        response.remove_header(&UPGRADE);
    }
}

fn seconds_between(now: SystemTime, later: SystemTime) -> i64 {
    let seconds = |span: Duration| i64::try_from(span.as_secs()).unwrap_or(i64::MAX);
    match later.duration_since(now) {
        Ok(left) => seconds(left),
        Err(past) => -seconds(past.duration()),
    }
}

/// What `Cache-Status` says, and what is counted.
fn status_of(session: &Session, context: &Context, now: SystemTime) -> (CacheStatus, Outcome) {
    let cache = &session.cache;
    let ttl = cache.maybe_cache_meta().map(|meta| seconds_between(now, meta.fresh_until()));
    let request = session.req_header();
    let vary = cache.maybe_cache_key().is_some_and(|key| key.get_variance_key().is_some());
    let missed = match (context.by_request, vary) {
        (true, _) => Forward::Request,
        (false, true) => Forward::VaryMiss,
        (false, false) => Forward::UriMiss,
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
                ..base
            };
            (status, Outcome::Pass)
        }
    }
}

#[async_trait]
impl ProxyHttp for Service {
    type CTX = Context;

    fn new_ctx(&self) -> Context {
        Context {
            live: self.live(),
            began: Instant::now(),
            at: SystemTime::now(),
            place: self.log.as_ref().map(|log| log.begin()),
            notes: Arc::default(),
            origin: None,
            host: String::new(),
            asked: Asked::default(),
            key: None,
            arriving: false,
            by_request: false,
            upstream_status: None,
            answered: Duration::ZERO,
            renewal: None,
            stored: false,
            outcome: Outcome::Error,
            body: 0,
            refusal: None,
        }
    }

    async fn early_request_filter(
        &self,
        session: &mut Session,
        context: &mut Context,
    ) -> Result<()> {
        // Otherwise a client that reads slowly would hold up the fetch that others wait for.
        session.set_proxy_tasks_enabled(true);
        let timeout = Some(context.live.config.limits.client_timeout);
        session.set_read_timeout(timeout);
        session.set_write_timeout(timeout);
        Ok(())
    }

    async fn request_filter(&self, session: &mut Session, context: &mut Context) -> Result<bool> {
        let request = session.req_header();
        let host = match check_request(request, &context.live.config.limits) {
            Ok(host) => host,
            Err(Refusal { status, detail }) => return Err(refuse(context, status, detail)),
        };
        let path = request.uri.path();
        let Some(origin) = context.live.routes.find(&host, path).cloned() else {
            return Err(refuse(context, 404, "no-origin"));
        };
        context.asked = match context.live.config.cache.obey_clients {
            true => Asked::of(request),
            false => Asked::default(),
        };
        if request.method != Method::GET {
            // Only of GET (RFC 9110, 14.2): a HEAD is answered from the cache like one.
            session.req_header_mut().remove_header("range");
        }
        context.host = host;
        context.origin = Some(origin);
        Ok(false)
    }

    async fn request_body_filter(
        &self,
        _: &mut Session,
        body: &mut Option<Bytes>,
        _: bool,
        context: &mut Context,
    ) -> Result<()> {
        context.body += body.as_ref().map_or(0, |data| data.len() as u64);
        if context.body > context.live.config.limits.request_body {
            return Err(refuse(context, 413, "large-body"));
        }
        Ok(())
    }

    fn request_cache_filter(&self, session: &mut Session, context: &mut Context) -> Result<()> {
        let plain = session.is_body_empty() && !session.is_upgrade_req();
        let method = &session.req_header().method;
        if !plain || !matches!(*method, Method::GET | Method::HEAD) || context.asked.no_store {
            return Ok(());
        }
        let cache = &context.live.config.cache;
        let mut overrides = CacheOptionOverrides::default();
        overrides.max_lock_retries = Some(cache.leader_failures);
        // Whoever waits through as many leaders as may fail has waited long enough.
        let most = u32::try_from(cache.leader_failures).unwrap_or(u32::MAX).saturating_add(1);
        overrides.wait_timeout = Some(cache.leader_timeout.saturating_mul(most));
        let ours = self.cache;
        session.cache.enable(ours, Some(ours), Some(self.predictor), Some(ours), Some(overrides));
        Ok(())
    }

    fn cache_key_callback(&self, session: &Session, context: &mut Context) -> Result<CacheKey> {
        let origin = context.origin.as_ref().map_or("", |origin| &origin.config.url);
        let mut key = key_of(origin, &context.host, &target(session.req_header()));
        key.extensions.insert(context.notes.clone());
        let primary = u128::from_be_bytes(key.primary_bin());
        context.key = Some(primary);
        if session.subrequest_ctx.is_none() {
            self.what_if.request(primary);
        }
        Ok(key)
    }

    async fn cache_hit_filter(
        &self,
        _: &mut Session,
        meta: &CacheMeta,
        handler: &mut HitHandler,
        fresh: bool,
        context: &mut Context,
    ) -> Result<Option<ForcedFreshness>> {
        context.arriving = is_arriving(handler);
        // Who waited for this very answer has it as new as he can ask for.
        let waited = context.arriving || context.notes.collapsed();
        let judged = context.asked.judge(meta, fresh, SystemTime::now());
        let judged =
            judged.filter(|forced| !(waited && fresh && *forced == ForcedFreshness::ForceExpired));
        context.by_request = fresh && judged == Some(ForcedFreshness::ForceExpired);
        Ok(judged)
    }

    async fn proxy_upstream_filter(
        &self,
        session: &mut Session,
        context: &mut Context,
    ) -> Result<bool> {
        if context.asked.only_if_cached {
            return Err(refuse(context, 504, "only-if-cached"));
        }
        if context.notes.refused() {
            return Err(refuse(context, 503, "too-many-wait"));
        }
        let phase = session.cache.phase();
        let tired = matches!(
            phase,
            CachePhase::Disabled(
                NoCacheReason::CacheLockRetryLimit | NoCacheReason::CacheLockTimeout
            )
        );
        if tired && context.live.config.cache.when_leaders_fail == Waiters::Fail {
            return Err(refuse(context, 502, "leaders-failed"));
        }
        Ok(true)
    }

    async fn upstream_peer(&self, _: &mut Session, context: &mut Context) -> Result<Box<HttpPeer>> {
        match &context.origin {
            Some(origin) => Ok(Box::new(origin.peer.clone())),
            None => Err(refuse(context, 404, "no-origin")),
        }
    }

    async fn upstream_request_filter(
        &self,
        session: &mut Session,
        request: &mut RequestHeader,
        context: &mut Context,
    ) -> Result<()> {
        if session.cache.enabled() {
            for name in UNKEYED {
                request.remove_header(name);
            }
        }
        let send = context.origin.as_ref().and_then(|origin| origin.config.send_host.as_deref());
        if let Some(host) = send {
            request.insert_header(HOST, host)?;
        }
        request.append_header(VIA, "1.1 forebay")?;
        if let Some(client) = session.client_addr().and_then(|address| address.as_inet()) {
            request.append_header(FORWARDED_FOR, client.ip().to_string())?;
        }
        Ok(())
    }

    async fn upstream_response_filter(
        &self,
        session: &mut Session,
        response: &mut ResponseHeader,
        context: &mut Context,
    ) -> Result<()> {
        let limits = &context.live.config.limits;
        let (count, bytes) = size(&response.headers);
        if count > limits.headers || bytes > limits.header_bytes {
            return Err(refuse(context, 502, "origin-large-header"));
        }
        context.upstream_status = Some(response.status.as_u16());
        context.answered = context.began.elapsed();
        remove_hops(response);
        if response.status == StatusCode::NOT_MODIFIED {
            context.renewal = Some(Box::new(response.clone()));
        }
        // What a successful change makes wrong is no longer cached (RFC 9111, 4.4).
        let method = &session.req_header().method;
        let changes = !method.is_safe() && (200..400).contains(&response.status.as_u16());
        if changes && let Some(origin) = &context.origin {
            let target = target(session.req_header());
            self.remove(&key_of(&origin.config.url, &context.host, &target));
            let target = String::from_utf8_lossy(&target);
            for name in [LOCATION, CONTENT_LOCATION] {
                let named = response.headers.get(name).and_then(|value| value.to_str().ok());
                let named = named.and_then(|named| named_target(named, &context.host, &target));
                if let Some(named) = named {
                    self.remove(&key_of(&origin.config.url, &context.host, named.as_bytes()));
                }
            }
        }
        Ok(())
    }

    fn response_cache_filter(
        &self,
        session: &Session,
        response: &ResponseHeader,
        context: &mut Context,
    ) -> Result<RespCacheable> {
        let now = SystemTime::now();
        let ttl = context.live.config.cache.default_ttl;
        // Pingora takes less of a 304 than the RFC asks (RFC 9111, 4.3.4).
        let renewed = match (&context.renewal, session.cache.maybe_cache_meta()) {
            (Some(by), Some(meta)) => Some(renewed(meta.response_header(), by)?),
            _ => None,
        };
        let response = renewed.as_ref().unwrap_or(response);
        let Some(stored) = storable(session.req_header(), response, now, ttl) else {
            return Ok(RespCacheable::Uncacheable(NoCacheReason::OriginNotCache));
        };
        let largest = self.cache.largest();
        let length = response.headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok());
        if length
            .and_then(|length| length.parse::<u64>().ok())
            .is_some_and(|length| length > largest)
        {
            return Ok(RespCacheable::Uncacheable(NoCacheReason::ResponseTooLarge));
        }
        context.stored = true;
        Ok(RespCacheable::Cacheable(stored.meta(response.clone(), now)))
    }

    fn cache_vary_filter(
        &self,
        meta: &CacheMeta,
        _: &mut Context,
        request: &RequestHeader,
    ) -> Option<[u8; 16]> {
        variance(meta, request)
    }

    fn should_serve_stale(
        &self,
        session: &mut Session,
        context: &mut Context,
        error: Option<&Error>,
    ) -> bool {
        if error.is_some() {
            // Pingora ends the connection after an error: the client is told.
            session.set_keepalive(None);
        }
        if let Some(ErrorType::HTTPStatus(status)) = error.map(Error::etype) {
            context.upstream_status = Some(*status);
        }
        // Pingora has checked that the answer allows it (RFC 5861).
        error.is_none_or(|error| *error.esource() == ErrorSource::Upstream)
    }

    async fn response_filter(
        &self,
        session: &mut Session,
        response: &mut ResponseHeader,
        context: &mut Context,
    ) -> Result<()> {
        let (status, outcome) = status_of(session, context, SystemTime::now());
        context.outcome = outcome;
        response.append_header(CACHE_STATUS, status.text())?;
        Ok(())
    }

    async fn fail_to_proxy(
        &self,
        session: &mut Session,
        error: &Error,
        context: &mut Context,
    ) -> FailToProxy {
        let Refusal { status, detail } = match (context.refusal, error.etype(), error.esource()) {
            (Some(refusal), ..) => refusal,
            (None, ErrorType::HTTPStatus(status), _) => refusal(*status, "refused"),
            (
                None,
                ErrorType::ConnectTimedout
                | ErrorType::ReadTimedout
                | ErrorType::WriteTimedout
                | ErrorType::TLSHandshakeTimedout,
                ErrorSource::Upstream,
            ) => refusal(504, "origin-slow"),
            (None, _, ErrorSource::Upstream) => refusal(502, "origin-failed"),
            (
                None,
                ErrorType::WriteError | ErrorType::ReadError | ErrorType::ConnectionClosed,
                ErrorSource::Downstream,
            ) => refusal(0, "client-gone"),
            (None, _, ErrorSource::Downstream) => refusal(400, "bad-request"),
            (None, ..) => refusal(500, "internal"),
        };
        context.outcome = Outcome::Error;
        if status > 0 && session.response_written().is_none() {
            let sent = respond(session, status, detail, context.upstream_status).await;
            if let Err(error) = sent {
                log::debug!("an error could not be told to its client: {error}");
            }
        }
        FailToProxy { error_code: status, can_reuse_downstream: false }
    }

    async fn logging(&self, session: &mut Session, error: Option<&Error>, context: &mut Context) {
        let cacheable = matches!(
            context.outcome,
            Outcome::Hit | Outcome::Stale | Outcome::DelayedHit | Outcome::Miss | Outcome::Renewed
        );
        match (context.key, session.cache.maybe_cache_meta()) {
            (Some(key), _) if !cacheable => self.what_if.forget(key),
            (Some(key), Some(meta)) if context.outcome == Outcome::Renewed => {
                let served = Duration::from_secs(meta.stale_while_revalidate_sec().into());
                let fresh = Fresh::until(meta.fresh_until(), served);
                self.what_if.renewed(key, context.answered, fresh);
            }
            _ => {}
        }
        // Renewals in the background are nobody's requests.
        let foreground = session.subrequest_ctx.is_none();
        if let (Some(log), Some(place)) = (&self.log, context.place.take()) {
            let meta = session.cache.maybe_cache_meta();
            let length = meta
                .and_then(|meta| meta.headers().get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok());
            let size = length.unwrap_or(session.body_bytes_sent() as u64);
            let logged = foreground && cacheable && error.is_none();
            let number = context.origin.as_ref().map_or(0, |origin| origin.number);
            let entry = context.key.filter(|_| logged);
            log.end(place, context.at, entry.map(|key| (key as u64, size, number)));
        }
        if !foreground {
            return;
        }
        let span = context.began.elapsed();
        self.metrics.record(context.outcome, span, cacheable);
        if matches!(context.outcome, Outcome::DelayedHit | Outcome::Miss | Outcome::Renewed) {
            let url = shown(&context.host, &target(session.req_header()));
            self.metrics.waited(&url, span);
        }
    }

    fn suppress_error_log(&self, _: &Session, context: &Context, _: &Error) -> bool {
        context.refusal.is_some()
    }
}

/// A URL to show, of at most 200 characters, all of them plain: a client chooses it, and it goes to
/// terminals and pages.
fn shown(host: &str, target: &[u8]) -> String {
    let plain = |byte: &u8| if byte.is_ascii_graphic() { char::from(*byte) } else { '?' };
    host.as_bytes().iter().chain(target).take(200).map(plain).collect()
}

/// Answers with an error of the proxy's own.
async fn respond(
    session: &mut Session,
    status: u16,
    detail: &'static str,
    forward_status: Option<u16>,
) -> Result<()> {
    let mut response = ResponseHeader::build(status, Some(4))?;
    let body = format!("{status}: {detail}\n");
    let said = CacheStatus { forward_status, detail: Some(detail), ..CacheStatus::default() };
    response.insert_header(CACHE_STATUS, said.text())?;
    response.insert_header("cache-control", "no-store")?;
    response.insert_header("content-type", "text/plain; charset=utf-8")?;
    response.insert_header(CONTENT_LENGTH, body.len())?;
    if status == 503 {
        response.insert_header("retry-after", "1")?;
    }
    session.set_keepalive(None);
    let head = session.req_header().method == Method::HEAD;
    session.write_response_header(Box::new(response), head).await?;
    if !head {
        session.write_response_body(Some(Bytes::from(body)), true).await?;
    }
    Ok(())
}

impl Shared {
    /// Removes what is cached for `key`; whether there was something.
    pub(crate) fn remove(&self, key: &CacheKey) -> bool {
        self.what_if.removed(u128::from_be_bytes(key.primary_bin()));
        self.cache.remove(key)
    }

    /// One client more or less is connected.
    pub(crate) fn connected(&self, change: i64) {
        let connections = &self.metrics.connections;
        if change > 0 {
            connections.fetch_add(1, Ordering::Relaxed);
        } else {
            connections.fetch_sub(1, Ordering::Relaxed);
        }
    }
}
