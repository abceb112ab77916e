//! Runs a list of flows through a network of switches until every flow has finished, and reports
//! the results: what `forebay net run` and `forebay.net.run` share.
//!
//! A [`NetRunPlan`] is the checked form of a [`RunConfig`]; [`run`] executes it, can be stopped,
//! and reports progress. What it drives is a [`Session`], which reads no clock: a browser or a test
//! drives the same. [`Messages`] over it are for runs whose flows depend on each other, as those of
//! training jobs do. The network itself is `forebay-net`.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use forebay_net::flow::Flow;
//! use forebay_net_run::{Flows, NetRunPlan, RunConfig, run};
//! use forebay_units::{Bytes, Time};
//!
//! let flows = vec![Flow::new(0, 1, Bytes::new(100_000), Time::ZERO)];
//! let plan = NetRunPlan::new("star:2,10G,1us", Flows::Given(flows), RunConfig::default())?;
//! let done = run(plan, &mut |_| (), &AtomicBool::new(false))?;
//! assert_eq!((done.report.finished, done.problem), (1, None));
//! # Ok::<(), forebay_net_run::NetRunError>(())
//! ```
#![forbid(unsafe_code)]

mod config;
mod drive;
mod error;
mod failures;
mod flow_class;
mod flow_file;
mod messages;
mod plan;
mod records;
mod report;
mod session;
mod settings;
mod sizes;
mod table;

pub use config::RunConfig;
pub use drive::run;
pub use error::NetRunError;
pub use flow_class::{FLOW_FIELDS, class_rule};
pub use forebay_net::network::HostConfig;
pub use messages::{MessageError, Messages};
pub use plan::{Flows, NetRunPlan};
pub use records::Records;
pub use report::{
    ClassRow, LinkRow, LossRow, NetRunReport, Packets, PauseReport, PauseRow, TrimReport,
};
pub use session::{End, Moment, NetRunOutcome, Session};
pub use settings::network;
pub use sizes::sizes;
pub use table::write_table;
