//! The laboratory in the browser: what a page asks of the engine, and the engine's answers.
//!
//! A [`Setup`] says what is compared: one of four laboratories, the same arrivals for both sides,
//! and a policy with its parameters on each [`Side`]. A [`Run`] is one side under way: the page
//! drives it and has the clock, as the command has its own. What can be chosen and set comes from
//! the registries of the engine's crates ([`panel`]), so that a new policy appears by itself.
//!
//! | laboratory | what runs | the same with the command |
//! |---|---|---|
//! | `network` | flows through switches, `forebay-net-run` | `forebay net run` |
//! | `capture` | a capture of the user's, `forebay-replay` | `forebay replay` |
//! | `cache` | requests to a cache, `forebay-cache` | `forebay cache simulate` |
//! | `jobs` | an attack on a scheduler of jobs, `forebay-surge` | experiments of `surge` |
//!
//! The features `switches` and `others` are parts of it: a page loads the one that it runs.
//!
//! ```
//! # #[cfg(feature = "switches")] {
//! use forebay_web::{Inputs, Run, Setup};
//!
//! let text = r#"{"lab":"network","topology":"star:3,10G,1us",
//!     "traffic":[{"pattern":"permutation","bytes":"1 MB"}],
//!     "sides":[{"policy":"dt"},{"policy":"occamy"}]}"#;
//! let setup = Setup::read(text)?;
//! let mut run = Run::new(&setup, 0, &Inputs::default())?;
//! while !run.advance(1000.0)? {}
//! assert!(run.report(0.0)?.contains(r#""ended":"finished""#));
//! # }
//! # Ok::<(), forebay_web::LabError>(())
//! ```
#![forbid(unsafe_code)]

mod api;
#[cfg(feature = "others")]
mod cache;
#[cfg(feature = "switches")]
mod capture;
mod command;
mod controls;
mod error;
mod figures;
#[cfg(feature = "others")]
mod jobs;
#[cfg(feature = "switches")]
mod network;
mod panel;
mod picture;
mod run;
mod setup;
#[cfg(feature = "others")]
mod sonic;
#[cfg(feature = "switches")]
mod traffic;
#[cfg(feature = "switches")]
mod watch;

pub use api::*;
pub use controls::{Control, ControlKind};
pub use error::LabError;
pub use panel::{Panel, PolicyLine, panel};
pub use picture::{Chart, Line, Measure, Picture, Table};
pub use run::{Inputs, Run};
pub use setup::{
    CacheSetup, CaptureSetup, JobsSetup, NetworkSetup, Settings, Setup, Side, Traffic,
};
