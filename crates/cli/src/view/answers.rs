//! What is answered to a request, sans-IO but for the streams of pictures.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http_body_util::{BodyExt, Full, Limited, combinators::UnsyncBoxBody};
use hyper::body::{Body, Bytes, Frame};
use hyper::header::{self, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use serde::Deserialize;
use serde_json::json;
use tokio::sync::{Notify, mpsc};
use tokio::time::timeout;

use super::access::{Token, is_host_own, is_json, is_origin_own};
use super::server::{PATIENCE, STALLED};
use super::watch::{Answer, Watch, Watcher};
use crate::page::{File, HTML, LOOK, PLOTS, SCRIPT, UPLOT, UPLOT_LOOK};

/// The most that is read of a request's body.
const MOST: usize = 16 << 10;
/// The most clients that watch at once.
const WATCHERS: usize = 16;

/// The parts of the page.
const PARTS: [File; 6] = [
    ("/", HTML, include_str!("page/index.html")),
    ("/view.js", SCRIPT, include_str!("page/view.js")),
    PLOTS,
    LOOK,
    UPLOT,
    UPLOT_LOOK,
];

/// Nothing from elsewhere, nothing inline, in nobody's frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// A body of any kind.
pub(super) type AnyBody = UnsyncBoxBody<Bytes, Infallible>;

/// A change of the policy.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Change {
    devices: Vec<u32>,
    set: Vec<(String, String)>,
}

/// What is answered. A client that does not read its stream of pictures `stalls`.
pub(super) async fn answer<B>(
    request: Request<B>,
    token: &Token,
    watch: &Watch,
    stalls: Arc<Notify>,
) -> Response<AnyBody>
where
    B: Body<Data = Bytes, Error: Into<Box<dyn std::error::Error + Send + Sync>>>,
{
    let mut response = respond(request, token, watch, stalls).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

async fn respond<B>(
    request: Request<B>,
    token: &Token,
    watch: &Watch,
    stalls: Arc<Notify>,
) -> Response<AnyBody>
where
    B: Body<Data = Bytes, Error: Into<Box<dyn std::error::Error + Send + Sync>>>,
{
    use StatusCode as Code;
    if !is_host_own(request.headers()) {
        let problem = "name this machine by its address, or localhost";
        return refused(Code::MISDIRECTED_REQUEST, problem);
    }
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    if let Some((_, kind, text)) = PARTS.iter().find(|(name, ..)| *name == path) {
        return match method {
            Method::GET => full(Code::OK, kind, Bytes::from_static(text.as_bytes())),
            _ => not_allowed("GET"),
        };
    }
    let allowed = match path.as_str() {
        "/about" | "/events" => "GET",
        "/policy" => "GET, POST",
        _ => return refused(Code::NOT_FOUND, "there is nothing here"),
    };
    if !token.is_in(request.headers()) {
        let problem = "the token is missing or wrong: open the address that the program printed";
        return refused(Code::UNAUTHORIZED, problem);
    }
    match (method, path.as_str()) {
        (Method::GET, "/about") => answered(watch.about().await),
        (Method::GET, "/events") => match watch.watcher(WATCHERS) {
            Some(watcher) => events(watcher, stalls),
            None => refused(Code::SERVICE_UNAVAILABLE, "too many watch already: close one"),
        },
        (Method::GET, "/policy") => {
            let query = request.uri().query().unwrap_or_default();
            match described(query) {
                Some((device, switch)) => answered(watch.describe(device, switch).await),
                None => refused(Code::BAD_REQUEST, "name a device, as /policy?device=0"),
            }
        }
        (Method::POST, "/policy") => {
            if !is_origin_own(request.headers()) {
                return refused(Code::FORBIDDEN, "the request is another page's");
            }
            if !is_json(request.headers()) {
                return refused(Code::UNSUPPORTED_MEDIA_TYPE, "send JSON (application/json)");
            }
            match change(request.into_body()).await {
                Ok(Change { devices, set }) => answered(watch.change(devices, set).await),
                Err((code, problem)) => refused(code, &problem),
            }
        }
        _ => not_allowed(allowed),
    }
}

async fn change<B>(body: B) -> Result<Change, (StatusCode, String)>
where
    B: Body<Data = Bytes, Error: Into<Box<dyn std::error::Error + Send + Sync>>>,
{
    let body = timeout(PATIENCE, Limited::new(body, MOST).collect()).await;
    let body = body.map_err(|_| (StatusCode::REQUEST_TIMEOUT, "it came too slowly".to_owned()))?;
    let body = body.map_err(|_| {
        (StatusCode::PAYLOAD_TOO_LARGE, format!("it is cut, or has more than {MOST} bytes"))
    })?;
    serde_json::from_slice(&body.to_bytes())
        .map_err(|error| (StatusCode::BAD_REQUEST, format!("it is no change of a policy: {error}")))
}

/// The device and the switch of a query.
fn described(query: &str) -> Option<(u32, Option<String>)> {
    let (mut device, mut switch) = (None, None);
    for pair in query.split('&') {
        match pair.split_once('=') {
            Some(("device", number)) => device = number.parse().ok(),
            // Names of policies need no quoting.
            Some(("switch", name)) => switch = Some(name.to_owned()),
            _ => return None,
        }
    }
    Some((device?, switch))
}

fn answered(answer: Answer) -> Response<AnyBody> {
    match answer {
        Ok(value) => object(StatusCode::OK, &value),
        Err(problem) => refused(StatusCode::UNPROCESSABLE_ENTITY, &problem),
    }
}

pub(super) fn refused(code: StatusCode, problem: &str) -> Response<AnyBody> {
    object(code, &json!({ "error": problem }))
}

fn not_allowed(allowed: &'static str) -> Response<AnyBody> {
    let mut response = refused(StatusCode::METHOD_NOT_ALLOWED, "that cannot be done here");
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allowed));
    response
}

fn object(code: StatusCode, value: &serde_json::Value) -> Response<AnyBody> {
    full(code, "application/json", Bytes::from(value.to_string()))
}

fn full(code: StatusCode, kind: &'static str, bytes: Bytes) -> Response<AnyBody> {
    let mut response = Response::new(Full::new(bytes).boxed_unsync());
    *response.status_mut() = code;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// Pictures as server-sent events, for as long as the client reads and there are some.
fn events(watcher: Watcher, stalls: Arc<Notify>) -> Response<AnyBody> {
    // One waits to be read; while it does, later ones take each other's place.
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        let mut watcher = watcher;
        loop {
            tokio::select! {
                changed = watcher.pictures.changed() => if changed.is_err() { return },
                // Who went away is not noticed by writing where nothing is written.
                () = sender.closed() => return,
            }
            let picture = watcher.pictures.borrow_and_update().clone();
            let event = Bytes::from(format!("data: {picture}\n\n"));
            match timeout(STALLED, sender.send(event)).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => return,
                Err(_) => return stalls.notify_one(),
            }
        }
    });
    let mut response = Response::new(Events(receiver).boxed_unsync());
    let kind = HeaderValue::from_static("text/event-stream");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

/// The body of a stream of events.
struct Events(mpsc::Receiver<Bytes>);

impl Body for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}
