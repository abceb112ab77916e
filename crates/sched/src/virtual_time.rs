//! Virtual time of a self-clocked fair queue: tags in bytes per unit of weight.
//!
//! Source: start and finish tags of fair queueing (gearbox §2.1 cites them as departure times): a
//! packet starts at the larger of its flow's last finish and the virtual time, and finishes size /
//! weight later. What the virtual time is between packets differs (start-time, self-clocked) and is
//! set by the caller.
//!
//! Tags are integers of 2^-32 byte per unit of weight, rounded up, and never wrap: 128 bits. A rank
//! is the distance of a tag from where the current busy period began, in steps that depend on the
//! smallest weight w: 2^-12 · w byte per unit of weight down to 2^-32, so that 64 bits hold the
//! 2^52 bytes that a flow of that weight may send within one busy period (25 hours at 400 Gb/s).
//! Beyond that ranks saturate, and packets leave in order of arrival until the queue has been empty
//! once.
//!
//! Complexity: O(1). Memory: 52 bytes a queue.

use crate::Rank;

/// Binary digits of a tag after the point.
const TAG_BITS: u32 = 32;
/// Digits of these that a rank gives up at weight 1.
const RANK_SHIFT: u32 = 20;

/// The virtual time of one queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VirtualTime {
    now: u128,
    /// The largest finish tag of a packet that was sent: where time stands when nothing waits.
    latest_finish: u128,
    /// Where the busy period began; ranks count from here.
    base: u128,
    shift: u32,
}

impl VirtualTime {
    /// At zero, for flows whose weight is at least `smallest_weight`.
    pub(crate) fn new(smallest_weight: u32) -> Self {
        let shift = RANK_SHIFT.saturating_sub(smallest_weight.max(1).ilog2());
        VirtualTime { now: 0, latest_finish: 0, base: 0, shift }
    }

    /// The tag `size` bytes of a flow of `weight` after `start`.
    #[inline]
    pub(crate) fn after(start: u128, size: u32, weight: u32) -> u128 {
        let span = (u64::from(size) << TAG_BITS).div_ceil(u64::from(weight.max(1)));
        start.saturating_add(u128::from(span))
    }

    /// Where a packet starts whose flow's last one finishes at `last_finish`.
    #[inline]
    pub(crate) fn start(&self, last_finish: u128) -> u128 {
        self.now.max(last_finish)
    }

    /// The rank of a tag.
    #[inline]
    pub(crate) fn rank(&self, tag: u128) -> Rank {
        let steps = tag.saturating_sub(self.base) >> self.shift;
        Rank::new(u64::try_from(steps).unwrap_or(u64::MAX))
    }

    /// The tag that `rank` stands for, less what the rank gave up.
    #[inline]
    pub(crate) fn tag(&self, rank: Rank) -> u128 {
        self.base.saturating_add(u128::from(rank.get()) << self.shift)
    }

    /// Moves time to `tag`, never back, as a packet that finishes at `finish` is sent.
    #[inline]
    pub(crate) fn advance(&mut self, tag: u128, finish: u128) {
        self.now = self.now.max(tag);
        self.latest_finish = self.latest_finish.max(finish);
    }

    /// Nothing waits any more: time goes on behind all that was sent, and ranks count anew.
    pub(crate) fn idle(&mut self) {
        self.now = self.now.max(self.latest_finish);
        self.base = self.now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_count_from_the_busy_period_and_saturate() {
        let mut time = VirtualTime::new(1);
        let finish = VirtualTime::after(time.start(0), 1500, 1);
        assert_eq!(time.rank(finish).get(), 1500 << 12);
        assert_eq!(time.tag(time.rank(finish)), finish);
        time.advance(0, finish);
        time.idle();
        assert_eq!(time.rank(time.start(finish)).get(), 0);
        assert_eq!(time.rank(u128::MAX).get(), u64::MAX);
        assert_eq!(VirtualTime::after(u128::MAX, u32::MAX, 0), u128::MAX);
    }

    #[test]
    fn large_weights_keep_their_resolution() {
        let time = VirtualTime::new(10_000_000);
        let one = time.rank(VirtualTime::after(0, 64, 10_000_000));
        let two = time.rank(VirtualTime::after(0, 64, 20_000_000));
        assert!(one.get() > 1_000 && one > two, "{one:?} {two:?}");
    }
}
