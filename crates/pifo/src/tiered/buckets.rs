//! The two-tier queue over buckets: what Themis builds in hardware, in software.
//!
//! Source: Themis §5.3 and App. F: BBQ's bitmap tree with a shadow bitmap per tier at every level,
//! and a doubly linked list per bucket and tier. (The counters that the hardware keeps beside the
//! bitmaps are not needed here; see the bitmap tree.)
//!
//! Complexity: push, peeks, pops and remove touch one word per level (two when a tier's list of a
//! rank becomes empty) and at most three nodes: constant time. Relocate is constant when the
//! element is among the oldest or the newest of its rank in the target tier, as it is in swap-in
//! (oldest first) and swap-out (newest first), or arrived next to the element of its rank relocated
//! there before it, as the rest of a batch did, or the packets of one flow that are expelled in
//! turn with those of others. In general it walks from both ends and from that element at once, to
//! whichever place is nearest.
//!
//! Memory: 32 bytes per id, aligned so that a node never straddles a cache line, and 24.25 bytes
//! per rank.

use alloc::vec;
use alloc::vec::Vec;

use super::{MAX_ID, PushError, Tier, TieredEntry, TieredQueue, grow_for};
use crate::bitmap::{BitmapTree, GeometryError};

/// "No node": ends of an empty list.
const NIL: u32 = u32::MAX;

/// A link of one element. Links that point past the end of a list are stale, never read: where a
/// list ends is known from its [`List`], so taking an end does not touch the neighbour's cache
/// line.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Node {
    /// The arrival number, given by push.
    arrival: u64,
    next: u32,
    prev: u32,
    rank: u32,
    /// Where the element waits; `None` if this id is not queued.
    tier: Option<Tier>,
}

const IDLE: Node = Node { arrival: 0, next: NIL, prev: NIL, rank: 0, tier: None };

/// The ends of the list of one rank in one tier, in order of arrival.
#[derive(Clone, Copy)]
struct List {
    head: u32,
    tail: u32,
}

const EMPTY: List = List { head: NIL, tail: NIL };

/// A [`TieredQueue`] for ranks below a bound of at most 2^20, every operation in constant time.
///
/// ```
/// use forebay_pifo::{Tier, TieredBuckets, TieredQueue};
///
/// let mut queue = TieredBuckets::new(1 << 15)?;
/// queue.push(Tier::Sram, 7, 100)?;
/// queue.push(Tier::Sram, 7, 101)?;
/// let victim = queue.peek_max_in(Tier::Sram).map(|entry| entry.id);
/// assert_eq!(victim, Some(101));
/// queue.relocate(101, Tier::Hbm);
/// assert_eq!(queue.pop_min().map(|entry| entry.id), Some(100));
/// assert_eq!(queue.pop_min().map(|entry| entry.id), Some(101));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct TieredBuckets {
    tree: BitmapTree<64, 2>,
    /// Per rank, the lists of the sram and the HBM tier, side by side.
    lists: Vec<[List; 2]>,
    nodes: Vec<Node>,
    /// Per rank and tier, the element last relocated into the middle of the list: the next one
    /// often belongs beside it. It may have left since.
    fingers: Vec<[u32; 2]>,
    arrivals: u64,
    len: [usize; 2],
}

crate::debug_in_one_line!([] TieredBuckets as TieredQueue);

impl TieredBuckets {
    /// An empty queue for ranks `0 .. ranks`.
    ///
    /// # Errors
    /// [`GeometryError::Buckets`] unless `1 <= ranks <= 2^20`.
    pub fn new(ranks: u64) -> Result<Self, GeometryError> {
        Self::with_capacity(ranks, 0)
    }

    /// An empty queue for ranks `0 .. ranks` that allocates nothing while ids stay below `ids`. The
    /// memory is reserved, and touched only as ids are first used.
    ///
    /// # Errors
    /// [`GeometryError::Buckets`] unless `1 <= ranks <= 2^20`.
    pub fn with_capacity(ranks: u64, ids: u32) -> Result<Self, GeometryError> {
        let buckets = usize::try_from(ranks).unwrap_or(usize::MAX);
        let tree = BitmapTree::new(buckets)?;
        Ok(TieredBuckets {
            tree,
            lists: vec![[EMPTY; 2]; buckets],
            nodes: Vec::with_capacity(ids.min(MAX_ID + 1) as usize),
            fingers: vec![[NIL; 2]; buckets],
            arrivals: 0,
            len: [0; 2],
        })
    }

    /// The earlier of the two tiers' first elements of a rank that at least one tier holds.
    #[inline]
    fn first_of(&self, rank: usize) -> (u32, Tier) {
        let [sram, hbm] = self.lists[rank];
        if hbm.head == NIL {
            return (sram.head, Tier::Sram);
        }
        if sram.head == NIL {
            return (hbm.head, Tier::Hbm);
        }
        let arrival = |id: u32| self.nodes[id as usize].arrival;
        if arrival(sram.head) < arrival(hbm.head) {
            (sram.head, Tier::Sram)
        } else {
            (hbm.head, Tier::Hbm)
        }
    }

    /// Links `id`, whose node holds its rank, behind all of its rank in `tier`. The former last
    /// element is only written, so the processor does not wait for it.
    #[inline]
    fn link_last(&mut self, id: u32, tier: Tier) {
        let rank = self.nodes[id as usize].rank as usize;
        let list = &mut self.lists[rank][tier.index()];
        if list.head == NIL {
            list.head = id;
            self.tree.insert(tier.index(), rank);
        } else {
            self.nodes[list.tail as usize].next = id;
            self.nodes[id as usize].prev = list.tail;
        }
        list.tail = id;
        self.len[tier.index()] += 1;
        self.nodes[id as usize].tier = Some(tier);
    }

    /// Links `id`, whose node holds rank and arrival, into `tier` at the place of its arrival.
    #[inline]
    fn link_by_arrival(&mut self, id: u32, tier: Tier) {
        let Node { arrival, rank, .. } = self.nodes[id as usize];
        let list = self.lists[rank as usize][tier.index()];
        if list.head == NIL || self.nodes[list.tail as usize].arrival < arrival {
            return self.link_last(id, tier);
        }
        let finger = core::mem::replace(&mut self.fingers[rank as usize][tier.index()], id);
        let finger = self.nodes.get(finger as usize).and_then(|node| {
            (node.tier == Some(tier) && node.rank == rank).then_some((finger, *node))
        });
        let after = match self.last_earlier(list, arrival, finger) {
            Some(before) => {
                let after = self.nodes[before as usize].next;
                self.nodes[before as usize].next = id;
                self.nodes[id as usize].prev = before;
                after
            }
            None => {
                self.lists[rank as usize][tier.index()].head = id;
                list.head
            }
        };
        self.nodes[after as usize].prev = id;
        self.nodes[id as usize].next = after;
        self.len[tier.index()] += 1;
        self.nodes[id as usize].tier = Some(tier);
    }

    /// The last element that arrived before `arrival` of a list whose last element did not,
    /// searched from both ends and from `finger`, if there is one.
    #[inline]
    fn last_earlier(
        &self,
        list: List,
        arrival: u64,
        mut finger: Option<(u32, Node)>,
    ) -> Option<u32> {
        let (mut front, mut back) = (list.head, list.tail);
        let mut earlier = None;
        loop {
            if let Some((at, node)) = finger {
                let forward = node.arrival < arrival;
                if !forward && at == list.head {
                    return None;
                }
                let beside = if forward { node.next } else { node.prev };
                let neighbour = self.nodes[beside as usize];
                if (neighbour.arrival < arrival) != forward {
                    return Some(if forward { at } else { beside });
                }
                finger = Some((beside, neighbour));
            }
            let newest = self.nodes[back as usize];
            if newest.arrival < arrival {
                return Some(back);
            }
            let oldest = self.nodes[front as usize];
            if oldest.arrival > arrival {
                return earlier;
            }
            // The element lies between the two, so neither is the last of the list on its side.
            earlier = Some(front);
            (front, back) = (oldest.next, newest.prev);
        }
    }

    /// Takes `id` out of `tier`, where it waits; its node keeps rank and arrival.
    #[inline]
    fn unlink(&mut self, id: u32, tier: Tier) {
        let node = self.nodes[id as usize];
        let list = &mut self.lists[node.rank as usize][tier.index()];
        match (list.head == id, list.tail == id) {
            (true, true) => {
                *list = EMPTY;
                self.tree.remove(tier.index(), node.rank as usize);
            }
            (true, false) => list.head = node.next,
            (false, true) => list.tail = node.prev,
            (false, false) => {
                self.nodes[node.prev as usize].next = node.next;
                self.nodes[node.next as usize].prev = node.prev;
            }
        }
        self.len[tier.index()] -= 1;
        self.nodes[id as usize].tier = None;
    }

    #[inline]
    fn take(&mut self, entry: TieredEntry) -> TieredEntry {
        self.unlink(entry.id, entry.tier);
        entry
    }
}

impl TieredQueue for TieredBuckets {
    #[inline]
    fn push(&mut self, tier: Tier, rank: u64, id: u32) -> Result<(), PushError> {
        let max_rank = self.max_rank();
        if rank > max_rank {
            return Err(PushError::RankTooLarge { rank, max_rank });
        }
        grow_for(&mut self.nodes, id, IDLE)?;
        let node = &mut self.nodes[id as usize];
        if node.tier.is_some() {
            return Err(PushError::AlreadyQueued { id });
        }
        node.arrival = self.arrivals;
        node.rank = rank as u32; // fits: at most 2^20 ranks
        self.arrivals += 1;
        self.link_last(id, tier);
        Ok(())
    }

    #[inline]
    fn peek_min(&self) -> Option<TieredEntry> {
        let rank = self.tree.first_any()?;
        let (id, tier) = self.first_of(rank);
        Some(TieredEntry { rank: rank as u64, id, tier })
    }

    #[inline]
    fn pop_min(&mut self) -> Option<TieredEntry> {
        let entry = self.peek_min()?;
        Some(self.take(entry))
    }

    #[inline]
    fn peek_min_in(&self, tier: Tier) -> Option<TieredEntry> {
        let rank = self.tree.first(tier.index())?;
        Some(TieredEntry { rank: rank as u64, id: self.lists[rank][tier.index()].head, tier })
    }

    #[inline]
    fn peek_max_in(&self, tier: Tier) -> Option<TieredEntry> {
        let rank = self.tree.last(tier.index())?;
        Some(TieredEntry { rank: rank as u64, id: self.lists[rank][tier.index()].tail, tier })
    }

    #[inline]
    fn pop_min_in(&mut self, tier: Tier) -> Option<TieredEntry> {
        let entry = self.peek_min_in(tier)?;
        Some(self.take(entry))
    }

    #[inline]
    fn pop_max_in(&mut self, tier: Tier) -> Option<TieredEntry> {
        let entry = self.peek_max_in(tier)?;
        Some(self.take(entry))
    }

    #[inline]
    fn remove(&mut self, id: u32) -> Option<TieredEntry> {
        let entry = self.get(id)?;
        Some(self.take(entry))
    }

    #[inline]
    fn relocate(&mut self, id: u32, to: Tier) -> bool {
        let Some(entry) = self.get(id) else { return false };
        if entry.tier != to {
            self.unlink(id, entry.tier);
            self.link_by_arrival(id, to);
        }
        true
    }

    #[inline]
    fn get(&self, id: u32) -> Option<TieredEntry> {
        let node = self.nodes.get(id as usize)?;
        Some(TieredEntry { rank: u64::from(node.rank), id, tier: node.tier? })
    }

    #[inline]
    fn len(&self) -> usize {
        self.len[0] + self.len[1]
    }

    #[inline]
    fn len_in(&self, tier: Tier) -> usize {
        self.len[tier.index()]
    }

    #[inline]
    fn max_rank(&self) -> u64 {
        self.lists.len() as u64 - 1
    }
}
