//! Other values for a parameter, the most telling first.

use forebay_parameters::{Kind, Listed, Value};

use crate::effects::files::Files;

/// Values to try in place of the one that stands there; not all need be legal.
pub(crate) fn others(one: &Listed, files: &Files) -> Vec<String> {
    let near = match (&one.value, one.parameter.kind) {
        (Value::Bool(flag), _) => vec![(!flag).to_string()],
        (Value::Text(_), Kind::Choice(words)) => words.iter().map(ToString::to_string).collect(),
        (Value::Int(number), _) => around(*number as f64, &[1.0, 0.0, 2.0, 7.0, 100.0], ""),
        (Value::Float(number), _) => real(*number),
        (Value::Rate(rate), _) => around(rate.as_bps() as f64, &[1e9, 1e10, 1e8], " b/s"),
        (Value::Bytes(size), _) => around(size.get() as f64, &[1e3, 1e4, 1e5, 64.0], " B"),
        (Value::Duration(span), _) => around(span.as_ps() as f64, &[1e6, 2e7, 1e9], " ps"),
        (Value::Text(_) | Value::List(_), _) => Vec::new(),
    };
    let mut others = named(&one.parameter.name, files);
    others.extend(near);
    let now = one.value.to_string();
    others.retain(|other| *other != now && one.parameter.kind.read_text(other).is_ok());
    others
}

/// Parts and multiples of a whole number, then some that may be far from it.
fn around(number: f64, far: &[f64], unit: &str) -> Vec<String> {
    let near = [number / 2.0, number / 8.0, number * 2.0, number + 1.0, number * 8.0];
    let near = near.into_iter().filter(|_| number > 0.0);
    near.chain(far.iter().copied()).map(|value| format!("{:.0}{unit}", value)).collect()
}

fn real(number: f64) -> Vec<String> {
    let near = [number / 2.0, number * 2.0, number / 8.0, number * 8.0];
    near.into_iter().chain([0.5, 0.05, 0.95, 2.0, 20.0]).map(|value| value.to_string()).collect()
}

/// Of parameters whose values have no neighbours, or none that may be.
fn named(parameter: &str, files: &Files) -> Vec<String> {
    let texts: &[&str] = match parameter {
        "switch.rank" => &["las", "fifo", "class * 100 + size", "flow", "1000 - flow"],
        "transport.control" | "transport.background_control" => {
            &["cubic", "new-reno", "dctcp", "swift"]
        }
        "pfc.lossless" => &["0", ""],
        "switch.port" => &["Ethernet1"],
        "switch.lossless_queue" => &["4"],
        "switch.scheduler" => &["strict-priority", "wrr", "drr"],
        "switch.cells_per_second" => &["20000", "1000000"],
        "scheduler.weights" => &["1:9", "9:1:1:1", "1:1:1:9"],
        "scheduler.drr_weights" => &["1:9", "9:1", "9:1:1:1"],
        "workload.demands" => &["10 Gb/s:1 Gb/s"],
        "workload.classes" => &["1:0", "0:0"],
        "store.latencies" => &["1 us, 9 us"],
        "scheduler.quantizer" => &["log-linear 2", "linear 1000", "exact"],
        "scheduler.budgets" => &["10 us:2 ms"],
        "scheduler.job_costs" => &["7:20+1"],
        "trace.object_column" => &["size", "2"],
        "trace.time_column" => &["later"],
        "trace.size_column" => &["origin", "object"],
        "trace.origin_column" => &["object"],
        "trace.delimiter" => &[";"],
        _ => &[],
    };
    let texts = texts.iter().map(ToString::to_string);
    texts.chain(files.others(parameter)).collect()
}
