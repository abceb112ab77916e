//! What the parameters of a single-point experiment build: the packets and the switch.

use std::path::PathBuf;

use forebay_buffer::{HybridPolicy, SlotOrder};
use forebay_lab::{ConfigError, Resolved};
use forebay_mem::{ControllerConfig, HbmConfig, PagePolicy, Refresh, Scheduling, WriteToRead};
use forebay_parameters::{Choice, Choices, ParameterError, set};
use forebay_pifo::{TieredBuckets, TieredExact};
use forebay_sched::functions::RankShape;
use forebay_sched::{Quantizer, Rank, RankFunctionFamily};
use forebay_switch::Catalogue;
use forebay_switch::manager::{FarOrder, ManagerConfig, QueueBy, TrafficManager};
use forebay_units::{Duration, Rate, Time};
use forebay_workload::{
    Capture, CaptureLimits, CaptureReplay, Discipline, MixConfig, MixRatio, PacketSource,
    PoissonConfig, PoissonFlows, PriorityMix, ReplayConfig, SizeDistribution,
};

/// Everything a run needs, read from the parameters.
pub struct Setup {
    traffic: Traffic,
    inputs: u16,
    input_rate: Rate,
    load: f64,
    packet_bytes: u32,
    lead: Duration,
    rank: Choice<RankFunctionFamily>,
    exact: bool,
    rank_buckets: u64,
    switch: ManagerConfig,
    schemes: Schemes,
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

/// The parameters of all schemes, of which a run takes those of its own.
struct Schemes {
    known: Choices<HybridPolicy>,
    dt_alpha: f64,
    occamy_alpha: f64,
    swap_in_watermark: f64,
    swap_out_watermark: f64,
    strict_drop_order: bool,
}

impl Schemes {
    fn new(catalogue: &Catalogue, params: &Resolved) -> Result<Self, ConfigError> {
        Ok(Schemes {
            known: catalogue.hybrid().clone(),
            dt_alpha: params.float("dt_alpha")?,
            occamy_alpha: params.float("occamy_alpha")?,
            swap_in_watermark: swap_in_watermark(params)?,
            swap_out_watermark: params.float("swap_out_watermark")?,
            strict_drop_order: params.bool("strict_drop_order")?,
        })
    }

    /// The engine's scheme of this name.
    fn choose(&self, name: &str) -> Result<Choice<HybridPolicy>, ParameterError> {
        let given = match name {
            "dt-hybrid" => vec![("alpha", self.dt_alpha.to_string())],
            "occamy-hybrid" => vec![("alpha", self.occamy_alpha.to_string())],
            "themis" => vec![
                ("swap_in_watermark", self.swap_in_watermark.to_string()),
                ("swap_out_watermark", self.swap_out_watermark.to_string()),
                ("strict_drop_order", self.strict_drop_order.to_string()),
            ],
            _ => Vec::new(),
        };
        let known = self.known.named(name).map_err(|e| ParameterError::value("policy", e))?;
        let mut policy = known.clone();
        set(&mut policy, &given)?;
        Ok(policy)
    }
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
    pub fn new(catalogue: &Catalogue, params: &Resolved) -> Result<Self, ConfigError> {
        let packet_bytes = params.count("packet_bytes")? as u32;
        let discipline = match params.text("input_discipline")? {
            "round-robin" => Discipline::RoundRobin,
            _ => Discipline::Fifo,
        };
        let traffic = match params.text("source")? {
            "priority-mix" => Traffic::Mix(params.count("high_per_low")? as u32),
            "capture" => Traffic::Capture(capture(params)?),
            _ => Traffic::Poisson { sizes: flow_sizes(params)?, discipline },
        };
        let rank = params.text("rank")?;
        let quantizer = match rank {
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
            rank: (catalogue.rank(rank)).map_err(|error| params.blame("rank", error.sentence()))?,
            exact: params.text("ranked_queue")? == "exact",
            rank_buckets: match quantizer {
                Quantizer::Identity => 256,
                _ => quantizer.buckets(Rank::new(u64::from(u32::MAX))).max(BUCKETS),
            },
            switch: switch(params, packet_bytes, quantizer)?,
            schemes: Schemes::new(catalogue, params)?,
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
        let Schemes { swap_in_watermark: low, swap_out_watermark: high, .. } = self.schemes;
        if low < 0.0 || low >= high {
            let name = match params.float("watermark_gap")? {
                0.0 => "swap_in_watermark",
                _ => "watermark_gap",
            };
            return Err(params.blame(
                name,
                format!(
                    "the swap-in watermark ({low}) must be at least 0 and below the swap-out \
                     watermark ({high}): change the one or the other"
                ),
            ));
        }
        let blame = |error: ParameterError| {
            let name = match (error.name(), policy) {
                ("sram", _) => "capacity",
                ("cell_time", _) => "cell",
                ("largest_packet", _) => "packet_bytes",
                ("queue_depth", _) => "lookahead",
                ("far_order", _) => "order",
                ("slot_order", _) => "layout",
                ("alpha", "occamy-hybrid") => "occamy_alpha",
                ("alpha", _) => "dt_alpha",
                (same, _) => same,
            };
            params.blame(name, error.sentence())
        };
        self.switch.validate().map_err(blame)?;
        let scheme = self.schemes.choose(policy).map_err(blame)?;
        scheme.build(&self.switch.shape()).map_err(blame)?;
        self.source(1).map(drop).map_err(|message| {
            let name = match self.traffic {
                Traffic::Capture(_) => "capture",
                _ => "load",
            };
            params.blame(name, message)
        })
    }

    /// What a capture lacks although it can be replayed: a cut-off end, packets left out.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let Traffic::Capture(path) = &self.traffic else { return Vec::new() };
        match Capture::open(path, CaptureLimits::default()) {
            Ok(capture) => capture.warnings().iter().map(ToString::to_string).collect(),
            Err(_) => Vec::new(), // `check` has refused it
        }
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
    pub fn manager(&self, policy: &str) -> Result<Manager, ParameterError> {
        let switch = &self.switch;
        let policy = &self.schemes.choose(policy)?;
        let rank = self.rank.build(&RankShape::default())?;
        // Beyond these the queue grows as it fills.
        let reserved = switch.descriptors.min(1 << 22);
        if self.exact {
            let build = |_| Ok(TieredExact::with_capacity(reserved));
            return Ok(Manager::Exact(Box::new(TrafficManager::new(switch, policy, rank, build)?)));
        }
        let build = |_| {
            TieredBuckets::with_capacity(self.rank_buckets, reserved)
                .map_err(|error| ParameterError::value("ranked_queue", error))
        };
        Ok(Manager::Buckets(Box::new(TrafficManager::new(switch, policy, rank, build)?)))
    }
}

fn flow_sizes(params: &Resolved) -> Result<SizeDistribution, ConfigError> {
    let Some(path) = params.path("flow_size_file")? else {
        return SizeDistribution::builtin(params.text("flow_sizes")?)
            .map_err(|error| params.blame("flow_sizes", error.to_string()));
    };
    let blame = |message| params.blame("flow_size_file", message);
    let file = std::fs::File::open(&path)
        .map_err(|error| blame(format!("cannot read {}: {error}", path.display())))?;
    SizeDistribution::from_reader(file, &path.display().to_string())
        .map_err(|error| blame(error.to_string()))
}

fn capture(params: &Resolved) -> Result<PathBuf, ConfigError> {
    params.path("capture")?.ok_or_else(|| {
        params.blame("capture", "the source is a capture: give its file with capture = \"FILE\"")
    })
}

fn switch(
    params: &Resolved,
    packet_bytes: u32,
    quantizer: Quantizer,
) -> Result<ManagerConfig, ConfigError> {
    let cell = params.bytes("cell")?;
    Ok(ManagerConfig {
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
        largest_packet: match params.text("source")? {
            // A captured packet is its IP part, cut to packet_bytes, behind a link header.
            "capture" => packet_bytes + LINK_HEADER,
            _ => packet_bytes,
        },
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
        move_bytes: params.bytes("move_bytes")?,
        fetch_batches: params.bool("fetch_batches")?,
        fetch_reserve: params.float("fetch_reserve")?,
        write_forwarding: params.bool("write_forwarding")?,
        quantizer,
    })
}

fn swap_in_watermark(params: &Resolved) -> Result<f64, ConfigError> {
    let gap = params.float("watermark_gap")?;
    if gap == 0.0 {
        return params.float("swap_in_watermark");
    }
    // Rounded to a millionth, so that 0.8 - 0.3 is 0.5.
    Ok(((params.float("swap_out_watermark")? - gap) * 1e6).round() / 1e6)
}

fn hbm(params: &Resolved) -> Result<HbmConfig, ConfigError> {
    let mut hbm = HbmConfig::samsung_hbm2e();
    hbm.geometry.rows = params.count("rows")? as u32;
    hbm.timing.t_ccd_l = params.count("t_ccd_l")? as u32;
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
