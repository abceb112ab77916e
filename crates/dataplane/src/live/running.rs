//! Which labs run on this machine, so that other processes find their hosts.
//!
//! Each has a file, `NAME.json` in a [folder] that only its user may read: the process, when that
//! began, and by which of its open files each host's namespace is found. Namespaces end with the
//! process, so after `kill -9` only the file is left; a file whose process is gone, or is another
//! that got the same number, counts for nothing and is removed by whoever finds it.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use nix::sched::{CloneFlags, setns, unshare};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use serde::{Deserialize, Serialize};

use super::lab::Lab;

/// The longest name of a lab.
const LONGEST_NAME: usize = 32;
/// The largest file of a lab that is read.
const MOST: u64 = 1 << 20;

/// A lab that runs, as its file says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Running {
    /// The name by which commands find it.
    pub name: String,
    /// The identifier of the process that drives its switches.
    pub process: u32,
    /// When that began, in the kernel's ticks since the machine did.
    began: u64,
    /// The hosts that commands can be run on, in the order of the topology.
    pub hosts: Vec<HostEntry>,
}

/// A host of a lab that runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostEntry {
    /// As `h1`.
    pub name: String,
    /// Its address for IPv4.
    pub v4: String,
    /// Its address for IPv6.
    pub v6: String,
    /// By which open file of the process its namespace is found.
    namespace: i32,
}

/// Why a lab cannot be found, entered or made.
#[derive(Debug)]
pub enum RunningError {
    /// A name that is none: letters, digits, `-` and `_`, at most 32.
    Name(String),
    /// There is no folder for it.
    Folder,
    /// A lab of this name runs already.
    Taken(String),
    /// There is no running lab of this name.
    NoLab {
        /// The name that was asked for; `None` if none was and none runs.
        name: Option<String>,
        /// The names of those that run.
        running: Vec<String>,
    },
    /// Several run, and none was named.
    Several(Vec<String>),
    /// The lab has no host of this name.
    NoHost {
        /// The name that was asked for.
        name: String,
        /// The hosts that there are.
        hosts: Vec<String>,
    },
    /// A program cannot be started.
    Start {
        /// The program, as it was given.
        program: String,
        /// The system's reason.
        reason: io::Error,
    },
    /// The system refused a step of the way into a namespace.
    Failed {
        /// What was to be done.
        step: &'static str,
        /// The system's reason.
        reason: io::Error,
    },
}

impl fmt::Display for RunningError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunningError::Name(name) => write!(
                f,
                "{name:?} cannot be the name of a lab: take at most {LONGEST_NAME} letters, digits, `-` \
                 and `_`"
            ),
            RunningError::Folder => f.write_str(
                "there is no folder for what is said about running labs: set XDG_RUNTIME_DIR to \
                 one of your own",
            ),
            RunningError::Taken(name) => write!(
                f,
                "a lab called {name} runs already: take it down (forebay switch down {name}), or \
                 give this one another name"
            ),
            RunningError::NoLab { name: Some(name), running } if running.is_empty() => {
                write!(f, "there is no running lab {name}, and no other")
            }
            RunningError::NoLab { name: Some(name), running } => {
                write!(f, "there is no running lab {name}; there is {}", running.join(", "))
            }
            RunningError::NoLab { name: None, .. } => {
                f.write_str("no lab runs: start one (forebay switch up LAB.toml)")
            }
            RunningError::Several(running) => {
                write!(f, "several labs run: name one of {}", running.join(", "))
            }
            RunningError::NoHost { name, hosts } if hosts.is_empty() => {
                write!(f, "there is no host {name}: this lab has none")
            }
            RunningError::NoHost { name, hosts } => {
                let last = hosts.last().map_or("", String::as_str);
                let first = hosts.first().map_or("", String::as_str);
                write!(f, "there is no host {name}; there are {first} to {last}")
            }
            RunningError::Start { program, reason } => {
                write!(f, "cannot start {program}: {reason}")
            }
            RunningError::Failed { step, reason } => write!(f, "cannot {step}: {reason}"),
        }
    }
}

impl std::error::Error for RunningError {}

fn at(step: &'static str) -> impl Fn(io::Error) -> RunningError {
    move |reason| RunningError::Failed { step, reason }
}

/// The folder of this user: of root `/run/forebay`, of others `forebay` in `$XDG_RUNTIME_DIR`. It
/// is made if need be.
///
/// # Errors
/// There is none, it cannot be made, or belongs to somebody else.
pub fn folder() -> Result<PathBuf, RunningError> {
    let user = rustix::process::geteuid();
    let folder = if user.is_root() {
        PathBuf::from("/run/forebay")
    } else {
        // A relative path is to be ignored (XDG base directory specification).
        let own = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
        own.filter(|path| path.is_absolute()).ok_or(RunningError::Folder)?.join("forebay")
    };
    let failed = at("make the folder of running labs");
    fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(&failed)?;
    let found = fs::symlink_metadata(&folder).map_err(&failed)?;
    if !found.is_dir() || found.uid() != user.as_raw() {
        return Err(failed(io::Error::other(format!("{} is somebody else's", folder.display()))));
    }
    if found.mode() & 0o077 != 0 {
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).map_err(&failed)?;
    }
    Ok(folder)
}

/// What belongs to the lab of a name, besides the file that says that it runs: its hosts' names,
/// what it said, the socket at which it answers, its report, where it is shown.
const BESIDE: [&str; 5] = ["hosts", "log", "socket", "report", "view"];

/// Only one process at a time looks for and removes what labs left, or enrols one.
fn locked(folder: &Path) -> Result<File, RunningError> {
    let failed = at("lock the folder of running labs");
    let path = folder.join("lock");
    let open = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path);
    let file = open.map_err(&failed)?;
    file.lock().map_err(failed)?;
    Ok(file)
}

impl Running {
    /// All labs of this user that run, by name; files of others are removed.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn all() -> Result<Vec<Running>, RunningError> {
        let folder = folder()?;
        let _lock = locked(&folder)?;
        let mut all = Vec::new();
        for entry in fs::read_dir(&folder).map_err(at("read the folder of running labs"))? {
            let path = entry.map_err(at("read the folder of running labs"))?.path();
            if path.extension().is_some_and(|extension| extension == "json")
                && let Some(running) = Running::read(&path)
            {
                all.push(running);
            }
        }
        all.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(all)
    }

    /// The lab of this name, or the only one.
    ///
    /// # Errors
    /// There is none, or none is named and there are several.
    pub fn find(name: Option<&str>) -> Result<Running, RunningError> {
        let all = Running::all()?;
        let names = || all.iter().map(|one| one.name.clone()).collect::<Vec<_>>();
        match name {
            None if all.len() > 1 => Err(RunningError::Several(names())),
            None => all
                .first()
                .cloned()
                .ok_or_else(|| RunningError::NoLab { name: None, running: Vec::new() }),
            Some(name) => all.iter().find(|one| one.name == name).cloned().ok_or_else(|| {
                RunningError::NoLab { name: Some(name.to_owned()), running: names() }
            }),
        }
    }

    /// What a file says, if its process still runs; otherwise it is removed, with what is beside
    /// it. The folder is locked.
    fn read(path: &Path) -> Option<Running> {
        let small =
            fs::symlink_metadata(path).is_ok_and(|found| found.is_file() && found.len() <= MOST);
        let text = small.then(|| fs::read_to_string(path).ok()).flatten()?;
        let running = serde_json::from_str::<Running>(&text).ok();
        let alive = running.filter(|running| began(running.process) == Some(running.began));
        if alive.is_none() {
            remove(path);
        }
        alive
    }

    /// Becomes a program inside a host; returns only if it cannot. The program finds the hosts'
    /// names in its `/etc/hosts`, where that may be replaced for it alone.
    #[must_use]
    pub fn exec(&self, host: &str, words: &[OsString]) -> RunningError {
        match self.enter(host) {
            Err(error) => error,
            Ok(()) => {
                let Some((program, arguments)) = words.split_first() else {
                    return at("start a program")(io::Error::other("none is given"));
                };
                let reason = Command::new(program).args(arguments).exec();
                RunningError::Start { program: program.to_string_lossy().into_owned(), reason }
            }
        }
    }

    fn enter(&self, host: &str) -> Result<(), RunningError> {
        let Some(entry) = self.hosts.iter().find(|entry| entry.name == host) else {
            let hosts = self.hosts.iter().map(|entry| entry.name.clone()).collect();
            return Err(RunningError::NoHost { name: host.to_owned(), hosts });
        };
        let failed = at("enter the host");
        let of = |path: &str| File::open(format!("/proc/{}/{path}", self.process));
        let network = of(&format!("fd/{}", entry.namespace)).map_err(&failed)?;
        let user = of("ns/user").map_err(&failed)?;
        let same = |file: &File| Ok((file.metadata()?.dev(), file.metadata()?.ino()));
        let own = File::open("/proc/self/ns/user").and_then(|own| same(&own)).map_err(&failed)?;
        if same(&user).map_err(&failed)? != own {
            setns(user, CloneFlags::CLONE_NEWUSER).map_err(|error| failed(error.into()))?;
        }
        setns(network, CloneFlags::CLONE_NEWNET).map_err(|error| failed(error.into()))?;
        // Without names the host is as well reached by its address.
        let _ = self.name_hosts();
        Ok(())
    }

    /// Lets this process, and what it becomes, find the hosts by name.
    fn name_hosts(&self) -> io::Result<()> {
        let folder = folder().map_err(io::Error::other)?;
        let file = folder.join(format!("{}.hosts", self.name));
        unshare(CloneFlags::CLONE_NEWNS)?;
        use rustix::mount::{MountPropagationFlags, mount_bind, mount_change};
        mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
        Ok(mount_bind(&file, "/etc/hosts")?)
    }

    /// Its hosts as a file of names (hosts(5)).
    fn names(&self) -> String {
        let mut text = String::from("127.0.0.1 localhost\n::1 localhost\n");
        for HostEntry { name, v4, v6, .. } in &self.hosts {
            text += &format!("{v4} {name}\n{v6} {name}\n");
        }
        text
    }

    /// Asks it to end, and waits; whether it has ended in time.
    ///
    /// # Errors
    /// It may not be asked.
    pub fn end(&self, patience: Duration) -> Result<bool, RunningError> {
        let failed = at("end the lab");
        let Some(pid) = Pid::from_raw(self.process as i32) else { return Ok(true) };
        let process = match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(process) => process,
            Err(rustix::io::Errno::SRCH) => return Ok(true),
            Err(error) => return Err(failed(error.into())),
        };
        // The number may have become another's since the file was read; from here on it is this
        // one's.
        if began(self.process) != Some(self.began) {
            return Ok(true);
        }
        pidfd_send_signal(&process, Signal::TERM).map_err(|error| failed(error.into()))?;
        ended(&process, patience).map_err(failed)
    }
}

/// Waits until a process has ended, but not for longer than that; whether it has.
fn ended(process: &OwnedFd, patience: Duration) -> io::Result<bool> {
    let until = Instant::now() + patience;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let timeout =
            Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() };
        match poll(&mut [PollFd::new(process, PollFlags::IN)], Some(&timeout)) {
            Ok(count) => return Ok(count > 0),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// When a process began, in ticks since the machine did: the 22nd field (proc(5)). `None` if there
/// is none.
fn began(process: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name in parentheses may have any characters.
    let (_, rest) = text.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?;
    if matches!(state, "Z" | "X") {
        return None;
    }
    fields.nth(18)?.parse().ok()
}

/// A lab's file, while it runs; removed when this is dropped.
#[derive(Debug)]
pub struct Enrolled {
    path: PathBuf,
}

impl Enrolled {
    /// Writes the file of this process's lab.
    ///
    /// # Errors
    /// A lab of this name runs, or it cannot be written.
    pub fn new(name: &str, lab: &Lab) -> Result<Self, RunningError> {
        check_name(name)?;
        let process = std::process::id();
        let running = Running {
            name: name.to_owned(),
            process,
            began: began(process).unwrap_or_default(),
            hosts: lab
                .hosts()
                .iter()
                .map(|(host, namespace)| HostEntry {
                    name: host.name.clone(),
                    v4: host.v4.0.to_string(),
                    v6: host.v6.0.to_string(),
                    namespace: namespace.as_fd().as_raw_fd(),
                })
                .collect(),
        };
        let failed = at("say that the lab runs");
        let text = serde_json::to_string(&running).map_err(|error| failed(error.into()))?;
        let folder = folder()?;
        let _lock = locked(&folder)?;
        let (path, draft) =
            (folder.join(format!("{name}.json")), folder.join(format!("{name}.{process}.part")));
        let write = || {
            let _ = fs::remove_file(&draft);
            let mut file =
                OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
            file.write_all(text.as_bytes())
        };
        write().map_err(&failed)?;
        // A link is made complete or not at all, and never over a file that is there.
        let link = || fs::hard_link(&draft, &path);
        let mut linked = link();
        if linked.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::AlreadyExists)
            && Running::read(&path).is_none()
        {
            linked = link();
        }
        let _ = fs::remove_file(&draft);
        match linked {
            Ok(()) => {
                let enrolled = Enrolled { path };
                let file = enrolled.path.with_extension("hosts");
                fs::write(file, running.names()).map_err(&failed)?;
                Ok(enrolled)
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(RunningError::Taken(name.to_owned()))
            }
            Err(error) => Err(failed(error)),
        }
    }
}

impl Drop for Enrolled {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
        let _ = fs::remove_file(self.path.with_extension("hosts"));
    }
}

/// Removes the file of a lab that does not run, and what is beside it.
fn remove(path: &Path) {
    let _ = fs::remove_file(path);
    for extension in BESIDE {
        let _ = fs::remove_file(path.with_extension(extension));
    }
}

/// That a name may be one of a lab's.
///
/// # Errors
/// It may not.
pub fn check_name(name: &str) -> Result<(), RunningError> {
    let letter = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    match (1..=LONGEST_NAME).contains(&name.len()) && name.chars().all(letter) {
        true => Ok(()),
        false => Err(RunningError::Name(name.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_known_by_its_number_and_its_beginning() {
        let own = std::process::id();
        assert!(began(own).is_some_and(|ticks| ticks > 0));
        assert_eq!(began(own), began(own));
        assert_eq!(began(u32::MAX >> 1), None);
    }

    #[test]
    fn names_stay_in_the_folder() {
        assert!(check_name("leaf-spine_2").is_ok());
        for wrong in ["", "..", "a/b", "a b", &"x".repeat(33)] {
            assert!(matches!(check_name(wrong), Err(RunningError::Name(_))), "{wrong}");
        }
    }
}
