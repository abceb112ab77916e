//! Flows: who sends how many bytes to whom, and when.

mod file;
mod packed;

use core::fmt;

use forebay_parameters::grouped;
use forebay_units::{Bytes, Time};

pub use file::{FlowFileError, FlowLines, LONGEST_LINE, holds_flow, read_flows, write_flows};
pub use packed::FlowList;

/// The most flows of a run.
pub const MAX_FLOWS: usize = 1 << 28;
/// The largest flow (1 PiB).
pub const MAX_FLOW_BYTES: Bytes = Bytes::new(1 << 50);

/// The latest start of a flow, a day before the end of time (18,446,744 s): what follows must fit.
pub const LATEST_START: Time = Time::from_ps(u64::MAX - 86_400 * 1_000_000_000_000);

/// Some bytes from one host to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// The host that sends.
    pub src: u32,
    /// The host that receives.
    pub dst: u32,
    /// How many bytes, at least 1.
    pub bytes: Bytes,
    /// When the sender may begin; at the latest [`LATEST_START`], or [`Time::MAX`] for never by
    /// itself.
    pub start: Time,
    /// Its packets' class, both ways unless acknowledgements have their own; what it means is up to
    /// the switches.
    pub class: u8,
}

/// What is wrong with a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FlowProblem {
    /// A host that is not in the topology.
    UnknownHost {
        /// The number that the flow gives as its source or destination.
        host: u32,
        /// How many there are.
        hosts: u32,
    },
    /// From a host to itself.
    ToItself(u32),
    /// Of no bytes, or more than [`MAX_FLOW_BYTES`].
    Size(Bytes),
    /// A start after [`LATEST_START`].
    Late(Time),
    /// Between hosts that no path joins.
    NoPath {
        /// The host that sends.
        src: u32,
        /// The host that receives.
        dst: u32,
    },
}

impl fmt::Display for FlowProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FlowProblem::UnknownHost { host, hosts } => {
                write!(f, "host {host} is not in the topology: its {hosts} hosts count from 0")
            }
            FlowProblem::ToItself(host) => {
                write!(f, "the flow leads from host {host} to itself: name two hosts")
            }
            FlowProblem::Size(bytes) => {
                write!(f, "a flow of {} bytes: give 1 to 2^50", grouped(bytes.get()))
            }
            FlowProblem::Late(start) => write!(
                f,
                "the flow begins at {start}, too late to end: give a start up to {LATEST_START}"
            ),
            FlowProblem::NoPath { src, dst } => {
                write!(f, "no path leads from host {src} to host {dst}: connect their switches")
            }
        }
    }
}

impl core::error::Error for FlowProblem {}

impl Flow {
    /// A flow of class 0.
    #[must_use]
    pub const fn new(src: u32, dst: u32, bytes: Bytes, start: Time) -> Self {
        Flow { src, dst, bytes, start, class: 0 }
    }

    /// Whether the flow is possible among `hosts` hosts.
    ///
    /// # Errors
    /// [`FlowProblem`], except that it does not look for a path.
    pub fn check(&self, hosts: u32) -> Result<(), FlowProblem> {
        if let Some(&host) = [self.src, self.dst].iter().find(|&&host| host >= hosts) {
            return Err(FlowProblem::UnknownHost { host, hosts });
        }
        if self.src == self.dst {
            return Err(FlowProblem::ToItself(self.src));
        }
        if self.bytes == Bytes::ZERO || self.bytes > MAX_FLOW_BYTES {
            return Err(FlowProblem::Size(self.bytes));
        }
        if self.start > LATEST_START && self.start < Time::MAX {
            return Err(FlowProblem::Late(self.start));
        }
        Ok(())
    }
}
