//! Building a shared buffer from its configuration: sizes in cells, accounts, a policy for each
//! pool.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use forebay_parameters::{Choice, ParameterError};
use forebay_units::{Bytes, Time};

use super::buffer::SharedBuffer;
use super::config::ChipConfig;
use super::ingress::Ingress;
use super::inputs::Inputs;
use super::memory::SpareBandwidth;
use super::occupancy::{Account, PoolLevel};
use super::outcome::OnChipCounters;
use super::policy::{OnChipPolicy, PoolShape, QueueShape};
use crate::cells::CellPool;
use crate::descriptor::Descriptors;
use crate::lists::PacketLists;

impl SharedBuffer {
    /// An empty buffer, each of its pools under a policy of this choice: one of
    /// [`policies`](super::policies), or a caller's own.
    ///
    /// # Errors
    /// The parameter that does not fit.
    pub fn new(
        config: &ChipConfig,
        policy: &Choice<dyn OnChipPolicy>,
    ) -> Result<Self, ParameterError> {
        Self::with_policies(config, |_, shape| policy.build(shape))
    }

    /// An empty buffer; `build` gives the policy of each pool, in order.
    ///
    /// # Errors
    /// If a parameter does not fit, or `build` fails.
    pub fn with_policies(
        config: &ChipConfig,
        mut build: impl FnMut(u16, &PoolShape) -> Result<Box<dyn OnChipPolicy>, ParameterError>,
    ) -> Result<Self, ParameterError> {
        config.validate()?;
        let memory = config.memory;
        let cell = Bytes::new(memory.cell.into());
        let levels: Vec<PoolLevel> = (config.pool_cells().into_iter())
            .map(|capacity| PoolLevel { capacity, used: 0 })
            .collect();
        let policies = (0..)
            .zip(&levels)
            .map(|(pool, level)| build(pool, &shape_of(config, pool, level.capacity)))
            .collect::<Result<Vec<_>, ParameterError>>()?;
        let queues = 0..config.queue_count();
        let largest = memory.release_cycles(memory.cells(config.largest_packet));
        Ok(SharedBuffer {
            memory,
            classes: config.classes,
            largest_packet: config.largest_packet,
            descriptors: Descriptors::new(config.descriptors),
            cells: CellPool::new(config.capacity, cell),
            lists: PacketLists::new(config.queue_count()),
            accounts: queues
                .map(|queue| match config.is_lossless(queue) {
                    true => Account::lossless(),
                    false => Account::new(config.queue(queue).pool, config.reserved_cells(queue)),
                })
                .collect(),
            levels,
            expels: policies.iter().any(|policy| policy.expels()),
            policies,
            inputs: (config.ingress.as_ref())
                .map(|ingress| Box::new(Inputs::Lossless(Ingress::new(ingress)))),
            spare: SpareBandwidth::new(memory.cycle, memory.burst_cycles.max(largest)),
            turn: 0,
            free_from: vec![Time::ZERO; config.ports.into()],
            now: Time::ZERO,
            losses: Vec::new(),
            counters: OnChipCounters::default(),
        })
    }
}

fn shape_of(config: &ChipConfig, pool: u16, capacity: u32) -> PoolShape {
    let classes = u32::from(config.classes);
    let shape = |number: u32| {
        let queue = config.queue(number);
        QueueShape {
            member: queue.pool == pool && !config.is_lossless(number),
            port: (number / classes) as u16,
            class: (number % classes) as u16,
            alpha: queue.alpha,
            limit: queue
                .limit
                .map(|limit| (limit.get() / u64::from(config.memory.cell)).min(1 << 24) as u32),
        }
    };
    PoolShape {
        capacity,
        cell: Bytes::new(config.memory.cell.into()),
        queues: (0..config.queue_count()).map(shape).collect(),
        classes: config.classes,
        port_rate: config.port_rate,
    }
}
