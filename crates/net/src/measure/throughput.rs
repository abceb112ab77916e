//! Rates over time, in equal bins: of flows or groups of flows by what was delivered (Gearbox Fig.
//! 8, Occamy Fig. 5), or of links by what was sent.
//!
//! It is given growing totals at the end of each bin, for which see [`Network::run_sampled`].
//! Constant time and 8 bytes per group and bin.
//!
//! [`Network::run_sampled`]: crate::network::Network::run_sampled

use alloc::vec::Vec;

use forebay_units::{Bytes, Duration, Rate};

/// The most entries, groups times bins (128 MiB).
const MAX_CELLS: usize = 1 << 24;

/// Rates in equal bins.
///
/// ```
/// use forebay_net::measure::Throughput;
/// use forebay_units::{Bytes, Duration, Rate};
///
/// let mut throughput = Throughput::new(Duration::from_us(1), 2);
/// throughput.observe([1250, 0].map(Bytes::new));
/// throughput.observe([2500, 125].map(Bytes::new));
/// let second: Vec<_> = throughput.rates(1).collect();
/// assert_eq!(second, [Rate::from_gbps(0), Rate::from_gbps(1)]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Throughput {
    bin: Duration,
    /// Per group, the total at the end of the last bin.
    before: Vec<Bytes>,
    /// Bin by bin, what each group moved.
    moved: Vec<Bytes>,
}

impl Throughput {
    /// Without bins yet, of `bin` each, for this many groups.
    #[must_use]
    pub fn new(bin: Duration, groups: usize) -> Self {
        let groups = groups.min(MAX_CELLS);
        Throughput { bin, before: alloc::vec![Bytes::ZERO; groups], moved: Vec::new() }
    }

    /// Ends a bin, given each group's total so far; groups left out have moved nothing. Bins beyond
    /// the largest table (2^24 numbers) are not kept.
    pub fn observe(&mut self, totals: impl IntoIterator<Item = Bytes>) {
        if self.moved.len() + self.before.len() > MAX_CELLS {
            return;
        }
        let mut totals = totals.into_iter();
        for before in &mut self.before {
            let total = totals.next().unwrap_or(*before);
            self.moved.push(total - core::mem::replace(before, total));
        }
    }

    /// The rate of a group in each bin; none if there is no such group.
    pub fn rates(&self, group: usize) -> impl Iterator<Item = Rate> + '_ {
        let groups = self.before.len();
        let cells = self.moved.iter().skip(group).step_by(groups.max(1));
        let there = if group < groups { usize::MAX } else { 0 };
        cells.take(there).map(|moved| Rate::mean(*moved, self.bin))
    }

    /// How long a bin is.
    #[must_use]
    pub const fn bin(&self) -> Duration {
        self.bin
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_and_bins_are_kept_apart() {
        let mut throughput = Throughput::new(Duration::from_us(1), 3);
        throughput.observe([125, 250].map(Bytes::new));
        throughput.observe([250, 250, 375].map(Bytes::new));
        let rates = |group| throughput.rates(group).map(|r| r.as_bps() / 1_000_000_000).collect();
        let all: [Vec<u64>; 4] = [0, 1, 2, 3].map(rates);
        assert_eq!(all, [alloc::vec![1, 1], alloc::vec![2, 0], alloc::vec![0, 3], Vec::new()]);
    }
}
