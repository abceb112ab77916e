//! Real packets: an emulated link between two interfaces, with any switch of the project in front
//! of it.
//!
//! A [`Direction`](link::Direction) is one way of a link, sans-IO: it takes frames with the times
//! at which they arrived, and answers frames with the times at which they leave. It decides by a
//! [`SwitchModel`], a rate and a few draws, never reads a clock, and cannot tell a test from a
//! network. On Linux, [`live`] is the shell around two of them, which decides nothing: rings that
//! fetch frames and stamp them, namespaces, interfaces, and the loop that sleeps until the next
//! departure.
//!
//! ```
//! use forebay_dataplane::link::{Frame, EmulationConfig, Pace, Port};
//! use forebay_switch::SwitchConfig;
//! use forebay_units::{Duration, Rate, Time};
//!
//! let config = EmulationConfig { rate: Rate::from_bps(12_000_000), delay: Duration::from_ms(25), ..EmulationConfig::default() };
//! let pace = Pace::of(config.rate);
//! let mut port = Port::new(&SwitchConfig::named("fq-codel")?, &config, &pace)?;
//! let mut direction = port.direction(&config, pace, "up");
//! for _ in 0..2 {
//!     direction.arrive(Time::ZERO, Frame::new(vec![0; 1500]));
//! }
//! direction.advance(Time::ZERO);
//! // 1500 bytes take a millisecond, and then the delay.
//! let second = Time::ZERO + Duration::from_ms(27);
//! direction.advance(second);
//! let left = std::iter::from_fn(|| direction.depart(second)).map(|departure| departure.at);
//! assert!(left.eq([Time::ZERO + Duration::from_ms(26), second]));
//! # Ok::<(), forebay_switch::SwitchBuildError>(())
//! ```
//!
//! [`SwitchModel`]: forebay_switch::SwitchModel

pub mod fabric;
pub mod lateness;
pub mod link;
#[cfg(target_os = "linux")]
pub mod live;
pub mod meter;
pub mod record;
pub mod trace;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
