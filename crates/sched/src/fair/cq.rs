//! Fair queueing from a calendar queue: CQ-1, CQ-10, CQ-100.
//!
//! Source: gearbox §2.2, §2.3, §4.1.1 and Table 2: 56 first-in first-out queues of 1, 10 or 100
//! units of virtual time; what departs later than the last is dropped. Flows' departure times are
//! exact.
//!
//! Complexity: O(1). Memory: 8 bytes a flow, and the calendar's.

use forebay_parameters::Choice;
use forebay_pifo::approximate::CalendarQueue;

use super::calendar::{Calendar, CalendarConfig, CalendarError, ExactDepartures};
use crate::Packet;
use crate::scheduler::{PacketScheduler, Weights, weighted};

/// Fair queueing with one granularity.
///
/// ```
/// use forebay_sched::{DropCause, Packet};
/// use forebay_sched::fair::{CalendarConfig, Cq};
/// use forebay_sched::scheduler::{PacketScheduler, Weights};
/// use forebay_units::Time;
///
/// // 56 units ahead are 28 packets of 1500 bytes.
/// let mut queue = Cq::new(&CalendarConfig::default(), Weights::default())?;
/// let packet = Packet { size: 1500, ..Packet::default() };
/// let refused = (0..).find_map(|sent| queue.enqueue(Time::ZERO, packet).err().map(|cause| (sent, cause)));
/// assert_eq!(refused, Some((27, DropCause::Horizon)));
/// # Ok::<(), forebay_sched::fair::CalendarError>(())
/// ```
pub type Cq = Calendar<CalendarQueue<Packet>, ExactDepartures>;

/// The choices `cq-1`, `cq-10` and `cq-100`.
pub(super) fn choices() -> [Choice<dyn PacketScheduler>; 3] {
    [
        ("cq-1", 1, "a calendar queue for weighted fair queueing, 1 unit of virtual time a FIFO"),
        (
            "cq-10",
            10,
            "a calendar queue for weighted fair queueing, 10 units of virtual time a FIFO",
        ),
        (
            "cq-100",
            100,
            "a calendar queue for weighted fair queueing, 100 units of virtual time a FIFO",
        ),
    ]
    .map(|(name, granularity, about)| {
        let config = CalendarConfig { granularity, ..CalendarConfig::default() };
        weighted(name, about, config, |config: &CalendarConfig, limits, weights| {
            Ok(Cq::new(&CalendarConfig { limits, ..*config }, weights)?)
        })
        .labelled(name.to_ascii_uppercase())
    })
}

impl Cq {
    /// An empty calendar queue.
    ///
    /// # Errors
    /// [`CalendarError`] if the configuration is out of range.
    pub fn new(config: &CalendarConfig, weights: Weights) -> Result<Self, CalendarError> {
        config.check()?;
        let places = config.limits.packets as usize;
        let queue = CalendarQueue::new(config.queues as usize, config.period(), places)?;
        Ok(Calendar::with(queue, ExactDepartures::new(config.flows), config, weights))
    }
}
