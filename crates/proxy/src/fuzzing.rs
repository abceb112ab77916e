//! What the fuzz targets ask of the proxy: its rules for any messages, its trace for requests that
//! end in any order, and what its looking address takes for one of this machine. Only with the
//! feature `fuzzing`, which nothing but `fuzz/` turns on.

use std::io::{self, Cursor};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use http::header::{
    AUTHORIZATION, CONTENT_LENGTH, IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_RANGE, RANGE,
};
use http::{HeaderName, HeaderValue, Method, Version};
use pingora_cache::CacheMeta;
use pingora_cache::key::CacheHashKey;
use pingora_core::protocols::http::v1::server::HttpSession;
use pingora_http::{RequestHeader, ResponseHeader};
use pingora_proxy::RangeType;

use crate::access_log::{AccessLog, Line};
use crate::config::Config;
use crate::messages::{check_request, key_of, remove_hops, size, target};
use crate::plain::{self, Beginning};
use crate::rules::{Asked, LONGEST, storable, variance};
use crate::what_if::WhatIf;

/// Header fields, as names and values.
pub type Fields = [(String, Vec<u8>)];

fn fields(of: &Fields) -> impl Iterator<Item = (HeaderName, HeaderValue)> {
    of.iter().filter_map(|(name, value)| {
        let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
        Some((name, HeaderValue::from_bytes(value).ok()?))
    })
}

fn request(method: &str, target: &[u8], of: &Fields) -> Option<RequestHeader> {
    let mut request = RequestHeader::build(method, target, None).ok()?;
    for (name, value) in fields(of) {
        request.append_header(name, value).ok()?;
    }
    Some(request)
}

/// Any text as a configuration: one whose values are within their bounds, or an error that says
/// something.
pub fn configuration(text: &str) {
    let config = match Config::parse(text, Path::new("/folder")) {
        Ok(config) => config,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    assert!(!config.listen.is_empty() && !config.origins.is_empty());
    assert!(config.admin.is_none_or(|admin| admin.ip().is_loopback()));
    assert!(config.cache.size > 0 && !config.cache.leader_timeout.is_zero());
    assert!(config.what_if.sample > 0.0 && config.what_if.sample <= 1.0);
    for origin in &config.origins {
        assert!(origin.path.starts_with('/') && !origin.timeout.is_zero());
        assert!(!origin.name.is_empty(), "{origin:?}");
    }
    if let Err(error) = WhatIf::new(&config.what_if, &config.cache) {
        assert!(error.to_string().contains(" = "), "{error}");
    }
    if let Err(error) = crate::server::build_memory(&config) {
        assert!(!error.to_string().is_empty());
    }
}

/// A request and its answer: what may be stored keeps the promises of RFC 9111.
pub fn messages(
    method: &str,
    path: &[u8],
    asked: &Fields,
    status: u16,
    said: &Fields,
    now: u32,
    config: &Config,
) {
    let Some(request) = request(method, path, asked) else { return };
    let live = &config.limits;
    let host = check_request(&request, live);
    if let Ok(host) = &host {
        assert!(!host.bytes().any(|byte| byte.is_ascii_uppercase() || byte.is_ascii_control()));
        // Host and target do not run into each other.
        let target = target(&request);
        let key = |host: &str, target: &[u8]| key_of("o", host, target).primary_bin();
        assert_ne!(key(&format!("{host}/"), &target), key(host, &[b"/", &*target].concat()));
    }
    let Ok(mut response) = ResponseHeader::build(status, None) else { return };
    for (name, value) in fields(said) {
        if response.append_header(name, value).is_err() {
            return;
        }
    }
    remove_hops(&mut response);
    assert!(!response.headers.contains_key("keep-alive"));

    // In the very first second of 1970 nothing can be stale.
    let seed = now;
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(u64::from(now) + 1);
    if let Some(stored) = storable(&request, &response, now, None) {
        assert!(stored.lifetime <= LONGEST && stored.age <= LONGEST);
        assert!(!response.headers.contains_key("set-cookie"));
        let control: Vec<_> = response
            .headers
            .get_all("cache-control")
            .iter()
            .map(|value| String::from_utf8_lossy(value.as_bytes()).to_ascii_lowercase())
            .collect();
        let control = control.join(",");
        let says = |word: &str| control.split(',').any(|part| part.trim() == word);
        assert!(!says("private"), "{control}");
        assert!(!says("no-store") || control.contains("must-understand"), "{control}");
        let meta = stored.meta(response.clone(), now);
        let (internal, header) = meta.serialize().expect("what is stored can be written");
        let again = CacheMeta::deserialize(&internal, &header).expect("and read again");
        assert_eq!(again.fresh_until(), meta.fresh_until());
        assert_eq!(again.is_fresh(now), stored.lifetime > stored.age);
        assert_eq!(variance(&again, &request), variance(&meta, &request));
        let wish = Asked::of(&request);
        wish.judge(&meta, meta.is_fresh(now), now);
    }
    // Lengths from none on, of which `now` chooses one.
    for length in [0, 1, 1000, seed as usize] {
        ranges(&request, response.clone(), length);
    }
}

/// Any bytes that a client begins with: what is plain is, as Pingora reads it, a request for the
/// same, by which nothing is asked but that.
pub fn plain(bytes: &[u8], config: &Config) {
    let Beginning::Plain(asked) = plain::read(bytes) else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("it has no driver");
    let mut session = HttpSession::new(Box::new(Cursor::new(bytes.to_vec())));
    let read = runtime.block_on(session.read_request());
    assert!(matches!(read, Ok(Some(_))), "{read:?}");
    assert!(session.is_body_empty() && !session.is_upgrade_req() && session.will_keepalive());
    let request = session.req_header();
    assert_eq!((&request.method, request.version), (&Method::GET, Version::HTTP_11));
    assert_eq!(&*target(request), asked.target.as_bytes());
    assert_eq!(size(&request.headers).0, asked.size.0);
    if asked.size.1 <= config.limits.header_bytes && asked.size.0 <= config.limits.headers {
        let host = check_request(request, &config.limits).expect("it is no odd request");
        assert_eq!(host, asked.host.to_ascii_lowercase());
        let path = asked.target.split('?').next();
        assert_eq!(Some(request.uri.path()), path);
    }
    assert_eq!(Asked::of(request), Asked::default());
    for name in [RANGE, IF_RANGE, IF_MATCH, IF_NONE_MATCH, IF_MODIFIED_SINCE, AUTHORIZATION] {
        assert!(!request.headers.contains_key(name));
    }
}

/// Ranges lie within the whole, and have bytes.
fn ranges(request: &RequestHeader, mut whole: ResponseHeader, length: usize) {
    let set = whole.insert_header(CONTENT_LENGTH, length);
    if set.is_err() || !request.headers.contains_key(RANGE) {
        return;
    }
    match crate::ranges::ranges(request, &mut whole, true) {
        RangeType::Single(range) => assert!(range.start < range.end && range.end <= length),
        RangeType::Multi(many) => {
            assert!(many.ranges.iter().all(|range| range.start < range.end && range.end <= length));
        }
        RangeType::None | RangeType::Invalid => {}
    }
}

/// Any bytes as a request to the looking address.
#[must_use]
pub fn is_foreign(header: &[u8]) -> bool {
    crate::admin::is_foreign(&String::from_utf8_lossy(header))
}

/// Requests that begin, and end in any order, with an object or without: the lines of the trace at
/// `path` that were written, without its first.
///
/// # Errors
/// If the file system fails.
pub fn traced(path: &Path, steps: &[(bool, u16, Option<(u64, u64, u8)>)]) -> io::Result<String> {
    std::fs::remove_file(path).ok();
    let log = Arc::new(AccessLog::open(path)?);
    let mut open: Vec<(u64, Line)> = Vec::new();
    let mut begun = 0;
    for (begins, which, entry) in steps {
        if *begins {
            let at = SystemTime::UNIX_EPOCH + Duration::from_secs(begun);
            open.push((begun, log.begin(at)));
            begun += 1;
        } else if !open.is_empty() {
            let (_, line) = open.remove(usize::from(*which) % open.len());
            line.end(entry.map(|(object, size, origin)| (object, size, origin.into())));
        }
    }
    for (number, line) in open {
        // Some end without an entry, others are gone without a word.
        if number % 2 == 0 {
            line.end(None);
        }
    }
    log.flush();
    std::fs::read_to_string(path)
}
