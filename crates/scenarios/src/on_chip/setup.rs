//! What the parameters of an on-chip experiment build: the switch and its senders.
//!
//! Queues: the bursts' queues come first, each at a port of its own; the congested ones follow at
//! ports of their own, or, with `share_port`, as the lower priorities of the first burst's port.

use forebay_buffer::onchip::{
    Alpha, ChipConfig, MemoryConfig, OnChipPolicy, QueueConfig, SharedBuffer, TooSlow,
};
use forebay_lab::results::number;
use forebay_lab::{ConfigError, Resolved};
use forebay_parameters::{Choice, ParameterError, grouped};
use forebay_sched::Fifo;
use forebay_sched::port::{PortScheduler, StrictPriorityPort};
use forebay_switch::{Catalogue, OnChipConfig, memory};
use forebay_units::{Bytes, Duration, Rate, Time};

use super::params::OnChipSetup;
use super::source::Sender;
use crate::switches::{policy_path, scheduler_path};

/// A queue of the scenario: its number in the buffer and its port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueAt {
    /// Its number in the buffer, from 0.
    pub queue: u32,
    /// The output port that serves it, from 0.
    pub port: u16,
}

impl OnChipSetup {
    /// The defaults under a policy.
    #[must_use]
    pub fn new(policy: Choice<dyn OnChipPolicy>, catalogue: &Catalogue) -> Self {
        OnChipSetup {
            background_queues: 1,
            background_rate: Rate::from_gbps(100),
            burst_queues: 1,
            burst_senders: 1,
            burst_rate: Rate::from_gbps(28),
            burst_bytes: Bytes::new(2_000_000),
            burst_start: Duration::from_us(500),
            packet_bytes: 1500,
            share_port: false,
            scheduler: StrictPriorityPort::choice(),
            rank: OnChipConfig::new(policy.clone()).reads_ranks().then(Fifo::choice),
            catalogue: catalogue.clone(),
            buffer: Bytes::new(2_000_000),
            cell: 200,
            memory_rate: Rate::from_gbps(6500),
            burst_reserved: Bytes::ZERO,
            background_reserved: Bytes::ZERO,
            alpha: 4.0,
            burst_alpha: 0.0,
            occamy_alpha: 0.0,
            policy,
            port_rate: Rate::from_gbps(10),
            span: Duration::from_us(1500),
            samples: 300,
        }
    }

    pub(super) fn is_occamy(&self) -> bool {
        self.policy.prefix() == "occamy"
    }

    /// The threshold factors of the bursts' queues and of the congested ones.
    fn alphas(&self) -> [f64; 2] {
        let own = if self.is_occamy() { self.occamy_alpha } else { 0.0 };
        match (own > 0.0, self.burst_alpha > 0.0) {
            (true, _) => [own; 2],
            (false, true) => [self.burst_alpha, self.alpha],
            (false, false) => [self.alpha; 2],
        }
    }

    /// Refuses what cannot be run.
    ///
    /// # Errors
    /// Names the parameter.
    pub fn check(&self, params: &Resolved) -> Result<(), ConfigError> {
        for (name, rate) in [
            ("background_rate", self.background_rate),
            ("burst_rate", self.burst_rate),
            ("port_rate", self.port_rate),
            ("memory_rate", self.memory_rate),
        ] {
            if rate.as_bps() == 0 {
                return Err(params.blame(name, "the rate is 0 b/s").fix("give a rate above 0"));
            }
        }
        let each = Bytes::new(self.burst_bytes.get().div_ceil(u64::from(self.burst_senders)));
        let end = self.burst_start + self.burst_rate.time_for(each);
        if end > self.span {
            let message = format!(
                "the bursts would last until {}, past the end of the run",
                number::time(end)
            );
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
                .blame("span", format!("{} packets would be sent", grouped(packets as u64)))
                .fix("shorten the span or lower the rates"));
        }
        TooSlow::check(self.memory_rate, self.cell).map_err(|error| {
            let fix = format!("give at least {}, or smaller cells", error.least());
            params.blame("memory_rate", error.to_string()).fix(fix)
        })?;
        self.schedulers().map_err(|error| params.refuse(&error))?;
        self.buffer().map(|_| ()).map_err(|error| {
            let name = match error.name() {
                "capacity" => "switch.buffer".to_owned(),
                "largest_packet" => "workload.packet_bytes".to_owned(),
                "cell" | "port_rate" => format!("switch.{}", error.name()),
                other => policy_path(&self.policy, other),
            };
            params.refuse(&error.renamed(name))
        })
    }

    /// The switch's buffer.
    ///
    /// # Errors
    /// If its parameters do not fit together.
    pub fn buffer(&self) -> Result<SharedBuffer, ParameterError> {
        let (ports, classes) = self.shape();
        let [burst, background] = self.alphas();
        let queue = |alpha: f64, reserved: Bytes| QueueConfig {
            reserved,
            alpha: Alpha::new(alpha),
            ..QueueConfig::default()
        };
        let cells = (self.buffer.get() / u64::from(self.cell.max(1))).clamp(1, 1 << 26);
        let needed = memory::of_buffers(cells, u64::from(ports) * u64::from(classes));
        if needed > memory::LEFT && !memory::is_granted(needed + memory::LEFT) {
            let problem = format_args!(
                "a buffer of {} cells needs about {needed} of memory; give larger cells",
                grouped(cells)
            );
            return Err(ParameterError::value("cell", problem));
        }
        let congested = queue(background, self.background_reserved);
        let mut queues = vec![congested; usize::from(ports) * usize::from(classes)];
        for at in self.bursts() {
            queues[at.queue as usize] = queue(burst, self.burst_reserved);
        }
        let chip = ChipConfig {
            ports,
            classes,
            capacity: self.buffer,
            memory: MemoryConfig::of_capacity(self.memory_rate, self.cell),
            descriptors: cells as u32,
            largest_packet: self.packet_bytes,
            port_rate: self.port_rate,
            pools: Vec::new(),
            queues,
            ingress: None,
        };
        SharedBuffer::new(&chip, &self.policy)
    }

    /// A scheduler for each port.
    ///
    /// # Errors
    /// If a parameter of it does not fit.
    pub fn schedulers(&self) -> Result<Vec<Box<dyn PortScheduler>>, ParameterError> {
        let (ports, classes) = self.shape();
        let built = (0..ports).map(|_| self.scheduler.build(&classes));
        built.collect::<Result<_, _>>().map_err(|error| {
            let name = scheduler_path(&self.scheduler, error.name());
            error.renamed(name)
        })
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
        let [burst, background] = self.alphas();
        let sum =
            f64::from(self.burst_queues) * burst + f64::from(self.background_queues) * background;
        burst * f64::from(shared_cells) / (1.0 + sum)
    }
}
