//! Requests as a trace that `forebay cache simulate` and libCacheSim read: CSV with `time` (seconds
//! since 1970), `object` (a number), `size` (bytes), `origin` (a number).
//!
//! Only what could be cached is in it. Lines come in the order of requests, though requests end in
//! another: a line waits until all earlier requests have ended, or 100,000 later ones have.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// How many lines may wait for an earlier request.
const MOST_WAITING: usize = 100_000;

/// The place of a request in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place(u64);

struct State {
    file: BufWriter<File>,
    next: u64,
    waiting: BTreeMap<Place, Option<String>>,
    failed: bool,
}

pub(crate) struct AccessLog(Mutex<State>);

impl AccessLog {
    /// Writes to `path`, after what is there.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let file = File::options().create(true).append(true).open(path)?;
        let new = file.metadata()?.len() == 0;
        let mut file = BufWriter::new(file);
        if new {
            file.write_all(b"time,object,size,origin\n")?;
            file.flush()?;
        }
        let state = State { file, next: 0, waiting: BTreeMap::new(), failed: false };
        Ok(AccessLog(Mutex::new(state)))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A request has come.
    pub(crate) fn begin(&self) -> Place {
        let mut state = self.state();
        state.next += 1;
        let place = Place(state.next);
        state.waiting.insert(place, None);
        place
    }

    /// It has ended: for an `object` of `size` bytes from `origin`, or for nothing that is cached.
    pub(crate) fn end(&self, place: Place, at: SystemTime, entry: Option<(u64, u64, usize)>) {
        let line = entry.map(|(object, size, origin)| {
            let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
            let (seconds, micros) = (since.as_secs(), since.subsec_micros());
            format!("{seconds}.{micros:06},{object},{size},{origin}\n")
        });
        let mut state = self.state();
        if let Some(waiting) = state.waiting.get_mut(&place) {
            *waiting = Some(line.unwrap_or_default());
        }
        while let Some(first) = state.waiting.first_entry() {
            if first.get().is_none() && state.waiting.len() <= MOST_WAITING {
                break;
            }
            if let Some(line) = state.waiting.pop_first().and_then(|(_, line)| line) {
                state.write(&line);
            }
        }
    }

    /// Writes out what is held back.
    pub(crate) fn flush(&self) {
        let mut state = self.state();
        if let Err(error) = state.file.flush() {
            state.failed(&error);
        }
    }
}

impl State {
    fn write(&mut self, line: &str) {
        if let Err(error) = self.file.write_all(line.as_bytes()) {
            self.failed(&error);
        }
    }

    /// A log that cannot be written stops no request; it is said once.
    fn failed(&mut self, error: &io::Error) {
        if !std::mem::replace(&mut self.failed, true) {
            log::error!("the access log cannot be written: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn lines_come_in_the_order_of_requests() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("log.csv");
        for round in 0..2 {
            let log = AccessLog::open(&path)?;
            let at = |second: u64| UNIX_EPOCH + Duration::from_millis(second * 1000 + 5);
            let places: Vec<Place> = (0..3).map(|_| log.begin()).collect();
            log.end(places[2], at(3), Some((30 + round, 300, 0)));
            log.end(places[1], at(2), None);
            log.end(places[0], at(1), Some((10 + round, 100, 1)));
            log.flush();
        }
        let text = std::fs::read_to_string(&path)?;
        assert_eq!(
            text,
            "time,object,size,origin\n1.005000,10,100,1\n3.005000,30,300,0\n\
             1.005000,11,100,1\n3.005000,31,300,0\n"
        );
        Ok(())
    }
}
