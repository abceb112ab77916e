//! The programs that are started: apart from the terminal's signals, and ended when they are not
//! wanted any more.

use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

/// How often it is asked whether a program has ended, or is to end.
const POLL: Duration = Duration::from_millis(10);
/// How long a program may take for its end.
const GRACE: Duration = Duration::from_secs(3);

/// Starts a program in a group of its own: Ctrl-C in a terminal reaches the command alone, which
/// ends the program when it has taken what was told.
pub(super) fn start(command: &mut Command) -> io::Result<Child> {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    command.spawn()
}

/// Waits for the program's end; it is asked for that once `unwanted` says so, and is killed if it
/// then goes on.
pub(super) fn wait(child: &mut Child, unwanted: impl Fn() -> bool) -> io::Result<ExitStatus> {
    let mut asked: Option<Instant> = None;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        match asked {
            None if unwanted() => {
                ask(child)?;
                asked = Some(Instant::now());
            }
            Some(at) if at.elapsed() > GRACE => {
                kill(child)?;
                return child.wait();
            }
            None | Some(_) => {}
        }
        std::thread::sleep(POLL);
    }
}

/// All that a program says there; what cannot be read of its last words is left out.
pub(super) fn text(from: Option<impl Read>) -> String {
    let mut said = Vec::new();
    if let Some(mut from) = from {
        let _ = from.read_to_end(&mut said);
    }
    String::from_utf8_lossy(&said).into_owned()
}

/// Asks the program, and what it has started, to end.
#[cfg(unix)]
fn ask(child: &Child) -> io::Result<()> {
    signal(child, rustix::process::Signal::TERM)
}

#[cfg(not(unix))]
fn ask(child: &mut Child) -> io::Result<()> {
    child.kill()
}

#[cfg(unix)]
fn kill(child: &Child) -> io::Result<()> {
    signal(child, rustix::process::Signal::KILL)
}

#[cfg(not(unix))]
fn kill(child: &mut Child) -> io::Result<()> {
    child.kill()
}

/// Sends a signal to the group; it is no error that nobody is there any more.
#[cfg(unix)]
fn signal(child: &Child, signal: rustix::process::Signal) -> io::Result<()> {
    use rustix::process::{Pid, kill_process_group};
    match kill_process_group(Pid::from_child(child), signal) {
        Ok(()) | Err(rustix::io::Errno::SRCH) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Child {
        start(Command::new("sh").args(["-c", script])).unwrap()
    }

    #[test]
    fn what_is_not_wanted_ends_with_all_that_it_started() {
        let began = Instant::now();
        let status = wait(&mut shell("sleep 60; true"), || true).unwrap();
        assert!(!status.success(), "{status}");
        assert!(began.elapsed() < GRACE, "{:?}", began.elapsed());
        let status = wait(&mut shell("trap '' TERM; sleep 60; true"), || true).unwrap();
        assert!(!status.success() && began.elapsed() < Duration::from_secs(30), "{status}");
        assert_eq!(wait(&mut shell("exit 5"), || false).unwrap().code(), Some(5));
    }
}
