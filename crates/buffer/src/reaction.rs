//! How much still arrives over a link after its receiver has decided that the sender must pause:
//! the arithmetic of headroom.
//!
//! IEEE 802.1Qbb (now 802.1Q, clause 36) has the receiver send a pause frame, and IEEE 802.3
//! (clause 31B) bounds how long the sender takes to obey. Between the decision and the last bit
//! lie, at the link's rate:
//!
//! 1. a packet that the receiver has just begun to send the other way, which the frame waits for;
//! 2. the frame;
//! 3. the cable, there and back;
//! 4. the sender's response;
//! 5. a packet that the sender has just begun when it obeys.
//!
//! The packet that called for the pause comes on top, where it too finds no room but in headroom.
//! Vendors add the delays of transceivers and pipelines; here they belong to the response.
//! Preambles and gaps between packets are not counted, since packets here have none.
//!
//! ```
//! use forebay_buffer::Reaction;
//! use forebay_units::{Bytes, Duration, Rate};
//!
//! let reaction = Reaction {
//!     rate: Rate::from_gbps(100),
//!     delay: Reaction::cable(100), // metres
//!     largest_packet: Bytes::new(1500),
//!     frame: Bytes::new(64),
//!     response: Duration::from_us(2),
//! };
//! // 12.5 KB on the cable, 25 KB of response, two packets and the frame.
//! assert_eq!(reaction.in_flight(), Bytes::new(12_500 + 25_000 + 2 * 1500 + 64));
//! assert_eq!(reaction.headroom(), reaction.in_flight() + Bytes::new(1500));
//! ```

use forebay_units::{Bytes, Duration, Rate};

const BITS_PS_PER_BYTE_S: u128 = 8_000_000_000_000;

/// What decides how much arrives after a pause was called for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reaction {
    /// The rate of the link, in both directions.
    pub rate: Rate,
    /// How long a bit takes from one end of the link to the other.
    pub delay: Duration,
    /// The largest packet that either end sends.
    pub largest_packet: Bytes,
    /// The size of a pause frame on the wire.
    pub frame: Bytes,
    /// How long the sender takes from the last bit of the frame until it begins no more packets.
    pub response: Duration,
}

impl Reaction {
    /// The delay of so many metres of fibre: 5 ns each.
    #[must_use]
    pub const fn cable(metres: u32) -> Duration {
        Duration::from_ns(5 * metres as u64)
    }

    /// The most bytes that arrive after the decision.
    #[must_use]
    pub fn in_flight(&self) -> Bytes {
        let span = u128::from(self.delay.as_ps()) * 2 + u128::from(self.response.as_ps());
        let bits = span.saturating_mul(self.rate.as_bps().into());
        let sent = bits.div_ceil(BITS_PS_PER_BYTE_S);
        let packets = self.largest_packet.get().saturating_mul(2);
        let sent = u64::try_from(sent).unwrap_or(u64::MAX);
        Bytes::new(sent.saturating_add(packets).saturating_add(self.frame.get()))
    }

    /// What must be set aside so that nothing is lost: what arrives after the decision, and the
    /// packet that called for it.
    #[must_use]
    pub fn headroom(&self) -> Bytes {
        Bytes::new(self.in_flight().get().saturating_add(self.largest_packet.get()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_overflows() {
        let most = Reaction {
            rate: Rate::from_bps(u64::MAX),
            delay: Duration::from_ps(u64::MAX),
            largest_packet: Bytes::new(u64::MAX),
            frame: Bytes::new(u64::MAX),
            response: Duration::from_ps(u64::MAX),
        };
        assert_eq!(most.headroom(), Bytes::new(u64::MAX));
        let none = Reaction {
            rate: Rate::from_bps(0),
            delay: Duration::ZERO,
            largest_packet: Bytes::ZERO,
            frame: Bytes::ZERO,
            response: Duration::ZERO,
        };
        assert_eq!(none.headroom(), Bytes::ZERO);
    }

    #[test]
    fn a_part_of_a_byte_counts_as_one() {
        let reaction = Reaction {
            rate: Rate::from_bps(1_000_000_007),
            delay: Duration::from_ns(1),
            largest_packet: Bytes::ZERO,
            frame: Bytes::ZERO,
            response: Duration::ZERO,
        };
        assert_eq!(reaction.in_flight(), Bytes::new(1));
    }
}
