//! `forebay link`: a command behind an emulated link, with real packets.

mod directions;
pub(crate) mod recorded;
mod report;

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc;
use std::thread;

use forebay_dataplane::link::{LinkConfig, Pace, Port, Rules, largest_frame};
use forebay_dataplane::live::{Companion, Link, LiveError, Report, Stop, Task, isolate};
use forebay_dataplane::record::Recorder;
use forebay_files::Files;
use forebay_replay::{Ranking, check_class, classless, with_classes};
use forebay_switch::{Catalogue, SwitchConfig};
use forebay_units::Duration;

use crate::net::{SwitchArguments, only_new, read_by, switch, wrong};
use crate::replay::RuleArguments;
use crate::{Failure, experiment, key_value, terminal};

pub(crate) const HELP: &str =
    "The command finds the other end of the link, this machine, at the address in the
environment variable FOREBAY_FAR, and has nothing else. Packets are queued, marked and dropped by
the switch, one after the other sent at the rate, and arrive after the delay.

Parameters for --set (both directions), --up (from the command) and --down (to it):
  rate delay jitter loss reorder reorder_by mtu trace seed memory
docs/live.md says what each does.

--rank takes the name of a rank function (fifo, lstf, ...; a wrong name lists all) or a rule, --class
a rule, over the fields of a packet that `forebay replay --help` lists, as '63 - dscp'. flow_size is
not known in advance, and is 0; now is the time since the link began.

Examples:
  forebay link 20M,25ms --switch fq-codel -- iperf3 -c SERVER
  forebay link 20M,25ms --up rate=2M --down loss=0.001 --set jitter=2ms -- bash
  forebay link 20M,25ms --down trace=lte.trace --buffer 60KB -- curl http://SERVER/
  forebay link 20M,25ms --switch strict-priority --class 'dscp == 46 ? 0 : 1' -- bash
  forebay link 20M,25ms --switch fq-codel --record run -- curl http://SERVER/
  forebay link 100M,10ms --far 'iperf3 -s' -- sh -c 'iperf3 -c $FOREBAY_FAR'

Exit codes: that of the command (128 and the signal's number if one ended it), 1 the link cannot be
made, 2 the input is wrong, 127 the command cannot be started. The report is written to standard
error.";

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The rate and the one-way delay in both directions, as 20M,25ms.
    #[arg(value_name = "RATE[,DELAY]")]
    link: String,
    /// Set a parameter of both directions.
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value)]
    set: Vec<(String, String)>,
    /// Set a parameter of the direction from the command.
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value)]
    up: Vec<(String, String)>,
    /// Set a parameter of the direction to the command.
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value)]
    down: Vec<(String, String)>,
    #[command(flatten)]
    switch: SwitchArguments,
    #[command(flatten)]
    rules: RuleArguments,
    /// Run this command, too, with a shell, at the far end of the link; both are then apart from this
    /// machine's network.
    #[arg(long, value_name = "COMMAND")]
    far: Option<String>,
    /// Say so if one frame in a hundred leaves later than computed by more than this.
    #[arg(long, value_name = "SPAN", default_value = "1 ms")]
    tolerance: Duration,
    /// Write the report to this file, as one JSON object.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Record the run into this new folder: `forebay replay FOLDER` decides it again.
    #[arg(long, value_name = "FOLDER")]
    record: Option<PathBuf>,
    /// The command and its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

pub(crate) fn run(arguments: &Arguments, catalogue: &Catalogue) -> Result<ExitCode, Failure> {
    let directions = directions::read(arguments)?;
    let mtu = directions[0].0.mtu;
    let (switch, rules) = ordered(arguments, catalogue)?;
    switch
        .check_packets_of(largest_frame(mtu))
        .map_err(|error| refused(&switch, &LiveError::Switch(error)))?;
    for (config, pace) in &directions {
        Port::new(&switch, config, pace).map_err(|error| refused(&switch, &error.into()))?;
    }
    only_new(&outputs(arguments, &directions))?;
    // While there is only one thread.
    let isolation = isolate(arguments.far.is_some()).map_err(|error| refused(&switch, &error))?;
    let interrupted = experiment::stop_flag_saying("the command may end, then comes the report");
    let link = Link::open(isolation, mtu).map_err(|error| refused(&switch, &error))?;
    let recorder = recorded::recorder(arguments, &directions)?;
    let shown = directions.clone();
    let passing = (directions, recorder);
    let done = through(&link, (&switch, &rules), passing, arguments, &interrupted);
    let (report, code) = done.map_err(|error| refused(&switch, &error))?;
    terminal::warn(&report::text(&report, &shown, arguments));
    if let Some(path) = &arguments.json {
        let unwritten = |error| Failure {
            message: format!("error: cannot write {}: {error}", path.display()),
            code: 1,
        };
        fs::write(path, report::json(&report, arguments)).map_err(unwritten)?;
    }
    Ok(ExitCode::from(code))
}

/// The switch, and the rules over headers that order packets in it.
fn ordered(arguments: &Arguments, catalogue: &Catalogue) -> Result<(SwitchConfig, Rules), Failure> {
    let mut config = switch(&arguments.switch, catalogue)?;
    if let Some(classes) = arguments.rules.classes {
        config =
            with_classes(config, classes).map_err(|error| wrong("classes", error.sentence()))?;
    }
    let (ranking, class) = arguments.rules.read(catalogue)?;
    if let Some(ranking) = &ranking {
        config = ranking.applied_to(config).map_err(|error| wrong("rank", error))?;
    }
    check_class(&config, ranking.as_ref(), class.is_some(), arguments.rules.classes)
        .map_err(|error| wrong(error.parameter().unwrap_or("class"), error.sentence()))?;
    if let Some(note) = classless(&config, ranking.as_ref(), class.is_some()) {
        terminal::warn(&format!("note: {note}"));
    }
    let rank = match ranking {
        Some(Ranking::Rule { rule, .. }) => Some(rule),
        Some(Ranking::Function(_)) | None => None,
    };
    Ok((config, Rules { class, rank }))
}

/// Passes frames while the command runs: what has passed, and the command's exit code.
fn through(
    link: &Link,
    (switch, rules): (&SwitchConfig, &Rules),
    (directions, recorder): ([(LinkConfig, Pace); 2], Option<Recorder>),
    arguments: &Arguments,
    interrupted: &AtomicBool,
) -> Result<(Report, u8), LiveError> {
    let stop = Stop::new()?;
    thread::scope(|scope| {
        let (ready, is_ready) = mpsc::channel();
        let told = move || {
            let _ = ready.send(());
        };
        let passing = scope.spawn(|| link.run(switch, directions, rules, recorder, &stop, told));
        // If it never gets ready, it says why below.
        let ran = match is_ready.recv() {
            Ok(()) => command(link, arguments, interrupted).map(Some),
            Err(mpsc::RecvError) => Ok(None),
        };
        stop.stop();
        let ended = || LiveError::Failed {
            step: "pass frames",
            reason: std::io::Error::other("its thread ended"),
        };
        let report = passing.join().unwrap_or_else(|_| Err(ended()))?;
        let code = ran?.ok_or_else(ended)?;
        Ok((report, code))
    })
}

/// Runs the command to its end, beside that of the far end.
fn command(link: &Link, arguments: &Arguments, interrupted: &AtomicBool) -> Result<u8, LiveError> {
    let _far = arguments.far.as_deref().map(Companion::start).transpose()?;
    let far = link.addresses().far().to_string();
    let ended = Task::start(link.near(), &arguments.command, &far)?.wait(interrupted)?;
    Ok(ended.code())
}

/// The files that are read and written.
fn outputs(arguments: &Arguments, directions: &[(LinkConfig, Pace); 2]) -> Files {
    let mut files = read_by(&arguments.switch);
    for (config, _) in directions.iter().filter(|(config, _)| !config.trace.is_empty()) {
        files = files.read("a trace", &config.trace);
    }
    files.write_some("json", arguments.json.as_ref())
}

fn refused(switch: &SwitchConfig, error: &LiveError) -> Failure {
    match error {
        LiveError::Switch(error) => {
            let error = switch.refuse(error, "set");
            wrong(error.name(), error.sentence())
        }
        LiveError::Start { .. } => Failure { message: format!("error: {error}"), code: 127 },
        LiveError::NotAllowed | LiveError::NoAddress | LiveError::Failed { .. } => {
            Failure { message: format!("error: {error}"), code: 1 }
        }
    }
}
