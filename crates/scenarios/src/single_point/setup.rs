//! What the parameters of a single-point experiment build: the packets and the switch.

use forebay_buffer::HybridPolicy;
use forebay_lab::{ConfigError, Resolved};
use forebay_parameters::{Choice, Entry, ParameterError, Value, listed, set};
use forebay_pifo::{TieredBuckets, TieredExact};
use forebay_sched::functions::RankShape;
use forebay_sched::{Quantizer, Rank};
use forebay_switch::manager::{ManagerConfig, TrafficManager};
use forebay_switch::{Catalogue, HybridConfig, RankPrecision};
use forebay_units::{Duration, Rate, Time};
use forebay_workload::{
    Capture, CaptureLimits, CaptureReplay, InputDiscipline, MixConfig, MixRatio, PacketSource,
    PoissonFlows, PoissonFlowsConfig, PriorityMix, ReplayConfig,
};

use super::params::{Packets, SinglePointSetup};
use crate::flow_sizes::flow_sizes;
use crate::switches::hybrid_path;

/// A traffic manager over whichever ranked queue the parameters name.
pub enum Manager {
    /// Over bucket queues.
    Buckets(Box<TrafficManager<TieredBuckets>>),
    /// Over exact queues.
    Exact(Box<TrafficManager<TieredExact>>),
}

/// No link header of a capture is longer.
const LINK_HEADER: u32 = 64;

/// Flow sizes reach 30 MB in the published distributions; ranks of larger flows share the last
/// bucket.
const BUCKETS: u64 = 1 << 15;

impl SinglePointSetup {
    /// The defaults under a policy.
    #[must_use]
    pub fn new(policy: Choice<dyn HybridPolicy>, catalogue: &Catalogue) -> Self {
        let memory = ManagerConfig { descriptors: 1 << 24, ..ManagerConfig::default() };
        SinglePointSetup {
            packets: Packets::Poisson,
            inputs: 32,
            input_rate: Rate::from_gbps(50),
            load: 0.8,
            flow_sizes: "websearch".to_owned(),
            flow_size_file: String::new(),
            packet_bytes: 1500,
            discipline: InputDiscipline::Fifo,
            high_per_low: 4,
            capture: String::new(),
            lead: Duration::from_ms(100),
            switch: HybridConfig {
                ranked: RankPrecision::BUCKETS,
                memory,
                ..HybridConfig::new(policy)
            },
            watermark_gap: 0.0,
            catalogue: catalogue.clone(),
            egress_rate: Rate::from_gbps(100),
            warm_up: Duration::from_ms(5),
            span: Duration::from_ms(20),
            samples: 100,
        }
    }

    pub(super) fn has_watermarks(&mut self) -> bool {
        let all = listed(&mut self.switch.scheme);
        all.iter().any(|one| one.parameter.name == "swap_in_watermark")
    }

    /// The scheme, with the swap-in watermark as far below the other as the gap says.
    fn scheme(&self) -> Result<Choice<dyn HybridPolicy>, ParameterError> {
        let mut scheme = self.switch.scheme.clone();
        let all = listed(&mut scheme);
        let high = all.iter().find(|one| one.parameter.name == "swap_out_watermark");
        if let (true, Some(Value::Float(high))) =
            (self.watermark_gap > 0.0, high.map(|one| &one.value))
        {
            // Rounded to a millionth, so that 0.8 - 0.3 is 0.5.
            let low = ((high - self.watermark_gap) * 1e6).round() / 1e6;
            if low < 0.0 {
                return Err(SinglePointSetup::WATERMARK_GAP.refuse(format_args!(
                    "the swap-in watermark would be {low}; give at most {high}, the swap-out \
                     watermark"
                )));
            }
            set(&mut scheme, &[("swap_in_watermark", low.to_string())])?;
        }
        Ok(scheme)
    }

    /// Ranks of flow sizes are quantized for buckets; orders of arrival and classes need not be.
    fn quantizer(&self) -> Quantizer {
        match (self.switch.ranked, self.switch.rank.name()) {
            (RankPrecision::Exact, _) | (_, "fifo" | "strict-priority") => Quantizer::Identity,
            (RankPrecision::Buckets { bits }, _) => Quantizer::log_linear(bits),
        }
    }

    /// The traffic manager's parameters.
    fn memory(&self) -> ManagerConfig {
        let largest_packet = match self.packets {
            Packets::Capture => self.packet_bytes + LINK_HEADER,
            Packets::Poisson | Packets::PriorityMix => self.packet_bytes,
        };
        let quantizer = self.quantizer();
        ManagerConfig { ports: 1, largest_packet, quantizer, ..self.switch.memory.clone() }
    }

    /// Refuses combinations that make no sense together.
    ///
    /// # Errors
    /// Names the parameter at fault and the fix.
    pub fn check(&self, params: &Resolved) -> Result<(), ConfigError> {
        let (aggregate, port) = (self.ingress_rate(), self.switch.memory.port_rate);
        if self.egress_rate.as_bps() == 0 {
            return Err(params.blame("egress_rate", "the output link must have a rate above zero"));
        }
        // Only what moves beside arrivals and departures is slowed down by them.
        if self.switch.reads().moves && (port < aggregate || port < self.egress_rate) {
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
        let blame = |error: ParameterError| {
            let name = match error.name() {
                "largest_packet" => "workload.packet_bytes".to_owned(),
                "swap_in_watermark" if self.watermark_gap > 0.0 => {
                    SinglePointSetup::WATERMARK_GAP.name.to_string()
                }
                own if own == SinglePointSetup::WATERMARK_GAP.name => own.to_owned(),
                other => hybrid_path(&self.switch.scheme, other),
            };
            params.refuse(&error.renamed(name))
        };
        let memory = self.memory();
        memory.validate().map_err(blame)?;
        self.scheme().and_then(|scheme| scheme.build(&memory.shape())).map_err(blame)?;
        self.source(1).map(drop).map_err(|error| params.refuse(&error))
    }

    /// What a capture lacks although it can be replayed: a cut-off end, packets left out.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        if self.packets != Packets::Capture {
            return Vec::new();
        }
        match Capture::open(self.capture.as_ref(), CaptureLimits::default()) {
            Ok(capture) => capture.warnings().iter().map(ToString::to_string).collect(),
            Err(_) => Vec::new(), // `check` has refused it
        }
    }

    /// The packets of a run.
    ///
    /// # Errors
    /// The parameter for which the source cannot be built.
    pub fn source(&self, seed: u64) -> Result<Box<dyn PacketSource>, ParameterError> {
        let stop = Some(Time::ZERO + self.warm_up + self.span);
        let (inputs, rate, load) = (self.inputs, self.input_rate, self.load);
        let load_error = |error: String| ParameterError::value("workload.load", error);
        match self.packets {
            Packets::Poisson => {
                let sizes = flow_sizes(
                    &self.flow_sizes,
                    &self.flow_size_file,
                    [&SinglePointSetup::FLOW_SIZES, &SinglePointSetup::FLOW_SIZE_FILE],
                )?;
                let config = PoissonFlowsConfig {
                    packet_bytes: self.packet_bytes,
                    discipline: self.discipline,
                    lead: self.lead,
                    stop,
                    ..PoissonFlowsConfig::new(inputs, rate, load, sizes, seed)
                };
                let source = PoissonFlows::new(config);
                Ok(Box::new(source.map_err(|error| load_error(error.to_string()))?))
            }
            Packets::PriorityMix => {
                let ratio = MixRatio::new(self.high_per_low, 1)
                    .map_err(|error| load_error(error.to_string()))?;
                let config = MixConfig {
                    packet_bytes: self.packet_bytes,
                    stop,
                    ..MixConfig::new(inputs, rate, load, ratio)
                };
                let source = PriorityMix::new(config);
                Ok(Box::new(source.map_err(|error| load_error(error.to_string()))?))
            }
            Packets::Capture => {
                if self.capture.is_empty() {
                    let fix = "the source is a capture: give its file with capture = \"FILE\"";
                    return Err(SinglePointSetup::CAPTURE.refuse(fix));
                }
                let config = ReplayConfig {
                    mtu: self.packet_bytes,
                    stop,
                    ..ReplayConfig::new(inputs, rate, load)
                };
                let capture = Capture::open(self.capture.as_ref(), CaptureLimits::default());
                let capture = capture.map_err(|error| SinglePointSetup::CAPTURE.refuse(error))?;
                let source = CaptureReplay::new(&capture, config);
                Ok(Box::new(source.map_err(|error| SinglePointSetup::CAPTURE.refuse(error))?))
            }
        }
    }

    /// Rate of all inputs together.
    #[must_use]
    pub fn ingress_rate(&self) -> Rate {
        self.input_rate.scaled(f64::from(self.inputs))
    }

    /// An empty switch with the parameters of this setup.
    ///
    /// # Errors
    /// As [`TrafficManager::new`].
    pub fn manager(&self) -> Result<Manager, ParameterError> {
        let (memory, scheme) = (self.memory(), self.scheme()?);
        let rank = self.switch.rank.build(&RankShape::default())?;
        // Beyond these the queue grows as it fills.
        let reserved = memory.descriptors.min(1 << 22);
        if self.switch.ranked == RankPrecision::Exact {
            let build = |_| Ok(TieredExact::with_capacity(reserved));
            return Ok(Manager::Exact(Box::new(TrafficManager::new(
                &memory, &scheme, rank, build,
            )?)));
        }
        let buckets = match memory.quantizer {
            Quantizer::Identity => 256,
            quantizer => quantizer.buckets(Rank::new(u64::from(u32::MAX))).max(BUCKETS),
        };
        let build = |_| {
            TieredBuckets::with_capacity(buckets, reserved)
                .map_err(|error| ParameterError::value("ranked_queue", error))
        };
        Ok(Manager::Buckets(Box::new(TrafficManager::new(&memory, &scheme, rank, build)?)))
    }
}
