//! Requests as a trace that `forebay cache simulate` and libCacheSim read: CSV with `time` (seconds
//! since 1970), `object` (a number), `size` (bytes), `origin` (a number).
//!
//! Only what could be cached is in it. Lines come in the order of requests, though requests end in
//! another: a line waits until all earlier requests have ended or are gone, or 100,000 later ones
//! have ended, or the proxy stops.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// How many lines may wait for an earlier request.
const MOST_WAITING: usize = 100_000;

/// The place of a request in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place(u64);

/// The line of a request, until it ends. One that is dropped, as those of aborted requests are,
/// stays empty and holds up no other.
pub(crate) struct Line {
    log: Arc<AccessLog>,
    place: Place,
}

impl Line {
    /// The request has ended: for an `object` of `size` bytes from `origin`, or for nothing that is
    /// cached.
    pub(crate) fn end(self, at: SystemTime, entry: Option<(u64, u64, usize)>) {
        let line = entry.map(|(object, size, origin)| {
            let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
            let (seconds, micros) = (since.as_secs(), since.subsec_micros());
            format!("{seconds}.{micros:06},{object},{size},{origin}\n")
        });
        self.log.state().end(self.place, line.unwrap_or_default());
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        // After `end` it has no place any more.
        self.log.state().end(self.place, String::new());
    }
}

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
    pub(crate) fn begin(self: &Arc<Self>) -> Line {
        let mut state = self.state();
        state.next += 1;
        let place = Place(state.next);
        state.waiting.insert(place, None);
        Line { log: self.clone(), place }
    }

    /// Writes what has ended, though requests before it have not: they are given up.
    pub(crate) fn drain(&self) {
        let mut state = self.state();
        state.write_down_to(0);
        drop(state);
        self.flush();
    }

    /// Writes out what is held back.
    pub(crate) fn flush(&self) {
        let mut state = self.state();
        if let Err(error) = state.file.flush() {
            state.failed(&error);
        }
    }
}

impl Drop for AccessLog {
    fn drop(&mut self) {
        self.drain();
    }
}

impl State {
    fn end(&mut self, place: Place, line: String) {
        let Some(waiting) = self.waiting.get_mut(&place) else { return };
        // The first end counts.
        waiting.get_or_insert(line);
        self.write_down_to(MOST_WAITING);
    }

    /// Writes lines until one waits for its request, and there are no more than `most`.
    fn write_down_to(&mut self, most: usize) {
        while let Some(first) = self.waiting.first_entry() {
            if first.get().is_none() && self.waiting.len() <= most {
                break;
            }
            if let Some(line) = self.waiting.pop_first().and_then(|(_, line)| line) {
                self.write(&line);
            }
        }
    }

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

    fn at(second: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(second * 1000 + 5)
    }

    #[test]
    fn lines_come_in_the_order_of_requests() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("log.csv");
        for round in 0..2 {
            let log = Arc::new(AccessLog::open(&path)?);
            let [one, two, three] = std::array::from_fn(|_| log.begin());
            three.end(at(3), Some((30 + round, 300, 0)));
            two.end(at(2), None);
            one.end(at(1), Some((10 + round, 100, 1)));
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

    #[test]
    fn a_request_that_is_aborted_holds_up_no_line() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("log.csv");
        let log = Arc::new(AccessLog::open(&path)?);
        let [aborted, one, open, two] = std::array::from_fn(|_| log.begin());
        one.end(at(2), Some((1, 100, 0)));
        two.end(at(4), Some((2, 100, 0)));
        log.flush();
        assert_eq!(std::fs::read_to_string(&path)?.lines().count(), 1);
        drop(aborted);
        log.flush();
        assert_eq!(std::fs::read_to_string(&path)?.lines().count(), 2);
        // At the end nothing waits for what is still open.
        log.drain();
        let text = std::fs::read_to_string(&path)?;
        assert_eq!(text, "time,object,size,origin\n2.005000,1,100,0\n4.005000,2,100,0\n");
        open.end(at(3), None);
        Ok(())
    }

    #[test]
    fn a_log_that_is_dropped_has_all_lines() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("log.csv");
        let log = Arc::new(AccessLog::open(&path)?);
        let (open, one) = (log.begin(), log.begin());
        one.end(at(2), Some((1, 100, 0)));
        drop((log, open));
        assert_eq!(std::fs::read_to_string(&path)?.lines().count(), 2);
        Ok(())
    }
}
