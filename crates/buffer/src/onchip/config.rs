//! What an on-chip shared buffer is made of: ports and queues, memory, pools, reservations.

use alloc::format;
use alloc::vec::Vec;

use forebay_parameters::{Configure, Kind, ParameterError, Parameters, Size, Source, Walk, check};
use forebay_units::{Bytes, Rate};

use super::ingress::{IngressConfig, PRIORITIES};
use super::memory::MemoryConfig;
use crate::threshold::Alpha;

/// One queue of a port (a traffic class), as the buffer accounts for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Parameters)]
pub struct QueueConfig {
    /// The shared pool that a queue draws on.
    ///
    /// An index into [`ChipConfig::pools`].
    #[parameter(assumed = "there is one", range = 0..=1023)]
    pub pool: u16,
    /// Buffer that only this queue can use, rounded up to cells.
    ///
    /// Taken before the pool's.
    #[parameter(assumed = "the papers reserve none")]
    pub reserved: Bytes,
    /// Threshold factor of the queue; 0: that of its policy.
    ///
    /// α of its dynamic threshold (per priority, occamy §6.2: 8 and 1).
    #[parameter(assumed = "0: the policy's own", kind = Kind::Float { min: 0.0, max: 65535.0 })]
    pub alpha: Option<Alpha>,
    /// Static maximum of the queue; 0 B: that of its policy.
    #[parameter(assumed = "0 B: the policy's own")]
    pub limit: Option<Bytes>,
}

/// Everything an on-chip shared buffer is built from, the policy apart. The queues are no
/// parameters, but each has [some](QueueConfig).
///
/// The default is the software prototype of occamy §6.2: eight ports of 10 Gb/s, 410 KB (5.12 KB
/// per port and Gb/s), cells of 200 B, one queue a port. A descriptor for every cell, so that they
/// never run out.
///
/// Queue number = port · classes + class.
#[derive(Clone, Debug, PartialEq, Configure)]
pub struct ChipConfig {
    /// Output ports.
    #[parameter(source = PROTOTYPE, range = 1..=65535, default = 8)]
    pub ports: u16,
    /// Queues of each port.
    #[parameter(source = PROTOTYPE, range = 1..=65535, default = 1)]
    pub classes: u16,
    /// The packet memory, reservations included.
    #[parameter(source = PROTOTYPE, default = Bytes::new(410_000))]
    pub capacity: Bytes,
    /// Cells, clock and widths of the memories.
    #[parameter(part, default = MemoryConfig::of_capacity(Rate::from_gbps(80), 200))]
    pub memory: MemoryConfig,
    /// Packet descriptors: the most packets at once.
    #[parameter(range = 1..=1 << 26, default = 2050)]
    #[parameter(assumed = "one for every cell, so that they never run out")]
    pub descriptors: u32,
    /// The largest packet; larger ones are dropped.
    #[parameter(assumed = "Ethernet's", kind = Kind::Bytes, default = 1500, with = Size)]
    pub largest_packet: u32,
    /// Rate of a port, for policies that estimate how fast a queue drains.
    #[parameter(source = PROTOTYPE, default = Rate::from_gbps(10))]
    pub port_rate: Rate,
    /// Sizes of the shared pools; none for one of all that is not reserved.
    #[parameter(assumed = "one pool", default = Vec::new())]
    pub pools: Vec<Bytes>,
    /// One entry per class, the same at every port; or one per queue. Empty: defaults for all.
    #[parameter(skip)]
    pub queues: Vec<QueueConfig>,
    /// The classes that must not lose packets; `None` if every class may. There is one pool then.
    #[parameter(skip)]
    pub ingress: Option<IngressConfig>,
}

/// Beyond any chip.
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

    /// Whether `queue` must not lose packets.
    pub(super) fn is_lossless(&self, queue: u32) -> bool {
        let class = queue % u32::from(self.classes.max(1));
        let lossless = |ingress: &IngressConfig| ingress.classes.get(class as usize).copied();
        self.ingress.as_ref().and_then(lossless).unwrap_or(false)
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
            let apart = self.all_reserved().saturating_add(self.headroom());
            let left = u64::from(self.cells()).saturating_sub(apart);
            return alloc::vec![left as u32];
        }
        self.pools.iter().map(|pool| (pool.get() / cell).min(MAX_CELLS) as u32).collect()
    }

    /// Cells of headroom.
    fn headroom(&self) -> u64 {
        self.ingress.as_ref().map_or(0, IngressConfig::headroom_cells)
    }

    fn all_reserved(&self) -> u64 {
        (0..self.queue_count()).map(|queue| u64::from(self.reserved_cells(queue))).sum()
    }

    /// Checks every size and relation that the buffer relies on.
    ///
    /// # Errors
    /// The first parameter that does not fit, with what would.
    pub fn validate(&self) -> Result<(), ParameterError> {
        check(&mut self.clone())?;
        self.memory.validate()?;
        if self.queue_count() > MAX_QUEUES {
            return Err(ChipConfig::CLASSES.refuse(
                "each port needs at least one queue, and all ports together may have at most 2^20",
            ));
        }
        let cell = Bytes::new(self.memory.cell.into());
        if self.capacity.get() / cell.get() > MAX_CELLS {
            return Err(ChipConfig::CAPACITY.refuse(format_args!(
                "{} is more than 2^24 cells of {cell}; give at most {}",
                self.capacity,
                cell * MAX_CELLS
            )));
        }
        if self.largest_packet == 0 {
            return Err(ChipConfig::LARGEST_PACKET.refuse("a packet must be larger than 0 B"));
        }
        if self.memory.cells(self.largest_packet) > self.cells() {
            return Err(self.refuse_packet(cell));
        }
        if self.port_rate.as_bps() == 0 {
            return Err(ChipConfig::PORT_RATE.refuse("give a port rate above 0 b/s"));
        }
        self.validate_queues()?;
        self.ingress.as_ref().map_or(Ok(()), |ingress| self.validate_ingress(ingress))
    }

    /// That lossless classes exist, and that their headroom leaves room for a packet.
    fn validate_ingress(&self, ingress: &IngressConfig) -> Result<(), ParameterError> {
        if usize::from(self.classes) > PRIORITIES {
            return Err(ChipConfig::CLASSES
                .refuse("at most 8 where some are lossless: pauses tell no more apart"));
        }
        if self.pools.len() > 1 {
            return Err(ChipConfig::POOLS.refuse("give one where classes are lossless"));
        }
        let least = u64::from(self.memory.cells(self.largest_packet));
        let needed = ingress.headroom_cells().saturating_add(self.all_reserved()) + least;
        if needed > u64::from(self.cells()) {
            let cell = Bytes::new(self.memory.cell.into());
            let apart = cell * (needed - least);
            return Err(match ingress.pause_at {
                Some(_) => ChipConfig::CAPACITY.refuse(format_args!(
                    "headroom and reservations of {apart} leave no room for a packet in {}: give \
                     a larger buffer, less headroom, or headroom that is shared",
                    self.capacity
                )),
                None => ChipConfig::CAPACITY.refuse(format_args!(
                    "buffers of inputs and reservations of {apart} leave no room for a packet in \
                     {}: give a larger buffer, or inputs smaller ones",
                    self.capacity
                )),
            });
        }
        Ok(())
    }

    /// Whether a largest packet that does not fit is itself at fault: the default capacity would
    /// not hold it either.
    #[must_use]
    pub fn is_packet_too_large(&self) -> bool {
        let cells = self.memory.cells(self.largest_packet);
        let needed = u64::from(cells) * u64::from(self.memory.cell);
        cells > self.cells() && needed > ChipConfig::default().capacity.get()
    }

    /// That the largest packet does not fit into cells of this size.
    fn refuse_packet(&self, cell: Bytes) -> ParameterError {
        let (capacity, packet) = (self.capacity, Bytes::new(self.largest_packet.into()));
        let problem =
            format!("a buffer of {capacity} in cells of {cell} cannot hold a packet of {packet}");
        if self.is_packet_too_large() {
            return ChipConfig::LARGEST_PACKET
                .refuse(format_args!("{problem}: give a larger buffer"));
        }
        let needed = cell * u64::from(self.memory.cells(self.largest_packet));
        ChipConfig::CAPACITY.refuse(format_args!("{problem}: give it at least {needed}"))
    }

    fn validate_queues(&self) -> Result<(), ParameterError> {
        let (classes, queues) = (usize::from(self.classes), self.queue_count() as usize);
        if ![0, classes, queues].contains(&self.queues.len()) {
            let given = self.queues.len();
            return Err(ParameterError::value(
                QUEUES,
                format_args!(
                    "{given} entries; give none, {classes} (one per class) or {queues} (one per \
                     queue)"
                ),
            ));
        }
        if self.pools.len() > 1 << 10 {
            return Err(ChipConfig::POOLS.refuse("there can be at most 1024 pools"));
        }
        let pools = self.pools.len().max(1);
        if let Some(queue) = self.queues.iter().find(|queue| usize::from(queue.pool) >= pools) {
            let last = pools - 1;
            let problem = format_args!("there is no pool {}; the last is {last}", queue.pool);
            return Err(ParameterError::value(QUEUES, problem));
        }
        let shared: u64 = self.pool_cells().iter().map(|cells| u64::from(*cells)).sum();
        let wanted = shared + self.all_reserved();
        if wanted > u64::from(self.cells()) {
            return Err(ChipConfig::CAPACITY.refuse(format_args!(
                "pools and reservations need {wanted} cells of {}; make them smaller or give {}",
                Bytes::new(self.memory.cell.into()),
                Bytes::new(wanted * u64::from(self.memory.cell)),
            )));
        }
        Ok(())
    }
}

/// The list of [`ChipConfig::queues`], which is no parameter but has some.
const QUEUES: &str = "queues";

impl Configure for QueueConfig {
    fn walk(&mut self, walk: &mut dyn Walk) {
        walk.field(&QueueConfig::POOL, &mut self.pool);
        walk.field(&QueueConfig::RESERVED, &mut self.reserved);
        let mut alpha = self.alpha.map_or(0.0, Alpha::get);
        walk.field(&QueueConfig::ALPHA, &mut alpha);
        self.alpha = (alpha > 0.0).then(|| Alpha::new(alpha).unwrap_or(Alpha::power_of_two(-16)));
        walk.field(&QueueConfig::LIMIT, &mut self.limit);
    }
}

const PROTOTYPE: Source = Source::paper("occamy §6.2");
