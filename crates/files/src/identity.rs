//! Recognizes a file under another name.

use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

/// How many links in a row are followed, as many as operating systems follow.
const LINKS: usize = 40;

/// What two names of one file have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Identity {
    /// The device and inode of an existing file.
    #[cfg(unix)]
    Inode(u64, u64),
    /// Its path without links, on systems without inodes.
    #[cfg(not(unix))]
    Path(PathBuf),
    /// The folder, without links, and name of a file that does not exist yet.
    Place(PathBuf, OsString),
}

impl Identity {
    /// The identity of the file that opening this name would reach; none for what is not a plain
    /// file, or is in a missing folder, so that opening it fails.
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

/// The name that links lead to. Opening a dangling link creates the file there.
fn end_of_links(path: &Path) -> PathBuf {
    let mut path = path.to_path_buf();
    for _ in 0..LINKS {
        let Ok(next) = fs::read_link(&path) else { break };
        path = path.parent().map_or_else(|| next.clone(), |folder| folder.join(&next));
    }
    path
}
