//! Switches joined by links, sans-IO: frames come in at edges, and leave at edges, each at the
//! instant that rates, delays, queues and tables say.
//!
//! A [`Fabric`] is a list of [devices](DeviceConfig). A device is a switch of the project with N
//! Ethernet ports, which forwards by what it has [learnt](Forwarding::Learning), by
//! [routes](Forwarding::Routes), or, as a host's network card does, out of its only port. Behind a
//! port is a wire to a port of another device, or an edge. What passes between devices never leaves
//! this object, so the times inside are exact however late the caller wakes up: only what leaves at
//! an edge can be late.
//!
//! What is chosen: at one instant frames arrive before switches send, in the order in which they
//! were sent; devices act in their order. A frame that goes to several ports is copied, and each
//! copy is counted on its own way.
//!
//! O(log frames on their way) an event, beside what a switch takes.

mod config;
mod counts;
mod decision;
mod engine;
mod forwarding;
mod plan;
#[cfg(test)]
mod tests;

pub use config::{DeviceConfig, Peer, PortConfig};
pub use counts::DeviceCounts;
pub use decision::HopDecision;
pub use engine::{Devices, Exit, Fabric, Incoming, Shapes};
pub use forwarding::{Forwarding, MacAddress, MacTable, NextHop, RouteTable};
pub use plan::{Gateway, HostAddresses, LabConfig, LabPlan, LabPlanError, Mode, OutsidePort};
