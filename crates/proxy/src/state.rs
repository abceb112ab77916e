//! What the page and `forebay proxy top` are told: one object of JSON, whose counts only grow, so
//! that whoever asks twice has what happened between.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use crate::shared::Shared;

/// How many objects are told.
const OBJECTS: usize = 20;

/// What there is now.
pub(crate) fn of(shared: &Shared) -> Value {
    let (live, stats, metrics) = (shared.live(), shared.cache.stats(), &shared.metrics);
    let outcomes: Value = metrics
        .outcomes()
        .map(|(name, count, seconds)| json!({ "name": name, "count": count, "seconds": seconds }))
        .collect();
    let spans: Value = metrics.spans().map(|(end, count)| json!([end, count])).collect();
    let what_if: Value = shared
        .what_if
        .shadows()
        .into_iter()
        .map(|shadow| {
            json!({
                "policy": shadow.policy,
                "bytes": shadow.size,
                "requests": shadow.requests,
                "hits": shadow.hits,
                "delayed_hits": shadow.delayed_hits,
                "renewals": shadow.renewals,
                "waited": shadow.waited.as_secs_f64(),
            })
        })
        .collect();
    let objects: Value = metrics
        .most_waited(OBJECTS)
        .into_iter()
        .map(|(url, span)| json!({ "url": url, "waited": span.as_secs_f64() }))
        .collect();
    json!({
        "seconds": shared.began.elapsed().as_secs_f64(),
        "policy": live.config.cache.policy,
        "capacity": live.config.cache.size,
        "outcomes": outcomes,
        "spans": spans,
        "cache": {
            "objects": stats.objects,
            "bytes": stats.bytes,
            "waiting": stats.waiting,
            "flights": shared.cache.flights(),
            "evictions": stats.evictions,
        },
        "connections": metrics.connections.load(Ordering::Relaxed),
        "what_if": what_if,
        "sample": live.config.what_if.sample,
        "what_if_seconds": shared.what_if.spent().as_secs_f64(),
        "objects": objects,
    })
}
