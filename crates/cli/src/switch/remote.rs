//! What is done with labs that run: start one in the background, ask, enter, end.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use forebay_dataplane::live::{Running, RunningError, folder};
use forebay_lab::results::number::plural;
use forebay_switch::Catalogue;

use super::run::{check, greeting, socket};
use super::{LabArguments, failed};
use crate::terminal::{columns, print};
use crate::{Failure, experiment, terminal};

/// What a lab has to begin, and to end.
const PATIENCE: Duration = Duration::from_secs(30);
/// The longest answer of a lab that is read.
const LONGEST: u64 = 16 << 20;

/// Starts this program again, in the background, and waits until its lab answers.
pub(super) fn up(arguments: &LabArguments, catalogue: &Catalogue) -> Result<(), Failure> {
    drop(check(arguments, catalogue)?);
    let name = arguments.name();
    if let Ok(running) = Running::find(Some(&name)) {
        return Err(failed(&RunningError::Taken(running.name)));
    }
    let log = beside(&name, "log")?;
    let began = begin(arguments, &name, &log);
    // That of another lab of this name, which was quicker, stays.
    if began.is_err() && Running::find(Some(&name)).is_err() {
        let _ = fs::remove_file(&log);
    }
    let hosts = began?.hosts;
    let hosts: Vec<_> = hosts.iter().map(|host| (&*host.name, host.v4.clone())).collect();
    // It is there if the lab is shown.
    let link = fs::read_to_string(beside(&name, "view")?).ok();
    let ending = "`forebay switch down` ends it";
    terminal::warn(&greeting(&name, &hosts, ending, link.as_deref()));
    Ok(())
}

/// The lab that this program, started again, has made.
fn begin(arguments: &LabArguments, name: &str, log: &Path) -> Result<Running, Failure> {
    let cannot = |error: std::io::Error| {
        Failure::new(format!("error: cannot start the lab in the background: {error}"), 1)
    };
    let (stop, stopped) = mpsc::channel();
    experiment::on_stop("the lab that was about to begin ends", move || {
        // Nobody waits for it if the lab stands.
        let _ = stop.send(());
    });
    let output = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(log);
    let mut command = Command::new(std::env::current_exe().map_err(cannot)?);
    command.arg("switch").arg(&arguments.lab).args(["--name", name]);
    command.args(["--ring", arguments.ring.name()]);
    command.arg("--tolerance").arg(arguments.tolerance.to_string());
    command.arg("--report").arg(beside(name, "report")?);
    for (key, value) in &arguments.set {
        command.arg("--set").arg(format!("{key}={value}"));
    }
    for port in &arguments.port {
        command.arg("--port").arg(port);
    }
    for (option, path) in [("--json", &arguments.json), ("--record", &arguments.record)] {
        if let Some(path) = path {
            command.arg(option).arg(std::path::absolute(path).map_err(cannot)?);
        }
    }
    #[cfg(feature = "view")]
    {
        if let Some(address) = arguments.view {
            command.arg("--view").arg(address.to_string());
        }
        if let Some(path) = &arguments.view_token {
            command.arg("--view-token").arg(std::path::absolute(path).map_err(cannot)?);
        }
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(output.map_err(cannot)?);
    let mut child = command.process_group(0).spawn().map_err(cannot)?;
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait().map_err(cannot)? {
            let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
            return Err(Failure::new(fs::read_to_string(log).unwrap_or_default(), code.max(1)));
        }
        // It answers once frames pass.
        let stands = Running::find(Some(name))
            .ok()
            .filter(|running| running.process == child.id() && asked(running).is_ok());
        if stopped.try_recv().is_ok() {
            give_up(&mut child, name);
            return Err(Failure::new("error: stopped before the lab stood".to_owned(), 130));
        }
        if let Some(running) = stands {
            return Ok(running);
        }
        thread::sleep(Duration::from_millis(1));
    }
    let _ = child.kill();
    let said = fs::read_to_string(log).unwrap_or_default();
    Err(Failure::new(format!("error: the lab {name} does not stand yet; it said\n{said}"), 1))
}

/// Ends a lab that does not stand yet: gently if it can be found, by force else.
fn give_up(child: &mut Child, name: &str) {
    let begun = Running::find(Some(name)).ok().filter(|running| running.process == child.id());
    if !begun.is_some_and(|running| running.end(PATIENCE).unwrap_or(false)) {
        let _ = child.kill();
    }
    let _ = child.wait();
}

/// A file that belongs to the lab of this name.
fn beside(name: &str, extension: &str) -> Result<PathBuf, Failure> {
    Ok(folder().map_err(|error| failed(&error))?.join(format!("{name}.{extension}")))
}

/// Ends a lab, and shows its report.
pub(super) fn down(name: Option<&str>) -> Result<(), Failure> {
    let running = Running::find(name).map_err(|error| failed(&error))?;
    if !running.end(PATIENCE).map_err(|error| failed(&error))? {
        let Running { name, process, .. } = running;
        let span = PATIENCE.as_secs();
        let message = format!(
            "error: the lab {name} has not ended within {span} s; its process is {process}"
        );
        return Err(Failure::new(message, 1));
    }
    let report = beside(&running.name, "report")?;
    let said = fs::read_to_string(&report).unwrap_or_default();
    let (text, failure) = said.split_once('\0').unwrap_or((&said, ""));
    terminal::warn(text.trim());
    for path in [report, beside(&running.name, "log")?] {
        let _ = fs::remove_file(path);
    }
    match failure.is_empty() {
        true => Ok(()),
        false => Err(Failure::new(failure.to_owned(), 1)),
    }
}

/// Says which labs run, or what has passed through one.
pub(super) fn status(name: Option<&str>, json: bool) -> Result<(), Failure> {
    if name.is_none() {
        return list();
    }
    let running = Running::find(name).map_err(|error| failed(&error))?;
    let answer = asked(&running)?;
    let (object, text) = answer.split_once('\0').unwrap_or((&answer, ""));
    if json { print(object) } else { print(&format!("{}\n", text.trim())) }
}

/// What a lab answers: its report as an object and, behind a zero byte, as a text.
fn asked(running: &Running) -> Result<String, Failure> {
    let silent = |error: std::io::Error| {
        Failure::new(format!("error: the lab {} does not answer: {error}", running.name), 1)
    };
    let stream = UnixStream::connect(socket(&running.name)?).map_err(silent)?;
    stream.set_read_timeout(Some(PATIENCE)).map_err(silent)?;
    let mut answer = String::new();
    stream.take(LONGEST).read_to_string(&mut answer).map_err(silent)?;
    match answer.is_empty() {
        true => Err(silent(std::io::Error::other("it is not ready"))),
        false => Ok(answer),
    }
}

fn list() -> Result<(), Failure> {
    let all = Running::all().map_err(|error| failed(&error))?;
    if all.is_empty() {
        return print("no lab runs\n");
    }
    let mut rows = vec![["lab", "process", "hosts"].map(str::to_owned).to_vec()];
    for Running { name, process, hosts, .. } in &all {
        let names = match (hosts.first(), hosts.last()) {
            (Some(first), Some(last)) => {
                format!("{}, {} to {}", plural(hosts.len(), "host", "hosts"), first.name, last.name)
            }
            _ => "none".to_owned(),
        };
        rows.push(vec![name.clone(), process.to_string(), names]);
    }
    print(&columns(&rows, 3))
}

/// Becomes a command on a host.
pub(super) fn exec(lab: Option<&str>, host: &str, command: &[OsString]) -> Result<(), Failure> {
    let running = Running::find(lab).map_err(|error| failed(&error))?;
    Err(failed(&running.exec(host, command)))
}
