//! One run: the network is built, fed and driven until what is measured has finished.

use forebay_lab::{Point, RunContext, RunError, RunOutput, Timeline};
use forebay_net::network::{Network, StopRule};
use forebay_net::workload::Workload;
use forebay_switch::{AnySwitch, DropStates, FlowId, SwitchModel, SwitchShape};
use forebay_units::{Bytes, Time};

use super::carried::{Carried, delivered};
use super::outcome::NetworkOutcome;
use super::pausing::Pausing;
use super::setup::NetworkSetup;
use super::shares::{Fairness, Watch};

/// Looks at the stop flag over the window, and again over what follows.
const STEPS: u64 = 200;

/// Runs a point; `around` may put a layer around each switch. A run that cannot go on, because a
/// flow makes no progress, ends there, says so in the metric `stuck` and keeps what was measured.
///
/// # Errors
/// If told to stop, or if the network or its traffic cannot be made.
pub fn run(
    setup: &NetworkSetup,
    point: &Point<'_>,
    around: impl FnMut(&SwitchShape<'_>, AnySwitch) -> AnySwitch,
    context: &mut RunContext<'_>,
) -> Result<RunOutput, RunError> {
    let Fed { network, background, queries, first } = Fed::new(setup, point.seed, around)?;
    let mut run = Run { setup, network, stuck: false, context };
    let watched = setup.traffic.shared();
    let (timelines, fairness) = if watched.is_empty() {
        (run.window()?, Fairness::default())
    } else {
        Watch::new(background.flows(), watched).run(&mut run)?
    };
    let carried = Carried::new(&run.network, &setup.graph, setup.rule.window.end);
    if watched.is_empty() {
        run.tail()?;
    }
    let Run { network, stuck, .. } = run;
    let totals = network.totals();
    let mut states = DropStates::default();
    network.switches().filter_map(|switch| switch.drop_states()).for_each(|of| states.add(of));
    let records = network.records().collect();
    let outcome = NetworkOutcome {
        packets: [totals.dropped.packets, totals.made.packets],
        losses: network.losses(),
        stuck,
        fairness,
        hops: totals.packet_hops,
        states,
        trimming: network.trimming(),
        pausing: Pausing::new(&network, setup.switch.lossless_classes()),
        ..NetworkOutcome::of(setup, &background, queries.as_ref(), first, records, carried)
    };
    Ok(RunOutput { values: outcome.values(setup), timelines })
}

/// A network that has been given its traffic, and has not begun.
pub(crate) struct Fed {
    pub(crate) network: Network<AnySwitch>,
    pub(crate) background: Workload,
    pub(crate) queries: Option<Workload>,
    /// The network's number of the queries' first flow.
    pub(crate) first: FlowId,
}

impl Fed {
    /// The network and the traffic of a seed.
    ///
    /// # Errors
    /// It cannot be made.
    pub(crate) fn new(
        setup: &NetworkSetup,
        seed: u64,
        around: impl FnMut(&SwitchShape<'_>, AnySwitch) -> AnySwitch,
    ) -> Result<Self, RunError> {
        let failed = |error: &dyn std::error::Error| RunError::Failed(error.to_string());
        let config = setup.config(seed);
        let mut network = Network::around(&setup.switch, &setup.graph, config, around)
            .map_err(|error| failed(&error))?;
        let traffic = &setup.traffic;
        let background = traffic.background(&setup.graph, seed).map_err(|error| failed(&error))?;
        network.add_workload(&background).map_err(|error| failed(&error))?;
        let queries = traffic.queries(&setup.graph, seed).map_err(|error| failed(&error))?;
        let mut first = 0;
        if let Some(queries) = &queries {
            first = network.add_workload(queries).map_err(|error| failed(&error))?;
        }
        Ok(Fed { network, background, queries, first })
    }
}

/// A network that is being run.
pub(super) struct Run<'a, 'c> {
    /// What was asked for.
    pub(super) setup: &'a NetworkSetup,
    /// The network, with its flows.
    pub(super) network: Network<AnySwitch>,
    /// Whether it can go no further.
    stuck: bool,
    context: &'a mut RunContext<'c>,
}

impl Run<'_, '_> {
    /// Runs on to an instant, unless it is stuck; `share` of the run is then done.
    ///
    /// # Errors
    /// If told to stop.
    pub(super) fn until(&mut self, until: Time, share: f64) -> Result<(), RunError> {
        if self.context.stopped() {
            return Err(RunError::Stopped);
        }
        if !self.stuck {
            self.stuck = self.network.run_until(until).is_err();
        }
        self.context.progress(share);
        Ok(())
    }

    /// Runs to the end of the window, and samples on the way.
    fn window(&mut self) -> Result<Vec<Timeline>, RunError> {
        let (end, samples) = (self.setup.rule.window.end, self.setup.samples);
        let steps = if samples == 0 { STEPS } else { samples };
        let mut backlog = Vec::new();
        let mut goodput = Vec::new();
        let mut before = Bytes::ZERO;
        for step in 1..=steps {
            let until = u128::from(end.as_ps()) * u128::from(step) / u128::from(steps);
            let until = Time::from_ps(until as u64);
            self.until(until, 0.9 * step as f64 / steps as f64)?;
            if samples > 0 {
                let us = until.as_ps() as f64 / 1e6;
                let waiting: u64 = self.network.switches().map(|s| s.backlog().get()).sum();
                let now = delivered(&self.network);
                let seconds = end.as_ps() as f64 / 1e12 / steps as f64;
                backlog.push((us, waiting as f64 / 1e6));
                goodput.push((us, (now - before).get() as f64 * 8e-9 / seconds));
                before = now;
            }
        }
        Ok(match samples {
            0 => Vec::new(),
            _ => vec![
                Timeline { name: "backlog", unit: "MB", points: backlog },
                Timeline { name: "goodput", unit: "Gb/s", points: goodput },
            ],
        })
    }

    /// Runs on until the measured flows have finished.
    fn tail(&mut self) -> Result<(), RunError> {
        let StopRule { window, give_up } = &self.setup.rule;
        for step in 1..=STEPS {
            if self.stuck {
                break;
            }
            if self.context.stopped() {
                return Err(RunError::Stopped);
            }
            let share = u128::from(give_up.since(window.end).as_ps()) * u128::from(step * step);
            let until = (share / u128::from(STEPS * STEPS)) as u64;
            let until = Time::from_ps(window.end.as_ps() + until);
            let rule = StopRule { window: window.clone(), give_up: until };
            match self.network.run_measured(&rule) {
                Ok(0) => return Ok(()),
                open => self.stuck = open.is_err(),
            }
            // Most runs end within the first steps: each takes half of what is left of the bar.
            self.context.progress(1.0 - 0.1 / f64::from(1_u32 << step.min(30)));
        }
        Ok(())
    }
}
