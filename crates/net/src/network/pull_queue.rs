//! What hosts remember of the [pulls](super::pulls) that they owe.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use forebay_switch::FlowId;
use forebay_units::Time;

/// The pulls of a partition's hosts.
#[derive(Debug)]
pub(super) struct Pulls {
    pub(super) hosts: Vec<HostPulls>,
    /// How many were sent.
    pub(super) sent: u64,
}

#[derive(Clone, Debug, Default)]
pub(super) struct HostPulls {
    /// The flows that have something to pull. Each occurs once.
    pub(super) turns: VecDeque<FlowId>,
    /// The next pull may leave from here on.
    pub(super) free_at: Time,
}

impl Pulls {
    pub(super) fn new(hosts: u32) -> Self {
        Pulls { hosts: alloc::vec![HostPulls::default(); hosts as usize], sent: 0 }
    }
}
