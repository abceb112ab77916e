//! The interval ClubHeap: a clustered heap that also gives up its largest, in the same single pass.
//!
//! Source: ours. ClubHeap's largest element is in some leaf, so it cannot be dropped in one pass
//! from the root. What SurgeProtector (drop-max, thesis §3.5.4) and Themis (swap-out) need is had
//! by letting each cluster hold both ends of its subtree; `interval_stage` has the rule and why one
//! pass is enough.
//!
//! Compared with ClubHeap, a node keeps two elements for each child (its smallest and its largest)
//! in place of one, and needs clusters of at least four. Levels, corollaries, sizes, addresses and
//! free lists are the same, since a full node still is what all children need. A replace at the
//! large end (push, then drop the largest) would be the mirror image; the traits do not ask for it.
//!
//! Complexity: every operation one pass, O(W + K) per level. Memory and limits as `ClubHeap`, with
//! `K - 2 + 2 W` slots per node. Equal ranks: unspecified.

use super::forest::Forest;
use super::interval_stage::BothEnds;
use super::queue::ranked_forest;
use super::{ClubError, ClubGeometry};
use crate::ranked::DoubleEnded;

/// The least cluster with two elements at each end.
const LEAST: usize = 4;

/// A clustered heap with both ends; `WAYS` is the number of children of a node.
///
/// ```
/// use forebay_pifo::{DoubleEnded, IntervalClubHeap, RankedQueue};
///
/// let mut queue: IntervalClubHeap<u32, &str> = IntervalClubHeap::new(4, 1_000)?;
/// for (rank, item) in [(20, "served later"), (10, "served first"), (30, "dropped")] {
///     queue.push(rank, item)?;
/// }
/// assert_eq!(queue.pop_max(), Some((30, "dropped")));
/// assert_eq!(queue.pop_min(), Some((10, "served first")));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct IntervalClubHeap<R, T, const WAYS: usize = 2> {
    forest: Forest<R, T, BothEnds, WAYS>,
}

impl<R: Copy + Ord, T, const WAYS: usize> IntervalClubHeap<R, T, WAYS> {
    /// An empty queue of clusters of `cluster` for up to `capacity` elements.
    ///
    /// # Errors
    /// [`ClubError`] as [`ClubGeometry::new`], and [`ClubError::Cluster`] for clusters of less
    /// than 4.
    pub fn new(cluster: usize, capacity: usize) -> Result<Self, ClubError> {
        if cluster < LEAST {
            return Err(ClubError::Cluster { asked: cluster, least: LEAST });
        }
        let geometry = ClubGeometry::new(cluster, capacity, 1, WAYS)?;
        Ok(IntervalClubHeap { forest: Forest::new(geometry) })
    }
}

ranked_forest!(IntervalClubHeap, BothEnds::pop_min);

impl<R: Copy + Ord, T, const WAYS: usize> DoubleEnded for IntervalClubHeap<R, T, WAYS> {
    fn pop_max(&mut self) -> Option<(R, T)> {
        self.forest.pop(0, BothEnds::pop_max)
    }

    fn peek_max(&self) -> Option<(R, &T)> {
        self.forest.largest(0)
    }
}
