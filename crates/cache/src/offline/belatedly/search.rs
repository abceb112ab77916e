//! The exact optimum of small instances: a depth-first search over schedules, bounded by prices.
//!
//! Whenever data arrives it is bypassed, admitted, or admitted in the place of any cached object;
//! whenever an object is hit it is kept or dropped. Each state has a lower bound of its own: what
//! was paid, and the cheapest walks from here on at the prices. Branches of the least bound go
//! first; those that cannot beat the best schedule are cut. With prices near the optimum little is
//! left to search.
//!
//! Not from the paper, which leaves the gap between the fractional and the integral optimum open.
//! Exponential at worst; the memory of a state is some kilobytes, and there are as many as
//! decisions.

use std::collections::VecDeque;

use forebay_units::{Duration, Time};

use super::prices::Priced;
use super::program::{NONE, Node, Program};
use super::sweep::Plan;
use super::walks::{Visit, visit};
use crate::model::{Action, Decision};

/// The most nodes of a program that is searched.
const MAX_NODES: usize = 64;

/// What a search found.
#[derive(Debug)]
pub(super) struct Found {
    /// A lower bound in quanta: that of the best schedule if the search came to its end, else the
    /// least.
    pub lower: i64,
    /// A schedule better than the one that was known.
    pub better: Option<Plan>,
}

/// Searches for schedules that cost less than `upper`, visiting `limit` states at most.
pub(super) fn search(
    program: &Program,
    order: &[u32],
    priced: &Priced,
    upper: i64,
    limit: u32,
) -> Found {
    if program.nodes.len() > MAX_NODES {
        return Found { lower: i64::MIN, better: None };
    }
    let mut visits = Vec::new();
    let mut all: Vec<Visit<i64>> = Vec::new();
    for object in 0..program.objects() {
        visit(priced.exact, program.object(object), &priced.sums, &mut visits);
        all.append(&mut visits);
    }
    let mut search =
        Search { program, order, priced, visits: all, upper, better: None, left: limit };
    search.explore(State::new(program));
    let lower = if search.left > 0 { search.upper } else { i64::MIN };
    Found { lower, better: search.better }
}

/// Where an object is, and the node it comes to next; [`NONE`] if none.
#[derive(Clone, Copy, Debug)]
enum SearchedObject {
    Absent(u32),
    /// The node that missed.
    Fetching(u32),
    Cached(u32),
}

/// A run up to some event.
#[derive(Clone, Debug)]
struct State {
    places: Vec<SearchedObject>,
    fetches: VecDeque<u32>,
    /// How many nodes of the order are served.
    served: usize,
    /// How many objects are cached.
    cached: u64,
    /// The first row that is not behind.
    row: u32,
    plan: Plan,
}

impl State {
    fn new(program: &Program) -> Self {
        State {
            places: program.starts[..program.objects()]
                .iter()
                .map(|at| SearchedObject::Absent(*at))
                .collect(),
            fetches: VecDeque::new(),
            served: 0,
            cached: 0,
            row: 0,
            plan: Plan { cost: program.constant, ..Plan::default() },
        }
    }

    fn decide(&mut self, program: &Program, object: usize, at: Time, action: Action) {
        let object = program.names[object];
        self.plan.decisions.push(Decision { at, object, action });
    }

    fn evict(&mut self, program: &Program, object: usize, at: Time) {
        if let SearchedObject::Cached(next) = self.places[object] {
            self.places[object] = SearchedObject::Absent(next);
            self.cached -= 1;
            self.decide(program, object, at, Action::Evict);
        }
    }

    fn admit(&mut self, program: &Program, object: usize, at: Time) {
        if let SearchedObject::Absent(next) = self.places[object] {
            self.places[object] = SearchedObject::Cached(next);
            self.cached += 1;
            self.decide(program, object, at, Action::Admit);
        }
    }
}

struct Search<'a> {
    program: &'a Program,
    order: &'a [u32],
    priced: &'a Priced,
    visits: Vec<Visit<i64>>,
    /// The cost to beat.
    upper: i64,
    better: Option<Plan>,
    /// States that may still be visited.
    left: u32,
}

impl Search<'_> {
    fn explore(&mut self, mut state: State) {
        loop {
            self.left = self.left.saturating_sub(1);
            if self.left == 0 || self.bound(&state) >= self.upper {
                return;
            }
            let request = self.order.get(state.served).map(|node| *node as usize);
            let miss = state.fetches.front().map(|node| *node as usize);
            let arrival = miss.map(|node| self.program.times[node] + self.program.latency);
            let (program, mut branches) = (self.program, Vec::new());
            match (request, miss, arrival) {
                // Nothing that arrives after the last request matters.
                (None, ..) => {
                    self.upper = state.plan.cost;
                    self.better = Some(state.plan);
                    return;
                }
                (Some(request), Some(miss), Some(at)) if at <= program.times[request] => {
                    deliver(program, &mut state, miss, at, &mut branches);
                }
                (Some(request), ..) => serve(program, &mut state, request, &mut branches),
            }
            if !branches.is_empty() {
                branches.push(state);
                branches.sort_by_cached_key(|branch| self.bound(branch));
                branches.into_iter().for_each(|branch| self.explore(branch));
                return;
            }
        }
    }

    /// No schedule that goes on from `state` costs less.
    fn bound(&self, state: &State) -> i64 {
        let sums = &self.priced.sums;
        let here = sums[state.row as usize];
        let rest = state.places.iter().map(|place| match *place {
            SearchedObject::Absent(NONE) | SearchedObject::Cached(NONE) => 0,
            SearchedObject::Absent(next) => self.visits[next as usize].miss,
            SearchedObject::Cached(next) => {
                let next = &self.visits[next as usize];
                next.miss.min(next.hit - here)
            }
            SearchedObject::Fetching(miss) => {
                let paid = self.program.nodes[miss as usize].delay << self.priced.exact.shift;
                self.visits[miss as usize].miss - paid
            }
        });
        let rent = sums.last().map_or(0, |last| i128::from(last - here));
        let rent = rent * i128::from(self.program.capacity);
        let paid = i128::from(state.plan.cost) << self.priced.exact.shift;
        self.priced.bound(self.program, paid + rest.map(i128::from).sum::<i128>() - rent)
    }
}

/// Delivers the data of `miss`; `state` lets it pass, and `branches` are all else that can be done
/// with it.
fn deliver(program: &Program, state: &mut State, miss: usize, at: Time, branches: &mut Vec<State>) {
    let Node { next, object, arrival, .. } = program.nodes[miss];
    let object = object as usize;
    state.fetches.pop_front();
    state.places[object] = SearchedObject::Absent(next);
    if next == NONE {
        return;
    }
    state.row = arrival;
    if state.cached < program.capacity {
        let mut branch = state.clone();
        branch.admit(program, object, at);
        branches.push(branch);
        return;
    }
    let cached = |place: &SearchedObject| matches!(place, SearchedObject::Cached(_));
    for other in (0..state.places.len()).filter(|other| cached(&state.places[*other])) {
        let mut branch = state.clone();
        branch.evict(program, other, at);
        branch.admit(program, object, at);
        branches.push(branch);
    }
}

/// Serves node `index`; after a hit, `state` keeps the object, and the branch drops it.
fn serve(program: &Program, state: &mut State, index: usize, branches: &mut Vec<State>) {
    let Node { delay, object, used, .. } = program.nodes[index];
    let object = object as usize;
    state.served += 1;
    state.row = used;
    match state.places[object] {
        SearchedObject::Fetching(_) => {}
        SearchedObject::Absent(_) => {
            state.plan.cost += delay;
            state.places[object] = SearchedObject::Fetching(index as u32);
            state.fetches.push_back(index as u32);
        }
        SearchedObject::Cached(_) => {
            let next = index as u32 + 1;
            let again = next < program.starts[object + 1];
            state.places[object] = SearchedObject::Cached(if again { next } else { NONE });
            let mut dropped = state.clone();
            dropped.evict(program, object, program.times[index] + Duration::from_ps(1));
            if again {
                branches.push(dropped);
            } else {
                *state = dropped;
            }
        }
    }
}
