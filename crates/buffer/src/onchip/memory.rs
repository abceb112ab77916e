//! The three memories of an on-chip buffer and what an operation costs in each (occamy §2.1, Fig. 2
//! and 9; themis App. D).
//!
//! - *Packet descriptor (PD) memory*: one descriptor a packet; a queue is a linked list of them.
//! - *Cell pointer memory*: one pointer a cell; a packet's pointers are linked, and so are the free
//!   ones. A descriptor may keep several parallel sublists, so that as many pointers are read in a
//!   cycle.
//! - *Cell data memory*: the packets' bytes in cells of one size.
//!
//! They are separate SRAMs and work in parallel. Each has a write side (arrivals) and a read side
//! (departures and head drops). A departure reads a descriptor, its pointers and its data; a head
//! drop reads a descriptor and the pointers and touches no data (occamy §3.2).
//!
//! **Arbitration** (§4.3, §4.5, §5.3): departures are never held back. A head drop takes the cycles
//! that they leave, once as many have gone by as it needs. One number says how many that is: the
//! instant up to which the read side is spoken for. A departure moves it on by its cost (beyond
//! now, if need be: the "negative" tokens of §5.3), a head drop may move it up to now and no
//! further, and it is at most one burst behind now. That is the token bucket of the software
//! prototype (§5.3); a larger burst saves up more. With a burst of one largest packet, and while
//! over-allocation lasts, it is also the fixed-priority arbiter of §4.3: the idle cycles gathered
//! so far are those already spent on the head drop under way, and a departure that comes in between
//! goes first and puts the drop off.
//!
//! They differ after the read side was idle. The bucket is full then, and what it holds is used at
//! the instant at which over-allocation begins: one largest packet is dropped, or several small
//! ones. The pipeline of Fig. 9 starts with the selection, so each of its drops ends
//! [`MemoryConfig::release_cycles`] later, at least 2 cycles. We keep the bucket: to count from
//! there, every call would have to ask every policy whether it wants a drop.
//!
//! Not modelled: a head drop frees all its cells at its end, not one by one; and between cycle 2
//! and its end a departure could no longer take the packet being dropped (§4.5), here it still can.
//! Either concerns one packet for a few cycles.

use core::fmt;
use core::ops::RangeInclusive;

use forebay_parameters::{Configure, Kind, ParameterError, Size};
use forebay_units::{Bytes, Duration, Rate, Time};

/// Cells, clock and widths of the three memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Configure)]
pub struct MemoryConfig {
    /// Bytes per cell of the memory.
    ///
    /// Chips do not publish theirs.
    #[parameter(paper = "occamy §5.3", kind = Kind::Bytes, default = 200, with = Size)]
    pub cell: u32,
    /// The clock period of the memories.
    #[parameter(paper = "occamy §5.1: 1 GHz", default = Duration::from_ns(1))]
    pub cycle: Duration,
    /// Parallel cell-pointer sublists of a packet: pointers moved in a cycle.
    #[parameter(paper = "occamy §3.2", range = 1..=u32::MAX, default = 4)]
    pub sublists: u32,
    /// Cycles of the descriptor memory per packet.
    ///
    /// Read the descriptor, advance the list.
    #[parameter(paper = "occamy Fig. 9", range = 0..=1 << 16, default = 2)]
    pub descriptor_cycles: u32,
    /// Cells of data moved in a cycle.
    #[parameter(assumed = "as many as pointers", range = 1..=u32::MAX, default = 4)]
    pub data_cells: u32,
    /// Most unused read cycles that can be saved up for head drops; at least a largest packet's.
    ///
    /// Raised to that, which is the least that lets it be dropped.
    #[parameter(range = 0..=1 << 24, default = 0)]
    #[parameter(assumed = "the least: what one largest packet takes")]
    pub burst_cycles: u32,
}

impl MemoryConfig {
    /// The shortest clock period.
    pub const SHORTEST_CYCLE: Duration = Duration::from_ps(1);
    /// The longest clock period.
    pub const LONGEST_CYCLE: Duration = Duration::from_ms(1);

    /// What the kinds of the parameters leave to check.
    pub(super) fn validate(&self) -> Result<(), ParameterError> {
        if self.cell == 0 || self.cell > 1 << 16 {
            return Err(MemoryConfig::CELL.refuse("a cell must hold 1 B to 64 KiB"));
        }
        if self.cycle < Self::SHORTEST_CYCLE || self.cycle > Self::LONGEST_CYCLE {
            return Err(MemoryConfig::CYCLE.refuse("a clock period must be 1 ps to 1 ms"));
        }
        Ok(())
    }

    /// The memory that occamy §5.3 supposes for a switch of `capacity`: one cell a token, a token
    /// in the time the switch sends a cell (20 ns for 200 B at 80 Gb/s), whatever the packet.
    #[must_use]
    pub fn of_capacity(capacity: Rate, cell: u32) -> Self {
        let cycle = capacity.time_for(Bytes::new(cell.into()));
        MemoryConfig {
            cell,
            cycle,
            sublists: 1,
            descriptor_cycles: 1,
            data_cells: 1,
            burst_cycles: 0,
        }
    }

    /// Cells of a packet of `size` bytes.
    #[must_use]
    #[inline]
    pub const fn cells(&self, size: u32) -> u32 {
        if self.cell == 0 { 0 } else { size.div_ceil(self.cell) }
    }

    /// The most cells that packets of `bytes` bytes together can take, each of one of these sizes:
    /// the worst are either the smallest, or the next that begin a cell of their own. Packets of
    /// one size are counted whole.
    ///
    /// ```
    /// use forebay_buffer::onchip::MemoryConfig;
    ///
    /// let memory = MemoryConfig { cell: 200, ..MemoryConfig::default() };
    /// assert_eq!(memory.most_cells(6400, &(64..=1500)), 100); // a cell for each 64 bytes
    /// assert_eq!(memory.most_cells(6000, &(1500..=1500)), 32); // 4 packets of 8 cells
    /// assert_eq!(memory.most_cells(7400, &(1500..=1500)), 32); // and a part of one more
    /// assert_eq!(memory.most_cells(2010, &(199..=1500)), 20); // 10 packets of 201 bytes
    /// ```
    #[must_use]
    pub fn most_cells(&self, bytes: u64, sizes: &RangeInclusive<u32>) -> u64 {
        let cell = u128::from(self.cell.max(1));
        let smallest = u128::from((*sizes.start()).clamp(1, (*sizes.end()).max(1)));
        if sizes.start() == sizes.end() {
            let whole = u128::from(bytes) / smallest * smallest.div_ceil(cell);
            return u64::try_from(whole).unwrap_or(u64::MAX);
        }
        let of = |size: u128| u128::from(bytes) * size.div_ceil(cell) / size;
        let next = (smallest - 1).div_ceil(cell) * cell + 1;
        let next = if next <= u128::from(*sizes.end()) { of(next) } else { 0 };
        u64::try_from(of(smallest).max(next)).unwrap_or(u64::MAX)
    }

    /// Cycles that taking a packet of `cells` cells out of its queue keeps the descriptor and
    /// pointer memories busy, which work in parallel: the larger of the descriptor's cycles and
    /// ceil(cells / sublists).
    #[must_use]
    #[inline]
    pub const fn release_cycles(&self, cells: u32) -> u32 {
        let pointers = self.pointer_cycles(cells);
        if pointers > self.descriptor_cycles { pointers } else { self.descriptor_cycles }
    }

    /// Cycles in the cell pointer memory: ceil(cells / sublists).
    #[must_use]
    #[inline]
    pub const fn pointer_cycles(&self, cells: u32) -> u32 {
        match self.sublists {
            0 | 1 => cells,
            sublists => cells.div_ceil(sublists),
        }
    }

    /// Cycles in the cell data memory.
    #[must_use]
    #[inline]
    pub const fn data_cycles(&self, cells: u32) -> u32 {
        match self.data_cells {
            0 | 1 => cells,
            data_cells => cells.div_ceil(data_cells),
        }
    }
}

/// A capacity for which [`MemoryConfig::of_capacity`] has too long a clock period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooSlow {
    /// What the switch sends in all.
    pub capacity: Rate,
    /// Bytes per cell.
    pub cell: u32,
}

impl TooSlow {
    /// Whether `capacity` is too slow for such cells.
    ///
    /// # Errors
    /// It is.
    pub fn check(capacity: Rate, cell: u32) -> Result<(), TooSlow> {
        let too_slow = TooSlow { capacity, cell };
        if capacity < too_slow.least() { Err(too_slow) } else { Ok(()) }
    }

    /// The least capacity for such cells: one in the longest clock period.
    #[must_use]
    pub fn least(&self) -> Rate {
        Rate::mean(Bytes::new(self.cell.into()), MemoryConfig::LONGEST_CYCLE)
    }
}

impl fmt::Display for TooSlow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} in all is too slow for a shared buffer: a cell of {} would take longer than {}",
            self.capacity,
            Bytes::new(self.cell.into()),
            MemoryConfig::LONGEST_CYCLE,
        )
    }
}

impl core::error::Error for TooSlow {}

/// Busy cycles of one side (write or read) of the three memories.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryCycles {
    /// Packet descriptor memory.
    pub descriptor: u64,
    /// Cell pointer memory.
    pub pointer: u64,
    /// Cell data memory.
    pub data: u64,
}

impl MemoryCycles {
    /// A packet of `cells` cells comes or goes.
    #[inline]
    pub(super) fn packet(&mut self, memory: &MemoryConfig, cells: u32) {
        self.data += u64::from(memory.data_cycles(cells));
        self.head_drop(memory, cells);
    }

    /// A packet of `cells` cells is dropped: no data.
    #[inline]
    pub(super) fn head_drop(&mut self, memory: &MemoryConfig, cells: u32) {
        self.descriptor += u64::from(memory.descriptor_cycles);
        self.pointer += u64::from(memory.pointer_cycles(cells));
    }

    /// The share of the time `span` in which the memory that is busiest works (occamy Fig. 6b);
    /// above 1 if more was asked of it than it can do, 0 over an empty span.
    #[must_use]
    pub fn utilization(&self, memory: &MemoryConfig, span: Duration) -> f64 {
        let busiest = self.descriptor.max(self.pointer).max(self.data);
        let cycles = span.as_ps() as f64 / memory.cycle.as_ps() as f64;
        if cycles > 0.0 { busiest as f64 / cycles } else { 0.0 }
    }
}

/// The read bandwidth that departures leave for head drops. O(1), one instant of state.
#[derive(Clone, Debug)]
pub(super) struct SpareBandwidth {
    cycle: Duration,
    burst: Duration,
    /// The read side is spoken for until here.
    taken_until: Time,
}

impl SpareBandwidth {
    /// None saved at time zero; at most `burst` cycles can be.
    pub(super) fn new(cycle: Duration, burst: u32) -> Self {
        SpareBandwidth { cycle, burst: cycle * u64::from(burst), taken_until: Time::ZERO }
    }

    /// What lies further back than a burst at `now` is lost.
    #[inline]
    pub(super) fn settle(&mut self, now: Time) {
        let oldest = Time::from_ps(now.as_ps().saturating_sub(self.burst.as_ps()));
        self.taken_until = self.taken_until.max(oldest);
    }

    /// A departure takes `cycles`, there or not. Settled at now.
    #[inline]
    pub(super) fn take(&mut self, cycles: u32) {
        self.taken_until += self.cycle * u64::from(cycles);
    }

    /// When `cycles` will be there if no departure takes them.
    #[inline]
    pub(super) fn ready_at(&self, cycles: u32) -> Time {
        self.taken_until + self.cycle * u64::from(cycles)
    }

    /// Spare time at `now`, and what departures have overdrawn.
    pub(super) fn balance(&self, now: Time) -> (Duration, Duration) {
        (now.since(self.taken_until), self.taken_until.since(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use forebay_units::Rate;

    #[test]
    fn a_head_drop_takes_a_cycle_per_sublist_row() {
        let memory = MemoryConfig::default();
        assert_eq!(
            (memory.cells(1500), memory.release_cycles(8), memory.release_cycles(9)),
            (8, 2, 3)
        );
        assert_eq!(memory.release_cycles(1), 2);
        let software = MemoryConfig::of_capacity(Rate::from_gbps(80), 200);
        assert_eq!((software.cycle, software.release_cycles(8)), (Duration::from_ns(20), 8));
        let mut read = MemoryCycles::default();
        read.packet(&memory, 8);
        read.head_drop(&memory, 9);
        assert_eq!(read, MemoryCycles { descriptor: 4, pointer: 5, data: 2 });
        assert!((read.utilization(&memory, Duration::from_ns(10)) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn departures_go_first_and_savings_are_bounded() {
        let mut spare = SpareBandwidth::new(Duration::from_ns(1), 3);
        let at = |ns| Time::ZERO + Duration::from_ns(ns);
        spare.settle(at(100));
        assert_eq!(spare.ready_at(3), at(100));
        spare.take(10);
        assert_eq!(spare.balance(at(100)), (Duration::ZERO, Duration::from_ns(7)));
        assert_eq!(spare.ready_at(2), at(109));
        // A departure on the way puts the drop off by its own cycles.
        spare.settle(at(108));
        spare.take(4);
        assert_eq!(spare.ready_at(2), at(113));
    }
}
