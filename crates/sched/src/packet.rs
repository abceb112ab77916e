/// What a traffic manager knows about a packet: the fields that rank functions and buffer policies
/// may read, and a tag that the caller gets back when the packet leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packet {
    /// Size in bytes, as buffered and sent.
    pub size: u32,
    /// The flow it belongs to (dense index).
    pub flow: u32,
    /// The input it came from.
    pub input: u16,
    /// Priority class; 0 is the highest.
    pub class: u8,
    /// Bytes of the whole flow, known in advance by size-aware schedulers such as shortest flow
    /// first.
    pub flow_size: u64,
    /// Whether whoever holds it may mark it, and whether one did.
    pub ecn: Ecn,
    /// The caller's own number; carried, never read.
    pub tag: u32,
}

/// The congestion field of the network header (RFC 3168, §5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ecn {
    /// Not-ECT: a congested switch drops instead of marking.
    #[default]
    NotCapable,
    /// ECT: a congested switch may mark.
    Capable,
    /// CE: a switch has marked.
    Experienced,
}

impl Ecn {
    /// What it is once a congested switch has marked the packet, if its flow understands marks.
    #[must_use]
    #[inline]
    pub const fn marked(self) -> Ecn {
        match self {
            Ecn::NotCapable => Ecn::NotCapable,
            Ecn::Capable | Ecn::Experienced => Ecn::Experienced,
        }
    }
}

/// A scheduling rank: the smallest leaves first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rank(u64);

impl Rank {
    /// The rank with this value.
    #[must_use]
    pub const fn new(value: u64) -> Self {
        Rank(value)
    }

    /// The rank's value.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}
