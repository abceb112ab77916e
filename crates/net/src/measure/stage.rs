//! How long the stages of a collective take.
//!
//! Hosts that wait for each other send the more flows the faster they are served, so that
//! completion times of flows compare unlike populations under two schemes. A stage is the same work
//! under both. It lasts from when a host begins to send until it has received all of the stage, or
//! of all hosts together behind a barrier. O(flows · log hosts).

use alloc::collections::BTreeMap;
use core::ops::Range;

use forebay_units::{Duration, Time};

use super::spread::Gathered;
use super::{Completions, FlowRecord};
use crate::workload::Stage;

/// Times of the stages that began in `window` (its end excluded), from the records of the
/// workload's flows; one for each host where hosts do not go on together. The ideal time is that of
/// its slowest flow alone.
#[must_use]
pub fn stages(stages: &[Stage], records: &[FlowRecord], window: &Range<Time>) -> Completions {
    let mut times = Gathered::default();
    for stage in stages {
        let flows = stage.flows.start as usize..stage.flows.end as usize;
        let mut hosts: BTreeMap<u32, Passage> = BTreeMap::new();
        for record in records.get(flows).unwrap_or(&[]) {
            let [from, to] =
                if stage.together { [0, 0] } else { [record.flow.src, record.flow.dst] };
            hosts.entry(from).or_default().sends(record);
            hosts.entry(to).or_default().receives(record);
        }
        for passage in hosts.values() {
            let Some(begin) = passage.begin.filter(|begin| window.contains(begin)) else {
                continue;
            };
            times.add(passage.end.map(|end| end.since(begin)), passage.ideal);
        }
    }
    times.spread()
}

/// A host, or all of them together, on its way through a stage.
struct Passage {
    /// When its first flow began; `None` if none has.
    begin: Option<Time>,
    /// When the last flow that it receives arrived; `None` if one did not.
    end: Option<Time>,
    /// The time of the slowest of them in an empty network.
    ideal: Duration,
}

impl Default for Passage {
    fn default() -> Self {
        Passage { begin: None, end: Some(Time::ZERO), ideal: Duration::ZERO }
    }
}

impl Passage {
    fn sends(&mut self, record: &FlowRecord) {
        let start = Some(record.flow.start).filter(|_| record.began());
        self.begin = self.begin.into_iter().chain(start).min();
    }

    fn receives(&mut self, record: &FlowRecord) {
        self.end = self.end.zip(record.finish).map(|(a, b)| a.max(b));
        self.ideal = self.ideal.max(record.ideal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::Flow;
    use crate::measure::{LastLink, Transit};
    use crate::transport::SenderCounters;
    use forebay_units::Bytes;

    fn at(us: u64) -> Time {
        Time::ZERO + Duration::from_us(us)
    }

    fn record(hosts: [u32; 2], start: Time, finish: Option<u64>) -> FlowRecord {
        FlowRecord {
            flow: Flow::new(hosts[0], hosts[1], Bytes::new(1), start),
            finish: finish.map(at),
            delivered: Bytes::ZERO,
            ideal: Duration::from_us(2),
            last_link: LastLink::default(),
            sender: SenderCounters::default(),
            transit: Transit::default(),
        }
    }

    #[test]
    fn a_host_is_through_when_it_has_received_its_part() {
        // Host 0 begins at 0 and hears from 1 at 9; host 1 begins at 4 and hears from 0 at 7.
        let first = [record([0, 1], at(0), Some(7)), record([1, 0], at(4), Some(9))];
        let second = [record([0, 1], at(9), None), record([1, 0], at(7), Some(20))];
        let late = [record([0, 1], at(50), Some(60)), record([1, 0], Time::MAX, None)];
        let records: Vec<FlowRecord> = first.into_iter().chain(second).chain(late).collect();
        let of = |flows, together| {
            let stage = Stage { flows, together };
            stages(&[stage], &records, &(at(0)..at(50)))
        };
        let apart = of(0..2, false).time.unwrap();
        assert_eq!((apart.count, apart.mean), (2, Duration::from_us(6)));
        assert_eq!(apart.max, Duration::from_us(9));
        let together = of(0..2, true).time.unwrap();
        assert_eq!((together.count, together.mean), (1, Duration::from_us(9)));
        // Host 1 waits for what never comes.
        let stuck = of(2..4, false);
        assert_eq!((stuck.unfinished, stuck.time.unwrap().mean), (1, Duration::from_us(11)));
        assert_eq!((of(2..4, true).unfinished, of(2..4, true).time), (1, None));
        // One began behind the window, the other never; and there are no such flows.
        assert_eq!((of(4..6, false).unfinished, of(4..6, false).time), (0, None));
        assert_eq!(of(6..9, false).time, None);
    }
}
