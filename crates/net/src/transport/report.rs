//! In-band telemetry, as hosts see it.

use forebay_units::{Bytes, Rate, Time};

/// The most ports whose reports a packet carries; what comes after them records nothing.
pub const MAX_REPORTS: usize = 8;

/// What a port on a flow's path knew when a packet left it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortReport {
    /// Which port: a number of its own in the network.
    pub port: u32,
    /// When the packet left.
    pub at: Time,
    /// Bytes that waited for the port, behind this packet.
    pub queue: Bytes,
    /// Bytes that the port has sent in total, with this packet.
    pub sent: Bytes,
    /// The rate of its link.
    pub rate: Rate,
}
