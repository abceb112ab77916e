//! Answers of the proxy's own.

use bytes::Bytes;
use http::Method;
use http::header::{CONTENT_LENGTH, HeaderName};
use pingora_error::Result;
use pingora_http::ResponseHeader;
use pingora_proxy::Session;

use crate::status::CacheStatus;

/// What a cache did with a request (RFC 9211).
pub(crate) const CACHE_STATUS: HeaderName = HeaderName::from_static("cache-status");
/// Methods that go to an origin, as others do that the proxy does not know.
const ALLOWED: &str = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

/// Answers OPTIONS for the proxy itself.
pub(crate) async fn say_allowed(session: &mut Session) -> Result<()> {
    let mut response = ResponseHeader::build(204, Some(1))?;
    response.insert_header("allow", ALLOWED)?;
    session.write_response_header(Box::new(response), true).await
}

/// Answers with an error of the proxy's own.
pub(crate) async fn respond(
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
    match status {
        405 => response.insert_header("allow", ALLOWED)?,
        503 => response.insert_header("retry-after", "1")?,
        _ => {}
    }
    session.set_keepalive(None);
    let head = session.req_header().method == Method::HEAD;
    session.write_response_header(Box::new(response), head).await?;
    if !head {
        session.write_response_body(Some(Bytes::from(body)), true).await?;
    }
    Ok(())
}
