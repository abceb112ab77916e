//! What drop-tail switches are made of, and how they trim.

use forebay_parameters::{Configure, ParameterError, Source};
use forebay_units::Bytes;

use crate::PortLimits;

/// A drop-tail switch: the limits of its ports, and whether they trim what finds no room.
///
/// ```
/// use forebay_parameters::set;
/// use forebay_switch::{DropTailConfig, PortLimits};
///
/// let mut ports = DropTailConfig::from(PortLimits::default());
/// assert_eq!(set(&mut ports, &[("trim_to", "64 B")]).unwrap_err().name(), "trim_to");
/// set(&mut ports, &[("limit", "72 KB"), ("trim", "true"), ("trim_to", "128 B")])?;
/// # Ok::<(), forebay_parameters::ParameterError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Configure)]
pub struct DropTailConfig {
    /// The limits of every port; of one that trims, those of its queue of data.
    #[parameter(part)]
    pub limits: PortLimits,
    /// Cut the data off packets that find no room, and send their headers on ahead of data: for
    /// hosts whose transport asks again for what was cut off (ndp).
    #[parameter(assumed = "switches drop unless told otherwise", default = false)]
    pub trim: bool,
    /// How they trim.
    #[parameter(part, when = self.trim)]
    pub trimming: TrimConfig,
}

impl From<PortLimits> for DropTailConfig {
    fn from(limits: PortLimits) -> Self {
        DropTailConfig { limits, ..DropTailConfig::default() }
    }
}

/// How ports trim packets.
#[derive(Clone, Copy, Debug, PartialEq, Configure)]
pub struct TrimConfig {
    /// What is left of a trimmed packet, in bytes on the wire.
    #[parameter(source = NDP, name = "trim_to", default = Bytes::new(64))]
    pub to: Bytes,
    /// The most bytes of headers, acknowledgements and pulls that may wait at a port; 0: as many as
    /// of data.
    #[parameter(source = OVERVIEW, name = "trim_header_limit", default = None)]
    pub header_limit: Option<Bytes>,
    /// How many of them leave a port for each packet of data while both wait.
    #[parameter(source = OVERVIEW, name = "trim_header_weight", range = 1..=1_000_000, default = 10)]
    pub header_weight: u32,
    /// How often the last packet of a full queue is trimmed in place of the one that arrives.
    #[parameter(source = NDP, name = "trim_last", range = 0.0..=1.0, default = 0.5)]
    pub last: f64,
    /// Send a header that finds no room either back to its sender, once; otherwise it is lost.
    #[parameter(source = NDP, name = "trim_returns", default = true)]
    pub returns: bool,
}

// The authors' overview was at hand (github.com/nets-cs-pub-ro/NDP, wiki), the paper's text not.
const OVERVIEW: Source = Source::assumed("as the authors' overview of ndp has it");
const NDP: Source = Source::assumed("what others cite of ndp; not compared with its own text");

impl TrimConfig {
    /// That something is left of a packet, and that ports hold it.
    pub(crate) fn check(&self, limit: Bytes) -> Result<(), ParameterError> {
        if self.to == Bytes::ZERO {
            return Err(TrimConfig::TO.refuse("nothing would be left of a packet: give 64 B"));
        }
        let room = self.header_limit.unwrap_or(limit);
        if self.to > room {
            let name = match self.header_limit {
                Some(_) => &TrimConfig::HEADER_LIMIT,
                None => &TrimConfig::TO,
            };
            return Err(name.refuse(format_args!(
                "{room} of headers cannot hold one of {}: give smaller ones, or more room",
                self.to
            )));
        }
        Ok(())
    }
}
