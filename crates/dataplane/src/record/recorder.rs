//! Writes a run to its folder, on a thread of its own: who passes frames hands over and never waits
//! for a disk.
//!
//! What is handed over and not yet written takes at most [`MOST`] bytes. If the disk is slower than
//! that, or full, the recording ends there, says so, and the link goes on.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};

use forebay_units::Time;
use serde_json::json;

use super::changes::PolicyChange;
use super::frames::{RecordedFrame, write_frame, write_head};
use super::{CHANGES, DECISIONS, DECISIONS_HEAD, FRAMES, HOPS, HOPS_HEAD, MANIFEST, SETUP};
use crate::fabric::HopDecision;
use crate::link::{Decision, Frame};

/// The most memory that may wait to be written.
const MOST: u64 = 64 << 20;
/// What a frame takes besides its bytes, and what a decision takes.
const OVERHEAD: u64 = 64;

/// What a recording consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The interfaces through which frames come.
    pub interfaces: Vec<String>,
    /// The files of decisions, and what each begins with.
    pub decisions: Vec<(&'static str, &'static str)>,
}

impl Layout {
    /// That of a link.
    #[must_use]
    pub fn of_link() -> Self {
        Layout {
            interfaces: ["up", "down"].map(str::to_owned).to_vec(),
            decisions: DECISIONS.map(|file| (file, DECISIONS_HEAD)).to_vec(),
        }
    }

    /// That of a lab with these hosts.
    #[must_use]
    pub fn of_lab(hosts: Vec<String>) -> Self {
        Layout { interfaces: hosts, decisions: vec![(HOPS, HOPS_HEAD)] }
    }
}

/// Decisions, in the order in which they were made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decided {
    /// Of a link's direction.
    Link(Vec<Decision>),
    /// Of a lab's devices.
    Lab(Vec<HopDecision>),
}

impl Decided {
    fn len(&self) -> usize {
        match self {
            Decided::Link(decisions) => decisions.len(),
            Decided::Lab(decisions) => decisions.len(),
        }
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        match self {
            Decided::Link(all) => all.iter().try_for_each(|one| writeln!(out, "{one}")),
            Decided::Lab(all) => all.iter().try_for_each(|one| writeln!(out, "{one}")),
        }
    }
}

enum Event {
    Frame(RecordedFrame),
    Decided(usize, Decided),
    Changed(Vec<(u32, Time)>, Vec<(String, String)>),
}

impl Event {
    fn takes(&self) -> u64 {
        match self {
            Event::Frame(frame) => frame.bytes.len() as u64 + OVERHEAD,
            Event::Decided(_, decisions) => (decisions.len() as u64 + 1) * OVERHEAD,
            Event::Changed(devices, set) => (devices.len() + set.len() + 1) as u64 * OVERHEAD,
        }
    }
}

/// What is recorded while a link or a lab runs.
#[derive(Debug)]
pub struct Recorder {
    sender: Sender<Event>,
    waiting: Arc<AtomicU64>,
    writer: JoinHandle<(u64, Option<io::Error>)>,
    /// Why nothing is written any more, and how many frames were.
    stopped: Arc<OnceLock<(u64, String)>>,
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
    pub fn create(folder: &Path, setup: &str, layout: &Layout) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        if fs::read_dir(folder)?.next().is_some() {
            return Err(io::Error::other("it is not empty: name a new folder"));
        }
        fs::write(folder.join(SETUP), setup)?;
        let mut files = Files::create(folder, layout)?;
        let (sender, events) = mpsc::channel();
        let waiting = Arc::new(AtomicU64::new(0));
        let stopped = Arc::new(OnceLock::new());
        let (left, tells) = (Arc::clone(&waiting), Arc::clone(&stopped));
        let writer = thread::Builder::new()
            .name("recorder".to_owned())
            .spawn(move || files.write_all(&events, &left, &tells))?;
        let folder = folder.to_owned();
        Ok(Recorder { sender, waiting, writer, stopped, folder, is_behind: false })
    }

    /// A frame came through the interface `side`; what takes it has advanced to `known`.
    pub fn frame(&mut self, side: u16, known: Time, at: Time, frame: &Frame) {
        if !self.is_behind {
            let bytes = frame.parts().concat();
            self.send(Event::Frame(RecordedFrame { side, known, at, bytes }));
        }
    }

    /// Decisions were made that belong into the file `file` of the layout, from 0.
    pub fn decided(&mut self, file: usize, decisions: Decided) {
        if decisions.len() > 0 {
            self.send(Event::Decided(file, decisions));
        }
    }

    /// The policy of some devices, or of a link's directions, has changed, as `set` says; each with
    /// the instant to which it had advanced.
    pub fn changed(&mut self, devices: &[(u32, Time)], set: &[(String, String)]) {
        self.send(Event::Changed(devices.to_vec(), set.to_vec()));
    }

    /// What there is, if it has ended before its time.
    #[must_use]
    pub fn ended(&self) -> Option<Recorded> {
        let (frames, why) = self.stopped.get()?.clone();
        Some(Recorded { frames, stopped: Some(why) })
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

    /// Writes what is left, and then the manifest, with the instants to which all has advanced: of
    /// a link each direction.
    #[must_use]
    pub fn finish(self, ends: &[Time]) -> Recorded {
        drop(self.sender);
        let ended = || (0, Some(io::Error::other("its thread ended")));
        let (frames, error) = self.writer.join().unwrap_or_else(|_| ended());
        let behind = self.is_behind.then(|| "the disk was slower than the frames came".to_owned());
        let stopped = error.map(|error| error.to_string()).or(behind);
        let ends: Vec<u64> = ends.iter().map(|end| end.as_ps()).collect();
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
    folder: PathBuf,
    /// There if the policy has changed.
    changes: Option<BufWriter<File>>,
    frames: BufWriter<File>,
    decisions: Vec<BufWriter<File>>,
    known: Vec<Time>,
    written: u64,
}

impl Files {
    fn create(folder: &Path, layout: &Layout) -> io::Result<Self> {
        let create = |name: &str| File::create(folder.join(name)).map(BufWriter::new);
        let mut frames = create(FRAMES)?;
        write_head(&mut frames, &layout.interfaces)?;
        let decisions = layout.decisions.iter().map(|(name, head)| {
            let mut file = create(name)?;
            writeln!(file, "{head}")?;
            Ok(file)
        });
        let decisions = decisions.collect::<io::Result<_>>()?;
        let known = vec![Time::ZERO; layout.interfaces.len()];
        let folder = folder.to_owned();
        Ok(Files { folder, changes: None, frames, decisions, known, written: 0 })
    }

    /// Writes what comes until nothing more does. After an error it only takes what comes, so that
    /// memory stays bounded.
    fn write_all(
        &mut self,
        events: &Receiver<Event>,
        waiting: &AtomicU64,
        stopped: &OnceLock<(u64, String)>,
    ) -> (u64, Option<io::Error>) {
        let mut failed = None;
        for event in events {
            let takes = event.takes();
            if failed.is_none() {
                failed = self.write(event).err();
                if let Some(error) = &failed {
                    let _ = stopped.set((self.written, error.to_string()));
                }
            }
            waiting.fetch_sub(takes, Ordering::Relaxed);
        }
        let flushed = self.frames.flush();
        let flushed = flushed.and_then(|()| self.changes.iter_mut().try_for_each(Write::flush));
        let flushed = flushed.and_then(|()| self.decisions.iter_mut().try_for_each(Write::flush));
        (self.written, failed.or(flushed.err()))
    }

    fn write(&mut self, event: Event) -> io::Result<()> {
        match event {
            Event::Frame(frame) => {
                let Some(known) = self.known.get_mut(usize::from(frame.side)) else {
                    return Err(io::Error::other("a frame of an interface that there is not"));
                };
                let has_advanced = *known != frame.known;
                *known = frame.known;
                write_frame(&mut self.frames, &frame, has_advanced)?;
                self.written += 1;
            }
            Event::Changed(devices, set) => {
                let change = PolicyChange::new(self.written, &devices, set);
                let file = match &mut self.changes {
                    Some(file) => file,
                    none => none.insert(BufWriter::new(File::create(self.folder.join(CHANGES))?)),
                };
                serde_json::to_writer(&mut *file, &change)?;
                file.write_all(b"\n")?;
                // What comes later makes no sense without it, whatever ends the process.
                file.flush()?;
            }
            Event::Decided(file, decisions) => match self.decisions.get_mut(file) {
                Some(file) => decisions.write(file)?,
                None => return Err(io::Error::other("decisions of a file that there is not")),
            },
        }
        Ok(())
    }
}
