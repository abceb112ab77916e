//! HTTP's rules of caching: what may be stored, how long it is fresh, and what a client may ask of
//! a cache (RFC 9111, RFC 5861). No clock, no socket.
//!
//! Open in the RFCs, chosen here:
//!
//! | question | choice |
//! |---|---|
//! | heuristic freshness (4.2.2) | a tenth of the time since `Last-Modified`, at most a day; else `default_ttl`, if one is configured |
//! | answers that are stale at once (`no-cache`, `max-age=0`) | not stored, unless `stale-while-revalidate` lets them be served; so nobody waits in a row for what he must ask for himself |
//! | `Set-Cookie` (7.3) | not stored |
//! | qualified `private` and `no-cache` | taken as unqualified |
//! | which statuses are understood (3) | 200, 203, 204, 300, 301, 302, 303, 307, 308, 404, 405, 410, 414, 451, 501 |
//! | `Vary` | up to 16 fields; the values as they came, apart from white space around them |

use std::time::{Duration, SystemTime};

use http::header::{
    AGE, AUTHORIZATION, CACHE_CONTROL, DATE, EXPIRES, HeaderName, LAST_MODIFIED, PRAGMA,
    SET_COOKIE, VARY,
};
use http::{HeaderMap, StatusCode};
use pingora_cache::cache_control::{CacheControl, DirectiveKey};
use pingora_cache::{CacheMeta, ForcedFreshness, VarianceBuilder};
use pingora_error::Result;
use pingora_http::{RequestHeader, ResponseHeader};

/// The longest that an answer is fresh by heuristics.
const LONGEST_HEURISTIC: Duration = Duration::from_secs(24 * 3600);
/// The longest that anything is fresh: RFC 9111, 1.2.2.
pub(crate) const LONGEST: Duration = Duration::from_secs(1 << 31);
/// The most fields that `Vary` may name.
const MOST_VARY: usize = 16;

/// What is stored, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Storable {
    /// How old it was when it came (4.2.3).
    pub(crate) age: Duration,
    /// How long it is fresh, from its beginning.
    pub(crate) lifetime: Duration,
    pub(crate) stale_while_revalidate: u32,
    pub(crate) stale_if_error: u32,
}

fn understood(status: StatusCode) -> bool {
    heuristic(status) || matches!(status.as_u16(), 302 | 303 | 307 | 451)
}

/// The statuses that are cached by default (RFC 9110, 15.1).
fn heuristic(status: StatusCode) -> bool {
    let status = status.as_u16();
    matches!(status, 200 | 203 | 204 | 300 | 301 | 308 | 404 | 405 | 410 | 414 | 501)
}

fn date(headers: &HeaderMap, name: HeaderName) -> Option<SystemTime> {
    httpdate::parse_http_date(headers.get(name)?.to_str().ok()?).ok()
}

/// Whether and for how long the answer `response` to `request`, received at `now`, may be stored.
pub(crate) fn storable(
    request: &RequestHeader,
    response: &ResponseHeader,
    now: SystemTime,
    default_ttl: Option<Duration>,
) -> Option<Storable> {
    let headers = &response.headers;
    let control = CacheControl::from_resp_headers(response);
    let has = |directive: &str| control.as_ref().is_some_and(|control| control.has_key(directive));
    let known = understood(response.status);
    if !known || has("private") || has("no-store") && !has("must-understand") {
        return None;
    }
    let shared = has("public") || has("s-maxage") || has("must-revalidate");
    if request.headers.contains_key(AUTHORIZATION) && !shared {
        return None;
    }
    if headers.contains_key(SET_COOKIE) || !can_vary(headers) {
        return None;
    }
    let age = initial_age(headers, now);
    let lifetime = lifetime(headers, control.as_ref(), response.status, now, default_ttl)?;
    let checked = has("no-cache");
    let lifetime = if checked { Duration::ZERO } else { lifetime.min(LONGEST) };
    // Whoever must be asked when it is stale is not gone round (RFC 9111, 4.2.4).
    let strict = checked || has("must-revalidate") || has("proxy-revalidate") || has("s-maxage");
    let window = |seconds: Option<u32>| if strict { 0 } else { seconds.unwrap_or(0) };
    let control = control.as_ref();
    let stored = Storable {
        age,
        lifetime,
        stale_while_revalidate: window(
            control.and_then(|control| control.stale_while_revalidate().ok().flatten()),
        ),
        stale_if_error: window(control.and_then(|control| control.stale_if_error().ok().flatten())),
    };
    let useful = lifetime > age || stored.stale_while_revalidate > 0;
    useful.then_some(stored)
}

/// How long it is fresh from its beginning on (4.2.1); `None` where nothing says that it may be
/// stored at all.
fn lifetime(
    headers: &HeaderMap,
    control: Option<&CacheControl>,
    status: StatusCode,
    now: SystemTime,
    default_ttl: Option<Duration>,
) -> Option<Duration> {
    if let Some(control) = control {
        // What cannot be read is stale, and so is what says two things (4.2.1).
        for (name, seconds) in [("s-maxage", control.s_maxage()), ("max-age", control.max_age())] {
            match seconds {
                Ok(Some(_)) if says_two(headers, name) => return Some(Duration::ZERO),
                Ok(Some(seconds)) => return Some(Duration::from_secs(seconds.into())),
                Ok(None) => {}
                Err(_) => return Some(Duration::ZERO),
            }
        }
    }
    let since = |at: SystemTime, until: SystemTime| until.duration_since(at).unwrap_or_default();
    let sent = date(headers, DATE).unwrap_or(now);
    if headers.contains_key(EXPIRES) {
        let single = headers.get_all(EXPIRES).iter().count() == 1;
        let until = date(headers, EXPIRES).filter(|_| single);
        return Some(until.map_or(Duration::ZERO, |until| since(sent, until)));
    }
    let public = control.is_some_and(CacheControl::public);
    if !heuristic(status) && !public {
        return None;
    }
    match date(headers, LAST_MODIFIED) {
        Some(modified) => Some((since(modified, sent) / 10).min(LONGEST_HEURISTIC)),
        None => default_ttl,
    }
}

/// Whether `Cache-Control` gives the directive `name` two values.
fn says_two(headers: &HeaderMap, name: &str) -> bool {
    let values = headers.get_all(CACHE_CONTROL).iter().filter_map(|value| value.to_str().ok());
    let mut said = values.flat_map(|value| value.split(',')).filter_map(|part| {
        let (found, value) = part.split_once('=')?;
        found.trim().eq_ignore_ascii_case(name).then(|| value.trim().trim_matches('"'))
    });
    let first = said.next();
    said.any(|value| Some(value) != first)
}

/// How old an answer was when it came (4.2.3); the way here is not counted, only what it says.
fn initial_age(headers: &HeaderMap, now: SystemTime) -> Duration {
    let apparent = date(headers, DATE).and_then(|sent| now.duration_since(sent).ok());
    // Of a list the first counts, and what is no number is ignored (5.1).
    let said = headers.get(AGE).and_then(|age| age.to_str().ok()?.split(',').next());
    let said = said.and_then(|age| age.trim().parse::<u64>().ok());
    let said = Duration::from_secs(said.unwrap_or(0)).min(LONGEST);
    // Dates are in whole seconds: less than two apart is no age.
    let apparent = apparent.filter(|age| *age >= Duration::from_secs(2)).unwrap_or_default();
    said.max(apparent.min(LONGEST))
}

/// Fields of a stored answer that a 304 does not change: they describe the body that is stored, or
/// decide for whom it is (3.2, 4.3.4).
const KEPT: [&str; 7] = [
    "content-encoding",
    "content-length",
    "content-md5",
    "content-range",
    "etag",
    "transfer-encoding",
    "vary",
];

/// The header of what is `stored`, updated by a 304.
pub(crate) fn renewed(stored: &ResponseHeader, by: &ResponseHeader) -> Result<ResponseHeader> {
    let mut header = stored.clone();
    // They were those of the first answer: it is as old as this one now.
    for name in [DATE, AGE] {
        header.remove_header(&name);
    }
    for name in by.headers.keys().filter(|name| !KEPT.contains(&name.as_str())) {
        header.remove_header(name);
        for value in by.headers.get_all(name) {
            header.append_header(name, value)?;
        }
    }
    Ok(header)
}

/// The target that `reference`, as `Location` gives it, names at `host`, seen from `target`; `None`
/// where it names none there.
pub(crate) fn named_target(reference: &str, host: &str, target: &str) -> Option<String> {
    let reference = reference.split('#').next().unwrap_or_default();
    if let Some((scheme, rest)) = reference.split_once("://") {
        if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
            return None;
        }
        let (named, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        return named.eq_ignore_ascii_case(host).then_some(path);
    }
    if reference.is_empty() || reference.starts_with("//") {
        return None;
    }
    if reference.starts_with('/') {
        return Some(reference.to_owned());
    }
    let path = target.split('?').next().unwrap_or_default();
    if reference.starts_with('?') {
        return Some(format!("{path}{reference}"));
    }
    let folder = &path[..=path.rfind('/')?];
    // With steps up and down, it names what it names elsewhere: it is not looked for.
    let plain = !reference.split(['/', '?']).any(|part| part == "." || part == "..");
    plain.then(|| format!("{folder}{reference}"))
}

impl Storable {
    /// What the cache keeps beside the body.
    pub(crate) fn meta(&self, header: ResponseHeader, now: SystemTime) -> CacheMeta {
        // What is said to be older than 1970 cannot be written down, and is no younger for it.
        let before = |span| {
            let epoch = SystemTime::UNIX_EPOCH;
            now.checked_sub(span).unwrap_or(epoch).max(epoch)
        };
        let began = before(self.age);
        let until = if self.lifetime > self.age {
            began.checked_add(self.lifetime).unwrap_or(now)
        } else {
            // Stale by a second at least: freshness is in whole seconds.
            before(Duration::from_secs(1))
        };
        let (revalidate, error) = (self.stale_while_revalidate, self.stale_if_error);
        let mut meta = CacheMeta::new(until, now, revalidate, error, header);
        if !self.age.is_zero() {
            meta.set_epoch_override(began);
        }
        meta
    }
}

/// The fields that `Vary` names, in lower case.
fn varied(headers: &HeaderMap) -> Vec<String> {
    let values = headers.get_all(VARY).iter().filter_map(|value| value.to_str().ok());
    let names = values.flat_map(|value| value.split(',')).map(str::trim);
    names.filter(|name| !name.is_empty()).map(str::to_ascii_lowercase).collect()
}

/// Whether one can tell which requests the answer is for.
fn can_vary(headers: &HeaderMap) -> bool {
    let readable = headers.get_all(VARY).iter().all(|value| value.to_str().is_ok());
    let names = varied(headers);
    readable && names.len() <= MOST_VARY && !names.iter().any(|name| name == "*")
}

/// The variant of `request` among the answers of which `meta` is one.
pub(crate) fn variance(meta: &CacheMeta, request: &RequestHeader) -> Option<[u8; 16]> {
    let names = varied(meta.headers());
    let mut builder = VarianceBuilder::new();
    for name in names {
        let mut all = Vec::new();
        for value in request.headers.get_all(&name) {
            // A comma between, and one before the first: an empty field is not a missing one.
            all.push(b',');
            all.extend_from_slice(value.as_bytes().trim_ascii());
        }
        builder.add_owned_name_value(name, all);
    }
    builder.finalize()
}

/// What a client asks of a cache (5.2.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) no_store: bool,
    pub(crate) only_if_cached: bool,
    no_cache: bool,
    max_age: Option<u32>,
    min_fresh: Option<u32>,
    /// `max-stale`, with its limit.
    max_stale: Option<u32>,
}

impl Asked {
    pub(crate) fn of(request: &RequestHeader) -> Self {
        let Some(control) = CacheControl::from_req_headers(request) else {
            let pragma = request.headers.get(PRAGMA).and_then(|value| value.to_str().ok());
            let no_cache = !request.headers.contains_key(CACHE_CONTROL)
                && pragma.is_some_and(|value| value.to_ascii_lowercase().contains("no-cache"));
            return Asked { no_cache, ..Asked::default() };
        };
        let seconds = |directive: &str| {
            let value =
                control.directives.get(&DirectiveKey::from_lowercase(directive))?.as_ref()?;
            value.parse_as_delta_seconds().ok()
        };
        let stale = control.has_key("max-stale");
        Asked {
            no_store: control.no_store(),
            only_if_cached: control.only_if_cached(),
            no_cache: control.no_cache(),
            max_age: seconds("max-age"),
            min_fresh: seconds("min-fresh"),
            max_stale: stale.then(|| seconds("max-stale").unwrap_or(u32::MAX)),
        }
    }

    /// What follows for what is cached, fresh or not at `now`.
    pub(crate) fn judge(
        &self,
        meta: &CacheMeta,
        fresh: bool,
        now: SystemTime,
    ) -> Option<ForcedFreshness> {
        let seconds = |count: u32| Duration::from_secs(count.into());
        let left = meta.fresh_until().duration_since(now).unwrap_or_default();
        let old = self.max_age.is_some_and(|most| meta.age() > seconds(most));
        let short = self.min_fresh.is_some_and(|least| left < seconds(least));
        if self.no_cache || old || short {
            return Some(ForcedFreshness::ForceExpired);
        }
        let stale = now.duration_since(meta.fresh_until()).unwrap_or_default();
        let allowed = self.max_stale.is_some_and(|most| stale <= seconds(most));
        (!fresh && allowed && !must_be_asked(meta)).then_some(ForcedFreshness::ForceFresh)
    }
}

/// Whether it may not be served stale, whatever the client says.
fn must_be_asked(meta: &CacheMeta) -> bool {
    let control = CacheControl::from_resp_headers(meta.response_header());
    control.is_some_and(|control| {
        ["must-revalidate", "proxy-revalidate", "s-maxage", "no-cache"]
            .iter()
            .any(|directive| control.has_key(directive))
    })
}

#[cfg(test)]
mod tests;
