//! What makes a file the same file under another name.

use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

/// As many links in a row as systems follow.
const LINKS: usize = 40;

/// What two names of one file have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Identity {
    /// The device and inode of a file that is there.
    #[cfg(unix)]
    Inode(u64, u64),
    /// Where there are no inodes, its path without links.
    #[cfg(not(unix))]
    Path(PathBuf),
    /// The folder without links, and the name, of a file that is not there yet.
    Place(PathBuf, OsString),
}

impl Identity {
    /// That of the file of this name, as opening it finds it; none of what is no plain file, or is in no folder
    /// that is there, so that opening it fails.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        match fs::metadata(path) {
            Ok(found) if found.is_file() => Identity::existing(path, &found),
            Ok(_) => None,
            Err(_) => Identity::place(end_of_links(path)),
        }
    }

    #[cfg(unix)]
    fn existing(_: &Path, found: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        Some(Identity::Inode(found.dev(), found.ino()))
    }

    #[cfg(not(unix))]
    fn existing(path: &Path, _: &Metadata) -> Option<Self> {
        fs::canonicalize(path).ok().map(Identity::Path)
    }

    fn place(path: PathBuf) -> Option<Self> {
        let name = path.file_name()?.to_os_string();
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        Some(Identity::Place(fs::canonicalize(folder).ok()?, name))
    }
}

/// The name that links lead to. A file is made there when it is opened by a link to nothing.
fn end_of_links(path: &Path) -> PathBuf {
    let mut path = path.to_path_buf();
    for _ in 0..LINKS {
        let Ok(next) = fs::read_link(&path) else { break };
        path = path.parent().map_or_else(|| next.clone(), |folder| folder.join(&next));
    }
    path
}
