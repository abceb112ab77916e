//! Drives a run by the wall clock until every flow has finished; can be stopped, and
//! reports progress.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration as Wall, Instant};

use forebay_net::network::Network;
use forebay_switch::{AnySwitch, DropTailSwitch, Observed, SwitchConfig, SwitchModel, SwitchShape};
use forebay_trace::{TraceOutput, Tracing};
use forebay_units::Duration;

use crate::error::NetRunError;
use crate::plan::NetRunPlan;
use crate::session::{End, Moment, NetRunOutcome, Steps};

/// How many events pass before the stop flag is checked.
const SHORTEST: Wall = Wall::from_millis(20);
const LONGEST: Wall = Wall::from_millis(100);
/// The most simulated time between two checks.
const LARGEST_STEP: Duration = Duration::from_ms(1000);

/// Runs the plan until nothing is left to happen, its time is over, or `stop` is raised, which is
/// checked several times a second. `progress` is called as often, first when the network has been
/// built.
///
/// # Errors
/// The network or the trace's file cannot be created. A run that gets stuck is not an error here,
/// nor is a trace that cannot be written to its end: what was measured is in the [`NetRunOutcome`].
pub fn run(
    plan: NetRunPlan,
    progress: &mut dyn FnMut(Moment),
    stop: &AtomicBool,
) -> Result<NetRunOutcome, NetRunError> {
    if let Some(output) = plan.config.trace.clone() {
        return traced(plan, &output, progress, stop);
    }
    match plan.config.switch.clone() {
        // By its concrete type, not behind a pointer: many runs use it.
        SwitchConfig::DropTail(switch) if !switch.trim => {
            let made = |plan: &NetRunPlan| {
                Network::new(&plan.graph, plan.network.clone(), |shape| {
                    DropTailSwitch::new(shape, &switch.limits)
                })
            };
            Ok(simulate(Steps::begin(plan, made)?, progress, stop))
        }
        SwitchConfig::DropTail(_)
        | SwitchConfig::OnChip(_)
        | SwitchConfig::Hybrid(_)
        | SwitchConfig::Scheduled(_) => {
            Ok(simulate(Steps::around(plan, |_, switch| switch)?, progress, stop))
        }
    }
}

/// The same with every switch watched, by one trace.
fn traced(
    plan: NetRunPlan,
    output: &TraceOutput,
    progress: &mut dyn FnMut(Moment),
    stop: &AtomicBool,
) -> Result<NetRunOutcome, NetRunError> {
    let unwritten = |error: std::io::Error| NetRunError::unwritten(&output.path, &error);
    plan.check_packets()?;
    let trace = Tracing::create(&output.path, output.bounds).map_err(unwritten)?;
    let name = plan.config.switch_name.clone();
    let watched = |shape: &SwitchShape<'_>, switch: AnySwitch| {
        Observed::new(switch, trace.tracer(&name, shape))
    };
    let done = simulate(Steps::around(plan, watched)?, progress, stop);
    Ok(NetRunOutcome { unwritten: trace.finish().map_err(unwritten).err(), ..done })
}

fn simulate<S: SwitchModel + Send + 'static>(
    mut session: Steps<S>,
    progress: &mut dyn FnMut(Moment),
    stop: &AtomicBool,
) -> NetRunOutcome {
    let start = Instant::now();
    let end = drive(&mut session, progress, stop);
    session.finish(end, start.elapsed())
}

/// Runs until nothing is left to happen, or until it has to end.
fn drive<S: SwitchModel + Send + 'static>(
    session: &mut Steps<S>,
    progress: &mut dyn FnMut(Moment),
    stop: &AtomicBool,
) -> End {
    let mut step = Duration::from_us(10);
    progress(session.moment());
    loop {
        // What nobody could stop any more has ended by itself.
        if session.next_event().is_some_and(|next| next <= session.give_up())
            && stop.load(Ordering::Relaxed)
        {
            return End::Stopped;
        }
        let begin = Instant::now();
        if let Some(end) = session.advance(step) {
            return end;
        }
        step = match begin.elapsed() {
            wall if wall < SHORTEST => (step * 2).min(LARGEST_STEP),
            wall if wall > LONGEST => (step / 2).max(Duration::from_ns(1)),
            _ => step,
        };
        progress(session.moment());
    }
}
