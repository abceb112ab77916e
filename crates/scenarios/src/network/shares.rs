//! Flows that share a port, over time: throughput of each, and how fair it was.
//!
//! Source: gearbox §4.1.2, Fig. 8 and 9. Bytes that arrived are looked at every `run.scale`; what
//! is measured are the windows after the warm-up through which the same flows, two at least, were
//! there. The normalized fairness measure is that of `forebay_sched::fair::measure`. O(windows ·
//! flows) time and memory.

use forebay_lab::{RunError, Timeline};
use forebay_net::flow::Flow;
use forebay_net::measure::Spread;
use forebay_net::network::Network;
use forebay_sched::fair::measure::normalized_fairness;
use forebay_switch::AnySwitch;
use forebay_units::{Duration, Time};

use super::drive::Run;
use super::metrics::FLOW_SERIES;

/// The most windows of a run.
const WINDOWS: u64 = 1 << 20;

/// How fair a run was.
#[derive(Clone, Debug, Default)]
pub struct Fairness {
    /// The normalized fairness measure of each window in which something was sent.
    pub measures: Option<Spread<f64>>,
    /// The mean over windows and flows of |share / fair share - 1|.
    pub share_error: Option<f64>,
    /// The smallest share of a flow over all windows, relative to its fair share.
    pub least_share: Option<f64>,
}

/// What arrived in one window.
struct Window {
    until: Time,
    bytes: Vec<u64>,
    /// Whether the flow was there from its beginning to its end.
    there: Vec<bool>,
}

/// Flows that are watched: the first of the network.
pub struct Watch<'a> {
    flows: &'a [Flow],
    weights: &'a [u32],
}

impl<'a> Watch<'a> {
    /// Of these flows and their weights.
    #[must_use]
    pub fn new(flows: &'a [Flow], weights: &'a [u32]) -> Self {
        Watch { flows, weights }
    }

    /// Runs to the end of the span.
    ///
    /// # Errors
    /// If told to stop.
    pub(super) fn run(&self, run: &mut Run<'_, '_>) -> Result<(Vec<Timeline>, Fairness), RunError> {
        let setup = run.setup;
        let span = setup.rule.window.end.since(Time::ZERO).as_ps();
        let count = (span / setup.scale.as_ps().max(1)).clamp(1, WINDOWS);
        let scale = Duration::from_ps(span / count);
        let (mut windows, mut before) = (Vec::new(), vec![0; self.flows.len()]);
        for number in 1..=count {
            let until = Time::ZERO + scale * number;
            run.until(until, number as f64 / count as f64)?;
            windows.push(self.window(&run.network, scale, until, &mut before));
        }
        let timelines = self.timelines(&windows, setup.samples, scale);
        let measured = windows.iter().filter(|window| {
            let warm = window.until >= setup.rule.window.start + scale;
            warm && window.there.iter().filter(|there| **there).count() > 1
        });
        Ok((timelines, self.fairness(&measured.collect::<Vec<_>>())))
    }

    fn window(
        &self,
        network: &Network<AnySwitch>,
        scale: Duration,
        until: Time,
        before: &mut [u64],
    ) -> Window {
        let (mut bytes, mut there) = (Vec::new(), Vec::new());
        for ((id, flow), before) in (0..).zip(self.flows).zip(before) {
            let delivered = network.delivered(id).get();
            bytes.push(delivered - *before);
            there.push(flow.start + scale <= until && delivered < flow.bytes.get());
            *before = delivered;
        }
        Window { until, bytes, there }
    }

    fn fairness(&self, windows: &[&Window]) -> Fairness {
        let (mut measures, mut errors) = (Vec::new(), Vec::new());
        let mut totals = vec![(0.0, 0.0); self.flows.len()];
        for window in windows {
            let flows = window.bytes.iter().zip(self.weights).zip(&window.there);
            let there = flows.clone().filter(|(_, there)| **there);
            let there: Vec<_> = there.map(|((bytes, weight), _)| (*bytes, *weight)).collect();
            measures.extend(normalized_fairness(&there));
            let sent: u64 = there.iter().map(|(bytes, _)| bytes).sum();
            let weight: f64 = there.iter().map(|(_, weight)| f64::from(*weight)).sum();
            for (((bytes, own), there), total) in flows.zip(&mut totals) {
                let fair = sent as f64 * f64::from(*own) / weight;
                if *there && fair > 0.0 {
                    errors.push((*bytes as f64 / fair - 1.0).abs());
                    *total = (total.0 + *bytes as f64, total.1 + fair);
                }
            }
        }
        let shares = totals.iter().filter(|(_, fair)| *fair > 0.0).map(|(got, fair)| got / fair);
        Fairness {
            measures: Spread::of_numbers(measures),
            share_error: Spread::of_numbers(errors).map(|errors| errors.mean),
            least_share: shares.min_by(f64::total_cmp),
        }
    }

    /// The throughput of the first flows, over windows put together to about so many samples.
    fn timelines(&self, windows: &[Window], samples: u64, scale: Duration) -> Vec<Timeline> {
        if samples == 0 {
            return Vec::new();
        }
        let together = (windows.len() / samples as usize).max(1);
        let rate = |bytes: u64, windows: usize| {
            bytes as f64 * 8e3 / (scale.as_ps() as f64 * windows as f64)
        };
        let series = |(index, name): (usize, &&'static str)| {
            let point = |chunk: &[Window]| {
                let bytes = chunk.iter().map(|window| window.bytes[index]).sum();
                let until = chunk.last().map_or(0.0, |window| window.until.as_ps() as f64 / 1e6);
                (until, rate(bytes, chunk.len()))
            };
            let points = windows.chunks(together).map(point).collect();
            Timeline { name, unit: "Gb/s", points }
        };
        FLOW_SERIES.iter().take(self.flows.len()).enumerate().map(series).collect()
    }
}
