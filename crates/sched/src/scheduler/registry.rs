//! The schedulers that hold packets, by name. Adding one: its file, its line here, and a field of
//! [`SchedulerConfig`] if it has parameters of its own.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use core::fmt;

use forebay_pifo::{Beyond, CircularWindow, WindowPolicy};
use forebay_units::{Bytes, Rate};

use super::{PacketScheduler, Weights};
use crate::fair::gearbox::{Gearbox, GearboxConfig, GearboxError};
use crate::fair::{
    Afq, CalendarConfig, CalendarError, CodelConfig, Cq, DropTail, Drr, DrrConfig, FqCodel,
    FqCodelConfig, Limits, Pcq, PifoConfig, PifoWfq, SketchConfig, VirtualUnit,
};

/// Parameters of all schedulers; each reads its own.
#[derive(Clone, Debug, PartialEq)]
pub struct SchedulerConfig {
    /// The rate of the link, for schedulers whose clock is real time. Default 10 Gb/s (gearbox §4.1.1).
    pub link_rate: Rate,
    /// The weight of every flow.
    pub weights: Weights,
    /// Bytes that may wait. Default 96 MiB.
    pub byte_limit: Bytes,
    /// Packets that may wait. Default 65 536.
    pub packet_limit: u32,
    /// Flows that have state of their own. Default 2^20.
    pub flows: u32,
    /// Bytes of a unit of virtual time, of Gearbox, calendars and WFQ.
    pub unit: VirtualUnit,
    /// First-in first-out queues of a calendar. Default 56 (gearbox §4.1.1).
    pub calendar_queues: u32,
    /// Units in a period, of `afq` and `pcq`. Default 10.
    pub calendar_granularity: u64,
    /// The sketch of `afq`.
    pub sketch: SketchConfig,
    /// The levels and rules of Gearbox; its unit, flows and limits are those above.
    pub gearbox: GearboxConfig,
    /// Ranks that `wfq-bucket` tells apart, 1 to 2^20: 16ths of a unit of virtual time. Default 2^16.
    pub bucket_ranks: u32,
    /// Bytes per weight and round, of `drr` and `fq-codel`. Default 1514.
    pub quantum: u32,
    /// Hashed queues of `fq-codel`. Default 1024.
    pub hashed_queues: u32,
    /// Chooses the hash of `fq-codel`.
    pub hash_seed: u64,
    /// CoDel, of `fq-codel`.
    pub codel: CodelConfig,
}

impl Default for SchedulerConfig {
    fn default() -> Self {
        let (limits, calendar) = (Limits::default(), CalendarConfig::default());
        let fq_codel = FqCodelConfig::default();
        SchedulerConfig {
            link_rate: Rate::from_gbps(10),
            weights: Weights::default(),
            byte_limit: limits.bytes,
            packet_limit: limits.packets,
            flows: calendar.flows,
            unit: VirtualUnit::default(),
            calendar_queues: calendar.queues,
            calendar_granularity: 10,
            sketch: SketchConfig::default(),
            gearbox: GearboxConfig::default(),
            bucket_ranks: 1 << 16,
            quantum: fq_codel.quantum,
            hashed_queues: fq_codel.queues,
            hash_seed: fq_codel.seed,
            codel: fq_codel.codel,
        }
    }
}

impl SchedulerConfig {
    fn limits(&self) -> Limits {
        Limits { packets: self.packet_limit, bytes: self.byte_limit }
    }

    fn gearbox(&self) -> GearboxConfig {
        GearboxConfig {
            unit: self.unit,
            flows: self.flows,
            limits: self.limits(),
            ..self.gearbox.clone()
        }
    }

    fn calendar(&self, granularity: u64) -> CalendarConfig {
        let (queues, unit, flows) = (self.calendar_queues, self.unit, self.flows);
        CalendarConfig { queues, granularity, unit, flows, limits: self.limits() }
    }

    fn pifo(&self) -> PifoConfig {
        PifoConfig {
            unit: self.unit,
            flows: self.flows,
            limits: self.limits(),
            ..PifoConfig::default()
        }
    }

    /// Checks what every scheduler needs.
    fn check(&self) -> Result<(), SchedulerError> {
        if !self.limits().is_valid() {
            return Err(SchedulerError::Limits);
        }
        if !self.unit.is_valid() || self.flows == 0 || self.quantum == 0 {
            return Err(SchedulerError::Zero);
        }
        if !(1..=1 << 20).contains(&self.hashed_queues)
            || !(1..=1 << 20).contains(&self.bucket_ranks)
        {
            return Err(SchedulerError::Queues);
        }
        Ok(())
    }
}

/// A scheduler of the registry.
type Built = Result<Box<dyn PacketScheduler>, SchedulerError>;

/// One line of the registry.
pub struct SchedulerInfo {
    /// The name in configuration files.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub about: &'static str,
    build: fn(&SchedulerConfig) -> Built,
}

/// Every scheduler by name: the ideal first, no scheduling last.
pub const SCHEDULERS: &[SchedulerInfo] = &[
    SchedulerInfo {
        name: "pifo-wfq",
        about: "weighted fair queueing in exact order of self-clocked virtual finish times",
        build: |config| Ok(Box::new(PifoWfq::exact(&config.pifo(), config.weights.clone()))),
    },
    SchedulerInfo {
        name: "wfq-bucket",
        about: "the same in order of 16ths of a unit, over a bucket queue, in constant time",
        build: wfq_bucket,
    },
    SchedulerInfo {
        name: "gearbox",
        about: "approximate weighted fair queueing by levels of FIFOs of growing granularity",
        build: |config| Ok(Box::new(Gearbox::new(&config.gearbox(), config.weights.clone())?)),
    },
    SchedulerInfo {
        name: "cq-1",
        about: "a calendar queue for weighted fair queueing, 1 unit of virtual time a FIFO",
        build: |config| cq(config, 1),
    },
    SchedulerInfo {
        name: "cq-10",
        about: "a calendar queue for weighted fair queueing, 10 units of virtual time a FIFO",
        build: |config| cq(config, 10),
    },
    SchedulerInfo {
        name: "cq-100",
        about: "a calendar queue for weighted fair queueing, 100 units of virtual time a FIFO",
        build: |config| cq(config, 100),
    },
    SchedulerInfo {
        name: "afq",
        about: "a calendar queue that keeps the flows' finish times in a sketch",
        build: |config| {
            let calendar = config.calendar(config.calendar_granularity);
            boxed(Afq::new(&calendar, config.sketch, config.weights.clone()))
        },
    },
    SchedulerInfo {
        name: "pcq",
        about: "a programmable calendar queue whose period ends when it is empty",
        build: |config| {
            let calendar = config.calendar(config.calendar_granularity);
            boxed(Pcq::new(&calendar, config.weights.clone()))
        },
    },
    SchedulerInfo {
        name: "drr",
        about: "deficit round robin: bytes in proportion to weights, flow by flow",
        build: |config| {
            let SchedulerConfig { quantum, flows, .. } = *config;
            let drr = DrrConfig { quantum, flows, limits: config.limits() };
            Ok(Box::new(Drr::new(&drr, config.weights.clone())))
        },
    },
    SchedulerInfo {
        name: "fq-codel",
        about: "deficit round robin over hashed queues, each kept short by CoDel; no weights",
        build: |config| {
            Ok(Box::new(FqCodel::new(&FqCodelConfig {
                queues: config.hashed_queues,
                quantum: config.quantum,
                codel: config.codel,
                seed: config.hash_seed,
                limits: config.limits(),
            })))
        },
    },
    SchedulerInfo {
        name: "drop-tail",
        about: "arrival order; when full, the arriving packet is dropped",
        build: |config| Ok(Box::new(DropTail::new(config.limits()))),
    },
];

fn cq(config: &SchedulerConfig, granularity: u64) -> Built {
    boxed(Cq::new(&config.calendar(granularity), config.weights.clone()))
}

fn boxed<S: PacketScheduler + 'static>(built: Result<S, CalendarError>) -> Built {
    Ok(Box::new(built?))
}

fn wfq_bucket(config: &SchedulerConfig) -> Built {
    let (ranks, places) = (config.bucket_ranks as usize, config.packet_limit as usize);
    let policy = WindowPolicy { beyond: Beyond::Reject, ..WindowPolicy::default() };
    let window: CircularWindow<crate::Packet> =
        CircularWindow::new(ranks, places, policy).map_err(|_| SchedulerError::Queues)?;
    let pifo = PifoConfig { fraction: 4, ..config.pifo() };
    Ok(Box::new(PifoWfq::over(window, &pifo, config.weights.clone())))
}

/// The scheduler called `name`.
///
/// ```
/// use forebay_sched::Packet;
/// use forebay_sched::scheduler::{SchedulerConfig, scheduler};
/// use forebay_units::Time;
///
/// let mut gearbox = scheduler("gearbox", &SchedulerConfig::default())?;
/// assert!(gearbox.enqueue(Time::ZERO, Packet { size: 1500, ..Packet::default() }).is_ok());
/// assert_eq!(gearbox.dequeue(Time::ZERO).map(|packet| packet.size), Some(1500));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
///
/// # Errors
/// [`SchedulerError`] if no scheduler has that name, or a parameter is out of range.
pub fn scheduler(name: &str, config: &SchedulerConfig) -> Built {
    let info = SCHEDULERS.iter().find(|info| info.name == name);
    let info = info.ok_or_else(|| SchedulerError::Unknown(name.to_string()))?;
    config.check()?;
    (info.build)(config)
}

/// Why a scheduler cannot be built.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SchedulerError {
    /// No scheduler has this name.
    Unknown(String),
    /// Nothing, or too much, may wait.
    Limits,
    /// A unit without bytes or weight, no flows, or a quantum of zero.
    Zero,
    /// Too few or too many hashed queues or bucket ranks.
    Queues,
    /// The calendar cannot be built.
    Calendar(CalendarError),
    /// The Gearbox cannot be built.
    Gearbox(GearboxError),
}

impl From<CalendarError> for SchedulerError {
    fn from(error: CalendarError) -> Self {
        SchedulerError::Calendar(error)
    }
}

impl From<GearboxError> for SchedulerError {
    fn from(error: GearboxError) -> Self {
        SchedulerError::Gearbox(error)
    }
}

impl fmt::Display for SchedulerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SchedulerError::Unknown(name) => {
                write!(f, "there is no scheduler \"{name}\"; use one of")?;
                for (index, info) in SCHEDULERS.iter().enumerate() {
                    write!(f, "{} {}", if index == 0 { "" } else { "," }, info.name)?;
                }
                Ok(())
            }
            SchedulerError::Limits => {
                write!(
                    f,
                    "packet_limit, byte_limit: let 1 to 2^31 packets and at least 1 byte wait"
                )
            }
            SchedulerError::Zero => {
                write!(f, "unit, flows, quantum: each must be at least 1")
            }
            SchedulerError::Queues => {
                write!(f, "hashed_queues, bucket_ranks: give 1 to 2^20 of each")
            }
            SchedulerError::Calendar(error) => write!(f, "{error}"),
            SchedulerError::Gearbox(error) => write!(f, "gearbox: {error}"),
        }
    }
}

impl core::error::Error for SchedulerError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_builds() {
        for info in SCHEDULERS {
            assert!(scheduler(info.name, &SchedulerConfig::default()).is_ok(), "{}", info.name);
        }
    }

    #[test]
    fn errors_name_the_fix() {
        let default = SchedulerConfig::default();
        let error =
            |name, config: &SchedulerConfig| scheduler(name, config).err().unwrap().to_string();
        let unknown = error("wfq", &default);
        assert!(
            unknown.starts_with("there is no scheduler \"wfq\"; use one of pifo-wfq,"),
            "{unknown}"
        );
        let none = SchedulerConfig { packet_limit: 0, ..default.clone() };
        assert!(error("drr", &none).starts_with("packet_limit"));
        let flat = SchedulerConfig { calendar_queues: 0, ..default.clone() };
        assert!(error("cq-1", &flat).starts_with("calendar: 0 first-in"));
        let mut odd = default;
        odd.gearbox.levels[1].granularity = 7;
        assert!(error("gearbox", &odd).starts_with("gearbox: level 2"));
    }
}
