//! What the fuzz targets ask of a cache's folder: whatever lies there, a start goes on with a
//! beginning of what was written, and no wrong byte of a body is given away. Only with the feature
//! `fuzzing`, which nothing but `fuzz/` turns on.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;

use crate::cache::Cache;
use crate::disk::{self, BLOCK, Meta, Name, ObjectFile, Put, Record};
use crate::header;

/// A record of the index.
#[derive(Clone, Debug)]
pub enum Logged {
    /// A body was put.
    Put {
        /// The key, and that without the variant.
        keys: [u128; 2],
        /// Which of the key's bodies.
        generation: u64,
        /// Its length.
        length: u64,
        /// How long the fetch took, and how long all waited.
        waited: [u64; 2],
        /// How many waited.
        waiters: u32,
        /// Pingora's metadata and the header.
        meta: [Vec<u8>; 2],
    },
    /// Its headers have changed.
    Changed {
        /// The key.
        key: u128,
        /// Which of its bodies.
        generation: u64,
        /// Pingora's metadata and the header.
        meta: [Vec<u8>; 2],
    },
    /// It was removed.
    Removed {
        /// The key.
        key: u128,
        /// Which of its bodies.
        generation: u64,
    },
}

/// What becomes of a file: so many bytes stay, and this one is changed.
#[derive(Clone, Copy, Debug)]
pub struct Damage {
    /// How much of 2^32 stays of the file.
    pub stays: u32,
    /// Where in it, of 2^32, a byte is changed.
    pub place: u32,
    /// The bits that change.
    pub flip: u8,
}

impl Damage {
    /// The file with the damage; whether it differs from what it was.
    fn of(self, file: &[u8]) -> (Vec<u8>, bool) {
        let part = |of: u32, all: usize| ((u64::from(of) * all as u64) >> 32) as usize;
        let mut now = file[..part(self.stays, file.len() + 1)].to_vec();
        if !now.is_empty() {
            let place = part(self.place, now.len());
            now[place] ^= self.flip;
        }
        let differs = now != file;
        (now, differs)
    }
}

fn record(logged: &Logged) -> Record {
    let meta = |[internal, header]: &[Vec<u8>; 2]| Meta {
        internal: internal.clone(),
        header: header.clone(),
    };
    match logged {
        Logged::Put { keys: [key, primary], generation, length, waited, waiters, meta: of } => {
            Record::Put(Put {
                key: *key,
                primary: *primary,
                generation: *generation,
                length: *length,
                z: waited[0],
                waiters: *waiters,
                delay: waited[1],
                meta: meta(of),
            })
        }
        Logged::Changed { key, generation, meta: of } => {
            Record::Changed { key: *key, generation: *generation, meta: meta(of) }
        }
        Logged::Removed { key, generation } => {
            Record::Removed { key: *key, generation: *generation }
        }
    }
}

/// Any bytes as an index at `path`, and any payloads in right frames.
///
/// # Errors
/// If the file system fails.
pub fn any_index(path: &Path, bytes: &[u8], payloads: &[Vec<u8>]) -> io::Result<()> {
    fs::write(path, bytes)?;
    disk::read_index(path)?;
    let framed = disk::framed(payloads);
    fs::write(path, &framed)?;
    let (records, damaged) = disk::read_index(path)?;
    assert!(records.len() <= payloads.len());
    assert_eq!(damaged, records.len() < payloads.len());
    // What is read is written the same.
    disk::write_index(path, &records)?;
    assert_eq!(fs::read(path)?, &framed[..fs::metadata(path)?.len() as usize]);
    Ok(())
}

/// An index of `records` at `path`, damaged: what is read is a beginning of what was written.
///
/// # Errors
/// If the file system fails.
pub fn damaged_index(path: &Path, records: &[Logged], damage: Damage) -> io::Result<()> {
    let mut records: Vec<Record> = records.iter().map(record).collect();
    disk::write_index(path, &records)?;
    let (whole, impossible) = disk::read_index(path)?;
    assert!(impossible == (whole.len() < records.len()) && whole == records[..whole.len()]);
    // What no cache can have written ends it; what comes before is damaged then.
    records.truncate(whole.len());
    disk::write_index(path, &records)?;
    let (now, differs) = damage.of(&fs::read(path)?);
    fs::write(path, now)?;
    let (found, damaged) = disk::read_index(path)?;
    assert_eq!(found, records[..found.len()]);
    assert!(!differs || damaged || found.len() < records.len());
    Ok(())
}

/// A body of `length` bytes in a file at `path`, damaged: its blocks are right or refused.
///
/// # Errors
/// If the file system fails.
pub fn damaged_body(path: &Path, keys: [u128; 2], length: usize, damage: Damage) -> io::Result<()> {
    let name = Name { key: keys[0], generation: keys[1] as u64 };
    let body: Vec<u8> = (0..length).map(|at| (at * 31 % 251) as u8).collect();
    let blocks: Vec<Bytes> = body.chunks(BLOCK).map(Bytes::copy_from_slice).collect();
    disk::write_body(path, name, &blocks)?;
    let (now, _) = damage.of(&fs::read(path)?);
    fs::write(path, now)?;
    let Ok(file) = ObjectFile::open(path, name, length as u64) else { return Ok(()) };
    for (number, block) in blocks.iter().enumerate() {
        if let Ok(found) = file.block(number as u64) {
            assert_eq!(found, *block);
        }
    }
    Ok(())
}

/// A cache that starts on whatever an index says, though each record is whole: it holds no more
/// than it may, and its headers can be read or are refused.
///
/// # Errors
/// If the file system fails.
pub fn any_start(folder: &Path, records: &[Logged]) -> io::Result<()> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    const CAPACITY: u64 = 100_000;
    // The sweep of an earlier start goes on by itself: each has its own folder.
    let folder = folder.join(NUMBER.fetch_add(1, Ordering::Relaxed).to_string());
    fs::create_dir_all(&folder)?;
    let records: Vec<Record> = records.iter().map(record).collect();
    disk::write_index(&folder.join("index"), &records)?;
    let (known, _) = disk::read_index(&folder.join("index"))?;
    let built = Cache::builder(CAPACITY).folder(&folder).build();
    let cache = built.map_err(io::Error::other)?;
    let stats = cache.stats();
    assert!(stats.bytes <= CAPACITY && stats.objects as usize <= records.len());
    for entry in cache.inner.state().entries() {
        drop(header::read(&entry.meta));
    }
    let first = cache.inner.disk.as_ref().map_or(0, disk::Disk::next_generation);
    for record in &known {
        if let Record::Put(Put { generation, .. }) | Record::Removed { generation, .. } = record {
            assert!(
                first > *generation,
                "a body of generation {generation} could be taken for new"
            );
        }
    }
    drop(cache);
    fs::remove_dir_all(&folder).ok();
    Ok(())
}
