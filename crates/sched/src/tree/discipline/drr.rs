//! Weighted round robin in bytes among the children of a node: rounds as ranks.
//!
//! Source: deficit round robin (gearbox's reference 26); here in the form that lets a child
//! overdraw by its last packet and pay in the next round (surplus round robin), because it needs no
//! look at the size of the packet to come. A rank is the number of the round in which a child is
//! served next, as in calendar queues (gearbox §2.2), so ranks are few and close together. In each
//! round a child may send weight times the largest packet. Children with credit left in one round
//! take turns.
//!
//! Cheaper than `wfq` in a bucket queue, but a share is reached per round: weights should be small
//! numbers.
//!
//! Complexity: O(1). Memory: 24 bytes a child.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::{Discipline, DisciplineInfo, Share};

pub(super) const INFO: DisciplineInfo = DisciplineInfo {
    name: "drr",
    about: "round robin: each round, bytes by weight",
    weighted: true,
    prioritized: false,
    build: |shares, mtu| Box::new(SurplusRoundRobin::new(shares, mtu)),
};

#[derive(Clone, Copy, Debug)]
struct Child {
    /// Bytes per round.
    quantum: i64,
    /// Bytes that it may still send in `round`.
    credit: i64,
    /// The round in which it is served next.
    round: u64,
}

/// Rank = round.
///
/// ```
/// use forebay_sched::tree::{Discipline, Share, SurplusRoundRobin};
///
/// let mut drr = SurplusRoundRobin::new(&[Share { weight: 2, priority: 0 }], 1500);
/// let mut rounds = Vec::new();
/// for _ in 0..4 {
///     rounds.push(drr.rank(0));
///     drr.sent(0, rounds[rounds.len() - 1], 1500);
/// }
/// assert_eq!(rounds, [0, 0, 1, 1]);
/// ```
#[derive(Clone, Debug)]
pub struct SurplusRoundRobin {
    children: Vec<Child>,
    round: u64,
}

impl SurplusRoundRobin {
    /// For children with these weights, and packets of at most `mtu` bytes.
    #[must_use]
    pub fn new(shares: &[Share], mtu: u32) -> Self {
        let child = |share: &Share| {
            let quantum = i64::from(share.weight.max(1)).saturating_mul(mtu.max(1).into());
            Child { quantum, credit: quantum, round: 0 }
        };
        SurplusRoundRobin { children: shares.iter().map(child).collect(), round: 0 }
    }
}

impl Discipline for SurplusRoundRobin {
    fn rank(&mut self, child: u32) -> u64 {
        let Some(child) = self.children.get_mut(child as usize) else { return u64::MAX };
        if child.round < self.round {
            (child.round, child.credit) = (self.round, child.quantum);
        }
        child.round
    }

    fn sent(&mut self, child: u32, rank: u64, size: u32) {
        self.round = self.round.max(rank);
        let Some(child) = self.children.get_mut(child as usize) else { return };
        child.credit = child.credit.saturating_sub(size.into());
        if child.credit <= 0 {
            let rounds = -child.credit / child.quantum + 1;
            child.credit += rounds * child.quantum;
            child.round = child.round.saturating_add(rounds.unsigned_abs());
        }
    }
}
