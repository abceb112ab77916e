//! What a scheduler remembers of each flow, in bounded memory.
//!
//! An entry per flow number up to a limit; larger numbers share the entry of their remainder, and are then
//! served as one flow. Memory is taken up to the largest number seen. Complexity: O(1), amortized where the
//! table grows.

use alloc::vec::Vec;

/// One `T` per flow; the default for a flow not seen yet.
#[derive(Clone, Debug)]
pub(crate) struct FlowTable<T> {
    entries: Vec<T>,
    limit: u32,
}

impl<T: Copy + Default> FlowTable<T> {
    /// At most `limit` entries, at least one.
    pub(crate) fn new(limit: u32) -> Self {
        FlowTable { entries: Vec::new(), limit: limit.max(1) }
    }

    /// The entry number of `flow`.
    #[inline]
    pub(crate) fn slot(&self, flow: u32) -> usize {
        if flow < self.limit { flow as usize } else { (flow % self.limit) as usize }
    }

    #[inline]
    pub(crate) fn get(&self, flow: u32) -> T {
        self.entries.get(self.slot(flow)).copied().unwrap_or_default()
    }

    #[inline]
    pub(crate) fn entry(&mut self, flow: u32) -> &mut T {
        let slot = self.slot(flow);
        if slot >= self.entries.len() {
            self.entries.resize(slot + 1, T::default());
        }
        &mut self.entries[slot]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_flow_numbers_share_entries() {
        let mut table: FlowTable<u8> = FlowTable::new(4);
        *table.entry(u32::MAX) = 7;
        assert_eq!((table.get(3), table.get(7), table.get(2)), (7, 7, 0));
        assert!(table.entries.len() <= 4);
    }
}
