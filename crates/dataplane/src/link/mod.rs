//! One way of an emulated link, sans-IO: entrance, switch, rate, wire.

mod config;
mod counts;
mod decision;
mod direction;
mod flows;
mod frame;
mod node;
mod pace;
mod policy;
mod rules;
pub(crate) mod segments;
mod store;
#[cfg(test)]
mod tests;
mod wire;

pub use config::EmulationConfig;
pub use counts::{FrameCounts, LinkLoss};
pub use decision::{Decision, FrameFate};
pub use direction::{Departure, Direction, Port, largest_frame, least_memory};
pub(crate) use flows::Flows;
pub(crate) use frame::Hop;
pub use frame::{Checksum, Frame};
pub(crate) use node::{Node, Outcome};
pub use pace::{LEAST, LONGEST, Opportunities, Pace, PaceError, Steps};
pub use policy::NewPolicy;
pub use rules::Rules;
pub(crate) use store::Store;
pub(crate) use wire::Wire;
