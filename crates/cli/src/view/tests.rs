//! The server, as clients reach it: over real sockets of the loopback interface.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use forebay_dataplane::live::Requests;

use super::*;

/// Policies of which nothing comes.
struct Nobody;

impl Policies for Nobody {
    fn about(&self) -> Value {
        json!({ "name": "nothing" })
    }

    fn describe(&self, device: u32, switch: Option<&str>) -> Result<Value, Failure> {
        Ok(json!({ "device": device, "switch": switch }))
    }

    fn change(
        &mut self,
        _: &[u32],
        set: &[(String, String)],
    ) -> Result<Vec<(u32, NewPolicy)>, Failure> {
        Err(wrong(&set[0].0, "it cannot be that"))
    }
}

/// A view that is served; what passes frames answers nothing, or is gone.
struct Serving {
    address: SocketAddr,
    token: String,
    /// Before the view, which waits for an answer otherwise.
    _requests: Option<Requests>,
    _served: Served,
}

impl Serving {
    fn new(is_there: bool) -> Self {
        let view = Some("127.0.0.1:0".parse().unwrap());
        let arguments = ViewArguments { view, view_token: None };
        let bound = Bound::new(&arguments).ok().flatten().unwrap();
        let (address, token) = (bound.address, bound.token.text().to_owned());
        assert_eq!(bound.link(), format!("http://{address}/#{token}"));
        let (control, requests) = Control::new(true).unwrap();
        let _served = bound.serve(control, Nobody).ok().unwrap();
        Serving { address, token, _requests: is_there.then_some(requests), _served }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    /// Says something and hears everything that is answered.
    fn say(&self, text: &str) -> String {
        let mut stream = self.connect();
        stream.write_all(text.as_bytes()).unwrap();
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        answer
    }

    /// A request with this machine's name, and more headers.
    fn ask(&self, line: &str, headers: &[&str], body: &str) -> String {
        let more: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
        let (host, length) = (self.address, body.len());
        self.say(&format!(
            "{line} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {length}\r\n{more}\r\n{body}"
        ))
    }

    fn authorization(&self) -> String {
        format!("Authorization: Bearer {}", self.token)
    }
}

fn code(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0)
}

#[test]
fn the_page_is_for_everybody_and_brings_all_its_parts() {
    let view = Serving::new(false);
    for (path, words) in [
        ("/", "<!doctype html>"),
        ("/view.js", "server-sent events"),
        ("/plots.js", "class Plot"),
        ("/view.css", "prefers-color-scheme: dark"),
        ("/uplot.js", "uPlot (v1.6.32)"),
        ("/uplot.css", ".uplot"),
    ] {
        let answer = view.ask(&format!("GET {path}"), &[], "");
        assert!(code(&answer) == 200 && answer.contains(words), "{path}: {}", &answer[..200]);
        for header in ["default-src 'none'", "nosniff", "no-referrer", "frame-ancestors 'none'"] {
            assert!(answer.contains(header), "{path}: {header}");
        }
        assert!(!answer.contains(&view.token), "{path}");
        assert_eq!(code(&view.ask(&format!("POST {path}"), &[&view.authorization()], "")), 405);
    }
    let page = include_str!("page/index.html");
    let outside = page
        .match_indices("http")
        .filter(|(at, _)| !page[*at..].starts_with("https://github.com/forebay"));
    assert_eq!(outside.count(), 0, "nothing is fetched from elsewhere");
}

#[test]
fn all_else_needs_the_token_and_a_host_that_is_this_machine() {
    let view = Serving::new(false);
    for path in ["/about", "/events", "/policy?device=0"] {
        for headers in [&[][..], &["Authorization: Bearer 0123456789abcdef0123456789abcdef"]] {
            assert_eq!(code(&view.ask(&format!("GET {path}"), headers, "")), 401, "{path}");
        }
        let (token, path_only) = (view.authorization(), path);
        let rebound =
            view.say(&format!("GET {path_only} HTTP/1.1\r\nHost: evil.example\r\n{token}\r\n\r\n"));
        assert_eq!(code(&rebound), 421, "{rebound}");
    }
    let token = view.authorization();
    let about = view.ask("GET /about", &[&token], "");
    assert!(code(&about) == 200 && about.contains("\"nothing\""), "{about}");
    let policy = view.ask("GET /policy?device=3&switch=dt", &[&token], "");
    assert!(policy.contains("\"device\":3") && policy.contains("\"dt\""), "{policy}");
    for wrong in ["/policy", "/policy?device=x", "/policy?device=0&set=1"] {
        assert_eq!(code(&view.ask(&format!("GET {wrong}"), &[&token], "")), 400, "{wrong}");
    }
    assert_eq!(code(&view.ask("GET /etc/passwd", &[&token], "")), 404);
    assert_eq!(code(&view.ask("DELETE /policy", &[&token], "")), 405);
}

#[test]
fn a_change_is_a_post_of_json_from_this_page() {
    let view = Serving::new(false);
    let (token, json) = (view.authorization(), "Content-Type: application/json");
    let body = r#"{"devices":[0],"set":[["alpha","2"]]}"#;
    let post = |headers: &[&str], body: &str| view.ask("POST /policy", headers, body);
    let told = post(&[&token, json], body);
    assert!(code(&told) == 422 && told.contains("alpha: it cannot be that"), "{told}");
    assert_eq!(code(&post(&[json], body)), 401);
    assert_eq!(code(&post(&[&token], body)), 415);
    assert_eq!(code(&post(&[&token, json, "Origin: http://evil.example"], body)), 403);
    assert_eq!(code(&post(&[&token, json, "Origin: null"], body)), 403);
    assert_eq!(code(&post(&[&token, json, "Sec-Fetch-Site: cross-site"], body)), 403);
    let own = format!("Origin: http://{}", view.address);
    assert_eq!(code(&post(&[&token, json, &own], body)), 422);
    for wrong in ["", "[]", r#"{"devices":[0]}"#, r#"{"devices":[0],"set":[],"more":1}"#] {
        assert_eq!(code(&post(&[&token, json], wrong)), 400, "{wrong}");
    }
    let large = format!(r#"{{"devices":[0],"set":[["alpha","{}"]]}}"#, "2".repeat(17 << 10));
    assert_eq!(code(&post(&[&token, json], &large)), 413);
    assert!(
        view.ask("GET /policy?device=0", &[&token], body).contains("\"device\":0"),
        "no change"
    );
}

#[test]
fn streams_end_with_what_they_show_and_are_few() {
    let ended = Serving::new(false);
    let answer = ended.ask("GET /events", &[&ended.authorization()], "");
    let (head, events) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.contains("text/event-stream") && !events.contains("data:"), "{answer}");

    let view = Serving::new(true);
    let text = format!(
        "GET /events HTTP/1.1\r\nHost: {}\r\n{}\r\n\r\n",
        view.address,
        view.authorization()
    );
    let open = || {
        let mut stream = view.connect();
        stream.write_all(text.as_bytes()).unwrap();
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).unwrap();
        (stream, String::from_utf8_lossy(&answer).into_owned())
    };
    let streams: Vec<_> = (0..16).map(|_| open()).collect();
    assert!(streams.iter().all(|(_, answer)| code(answer) == 200));
    assert_eq!(code(&open().1), 503);
    // Whoever goes away makes room.
    drop(streams);
    let begin = Instant::now();
    while code(&open().1) != 200 {
        assert!(begin.elapsed() < Duration::from_secs(10), "there is no room");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn silent_and_talkative_clients_are_sent_away() {
    let view = Serving::new(false);
    // Who says nothing is in nobody's way.
    let silent: Vec<_> = (0..20).map(|_| view.connect()).collect();
    assert_eq!(code(&view.ask("GET /", &[], "")), 200);
    let begin = Instant::now();
    for mut stream in silent {
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
    }
    assert!(begin.elapsed() < Duration::from_secs(15), "{:?}", begin.elapsed());
    let long = format!("X: {}", "x".repeat(40_000));
    let answer = view.ask("GET /", &[&long], "");
    assert!(answer.is_empty() || code(&answer) == 431, "{answer}");
    assert!(code(&view.say("nonsense\r\n\r\n")) == 400);
    assert_eq!(code(&view.ask("GET /", &[], "")), 200);
}

#[test]
fn others_reach_it_only_with_a_token_of_a_file() {
    let view = Some("0.0.0.0:0".parse().unwrap());
    let refused = Bound::new(&ViewArguments { view, view_token: None }).err().unwrap();
    assert!(refused.message.starts_with("error: --view: 0.0.0.0:0: "), "{}", refused.message);
    assert!(refused.message.contains("--view-token FILE"), "{}", refused.message);
    assert_eq!(refused.code, 2);
    let none = Bound::new(&ViewArguments { view: None, view_token: None });
    assert!(none.ok().unwrap().is_none());
    // An address that somebody has.
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let view = Some(taken.local_addr().unwrap());
    let refused = Bound::new(&ViewArguments { view, view_token: None }).err().unwrap();
    assert!(refused.message.contains("cannot listen there"), "{}", refused.message);
    assert_eq!(refused.code, 1);
}
