//! Strict priority among the children of a node; children of one priority share by weight.
//!
//! Source: the shape of DPDK's traffic-management API, where siblings have a priority and, within
//! it, a weight. How siblings of one priority share by weight is open; here by rounds, as `drr`
//! does, each priority with rounds of its own. A rank is the priority's place among those in use,
//! then the round.
//!
//! Complexity: O(1). Memory: 32 bytes a child and 32 a priority in use.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::{Discipline, DisciplineInfo, Share, SurplusRoundRobin};

pub(super) const INFO: DisciplineInfo = DisciplineInfo {
    name: "sp",
    about: "strict priority, 0 first; within a priority bytes by weight, round by round",
    weighted: false,
    prioritized: true,
    build: |shares, mtu| Box::new(StrictPriorityLevel::new(shares, mtu)),
};

/// Bits of a rank for the round; a round lasts for a largest packet at least, so that these last
/// for centuries.
const ROUND_BITS: u32 = 48;
const ROUNDS: u64 = (1 << ROUND_BITS) - 1;

/// Rank = priority, then round.
///
/// ```
/// use forebay_sched::tree::{Discipline, Share, StrictPriorityLevel};
///
/// let shares = [(1, 7), (2, 7), (1, 0)].map(|(weight, priority)| Share { weight, priority });
/// let mut sp = StrictPriorityLevel::new(&shares, 1500);
/// let ranks = [0, 1, 2].map(|child| sp.rank(child));
/// assert!(ranks[2] < ranks[0] && ranks[0] == ranks[1]);
/// sp.sent(0, ranks[0], 1500);
/// sp.sent(1, ranks[1], 1500);
/// assert!(sp.rank(1) < sp.rank(0), "child 1 may send twice as much in this round");
/// ```
#[derive(Clone, Debug)]
pub struct StrictPriorityLevel {
    /// The priority's place and the number within it, child by child.
    children: Vec<(u32, u32)>,
    /// The rounds of each priority, the first priority first.
    priorities: Vec<SurplusRoundRobin>,
}

impl StrictPriorityLevel {
    /// For children with these priorities and weights, and packets of at most `mtu` bytes.
    #[must_use]
    pub fn new(shares: &[Share], mtu: u32) -> Self {
        let mut used: Vec<u32> = shares.iter().map(|share| share.priority).collect();
        used.sort_unstable();
        used.dedup();
        let mut members: Vec<Vec<Share>> = alloc::vec![Vec::new(); used.len()];
        let mut children = Vec::new();
        for share in shares {
            let place = used.partition_point(|priority| *priority < share.priority);
            children.push((place as u32, members[place].len() as u32));
            members[place].push(*share);
        }
        let rounds = |members: &Vec<Share>| SurplusRoundRobin::new(members, mtu);
        StrictPriorityLevel { children, priorities: members.iter().map(rounds).collect() }
    }

    fn place(&mut self, child: u32) -> Option<(u64, u32, &mut SurplusRoundRobin)> {
        let (place, member) = *self.children.get(child as usize)?;
        Some((place.into(), member, self.priorities.get_mut(place as usize)?))
    }
}

impl Discipline for StrictPriorityLevel {
    fn rank(&mut self, child: u32) -> u64 {
        let Some((place, member, rounds)) = self.place(child) else { return u64::MAX };
        (place << ROUND_BITS) | rounds.rank(member).min(ROUNDS)
    }

    fn sent(&mut self, child: u32, rank: u64, size: u32) {
        if let Some((_, member, rounds)) = self.place(child) {
            rounds.sent(member, rank & ROUNDS, size);
        }
    }
}
