//! A bounded set of byte positions, held as disjoint ranges in order.
//!
//! The receiver uses it for what arrived beyond a gap, the sender for what was acknowledged
//! selectively. Touching ranges are joined. Finding is logarithmic and inserting linear in the
//! number of ranges (a move of at most 16 bytes each), counting in that of the ranges on the nearer
//! side; 16 bytes per range, and never more ranges than the given limit.

use alloc::vec::Vec;

/// The positions `start..end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) start: u64,
    pub(super) end: u64,
}

impl Range {
    pub(super) const fn len(self) -> u64 {
        self.end.saturating_sub(self.start)
    }
}

/// Disjoint, non-touching ranges in increasing order.
#[derive(Clone, Debug)]
pub(super) struct RangeSet {
    ranges: Vec<Range>,
    limit: usize,
    /// Positions in all.
    count: u64,
}

impl RangeSet {
    pub(super) const fn new(limit: u16) -> Self {
        RangeSet { ranges: Vec::new(), limit: limit as usize, count: 0 }
    }

    /// Adds `start..end`; returns how many positions were new. `None`, and nothing changes, if that
    /// would take one range more than the limit.
    pub(super) fn insert(&mut self, start: u64, end: u64) -> Option<u64> {
        if start >= end {
            return Some(0);
        }
        let first = self.ranges.partition_point(|r| r.end < start);
        let after = self.ranges.partition_point(|r| r.start <= end);
        if first == after {
            if self.ranges.len() >= self.limit {
                return None;
            }
            self.ranges.insert(first, Range { start, end });
            self.count += end - start;
            return Some(end - start);
        }
        let touched = &self.ranges[first..after];
        let had: u64 = touched.iter().map(|r| r.len()).sum();
        let joined = Range {
            start: start.min(touched[0].start),
            end: end.max(touched[touched.len() - 1].end),
        };
        self.ranges[first] = joined;
        self.ranges.drain(first + 1..after);
        self.count += joined.len() - had;
        Some(joined.len() - had)
    }

    /// Removes every position below `edge`.
    pub(super) fn remove_below(&mut self, edge: u64) {
        let gone = self.ranges.partition_point(|r| r.end <= edge);
        self.count -= self.ranges.drain(..gone).map(Range::len).sum::<u64>();
        if let Some(first) = self.ranges.first_mut()
            && first.start < edge
        {
            self.count -= edge - first.start;
            first.start = edge;
        }
    }

    /// The range that holds `position`.
    pub(super) fn at(&self, position: u64) -> Option<Range> {
        let range = *self.ranges.get(self.ranges.partition_point(|r| r.end <= position))?;
        (range.start <= position).then_some(range)
    }

    /// The first positions at or above `from` and below `limit` that are not in the set.
    pub(super) fn gap(&self, from: u64, limit: u64) -> Option<Range> {
        let index = self.ranges.partition_point(|r| r.end <= from);
        let (mut start, mut rest) = (from, self.ranges[index..].iter());
        let mut next = rest.next();
        if let Some(range) = next.filter(|r| r.start <= from) {
            start = range.end;
            next = rest.next();
        }
        let end = next.map_or(limit, |r| r.start.min(limit));
        (start < end).then_some(Range { start, end })
    }

    /// How many positions below `edge` are in the set.
    pub(super) fn count_below(&self, edge: u64) -> u64 {
        let (below, above) = self.ranges.split_at(self.ranges.partition_point(|r| r.start < edge));
        let whole = |ranges: &[Range]| ranges.iter().map(|r| r.len()).sum::<u64>();
        let cut = below.last().map_or(0, |r| r.end.saturating_sub(edge));
        match below.len() < above.len() {
            true => whole(below) - cut,
            false => self.count - whole(above) - cut,
        }
    }

    /// The ranges, lowest first.
    pub(super) fn as_slice(&self) -> &[Range] {
        &self.ranges
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use proptest::prelude::*;

    const SPACE: u64 = 64;

    fn first_gap(model: &[bool], from: u64, limit: u64) -> Option<Range> {
        let start = (from..limit).find(|&p| !model[p as usize])?;
        let end = (start..limit).find(|&p| model[p as usize]).unwrap_or(limit);
        Some(Range { start, end })
    }

    fn runs(model: &[bool]) -> usize {
        (0..model.len()).filter(|&i| model[i] && (i == 0 || !model[i - 1])).count()
    }

    proptest! {
        #[test]
        fn it_agrees_with_a_bitmap(
            limit in 1u16..12,
            operations in prop::collection::vec((0..SPACE, 0u64..12, prop::bool::weighted(0.1)), 0..80),
        ) {
            let mut set = RangeSet::new(limit);
            let mut model = vec![false; SPACE as usize];
            for (start, len, remove) in operations {
                let end = (start + len).min(SPACE);
                if remove {
                    set.remove_below(start);
                    model[..start as usize].fill(false);
                } else {
                    let mut wanted = model.clone();
                    wanted[start as usize..end as usize].fill(true);
                    let count = |m: &[bool]| m.iter().filter(|&&b| b).count();
                    let fits = runs(&wanted) <= usize::from(limit);
                    let new = (count(&wanted) - count(&model)) as u64;
                    prop_assert_eq!(set.insert(start, end), fits.then_some(new));
                    if fits {
                        model = wanted;
                    }
                }
                prop_assert_eq!(set.as_slice().len(), runs(&model));
                for position in 0..SPACE {
                    let held = set.at(position);
                    prop_assert_eq!(held.is_some(), model[position as usize]);
                    let below = model[..position as usize].iter().filter(|&&b| b).count();
                    prop_assert_eq!(set.count_below(position), below as u64);
                    prop_assert_eq!(set.gap(position, SPACE), first_gap(&model, position, SPACE));
                }
            }
        }
    }
}
