use alloc::format;

use forebay_buffer::onchip::IngressConfig;
use forebay_buffer::{HybridPolicy, HybridShape, SlotOrder};
use forebay_mem::{ControllerConfig, HbmConfig};
use forebay_parameters::{Configure, Kind, ParameterError, Size, Source, Walk, Word, check};
use forebay_sched::Quantizer;
use forebay_units::{Bytes, Duration, Rate};

use crate::memory;

/// In which order packet bursts get the HBM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum HbmOrder {
    /// First come, first served, whatever the direction.
    Fcfs,
    /// Reads that a port waits for go before everything else.
    ReadsFirst,
}

/// When packets that wait in the staging buffer are written as a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum StagingWrites {
    /// What waits, as soon as the HBM is free for it; more arrives meanwhile.
    Merged,
    /// The same, but nothing is taken in until it is written.
    Closed,
    /// A whole batch, or what waits when a port needs a packet of it; nothing is taken in until it
    /// is written.
    Whole,
}

/// What makes an accounting queue (the unit of thresholds and expulsion).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum QueueBy {
    /// Flows, spread over the queues.
    Flow,
    /// One queue per input.
    Input,
    /// One queue per priority class.
    Class,
    /// One queue per output port.
    Port,
}

/// Everything a traffic manager is built from, policy and rank function apart.
///
/// The defaults are the single-point switch of themis §6.3.1 where the paper says, and elsewhere
/// what the experiments assume; fewer descriptors, which a user chooses. What depends on the policy
/// is shown by [`walk_read`](Self::walk_read); the quantizer follows from the ranked queue.
#[derive(Clone, Debug, Configure)]
pub struct ManagerConfig {
    /// Output ports.
    #[parameter(source = SETUP, range = 1..=65535, default = 1)]
    pub ports: u16,
    /// On-chip packet memory, staging included.
    #[parameter(source = SETUP, default = Bytes::new(5_000_000))]
    pub sram: Bytes,
    /// Bytes per SRAM cell.
    #[parameter(assumed = "usual for shared-memory switches", default = Bytes::new(256))]
    pub cell: Bytes,
    /// Buffer in front of the HBM, taken from the SRAM; Themis's temporary buffer.
    #[parameter(default = Bytes::new(64 * 1024))]
    #[parameter(
        assumed = "four batches, the same for every scheme",
        sensitivity = "themis/sensitivity-staging"
    )]
    pub staging: Bytes,
    /// Rate of the SRAM's write port and, independently, of its read port.
    #[parameter(default = Rate::from_gbps(3200), apart)]
    #[parameter(
        assumed = "twice the inputs' total rate, so that residual bandwidth exists (themis §4.3)"
    )]
    pub port_rate: Rate,
    /// Accounting queues; flows are spread over them.
    #[parameter(name = "accounting_queues", range = 1..=1 << 24, default = 1024, apart)]
    #[parameter(assumed = "more than the flows that are active at once")]
    pub queues: u32,
    /// What makes a queue for the thresholds of DT and Occamy.
    #[parameter(default = QueueBy::Flow, apart)]
    #[parameter(
        assumed = "themis §3.1 speaks of one queue per flow",
        sensitivity = "themis/sensitivity-queue-by"
    )]
    pub queue_by: QueueBy,
    /// Packet descriptors: packets that can be buffered at once.
    #[parameter(range = 1..=forebay_pifo::MAX_ID, default = 1 << 16)]
    #[parameter(assumed = "more than are in use")]
    pub descriptors: u32,
    /// The largest packet; larger ones are dropped.
    #[parameter(assumed = "Ethernet's", kind = Kind::Bytes, default = 1500, with = Size)]
    pub largest_packet: u32,
    /// The HBM's geometry and timing.
    #[parameter(part = "hbm.", default = HbmConfig::samsung_hbm2e())]
    pub hbm: HbmConfig,
    /// The HBM's controller.
    #[parameter(
        part = "hbm.",
        default = ControllerConfig { queue_depth: 0, ..ControllerConfig::in_order(1) },
    )]
    pub controller: ControllerConfig,
    /// Which burst gets the HBM next.
    #[parameter(default = HbmOrder::Fcfs)]
    #[parameter(
        assumed = "not stated; the plain choice",
        sensitivity = "themis/sensitivity-order"
    )]
    pub hbm_order: HbmOrder,
    /// Packets that a port selects ahead while it waits for the HBM.
    #[parameter(range = 1..=1 << 16, default = 8)]
    #[parameter(
        assumed = "the paper states no prefetch depth",
        sensitivity = "themis/sensitivity-read-window"
    )]
    pub read_window: usize,
    /// Swaps or expulsions begin while fewer bytes are under way in their direction.
    ///
    /// So every policy has the same amount in flight whatever the size of its moves.
    #[parameter(default = Bytes::new(16 * 1024), apart)]
    #[parameter(
        assumed = "one batch; every scheme does well with it",
        sensitivity = "themis/sensitivity-moves"
    )]
    pub move_bytes: Bytes,
    /// Whether a packet whose data is on its way to HBM can leave from on-chip memory.
    #[parameter(default = false)]
    #[parameter(
        assumed = "packets directed to DRAM are written and read back in the paper's account",
        sensitivity = "themis/sensitivity-write-forwarding"
    )]
    pub write_forwarding: bool,
    /// Where successive packets lie in HBM.
    #[parameter(default = SlotOrder::Scattered, apart)]
    #[parameter(
        assumed = "the free list of a buffer long in use",
        sensitivity = "themis/sensitivity-layout"
    )]
    pub slot_order: SlotOrder,
    /// When the staging buffer is written to HBM, and whether it takes packets meanwhile.
    #[parameter(default = StagingWrites::Merged, apart)]
    #[parameter(paper = "themis §4.1")]
    pub staging_writes: StagingWrites,
    /// Whether a departure from HBM brings the rest of its batch into SRAM.
    #[parameter(default = true, apart)]
    #[parameter(
        assumed = "themis §4.1: all DRAM operations are in units of batches",
        sensitivity = "themis/sensitivity-fetch-batches"
    )]
    pub fetch_batches: bool,
    /// SRAM share that the rest of such a batch leaves free for arrivals.
    #[parameter(range = 0.0..=1.0, default = 0.1, apart)]
    #[parameter(
        assumed = "half of what lies above the swap-out watermark",
        sensitivity = "themis/sensitivity-fetch-reserve"
    )]
    pub fetch_reserve: f64,
    /// How exact ranks become ranks of the ranked queue.
    #[parameter(skip, default = Quantizer::Identity)]
    pub quantizer: Quantizer,
    /// What inputs may hold of the SRAM, if classes are lossless.
    #[parameter(skip, default = None)]
    pub ingress: Option<IngressConfig>,
}

/// Beyond any chip.
const MAX_CELLS: u64 = 1 << 24;

impl ManagerConfig {
    /// Checks every size and relation that a traffic manager relies on.
    ///
    /// # Errors
    /// The first parameter that does not fit, with what would.
    pub fn validate(&self) -> Result<(), ParameterError> {
        let whole = &mut self.clone();
        check(whole)?;
        for any in [false, true] {
            let reads = Reads { moves: any, queues: any, batches: any };
            check(&mut OfScheme { config: whole, reads })?;
        }
        let batch = self.row_bytes();
        if self.cell.get() == 0 || self.cell.get() > 1 << 16 {
            return Err(ManagerConfig::CELL.refuse("an SRAM cell must hold 1 B to 64 KiB"));
        }
        if self.largest_packet == 0 || u64::from(self.largest_packet) > batch.get() {
            return Err(ManagerConfig::LARGEST_PACKET.refuse(format_args!(
                "a packet must be 1 B to {batch} (an HBM row over all pseudo channels)"
            )));
        }
        let largest = Bytes::new(self.largest_packet.into());
        if self.staging < largest {
            let staging = self.staging;
            return Err(ManagerConfig::STAGING.refuse(format_args!(
                "a staging buffer of {staging} cannot hold a packet of {largest}; give at least \
                 {largest}"
            )));
        }
        let room = self.sram.get().saturating_sub(batch.get());
        if self.staging.get() > room && room >= ManagerConfig::default().staging.get() {
            return Err(ManagerConfig::STAGING.refuse(format_args!(
                "a staging buffer of {} leaves no room for one batch of {batch} (an HBM row over \
                 all pseudo channels) in an SRAM of {}; give at most {}",
                self.staging,
                self.sram,
                Bytes::new(room)
            )));
        }
        if self.sram <= self.staging || (self.sram - self.staging) < batch {
            return Err(ManagerConfig::SRAM.refuse(format_args!(
                "an SRAM of {} beside a staging buffer of {} leaves no room for one batch of \
                 {batch} (an HBM row over all pseudo channels); give it at least {}",
                self.sram,
                self.staging,
                self.staging + batch
            )));
        }
        if (self.sram - self.staging).div_ceil(self.cell) > MAX_CELLS {
            return Err(ManagerConfig::SRAM.refuse(format_args!(
                "{} is more than 2^24 cells of {}; give at most {}",
                self.sram,
                self.cell,
                self.cell * MAX_CELLS
            )));
        }
        if self.port_rate.as_bps() == 0 {
            return Err(ManagerConfig::PORT_RATE.refuse("give a port rate above 0 b/s"));
        }
        if self.move_bytes == Bytes::ZERO || self.move_bytes > Bytes::new(1 << 30) {
            let problem = "the bytes under way must be between 1 B and 1 GiB";
            return Err(ManagerConfig::MOVE_BYTES.refuse(problem));
        }
        let in_hbm = |error: ParameterError| {
            let name = format!("{HBM}{}", error.name());
            error.renamed(name)
        };
        self.hbm.validate().and_then(|()| self.controller.validate()).map_err(in_hbm)
    }

    /// Time in which a port of the SRAM moves one cell.
    #[must_use]
    pub fn cell_time(&self) -> Duration {
        self.port_rate.time_for(self.cell)
    }

    /// Bytes of one HBM row over all pseudo channels: Themis's batch.
    #[must_use]
    pub fn row_bytes(&self) -> Bytes {
        self.hbm.geometry.row_bytes * u64::from(self.hbm.geometry.pseudo_channels)
    }

    /// About what a traffic manager takes before the first packet arrives: lists of the cells of
    /// the SRAM, of the places in HBM that packets can have, and of reads under way. Descriptors
    /// take none until they are used.
    #[must_use]
    pub fn memory(&self) -> Bytes {
        const CELL: u64 = 16;
        const PLACE: u64 = 24;
        const READ: u64 = 72;
        let cells = self.sram.get() / self.cell.get().max(1);
        let geometry = &self.hbm.geometry;
        let rows = u64::from(geometry.rows)
            .saturating_mul(geometry.banks() as u64)
            .saturating_mul(geometry.columns());
        let places = rows.min(self.descriptors.into());
        let reads = (self.read_window as u64).saturating_mul(self.ports.into());
        let all = [(cells, CELL), (places, PLACE), (reads, READ)];
        let all = all.iter().map(|(count, size)| count.saturating_mul(*size));
        memory::rough(all.fold(0, u64::saturating_add))
    }

    /// What a policy may know of the buffer.
    #[must_use]
    pub fn shape(&self) -> HybridShape {
        HybridShape { batch: self.row_bytes() }
    }

    /// Shows what not every scheme reads.
    pub fn walk_read(&mut self, reads: Reads, walk: &mut dyn Walk) {
        if reads.queues {
            walk.field(&ManagerConfig::QUEUES, &mut self.queues);
            walk.field(&ManagerConfig::QUEUE_BY, &mut self.queue_by);
        }
        if reads.moves {
            walk.field(&ManagerConfig::PORT_RATE, &mut self.port_rate);
            walk.field(&ManagerConfig::MOVE_BYTES, &mut self.move_bytes);
        }
        if reads.batches {
            walk.field(&ManagerConfig::STAGING_WRITES, &mut self.staging_writes);
            walk.field(&ManagerConfig::FETCH_BATCHES, &mut self.fetch_batches);
            if self.fetch_batches || walk.wants_all() {
                walk.field(&ManagerConfig::FETCH_RESERVE, &mut self.fetch_reserve);
            }
        } else {
            walk.field(&ManagerConfig::SLOT_ORDER, &mut self.slot_order);
        }
    }
}

/// What a scheme says that it reads; see [`HybridPolicy`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reads {
    /// It [moves](HybridPolicy::moves) packets.
    pub moves: bool,
    /// It [reads](HybridPolicy::reads_queues) accounting queues.
    pub queues: bool,
    /// It [stores](HybridPolicy::batches) batches.
    pub batches: bool,
}

impl Reads {
    /// What `scheme` reads.
    #[must_use]
    pub fn of(scheme: &dyn HybridPolicy) -> Self {
        let (moves, queues) = (scheme.moves(), scheme.reads_queues());
        Reads { moves, queues, batches: scheme.batches() }
    }
}

/// [`ManagerConfig::walk_read`] as a walk of its own.
struct OfScheme<'a> {
    config: &'a mut ManagerConfig,
    reads: Reads,
}

impl Configure for OfScheme<'_> {
    fn walk(&mut self, walk: &mut dyn Walk) {
        self.config.walk_read(self.reads, walk);
    }
}

/// Before the names of the HBM's parameters and its controller's.
const HBM: &str = "hbm.";

const SETUP: Source = Source::paper("themis §6.3.1");
