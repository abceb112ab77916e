//! libCacheSim's binary format oracleGeneral: records of 24 bytes, little-endian: time in seconds
//! (u32), object id (u64), size in bytes (u32), and the place of the object's next request (i64,
//! negative if there is none). It tells the order of the future, which is what Belady needs. O(1) a
//! request.

use std::collections::HashSet;
use std::io::{ErrorKind, Read};

use forebay_units::Bytes;

use super::clock::{Relative, Stamp};
use super::error::Byte;
use super::{Problem, ReadError, TraceClock};
use crate::model::{Future, ObjectId, Request};

const RECORD_BYTES: usize = 24;

/// The requests of an oracleGeneral trace. Its places count from wherever the file's writer began;
/// only their order is used.
///
/// ```
/// use forebay_cache::readers::{TraceClock, OracleGeneral};
/// use forebay_cache::{Future, STEP};
///
/// let mut file = Vec::new();
/// for (id, next) in [(7_u64, 1_i64), (7, -1)] {
///     file.extend(100_u32.to_le_bytes());
///     file.extend(id.to_le_bytes());
///     file.extend(4096_u32.to_le_bytes());
///     file.extend(next.to_le_bytes());
/// }
/// let trace = OracleGeneral::new(file.as_slice(), "a.oracleGeneral", TraceClock::Even(STEP));
/// let requests: Vec<_> = trace.collect::<Result<_, _>>()?;
/// assert_eq!((requests[0].next, requests[1].next), (Future::Order(1), Future::Order(Future::NEVER)));
/// # Ok::<(), forebay_cache::readers::ReadError>(())
/// ```
pub struct OracleGeneral<R> {
    reader: R,
    name: String,
    clock: Relative,
    offset: u64,
    ended: bool,
}

impl<R: Read> OracleGeneral<R> {
    /// Reads from `reader`, which should be buffered; `name` stands for it in messages. A
    /// [`TraceClock::Recorded`] counts the given unit, which is a second in this format.
    pub fn new(reader: R, name: &str, clock: TraceClock) -> Self {
        let clock = Relative::new(clock);
        OracleGeneral { reader, name: name.to_owned(), clock, offset: 0, ended: false }
    }

    fn read(&mut self) -> Result<Option<Request>, Problem> {
        let mut record = [0; RECORD_BYTES];
        let mut filled = 0;
        while filled < RECORD_BYTES {
            match self.reader.read(&mut record[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(Problem::Unreadable(error.to_string())),
            }
        }
        match filled {
            0 => Ok(None),
            RECORD_BYTES => self.parse(record).map(Some),
            part => Err(Problem::Truncated(part)),
        }
    }

    fn parse(&mut self, record: [u8; RECORD_BYTES]) -> Result<Request, Problem> {
        let Fields { seconds, object, size, next } = Fields::of(&record);
        if !possible(next) {
            return Err(Problem::Next(next));
        }
        let at = self.clock.next(Stamp { whole: u64::from(seconds), billionths: 0 })?;
        let next = u64::try_from(next).ok().filter(|next| *next < i64::MAX as u64);
        let mut request = Request::new(at, ObjectId(object)).sized(Bytes::new(u64::from(size)));
        request.next = Future::Order(next.unwrap_or(Future::NEVER));
        Ok(request)
    }
}

/// What a record says.
struct Fields {
    seconds: u32,
    object: u64,
    size: u32,
    next: i64,
}

impl Fields {
    fn of(record: &[u8; RECORD_BYTES]) -> Self {
        // The layout from the end: next (8), size (4), id (8), time (4).
        let fields = u128::from_le_bytes(std::array::from_fn(|byte| record[byte]));
        let next = i64::from_le_bytes(std::array::from_fn(|byte| record[16 + byte]));
        let (seconds, object, size) = (fields as u32, (fields >> 32) as u64, (fields >> 96) as u32);
        Fields { seconds, object, size, next }
    }
}

/// Whether a writer of the format may say this of an object's next request: a place after the
/// first, or that there is none (-1 or the largest number) or that it is not known (-2).
fn possible(next: i64) -> bool {
    const MOST_REQUESTS: i64 = 1 << 48;
    (1..=MOST_REQUESTS).contains(&next) || [-1, -2, i64::MAX].contains(&next)
}

/// Whether bytes begin with such records: times do not go back, next requests are possible, later,
/// and each that of one request alone, and something has a size. Other tables of 24 bytes a row
/// would else be read as numbers that mean nothing.
pub(super) fn is_oracle_general(head: &[u8]) -> bool {
    let (records, _) = head.as_chunks::<RECORD_BYTES>();
    let (mut latest, mut some_size, mut taken) = (0, false, HashSet::new());
    let possible = (0..).zip(records).all(|(index, record)| {
        let Fields { seconds, size, next, .. } = Fields::of(record);
        let in_order = seconds >= latest;
        latest = seconds;
        some_size |= size > 0;
        let nothing_next = next < 0 || next == i64::MAX;
        in_order && possible(next) && (nothing_next || next > index && taken.insert(next))
    });
    possible && some_size
}

impl<R: Read> Iterator for OracleGeneral<R> {
    type Item = Result<Request, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let position = Byte(self.offset);
        let read = self.read().transpose();
        self.offset += RECORD_BYTES as u64;
        self.ended = !matches!(read, Some(Ok(_)));
        read.map(|read| {
            read.map_err(|problem| ReadError { name: self.name.clone(), position, problem })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::STEP;

    #[test]
    fn a_cut_off_file_says_where() {
        let file = [0xff_u8; 30];
        let mut trace = OracleGeneral::new(file.as_slice(), "t", TraceClock::Even(STEP));
        assert!(trace.next().is_some_and(|read| read.is_ok()));
        let error = trace.next().unwrap().unwrap_err();
        assert_eq!((error.position, error.problem), (Byte(24), Problem::Truncated(6)));
        assert!(trace.next().is_none());
    }

    #[test]
    fn other_tables_of_24_bytes_a_row_are_not_taken_for_it() {
        let table = |row: &dyn Fn(u64) -> [u64; 3]| -> Vec<u8> {
            (0..100).flat_map(|t| row(t).map(u64::to_le_bytes)).flatten().collect()
        };
        // time, id, size, each of 64 bits: no size, and the next request would be in the past.
        assert!(!is_oracle_general(&table(&|t| [t, t % 7, 4096])));
        assert!(!is_oracle_general(&table(&|t| [t, t % 7, 10 + t / 50])));
        // Hashes as ids have what looks like sizes: but no two requests have the same next.
        let hash = |t: u64| (t % 7 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        assert!(!is_oracle_general(&table(&|t| [t, hash(t), 4096])));
        let real = |t: u64| [t | t << 32, 4096 << 32, t + 7];
        assert!(is_oracle_general(&table(&real)));
    }

    #[test]
    fn other_bytes_are_refused_at_their_record() {
        let mut file = [0xff_u8; 48];
        file[40..].fill(0);
        let trace = OracleGeneral::new(file.as_slice(), "t", TraceClock::Even(STEP));
        let read: Vec<_> = trace.collect();
        assert!(read[0].is_ok());
        let error = read[1].clone().unwrap_err();
        assert_eq!((error.position, error.problem), (Byte(24), Problem::Next(0)));
        assert!(
            !is_oracle_general(&file) && is_oracle_general(&file[..24]) && !is_oracle_general(b"0")
        );
    }
}
