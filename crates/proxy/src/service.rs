//! What becomes of a request: Pingora calls these filters in the order of its life.

use std::ops::Deref;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use bytes::Bytes;
use forebay_pingora::{Cache, is_arriving};
use http::header::{
    CONTENT_LENGTH, CONTENT_LOCATION, HOST, HeaderName, IF_NONE_MATCH, LOCATION, MAX_FORWARDS,
    TRANSFER_ENCODING, VIA,
};
use http::{Method, StatusCode, Version};
use pingora_cache::key::CacheHashKey;
use pingora_cache::{
    CacheKey, CacheMeta, CacheOptionOverrides, CachePhase, ForcedFreshness, HitHandler,
    NoCacheReason, RespCacheable,
};
use pingora_core::protocols::http::conditional_filter::not_modified_filter;
use pingora_core::upstreams::peer::HttpPeer;
use pingora_error::{Error, ErrorSource, ErrorType, Result};
use pingora_http::{RequestHeader, ResponseHeader};
use pingora_proxy::{FailToProxy, ProxyHttp, RangeType, Session};

use crate::answers::{Question, frame, is_interim};
use crate::config::Waiters;
use crate::context::{Context, refuse, status_of};
use crate::messages::{
    Refusal, UNKEYED, check_request, key_of, refusal, remove_hops, shown, target,
};
use crate::metrics::Outcome;
use crate::own::{CACHE_STATUS, respond, say_allowed};
use crate::ranges::ranges;
use crate::rules::{Asked, named_target, renewed, storable, variance};
use crate::shared::Shared;
use crate::what_if::{Fresh, WhatIf};

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The proxy, as Pingora holds it.
pub(crate) struct Service(pub(crate) Arc<Shared>);

impl Deref for Service {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

#[async_trait]
impl ProxyHttp for Service {
    type CTX = Context;

    fn new_ctx(&self) -> Context {
        Context::new(self)
    }

    async fn early_request_filter(
        &self,
        session: &mut Session,
        context: &mut Context,
    ) -> Result<()> {
        // Otherwise a client that reads slowly would hold up the fetch that others wait for.
        session.set_proxy_tasks_enabled(true);
        // Of interim answers a client gets those that it asked for.
        session.set_ignore_info_resp(true);
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
        // What is asked of a whole server (RFC 9110, 9.3.7).
        let path = if path == "*" { "/" } else { path };
        let Some(origin) = context.live.routes.find(&host, path).cloned() else {
            return Err(refuse(context, 404, "no-origin"));
        };
        if request.method == Method::OPTIONS && hops(request) == Some(0) {
            // The last that it is for (RFC 9110, 7.6.2).
            context.outcome = Outcome::Pass;
            say_allowed(session).await?;
            return Ok(true);
        }
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
            context.asks = WhatIf::ask(&self.what_if, primary);
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
        // It may wait for who renews it, and look again.
        context.by_request |= fresh && judged == Some(ForcedFreshness::ForceExpired);
        context.stale |= !fresh && judged != Some(ForcedFreshness::ForceFresh);
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
        let cache = &context.live.config.cache;
        let tired = match session.cache.phase() {
            CachePhase::Disabled(NoCacheReason::CacheLockTimeout) => true,
            // Pingora counts whatever it waited for, also what was removed before it was served.
            CachePhase::Disabled(NoCacheReason::CacheLockRetryLimit) => {
                context.notes.leaders_failed() as usize > cache.leader_failures
            }
            _ => false,
        };
        if tired && cache.when_leaders_fail == Waiters::Fail {
            return Err(refuse(context, 502, "leaders-failed"));
        }
        Ok(true)
    }

    async fn upstream_peer(&self, _: &mut Session, context: &mut Context) -> Result<Box<HttpPeer>> {
        match &context.origin {
            Some(origin) => Ok(Box::new(context.tries.peer(&origin.peer))),
            None => Err(refuse(context, 404, "no-origin")),
        }
    }

    fn error_while_proxy(
        &self,
        peer: &HttpPeer,
        session: &mut Session,
        error: Box<Error>,
        context: &mut Context,
        reused: bool,
    ) -> Box<Error> {
        let mut error = error.more_context(format!("Peer: {peer}"));
        let whole = !session.as_ref().retry_buffer_truncated();
        let may = whole && session.req_header().method.is_idempotent();
        context.tries.failed(&mut error, may, reused);
        error
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
        let renews = session.cache.maybe_cache_meta().is_some();
        context.question = Question::of(request, renews);
        let send = context.origin.as_ref().and_then(|origin| origin.config.send_host.as_deref());
        if let Some(host) = send {
            request.insert_header(HOST, host)?;
        }
        if request.method == Method::OPTIONS
            && let Some(hops) = hops(request)
        {
            request.insert_header(MAX_FORWARDS, hops.saturating_sub(1))?;
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
        if let Err(Refusal { status, detail }) = context.question.check(response, limits) {
            return Err(refuse(context, status, detail));
        }
        if is_interim(response) {
            return Ok(());
        }
        frame(response);
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
        let answer = RespCacheable::Cacheable(stored.meta(response.clone(), now));
        // What is renewed has its body already.
        let answer = match session.cache.maybe_cache_key() {
            Some(key) if renewed.is_none() => self.cache.make_room(key, answer),
            Some(_) | None => answer,
        };
        context.stored = answer.is_cacheable();
        Ok(answer)
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

    fn cache_not_modified_filter(
        &self,
        session: &Session,
        response: &ResponseHeader,
        _: &mut Context,
    ) -> Result<bool> {
        // `*` is any answer, with a tag or without (RFC 9110, 13.1.2).
        let mut tags = session.req_header().headers.get_all(IF_NONE_MATCH).iter();
        let any = tags.any(|tag| tag.as_bytes().trim_ascii() == b"*");
        Ok(response.status == StatusCode::OK && any
            || not_modified_filter(session.req_header(), response))
    }

    fn range_header_filter(
        &self,
        session: &mut Session,
        response: &mut ResponseHeader,
        _: &mut Context,
    ) -> RangeType {
        ranges(session.req_header(), response, session.cache.enabled())
    }

    async fn response_filter(
        &self,
        session: &mut Session,
        response: &mut ResponseHeader,
        context: &mut Context,
    ) -> Result<()> {
        if is_interim(response) {
            return Ok(());
        }
        if session.req_header().version < Version::HTTP_11
            && response.headers.contains_key(TRANSFER_ENCODING)
        {
            // Its client knows no chunks: the connection's end is the body's (RFC 9112, 6.1).
            response.remove_header(&TRANSFER_ENCODING);
            session.set_keepalive(None);
        }
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
            // It came while others held all room, and of a length that nobody had said.
            (None, ErrorType::Custom(Cache::NO_ROOM), _) => refusal(503, "no-room"),
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
        if status > 0 && session.response_written().is_none_or(is_interim) {
            let sent = respond(session, status, detail, context.upstream_status).await;
            if let Err(error) = sent {
                log::debug!("an error could not be told to its client: {error}");
            }
        }
        FailToProxy { error_code: status, can_reuse_downstream: false }
    }

    async fn logging(&self, session: &mut Session, error: Option<&Error>, context: &mut Context) {
        self.tell_what_if(session, context);
        // Renewals in the background are nobody's requests.
        let foreground = session.subrequest_ctx.is_none();
        if let Some(line) = context.line.take() {
            let meta = session.cache.maybe_cache_meta();
            let length = meta
                .and_then(|meta| meta.headers().get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok());
            let size = length.unwrap_or(session.body_bytes_sent() as u64);
            let logged = foreground && context.outcome.is_cacheable() && error.is_none();
            let number = context.origin.as_ref().map_or(0, |origin| origin.number);
            let entry = context.key.filter(|_| logged);
            line.end(entry.map(|key| (key as u64, size, number)));
        }
        if !foreground {
            return;
        }
        let span = context.began.elapsed();
        self.metrics.record(context.outcome, span);
        if matches!(context.outcome, Outcome::DelayedHit | Outcome::Miss | Outcome::Renewed) {
            let url = shown(&context.host, &target(session.req_header()));
            self.metrics.waited(&url, span);
        }
    }

    fn suppress_error_log(&self, _: &Session, context: &Context, _: &Error) -> bool {
        context.refusal.is_some()
    }
}

impl Service {
    /// What the caches that could be instead learn of a request that has ended.
    fn tell_what_if(&self, session: &Session, context: &mut Context) {
        let asks = context.asks.take();
        let Some(key) = context.key else { return };
        match (context.outcome, session.cache.maybe_cache_meta()) {
            (Outcome::Pass, _) => self.what_if.forget(key),
            (Outcome::Error, _) if asks.is_none() => self.what_if.forget(key),
            (Outcome::Renewed, Some(meta)) => {
                let served = Duration::from_secs(meta.stale_while_revalidate_sec().into());
                let fresh = Fresh::until(meta.fresh_until(), served);
                self.what_if.renewed(key, context.answered, fresh);
            }
            // Nothing was fetched from which they could learn how long that takes.
            (Outcome::Error | Outcome::Hit, _) => return,
            (Outcome::Stale | Outcome::DelayedHit | Outcome::Miss | Outcome::Renewed, _) => {}
        }
        if let Some(asks) = asks {
            asks.answered();
        }
    }
}

/// How many more proxies a request may pass.
fn hops(request: &RequestHeader) -> Option<u64> {
    request.headers.get(MAX_FORWARDS)?.to_str().ok()?.trim().parse().ok()
}
