//! What became of a frame in a device, as a line of a recording: exactly what two runs are compared
//! by.

use std::fmt;

use crate::link::FrameFate;

/// What a device did with a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HopDecision {
    /// Which frame of those that came into the fabric, from 1. Copies have the number of their
    /// frame.
    pub frame: u64,
    /// The device, from 0.
    pub device: u32,
    /// The port that it was to leave through; `None` if it was lost before that was known.
    pub port: Option<u16>,
    /// What became of it.
    pub fate: FrameFate,
}

/// A line of CSV: `frame,device,port,fate,end_ps,at_ps,why`.
impl fmt::Display for HopDecision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let HopDecision { frame, device, port, fate } = self;
        match port {
            Some(port) => write!(f, "{frame},{device},{port},{fate}"),
            None => write!(f, "{frame},{device},,{fate}"),
        }
    }
}
