use alloc::string::{String, ToString};
use core::fmt;

use forebay_buffer::{PolicyConfig, PolicyError, SlotOrder};
use forebay_mem::{ControllerConfig, HbmConfig};
use forebay_sched::{Quantizer, UnknownRankFunction};
use forebay_units::{Bytes, Duration, Rate};

/// In which order packet bursts get the HBM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FarOrder {
    /// First come, first served, whatever the direction.
    Fcfs,
    /// Reads that a port waits for go before everything else.
    ReadsFirst,
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
    /// Time in which the SRAM's write port and, independently, its read port move one cell.
    pub cell_time: Duration,
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
    pub far_order: FarOrder,
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
    /// Parameters of the policies.
    pub policy: PolicyConfig,
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
            cell_time: Rate::from_gbps(3200).time_for(Bytes::new(256)),
            queues: 1024,
            queue_by: QueueBy::Flow,
            descriptors: 1 << 16,
            largest_packet: 1500,
            hbm: HbmConfig::samsung_hbm2e(),
            controller: ControllerConfig { queue_depth: 2, ..ControllerConfig::in_order(1) },
            far_order: FarOrder::Fcfs,
            slot_order: SlotOrder::Scattered,
            read_window: 8,
            move_bytes: Bytes::new(16 * 1024),
            fetch_batches: true,
            fetch_reserve: 0.1,
            write_forwarding: false,
            quantizer: Quantizer::Identity,
            policy: PolicyConfig::default(),
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
    pub fn validate(&self) -> Result<(), ManagerError> {
        let refuse = |parameter, problem: &str| {
            Err(ManagerError::Parameter { parameter, problem: problem.to_string() })
        };
        let batch = self.row_bytes();
        if self.ports == 0 {
            return refuse("ports", "a switch has at least one output port");
        }
        if self.cell.get() == 0 || self.cell.get() > 1 << 16 {
            return refuse("cell", "an SRAM cell holds between 1 byte and 64 KiB");
        }
        if self.largest_packet == 0 || u64::from(self.largest_packet) > batch.get() {
            return refuse("largest_packet", "a packet must fit in one HBM row over all channels");
        }
        if self.staging.get() < u64::from(self.largest_packet) {
            return refuse("staging", "the staging buffer must hold at least one packet");
        }
        if self.sram <= self.staging || (self.sram - self.staging) < batch {
            return refuse(
                "sram",
                &alloc::format!(
                    "an SRAM of {} beside a staging buffer of {} leaves no room for one batch of {batch} \
                     (an HBM row over all pseudo channels); give it at least {}",
                    self.sram,
                    self.staging,
                    self.staging + batch
                ),
            );
        }
        if (self.sram - self.staging).div_ceil(self.cell) > MAX_CELLS {
            return refuse(
                "sram",
                "there can be at most 2^24 cells; use larger cells or less SRAM",
            );
        }
        if self.cell_time.as_ps() == 0 {
            return refuse("cell_time", "an SRAM port takes some time to move a cell");
        }
        if self.queues == 0 || self.queues > 1 << 24 {
            return refuse("queues", "there must be between 1 and 2^24 accounting queues");
        }
        if self.descriptors == 0 || self.descriptors > forebay_pifo::MAX_ID {
            return refuse("descriptors", "there must be between 1 and 2^26 - 1 descriptors");
        }
        if self.read_window == 0 || self.read_window > 1 << 16 {
            return refuse("read_window", "a port selects between 1 and 65536 packets ahead");
        }
        if self.move_bytes == Bytes::ZERO || self.move_bytes > Bytes::new(1 << 30) {
            return refuse("move_bytes", "between 1 byte and 1 GiB can be under way");
        }
        if !(0.0..=1.0).contains(&self.fetch_reserve) {
            return refuse("fetch_reserve", "it is a share of the SRAM, between 0 and 1");
        }
        self.hbm.validate().map_err(|error| ManagerError::Parameter {
            parameter: "hbm",
            problem: error.to_string(),
        })?;
        self.controller.validate().map_err(|error| ManagerError::Parameter {
            parameter: "controller",
            problem: error.to_string(),
        })
    }

    /// Bytes of one HBM row over all pseudo channels: Themis's batch.
    #[must_use]
    pub fn row_bytes(&self) -> Bytes {
        self.hbm.geometry.row_bytes * u64::from(self.hbm.geometry.pseudo_channels)
    }
}

/// Why a traffic manager cannot be built.
#[derive(Clone, Debug, PartialEq)]
pub enum ManagerError {
    /// A parameter does not fit.
    Parameter {
        /// Its name in [`ManagerConfig`].
        parameter: &'static str,
        /// What is wrong and what would do.
        problem: String,
    },
    /// The policy cannot be built.
    Policy(PolicyError),
    /// The rank function does not exist.
    RankFunction(UnknownRankFunction),
}

impl fmt::Display for ManagerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ManagerError::Parameter { parameter, problem } => write!(f, "{parameter}: {problem}"),
            ManagerError::Policy(error) => error.fmt(f),
            ManagerError::RankFunction(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for ManagerError {}

impl From<PolicyError> for ManagerError {
    fn from(error: PolicyError) -> Self {
        ManagerError::Policy(error)
    }
}

impl From<UnknownRankFunction> for ManagerError {
    fn from(error: UnknownRankFunction) -> Self {
        ManagerError::RankFunction(error)
    }
}
