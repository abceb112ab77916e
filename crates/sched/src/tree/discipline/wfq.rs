//! Weighted fair queueing among the children of a node, by start tags.
//!
//! Source: hierarchical packet fair queueing as clubheap §1 names it; the virtual time of every
//! node is its own, driven by what the node sends (start-time fair queueing), because an inner node
//! has no constant rate that a fluid server could have. A start tag does not depend on the size of
//! the packet that a child will send, so a child may still change its mind about which packet that
//! is.
//!
//! Between two children that both have packets the bytes sent, each divided by its weight, never
//! differ by more than Lmax/w_i + Lmax/w_j. Arithmetic: see `virtual_time.rs`.
//!
//! Complexity: O(1). Memory: 48 bytes a child.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::{Discipline, DisciplineInfo, Share};
use crate::virtual_time::VirtualTime;

pub(super) const INFO: DisciplineInfo = DisciplineInfo {
    name: "wfq",
    about: "weighted fair queueing: bytes by weight, the smallest start tag first",
    weighted: true,
    prioritized: false,
    build: |shares, _| Box::new(FairQueueing::new(shares)),
};

#[derive(Clone, Copy, Debug)]
struct Child {
    weight: u32,
    /// Of the packet that it may send.
    start: u128,
    /// Of the packet it sent last.
    finish: u128,
}

/// Rank = start tag.
///
/// ```
/// use forebay_sched::tree::{Discipline, FairQueueing, Share};
///
/// let mut wfq = FairQueueing::new(&[1, 3].map(|weight| Share { weight, priority: 0 }));
/// let ranks = [0, 1].map(|child| wfq.rank(child));
/// assert_eq!(ranks[0], ranks[1]);
/// (0..2).for_each(|child| wfq.sent(child, ranks[0], 1500));
/// assert_eq!(wfq.rank(0), 3 * wfq.rank(1));
/// ```
#[derive(Clone, Debug)]
pub struct FairQueueing {
    children: Vec<Child>,
    clock: VirtualTime,
}

impl FairQueueing {
    /// For children with these weights.
    #[must_use]
    pub fn new(shares: &[Share]) -> Self {
        let child = |share: &Share| Child { weight: share.weight, start: 0, finish: 0 };
        let smallest = shares.iter().map(|share| share.weight).min().unwrap_or(1);
        FairQueueing {
            children: shares.iter().map(child).collect(),
            clock: VirtualTime::new(smallest),
        }
    }
}

impl Discipline for FairQueueing {
    fn rank(&mut self, child: u32) -> u64 {
        let Some(child) = self.children.get_mut(child as usize) else { return u64::MAX };
        child.start = self.clock.start(child.finish);
        self.clock.rank(child.start).get()
    }

    fn sent(&mut self, child: u32, _rank: u64, size: u32) {
        let Some(child) = self.children.get_mut(child as usize) else { return };
        child.finish = VirtualTime::after(child.start, size, child.weight);
        self.clock.advance(child.start, child.finish);
    }

    fn idle(&mut self) {
        self.clock.idle();
    }
}
