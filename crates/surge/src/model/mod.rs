//! The model in which schedulers are attacked: traffic, simulation, displacement, optimal attacks,
//! and a search for better ones.
//!
//! Source: thesis §3.3 (system, threat model, displacement factor), §3.4 (optimal attacks), §3.6.2
//! (a simulator of G/G/1/k queues).

mod attack;
mod displacement;
mod fluid;
pub mod heaps;
mod joint;
mod latency;
mod optimal;
mod reassembly;
mod recorded;
pub mod search;
mod simulation;
mod traffic;

pub use attack::{Attack, AttackFlows, AttackTraffic, Shot};
pub use displacement::{Displacement, Experiment};
pub use fluid::Fluid;
pub use joint::{Atom, Joint, quantiles};
pub use latency::{Latencies, Latency};
pub use optimal::{Means, optimal_attack, optimal_shot, worst_shot_of};
pub use reassembly::Reassembly;
pub use recorded::{HEADER, Lists, MAX_ROWS, Recorded, RecordedError, RecordedJob};
pub use simulation::{
    AsOffered, ClassBytes, JobSizes, SimulationConfig, SurgeOutcome, simulate, simulate_sized,
};
pub use traffic::{Arrivals, Class, InnocentTraffic, Offer, Traffic};
