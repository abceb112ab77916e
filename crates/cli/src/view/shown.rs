//! What was seen, as an object for the page.

use std::collections::BTreeMap;

use forebay_dataplane::lateness::Lateness;
use forebay_dataplane::live::{DeviceLook, Look};
use forebay_dataplane::meter::{FlowPassed, QueueName, QueuePassed};
use forebay_switch::{Gauge, Location, Tally};
use forebay_units::{Duration, Time};
use serde_json::{Value, json};

/// What the last look was like, to which the next is compared.
#[derive(Default)]
pub(super) struct Shown {
    last: Option<(Time, Lateness)>,
}

impl Shown {
    /// The picture of a look; none of the first, since what it tells has no beginning.
    pub(super) fn picture(&mut self, look: Look, changes: &[Value]) -> Option<Value> {
        let last = self.last.replace((look.at, look.lateness.clone()));
        let (then, lateness) = last?;
        let span = look.at.since(then).as_secs_f64();
        let late = look.lateness.since(&lateness);
        let mut queues: BTreeMap<u32, Vec<Value>> = BTreeMap::new();
        for (name, queue) in &look.passed.queues {
            queues.entry(name.device).or_default().push(queue_json(name, queue, span));
        }
        let device = |(number, device): (u32, &DeviceLook)| {
            json!({
                "name": device.name,
                "gauges": device.gauges.iter().filter_map(gauge_json).collect::<Vec<_>>(),
                "queues": queues.remove(&number).unwrap_or_default(),
                "lost": losses(&device.lost),
            })
        };
        let devices: Vec<Value> = (0..).zip(&look.devices).map(device).collect();
        let flows = look.passed.flows.iter().map(|flow| flow_json(flow, span));
        Some(json!({
            "t": look.at.since(Time::ZERO).as_secs_f64(),
            "span": span,
            "devices": devices,
            "lost_elsewhere": losses(&look.lost_elsewhere),
            "flows": flows.collect::<Vec<_>>(),
            "left_bps": per_second(look.passed.left.bytes * 8, span),
            "late": {
                "frames": late.total(),
                "p50_us": us(late.quantile(0.5)),
                "p99_us": us(late.quantile(0.99)),
                "max_us": us(late.longest()),
            },
            "held": look.held,
            "real_time": look.is_real_time,
            "changes": changes,
        }))
    }
}

fn per_second(count: u64, span: f64) -> f64 {
    if span > 0.0 { count as f64 / span } else { 0.0 }
}

fn us(span: Duration) -> f64 {
    span.as_ps() as f64 / 1e6
}

fn losses(lost: &[(&'static str, Tally)]) -> Vec<Value> {
    let one = |(cause, tally): &(&str, Tally)| json!({ "cause": cause, "frames": tally.packets, "bytes": tally.bytes });
    lost.iter().map(one).collect()
}

fn queue_json(name: &QueueName, queue: &QueuePassed, span: f64) -> Value {
    json!({
        "port": name.port,
        "class": name.class,
        "bps": per_second(queue.sent.bytes * 8, span),
        "marked": per_second(queue.marked, span),
        "p50_us": us(queue.waits.quantile(0.5)),
        "p99_us": us(queue.waits.quantile(0.99)),
        "max_us": us(queue.waits.longest()),
    })
}

/// What has been moved inside a switch is left to traces.
fn gauge_json(gauge: &Gauge) -> Option<Value> {
    let (location, name, bytes, is_threshold) = match *gauge {
        Gauge::Level { location, name, bytes } => (location, name, bytes, false),
        Gauge::Threshold { location, name, bytes } => (location, name, bytes, true),
        Gauge::Moved { .. } => return None,
    };
    let (pool, port, class) = match location {
        Location::Switch => (None, None, None),
        Location::Pool(pool) => (Some(pool), None, None),
        Location::Port(port) => (None, Some(port), None),
        Location::Queue { port, class } => (None, Some(port), Some(class)),
    };
    Some(json!({
        "pool": pool, "port": port, "class": class,
        "name": name, "bytes": bytes, "threshold": is_threshold,
    }))
}

fn flow_json(passed: &FlowPassed, span: f64) -> Value {
    let mean = passed.took.as_ps() as f64 / 1e6 / passed.left.packets.max(1) as f64;
    json!({
        "flow": flow_name(passed),
        "bps": per_second(passed.left.bytes * 8, span),
        "lost": passed.lost,
        "mean_us": mean,
        "max_us": us(passed.longest),
    })
}

/// As `10.0.0.1:5000 > 10.0.0.2:80 tcp`.
fn flow_name(passed: &FlowPassed) -> String {
    let Some(flow) = passed.flow else { return "not IP".to_owned() };
    let [from, to] = flow.ports;
    let end = |address: std::net::IpAddr, port: u16| match (port, flow.ports) {
        (_, [0, 0]) => address.to_string(),
        (port, _) => std::net::SocketAddr::new(address, port).to_string(),
    };
    let protocol = match flow.protocol {
        1 => "icmp".to_owned(),
        6 => "tcp".to_owned(),
        17 => "udp".to_owned(),
        58 => "icmpv6".to_owned(),
        other => format!("protocol {other}"),
    };
    format!("{} > {} {protocol}", end(flow.source, from), end(flow.destination, to))
}
