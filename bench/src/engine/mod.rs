//! Races the engine: the single-point simulation of Themis §6.3.1 (32 inputs of 50 Gb/s, WebSearch,
//! shortest flow first, one 100 Gb/s output, HBM behind 5 MB of SRAM), in nanoseconds per packet
//! that arrives, everything included: source, ranks, policy, buffer, both memories, link.
//!
//! The ranked queues are exchanged: ours over buckets, ours exact, and what one writes by hand with
//! the standard library. Beside them ns-3, on the one thing that both can do: datagrams of 32
//! senders into one port.

mod drive;
mod ns3;
mod two_maps;

use std::time::Instant;

use forebay_parameters::ParameterError;
use forebay_pifo::{TieredBuckets, TieredExact, TieredQueue};
use forebay_units::{Duration, Rate};
use forebay_workload::{PoissonFlows, PoissonFlowsConfig, SizeDistribution};

use crate::race::{Options, Report, Subject};
use drive::{DESCRIPTORS, Outcome, RANKS, Simulation, switch};
use two_maps::TwoMaps;

const POLICIES: [&str; 4] = ["greedy-hybrid", "dt-hybrid", "occamy-hybrid", "themis"];

const LOADS: [f64; 3] = [0.2, 0.5, 0.9];

/// Simulated before the clock is read: the SRAM fills.
const WARM_UP: Duration = Duration::from_ms(1);

/// Simulated while it runs.
const SPAN: Duration = Duration::from_ms(4);

/// Runs every case.
pub(crate) fn run(options: &Options) -> Report {
    let mut report = Report::default();
    for load in LOADS {
        let Some(source) = websearch(load, 1) else { continue };
        for policy in POLICIES {
            let case = format!("{policy}, load {load}");
            if options.wants(&case) {
                policy_at(&mut report, options, (&case, policy), &source);
            }
        }
    }
    ns3::race(&mut report, options);
    report
}

fn policy_at(
    report: &mut Report,
    options: &Options,
    (case, policy): (&str, &str),
    source: &PoissonFlows,
) {
    let subjects = vec![
        Subject::ours("TieredBuckets", move || ns_per_packet(policy, buckets, source)),
        Subject::ours("TieredExact", move || ns_per_packet(policy, exact, source)),
        Subject::peer("two BTreeMaps", move || ns_per_packet(policy, two_maps, source)),
    ];
    let end = simulate(policy, buckets, source, WARM_UP + SPAN).unwrap_or_default();
    report.race((case, end.arrived, "ns per packet"), options, subjects);
    let events = end.events as f64 / end.arrived as f64;
    let subjects = vec![Subject::ours("any ranked queue", move || events)];
    let case = format!("{case}, events");
    report.race((&case, end.arrived, "events per packet"), options, subjects);
}

/// Packets of [`WARM_UP`] and [`SPAN`] at `load`; the inputs have been in use for 100 ms.
fn websearch(load: f64, seed: u64) -> Option<PoissonFlows> {
    let sizes = SizeDistribution::builtin("websearch").ok()?;
    let config = PoissonFlowsConfig {
        lead: Duration::from_ms(100),
        ..PoissonFlowsConfig::new(32, Rate::from_gbps(50), load, sizes, seed)
    };
    PoissonFlows::new(config).ok()
}

fn buckets() -> Result<TieredBuckets, ParameterError> {
    TieredBuckets::with_capacity(RANKS, DESCRIPTORS)
        .map_err(|error| ParameterError::value("ranks", error))
}

fn exact() -> Result<TieredExact, ParameterError> {
    Ok(TieredExact::with_capacity(DESCRIPTORS))
}

fn two_maps() -> Result<TwoMaps, ParameterError> {
    Ok(TwoMaps::default())
}

/// NaN if the switch cannot be built.
fn ns_per_packet<Q: TieredQueue>(
    policy: &str,
    queue: fn() -> Result<Q, ParameterError>,
    source: &PoissonFlows,
) -> f64 {
    let Ok(mut switch) = switch(policy, "sff", |_| queue()) else { return f64::NAN };
    let mut simulation = Simulation::new(&mut switch, source.clone());
    simulation.run(WARM_UP);
    let before = simulation.outcome().arrived;
    let start = Instant::now();
    simulation.run(SPAN);
    let elapsed = start.elapsed().as_secs_f64();
    elapsed * 1e9 / (simulation.outcome().arrived - before) as f64
}

fn simulate<Q: TieredQueue>(
    policy: &str,
    queue: fn() -> Result<Q, ParameterError>,
    source: &PoissonFlows,
    span: Duration,
) -> Option<Outcome> {
    let mut switch = switch(policy, "sff", |_| queue()).ok()?;
    let mut simulation = Simulation::new(&mut switch, source.clone());
    simulation.run(span);
    Some(simulation.outcome())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The race compares the same work only if every ranked queue serves the same packets.
    #[test]
    fn every_ranked_queue_gives_the_same_simulation() {
        let source = websearch(0.9, 3).unwrap();
        let span = Duration::from_us(400);
        for policy in POLICIES {
            let ours = simulate(policy, buckets, &source, span).unwrap();
            assert_eq!(ours, simulate(policy, exact, &source, span).unwrap(), "{policy}");
            assert_eq!(ours, simulate(policy, two_maps, &source, span).unwrap(), "{policy}");
            assert!(ours.departed.1 > 1000, "{policy}: {ours:?}");
        }
    }
}
