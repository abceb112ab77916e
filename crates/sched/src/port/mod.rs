//! Schedulers of a port: which of its queues sends next.
//!
//! Where a ranked queue orders packets, a port of a conventional switch orders a few FIFO queues
//! (traffic classes) by strict priority or by weights. [`PortScheduler`] is the one trait;
//! [`port_schedulers`] are the built-in ones, each a choice with its parameters; adding one is a
//! file and a line there. A scheduler holds no packets: it is shown the sizes of the queues' heads
//! when the port can send, so that whatever else happens to a queue meanwhile (head drops, say)
//! cannot confuse it.
//!
//! ```
//! use forebay_parameters::set;
//! use forebay_sched::port::port_schedulers;
//!
//! let mut wrr = port_schedulers().named("wrr")?.clone();
//! set(&mut wrr, &[("weights", "3:1")])?;
//! let mut wrr = wrr.build(&2)?;
//! // Both queues always have a packet of 1500 bytes.
//! let sent: Vec<u16> = (0..8).filter_map(|_| wrr.select(&|_class| Some(1500))).collect();
//! assert_eq!(sent, [0, 0, 0, 1, 0, 0, 0, 1]);
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```

mod drr;
mod priority_drr;
mod strict_priority;
mod wfq;
mod wrr;

use alloc::boxed::Box;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use forebay_parameters::{
    Choice, Choices, Configure, Family, Kind, ParameterError, Registry, Size, check,
};

pub use drr::DeficitRoundRobin;
pub use priority_drr::PriorityDrr;
pub use strict_priority::StrictPriorityPort;
pub use wfq::WfqPort;
pub use wrr::WeightedRoundRobin;

/// The size in bytes of the head packet of a queue of the port, `None` while it is empty.
pub type Heads<'a> = &'a dyn Fn(u16) -> Option<u32>;

/// Decides which queue of a port sends next.
pub trait PortScheduler: Send {
    /// The queue whose head the port sends now; `None` if all are empty. The scheduler counts it as
    /// sent.
    fn select(&mut self, heads: Heads<'_>) -> Option<u16>;
}

/// What port schedulers are made of; each reads its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortSchedulerConfig {
    /// Queues of the port.
    pub classes: u16,
    /// Weight of each queue, at least 1. Empty: all 1.
    pub weights: Vec<u32>,
    /// Bytes per unit of weight and round, for deficit round robin.
    pub quantum: u32,
}

impl PortSchedulerConfig {
    /// `classes` queues of equal weight, a quantum of 1500 bytes (a largest packet, so that every
    /// visit sends one).
    #[must_use]
    pub fn new(classes: u16) -> Self {
        PortSchedulerConfig { classes, weights: Vec::new(), quantum: 1500 }
    }

    /// The weight of every queue.
    fn weights(&self) -> Vec<u32> {
        if self.weights.is_empty() {
            return vec![1; usize::from(self.classes)];
        }
        self.weights.clone()
    }

    fn check(&self) -> Result<(), ParameterError> {
        let (given, classes) = (self.weights.len(), self.classes);
        if classes == 0 {
            return Err(ParameterError::value("classes", "a port has at least one queue"));
        }
        if given != 0 && given != usize::from(classes) {
            let problem = format!("{given} for {classes} queues; give one per queue, or none");
            return Err(Parameters::WEIGHTS.refuse(problem));
        }
        if self.quantum == 0 {
            return Err(Parameters::QUANTUM.refuse("give at least 1 byte"));
        }
        check(&mut Parameters { weights: Some(self.weights.clone()), quantum: None })
    }
}

/// The family of port schedulers, each built for so many queues of a port.
impl Family for dyn PortScheduler {
    const WHAT: &'static str = "port scheduler";
    type Shape = u16;
    type Built = Box<dyn PortScheduler>;
}

/// The built-in port schedulers.
#[must_use]
pub fn port_schedulers() -> Choices<dyn PortScheduler> {
    let weights = Parameters { weights: Some(Vec::new()), quantum: None };
    let both = Parameters { quantum: Some(PortSchedulerConfig::new(1).quantum), ..weights.clone() };
    Registry::of([
        StrictPriorityPort::choice(),
        choice(
            "priority-drr",
            "queue 0 first, the others by deficit round robin",
            both,
            |config| Box::new(PriorityDrr::new(config)),
        ),
        DeficitRoundRobin::choice(),
        choice(
            "wrr",
            "weighted round robin: packets in proportion to weights",
            weights.clone(),
            |config| Box::new(WeightedRoundRobin::new(config)),
        ),
        choice(
            "wfq",
            "self-clocked fair queueing: the smallest virtual finish time first",
            weights,
            |config| Box::new(WfqPort::new(config)),
        ),
    ])
}

impl StrictPriorityPort {
    /// The choice `strict-priority`.
    #[must_use]
    pub fn choice() -> Choice<dyn PortScheduler> {
        let about = "the first queue that has a packet, queue 0 first";
        choice("strict-priority", about, Parameters::default(), |config| {
            Box::new(StrictPriorityPort::new(config))
        })
    }
}

impl DeficitRoundRobin {
    /// The choice `drr`.
    #[must_use]
    pub fn choice() -> Choice<dyn PortScheduler> {
        let quantum = Some(PortSchedulerConfig::new(1).quantum);
        let both = Parameters { weights: Some(Vec::new()), quantum };
        choice("drr", "deficit round robin: bytes in proportion to weights", both, |config| {
            Box::new(DeficitRoundRobin::new(config))
        })
    }
}

fn choice(
    name: &'static str,
    about: &'static str,
    parameters: Parameters,
    build: fn(&PortSchedulerConfig) -> Box<dyn PortScheduler>,
) -> Choice<dyn PortScheduler> {
    Choice::new(name, about, parameters, move |own: &Parameters, classes: &u16| {
        let mut config = PortSchedulerConfig::new(*classes);
        config.weights = own.weights.clone().unwrap_or_default();
        config.quantum = own.quantum.unwrap_or(config.quantum);
        config.check().map(|()| build(&config))
    })
}

/// What a port scheduler reads of its configuration.
#[derive(Clone, Default, Configure)]
struct Parameters {
    /// Weight of each queue of a port, as 3:1; none for equal ones.
    #[parameter(assumed = "equal queues", range = 1..=u32::MAX, optional)]
    weights: Option<Vec<u32>>,
    /// Bytes per unit of weight and round.
    #[parameter(kind = Kind::Bytes, with = Size, optional)]
    #[parameter(assumed = "a largest packet, so that every visit sends one")]
    quantum: Option<u32>,
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use forebay_parameters::{Entry, set};

    use super::*;

    /// The scheduler called `name` over so many queues, with these weights.
    fn built(
        name: &str,
        classes: u16,
        weights: &str,
    ) -> Result<Box<dyn PortScheduler>, ParameterError> {
        let mut choice = port_schedulers().named(name).unwrap().clone();
        if !weights.is_empty() {
            set(&mut choice, &[("weights", weights)])?;
        }
        choice.build(&classes)
    }

    /// Bytes that each of the backlogged queues sent, each with packets of its own size.
    fn sent(name: &str, weights: &str, sizes: &[u32], packets: u32) -> Vec<u64> {
        let mut scheduler = built(name, sizes.len() as u16, weights).unwrap();
        let mut bytes = vec![0; sizes.len()];
        for _ in 0..packets {
            let class = scheduler.select(&|class| Some(sizes[usize::from(class)])).unwrap();
            bytes[usize::from(class)] += u64::from(sizes[usize::from(class)]);
        }
        bytes
    }

    #[test]
    fn fair_ones_share_bytes_by_weight_whatever_the_sizes() {
        for name in ["drr", "wfq"] {
            let bytes = sent(name, "1:2:4", &[64, 1500, 9000], 40_000);
            let all: u64 = bytes.iter().sum();
            for (bytes, weight) in bytes.iter().zip([1.0, 2.0, 4.0]) {
                let share = *bytes as f64 / all as f64;
                assert!((share - weight / 7.0).abs() < 1e-3, "{name}: {share} for {weight}");
            }
        }
        assert_eq!(sent("wrr", "1:3", &[64, 1500], 4000), [64_000, 4_500_000]);
        assert_eq!(sent("strict-priority", "", &[64, 1500], 10), [640, 0]);
    }

    #[test]
    fn one_queue_goes_before_others_that_share() {
        assert_eq!(sent("priority-drr", "", &[64, 1500, 1500], 10), [640, 0, 0]);
        let mut scheduler = built("priority-drr", 3, "9:1:3").unwrap();
        let mut packets = [0; 3];
        for turn in 0..8000 {
            // The first queue has a packet every other time.
            let head = |class: u16| (class > 0 || turn % 2 == 0).then_some(1500);
            packets[usize::from(scheduler.select(&head).unwrap())] += 1;
        }
        assert_eq!(packets, [4000, 1000, 3000]);
        let mut alone = built("priority-drr", 1, "").unwrap();
        assert_eq!((alone.select(&|_| Some(1)), alone.select(&|_| None)), (Some(0), None));
    }

    #[test]
    fn all_are_work_conserving_and_pick_only_queues_with_packets() {
        for choice in port_schedulers() {
            let mut choice = choice;
            let read = forebay_parameters::listed(&mut choice);
            let given = [("weights", "1:2:3:4:5"), ("quantum", "1 B")];
            let read = given
                .into_iter()
                .filter(|(name, _)| read.iter().any(|one| one.parameter.name == *name));
            set(&mut choice, &read.collect::<Vec<_>>()).unwrap();
            let mut scheduler = choice.build(&5).unwrap();
            let mut state = 1u32;
            for _ in 0..10_000 {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                // Any subset of queues, sizes from nothing to the largest there can be.
                let head = |class: u16| {
                    let bits = state.rotate_left(u32::from(class) * 5);
                    (bits & 3 == 0).then_some(bits >> (bits >> 4 & 31))
                };
                let any = (0..5).any(|class| head(class).is_some());
                match scheduler.select(&head) {
                    Some(class) => assert!(head(class).is_some(), "{}", choice.name()),
                    None => assert!(!any, "{} idles", choice.name()),
                }
            }
        }
    }

    #[test]
    fn bad_parameters_are_named() {
        let refused = |name, classes, weights| {
            let error = built(name, classes, weights).err().unwrap();
            (error.name().to_string(), error.to_string())
        };
        assert_eq!(
            refused("drr", 2, "1").1,
            "weights: 1 for 2 queues; give one per queue, or none"
        );
        assert_eq!(refused("drr", 2, "1:0").0, "weights");
        assert_eq!(refused("drr", 0, "").0, "classes");
        assert_eq!(refused("strict-priority", 2, "1:1").0, "weights");
        let mut drr = DeficitRoundRobin::choice();
        set(&mut drr, &[("quantum", "0 B")]).unwrap();
        assert_eq!(drr.build(&1).err().unwrap().name(), "quantum");
        assert!(
            port_schedulers().named("fq").unwrap_err().to_string().contains("no port scheduler")
        );
    }
}
