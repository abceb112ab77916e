//! What a request may look like, what it is for, and which fields go on.

use std::borrow::Cow;

use http::header::{CONNECTION, CONTENT_LENGTH, HOST, TE, TRAILER, TRANSFER_ENCODING, UPGRADE};
use http::{HeaderMap, Method, StatusCode, Version};
use pingora_cache::CacheKey;
use pingora_http::authority::{RawTargetAuthority, raw_target_authority};
use pingora_http::{RequestHeader, ResponseHeader};

use crate::config::Limits;

/// Fields by which some origins choose their answers though they are no part of a URL or of `Vary`:
/// with them a client could have its own answer cached for all. They do not go along with requests
/// whose answers may be cached.
pub(crate) const UNKEYED: [&str; 33] = [
    "client-ip",
    "cf-connecting-ip",
    "fastly-client-ip",
    "forwarded",
    "front-end-https",
    "true-client-ip",
    "x-client-ip",
    "x-cluster-client-ip",
    "x-forwarded",
    "x-forwarded-by",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-path",
    "x-forwarded-port",
    "x-forwarded-prefix",
    "x-forwarded-proto",
    "x-forwarded-protocol",
    "x-forwarded-scheme",
    "x-forwarded-server",
    "x-forwarded-ssl",
    "x-forwarded-uri",
    "x-host",
    "x-http-host-override",
    "x-http-method",
    "x-http-method-override",
    "x-method-override",
    "x-original-host",
    "x-original-uri",
    "x-original-url",
    "x-real-ip",
    "x-rewrite-url",
    "x-scheme",
    "x-url-scheme",
];

/// Why the proxy answers by itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) detail: &'static str,
}

pub(crate) const fn refusal(status: u16, detail: &'static str) -> Refusal {
    Refusal { status, detail }
}

/// How many fields there are, and their bytes.
pub(crate) fn size(headers: &HeaderMap) -> (usize, u64) {
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
    if !is_host(host) {
        return Err(refusal(400, "odd-host"));
    }
    Ok(host.to_ascii_lowercase())
}

/// Whether `host` can be one, with a port or without.
pub(crate) fn is_host(host: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:[]%".contains(&byte);
    host.bytes().all(plain) && host.len() <= 255
}

pub(crate) fn check_request(
    request: &RequestHeader,
    limits: &Limits,
) -> std::result::Result<String, Refusal> {
    // It tells a client what it sent, with what proxies added: nobody needs it (RFC 9110, 9.3.8).
    if request.method == Method::TRACE {
        return Err(refusal(405, "trace"));
    }
    if request.raw_path() == b"*" && request.method != Method::OPTIONS {
        return Err(refusal(400, "odd-target"));
    }
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

/// A URL to show, of at most 200 characters, all of them plain: a client chooses it, and it goes to
/// terminals and pages.
pub(crate) fn shown(host: &str, target: &[u8]) -> String {
    let plain = |byte: &u8| if byte.is_ascii_graphic() { char::from(*byte) } else { '?' };
    host.as_bytes().iter().chain(target).take(200).map(plain).collect()
}
