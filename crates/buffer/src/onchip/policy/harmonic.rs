//! Harmonic (Kesselman and Mansour 2002, cited in occamy §7): the i-th longest queue may hold B /
//! (i · H_N), with H_N = 1 + 1/2 + … + 1/N. The limits sum to B, so the limits of all queues fit at
//! once.
//!
//! Open in our sources: the moment of the check. Here a packet enters if its queue with it is
//! within the limit of the place it would then have (behind queues of the same length). That
//! another queue thereby loses its place is not checked.
//!
//! O(log B) per packet: lengths are counted in a Fenwick tree. Memory: 8 bytes a queue and 4 a
//! cell.

use alloc::vec;
use alloc::vec::Vec;

use forebay_parameters::Choice;

use super::scheme::choice_of;
use super::{Admission, OnChipPolicy, PoolShape, Removal};
use crate::descriptor::Descriptor;
use crate::onchip::occupancy::PoolView;

/// How many queues have each length; prefix sums in O(log lengths).
#[derive(Clone, Debug)]
struct LengthCounts {
    /// A Fenwick tree over lengths from 1; place 0 is not used.
    sums: Vec<u32>,
    /// Queues counted: those that are not empty.
    all: u32,
}

impl LengthCounts {
    fn new(longest: u32) -> Self {
        LengthCounts { sums: vec![0; longest as usize + 1], all: 0 }
    }

    /// A queue's length goes from `before` to `after`.
    fn change(&mut self, before: u32, after: u32) {
        self.add(before, u32::MAX);
        self.add(after, 1);
        self.all = self.all + u32::from(after > 0) - u32::from(before > 0);
    }

    /// Adds `one` (1, or -1 in wrapping arithmetic) at `length`; empty queues are not counted.
    fn add(&mut self, length: u32, one: u32) {
        let mut place = length as usize;
        while place > 0 && place < self.sums.len() {
            self.sums[place] = self.sums[place].wrapping_add(one);
            place += place & place.wrapping_neg();
        }
    }

    /// Queues of at least `length` cells, which is not zero.
    fn at_least(&self, length: u32) -> u32 {
        let mut place = (length as usize - 1).min(self.sums.len() - 1);
        let mut below = 0u32;
        while place > 0 {
            below = below.wrapping_add(self.sums[place]);
            place &= place - 1;
        }
        self.all - below
    }
}

/// The i-th longest queue may hold a share proportional to 1/i.
#[derive(Clone, Debug)]
pub struct Harmonic {
    /// The limit of the longest queue, of the second, …
    limits: Vec<u32>,
    lengths: Vec<u32>,
    counts: LengthCounts,
}

impl Harmonic {
    /// For a pool of this shape.
    #[must_use]
    pub fn new(shape: &PoolShape) -> Self {
        let members = shape.members();
        let sum: f64 = (1..=members).rev().map(|place| 1.0 / f64::from(place)).sum();
        let limit = |place| (f64::from(shape.capacity) / (f64::from(place) * sum)) as u32;
        Harmonic {
            limits: (1..=members).map(limit).collect(),
            lengths: vec![0; shape.queues.len()],
            counts: LengthCounts::new(shape.capacity),
        }
    }

    /// The limit of `queue` if it were `length` cells long, longer than it is.
    fn limit(&self, length: u32) -> u32 {
        let place = self.counts.at_least(length.max(1)) as usize;
        self.limits.get(place).copied().unwrap_or(0)
    }

    fn update(&mut self, pool: PoolView<'_>, queue: u32) {
        let length = pool.length(queue);
        let before = core::mem::replace(&mut self.lengths[queue as usize], length);
        self.counts.change(before, length);
    }
}

/// The choice `harmonic`.
pub(super) fn choice() -> Choice<dyn OnChipPolicy> {
    choice_of(
        "harmonic",
        "Harmonic",
        "the i-th longest queue may hold a share proportional to 1/i",
        |(): &(), shape| Harmonic::new(shape),
    )
}

impl OnChipPolicy for Harmonic {
    fn admit(&mut self, pool: PoolView<'_>, arriving: &Descriptor, cells: u32) -> Admission {
        let length = pool.length(arriving.queue) + cells;
        if length <= self.limit(length) { Admission::Accept } else { Admission::Drop }
    }

    /// The limit at the place that one more cell would give it.
    fn threshold(&self, pool: PoolView<'_>, queue: u32) -> Option<u32> {
        Some(self.limit(pool.length(queue).saturating_add(1)))
    }

    fn enqueued(&mut self, pool: PoolView<'_>, _id: u32, packet: &Descriptor) {
        self.update(pool, packet.queue);
    }

    fn removed(&mut self, pool: PoolView<'_>, _id: u32, packet: &Descriptor, _how: Removal) {
        self.update(pool, packet.queue);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counting_agrees_with_a_scan() {
        let mut counts = LengthCounts::new(20);
        let mut lengths = [0u32; 7];
        let mut state = 1u32;
        for _ in 0..2000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let (queue, length) = ((state >> 8) as usize % 7, (state >> 16) % 21);
            counts.change(lengths[queue], length);
            lengths[queue] = length;
            for least in 1..=22 {
                let scan = lengths.iter().filter(|length| **length >= least).count();
                assert_eq!(counts.at_least(least) as usize, scan);
            }
        }
    }
}
