//! A processor under each policy, without and with the attack.

use clap::Args;
use forebay_lab::results::number;
use forebay_surge::model::Displacement;
use forebay_surge_processors::driver::{Offered, Ran, SATURATIONS, Span, Trial};
use forebay_units::{Bytes, Duration, Rate};
use serde_json::{Map, Value, json};

use super::buffer::{BufferArguments, Jobs, failed};
use crate::Failure;
use crate::arguments::{number, whole};
use crate::terminal::{self, columns};

#[derive(Args)]
pub(super) struct TrialArguments {
    /// The policies, separated by commas.
    #[arg(
        long,
        value_name = "NAMES",
        default_value = "fcfs,fq,fq-packets,fq-bytes,fq-time,sjf,wsjf,wsjf-inorder",
        value_delimiter = ','
    )]
    policies: Vec<String>,
    /// r_I as a fraction of what the processor can serve; by default the paper's 10 of 12 Gb/s.
    #[arg(long, value_name = "PART", default_value_t = 10.0 / 12.0, value_parser = number)]
    load: f64,
    /// r_A as a fraction of the same; by default the paper's 0.1 of 12 Gb/s.
    #[arg(long, value_name = "PART", default_value_t = 0.1 / 12.0, value_parser = number)]
    attack: f64,
    /// Packets per attack flow [default: as in the optimal attack on the policy].
    #[arg(long, value_name = "N", value_parser = whole(1_u32..=u32::MAX))]
    segments: Option<u32>,
    /// Virtual time before counting begins.
    #[arg(long, value_name = "SPAN", default_value = "100 ms")]
    warm_up: Duration,
    /// Virtual time that is counted.
    #[arg(long, value_name = "SPAN", default_value = "300 ms")]
    span: Duration,
    #[command(flatten)]
    buffer: BufferArguments,
    /// Print JSON instead of text.
    #[arg(long)]
    json: bool,
}

impl TrialArguments {
    /// Rejects impossible arguments before anything is measured.
    pub(super) fn check(&self, jobs: &Jobs) -> Result<(), Failure> {
        for (name, part) in [("load", self.load), ("attack", self.attack)] {
            if !(1e-9..=100.0).contains(&part) {
                return Err(Failure::input(format!(
                    "error: --{name} {part} is not a usable fraction; give 0.01 to 100"
                )));
            }
        }
        if self.span == Duration::ZERO {
            let message = "error: --span 0: nothing would be counted; give a span above 0";
            return Err(Failure::input(message));
        }
        self.policies.iter().try_for_each(|policy| self.buffer.check(("policies", policy), jobs))
    }

    fn span(&self) -> Span {
        Span { warmup: self.warm_up, measured: self.span }
    }
}

/// The result of a policy.
struct Row {
    policy: String,
    segments: u32,
    displacement: Displacement,
    alone: Ran,
    attacked: Ran,
}

pub(super) fn compare(
    trial: &dyn Trial,
    arguments: &TrialArguments,
    jobs: &Jobs,
) -> Result<(), Failure> {
    let buffer = arguments.buffer.protect(("policies", "fcfs"), jobs)?;
    let found = trial.saturation(&buffer, arguments.span()).map_err(|error| failed(&error))?;
    let [innocent, attack] = [arguments.load, arguments.attack].map(|p| found.median.scaled(p));
    if innocent.as_bps() == 0 || attack.as_bps() == 0 {
        let least = found.median.as_bps();
        return Err(Failure::input(format!(
            "error: a rate rounds to 0 b/s, since r_max is {least} b/s; raise --load or --attack"
        )));
    }
    terminal::warn(&format!(
        "  r_max {}, the median of {SATURATIONS} ({} to {}); r_I {}, r_A {}",
        number::rate(found.median),
        number::rate(found.least),
        number::rate(found.most),
        number::rate(innocent),
        number::rate(attack),
    ));
    let rates = [found.median, innocent, attack];
    let rows: Result<Vec<Row>, Failure> = arguments
        .policies
        .iter()
        .map(|policy| row(trial, arguments, (policy, jobs), rates))
        .collect();
    let rows = rows?;
    terminal::print(&if arguments.json { as_json(&rows) } else { as_table(&rows) })
}

fn row(
    trial: &dyn Trial,
    arguments: &TrialArguments,
    (policy, jobs): (&str, &Jobs),
    rates: [Rate; 3],
) -> Result<Row, Failure> {
    let protect = arguments.buffer.protect(("policies", policy), jobs)?;
    let optimal = || trial.segments_against(&protect, rates);
    let segments = arguments.segments.map_or_else(optimal, Ok).map_err(|error| failed(&error))?;
    let ([_, innocent, attack], span) = (rates, arguments.span());
    let run = |attack: Rate| {
        let offered = Offered { innocent, attack, segments };
        trial.run(&protect, offered, span).map_err(|error| failed(&error))
    };
    let (alone, attacked) = (run(Rate::from_bps(0))?, run(attack)?);
    let displacement = Displacement::between(&alone.outcome, &attacked.outcome, attack);
    Ok(Row { policy: policy.to_owned(), segments, displacement, alone, attacked })
}

fn mbps(rate: Rate) -> f64 {
    rate.as_bps() as f64 / 1e6
}

impl Row {
    fn displaced_mbps(&self) -> f64 {
        mbps(self.displacement.alone) - mbps(self.displacement.attacked)
    }
}

fn as_table(rows: &[Row]) -> String {
    let heads = [
        "policy",
        "alone",
        "attacked",
        "displaced",
        "factor",
        "against the first",
        "p99",
        "p99 alone",
        "N",
        "bias",
        "under",
    ];
    let mut table = vec![heads.map(str::to_owned).to_vec()];
    let first = rows.first().map_or(f64::NAN, Row::displaced_mbps);
    for row in rows {
        let calibration = row.attacked.statistics.calibration;
        let p99 = |ran: &Ran| p99_of(ran).map_or_else(|| "–".to_owned(), number::time);
        table.push(vec![
            row.policy.clone(),
            number::rate(row.displacement.alone),
            number::rate(row.displacement.attacked),
            signed(row.displaced_mbps()),
            number::decimal(row.displacement.factor, 2),
            against(row.displaced_mbps(), first),
            p99(&row.attacked),
            p99(&row.alone),
            number::count(row.segments.into()),
            number::change(calibration.bias(), 0),
            number::percent(calibration.underestimated(), 0),
        ]);
    }
    columns(&table, 1)
        + "\np99: of the latency of innocent packets, under attack and alone. N: packets of an \
           attack flow.\nbias, under: of the estimates under attack, and jobs that took longer.\n"
}

/// The 99th percentile of innocent packets' latencies, if any was processed.
fn p99_of(ran: &Ran) -> Option<Duration> {
    (ran.outcome.innocent.completed > Bytes::ZERO).then_some(ran.outcome.latency.p99)
}

/// A rate in Mb/s that may be below zero: more was processed under attack.
fn signed(mbps: f64) -> String {
    let sign = if mbps < 0.0 { "-" } else { "" };
    format!("{sign}{}", number::rate(Rate::from_bps((mbps.abs() * 1e6) as u64)))
}

/// The displacement relative to the first policy's; none if that is zero.
fn against(displaced: f64, first: f64) -> String {
    if first > 0.0 {
        format!("{:+.1} %", (displaced / first - 1.0) * 100.0)
    } else {
        "-".to_owned()
    }
}

fn as_json(rows: &[Row]) -> String {
    let rows: Vec<_> = rows
        .iter()
        .map(|row| {
            let latency = |ran: &Ran| p99_of(ran).map(|p99| p99.as_ps() as f64 / 1e6);
            let calibration = row.attacked.statistics.calibration;
            let counts: Map<String, Value> = row
                .attacked
                .counts
                .iter()
                .map(|(name, count)| ((*name).to_owned(), json!(count)))
                .collect();
            json!({
                "policy": row.policy, "segments": row.segments,
                "alone_mbps": mbps(row.displacement.alone),
                "attacked_mbps": mbps(row.displacement.attacked),
                "factor": row.displacement.factor,
                "p99_latency_us": latency(&row.attacked),
                "p99_latency_alone_us": latency(&row.alone),
                "dropped_bytes": row.attacked.outcome.innocent.dropped.get(),
                "bias": calibration.bias(), "underestimated": calibration.underestimated(),
                "processor": counts,
            })
        })
        .collect();
    format!("{:#}\n", json!(rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_compared_with_nothing() {
        assert_eq!(against(5.0, 100.0), "-95.0 %");
        assert_eq!([against(5.0, 0.0), against(0.0, 0.0), against(1.0, -3.0)], ["-", "-", "-"]);
    }
}
