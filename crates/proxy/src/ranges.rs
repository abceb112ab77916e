//! Ranges of a whole (RFC 9110, 14): Pingora's, but for what it takes for a range of no byte.

use std::borrow::Cow;

use http::header::{ACCEPT_RANGES, CONTENT_LENGTH, RANGE};
use pingora_http::{RequestHeader, ResponseHeader};
use pingora_proxy::RangeType;

/// The most ranges that are answered; who asks for more gets the whole.
const MOST: usize = 200;
/// No whole has it.
const UNSATISFIABLE: &str = "bytes=1-0";

/// The ranges of a whole, of which `response` is the header, that `request` asks for; the header
/// becomes that of an answer with them. `cached`: whether later requests can have ranges, too.
pub(crate) fn ranges(
    request: &RequestHeader,
    response: &mut ResponseHeader,
    cached: bool,
) -> RangeType {
    let had = response.headers.contains_key(ACCEPT_RANGES);
    let length = response.headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    let empty = length.is_some_and(|length| length.parse() == Ok(0_u64));
    let asked = request.headers.get(RANGE).and_then(|asked| asked.to_str().ok());
    let ranges = match asked.and_then(|asked| without_empty(asked, empty)) {
        Some(Cow::Owned(asked)) => {
            let mut request = request.clone();
            match request.insert_header(RANGE, asked) {
                Ok(()) => pingora_proxy::range_header_filter(&request, response, Some(MOST)),
                Err(_) => RangeType::None,
            }
        }
        Some(Cow::Borrowed(_)) | None => {
            pingora_proxy::range_header_filter(request, response, Some(MOST))
        }
    };
    if !had && !cached {
        response.remove_header(&ACCEPT_RANGES);
    }
    ranges
}

/// What `asked` asks for without ranges that have no byte: the last none, and all of an `empty`
/// whole. `None`: it is none of bytes.
fn without_empty(asked: &str, empty: bool) -> Option<Cow<'_, str>> {
    let (unit, set) = asked.split_once('=')?;
    if !unit.eq_ignore_ascii_case("bytes") {
        return None;
    }
    let none = |spec: &str| {
        let last = spec.trim().strip_prefix('-');
        last.is_some_and(|last| !last.is_empty() && last.bytes().all(|digit| digit == b'0'))
    };
    if empty {
        return Some(UNSATISFIABLE.to_owned().into());
    }
    if !set.split(',').any(none) {
        return Some(asked.into());
    }
    let left: Vec<&str> = set.split(',').filter(|spec| !none(spec)).collect();
    let left = left.join(",");
    Some(if left.is_empty() { UNSATISFIABLE.to_owned() } else { format!("bytes={left}") }.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(asked: &str, length: u64) -> (u16, Option<String>) {
        let mut request = RequestHeader::build("GET", b"/", None).unwrap();
        request.insert_header(RANGE, asked).unwrap();
        let mut response = ResponseHeader::build(200, None).unwrap();
        response.insert_header(CONTENT_LENGTH, length).unwrap();
        ranges(&request, &mut response, true);
        let said = response.headers.get("content-range");
        (response.status.as_u16(), said.map(|said| said.to_str().unwrap().to_owned()))
    }

    #[test]
    fn a_range_of_no_byte_is_unsatisfiable() {
        let none = |length: u64| (416, Some(format!("bytes */{length}")));
        for asked in ["bytes=-1", "bytes=-0", "bytes=0-", "bytes=0-0,-7"] {
            assert_eq!(of(asked, 0), none(0), "{asked}");
        }
        assert_eq!(of("bytes=-0", 1000), none(1000));
        assert_eq!(of("Bytes=-00, -0", 1000), none(1000));
        assert_eq!(of("bytes=-0,2-3", 1000), (206, Some("bytes 2-3/1000".to_owned())));
        assert_eq!(of("bytes=-1", 1000), (206, Some("bytes 999-999/1000".to_owned())));
        // What is no range of bytes is no question of them.
        assert_eq!(of("lines=-0", 1000), (200, None));
        assert_eq!(of("lines=-1", 0), (200, None));
    }
}
