//! The shell around a link, on Linux: it decides nothing.
//!
//! [`Link::open`] makes two namespaces, one for the link and one for a command, and joins them with the present one by
//! two pairs of interfaces. [`Link::run`] passes frames between the two ends within the link's namespace, each through
//! its [`Direction`](crate::link::Direction), until it is told to stop. Namespaces have no names and interfaces live
//! in them, so that all are gone with the process.
//!
//! One thread, asleep while nothing is due. A frame costs two system calls and two copies.

mod addresses;
mod clock;
mod command;
mod ends;
mod error;
mod namespace;
mod netlink;
mod relay;
mod ring;
#[cfg(test)]
mod tests;

pub use addresses::Addresses;
pub use command::{Companion, Ended, Task};
pub use error::LiveError;
pub use namespace::{Isolation, Namespace, isolate};
pub use relay::{Link, Report, Stop};
