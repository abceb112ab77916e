//! Several servers, an open question of thesis §3.7: the worst displacement factor of the paper's optimal
//! attacks, by the number of servers that share one buffer, at the same load.
//!
//! ```sh
//! cargo run --release -p forebay-surge --example servers
//! ```
use std::error::Error;

use forebay_surge::model::{
    Arrivals, Displacement, Experiment, Reassembly, SimulationConfig, Traffic, optimal_attack,
};
use forebay_surge::{PolicyConfig, Ranks, SchedulerConfig};
use forebay_units::{Duration, Rate};

/// What each server gets of innocent traffic, in Gb/s.
const PER_SERVER: u64 = 10;

fn main() -> Result<(), Box<dyn Error>> {
    let reassembly = Reassembly::default();
    let joint = reassembly.innocent()?.with_true_estimates();
    println!(
        "{:<18}{:>9}{:>9}{:>12}{:>14}{:>9}",
        "policy", "servers", "load", "factor", "at r_A", "margin"
    );
    for policy in ["fcfs", "sjf", "wsjf", "wsjf-preemptive"] {
        for servers in [1, 2, 4, 8] {
            let rate = Rate::from_gbps(PER_SERVER * u64::from(servers));
            let (joint, arrivals) = (joint.clone(), Arrivals::Constant);
            let traffic = Traffic { joint, rate, arrivals, flows: 100, seed: 1 };
            let ranks = PolicyConfig { ranks: Ranks::Exact, ..PolicyConfig::default() };
            let scheduler = SchedulerConfig { policy: ranks, ..SchedulerConfig::default() };
            let (warmup, measured) = (Duration::from_ms(5), Duration::from_ms(25));
            let config = SimulationConfig { scheduler, servers, warmup, measured, policy };
            let experiment = Experiment::new(traffic, config)?;
            let mut worst: Option<Displacement> = None;
            for mbps in [10, 20, 50, 100, 200, 500, 700, 1_000, 2_000, 5_000] {
                let rate = Rate::from_bps(mbps * 1_000_000 * u64::from(servers));
                let attack = optimal_attack(
                    policy,
                    experiment.traffic(),
                    servers,
                    &reassembly.means(),
                    rate,
                );
                let found = experiment.under(&attack)?;
                if worst.is_none_or(|other| found.certain() > other.certain()) {
                    worst = Some(found);
                }
            }
            let found = worst.ok_or("no rates")?;
            let (load, rate) = (experiment.load(), found.rate.to_string());
            print!("{policy:<18}{servers:>9}{load:>9.3}");
            println!("{:>12.3}{rate:>14}{:>9.3}", found.factor, found.margin);
        }
    }
    Ok(())
}
