use core::ops::Sub;

use forebay_sched::{DropTally, Tally};

/// What a traffic manager has done since it was built. Only ever grows; subtract two snapshots for
/// what happened between them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ManagerCounters {
    /// Packets handed to `enqueue`.
    pub arrived: Tally,
    /// Packets that left from on-chip memory.
    pub departed_sram: Tally,
    /// Packets that left straight from a read of the HBM.
    pub departed_hbm: Tally,
    /// Packets lost, by cause.
    pub dropped: DropTally,
    /// Packets moved from SRAM to HBM in swap-out batches.
    pub swapped_out: Tally,
    /// Packets moved from HBM to SRAM in swap-in batches.
    pub swapped_in: Tally,
    /// Packets expelled from SRAM to HBM one by one.
    pub expelled: Tally,
    /// Packets written from staging to HBM.
    pub staged: Tally,
    /// Packets selected for departure by their port.
    pub selected: u64,
    /// Those among them whose data was on chip at that moment.
    pub selected_at_hand: u64,
}

impl ManagerCounters {
    /// Packets that left, from wherever.
    #[must_use]
    pub fn departed(&self) -> Tally {
        self.departed_sram + self.departed_hbm
    }
}

impl Sub for ManagerCounters {
    type Output = ManagerCounters;
    fn sub(self, earlier: ManagerCounters) -> ManagerCounters {
        ManagerCounters {
            arrived: self.arrived - earlier.arrived,
            departed_sram: self.departed_sram - earlier.departed_sram,
            departed_hbm: self.departed_hbm - earlier.departed_hbm,
            dropped: self.dropped - earlier.dropped,
            swapped_out: self.swapped_out - earlier.swapped_out,
            swapped_in: self.swapped_in - earlier.swapped_in,
            expelled: self.expelled - earlier.expelled,
            staged: self.staged - earlier.staged,
            selected: self.selected - earlier.selected,
            selected_at_hand: self.selected_at_hand - earlier.selected_at_hand,
        }
    }
}
