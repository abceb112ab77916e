//! Lines on standard error that report the progress of a long run.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration as Wall, Instant};

use forebay_lab::results::number;
use forebay_net_run::Moment;
use forebay_units::{Duration, Time};

use crate::terminal;

/// The shortest time between two lines.
const SOONEST: Wall = Wall::from_millis(10);

/// How often a line is written, as given by an option.
fn often(every: Duration) -> Wall {
    Wall::from_nanos(every.as_ps() / 1000).max(SOONEST)
}

/// Reports at regular intervals that work is under way, until it is dropped.
pub(super) struct Busy {
    done: Option<Sender<()>>,
    says: Option<JoinHandle<()>>,
}

impl Busy {
    pub(super) fn with(what: String, every: Duration) -> Self {
        let (done, waits) = channel();
        let start = Instant::now();
        let says = std::thread::Builder::new().spawn(move || {
            while waits.recv_timeout(often(every)) == Err(RecvTimeoutError::Timeout) {
                let seconds = start.elapsed().as_secs_f64();
                terminal::warn(&format!("  still {what} after {seconds:.0} s"));
            }
        });
        // Without a thread nothing is reported, and the rest goes on.
        Busy { done: Some(done), says: says.ok() }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        drop(self.done.take());
        if let Some(says) = self.says.take() {
            let _ = says.join();
        }
    }
}

/// When the last line was written.
pub(super) struct Progress {
    every: Wall,
    start: Instant,
    last: Instant,
}

impl Progress {
    pub(super) fn new(every: Duration) -> Self {
        Progress { every: often(every), start: Instant::now(), last: Instant::now() }
    }

    /// Writes a line if it is time for one.
    pub(super) fn line(&mut self, text: impl FnOnce() -> String) {
        if self.last.elapsed() >= self.every {
            self.last = Instant::now();
            terminal::warn(&format!("  {}", text()));
        }
    }

    pub(super) fn say(&mut self, moment: Moment) {
        let (seconds, hops) = (self.start.elapsed().as_secs_f64(), moment.packet_hops as f64);
        self.line(|| {
            format!(
                "{} simulated after {seconds:.0} s: {} flows finished, {:.1} M packet-hops, {:.2} \
                 M a second",
                number::time(moment.now.since(Time::ZERO)),
                moment.finished,
                hops / 1e6,
                hops / seconds / 1e6,
            )
        });
    }
}
