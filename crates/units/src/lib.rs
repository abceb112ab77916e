//! The units used by every Forebay crate: instants and spans in picoseconds, sizes in bytes, rates
//! in bits per second. All are integers, so that a simulation gives the same bytes on every
//! machine, and each is a type of its own, so that a unit never travels in a comment.
//!
//! ```
//! use forebay_units::{Bytes, Rate, Time};
//!
//! let link: Rate = "50 Gb/s".parse()?;
//! let packet = Bytes::new(1500);
//! let done = Time::ZERO + link.time_for(packet);
//! assert_eq!(done.as_ps(), 240_000);
//! # Ok::<(), forebay_units::ParseUnitError>(())
//! ```
//!
//! The textual forms accepted by `FromStr` (and printed by `Display`) are those of experiment
//! files: `"10 ms"`, `"16 KiB"`, `"5 MB"` (decimal), `"3.2 Tb/s"`.
//!
//! [`printable`] is how errors, here and in all crates above, quote what they refuse.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod amount;
mod parse;
mod printable;
mod rate;
#[cfg(feature = "schema")]
mod schema;
mod size;
mod time;

pub use parse::ParseUnitError;
pub use printable::{Printable, is_hidden, printable};
pub use rate::Rate;
pub use size::Bytes;
pub use time::{Duration, Time};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
