//! What the proxy has done, as Prometheus text.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use forebay_pingora::Stats;

use crate::access_log::Failures;
use crate::what_if::{Shadow, WhatIf};

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Served from the cache.
    Hit,
    /// Served what is stale, by RFC 5861.
    Stale,
    /// Waited for, or read, another request's fetch.
    DelayedHit,
    /// Fetched, and stored.
    Miss,
    /// Asked the origin whether what is stored still holds, and it does.
    Renewed,
    /// Forwarded, and not stored.
    Pass,
    /// Answered by the proxy itself with an error.
    Error,
}

impl Outcome {
    /// Whether it is that of a request for what is or becomes cached.
    pub(crate) fn is_cacheable(self) -> bool {
        match self {
            Outcome::Hit
            | Outcome::Stale
            | Outcome::DelayedHit
            | Outcome::Miss
            | Outcome::Renewed => true,
            Outcome::Pass | Outcome::Error => false,
        }
    }

    const ALL: [(Outcome, &'static str); 7] = [
        (Outcome::Hit, "hit"),
        (Outcome::Stale, "stale"),
        (Outcome::DelayedHit, "delayed_hit"),
        (Outcome::Miss, "miss"),
        (Outcome::Renewed, "renewed"),
        (Outcome::Pass, "pass"),
        (Outcome::Error, "error"),
    ];
}

/// Upper ends of the histogram's buckets, in seconds.
const ENDS: [f64; 14] =
    [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 60.0];

#[derive(Default)]
struct Histogram {
    buckets: [AtomicU64; ENDS.len()],
    count: AtomicU64,
    nanos: AtomicU64,
}

impl Histogram {
    fn record(&self, span: Duration) {
        let seconds = span.as_secs_f64();
        if let Some(bucket) = ENDS.iter().position(|end| seconds <= *end) {
            self.buckets[bucket].fetch_add(1, Ordering::Relaxed);
        }
        self.count.fetch_add(1, Ordering::Relaxed);
        self.nanos.fetch_add(u64::try_from(span.as_nanos()).unwrap_or(0), Ordering::Relaxed);
    }
}

/// How long requests took that could be cached, in buckets an eighth of an octave wide, so that a
/// quantile is right to an eighth.
struct Spans(Vec<AtomicU64>);

/// Eight buckets of a microsecond, then eight an octave, up to two minutes.
const SPANS: usize = 200;

impl Default for Spans {
    fn default() -> Self {
        Spans((0..SPANS).map(|_| AtomicU64::new(0)).collect())
    }
}

impl Spans {
    fn place(micros: u64) -> usize {
        if micros < 8 {
            return micros as usize;
        }
        let octave = micros.ilog2() as usize;
        let eighth = (micros >> (octave - 3)) as usize & 7;
        ((octave - 2) * 8 + eighth).min(SPANS - 1)
    }

    /// Where a bucket ends, in microseconds.
    fn end(place: usize) -> u64 {
        match place {
            0..8 => place as u64 + 1,
            _ => (8 + place as u64 % 8 + 1) << (place / 8 - 1),
        }
    }

    fn record(&self, span: Duration) {
        let micros = u64::try_from(span.as_micros()).unwrap_or(u64::MAX);
        self.0[Self::place(micros)].fetch_add(1, Ordering::Relaxed);
    }
}

/// How many objects are watched for how long they are waited for.
const WATCHED: usize = 1000;

/// Counters of all requests.
#[derive(Default)]
pub(crate) struct Metrics {
    requests: [Histogram; Outcome::ALL.len()],
    spans: Spans,
    pub(crate) connections: AtomicU64,
    waited: Mutex<HashMap<String, Duration>>,
}

impl Metrics {
    pub(crate) fn record(&self, outcome: Outcome, span: Duration) {
        self.requests[outcome as usize].record(span);
        if outcome.is_cacheable() {
            self.spans.record(span);
        }
    }

    /// How many requests ended in each way, and how long they took in all, in seconds.
    pub(crate) fn outcomes(&self) -> impl Iterator<Item = (&'static str, u64, f64)> {
        Outcome::ALL.into_iter().map(|(outcome, label)| {
            let Histogram { count, nanos, .. } = &self.requests[outcome as usize];
            let seconds = nanos.load(Ordering::Relaxed) as f64 / 1e9;
            (label, count.load(Ordering::Relaxed), seconds)
        })
    }

    /// How long requests took that could be cached: where each bucket ends, in seconds, and how
    /// many fell into it, without empty ones.
    pub(crate) fn spans(&self) -> impl Iterator<Item = (f64, u64)> {
        let all = self.spans.0.iter().enumerate();
        let all = all.map(|(place, count)| (place, count.load(Ordering::Relaxed)));
        let some = all.filter(|(_, count)| *count > 0);
        some.map(|(place, count)| (Spans::end(place) as f64 / 1e6, count))
    }

    /// `url` was waited for. The most waited for of all are exact as long as there are not very
    /// many (Space-Saving: Metwally et al., 2005).
    pub(crate) fn waited(&self, url: &str, span: Duration) {
        let mut waited = self.waited.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = waited.get_mut(url) {
            *known += span;
            return;
        }
        let mut inherited = Duration::ZERO;
        if waited.len() >= WATCHED {
            let least = waited.iter().min_by_key(|(_, span)| **span).map(|(url, _)| url.clone());
            inherited = least.and_then(|url| waited.remove(&url)).unwrap_or_default();
        }
        waited.insert(url.to_owned(), inherited + span);
    }

    /// The URLs that were waited for most.
    pub(crate) fn most_waited(&self, count: usize) -> Vec<(String, Duration)> {
        let waited = self.waited.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<_> = waited.iter().map(|(url, span)| (url.clone(), *span)).collect();
        all.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        all.truncate(count);
        all
    }

    /// All of it as text.
    pub(crate) fn text(
        &self,
        stats: &Stats,
        flights: usize,
        unlogged: Failures,
        what_if: &WhatIf,
    ) -> String {
        let mut text = String::new();
        let name = "forebay_request_seconds";
        head(&mut text, name, "histogram", "Time from a request's header to its answer's end.");
        for (outcome, label) in Outcome::ALL {
            let histogram = &self.requests[outcome as usize];
            let mut below = 0;
            for (end, bucket) in ENDS.iter().zip(&histogram.buckets) {
                below += bucket.load(Ordering::Relaxed);
                line(
                    &mut text,
                    &format!("{name}_bucket{{outcome=\"{label}\",le=\"{end}\"}}"),
                    below,
                );
            }
            let count = histogram.count.load(Ordering::Relaxed);
            line(&mut text, &format!("{name}_bucket{{outcome=\"{label}\",le=\"+Inf\"}}"), count);
            let sum = histogram.nanos.load(Ordering::Relaxed) as f64 / 1e9;
            line(&mut text, &format!("{name}_sum{{outcome=\"{label}\"}}"), sum);
            line(&mut text, &format!("{name}_count{{outcome=\"{label}\"}}"), count);
        }
        for (name, about, value) in [
            ("hits", "Requests that found a whole body, fresh.", stats.hits as f64),
            ("stale", "Requests that found one that was stale.", stats.stale as f64),
            (
                "delayed_hits",
                "Requests that waited for another's fetch.",
                stats.delayed_hits as f64,
            ),
            ("misses", "Fetches of what was not cached.", stats.misses as f64),
            ("renewals", "Fetches to renew what was stale.", stats.renewals as f64),
            ("fetched", "Fetches that ended with a whole body.", stats.fetched as f64),
            ("fetch_seconds", "How long these took in all.", stats.fetch_time.as_secs_f64()),
            (
                "waited_seconds",
                "How long requests waited for them in all.",
                stats.waited.as_secs_f64(),
            ),
            ("insertions", "Bodies cached.", stats.insertions as f64),
            ("evictions", "Bodies that made room for others.", stats.evictions as f64),
            ("bypasses", "Bodies not cached.", stats.bypasses as f64),
            ("failures", "Fetches without an answer to share.", stats.failures as f64),
            ("given_up", "Fetches whose answer must not be cached.", stats.given_up as f64),
            ("refused", "Requests not allowed to wait.", stats.refused as f64),
            ("no_room", "Answers passed on uncached for want of room.", stats.no_room as f64),
            (
                "write_errors",
                "Bodies lost to files that could not be written.",
                stats.write_errors as f64,
            ),
            ("damaged", "Bodies lost to damaged files.", stats.damaged as f64),
        ] {
            let name = format!("forebay_cache_{name}_total");
            head(&mut text, &name, "counter", about);
            line(&mut text, &name, value);
        }
        for (name, about, value) in [
            ("write_errors", "Writes of the access log that failed.", unlogged.writes),
            ("lost", "Requests missing in the access log for it.", unlogged.lost),
        ] {
            let name = format!("forebay_access_log_{name}_total");
            head(&mut text, &name, "counter", about);
            line(&mut text, &name, value);
        }
        for (name, about, value) in [
            ("forebay_cache_objects", "Responses cached.", stats.objects),
            ("forebay_cache_bytes", "What they take.", stats.bytes),
            ("forebay_cache_bytes_arriving", "Bytes of bodies on their way.", stats.bytes_arriving),
            ("forebay_cache_waiting", "Requests that wait for a fetch to begin.", stats.waiting),
            ("forebay_cache_flights", "Fetches under way.", flights as u64),
            ("forebay_connections", "Clients connected.", self.connections.load(Ordering::Relaxed)),
        ] {
            head(&mut text, name, "gauge", about);
            line(&mut text, name, value);
        }
        let name = "forebay_what_if_seconds_total";
        head(&mut text, name, "counter", "How long following other caches took.");
        line(&mut text, name, what_if.spent().as_secs_f64());
        let shadows = what_if.shadows();
        for (name, kind, about, of) in [
            (
                "requests_total",
                "counter",
                "Requests that it has seen.",
                (|s| s.requests as f64) as fn(&Shadow) -> f64,
            ),
            ("hits_total", "counter", "Those that found what they asked for.", |s| s.hits as f64),
            ("delayed_hits_total", "counter", "Those that waited for a fetch under way.", |s| {
                s.delayed_hits as f64
            }),
            (
                "renewals_total",
                "counter",
                "Those that waited for a renewal, each the first.",
                |s| s.renewals as f64,
            ),
            ("waited_seconds_total", "counter", "How long they waited.", |s| {
                s.waited.as_secs_f64()
            }),
            ("wait_seconds_mean", "gauge", "How long one waits on average.", |s| {
                s.mean_wait().as_secs_f64()
            }),
        ] {
            let name = format!("forebay_what_if_{name}");
            head(&mut text, &name, kind, about);
            for shadow in &shadows {
                let labels = format!("{{policy=\"{}\",bytes=\"{}\"}}", shadow.policy, shadow.size);
                line(&mut text, &format!("{name}{labels}"), of(shadow));
            }
        }
        text
    }
}

fn head(text: &mut String, name: &str, kind: &str, about: &str) {
    // Writing to a text does not fail.
    writeln!(text, "# HELP {name} {about}\n# TYPE {name} {kind}").unwrap_or_default();
}

fn line(text: &mut String, name: &str, value: impl std::fmt::Display) {
    writeln!(text, "{name} {value}").unwrap_or_default();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn the_most_waited_for_are_found_among_many() {
        let metrics = Metrics::default();
        for number in 0..5000 {
            metrics.waited(&format!("/{number}"), Duration::from_millis(1));
            metrics.waited("/slow", Duration::from_millis(20));
        }
        let most = metrics.most_waited(1);
        assert_eq!(most[0].0, "/slow");
        assert!(most[0].1 >= Duration::from_secs(100));
    }

    #[test]
    fn spans_fall_into_the_bucket_that_ends_after_them() {
        let mut last = 0;
        for place in 0..SPANS {
            let end = Spans::end(place);
            assert!(end > last, "{place}");
            assert_eq!((Spans::place(last), Spans::place(end - 1)), (place, place));
            last = end;
        }
        assert_eq!(Spans::place(u64::MAX), SPANS - 1);
        assert!(last > 120_000_000);
    }

    #[test]
    fn buckets_are_cumulative_and_end_at_the_count() {
        let metrics = Metrics::default();
        for millis in [1, 3, 100_000] {
            metrics.record(Outcome::Hit, Duration::from_millis(millis));
        }
        let config = Config::of_origin("http://127.0.0.1:1").unwrap();
        let what_if = WhatIf::new(&config.what_if, &config.cache).unwrap();
        let text = metrics.text(&Stats::default(), 0, Failures { writes: 3, lost: 7 }, &what_if);
        for said in [
            "forebay_request_seconds_bucket{outcome=\"hit\",le=\"0.001\"} 1\n",
            "forebay_request_seconds_bucket{outcome=\"hit\",le=\"0.005\"} 2\n",
            "forebay_request_seconds_bucket{outcome=\"hit\",le=\"60\"} 2\n",
            "forebay_request_seconds_bucket{outcome=\"hit\",le=\"+Inf\"} 3\n",
            "forebay_request_seconds_count{outcome=\"hit\"} 3\n",
            "forebay_access_log_write_errors_total 3\n",
            "forebay_access_log_lost_total 7\n",
        ] {
            assert!(text.contains(said), "{said}: {text}");
        }
    }
}
