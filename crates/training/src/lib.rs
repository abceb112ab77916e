//! Training jobs as workloads of a network: what each rank computes, sends and receives, and what
//! waits for what.
//!
//! A [`Job`] is a graph of [`Node`]s per rank: computations, sends, receives and collectives. It
//! comes from a generator ([`generate`]: pipelines, experts, data parallelism), from Chakra
//! execution traces ([`chakra`]), or is written by hand. A [`Plan`] is a job that has been checked:
//! no rank waits for what nobody sends, and none in a circle. A [`Player`] runs it over a network
//! of `forebay-net-run` and [reports](Report) when each rank was done, and how long it waited for
//! messages with nothing to compute.
//!
//! ```
//! use forebay_net_run::network;
//! use forebay_training::{Patterns, Plan, Player, generate::generate};
//! use forebay_units::Time;
//!
//! // Stages of 1 ms forward and 2 ms backward, four microbatches: (4 + 1) * 3 ms, and messages.
//! let job = generate("pipeline:stages=2,microbatches=4,activation=10KB")?;
//! let net = network("star:2,100G,1us", &[])?;
//! let mut player = Player::new(Plan::new(job)?, net, Patterns::default())?;
//! assert!(player.advance(Time::MAX)?);
//! let report = player.report();
//! assert!((15_000.0..15_020.0).contains(&report.end_us), "{}", report.end_us);
//! assert_eq!(report.ranks[0].compute_us, 12_000.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The same job in the same network takes the same time on every machine. Memory: that of the job,
//! of the network's flows, and of the messages of the collectives that are under way.
#![forbid(unsafe_code)]

pub mod chakra;
mod error;
mod exchange;
pub mod generate;
mod job;
mod plan;
mod player;
mod report;

pub use error::{JobError, NodeName, NodeProblem};
pub use exchange::{AllReduce, Patterns};
pub use job::{Collective, Group, Job, Node, Operation, Processor, Script};
pub use plan::{MAX_NODES, MAX_RANKS, MAX_WAITS, Plan};
pub use player::{PlayError, Player, Span};
pub use report::{RankReport, Report};
