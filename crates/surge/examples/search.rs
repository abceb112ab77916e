//! An adversary who searches, against WSJF, plain and preemptive, on the simulated TCP reassembly, with a
//! deep buffer and with a shallow one: the worst he found, beside the bound of Theorem 3. Margins are taken off.
//!
//! ```sh
//! cargo run --release -p forebay-surge --example search
//! ```
use std::error::Error;

use forebay_surge::model::search::{SearchConfig, search};
use forebay_surge::model::{Arrivals, Experiment, Reassembly, SimulationConfig, Traffic};
use forebay_surge::{PolicyConfig, Ranks, SchedulerConfig};
use forebay_units::{Duration, Rate};

fn main() -> Result<(), Box<dyn Error>> {
    let reassembly = Reassembly::default();
    let joint = reassembly.innocent()?.with_true_estimates();
    let (rate, arrivals) = (Rate::from_gbps(10), Arrivals::Constant);
    let traffic = Traffic { joint, rate, arrivals, flows: 100, seed: 1 };
    println!(
        "{:<18}{:>7}{:>8}{:>11}{:>11}{:>9}  attack found",
        "policy", "k", "bound", "paper's", "searched", "tried"
    );
    for policy in ["wsjf", "wsjf-preemptive"] {
        for capacity in [32, 1024] {
            let ranks = PolicyConfig { ranks: Ranks::Exact, ..PolicyConfig::default() };
            let scheduler =
                SchedulerConfig { capacity, policy: ranks, ..SchedulerConfig::default() };
            let (warmup, measured) = (Duration::from_ms(5), Duration::from_ms(20));
            let simulation =
                SimulationConfig { scheduler, warmup, measured, ..SimulationConfig::new(policy) };
            let experiment = Experiment::new(traffic.clone(), simulation)?;
            let found = search(&experiment, &SearchConfig::new(reassembly.means()))?;
            let (bound, displacement) = (experiment.load(), found.displacement);
            print!("{policy:<18}{capacity:>7}{bound:>8.3}{:>11.3}", found.best_of_paper);
            print!("{:>11.3}{:>9}", displacement.certain(), found.tried);
            let attack = found.attack;
            print!("  {}, bursts of {}, {:?} flows:", attack.rate, attack.burst, attack.flows);
            for (shot, share) in attack.shots.iter().filter(|(_, share)| *share > 0.0) {
                print!(" {share:.2} of {} / {}", shot.work, shot.size);
            }
            println!();
        }
    }
    Ok(())
}
