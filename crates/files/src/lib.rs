//! Which files a command reads and writes: what it writes is none of what it reads, and each output is a file
//! of its own. Whoever writes asks [`Files::check`] before the first file is made.
//!
//! Two names are one file where the system says so, by device and inode, through links of either kind; of a
//! file that is not there yet, by its folder and name. Devices and pipes (`/dev/null`, a terminal) hold nothing
//! that could be lost, so any number of outputs may go there. What is linked or renamed after the check is not
//! noticed. A few calls of the system a file; O(files²) comparisons.
//!
//! ```
//! use forebay_files::Files;
//!
//! let files = Files::default().read("the capture", "a.pcap").write("pcap", "left.pcap");
//! assert!(files.clone().write("trace", "a.pftrace").check().is_ok());
//! let error = files.write("trace", "./a.pcap").check().unwrap_err();
//! assert_eq!(error.parameter, "trace");
//! assert!(error.problem.starts_with("./a.pcap is the capture (a.pcap), which would be lost"));
//! ```
#![forbid(unsafe_code)]

mod identity;

use std::fmt;
use std::path::{Path, PathBuf};

use identity::Identity;

/// The files of a command.
#[derive(Clone, Debug, Default)]
pub struct Files(Vec<Named>);

#[derive(Clone, Debug)]
struct Named {
    path: PathBuf,
    role: Role,
}

#[derive(Clone, Debug)]
enum Role {
    /// It is read; what it is, as "the capture".
    Read(&'static str),
    /// It is written; the parameter that names it.
    Written(&'static str),
}

impl Files {
    /// These, and one that is read; `what` it is, as "the capture".
    #[must_use]
    pub fn read(self, what: &'static str, path: impl AsRef<Path>) -> Self {
        self.with(path.as_ref(), Role::Read(what))
    }

    /// These, and one that is written, which `parameter` names.
    #[must_use]
    pub fn write(self, parameter: &'static str, path: impl AsRef<Path>) -> Self {
        self.with(path.as_ref(), Role::Written(parameter))
    }

    /// The same, if there is one.
    #[must_use]
    pub fn write_some(self, parameter: &'static str, path: Option<impl AsRef<Path>>) -> Self {
        match path {
            Some(path) => self.write(parameter, path),
            None => self,
        }
    }

    fn with(mut self, path: &Path, role: Role) -> Self {
        self.0.push(Named { path: path.to_path_buf(), role });
        self
    }

    /// Looks whether all are files of their own. Changes nothing.
    ///
    /// # Errors
    /// The first output that is one of the files that are read, or another output.
    pub fn check(&self) -> Result<(), SameFile> {
        let identities: Vec<_> = self.0.iter().map(|named| Identity::of(&named.path)).collect();
        for (place, (file, identity)) in self.0.iter().zip(&identities).enumerate() {
            let Role::Written(parameter) = file.role else { continue };
            let same = |(other, found): (usize, &Option<Identity>)| {
                let once = other < place || matches!(self.0[other].role, Role::Read(_));
                once && found.is_some() && found == identity
            };
            if let Some(other) = identities.iter().enumerate().position(same) {
                let problem = problem(&file.path, &self.0[other]);
                return Err(SameFile { parameter, problem });
            }
        }
        Ok(())
    }
}

fn problem(path: &Path, other: &Named) -> String {
    let shown = path.display();
    let alias =
        if path == other.path { String::new() } else { format!(" ({})", other.path.display()) };
    match other.role {
        Role::Read(what) => {
            format!("{shown} is {what}{alias}, which would be lost: write to another file")
        }
        Role::Written(parameter) => {
            format!("{shown} is the file of {parameter}{alias}, too: give each one of its own")
        }
    }
}

/// An output would overwrite a file that is read, or another output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SameFile {
    /// The parameter that names the output.
    pub parameter: &'static str,
    /// Which file it is, and the fix.
    pub problem: String,
}

impl fmt::Display for SameFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.parameter, self.problem)
    }
}

impl std::error::Error for SameFile {}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
