//! Forebay's own queues as contenders.

use forebay_pifo::{
    CircularWindow, ClubHeap, DoubleEnded, ExactQueue, RankedQueue, RollingWindow, SampleQueue,
    WindowPolicy,
};

use super::contender::{Contender, TwoEnded};

/// A queue whose ranks are 32 bits.
pub(super) struct Wide<Q>(Q);

impl Default for Wide<SampleQueue<u32, u32>> {
    fn default() -> Self {
        Wide(SampleQueue::new(usize::MAX))
    }
}

impl Default for Wide<ExactQueue<u32, u32>> {
    fn default() -> Self {
        Wide(ExactQueue::new(usize::MAX))
    }
}

/// The hardware's ClubHeap with clusters of `K`, as plainly as it is modelled.
pub(super) type Club<const K: usize> = Clustered<ClubHeap<u32, u32>, K>;

/// A queue of 32-bit ranks with clusters of `K`.
pub(super) struct Clustered<Q, const K: usize>(Wide<Q>);

impl<const K: usize> Default for Club<K> {
    #[expect(clippy::expect_used, reason = "constants that are in range")]
    fn default() -> Self {
        Clustered(Wide(ClubHeap::new(K, 1 << 24).expect("2^24 elements are in range")))
    }
}

impl<Q: RankedQueue<Rank = u32, Item = u32>, const K: usize> Contender for Clustered<Q, K> {
    #[inline]
    fn put(&mut self, rank: u32, item: u32) {
        self.0.put(rank, item);
    }

    #[inline]
    fn take(&mut self) -> (u32, u32) {
        self.0.take()
    }
}

impl<Q: RankedQueue<Rank = u32, Item = u32>> Contender for Wide<Q> {
    #[inline]
    fn put(&mut self, rank: u32, item: u32) {
        let refused = self.0.push(rank, item).is_err();
        assert!(!refused, "an unbounded queue refuses nothing");
    }

    #[inline]
    fn take(&mut self) -> (u32, u32) {
        self.0.pop_min().unwrap_or_default()
    }
}

impl<Q: DoubleEnded<Rank = u32, Item = u32>> TwoEnded for Wide<Q> {
    #[inline]
    fn take_max(&mut self) -> (u32, u32) {
        self.0.pop_max().unwrap_or_default()
    }
}

/// The ranks that the windows of the narrow cases hold.
pub(super) const WINDOW: usize = 1 << 15;

/// A window over 64-bit ranks.
pub(super) struct Window<Q>(Q);

impl Default for Window<CircularWindow<u32>> {
    #[expect(clippy::expect_used, reason = "a constant that is in range")]
    fn default() -> Self {
        let window = CircularWindow::new(WINDOW, usize::MAX, WindowPolicy::default());
        Window(window.expect("2^15 is in range"))
    }
}

impl Default for Window<RollingWindow<u32>> {
    #[expect(clippy::expect_used, reason = "a constant that is in range")]
    fn default() -> Self {
        let window = RollingWindow::new(WINDOW / 2, usize::MAX, WindowPolicy::default());
        Window(window.expect("2^14 is in range"))
    }
}

impl<Q: RankedQueue<Rank = u64, Item = u32>> Contender for Window<Q> {
    #[inline]
    fn put(&mut self, rank: u32, item: u32) {
        let refused = self.0.push(u64::from(rank), item).is_err();
        assert!(!refused, "an increment exceeds the window");
    }

    #[inline]
    fn take(&mut self) -> (u32, u32) {
        self.0.pop_min().map_or((0, 0), |(rank, item)| (rank as u32, item))
    }
}

impl<Q: DoubleEnded<Rank = u64, Item = u32>> TwoEnded for Window<Q> {
    #[inline]
    fn take_max(&mut self) -> (u32, u32) {
        self.0.pop_max().map_or((0, 0), |(rank, item)| (rank as u32, item))
    }
}
