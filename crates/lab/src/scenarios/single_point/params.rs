//! The parameters of the single-point experiments, where each comes from, and what they build.

use std::path::PathBuf;

use forebay_buffer::{PolicyConfig, SlotOrder};
use forebay_mem::{ControllerConfig, HbmConfig, PagePolicy, Refresh, Scheduling, WriteToRead};
use forebay_pifo::{TieredBuckets, TieredExact};
use forebay_sched::{Quantizer, Rank};
use forebay_switch::{FarOrder, QueueBy, SwitchConfig, SwitchError, TrafficManager};
use forebay_units::{Duration, Rate, Time};
use forebay_workload::{
    Capture, CaptureLimits, CaptureReplay, Discipline, MixConfig, MixRatio, PacketSource,
    PoissonConfig, PoissonFlows, PriorityMix, ReplayConfig, SizeDistribution,
};

use crate::config::Resolved;
use crate::error::ConfigError;
use crate::scenario::DefaultSource::{Assumed, Paper};
use crate::scenario::{DefaultSource, ParamSpec, PolicyInfo};
use crate::value::Kind;

/// The schemes that themis §6.3 compares.
pub const POLICIES: &[PolicyInfo] = &[
    PolicyInfo {
        name: "greedy-hybrid",
        label: "Greedy-Hybrid",
        doc: "SRAM while it has room, then HBM; nothing moves.",
    },
    PolicyInfo {
        name: "dt-hybrid",
        label: "DT-Hybrid",
        doc: "What Dynamic Threshold would drop goes to HBM.",
    },
    PolicyInfo {
        name: "occamy-hybrid",
        label: "Occamy-Hybrid",
        doc: "What Occamy would drop, at admission or by expulsion, goes to HBM.",
    },
    PolicyInfo {
        name: "themis",
        label: "Themis",
        doc: "Packets that leave soonest stay in SRAM; batches swap in and out.",
    },
];

const fn assumed(why: &'static str) -> DefaultSource {
    Assumed { why, sensitivity: None }
}

const fn shown(why: &'static str, sensitivity: &'static str) -> DefaultSource {
    Assumed { why, sensitivity: Some(sensitivity) }
}

const fn param(
    path: &'static str,
    kind: Kind,
    default: &'static str,
    source: DefaultSource,
    doc: &'static str,
) -> ParamSpec {
    ParamSpec { path, kind, default, doc, source }
}

const SETUP: DefaultSource = Paper("themis §6.3.1");
const LOAD: Kind = Kind::Float { min: 0.001, max: 1.0 };
const SHARE: Kind = Kind::Float { min: 0.0, max: 1.0 };
const ALPHA: Kind = Kind::Float { min: 0.001, max: 1024.0 };

/// Every parameter.
pub const PARAMS: &[ParamSpec] = &[
    param(
        "workload.source",
        Kind::Choice(&["poisson", "priority-mix", "capture"]),
        "poisson",
        SETUP,
        "Where packets come from: Poisson flows, two priority classes, or a capture file.",
    ),
    param("workload.inputs", Kind::Int { min: 1, max: 1024 }, "32", SETUP, "Input links."),
    param("workload.input_rate", Kind::Rate, "50 Gb/s", SETUP, "Rate of each input link."),
    param("workload.load", LOAD, "0.8", SETUP, "Offered share of the inputs' total rate."),
    param(
        "workload.flow_sizes",
        Kind::Text,
        "websearch",
        SETUP,
        "Flow sizes: a built-in distribution (websearch, hadoop) or a CSV file of size_bytes,cum_prob.",
    ),
    param(
        "workload.packet_bytes",
        Kind::Int { min: 64, max: 9216 },
        "1500",
        shown("the paper names no packet size; Ethernet's", "themis/sensitivity-packet-size"),
        "Bytes of a packet; a flow's last one is the remainder, and captured ones are cut to it.",
    ),
    param(
        "workload.input_discipline",
        Kind::Choice(&["fifo", "round-robin"]),
        "fifo",
        shown("UDP senders hand a whole flow to their link", "themis/sensitivity-choices"),
        "How flows that are active at one input share its link.",
    ),
    param(
        "workload.high_per_low",
        Kind::Int { min: 1, max: 1000 },
        "4",
        Paper("themis App. C"),
        "High-priority packets for every low-priority one (priority-mix).",
    ),
    param(
        "workload.capture",
        Kind::Path,
        "captures/mixed-programs.pcap",
        assumed("a recording of ordinary programs, shipped beside the experiment"),
        "The pcap or pcapng file to replay (capture).",
    ),
    param(
        "switch.egress_rate",
        Kind::Rate,
        "100 Gb/s",
        shown(
            "not stated; HBM throughput above the offered rate at load 0.2 needs an output far \
             slower than 320 Gb/s",
            "themis/sensitivity-egress",
        ),
        "Rate of the output link.",
    ),
    param(
        "switch.rank",
        Kind::Choice(&["sff", "fifo", "strict-priority"]),
        "sff",
        SETUP,
        "The scheduler's rank function.",
    ),
    param(
        "switch.ranked_queue",
        Kind::Choice(&["buckets", "exact"]),
        "buckets",
        Paper("themis §5.3"),
        "Two-tier bucket queue over quantized ranks, or an exact one over raw ranks.",
    ),
    param(
        "switch.rank_bits",
        Kind::Int { min: 1, max: 14 },
        "10",
        shown("keeps flow sizes apart to 0.1 % within 2^15 buckets", "themis/sensitivity-choices"),
        "Bits of a rank kept after the leading one when it is quantized.",
    ),
    param(
        "switch.read_window",
        Kind::Int { min: 1, max: 4096 },
        "8",
        shown("the paper states no prefetch depth", "themis/sensitivity-read-window"),
        "Packets that the port selects ahead while it waits for the HBM.",
    ),
    param(
        "switch.queue_by",
        Kind::Choice(&["flow", "input", "class", "port"]),
        "flow",
        shown("themis §3.1 speaks of one queue per flow", "themis/sensitivity-choices"),
        "What makes a queue for the thresholds of DT and Occamy.",
    ),
    param(
        "switch.queues",
        Kind::Int { min: 1, max: 1 << 20 },
        "1024",
        assumed("more than the flows that are active at once"),
        "Accounting queues; flows are spread over them.",
    ),
    param(
        "switch.descriptors",
        Kind::Int { min: 1, max: 1 << 24 },
        "4194304",
        assumed("never the limit in these experiments"),
        "Packet descriptors: packets that can be buffered at once.",
    ),
    param(
        "switch.write_forwarding",
        Kind::Bool,
        "false",
        shown(
            "packets directed to DRAM are written and read back in the paper's account",
            "themis/sensitivity-choices",
        ),
        "Whether a packet whose data is on its way to HBM can leave from on-chip memory.",
    ),
    param("sram.capacity", Kind::Bytes, "5 MB", SETUP, "On-chip packet memory, staging included."),
    param(
        "sram.cell",
        Kind::Bytes,
        "256 B",
        assumed("usual for shared-memory switches"),
        "Bytes per SRAM cell.",
    ),
    param(
        "sram.port_rate",
        Kind::Rate,
        "3.2 Tb/s",
        assumed("twice the inputs' total rate, so that residual bandwidth exists (themis §4.3)"),
        "Rate of the SRAM's write port and, independently, of its read port.",
    ),
    param(
        "sram.staging",
        Kind::Bytes,
        "64 KiB",
        shown("four batches, the same for every scheme", "themis/sensitivity-staging"),
        "Buffer in front of the HBM, taken from the SRAM; Themis's temporary buffer.",
    ),
    param(
        "hbm.rows",
        Kind::Int { min: 1, max: 1 << 20 },
        "65536",
        Paper("themis App. A: 16 GB"),
        "Rows per bank; 65,536 make 16 GB.",
    ),
    param(
        "hbm.scheduling",
        Kind::Choice(&["in-order", "fr-fcfs"]),
        "in-order",
        shown("not stated; serial service matches the baselines' band", "themis/sensitivity-hbm"),
        "How the HBM controller orders commands.",
    ),
    param(
        "hbm.lookahead",
        Kind::Int { min: 0, max: 63 },
        "1",
        shown("not stated; serial service matches the baselines' band", "themis/sensitivity-hbm"),
        "Bursts whose rows an in-order controller opens early (queue depth - 1 of fr-fcfs).",
    ),
    param(
        "hbm.page",
        Kind::Choice(&["open", "closed"]),
        "open",
        shown("successive packets rarely share a row", "themis/sensitivity-hbm"),
        "Whether a row stays open after a burst.",
    ),
    param(
        "hbm.order",
        Kind::Choice(&["fcfs", "reads-first"]),
        "fcfs",
        shown("not stated; the plain choice", "themis/sensitivity-hbm"),
        "Which burst gets the HBM next.",
    ),
    param(
        "hbm.layout",
        Kind::Choice(&["scattered", "sequential"]),
        "scattered",
        shown("the free list of a buffer long in use", "themis/sensitivity-hbm"),
        "Where the baselines' successive packets lie in HBM.",
    ),
    param(
        "hbm.refresh",
        Kind::Choice(&["off", "all-bank", "per-bank"]),
        "off",
        shown("the paper's 24 us leaves no room for it", "themis/sensitivity-hbm"),
        "Refresh.",
    ),
    param(
        "hbm.write_to_read",
        Kind::Choice(&["command", "jedec"]),
        "command",
        Paper("themis App. A"),
        "Whether tWTR counts from the write command or from the end of its data.",
    ),
    param(
        "policy.dt_alpha",
        ALPHA,
        "1",
        shown("the customary value", "themis/sensitivity-choices"),
        "Threshold factor of DT-Hybrid.",
    ),
    param(
        "policy.occamy_alpha",
        ALPHA,
        "8",
        Paper("occamy §4.4"),
        "Threshold factor of Occamy-Hybrid.",
    ),
    param("policy.swap_in_watermark", SHARE, "0.5", SETUP, "Themis swaps in below it."),
    param("policy.swap_out_watermark", SHARE, "0.8", SETUP, "Themis swaps out above it."),
    param(
        "policy.moves_in_flight",
        Kind::Int { min: 1, max: 1024 },
        "2",
        shown("one batch is read while another is written", "themis/sensitivity-choices"),
        "Swaps or expulsions under way at once, in each direction.",
    ),
    param(
        "policy.fetch_batches",
        Kind::Bool,
        "true",
        shown(
            "themis §4.1: all DRAM operations are in units of batches",
            "themis/sensitivity-choices",
        ),
        "Whether a departure from HBM under Themis brings the rest of its batch into SRAM.",
    ),
    param(
        "policy.strict_drop_order",
        Kind::Bool,
        "true",
        shown("themis §4.3 states the order in its summary", "themis/sensitivity-choices"),
        "Whether Themis, with its staging buffer full, drops a larger rank from SRAM instead.",
    ),
    param(
        "run.lead",
        Kind::Duration,
        "100 ms",
        assumed("inputs that begin empty would offer less than their load for tens of ms"),
        "How long Poisson flows have been arriving at the inputs when the run begins.",
    ),
    param(
        "run.warm_up",
        Kind::Duration,
        "5 ms",
        shown("not stated; the SRAM fills in well under 1 ms", "themis/sensitivity-span"),
        "Simulated time before measuring begins.",
    ),
    param(
        "run.span",
        Kind::Duration,
        "20 ms",
        shown("not stated", "themis/sensitivity-span"),
        "Simulated time measured.",
    ),
    param(
        "run.samples",
        Kind::Int { min: 0, max: 10_000 },
        "100",
        assumed("enough for a picture"),
        "Samples of occupancy over the measured span.",
    ),
];

/// Everything a run needs, read from the parameters.
pub struct Setup {
    traffic: Traffic,
    inputs: u16,
    input_rate: Rate,
    load: f64,
    packet_bytes: u32,
    lead: Duration,
    rank: String,
    exact: bool,
    rank_buckets: u64,
    switch: SwitchConfig,
    /// Rate of the output link.
    pub egress_rate: Rate,
    /// Time before measuring.
    pub warm_up: Duration,
    /// Time measured.
    pub span: Duration,
    /// Samples of occupancy.
    pub samples: u64,
}

enum Traffic {
    Poisson { sizes: SizeDistribution, discipline: Discipline },
    Mix(u32),
    Capture(PathBuf),
}

/// A traffic manager over whichever ranked queue the parameters name.
pub enum Manager {
    /// Over bucket queues.
    Buckets(Box<TrafficManager<TieredBuckets>>),
    /// Over exact queues.
    Exact(Box<TrafficManager<TieredExact>>),
}

/// No link header of a capture is longer.
const LINK_HEADER: u32 = 64;

/// Flow sizes reach 30 MB in the published distributions; ranks of larger flows share the last bucket.
const BUCKETS: u64 = 1 << 15;

impl Setup {
    /// Reads the parameters.
    ///
    /// # Errors
    /// A flow-size file that does not read, named with its place.
    pub fn new(params: &Resolved) -> Result<Self, ConfigError> {
        let packet_bytes = params.count("packet_bytes")? as u32;
        let discipline = match params.text("input_discipline")? {
            "round-robin" => Discipline::RoundRobin,
            _ => Discipline::Fifo,
        };
        let traffic = match params.text("source")? {
            "priority-mix" => Traffic::Mix(params.count("high_per_low")? as u32),
            "capture" => Traffic::Capture(params.path("capture")?.unwrap_or_default()),
            _ => Traffic::Poisson { sizes: flow_sizes(params)?, discipline },
        };
        let rank = params.text("rank")?.to_owned();
        let quantizer = match rank.as_str() {
            "sff" if params.text("ranked_queue")? == "buckets" => {
                Quantizer::log_linear(params.count("rank_bits")? as u32)
            }
            _ => Quantizer::Identity,
        };
        Ok(Setup {
            traffic,
            inputs: params.count("inputs")? as u16,
            input_rate: params.rate("input_rate")?,
            load: params.float("load")?,
            packet_bytes,
            lead: params.duration("lead")?,
            rank,
            exact: params.text("ranked_queue")? == "exact",
            rank_buckets: match quantizer {
                Quantizer::Identity => 256,
                _ => quantizer.buckets(Rank::new(u64::from(u32::MAX))).max(BUCKETS),
            },
            switch: switch(params, packet_bytes, quantizer)?,
            egress_rate: params.rate("egress_rate")?,
            warm_up: params.duration("warm_up")?,
            span: params.duration("span")?,
            samples: params.count("samples")?,
        })
    }

    /// Refuses combinations that make no sense together.
    ///
    /// # Errors
    /// Names the parameter at fault and the fix.
    pub fn check(&self, params: &Resolved, policy: &str) -> Result<(), ConfigError> {
        let aggregate = self.ingress_rate();
        let port = params.rate("port_rate")?;
        if self.egress_rate.as_bps() == 0 {
            return Err(params.blame("egress_rate", "the output link must have a rate above zero"));
        }
        if port < aggregate || port < self.egress_rate {
            return Err(params.blame(
                "port_rate",
                format!(
                    "an SRAM port moves {port}, but the inputs together bring {aggregate} and the \
                     output takes {}; raise port_rate to the largest of them",
                    self.egress_rate
                ),
            ));
        }
        if self.span == Duration::ZERO {
            return Err(params.blame("span", "the measured span must be longer than zero"));
        }
        let (low, high) = (params.float("swap_in_watermark")?, params.float("swap_out_watermark")?);
        if low >= high {
            return Err(params.blame(
                "swap_in_watermark",
                format!(
                    "swap_in_watermark ({low}) must be below swap_out_watermark ({high}): raise \
                     the one or lower the other"
                ),
            ));
        }
        let blame = |error: SwitchError| {
            let (name, message) = match &error {
                SwitchError::Parameter { parameter, problem } => (
                    match *parameter {
                        "sram" => "capacity",
                        "staging" => "staging",
                        "cell" | "cell_time" => "cell",
                        "largest_packet" => "packet_bytes",
                        "hbm" => "rows",
                        "controller" => "lookahead",
                        "descriptors" => "descriptors",
                        "queues" => "queues",
                        "read_window" => "read_window",
                        _ => "moves_in_flight",
                    },
                    problem.clone(),
                ),
                other => ("dt_alpha", other.to_string()),
            };
            params.blame(name, message)
        };
        self.switch.validate().map_err(blame)?;
        forebay_buffer::policy::<TieredExact>(policy, &self.switch.policy)
            .map_err(|error| blame(error.into()))?;
        self.source(1).map(drop).map_err(|message| {
            let name = match self.traffic {
                Traffic::Capture(_) => "capture",
                _ => "load",
            };
            params.blame(name, message)
        })
    }

    /// The packets of a run.
    ///
    /// # Errors
    /// One sentence if the source cannot be built.
    pub fn source(&self, seed: u64) -> Result<Box<dyn PacketSource>, String> {
        let stop = Some(Time::ZERO + self.warm_up + self.span);
        match &self.traffic {
            Traffic::Poisson { sizes, discipline } => {
                let config = PoissonConfig {
                    packet_bytes: self.packet_bytes,
                    discipline: *discipline,
                    lead: self.lead,
                    stop,
                    ..PoissonConfig::new(
                        self.inputs,
                        self.input_rate,
                        self.load,
                        sizes.clone(),
                        seed,
                    )
                };
                let source = PoissonFlows::new(config).map_err(|error| error.to_string())?;
                Ok(Box::new(source))
            }
            Traffic::Mix(high) => {
                let ratio = MixRatio::new(*high, 1).map_err(|error| error.to_string())?;
                let config = MixConfig {
                    packet_bytes: self.packet_bytes,
                    stop,
                    ..MixConfig::new(self.inputs, self.input_rate, self.load, ratio)
                };
                let source = PriorityMix::new(config).map_err(|error| error.to_string())?;
                Ok(Box::new(source))
            }
            Traffic::Capture(path) => {
                let capture = Capture::open(path, CaptureLimits::default())
                    .map_err(|error| error.to_string())?;
                let config = ReplayConfig {
                    mtu: self.packet_bytes,
                    stop,
                    ..ReplayConfig::new(self.inputs, self.input_rate, self.load)
                };
                let source =
                    CaptureReplay::new(&capture, config).map_err(|error| error.to_string())?;
                Ok(Box::new(source))
            }
        }
    }

    /// Rate of all inputs together.
    #[must_use]
    pub fn ingress_rate(&self) -> Rate {
        self.input_rate.scaled(f64::from(self.inputs))
    }

    /// The switch under `policy`.
    ///
    /// # Errors
    /// As [`TrafficManager::new`].
    pub fn manager(&self, policy: &str) -> Result<Manager, SwitchError> {
        let (switch, rank) = (&self.switch, self.rank.as_str());
        if self.exact {
            let build = |_| Ok(TieredExact::with_capacity(switch.descriptors));
            return Ok(Manager::Exact(Box::new(TrafficManager::new(switch, policy, rank, build)?)));
        }
        let build = |_| {
            TieredBuckets::with_capacity(self.rank_buckets, switch.descriptors).map_err(|error| {
                SwitchError::Parameter { parameter: "ranked_queue", problem: error.to_string() }
            })
        };
        Ok(Manager::Buckets(Box::new(TrafficManager::new(switch, policy, rank, build)?)))
    }
}

fn flow_sizes(params: &Resolved) -> Result<SizeDistribution, ConfigError> {
    let name = params.text("flow_sizes")?;
    if !name.ends_with(".csv") {
        return SizeDistribution::builtin(name)
            .map_err(|error| params.blame("flow_sizes", error.to_string()));
    }
    let path = params.folder.join(name);
    let file = std::fs::File::open(&path).map_err(|error| {
        params.blame("flow_sizes", format!("cannot read {}: {error}", path.display()))
    })?;
    SizeDistribution::from_reader(file, name)
        .map_err(|error| params.blame("flow_sizes", error.to_string()))
}

fn switch(
    params: &Resolved,
    packet_bytes: u32,
    quantizer: Quantizer,
) -> Result<SwitchConfig, ConfigError> {
    let cell = params.bytes("cell")?;
    Ok(SwitchConfig {
        ports: 1,
        sram: params.bytes("capacity")?,
        cell,
        staging: params.bytes("staging")?,
        cell_time: params.rate("port_rate")?.time_for(cell),
        queues: params.count("queues")? as u32,
        queue_by: match params.text("queue_by")? {
            "input" => QueueBy::Input,
            "class" => QueueBy::Class,
            "port" => QueueBy::Port,
            _ => QueueBy::Flow,
        },
        descriptors: params.count("descriptors")? as u32,
        // A captured packet is its IP part, cut to packet_bytes, behind a link header.
        largest_packet: packet_bytes + LINK_HEADER,
        hbm: hbm(params)?,
        controller: controller(params)?,
        far_order: match params.text("order")? {
            "reads-first" => FarOrder::ReadsFirst,
            _ => FarOrder::Fcfs,
        },
        slot_order: match params.text("layout")? {
            "sequential" => SlotOrder::Sequential,
            _ => SlotOrder::Scattered,
        },
        read_window: params.count("read_window")? as usize,
        moves_in_flight: params.count("moves_in_flight")? as u32,
        fetch_batches: params.bool("fetch_batches")?,
        write_forwarding: params.bool("write_forwarding")?,
        quantizer,
        policy: PolicyConfig {
            dt_alpha: params.float("dt_alpha")?,
            occamy_alpha: params.float("occamy_alpha")?,
            swap_in_watermark: params.float("swap_in_watermark")?,
            swap_out_watermark: params.float("swap_out_watermark")?,
            strict_drop_order: params.bool("strict_drop_order")?,
            ..PolicyConfig::default()
        },
    })
}

fn hbm(params: &Resolved) -> Result<HbmConfig, ConfigError> {
    let mut hbm = HbmConfig::samsung_hbm2e();
    hbm.geometry.rows = params.count("rows")? as u32;
    hbm.refresh = match params.text("refresh")? {
        "all-bank" => Refresh::AllBank,
        "per-bank" => Refresh::PerBank,
        _ => Refresh::Off,
    };
    hbm.timing.write_to_read = match params.text("write_to_read")? {
        "jedec" => WriteToRead::FromDataEnd,
        _ => WriteToRead::CommandToCommand,
    };
    Ok(hbm)
}

fn controller(params: &Resolved) -> Result<ControllerConfig, ConfigError> {
    let lookahead = params.count("lookahead")? as usize;
    let page = match params.text("page")? {
        "open" => PagePolicy::Open,
        _ => PagePolicy::Closed,
    };
    let scheduling = match params.text("scheduling")? {
        "fr-fcfs" => ControllerConfig::fr_fcfs().scheduling,
        _ => Scheduling::InOrder { lookahead },
    };
    Ok(ControllerConfig { queue_depth: (lookahead + 1).min(64), scheduling, page })
}
