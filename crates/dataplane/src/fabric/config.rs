//! What a fabric is made of.

use forebay_switch::SwitchConfig;

use super::forwarding::Forwarding;
use crate::link::{EmulationConfig, Pace, Rules};

/// What is at the other end of a port's wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// The outside: frames leave the fabric there, by the edge's number.
    Edge(u32),
    /// A port of a device.
    Port {
        /// The device, from 0.
        device: u32,
        /// Its port, from 0.
        port: u16,
    },
}

/// A port, and the wire behind it in the direction away from the device.
#[derive(Clone, Debug, PartialEq)]
pub struct PortConfig {
    /// Where its wire leads.
    pub peer: Peer,
    /// How fast it sends.
    pub pace: Pace,
    /// Delay and what else happens on the way; its rate, trace, MTU and memory are not read.
    pub link: EmulationConfig,
}

/// A switch of a fabric, or a host's network card, which is one too.
pub struct DeviceConfig {
    /// Its name in reports, as `s0`.
    pub name: String,
    /// How it stores and schedules frames.
    pub switch: SwitchConfig,
    /// Classes and ranks of frames in it.
    pub rules: Rules,
    /// How it finds the way of a frame.
    pub forwarding: Forwarding,
    /// Its ports, at least one.
    pub ports: Vec<PortConfig>,
}
