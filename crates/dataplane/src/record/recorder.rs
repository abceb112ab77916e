//! Writes a run to its folder, on a thread of its own: the link hands over and never waits for a
//! disk.
//!
//! What is handed over and not yet written takes at most [`MOST`] bytes. If the disk is slower than
//! that, or full, the recording ends there, says so, and the link goes on.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};

use forebay_units::Time;
use serde_json::json;

use super::frames::{RecordedFrame, write_frame, write_head};
use super::{DECISIONS, DECISIONS_HEAD, FRAMES, MANIFEST, SETUP};
use crate::link::Decision;

/// The most memory that may wait to be written.
const MOST: u64 = 64 << 20;
/// What a frame takes besides its bytes, and what a decision takes.
const OVERHEAD: u64 = 64;

enum Event {
    Frame(RecordedFrame),
    Decided(usize, Vec<Decision>),
}

impl Event {
    fn takes(&self) -> u64 {
        match self {
            Event::Frame(frame) => frame.bytes.len() as u64 + OVERHEAD,
            Event::Decided(_, decisions) => (decisions.len() as u64 + 1) * OVERHEAD,
        }
    }
}

/// What is recorded while a link runs.
#[derive(Debug)]
pub struct Recorder {
    sender: Sender<Event>,
    waiting: Arc<AtomicU64>,
    writer: JoinHandle<(u64, Option<io::Error>)>,
    folder: PathBuf,
    is_behind: bool,
}

/// What was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// How many frames.
    pub frames: u64,
    /// Why there are no more, if there should be.
    pub stopped: Option<String>,
}

impl Recorder {
    /// Makes the folder, which must not be there or be empty, and begins with `setup`.
    ///
    /// # Errors
    /// The system's reason, or that there are files.
    pub fn create(folder: &Path, setup: &str) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        if fs::read_dir(folder)?.next().is_some() {
            return Err(io::Error::other("it is not empty: name a new folder"));
        }
        fs::write(folder.join(SETUP), setup)?;
        let mut files = Files::create(folder)?;
        let (sender, events) = mpsc::channel();
        let waiting = Arc::new(AtomicU64::new(0));
        let left = Arc::clone(&waiting);
        let writer = thread::Builder::new()
            .name("recorder".to_owned())
            .spawn(move || files.write_all(&events, &left))?;
        Ok(Recorder { sender, waiting, writer, folder: folder.to_owned(), is_behind: false })
    }

    /// A frame is given to the direction `side`, 0 up and 1 down, which has advanced to `known`.
    pub fn frame(&mut self, side: u8, known: Time, at: Time, bytes: &[u8]) {
        if !self.is_behind {
            self.send(Event::Frame(RecordedFrame { side, known, at, bytes: bytes.to_vec() }));
        }
    }

    /// The direction `side` has decided.
    pub fn decided(&mut self, side: usize, decisions: Vec<Decision>) {
        if !decisions.is_empty() {
            self.send(Event::Decided(side, decisions));
        }
    }

    /// Nothing is left out in between: what does not fit ends the recording.
    fn send(&mut self, event: Event) {
        let takes = event.takes();
        self.is_behind |= self.waiting.load(Ordering::Relaxed) + takes > MOST;
        if !self.is_behind {
            self.waiting.fetch_add(takes, Ordering::Relaxed);
            // A writer that is gone says so in the end.
            let _ = self.sender.send(event);
        }
    }

    /// Writes what is left, and then the manifest, with the instants to which both directions have
    /// advanced.
    #[must_use]
    pub fn finish(self, ends: [Time; 2]) -> Recorded {
        drop(self.sender);
        let ended = || (0, Some(io::Error::other("its thread ended")));
        let (frames, error) = self.writer.join().unwrap_or_else(|_| ended());
        let behind = self.is_behind.then(|| "the disk was slower than the frames came".to_owned());
        let stopped = error.map(|error| error.to_string()).or(behind);
        let ends = ends.map(|end| end.as_ps());
        let manifest = json!({
            "format": 1,
            "forebay": env!("CARGO_PKG_VERSION"),
            "frames": frames,
            "ends_ps": ends,
            "stopped": stopped,
        });
        // It appears complete or not at all.
        let (draft, path) = (self.folder.join("manifest.part"), self.folder.join(MANIFEST));
        let written =
            fs::write(&draft, format!("{manifest:#}\n")).and_then(|()| fs::rename(&draft, path));
        let stopped = stopped.or(written.err().map(|error| error.to_string()));
        Recorded { frames, stopped }
    }
}

struct Files {
    frames: BufWriter<File>,
    decisions: [BufWriter<File>; 2],
    known: [Time; 2],
    written: u64,
}

impl Files {
    fn create(folder: &Path) -> io::Result<Self> {
        let create = |name: &str| File::create(folder.join(name)).map(BufWriter::new);
        let mut files = Files {
            frames: create(FRAMES)?,
            decisions: [create(DECISIONS[0])?, create(DECISIONS[1])?],
            known: [Time::ZERO; 2],
            written: 0,
        };
        write_head(&mut files.frames)?;
        for decisions in &mut files.decisions {
            writeln!(decisions, "{DECISIONS_HEAD}")?;
        }
        Ok(files)
    }

    /// Writes what comes until nothing more does. After an error it only takes what comes, so that
    /// memory stays bounded.
    fn write_all(
        &mut self,
        events: &Receiver<Event>,
        waiting: &AtomicU64,
    ) -> (u64, Option<io::Error>) {
        let mut failed = None;
        for event in events {
            let takes = event.takes();
            if failed.is_none() {
                failed = self.write(event).err();
            }
            waiting.fetch_sub(takes, Ordering::Relaxed);
        }
        let flushed = self.frames.flush();
        let [up, down] = &mut self.decisions;
        let flushed = flushed.and_then(|()| up.flush()).and_then(|()| down.flush());
        (self.written, failed.or(flushed.err()))
    }

    fn write(&mut self, event: Event) -> io::Result<()> {
        match event {
            Event::Frame(frame) => {
                let known = &mut self.known[usize::from(frame.side)];
                let has_advanced = *known != frame.known;
                *known = frame.known;
                write_frame(&mut self.frames, &frame, has_advanced)?;
                self.written += 1;
            }
            Event::Decided(side, decisions) => {
                for decision in decisions {
                    writeln!(self.decisions[side], "{decision}")?;
                }
            }
        }
        Ok(())
    }
}
