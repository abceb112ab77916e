//! Fair queueing from a programmable calendar queue.
//!
//! Source: PCQ (NSDI '20) as gearbox §2.2 and §5 compare with it; the calendar is
//! [`ProgrammableCalendar`], whose period ends when nothing is left in it. What differs from CQ:
//! the queue of a period that has ended is not used again before it is empty, so one queue less is
//! ahead meanwhile. The variant that moves packets between levels (gearbox §2.4) is not built.
//!
//! Complexity: O(log queues) per arrival, O(queues) at worst per departure. Memory: as CQ.

use forebay_parameters::{Choice, Configure, Kind, Parameter, Renamed, Walk};
use forebay_pifo::approximate::{Advance, ProgrammableCalendar};

use super::calendar::{Calendar, CalendarConfig, CalendarError, ExactDepartures, Period};
use crate::Packet;
use crate::scheduler::{PacketScheduler, Weights, weighted};

/// Fair queueing with periods that end when they are empty.
///
/// ```
/// use forebay_sched::Packet;
/// use forebay_sched::fair::{CalendarConfig, Pcq};
/// use forebay_sched::scheduler::{PacketScheduler, Weights};
/// use forebay_units::Time;
///
/// let mut queue = Pcq::new(&CalendarConfig::default(), Weights::default())?;
/// let packet = Packet { size: 1500, ..Packet::default() };
/// assert!(queue.enqueue(Time::ZERO, packet).is_ok());
/// assert_eq!(queue.dequeue(Time::ZERO), Some(packet));
/// # Ok::<(), forebay_sched::fair::CalendarError>(())
/// ```
pub type Pcq = Calendar<ProgrammableCalendar<Packet>, ExactDepartures>;

/// The choice `pcq`.
pub(super) fn choice() -> Choice<dyn PacketScheduler> {
    weighted(
        "pcq",
        "a programmable calendar queue whose period ends when it is empty",
        TwoOrMore::default(),
        |TwoOrMore(config), limits, weights| {
            Ok(Pcq::new(&CalendarConfig { limits, ..config.0 }, weights)?)
        },
    )
    .labelled("PCQ")
}

/// The shape of its calendar, in which one queue drains while others fill.
#[derive(Clone, Default)]
struct TwoOrMore(Period);

impl Configure for TwoOrMore {
    fn walk(&mut self, walk: &mut dyn Walk) {
        self.0.walk(&mut Renamed::new(walk, |one: &Parameter| {
            match *one == CalendarConfig::QUEUES {
                true => Parameter { kind: Kind::Int { min: 2, max: 1 << 20 }, ..one.clone() },
                false => one.clone(),
            }
        }));
    }
}

impl Pcq {
    /// An empty calendar of at least two queues.
    ///
    /// # Errors
    /// [`CalendarError`] if the configuration is out of range.
    pub fn new(config: &CalendarConfig, weights: Weights) -> Result<Self, CalendarError> {
        config.check()?;
        let (queues, places) = (config.queues as usize, config.limits.packets as usize);
        let queue = ProgrammableCalendar::new(queues, config.period(), places, Advance::WhenEmpty)?;
        Ok(Calendar::with(queue, ExactDepartures::new(config.flows), config, weights))
    }
}
