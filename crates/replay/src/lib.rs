//! A real capture through a switch: its packets arrive when they were recorded, faster or slower,
//! for the ports that their addresses lead to, with ranks and classes made of their headers.
//!
//! A [`ReplayPlan`] says when and where each packet of a [`Recording`](forebay_workload::Recording)
//! arrives; [`replay`] drives any switch with it and tells a [`Witness`] what became of every
//! packet. Its event loop is that of [`Links`](forebay_switch::Links). [`Summary`] counts,
//! [`PacketTable`] writes a line each, [`DepartureCapture`] writes what left as a capture.
//!
//! [`run_rtl`] sends the same plan through `rtl/tm`, the traffic manager in SystemVerilog, and
//! compares it with the switch, event by event.
//!
//! **What is modelled.** A packet arrives at its recorded time: inputs have no rate of their own,
//! so a faster replay may deliver more at once than a link could. A port sends at its rate, back to
//! back. The senders do not notice what is lost (open loop): a real TCP would slow down.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use forebay_replay::{Pace, ReplayPlan, PlanConfig, Ranking, Summary, replay};
//! use forebay_switch::{Catalogue, SwitchConfig, SwitchShape};
//! use forebay_units::Rate;
//! # use forebay_workload::{CaptureLimits, Recording};
//! # let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments/themis/captures/mixed-programs.pcap");
//! # let recording = Recording::open(root.as_ref(), CaptureLimits::default())?;
//! let config = PlanConfig {
//!     pace: Pace::Load(0.9),
//!     rank: Some(Ranking::read("size", &Catalogue::default())?), // the shortest packet first
//!     ..PlanConfig::new(vec![Rate::from_gbps(1); 4])
//! };
//! let plan = ReplayPlan::new(&recording, config)?;
//! let shape = SwitchShape { index: 0, ports: plan.ports() };
//! let mut switch = plan.switch(SwitchConfig::named("pifo")?)?.build(&shape)?;
//! let mut tally = Summary::new(&plan);
//! let end = replay(&plan, &mut switch, &mut tally, &AtomicBool::new(false));
//! let report = tally.report(end);
//! assert_eq!(report.sent.packets + report.lost.packets, 5728);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod departures;
mod drive;
mod error;
mod fields;
mod output;
mod plan;
mod ranking;
mod routes;
mod rtl;
mod session;
mod summary;
mod table;
#[cfg(test)]
mod testing;

pub use departures::DepartureCapture;
pub use drive::{End, Ended, Fate, Witness, replay};
pub use error::ReplayError;
pub use fields::{FIELDS, PacketFields, class_rule, names};
pub use plan::{
    Offered, Pace, PlanConfig, ReplayPlan, check_class, classless, with_classes, with_room,
};
pub use ranking::{HeaderRule, Ranking};
pub use routes::{Route, RouteError, port_of};
pub use rtl::{
    CoreConfig, CoreScheduler, Difference, HybridCoreConfig, HybridReport, HybridRun, HybridTotals,
    Place, RtlError, RtlReport, RtlRun, RtlTools, Totals, run_hybrid, run_rtl,
};
pub use session::{Outputs, Replayed, run};
pub use summary::{Delays, Lost, PortSummary, ReplayReport, Summary};
pub use table::PacketTable;
