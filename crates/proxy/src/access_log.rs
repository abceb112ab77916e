//! Requests as a trace that `forebay cache simulate` and libCacheSim read: CSV with `time` (seconds
//! since 1970), `object` (a number), `size` (bytes), `origin` (a number).
//!
//! Only what could be cached is in it. Lines come in the order of requests, though requests end in
//! another: a line waits until all earlier requests have ended or are gone, or 100,000 later ones
//! have ended, or the proxy stops.
//!
//! Lines are written many at once, all or none, so that no failure leaves half a line. A log that
//! cannot be written stops no request: it is said when it begins, tried again, and what is lost is
//! counted.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// How many lines may wait for an earlier request.
const MOST_WAITING: usize = 100_000;
/// How many bytes of lines are gathered until they are written.
const WRITE_AT: usize = 8 << 10;
/// How many are held back while they cannot be.
const MOST_HELD: usize = 64 << 10;

/// The place of a request in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place(u64);

/// The line of a request, until it ends. One that is dropped, as those of aborted requests are,
/// stays empty and holds up no other.
pub(crate) struct Line {
    log: Arc<AccessLog>,
    place: Place,
    at: SystemTime,
}

impl Line {
    /// The request has ended: for an `object` of `size` bytes from `origin`, or for nothing that is
    /// cached.
    pub(crate) fn end(self, entry: Option<(u64, u64, usize)>) {
        let line = entry.map(|(object, size, origin)| {
            let since = self.at.duration_since(UNIX_EPOCH).unwrap_or_default();
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

/// What could not be written.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Failures {
    /// Writes that failed; each is tried again.
    pub(crate) writes: u64,
    /// Rows given up since too many were held back.
    pub(crate) lost: u64,
}

/// Rows that a log lacks, and why.
#[derive(Debug)]
pub(crate) struct Lost {
    pub(crate) path: PathBuf,
    pub(crate) rows: u64,
    pub(crate) error: io::Error,
}

struct State {
    path: PathBuf,
    file: File,
    /// Lines to write.
    held: Vec<u8>,
    next: u64,
    /// When the last request came.
    last: SystemTime,
    waiting: BTreeMap<Place, Option<String>>,
    /// Whether the last write failed.
    failed: bool,
    /// Why a write failed, the last that did.
    error: Option<io::Error>,
    failures: Failures,
}

pub(crate) struct AccessLog(Mutex<State>);

impl AccessLog {
    /// Writes to `path`, after what is there.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let file = File::options().create(true).append(true).open(path)?;
        let held = match file.metadata()?.len() {
            0 => b"time,object,size,origin\n".to_vec(),
            _ => Vec::new(),
        };
        let mut state = State {
            path: path.to_owned(),
            file,
            held,
            next: 0,
            last: UNIX_EPOCH,
            waiting: BTreeMap::new(),
            failed: false,
            error: None,
            failures: Failures::default(),
        };
        state.write_out()?;
        Ok(AccessLog(Mutex::new(state)))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A request has come, at `at`; not before those that came before it, whatever the clock says:
    /// a trace is in the order of its times.
    pub(crate) fn begin(self: &Arc<Self>, at: SystemTime) -> Line {
        let mut state = self.state();
        state.next += 1;
        state.last = state.last.max(at);
        let (place, at) = (Place(state.next), state.last);
        state.waiting.insert(place, None);
        Line { log: self.clone(), place, at }
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
        self.state().flush();
    }

    /// What could not be written so far.
    pub(crate) fn failures(&self) -> Failures {
        self.state().failures
    }

    /// Writes what has ended, for the last time; what it lacks then, if there is something.
    pub(crate) fn close(&self) -> Option<Lost> {
        self.drain();
        let mut state = self.state();
        let rows = state.held.iter().filter(|byte| **byte == b'\n').count();
        state.held.clear();
        state.failures.lost += rows as u64;
        if state.failures.lost == 0 {
            return None;
        }
        let (path, rows) = (state.path.clone(), state.failures.lost);
        // It may be asked twice, where a proxy that stops is told to stop at once.
        let again = |error: &io::Error| io::Error::new(error.kind(), error.to_string());
        state.error.as_ref().map(again).map(|error| Lost { path, rows, error })
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
        if self.failed && self.held.len() + line.len() > MOST_HELD {
            self.failures.lost += 1;
            return;
        }
        self.held.extend_from_slice(line.as_bytes());
        // Once it has failed it is tried again by the second.
        if !self.failed && self.held.len() >= WRITE_AT {
            self.flush();
        }
    }

    fn flush(&mut self) {
        match self.write_out() {
            Ok(()) => {
                if std::mem::take(&mut self.failed) {
                    let path = self.path.display();
                    log::warn!(
                        "the access log {path} is written again; {} requests are missing in it",
                        self.failures.lost
                    );
                }
            }
            Err(error) => {
                if !std::mem::replace(&mut self.failed, true) {
                    let path = self.path.display();
                    log::error!("the access log {path} cannot be written: {error}");
                }
                self.failures.writes += 1;
                self.error = Some(error);
            }
        }
    }

    /// Writes all that is held, or nothing of it.
    fn write_out(&mut self) -> io::Result<()> {
        if self.held.is_empty() {
            return Ok(());
        }
        let before = self.file.metadata()?.len();
        if let Err(error) = self.file.write_all(&self.held) {
            // What is no file, as a pipe, cannot be shortened.
            self.file.set_len(before).ok();
            return Err(error);
        }
        self.held.clear();
        Ok(())
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
            let [one, two, three] = [1, 2, 3].map(|second| log.begin(at(second)));
            three.end(Some((30 + round, 300, 0)));
            two.end(None);
            one.end(Some((10 + round, 100, 1)));
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
    fn times_never_go_back_though_two_threads_or_the_clock_do() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("log.csv");
        let log = Arc::new(AccessLog::open(&path)?);
        for second in [2, 1, 3] {
            log.begin(at(second)).end(Some((second, 100, 0)));
        }
        log.flush();
        let text = std::fs::read_to_string(&path)?;
        let times: Vec<_> = text.lines().skip(1).map(|line| line.split(',').next()).collect();
        assert_eq!(times, [Some("2.005000"), Some("2.005000"), Some("3.005000")]);
        Ok(())
    }

    #[test]
    fn a_request_that_is_aborted_holds_up_no_line() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("log.csv");
        let log = Arc::new(AccessLog::open(&path)?);
        let [aborted, one, open, two] = [1, 2, 3, 4].map(|second| log.begin(at(second)));
        one.end(Some((1, 100, 0)));
        two.end(Some((2, 100, 0)));
        log.flush();
        assert_eq!(std::fs::read_to_string(&path)?.lines().count(), 1);
        drop(aborted);
        log.flush();
        assert_eq!(std::fs::read_to_string(&path)?.lines().count(), 2);
        // At the end nothing waits for what is still open.
        log.drain();
        let text = std::fs::read_to_string(&path)?;
        assert_eq!(text, "time,object,size,origin\n2.005000,1,100,0\n4.005000,2,100,0\n");
        open.end(None);
        Ok(())
    }

    #[test]
    fn a_log_that_is_dropped_has_all_lines() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("log.csv");
        let log = Arc::new(AccessLog::open(&path)?);
        let (open, one) = (log.begin(at(1)), log.begin(at(2)));
        one.end(Some((1, 100, 0)));
        drop((log, open));
        assert_eq!(std::fs::read_to_string(&path)?.lines().count(), 2);
        Ok(())
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_log_that_cannot_be_written_says_how_many_rows_it_lacks() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("log.csv");
        let log = Arc::new(AccessLog::open(&path)?);
        log.state().file = File::options().write(true).open("/dev/full")?;
        let row = "1.005000,1,100,0\n".len() as u64;
        let count = 2 * MOST_HELD as u64 / row;
        for _ in 0..count {
            log.begin(at(1)).end(Some((1, 100, 0)));
        }
        let held = MOST_HELD as u64 / row;
        assert_eq!(log.failures().lost, count - held);
        // It has room again: what was held back is written.
        log.state().file = File::options().append(true).open(&path)?;
        log.flush();
        log.begin(at(1)).end(Some((2, 100, 0)));
        assert_eq!(log.close().unwrap().rows, count - held);
        let text = std::fs::read_to_string(&path)?;
        assert_eq!(text.lines().count() as u64, 1 + held + 1);
        Ok(())
    }
}
