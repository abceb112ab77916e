//! Policies as their papers describe them, on vectors that are scanned: O(n) a request.
#![allow(clippy::unwrap_used)]

mod frequency;
mod mad;
mod queues;
mod sieve;
mod w_tiny_lfu;

pub(crate) use frequency::{Belady, Frequency};
pub(crate) use mad::lru_mad;
pub(crate) use queues::{Arc, Lru, S3Fifo};
pub(crate) use sieve::Sieve;
pub(crate) use w_tiny_lfu::{Parameters, WTinyLfu};

/// A cache of objects of one size whose misses take no time.
pub(crate) trait Classical {
    /// Asks for an object at step `now`; whether it was cached.
    fn request(&mut self, id: u64, now: usize) -> bool;
}

/// Takes `id` out of `queue`; whether it was there.
fn take(queue: &mut Vec<u64>, id: u64) -> bool {
    let place = queue.iter().position(|other| *other == id);
    place.map(|place| queue.remove(place)).is_some()
}
