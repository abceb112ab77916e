//! Where results live: one folder, in which every file appears whole or not at all.
//!
//! A part (the result of one run) is `parts/<key>.parquet`. Files are written beside their place,
//! under a name of their writer's own, flushed to the disk and renamed, so that a killed program
//! loses at most the runs in flight. A lock file, released by the system when its holder dies,
//! keeps two programs out of one folder; those that compute shares of one experiment hold it
//! together. A damaged part is an error that names it, never a silent recomputation.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::results::frame::{Column, DataFrame};

/// Why the results folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// It cannot be written.
    #[error("cannot write results to {}: {source}; choose another folder", folder.display())]
    Unwritable {
        /// The folder of results.
        folder: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Another program uses it.
    #[error("another forebay is writing to {}; wait for it, or choose another \
             folder", folder.display())]
    Locked {
        /// The folder of results.
        folder: PathBuf,
    },
    /// A stored part does not read back.
    #[error("the stored run {} is damaged ({problem}); delete that file and run \
             again", file.display())]
    Corrupt {
        /// The file of one stored run.
        file: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A file could not be written or read.
    #[error("cannot write {}: {source}; what is already stored stays, so run again once \
             fixed", file.display())]
    Write {
        /// The file of the folder that it happened to.
        file: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A trace could not be written.
    #[error("cannot write {}: {source}", file.display())]
    Trace {
        /// The file of the folder that it happened to.
        file: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A table could not be encoded.
    #[error("cannot encode {}: {problem}", file.display())]
    Encode {
        /// The file of the folder that it happened to.
        file: PathBuf,
        /// What the encoder says.
        problem: String,
    },
}

/// The largest file of results that is read.
pub(super) const LARGEST: u64 = 1 << 32;

/// A series' name and its points.
pub type Series = (Arc<str>, Vec<(f64, f64)>);

/// The stored result of one run: metrics and series by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// Metric and value.
    pub values: Vec<(Arc<str>, f64)>,
    /// Series and its points (time in µs, value).
    pub series: Vec<Series>,
    /// How much processor time the run took, in seconds; none if it was stored by a version that
    /// did not say.
    pub seconds: Option<f64>,
}

/// An open results folder.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    _lock: File,
}

impl Store {
    /// Opens a folder for writing, creating it, and removes what a killed program left half
    /// written.
    ///
    /// # Errors
    /// The folder cannot be written or is in use.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let store = Store::locked(folder, File::try_lock)?;
        let fail = |source| StoreError::Unwritable { folder: folder.to_path_buf(), source };
        for entry in fs::read_dir(folder.join("parts")).map_err(fail)?.flatten() {
            if entry.path().extension().is_some_and(|extension| extension == "tmp") {
                fs::remove_file(entry.path()).map_err(fail)?;
            }
        }
        Ok(store)
    }

    /// Opens a folder for writing parts beside others that do the same, here or on another machine.
    ///
    /// # Errors
    /// The folder cannot be written, or one program uses it for itself.
    pub fn join(folder: &Path) -> Result<Self, StoreError> {
        Store::locked(folder, File::try_lock_shared)
    }

    fn locked(
        folder: &Path,
        lock: impl FnOnce(&File) -> Result<(), TryLockError>,
    ) -> Result<Self, StoreError> {
        let fail = |source| StoreError::Unwritable { folder: folder.to_path_buf(), source };
        let parts = folder.join("parts");
        fs::create_dir_all(folder).map_err(fail)?;
        let lock_file = folder.join(".lock");
        for own in [&parts, &lock_file] {
            own_or_absent(own).map_err(fail)?;
        }
        fs::create_dir_all(&parts).map_err(fail)?;
        let open = OpenOptions::new().write(true).create(true).truncate(false).open(lock_file);
        let file = open.map_err(fail)?;
        match lock(&file) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::Locked { folder: folder.to_path_buf() });
            }
            // Some file systems have no locks; parts are still written whole.
            Err(TryLockError::Error(_)) => {}
        }
        probe(&parts).map_err(fail)?;
        Ok(Store { folder: folder.to_path_buf(), _lock: file })
    }

    /// The folder of results.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn part_file(&self, key: &str) -> PathBuf {
        self.folder.join("parts").join(format!("{key}.parquet"))
    }

    /// Whether a part is stored, damaged or not.
    #[must_use]
    pub fn has_part(&self, key: &str) -> bool {
        self.part_file(key).is_file()
    }

    /// The stored part, if there is one.
    ///
    /// # Errors
    /// It is damaged.
    pub fn read_part(&self, key: &str) -> Result<Option<Part>, StoreError> {
        let file = self.part_file(key);
        let bytes = match forebay_files::read_stored(&file, LARGEST) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StoreError::Corrupt { file, problem: error.to_string() }),
        };
        match DataFrame::from_parquet(bytes)
            .map_err(|e| e.to_string())
            .and_then(|f| unpack(&f, key))
        {
            Ok(part) => Ok(Some(part)),
            Err(problem) => Err(StoreError::Corrupt { file, problem }),
        }
    }

    /// Stores a part.
    ///
    /// # Errors
    /// The disk refuses the part, and which file it was.
    pub fn write_part(&self, key: &str, part: &Part) -> Result<(), StoreError> {
        let file = self.part_file(key);
        let bytes = pack(part, key)
            .to_parquet()
            .map_err(|e| StoreError::Encode { file: file.clone(), problem: e.to_string() })?;
        write_whole(&file, &bytes)
    }
}

/// Makes the folder of results, and asks whether it can be written.
///
/// # Errors
/// It is a file, or the system refuses.
pub fn writable(folder: &Path) -> Result<(), StoreError> {
    let asked = fs::create_dir_all(folder).and_then(|()| probe(folder));
    asked.map_err(|source| StoreError::Unwritable { folder: folder.to_path_buf(), source })
}

/// Refuses what is neither file nor folder where this folder has something of its own: what is
/// written through a symbolic link would land elsewhere, and a named pipe would be waited for.
fn own_or_absent(own: &Path) -> std::io::Result<()> {
    let refused =
        |what: &str| Err(std::io::Error::other(format!("{} is {what}: remove it", own.display())));
    match fs::symlink_metadata(own) {
        Ok(found) if found.is_symlink() => refused("a symbolic link"),
        Ok(found) if !found.is_file() && !found.is_dir() => refused("a pipe or a device"),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Writes a file into the folder, and removes it.
fn probe(folder: &Path) -> std::io::Result<()> {
    let file = temporary(&folder.join("probe"));
    fs::write(&file, b"").and_then(|()| fs::remove_file(&file))
}

/// A name beside `file` that no other writer uses: two may write one part, where a scheduler gave
/// up on the first too early.
fn temporary(file: &Path) -> PathBuf {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    let mut name = file.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}-{now:x}.tmp", std::process::id()));
    file.with_file_name(name)
}

/// Writes a file so that it is either whole and on the disk, or not there.
///
/// # Errors
/// The disk refuses; a file of that name stays as it was.
pub fn write_whole(file: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let fail = |source| StoreError::Write { file: file.to_path_buf(), source };
    let temporary = temporary(file);
    let write = || -> std::io::Result<()> {
        let mut handle = File::create(&temporary)?;
        handle.write_all(bytes)?;
        handle.sync_all()?;
        fs::rename(&temporary, file)?;
        // The rename itself is durable once the folder is; not every system can flush a folder.
        if let Some(folder) = file.parent().and_then(|folder| File::open(folder).ok()) {
            let _ = folder.sync_all();
        }
        Ok(())
    };
    write().map_err(|error| {
        let _ = fs::remove_file(&temporary);
        fail(error)
    })
}

fn pack(part: &Part, key: &str) -> DataFrame {
    let (mut tables, mut names, mut times, mut values) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (metric, series): (Arc<str>, Arc<str>) = (Arc::from("metric"), Arc::from("series"));
    for (name, value) in &part.values {
        tables.push(metric.clone());
        names.push(name.clone());
        times.push(f64::NAN);
        values.push(*value);
    }
    for (name, points) in &part.series {
        for (time, value) in points {
            tables.push(series.clone());
            names.push(name.clone());
            times.push(*time);
            values.push(*value);
        }
    }
    let columns = vec![
        ("table".to_owned(), Column::Text(tables)),
        ("name".to_owned(), Column::Text(names)),
        ("time_us".to_owned(), Column::Number(times)),
        ("value".to_owned(), Column::Number(values)),
    ];
    let mut facts = vec![("key".to_owned(), key.to_owned()), ("digest".to_owned(), digest(part))];
    // Not in the digest: it is about the computing, not about the result.
    facts.extend(part.seconds.map(|seconds| ("seconds".to_owned(), seconds.to_string())));
    DataFrame { columns, facts }
}

/// A hash of a part's content, to notice a disk that returns other bytes than were written.
fn digest(part: &Part) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut text = |name: &str, count: usize| {
        hasher.update(&(name.len() as u64).to_le_bytes());
        hasher.update(name.as_bytes());
        hasher.update(&(count as u64).to_le_bytes());
    };
    for (name, value) in &part.values {
        text(name, 1);
        text(&value.to_bits().to_string(), 0);
    }
    for (name, points) in &part.series {
        text(name, points.len());
        let bytes: Vec<u8> = points
            .iter()
            .flat_map(|(time, value)| [time.to_bits().to_le_bytes(), value.to_bits().to_le_bytes()])
            .flatten()
            .collect();
        text(blake3::hash(&bytes).to_hex().as_str(), 1);
    }
    hasher.finalize().to_hex().to_string()
}

fn unpack(frame: &DataFrame, key: &str) -> Result<Part, String> {
    let missing = || "a column is missing".to_owned();
    let tables = frame.texts("table").ok_or_else(missing)?;
    let names = frame.texts("name").ok_or_else(missing)?;
    let times = frame.numbers("time_us").ok_or_else(missing)?;
    let values = frame.numbers("value").ok_or_else(missing)?;
    let fact = |name: &str| frame.facts.iter().find(|(k, _)| k == name).map(|(_, v)| v.as_str());
    if fact("key") != Some(key) {
        return Err("it is the result of another run".to_owned());
    }
    let seconds = fact("seconds").and_then(|text| text.parse().ok());
    let mut part = Part { seconds, ..Part::default() };
    for row in 0..frame.rows() {
        if &*tables[row] == "metric" {
            part.values.push((names[row].clone(), values[row]));
            continue;
        }
        let point = (times[row], values[row]);
        match part.series.last_mut() {
            Some((name, points)) if *name == names[row] => points.push(point),
            _ => part.series.push((names[row].clone(), vec![point])),
        }
    }
    if fact("digest") != Some(digest(&part).as_str()) {
        return Err("its content does not match its digest".to_owned());
    }
    Ok(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part() -> Part {
        Part {
            values: vec![("a".into(), 1.5), ("b".into(), f64::NAN)],
            series: vec![("s".into(), vec![(0.0, 1.0), (1.0, 2.0)])],
            seconds: Some(0.25),
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_link_in_the_folder_leads_nowhere() {
        use std::os::unix::fs::symlink;
        for own in ["parts", ".lock"] {
            let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            let kept = elsewhere.path().join("kept");
            fs::write(&kept, "kept").unwrap();
            let target = if own == "parts" { elsewhere.path() } else { &kept };
            symlink(target, folder.path().join(own)).unwrap();
            for open in [Store::open, Store::join] {
                let error = open(folder.path()).unwrap_err().to_string();
                assert!(error.contains("is a symbolic link: remove it"), "{error}");
            }
            assert_eq!(fs::read_to_string(&kept).unwrap(), "kept");
            assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 1);
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_socket_in_the_place_of_the_lock_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(folder.path().join(".lock")).unwrap();
        let error = Store::open(folder.path()).unwrap_err().to_string();
        assert!(error.contains(".lock is a pipe or a device: remove it"), "{error}");
    }

    #[test]
    fn parts_read_back_bit_for_bit() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        assert_eq!(store.read_part("k").unwrap(), None);
        store.write_part("k", &part()).unwrap();
        let back = store.read_part("k").unwrap().unwrap();
        assert_eq!((back.values[0].1, back.seconds), (1.5, Some(0.25)));
        assert_eq!(back.series, part().series);
        assert!(back.values[1].1.is_nan());
    }

    #[test]
    fn every_single_damaged_byte_is_noticed_or_harmless() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        store.write_part("k", &part()).unwrap();
        let file = store.part_file("k");
        let good = fs::read(&file).unwrap();
        let (mut noticed, hook) = (0, std::panic::take_hook());
        std::panic::set_hook(Box::new(|_| {}));
        for index in 0..good.len() {
            let mut bytes = good.clone();
            bytes[index] ^= 0x15;
            fs::write(&file, bytes).unwrap();
            match store.read_part("k") {
                Ok(read) => assert_eq!(read.unwrap().series, part().series, "byte {index}"),
                Err(error) => {
                    noticed += 1;
                    assert!(error.to_string().contains("delete that file"), "{error}");
                }
            }
        }
        std::panic::set_hook(hook);
        assert!(noticed > good.len() / 4, "{noticed} of {}", good.len());
        fs::write(&file, &good[..good.len() / 2]).unwrap();
        assert!(store.read_part("k").is_err(), "a truncated file");
    }

    #[test]
    fn a_folder_has_one_writer_and_no_leftovers() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        assert!(matches!(Store::open(folder.path()), Err(StoreError::Locked { .. })));
        fs::write(folder.path().join("parts/x.parquet.tmp"), b"half").unwrap();
        drop(store);
        let sharing = [Store::join(folder.path()).unwrap(), Store::join(folder.path()).unwrap()];
        assert!(matches!(Store::open(folder.path()), Err(StoreError::Locked { .. })));
        assert!(folder.path().join("parts/x.parquet.tmp").exists(), "it may be another's");
        drop(sharing);
        let _open = Store::open(folder.path()).unwrap();
        assert!(matches!(Store::join(folder.path()), Err(StoreError::Locked { .. })));
        assert_eq!(fs::read_dir(folder.path().join("parts")).unwrap().count(), 0);
    }

    #[test]
    fn an_unwritable_folder_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("file"), b"").unwrap();
        let error = Store::open(&folder.path().join("file/out")).unwrap_err().to_string();
        assert!(error.contains("choose another folder"), "{error}");
    }
}
