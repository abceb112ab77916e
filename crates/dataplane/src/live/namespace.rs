//! Network namespaces without names, each alive as long as someone holds it.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::thread;

use nix::sched::{CloneFlags, setns, unshare};

use super::error::LiveError;

/// A network namespace, held open by a file descriptor: it lives as long as this.
#[derive(Debug)]
pub struct Namespace(OwnedFd);

impl Namespace {
    /// A new one, in which even the loopback interface is down.
    ///
    /// # Errors
    /// The system's reason: mostly that it is not permitted.
    pub fn new() -> io::Result<Self> {
        // A thread that leaves the process's namespace does not come back: it ends instead.
        let made = thread::scope(|scope| {
            let make = || {
                unshare(CloneFlags::CLONE_NEWNET)?;
                Namespace::of_thread()
            };
            scope.spawn(make).join()
        });
        made.unwrap_or_else(|_| Err(io::Error::other("its thread ended")))
    }

    /// That of this thread.
    ///
    /// # Errors
    /// If /proc is not there.
    pub fn of_thread() -> io::Result<Self> {
        Ok(Namespace(File::open("/proc/thread-self/ns/net")?.into()))
    }

    /// Does `work` inside, on a thread of its own; processes that it starts are inside, too.
    ///
    /// # Errors
    /// If it cannot be entered, or the work fails.
    pub fn within<T: Send>(&self, work: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
        let done = thread::scope(|scope| {
            let inside = || {
                self.enter()?;
                work()
            };
            scope.spawn(inside).join()
        });
        done.unwrap_or_else(|_| Err(io::Error::other("its thread ended")))
    }

    /// Moves this thread inside, for good.
    pub(super) fn enter(&self) -> io::Result<()> {
        Ok(setns(&self.0, CloneFlags::CLONE_NEWNET)?)
    }
}

impl AsFd for Namespace {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl AsRawFd for Namespace {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

/// Where the far end of a link is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// On this machine, among its interfaces.
    None,
    /// In a namespace of its own, apart from the machine's network.
    Apart,
}

/// Whether links and labs can be made in this process as it is.
#[must_use]
pub fn is_allowed() -> bool {
    Namespace::new().is_ok()
}

/// Makes sure that links can be made here, and, if `apart` is wanted or nothing else allowed, moves
/// the process into a namespace of its own, for good. To be called before any thread is started.
///
/// # Errors
/// [`LiveError::NotAllowed`], or the step that failed.
pub fn isolate(apart: bool) -> Result<Isolation, LiveError> {
    let denied = |error: &io::Error| error.kind() == io::ErrorKind::PermissionDenied;
    match Namespace::new() {
        Ok(_) if !apart => return Ok(Isolation::None),
        Ok(_) => unshare(CloneFlags::CLONE_NEWNET)
            .map_err(|error| LiveError::at("make a namespace")(error.into()))?,
        Err(error) if denied(&error) => as_user()?,
        Err(error) => return Err(LiveError::at("make a namespace")(error)),
    }
    Ok(Isolation::Apart)
}

/// Moves the process into a user namespace, in which it may do everything to networks of its own.
/// It keeps its user and group.
fn as_user() -> Result<(), LiveError> {
    let (user, group) = (rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw());
    let both = CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNET;
    unshare(both).map_err(|_| LiveError::NotAllowed)?;
    let files = [
        ("/proc/self/setgroups", "deny".to_owned()),
        ("/proc/self/uid_map", format!("{user} {user} 1")),
        ("/proc/self/gid_map", format!("{group} {group} 1")),
    ];
    // Some distributions let a user make the namespace and do nothing in it.
    files
        .into_iter()
        .try_for_each(|(file, text)| fs::write(file, text))
        .map_err(|_| LiveError::NotAllowed)?;
    Namespace::new().map(drop).map_err(|_| LiveError::NotAllowed)
}
