//! What two hosts exchange: a run of data bytes one way, an acknowledgement the other way.
//!
//! Only the header fields that the state machines read are kept; headers on the wire are up to the
//! caller. Source: RFC 9293 (fields), RFC 3168 (ECN), RFC 7323 (timestamps), RFC 2018 (SACK
//! option). Our choices: sequence numbers are byte positions from the start of the flow, in 64
//! bits, and never wrap; SACK blocks are held as 32-bit distances from the cumulative
//! acknowledgement, so that both types fit in a cache line with room for the packet's own fields
//! (24 and 48 bytes). A block that ends 4 GiB or more above the cumulative point is left out.

use forebay_switch::Ecn;
use forebay_units::{Bytes, Time};

/// The most SACK blocks in one acknowledgement: what fits next to a timestamp option (RFC 2018,
/// §3).
pub const MAX_SACK_BLOCKS: usize = 3;

/// Some consecutive bytes of a flow.
///
/// ```
/// use forebay_net::transport::Segment;
/// use forebay_switch::Ecn;
/// use forebay_units::Bytes;
///
/// let segment = Segment { seq: 2896, len: 1448, ecn: Ecn::Capable, ..Segment::default() };
/// assert_eq!((segment.end(), segment.payload()), (4344, Bytes::new(1448)));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// Position in the flow of the first byte.
    pub seq: u64,
    /// When it was sent: the value of the timestamp option.
    pub sent_at: Time,
    /// Number of payload bytes.
    pub len: u32,
    /// Whether switches may mark it, and whether one did.
    pub ecn: Ecn,
    /// Congestion window reduced: the answer to an ECN echo.
    pub cwr: bool,
    /// Whether it holds the last byte of the flow.
    pub fin: bool,
    /// Whether its bytes were sent before. For statistics; the receiver ignores it.
    pub resent: bool,
}

impl Segment {
    /// The position just after its last byte.
    #[must_use]
    pub const fn end(&self) -> u64 {
        self.seq.saturating_add(self.len as u64)
    }

    /// The bytes of its flow that it carries, without headers.
    #[must_use]
    pub const fn payload(&self) -> Bytes {
        Bytes::new(self.len as u64)
    }
}

/// What a receiver reports to have received.
///
/// ```
/// use forebay_net::transport::Ack;
///
/// let mut ack = Ack::cumulative(10_000);
/// ack.add_sack(12_000, 14_000);
/// assert_eq!(ack.sack_blocks().collect::<Vec<_>>(), [(12_000, 14_000)]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack {
    /// All bytes before this position have arrived.
    pub cumulative: u64,
    /// The timestamp echoed (RFC 7323, §4.3); [`Time::MAX`] if there is none.
    pub echo: Time,
    sack: [(u32, u32); MAX_SACK_BLOCKS],
    blocks: u8,
    /// ECN echo: a marked segment arrived. Of RoCE, a congestion notification.
    pub ece: bool,
    /// What comes next is missing, and is to be sent again with all behind it (RoCE); or the block
    /// is missing, or what comes next if there is none, and is to be sent again alone (NDP).
    pub nack: bool,
}

impl Ack {
    /// An acknowledgement of all bytes before `position`, with no option set.
    #[must_use]
    pub const fn cumulative(position: u64) -> Self {
        Ack {
            cumulative: position,
            echo: Time::MAX,
            sack: [(0, 0); MAX_SACK_BLOCKS],
            blocks: 0,
            ece: false,
            nack: false,
        }
    }

    /// The same as a negative one: what it names is missing.
    #[must_use]
    pub const fn negative(self) -> Self {
        Ack { nack: true, ..self }
    }

    /// Adds a block of bytes `start..end` received above the cumulative position. Returns whether
    /// it was added: it is not if the block is empty, not above, too far above, or one too many.
    pub fn add_sack(&mut self, start: u64, end: u64) -> bool {
        let from = start.checked_sub(self.cumulative).and_then(|d| u32::try_from(d).ok());
        let to = end.checked_sub(self.cumulative).and_then(|d| u32::try_from(d).ok());
        let (Some(from), Some(to)) = (from, to) else { return false };
        let Some(slot) = self.sack.get_mut(usize::from(self.blocks)) else { return false };
        if from == 0 || from >= to {
            return false;
        }
        *slot = (from, to);
        self.blocks += 1;
        true
    }

    /// The blocks as byte positions `(start, end)`, in the order they were added.
    pub fn sack_blocks(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let place = |distance: u32| self.cumulative.saturating_add(u64::from(distance));
        let blocks = self.sack.get(..usize::from(self.blocks)).unwrap_or(&self.sack);
        blocks.iter().map(move |&(from, to)| (place(from), place(to)))
    }

    /// Whether it has any SACK block.
    #[must_use]
    pub const fn has_sack(&self) -> bool {
        self.blocks > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn they_are_small() {
        assert_eq!(size_of::<Segment>(), 24);
        assert_eq!(size_of::<Ack>(), 48);
    }

    #[test]
    fn bad_blocks_are_refused() {
        let mut ack = Ack::cumulative(100);
        assert!(!ack.add_sack(100, 200), "it would touch the cumulative point");
        assert!(!ack.add_sack(50, 60));
        assert!(!ack.add_sack(200, 200));
        assert!(!ack.add_sack(200, 100 + (1 << 32)), "too far");
        for start in [200, 400, 600] {
            assert!(ack.add_sack(start, start + 100));
        }
        assert!(!ack.add_sack(800, 900), "one too many");
        let blocks: Vec<_> = ack.sack_blocks().collect();
        assert_eq!(blocks, [(200, 300), (400, 500), (600, 700)]);
        assert!(ack.has_sack());
    }
}
