//! What a switch sees of a packet: a [`Handle`] of 16 bytes, copied from one queue to the next, and
//! first-in first-out lists of them that share their memory.

mod list;

pub use list::{HandlePool, List, ListPool};

use core::num::NonZeroU64;

use forebay_sched::{Ecn, Packet};

/// The number of a flow, in the order in which flows were given.
pub type FlowId = u32;

/// Set in a handle's flow if the packet goes back to the flow's source: flows are numbered below
/// it.
const BACK: u32 = 1 << 31;

/// By what number whoever made a packet finds it again: its place in a network's arena, say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PacketId(u32);

impl PacketId {
    /// No packet.
    pub const NONE: PacketId = PacketId(u32::MAX);

    /// The packet with this number, below 2^32 - 1.
    #[must_use]
    #[inline]
    pub const fn numbered(number: u32) -> Self {
        PacketId(number)
    }

    /// The number; 2^32 - 1 is that of [`PacketId::NONE`].
    #[must_use]
    #[inline]
    pub const fn get(self) -> u32 {
        self.0
    }
}

/// What queues, links and switches see of a packet.
///
/// ```
/// use forebay_switch::{Ecn, Handle};
///
/// let mut packet = Handle::new(7, 1500).with_class(2);
/// assert_eq!((packet.flow(), packet.size(), packet.class(), packet.input()), (7, 1500, 2, 0));
/// assert!(!packet.is_back() && !packet.mark(), "its flow does not understand marks");
/// packet = packet.with_ecn(Ecn::Capable);
/// assert!(packet.mark());
/// assert_eq!(packet.ecn(), Ecn::Experienced);
/// ```
///
/// Two words rather than a field for each part: processors write a word at once, and wait when what
/// was written in parts is read whole, as every copy of a handle into a queue does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Handle {
    /// The packet's name, and above it the flow with the direction.
    name: u64,
    /// From the lowest bit on: 32 of the size, 16 of the port it came through, 8 of the class, 2 of
    /// the congestion field, 1 of whether it is trimmed; the highest is always set.
    rest: NonZeroU64,
}

const INPUT: u32 = 32;
const CLASS: u32 = 48;
const ECN: u32 = 56;
const TRIMMED: u32 = 58;
const PRESENT: NonZeroU64 = NonZeroU64::new(1 << 63).unwrap();

impl Handle {
    /// The handle of a packet of `flow` with `size` bytes on the wire: towards the flow's
    /// destination, class 0, not markable. It names no packet: for tests of switches, which never
    /// ask.
    #[must_use]
    pub const fn new(flow: FlowId, size: u32) -> Self {
        Handle::named(PacketId::NONE, flow, size)
    }

    /// As [`Handle::new`], for a driver of switches outside a network, which finds the packet again
    /// by `number` ([`PacketId::get`]): two packets that are in switches at once have different
    /// ones, below 2^32 - 1.
    #[must_use]
    pub const fn numbered(number: u32, flow: FlowId, size: u32) -> Self {
        Handle::named(PacketId::numbered(number), flow, size)
    }

    /// The handle of a packet of `flow` with `size` bytes, known as `packet`: otherwise as
    /// [`Handle::new`].
    #[inline]
    #[must_use]
    pub const fn named(packet: PacketId, flow: FlowId, size: u32) -> Self {
        // What stands for `NotCapable` is 0, as are the first port and class.
        let name = ((flow & !BACK) as u64) << 32 | packet.get() as u64;
        Handle { name, rest: PRESENT }.with(0, 32, size as u64)
    }

    /// The same packet, on its way back to its flow's source.
    #[inline]
    #[must_use]
    pub const fn sent_back(self) -> Self {
        Handle { name: self.name | (BACK as u64) << 32, rest: self.rest }
    }

    /// With `bits` bits from `first` on replaced.
    #[inline]
    const fn with(self, first: u32, bits: u32, value: u64) -> Self {
        let kept = self.rest.get() & !(((1 << bits) - 1) << first);
        // The highest bit is among what is kept.
        match NonZeroU64::new(kept | value << first) {
            Some(rest) => Handle { name: self.name, rest },
            None => self,
        }
    }

    /// The same packet, known as `packet`.
    #[inline]
    #[must_use]
    pub const fn renamed(self, packet: PacketId) -> Self {
        let flow = self.name >> 32 << 32;
        Handle { name: flow | packet.get() as u64, rest: self.rest }
    }

    /// The same packet in another class.
    #[must_use]
    #[inline]
    pub const fn with_class(self, class: u8) -> Self {
        self.with(CLASS, 8, class as u64)
    }

    /// The same packet with this congestion field.
    #[must_use]
    #[inline]
    pub const fn with_ecn(self, ecn: Ecn) -> Self {
        self.with(ECN, 2, ecn as u64)
    }

    /// The same packet, come in through this port.
    #[must_use]
    #[inline]
    pub const fn with_input(self, port: u16) -> Self {
        self.with(INPUT, 16, port as u64)
    }

    /// What is left of the packet once a switch has cut off its data: a header of at most `size`
    /// bytes.
    ///
    /// ```
    /// use forebay_switch::Handle;
    ///
    /// let header = Handle::new(7, 9000).trimmed(64);
    /// assert_eq!((header.size(), header.flow(), header.is_trimmed()), (64, 7, true));
    /// ```
    #[must_use]
    #[inline]
    pub const fn trimmed(self, size: u32) -> Self {
        let left = if size < self.size() { size } else { self.size() };
        self.with(0, 32, left as u64).with(TRIMMED, 1, 1)
    }

    /// Marks the packet (CE), if its flow understands marks. Returns whether it is marked now.
    #[inline]
    pub fn mark(&mut self) -> bool {
        *self = self.with_ecn(self.ecn().marked());
        self.ecn() == Ecn::Experienced
    }

    /// By what number it is found again. Two packets that are in switches at once have different
    /// ones, and nothing else follows from it: in a network it differs between runs on one thread
    /// and on several.
    #[must_use]
    #[inline]
    pub const fn packet(&self) -> PacketId {
        PacketId::numbered(self.name as u32)
    }

    /// The flow it belongs to, whichever way it goes.
    #[must_use]
    #[inline]
    pub const fn flow(&self) -> FlowId {
        (self.name >> 32) as u32 & !BACK
    }

    /// Whether it goes back to its flow's source: it is an acknowledgement, or it is
    /// [trimmed](Handle::is_trimmed) and could not go on.
    #[must_use]
    #[inline]
    pub const fn is_back(&self) -> bool {
        (self.name >> 32) as u32 & BACK != 0
    }

    /// Whether a switch has cut off its data.
    #[must_use]
    #[inline]
    pub const fn is_trimmed(&self) -> bool {
        self.rest.get() >> TRIMMED & 1 != 0
    }

    /// Bytes on the wire.
    #[must_use]
    #[inline]
    pub const fn size(&self) -> u32 {
        self.rest.get() as u32
    }

    /// Its flow's class.
    #[must_use]
    #[inline]
    pub const fn class(&self) -> u8 {
        (self.rest.get() >> CLASS) as u8
    }

    /// The port through which it came into the switch that it is in; 0 at a host.
    #[must_use]
    #[inline]
    pub const fn input(&self) -> u16 {
        (self.rest.get() >> INPUT) as u16
    }

    /// Whether switches may mark it, and whether one did.
    #[must_use]
    #[inline]
    pub const fn ecn(&self) -> Ecn {
        match self.rest.get() >> ECN & 3 {
            0 => Ecn::NotCapable,
            1 => Ecn::Capable,
            _ => Ecn::Experienced,
        }
    }
}

/// A traffic manager's packet as an observer knows it: its tag is its name, and its flow only goes
/// there.
impl From<Packet> for Handle {
    #[inline]
    fn from(packet: Packet) -> Self {
        Handle::numbered(packet.tag, packet.flow, packet.size)
            .with_class(packet.class)
            .with_input(packet.input)
            .with_ecn(packet.ecn)
    }
}

impl Default for Handle {
    /// Names no packet: what stands where there is none.
    fn default() -> Self {
        Handle::new(0, 0)
    }
}

impl core::fmt::Debug for Handle {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Handle")
            .field("packet", &self.packet())
            .field("flow", &self.flow())
            .field("back", &self.is_back())
            .field("size", &self.size())
            .field("input", &self.input())
            .field("class", &self.class())
            .field("ecn", &self.ecn())
            .field("trimmed", &self.is_trimmed())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_is_a_quarter_of_a_cache_line() {
        assert_eq!(size_of::<Handle>(), 16);
    }

    #[test]
    fn the_parts_of_a_handle_do_not_touch_each_other() {
        let size = u32::MAX;
        for ecn in [Ecn::NotCapable, Ecn::Capable, Ecn::Experienced] {
            let full = Handle::new(5, size).with_class(u8::MAX).with_input(u16::MAX).with_ecn(ecn);
            assert_eq!(
                (full.size(), full.class(), full.input(), full.ecn()),
                (size, 255, 65535, ecn)
            );
            let bare = full.with_class(0).with_input(0).with_ecn(Ecn::NotCapable);
            assert_eq!(bare, Handle::new(5, size));
            let cut = full.trimmed(64);
            assert_eq!(
                (cut.size(), cut.class(), cut.input(), cut.ecn(), cut.flow()),
                (64, 255, 65535, ecn, 5)
            );
            assert!(cut.is_trimmed() && !full.is_trimmed());
        }
        let renamed = Handle::new(7, 1).renamed(PacketId::numbered(3));
        assert_eq!((renamed.packet().get(), renamed.flow(), renamed.is_back()), (3, 7, false));
    }

    #[test]
    fn what_goes_back_is_what_it_was_otherwise() {
        let there = Handle::numbered(4, 9, 64).with_class(3).with_input(4);
        let mut back = there.sent_back();
        assert!(back.is_back() && !there.is_back() && !back.mark());
        assert_eq!((back.flow(), back.class(), back.input(), back.packet().get()), (9, 3, 4, 4));
    }
}
