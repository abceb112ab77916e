//! `forebay surge df` and `forebay surge attack`: the model of thesis §3.3 and §3.6.2.

use std::sync::atomic::AtomicBool;

use clap::Args;
use forebay_lab::results::number::{self, plural};
use forebay_lab::{RunContext, RunError};
use forebay_parameters::ParameterError;
use forebay_scenarios::SimulationError;
use forebay_scenarios::surge::config::{Config, Model};
use forebay_scenarios::surge::run;
use forebay_scenarios::surge::setup::SurgeSetup;
use forebay_surge::SurgeError;
use forebay_surge::model::search::{Found, SearchConfig, search};
use forebay_surge::model::{AttackFlows, Experiment, Shot};
use forebay_units::{Bytes, Duration, Rate};
use serde_json::json;

use super::buffer::{Jobs, failed};
use crate::arguments::{megabits, number, whole};
use crate::net::wrong;
use crate::settings::Decided;
use crate::terminal::{self, columns};
use crate::{Failure, experiment, key_value, settings};

/// The x-axis of Fig. 3.17, in Mb/s.
const ATTACK_MBPS: [u64; 13] =
    [10, 20, 30, 50, 100, 200, 300, 500, 700, 1_000, 2_000, 5_000, 10_000];

#[derive(Args)]
struct ModelArguments {
    /// Any parameter of the scenario surge, as traffic.rate="5 Gb/s" or traffic.file=RECORDING.csv.
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_value)]
    set: Vec<(String, String)>,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1, value_parser = whole(1_u64..=i64::MAX as u64))]
    seed: u64,
    /// Print JSON instead of text.
    #[arg(long)]
    json: bool,
}

impl ModelArguments {
    /// The configurations of policies, as these arguments set them.
    fn configs<'a>(
        &self,
        (option, policies): (&str, impl IntoIterator<Item = &'a String>),
        jobs: &Jobs,
        decided: &[Decided<'_>],
    ) -> Result<Vec<Config>, Failure> {
        // Whoever names a recording wants it replayed.
        let names_file = |(name, _): &(String, String)| matches!(&**name, "traffic.file" | "file");
        let replays = self.set.iter().any(names_file);
        let mut configs = Vec::new();
        for policy in policies {
            let mut config = Config::new(policy, jobs).map_err(|error| wrong(option, error))?;
            if replays {
                config.traffic.model = Model::Recorded;
            }
            configs.push(config);
        }
        settings::set(&mut configs, &self.set, decided).map_err(|error| self.refused(&error))?;
        Ok(configs)
    }

    /// The failure of a parameter, blamed on the `--set` that gave it.
    fn refused(&self, error: &ParameterError) -> Failure {
        settings::misset("set", error, &self.set)
    }
}

#[derive(Args)]
pub(crate) struct DfArguments {
    /// The policies, separated by commas; `forebay list` shows all.
    #[arg(
        long,
        value_name = "NAMES",
        default_value = "fcfs,fq,fq-tail,sjf,wsjf,wsjf-inorder",
        value_delimiter = ','
    )]
    policies: Vec<String>,
    /// Attack rates, separated by commas: 2G, or a number of Mb/s [default: 10 Mb/s to 10 Gb/s].
    #[arg(long, value_name = "RATE", value_delimiter = ',',
          value_parser = megabits)]
    rates: Vec<u64>,
    #[command(flatten)]
    model: ModelArguments,
}

/// The worst result of a policy over all rates.
struct Worst {
    policy: String,
    mbps: u64,
    factor: f64,
    bound: f64,
    alone: f64,
    goodput: f64,
    p99: f64,
}

/// What `df` says itself of an attack.
const VARIED: &[Decided<'_>] = &[
    ("attack.rate", "what --rates vary"),
    ("attack.share", "instead of the rate that --rates vary"),
];

/// What `attack` says itself of the attacks that it tries.
const SEARCHED: &[Decided<'_>] = &[
    ("attack.rate", "what the search varies"),
    ("attack.share", "instead of the rate that the search varies"),
    ("attack.segments", "what the search varies, as the flows of an attack"),
    ("attack.lists", "for attacks that are replayed, and not searched for"),
    ("attack.burst", "what the search varies"),
    ("attack.kind", "what the search varies"),
    ("attack.size", "what the search varies"),
    ("attack.work", "what the search varies"),
    ("traffic.order", "for replays: the search draws packets"),
];

pub(super) fn df(arguments: &DfArguments, jobs: &Jobs) -> Result<(), Failure> {
    let stop = experiment::stop_flag_saying("nothing is kept");
    let rates: &[u64] = if arguments.rates.is_empty() { &ATTACK_MBPS } else { &arguments.rates };
    // Impossible settings are found before the first policy takes its time.
    let mut configs = arguments.model.configs(("policies", &arguments.policies), jobs, VARIED)?;
    let mut rows = Vec::new();
    for (policy, config) in arguments.policies.iter().zip(&mut configs) {
        let mut worst: Option<Worst> = None;
        for mbps in rates {
            config.attack.rate = Rate::from_bps(mbps * 1_000_000);
            let found = one(config, policy, *mbps, &arguments.model, &stop)?;
            if worst.as_ref().is_none_or(|other| found.factor > other.factor) {
                worst = Some(found);
            }
        }
        rows.extend(worst);
    }
    let text = if arguments.model.json { worst_json(&rows) } else { worst_table(&rows) };
    terminal::print(&text)
}

fn one(
    config: &Config,
    policy: &str,
    mbps: u64,
    model: &ModelArguments,
    stop: &AtomicBool,
) -> Result<Worst, Failure> {
    let values = run(config, model.seed, &mut RunContext::stopping(stop));
    let values = values.map_err(|error| match error {
        SimulationError::Run(RunError::Stopped) => Failure::new("stopped".to_owned(), 130),
        SimulationError::Run(error) => failed(&error),
        SimulationError::Parameter(error) => model.refused(&error),
    })?;
    let value = |name: &str| {
        values.iter().find(|(known, _)| *known == name).map_or(f64::NAN, |(_, value)| *value)
    };
    if value("goodput_alone") == 0.0 {
        return Err(nothing_processed());
    }
    Ok(Worst {
        policy: policy.to_owned(),
        mbps,
        factor: value("displacement_factor"),
        bound: value("bound"),
        alone: value("goodput_alone"),
        goodput: value("goodput"),
        p99: value("latency_p99"),
    })
}

/// Nothing can be displaced where nothing is processed even without an attack.
fn nothing_processed() -> Failure {
    Failure::input(
        "error: nothing was processed in the span: give a longer one, as --set run.span='100 ms'",
    )
}

fn worst_table(rows: &[Worst]) -> String {
    let heads = ["policy", "factor", "bound", "at r_A", "goodput", "alone", "p99 latency"];
    let mut table = vec![heads.map(str::to_owned).to_vec()];
    for row in rows {
        let bound = match row.bound.is_nan() {
            true => "none".to_owned(),
            false => number::decimal(row.bound, 2),
        };
        table.push(vec![
            row.policy.clone(),
            number::decimal(row.factor, 3),
            bound,
            number::rate(Rate::from_bps(row.mbps * 1_000_000)),
            gbps(row.goodput),
            gbps(row.alone),
            microseconds(row.p99),
        ]);
    }
    columns(&table, 1)
        + "\nThe largest displacement factor over all attack rates, and what it left.\n"
}

/// A rate of so many Gb/s in the unit that suits it, or a dash of nothing.
fn gbps(gbps: f64) -> String {
    match gbps.is_finite() {
        true => number::rate(Rate::from_bps((gbps * 1e9).round() as u64)),
        false => "–".to_owned(),
    }
}

/// A span of so many microseconds in the unit that suits it, or a dash of nothing.
fn microseconds(us: f64) -> String {
    match us.is_finite() {
        true => number::time(Duration::from_ps((us * 1e6).round() as u64)),
        false => "–".to_owned(),
    }
}

fn worst_json(rows: &[Worst]) -> String {
    let rows: Vec<_> = rows
        .iter()
        .map(|row| {
            json!({
                "policy": row.policy, "factor": row.factor, "bound": row.bound, "attack_mbps": row.mbps,
                "goodput_gbps": row.goodput, "alone_gbps": row.alone, "p99_latency_us": row.p99,
            })
        })
        .collect();
    format!("{:#}\n", json!(rows))
}

#[derive(Args)]
pub(crate) struct AttackArguments {
    /// The policy that is attacked.
    #[arg(long, default_value = "wsjf")]
    policy: String,
    /// Number of attacks drawn at random to begin with.
    #[arg(long, default_value_t = 60, value_parser = whole(1_u32..=u32::MAX))]
    random: u32,
    /// Number of rounds that search near the best attacks so far.
    #[arg(long, default_value_t = 8, value_parser = whole(0..=u32::MAX))]
    rounds: u32,
    /// Number of attacks per round.
    #[arg(long, default_value_t = 24, value_parser = whole(0..=u32::MAX))]
    population: u32,
    /// The smallest estimate that an attack packet can have, over its true job size; below 1 it
    /// lets the attacker lie [default: the smallest of the innocent, 1 with
    /// scheduler.estimates=true].
    #[arg(long, value_name = "PART", value_parser = number)]
    least_estimate: Option<f64>,
    /// The largest such estimate [default: the largest of the innocent, 1 with
    /// scheduler.estimates=true].
    #[arg(long, value_name = "PART", value_parser = number)]
    most_estimate: Option<f64>,
    #[command(flatten)]
    model: ModelArguments,
}

pub(super) fn attack(arguments: &AttackArguments, jobs: &Jobs) -> Result<(), Failure> {
    let config =
        arguments.model.configs(("policy", [&arguments.policy]), jobs, SEARCHED)?.remove(0);
    let setup = SurgeSetup::new(&config, arguments.model.seed).map_err(|error| failed(&error))?;
    let AttackArguments { random, rounds, population, .. } = *arguments;
    let (seed, (least, most)) = (arguments.model.seed, setup.traffic.joint.estimates());
    let estimates =
        (arguments.least_estimate.unwrap_or(least), arguments.most_estimate.unwrap_or(most));
    let config = SearchConfig {
        random,
        rounds,
        population,
        seed,
        estimates,
        ..SearchConfig::new(setup.means)
    };
    config.check().map_err(|error| match &error {
        SurgeError::OutOfRange { name, value, range } => {
            wrong(&name.replace('_', "-"), format!("{value} is not a number in {range}"))
        }
        other => failed(other),
    })?;
    let experiment =
        Experiment::new(setup.traffic, setup.config).map_err(|error| failed(&error))?;
    if experiment.alone().innocent.completed == Bytes::ZERO {
        return Err(nothing_processed());
    }
    let found = search(&experiment, &config).map_err(|error| failed(&error))?;
    let text = if arguments.model.json {
        found_json(&found, experiment.load())
    } else {
        found_text(&found, &arguments.policy, experiment.load())
    };
    terminal::print(&text)
}

fn shots(found: &Found) -> Vec<String> {
    let shots = found.attack.shots.iter().filter(|(_, share)| *share > 0.0);
    let told = |shot: &Shot| match shot.estimate == shot.work {
        true => String::new(),
        false => format!(" told as {}", shot.estimate),
    };
    let one = |(shot, share): &(Shot, f64)| {
        format!("{share:.2} of {}{} in {}", shot.work, told(shot), shot.size)
    };
    shots.map(one).collect()
}

/// The flows of an attack in words.
fn flows(flows: AttackFlows) -> String {
    match flows {
        AttackFlows::Fresh => "a new flow for each packet".to_owned(),
        AttackFlows::Few(few) => plural(few, "flow", "flows"),
    }
}

fn found_text(found: &Found, policy: &str, load: f64) -> String {
    let attack = &found.attack;
    let (least, most) = (found.best_of_paper, found.displacement.certain());
    let history: Vec<String> = found.history.iter().map(|best| format!("{best:.3}")).collect();
    format!(
        "  {policy}, load {load:.3}, {} tried\n  \
         factor of the optimal attacks  {least:.3}\n  \
         worst factor found             {most:.3}\n  \
         by                             {} in bursts of {}, {}: {}\n  \
         best after each round          {}\n",
        plural(found.tried, "attack", "attacks"),
        attack.rate,
        attack.burst,
        flows(attack.flows),
        shots(found).join(", "),
        history.join(" "),
    )
}

fn found_json(found: &Found, load: f64) -> String {
    let attack = &found.attack;
    let value = json!({
        "load": load, "tried": found.tried, "optimal_factor": found.best_of_paper,
        "worst_factor": found.displacement.certain(), "attack_bps": attack.rate.as_bps(),
        "burst": attack.burst, "flows": flows(attack.flows), "packets": shots(found),
        "history": found.history,
    });
    format!("{value:#}\n")
}
