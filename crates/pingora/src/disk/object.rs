//! A cached body as a file: written once, under another name, and never changed.
//!
//! ```text
//! magic 8 | generation 8 | key 16 | length 8 | check of these 16
//! then for each 64 KiB of the body: check 16 | data
//! ```
//!
//! Numbers are little-endian. A check is the first half of a BLAKE3 hash; a block's is over the
//! generation, the block's number and its data, so that no block of another object, or of another
//! place, passes for it. A reader checks each block before it gives it away, and the first when the
//! file is opened: a small body that is damaged is a miss, a large one ends early, and no wrong
//! byte leaves.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;

/// Bytes of a body under one check.
pub(crate) const BLOCK: usize = 64 << 10;
const MAGIC: &[u8; 8] = b"FBBODY1\n";
const CHECK: usize = 16;
const HEAD: usize = 8 + 8 + 16 + 8 + CHECK;

/// Who a file belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) key: u128,
    pub(crate) generation: u64,
}

/// The first half of a hash.
pub(crate) type Check = [u8; CHECK];

/// The check of `parts`, one after another.
pub(crate) fn check(parts: &[&[u8]]) -> Check {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(part);
    }
    let mut check = [0; CHECK];
    check.copy_from_slice(&hasher.finalize().as_bytes()[..CHECK]);
    check
}

fn head(name: Name, length: u64) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[..8].copy_from_slice(MAGIC);
    head[8..16].copy_from_slice(&name.generation.to_le_bytes());
    head[16..32].copy_from_slice(&name.key.to_le_bytes());
    head[32..40].copy_from_slice(&length.to_le_bytes());
    let check = check(&[&head[..40]]);
    head[40..].copy_from_slice(&check);
    head
}

fn block_check(name: Name, block: u64, data: &[u8]) -> Check {
    check(&[&name.generation.to_le_bytes(), &block.to_le_bytes(), data])
}

/// What a body of `length` takes as a file.
pub(crate) fn size_on_disk(length: u64) -> u64 {
    HEAD as u64 + length + length.div_ceil(BLOCK as u64) * CHECK as u64
}

/// Writes `blocks`, each but the last of [`BLOCK`] bytes, to a file at `path`.
pub(crate) fn write(path: &Path, name: Name, blocks: &[Bytes]) -> io::Result<()> {
    let length = blocks.iter().map(|block| block.len() as u64).sum();
    let mut file = BufWriter::new(File::create(path)?);
    file.write_all(&head(name, length))?;
    for (number, data) in blocks.iter().enumerate() {
        file.write_all(&block_check(name, number as u64, data))?;
        file.write_all(data)?;
    }
    file.flush()
}

/// A file that is being read, by one reader at a time.
pub(crate) struct ObjectFile {
    file: Mutex<File>,
    name: Name,
    length: u64,
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("a cached body is damaged: {what}"))
}

impl ObjectFile {
    /// Opens the file of `name`, which must have `length` bytes of body.
    pub(crate) fn open(path: &Path, name: Name, length: u64) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let mut found = [0; HEAD];
        file.read_exact(&mut found)?;
        if found != head(name, length) {
            return Err(damaged("its head is not what was written"));
        }
        Ok(ObjectFile { file: Mutex::new(file), name, length })
    }

    /// Reads and checks one block.
    pub(crate) fn block(&self, block: u64) -> io::Result<Bytes> {
        let start = block * BLOCK as u64;
        let wanted = self.length.saturating_sub(start).min(BLOCK as u64) as usize;
        let place = HEAD as u64 + block * (BLOCK + CHECK) as u64;
        let mut data = vec![0; CHECK + wanted];
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(place))?;
        file.read_exact(&mut data)?;
        drop(file);
        let data = Bytes::from(data);
        let (found, data) = (data.slice(..CHECK), data.slice(CHECK..));
        if found[..] != block_check(self.name, block, &data) {
            return Err(damaged("a block is not what was written"));
        }
        Ok(data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NAME: Name = Name { key: 7, generation: 3 };

    fn blocks(body: &[u8]) -> Vec<Bytes> {
        body.chunks(BLOCK).map(Bytes::copy_from_slice).collect()
    }

    fn read_all(path: &Path, name: Name, length: u64) -> io::Result<Vec<u8>> {
        let file = ObjectFile::open(path, name, length)?;
        let mut all = Vec::new();
        for block in 0..length.div_ceil(BLOCK as u64) {
            all.extend_from_slice(&file.block(block)?);
        }
        Ok(all)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn what_was_written_is_read_and_damage_is_never_given_away(
            length in prop_oneof![0usize..200, BLOCK - 2..BLOCK + 2, 2 * BLOCK..2 * BLOCK + 9],
            place in any::<prop::sample::Index>(),
            flip in 1u8..,
            cut in any::<prop::sample::Index>(),
        ) {
            let folder = tempfile::tempdir()?;
            let path = folder.path().join("o");
            let body: Vec<u8> = (0..length).map(|at| (at * 31 % 251) as u8).collect();
            write(&path, NAME, &blocks(&body))?;
            let file = std::fs::read(&path)?;
            prop_assert_eq!(file.len() as u64, size_on_disk(length as u64));
            prop_assert_eq!(read_all(&path, NAME, length as u64)?, body);
            let other = Name { generation: 4, ..NAME };
            prop_assert!(read_all(&path, other, length as u64).is_err());

            let mut changed = file.clone();
            changed[place.index(file.len())] ^= flip;
            std::fs::write(&path, &changed)?;
            prop_assert!(read_all(&path, NAME, length as u64).is_err());
            std::fs::write(&path, &file[..cut.index(file.len())])?;
            prop_assert!(read_all(&path, NAME, length as u64).is_err());
        }
    }
}
