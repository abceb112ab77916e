//! The switch that a configuration describes: its buffer with pools on both sides, its ports.
//!
//! The queues of a port that are played are its classes, the lossy one first. Each side counts in
//! cells; a packet is admitted if both sides have room, and nothing else bounds the memory.

use std::io::Read;

use forebay_buffer::Reaction;
use forebay_buffer::onchip::{
    Alpha, ChipConfig, GroupConfig, GroupsConfig, InputPool, MemoryConfig, OnChipPolicy, PauseAt,
    PoolShape, QueueConfig, Resume, SharedBuffer,
};
use forebay_parameters::{Entry, ParameterError};
use forebay_sched::port::{DeficitRoundRobin, Heads, PortScheduler, PortSchedulerConfig};
use forebay_sonic::config::Threshold;
use forebay_sonic::play::{self, Played, PlayedClass, PlayedGroup, PlayedQueue, Wanted};
use forebay_sonic::{EXAMPLE, LARGEST, parse};
use forebay_switch::{FlowControl, OnChip, PfcConfig, memory};
use forebay_units::{Bytes, Duration, Rate};

use super::limits::{Limit, Limits};
use super::params::SonicSetup;
use super::traffic::{Demand, FlowPlan, flows};

/// The most cells of a buffer.
const MOST_CELLS: u64 = 1 << 24;

/// A switch and its traffic, before a scheme is chosen.
pub struct Switch {
    /// What of the configuration is played.
    pub played: Played,
    /// The rate of each port.
    pub rates: Vec<Rate>,
    /// Every flow: those of congested ports first.
    pub flows: Vec<FlowPlan>,
    /// Of each priority group its input, and whether it is of the lossless class.
    pub groups: Vec<(usize, bool)>,
    config: GroupsConfig,
    cell: u32,
}

impl Switch {
    /// Reads the configuration and finds what is played.
    ///
    /// # Errors
    /// The parameter at fault: mostly the configuration itself.
    pub fn new(setup: &SonicSetup) -> Result<Switch, ParameterError> {
        let file = SonicSetup::CONFIG;
        let bytes = match setup.config.as_str() {
            "" => EXAMPLE.to_vec(),
            path => read(path)
                .map_err(|error| file.refuse(format_args!("cannot read {path}: {error}")))?,
        };
        let config = parse(&bytes).map_err(|errors| file.refuse(errors))?;
        let queue = |index: i64| u8::try_from(index).ok();
        let wanted = Wanted {
            port: Some(setup.port.as_str()).filter(|port| !port.is_empty()),
            lossy: queue(setup.lossy_queue),
            lossless: queue(setup.lossless_queue),
            burst: setup.burst.into(),
        };
        let played = Played::new(&config, &wanted).map_err(|error| file.refuse(error))?;
        let flows = flows(&played, &setup.demand())
            .map_err(|refused| ParameterError::value(refused.parameter, refused.problem))?;
        let (config, groups) = groups(&played, setup.cell);
        let rates = played.ports.iter().map(|port| port.speed).collect();
        Ok(Switch { played, rates, flows, groups, config, cell: setup.cell })
    }

    /// The classes of a port: the lossy one first.
    #[must_use]
    pub fn classes(&self) -> u16 {
        self.played.classes().count() as u16
    }

    /// The place of a class among those of a port.
    #[must_use]
    pub fn class(&self, lossless: bool) -> u8 {
        u8::from(lossless && self.played.lossy.is_some())
    }

    /// The class at a place.
    #[must_use]
    pub fn played_class(&self, class: u8) -> Option<&PlayedClass> {
        self.played.classes().nth(usize::from(class))
    }

    /// What may arrive through a port after a pause was called for.
    #[must_use]
    pub fn reaction(&self, setup: &SonicSetup, port: usize, packet: Bytes) -> Reaction {
        Reaction {
            rate: self.rates[port],
            delay: self.one_way(setup, port),
            largest_packet: packet,
            frame: Bytes::new(FlowControl::FRAME.into()),
            response: setup.response,
        }
    }

    /// How long a bit takes over the cable of a port.
    #[must_use]
    pub fn one_way(&self, setup: &SonicSetup, port: usize) -> Duration {
        Reaction::cable(self.played.ports[port].cable_metres.unwrap_or(setup.cable))
    }

    /// The headroom of the group of a port's lossless packets.
    #[must_use]
    pub fn lossless_group(&self, port: usize) -> Option<&PlayedGroup> {
        self.played.lossless.as_ref()?.groups[port].as_ref()
    }

    /// An empty buffer under the scheme that is compared.
    ///
    /// # Errors
    /// If its parameters do not fit together.
    pub fn buffer(&self, setup: &SonicSetup) -> Result<SharedBuffer, ParameterError> {
        let cell = Bytes::new(self.cell.max(1).into());
        let queues: Vec<Option<&PlayedQueue>> = (0..self.rates.len())
            .flat_map(|port| self.played.classes().map(move |class| class.queues[port].as_ref()))
            .collect();
        let reserved: u64 = queues.iter().flatten().map(|q| q.reserved.div_ceil(cell)).sum();
        let pools: Vec<Bytes> = self.played.egress.iter().map(|pool| pool.shared).collect();
        let cells = reserved + pools.iter().map(|pool| pool.get() / cell.get()).sum::<u64>();
        if cells > MOST_CELLS {
            let all = cells.saturating_mul(cell.get());
            return Err(SonicSetup::CELL.refuse(format_args!(
                "the configuration's pools have more than 2^24 cells of {cell}; give cells of at \
                 least {} B",
                all.div_ceil(MOST_CELLS)
            )));
        }
        let needed = memory::of_buffers(cells, queues.len() as u64);
        if needed > memory::LEFT && !memory::is_granted(needed + memory::LEFT) {
            return Err(SonicSetup::CELL.refuse(format_args!(
                "a buffer of {cells} cells needs about {needed} of memory; give larger cells"
            )));
        }
        let lossless_from = u8::from(self.played.lossy.is_some());
        let classes = self.classes();
        let is_lossless = |queue: usize| (queue % usize::from(classes)) as u8 >= lossless_from;
        let alpha = |queue: &PlayedQueue| match queue.threshold {
            Threshold::Dynamic(alpha) => Alpha::new(alpha.factor()),
            Threshold::Static(_) => None,
        };
        let occamy = if setup.is_occamy() { Alpha::new(setup.occamy_alpha) } else { None };
        let config = |(_, queue): (usize, &Option<&PlayedQueue>)| match queue {
            None => QueueConfig::default(),
            Some(queue) => QueueConfig {
                pool: queue.pool as u16,
                reserved: queue.reserved,
                alpha: occamy.or_else(|| alpha(queue)),
                limit: None,
            },
        };
        let chip = ChipConfig {
            ports: self.rates.len() as u16,
            classes,
            capacity: cell * cells,
            memory: MemoryConfig::of_capacity(self.memory_rate(setup), self.cell),
            descriptors: cells.clamp(1, 1 << 26) as u32,
            largest_packet: setup.packet_bytes,
            port_rate: self.rates[self.played.output],
            pools,
            queues: queues.iter().enumerate().map(config).collect(),
            ingress: None,
        };
        let own: Vec<Option<Limit>> = queues
            .iter()
            .enumerate()
            .map(|(number, queue)| {
                let queue = queue.as_ref()?;
                let fixed = matches!(queue.threshold, Threshold::Static(_));
                let as_configured = setup.policy.name() == "dt" && fixed;
                (is_lossless(number) || as_configured).then(|| limit(queue.threshold, cell))
            })
            .collect();
        let scheme = |_, shape: &PoolShape| -> Result<Box<dyn OnChipPolicy>, ParameterError> {
            let mut shape = shape.clone();
            for (queue, own) in shape.queues.iter_mut().zip(&own) {
                queue.member &= own.is_none();
            }
            Ok(Box::new(Limits::new(own.clone(), setup.policy.build(&shape)?)))
        };
        SharedBuffer::with_policies(&chip, scheme)?.charging(self.config.clone())
    }

    /// The switch around a buffer.
    #[must_use]
    pub fn around(&self, buffer: SharedBuffer) -> OnChip {
        let schedulers = (0..self.rates.len()).map(|port| self.scheduler(port)).collect();
        OnChip::sharing(buffer, schedulers, &self.rates).pausing(&PfcConfig::default())
    }

    /// What all ports send, unless another bandwidth is asked for.
    fn memory_rate(&self, setup: &SonicSetup) -> Rate {
        let all = self.rates.iter().fold(0u64, |sum, rate| sum.saturating_add(rate.as_bps()));
        setup.memory_rate.unwrap_or(Rate::from_bps(all))
    }

    /// Strict priority, or bytes by weight, as the port's schedulers say.
    fn scheduler(&self, port: usize) -> Box<dyn PortScheduler> {
        let service: Vec<_> = self
            .played
            .classes()
            .map(|class| class.queues[port].as_ref().and_then(|queue| queue.service.as_ref()))
            .collect();
        let strict = |class: usize| {
            service[class].is_some_and(|one| one.discipline.eq_ignore_ascii_case("STRICT"))
        };
        if service.len() == 2 && strict(0) != strict(1) {
            return Box::new(First(u16::from(strict(1))));
        }
        let weight = |one: &Option<&forebay_sonic::config::Service>| {
            one.and_then(|service| service.weight).unwrap_or(1).max(1)
        };
        let weights = service.iter().map(weight).collect();
        let config = PortSchedulerConfig::new(service.len() as u16);
        Box::new(DeficitRoundRobin::new(&PortSchedulerConfig { weights, ..config }))
    }
}

impl SonicSetup {
    pub(super) fn demand(&self) -> Demand {
        Demand {
            burst: play::Burst::from(self.burst),
            senders: self.burst_senders,
            rate: self.burst_rate,
            busy: self.background_queues,
            load: self.background_load,
        }
    }
}

/// One of two queues goes first.
struct First(u16);

impl PortScheduler for First {
    fn select(&mut self, heads: Heads<'_>) -> Option<u16> {
        [self.0, 1 - self.0].into_iter().find(|class| heads(*class).is_some())
    }
}

fn read(path: &str) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(LARGEST as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn limit(threshold: Threshold, cell: Bytes) -> Limit {
    match threshold {
        Threshold::Dynamic(alpha) => Limit::Share(Alpha::power_of_two(i32::from(alpha.exponent()))),
        Threshold::Static(bytes) => Limit::Cells(cells(bytes, cell)),
    }
}

/// Whole cells in a size.
fn cells(size: Bytes, cell: Bytes) -> u32 {
    u32::try_from(size.get() / cell.get()).unwrap_or(u32::MAX)
}

/// The priority groups that packets are charged to, with the input and class of each.
fn groups(played: &Played, cell: u32) -> (GroupsConfig, Vec<(usize, bool)>) {
    let cell = Bytes::new(cell.max(1).into());
    let mut config = GroupsConfig::default();
    let mut of = Vec::new();
    for pool in &played.ingress {
        let headroom = pool.headroom.map(|size| cells(size, cell));
        config.pools.push(InputPool { shared: cells(pool.shared, cell), headroom });
    }
    for port in 0..played.ports.len() {
        for class in played.classes() {
            let Some(group) = &class.groups[port] else {
                config.charged.push(None);
                continue;
            };
            config.charged.push(Some(config.groups.len() as u16));
            of.push((port, class.lossless));
            config.groups.push(GroupConfig {
                pool: group.pool as u16,
                input: port as u16,
                reserved: group.reserved.div_ceil(cell).min(u64::from(u32::MAX)) as u32,
                threshold: match group.threshold {
                    Threshold::Dynamic(alpha) => {
                        PauseAt::Share(Alpha::power_of_two(i32::from(alpha.exponent())))
                    }
                    Threshold::Static(bytes) => PauseAt::Cells(cells(bytes, cell)),
                },
                headroom: cells(group.headroom, cell),
                pauses: group.pauses,
                resume: Resume {
                    below: cells(group.xon, cell),
                    offset: group.xon_offset.map(|offset| cells(offset, cell)),
                },
            });
        }
    }
    (config, of)
}
