//! LRU, ARC and S3-FIFO: queues whose first element is the oldest.

use std::collections::HashMap;

use super::{Classical, take};

/// Least recently used.
pub(crate) struct Lru {
    capacity: usize,
    queue: Vec<u64>,
}

impl Lru {
    pub(crate) fn new(capacity: usize) -> Self {
        Lru { capacity, queue: Vec::new() }
    }
}

impl Classical for Lru {
    fn request(&mut self, id: u64, _: usize) -> bool {
        let hit = take(&mut self.queue, id);
        if self.queue.len() == self.capacity {
            self.queue.remove(0);
        }
        self.queue.push(id);
        hit
    }
}

/// Megiddo and Modha, FAST '03, Fig. 4; the target in whole objects.
#[derive(Default)]
pub(crate) struct Arc {
    c: usize,
    p: usize,
    t1: Vec<u64>,
    t2: Vec<u64>,
    b1: Vec<u64>,
    b2: Vec<u64>,
}

impl Arc {
    pub(crate) fn new(c: usize) -> Self {
        Arc { c, ..Arc::default() }
    }

    fn replace(&mut self, in_b2: bool) {
        let many = self.t1.len() > self.p || (in_b2 && self.t1.len() == self.p);
        if !self.t1.is_empty() && many {
            self.b1.push(self.t1.remove(0));
        } else {
            self.b2.push(self.t2.remove(0));
        }
    }
}

impl Classical for Arc {
    fn request(&mut self, id: u64, _: usize) -> bool {
        if take(&mut self.t1, id) || take(&mut self.t2, id) {
            self.t2.push(id);
            return true;
        }
        let (ghosts1, ghosts2) = (self.b1.len(), self.b2.len());
        if self.b1.contains(&id) {
            self.p = (self.p + (ghosts2 / ghosts1).max(1)).min(self.c);
            self.replace(false);
            take(&mut self.b1, id);
            self.t2.push(id);
        } else if self.b2.contains(&id) {
            self.p = self.p.saturating_sub((ghosts1 / ghosts2).max(1));
            self.replace(true);
            take(&mut self.b2, id);
            self.t2.push(id);
        } else {
            let all = self.t1.len() + self.t2.len() + ghosts1 + ghosts2;
            if self.t1.len() + ghosts1 == self.c {
                if self.t1.len() < self.c {
                    self.b1.remove(0);
                    self.replace(false);
                } else {
                    self.t1.remove(0);
                }
            } else if all >= self.c {
                if all == 2 * self.c {
                    self.b2.remove(0);
                }
                self.replace(false);
            }
            self.t1.push(id);
        }
        false
    }
}

/// Yang et al., SOSP '23, Algorithm 1, with the small queue a tenth of the cache.
pub(crate) struct S3Fifo {
    capacity: usize,
    small: Vec<u64>,
    main: Vec<u64>,
    ghosts: Vec<u64>,
    counts: HashMap<u64, u8>,
}

impl S3Fifo {
    pub(crate) fn new(capacity: usize) -> Self {
        let (small, main, ghosts) = (Vec::new(), Vec::new(), Vec::new());
        S3Fifo { capacity, small, main, ghosts, counts: HashMap::new() }
    }

    fn evict(&mut self) {
        let tenth = self.capacity / 10;
        while self.small.len() + self.main.len() == self.capacity {
            let small = self.small.len() >= tenth || self.main.is_empty();
            if small && !self.small.is_empty() {
                let id = self.small.remove(0);
                if self.counts[&id] > 1 {
                    self.counts.insert(id, 0);
                    self.main.push(id);
                } else {
                    self.ghosts.push(id);
                    self.ghosts.drain(..self.ghosts.len().saturating_sub(self.capacity - tenth));
                }
            } else {
                let id = self.main.remove(0);
                if let Some(count) = self.counts.get_mut(&id).filter(|count| **count > 0) {
                    *count -= 1;
                    self.main.push(id);
                }
            }
        }
    }
}

impl Classical for S3Fifo {
    fn request(&mut self, id: u64, _: usize) -> bool {
        if self.small.contains(&id) || self.main.contains(&id) {
            let count = self.counts.entry(id).or_default();
            *count = (*count + 1).min(3);
            return true;
        }
        let returns = take(&mut self.ghosts, id);
        self.evict();
        self.counts.insert(id, 0);
        if returns {
            self.main.push(id)
        } else {
            self.small.push(id)
        }
        false
    }
}
