//! ns-3 beside the engine: 32 senders of 5 Gb/s for 10 ms into one 100 Gb/s port with 5 MB of
//! drop-tail queue, 1500-byte datagrams, about 133,000 of them.
//!
//! What the engine does for the same packets is Greedy-Hybrid in arrival order: it has the HBM
//! behind the port and never has to drop here, ns-3 has the protocol stacks of 34 hosts. ns-3
//! counts only its event loop, not the building of the network.

use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use forebay_units::{Duration, Rate};
use forebay_workload::{MixConfig, MixRatio, PriorityMix};
use serde::Deserialize;

use super::drive::{Simulation, switch};
use super::{buckets, exact};
use crate::race::{Options, Report, Subject};

const CASE: &str = "32 UDP senders into one port";

const SPAN_MS: u64 = 10;

/// What the peer's program prints.
#[derive(Deserialize)]
struct Told {
    packets: u64,
    wall_s: f64,
}

/// Races ns-3 if a Python that has it is found (`FOREBAY_NS3_PYTHON`, else `python3`).
pub(super) fn race(report: &mut Report, options: &Options) {
    if !options.wants(CASE) {
        return;
    }
    let mut subjects = vec![
        Subject::ours("greedy-hybrid, TieredBuckets", || ns_per_packet(buckets)),
        Subject::ours("greedy-hybrid, TieredExact", || ns_per_packet(exact)),
    ];
    let python = std::env::var("FOREBAY_NS3_PYTHON").unwrap_or_else(|_| "python3".to_string());
    if has_ns3(&python) {
        subjects.push(Subject::peer("ns-3", move || ns3_ns_per_packet(&python)));
    } else {
        eprintln!(
            "ns-3: not installed ({python} cannot import `ns`); `pip install ns3` and set \
             FOREBAY_NS3_PYTHON to that Python to race it"
        );
    }
    report.race((CASE, 32 * SPAN_MS * 1_000_000 / 2400, "ns per packet"), options, subjects);
}

fn ns_per_packet<Q: forebay_pifo::TieredQueue>(
    queue: fn() -> Result<Q, forebay_parameters::ParameterError>,
) -> f64 {
    let simulation = MixRatio::new(1, 1)
        .and_then(|ratio| PriorityMix::new(MixConfig::new(32, Rate::from_gbps(5), 1.0, ratio)));
    let Ok(source) = simulation else { return f64::NAN };
    let Ok(mut switch) = switch("greedy-hybrid", "fifo", |_| queue()) else { return f64::NAN };
    let mut simulation = Simulation::new(&mut switch, source);
    let start = Instant::now();
    simulation.run(Duration::from_ms(SPAN_MS));
    start.elapsed().as_secs_f64() * 1e9 / simulation.outcome().arrived as f64
}

fn has_ns3(python: &str) -> bool {
    let probe = "import importlib.util, sys; sys.exit(importlib.util.find_spec('ns') is None)";
    Command::new(python).args(["-c", probe]).status().is_ok_and(|status| status.success())
}

/// NaN if the program fails; it says why on standard error.
fn ns3_ns_per_packet(python: &str) -> f64 {
    let program = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("peers/ns3_udp.py");
    let output = Command::new(python).arg(program).arg(SPAN_MS.to_string()).output();
    let told = output.ok().and_then(|output| {
        if !output.status.success() {
            eprintln!("ns-3: {}", String::from_utf8_lossy(&output.stderr));
        }
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        serde_json::from_str::<Told>(text.lines().last()?).ok()
    });
    told.map_or(f64::NAN, |told| told.wall_s * 1e9 / told.packets as f64)
}
