//! What an origin's answer may look like, and what of it goes on.

use http::StatusCode;
use http::header::{CONTENT_LENGTH, IF_MODIFIED_SINCE, IF_NONE_MATCH, TRANSFER_ENCODING, UPGRADE};
use pingora_http::{RequestHeader, ResponseHeader};

use crate::config::Limits;
use crate::messages::{Refusal, refusal, size};

/// The most interim answers (1xx) that an origin may send before its own.
const MOST_INTERIM: u32 = 16;

/// What an origin was asked, as far as it says which answers fit.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Question {
    /// For another protocol.
    upgrade: bool,
    /// Whether something still holds.
    conditional: bool,
    interim: u32,
}

impl Question {
    /// That of `request`, as it goes to the origin; `renews` what is cached or not.
    pub(crate) fn of(request: &RequestHeader, renews: bool) -> Self {
        let has = |name| request.headers.contains_key(name);
        let conditional = renews || has(IF_NONE_MATCH) || has(IF_MODIFIED_SINCE);
        Question { upgrade: has(UPGRADE), conditional, interim: 0 }
    }

    /// Whether `response` can be an answer to it; why not.
    pub(crate) fn check(
        &mut self,
        response: &ResponseHeader,
        limits: &Limits,
    ) -> Result<(), Refusal> {
        let (count, bytes) = size(&response.headers);
        if count > limits.headers || bytes > limits.header_bytes {
            return Err(refusal(502, "origin-large-header"));
        }
        // Another coding would be taken off nowhere (RFC 9112, 6.1; none was asked for).
        let mut codings = response.headers.get_all(TRANSFER_ENCODING).iter();
        let plain = codings
            .next()
            .is_none_or(|coding| coding.as_bytes().trim_ascii().eq_ignore_ascii_case(b"chunked"));
        if !plain || codings.next().is_some() {
            return Err(refusal(502, "origin-odd-coding"));
        }
        if is_interim(response) {
            self.interim += 1;
        }
        let unasked = match response.status {
            StatusCode::SWITCHING_PROTOCOLS => !self.upgrade,
            StatusCode::NOT_MODIFIED => !self.conditional,
            _ => self.interim > MOST_INTERIM,
        };
        if unasked { Err(refusal(502, "origin-unasked")) } else { Ok(()) }
    }
}

/// Whether another answer follows (RFC 9110, 15.2).
pub(crate) fn is_interim(response: &ResponseHeader) -> bool {
    response.status.is_informational() && response.status != StatusCode::SWITCHING_PROTOCOLS
}

/// Makes the fields that frame a body say what Pingora has read: one length of those that it found
/// equal, and none where there is no body (RFC 9110, 8.6).
pub(crate) fn frame(response: &mut ResponseHeader) {
    if response.status == StatusCode::NO_CONTENT {
        response.remove_header(&CONTENT_LENGTH);
        response.remove_header(&TRANSFER_ENCODING);
    }
    let mut lengths = response.headers.get_all(CONTENT_LENGTH).iter();
    let Some(length) = lengths.next() else { return };
    if lengths.next().is_none() && !length.as_bytes().contains(&b',') {
        return;
    }
    let first = length.as_bytes().split(|byte| *byte == b',').next().unwrap_or_default();
    let first = String::from_utf8_lossy(first.trim_ascii()).into_owned();
    response.remove_header(&CONTENT_LENGTH);
    // What is not written anew has no length, and ends with its connection.
    if response.insert_header(CONTENT_LENGTH, first).is_err() {
        log::debug!("a length that cannot be written is left out");
    }
}
