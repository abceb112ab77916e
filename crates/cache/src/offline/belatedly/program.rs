//! The multi-commodity-flow program of Belatedly (thesis §2.4.1), pruned and merged (§2.4.3).
//!
//! Each object is a commodity that makes one walk over its requests. A request on the walk is
//! either a *hit* or a *miss*; the requests that wait for a miss are not on it, since the miss pays
//! for them (Eq. 2.13). Four kinds of arcs, all there is of the network once backing-store nodes
//! are removed (Fig. 2.13):
//!
//! | from | to | costs | holds a slot at |
//! |---|---|---|---|
//! | miss k | miss of the first request after its data | the delay of that miss | - |
//! | miss k | hit of the same request | 0 | the rows from the arrival to the hit |
//! | hit k | hit k + 1 | 0 | the rows after hit k, to hit k + 1 |
//! | hit k | miss k + 1 | the delay of that miss | - |
//!
//! The second and third are the caching intervals (Fig. 2.11); the last two of a column are what
//! couples objects: a *row* is an instant at which at most C objects may hold a slot (Eq. 2.16).
//! Only arrivals begin to hold, so only arrivals are rows; one is dropped if nothing ends between
//! it and the next, which then holds all that it does. Objects that can never be hit are constants.
//!
//! Open in the paper, chosen here: several requests at one instant. Those for one object are one
//! node that costs as many times as much, since nothing is evicted between them (see
//! [`model`](crate::model)).
//!
//! O(n log n) for n requests to build; 32 bytes a request, and 20 more for a while.

use forebay_units::{Duration, Time};

use super::BelatedlyError;
use crate::model::{ObjectId, Request};

/// No node.
pub(super) const NONE: u32 = u32::MAX;

/// The most that all requests together may wait, in quanta, so that sums fit.
pub(super) const MAX_TOTAL: u64 = 1 << 60;

/// The requests for one object at one instant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// The aggregate delay if they are a miss, in quanta (Eq. 2.13).
    pub delay: i64,
    /// The node of the first request after the data of that miss arrives, or [`NONE`].
    pub next: u32,
    /// The row at which that data arrives; meaningless where there is no next node.
    pub arrival: u32,
    /// How many rows are not after these requests.
    pub used: u32,
    /// Which commodity, from 0.
    pub object: u32,
}

/// The program; see the module's head.
#[derive(Debug)]
pub(super) struct Program {
    /// By object and then by time.
    pub nodes: Vec<Node>,
    /// The time of each node.
    pub times: Vec<Time>,
    /// The first node of each object, and the number of nodes.
    pub starts: Vec<u32>,
    /// The name of each object.
    pub names: Vec<ObjectId>,
    /// How many rows there are.
    pub rows: u32,
    /// C.
    pub capacity: u64,
    /// Z.
    pub latency: Duration,
    /// What costs are counted in, in picoseconds: Z and all times between requests are multiples of
    /// it.
    pub quantum: u64,
    /// What objects that can never be hit cost, in quanta.
    pub constant: i64,
    /// Every delay is a multiple of this: so is the latency of any schedule.
    pub unit: i64,
    /// How many requests there are.
    pub requests: usize,
}

impl Program {
    pub(super) fn new(
        requests: &[Request],
        latency: Duration,
        capacity: u64,
    ) -> Result<Self, BelatedlyError> {
        check(requests, latency)?;
        let mut program = Program {
            nodes: Vec::new(),
            times: Vec::new(),
            starts: vec![0],
            names: Vec::new(),
            rows: 0,
            capacity,
            latency,
            quantum: quantum(requests, latency),
            constant: 0,
            unit: 0,
            requests: requests.len(),
        };
        let mut order: Vec<(ObjectId, Time)> =
            requests.iter().map(|request| (request.object, request.at)).collect();
        order.sort_unstable();
        for object in order.chunk_by(|a, b| a.0 == b.0) {
            program.add_object(object);
        }
        program.unit = program.unit.max(1);
        program.add_rows();
        Ok(program)
    }

    /// Z in quanta.
    pub(super) fn z(&self) -> u64 {
        self.latency.as_ps() / self.quantum
    }

    /// A cost in quanta as a span.
    pub(super) fn span(&self, cost: i64) -> Duration {
        let quanta = u64::try_from(cost).unwrap_or(0);
        Duration::from_ps(quanta.saturating_mul(self.quantum))
    }

    /// The nodes of object `index`, and the number of the first.
    pub(super) fn object(&self, index: usize) -> (&[Node], usize) {
        let (first, end) = (self.starts[index] as usize, self.starts[index + 1] as usize);
        (&self.nodes[first..end], first)
    }

    /// How many objects there are that may be hit.
    pub(super) fn objects(&self) -> usize {
        self.names.len()
    }

    /// Adds the nodes of an object, whose requests are given in the order of time.
    fn add_object(&mut self, requests: &[(ObjectId, Time)]) {
        let first = self.nodes.len();
        let instants: Vec<&[(ObjectId, Time)]> = requests.chunk_by(|a, b| a.1 == b.1).collect();
        // The window [node, end) holds `count` requests, whose times add up to `sum`.
        let (mut end, mut count, mut sum) = (0, 0_u128, 0_u128);
        for here in &instants {
            let arrival = here[0].1 + self.latency;
            while let Some(later) = instants.get(end).filter(|later| later[0].1 < arrival) {
                count += later.len() as u128;
                sum += u128::from(later[0].1.as_ps()) * later.len() as u128;
                end += 1;
            }
            // At most the latency of each: bounded by `check`.
            let delay = u128::from(arrival.as_ps()) * count - sum;
            let delay = (delay / u128::from(self.quantum)) as i64;
            let next = if end < instants.len() { (first + end) as u32 } else { NONE };
            let object = self.names.len() as u32;
            self.nodes.push(Node { delay, next, arrival: 0, used: 0, object });
            self.times.push(here[0].1);
            self.unit = greatest_common_divisor(self.unit, delay);
            count -= here.len() as u128;
            sum -= u128::from(here[0].1.as_ps()) * here.len() as u128;
        }
        if self.capacity == 0 || self.nodes[first].next == NONE {
            self.constant += self.cost_of_misses(first);
            self.nodes.truncate(first);
            self.times.truncate(first);
        } else {
            self.names.push(requests[0].0);
            self.starts.push(self.nodes.len() as u32);
        }
    }

    /// What the walk of misses only costs from `node` on.
    fn cost_of_misses(&self, node: usize) -> i64 {
        let mut node = self.nodes[node];
        let mut cost = node.delay;
        while node.next != NONE {
            node = self.nodes[node.next as usize];
            cost += node.delay;
        }
        cost
    }

    /// The times at which a slot may cease to be held: those of all nodes but the first of each
    /// object.
    fn possible_hits(&self) -> Vec<Time> {
        let objects = (0..self.objects()).map(|object| &self.starts[object..=object + 1]);
        objects
            .flat_map(|range| &self.times[range[0] as usize + 1..range[1] as usize])
            .copied()
            .collect()
    }

    /// Finds the rows, and what of each node they are.
    fn add_rows(&mut self) {
        let mut uses = self.possible_hits();
        sort_and_dedup(&mut uses);
        let admissible = self.nodes.iter().zip(&self.times).filter(|(node, _)| node.next != NONE);
        let mut arrivals: Vec<Time> = admissible.map(|(_, at)| *at + self.latency).collect();
        sort_and_dedup(&mut arrivals);
        let mut rows: Vec<Time> = Vec::new();
        let mut row_of = Vec::with_capacity(arrivals.len());
        for (index, &arrival) in arrivals.iter().enumerate() {
            row_of.push(rows.len() as u32);
            let end = uses.get(uses.partition_point(|at| *at < arrival));
            let next = arrivals.get(index + 1);
            if end.is_some_and(|end| next.is_none_or(|next| end < next)) {
                rows.push(arrival);
            }
        }
        for (node, &at) in self.nodes.iter_mut().zip(&self.times) {
            if node.next != NONE {
                let arrival = arrivals.partition_point(|other| *other < at + self.latency);
                node.arrival = row_of[arrival];
            }
            node.used = rows.partition_point(|row| *row <= at) as u32;
        }
        self.rows = rows.len() as u32;
    }
}

fn sort_and_dedup(times: &mut Vec<Time>) {
    times.sort_unstable();
    times.dedup();
}

fn greatest_common_divisor(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// What Z and all times between requests are multiples of, in picoseconds.
fn quantum(requests: &[Request], latency: Duration) -> u64 {
    let Some(first) = requests.first() else { return 1 };
    let apart = requests.iter().map(|request| (request.at - first.at).as_ps());
    apart.fold(latency.as_ps(), |mut a, mut b| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    })
}

/// What the program cannot express.
fn check(requests: &[Request], latency: Duration) -> Result<(), BelatedlyError> {
    if latency == Duration::ZERO {
        return Err(BelatedlyError::NoLatency);
    }
    if let Some(index) = requests.windows(2).position(|pair| pair[1].at < pair[0].at) {
        return Err(BelatedlyError::OutOfOrder { index: index + 1 });
    }
    let z = latency.as_ps() / quantum(requests, latency);
    let total = u128::from(z) * requests.len() as u128;
    if total > u128::from(MAX_TOTAL) || requests.len() >= NONE as usize {
        return Err(BelatedlyError::TooMuch { requests: requests.len(), latency });
    }
    match requests.last() {
        Some(last) if last.at.as_ps() > u64::MAX - latency.as_ps() - 1 => {
            Err(BelatedlyError::TooLate { at: last.at })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::model::{at_step, steps};

    fn program(trace: &[(u64, u64)], z: u64, capacity: u64) -> Program {
        let trace: Vec<Request> =
            trace.iter().map(|&(at, x)| Request::new(at_step(at), ObjectId(x))).collect();
        Program::new(&trace, steps(z), capacity).unwrap()
    }

    #[test]
    fn the_example_of_figure_2_12() {
        // Z = 3, requests at t, t + 1 and t + 2: the miss costs 3 + 2 + 1.
        let trace = [(0, 1), (4, 1), (5, 1), (6, 1), (7, 1)];
        let program = program(&trace, 3, 1);
        assert_eq!(program.span(program.nodes[1].delay), steps(6));
        assert_eq!((program.nodes[0].next, program.nodes[1].next), (1, 4));
    }

    #[test]
    fn rows_are_merged_and_hopeless_objects_are_constants() {
        // Arrivals at 1, 2 and 11 (the other is of no use); nothing ends between 1 and 2.
        let trace = [(0, 1), (1, 2), (3, 3), (10, 1), (12, 2), (13, 1)];
        let program = program(&trace, 1, 1);
        assert_eq!((program.rows, program.objects()), (2, 2));
        assert_eq!(program.span(program.constant), steps(1));
        let rows: Vec<_> = program.nodes.iter().map(|node| (node.arrival, node.used)).collect();
        assert_eq!(rows, [(0, 0), (1, 1), (0, 2), (0, 0), (0, 2)]);
        assert_eq!(program.span(program.unit), steps(1));
    }

    #[test]
    fn requests_of_one_instant_are_one_node() {
        let program = program(&[(0, 1), (0, 1), (2, 1), (5, 1)], 3, 1);
        let delays: Vec<_> = program.nodes.iter().map(|node| node.delay).collect();
        assert_eq!((delays, program.quantum), (vec![7, 3, 3], steps(1).as_ps()));
    }
}
