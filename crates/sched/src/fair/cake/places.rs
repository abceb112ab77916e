//! Which queue a flow has: a hash table of queues in sets, so that flows seldom share one.
//!
//! Source: Høiland-Jørgensen, Täht and Morton, "Piece of CAKE", LANMAN 2018, §III: an eight-way
//! set-associative hash. A flow has the queue of its set that it had before; if none, one that
//! nobody uses; if all are used by others, it is a guest in the one that its hash names.
//!
//! Open, and chosen here: flows stay in order. A queue that is used keeps its owner, and while
//! packets of a guest wait in a set, nobody gets another queue of it, or the guest's next packet
//! could overtake.
//!
//! Complexity: O(ways). Memory: 9 bytes a queue.

use alloc::vec;
use alloc::vec::Vec;

use crate::fair::hash::spread;

/// The owner of every queue, and what waits for others.
#[derive(Clone, Debug)]
pub(super) struct Places {
    owners: Vec<Option<u32>>,
    /// Packets of guests that wait in each set.
    guests: Vec<u32>,
    ways: usize,
    seed: u64,
}

impl Places {
    /// Of so many queues, at least 1, in sets of `ways`; the last set may be smaller.
    pub(super) fn new(queues: usize, ways: usize, seed: u64) -> Self {
        let ways = ways.max(1);
        Places { owners: vec![None; queues], guests: vec![0; queues.div_ceil(ways)], ways, seed }
    }

    /// The queue for a packet of `flow`; `is_free` says which are used by nobody and empty.
    pub(super) fn enter(&mut self, flow: u32, is_free: impl Fn(usize) -> bool) -> usize {
        let named = spread(flow, self.seed, self.owners.len());
        let set = named / self.ways;
        let queues = set * self.ways..((set + 1) * self.ways).min(self.owners.len());
        let mut tried = core::iter::once(named).chain(queues.clone());
        if let Some(owned) = tried.find(|queue| self.owners[*queue] == Some(flow)) {
            return owned;
        }
        let mut tried = core::iter::once(named).chain(queues);
        match tried.find(|queue| self.guests[set] == 0 && is_free(*queue)) {
            Some(free) => {
                self.owners[free] = Some(flow);
                free
            }
            None => {
                self.guests[set] += 1;
                named
            }
        }
    }

    /// A packet of `flow` has left `queue`.
    pub(super) fn leave(&mut self, flow: u32, queue: usize) {
        if self.owners[queue] != Some(flow) {
            self.guests[queue / self.ways] -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;

    use super::*;

    #[test]
    fn flows_share_a_queue_only_where_the_set_is_full() {
        let mut used = BTreeSet::new();
        let mut places = Places::new(1024, 8, 0);
        let mut shared = 0;
        for flow in 0..300 {
            let queue = places.enter(flow, |queue| !used.contains(&queue));
            shared += usize::from(!used.insert(queue));
        }
        assert_eq!(shared, 0, "300 flows in 1024 queues");
        for flow in 0..300 {
            let queue = places.enter(flow, |_| false);
            assert!(used.remove(&queue), "flow {flow} has the queue that it had");
        }
        let mut alone = Places::new(1024, 1, 0);
        let mut used = BTreeSet::new();
        let shared = (0..300)
            .filter(|flow| {
                let queue = alone.enter(*flow, |queue| !used.contains(&queue));
                !used.insert(queue)
            })
            .count();
        assert!(shared > 20, "{shared} share by a plain hash");
    }

    #[test]
    fn a_guest_stays_until_its_packets_have_left() {
        let mut places = Places::new(2, 8, 1);
        let queues: BTreeSet<usize> = (0..2).map(|flow| places.enter(flow, |_| true)).collect();
        let first = *queues.first().unwrap();
        let guest = places.enter(7, |_| false);
        assert_eq!(places.enter(7, |_| true), guest, "one of its packets waits there");
        places.leave(7, guest);
        places.leave(7, guest);
        assert_eq!(places.enter(7, |queue| queue == first), first);
        places.leave(7, first);
        assert_eq!(places.guests, [0]);
        assert_eq!(Places::new(1, 8, 0).enter(u32::MAX, |_| true), 0);
    }
}
