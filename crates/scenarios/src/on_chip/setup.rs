//! What the parameters of an on-chip experiment build: the switch and its senders.
//!
//! Queues: the bursts' queues come first, each at a port of its own; the congested ones follow at ports of their
//! own, or, with `share_port`, as the lower priorities of the first burst's port.

use forebay_buffer::onchip::{
    Alpha, ChipConfig, MemoryConfig, OnChipPolicy, QueueConfig, SharedBuffer,
};
use forebay_lab::{ConfigError, Resolved};
use forebay_parameters::{Choice, ParameterError};
use forebay_sched::port::{PortScheduler, PortSchedulerFamily};
use forebay_switch::Catalogue;
use forebay_units::{Bytes, Duration, Rate, Time};

use super::source::Sender;

/// Everything a run needs, read from the parameters.
pub struct Setup {
    background_queues: u16,
    background_rate: Rate,
    burst_queues: u16,
    burst_senders: u32,
    burst_rate: Rate,
    burst_bytes: Bytes,
    burst_start: Duration,
    packet_bytes: u32,
    share_port: bool,
    policy: Choice<OnChipPolicy>,
    scheduler: Choice<PortSchedulerFamily>,
    buffer: Bytes,
    memory: MemoryConfig,
    burst: QueueConfig,
    background: QueueConfig,
    /// Rate of each port.
    pub port_rate: Rate,
    /// Simulated time.
    pub span: Duration,
    /// Samples of the series.
    pub samples: u64,
}

/// A queue of the scenario: its number in the buffer and its port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueAt {
    /// Its number.
    pub queue: u32,
    /// Its port.
    pub port: u16,
}

/// The port scheduler that `switch.scheduler` names.
///
/// # Errors
/// There is none of this name.
pub(crate) fn port_scheduler(
    catalogue: &Catalogue,
    params: &Resolved,
) -> Result<Choice<PortSchedulerFamily>, ConfigError> {
    let known = catalogue.port_schedulers().named(params.text("switch.scheduler")?);
    known.cloned().map_err(|error| params.blame("switch.scheduler", error.to_string()))
}

impl Setup {
    /// Reads the parameters for a policy.
    ///
    /// # Errors
    /// There is no such policy or port scheduler.
    pub fn new(
        catalogue: &Catalogue,
        params: &Resolved,
        policy: &str,
    ) -> Result<Self, ConfigError> {
        let cell = params.bytes("cell")?.get().min(u64::from(u32::MAX)) as u32;
        let own = if policy.starts_with("occamy") { params.float("occamy_alpha")? } else { 0.0 };
        let common = if own > 0.0 { own } else { params.float("policy.alpha")? };
        let burst_alpha = params.float("burst_alpha")?;
        let burst_alpha = if own > 0.0 || burst_alpha == 0.0 { common } else { burst_alpha };
        let queue = |alpha: f64, reserved: Bytes| QueueConfig {
            reserved,
            alpha: Alpha::new(alpha),
            ..QueueConfig::default()
        };
        Ok(Setup {
            background_queues: params.count("background_queues")? as u16,
            background_rate: params.rate("background_rate")?,
            burst_queues: params.count("burst_queues")? as u16,
            burst_senders: params.count("burst_senders")? as u32,
            burst_rate: params.rate("burst_rate")?,
            burst_bytes: params.bytes("burst_bytes")?,
            burst_start: params.duration("burst_start")?,
            packet_bytes: params.count("packet_bytes")? as u32,
            share_port: params.bool("share_port")?,
            scheduler: port_scheduler(catalogue, params)?,
            policy: (catalogue.on_chip().named(policy).cloned())
                .map_err(|error| ConfigError::new(error.to_string()))?,
            buffer: params.bytes("buffer")?,
            memory: MemoryConfig::of_capacity(params.rate("memory_rate")?, cell),
            burst: queue(burst_alpha, params.bytes("burst_reserved")?),
            background: queue(common, params.bytes("background_reserved")?),
            port_rate: params.rate("port_rate")?,
            span: params.duration("span")?,
            samples: params.count("samples")?,
        })
    }

    /// Refuses what cannot be run.
    ///
    /// # Errors
    /// Names the parameter.
    pub fn check(&self, params: &Resolved) -> Result<(), ConfigError> {
        for name in ["background_rate", "burst_rate", "port_rate", "memory_rate"] {
            if params.rate(name)?.as_bps() == 0 {
                return Err(params
                    .blame(name, "nothing moves at 0 b/s")
                    .fix("give a rate above 0"));
            }
        }
        let each = Bytes::new(self.burst_bytes.get().div_ceil(u64::from(self.burst_senders)));
        let end = self.burst_start + self.burst_rate.time_for(each);
        if end > self.span {
            let message = format!("the bursts would last until {end}, past the end of the run");
            return Err(params
                .blame("span", message)
                .fix("lengthen the span or shorten the bursts"));
        }
        let rates = u128::from(self.background_rate.as_bps()) * u128::from(self.background_queues);
        let packets = rates * u128::from(self.span.as_ps())
            / 1_000_000_000_000
            / 8
            / u128::from(self.packet_bytes)
            + u128::from(self.burst_bytes.get()) * u128::from(self.burst_queues)
                / u128::from(self.packet_bytes);
        if packets > 2_000_000_000 {
            return Err(params
                .blame("span", format!("{packets} packets would be sent"))
                .fix("shorten the span or lower the rates"));
        }
        self.buffer().map(|_| ()).map_err(|error| {
            let name = if error.name() == "capacity" { "buffer" } else { "cell" };
            params.blame(name, error.to_string())
        })
    }

    /// The switch's buffer.
    ///
    /// # Errors
    /// If its parameters do not fit together.
    pub fn buffer(&self) -> Result<SharedBuffer, ParameterError> {
        let (ports, classes) = self.shape();
        let mut queues = vec![self.background; usize::from(ports) * usize::from(classes)];
        for burst in self.bursts() {
            queues[burst.queue as usize] = self.burst;
        }
        let chip = ChipConfig {
            ports,
            classes,
            capacity: self.buffer,
            memory: self.memory,
            descriptors: (self.buffer.get() / u64::from(self.memory.cell.max(1))).clamp(1, 1 << 26)
                as u32,
            largest_packet: self.packet_bytes,
            port_rate: self.port_rate,
            pools: Vec::new(),
            queues,
        };
        SharedBuffer::new(&chip, &self.policy)
    }

    /// A scheduler for each port.
    ///
    /// # Errors
    /// A parameter does not fit.
    pub fn schedulers(&self) -> Result<Vec<Box<dyn PortScheduler>>, ParameterError> {
        let (ports, classes) = self.shape();
        (0..ports).map(|_| self.scheduler.build(&classes)).collect()
    }

    /// Ports, and queues of each.
    #[must_use]
    pub fn shape(&self) -> (u16, u16) {
        if self.share_port {
            (self.burst_queues, 1 + self.background_queues)
        } else {
            (self.burst_queues + self.background_queues, 1)
        }
    }

    /// The bursts' queues.
    pub fn bursts(&self) -> impl Iterator<Item = QueueAt> + use<> {
        let classes = u32::from(self.shape().1);
        (0..self.burst_queues).map(move |port| QueueAt { queue: u32::from(port) * classes, port })
    }

    /// The congested queues.
    pub fn congested(&self) -> impl Iterator<Item = QueueAt> + use<> {
        let (share, first) = (self.share_port, self.burst_queues);
        (0..self.background_queues).map(move |index| {
            let (queue, port) = if share { (1 + index, 0) } else { (first + index, first + index) };
            QueueAt { queue: queue.into(), port }
        })
    }

    /// Every sender, in a fixed order.
    #[must_use]
    pub fn senders(&self) -> Vec<Sender> {
        let long_lived = self.congested().map(|at| Sender {
            queue: at.queue,
            start: Time::ZERO,
            rate: self.background_rate,
            packet: self.packet_bytes,
            left: None,
        });
        let senders = u64::from(self.burst_senders);
        let bursts = self.bursts().flat_map(move |at| {
            (0..senders).map(move |index| {
                // The first senders take the bytes that do not divide.
                let extra = u64::from(index < self.burst_bytes.get() % senders);
                Sender {
                    queue: at.queue,
                    start: Time::ZERO + self.burst_start,
                    rate: self.burst_rate,
                    packet: self.packet_bytes,
                    left: Some(self.burst_bytes.get() / senders + extra),
                }
            })
        });
        long_lived.chain(bursts).collect()
    }

    /// Cells that each burst's queue holds when it and all congested ones are at their thresholds:
    /// α S / (1 + Σα), with S the shared cells.
    #[must_use]
    pub fn fair_share(&self, shared_cells: u32) -> f64 {
        let alpha = |queue: &QueueConfig| queue.alpha.map_or(0.0, Alpha::get);
        let (burst, background) = (alpha(&self.burst), alpha(&self.background));
        let sum =
            f64::from(self.burst_queues) * burst + f64::from(self.background_queues) * background;
        burst * f64::from(shared_cells) / (1.0 + sum)
    }

    /// Bytes per cell.
    #[must_use]
    pub fn cell(&self) -> u32 {
        self.memory.cell
    }
}
