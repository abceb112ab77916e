//! Approximate fair queueing: a calendar queue whose flow state is a sketch.
//!
//! Source: AFQ (Sharma et al., NSDI '18) as gearbox §2.2 compares with it. A switch cannot keep the
//! finish time of every flow, so it keeps them in a count-min sketch: the flow's time is the
//! smallest of its cells, one in each row; accepting a packet raises all its cells to the new time.
//! Collisions make a flow later than it is, never earlier, and need no reset, since times that are
//! over count as now.
//!
//! Open, and chosen here: the hash (see `hash`), with the row as its seed; the sketch's size is a
//! parameter (default 4 rows of 4096, assumed); weights divide sizes as in all calendars here.
//!
//! Complexity: O(rows). Memory: 8 bytes a cell, and the calendar's.

use alloc::vec;
use alloc::vec::Vec;

use forebay_parameters::{Choice, Configure, Parameter, Source};
use forebay_pifo::approximate::CalendarQueue;

use super::calendar::{Calendar, CalendarConfig, CalendarError, Departures, Period};
use super::hash::spread;
use super::virtual_time::VirtualTime;
use crate::Packet;
use crate::flow_table::FLOWS;
use crate::scheduler::{PacketScheduler, Weights, weighted};

/// The size of AFQ's sketch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Configure)]
pub struct SketchConfig {
    /// Rows of AFQ's sketch.
    #[parameter(name = "sketch_rows", source = SMALL, range = 1..=16, default = 4)]
    pub rows: u32,
    /// Columns of AFQ's sketch.
    #[parameter(name = "sketch_columns", source = SMALL, range = 1..=1 << 20, default = 4096)]
    pub columns: u32,
}

const SMALL: Source = Source::assumed("a small sketch");

#[derive(Clone, Default, Configure)]
struct AfqConfig {
    #[parameter(part = all_but_flows)]
    calendar: Period,
    #[parameter(part)]
    sketch: SketchConfig,
}

/// The sketch remembers departure times of all flows.
fn all_but_flows(one: &Parameter) -> Option<Parameter> {
    (*one != FLOWS).then(|| one.clone())
}

/// The choice `afq`.
pub(super) fn choice() -> Choice<dyn PacketScheduler> {
    weighted(
        "afq",
        "a calendar queue that keeps the flows' finish times in a sketch",
        AfqConfig::default(),
        |config: &AfqConfig, limits, weights| {
            let calendar = CalendarConfig { limits, ..config.calendar.0 };
            Ok(Afq::new(&calendar, config.sketch, weights)?)
        },
    )
    .labelled("AFQ")
}

/// Departure times in a count-min sketch.
#[derive(Clone)]
pub struct SketchedDepartures {
    cells: Vec<VirtualTime>,
    columns: usize,
}

forebay_pifo::debug_in_one_line!(
    [] SketchedDepartures, |sketch| { cells: sketch.cells.len(), columns: sketch.columns }
);

impl SketchedDepartures {
    fn new(config: SketchConfig) -> Result<Self, CalendarError> {
        let SketchConfig { rows, columns } = config;
        if !(1..=16).contains(&rows) || !(1..=1 << 20).contains(&columns) {
            return Err(CalendarError::Sketch);
        }
        let columns = columns as usize;
        Ok(SketchedDepartures { cells: vec![VirtualTime::ZERO; rows as usize * columns], columns })
    }

    /// The cell of `flow` in a row.
    fn column(flow: u32, row: usize, columns: usize) -> usize {
        spread(flow, row as u64, columns)
    }
}

impl Departures for SketchedDepartures {
    fn last(&self, flow: u32) -> VirtualTime {
        let rows = self.cells.chunks_exact(self.columns).enumerate();
        rows.map(|(row, cells)| cells[Self::column(flow, row, self.columns)])
            .min()
            .unwrap_or_default()
    }

    fn record(&mut self, flow: u32, departure: VirtualTime) {
        let columns = self.columns;
        for (row, cells) in self.cells.chunks_exact_mut(columns).enumerate() {
            let cell = &mut cells[Self::column(flow, row, columns)];
            *cell = departure.max(*cell);
        }
    }
}

/// Fair queueing with one granularity and a sketch for the flows.
///
/// ```
/// use forebay_sched::Packet;
/// use forebay_sched::fair::{Afq, CalendarConfig, SketchConfig};
/// use forebay_sched::scheduler::{PacketScheduler, Weights};
/// use forebay_units::Time;
///
/// let sketch = SketchConfig::default();
/// let mut queue = Afq::new(&CalendarConfig::default(), sketch, Weights::default())?;
/// let packet = Packet { size: 1500, ..Packet::default() };
/// assert!(queue.enqueue(Time::ZERO, packet).is_ok());
/// assert_eq!(queue.dequeue(Time::ZERO), Some(packet));
/// # Ok::<(), forebay_sched::fair::CalendarError>(())
/// ```
pub type Afq = Calendar<CalendarQueue<Packet>, SketchedDepartures>;

impl Afq {
    /// An empty calendar queue with an empty sketch.
    ///
    /// # Errors
    /// [`CalendarError`] if a parameter is out of range.
    pub fn new(
        config: &CalendarConfig,
        sketch: SketchConfig,
        weights: Weights,
    ) -> Result<Self, CalendarError> {
        config.check()?;
        let places = config.limits.packets as usize;
        let queue = CalendarQueue::new(config.queues as usize, config.period(), places)?;
        Ok(Calendar::with(queue, SketchedDepartures::new(sketch)?, config, weights))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sketch_is_never_early_and_exact_without_collisions() {
        let mut narrow = SketchedDepartures::new(SketchConfig { rows: 2, columns: 8 }).unwrap();
        let mut wide = SketchedDepartures::new(SketchConfig { rows: 4, columns: 1 << 16 }).unwrap();
        for flow in 0..100 {
            let departure = VirtualTime::from_units(u64::from(flow % 17) + 1);
            narrow.record(flow, departure);
            wide.record(flow, departure);
        }
        for flow in 0..100 {
            let departure = VirtualTime::from_units(u64::from(flow % 17) + 1);
            assert!(narrow.last(flow) >= departure);
            assert_eq!(wide.last(flow), departure);
        }
        assert!((0..100).any(|flow| narrow.last(flow).units() > u64::from(flow % 17) + 1));
    }
}
