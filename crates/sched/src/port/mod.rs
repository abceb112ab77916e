//! Schedulers of a port: which of its queues sends next.
//!
//! Where a ranked queue orders packets, a port of a conventional switch orders a few FIFO queues (traffic
//! classes) by strict priority or by weights. [`PortScheduler`] is the one trait; [`PORT_SCHEDULERS`]
//! lists them by name. A scheduler holds no packets: it is shown the sizes of the queues' heads when the
//! port can send, so that whatever else happens to a queue meanwhile (head drops, say) cannot confuse it.
//!
//! ```
//! use forebay_sched::port::{PortSchedulerConfig, port_scheduler};
//!
//! let config = PortSchedulerConfig { weights: vec![3, 1], ..PortSchedulerConfig::new(2) };
//! let mut wrr = port_scheduler("wrr", &config)?;
//! // Both queues always have a packet of 1500 bytes.
//! let sent: Vec<u16> = (0..8).filter_map(|_| wrr.select(&|_class| Some(1500))).collect();
//! assert_eq!(sent, [0, 0, 0, 1, 0, 0, 0, 1]);
//! # Ok::<(), forebay_sched::port::PortSchedulerError>(())
//! ```

mod drr;
mod priority_drr;
mod strict_priority;
mod wfq;
mod wrr;

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

pub use drr::DeficitRoundRobin;
pub use priority_drr::PriorityDrr;
pub use strict_priority::StrictPriority;
pub use wfq::WeightedFairQueueing;
pub use wrr::WeightedRoundRobin;

/// The size in bytes of the head packet of a queue of the port, `None` while it is empty.
pub type Heads<'a> = &'a dyn Fn(u16) -> Option<u32>;

/// Decides which queue of a port sends next.
pub trait PortScheduler: Send {
    /// The queue whose head the port sends now; `None` if all are empty. The scheduler counts it as sent.
    fn select(&mut self, heads: Heads<'_>) -> Option<u16>;
}

/// Parameters of all port schedulers; each reads its own.
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
    /// `classes` queues of equal weight, a quantum of 1500 bytes (a largest packet, so that every visit
    /// sends one).
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

    fn check(&self) -> Result<(), PortSchedulerError> {
        let given = self.weights.len();
        if given != 0 && given != usize::from(self.classes) {
            return Err(PortSchedulerError::Weights { given, classes: self.classes });
        }
        if self.classes == 0 || self.quantum == 0 || self.weights.contains(&0) {
            return Err(PortSchedulerError::Zero);
        }
        Ok(())
    }
}

/// One line of the registry of port schedulers.
pub struct PortSchedulerInfo {
    /// The name in configuration files.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub about: &'static str,
    build: fn(&PortSchedulerConfig) -> Box<dyn PortScheduler>,
}

/// Every port scheduler by name.
pub const PORT_SCHEDULERS: &[PortSchedulerInfo] = &[
    PortSchedulerInfo {
        name: "strict-priority",
        about: "the first queue that has a packet, queue 0 first",
        build: |config| Box::new(StrictPriority::new(config)),
    },
    PortSchedulerInfo {
        name: "priority-drr",
        about: "queue 0 first, the others by deficit round robin",
        build: |config| Box::new(PriorityDrr::new(config)),
    },
    PortSchedulerInfo {
        name: "drr",
        about: "deficit round robin: bytes in proportion to weights",
        build: |config| Box::new(DeficitRoundRobin::new(config)),
    },
    PortSchedulerInfo {
        name: "wrr",
        about: "weighted round robin: packets in proportion to weights",
        build: |config| Box::new(WeightedRoundRobin::new(config)),
    },
    PortSchedulerInfo {
        name: "wfq",
        about: "self-clocked fair queueing: the smallest virtual finish time first",
        build: |config| Box::new(WeightedFairQueueing::new(config)),
    },
];

/// The port scheduler called `name`.
///
/// # Errors
/// If no scheduler has that name, or a parameter does not fit.
pub fn port_scheduler(
    name: &str,
    config: &PortSchedulerConfig,
) -> Result<Box<dyn PortScheduler>, PortSchedulerError> {
    config.check()?;
    PORT_SCHEDULERS
        .iter()
        .find(|info| info.name == name)
        .map(|info| (info.build)(config))
        .ok_or_else(|| PortSchedulerError::Unknown(name.to_string()))
}

/// Why a port scheduler cannot be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PortSchedulerError {
    /// No scheduler has this name.
    Unknown(String),
    /// There are weights, but not one per queue.
    Weights {
        /// Weights given.
        given: usize,
        /// Queues of the port.
        classes: u16,
    },
    /// No queues, a quantum of zero or a weight of zero.
    Zero,
}

impl fmt::Display for PortSchedulerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PortSchedulerError::Unknown(name) => {
                write!(f, "there is no port scheduler \"{name}\"; use one of")?;
                for (index, info) in PORT_SCHEDULERS.iter().enumerate() {
                    write!(f, "{} {}", if index == 0 { "" } else { "," }, info.name)?;
                }
                Ok(())
            }
            PortSchedulerError::Weights { given, classes } => {
                write!(f, "weights: {given} for {classes} queues; give one per queue, or none")
            }
            PortSchedulerError::Zero => {
                write!(
                    f,
                    "a port scheduler needs at least one queue, a quantum and weights above 0"
                )
            }
        }
    }
}

impl core::error::Error for PortSchedulerError {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that each of the backlogged queues sent, each with packets of its own size.
    fn sent(name: &str, weights: &[u32], sizes: &[u32], packets: u32) -> Vec<u64> {
        let config = PortSchedulerConfig {
            weights: weights.to_vec(),
            ..PortSchedulerConfig::new(sizes.len() as u16)
        };
        let mut scheduler = port_scheduler(name, &config).unwrap();
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
            let bytes = sent(name, &[1, 2, 4], &[64, 1500, 9000], 40_000);
            let all: u64 = bytes.iter().sum();
            for (bytes, weight) in bytes.iter().zip([1.0, 2.0, 4.0]) {
                let share = *bytes as f64 / all as f64;
                assert!((share - weight / 7.0).abs() < 1e-3, "{name}: {share} for {weight}");
            }
        }
        assert_eq!(sent("wrr", &[1, 3], &[64, 1500], 4000), [64_000, 4_500_000]);
        assert_eq!(sent("strict-priority", &[], &[64, 1500], 10), [640, 0]);
    }

    #[test]
    fn one_queue_goes_before_others_that_share() {
        assert_eq!(sent("priority-drr", &[], &[64, 1500, 1500], 10), [640, 0, 0]);
        let config = PortSchedulerConfig { weights: vec![9, 1, 3], ..PortSchedulerConfig::new(3) };
        let mut scheduler = port_scheduler("priority-drr", &config).unwrap();
        let mut packets = [0; 3];
        for turn in 0..8000 {
            // The first queue has a packet every other time.
            let head = |class: u16| (class > 0 || turn % 2 == 0).then_some(1500);
            packets[usize::from(scheduler.select(&head).unwrap())] += 1;
        }
        assert_eq!(packets, [4000, 1000, 3000]);
        let mut alone = port_scheduler("priority-drr", &PortSchedulerConfig::new(1)).unwrap();
        assert_eq!((alone.select(&|_| Some(1)), alone.select(&|_| None)), (Some(0), None));
    }

    #[test]
    fn all_are_work_conserving_and_pick_only_queues_with_packets() {
        for info in PORT_SCHEDULERS {
            let config = PortSchedulerConfig {
                weights: vec![1, 2, 3, 4, 5],
                quantum: 1,
                ..PortSchedulerConfig::new(5)
            };
            let mut scheduler = port_scheduler(info.name, &config).unwrap();
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
                    Some(class) => assert!(head(class).is_some(), "{}", info.name),
                    None => assert!(!any, "{} idles", info.name),
                }
            }
        }
    }

    #[test]
    fn bad_parameters_are_named() {
        let two = PortSchedulerConfig::new(2);
        let error = port_scheduler("fq", &two).err().unwrap().to_string();
        assert!(
            error.ends_with("use one of strict-priority, priority-drr, drr, wrr, wfq"),
            "{error}"
        );
        for weights in [vec![1], vec![1, 0]] {
            let config = PortSchedulerConfig { weights, ..two.clone() };
            assert!(port_scheduler("drr", &config).is_err());
        }
        assert!(port_scheduler("drr", &PortSchedulerConfig::new(0)).is_err());
    }
}
