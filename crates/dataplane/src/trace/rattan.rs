//! Rattan's traces: the bandwidth models of the crate netem-trace as JSON, those that are not
//! random.
//!
//! A rate is `{"gbps": 0, "bps": 12000000}` or a text such as `"12Mbps"`; a span is
//! `{"secs": 1, "nanos": 0}` or a text such as `"1s 500ms"`. `count` says how often a pattern
//! repeats, 0 for ever; a trace that ends repeats here.

use forebay_parameters::grouped;
use forebay_units::{Duration, Rate};
use serde_json::{Map, Value};

use super::TraceError;
use crate::link::{Pace, Steps};

/// The most steps that patterns may be unrolled to.
const MOST_STEPS: usize = 1 << 20;
/// The deepest that patterns may be nested.
const DEEPEST: usize = 16;

/// What a step without a span lasts: netem-trace's default for a static rate.
const DEFAULT_SPAN: Duration = Duration::from_ms(1_000);

type Step = (Rate, Duration);

pub(super) fn read(text: &str) -> Result<Pace, TraceError> {
    let value =
        serde_json::from_str(text).map_err(|error| TraceError::Rattan(error.to_string()))?;
    let mut steps = Vec::new();
    model(&value, 0, &mut steps)?;
    Ok(Pace::Steps(Steps::new(steps)?))
}

fn wrong(problem: impl Into<String>) -> TraceError {
    TraceError::Rattan(problem.into())
}

/// Appends the steps of a model; those of a pattern that repeats for ever, once.
fn model(value: &Value, depth: usize, steps: &mut Vec<Step>) -> Result<(), TraceError> {
    let Some((name, fields)) = value.as_object().and_then(|object| object.iter().next()) else {
        return Err(wrong("a model is an object with its name, as {\"StaticBwConfig\": {…}}"));
    };
    let Value::Object(fields) = fields else {
        return Err(wrong(format!("{name}: give its fields in braces")));
    };
    match name.as_str() {
        "StaticBwConfig" | "FixedBwConfig" => {
            let span = fields.get("duration").filter(|value| !value.is_null());
            let span = span.map_or(Ok(DEFAULT_SPAN), |value| span_of(name, value))?;
            push(steps, (rate(name, field(name, fields, "bw")?)?, span))
        }
        "RepeatedBwPatternConfig" => repeated(name, fields, depth, steps),
        "TraceBwConfig" => traced(name, fields, steps),
        other => Err(wrong(format!(
            "{other} is none of the models StaticBwConfig, RepeatedBwPatternConfig and \
             TraceBwConfig; random ones are not read: write out their rates as a TraceBwConfig"
        ))),
    }
}

fn repeated(
    name: &str,
    fields: &Map<String, Value>,
    depth: usize,
    steps: &mut Vec<Step>,
) -> Result<(), TraceError> {
    let count = fields.get("count").map_or(Some(0), Value::as_u64);
    let count = count.ok_or_else(|| wrong(format!("{name}: count is not a whole number")))?;
    if depth > 0 && count == 0 {
        return Err(wrong(format!(
            "{name}: only the outermost pattern may repeat for ever: give a count above 0"
        )));
    }
    if depth == DEEPEST {
        return Err(wrong(format!("{name}: patterns are nested more than {DEEPEST} deep")));
    }
    let begin = steps.len();
    for part in list(name, "pattern", field(name, fields, "pattern")?)? {
        model(part, depth + 1, steps)?;
    }
    let once: Vec<Step> = steps[begin..].to_vec();
    for _ in 1..if depth == 0 { 1 } else { count } {
        // An empty pattern repeats without end nor effect.
        if once.is_empty() {
            break;
        }
        once.iter().try_for_each(|step| push(steps, *step))?;
    }
    Ok(())
}

/// Spans, each with the rates that follow one another and last it.
fn traced(
    name: &str,
    fields: &Map<String, Value>,
    steps: &mut Vec<Step>,
) -> Result<(), TraceError> {
    for entry in list(name, "pattern", field(name, fields, "pattern")?)? {
        let [span, rates] = list(name, "pattern", entry)?.as_slice() else {
            return Err(wrong(format!(
                "{name}: an entry of the pattern is a span and a list of rates"
            )));
        };
        let span = span_of(name, span)?;
        for value in list(name, "pattern", rates)? {
            push(steps, (rate(name, value)?, span))?;
        }
    }
    Ok(())
}

fn push(steps: &mut Vec<Step>, step: Step) -> Result<(), TraceError> {
    if steps.len() == MOST_STEPS {
        return Err(wrong(format!(
            "it has more than {} steps: give a shorter one, it repeats",
            grouped(MOST_STEPS as u64)
        )));
    }
    steps.push(step);
    Ok(())
}

fn field<'a>(
    name: &str,
    fields: &'a Map<String, Value>,
    key: &str,
) -> Result<&'a Value, TraceError> {
    fields.get(key).ok_or_else(|| wrong(format!("{name}: `{key}` is missing")))
}

fn list<'a>(name: &str, key: &str, value: &'a Value) -> Result<&'a Vec<Value>, TraceError> {
    value.as_array().ok_or_else(|| wrong(format!("{name}: `{key}` must be a list")))
}

fn rate(name: &str, value: &Value) -> Result<Rate, TraceError> {
    let number = |key: &str| value.get(key).map_or(Some(0), Value::as_u64);
    let bits = match value {
        Value::Object(_) => match (number("gbps"), number("bps")) {
            (Some(gigabits), Some(bits)) => {
                gigabits.checked_mul(1_000_000_000).and_then(|all| all.checked_add(bits))
            }
            _ => None,
        },
        Value::String(text) => sum(text, |unit| {
            Some(match unit.to_ascii_lowercase().as_str() {
                "bps" | "bit/s" | "b/s" => 1.0,
                "kbps" | "kbit/s" | "kb/s" => 1e3,
                "mbps" | "mbit/s" | "mb/s" => 1e6,
                "gbps" | "gbit/s" | "gb/s" => 1e9,
                "tbps" | "tbit/s" | "tb/s" => 1e12,
                _ => return None,
            })
        }),
        _ => None,
    };
    let bits = bits
        .ok_or_else(|| wrong(format!("{name}: {value} is not a rate: write it as \"12Mbps\"")))?;
    Ok(Rate::from_bps(bits))
}

fn span_of(name: &str, value: &Value) -> Result<Duration, TraceError> {
    let number = |key: &str| value.get(key).map_or(Some(0), Value::as_u64);
    let nanoseconds = match value {
        Value::Object(_) => match (number("secs"), number("nanos")) {
            (Some(seconds), Some(rest)) => {
                seconds.checked_mul(1_000_000_000).and_then(|all| all.checked_add(rest))
            }
            _ => None,
        },
        Value::String(text) => sum(text, |unit| {
            Some(match unit {
                "ns" | "nsec" => 1.0,
                "us" | "usec" | "µs" => 1e3,
                "ms" | "msec" | "millis" => 1e6,
                "s" | "sec" | "secs" | "second" | "seconds" => 1e9,
                "m" | "min" | "mins" | "minute" | "minutes" => 60e9,
                "h" | "hr" | "hour" | "hours" => 3_600e9,
                _ => return None,
            })
        }),
        _ => None,
    };
    // A hundred days are longer than any run.
    let nanoseconds = nanoseconds.filter(|all| *all < 8_640_000_000_000_000);
    let nanoseconds = nanoseconds.ok_or_else(|| {
        wrong(format!("{name}: {value} is not a span of time: write it as \"25ms\""))
    })?;
    Ok(Duration::from_ns(nanoseconds))
}

/// Numbers with units, one behind the other, added up: `1s 500ms`.
fn sum(text: &str, unit: impl Fn(&str) -> Option<f64>) -> Option<u64> {
    let (mut total, mut rest) = (0.0, text.trim());
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|sign: char| !sign.is_ascii_digit() && sign != '.')?;
        let number: f64 = rest[..digits].parse().ok()?;
        let behind = rest[digits..].trim_start();
        let end = behind
            .find(|sign: char| sign.is_whitespace() || sign.is_ascii_digit())
            .unwrap_or(behind.len());
        total += number * unit(&behind[..end])?;
        rest = behind[end..].trim_start();
    }
    // Exact up to 2^53, and far beyond every rate and span of a link.
    (total < 9e15).then_some(total.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(text: &str) -> Pace {
        read(text).unwrap()
    }

    fn pace(steps: &[(u64, u64)]) -> Pace {
        let step =
            |(mbps, ms): &(u64, u64)| (Rate::from_bps(mbps * 1_000_000), Duration::from_ms(*ms));
        Pace::Steps(Steps::new(steps.iter().map(step).collect()).unwrap())
    }

    #[test]
    fn both_spellings_of_rates_and_spans_are_read() {
        let short = r#"{"StaticBwConfig":{"bw":"12Mbps","duration":"1s 500ms"}}"#;
        let long = r#"{"StaticBwConfig":{"bw":{"gbps":0,"bps":12000000},"duration":{"secs":1,"nanos":500000000}}}"#;
        assert_eq!(steps(short), pace(&[(12, 1500)]));
        assert_eq!(steps(long), pace(&[(12, 1500)]));
        assert_eq!(steps(r#"{"StaticBwConfig":{"bw":"0.5Gbps"}}"#), pace(&[(500, 1000)]));
    }

    #[test]
    fn patterns_repeat_and_traces_list() {
        let one = r#"{"StaticBwConfig":{"bw":"12Mbps","duration":"1s"}}"#;
        let two =
            r#"{"TraceBwConfig":{"pattern":[["25ms",["29Mbps","2Mbps"]],["10ms",["7Mbps"]]]}}"#;
        assert_eq!(steps(two), pace(&[(29, 25), (2, 25), (7, 10)]));
        let inner = format!(r#"{{"RepeatedBwPatternConfig":{{"pattern":[{one}],"count":2}}}}"#);
        let outer =
            format!(r#"{{"RepeatedBwPatternConfig":{{"pattern":[{inner},{two}],"count":0}}}}"#);
        assert_eq!(steps(&outer), pace(&[(12, 1000), (12, 1000), (29, 25), (2, 25), (7, 10)]));
    }

    #[test]
    fn what_is_no_trace_is_refused_with_its_place() {
        let says = |text: &str| read(text).unwrap_err().to_string();
        assert!(says("{").contains("line 1"), "{}", says("{"));
        assert!(says(r#"{"NormalizedBwConfig":{}}"#).contains("random ones are not read"));
        let rate = says(r#"{"StaticBwConfig":{"bw":"12"}}"#);
        assert_eq!(rate, r#"StaticBwConfig: "12" is not a rate: write it as "12Mbps""#);
        assert!(says(r#"{"StaticBwConfig":{}}"#).contains("`bw` is missing"));
        assert!(
            says(r#"{"TraceBwConfig":{"pattern":[["25ms"]]}}"#)
                .contains("a span and a list of rates")
        );
        assert!(says(r#"{"StaticBwConfig":{"bw":"0bps"}}"#).contains("nothing passes"));
        assert!(
            says(r#"{"StaticBwConfig":{"bw":"5Mbps","duration":"1e9h"}}"#)
                .contains("not a span of time")
        );
    }

    #[test]
    fn what_would_never_end_is_refused() {
        let one = r#"{"StaticBwConfig":{"bw":"12Mbps"}}"#;
        let nested = |inner: &str, count: u64| {
            format!(r#"{{"RepeatedBwPatternConfig":{{"pattern":[{inner}],"count":{count}}}}}"#)
        };
        let says = |text: &str| read(text).unwrap_err().to_string();
        assert!(says(&nested(&nested(one, 0), 3)).contains("only the outermost"));
        assert!(says(&nested(&nested(one, u64::MAX), 0)).contains("more than 1,048,576 steps"));
        let mut deep = one.to_owned();
        (0..40).for_each(|_| deep = nested(&deep, 1));
        assert!(says(&deep).contains("nested more than 16 deep"));
        assert!(
            says(&nested(&nested("", u64::MAX), 0)).contains("lasts no time"),
            "empty patterns"
        );
    }
}
