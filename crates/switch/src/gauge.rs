//! What can be read off a switch from outside: how much waits where, at how much a scheme acts, and
//! how much has been moved inside so far. For traces and displays; nothing is kept for it, and
//! whoever does not ask pays nothing.

use forebay_buffer::Tally;

/// Where something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Location {
    /// The switch as one, whatever its ports and memories.
    Switch,
    /// An on-chip memory that neighbouring ports share, by its number.
    Pool(u16),
    /// An output port, by its number from 0.
    Port(u16),
    /// The queue of a class at an output port.
    Queue {
        /// The output port, from 0.
        port: u16,
        /// The class, from 0, the most urgent.
        class: u16,
    },
}

/// A number that a switch reports of itself, for traces to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gauge {
    /// So much is there now.
    Level {
        /// Where.
        location: Location,
        /// What it is, as "waiting bytes".
        name: &'static str,
        /// How much, in bytes.
        bytes: u64,
    },
    /// At so much a scheme begins to act.
    Threshold {
        /// Where.
        location: Location,
        /// Which, as "threshold".
        name: &'static str,
        /// How much, in bytes.
        bytes: u64,
    },
    /// So much has been moved inside the switch since it was made.
    Moved {
        /// Which move, as "swap out".
        name: &'static str,
        /// Why it is made.
        cause: &'static str,
        /// How much.
        total: Tally,
    },
}
