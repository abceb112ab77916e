//! What a run left behind, and the numbers that come of it.

use std::ops::Range;

use forebay_net::measure::{
    ClassReport, Completions, FlowRecord, LossCount, QueryRecord, SizeClasses, Spread, by_class,
    queries, stages,
};
use forebay_net::network::Trimming;
use forebay_net::workload::Workload;
use forebay_switch::{DropStates, FlowId};
use forebay_units::{Bytes, Duration};

use super::carried::Carried;
use super::causes;
use super::pausing::Pausing;
use super::setup::NetworkSetup;
use super::shares::Fairness;
use super::sizes::SizeGroup;
use super::trimming;

/// What a run left behind.
pub struct NetworkOutcome {
    /// The background's flows.
    pub background: Vec<FlowRecord>,
    /// The questions of queries.
    pub requests: Vec<FlowRecord>,
    /// The responses to them.
    pub responses: Vec<FlowRecord>,
    /// What became of each query.
    pub queries: Vec<QueryRecord>,
    /// The rounds of the background.
    pub rounds: Completions,
    /// Packets lost and sent by hosts.
    pub packets: [u64; 2],
    /// Where and why packets were lost.
    pub losses: Vec<LossCount>,
    /// What was carried until the window ended.
    pub carried: Carried,
    /// Whether the run had to stop.
    pub stuck: bool,
    /// How fairly watched flows shared.
    pub fairness: Fairness,
    /// Packet-hops.
    pub hops: u64,
    /// What switches were like when they lost packets.
    pub states: DropStates,
    /// What flow control did, if classes are lossless.
    pub pausing: Option<Pausing>,
    /// What trimming did, if switches trim or receivers pull.
    pub trimming: Option<Trimming>,
}

impl NetworkOutcome {
    /// That of a network with this traffic whose flows have these records, in the order of their
    /// numbers; the queries' begin at `first`. Nothing is known of packets.
    pub(crate) fn of(
        setup: &NetworkSetup,
        background: &Workload,
        queries: Option<&Workload>,
        first: FlowId,
        mut records: Vec<FlowRecord>,
        carried: Carried,
    ) -> Self {
        let rounds = stages(background.stages(), &records, &setup.rule.window);
        // Queries are numbered from the first record of theirs on.
        let asked = || queries.iter().flat_map(|workload| workload.queries());
        let of_queries = asked().map(|query| QueryRecord::new(query, first, &records)).collect();
        let flows = records.split_off(background.flows().len().min(records.len()));
        let part = |range: &Range<FlowId>| {
            let of = flows.get(range.start as usize..range.end as usize);
            of.unwrap_or_default().iter().copied()
        };
        NetworkOutcome {
            requests: asked().flat_map(|query| part(&query.requests)).collect(),
            responses: asked().flat_map(|query| part(&query.responses)).collect(),
            background: records,
            queries: of_queries,
            rounds,
            packets: [0; 2],
            losses: Vec::new(),
            carried,
            stuck: false,
            fairness: Fairness::default(),
            hops: 0,
            states: DropStates::default(),
            pausing: None,
            trimming: None,
        }
    }

    /// A value for every metric.
    #[must_use]
    pub fn values(&self, setup: &NetworkSetup) -> Vec<(&'static str, f64)> {
        let window = &setup.rule.window;
        let every = SizeClasses::new(&[]).unwrap_or_else(|_| SizeClasses::small_and_large());
        let all = by_class(&self.background, window, &every).remove(0);
        let [small, medium, large] = self.by_size(setup);
        let asked = queries(&self.queries, window);
        let timeouts = |records: &[FlowRecord]| -> u64 {
            records.iter().map(|record| u64::from(record.sender.timeouts)).sum()
        };
        let responses = timeouts(&self.responses);
        let all_timeouts = timeouts(&self.background) + timeouts(&self.requests) + responses;
        let seconds = window.end.as_ps() as f64 / 1e12;
        let [lost, sent] = self.packets;
        let per_byte = |class: &ClassReport, pick: fn(&Spread<f64>) -> f64| {
            class.time_per_byte.as_ref().map_or(f64::NAN, |spread| pick(spread) / 1e3)
        };
        let mut values = vec![
            ("qct_mean", us(&asked, |time| time.mean)),
            ("qct_p99", us(&asked, |time| time.p99)),
            ("qct_slowdown_mean", times(&asked, |slowdown| slowdown.mean)),
            ("qct_slowdown_p99", times(&asked, |slowdown| slowdown.p99)),
            ("queries", count(&asked)),
            ("fct_mean", us(&all.completions, |time| time.mean)),
            ("fct_p99", us(&all.completions, |time| time.p99)),
            ("fct_slowdown_mean", times(&all.completions, |slowdown| slowdown.mean)),
            ("small_fct_mean", us(&small.report.completions, |time| time.mean)),
            ("small_fct_p99", us(&small.report.completions, |time| time.p99)),
            ("small_slowdown_mean", times(&small.report.completions, |slowdown| slowdown.mean)),
            ("small_slowdown_p99", times(&small.report.completions, |slowdown| slowdown.p99)),
            ("fct_per_byte_mean", per_byte(&all, |spread| spread.mean)),
            ("small_fct_per_byte_p99", per_byte(&small.report, |spread| spread.p99)),
            ("flows", count(&all.completions)),
            ("round_mean", us(&self.rounds, |time| time.mean)),
            ("round_p99", us(&self.rounds, |time| time.p99)),
            ("rounds", count(&self.rounds)),
            ("unfinished", (asked.unfinished + all.completions.unfinished) as f64),
            ("stuck", f64::from(u8::from(self.stuck))),
            ("timeouts", all_timeouts as f64),
            ("query_timeouts", responses as f64),
            ("loss_fraction", lost as f64 / sent.max(1) as f64),
            ("uplink_utilization_mean", self.carried.uplinks_mean),
            ("uplink_utilization_max", self.carried.uplinks_max),
            (
                "goodput",
                self.carried.delivered.get() as f64 * 8e-9 / seconds / f64::from(setup.graph.hosts),
            ),
            ("buffer_on_drop_p50", self.states.filled(0.5).unwrap_or(f64::NAN)),
            ("buffer_on_drop_p99", self.states.filled(0.99).unwrap_or(f64::NAN)),
            ("busy_on_drop_p50", self.states.busy(0.5).unwrap_or(f64::NAN)),
            ("packet_hops", self.hops as f64),
            ("fct_slowdown_p95", times(&all.completions, |slowdown| slowdown.p95)),
            ("small_slowdown_p95", times(&small.report.completions, |slowdown| slowdown.p95)),
            ("medium_slowdown_mean", times(&medium.report.completions, |slowdown| slowdown.mean)),
            ("medium_slowdown_p95", times(&medium.report.completions, |slowdown| slowdown.p95)),
            ("large_slowdown_mean", times(&large.report.completions, |slowdown| slowdown.mean)),
            ("large_slowdown_p95", times(&large.report.completions, |slowdown| slowdown.p95)),
            ("small_delay_mean", small.delay_mean()),
            ("small_delay_p99", small.delay_p99()),
            ("medium_delay_p99", medium.delay_p99()),
            ("large_delay_p99", large.delay_p99()),
            ("small_loss_fraction", small.loss_fraction()),
            ("medium_loss_fraction", medium.loss_fraction()),
            ("large_loss_fraction", large.loss_fraction()),
        ];
        values.extend(self.fairness());
        values.extend(causes::fractions(&self.losses, sent));
        values.extend(Pausing::values(self.pausing.as_ref()));
        values.extend(trimming::values(self.trimming.as_ref(), sent));
        values
    }

    fn fairness(&self) -> [(&'static str, f64); 4] {
        let Fairness { measures, share_error, least_share } = &self.fairness;
        let of = |pick: fn(&Spread<f64>) -> f64| measures.as_ref().map_or(f64::NAN, pick);
        [
            ("nfm_mean", of(|spread| spread.mean)),
            ("nfm_p95", of(|spread| spread.p95)),
            ("share_error", share_error.unwrap_or(f64::NAN)),
            ("least_share", least_share.unwrap_or(f64::NAN)),
        ]
    }

    /// Small, medium and large background flows.
    fn by_size(&self, setup: &NetworkSetup) -> [SizeGroup; 3] {
        let [small, large] = setup.sizes;
        [Bytes::ZERO..small, small..large, large..Bytes::new(u64::MAX)]
            .map(|sizes| SizeGroup::new(&self.background, &setup.rule.window, &sizes))
    }
}

fn us(completions: &Completions, pick: fn(&Spread<Duration>) -> Duration) -> f64 {
    completions.time.as_ref().map_or(f64::NAN, |time| pick(time).as_ps() as f64 / 1e6)
}

fn times(completions: &Completions, pick: fn(&Spread<f64>) -> f64) -> f64 {
    completions.slowdown.as_ref().map_or(f64::NAN, pick)
}

fn count(completions: &Completions) -> f64 {
    completions.time.as_ref().map_or(0, |time| time.count) as f64
}
