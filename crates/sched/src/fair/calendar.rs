//! A calendar of first-in first-out queues for weighted fair queueing: what CQ, AFQ and PCQ have in
//! common.
//!
//! Source: gearbox §2.2, §2.3, §4.1.1. A packet gets its departure time as in Gearbox, counted from
//! the beginning of the period being served, and joins the queue of its period; beyond the last
//! period it is dropped. The calendars themselves are those of `forebay_pifo::approximate`.
//!
//! Open, and chosen here: a calendar in which nothing waits moves on to a packet beyond its horizon
//! (see [`CalendarQueue`]); the paper's would drop it.
//!
//! Complexity: O(1) and what the calendar takes. Memory: that of the calendar and of what remembers
//! the flows' departure times.
//!
//! [`CalendarQueue`]: forebay_pifo::approximate::CalendarQueue

use core::fmt;

use forebay_parameters::{Configure, ParameterError, Walk};
use forebay_pifo::approximate::{ApproximateQueue, ShapeError};
use forebay_units::{Bytes, Time};

use super::room::{Limits, Room};
use super::virtual_time::{VirtualTime, VirtualUnit};
use crate::DropCause;
use crate::Packet;
use crate::flow_table::{FLOWS, FlowTable};
use crate::scheduler::{PacketScheduler, Weights};

/// The shape of a calendar.
///
/// ```
/// use forebay_sched::fair::CalendarConfig;
///
/// assert_eq!(CalendarConfig::default().queues, 56);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Configure)]
pub struct CalendarConfig {
    /// Flows whose departure time is remembered exactly.
    #[parameter(declared = FLOWS, default = 1 << 20)]
    pub flows: u32,
    /// Bytes of a unit of virtual time.
    #[parameter(part)]
    pub unit: VirtualUnit,
    /// FIFOs of a calendar queue.
    #[parameter(name = "calendar_queues", range = 1..=1 << 20, default = 56)]
    #[parameter(paper = "gearbox §4.1.1")]
    pub queues: u32,
    /// Units in a period of AFQ and PCQ.
    ///
    /// 1 to 2^32 units of virtual time; 1 is CQ-1 (gearbox Table 2). Some calendars have it in
    /// their name.
    #[parameter(name = "calendar_granularity", range = 1..=1 << 32, default = 1, apart)]
    #[parameter(assumed = "between those of gearbox Table 2")]
    pub granularity: u64,
    /// The most that may wait.
    #[parameter(skip)]
    pub limits: Limits,
}

/// A calendar whose granularity can be set.
#[derive(Clone)]
pub(super) struct Period(pub(super) CalendarConfig);

impl Default for Period {
    fn default() -> Self {
        Period(CalendarConfig { granularity: 10, ..CalendarConfig::default() })
    }
}

impl Configure for Period {
    fn walk(&mut self, walk: &mut dyn Walk) {
        self.0.walk(walk);
        walk.field(&CalendarConfig::GRANULARITY, &mut self.0.granularity);
    }
}

impl CalendarConfig {
    /// Checks what all calendars need.
    pub(super) fn check(&self) -> Result<(), CalendarError> {
        if !self.unit.is_valid() || !self.limits.is_valid() || self.flows == 0 {
            return Err(CalendarError::Zero);
        }
        if self.granularity > 1 << 32 {
            return Err(CalendarError::Granularity);
        }
        Ok(())
    }

    /// Virtual time of a period, in parts of a unit.
    pub(super) fn period(&self) -> u64 {
        VirtualTime::from_units(self.granularity).parts()
    }
}

/// Why a calendar cannot be built.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CalendarError {
    /// The calendar's shape is impossible.
    Shape(ShapeError),
    /// A unit, limit or number of flows is zero.
    Zero,
    /// The granularity is more than 2^32.
    Granularity,
    /// A sketch without rows or columns, or with too many.
    Sketch,
}

impl From<ShapeError> for CalendarError {
    fn from(error: ShapeError) -> Self {
        CalendarError::Shape(error)
    }
}

/// The same of the parameter at fault, by its declared name.
impl From<CalendarError> for ParameterError {
    fn from(error: CalendarError) -> Self {
        let name = match error {
            CalendarError::Shape(_) => "calendar_queues",
            CalendarError::Zero => "unit_bytes",
            CalendarError::Granularity => "calendar_granularity",
            CalendarError::Sketch => "sketch_rows",
        };
        ParameterError::value(name, error)
    }
}

impl fmt::Display for CalendarError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CalendarError::Shape(error) => write!(f, "calendar: {error}"),
            CalendarError::Zero => write!(
                f,
                "calendar: give at least 1 byte and a weight of 1 for a unit, 1 flow, 1 packet \
                 (2^31 at most) and 1 byte to hold"
            ),
            CalendarError::Granularity => {
                write!(f, "calendar: give a granularity of at most 2^32 units")
            }
            CalendarError::Sketch => {
                write!(f, "afq: give its sketch 1 to 16 rows of 1 to 2^20 columns")
            }
        }
    }
}

impl core::error::Error for CalendarError {}

/// Remembers the departure time of each flow's last packet, exactly or not.
pub trait Departures {
    /// The departure time of the flow's last packet, or later.
    fn last(&self, flow: u32) -> VirtualTime;
    /// A packet of the flow was accepted.
    fn record(&mut self, flow: u32, departure: VirtualTime);
}

/// The exact departure time of so many flows; larger flow numbers share them. 8 bytes a flow.
#[derive(Clone, Debug)]
pub struct ExactDepartures(FlowTable<VirtualTime>);

impl ExactDepartures {
    pub(super) fn new(flows: u32) -> Self {
        ExactDepartures(FlowTable::new(flows as usize))
    }
}

impl Departures for ExactDepartures {
    #[inline]
    fn last(&self, flow: u32) -> VirtualTime {
        self.0.get(flow)
    }

    #[inline]
    fn record(&mut self, flow: u32, departure: VirtualTime) {
        *self.0.of(flow) = departure;
    }
}

/// A calendar `Q` with departure times from `D`: [`Cq`](super::Cq), [`Afq`](super::Afq) or
/// [`Pcq`](super::Pcq).
#[derive(Clone)]
pub struct Calendar<Q, D> {
    queue: Q,
    departures: D,
    unit: VirtualUnit,
    weights: Weights,
    period: u64,
    room: Room,
    /// The beginning of the period being served.
    now: VirtualTime,
}

forebay_pifo::debug_in_one_line!(
    [Q: ApproximateQueue<Item = Packet> + Send, D: Departures + Send] Calendar<Q, D>,
    |queue| { len: queue.len(), bytes: queue.bytes() }
);

impl<Q: ApproximateQueue<Item = Packet>, D: Departures> Calendar<Q, D> {
    pub(super) fn with(queue: Q, departures: D, config: &CalendarConfig, weights: Weights) -> Self {
        Calendar {
            queue,
            departures,
            unit: config.unit,
            weights,
            period: config.period(),
            room: Room::new(config.limits),
            now: VirtualTime::ZERO,
        }
    }

    /// The system time: the beginning of the period being served.
    #[must_use]
    pub fn system_time(&self) -> VirtualTime {
        self.now
    }

    /// The departure time that `packet` would get if it arrived now.
    #[inline]
    #[must_use]
    pub fn departure(&self, packet: &Packet) -> VirtualTime {
        let parts = self.unit.parts(u64::from(packet.size), self.weights.of(packet.flow));
        self.now.max(self.departures.last(packet.flow)).after(parts)
    }
}

impl<Q, D> PacketScheduler for Calendar<Q, D>
where
    Q: ApproximateQueue<Item = Packet> + Send,
    D: Departures + Send,
{
    #[inline]
    fn enqueue(&mut self, _now: Time, packet: Packet) -> Result<(), DropCause> {
        self.room.check(&packet)?;
        let departure = self.departure(&packet);
        // The places suffice, so that a refusal is one of time.
        self.queue.push(departure.parts(), packet).map_err(|rejected| rejected.reason)?;
        self.departures.record(packet.flow, departure);
        self.room.enter(&packet);
        Ok(())
    }

    #[inline]
    fn dequeue(&mut self, _now: Time) -> Option<Packet> {
        let (departure, packet) = self.queue.pop()?;
        let period = departure - departure % self.period;
        self.now = self.now.max(VirtualTime::from_parts(period));
        self.room.leave(&packet);
        Some(packet)
    }

    fn len(&self) -> usize {
        self.room.len()
    }

    fn bytes(&self) -> Bytes {
        self.room.bytes()
    }
}
