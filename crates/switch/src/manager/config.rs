use alloc::format;

use forebay_buffer::{HybridShape, SlotOrder};
use forebay_mem::{ControllerConfig, HbmConfig};
use forebay_parameters::{
    Configure, Kind, Parameter, ParameterError, Size, Source, Walk, Word, check,
};
use forebay_sched::Quantizer;
use forebay_units::{Bytes, Duration, Rate};

/// In which order packet bursts get the HBM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HbmOrder {
    /// First come, first served, whatever the direction.
    Fcfs,
    /// Reads that a port waits for go before everything else.
    ReadsFirst,
}

impl Word for HbmOrder {
    const WORDS: &'static [(&'static str, Self)] =
        &[("fcfs", HbmOrder::Fcfs), ("reads-first", HbmOrder::ReadsFirst)];
}

/// What makes an accounting queue (the unit of thresholds and expulsion).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

impl Word for QueueBy {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("flow", QueueBy::Flow),
        ("input", QueueBy::Input),
        ("class", QueueBy::Class),
        ("port", QueueBy::Port),
    ];
}

/// Everything a traffic manager is built from, policy and rank function apart.
#[derive(Clone, Debug)]
pub struct ManagerConfig {
    /// Output ports.
    pub ports: u16,
    /// On-chip memory in all; the staging buffer is taken from it.
    pub sram: Bytes,
    /// Bytes per SRAM cell.
    pub cell: Bytes,
    /// Staging buffer in front of the HBM.
    pub staging: Bytes,
    /// Rate of the SRAM's write port and, independently, of its read port.
    pub port_rate: Rate,
    /// Accounting queues.
    pub queues: u32,
    /// What a queue is.
    pub queue_by: QueueBy,
    /// Packet descriptors.
    pub descriptors: u32,
    /// Largest packet, in bytes.
    pub largest_packet: u32,
    /// The HBM's geometry and timing.
    pub hbm: HbmConfig,
    /// The HBM's controller.
    pub controller: ControllerConfig,
    /// In which order bursts get the HBM.
    pub hbm_order: HbmOrder,
    /// How single packets are placed in HBM.
    pub slot_order: SlotOrder,
    /// Packets that a port selects ahead while it waits for the HBM, at least 1.
    pub read_window: usize,
    /// A background move begins while fewer bytes than this are under way in its direction, so every
    /// policy has the same amount in flight whatever the size of its moves.
    pub move_bytes: Bytes,
    /// Whether a departure from HBM reads its packet's whole batch, the rest of it into SRAM.
    pub fetch_batches: bool,
    /// Share of the SRAM that such reads leave free for arrivals, 0 to 1.
    pub fetch_reserve: f64,
    /// Whether a packet whose data is still on chip on its way to HBM can depart at once.
    pub write_forwarding: bool,
    /// How exact ranks become ranks of the ranked queue.
    pub quantizer: Quantizer,
}

impl Default for ManagerConfig {
    /// The single-point switch of themis §6.3.1 where the paper says, and elsewhere what the
    /// experiments assume; fewer descriptors, which a user chooses.
    fn default() -> Self {
        ManagerConfig {
            ports: 1,
            sram: Bytes::new(5_000_000),
            cell: Bytes::new(256),
            staging: Bytes::new(64 * 1024),
            port_rate: Rate::from_gbps(3200),
            queues: 1024,
            queue_by: QueueBy::Flow,
            descriptors: 1 << 16,
            largest_packet: 1500,
            hbm: HbmConfig::samsung_hbm2e(),
            controller: ControllerConfig { queue_depth: 0, ..ControllerConfig::in_order(1) },
            hbm_order: HbmOrder::Fcfs,
            slot_order: SlotOrder::Scattered,
            read_window: 8,
            move_bytes: Bytes::new(16 * 1024),
            fetch_batches: true,
            fetch_reserve: 0.1,
            write_forwarding: false,
            quantizer: Quantizer::Identity,
        }
    }
}

/// 64 MB of cell pointers: beyond any chip, and far from exhausting the host.
const MAX_CELLS: u64 = 1 << 24;

impl ManagerConfig {
    /// Checks every size and relation that a traffic manager relies on.
    ///
    /// # Errors
    /// The first parameter that does not fit, with what would.
    pub fn validate(&self) -> Result<(), ParameterError> {
        let whole = &mut self.clone();
        check(whole)?;
        for batches in [false, true] {
            check(&mut LayoutFields { config: whole, batches })?;
        }
        let batch = self.row_bytes();
        if self.cell.get() == 0 || self.cell.get() > 1 << 16 {
            return Err(CELL.refuse("an SRAM cell holds between 1 byte and 64 KiB"));
        }
        if self.largest_packet == 0 || u64::from(self.largest_packet) > batch.get() {
            let problem = "a packet must fit in one HBM row over all channels";
            return Err(LARGEST_PACKET.refuse(problem));
        }
        if self.staging.get() < u64::from(self.largest_packet) {
            return Err(STAGING.refuse("the staging buffer must hold at least one packet"));
        }
        if self.sram <= self.staging || (self.sram - self.staging) < batch {
            return Err(SRAM.refuse(format_args!(
                "an SRAM of {} beside a staging buffer of {} leaves no room for one batch of {batch} \
                 (an HBM row over all pseudo channels); give it at least {}",
                self.sram,
                self.staging,
                self.staging + batch
            )));
        }
        if (self.sram - self.staging).div_ceil(self.cell) > MAX_CELLS {
            let problem = "there can be at most 2^24 cells; use larger cells or less SRAM";
            return Err(SRAM.refuse(problem));
        }
        if self.port_rate.as_bps() == 0 || self.cell_time() == Duration::ZERO {
            return Err(PORT_RATE.refuse("an SRAM port moves a cell in some time, at least 1 ps"));
        }
        if self.move_bytes == Bytes::ZERO || self.move_bytes > Bytes::new(1 << 30) {
            return Err(MOVE_BYTES.refuse("between 1 byte and 1 GiB can be under way"));
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

    /// What a policy may know of the buffer.
    #[must_use]
    pub fn shape(&self) -> HybridShape {
        HybridShape { batch: self.row_bytes() }
    }

    /// Shows what only schemes that store batches read, or only those that store packets one by one: see
    /// [`HybridPolicy::batches`](forebay_buffer::HybridPolicy::batches).
    pub fn walk_layout(&mut self, batches: bool, walk: &mut dyn Walk) {
        if batches {
            walk.field(&FETCH_BATCHES, &mut self.fetch_batches);
            if self.fetch_batches || walk.wants_all() {
                walk.field(&FETCH_RESERVE, &mut self.fetch_reserve);
            }
        } else {
            walk.field(&SLOT_ORDER, &mut self.slot_order);
        }
    }
}

/// [`ManagerConfig::walk_layout`] as a walk of its own.
struct LayoutFields<'a> {
    config: &'a mut ManagerConfig,
    batches: bool,
}

impl Configure for LayoutFields<'_> {
    fn walk(&mut self, walk: &mut dyn Walk) {
        self.config.walk_layout(self.batches, walk);
    }
}

/// Before the names of the HBM's parameters and its controller's.
const HBM: &str = "hbm.";

const SETUP: Source = Source::paper("themis §6.3.1");

const PORTS: Parameter =
    Parameter::new("ports", Kind::Int { min: 1, max: 65535 }, SETUP, "Output ports.");
const SRAM: Parameter =
    Parameter::new("sram", Kind::Bytes, SETUP, "On-chip packet memory, staging included.");
const CELL: Parameter = Parameter::new(
    "cell",
    Kind::Bytes,
    Source::assumed("usual for shared-memory switches"),
    "Bytes per SRAM cell.",
);
const STAGING: Parameter = Parameter::new(
    "staging",
    Kind::Bytes,
    Source::shown("four batches, the same for every scheme", "themis/sensitivity-staging"),
    "Buffer in front of the HBM, taken from the SRAM; Themis's temporary buffer.",
);
const PORT_RATE: Parameter = Parameter::new(
    "port_rate",
    Kind::Rate,
    Source::assumed(
        "twice the inputs' total rate, so that residual bandwidth exists (themis §4.3)",
    ),
    "Rate of the SRAM's write port and, independently, of its read port.",
);
const QUEUES: Parameter = Parameter::new(
    "accounting_queues",
    Kind::Int { min: 1, max: 1 << 24 },
    Source::assumed("more than the flows that are active at once"),
    "Accounting queues; flows are spread over them.",
);
const QUEUE_BY: Parameter = Parameter::new(
    "queue_by",
    Kind::of::<QueueBy>(),
    Source::shown("themis §3.1 speaks of one queue per flow", "themis/sensitivity-queue-by"),
    "What makes a queue for the thresholds of DT and Occamy.",
);
const DESCRIPTORS: Parameter = Parameter::new(
    "descriptors",
    Kind::Int { min: 1, max: forebay_pifo::MAX_ID as i64 },
    Source::assumed("more than are in use"),
    "Packet descriptors: packets that can be buffered at once.",
);
const LARGEST_PACKET: Parameter = Parameter::new(
    "largest_packet",
    Kind::Bytes,
    Source::assumed("Ethernet's"),
    "The largest packet; larger ones are dropped.",
);
const HBM_ORDER: Parameter = Parameter::new(
    "hbm_order",
    Kind::of::<HbmOrder>(),
    Source::shown("not stated; the plain choice", "themis/sensitivity-order"),
    "Which burst gets the HBM next.",
);
const SLOT_ORDER: Parameter = Parameter::new(
    "slot_order",
    Kind::of::<SlotOrder>(),
    Source::shown("the free list of a buffer long in use", "themis/sensitivity-layout"),
    "Where successive packets lie in HBM.",
);
const READ_WINDOW: Parameter = Parameter::new(
    "read_window",
    Kind::Int { min: 1, max: 1 << 16 },
    Source::shown("the paper states no prefetch depth", "themis/sensitivity-read-window"),
    "Packets that a port selects ahead while it waits for the HBM.",
);
const MOVE_BYTES: Parameter = Parameter::new(
    "move_bytes",
    Kind::Bytes,
    Source::shown("one batch; every scheme does well with it", "themis/sensitivity-moves"),
    "Swaps or expulsions begin while fewer bytes are under way in their direction.",
);
const FETCH_BATCHES: Parameter = Parameter::new(
    "fetch_batches",
    Kind::Bool,
    Source::shown(
        "themis §4.1: all DRAM operations are in units of batches",
        "themis/sensitivity-fetch-batches",
    ),
    "Whether a departure from HBM brings the rest of its batch into SRAM.",
);
const FETCH_RESERVE: Parameter = Parameter::new(
    "fetch_reserve",
    Kind::Float { min: 0.0, max: 1.0 },
    Source::shown(
        "half of what lies above the swap-out watermark",
        "themis/sensitivity-fetch-reserve",
    ),
    "SRAM share that the rest of such a batch leaves free for arrivals.",
);
const WRITE_FORWARDING: Parameter = Parameter::new(
    "write_forwarding",
    Kind::Bool,
    Source::shown(
        "packets directed to DRAM are written and read back in the paper's account",
        "themis/sensitivity-write-forwarding",
    ),
    "Whether a packet whose data is on its way to HBM can leave from on-chip memory.",
);

/// All but what depends on the policy ([`ManagerConfig::walk_layout`]), and the quantizer, which follows from the
/// ranked queue. Parameters of the HBM are called `hbm.…`.
impl Configure for ManagerConfig {
    fn walk(&mut self, walk: &mut dyn Walk) {
        walk.field(&PORTS, &mut self.ports);
        walk.field(&SRAM, &mut self.sram);
        walk.field(&CELL, &mut self.cell);
        walk.field(&STAGING, &mut self.staging);
        walk.field(&PORT_RATE, &mut self.port_rate);
        walk.field(&QUEUES, &mut self.queues);
        walk.field(&QUEUE_BY, &mut self.queue_by);
        walk.field(&DESCRIPTORS, &mut self.descriptors);
        walk.field(&LARGEST_PACKET, &mut Size(&mut self.largest_packet));
        walk.part(HBM, &mut self.hbm);
        walk.part(HBM, &mut self.controller);
        walk.field(&HBM_ORDER, &mut self.hbm_order);
        walk.field(&READ_WINDOW, &mut self.read_window);
        walk.field(&MOVE_BYTES, &mut self.move_bytes);
        walk.field(&WRITE_FORWARDING, &mut self.write_forwarding);
    }
}
