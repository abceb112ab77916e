//! What the prototype measures, real or simulated.

use forebay_lab::Better::{Higher, Lower, Neither};
use forebay_lab::{Lack, MetricSpec, RunOutput, SeriesSpec, Timeline, metric, series};

/// Every metric.
pub(super) const METRICS: &[MetricSpec] = &[
    metric("mean_latency", "ms", "Mean latency", Lower).is("Mean latency of a request."),
    metric("latency_p50", "ms", "Latency, median", Lower).is("Median latency of a request."),
    metric("latency_p90", "ms", "Latency, p90", Lower).is("90th percentile of the latency."),
    metric("latency_p99", "ms", "Latency, p99", Lower).is("99th percentile of the latency."),
    metric("hit_rate", "fraction", "True hit rate", Higher).is("Requests answered at once."),
    metric("delayed_hit_rate", "fraction", "Delayed hits", Neither)
        .is("Requests that waited for a fetch under way."),
    metric("miss_rate", "fraction", "Miss rate", Lower).is("Requests that started a fetch."),
    metric("fetch_time", "ms", "Fetch time", Neither)
        .is("Mean time of a real fetch, from the request to the last byte."),
    metric("simulated_latency", "ms", "Mean latency, simulated", Neither)
        .is("What the simulator says of the same requests, with the mean time of real fetches."),
    metric("cdf_distance", "fraction", "Distance to the simulated CDF", Lower)
        .is("Area between the CDFs of real and simulated latencies, over the mean latency."),
    metric("late_p99", "ms", "Lateness, p99", Lower)
        .is("How much later than due real requests were begun, 99th percentile."),
    metric("failed", "", "Failed", Lower)
        .is("Real requests without an answer, or with wrong bytes in it."),
];

/// Every series: here time is latency.
pub(super) const SERIES: &[SeriesSpec] = &[
    series("cdf", "fraction", "Requests with at most this latency", "The CDF of latencies."),
    series(
        "simulated_cdf",
        "fraction",
        "Requests with at most this latency, simulated",
        "The CDF of simulated latencies, with the mean time of real fetches.",
    ),
];

/// How a request was served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Hit,
    Delayed,
    Miss,
}

/// Latencies in ms, with how each came to be.
pub(super) type Latencies = Vec<(Kind, f64)>;

/// What only a real run measures.
#[cfg_attr(not(feature = "proxy"), allow(dead_code))] // nothing is real then
pub(super) struct Measured {
    pub(super) latencies: Latencies,
    /// Mean time of a fetch, in ms.
    pub(super) fetch_time: f64,
    pub(super) late_p99: f64,
    pub(super) failed: u64,
}

/// How many points a CDF is drawn with.
const POINTS: usize = 400;

fn sorted(latencies: &Latencies) -> Vec<f64> {
    let mut all: Vec<f64> = latencies.iter().map(|(_, latency)| *latency).collect();
    all.sort_by(f64::total_cmp);
    all
}

fn mean(all: &[f64]) -> f64 {
    all.iter().sum::<f64>() / all.len() as f64
}

pub(super) fn quantile(sorted: &[f64], part: f64) -> f64 {
    let place = ((sorted.len() as f64 * part).ceil() as usize).saturating_sub(1);
    sorted.get(place.min(sorted.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
}

/// The area between two CDFs, over the mean of the first: both are of as many requests.
fn distance(real: &[f64], simulated: &[f64]) -> f64 {
    let apart: f64 = real.iter().zip(simulated).map(|(a, b)| (a - b).abs()).sum();
    apart / real.len() as f64 / mean(real)
}

fn cdf(name: &'static str, sorted: &[f64]) -> Timeline {
    let point = |number: usize| {
        let part = number as f64 / POINTS as f64;
        (quantile(sorted, part) * 1000.0, part)
    };
    Timeline { name, unit: "fraction", points: (1..=POINTS).map(point).collect() }
}

/// The values of a run: of a real one with what was measured besides, and the simulation beside it.
pub(super) fn output(latencies: &Latencies, beside: Option<(&Measured, &Latencies)>) -> RunOutput {
    let all = sorted(latencies);
    let share = |kind: Kind| {
        latencies.iter().filter(|(found, _)| *found == kind).count() as f64 / all.len() as f64
    };
    let mut timelines = vec![cdf("cdf", &all)];
    let mut of_real = [f64::NAN; 5];
    if let Some((measured, simulated)) = beside {
        let simulated = sorted(simulated);
        timelines.push(cdf("simulated_cdf", &simulated));
        of_real = [
            measured.fetch_time,
            mean(&simulated),
            distance(&all, &simulated),
            measured.late_p99,
            measured.failed as f64,
        ];
    }
    let [fetch_time, simulated_latency, cdf_distance, late_p99, failed] = of_real;
    let values = vec![
        ("mean_latency", mean(&all)),
        ("latency_p50", quantile(&all, 0.5)),
        ("latency_p90", quantile(&all, 0.9)),
        ("latency_p99", quantile(&all, 0.99)),
        ("hit_rate", share(Kind::Hit)),
        ("delayed_hit_rate", share(Kind::Delayed)),
        ("miss_rate", share(Kind::Miss)),
        ("fetch_time", fetch_time),
        ("simulated_latency", simulated_latency),
        ("cdf_distance", cdf_distance),
        ("late_p99", late_p99),
        ("failed", failed),
    ];
    RunOutput { values, timelines }
}

/// What runs with real requests, or simulated ones, lack to have a quantity.
pub(super) fn lack(is_real: bool, quantity: &str) -> Option<Lack> {
    let of_real =
        ["fetch_time", "simulated_latency", "cdf_distance", "late_p99", "failed", "simulated_cdf"];
    let lacks = !is_real && of_real.contains(&quantity);
    lacks.then_some(Lack { why: "requests are simulated", parameter: "prototype.proxy" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_is_the_area_between_the_cdfs() {
        assert_eq!(distance(&[0.0, 10.0], &[0.0, 10.0]), 0.0);
        // Half of the requests are 4 later: 2 on average, of a mean of 5.
        assert_eq!(distance(&[0.0, 10.0], &[0.0, 14.0]), 0.4);
        assert_eq!(quantile(&[1.0, 2.0, 3.0, 4.0], 0.5), 2.0);
        let cdf = cdf("cdf", &[1.0, 3.0]);
        assert_eq!(cdf.points[199], (1000.0, 0.5));
        assert_eq!(cdf.points[399], (3000.0, 1.0));
    }
}
