//! What became of a flow. About 170 bytes each, built on request.

use forebay_units::{Bytes, Duration, Time};

use super::spread::slowdown;
use crate::flow::Flow;
use crate::transport::SenderCounters;

/// How a flow uses the link to its destination, in an empty network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LastLink {
    /// From the flow's start until its first bit can be sent there.
    pub reach: Duration,
    /// How long it takes to send its packets there.
    pub busy: Duration,
    /// The link's delay.
    pub delay: Duration,
}

/// What became of a flow's data packets, including retransmissions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Transit {
    /// Packets that arrived.
    pub packets: u64,
    /// The sum of their delays, from when the transport sent each until it arrived.
    pub delay: Duration,
    /// Packets that were lost.
    pub lost: u64,
}

impl Transit {
    /// The mean delay; `None` if nothing arrived.
    ///
    /// ```
    /// use forebay_net::measure::Transit;
    /// use forebay_units::Duration;
    ///
    /// let two = Transit { packets: 2, delay: Duration::from_us(10), lost: 0 };
    /// assert_eq!(two.mean_delay(), Some(Duration::from_us(5)));
    /// assert_eq!(Transit::default().mean_delay(), None);
    /// ```
    #[must_use]
    pub fn mean_delay(&self) -> Option<Duration> {
        self.delay.as_ps().checked_div(self.packets).map(Duration::from_ps)
    }
}

impl core::ops::Add for Transit {
    type Output = Transit;

    fn add(self, other: Transit) -> Transit {
        let delay = self.delay.as_ps().saturating_add(other.delay.as_ps());
        Transit {
            packets: self.packets + other.packets,
            delay: Duration::from_ps(delay),
            lost: self.lost + other.lost,
        }
    }
}

/// What became of one flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowRecord {
    /// The flow, as it was given to the network.
    pub flow: Flow,
    /// When its last byte arrived; `None` if it did not complete.
    pub finish: Option<Time>,
    /// Bytes that arrived.
    pub delivered: Bytes,
    /// Its FCT in an empty network.
    pub ideal: Duration,
    /// Its use of its last link.
    pub last_link: LastLink,
    /// The sender's counters.
    pub sender: SenderCounters,
    /// What became of its data packets; nothing if the network does not
    /// [keep](crate::network::NetworkConfig::transits) it.
    pub transit: Transit,
}

impl FlowRecord {
    /// Whether it has begun: a flow that waits for others has no start until then.
    #[must_use]
    pub fn began(&self) -> bool {
        self.flow.start < Time::MAX
    }

    /// The flow completion time.
    #[must_use]
    pub fn fct(&self) -> Option<Duration> {
        self.finish.map(|finish| finish.since(self.flow.start))
    }

    /// FCT over ideal.
    #[must_use]
    pub fn slowdown(&self) -> Option<f64> {
        self.fct().map(|fct| slowdown(fct, self.ideal))
    }
}
