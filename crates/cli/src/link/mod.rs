//! `forebay link`: a command behind an emulated link, with real packets.

mod arguments;
mod directions;
mod policies;
pub(crate) mod policy;
pub(crate) mod recorded;
pub(crate) mod report;
#[cfg(feature = "view")]
mod viewed;

use std::fs;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use forebay_dataplane::link::{EmulationConfig, Pace, Port, Rules, largest_frame};
use forebay_dataplane::live::{
    Companion, Control, EmulatedLink, LinkReport, LiveError, Requests, Task, isolate,
};
use forebay_dataplane::record::Recorder;
use forebay_files::Files;
use forebay_switch::{Catalogue, SwitchConfig};

use crate::net::{only_new, read_by};
use crate::{Failure, experiment, terminal};
pub(crate) use arguments::{Arguments, HELP, backend};
use directions::Described;
use policy::refused_as_set;

pub(crate) fn run(arguments: &Arguments, catalogue: &Catalogue) -> Result<u8, Failure> {
    let Described { directions, switch, rules } = directions::read(arguments, catalogue)?;
    let refused = |switch: &_, error: &_| refused_as_set(switch, error, &arguments.set);
    let mtu = directions[0].0.mtu;
    switch
        .check_packets_of(largest_frame(mtu))
        .map_err(|error| refused(&switch, &LiveError::Switch(error)))?;
    for (config, pace) in &directions {
        Port::new(&switch, config, pace).map_err(|error| refused(&switch, &error.into()))?;
    }
    only_new(&outputs(arguments, &directions))?;
    // In the namespace that the program was started in.
    #[cfg(feature = "view")]
    let bound = crate::view::Bound::new(&arguments.view)?;
    #[cfg(feature = "view")]
    let may_look = bound.is_some();
    #[cfg(not(feature = "view"))]
    let may_look = false;
    // While there is only one thread.
    let isolation = isolate(arguments.far.is_some()).map_err(|error| refused(&switch, &error))?;
    let interrupted = experiment::stop_flag_saying("the command may end, then comes the report");
    let link = EmulatedLink::open(isolation, mtu)
        .and_then(|link| link.with_backend(arguments.ring))
        .map_err(|error| refused(&switch, &error))?;
    let recorder = recorded::recorder(arguments, &directions)?;
    let shown = directions.clone();
    let (control, requests) = Control::new(may_look).map_err(|error| refused(&switch, &error))?;
    #[cfg(feature = "view")]
    let view =
        bound.map(|bound| viewed::serve(bound, &control, arguments, catalogue)).transpose()?;
    let passing =
        Passing { link: &link, policy: (&switch, &rules), directions, recorder, requests };
    let done = through(passing, &control, arguments, &interrupted);
    #[cfg(feature = "view")]
    drop(view);
    let (report, code) = done.map_err(|error| refused(&switch, &error))?;
    terminal::warn(&report::text(&report, &shown, arguments));
    if let Some(path) = &arguments.json {
        let unwritten =
            |error| Failure::new(format!("error: cannot write {}: {error}", path.display()), 1);
        fs::write(path, report::json(&report, arguments)).map_err(unwritten)?;
    }
    // Of the two, the command's failure is the one that scripts ask about.
    if code == 0 {
        crate::recorded::recorded_whole(report.recorded.as_ref())?;
    }
    Ok(code)
}

/// How long what a command has sent may take to arrive after its end.
const LINGER: Duration = Duration::from_secs(5);

/// What passes frames.
struct Passing<'a> {
    link: &'a EmulatedLink,
    policy: (&'a SwitchConfig, &'a Rules),
    directions: [(EmulationConfig, Pace); 2],
    recorder: Option<Recorder>,
    requests: Requests,
}

/// Passes frames while the command runs: what has passed, and the command's exit code.
fn through(
    Passing { link, policy: (switch, rules), directions, recorder, requests }: Passing<'_>,
    control: &Control,
    arguments: &Arguments,
    interrupted: &AtomicBool,
) -> Result<(LinkReport, u8), LiveError> {
    thread::scope(|scope| {
        let (ready, is_ready) = mpsc::channel();
        let told = move || {
            let _ = ready.send(());
        };
        let passing =
            scope.spawn(move || link.run(switch, directions, rules, recorder, requests, told));
        // If it never gets ready, it says why below.
        let ran = match is_ready.recv() {
            Ok(()) => command(link, control, arguments, interrupted).map(Some),
            Err(mpsc::RecvError) => Ok(None),
        };
        control.stop();
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
fn command(
    link: &EmulatedLink,
    control: &Control,
    arguments: &Arguments,
    interrupted: &AtomicBool,
) -> Result<u8, LiveError> {
    let _far = arguments.far.as_deref().map(Companion::start).transpose()?;
    let far = link.addresses().far().to_string();
    let ended = Task::start(link.near(), &arguments.command, &far)?.wait(interrupted)?;
    link.linger(control, LINGER, interrupted);
    Ok(ended.code())
}

/// The files that are read and written.
fn outputs(arguments: &Arguments, directions: &[(EmulationConfig, Pace); 2]) -> Files {
    let mut files = read_by(&arguments.switch);
    for (config, _) in directions.iter().filter(|(config, _)| !config.trace.is_empty()) {
        files = files.read("a trace", &config.trace);
    }
    files.write_some("json", arguments.json.as_ref())
}
