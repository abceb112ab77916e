//! `forebay proxy top`: what a running proxy does, as a list, from its looking address.

use std::io::{self, ErrorKind, IsTerminal, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use clap::Args;
use forebay_units::{Bytes, Duration as Span, printable};
use serde::Deserialize;

use super::address;
use crate::Failure;
use crate::failure::wrong;
use crate::terminal::{columns, print};

/// The most that is read of an answer.
const MOST: u64 = 4 << 20;
const PATIENCE: Duration = Duration::from_secs(5);
/// Clears a terminal and goes to its first place.
const CLEAR: &str = "\u{1b}[2J\u{1b}[H";

#[derive(Args)]
pub(super) struct TopArguments {
    /// The proxy's looking address, its `admin`.
    #[arg(value_name = "ADDRESS", default_value = "127.0.0.1:8081", value_parser = address)]
    admin: SocketAddr,
    /// Print once what was since the beginning, and end; so it does where standard output is no
    /// terminal.
    #[arg(long)]
    once: bool,
    /// How often to look.
    #[arg(long, value_name = "SPAN", default_value = "1 s")]
    every: Span,
}

/// What `GET /state` tells.
#[derive(Clone, Debug, Deserialize)]
struct State {
    seconds: f64,
    policy: String,
    capacity: u64,
    outcomes: Vec<Outcome>,
    spans: Vec<(f64, u64)>,
    cache: CacheState,
    connections: u64,
    what_if: Vec<Shadow>,
    sample: f64,
    what_if_seconds: f64,
    objects: Vec<Waited>,
}

#[derive(Clone, Debug, Deserialize)]
struct Outcome {
    name: String,
    count: u64,
    seconds: f64,
}

#[derive(Clone, Debug, Deserialize)]
struct CacheState {
    objects: u64,
    bytes: u64,
    waiting: u64,
    flights: u64,
}

#[derive(Clone, Debug, Deserialize)]
struct Shadow {
    policy: String,
    bytes: u64,
    requests: u64,
    hits: u64,
    delayed_hits: u64,
    waited: f64,
}

#[derive(Clone, Debug, Deserialize)]
struct Waited {
    url: String,
    waited: f64,
}

pub(super) fn run(arguments: &TopArguments) -> Result<(), Failure> {
    let every = Duration::from_nanos(arguments.every.as_ps() / 1000);
    if every < Duration::from_millis(100) {
        return Err(wrong(
            "every",
            format!("{}: look at most ten times a second", arguments.every),
        ));
    }
    let mut state = look(arguments.admin)?;
    if arguments.once || !io::stdout().is_terminal() {
        return print(&shown(&state, None));
    }
    let mut before = None;
    loop {
        print(&format!("{CLEAR}{}", shown(&state, before.as_ref())))?;
        std::thread::sleep(every);
        let now = look(arguments.admin)?;
        // A proxy that was started again counts from the beginning.
        before = Some(state).filter(|before| before.seconds < now.seconds);
        state = now;
    }
}

fn look(address: SocketAddr) -> Result<State, Failure> {
    let failed = |problem: String| {
        let fix = "start the proxy with --admin, or give its looking address";
        Failure::new(format!("error: no proxy is seen at {address}: {problem}: {fix}"), 1)
    };
    let answer = ask(address).map_err(|error| failed(error.to_string()))?;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    if !head.starts_with("HTTP/1.1 200") {
        return Err(failed(format!(
            "it is no looking address, it answers {:?}",
            head.lines().next().unwrap_or_default()
        )));
    }
    serde_json::from_str(body).map_err(|error| {
        // A proxy passes the question on to its origin, say.
        failed(format!("it is no looking address (its answer is no state: {error})"))
    })
}

fn ask(address: SocketAddr) -> io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    // Also who does not know this address for a looking one ends his answer.
    write!(stream, "GET /state HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    match stream.take(MOST).read_to_string(&mut answer) {
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
            let problem = format!("it does not answer within {} s", PATIENCE.as_secs());
            Err(io::Error::new(error.kind(), problem))
        }
        read => read.map(|_| answer),
    }
}

impl State {
    fn count(&self, name: &str) -> u64 {
        self.outcomes.iter().find(|one| one.name == name).map_or(0, |one| one.count)
    }

    fn seconds(&self, name: &str) -> f64 {
        self.outcomes.iter().find(|one| one.name == name).map_or(0.0, |one| one.seconds)
    }
}

/// What happened between two looks.
struct Between {
    /// Seconds, and requests of all kinds.
    span: f64,
    all: u64,
    /// Requests that could be cached, and how long they took in all.
    cached: u64,
    seconds: f64,
    hits: u64,
    delayed: u64,
    misses: u64,
    spans: Vec<(f64, u64)>,
}

impl Between {
    fn of(before: Option<&State>, now: &State) -> Self {
        let names = |names: &[&str]| -> u64 {
            let sum = |state: &State| names.iter().map(|name| state.count(name)).sum::<u64>();
            sum(now).saturating_sub(before.map_or(0, sum))
        };
        let sum = |state: &State| {
            let cached = ["hit", "stale", "delayed_hit", "miss", "renewed"];
            cached.iter().map(|name| state.seconds(name)).sum::<f64>()
        };
        let (hits, delayed) = (names(&["hit", "stale"]), names(&["delayed_hit"]));
        let misses = names(&["miss", "renewed"]);
        let earlier = |end: f64| {
            let spans = before.map_or(&[][..], |before| &before.spans);
            spans.iter().find(|(other, _)| *other == end).map_or(0, |(_, count)| *count)
        };
        Between {
            span: now.seconds - before.map_or(0.0, |before| before.seconds),
            all: hits + delayed + misses + names(&["pass", "error"]),
            cached: hits + delayed + misses,
            seconds: sum(now) - before.map_or(0.0, sum),
            hits,
            delayed,
            misses,
            spans: now
                .spans
                .iter()
                .map(|(end, n)| (*end, n.saturating_sub(earlier(*end))))
                .collect(),
        }
    }

    /// What a part of the requests took at most, in seconds.
    fn quantile(&self, part: f64) -> Option<f64> {
        let all: u64 = self.spans.iter().map(|(_, count)| count).sum();
        let mut below = 0;
        self.spans.iter().find_map(|(end, count)| {
            below += count;
            (below > 0 && below as f64 >= part * all as f64).then_some(*end)
        })
    }
}

fn share(part: u64, all: u64) -> String {
    if all == 0 { "–".to_owned() } else { format!("{:.1} %", 100.0 * part as f64 / all as f64) }
}

fn millis(seconds: Option<f64>) -> String {
    seconds.map_or("–".to_owned(), |seconds| format!("{:.2} ms", seconds * 1e3))
}

fn mean(seconds: f64, of: u64) -> Option<f64> {
    (of > 0).then(|| seconds / of as f64)
}

/// What is shown: what was since `before`, or since the beginning.
fn shown(state: &State, before: Option<&State>) -> String {
    let between = Between::of(before, state);
    let size = |bytes: u64| Bytes::new(bytes).to_string();
    let mut text = format!(
        "{}, {}: {} answers, {}; {:.0} s since its start, {} connections, {} fetches under way, \
         {} wait\n\n",
        state.policy,
        size(state.capacity),
        state.cache.objects,
        size(state.cache.bytes),
        state.seconds,
        state.connections,
        state.cache.flights,
        state.cache.waiting,
    );
    let rate = if between.span > 0.0 { between.all as f64 / between.span } else { 0.0 };
    let head = ["requests/s", "hits", "delayed hits", "misses", "mean wait", "median", "99 %"];
    let row = vec![
        format!("{rate:.1}"),
        share(between.hits, between.cached),
        share(between.delayed, between.cached),
        share(between.misses, between.cached),
        millis(mean(between.seconds, between.cached)),
        millis(between.quantile(0.5)),
        millis(between.quantile(0.99)),
    ];
    let owned = |cells: &[&str]| cells.iter().map(|&cell| cell.to_owned()).collect::<Vec<_>>();
    text += &columns(&[owned(&head), row], 0);

    let cost = 100.0 * state.what_if_seconds / state.seconds.max(1e-9);
    text += &format!(
        "\nwhat if, of {} of all objects, since the start (it took {cost:.2} % of one processor):\n",
        share((state.sample * 1e6) as u64, 1_000_000),
    );
    let mut rows = vec![owned(&["policy", "size", "hits", "delayed hits", "misses", "mean wait"])];
    for shadow in &state.what_if {
        let Shadow { requests, hits, delayed_hits, .. } = *shadow;
        let misses = requests.saturating_sub(hits + delayed_hits);
        rows.push(vec![
            shadow.policy.clone(),
            size(shadow.bytes),
            share(hits, requests),
            share(delayed_hits, requests),
            share(misses, requests),
            millis(mean(shadow.waited, requests)),
        ]);
    }
    text += &columns(&rows, 1);

    text += "\nwaited for most, in all, since the start:\n";
    let few = state.objects.iter().take(15);
    let rows: Vec<_> = few
        .map(|one| vec![format!("{:.3} s", one.waited), printable(&one.url).to_string()])
        .collect();
    if rows.is_empty() { text + "  nobody has waited\n" } else { text + &objects(&rows) }
}

/// Spans to the right, then URLs as they are.
fn objects(rows: &[Vec<String>]) -> String {
    let width = rows.iter().map(|row| row[0].chars().count()).max().unwrap_or(0);
    rows.iter().map(|row| format!("  {:>width$}  {}\n", row[0], row[1])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATE: &str = r#"{"seconds":10.0,"policy":"lru-mad","capacity":1000000000,
        "outcomes":[{"name":"hit","count":6,"seconds":0.006},
            {"name":"delayed_hit","count":3,"seconds":0.15},
            {"name":"miss","count":1,"seconds":0.1},{"name":"pass","count":10,"seconds":9.0}],
        "spans":[[0.001,6],[0.05,3],[0.1,1]],
        "cache":{"objects":1,"bytes":1320,"waiting":0,"flights":0},"connections":2,
        "what_if":[{"policy":"lru","bytes":1000000000,"requests":10,"hits":5,"delayed_hits":4,
            "waited":0.5}],
        "sample":0.05,"what_if_seconds":0.01,
        "objects":[{"url":"a.example/\u001b[2Jx","waited":0.25}]}"#;

    #[test]
    fn it_shows_rates_ratios_waits_and_what_if() {
        let now: State = serde_json::from_str(STATE).unwrap();
        let text = shown(&now, None);
        for said in [
            "lru-mad, 1 GB: 1 answers, 1.32 KB; 10 s",
            "2.0  60.0 %        30.0 %  10.0 %   25.60 ms  1.00 ms  100.00 ms",
            "of 5.0 % of all objects, since the start (it took 0.10 %",
            "lru     1 GB  50.0 %        40.0 %  10.0 %   50.00 ms",
            "0.250 s  a.example/\\u{1b}[2Jx",
        ] {
            assert!(text.contains(said), "{said}: {text}");
        }
    }

    #[test]
    fn between_two_looks_is_what_happened_between() {
        let before: State = serde_json::from_str(STATE).unwrap();
        let mut now = before.clone();
        now.seconds = 12.0;
        now.outcomes[0].count += 4;
        now.outcomes[0].seconds += 0.008;
        now.spans.push((0.002, 4));
        now.spans.sort_by(|a, b| a.0.total_cmp(&b.0));
        let text = shown(&now, Some(&before));
        assert!(
            text.contains("2.0  100.0 %         0.0 %   0.0 %    2.00 ms  2.00 ms  2.00 ms"),
            "{text}"
        );
        let nothing = Between::of(Some(&now), &now);
        assert_eq!((nothing.cached, nothing.quantile(0.5)), (0, None));
    }
}
