//! How much a scheduler may hold, and how much it does.

use forebay_parameters::{Configure, ParameterError};
use forebay_units::Bytes;

use crate::DropCause;
use crate::Packet;

/// The most that may wait at once. Both limits hold.
///
/// ```
/// use forebay_sched::fair::Limits;
/// use forebay_units::Bytes;
///
/// let shallow = Limits { bytes: Bytes::new(100_000), ..Limits::default() };
/// assert_eq!(shallow.packets, 65_536);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Configure)]
pub struct Limits {
    /// Packets that may wait.
    ///
    /// Gearbox §2.2 has a switch of some 60 K packets.
    #[parameter(range = 1..=1 << 31, default = 1 << 16)]
    #[parameter(assumed = "more than wait in the experiments")]
    pub packets: u32,
    /// Bytes that may wait.
    ///
    /// At least 1; the default is no limit of its own for packets of 1500 bytes.
    #[parameter(assumed = "1500 bytes for every packet", default = Bytes::new(96 << 20))]
    pub bytes: Bytes,
}

impl Limits {
    /// The same with no more bytes than `buffer`.
    ///
    /// # Errors
    /// Nothing could wait.
    pub(crate) fn within(self, buffer: Bytes) -> Result<Self, ParameterError> {
        let limits = Limits { bytes: self.bytes.min(buffer), ..self };
        match limits.is_valid() {
            true => Ok(limits),
            false if limits.bytes == Bytes::ZERO => {
                Err(Limits::BYTES.refuse("let at least 1 byte wait"))
            }
            false => Err(Limits::PACKETS.refuse("let 1 to 2^31 packets wait")),
        }
    }

    pub(crate) fn is_valid(&self) -> bool {
        (1..=1 << 31).contains(&self.packets) && self.bytes.get() > 0
    }
}

/// What is held, within the limits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    limits: Limits,
    packets: u32,
    bytes: u64,
}

impl Room {
    pub(crate) fn new(limits: Limits) -> Self {
        Room { limits, packets: 0, bytes: 0 }
    }

    /// Whether `packet` fits.
    #[inline]
    pub(crate) fn check(&self, packet: &Packet) -> Result<(), DropCause> {
        let bytes = self.bytes.saturating_add(u64::from(packet.size));
        if self.packets < self.limits.packets && bytes <= self.limits.bytes.get() {
            Ok(())
        } else {
            Err(DropCause::QueueFull)
        }
    }

    /// Whether more is held than may be.
    pub(crate) fn is_exceeded(&self) -> bool {
        self.packets > self.limits.packets || self.bytes > self.limits.bytes.get()
    }

    #[inline]
    pub(crate) fn enter(&mut self, packet: &Packet) {
        self.packets += 1;
        self.bytes += u64::from(packet.size);
    }

    #[inline]
    pub(crate) fn leave(&mut self, packet: &Packet) {
        self.packets -= 1;
        self.bytes -= u64::from(packet.size);
    }

    pub(crate) fn len(&self) -> usize {
        self.packets as usize
    }

    pub(crate) fn bytes(&self) -> Bytes {
        Bytes::new(self.bytes)
    }
}
