//! The shell around a link, on Linux: it decides nothing.
//!
//! [`EmulatedLink::open`] makes two namespaces, one for the link and one for a command, and joins
//! them with the present one by two pairs of interfaces. [`EmulatedLink::run`] passes frames
//! between the two ends within the link's namespace, each through its
//! [`Direction`](crate::link::Direction), until it is told to stop. Namespaces have no names and
//! interfaces live in them, so that all are gone with the process.
//!
//! A [`Lab`] is the same for the hosts and switches of a topology: each host is a namespace with
//! one interface, and all switches are one [`Fabric`](crate::fabric::Fabric) between them.
//!
//! Frames come and leave by AF_PACKET or by AF_XDP ([`Backend`]).
//!
//! One thread, asleep while nothing is due. A frame costs a system call and two copies, and so does
//! a large segment whose pieces leave together.

mod abilities;
mod addresses;
mod buffers;
mod clock;
mod command;
mod control;
mod ends;
mod error;
mod lab;
mod line;
mod look;
mod namespace;
mod netlink;
mod relay;
mod ring;
mod running;
#[cfg(test)]
mod tests;
mod transfers;
mod waiting;

pub use abilities::Abilities;
pub use addresses::Addresses;
pub use command::{Companion, Ended, Task};
pub use control::{Control, Requests};
pub use error::LiveError;
pub use lab::{Lab, LabReport};
pub use line::Backend;
pub use look::{DeviceLook, Look, MOST_SHOWN};
pub use namespace::{Isolation, Namespace, is_allowed, isolate};
pub use relay::{EmulatedLink, LinkReport};
pub use running::{Enrolled, HostEntry, Running, RunningError, check_name, folder};
pub use transfers::{Connections, Exchanged, Span, TcpSettings, Transfer, Transferred, controls};
