//! SIEVE: Yazhuo Zhang, Juncheng Yang, Yao Yue, Ymir Vigfusson, K. V. Rashmi,
//! "SIEVE is Simpler than LRU: an Efficient Turn-Key Eviction Algorithm for Web
//! Caches", NSDI '24, Algorithm 1.
//!
//! The algorithm in words. T is a doubly linked queue, newest at the head; `prev`
//! leads towards the head. p is the hand.
//!
//! - A hit sets the object's visited bit and moves nothing.
//! - A miss with |T| = C: o is p, or the tail if p is NULL. While o is visited, its
//!   bit is cleared and o becomes o.prev, or the tail where that is NULL. Then p
//!   becomes o.prev, and o leaves T.
//! - A miss, full or not, then inserts the object at the head, unvisited.
//!
//! p is set BEFORE the newcomer is inserted. If o was the head, o.prev is NULL, so
//! p is NULL, and the next eviction starts at the tail. It does not start at the
//! newcomer, although the newcomer takes the head's place. To have no position that
//! could silently come to mean another object, the hand is an identity here.
//!
//! Nothing in the algorithm is left open for C >= 1. C = 0 is not covered and is
//! refused here.

use super::Classical;

struct Object {
    id: u64,
    visited: bool,
}

pub(crate) struct Sieve {
    capacity: usize,
    /// First the head (newest), last the tail (oldest).
    queue: Vec<Object>,
    /// The object under the hand; `None` is NULL.
    hand: Option<u64>,
}

impl Sieve {
    pub(crate) fn new(capacity: usize) -> Self {
        assert!(capacity > 0, "SIEVE needs room for one object");
        Self { capacity, queue: Vec::new(), hand: None }
    }

    fn place(&self, id: u64) -> Option<usize> {
        self.queue.iter().position(|object| object.id == id)
    }

    fn tail(&self) -> usize {
        self.queue.len() - 1
    }

    /// The place before this one, towards the head.
    fn prev(place: usize) -> Option<usize> {
        place.checked_sub(1)
    }

    fn evict(&mut self) {
        let mut place = match self.hand {
            None => self.tail(),
            Some(id) => self.place(id).unwrap(),
        };
        while self.queue[place].visited {
            self.queue[place].visited = false;
            place = Self::prev(place).unwrap_or(self.tail());
        }
        self.hand = Self::prev(place).map(|prev| self.queue[prev].id);
        self.queue.remove(place);
    }
}

impl Classical for Sieve {
    fn request(&mut self, id: u64, _now: usize) -> bool {
        if let Some(place) = self.place(id) {
            self.queue[place].visited = true;
            return true;
        }
        if self.queue.len() == self.capacity {
            self.evict();
        }
        self.queue.insert(0, Object { id, visited: false });
        false
    }
}
