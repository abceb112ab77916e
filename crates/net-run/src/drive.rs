//! Runs the network until every flow has finished; can be stopped, and reports progress.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration as Wall, Instant};

use forebay_net::flow::FlowList;
use forebay_net::network::{Network, NetworkRunError, check_packets};
use forebay_switch::{AnySwitch, DropTailSwitch, Observed, SwitchConfig, SwitchModel, SwitchShape};
use forebay_trace::{TraceOutput, Tracing};
use forebay_units::{Duration, Time};

use crate::error::NetRunError;
use crate::plan::NetRunPlan;
use crate::records::Records;
use crate::report::NetRunReport;

/// How many events pass before the stop flag is checked.
const SHORTEST: Wall = Wall::from_millis(20);
const LONGEST: Wall = Wall::from_millis(100);
/// The most simulated time between two checks.
const LARGEST_STEP: Duration = Duration::from_ms(1000);

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Every flow has finished.
    Finished,
    /// Nothing is left to happen, although flows have not finished.
    Unfinished,
    /// The simulated time given for the run was over.
    GaveUp,
    /// It was stopped.
    Stopped,
    /// A flow made no progress.
    Stuck(NetworkRunError),
}

/// The progress of a run.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// How far the network's clock has come.
    pub now: Time,
    /// Flows that have finished.
    pub finished: usize,
    /// Packets transmitted, each counted at every device.
    pub packet_hops: u64,
}

/// The outcome of a run.
#[derive(Debug)]
pub struct NetRunOutcome {
    /// The run in numbers: totals, sizes, losses and links.
    pub report: NetRunReport,
    /// What became of each flow.
    pub records: Records,
    /// How the run ended.
    pub end: End,
    /// Why flows have not finished, and the fix; none if they have, or if the time was too short.
    pub problem: Option<String>,
    /// Why the trace is incomplete, if it is; the run went on without it.
    pub unwritten: Option<NetRunError>,
}

/// Runs the plan until nothing is left to happen, its time is over, or `stop` is raised, which is
/// checked several times a second. `progress` is called as often, first when the network has been
/// built.
///
/// # Errors
/// The network or the trace's file cannot be created. A run that gets stuck is not an error here,
/// nor is a trace that cannot be written to its end: what was measured is in the [`NetRunOutcome`].
pub fn run(
    mut plan: NetRunPlan,
    progress: &mut dyn FnMut(Moment),
    stop: &AtomicBool,
) -> Result<NetRunOutcome, NetRunError> {
    check_packets(&plan.config.switch, &plan.network).map_err(|error| plan.failure(&error))?;
    let flows = std::mem::take(&mut plan.flows);
    let plan = &plan;
    if let Some(output) = &plan.config.trace {
        return traced(plan, flows, output, progress, stop);
    }
    match &plan.config.switch {
        // By its concrete type, not behind a pointer: many runs use it.
        SwitchConfig::DropTail(switch) => {
            let made = Network::new(&plan.graph, plan.network.clone(), |shape| {
                DropTailSwitch::new(shape, switch)
            });
            simulate(plan, flows, made.map_err(|error| plan.failure(&error))?, progress, stop)
        }
        switch @ (SwitchConfig::OnChip(_)
        | SwitchConfig::Hybrid(_)
        | SwitchConfig::Scheduled(_)) => {
            let made = Network::of(switch, &plan.graph, plan.network.clone());
            simulate(plan, flows, made.map_err(|error| plan.failure(&error))?, progress, stop)
        }
    }
}

/// The same with every switch watched, by one trace.
fn traced(
    plan: &NetRunPlan,
    flows: FlowList,
    output: &TraceOutput,
    progress: &mut dyn FnMut(Moment),
    stop: &AtomicBool,
) -> Result<NetRunOutcome, NetRunError> {
    let unwritten = |error: std::io::Error| NetRunError::unwritten(&output.path, &error);
    let trace = Tracing::create(&output.path, output.bounds).map_err(unwritten)?;
    let watched = |shape: &SwitchShape<'_>, switch: AnySwitch| {
        Observed::new(switch, trace.tracer(&plan.config.switch_name, shape))
    };
    let made = Network::around(&plan.config.switch, &plan.graph, plan.network.clone(), watched);
    let made = made.map_err(|error| plan.failure(&error))?;
    let done = simulate(plan, flows, made, progress, stop)?;
    Ok(NetRunOutcome { unwritten: trace.finish().map_err(unwritten).err(), ..done })
}

fn simulate<S: SwitchModel + Send + 'static>(
    plan: &NetRunPlan,
    flows: FlowList,
    mut network: Network<S>,
    progress: &mut dyn FnMut(Moment),
    stop: &AtomicBool,
) -> Result<NetRunOutcome, NetRunError> {
    network.add_list(flows).map_err(|error| plan.failure(&error))?;
    plan.failures.iter().try_for_each(|failure| failure.plan(&mut network))?;
    let start = Instant::now();
    let end = drive(&mut network, plan.give_up, progress, stop);
    let report = NetRunReport::new(plan, &network, end, start.elapsed());
    let problem = match end {
        End::Finished | End::GaveUp | End::Stopped => None,
        End::Unfinished => Some(
            "no events are left, but some flows have not finished: check that they can begin and \
             that paths stay up"
                .to_owned(),
        ),
        End::Stuck(error) => Some(plan.stuck(&error, &network)),
    };
    Ok(NetRunOutcome { report, records: Records::of(network), end, problem, unwritten: None })
}

/// Runs until nothing is left to happen, or until it has to end.
fn drive<S: SwitchModel + Send>(
    network: &mut Network<S>,
    give_up: Time,
    progress: &mut dyn FnMut(Moment),
    stop: &AtomicBool,
) -> End {
    let mut step = Duration::from_us(10);
    progress(moment(network));
    while let Some(next) = network.next_event() {
        if next > give_up {
            return End::GaveUp;
        }
        if stop.load(Ordering::Relaxed) {
            return End::Stopped;
        }
        let begin = Instant::now();
        if let Err(error) = network.run_parallel_until((next + step).min(give_up)) {
            return End::Stuck(error);
        }
        step = match begin.elapsed() {
            wall if wall < SHORTEST => (step * 2).min(LARGEST_STEP),
            wall if wall > LONGEST => (step / 2).max(Duration::from_ns(1)),
            _ => step,
        };
        progress(moment(network));
    }
    if network.finished() == network.flow_count() as usize {
        End::Finished
    } else {
        End::Unfinished
    }
}

fn moment<S: SwitchModel>(network: &Network<S>) -> Moment {
    Moment {
        now: network.now(),
        finished: network.finished(),
        packet_hops: network.totals().packet_hops,
    }
}
