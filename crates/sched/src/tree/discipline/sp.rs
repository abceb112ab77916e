//! Strict priority among the children of a node; children of one priority take turns, packet by packet.
//! O(1). Memory: 4 bytes a child.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::{Discipline, DisciplineInfo, Share};

pub(super) const INFO: DisciplineInfo = DisciplineInfo {
    name: "sp",
    about: "strict priority, 0 first",
    weighted: false,
    build: |shares, _| Box::new(StrictPriority::new(shares)),
};

/// Rank = priority.
///
/// ```
/// use forebay_sched::tree::{Discipline, Share, StrictPriority};
///
/// let mut sp = StrictPriority::new(&[Share { weight: 1, priority: 7 }]);
/// assert_eq!(sp.rank(0), 7);
/// ```
#[derive(Clone, Debug)]
pub struct StrictPriority {
    priorities: Vec<u32>,
}

impl StrictPriority {
    /// For children with these priorities.
    #[must_use]
    pub fn new(shares: &[Share]) -> Self {
        StrictPriority { priorities: shares.iter().map(|share| share.priority).collect() }
    }
}

impl Discipline for StrictPriority {
    fn rank(&mut self, child: u32) -> u64 {
        self.priorities.get(child as usize).copied().unwrap_or(u32::MAX).into()
    }

    fn sent(&mut self, _child: u32, _rank: u64, _size: u32) {}
}
