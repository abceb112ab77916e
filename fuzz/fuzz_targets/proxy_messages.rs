//! A request and its answer, made of words that HTTP knows and of any bytes: what is stored keeps
//! the promises of RFC 9111, is read as it was written, and ranges lie within the whole; never a
//! panic.
#![no_main]

use std::sync::LazyLock;

use forebay_proxy::Config;
use forebay_proxy::fuzzing::{is_foreign, messages};
use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;

const NAMES: [&str; 24] = [
    "accept",
    "age",
    "authorization",
    "cache-control",
    "connection",
    "content-length",
    "date",
    "etag",
    "expires",
    "forwarded",
    "host",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "keep-alive",
    "last-modified",
    "pragma",
    "range",
    "set-cookie",
    "te",
    "trailer",
    "transfer-encoding",
    "vary",
    "x-any",
];
const WORDS: [&str; 32] = [
    "max-age=",
    "s-maxage=",
    "public",
    "private",
    "no-store",
    "no-cache",
    "must-revalidate",
    "proxy-revalidate",
    "must-understand",
    "stale-while-revalidate=",
    "stale-if-error=",
    "max-stale",
    "min-fresh=",
    "only-if-cached",
    ", ",
    "=",
    "\"",
    "bytes=",
    "-",
    "0",
    "60",
    "4294967296",
    "Thu, 01 Jan 1970 00:00:00 GMT",
    "Sun, 09 Sep 2001 01:46:40 GMT",
    "accept",
    "*",
    "close",
    "chunked",
    "a.example",
    ":80",
    "W/\"x\"",
    "-5,1-2,",
];
const METHODS: [&str; 6] = ["GET", "HEAD", "POST", "OPTIONS", "CONNECT", "PURGE"];
const STATUSES: [u16; 8] = [200, 206, 301, 304, 404, 500, 204, 101];

#[derive(Arbitrary, Debug)]
enum Part {
    Word(u8),
    Bytes(Vec<u8>),
}

#[derive(Arbitrary, Debug)]
struct Messages {
    method: u8,
    target: Vec<Part>,
    asked: Vec<(u8, Vec<Part>)>,
    status: u16,
    said: Vec<(u8, Vec<Part>)>,
    now: u32,
    raw: Vec<u8>,
}

static CONFIG: LazyLock<Config> =
    LazyLock::new(|| Config::of_origin("http://127.0.0.1:1").unwrap());

fn bytes(parts: &[Part]) -> Vec<u8> {
    let of = |part: &Part| match part {
        Part::Word(word) => WORDS[usize::from(*word) % WORDS.len()].as_bytes().to_vec(),
        Part::Bytes(bytes) => bytes.clone(),
    };
    parts.iter().flat_map(of).collect()
}

fn fields(of: &[(u8, Vec<Part>)]) -> Vec<(String, Vec<u8>)> {
    let named = |name: u8| NAMES[usize::from(name) % NAMES.len()].to_owned();
    of.iter().map(|(name, value)| (named(*name), bytes(value))).collect()
}

fuzz_target!(|all: Messages| {
    let method = METHODS[usize::from(all.method) % METHODS.len()];
    let target = [b"/".to_vec(), bytes(&all.target)].concat();
    let status = match all.status {
        known @ 0..=99 => STATUSES[usize::from(known) % STATUSES.len()],
        any => any,
    };
    let (asked, said) = (fields(&all.asked), fields(&all.said));
    messages(method, &target, &asked, status, &said, all.now, &CONFIG);
    messages(method, &target[1..], &asked, status, &said, all.now, &CONFIG);
    // Only who asks by address, and from no page, is of this machine.
    let foreign = is_foreign(&all.raw);
    assert!(foreign || all.raw.iter().filter(|byte| **byte == b'\n').count() > 0);
});
