//! Where the core and the switch part.

use std::fmt;

/// What was compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// Whether a packet is let in, and why not.
    Verdict,
    /// Which queue of a port is served.
    Order,
    /// Which packet leaves the buffer.
    Departure,
    /// The bytes, the class or the input of a packet at its output.
    Bytes,
    /// The free cells.
    Cells,
    /// A counter of the core.
    Counter,
    /// An event that cannot come: of a packet that is not there.
    Event,
    /// The core's own assertions.
    Assertion,
    /// The core takes no packet any more.
    Stuck,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Place::Verdict => "verdict",
            Place::Order => "order",
            Place::Departure => "departure",
            Place::Bytes => "bytes",
            Place::Cells => "free cells",
            Place::Counter => "counter",
            Place::Event => "event",
            Place::Assertion => "assertion",
            Place::Stuck => "input",
        })
    }
}

/// The first difference between the core and the switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What was compared.
    pub place: Place,
    /// The core's cycle.
    pub cycle: u64,
    /// The packet, by its place in the capture, from 0; `None` where it is about none.
    pub packet: Option<u32>,
    /// The port, if it is about one.
    pub port: Option<u16>,
    /// What the core says.
    pub core: String,
    /// What the switch says.
    pub switch: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in cycle {}", self.place, self.cycle)?;
        if let Some(packet) = self.packet {
            write!(f, ", packet {packet}")?;
        }
        if let Some(port) = self.port {
            write!(f, ", port {port}")?;
        }
        write!(f, ": rtl/tm: {}; switch: {}", self.core, self.switch)
    }
}
