//! Why a workload cannot be built: the field, its value, and what is accepted.

use core::fmt;

use forebay_parameters::grouped;
use forebay_units::{Bytes, Duration, Rate};

use super::Load;
use crate::flow::{MAX_FLOW_BYTES, MAX_FLOWS};
use crate::topology::MAX_NODES;

/// A workload that cannot be built.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WorkloadError {
    /// Fewer hosts than the pattern needs.
    Hosts {
        /// The number of hosts.
        found: u32,
        /// The number it needs.
        least: u32,
    },
    /// More hosts than a topology can have.
    TooManyHosts(u32),
    /// No time in which flows could begin.
    NoSpan,
    /// Hosts that are not in the topology, or none at all.
    HostRange {
        /// What the range is called in the configuration.
        field: &'static str,
        /// The first host.
        start: u32,
        /// The host after the last.
        end: u32,
        /// How many hosts there are.
        hosts: u32,
    },
    /// A load that is not above zero, or above [`Load::MAX`](super::Load::MAX).
    Load(f64),
    /// The links to be loaded have no rate.
    NoCapacity,
    /// A fraction of traffic across the uplinks outside (0, 1].
    Crossing(f64),
    /// A number of queries per second that is not above zero, or not finite.
    PerSecond(f64),
    /// A query to no server, or to more than there are.
    Degree {
        /// Responses per query.
        degree: u32,
        /// The number of servers that a client can ask.
        servers: u64,
    },
    /// Too few bytes, or more than [`MAX_FLOW_BYTES`].
    Size {
        /// What the size is called in the configuration.
        field: &'static str,
        /// The size that was given.
        bytes: Bytes,
        /// The least accepted value.
        least: u64,
    },
    /// Flows so large that one alone outlasts the workload.
    LargeFlows {
        /// Their mean size, in bytes.
        mean: f64,
        /// The rate at which a host should send.
        rate: Rate,
        /// The span in which flows begin.
        span: Duration,
    },
    /// A host that occurs twice in one group.
    TwiceInGroup(u32),
    /// No round at all.
    NoRounds,
    /// More than [`MAX_FLOWS`].
    TooMany,
    /// More than there is memory for.
    NoMemory {
        /// About how many flows there would be.
        flows: u64,
        /// About what making them takes.
        needed: Bytes,
    },
}

impl fmt::Display for WorkloadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WorkloadError::Hosts { found, least } => {
                write!(f, "{found} hosts are too few for this pattern: give at least {least}")
            }
            WorkloadError::TooManyHosts(found) => {
                let [found, most] = [u64::from(*found), MAX_NODES.into()].map(grouped);
                write!(f, "{found} hosts are too many: a topology has at most {most}")
            }
            WorkloadError::NoSpan => {
                write!(f, "no flow begins within a span of 0: give a span above 0, such as 4 ms")
            }
            WorkloadError::HostRange { field, start, end, hosts } => write!(
                f,
                "{field} are hosts {start} to {end} (exclusive): name at least one of the \
                 topology's {hosts} hosts, which count from 0"
            ),
            WorkloadError::Load(load) => {
                let most = Load::MAX;
                write!(
                    f,
                    "a load of {load} is no fraction of what the links carry: give one above 0 \
                     and up to {most}, as 0.8 for 80 %"
                )
            }
            WorkloadError::NoCapacity => {
                write!(f, "the loaded links have a rate of 0: name links that the topology has")
            }
            WorkloadError::Crossing(crossing) => write!(
                f,
                "crossing is {crossing}: give the fraction of bytes that cross the uplinks, in (0, \
                 1]"
            ),
            WorkloadError::PerSecond(rate) => {
                write!(f, "{rate} queries per second are impossible: give a number above 0")
            }
            WorkloadError::Degree { degree, servers } => write!(
                f,
                "degree is {degree}, but a client can ask {servers} servers: give 1 to {servers}, \
                 or more servers per host"
            ),
            WorkloadError::Size { field, bytes, least } => write!(
                f,
                "{field} is {}: give {least} to {} bytes",
                bytes.get(),
                MAX_FLOW_BYTES.get()
            ),
            WorkloadError::LargeFlows { mean, rate, span } => write!(
                f,
                "flows of {mean:.0} bytes on average take longer at {rate} than the span of \
                 {span}: check that sizes are bytes, not bits, or give a longer span"
            ),
            WorkloadError::TwiceInGroup(host) => {
                write!(f, "host {host} is in the group twice: name each host once")
            }
            WorkloadError::NoRounds => write!(f, "rounds is 0: give at least 1"),
            WorkloadError::TooMany => {
                let most = grouped(MAX_FLOWS as u64);
                write!(f, "more than {most} flows: give a shorter span or a lower rate")
            }
            WorkloadError::NoMemory { flows, needed } => write!(
                f,
                "about {} flows need about {needed} of memory: give fewer hosts, a shorter \
                 span or a lower rate",
                grouped(*flows)
            ),
        }
    }
}

impl core::error::Error for WorkloadError {}
