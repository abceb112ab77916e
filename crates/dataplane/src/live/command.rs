//! The command behind a link, and the one at its far end.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, kill_process_group, pidfd_open};

use super::error::LiveError;
use super::namespace::Namespace;

/// How often is looked whether to stop.
const LOOK: Duration = Duration::from_millis(50);
/// What a command has to end by itself after an interrupt, and then after being asked to.
const PATIENCE: Duration = Duration::from_secs(2);
/// What a companion has to begin.
const BEGINNING: Duration = Duration::from_millis(200);

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With this code.
    Exited(u8),
    /// By this signal.
    Signalled(i32),
}

impl Ended {
    fn of(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Ended::Exited(code as u8),
            (None, signal) => Ended::Signalled(signal.unwrap_or(0)),
        }
    }

    /// The exit code that a shell would show.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Ended::Exited(code) => code,
            Ended::Signalled(signal) => (128 + signal) as u8,
        }
    }
}

/// A command that runs behind a link.
pub struct Task(Child);

impl Task {
    /// Starts a program with its arguments in a namespace, with `far` in its environment.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(namespace: &Namespace, words: &[OsString], far: &str) -> Result<Self, LiveError> {
        let Some((program, arguments)) = words.split_first() else {
            let reason = io::Error::other("no program is given");
            return Err(LiveError::Start { program: String::new(), reason });
        };
        let start = || Command::new(program).args(arguments).env("FOREBAY_FAR", far).spawn();
        let started = namespace.within(start);
        let program = program.to_string_lossy().into_owned();
        started.map(Task).map_err(|reason| LiveError::Start { program, reason })
    }

    /// Waits for its end. Once `interrupted` is set, it is given a moment, as the terminal has told
    /// it as well, then is asked to end, and then is ended.
    ///
    /// # Errors
    /// It cannot be waited for.
    pub fn wait(mut self, interrupted: &AtomicBool) -> Result<Ended, LiveError> {
        let failed = LiveError::at("wait for the command");
        let pid = Pid::from_child(&self.0);
        let process = pidfd_open(pid, PidfdFlags::empty()).map_err(|error| failed(error.into()))?;
        let look = Timespec { tv_sec: 0, tv_nsec: LOOK.subsec_nanos().into() };
        let mut since: Option<Instant> = None;
        loop {
            match poll(&mut [PollFd::new(&process, PollFlags::IN)], Some(&look)) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(failed(error.into())),
            }
            if let Some(status) = self.0.try_wait().map_err(&failed)? {
                return Ok(Ended::of(status));
            }
            if interrupted.load(Ordering::Relaxed) {
                let waited = since.get_or_insert_with(Instant::now).elapsed();
                // It may be over already.
                if waited > 2 * PATIENCE {
                    let _ = kill_process(pid, Signal::KILL);
                } else if waited > PATIENCE {
                    let _ = kill_process(pid, Signal::TERM);
                }
            }
        }
    }
}

/// A command at the far end, which ends with the link.
pub struct Companion(Child);

impl Companion {
    /// Starts it, by a shell in the present namespace, and lets it begin.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(command: &str) -> Result<Self, LiveError> {
        let started = Command::new("/bin/sh").arg("-c").arg(command).process_group(0).spawn();
        let child =
            started.map_err(|reason| LiveError::Start { program: "/bin/sh".to_owned(), reason })?;
        std::thread::sleep(BEGINNING);
        Ok(Companion(child))
    }
}

impl Drop for Companion {
    fn drop(&mut self) {
        let group = Pid::from_child(&self.0);
        let _ = kill_process_group(group, Signal::TERM);
        let asked = Instant::now();
        while matches!(self.0.try_wait(), Ok(None)) {
            if asked.elapsed() > PATIENCE {
                let _ = kill_process_group(group, Signal::KILL);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
