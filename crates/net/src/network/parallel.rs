//! Runs the partitions in windows, one after another or each on its own thread.
//!
//! Conservative: in a window that begins at the earliest event anywhere, a partition may run ahead
//! by the shortest delay of a link that is cut, since nothing sent within the window arrives within
//! it. Packets that cross are handed over between windows. A window costs one barrier; the
//! mailboxes and what each thread reports about itself exist twice and take turns, so that none is
//! written while another thread may read it. Our choice: the delay is the only bound used (the time
//! that a packet takes to be sent would add to it).

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

use alloc::vec::Vec;
use forebay_units::{Duration, Time};

use super::fabric::Fabric;
use super::partition::{Crossing, Partition};
use forebay_switch::SwitchModel;

/// The last instant of the window that begins at `first`.
fn window_end(first: Time, lookahead: Duration, stop: Time) -> Time {
    let end = first.as_ps().saturating_add(lookahead.as_ps().saturating_sub(1));
    Time::from_ps(end).min(stop)
}

/// Runs everything up to `stop` on this thread.
pub(super) fn run_here<S: SwitchModel>(parts: &mut [Partition<S>], fabric: &Fabric, stop: Time) {
    loop {
        let first = parts.iter().map(Partition::next).min().unwrap_or(Time::MAX);
        let stop = parts.iter().map(Partition::stop).fold(stop, Time::min);
        if first > stop || first == Time::MAX {
            return;
        }
        for part in &mut *parts {
            part.limit = window_end(first, fabric.cut.lookahead, stop);
            part.run(fabric);
        }
        for from in 0..parts.len() {
            for to in 0..parts.len() {
                let mut crossings = core::mem::take(&mut parts[from].outboxes[to]);
                parts[to].accept(fabric, &mut crossings);
                parts[from].outboxes[to] = crossings;
            }
        }
    }
}

/// Runs everything up to `stop`, each partition on a thread of its own.
pub(super) fn run_threads<S: SwitchModel + Send>(
    parts: &mut [Partition<S>],
    fabric: &Fabric,
    stop: Time,
) {
    if parts.len() == 1 {
        return run_here(parts, fabric, stop);
    }
    let meeting = Meeting::new(parts.len());
    std::thread::scope(|scope| {
        for part in parts {
            let meeting = &meeting;
            scope.spawn(move || attend(part, fabric, meeting, stop));
        }
    });
}

/// The execution of one partition, window by window.
fn attend<S: SwitchModel>(part: &mut Partition<S>, fabric: &Fabric, meeting: &Meeting, stop: Time) {
    let _guard = Leaving(&meeting.barrier);
    let mut turn = 0;
    loop {
        meeting.tables[turn].tell(part);
        if !meeting.barrier.wait() {
            return;
        }
        let table = &meeting.tables[turn];
        let (first, table_stop) = table.read();
        table.collect(part, fabric);
        let stop = stop.min(table_stop);
        if first > stop || first == Time::MAX {
            return;
        }
        part.limit = window_end(first, fabric.cut.lookahead, stop);
        part.run(fabric);
        turn ^= 1;
    }
}

/// Where the threads of a run meet.
struct Meeting {
    barrier: Barrier,
    tables: [Table; 2],
}

/// What the threads report to each other after a window.
struct Table {
    /// For each partition, when the next thing happens.
    next: Vec<AtomicU64>,
    /// For each partition, when the run must end.
    stop: Vec<AtomicU64>,
    /// For each pair of partitions, what crosses.
    mail: Vec<Mutex<Vec<Crossing>>>,
}

impl Meeting {
    fn new(parts: usize) -> Self {
        Meeting { barrier: Barrier::new(parts), tables: [Table::new(parts), Table::new(parts)] }
    }
}

impl Table {
    fn new(parts: usize) -> Self {
        let times = || (0..parts).map(|_| AtomicU64::new(u64::MAX)).collect();
        let mail = (0..parts * parts).map(|_| Mutex::default()).collect();
        Table { next: times(), stop: times(), mail }
    }

    fn tell<S: SwitchModel>(&self, part: &mut Partition<S>) {
        self.next[part.number].store(part.next().as_ps(), Ordering::Relaxed);
        self.stop[part.number].store(part.stop().as_ps(), Ordering::Relaxed);
        let parts = self.next.len();
        for (to, outbox) in part.outboxes.iter_mut().enumerate() {
            if !outbox.is_empty() {
                // The mailbox is empty: its reader emptied it before the last barrier but one.
                let mail = &self.mail[part.number * parts + to];
                core::mem::swap(outbox, &mut mail.lock().unwrap_or_else(PoisonError::into_inner));
            }
        }
    }

    /// The earliest next event, and the earliest end.
    fn read(&self) -> (Time, Time) {
        let least = |times: &[AtomicU64]| {
            let times = times.iter().map(|time| time.load(Ordering::Relaxed));
            Time::from_ps(times.min().unwrap_or(u64::MAX))
        };
        (least(&self.next), least(&self.stop))
    }

    fn collect<S: SwitchModel>(&self, part: &mut Partition<S>, fabric: &Fabric) {
        let parts = self.next.len();
        for from in 0..parts {
            let mail = &self.mail[from * parts + part.number];
            part.accept(fabric, &mut mail.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }
}

/// A barrier that spins briefly, since windows are often only a few microseconds of work, and then
/// sleeps: where other programs keep the cores busy, a thread that kept looking would take the time
/// of the one it waits for. If a thread panics, the others leave.
struct Barrier {
    threads: usize,
    spins: u32,
    arrived: AtomicUsize,
    round: AtomicUsize,
    /// Threads that sleep, or are about to.
    asleep: AtomicUsize,
    door: Mutex<()>,
    opened: Condvar,
    broken: AtomicBool,
}

/// How often a thread looks before it sleeps: some ten microseconds, as long as waking takes.
const SPINS: u32 = 500;

impl Barrier {
    fn new(threads: usize) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Barrier {
            threads,
            // Where not all can run at once, looking only keeps another from running.
            spins: if threads <= cores { SPINS } else { 0 },
            arrived: AtomicUsize::new(0),
            round: AtomicUsize::new(0),
            asleep: AtomicUsize::new(0),
            door: Mutex::default(),
            opened: Condvar::new(),
            broken: AtomicBool::new(false),
        }
    }

    /// Waits for all threads. Afterwards everything that any of them did before is visible to all.
    /// False if one is gone.
    fn wait(&self) -> bool {
        let round = self.round.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.arrived.store(0, Ordering::Relaxed);
            self.round.store(round.wrapping_add(1), Ordering::SeqCst);
            // In one order with the round: whoever is not counted yet sees the new round.
            if self.asleep.load(Ordering::SeqCst) > 0 {
                self.wake();
            }
            return true;
        }
        for _ in 0..self.spins {
            if self.round.load(Ordering::Acquire) != round {
                return true;
            }
            core::hint::spin_loop();
        }
        self.sleep(round);
        self.round.load(Ordering::Acquire) != round
    }

    /// Sleeps until a new round begins, or one is gone.
    #[cold]
    fn sleep(&self, round: usize) {
        let waits =
            || self.round.load(Ordering::SeqCst) == round && !self.broken.load(Ordering::SeqCst);
        let mut door = self.door.lock().unwrap_or_else(PoisonError::into_inner);
        self.asleep.fetch_add(1, Ordering::SeqCst);
        while waits() {
            door = self.opened.wait(door).unwrap_or_else(PoisonError::into_inner);
        }
        self.asleep.fetch_sub(1, Ordering::SeqCst);
    }

    #[cold]
    fn wake(&self) {
        // Nobody is between looking at the round and sleeping.
        drop(self.door.lock().unwrap_or_else(PoisonError::into_inner));
        self.opened.notify_all();
    }
}

/// Breaks the barrier if its thread panics.
struct Leaving<'a>(&'a Barrier);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.broken.store(true, Ordering::SeqCst);
            self.0.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Threads that all add to a number between two meetings see each other's additions, whether
    /// they spin or sleep.
    #[test]
    fn nobody_passes_the_barrier_alone() {
        for spins in [0, 3, SPINS] {
            let barrier = Barrier { spins, ..Barrier::new(3) };
            let sum = AtomicUsize::new(0);
            std::thread::scope(|scope| {
                for _ in 0..3 {
                    scope.spawn(|| {
                        for round in 1..=2_000 {
                            sum.fetch_add(1, Ordering::Relaxed);
                            assert!(barrier.wait());
                            assert_eq!(sum.load(Ordering::Relaxed), 3 * round);
                            assert!(barrier.wait());
                        }
                    });
                }
            });
        }
    }

    #[test]
    fn sleepers_leave_when_a_thread_panics() {
        let barrier = Barrier { spins: 0, ..Barrier::new(2) };
        let left = std::thread::scope(|scope| {
            let waits = scope.spawn(|| barrier.wait());
            let panics = scope.spawn(|| {
                let _guard = Leaving(&barrier);
                while barrier.asleep.load(Ordering::SeqCst) == 0 {
                    std::thread::yield_now();
                }
                std::panic::resume_unwind(Box::new(()));
            });
            assert!(panics.join().is_err());
            waits.join()
        });
        assert_eq!(left.ok(), Some(false));
    }
}
