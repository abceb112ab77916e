//! What the delayed-hits experiments measure.

use forebay_cache::{CacheReport, STEP};
use forebay_lab::Better::{Higher, Lower, Neither};
use forebay_lab::{Lack, MetricSpec, metric};

/// Every metric.
pub const METRICS: &[MetricSpec] = &[
    metric("mean_latency", "steps", "Mean latency", Lower)
        .is("Mean latency of a request (Eq. 2.12 per request)."),
    metric("normalized_latency", "fraction", "Latency over Z", Lower)
        .is("Mean latency over the mean latency of a miss."),
    metric("idealized_latency", "steps", "Idealized latency", Lower)
        .is("What the classical model predicts: the miss rate of the same policy when \
             fetches take no time, times Z (Eq. 2.1)."),
    metric("idealized_normalized", "fraction", "Idealized latency over Z", Lower)
        .is("The classical prediction over Z: the classical miss rate."),
    metric("idealized_error", "fraction", "Classical model's error", Lower)
        .is("1 - idealized / actual latency (Fig. 2.3)."),
    metric("hit_rate", "fraction", "True hit rate", Higher).is("Requests answered at once."),
    metric("delayed_hit_rate", "fraction", "Delayed hits", Neither)
        .is("Requests that waited for a fetch under way."),
    metric("miss_rate", "fraction", "Miss rate", Lower).is("Requests that started a fetch."),
    metric("object_latency", "steps", "Latency of the objects measured", Lower)
        .is("Mean latency of requests for objects of the burstiness measured."),
    metric("measured_requests", "", "Requests measured", Neither)
        .is("Requests for objects of the burstiness measured."),
    metric("gap", "fraction", "Bound gap", Lower)
        .is("belatedly: upper over lower bound, minus 1 (Table 2.2)."),
    metric("lower_bound", "steps", "Lower bound", Neither)
        .is("belatedly: no schedule has a lower mean latency."),
    metric("variables", "", "Decision variables", Lower)
        .is("belatedly: intervals decided after pruning and merging (§2.4.3)."),
    metric("naive_variables", "", "Decision variables, naive", Lower)
        .is("belatedly: of the program as first stated (§2.4.1)."),
    metric("variables_saved", "", "Naive variables per variable", Higher)
        .is("belatedly: how many times fewer variables pruning and merging leave (Fig. \
             2.14)."),
    metric("misleading_pairs", "fraction", "Pairs misjudged", Lower)
        .is("pairs: share of the six pairs of policies that hit rate orders otherwise than \
             latency does (Fig. 2.4)."),
    metric("capacity", "", "Cache size", Neither).is("Objects the cache holds, or bytes."),
];

/// What happened in no run that has no value of a metric.
pub(super) fn missing(quantity: &str) -> Option<Lack> {
    let (why, parameter) = match quantity {
        "gap" | "lower_bound" | "variables" | "naive_variables" | "variables_saved" => {
            ("only the policy belatedly has it", "policies")
        }
        "misleading_pairs" => ("only the policy pairs has it", "policies"),
        "object_latency" => ("no object has this burstiness", "measure.burstiness"),
        _ => return None,
    };
    Some(Lack { why, parameter })
}

/// What one run of a policy gave.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measured {
    /// Total latency in steps.
    pub latency: f64,
    /// Requests.
    pub requests: u64,
    /// True hits.
    pub hits: u64,
    /// Delayed hits.
    pub delayed: u64,
    /// Misses.
    pub misses: u64,
    /// Total latency in steps, and requests, of the objects measured.
    pub objects: (f64, u64),
}

impl Measured {
    /// The totals of a simulation.
    #[must_use]
    pub fn of(report: &CacheReport, step: f64) -> Self {
        Measured {
            latency: report.total_latency_ps() as f64 / STEP.as_ps() as f64 / step,
            requests: report.requests,
            hits: report.hits,
            delayed: report.delayed_hits,
            misses: report.misses,
            objects: (0.0, 0),
        }
    }

    /// Mean latency in steps.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.latency / self.requests.max(1) as f64
    }

    /// The metrics that need no other run.
    #[must_use]
    pub fn values(&self, mean_z: f64) -> Vec<(&'static str, f64)> {
        let share = |count: u64| count as f64 / self.requests.max(1) as f64;
        let (latency, requests) = self.objects;
        vec![
            ("mean_latency", self.mean()),
            ("normalized_latency", self.mean() / mean_z),
            ("hit_rate", share(self.hits)),
            ("delayed_hit_rate", share(self.delayed)),
            ("miss_rate", share(self.misses)),
            ("object_latency", latency / requests as f64),
            ("measured_requests", requests as f64),
        ]
    }
}
