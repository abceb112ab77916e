//! One run: the network is built, fed and driven until what is measured has finished.

use std::sync::atomic::{AtomicBool, Ordering};

use forebay_net::measure::QueryRecord;
use forebay_net::network::{Network, StopRule};
use forebay_net::switch::{AnySwitch, DropStates, SwitchModel};
use forebay_units::{Bytes, Time};

use super::metrics::Outcome;
use super::setup::Setup;
use super::shares::{Fairness, Watch};
use crate::scenario::{Point, RunError, RunOutput, Timeline};

/// Looks at the stop flag over the window, and again over what follows.
const STEPS: u64 = 200;

/// Runs a point.
///
/// # Errors
/// If told to stop, or if a flow makes no progress.
pub fn run(
    setup: &Setup,
    point: &Point<'_>,
    progress: &mut dyn FnMut(f64),
    stop: &AtomicBool,
) -> Result<RunOutput, RunError> {
    let failed = |error: &dyn std::error::Error| RunError::Failed(error.to_string());
    let mut network = setup
        .switch
        .network(&setup.graph, setup.config(point.seed))
        .map_err(|error| failed(&error))?;
    let background =
        setup.traffic.background(&setup.graph, point.seed).map_err(|error| failed(&error))?;
    let flows = background.flows().len();
    network.add_workload(&background).map_err(|error| failed(&error))?;
    let queries =
        setup.traffic.queries(&setup.graph, point.seed).map_err(|error| failed(&error))?;
    let mut first = 0;
    if let Some(queries) = &queries {
        first = network.add_workload(queries).map_err(|error| failed(&error))?;
    }
    let watched = setup.traffic.shared();
    let (timelines, delivered, fairness) = if watched.is_empty() {
        let (timelines, delivered) = window(setup, &mut network, progress, stop)?;
        tail(setup, &mut network, progress, stop)?;
        (timelines, delivered, Fairness::default())
    } else {
        let watch = Watch::new(background.flows(), watched);
        let (timelines, fairness) = watch.run(setup, &mut network, progress, stop)?;
        (timelines, self::delivered(&network), fairness)
    };
    let mut background: Vec<_> = network.records().collect();
    // Queries are numbered from the first record of theirs on.
    let asked = queries.iter().flat_map(|workload| workload.queries());
    let queries = asked.map(|query| QueryRecord::new(query, first, &background)).collect();
    let responses = background.split_off(flows.min(background.len()));
    let totals = network.totals();
    let mut states = DropStates::default();
    network.switches().filter_map(|switch| switch.drop_states()).for_each(|of| states.add(of));
    let outcome = Outcome {
        background,
        responses,
        queries,
        packets: [totals.dropped.packets, totals.made.packets],
        delivered: delivered.get(),
        fairness,
        hops: totals.packet_hops,
        states,
    };
    Ok(RunOutput { values: outcome.values(setup), timelines })
}

/// Runs to the end of the window, and samples on the way.
fn window(
    setup: &Setup,
    network: &mut Network<AnySwitch>,
    progress: &mut dyn FnMut(f64),
    stop: &AtomicBool,
) -> Result<(Vec<Timeline>, Bytes), RunError> {
    let end = setup.rule.window.end;
    let steps = if setup.samples == 0 { STEPS } else { setup.samples };
    let mut backlog = Vec::new();
    let mut goodput = Vec::new();
    let mut before = Bytes::ZERO;
    for step in 1..=steps {
        let until =
            Time::from_ps((u128::from(end.as_ps()) * u128::from(step) / u128::from(steps)) as u64);
        if stop.load(Ordering::Relaxed) {
            return Err(RunError::Stopped);
        }
        network.run_until(until).map_err(|error| RunError::Failed(error.to_string()))?;
        progress(0.9 * step as f64 / steps as f64);
        if setup.samples > 0 {
            let us = until.as_ps() as f64 / 1e6;
            let waiting: u64 = network.switches().map(|s| s.backlog().get()).sum();
            let now = delivered(network);
            let seconds = end.as_ps() as f64 / 1e12 / steps as f64;
            backlog.push((us, waiting as f64 / 1e6));
            goodput.push((us, (now - before).get() as f64 * 8e-9 / seconds));
            before = now;
        }
    }
    let timelines = match setup.samples {
        0 => Vec::new(),
        _ => vec![
            Timeline { name: "backlog", unit: "MB", points: backlog },
            Timeline { name: "goodput", unit: "Gb/s", points: goodput },
        ],
    };
    Ok((timelines, delivered(network)))
}

fn delivered(network: &Network<AnySwitch>) -> Bytes {
    (0..network.flow_count()).map(|flow| network.delivered(flow)).sum()
}

/// Runs on until the measured flows have finished.
fn tail(
    setup: &Setup,
    network: &mut Network<AnySwitch>,
    progress: &mut dyn FnMut(f64),
    stop: &AtomicBool,
) -> Result<(), RunError> {
    let StopRule { window, give_up } = &setup.rule;
    for step in 1..=STEPS {
        if stop.load(Ordering::Relaxed) {
            return Err(RunError::Stopped);
        }
        let share = u128::from(give_up.since(window.end).as_ps()) * u128::from(step * step);
        let until = Time::from_ps(window.end.as_ps() + (share / u128::from(STEPS * STEPS)) as u64);
        let rule = StopRule { window: window.clone(), give_up: until };
        let open = network.run_measured(&rule);
        if open.map_err(|error| RunError::Failed(error.to_string()))? == 0 {
            return Ok(());
        }
        // Most runs end within the first steps: each takes half of what is left of the bar.
        progress(1.0 - 0.1 / f64::from(1_u32 << step.min(30)));
    }
    Ok(())
}
