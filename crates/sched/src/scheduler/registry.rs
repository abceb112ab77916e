//! The schedulers that hold packets, by name. Adding one: its file, its line here, and a field of
//! [`SchedulerConfig`] if it has parameters of its own. Every rank function is a scheduler too, by its own
//! name: see [`rank_functions`](crate::rank_functions).

use alloc::boxed::Box;
use alloc::string::ToString;

use forebay_pifo::{Beyond, BucketQueue, CircularWindow, ExactQueue, WindowPolicy};
use forebay_units::Time;

use super::limited::Limited;
use super::{PacketScheduler, SchedulerConfig, SchedulerError};
use crate::fair::gearbox::{Departure, Gearbox, GearboxConfig};
use crate::fair::{
    Afq, CalendarError, Cq, DropTail, Drr, DrrConfig, FqCodel, FqCodelConfig, Pcq, PifoConfig,
    PifoWfq,
};
use crate::functions::RANK_FUNCTIONS;
use crate::rank_queue::{DropLargest, DropTail as RefuseArrival, RankQueue, Ranked};
use crate::tree::{SchedulingTree, SeparateQueues};
use crate::{Quantizer, Rank, configured_rank_function};

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

/// Every scheduler that has a type of its own, by name: the ideal first, no scheduling last.
/// [`schedulers`] has the rank functions too.
pub const SCHEDULERS: &[SchedulerInfo] = &[
    SchedulerInfo {
        name: "pifo-wfq",
        about: "weighted fair queueing in exact order of self-clocked virtual finish times",
        build: |config| Ok(Box::new(PifoWfq::exact(&config.pifo(), config.weights.clone()))),
    },
    SchedulerInfo {
        name: "pifo-wfq-drop-largest",
        about: "the same, and when full the packet that would leave last is dropped instead of the arrival",
        build: wfq_drop_largest,
    },
    SchedulerInfo {
        name: "wfq-bucket",
        about: "pifo-wfq in order of 16ths of a unit, over a bucket queue, in constant time",
        build: wfq_bucket,
    },
    SchedulerInfo {
        name: "gearbox",
        about: "approximate weighted fair queueing by levels of FIFOs of growing granularity",
        build: |config| Ok(Box::new(Gearbox::new(&config.gearbox(), config.weights.clone())?)),
    },
    SchedulerInfo {
        name: "gearbox-auto",
        about: "the same with levels chosen for the range of weights",
        build: |config| {
            Ok(Box::new(Gearbox::new(&config.gearbox_auto()?, config.weights.clone())?))
        },
    },
    SchedulerInfo {
        name: "gearbox-srpt",
        about: "shortest remaining flow first, approximated by the same levels",
        build: |config| {
            let departure = Departure::ShortestRemaining;
            let gearbox = GearboxConfig { departure, ..config.gearbox() };
            Ok(Box::new(Gearbox::new(&gearbox, config.weights.clone())?))
        },
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
        name: "tree",
        about: "a scheduling tree: schedulers of schedulers, priorities, shares and shapers",
        build: |config| {
            let tree: SchedulingTree<SeparateQueues> = SchedulingTree::new(&config.tree())?;
            Ok(Box::new(Limited::new(tree, config.byte_limit)))
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

/// `scfq` is the order of `pifo-wfq`; drop-largest belongs to queues of ranks.
fn wfq_drop_largest(config: &SchedulerConfig) -> Built {
    let function = configured_rank_function("scfq", &config.ranks())?;
    let queue = ExactQueue::new(config.packet_limit as usize);
    let queue = RankQueue::with_overflow(function, queue, Quantizer::Identity, DropLargest);
    Ok(Box::new(queue.with_byte_limit(config.byte_limit)))
}

fn wfq_bucket(config: &SchedulerConfig) -> Built {
    let (ranks, places) = (config.bucket_ranks as usize, config.packet_limit as usize);
    let policy = WindowPolicy { beyond: Beyond::Reject, ..WindowPolicy::default() };
    let window: CircularWindow<crate::Packet> =
        CircularWindow::new(ranks, places, policy).map_err(|_| SchedulerError::Queues)?;
    let pifo = PifoConfig { fraction: 4, ..config.pifo() };
    Ok(Box::new(PifoWfq::over(window, &pifo, config.weights.clone())))
}

/// The rank function called `name` over an exact queue, or over buckets.
fn ranked(name: &str, config: &SchedulerConfig) -> Built {
    let function = configured_rank_function(name, &config.ranks())?;
    let places = config.packet_limit as usize;
    Ok(match config.quantizer {
        None => {
            let queue = RankQueue::new(function, ExactQueue::new(places));
            Box::new(queue.with_byte_limit(config.byte_limit))
        }
        Some(_) if function.may_leave_at(Rank::new(u64::MAX)) > Time::ZERO => {
            return Err(SchedulerError::DelayInBuckets(name.to_string()));
        }
        Some(quantizer) => {
            let buckets: BucketQueue<Ranked> =
                BucketQueue::new(config.bucket_ranks as usize, places)
                    .map_err(|_| SchedulerError::Queues)?;
            let queue = RankQueue::with_overflow(function, buckets, quantizer, RefuseArrival);
            Box::new(queue.with_byte_limit(config.byte_limit))
        }
    })
}

/// Every name that [`scheduler`] knows, and what it does: those of [`SCHEDULERS`], then the rank functions.
pub fn schedulers() -> impl Iterator<Item = (&'static str, &'static str)> {
    let own = SCHEDULERS.iter().map(|info| (info.name, info.about));
    own.chain(RANK_FUNCTIONS.iter().map(|info| (info.name, info.about)))
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
    config.check()?;
    if let Some(info) = SCHEDULERS.iter().find(|info| info.name == name) {
        return (info.build)(config);
    }
    if RANK_FUNCTIONS.iter().any(|info| info.name == name) {
        return ranked(name, config);
    }
    Err(SchedulerError::Unknown(name.to_string()))
}

#[cfg(test)]
mod tests {
    use forebay_units::Bytes;

    use super::*;
    use crate::Packet;

    #[test]
    fn every_name_builds() {
        let exact = SchedulerConfig::default();
        let buckets =
            SchedulerConfig { quantizer: Some(Quantizer::log_linear(8)), ..exact.clone() };
        for (name, _) in schedulers() {
            assert!(scheduler(name, &exact).is_ok(), "{name}");
            let over_buckets = scheduler(name, &buckets).err();
            let delays = SchedulerError::DelayInBuckets(name.to_string());
            assert_eq!(over_buckets, (name == "token-bucket").then_some(delays), "{name}");
            assert_eq!(schedulers().filter(|(other, _)| *other == name).count(), 1, "{name}");
        }
    }

    /// One flow that fills the buffer does not keep the others out where the largest rank is dropped.
    #[test]
    fn drop_largest_lets_others_into_a_full_buffer() {
        let config = SchedulerConfig { byte_limit: Bytes::new(15_000), ..Default::default() };
        let sent = |name| {
            let mut wfq = scheduler(name, &config).unwrap();
            for flow in [0u32; 20].into_iter().chain(1..=3) {
                let _ = wfq.enqueue(Time::ZERO, Packet { flow, size: 1500, ..Packet::default() });
            }
            assert!(wfq.bytes() <= config.byte_limit, "{name}");
            let left = core::iter::from_fn(|| wfq.dequeue(Time::ZERO)).map(|packet| packet.flow);
            left.take(4).collect::<alloc::vec::Vec<_>>()
        };
        assert_eq!(sent("pifo-wfq-drop-largest"), [0, 1, 2, 3]);
        assert_eq!(sent("pifo-wfq"), [0; 4]);
    }

    #[test]
    fn errors_name_the_fix() {
        let default = SchedulerConfig::default();
        let error =
            |name, config: &SchedulerConfig| scheduler(name, config).err().unwrap().to_string();
        let unknown = error("sjf", &default);
        assert!(
            unknown.starts_with("there is no scheduler \"sjf\"; use one of pifo-wfq,"),
            "{unknown}"
        );
        let none = SchedulerConfig { packet_limit: 0, ..default.clone() };
        assert!(error("drr", &none).starts_with("packet_limit"));
        for (flows, is_right) in [(0, false), (1 << 26, true), ((1 << 26) + 1, false)] {
            let config = SchedulerConfig { flows, ..default.clone() };
            assert_eq!(scheduler("drr", &config).is_ok(), is_right, "{flows} flows");
        }
        let flat = SchedulerConfig { calendar_queues: 0, ..default.clone() };
        assert!(error("cq-1", &flat).starts_with("calendar: 0 first-in"));
        let mut odd = default;
        odd.gearbox.levels[1].granularity = 7;
        assert!(error("gearbox", &odd).starts_with("gearbox: level 2"));
    }
}
