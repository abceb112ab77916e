//! Recorded runs of a link: a folder with what came in, what was decided, and how it was set up.
//!
//! | file | what it holds |
//! |---|---|
//! | `setup.json` | how the link was made, as the caller wrote it; written first |
//! | `frames.pcapng` | every frame that was given to a direction, in that order, with its time; interfaces `up`, `down` |
//! | `up.csv`, `down.csv` | a line for each [`Decision`], in the order in which they were made |
//! | `manifest.json` | how many frames there are and when the run ended; written last, so that a cut run has none |
//!
//! Times are those of the run, from 0, so the capture begins in 1970. A comment at a frame says to
//! when its direction had advanced before, if that has changed: with it, the same engine decides
//! the same. O(1) a frame; both sides keep one frame in memory, besides the [`Recorder`]'s bounded
//! channel.

mod frames;
mod recorder;
#[cfg(test)]
mod tests;

use std::fmt;
use std::io;

use forebay_units::Time;

pub use frames::{Frames, RecordedFrame, write_head};
pub use recorder::{Recorded, Recorder};

use crate::link::{Decision, Direction, Frame};

/// The file with the frames.
pub const FRAMES: &str = "frames.pcapng";
/// The file that says how the link was made.
pub const SETUP: &str = "setup.json";
/// The file that is written last.
pub const MANIFEST: &str = "manifest.json";
/// The files with decisions, up and down.
pub const DECISIONS: [&str; 2] = ["up.csv", "down.csv"];
/// What each of them begins with.
pub const DECISIONS_HEAD: &str = "frame,fate,end_ps,at_ps,why";

/// Why recorded frames cannot be read.
#[derive(Debug)]
pub enum RecordError {
    /// The system's reason.
    Read(io::Error),
    /// The file ends inside a block, as that of a run that was killed does.
    Cut,
    /// It is not what a link records.
    Damaged(&'static str),
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordError::Read(error) => write!(f, "it cannot be read: {error}"),
            RecordError::Cut => f.write_str("it ends inside a frame"),
            RecordError::Damaged(what) => write!(f, "it is not a recording of a link: {what}"),
        }
    }
}

impl std::error::Error for RecordError {}

/// Gives recorded frames to fresh, [watched](Direction::watched) directions as the live link did,
/// and tells what they decide. With `ends`, time then advances to where the run ended.
///
/// How many frames were given, and why no more could be read, if so.
pub fn replay(
    directions: &mut [Direction<'_>; 2],
    frames: impl Iterator<Item = Result<RecordedFrame, RecordError>>,
    ends: Option<[Time; 2]>,
    mut decided: impl FnMut(usize, &Decision),
) -> (u64, Option<RecordError>) {
    let mut given = 0;
    let mut to = |side: usize, direction: &mut Direction<'_>, known: Time| {
        direction.advance(known);
        while direction.depart(known).is_some() {}
        direction.decisions().iter().for_each(|decision| decided(side, decision));
    };
    for frame in frames {
        let RecordedFrame { side, known, at, bytes } = match frame {
            Ok(frame) => frame,
            Err(error) => return (given, Some(error)),
        };
        let direction = &mut directions[usize::from(side)];
        to(side.into(), direction, known);
        direction.arrive(at, Frame::new(bytes));
        given += 1;
    }
    for (side, end) in ends.into_iter().flatten().enumerate() {
        to(side, &mut directions[side], end);
    }
    (given, None)
}
