//! State per flow in bounded memory, as a device has it: a table of a stated number of entries.
//!
//! Source: flow tables of a fixed size (gearbox §4.2 has 1 K flows); the paper leaves open what
//! happens to more flows. Here flow `f` uses entry `f mod limit`: flows beyond the limit share
//! state and are treated as one flow, and nobody is refused.
//!
//! Complexity: O(1), amortized while the table grows. Memory: one entry per flow number seen,
//! `limit` at most; nothing is ever given back.

use alloc::vec::Vec;

use forebay_parameters::{Kind, Parameter, Source};
use forebay_pifo::prefetch;

/// The largest table: 2^26 flows, what the ordered queues of numbers can name.
pub const MAX_FLOWS: usize = 1 << 26;

/// Of every scheduler and rank function that remembers flows.
pub(crate) const FLOWS: Parameter = Parameter::new(
    "flows",
    Kind::Int { min: 1, max: MAX_FLOWS as i64 },
    Source::assumed("more than begin in any run, so that none share state"),
    "Flows with state of their own.",
);

/// What of a table stays in a second-level cache beside everything else, in bytes.
const CACHE: usize = 1 << 19;

/// One `T` per flow.
#[derive(Clone)]
pub(crate) struct FlowTable<T> {
    entries: Vec<T>,
    limit: u32,
}

forebay_pifo::debug_in_one_line!(
    [T] FlowTable<T>, |table| { flows: table.entries.len(), limit: table.limit }
);

impl<T: Clone + Default> FlowTable<T> {
    /// For up to `limit` flows: at least one, at most [`MAX_FLOWS`].
    pub(crate) fn new(limit: usize) -> Self {
        FlowTable { entries: Vec::new(), limit: limit.clamp(1, MAX_FLOWS) as u32 }
    }

    /// The entry that `flow` uses.
    #[inline]
    pub(crate) fn entry_of(&self, flow: u32) -> u32 {
        if flow < self.limit { flow } else { flow % self.limit }
    }

    /// A copy of the state of `flow`; the default if it has none yet.
    #[inline]
    pub(crate) fn get(&self, flow: u32) -> T {
        self.entries.get(self.entry_of(flow) as usize).cloned().unwrap_or_default()
    }

    /// Whether so many flows have been seen that their state is out of the cache.
    #[inline]
    pub(crate) fn is_large(&self) -> bool {
        self.entries.len() * size_of::<T>() > CACHE
    }

    /// Has the state of `flow` in the cache soon.
    #[inline]
    pub(crate) fn prefetch(&self, flow: u32) {
        if let Some(entry) = self.entries.get(self.entry_of(flow) as usize) {
            prefetch(entry);
        }
    }

    /// The state of `flow`; it begins as the default.
    #[inline]
    pub(crate) fn of(&mut self, flow: u32) -> &mut T {
        let entry = self.entry_of(flow) as usize;
        if entry >= self.entries.len() {
            self.entries.resize(entry + 1, T::default());
        }
        &mut self.entries[entry]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_beyond_the_limit_share_and_memory_is_bounded() {
        let mut table: FlowTable<u64> = FlowTable::new(4);
        *table.of(1) = 7;
        assert_eq!((*table.of(5), *table.of(u32::MAX)), (7, 0));
        assert_eq!((table.get(9), table.get(2)), (7, 0));
        assert!(table.entries.len() <= 4);
        assert_eq!(*FlowTable::<u8>::new(0).of(9), 0);
    }
}
