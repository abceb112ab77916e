//! What an on-chip shared buffer is made of: ports and queues, memory, pools, reservations.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use forebay_units::{Bytes, Rate};

use super::memory::MemoryConfig;
use crate::threshold::Alpha;

/// One queue of a port (a traffic class), as the buffer accounts for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueConfig {
    /// The shared pool that it draws on (an index into [`ChipConfig::pools`]).
    pub pool: u16,
    /// Buffer that only this queue can use, taken before the pool's; rounded up to cells.
    pub reserved: Bytes,
    /// α of its dynamic threshold instead of the policy's own (per priority, occamy §6.2: 8 and 1).
    pub alpha: Option<Alpha>,
    /// Its static maximum instead of the policy's own, for policies that have one.
    pub limit: Option<Bytes>,
}

/// Everything an on-chip shared buffer is built from, the policy apart.
///
/// Queue number = port · classes + class.
#[derive(Clone, Debug, PartialEq)]
pub struct ChipConfig {
    /// Output ports.
    pub ports: u16,
    /// Queues of each port.
    pub classes: u16,
    /// The cell data memory, reservations included.
    pub capacity: Bytes,
    /// Cells, clock and widths of the memories.
    pub memory: MemoryConfig,
    /// Packet descriptors: the most packets at once.
    pub descriptors: u32,
    /// The largest packet in bytes; larger ones are dropped.
    pub largest_packet: u32,
    /// Rate of a port, for policies that estimate how fast a queue drains.
    pub port_rate: Rate,
    /// Sizes of the shared pools. Empty: one pool of all that is not reserved.
    pub pools: Vec<Bytes>,
    /// One entry per class, the same at every port; or one per queue. Empty: defaults for all.
    pub queues: Vec<QueueConfig>,
}

impl Default for ChipConfig {
    /// The software prototype of occamy §6.2: eight ports of 10 Gb/s, 410 KB (5.12 KB per port and Gb/s),
    /// cells of 200 B, one queue a port. A descriptor for every cell, so that they never run out.
    fn default() -> Self {
        ChipConfig {
            ports: 8,
            classes: 1,
            capacity: Bytes::new(410_000),
            memory: MemoryConfig::of_capacity(Rate::from_gbps(80), 200),
            descriptors: 2050,
            largest_packet: 1500,
            port_rate: Rate::from_gbps(10),
            pools: Vec::new(),
            queues: Vec::new(),
        }
    }
}

/// 64 MB of cell pointers: beyond any chip, and far from exhausting the host.
const MAX_CELLS: u64 = 1 << 24;
const MAX_QUEUES: u32 = 1 << 20;

impl ChipConfig {
    /// Queues in all.
    #[must_use]
    pub const fn queue_count(&self) -> u32 {
        self.ports as u32 * self.classes as u32
    }

    /// Cells in all; a remainder of the capacity is unused.
    #[must_use]
    pub fn cells(&self) -> u32 {
        let cells = self.capacity.get().checked_div(self.memory.cell.into()).unwrap_or(0);
        cells.min(MAX_CELLS) as u32
    }

    /// The configuration of `queue`.
    #[must_use]
    pub fn queue(&self, queue: u32) -> QueueConfig {
        let per_queue = self.queues.len() != usize::from(self.classes);
        let index = if per_queue { queue } else { queue % u32::from(self.classes.max(1)) };
        self.queues.get(index as usize).copied().unwrap_or_default()
    }

    /// Cells that `queue` has for itself.
    pub(super) fn reserved_cells(&self, queue: u32) -> u32 {
        let cells = self.queue(queue).reserved.div_ceil(Bytes::new(self.memory.cell.into()));
        cells.min(MAX_CELLS + 1) as u32
    }

    /// Cells of each shared pool.
    pub(super) fn pool_cells(&self) -> Vec<u32> {
        let cell = u64::from(self.memory.cell.max(1));
        if self.pools.is_empty() {
            let left = u64::from(self.cells()).saturating_sub(self.all_reserved());
            return alloc::vec![left as u32];
        }
        self.pools.iter().map(|pool| (pool.get() / cell).min(MAX_CELLS) as u32).collect()
    }

    fn all_reserved(&self) -> u64 {
        (0..self.queue_count()).map(|queue| u64::from(self.reserved_cells(queue))).sum()
    }

    /// Checks every size and relation that the buffer relies on.
    ///
    /// # Errors
    /// The first parameter that does not fit, with what would.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let refuse =
            |parameter, problem: &str| Err(ConfigError { parameter, problem: problem.to_string() });
        if self.ports == 0 {
            return refuse("ports", "a switch has at least one output port");
        }
        if self.classes == 0 || self.queue_count() > MAX_QUEUES {
            return refuse("classes", "a port has at least one queue, all ports at most 2^20");
        }
        if self.memory.cell == 0 || self.memory.cell > 1 << 16 {
            return refuse("memory.cell", "a cell holds between 1 byte and 64 KiB");
        }
        if self.memory.cycle.as_ps() == 0 || self.memory.cycle.as_ps() > 1_000_000_000 {
            return refuse("memory.cycle", "a clock period is between 1 ps and 1 ms");
        }
        if self.memory.sublists == 0 || self.memory.data_cells == 0 {
            return refuse("memory", "each memory moves at least one cell a cycle");
        }
        if self.memory.descriptor_cycles > 1 << 16 || self.memory.burst_cycles > 1 << 24 {
            return refuse("memory", "at most 2^16 descriptor_cycles and 2^24 burst_cycles");
        }
        if self.capacity.get() / u64::from(self.memory.cell) > MAX_CELLS {
            return refuse("capacity", "there can be at most 2^24 cells; use larger ones");
        }
        if self.largest_packet == 0 || self.memory.cells(self.largest_packet) > self.cells() {
            return refuse("largest_packet", "it has a size, and the buffer must hold it");
        }
        if self.descriptors == 0 || self.descriptors > 1 << 26 {
            return refuse("descriptors", "there must be between 1 and 2^26 descriptors");
        }
        if self.port_rate.as_bps() == 0 {
            return refuse("port_rate", "a port sends at some rate");
        }
        self.validate_queues()
    }

    fn validate_queues(&self) -> Result<(), ConfigError> {
        let refuse = |parameter, problem: String| Err(ConfigError { parameter, problem });
        let (classes, queues) = (usize::from(self.classes), self.queue_count() as usize);
        if ![0, classes, queues].contains(&self.queues.len()) {
            let problem = alloc::format!(
                "{} entries; give none, {classes} (one per class) or {queues} (one per queue)",
                self.queues.len()
            );
            return refuse("queues", problem);
        }
        if self.pools.len() > 1 << 10 {
            return refuse("pools", "there can be at most 1024 pools".to_string());
        }
        let pools = self.pools.len().max(1);
        if let Some(queue) = self.queues.iter().find(|queue| usize::from(queue.pool) >= pools) {
            let problem =
                alloc::format!("there is no pool {}; the last is {}", queue.pool, pools - 1);
            return refuse("queues.pool", problem);
        }
        let shared: u64 = self.pool_cells().iter().map(|cells| u64::from(*cells)).sum();
        let wanted = shared + self.all_reserved();
        if wanted > u64::from(self.cells()) {
            let problem = alloc::format!(
                "pools and reservations need {wanted} cells of {}; make them smaller or give {}",
                Bytes::new(self.memory.cell.into()),
                Bytes::new(wanted * u64::from(self.memory.cell)),
            );
            return refuse("capacity", problem);
        }
        Ok(())
    }
}

/// Why a buffer cannot be built: the parameter, what is wrong with it and what would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// Its name in [`ChipConfig`].
    pub parameter: &'static str,
    /// What is wrong and what would do.
    pub problem: String,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.parameter, self.problem)
    }
}

impl core::error::Error for ConfigError {}
