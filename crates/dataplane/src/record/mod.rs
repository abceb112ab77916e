//! Recorded runs of a link or a lab: a folder with what came in, what was decided, and how it was
//! set up.
//!
//! | file | what it holds |
//! |---|---|
//! | `setup.json` | how it was made, as the caller wrote it; written first |
//! | `frames.pcapng` | every frame that came, in the order in which it was given to the engine, with its time; interfaces `up`, `down`, or the hosts' names |
//! | `up.csv`, `down.csv`; `decisions.csv` | of a link, a line for each [`Decision`]; of a lab, for each [`HopDecision`], in the order in which they were made |
//! | `changes.jsonl` | if the policy was changed meanwhile, a line for each [`PolicyChange`] |
//! | `manifest.json` | how many frames there are and when the run ended; written last, so that a cut run has none |
//!
//! Times are those of the run, from 0, so the capture begins in 1970. A comment at a frame says to
//! when whatever took it had advanced before, if that has changed: with it, the same engine decides
//! the same. O(1) a frame; both sides keep one frame in memory, besides the [`Recorder`]'s bounded
//! channel.

mod changes;
mod frames;
mod recorder;
#[cfg(test)]
mod tests;

use std::fmt;
use std::io;

use forebay_units::Time;

pub use changes::PolicyChange;
pub use frames::{Frames, RecordedFrame, write_head};
pub use recorder::{Decided, Layout, Recorded, Recorder};

use crate::fabric::{Fabric, HopDecision, Incoming};
use crate::link::{Decision, Direction, Frame};

/// The file with the frames.
pub const FRAMES: &str = "frames.pcapng";
/// The file that says how the link or the lab was made.
pub const SETUP: &str = "setup.json";
/// The file that is written last.
pub const MANIFEST: &str = "manifest.json";
/// The file with the changes of the policy.
pub const CHANGES: &str = "changes.jsonl";
/// The files with a link's decisions, up and down.
pub const DECISIONS: [&str; 2] = ["up.csv", "down.csv"];
/// What each of them begins with.
pub const DECISIONS_HEAD: &str = "frame,fate,end_ps,at_ps,why";
/// The file with a lab's decisions.
pub const HOPS: &str = "decisions.csv";
/// What it begins with.
pub const HOPS_HEAD: &str = "frame,device,port,fate,end_ps,at_ps,why";

/// Why recorded frames cannot be read.
#[derive(Debug)]
pub enum RecordError {
    /// The system's reason.
    Read(io::Error),
    /// The file ends inside a block, as that of a run that was killed does.
    Cut,
    /// It is not what is recorded here.
    Damaged(&'static str),
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordError::Read(error) => write!(f, "it cannot be read: {error}"),
            RecordError::Cut => f.write_str("it ends inside a frame"),
            RecordError::Damaged(what) => write!(f, "it is not a recording of ours: {what}"),
        }
    }
}

impl std::error::Error for RecordError {}

/// Gives recorded frames to fresh, [watched](Direction::watched) directions as the live link did,
/// and tells what they decide. Where the policy changed, `change` is called to change it again.
/// With `ends`, time then advances to where the run ended.
///
/// How many frames were given, and why no more could be read, if so.
pub fn replay(
    directions: &mut [Direction<'_>; 2],
    frames: impl Iterator<Item = Result<RecordedFrame, RecordError>>,
    changes: &[PolicyChange],
    ends: Option<[Time; 2]>,
    mut decided: impl FnMut(usize, &Decision),
    mut change: impl FnMut(&mut [Direction<'_>; 2], &PolicyChange),
) -> (u64, Option<RecordError>) {
    let mut to = |side: usize, direction: &mut Direction<'_>, known: Time| {
        direction.advance(known);
        while direction.depart(known).is_some() {}
        direction.decisions().iter().for_each(|decision| decided(side, decision));
    };
    let mut changes = changes.iter().peekable();
    let mut given = 0;
    // Behind the last frame come the changes that are left.
    for frame in frames.map(Some).chain([None]) {
        while let Some(due) = changes.next_if(|next| frame.is_none() || next.after <= given) {
            for (side, at) in due.at() {
                if let Some(direction) = directions.get_mut(side as usize) {
                    to(side as usize, direction, at);
                }
            }
            change(directions, due);
        }
        let RecordedFrame { side, known, at, bytes } = match frame {
            None => break,
            Some(Ok(frame)) => frame,
            Some(Err(error)) => return (given, Some(error)),
        };
        let Some(direction) = directions.get_mut(usize::from(side)) else {
            let problem = RecordError::Damaged("a frame of a third interface");
            return (given, Some(problem));
        };
        to(side.into(), direction, known);
        direction.arrive(at, Frame::new(bytes));
        given += 1;
    }
    for (side, end) in ends.into_iter().flatten().enumerate() {
        to(side, &mut directions[side], end);
    }
    (given, None)
}

/// Gives recorded frames to a fresh, [watched](Fabric::watched) fabric as the live lab did, and
/// tells what it decides. Where the policy changed, `change` is called to change it again. With
/// `end`, time then advances to where the run ended.
///
/// How many frames were given, and why no more could be read, if so.
pub fn replay_lab(
    fabric: &mut Fabric<'_>,
    frames: impl Iterator<Item = Result<RecordedFrame, RecordError>>,
    changes: &[PolicyChange],
    end: Option<Time>,
    mut decided: impl FnMut(&HopDecision),
    mut change: impl FnMut(&mut Fabric<'_>, &PolicyChange),
) -> (u64, Option<RecordError>) {
    let mut to = |fabric: &mut Fabric<'_>, known: Time| {
        fabric.advance(known);
        while fabric.exit().is_some() {}
        fabric.decisions().iter().for_each(&mut decided);
    };
    let mut changes = changes.iter().peekable();
    let mut given = 0;
    for frame in frames.map(Some).chain([None]) {
        while let Some(due) = changes.next_if(|next| frame.is_none() || next.after <= given) {
            due.at().for_each(|(_, at)| to(fabric, at));
            change(fabric, due);
        }
        let RecordedFrame { side, known, at, bytes } = match frame {
            None => break,
            Some(Ok(frame)) => frame,
            Some(Err(error)) => return (given, Some(error)),
        };
        to(fabric, known);
        fabric.arrive(Incoming { at, edge: side.into(), frame: Frame::new(bytes) });
        given += 1;
    }
    if let Some(end) = end {
        to(fabric, end);
    }
    (given, None)
}
