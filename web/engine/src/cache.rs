//! The laboratory `cache`: requests to a cache whose misses take time, as `forebay cache simulate`
//! makes them with `--set trace.kind=zipf-bursts`.

use forebay_cache::generators::{BurstConfig, MAX_OBJECTS, ZipfBursts};
use forebay_cache::policies::BoxedPolicy;
use forebay_cache::{BackingStore, CacheGeometry, CacheReport, Simulation, steps};
use serde_json::json;

use crate::error::LabError;
use crate::figures::number;
use crate::panel::others::CacheChoice;
use crate::picture::{Chart, Line, Measure, Picture, Table};
use crate::run::Lab;
use crate::setup::CacheSetup;

/// The most requests and objects: a second or so, and a few MB.
const MOST_REQUESTS: u64 = 20_000_000;
const MOST_OBJECTS: u64 = 4_000_000;
/// How many points the charts have.
const POINTS: u64 = 200;

pub(crate) struct CacheRun {
    policy: String,
    requests: u64,
    source: ZipfBursts,
    cache: Simulation<BoxedPolicy>,
    /// After how many requests a point is made, and what had been counted at each.
    every: u64,
    points: Vec<CacheReport>,
    report: Option<CacheReport>,
}

impl CacheRun {
    pub(crate) fn new(setup: &CacheSetup, number: usize) -> Result<Self, LabError> {
        let side = &setup.sides[number];
        let most = [
            ("requests", setup.requests, MOST_REQUESTS),
            ("objects", setup.objects, MOST_OBJECTS.min(MAX_OBJECTS)),
            ("capacity", setup.capacity, MOST_OBJECTS),
            ("z", setup.z, 1_000_000_000),
        ];
        for (place, given, most) in most {
            if given == 0 || given > most {
                let problem = format!("{given} is not within 1 to {most}, what a page runs");
                return Err(LabError::at(place, problem));
            }
        }
        let choice = CacheChoice::of(side).map_err(|error| error.within(&side.policy))?;
        let named = |error: &dyn std::fmt::Display| LabError::at(&side.policy, error);
        let build = choice.policy.build(&choice.evicts).map_err(|error| named(&error))?;
        let source = ZipfBursts::new(BurstConfig {
            objects: setup.objects,
            exponent: setup.exponent,
            mean_burst: setup.burst,
            seed: setup.seed,
            ..BurstConfig::default()
        })?;
        let store = BackingStore::Constant(steps(setup.z));
        let geometry = CacheGeometry::objects(setup.capacity);
        let cache = Simulation::new(geometry, store, |set| build(set));
        Ok(CacheRun {
            policy: side.policy.clone(),
            requests: setup.requests,
            source,
            cache: cache.map_err(|error| named(&error))?,
            every: setup.requests.div_ceil(POINTS),
            points: Vec::new(),
            report: None,
        })
    }

    fn reached(&self) -> CacheReport {
        self.report.unwrap_or_else(|| self.cache.report())
    }
}

impl Lab for CacheRun {
    /// `effort` is requests.
    fn advance(&mut self, effort: f64) -> Result<bool, LabError> {
        let left = self.requests - self.cache.report().requests.min(self.requests);
        for request in self.source.by_ref().take((effort.max(1.0) as u64).min(left) as usize) {
            let offered = self.cache.offer(&request);
            offered.map_err(|error| LabError::at(&self.policy, error))?;
            let so_far = self.cache.report();
            if so_far.requests.is_multiple_of(self.every) {
                self.points.push(so_far);
            }
        }
        let is_over = self.cache.report().requests >= self.requests;
        if is_over && self.report.is_none() {
            self.report = Some(self.cache.finish());
        }
        Ok(is_over)
    }

    fn picture(&self) -> Picture {
        let so_far = self.reached();
        let share = |name, part: u64, less| {
            let percent = part as f64 / so_far.requests.max(1) as f64 * 100.0;
            Measure::of(name, percent, "%", less)
        };
        let measures = vec![
            Measure::of("mean latency", so_far.mean_steps(), "steps", Some(true)),
            share("hits", so_far.hits, Some(false)),
            share("delayed hits", so_far.delayed_hits, None),
            share("misses", so_far.misses, Some(true)),
        ];
        Picture {
            progress: format!("{} of {} requests", so_far.requests, self.requests),
            part: Some(so_far.requests as f64 / self.requests as f64),
            measures,
            charts: charts(&self.points),
            tables: vec![counts(&so_far)],
        }
    }

    fn report(&mut self, _wall_s: f64) -> Result<String, LabError> {
        let not_over = || LabError::at("report", "the run is not over: let it go on");
        let report = self.report.ok_or_else(not_over)?;
        let share = |part: u64| part as f64 / report.requests.max(1) as f64;
        let row = json!({
            "policy": self.policy,
            "requests": report.requests,
            "hit_rate": share(report.hits),
            "delayed_hit_rate": share(report.delayed_hits),
            "miss_rate": share(report.misses),
            "mean_latency_steps": report.mean_steps(),
        });
        Ok(row.to_string())
    }
}

/// The mean latency so far and between two points, and what became of requests between them.
fn charts(points: &[CacheReport]) -> Vec<Chart> {
    let at: Vec<f64> = points.iter().map(|point| point.requests as f64).collect();
    let before = std::iter::once(CacheReport::default()).chain(points.iter().copied());
    let between: Vec<(CacheReport, CacheReport)> = before.zip(points.iter().copied()).collect();
    let line = |name: &str, of: &dyn Fn(&CacheReport, &CacheReport) -> f64| Line {
        name: name.to_owned(),
        dashed: false,
        values: between.iter().map(|(from, to)| Some(of(from, to))).collect(),
    };
    let step = steps(1).as_ps() as f64;
    let recent = |from: &CacheReport, to: &CacheReport| {
        let waited = to.total_latency_ps() - from.total_latency_ps();
        waited as f64 / step / (to.requests - from.requests).max(1) as f64
    };
    let share = |part: fn(&CacheReport) -> u64| {
        move |from: &CacheReport, to: &CacheReport| {
            (part(to) - part(from)) as f64 * 100.0 / (to.requests - from.requests).max(1) as f64
        }
    };
    let chart = |id, title, y, lines| Chart {
        id,
        title,
        x: ["requests", ""],
        y,
        log: [false; 2],
        at: at.clone(),
        lines,
    };
    vec![
        chart(
            "latency",
            "Latency of a request",
            ["latency", "steps"],
            vec![
                line("mean so far", &|_, to| to.mean_steps()),
                line("mean since the last point", &recent),
            ],
        ),
        chart(
            "outcomes",
            "What became of requests",
            ["of the requests", "%"],
            vec![
                line("hits", &share(|report| report.hits)),
                line("delayed hits", &share(|report| report.delayed_hits)),
                line("misses", &share(|report| report.misses)),
            ],
        ),
    ]
}

fn counts(report: &CacheReport) -> Table {
    let latency = |ps: u128, count: u64| number(ps as f64 / steps(1).as_ps() as f64 / count as f64);
    let waited = report.total_latency_ps();
    let rows = [
        ("hits", report.hits, 0),
        ("delayed hits", report.delayed_hits, report.delayed_latency_ps),
        ("misses", report.misses, report.miss_latency_ps),
        ("all", report.requests, waited),
    ];
    let row = |(name, count, ps): (&str, u64, u128)| {
        vec![name.to_owned(), count.to_string(), latency(ps, count.max(1))]
    };
    Table {
        title: "Requests",
        heads: vec!["outcome", "requests", "mean latency (steps)"],
        rows: rows.map(row).into(),
    }
}
