//! ClubHeap: a clustered heap that hardware can do one replace per cycle on, in software with the
//! hardware's structure.
//!
//! Source: clubheap §3 and §4; three and four ways from §6.4. A node holds up to `K` elements in
//! order, all smaller than those of its children. The smallest of each is kept in its parent, so a
//! level can refill its node from what it has read, and the next operation need not wait: with
//! `K >= 2` the element that the next pop takes is not the one that this pop raises. (With `K = 1`
//! it is, so `K = 1` is refused.)
//!
//! | file | concept | paper |
//! |---|---|---|
//! | `geometry` | how large each level is; impossible shapes | §3.1, Fig. 3 |
//! | `level` | the memory of a level: nodes, groups, free list | §4.2, §4.4 |
//! | `cluster` | sorted slots | §4.2 (2) |
//! | `balance` | difference fields | §4.2 (3) |
//! | `stage` | CMP: push, pop, replace on one node | §4.3 |
//! | `forest` | READ, CMP, WRITE from level to level | §4.1 |
//! | `check` | definition, corollaries, free lists | §3.1, §4.4 |
//! | `partitioned` | logical PIFOs over one memory | §2.1, §4.4 |
//! | `queue` | one logical PIFO as a queue | |
//! | `interval`, `interval_stage` | both ends in one pass; ours | |
//!
//! **Order of equal ranks**: unspecified. Equal elements lie in different subtrees and the smaller
//! subtree takes the next, so arrival does not decide. [`Stable`](crate::Stable) adds arrival
//! numbers.
//!
//! What the paper leaves open, and what is done here: how B1 is rounded to sibling groups
//! (`geometry`: two ways and `K = 2` need up to a third more than the published bound), the balance
//! of more than two ways (`balance`), the pointer of bottom nodes (`level`), roots where `M > N`
//! (always static).
//!
//! Complexity: every operation one pass down, O(W + K) per level, `log_W(N / K)` levels. Memory:
//! for each level the groups that have stored something so far, at most its [`LevelSize`]: groups
//! of `W` nodes, each of `K - 1 + W` slots with a rank, an item and a mark, and `W + 1` numbers of
//! four bytes. Memory is kept; from then on nothing is allocated. Static levels do not reuse a
//! group for another logical PIFO, as hardware does not: `M` PIFOs that have each held two
//! elements, even in turn, keep `M` roots of `K - 1 + W` slots. Limits: `K` 2 to 2^10, up to 2^26
//! elements, up to 2^16 logical PIFOs.

mod balance;
mod check;
mod cluster;
mod forest;
mod geometry;
mod interval;
mod interval_stage;
mod level;
mod partitioned;
mod queue;
mod stage;

pub use check::ClubFault;
pub use geometry::{
    ClubError, ClubGeometry, LevelSize, MAX_CLUB_ELEMENTS, MAX_CLUB_PARTITIONS, MAX_CLUB_WAYS,
    MAX_CLUSTER,
};
pub use interval::IntervalClubHeap;
pub use partitioned::PartitionedClubHeap;

use forest::Forest;
use queue::ranked_forest;
use stage::Smallest;

/// A [`RankedQueue`](crate::RankedQueue) as ClubHeap builds it; `WAYS` is the number of children of
/// a node (2 in the paper).
///
/// ```
/// use forebay_pifo::{ClubHeap, RankedQueue};
///
/// let mut queue: ClubHeap<u32, &str> = ClubHeap::new(4, 1_000)?; // clusters of 4
/// queue.push(20, "second")?;
/// queue.push(10, "first")?;
/// // The flow that is served comes back with its next rank, in one pass.
/// assert_eq!(queue.replace(30, "third").popped, Some((10, "first")));
/// assert_eq!(queue.pop_min(), Some((20, "second")));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct ClubHeap<R, T, const WAYS: usize = 2> {
    forest: Forest<R, T, Smallest, WAYS>,
}

impl<R: Copy + Ord, T, const WAYS: usize> ClubHeap<R, T, WAYS> {
    /// An empty queue of clusters of `cluster` for up to `capacity` elements.
    ///
    /// # Errors
    /// [`ClubError`] as [`ClubGeometry::new`].
    pub fn new(cluster: usize, capacity: usize) -> Result<Self, ClubError> {
        let geometry = ClubGeometry::new(cluster, capacity, 1, WAYS)?;
        Ok(ClubHeap { forest: Forest::new(geometry) })
    }
}

ranked_forest!(ClubHeap, Smallest::pop);
