//! What is done with labs that run: start one in the background, ask, enter, end.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use forebay_dataplane::live::{Running, RunningError, folder};
use forebay_lab::results::number::plural;
use forebay_switch::Catalogue;

use super::run::{check, socket};
use super::{LabArguments, failed};
use crate::terminal::{columns, print};
use crate::{Failure, terminal};

/// What a lab has to begin, and to end.
const PATIENCE: Duration = Duration::from_secs(30);
/// The longest answer of a lab that is read.
const LONGEST: u64 = 16 << 20;

/// Starts this program again, in the background, and waits until its lab stands.
pub(super) fn up(arguments: &LabArguments, catalogue: &Catalogue) -> Result<(), Failure> {
    drop(check(arguments, catalogue)?);
    let name = arguments.name();
    if let Ok(running) = Running::find(Some(&name)) {
        return Err(failed(&RunningError::Taken(running.name)));
    }
    let log = folder().map_err(|error| failed(&error))?.join(format!("{name}.log"));
    let cannot = |error: std::io::Error| Failure {
        message: format!("error: cannot start the lab in the background: {error}"),
        code: 1,
    };
    let output = File::create(&log).map_err(cannot)?;
    let mut command = Command::new(std::env::current_exe().map_err(cannot)?);
    command.arg("switch").arg(&arguments.lab).args(["--name", &name]);
    command.arg("--tolerance").arg(arguments.tolerance.to_string());
    for (key, value) in &arguments.set {
        command.arg("--set").arg(format!("{key}={value}"));
    }
    if let Some(json) = &arguments.json {
        command.arg("--json").arg(std::path::absolute(json).map_err(cannot)?);
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(output).process_group(0);
    let mut child = command.spawn().map_err(cannot)?;
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        let said = || fs::read_to_string(&log).unwrap_or_default();
        if let Some(status) = child.try_wait().map_err(cannot)? {
            let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
            return Err(Failure { message: said(), code: code.max(1) });
        }
        if Running::find(Some(&name)).is_ok() && said().contains("Ctrl-C") {
            let text = said().replace("; Ctrl-C ends it", "; `forebay switch down` ends it");
            terminal::warn(text.trim_end());
            return Ok(());
        }
        thread::sleep(Duration::from_millis(5));
    }
    let _ = child.kill();
    Err(Failure {
        message: format!(
            "error: the lab {name} does not stand yet; it said\n{}",
            fs::read_to_string(&log).unwrap_or_default()
        ),
        code: 1,
    })
}

/// Ends a lab.
pub(super) fn down(name: Option<&str>) -> Result<(), Failure> {
    let running = Running::find(name).map_err(|error| failed(&error))?;
    match running.end(PATIENCE).map_err(|error| failed(&error))? {
        true => {
            let folder = folder().map_err(|error| failed(&error))?;
            let log = folder.join(format!("{}.log", running.name));
            let said = fs::read_to_string(&log).unwrap_or_default();
            let _ = fs::remove_file(&log);
            // Its report is what it said last.
            if let Some(at) = said.find("\nforebay switch:") {
                terminal::warn(said[at..].trim());
            }
            Ok(())
        }
        false => Err(Failure {
            message: format!(
                "error: the lab {} has not ended within {} s; its process is {}",
                running.name,
                PATIENCE.as_secs(),
                running.process
            ),
            code: 1,
        }),
    }
}

/// Says which labs run, or what has passed through one.
pub(super) fn status(name: Option<&str>, json: bool) -> Result<(), Failure> {
    if name.is_none() {
        return list();
    }
    let running = Running::find(name).map_err(|error| failed(&error))?;
    let path = socket(&running.name)?;
    let silent = |error: std::io::Error| Failure {
        message: format!("error: the lab {} does not answer: {error}", running.name),
        code: 1,
    };
    let stream = UnixStream::connect(&path).map_err(silent)?;
    stream.set_read_timeout(Some(PATIENCE)).map_err(silent)?;
    let mut answer = String::new();
    stream.take(LONGEST).read_to_string(&mut answer).map_err(silent)?;
    let (object, text) = answer.split_once('\0').unwrap_or((&answer, ""));
    if json { print(object) } else { print(&format!("{}\n", text.trim())) }
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
    let error = running.exec(host, command);
    let Failure { message, code } = failed(&error);
    let started = matches!(&error, RunningError::Failed { step: "start the program", .. });
    Err(Failure { message, code: if started { 127 } else { code } })
}
