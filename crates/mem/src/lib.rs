//! Memory timing: how long an access to packet memory takes, and what else can run meanwhile.
//!
//! A hybrid buffer's off-chip half is an HBM stack whose bandwidth depends on the order of
//! accesses: a row must be opened before its columns move, columns of one bank group move at half
//! rate, and the bus idles when its direction changes. [`PseudoChannel`] is that state machine and
//! its controller, one of the stack's independent parts; [`Device`] is all of them;
//! [`StripedDevice`] is all of them in lockstep at the cost of one, for buffers that stripe each
//! packet. The on-chip half is [`SramPort`]: a cell rate, with departures and arrivals always ahead
//! of swaps and expulsions.
//!
//! The source is Themis (NSDI '26, Appendix A), whose access patterns are functions in
//! [`patterns`]. [`check`] verifies any command trace against every constraint, and [`stepped`] is
//! a naive twin that looks at every clock; both are independent of the controller.
//!
//! ```
//! use forebay_mem::{BankAddress, ControllerConfig, Direction, HbmConfig, Request, StripedDevice};
//! use forebay_units::{Bytes, Time};
//!
//! let mut hbm = StripedDevice::new(&HbmConfig::samsung_hbm2e(), &ControllerConfig::in_order(0))?;
//! // A 2,000 B packet: 4 stripes of 512 B over the 16 pseudo channels, 48 B of padding.
//! let columns = hbm.columns_for(Bytes::new(2000)) as u16;
//! let stripe = hbm.geometry().stripe_bytes();
//! let mut read = Request::new(7, Direction::Read, BankAddress::default(), 0, columns, stripe);
//! read.useful = Bytes::new(2000);
//! hbm.submit(Time::ZERO, read)?;
//!
//! let done = hbm.next_event().ok_or("nothing pending")?;
//! let mut completions = Vec::new();
//! hbm.advance(done, &mut |completion| completions.push(completion));
//! assert_eq!(completions[0].id, 7);
//! // tRCD + 3 tCCD_L + CL + burst = 22 + 12 + 22 + 2 clocks of 625 ps.
//! assert_eq!(completions[0].at.as_ps(), 58 * 625);
//! assert_eq!(hbm.stats().bytes_read, Bytes::new(2048));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod channel;
pub mod check;
mod clock;
mod command;
mod config;
mod controller;
mod device;
mod fr_fcfs;
mod geometry;
mod held_rows;
mod in_order;
mod issuer;
mod lines;
pub mod patterns;
mod request;
mod sram;
mod stats;
pub mod stepped;
mod table;
mod timers;
mod timing;

pub use channel::PseudoChannel;
pub use command::{Command, CommandKind};
pub use config::{HbmConfig, Refresh};
pub use controller::{ControllerConfig, PagePolicy, Scheduling};
pub use device::{Device, StripedDevice};
pub use geometry::Geometry;
pub use request::{BankAddress, Completion, Direction, Request, SubmitError};
pub use sram::{BackgroundBusy, SramCounters, SramPort};
pub use stats::MemoryStats;
pub use timing::{Timing, WriteToRead};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
