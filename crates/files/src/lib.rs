//! Which files a command reads and writes, and how much it reads of them: no output overwrites an
//! input, and each output is a file of its own. A command calls [`Files::check`] before it creates
//! its first file.
//!
//! Two names are one file if the system says so: by device and inode, through links of either kind;
//! for a file that does not exist yet, by its folder and name. Devices and pipes (`/dev/null`, a
//! terminal) hold nothing that could be lost, so any number of outputs may go there. Links and
//! renames made after the check are not noticed. A few system calls per file; O(files²)
//! comparisons.
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

mod bounded;
mod identity;
mod input;

use std::fmt;
use std::path::{Path, PathBuf};

pub use bounded::{for_each_line, open_stored, read, read_stored, read_text, read_text_from};
use identity::Identity;
pub use input::Input;

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
    /// An input; described as in "the capture".
    Read(&'static str),
    /// An output; named by its parameter.
    Written(&'static str),
}

impl Files {
    /// Adds an input, which `what` describes, as "the capture".
    #[must_use]
    pub fn read(self, what: &'static str, path: impl AsRef<Path>) -> Self {
        self.with(path.as_ref(), Role::Read(what))
    }

    /// Adds an output, which `parameter` names.
    #[must_use]
    pub fn write(self, parameter: &'static str, path: impl AsRef<Path>) -> Self {
        self.with(path.as_ref(), Role::Written(parameter))
    }

    /// Adds an output if there is one.
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

    /// Checks that all files are distinct. Changes nothing.
    ///
    /// # Errors
    /// The first output that is one of the inputs, or another output.
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
            format!("{shown} is the file of {parameter}{alias}, too: give each output its own file")
        }
    }
}

/// An output would overwrite an input or another output.
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
