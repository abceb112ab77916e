//! Decides what a SONiC switch's buffer configuration means: how many bytes each queue and priority
//! group may hold as its pool fills, why, and which classic mistakes the configuration contains.
//!
//! The central type is [`Config`], read by [`parse`] from the bytes of a `config_db.json`;
//! [`explain()`] turns it into numbers with their formulas, and [`check::findings`] into warnings.
//!
//! ```
//! let config = forebay_sonic::parse(br#"{
//!     "BUFFER_POOL": {"egress_pool": {"type": "egress", "mode": "dynamic", "size": "9000000"}},
//!     "BUFFER_PROFILE": {"lossy": {"pool": "egress_pool", "size": "0", "dynamic_th": "3"}},
//!     "BUFFER_QUEUE": {"Ethernet0|0-1": {"profile": "lossy"}}
//! }"#)?;
//! let explained = forebay_sonic::explain(&config);
//! // One congested queue with alpha = 8 holds 8/9 of the pool (occamy, Eq. 2 with N = 1).
//! assert_eq!(explained.profiles[0].alone_bytes, Some(8_000_000));
//! # Ok::<(), forebay_sonic::SonicErrors>(())
//! ```
//!
//! It is a separate crate and not a module of `forebay-buffer`, because reading JSON needs `std`
//! and the engine crates do without; and not one of `forebay-lab`, because it needs nothing of the
//! laboratory and can be embedded in a configuration checker alone.
#![forbid(unsafe_code)]

pub mod check;
pub mod config;
mod document;
pub mod error;
pub mod explain;
pub mod play;
mod read;
pub mod share;

pub use config::{AlphaExponent, Config};
pub use document::LARGEST;
pub use error::{SonicError, SonicErrors};
pub use explain::{Explanation, explain};
pub use read::{TABLES, parse};

/// A configuration to try things with: eight ports of 100 Gb/s with flow control, shared headroom
/// and ECN; ours, of no real switch.
pub const EXAMPLE: &[u8] = include_bytes!("../tests/data/lossless.json");

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
