//! `Cache-Status`: what the cache did with a request (RFC 9211).

use std::fmt::Write;

/// Why a request went to the origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Forward {
    /// Nothing is cached for the URL.
    UriMiss,
    /// Something is, but no variant for this request.
    VaryMiss,
    /// What is cached is stale.
    Stale,
    /// The request asked for it.
    Request,
    /// Methods other than GET and HEAD are not cached.
    Method,
    /// The URL is known not to be cacheable, or the cache was not to be used.
    Bypass,
}

impl Forward {
    fn name(self) -> &'static str {
        match self {
            Forward::UriMiss => "uri-miss",
            Forward::VaryMiss => "vary-miss",
            Forward::Stale => "stale",
            Forward::Request => "request",
            Forward::Method => "method",
            Forward::Bypass => "bypass",
        }
    }
}

/// What is said of one answer.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CacheStatus {
    /// `None`: a hit, unless `detail` says why there is neither.
    pub(crate) forward: Option<Forward>,
    pub(crate) forward_status: Option<u16>,
    pub(crate) collapsed: bool,
    pub(crate) stored: bool,
    pub(crate) ttl: Option<i64>,
    pub(crate) detail: Option<&'static str>,
}

impl CacheStatus {
    /// The field's value.
    pub(crate) fn text(&self) -> String {
        let mut text = "forebay".to_owned();
        let mut add = |part: std::fmt::Arguments<'_>| {
            // Writing to a text does not fail.
            write!(text, "; {part}").unwrap_or_default();
        };
        match self.forward {
            Some(forward) => add(format_args!("fwd={}", forward.name())),
            None if self.detail.is_none() => add(format_args!("hit")),
            None => {}
        }
        if let Some(status) = self.forward_status {
            add(format_args!("fwd-status={status}"));
        }
        if self.stored {
            add(format_args!("stored"));
        }
        if self.collapsed {
            add(format_args!("collapsed"));
        }
        if let Some(ttl) = self.ttl {
            add(format_args!("ttl={ttl}"));
        }
        if let Some(detail) = self.detail {
            add(format_args!("detail={detail}"));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_what_rfc_9211_says() {
        let hit = CacheStatus { ttl: Some(545), ..CacheStatus::default() };
        assert_eq!(hit.text(), "forebay; hit; ttl=545");
        let miss = CacheStatus {
            forward: Some(Forward::VaryMiss),
            forward_status: Some(200),
            stored: true,
            collapsed: true,
            ..CacheStatus::default()
        };
        assert_eq!(miss.text(), "forebay; fwd=vary-miss; fwd-status=200; stored; collapsed");
        let none = CacheStatus { detail: Some("only-if-cached"), ..CacheStatus::default() };
        assert_eq!(none.text(), "forebay; detail=only-if-cached");
    }
}
