//! What the ports of a switch send, for the state in which packets are lost.

use forebay_units::{Bytes, Rate, Time};

/// What a port sends, or has sent last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sending {
    rate: Rate,
    since: Time,
    size: u32,
}

impl Sending {
    /// A port that has sent nothing.
    pub(super) fn idle(rate: Rate) -> Self {
        Sending { rate, since: Time::ZERO, size: 0 }
    }

    /// It begins to send a packet of `size` bytes.
    #[inline]
    pub(super) fn begin(&mut self, now: Time, size: u32) {
        (self.since, self.size) = (now, size);
    }

    /// Whether it still sends. That takes a division, which only losses pay.
    fn is_busy(&self, now: Time) -> bool {
        self.since + self.rate.time_for(Bytes::new(self.size.into())) > now
    }
}

/// The rates of the ports that send at `now`, as a part of those of all.
pub(super) fn busy(ports: &[Sending], now: Time) -> f64 {
    let rate = |ports: &mut dyn Iterator<Item = &Sending>| -> f64 {
        ports.map(|port| port.rate.as_bps() as f64).sum()
    };
    rate(&mut ports.iter().filter(|port| port.is_busy(now))) / rate(&mut ports.iter())
}
