//! Sources of packets: *which packet is received next, when, on which input*. Everything that a
//! switch is fed in a laboratory run comes from here: synthetic flows with published size
//! distributions, the evenly mixed priorities of a controlled experiment, or a recorded capture
//! replayed at a chosen load.
//!
//! The central trait is [`PacketSource`]: a time-ordered, deterministic sequence of [`Arrival`]s.
//!
//! | source | what it offers | from |
//! |---|---|---|
//! | [`PoissonFlows`] | Poisson flow arrivals, empirical sizes, packets back to back at link rate | Themis §6.3.1 |
//! | [`PriorityMix`] | a high- and a low-priority flow, evenly spaced, mixed n : 1 | Themis, Appendix C |
//! | [`CaptureReplay`] | a pcap or pcapng file, scaled to the offered load and repeated | - |
//!
//! A source reads no clock and no global random generator; its randomness is a named substream of
//! the run's seed ([`random::stream`]), so the same configuration gives the same packets on every
//! machine.
//!
//! ```
//! use forebay_units::Rate;
//! use forebay_workload::{PacketSource, PoissonFlowsConfig, PoissonFlows, SizeDistribution};
//!
//! // The single-point set-up of Themis §6.3.1: 32 inputs of 50 Gb/s, WebSearch flows, load 0.6.
//! let sizes = SizeDistribution::builtin("websearch")?;
//! let config = PoissonFlowsConfig::new(32, Rate::from_gbps(50), 0.6, sizes, 1);
//! let mut source = PoissonFlows::new(config)?;
//!
//! let first = source.next_packet().ok_or("an endless source")?;
//! assert!(first.size <= 1500 && u64::from(first.size) <= first.flow_size);
//! assert!(source.next_time() >= Some(first.at));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod capture;
mod error;
mod flow_arrivals;
mod merge;
mod poisson;
mod priority_mix;
pub mod random;
mod replay;
mod sizes;

pub use capture::{
    Capture, CaptureCut, CaptureError, CaptureLimits, CaptureWarning, CapturedPacket, Headers,
    IpPacket, Parsed, RecordedPacket, Recording, Service, for_each_ip_packet,
    for_each_live_ip_packet, is_short_block, open_capture,
};
pub use error::{MAX_LINK_RATE, SourceError};
pub use poisson::{InputDiscipline, PoissonFlows, PoissonFlowsConfig};
pub use priority_mix::{MixConfig, MixRatio, PriorityMix};
pub use replay::{CaptureReplay, ReplayConfig};
pub use sizes::{
    DistributionError, DistributionProblem, MAX_FLOW_BYTES, MAX_POINTS, SizeDistribution,
};

use forebay_units::Time;

/// One packet, completely received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// When its last bit was received.
    pub at: Time,
    /// The input it was received on, from 0.
    pub input: u16,
    /// Its flow: dense numbers from 0 (those of generated flows in the order of their first
    /// packets).
    pub flow: u32,
    /// Bytes on the wire, which are the bytes a device buffers; never 0.
    pub size: u32,
    /// Bytes of the whole flow, the rank of Shortest Flow First; [`u64::MAX`] for an endless flow.
    pub flow_size: u64,
    /// Priority class; 0 is the highest.
    pub class: u8,
}

/// A deterministic sequence of packets in the order of their arrival times.
///
/// Packets of one input are never closer together than the link's rate permits; packets of equal
/// time come in the order of their inputs. Once a source has ended, it stays ended.
pub trait PacketSource {
    /// When the next packet will have been received; `None` once the source has ended.
    fn next_time(&self) -> Option<Time>;

    /// The next packet; `None` once the source has ended. Allocates nothing in steady state.
    fn next_packet(&mut self) -> Option<Arrival>;
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
