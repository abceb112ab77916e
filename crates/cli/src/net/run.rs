//! `forebay net run`: turns the arguments into a plan, and prints the report.

use forebay_lab::results::number::plural;
use forebay_net_run::{
    End, Flows, HostConfig, NetRunError, NetRunOutcome, NetRunPlan, RunConfig, class_rule,
    write_table,
};
use forebay_scenarios::Policies;
use forebay_switch::{Catalogue, SwitchConfig};

use super::progress::{Busy, Progress};
use super::{RunArguments, read_by, report, switch, with_settings, wrong};
use crate::{Failure, experiment, settings, terminal};

pub(super) fn run(arguments: &RunArguments, policies: &Policies) -> Result<(), Failure> {
    if let Some(classes) = &arguments.classes {
        let problem = format!(
            "the size classes of the report are --size-classes now: give --size-classes {classes}"
        );
        return Err(wrong("classes", problem));
    }
    let flows = Flows::File(arguments.flows.clone());
    let plan = NetRunPlan::new(&arguments.topology, flows, config(arguments, policies)?)
        .map_err(|error| refused(error, arguments))?;
    plan.notes().iter().for_each(|note| terminal::warn(&format!("note: {note}")));
    let done = simulate(arguments, plan)?;
    let table = match &arguments.out {
        Some(path) => write_table(path, &done.records),
        None => Ok(()),
    };
    terminal::print(&if arguments.json {
        report::json(&done.report)?
    } else {
        report::text(&done.report)
    })?;
    if let Some(unwritten) = done.unwritten.or(table.err()) {
        return Err(failure(unwritten));
    }
    match (done.problem, done.end) {
        (Some(problem), _) => Err(Failure::new(format!("error: {problem}"), 1)),
        (None, End::Stopped) => Err(Failure::new("stopped".to_owned(), 130)),
        (None, End::GaveUp) => Err(Failure::new(
            format!(
                "error: {} had not finished after {}: give a longer --give-up",
                plural(done.report.flows - done.report.finished, "flow", "flows"),
                arguments.give_up.unwrap_or_default()
            ),
            1,
        )),
        (None, End::Finished | End::Unfinished | End::Stuck(_)) => Ok(()),
    }
}

/// Runs the plan and reports progress.
fn simulate(arguments: &RunArguments, plan: NetRunPlan) -> Result<NetRunOutcome, Failure> {
    let (switches, hosts) = plan.size();
    let what = format!(
        "computing routes between {} for {}",
        plural(switches, "switch", "switches"),
        plural(hosts, "host", "hosts")
    );
    let mut building = Some(Busy::with(what, arguments.progress));
    let stop = experiment::stop_flag_saying("results so far are printed");
    let mut progress = Progress::new(arguments.progress);
    let done = forebay_net_run::run(
        plan,
        &mut |moment| {
            if building.take().is_some() {
                progress = Progress::new(arguments.progress);
            }
            progress.say(moment);
        },
        &stop,
    );
    done.map_err(|error| refused(error, arguments))
}

/// The library's error, blamed on the `--set` that gave the parameter if one did.
fn refused(error: NetRunError, arguments: &RunArguments) -> Failure {
    match error {
        NetRunError::Parameter(error) => settings::refused(&error, &arguments.more.set),
        other => failure(other),
    }
}

/// The library's error, as the command reports it.
pub(super) fn failure(error: NetRunError) -> Failure {
    match error {
        NetRunError::Parameter(error) => wrong(error.name(), error.sentence()),
        NetRunError::Write { .. } => Failure::new(format!("error: {error}"), 1),
        other => Failure::input(format!("error: {other}")),
    }
}

/// The switch of the arguments, with their rank.
fn switch_of(arguments: &RunArguments, catalogue: &Catalogue) -> Result<SwitchConfig, Failure> {
    let switch = switch(&arguments.switches, catalogue)?;
    let switch = match &arguments.rank {
        Some(text) => {
            let rank = catalogue.rank(text).map_err(|error| wrong("rank", error))?;
            switch.ranked_by(rank).map_err(|error| wrong("rank", error))?
        }
        None => switch,
    };
    with_settings(switch, &arguments.switches, &[], &arguments.more)
}

fn config(arguments: &RunArguments, policies: &Policies) -> Result<RunConfig, Failure> {
    Ok(RunConfig {
        hosts: arguments.hosts.fill(HostConfig::among(&policies.controls))?,
        switch: switch_of(arguments, &policies.switches)?,
        class: arguments
            .class
            .as_deref()
            .map(class_rule)
            .transpose()
            .map_err(|error| wrong("class", error))?,
        switch_name: arguments.switches.switch.clone(),
        threads: arguments.threads,
        seed: arguments.seed,
        give_up: arguments.give_up,
        warm_up: arguments.warm_up,
        max_timeouts: arguments.max_timeouts,
        fail: arguments.fail.clone(),
        size_classes: arguments.size_classes.clone(),
        top: arguments.top,
        trace: arguments.trace.output(),
        others: read_by(&arguments.switches).write_some("out", arguments.out.as_ref()),
    })
}
