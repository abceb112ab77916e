//! What a policy may know of the buffer that it is built for.

use alloc::vec::Vec;

use forebay_units::{Bytes, Rate};

use crate::threshold::Alpha;

/// What a policy may know of a queue when it is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueShape {
    /// Whether it draws on the policy's pool.
    pub member: bool,
    /// The output port that it belongs to, from 0.
    pub port: u16,
    /// Its place among the queues of its port.
    pub class: u16,
    /// α in place of the policy's own.
    pub alpha: Option<Alpha>,
    /// Static maximum in cells in place of the policy's own.
    pub limit: Option<u32>,
}

/// What a policy may know of its pool when it is built.
#[derive(Clone, Debug)]
pub struct PoolShape {
    /// Cells of the pool: B.
    pub capacity: u32,
    /// Bytes per cell.
    pub cell: Bytes,
    /// All queues of the buffer by number.
    pub queues: Vec<QueueShape>,
    /// Queues of a port.
    pub classes: u16,
    /// Rate of a port.
    pub port_rate: Rate,
}

impl PoolShape {
    /// Queues that draw on the pool: N, at least 1.
    #[must_use]
    pub fn members(&self) -> u32 {
        (self.queues.iter().filter(|queue| queue.member).count() as u32).max(1)
    }

    /// Whole cells in `size`.
    #[must_use]
    pub fn cells(&self, size: Bytes) -> u32 {
        (size.get() / self.cell.get().max(1)).min(u64::from(u32::MAX)) as u32
    }

    /// α of every queue: its own, or `default`.
    #[must_use]
    pub fn alphas(&self, default: Alpha) -> Vec<Alpha> {
        self.queues.iter().map(|queue| queue.alpha.unwrap_or(default)).collect()
    }

    /// Static maximum of every queue: its own, or `default`.
    #[must_use]
    pub fn limits(&self, default: u32) -> Vec<u32> {
        self.queues.iter().map(|queue| queue.limit.unwrap_or(default)).collect()
    }
}
