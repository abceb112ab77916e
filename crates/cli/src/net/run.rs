//! `forebay net run`: the loop that drives the network and can be stopped.

use std::fs::File;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration as Wall, Instant};

use forebay_net::network::{Network, RunError};
use forebay_net::switch::{AnySwitch, DropTail, Observed, SwitchConfig, SwitchModel, SwitchShape};
use forebay_replay::TraceOutput;
use forebay_trace::{Shared, SwitchTracer};
use forebay_units::{Duration, Time};

use super::progress::{Busy, Progress};
use super::report::Report;
use super::setup::Setup;
use super::{RunArguments, table, unwritten, wrong};
use crate::{Failure, experiment, terminal};

/// Between these, the network runs before the stop flag is looked at.
const SHORTEST: Wall = Wall::from_millis(20);
const LONGEST: Wall = Wall::from_millis(100);
/// The most simulated time between two looks.
const LARGEST_STEP: Duration = Duration::from_ms(1000);

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Every flow has finished.
    Finished,
    /// Nothing is left to happen, although flows have not finished.
    Unfinished,
    /// The simulated time given for it was over.
    GaveUp,
    /// The user stopped it.
    Stopped,
    /// A flow makes no progress.
    Stuck(RunError),
}

pub(super) fn run(arguments: &RunArguments) -> Result<(), Failure> {
    let setup = Setup::new(arguments)?;
    let building = Busy::with(
        format!(
            "computing routes between {} switches for {} hosts",
            setup.graph.switches, setup.graph.hosts
        ),
        arguments.progress,
    );
    if let Some(output) = arguments.trace.output() {
        let done = traced(arguments, &setup, &output);
        drop(building);
        return done;
    }
    match &setup.switch {
        SwitchConfig::DropTail(switch) => {
            let made = Network::new(&setup.graph, setup.config.clone(), |shape| {
                DropTail::new(shape, switch)
            });
            drop(building);
            simulate(arguments, &setup, made.map_err(|error| setup.failure(&error))?)
        }
        switch => {
            let made = switch.network(&setup.graph, setup.config.clone());
            let failed = |error| Failure::input(format!("error: {error}"));
            drop(building);
            simulate(arguments, &setup, made.map_err(failed)?)
        }
    }
}

/// The same with every switch watched, by one trace.
fn traced(arguments: &RunArguments, setup: &Setup, output: &TraceOutput) -> Result<(), Failure> {
    if arguments.threads > 1 {
        let problem = "a trace is written in the order of time, by one thread: leave out --threads";
        return Err(wrong("trace", problem));
    }
    let file = File::create(&output.path).map_err(|error| unwritten(&output.path, &error))?;
    let (trace, name) = (Shared::new(file), &arguments.switches.switch);
    let watched = |shape: &SwitchShape<'_>, switch: AnySwitch| {
        let name = format!("switch {} ({name})", shape.index);
        Observed::new(switch, SwitchTracer::new(trace.clone(), &name, shape, output.bounds))
    };
    let made = setup.switch.network_of(&setup.graph, setup.config.clone(), watched);
    let made = made.map_err(|error| Failure::input(format!("error: {error}")))?;
    let done = simulate(arguments, setup, made);
    trace.finish().map_err(|error| unwritten(&output.path, &error))?;
    done
}

fn simulate<S: SwitchModel + Send>(
    arguments: &RunArguments,
    setup: &Setup,
    mut network: Network<S>,
) -> Result<(), Failure> {
    network.add_flows(&setup.flows).map_err(|error| setup.failure(&error))?;
    setup.failures.iter().try_for_each(|failure| failure.plan(&mut network))?;
    let stop = experiment::stop_flag_saying("what is measured is printed");
    let start = Instant::now();
    let end = drive(&mut network, setup.give_up, Progress::new(arguments.progress), &stop);
    let report = Report::new(arguments, setup, &network, end, start.elapsed());
    if let Some(path) = &arguments.out {
        table::write(path, report.records())?;
    }
    terminal::print(&if arguments.json { report.json() } else { report.text() });
    match end {
        End::Finished | End::GaveUp => Ok(()),
        End::Stopped => Err(Failure { message: "stopped".to_owned(), code: 130 }),
        End::Unfinished => Err(Failure {
            message: "error: nothing is left to happen, but flows have not finished: check that they can begin \
                      and that paths stay up"
                .to_owned(),
            code: 1,
        }),
        End::Stuck(error) => Err(setup.stuck(&error)),
    }
}

/// Runs until nothing is left to happen, or until it is to end.
fn drive<S: SwitchModel + Send>(
    network: &mut Network<S>,
    give_up: Time,
    mut progress: Progress,
    stop: &AtomicBool,
) -> End {
    let mut step = Duration::from_us(10);
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
        progress.say(network);
    }
    if network.finished() == network.flow_count() as usize {
        End::Finished
    } else {
        End::Unfinished
    }
}
