//! Query completion times.
//!
//! A query is complete when its last response is; the query completion time (QCT) counts from the
//! client's request (Occamy §6.2). Its slowdown is the "ratio between the actual value and the
//! ideal value without other traffic" (§6.4). The paper leaves open how the ideal is found. Our
//! choice: the responses begin as soon as their requests can have arrived, and share nothing but
//! the client's link. That link sends without a pause from the instant at which the first response
//! can have reached it; and no response is faster than it would be alone. Both are bounds, so the
//! slowdown is never below 1. O(responses); 40 bytes per query.

use core::ops::Range;

use forebay_units::{Duration, Time};

use super::{Completions, FlowRecord};
use crate::workload::Query;
use forebay_switch::FlowId;

/// What became of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryRecord {
    /// When the client sent the request.
    pub start: Time,
    /// When the last response was complete; `None` if one is not.
    pub finish: Option<Time>,
    /// The QCT in an empty network, or a lower bound on it.
    pub ideal: Duration,
}

impl QueryRecord {
    /// The record of a query from those of its network's flows, where the query's workload begins
    /// at flow `first`.
    #[must_use]
    pub fn new(query: &Query, first: FlowId, records: &[FlowRecord]) -> Self {
        let of = |range: &Range<FlowId>| {
            let at = |flow: FlowId| flow.saturating_add(first) as usize;
            records.get(at(range.start)..at(range.end)).unwrap_or(&[])
        };
        let (requests, responses) = (of(&query.requests), of(&query.responses));
        let complete = responses.len() == query.responses.len();
        let finish = responses.iter().map(|record| record.finish.filter(|_| complete));
        QueryRecord {
            start: query.start,
            finish: finish.reduce(|a, b| a.zip(b).map(|(a, b)| a.max(b))).flatten(),
            ideal: ideal(requests, responses),
        }
    }

    /// The query completion time.
    #[must_use]
    pub fn qct(&self) -> Option<Duration> {
        self.finish.map(|finish| finish.since(self.start))
    }
}

fn ideal(requests: &[FlowRecord], responses: &[FlowRecord]) -> Duration {
    let asked = |index: usize| requests.get(index).map_or(Duration::ZERO, |record| record.ideal);
    let each = || responses.iter().enumerate().map(|(index, record)| (asked(index), record));
    let alone = each().map(|(asked, record)| asked + record.ideal).max();
    let reached = each().map(|(asked, record)| asked + record.last_link.reach).min();
    let busy: Duration = responses.iter().map(|record| record.last_link.busy).sum();
    let delay = responses.iter().map(|record| record.last_link.delay).min();
    let together = reached.zip(delay).map(|(reached, delay)| reached + busy + delay);
    alone.max(together).unwrap_or(Duration::ZERO)
}

/// QCT and slowdown of the queries that began in `window` (its end excluded).
#[must_use]
pub fn queries(records: &[QueryRecord], window: &Range<Time>) -> Completions {
    let inside = records.iter().filter(|record| window.contains(&record.start));
    Completions::of(inside.map(|record| (record.qct(), record.ideal)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::Flow;
    use crate::measure::{LastLink, Transit};
    use crate::transport::SenderCounters;
    use forebay_units::Bytes;

    fn record(finish: Option<u64>, ideal: u64, reach: u64, busy: u64) -> FlowRecord {
        let us = Duration::from_us;
        FlowRecord {
            flow: Flow::new(0, 1, Bytes::new(1), Time::ZERO),
            finish: finish.map(|at| Time::ZERO + us(at)),
            delivered: Bytes::ZERO,
            ideal: us(ideal),
            last_link: LastLink { reach: us(reach), busy: us(busy), delay: us(1) },
            sender: SenderCounters::default(),
            transit: Transit::default(),
        }
    }

    #[test]
    fn a_query_ends_with_its_last_response() {
        let query = Query { client: 1, start: Time::ZERO, requests: 0..0, responses: 1..3 };
        let one = |last| {
            let flows = [record(None, 9, 9, 9), record(Some(30), 5, 2, 3), record(last, 8, 1, 4)];
            QueryRecord::new(&query, 0, &flows)
        };
        // The link is reached after 1 µs, busy for 7, and has a delay of 1: 9 µs; no response alone
        // takes longer.
        assert_eq!(one(Some(20)).ideal, Duration::from_us(9));
        assert_eq!(one(Some(20)).qct(), Some(Duration::from_us(30)));
        assert_eq!(one(None).qct(), None);
        let all = queries(&[one(Some(20)), one(None)], &(Time::ZERO..Time::from_ps(1)));
        assert_eq!((all.unfinished, all.time.unwrap().max), (1, Duration::from_us(30)));
        // Missing records, as of a workload that was not added, are not complete.
        assert_eq!(QueryRecord::new(&query, 7, &[]).qct(), None);
    }

    #[test]
    fn questions_come_first() {
        let query = Query { client: 1, start: Time::ZERO, requests: 0..1, responses: 1..2 };
        let flows = [record(Some(3), 3, 1, 1), record(Some(20), 8, 2, 3)];
        assert_eq!(QueryRecord::new(&query, 0, &flows).ideal, Duration::from_us(11));
    }
}
