//! The index: a log of what was put, changed and removed, from which a start reads what there is.
//!
//! Each record is `length 4 | check 16 | payload`. A record is appended in one write, so that
//! `kill -9` leaves whole records and at most a torn last one. Reading ends at the first record
//! that is not whole: what came after is lost to the cache, which then fetches again, and nothing
//! wrong comes of it, since a body is found by its generation and removed with its entry. Bodies
//! that no record names are swept away after the start.
//!
//! A log much longer than what it says is written anew, to another name, and renamed.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use super::object::check;

/// What the file begins with; another number is another form, and no index.
const MAGIC: &[u8; 16] = b"forebay-index 1\n";
const FRAME: usize = 4 + 16;
/// No record is longer: headers have a bound below it.
const MOST: usize = 16 << 20;

/// No body is longer, and no generation is as late: the next process could not begin after it.
const MOST_BODY: u64 = 1 << 56;
const LAST: u64 = (u32::MAX as u64) << 32;

/// The metadata of a response as Pingora writes it: its own, and the header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Meta {
    pub(crate) internal: Vec<u8>,
    pub(crate) header: Vec<u8>,
}

impl Meta {
    pub(crate) fn len(&self) -> u64 {
        (self.internal.len() + self.header.len()) as u64
    }
}

/// What is known of a cached body besides the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Put {
    pub(crate) key: u128,
    pub(crate) primary: u128,
    pub(crate) generation: u64,
    pub(crate) length: u64,
    /// How long the fetch took, in nanoseconds, how many waited for it, and how long in all.
    pub(crate) z: u64,
    pub(crate) waiters: u32,
    pub(crate) delay: u64,
    pub(crate) meta: Meta,
}

/// One entry of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Record {
    Put(Put),
    /// The metadata of `key` has changed.
    Changed {
        key: u128,
        generation: u64,
        meta: Meta,
    },
    Removed {
        key: u128,
        generation: u64,
    },
}

struct Encoder(Vec<u8>);

impl Encoder {
    fn number<const N: usize>(&mut self, bytes: [u8; N]) {
        self.0.extend_from_slice(&bytes);
    }

    fn text(&mut self, bytes: &[u8]) {
        self.number((bytes.len() as u32).to_le_bytes());
        self.0.extend_from_slice(bytes);
    }

    fn meta(&mut self, meta: &Meta) {
        self.text(&meta.internal);
        self.text(&meta.header);
    }
}

struct Decoder<'a>(&'a [u8]);

impl<'a> Decoder<'a> {
    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (now, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(now)
    }

    fn number<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.bytes(N)?.try_into().ok()
    }

    fn text(&mut self) -> Option<Vec<u8>> {
        let count = u32::from_le_bytes(self.number()?);
        Some(self.bytes(count as usize)?.to_vec())
    }

    fn meta(&mut self) -> Option<Meta> {
        Some(Meta { internal: self.text()?, header: self.text()? })
    }
}

impl Record {
    fn encode(&self) -> Vec<u8> {
        let mut to = Encoder(vec![0; FRAME]);
        match self {
            Record::Put(put) => {
                to.number([1]);
                to.number(put.key.to_le_bytes());
                to.number(put.primary.to_le_bytes());
                to.number(put.generation.to_le_bytes());
                to.number(put.length.to_le_bytes());
                to.number(put.z.to_le_bytes());
                to.number(put.waiters.to_le_bytes());
                to.number(put.delay.to_le_bytes());
                to.meta(&put.meta);
            }
            Record::Changed { key, generation, meta } => {
                to.number([2]);
                to.number(key.to_le_bytes());
                to.number(generation.to_le_bytes());
                to.meta(meta);
            }
            Record::Removed { key, generation } => {
                to.number([3]);
                to.number(key.to_le_bytes());
                to.number(generation.to_le_bytes());
            }
        }
        let mut bytes = to.0;
        let length = (bytes.len() - FRAME) as u32;
        let check = check(&[&bytes[FRAME..]]);
        bytes[..4].copy_from_slice(&length.to_le_bytes());
        bytes[4..FRAME].copy_from_slice(&check);
        bytes
    }

    fn decode(payload: &[u8]) -> Option<Record> {
        let mut from = Decoder(payload);
        let record = match from.number::<1>()? {
            [1] => Record::Put(Put {
                key: u128::from_le_bytes(from.number()?),
                primary: u128::from_le_bytes(from.number()?),
                generation: u64::from_le_bytes(from.number()?),
                length: u64::from_le_bytes(from.number()?),
                z: u64::from_le_bytes(from.number()?),
                waiters: u32::from_le_bytes(from.number()?),
                delay: u64::from_le_bytes(from.number()?),
                meta: from.meta()?,
            }),
            [2] => Record::Changed {
                key: u128::from_le_bytes(from.number()?),
                generation: u64::from_le_bytes(from.number()?),
                meta: from.meta()?,
            },
            [3] => Record::Removed {
                key: u128::from_le_bytes(from.number()?),
                generation: u64::from_le_bytes(from.number()?),
            },
            _ => return None,
        };
        (from.0.is_empty() && record.can_be()).then_some(record)
    }

    /// Whether a cache can have written it: later generations follow it, and its body can be.
    fn can_be(&self) -> bool {
        match self {
            Record::Put(put) => put.generation < LAST && put.length <= MOST_BODY,
            Record::Changed { generation, .. } | Record::Removed { generation, .. } => {
                *generation < LAST
            }
        }
    }
}

/// The log, open for appending.
pub(crate) struct Index {
    path: PathBuf,
    file: File,
    records: u64,
    /// Whether a write failed: then the file may end in half a record, and must be written anew.
    torn: bool,
}

/// Reads the records of the log at `path`; none if there is no log. The flag tells whether it ended
/// in something else than whole records.
pub(crate) fn read(path: &Path) -> io::Result<(Vec<Record>, bool)> {
    let mut bytes = Vec::new();
    match File::open(path) {
        Ok(mut file) => file.read_to_end(&mut bytes)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((Vec::new(), false)),
        Err(error) => return Err(error),
    };
    let Some(mut rest) = bytes.strip_prefix(MAGIC.as_slice()) else {
        return Ok((Vec::new(), true));
    };
    let mut records = Vec::new();
    while let Some((record, after)) = first(rest) {
        records.push(record);
        rest = after;
    }
    Ok((records, !rest.is_empty()))
}

/// The first record of `bytes` and what comes after it.
fn first(bytes: &[u8]) -> Option<(Record, &[u8])> {
    let mut from = Decoder(bytes);
    let length = u32::from_le_bytes(from.number()?) as usize;
    let found: [u8; 16] = from.number()?;
    if length > MOST {
        return None;
    }
    let payload = from.bytes(length)?;
    if check(&[payload]) != found {
        return None;
    }
    Some((Record::decode(payload)?, from.0))
}

impl Index {
    /// A log at `path` that says `records` and nothing else.
    pub(crate) fn write<'a>(
        path: &Path,
        records: impl Iterator<Item = &'a Record>,
    ) -> io::Result<Self> {
        let anew = path.with_extension("new");
        let mut file = BufWriter::new(File::create(&anew)?);
        file.write_all(MAGIC)?;
        let mut count = 0;
        for record in records {
            file.write_all(&record.encode())?;
            count += 1;
        }
        file.into_inner().map_err(io::IntoInnerError::into_error)?;
        std::fs::rename(&anew, path)?;
        let file = OpenOptions::new().append(true).open(path)?;
        Ok(Index { path: path.to_owned(), file, records: count, torn: false })
    }

    /// Appends a record, in one write.
    pub(crate) fn append(&mut self, record: &Record) -> io::Result<()> {
        if self.torn {
            return Err(io::Error::other("the index is torn and waits to be written anew"));
        }
        self.records += 1;
        self.file.write_all(&record.encode()).inspect_err(|_| self.torn = true)
    }

    /// Whether it should be written anew: it says much more than `live` entries, or is torn.
    pub(crate) fn is_long(&self, live: u64) -> bool {
        self.torn || self.records > 4 * live + 1000
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// A log of `payloads`, each in a right frame, whatever it is.
#[cfg(feature = "fuzzing")]
pub(crate) fn framed(payloads: &[Vec<u8>]) -> Vec<u8> {
    let mut file = MAGIC.to_vec();
    for payload in payloads {
        file.extend_from_slice(&(payload.len() as u32).to_le_bytes());
        file.extend_from_slice(&check(&[payload]));
        file.extend_from_slice(payload);
    }
    file
}

/// A log at `path` that says `records`.
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) fn write(path: &Path, records: &[Record]) -> io::Result<()> {
    Index::write(path, records.iter()).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn record() -> impl Strategy<Value = Record> {
        let bytes = || prop::collection::vec(any::<u8>(), 0..40);
        let meta = || (bytes(), bytes()).prop_map(|(internal, header)| Meta { internal, header });
        prop_oneof![
            (any::<u128>(), 0..LAST, 0..=MOST_BODY, any::<u32>(), meta()).prop_map(
                |(key, generation, length, waiters, meta)| {
                    let (primary, z, delay) = (key ^ 1, length / 2, generation / 3);
                    Record::Put(Put { key, primary, generation, length, z, waiters, delay, meta })
                }
            ),
            (any::<u128>(), 0..LAST, meta()).prop_map(|(key, generation, meta)| Record::Changed {
                key,
                generation,
                meta
            }),
            (any::<u128>(), 0..LAST)
                .prop_map(|(key, generation)| Record::Removed { key, generation }),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn what_is_read_is_a_beginning_of_what_was_written(
            records in prop::collection::vec(record(), 0..12),
            place in any::<prop::sample::Index>(),
            flip in 1u8..,
            cut in any::<prop::sample::Index>(),
        ) {
            let folder = tempfile::tempdir()?;
            let path = folder.path().join("index");
            let half = records.len() / 2;
            let mut log = Index::write(&path, records[..half].iter())?;
            for record in &records[half..] {
                log.append(record)?;
            }
            prop_assert_eq!(&read(&path)?, &(records.clone(), false));

            let file = std::fs::read(&path)?;
            std::fs::write(&path, &file[..cut.index(file.len() + 1)])?;
            let (found, _) = read(&path)?;
            prop_assert_eq!(&found[..], &records[..found.len()]);

            let mut changed = file.clone();
            changed[place.index(file.len())] ^= flip;
            std::fs::write(&path, &changed)?;
            let (found, damaged) = read(&path)?;
            prop_assert!(damaged);
            prop_assert_eq!(&found[..], &records[..found.len()]);
        }
    }

    #[test]
    fn a_record_that_no_cache_can_have_written_is_damage() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("index");
        let put = |generation, length| {
            let meta = Meta::default();
            let (key, primary, z, waiters, delay) = (1, 1, 0, 0, 0);
            Record::Put(Put { key, primary, generation, length, z, waiters, delay, meta })
        };
        let removed = |generation| Record::Removed { key: 1, generation };
        for wrong in [put(u64::MAX, 1), put(1, u64::MAX), removed(u64::MAX)] {
            let right = put(LAST - 1, MOST_BODY);
            drop(Index::write(&path, [&right, &wrong].into_iter())?);
            assert_eq!(read(&path)?, (vec![right], true));
        }
        Ok(())
    }

    #[test]
    fn no_file_is_no_record() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        assert_eq!(read(&folder.path().join("none"))?, (Vec::new(), false));
        Ok(())
    }
}
