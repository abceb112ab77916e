//! The largest flows in bounded memory: Space-Saving (Metwally, Agrawal and El Abbadi, "Efficient
//! computation of frequent and top-k elements in data streams", ICDT 2005, §3).
//!
//! Of `m` bytes in all, a flow with more than `m` / [`MOST_FLOWS`] of them is always among those
//! that are kept. A flow that takes another's place inherits its bytes as an error; what is told
//! are the bytes without the error, which is at most what the flow really had. O(1) for a flow that
//! is kept, O([`MOST_FLOWS`]) for another.

use std::collections::HashMap;

use forebay_switch::Tally;
use forebay_units::Duration;
use forebay_workload::Headers;

/// The most flows that are told apart at once.
pub const MOST_FLOWS: usize = 256;

/// What passed of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowPassed {
    /// Which; `None` is all that is not IP.
    pub flow: Option<Headers>,
    /// What left.
    pub left: Tally,
    /// How many frames switches gave up.
    pub lost: u64,
    /// The sum of the times that frames took which left.
    pub took: Duration,
    /// The longest of them.
    pub longest: Duration,
    /// What another flow had whose place this one took, in bytes.
    inherited: u64,
}

impl FlowPassed {
    /// What its place is compared by.
    fn weight(&self) -> u64 {
        self.inherited + self.left.bytes + self.lost
    }
}

/// The largest flows.
#[derive(Debug, Default)]
pub(super) struct Largest {
    places: HashMap<Option<Headers>, usize>,
    flows: Vec<FlowPassed>,
}

impl Largest {
    /// A frame of a flow left.
    pub(super) fn left(&mut self, flow: Option<Headers>, size: u32, took: Duration) {
        let flow = self.place(flow);
        flow.left.count(size);
        flow.took += took;
        flow.longest = flow.longest.max(took);
    }

    /// A frame of a flow was given up.
    pub(super) fn lost(&mut self, flow: Option<Headers>) {
        self.place(flow).lost += 1;
    }

    fn place(&mut self, flow: Option<Headers>) -> &mut FlowPassed {
        if let Some(place) = self.places.get(&flow) {
            return &mut self.flows[*place];
        }
        let (left, took) = (Tally::default(), Duration::ZERO);
        let mut new = FlowPassed { flow, left, lost: 0, took, longest: took, inherited: 0 };
        let place = if self.flows.len() < MOST_FLOWS {
            self.flows.push(new);
            self.flows.len() - 1
        } else {
            let weights = self.flows.iter().map(FlowPassed::weight).enumerate();
            let (place, weight) = weights.min_by_key(|(_, weight)| *weight).unwrap_or_default();
            self.places.remove(&self.flows[place].flow);
            new.inherited = weight;
            self.flows[place] = new;
            place
        };
        self.places.insert(flow, place);
        &mut self.flows[place]
    }

    /// The `top` largest, the largest first; then none is known any more.
    pub(super) fn take(&mut self, top: usize) -> Vec<FlowPassed> {
        self.places.clear();
        let mut flows = std::mem::take(&mut self.flows);
        flows.sort_by_key(|flow| std::cmp::Reverse((flow.left.bytes, flow.lost)));
        flows.truncate(top);
        flows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(port: u16) -> Option<Headers> {
        let [source, destination] = [[10, 0, 0, 1], [10, 0, 0, 2]].map(std::net::IpAddr::from);
        Some(Headers { source, destination, protocol: 17, ports: [port, 9] })
    }

    #[test]
    fn the_largest_are_found_among_many() {
        let mut flows = Largest::default();
        for round in 0..200 {
            // Each of the small ones comes once, and more of them than there is room.
            for small in 0..100 {
                flows.left(flow(1_000 + round * 100 + small), 60, Duration::from_us(1));
            }
            flows.left(flow(1), 1_500, Duration::from_us(7));
            flows.left(flow(2), 750, Duration::from_us(3));
            flows.lost(flow(2));
        }
        let top = flows.take(2);
        let found: Vec<_> = top.iter().map(|one| (one.flow, one.left.bytes)).collect();
        assert_eq!(found, [(flow(1), 300_000), (flow(2), 150_000)]);
        assert_eq!((top[0].took, top[0].longest), (Duration::from_us(1400), Duration::from_us(7)));
        assert_eq!(top[1].lost, 200);
        assert!(flows.take(2).is_empty());
    }

    #[test]
    fn memory_is_bounded_and_nothing_is_told_that_was_not_there() {
        let mut flows = Largest::default();
        for port in 0..5_000 {
            flows.left(flow(port), 100, Duration::ZERO);
        }
        assert!(flows.flows.len() == MOST_FLOWS && flows.places.len() == MOST_FLOWS);
        let all = flows.take(usize::MAX);
        assert!(all.iter().all(|one| one.left.bytes == 100), "each came once");
    }
}
