//! Why packets are lost, and how many: the one list of causes of the whole project.

use core::fmt;
use core::ops::{Add, AddAssign, Sub};

use forebay_pifo::Reason;

/// Why a packet was lost. Every loss has exactly one cause, and every loss counter is indexed by
/// it.
///
/// ```
/// use forebay_sched::DropCause;
///
/// assert_eq!(DropCause::Unmatched.name(), "unmatched");
/// assert_eq!(DropCause::ALL[DropCause::Early.index()], DropCause::Early);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DropCause {
    /// Its queue, or what its port may hold in all, was at its own fixed limit.
    QueueFull,
    /// Its queue was at its share of the memory, although the memory had room.
    Threshold,
    /// The SRAM was full, or the pool of it that the queue belongs to; in a hybrid buffer although
    /// packets were being moved out (themis §4.3, cause 2).
    SramFull,
    /// The second memory of a hybrid buffer, the HBM, was full.
    HbmFull,
    /// The staging buffer in front of the HBM was full: HBM bandwidth is exhausted (themis §4.3,
    /// cause 1).
    StagingFull,
    /// All packet descriptors were in use.
    NoDescriptor,
    /// It could not have been held even by an empty device: it is larger than the largest packet
    /// that the device was told of, or is for a port or queue that the device does not have.
    Impossible,
    /// Pushed out to make room for another packet (occamy §2.2).
    PushedOut,
    /// Expelled from a queue that held more than its share, with spare memory bandwidth (occamy
    /// §4.3).
    Expelled,
    /// It would depart later than the scheduler can look ahead (gearbox §3.3).
    Horizon,
    /// Active queue management dropped it.
    Early,
    /// The link was down while it was on its way.
    LinkDown,
    /// No path led to its host.
    NoRoute,
    /// No rule says which queue takes it.
    Unmatched,
    /// It was of a lossless class, and the headroom for what arrives until its neighbour pauses was
    /// full.
    HeadroomFull,
    /// Its queue was paused for so long that the watchdog emptied it.
    Watchdog,
}

impl DropCause {
    /// How many causes there are.
    pub const COUNT: usize = DropCause::ALL.len();

    /// Every cause, in the order of its index.
    pub const ALL: [DropCause; 16] = [
        DropCause::QueueFull,
        DropCause::Threshold,
        DropCause::SramFull,
        DropCause::HbmFull,
        DropCause::StagingFull,
        DropCause::NoDescriptor,
        DropCause::Impossible,
        DropCause::PushedOut,
        DropCause::Expelled,
        DropCause::Horizon,
        DropCause::Early,
        DropCause::LinkDown,
        DropCause::NoRoute,
        DropCause::Unmatched,
        DropCause::HeadroomFull,
        DropCause::Watchdog,
    ];

    /// Its index in [`DropCause::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Its name in results and traces.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            DropCause::QueueFull => "queue-full",
            DropCause::Threshold => "threshold",
            DropCause::SramFull => "sram-full",
            DropCause::HbmFull => "hbm-full",
            DropCause::StagingFull => "staging-full",
            DropCause::NoDescriptor => "no-descriptor",
            DropCause::Impossible => "impossible",
            DropCause::PushedOut => "pushed-out",
            DropCause::Expelled => "expelled",
            DropCause::Horizon => "horizon",
            DropCause::Early => "early",
            DropCause::LinkDown => "link-down",
            DropCause::NoRoute => "no-route",
            DropCause::Unmatched => "unmatched",
            DropCause::HeadroomFull => "headroom-full",
            DropCause::Watchdog => "watchdog",
        }
    }
}

impl fmt::Display for DropCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl From<Reason> for DropCause {
    /// Why a packet is lost that a ranked queue has refused.
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::Full { .. } => DropCause::QueueFull,
            Reason::RankTooLarge { .. }
            | Reason::BelowWindow { .. }
            | Reason::BeyondWindow { .. }
            | Reason::BeyondHorizon { .. } => DropCause::Horizon,
            Reason::NoSuchPartition { .. } => DropCause::Impossible,
            Reason::NotAdmitted { .. } => DropCause::Early,
        }
    }
}

/// A number of packets and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Tally {
    /// How many packets.
    pub packets: u64,
    /// How many bytes they have, as whoever counts measures them: on the wire unless told
    /// otherwise.
    pub bytes: u64,
}

impl Tally {
    /// Counts one packet of `size` bytes.
    #[inline]
    pub fn count(&mut self, size: u32) {
        self.packets += 1;
        self.bytes += u64::from(size);
    }
}

impl Add for Tally {
    type Output = Tally;

    fn add(self, other: Tally) -> Tally {
        Tally { packets: self.packets + other.packets, bytes: self.bytes + other.bytes }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        *self = *self + other;
    }
}

impl Sub for Tally {
    type Output = Tally;

    fn sub(self, earlier: Tally) -> Tally {
        Tally { packets: self.packets - earlier.packets, bytes: self.bytes - earlier.bytes }
    }
}

impl core::iter::Sum for Tally {
    fn sum<I: Iterator<Item = Tally>>(tallies: I) -> Tally {
        tallies.fold(Tally::default(), Add::add)
    }
}

/// Lost packets by cause.
///
/// ```
/// use forebay_sched::{DropCause, DropTally};
///
/// let mut lost = DropTally::default();
/// lost.count(DropCause::Early, 1500);
/// assert_eq!((lost.of(DropCause::Early).bytes, lost.total().packets), (1500, 1));
/// assert_eq!(lost.causes().map(|(cause, _)| cause).next(), Some(DropCause::Early));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DropTally([Tally; DropCause::COUNT]);

impl DropTally {
    /// Counts one packet of `size` bytes.
    #[inline]
    pub fn count(&mut self, cause: DropCause, size: u32) {
        self.0[cause.index()].count(size);
    }

    /// Those lost for `cause`.
    #[must_use]
    pub const fn of(&self, cause: DropCause) -> Tally {
        self.0[cause.index()]
    }

    /// Those lost for whatever cause.
    #[must_use]
    pub fn total(&self) -> Tally {
        self.0.into_iter().sum()
    }

    /// The causes for which packets were lost, in the order of their index.
    pub fn causes(&self) -> impl Iterator<Item = (DropCause, Tally)> + '_ {
        DropCause::ALL.into_iter().zip(self.0).filter(|(_, tally)| tally.packets > 0)
    }
}

impl AddAssign for DropTally {
    fn add_assign(&mut self, other: DropTally) {
        self.0.iter_mut().zip(other.0).for_each(|(tally, more)| *tally += more);
    }
}

impl Sub for DropTally {
    type Output = DropTally;

    fn sub(mut self, earlier: DropTally) -> DropTally {
        self.0.iter_mut().zip(earlier.0).for_each(|(tally, before)| *tally = *tally - before);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cause_is_at_its_index_under_a_name_of_its_own() {
        for (index, cause) in DropCause::ALL.into_iter().enumerate() {
            assert_eq!(cause.index(), index, "{cause}");
            let others = &DropCause::ALL[index + 1..];
            assert!(others.iter().all(|other| other.name() != cause.name()), "{cause}");
        }
        assert_eq!(DropCause::Watchdog.index() + 1, DropCause::COUNT);
    }
}
