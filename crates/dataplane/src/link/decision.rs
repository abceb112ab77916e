//! What became of a frame, as a line of a recording: exactly what two runs are compared by.

use std::fmt;

use forebay_units::Time;

/// What a direction decided about a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Which frame of those that were given to the direction, from 1.
    pub frame: u64,
    /// What became of it.
    pub fate: FrameFate,
}

/// What became of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameFate {
    /// It left.
    Left {
        /// When its last bit left the port.
        end: Time,
        /// When that arrives at the other end.
        at: Time,
        /// Whether the switch marked it.
        marked: bool,
    },
    /// It was lost.
    Lost {
        /// When.
        at: Time,
        /// The name of the cause.
        cause: &'static str,
    },
}

/// A line of CSV: `frame,fate,end_ps,at_ps,why`.
impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.frame, self.fate)
    }
}

/// The part `fate,end_ps,at_ps,why` of a line of CSV.
impl fmt::Display for FrameFate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            FrameFate::Left { end, at, marked } => {
                let marked = if marked { "marked" } else { "" };
                write!(f, "left,{},{},{marked}", end.as_ps(), at.as_ps())
            }
            FrameFate::Lost { at, cause } => write!(f, "lost,,{},{cause}", at.as_ps()),
        }
    }
}
