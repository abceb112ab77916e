//! `forebay proxy load`: the requests of a trace, each when it is due.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use forebay_cache::readers::Source;
use forebay_files::Input;
use forebay_proxy::{Answered, LoadProgram, Planned, Served};
use forebay_units::Duration as Span;
use serde_json::json;

use super::{address, span};
use crate::Failure;
use crate::failure::wrong;
use crate::terminal::print;

/// The largest trace that is read.
const MOST: u64 = 1 << 30;

#[derive(Args)]
pub(super) struct LoadArguments {
    /// When what is asked for: CSV with a header, one of whose columns is `time` (seconds), as
    /// --access-log writes it. - is standard input.
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// Who is asked.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080", value_parser = address)]
    to: SocketAddr,
    /// The host that is asked for [default: the address].
    #[arg(long, value_name = "HOST")]
    host: Option<String>,
    /// What is asked for; {column} is what the trace says there.
    #[arg(long, value_name = "TARGET", default_value = "/{object}")]
    target: String,
    /// How long an answer may take.
    #[arg(long, value_name = "SPAN", default_value = "60 s")]
    timeout: Span,
    /// Requests of this span at the beginning count for nothing.
    #[arg(long, value_name = "SPAN", default_value = "0 s")]
    warm_up: Span,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Write what became of each request to this file, as CSV.
    #[arg(long, value_name = "FILE")]
    each: Option<PathBuf>,
}

pub(super) fn run(arguments: &LoadArguments) -> Result<(), Failure> {
    let input = Input::of(&arguments.trace);
    let shown = input.name();
    let unread = |error| Failure::unread(&shown, &error, "give the path of a trace of requests");
    // Compressed or not, as `cache simulate` takes it.
    let source = Source::recognise(input.open().map_err(unread)?, &shown)
        .map_err(|error| Failure::input(format!("error: {error}")))?;
    let text = forebay_files::read_text_from(source.input, MOST).map_err(unread)?;
    let plan = plan(&text, &arguments.target)
        .map_err(|problem| Failure::input(format!("error: {shown}: {problem}")))?;
    let timeout = span(arguments.timeout);
    let host = arguments.host.clone().unwrap_or_else(|| arguments.to.to_string());
    let program = LoadProgram { to: arguments.to, host, timeout };
    let failed = |error: std::io::Error| Failure::new(format!("error: {error}"), 1);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(failed)?;
    let answered = runtime.block_on(program.run(plan)).map_err(failed)?;
    if let Some(path) = &arguments.each {
        write_each(path, &answered).map_err(|error| wrong("each", error))?;
    }
    let warm_up = span(arguments.warm_up);
    let counted: Vec<Answered> = answered.into_iter().filter(|one| one.at >= warm_up).collect();
    let sums = Sums::of(&counted);
    print(&if arguments.json { sums.as_json() } else { sums.as_text() })
}

/// The requests of a trace; or what is wrong with it.
fn plan(text: &str, target: &str) -> Result<Vec<Planned>, String> {
    let mut lines = text.lines();
    let columns: Vec<&str> = lines.next().unwrap_or_default().split(',').map(str::trim).collect();
    let Some(time) = columns.iter().position(|name| *name == "time") else {
        return Err(format!("there is no column time, only {}: name one so", columns.join(", ")));
    };
    let mut requests: Vec<(f64, String)> = Vec::new();
    for (number, line) in lines.enumerate().filter(|(_, line)| !line.is_empty()) {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        let at = cells.get(time).and_then(|cell| cell.parse::<f64>().ok());
        let Some(at) = at.filter(|at| at.is_finite()) else {
            return Err(format!("line {}: no time in seconds: {line:?}", number + 2));
        };
        let mut filled = target.to_owned();
        for (name, cell) in columns.iter().zip(&cells) {
            filled = filled.replace(&format!("{{{name}}}"), cell);
        }
        if !filled.starts_with('/') || filled.contains(['{', ' ']) {
            return Err(format!(
                "line {}: --target gives {filled:?}: give a path with columns of {}",
                number + 2,
                columns.join(", ")
            ));
        }
        requests.push((at, filled));
    }
    requests.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let Some(start) = requests.first().map(|(at, _)| *at) else {
        return Err("it has no requests".to_owned());
    };
    let planned = |(at, target): (f64, String)| {
        Duration::try_from_secs_f64(at - start)
            .map(|at| Planned { at, target })
            .map_err(|error| error.to_string())
    };
    requests.into_iter().map(planned).collect()
}

fn write_each(path: &Path, answered: &[Answered]) -> std::io::Result<()> {
    let mut text = "time,wait,late,status,bytes,right,served\n".to_owned();
    for one in answered {
        let (at, wait, late) =
            (one.at.as_secs_f64(), one.wait.as_secs_f64(), one.late.as_secs_f64());
        let served = match one.served {
            Served::Hit => "hit",
            Served::Delayed => "delayed",
            Served::Fetched => "fetched",
            Served::Unsaid => "",
        };
        let right = u8::from(one.is_right);
        let (status, bytes) = (one.status, one.bytes);
        let _ = writeln!(text, "{at:.6},{wait:.6},{late:.6},{status},{bytes},{right},{served}");
    }
    std::fs::write(path, text)
}

/// What the requests have in common.
struct Sums {
    requests: usize,
    /// Those that were not answered by 200.
    failed: usize,
    /// Those whose body was not the origin program's.
    wrong: usize,
    hits: usize,
    delayed: usize,
    /// Of the answered: mean, then 50th, 90th, 99th and 100th percentile, in seconds.
    waits: [f64; 5],
    lates: [f64; 5],
}

fn spread(mut spans: Vec<Duration>) -> [f64; 5] {
    spans.sort_unstable();
    let mean = spans.iter().sum::<Duration>().as_secs_f64() / spans.len().max(1) as f64;
    let at = |part: f64| {
        let last = spans.len().saturating_sub(1);
        let place = ((spans.len() as f64 * part).ceil() as usize).saturating_sub(1).min(last);
        spans.get(place).map_or(0.0, Duration::as_secs_f64)
    };
    [mean, at(0.5), at(0.9), at(0.99), at(1.0)]
}

impl Sums {
    fn of(answered: &[Answered]) -> Self {
        let count = |is: fn(&Answered) -> bool| answered.iter().filter(|one| is(one)).count();
        let good = || answered.iter().filter(|one| one.status == 200);
        Sums {
            requests: answered.len(),
            failed: count(|one| one.status != 200),
            wrong: count(|one| one.status == 200 && !one.is_right),
            hits: count(|one| one.served == Served::Hit),
            delayed: count(|one| one.served == Served::Delayed),
            waits: spread(good().map(|one| one.wait).collect()),
            lates: spread(answered.iter().map(|one| one.late).collect()),
        }
    }

    fn as_json(&self) -> String {
        fn spans([mean, p50, p90, p99, most]: [f64; 5]) -> serde_json::Value {
            json!({ "mean": mean, "p50": p50, "p90": p90, "p99": p99, "max": most })
        }
        let all = json!({
            "requests": self.requests, "failed": self.failed, "wrong": self.wrong,
            "hits": self.hits, "delayed_hits": self.delayed,
            "wait": spans(self.waits), "late": spans(self.lates),
        });
        format!("{all:#}\n")
    }

    fn as_text(&self) -> String {
        let spans = |spans: [f64; 5]| {
            let [mean, p50, p90, p99, most] = spans.map(|span| format!("{:.2}", span * 1e3));
            format!("mean {mean}, p50 {p50}, p90 {p90}, p99 {p99}, max {most}")
        };
        format!(
            "requests {}, not answered by 200 {}, not as the origin program answers {}\n\
             hits {}, delayed hits {}\nwait in ms: {}\nbegun late by, in ms: {}\n",
            self.requests,
            self.failed,
            self.wrong,
            self.hits,
            self.delayed,
            spans(self.waits),
            spans(self.lates)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_becomes_a_plan_from_its_first_request_on() {
        let text = "time,object,size,origin\n1005.5,7,10,1\n1005.25,8,20,0\n";
        let planned = plan(text, "/{origin}/{object}?size={size}").unwrap();
        let at = |millis, target: &str| Planned {
            at: Duration::from_millis(millis),
            target: target.to_owned(),
        };
        assert_eq!(planned, [at(0, "/0/8?size=20"), at(250, "/1/7?size=10")]);
    }

    #[test]
    fn a_wrong_trace_is_refused_by_its_line_or_column() {
        for (text, target, said) in [
            ("object\n1\n", "/{object}", "no column time, only object"),
            ("time,object\n1,7\nx,8\n", "/{object}", "line 3: no time"),
            ("time,object\n1,7\n", "/{id}", "line 2: --target gives \"/{id}\""),
            ("time,object\n", "/{object}", "no requests"),
        ] {
            let error = plan(text, target).unwrap_err();
            assert!(error.contains(said), "{error}");
        }
    }

    #[test]
    fn percentiles_are_those_of_the_order() {
        let spans = (1..=100).map(Duration::from_secs).collect();
        assert_eq!(spread(spans), [50.5, 50.0, 90.0, 99.0, 100.0]);
        assert_eq!(spread(Vec::new()), [0.0; 5]);
    }
}
