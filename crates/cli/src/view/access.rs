//! Who may ask what: a token, and the headers by which browsers say who made them ask.
//!
//! - The token is a secret that a page of somebody else does not have, and that a browser does not
//!   send by itself. It is needed for everything but the page and its parts, which say nothing.
//! - `Host` must be an address or `localhost`: a name that somebody else's server has given this
//!   machine (DNS rebinding) is refused.
//! - What changes something is a `POST` of JSON, and if the browser says which page it is from
//!   (`Origin`, `Sec-Fetch-Site`), that must be this one.

use std::fs::File;
use std::io::{self, Read};
use std::net::{IpAddr, Ipv6Addr};
use std::path::Path;

use forebay_files::read_text;
use hyper::header::{self, HeaderMap, HeaderValue};

use crate::Failure;
use crate::net::wrong;

/// The shortest token of a file, and the longest.
const LEAST: usize = 16;
const MOST: usize = 256;

/// What a client must know.
pub(super) struct Token(String);

impl Token {
    /// A new one, of 128 random bits.
    pub(super) fn new() -> io::Result<Self> {
        let mut random = [0; 16];
        File::open("/dev/urandom")?.read_exact(&mut random)?;
        Ok(Token(random.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// That of a file.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let refused =
            |problem: String| wrong("view-token", format!("{}: {problem}", path.display()));
        let text = read_text(path, 4 * MOST as u64)
            .map_err(|error| refused(format!("it cannot be read: {error}")))?;
        let text = text.trim();
        // What needs no quoting in an address.
        let is_plain =
            text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte));
        if !(LEAST..=MOST).contains(&text.len()) || !is_plain {
            let problem = format!(
                "it holds no token: write {LEAST} to {MOST} letters, digits, and `-._~` into it"
            );
            return Err(refused(problem));
        }
        Ok(Token(text.to_owned()))
    }

    pub(super) fn text(&self) -> &str {
        &self.0
    }

    /// Whether a request has it. How long that takes says nothing about how much of it is right.
    pub(super) fn is_in(&self, headers: &HeaderMap) -> bool {
        let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let given = given.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
        let (given, own) = (given.as_bytes(), self.0.as_bytes());
        let differ = given.iter().zip(own).fold(0, |differ, (a, b)| differ | (a ^ b));
        given.len() == own.len() && differ == 0
    }
}

/// Whether the one header of this name, if there is one, is as it should be.
fn only<'a>(
    headers: &'a HeaderMap,
    name: &header::HeaderName,
) -> Result<Option<&'a HeaderValue>, ()> {
    let mut all = headers.get_all(name).iter();
    let first = all.next();
    if all.next().is_some() { Err(()) } else { Ok(first) }
}

/// Whether a request is for an address of this machine, and not for a name that others gave it.
pub(super) fn is_host_own(headers: &HeaderMap) -> bool {
    let Ok(Some(host)) = only(headers, &header::HOST) else { return false };
    host.to_str().is_ok_and(is_address)
}

fn is_address(host: &str) -> bool {
    if let Some(rest) = host.strip_prefix('[') {
        let Some((address, port)) = rest.split_once(']') else { return false };
        return address.parse::<Ipv6Addr>().is_ok()
            && (port.is_empty() || port.strip_prefix(':').is_some_and(is_port));
    }
    let (name, port) = match host.split_once(':') {
        Some((name, port)) => (name, Some(port)),
        None => (host, None),
    };
    let is_known = name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.is_ipv4());
    is_known && port.is_none_or(is_port)
}

fn is_port(port: &str) -> bool {
    !port.is_empty() && port.len() <= 5 && port.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a request that changes something comes from this page, or from no page at all.
pub(super) fn is_origin_own(headers: &HeaderMap) -> bool {
    let Ok(origin) = only(headers, &header::ORIGIN) else { return false };
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let own = format!("http://{host}");
    let same = origin.is_none_or(|origin| origin.as_bytes() == own.as_bytes());
    let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
    same && site.is_none_or(|site| site == b"same-origin" || site == b"none")
}

/// Whether its body is said to be JSON, which no form of another page can say.
pub(super) fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next()).unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("application/json")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    #[test]
    fn only_addresses_of_this_machine_are_hosts() {
        for own in ["127.0.0.1:8377", "127.0.0.1", "localhost:80", "LOCALHOST", "[::1]:9", "[::1]"]
        {
            assert!(is_host_own(&headers(&[("host", own)])), "{own}");
        }
        for other in [
            "evil.example:8377",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "127.0.0.1:evil",
            "[::1]evil",
            "[evil]",
            "::1",
            "",
            "localhost:",
        ] {
            assert!(!is_host_own(&headers(&[("host", other)])), "{other}");
        }
        assert!(!is_host_own(&headers(&[])));
        assert!(!is_host_own(&headers(&[("host", "localhost"), ("host", "evil.example")])));
    }

    #[test]
    fn a_change_comes_from_this_page_or_from_none() {
        let from = |more: &[(&'static str, &str)]| {
            is_origin_own(&headers(&[&[("host", "127.0.0.1:9")], more].concat()))
        };
        assert!(from(&[]) && from(&[("origin", "http://127.0.0.1:9")]));
        assert!(from(&[("sec-fetch-site", "same-origin")]));
        for other in ["http://evil.example", "null", "http://127.0.0.1:8", "https://127.0.0.1:9"] {
            assert!(!from(&[("origin", other)]), "{other}");
        }
        assert!(!from(&[("sec-fetch-site", "cross-site")]));
        assert!(!from(&[("origin", "http://127.0.0.1:9"), ("origin", "http://evil.example")]));
        let is_json = |kind| is_json(&headers(&[("content-type", kind)]));
        assert!(is_json("application/json; charset=utf-8") && !is_json("text/plain"));
    }

    #[test]
    fn tokens_are_new_and_compared_whole() {
        let (token, other) = (Token::new().unwrap(), Token::new().unwrap());
        assert_ne!(token.text(), other.text());
        let with = |text: &str| token.is_in(&headers(&[("authorization", text)]));
        assert!(with(&format!("Bearer {}", token.text())));
        for wrong in [token.text(), "Bearer ", "Bearer", "", &format!("Bearer {}", other.text())] {
            assert!(!with(wrong), "{wrong}");
        }
        assert!(!with(&format!("Bearer {}0", token.text())));
        assert!(!with(&format!("Bearer {}", &token.text()[..31])));
    }

    #[test]
    fn tokens_of_files_are_long_and_plain() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            Token::read(&path).map(|token| token.0)
        };
        assert_eq!(read(" 0123456789abcdef\n").ok().as_deref(), Some("0123456789abcdef"));
        for wrong in ["short", "0123456789 abcdef", "", &"x".repeat(300)] {
            let message = read(wrong).err().unwrap().message;
            assert!(
                message.contains("--view-token") && message.contains("holds no token"),
                "{message}"
            );
        }
    }
}
