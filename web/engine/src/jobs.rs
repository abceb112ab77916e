//! The laboratory `jobs`: an attack of growing rate on a scheduler in front of a processor, each
//! policy under the attack that is the best against it (thesis §3.3 to §3.6).

use forebay_surge::model::{Arrivals, Traffic, optimal_attack};
use forebay_surge::model::{Attack, Displacement, Experiment, Means, Reassembly, SimulationConfig};
use forebay_surge::policies::ServiceOrder;
use forebay_units::{Duration, Rate};
use serde_json::json;

use crate::error::LabError;
use crate::figures::number;
use crate::panel::others::scheduler;
use crate::picture::{Chart, Line, Measure, Picture, Table};
use crate::run::Lab;
use crate::setup::{JobsSetup, read};

/// The most rates of an attack, and the longest span of each.
const MOST_RATES: usize = 40;
const LONGEST: Duration = Duration::from_ms(500);
/// Flows of the innocent, as in the experiments.
const FLOWS: u32 = 100;

pub(crate) struct JobsRun {
    policy: String,
    experiment: Option<Experiment>,
    traffic: Traffic,
    config: SimulationConfig,
    order: Option<ServiceOrder>,
    means: Means,
    rates: Vec<Rate>,
    points: Vec<Displacement>,
}

impl JobsRun {
    pub(crate) fn new(setup: &JobsSetup, number: usize) -> Result<Self, LabError> {
        let side = &setup.sides[number];
        if setup.attacks.is_empty() || setup.attacks.len() > MOST_RATES {
            let problem = format!("{} rates: give 1 to {MOST_RATES}", setup.attacks.len());
            return Err(LabError::at("attacks", problem));
        }
        let span: Duration = read("span", &setup.span)?;
        if span == Duration::ZERO || span > LONGEST {
            let problem = format!("{span}: give a span above 0 s and at most {LONGEST}");
            return Err(LabError::at("span", problem));
        }
        let config = scheduler(setup, side).map_err(|error| error.within(&side.policy))?;
        let named = |error: &dyn std::fmt::Display| LabError::at(&side.policy, error);
        let order = config.built().map_err(|error| named(&error))?.order();
        let model = Reassembly { disordered: setup.disordered, ..Reassembly::default() };
        let joint = model.innocent().map_err(|error| LabError::at("disordered", error))?;
        let traffic = Traffic {
            joint: joint.with_true_estimates(),
            rate: read("rate", &setup.rate)?,
            arrivals: Arrivals::Constant,
            flows: FLOWS,
            seed: setup.seed,
        };
        let rates = setup.attacks.iter().map(|text| read("attacks", text));
        let config =
            SimulationConfig { warmup: span, measured: span, ..SimulationConfig::new(config) };
        Ok(JobsRun {
            policy: side.policy.clone(),
            experiment: None,
            traffic,
            config,
            order,
            means: model.means(),
            rates: rates.collect::<Result<_, _>>()?,
            points: Vec::new(),
        })
    }

    fn attack(&self, rate: Rate) -> Attack {
        optimal_attack(self.order, &self.traffic, 1, &self.means, rate)
    }
}

impl Lab for JobsRun {
    /// A step is the run without an attacker, then one rate of the attack.
    fn advance(&mut self, _effort: f64) -> Result<bool, LabError> {
        let named = |error| LabError::at(&self.policy, error);
        let Some(experiment) = &self.experiment else {
            let made = Experiment::new(self.traffic.clone(), self.config.clone());
            self.experiment = Some(made.map_err(named)?);
            return Ok(false);
        };
        if let Some(rate) = self.rates.get(self.points.len()) {
            self.points.push(experiment.under(&self.attack(*rate)).map_err(named)?);
        }
        Ok(self.points.len() == self.rates.len())
    }

    fn picture(&self) -> Picture {
        let alone = self.experiment.as_ref().map(|one| one.alone().goodput().as_bps() as f64);
        let least = self.points.iter().map(|point| point.attacked.as_bps() as f64);
        let most = self
            .points
            .iter()
            .map(|point| point.factor)
            .fold(None, |most, factor| Some(most.map_or(factor, |most: f64| most.max(factor))));
        let measures = vec![
            Measure::of("largest displacement factor", most, "", Some(true)),
            Measure::of(
                "least innocent goodput",
                least.fold(None, |least, bps| Some(least.map_or(bps, |l: f64| l.min(bps)))),
                "b/s",
                Some(false),
            ),
            Measure::of("innocent goodput without an attack", alone, "b/s", Some(false)),
        ];
        Picture {
            progress: format!("{} of {} attacks", self.points.len(), self.rates.len()),
            part: Some(self.points.len() as f64 / self.rates.len() as f64),
            measures,
            charts: self.charts(),
            tables: vec![self.table()],
        }
    }

    fn report(&mut self, _wall_s: f64) -> Result<String, LabError> {
        if self.points.len() < self.rates.len() {
            return Err(LabError::at("report", "the run is not over: let it go on"));
        }
        let point = |point: &Displacement| {
            json!({
                "attack_bps": point.rate.as_bps(),
                "alone_bps": point.alone.as_bps(),
                "attacked_bps": point.attacked.as_bps(),
                "displacement": point.factor,
                "margin": point.margin,
            })
        };
        let points: Vec<_> = self.points.iter().map(point).collect();
        Ok(json!({ "policy": self.policy, "attacks": points }).to_string())
    }
}

impl JobsRun {
    fn charts(&self) -> Vec<Chart> {
        let at: Vec<f64> = self.points.iter().map(|point| point.rate.as_bps() as f64).collect();
        let line = |name: &str, dashed, of: fn(&Displacement) -> Option<f64>| Line {
            name: name.to_owned(),
            dashed,
            values: self.points.iter().map(of).collect(),
        };
        let chart = |id, title, y, lines| Chart {
            id,
            title,
            x: ["attack", "b/s"],
            y,
            log: [true, false],
            at: at.clone(),
            lines,
        };
        vec![
            chart(
                "goodput",
                "Innocent goodput under attack",
                ["goodput", "b/s"],
                vec![
                    line("under attack", false, |point| Some(point.attacked.as_bps() as f64)),
                    line("without an attack", true, |point| Some(point.alone.as_bps() as f64)),
                ],
            ),
            Chart {
                log: [true, true],
                ..chart(
                    "displacement",
                    "Displaced bits per bit of the attack",
                    ["displacement factor", ""],
                    // An attack that displaces nothing has no place on a logarithmic axis.
                    vec![line("displacement factor", false, |point| {
                        Some(point.factor).filter(|factor| *factor > 0.0)
                    })],
                )
            },
        ]
    }

    fn table(&self) -> Table {
        let row = |point: &Displacement| {
            vec![
                number(point.rate.as_bps() as f64 / 1e6),
                number(point.attacked.as_bps() as f64 / 1e6),
                number(point.factor),
                number(point.margin),
            ]
        };
        Table {
            title: "Attacks",
            heads: vec![
                "attack (Mb/s)",
                "innocent goodput (Mb/s)",
                "displacement factor",
                "margin",
            ],
            rows: self.points.iter().map(row).collect(),
        }
    }
}
