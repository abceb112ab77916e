//! What an on-chip switch is made of, and the buffers that come of it.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

use forebay_buffer::onchip::{
    ChipConfig, MemoryConfig, OnChipPolicy, QueueConfig, SharedBuffer, TooSlow, policies, says,
};
use forebay_parameters::{
    Choice, Choices, Chosen, Configure, Kind, Parameter, ParameterError, Size, Source, UnknownName,
    Walk,
};
use forebay_sched::RankFunction;
use forebay_sched::port::{DeficitRoundRobin, PortScheduler, port_schedulers};
use forebay_units::{Bytes, Duration, Rate};

use super::ramp::Ramp;
use super::{CreditConfig, PfcConfig};
use crate::hybrid::rank_reads_class;
use crate::memory;
use crate::scheduled::PortLimits;
use crate::{Credits, SwitchBuildError};

/// What an [`OnChip`](super::OnChip) switch is made of. Its scheme's parameters are among its own;
/// the choices of a scheme, a scheduler and a rank function are shown by whoever has a registry.
#[derive(Clone, Debug, PartialEq, Configure)]
pub struct OnChipConfig {
    /// On-chip memory that a group of ports shares.
    #[parameter(source = SETUP)]
    pub pool: Bytes,
    /// Neighbouring ports that share a memory.
    #[parameter(source = SETUP, range = 1..=65535)]
    pub ports_per_pool: u16,
    /// Bytes per cell of on-chip memory.
    #[parameter(paper = "occamy §5.3", kind = Kind::Bytes, with = Size)]
    pub cell: u32,
    /// Cells that a memory can read in a second; 0: what its ports can send together.
    #[parameter(range = 0..=1_000_000_000_000i64, only = says(&self.policy, |one| one.expels()))]
    #[parameter(paper = "occamy §5.3")]
    pub cells_per_second: Option<u64>,
    /// Cells that may be read for head drops at once after the memory was idle; at least a largest
    /// packet's.
    #[parameter(range = 0..=1 << 24, only = says(&self.policy, |one| one.expels()))]
    #[parameter(assumed = "the least: what one largest packet takes")]
    pub burst_cells: u32,
    /// The largest packet; larger ones are lost.
    #[parameter(assumed = "Ethernet's", kind = Kind::Bytes, with = Size)]
    pub largest_packet: u32,
    /// Queues of each port.
    #[parameter(source = SETUP, name = "classes", range = 1..=65535)]
    pub queues: u16,
    /// The scheme: one of `forebay_buffer::onchip::policies`, or a caller's own.
    #[parameter(part)]
    pub policy: Choice<dyn OnChipPolicy>,
    /// Mark packets beyond so many bytes of their queue.
    #[parameter(declared = PortLimits::MARK_ABOVE)]
    pub mark_above: Option<Bytes>,
    /// Mark every packet beyond so many bytes, and between the two a growing share; 0 B: a step.
    #[parameter(assumed = "0 B: a step, as DCTCP has it; DCQCN has 200 KB (K_max)")]
    #[parameter(when = self.mark_above.is_some())]
    pub mark_all_above: Option<Bytes>,
    /// The share of packets that are marked just below mark_all_above.
    #[parameter(range = 0.0..=1.0, when = self.mark_all_above.is_some())]
    #[parameter(assumed = "1 %, P_max as others cite dcqcn; not compared with its text")]
    pub mark_share: f64,
    /// The scheduler of every port: one of `forebay_sched::port::port_schedulers`, or a caller's
    /// own.
    #[parameter(part, when = self.queues > 1)]
    #[parameter(by = |scheduler, walk| walk_scheduler(scheduler, &self.schedulers, walk))]
    pub scheduler: Choice<dyn PortScheduler>,
    /// The schedulers that there are to choose among by name.
    #[parameter(skip)]
    pub schedulers: Choices<dyn PortScheduler>,
    /// Which classes are lossless, by priority flow control or by credits.
    #[parameter(part)]
    pub pfc: PfcConfig,
    /// What is granted where they are so by credits.
    #[parameter(part, when = self.pfc.grants())]
    pub credits: CreditConfig,
    /// Reservation, α and limit of each class; empty for none. The pool in it is not read.
    #[parameter(skip)]
    pub classes: Vec<QueueConfig>,
    /// The memory; `None` for that of occamy §5.3, a cell at a time, as fast as the two parameters
    /// say.
    #[parameter(skip)]
    pub memory: Option<MemoryConfig>,
    /// The rank function whose ranks a scheme such as `occamy-rank` reads; `None` if all packets
    /// rank the same.
    #[parameter(skip)]
    pub rank: Option<Choice<dyn RankFunction>>,
}

impl OnChipConfig {
    /// Which queue of a port sends next.
    pub const SCHEDULER: Parameter = Parameter::new(
        "scheduler",
        Kind::Text,
        Source::paper("occamy §6.2"),
        "Which queue of a port sends next.",
    );

    /// [`OnChipConfig::new`] with the built-in scheme of this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn named(policy: &str) -> Result<Self, UnknownName> {
        policies().named(policy).cloned().map(Self::new)
    }

    /// The switch of occamy §6.4 under `policy`: 4 MB for every 8 ports, cells of 200 bytes (§5.3),
    /// one class, no marks.
    #[must_use]
    pub fn new(policy: Choice<dyn OnChipPolicy>) -> Self {
        OnChipConfig {
            policy: policy.beside(OWN),
            scheduler: DeficitRoundRobin::choice(),
            schedulers: port_schedulers(),
            queues: 1,
            classes: Vec::new(),
            pool: Bytes::new(4_000_000),
            ports_per_pool: 8,
            cell: 200,
            cells_per_second: None,
            burst_cells: 0,
            memory: None,
            largest_packet: 1500,
            mark_above: None,
            mark_all_above: None,
            mark_share: 0.01,
            pfc: PfcConfig::default(),
            credits: CreditConfig::default(),
            rank: None,
        }
    }

    /// Whether its scheme reads the ranks of packets, which [`rank`](Self::rank) then gives.
    #[must_use]
    pub fn reads_ranks(&self) -> bool {
        // Asked of the scheme itself, in a memory of one port.
        let ports = [Rate::from_gbps(1)];
        let lossy = OnChipConfig { pfc: PfcConfig::default(), ..self.clone() };
        lossy.buffer(&ports, &ports).is_ok_and(|buffer| buffer.reads_ranks())
    }

    /// Whether packets of one class fare otherwise than those of another: their queue or their rank
    /// depends on it.
    #[must_use]
    pub fn reads_class(&self) -> bool {
        self.queues > 1 || self.rank.as_ref().is_some_and(rank_reads_class)
    }

    /// About what the empty buffers behind these ports take.
    pub(super) fn memory_of_pools(&self, ports: &[Rate]) -> Bytes {
        let pools = ports.len().div_ceil(self.ports_per_pool.max(1).into());
        // More cells than that are refused by name.
        let cells = (self.pool.get() / u64::from(self.cell.max(1))).min(MOST_CELLS);
        let queues = ports.len().saturating_mul(self.queues.max(1).into());
        memory::of_buffers(cells.saturating_mul(pools as u64), queues as u64)
    }

    /// The scheduler of a port.
    pub(super) fn scheduler(&self) -> Result<Box<dyn PortScheduler>, SwitchBuildError> {
        let built = self.scheduler.build(&self.queues);
        Ok(built.map_err(|error| match error.name() {
            "classes" => error,
            own => {
                let name = format!("{SCHEDULER}{own}");
                error.renamed(name)
            }
        })?)
    }

    /// How marks set in, if not at once.
    pub(super) fn ramp(&self, switch: u32) -> Result<Option<Ramp>, ParameterError> {
        let (Some(from), Some(to)) = (self.mark_above, self.mark_all_above) else {
            return Ok(None);
        };
        if to <= from {
            return Err(OnChipConfig::MARK_ALL_ABOVE.refuse(format_args!(
                "{to} is not above {from}, where marks begin: give more, or 0 B for a step"
            )));
        }
        Ok(Some(Ramp::new(from.get(), to.get(), self.mark_share, switch)))
    }

    /// That the lossless classes are among those of a port, and that what they are granted fits.
    pub(super) fn check_lossless(&self) -> Result<(), ParameterError> {
        let beyond = self.pfc.lossless.iter().find(|class| u16::from(**class) >= self.queues);
        if let Some(class) = beyond {
            return Err(PfcConfig::LOSSLESS.refuse(format_args!(
                "there is no class {class} among the {} of a port: give a lower one, or more \
                 classes",
                self.queues
            )));
        }
        if self.pfc.grants() {
            self.credits.check(self.cell_bytes(), self.largest_packet)?;
        }
        Ok(())
    }

    /// What senders are granted, if they need credit.
    pub(crate) fn granted(&self) -> Option<Credits> {
        let of = || self.credits.credits(&self.pfc, self.cell_bytes(), self.largest_packet);
        self.pfc.grants().then(of)
    }

    /// Bytes of a cell of its memories.
    fn cell_bytes(&self) -> u32 {
        self.memory.map_or(self.cell, |memory| memory.cell)
    }

    /// The memory of a group of ports, of `all` those of the switch. What follows from them or from
    /// a parameter is never blamed itself.
    pub(super) fn buffer(
        &self,
        ports: &[Rate],
        all: &[Rate],
    ) -> Result<SharedBuffer, SwitchBuildError> {
        let chip = self.chip(ports, all);
        let clock = match (&self.memory, self.cells_per_second) {
            (Some(_), _) => "memory.cycle",
            (None, Some(cells)) => {
                check_reads(cells)?;
                &OnChipConfig::CELLS_PER_SECOND.name
            }
            (None, None) => {
                self.check_clock(total(ports))?;
                &OnChipConfig::CELL.name
            }
        };
        if chip.is_packet_too_large() {
            let room = Bytes::new(chip.memory.cell.into()) * u64::from(chip.cells());
            return Err(SwitchBuildError::Packet { largest: self.largest_packet, room });
        }
        let own = |error: ParameterError| match error.name() {
            "capacity" => error.renamed(OnChipConfig::POOL.name),
            "cycle" => error.renamed(clock),
            _ => error,
        };
        Ok(SharedBuffer::new(&chip, &self.policy).map_err(own)?)
    }

    /// That a memory which follows from the ports has a clock. Cells of a usual size are not what
    /// makes it too slow.
    fn check_clock(&self, all: Rate) -> Result<(), SwitchBuildError> {
        let usual = MemoryConfig::default().cell;
        TooSlow::check(all, self.cell).map_err(|error| match TooSlow::check(all, usual) {
            Ok(()) => OnChipConfig::CELL.refuse(format_args!("{error}; give a smaller one")).into(),
            Err(_) => SwitchBuildError::TooSlow(error),
        })
    }

    /// The memory behind ports of this rate together.
    fn memory_of(&self, ports: Rate) -> MemoryConfig {
        let bits = |cells: u64| cells.saturating_mul(8).saturating_mul(self.cell.into());
        let capacity = self.cells_per_second.map_or(ports, |cells| Rate::from_bps(bits(cells)));
        let burst_cycles = self.burst_cells;
        MemoryConfig { burst_cycles, ..MemoryConfig::of_capacity(capacity, self.cell) }
    }

    /// The chip behind a group of ports, of `all` those of the switch.
    fn chip(&self, ports: &[Rate], all: &[Rate]) -> ChipConfig {
        let together = total(ports);
        let fastest = ports.iter().copied().max().unwrap_or(together);
        let memory = self.memory.unwrap_or_else(|| self.memory_of(together));
        let cells = self.pool.get() / u64::from(memory.cell.max(1));
        ChipConfig {
            ports: ports.len() as u16,
            classes: self.queues,
            capacity: self.pool,
            memory,
            // One for every cell, so that they never run out first.
            descriptors: cells.clamp(1, 1 << 26) as u32,
            largest_packet: self.largest_packet,
            port_rate: fastest,
            pools: Vec::new(),
            queues: self.classes.iter().map(|class| QueueConfig { pool: 0, ..*class }).collect(),
            ingress: match self.pfc.grants() {
                true => {
                    Some(self.credits.ingress(&self.pfc, all, memory.cell, self.largest_packet))
                }
                false => self.pfc.ingress(all, &memory, self.largest_packet),
            },
        }
    }
}

/// What stands beside the parameters of its scheme.
const OWN: &[Parameter] = &[
    OnChipConfig::POOL,
    OnChipConfig::PORTS_PER_POOL,
    OnChipConfig::CELL,
    OnChipConfig::CELLS_PER_SECOND,
    OnChipConfig::BURST_CELLS,
    OnChipConfig::LARGEST_PACKET,
    OnChipConfig::QUEUES,
    OnChipConfig::SCHEDULER,
    PortLimits::MARK_ABOVE,
    OnChipConfig::MARK_ALL_ABOVE,
    OnChipConfig::MARK_SHARE,
];

/// Shows the scheduler by its name, and its parameters as `scheduler.…`.
fn walk_scheduler(
    scheduler: &mut Choice<dyn PortScheduler>,
    among: &Choices<dyn PortScheduler>,
    walk: &mut dyn Walk,
) {
    walk.field(&OnChipConfig::SCHEDULER, &mut Chosen { choice: scheduler, among });
    walk.part(SCHEDULER, scheduler);
}

/// Before the names of a port scheduler's parameters.
const SCHEDULER: &str = "scheduler.";

const MOST_CELLS: u64 = 1 << 24;

const SETUP: Source = Source::paper("occamy §6.4");

/// That a memory of so many cells a second has a clock.
fn check_reads(cells: u64) -> Result<(), ParameterError> {
    let least = Duration::from_ms(1_000).as_ps() / MemoryConfig::LONGEST_CYCLE.as_ps();
    if cells >= least {
        return Ok(());
    }
    Err(OnChipConfig::CELLS_PER_SECOND.refuse(format_args!(
        "{cells} cells a second are too few for any memory; give at least {least}, or 0 for what \
         the ports send"
    )))
}

/// What all ports send together.
fn total(ports: &[Rate]) -> Rate {
    Rate::from_bps(ports.iter().fold(0, |sum, rate| sum.saturating_add(rate.as_bps())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Occamy §5.3: a token every 20 ns for eight ports of 10 Gb/s and cells of 200 B; or as many
    /// as are asked for.
    #[test]
    fn a_memory_reads_what_its_ports_send_unless_told_otherwise() {
        let ports = [Rate::from_gbps(10); 8];
        let mut config = OnChipConfig::named("occamy").unwrap();
        let memory = config.chip(&ports, &ports).memory;
        assert_eq!((memory.cycle, memory.burst_cycles), (Duration::from_ns(20), 0));
        (config.cells_per_second, config.burst_cells) = (Some(50_000_000), 200);
        let memory = config.chip(&ports[..1], &ports).memory;
        assert_eq!((memory.cycle, memory.burst_cycles), (Duration::from_ns(20), 200));
        config.cells_per_second = Some(100_000_000);
        assert_eq!(config.chip(&ports, &ports).memory.cycle, Duration::from_ns(10));
    }
}
