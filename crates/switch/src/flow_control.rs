//! Flow control as a switch and what is around it speak of it: pauses, credits, and what came of
//! them.
//!
//! A switch says what its neighbours are to be told ([`SwitchModel::pauses`]), and is told what
//! they want of it ([`SwitchModel::pause`]). How a pause travels is its driver's business. With
//! [`Credits`] the driver keeps the accounts, too: it pauses a class while its next packet
//! ([`SwitchModel::head_size`]) has no credit.
//!
//! [`SwitchModel::pauses`]: crate::SwitchModel::pauses
//! [`SwitchModel::pause`]: crate::SwitchModel::pause
//! [`SwitchModel::head_size`]: crate::SwitchModel::head_size

use forebay_buffer::Reaction;
use forebay_units::{Bytes, Duration, Rate};

/// Something is to stop sending packets of a class, or may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pause {
    /// The port of the switch: of a pause that it asks for, the one through which packets come in;
    /// of one that it is asked for, the one through which they leave.
    pub port: u16,
    /// Which class, 0 to 7: the queue of a port that its packets wait in.
    pub class: u8,
    /// Whether it begins; otherwise it ends.
    pub on: bool,
}

/// How switches with lossless classes are driven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowControl {
    /// How long every device takes to obey a frame once it has arrived.
    pub response: Duration,
    /// Queues of a port; packets of classes beyond wait in the last.
    pub queues: u16,
    /// What senders need for each packet; `None` if they are paused instead.
    pub credits: Option<Credits>,
}

impl FlowControl {
    /// The size of a frame that pauses classes or grants credit, in bytes: the smallest Ethernet
    /// frame, which is also InfiniBand's flow-control packet of 8 bytes for each of 8 lanes.
    pub const FRAME: u32 = 64;

    /// The queue of a port in which packets of a class wait.
    #[must_use]
    #[inline]
    pub fn queue(&self, class: u8) -> u8 {
        u16::from(class).min(self.queues.saturating_sub(1)) as u8
    }
}

/// Credit of links: a sender sends a packet of a lane only if the receiver has granted it room, in
/// cells, in a buffer that holds nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Credits {
    /// Which classes are lanes that need credit, a bit for each.
    pub lanes: u8,
    /// Bytes of a cell.
    pub cell: u32,
    /// The largest packet, in bytes.
    pub largest_packet: u32,
    /// Cells of the buffer of each input and lane; `None` for what keeps its link busy.
    pub buffer: Option<u32>,
    /// Cells that must have left a buffer before their room is granted again.
    pub return_after: u32,
    /// How long the room of fewer cells may wait for that.
    pub return_within: Duration,
}

impl Credits {
    /// Cells of a packet of `size` bytes.
    #[must_use]
    #[inline]
    pub fn cells(&self, size: u32) -> u32 {
        size.div_ceil(self.cell.max(1))
    }

    /// Whether a class needs credit.
    #[must_use]
    #[inline]
    pub fn covers(&self, class: u8) -> bool {
        self.lanes >> (class & 7) & 1 != 0
    }

    /// Cells of the buffer of each lane behind a link of this rate and delay, whose devices take
    /// `response` to use what they are granted.
    ///
    /// Unless it is given, full packets never wait for credit while their receiver sends them on at
    /// once: from when a packet begins until its room is granted again there pass the packet, the
    /// cable, a packet that has just begun the other way, the frame, the cable and the response,
    /// and before the room of some waits for that of others ([`Credits::return_after`]), the time
    /// of these. That is a [`Reaction`], in whole packets.
    #[must_use]
    pub fn room(&self, rate: Rate, delay: Duration, response: Duration) -> u32 {
        if let Some(cells) = self.buffer {
            return cells;
        }
        let reaction = Reaction {
            rate,
            delay,
            largest_packet: Bytes::new(self.largest_packet.into()),
            frame: Bytes::new(FlowControl::FRAME.into()),
            response,
        };
        let each = self.cells(self.largest_packet).max(1);
        let packets = reaction.in_flight().div_ceil(Bytes::new(self.largest_packet.max(1).into()));
        let together = u64::from(self.return_after.div_ceil(each).max(1));
        let packets = packets.saturating_add(together - 1);
        u32::try_from(packets.saturating_mul(each.into())).unwrap_or(u32::MAX)
    }
}

/// What flow control did in a switch so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PauseCounts {
    /// Pauses that it asked its neighbours for.
    pub asked: u64,
    /// The most headroom that was in use at once, in whichever of its memories it was most.
    pub headroom_most: Bytes,
    /// How long packets waited at the head of a paused queue, summed over its queues.
    pub blocked: Duration,
    /// Times that the watchdog emptied a queue.
    pub watchdog: u64,
}

impl core::ops::AddAssign for PauseCounts {
    /// That of several switches: the most headroom is that of the one with the most.
    fn add_assign(&mut self, other: PauseCounts) {
        self.asked += other.asked;
        self.headroom_most = self.headroom_most.max(other.headroom_most);
        self.blocked += other.blocked;
        self.watchdog += other.watchdog;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_has_room_for_what_passes_until_its_room_is_granted_again() {
        let credits = Credits {
            lanes: 1 << 3,
            cell: 200,
            largest_packet: 1500,
            buffer: None,
            return_after: 0,
            return_within: Duration::ZERO,
        };
        let [us, response] = [Duration::from_us(1), Duration::from_ns(500)];
        let room = |credits: Credits| credits.room(Rate::from_gbps(100), us, response);
        // 25 KB of cable, 6250 B of response, two packets and a frame: 22.9 packets of 8 cells.
        assert_eq!(room(credits), 23 * 8);
        // Room is granted two packets at a time, so that of one waits for another.
        assert_eq!(room(Credits { return_after: 9, ..credits }), 24 * 8);
        assert_eq!(room(Credits { buffer: Some(50), return_after: 9, ..credits }), 50);
        assert!(credits.covers(3) && !credits.covers(2));
        assert_eq!((credits.cells(200), credits.cells(201)), (1, 2));
    }
}
