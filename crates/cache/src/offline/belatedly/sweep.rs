//! Runs a schedule forward in time: at each arrival, who ranks last gives way.
//!
//! The order of events is that of the [`model`](crate::model). Whoever waits in the cache has one
//! rank, given when it enters or is hit. O(log C) a node; 24 bytes a decision, 40 an object.

use std::collections::{BTreeSet, VecDeque};

use forebay_units::{Duration, Time};

use super::program::{NONE, Program};
use crate::model::{Action, Decision};

/// Ranks objects that wait in the cache.
pub(super) trait Judge {
    /// The rank of an object if it waits in the cache; nothing if it is better dropped.
    fn rank(&mut self, wait: Wait) -> Option<i64>;
}

/// A stay in the cache from now until a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wait {
    /// Of the node that was hit just now, or whose data arrives.
    pub from: usize,
    /// Of the node waited for.
    pub next: usize,
    /// Whether `from` was hit.
    pub hit: bool,
}

/// A feasible schedule, and what it costs.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    /// The total latency in quanta of the program.
    pub cost: i64,
    /// In the order of time.
    pub decisions: Vec<Decision>,
    /// Which nodes are hit; empty where nobody will ask.
    pub hits: Vec<bool>,
}

impl Plan {
    /// Adds the decisions that make `object` hit what `hits` says, in the order of time.
    pub(super) fn decide_by_hits(&mut self, program: &Program, object: usize, hits: &[bool]) {
        let (nodes, first) = program.object(object);
        let mut decide = |at, action| {
            let object = program.names[object];
            self.decisions.push(Decision { at, object, action });
        };
        let (mut index, mut hit) = (0, false);
        while let Some(node) = nodes.get(index) {
            let at = program.times[first + index];
            let next = match hit {
                true => index + 1,
                false if node.next == NONE => break,
                false => node.next as usize - first,
            };
            let later = next < nodes.len() && hits[first + next];
            match (hit, later) {
                (false, true) => decide(at + program.latency, Action::Admit),
                // As soon as the requests of this instant are served.
                (true, false) => decide(at + Duration::from_ps(1), Action::Evict),
                _ => {}
            }
            (index, hit) = (next, later);
        }
    }
}

/// Where an object is.
#[derive(Clone, Copy, Debug)]
enum SweptObject {
    Absent,
    Fetching,
    /// In the cache, with its rank.
    Cached(i64),
}

/// The nodes in the order of time.
pub(super) fn in_time(program: &Program) -> Vec<u32> {
    let mut order: Vec<u32> = (0..program.nodes.len() as u32).collect();
    order.sort_unstable_by_key(|node| (program.times[*node as usize], *node));
    order
}

/// The schedule that `judge` leads to.
pub(super) fn sweep(program: &Program, order: &[u32], judge: &mut impl Judge) -> Plan {
    let mut sweep = Sweep {
        program,
        judge,
        places: vec![SweptObject::Absent; program.objects()],
        cached: BTreeSet::new(),
        fetches: VecDeque::new(),
        plan: Plan {
            cost: program.constant,
            decisions: Vec::new(),
            hits: vec![false; program.nodes.len()],
        },
    };
    for &node in order {
        sweep.deliver_until(program.times[node as usize]);
        sweep.request(node as usize);
    }
    sweep.plan
}

struct Sweep<'a, J> {
    program: &'a Program,
    judge: &'a mut J,
    places: Vec<SweptObject>,
    /// Rank and node waited for.
    cached: BTreeSet<(i64, u32)>,
    /// The misses whose data is on its way, in order.
    fetches: VecDeque<u32>,
    plan: Plan,
}

impl<J: Judge> Sweep<'_, J> {
    fn deliver_until(&mut self, now: Time) {
        while let Some(&miss) = self.fetches.front() {
            let at = self.program.times[miss as usize] + self.program.latency;
            if at > now {
                break;
            }
            self.fetches.pop_front();
            self.deliver(miss as usize, at);
        }
    }

    fn deliver(&mut self, miss: usize, at: Time) {
        let node = self.program.nodes[miss];
        self.places[node.object as usize] = SweptObject::Absent;
        if node.next == NONE {
            return;
        }
        let wait = Wait { from: miss, next: node.next as usize, hit: false };
        let Some(rank) = self.judge.rank(wait) else { return };
        if self.cached.len() as u64 >= self.program.capacity {
            match self.cached.first().copied() {
                Some(last) if last < (rank, node.next) => {
                    self.cached.remove(&last);
                    self.plan.hits[last.1 as usize] = false;
                    self.leave(last.1 as usize, at);
                }
                _ => return,
            }
        }
        self.enter(rank, node.next);
        self.decide(node.object, at, Action::Admit);
    }

    fn request(&mut self, index: usize) {
        let node = self.program.nodes[index];
        match self.places[node.object as usize] {
            SweptObject::Fetching => {}
            SweptObject::Absent => {
                self.plan.cost += node.delay;
                self.places[node.object as usize] = SweptObject::Fetching;
                self.fetches.push_back(index as u32);
            }
            SweptObject::Cached(rank) => {
                self.cached.remove(&(rank, index as u32));
                let next = index + 1;
                let again = next < self.program.starts[node.object as usize + 1] as usize;
                let wait = Wait { from: index, next, hit: true };
                match again.then(|| self.judge.rank(wait)).flatten() {
                    Some(rank) => self.enter(rank, next as u32),
                    // As soon as the requests of this instant are served.
                    None => self.leave(index, self.program.times[index] + Duration::from_ps(1)),
                }
            }
        }
    }

    fn enter(&mut self, rank: i64, next: u32) {
        self.cached.insert((rank, next));
        self.plan.hits[next as usize] = true;
        self.places[self.program.nodes[next as usize].object as usize] = SweptObject::Cached(rank);
    }

    fn leave(&mut self, node: usize, at: Time) {
        let object = self.program.nodes[node].object;
        self.places[object as usize] = SweptObject::Absent;
        self.decide(object, at, Action::Evict);
    }

    fn decide(&mut self, object: u32, at: Time, action: Action) {
        let object = self.program.names[object as usize];
        self.plan.decisions.push(Decision { at, object, action });
    }
}
