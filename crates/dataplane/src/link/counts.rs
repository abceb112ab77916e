//! What went through a direction of a link, and what did not.

use forebay_switch::{DropCause, DropTally, Tally};

/// Why a frame was lost that no switch's buffer gave up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkLoss {
    /// It was larger than the MTU.
    TooLarge,
    /// The wire lost it, as the parameter `loss` says.
    Wire,
    /// The frames on their way took all the memory that they may.
    NoMemory,
    /// The kernel had no room to hand it over: the program was too slow.
    NotTaken,
    /// The kernel did not take it where it was to leave.
    NotSent,
    /// It is no Ethernet frame, comes from a group's address, or its IP header cannot be read.
    Damaged,
    /// It was for a station at the port that it came through.
    Filtered,
    /// It was for this device alone, or not for its router.
    NotForwarded,
    /// It had taken all the hops that it may.
    Expired,
    /// Another switch took the place of the one that held it, which could not give it out.
    NotMoved,
}

impl LinkLoss {
    /// Every cause, in the order of a frame's way.
    pub const ALL: [LinkLoss; 10] = [
        LinkLoss::NotTaken,
        LinkLoss::TooLarge,
        LinkLoss::NoMemory,
        LinkLoss::Damaged,
        LinkLoss::Filtered,
        LinkLoss::NotForwarded,
        LinkLoss::Expired,
        LinkLoss::NotMoved,
        LinkLoss::Wire,
        LinkLoss::NotSent,
    ];

    /// Its name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            LinkLoss::TooLarge => "too-large",
            LinkLoss::Wire => "wire",
            LinkLoss::NoMemory => "no-memory",
            LinkLoss::NotTaken => "not-taken",
            LinkLoss::NotSent => "not-sent",
            LinkLoss::Damaged => "damaged",
            LinkLoss::Filtered => "filtered",
            LinkLoss::NotForwarded => "not-forwarded",
            LinkLoss::Expired => "expired",
            LinkLoss::NotMoved => "not-moved",
        }
    }
}

/// Frames and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameCounts {
    /// What arrived.
    pub arrived: Tally,
    /// What left at the other end.
    pub left: Tally,
    /// Those among them that the switch marked.
    pub marked: u64,
    /// Frames that were stamped earlier than what had happened already; they arrived a little later
    /// instead.
    pub stamped_late: u64,
    /// What the switch gave up.
    pub dropped: DropTally,
    lost: [Tally; LinkLoss::ALL.len()],
}

impl FrameCounts {
    /// FrameCounts a loss of `packets` frames of `bytes` in all.
    pub fn lose(&mut self, cause: LinkLoss, packets: u64, bytes: u64) {
        let tally = &mut self.lost[cause as usize];
        *tally += Tally { packets, bytes };
    }

    /// A frame of `size` bytes was lost before it could be given.
    pub fn never_came(&mut self, cause: LinkLoss, size: u32) {
        self.arrived.count(size);
        self.lose(cause, 1, size.into());
    }

    /// Frames that had left were not taken after all.
    pub fn not_sent(&mut self, frames: Tally) {
        self.left = self.left - frames;
        self.lose(LinkLoss::NotSent, frames.packets, frames.bytes);
    }

    /// What was lost for `cause`.
    #[must_use]
    pub const fn lost(&self, cause: LinkLoss) -> Tally {
        self.lost[cause as usize]
    }

    /// Every cause for which frames were lost: of the link, then of the switch.
    pub fn causes(&self) -> impl Iterator<Item = (&'static str, Tally)> + '_ {
        let link = LinkLoss::ALL.into_iter().map(|cause| (cause.name(), self.lost(cause)));
        let switch = DropCause::ALL.into_iter().map(|cause| (cause.name(), self.dropped.of(cause)));
        link.chain(switch).filter(|(_, tally)| tally.packets > 0)
    }
}
