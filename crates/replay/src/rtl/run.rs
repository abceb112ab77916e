//! A model that runs and who follows it: packets go in, events come out, until the first
//! difference.

use std::io::{self, BufReader, BufWriter, Read, Write};
use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};

use super::difference::{Difference, Place};
use super::error::RtlError;
use super::events::Packet;
use super::process;

/// Whether what the core says is what the library says.
pub(super) type Step = Result<(), Box<Difference>>;

/// Who follows a model, event by event.
pub(super) trait Follow {
    /// An event.
    type Told;

    /// The next event; `None` where they end.
    fn read(from: &mut impl Read) -> io::Result<Option<Self::Told>>;

    /// The cycle of an event that has one.
    fn cycle(told: &Self::Told) -> Option<u64>;

    /// The library does what the core has done.
    fn step(&mut self, told: &Self::Told) -> Step;

    /// Whether everything was told.
    fn ended(&self) -> bool;
}

/// What was seen while following.
pub(super) struct Seen {
    pub(super) cycles: u64,
    pub(super) difference: Option<Difference>,
    /// Whether the model ended since its wave cannot be written.
    pub(super) no_wave: bool,
}

/// Feeds the model, and follows it to its end.
pub(super) fn follow<F: Follow>(
    mut child: Child,
    packets: &[Packet],
    follower: &mut F,
    stop: &AtomicBool,
) -> Result<Seen, RtlError> {
    let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(RtlError::Broken("it has no pipes".to_owned()));
    };
    let stderr = child.stderr.take();
    let stopped = || stop.load(Ordering::Relaxed);
    // No more packets are wanted, and no more is told.
    let (enough, told_all) = (AtomicBool::new(false), AtomicBool::new(false));
    let mut seen = Seen { cycles: 0, difference: None, no_wave: false };
    let (read, said, status) = std::thread::scope(|scope| {
        scope.spawn(|| feed(BufWriter::with_capacity(1 << 18, stdin), packets, &enough));
        let said = scope.spawn(|| process::text(stderr));
        let unwanted = || stopped() || told_all.load(Ordering::Relaxed);
        let status = scope.spawn(move || process::wait(&mut child, unwanted));
        let mut events = BufReader::with_capacity(1 << 18, stdout);
        let read = loop {
            let told = match F::read(&mut events) {
                Ok(Some(told)) => told,
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            };
            if stopped() || seen.difference.is_some() {
                // It is left to come to its end, so that its files are whole.
                enough.store(true, Ordering::Relaxed);
                continue;
            }
            if let Some(cycle) = F::cycle(&told) {
                seen.cycles = cycle;
            }
            if let Err(difference) = follower.step(&told) {
                seen.difference = Some(*difference);
            }
        };
        drop(events);
        enough.store(true, Ordering::Relaxed);
        told_all.store(true, Ordering::Relaxed);
        (read, said.join().unwrap_or_default(), status.join())
    });
    if stopped() {
        return Ok(seen);
    }
    let status = status.map_err(|_| RtlError::Broken("nobody waits for it".to_owned()))?;
    let status = status.map_err(|error| RtlError::Broken(error.to_string()))?;
    if seen.difference.is_some() {
        return Ok(seen);
    }
    match (read, status.code()) {
        (Ok(()), Some(UNWRITTEN)) => seen.no_wave = true,
        (Ok(()), Some(ASSERTED)) => seen.difference = Some(gave_up(&said, seen.cycles)),
        (Ok(()), Some(0)) if follower.ended() => {}
        (read, _) => {
            let why = read.err().map_or_else(|| ENDED.to_owned(), |error| error.to_string());
            let said = Some(said.trim()).filter(|said| !said.is_empty());
            let said = said.map(|said| format!(": {said}")).unwrap_or_default();
            return Err(RtlError::Broken(format!("{why} ({status}){said}")));
        }
    }
    Ok(seen)
}

/// What a model has done that says nothing more, and not why.
const ENDED: &str = "it ended before the end";

/// Why the model has ended before its end, of what it said.
pub(super) fn gave_up(said: &str, cycle: u64) -> Difference {
    let stuck = said.lines().find_map(|line| line.strip_prefix("Stuck: "));
    let failed = || said.lines().find(|line| line.contains("Assertion failed"));
    let (place, core) = match stuck {
        Some(stuck) => (Place::Stuck, stuck),
        None => (Place::Assertion, failed().unwrap_or(said.trim())),
    };
    let (core, switch) = (core.to_owned(), "goes on".to_owned());
    Difference { place, cycle, packet: None, port: None, core, switch }
}

/// The model's exit code when an assertion has failed.
const ASSERTED: i32 = 3;
/// And when its wave cannot be written.
const UNWRITTEN: i32 = 4;

/// Writes the packets; that the model does not want more is its reader's to say.
fn feed(mut out: impl Write, packets: &[Packet], enough: &AtomicBool) {
    for packet in packets {
        if enough.load(Ordering::Relaxed) || packet.write(&mut out).is_err() {
            return;
        }
    }
    let _read_to_its_end = out.flush();
}
