//! Packets go over equal links at random.
//!
//! Source: Dixit et al., "On the Impact of Packet Spraying in Data Center Networks", INFOCOM 2013.
//! Constant time.

use super::{Asked, Balancer, Draws, drawn};
use crate::route::ChannelId;

#[derive(Clone, Debug)]
pub(super) struct Spray(Draws);

impl Spray {
    pub(super) fn new(draws: Draws) -> Self {
        Spray(draws)
    }
}

impl Balancer for Spray {
    fn pick(&mut self, asked: &Asked<'_>, _: &dyn Fn(ChannelId) -> u64) -> ChannelId {
        drawn(asked.channels, self.0.next(asked.switch))
    }

    fn forget(&mut self) {}
}
