//! Bodies as plain files in a folder, with an index that survives restarts.
//!
//! ```text
//! FOLDER/lock                    held by the process that uses the folder
//! FOLDER/index                   a log, see `index`
//! FOLDER/bodies/ab/KEY-GENERATION   one body, see `object`
//! FOLDER/bodies/ab/….part        one that is being written
//! ```
//!
//! A body is written to a `.part`, renamed, and only then named by the index; it is removed before
//! the index forgets it. `kill -9` between any two steps leaves a file that nobody names, which is
//! swept away, or a name without a file, which is a miss. No `fsync`: after a power failure a file
//! may be empty or wrong, which its checks show, and it is fetched again. A body is never changed,
//! and a new one of the same key has a new generation and so another file.

mod index;
mod object;

use std::collections::HashSet;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;

pub(crate) use index::{Meta, Put, Record};
pub(crate) use object::{BLOCK, Name, ObjectFile, size_on_disk};

#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use index::write as write_index;
#[cfg(feature = "fuzzing")]
pub(crate) use index::{framed, read as read_index};
#[cfg(feature = "fuzzing")]
pub(crate) use object::write as write_body;

use index::Index;

/// The folder.
pub(crate) struct Disk {
    folder: PathBuf,
    index: Mutex<Index>,
    generation: AtomicU64,
    /// The first generation of this process.
    first: u64,
    /// Held, so that no other process uses the folder.
    _lock: File,
}

/// What a start found.
pub(crate) struct Found {
    /// What is cached, the oldest first.
    pub(crate) entries: Vec<Put>,
    /// Whether the index ended in something that is no record.
    pub(crate) damaged: bool,
}

impl Disk {
    /// Opens `folder`, or makes it.
    pub(crate) fn open(folder: &Path) -> io::Result<(Self, Found)> {
        fs::create_dir_all(folder.join("bodies"))?;
        let lock = File::create(folder.join("lock"))?;
        lock.try_lock().map_err(|error| match error {
            TryLockError::Error(error) => error,
            TryLockError::WouldBlock => {
                io::Error::new(io::ErrorKind::ResourceBusy, "another process uses it")
            }
        })?;
        let path = folder.join("index");
        let (records, damaged) = index::read(&path)?;
        let (entries, last) = replay(records);
        let puts: Vec<Record> = entries.into_iter().map(Record::Put).collect();
        let index = Index::write(&path, puts.iter())?;
        let entries = puts
            .into_iter()
            .filter_map(|record| match record {
                Record::Put(put) => Some(put),
                Record::Changed { .. } | Record::Removed { .. } => None,
            })
            .collect();
        // A body that the index has lost could have a later generation than any in it: a process
        // begins above both what is named and what earlier ones could have used.
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |at| at.as_secs());
        let first = ((last >> 32) + 1).max(seconds & 0xffff_ffff) << 32;
        let generation = AtomicU64::new(first);
        let folder = folder.to_owned();
        let disk = Disk { folder, index: Mutex::new(index), generation, first, _lock: lock };
        Ok((disk, Found { entries, damaged }))
    }

    pub(crate) fn next_generation(&self) -> u64 {
        self.generation.fetch_add(1, Ordering::Relaxed)
    }

    fn path(&self, name: Name) -> PathBuf {
        let key = format!("{:032x}", name.key);
        self.folder.join("bodies").join(&key[..2]).join(format!("{key}-{:x}", name.generation))
    }

    /// Writes a body, whole or not at all.
    pub(crate) fn write(&self, name: Name, blocks: &[Bytes]) -> io::Result<()> {
        let path = self.path(name);
        let part = path.with_extension("part");
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        let written = object::write(&part, name, blocks).and_then(|()| fs::rename(&part, &path));
        if written.is_err() {
            // It may be in the way of nothing but the disk's room; the sweep takes what stays.
            fs::remove_file(&part).ok();
        }
        written
    }

    pub(crate) fn open_body(&self, name: Name, length: u64) -> io::Result<ObjectFile> {
        ObjectFile::open(&self.path(name), name, length)
    }

    /// Removes a body. That it is gone already is no error.
    pub(crate) fn remove_body(&self, name: Name) {
        if let Err(error) = fs::remove_file(self.path(name))
            && error.kind() != io::ErrorKind::NotFound
        {
            log::warn!("a body stays in {}: {error}", self.folder.display());
        }
    }

    /// Appends to the index; `live` gives what is cached, if the log has grown so long that it is
    /// written anew, with `record` among it.
    pub(crate) fn note(
        &self,
        record: &Record,
        live: u64,
        all: impl FnOnce() -> Vec<Record>,
    ) -> io::Result<()> {
        let mut index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        if index.is_long(live) {
            let path = index.path().to_owned();
            *index = Index::write(&path, all().iter())?;
            return Ok(());
        }
        index.append(record)
    }

    /// Removes files that are neither in `known` nor of this process: what `kill -9` left behind.
    pub(crate) fn sweep(&self, known: &HashSet<(u128, u64)>) -> io::Result<usize> {
        let mut swept = 0;
        for folder in fs::read_dir(self.folder.join("bodies"))? {
            let folder = folder?.path();
            let Ok(files) = fs::read_dir(&folder) else { continue };
            for file in files {
                let file = file?;
                let named = file.file_name().to_str().and_then(parse_name);
                let keep = named.is_some_and(|(name, part)| {
                    let ours = name.generation >= self.first;
                    ours || !part && known.contains(&(name.key, name.generation))
                });
                if !keep && fs::remove_file(file.path()).is_ok() {
                    swept += 1;
                }
            }
        }
        Ok(swept)
    }
}

/// The name that a file has, and whether it is only a part.
fn parse_name(file: &str) -> Option<(Name, bool)> {
    let (name, part) = match file.strip_suffix(".part") {
        Some(name) => (name, true),
        None => (file, false),
    };
    let (key, generation) = name.split_once('-')?;
    let key = u128::from_str_radix(key, 16).ok()?;
    let generation = u64::from_str_radix(generation, 16).ok()?;
    Some((Name { key, generation }, part))
}

/// What is cached after `records`, the oldest first, and the largest generation.
fn replay(records: Vec<Record>) -> (Vec<Put>, u64) {
    let mut entries: Vec<Option<Put>> = Vec::new();
    let mut places = std::collections::HashMap::new();
    let mut last = 0;
    for record in records {
        match record {
            Record::Put(put) => {
                last = last.max(put.generation);
                if let Some(place) = places.insert(put.key, entries.len()) {
                    entries[place] = None;
                }
                entries.push(Some(put));
            }
            Record::Changed { key, generation, meta } => {
                let entry = places.get(&key).and_then(|place: &usize| entries[*place].as_mut());
                if let Some(put) = entry.filter(|put| put.generation == generation) {
                    put.meta = meta;
                }
            }
            Record::Removed { key, generation } => {
                last = last.max(generation);
                if let Some(place) = places.get(&key)
                    && entries[*place].as_ref().is_some_and(|put| put.generation == generation)
                {
                    entries[*place] = None;
                }
            }
        }
    }
    (entries.into_iter().flatten().collect(), last)
}
