//! Makes a schedule better by a local search: a few objects at a time give their slots back and
//! walk anew.
//!
//! Objects that compete for a row and would as soon miss as be hit at the prices are where a
//! schedule and the optimum differ. A few of those, drawn at random, are taken out; each in turn
//! takes its cheapest walk through what is free, at the prices, so that it leaves to others what is
//! worth more to them; then each once more for nothing, so that no free slot is wasted. What is not
//! worse stays. First every object walks once for itself.
//!
//! Not from the paper. O(m log r) a walk of m nodes over r rows; the work is bounded by a number of
//! nodes visited. 16 bytes a row and 5 a node, and 4 for each place of a loose arc in the index,
//! O(log r) of them.

use forebay_workload::random::{ChaCha8Rng, stream, uniform};

use super::prices::Priced;
use super::program::{NONE, Program};
use super::stabs::Stabs;
use super::sweep::Plan;
use super::usage::Usage;

/// Nodes visited for each node of the program.
const WORK: u64 = 60;

/// Objects with more nodes stay as they are: they take too long.
const MOST_NODES: usize = 2_000;

/// The most objects that walk anew together.
const MOST_TOGETHER: usize = 5;

/// A cost that no walk has.
const IMPOSSIBLE: i64 = i64::MAX / 2;

/// A schedule that costs no more than `plan`, which must be a sweep's.
pub(super) fn polish(program: &Program, priced: &Priced, plan: &Plan, seed: u64) -> Plan {
    let mut polish = Polish::new(program, priced, plan.hits.clone(), seed);
    for object in 0..program.objects() {
        polish.move_together(&[object]);
    }
    let stabs = Stabs::of_loose_arcs(program, priced);
    let enough = WORK * program.nodes.len() as u64;
    let mut objects = Vec::new();
    while polish.work < enough && !stabs.is_empty() {
        polish.work += 1;
        let row = (polish.draw() * f64::from(program.rows)) as u32;
        let wanted = 2 + (polish.draw() * (MOST_TOGETHER - 1) as f64) as usize;
        objects.clear();
        for _ in 0..2 * wanted {
            let draw = polish.draw();
            let Some(object) = stabs.draw(row, draw) else { break };
            if objects.len() < wanted && !objects.contains(&(object as usize)) {
                objects.push(object as usize);
            }
        }
        if objects.len() > 1 {
            polish.move_together(&objects);
        }
    }
    polish.plan()
}

struct Polish<'a> {
    program: &'a Program,
    priced: &'a Priced,
    usage: Usage,
    /// Which nodes are hit.
    hits: Vec<bool>,
    rng: ChaCha8Rng,
    /// Nodes visited.
    work: u64,
    /// By node of the object that walks: what is still to be paid from a miss and from a hit, and
    /// what is best.
    costs: Vec<[i64; 2]>,
    held: Vec<[bool; 2]>,
    /// The hits of the objects that move, as they were.
    before: Vec<bool>,
}

impl<'a> Polish<'a> {
    fn new(program: &'a Program, priced: &'a Priced, hits: Vec<bool>, seed: u64) -> Self {
        let mut polish = Polish {
            program,
            priced,
            usage: Usage::new(program.rows as usize),
            hits,
            rng: stream(seed, "belatedly polish", 0),
            work: 0,
            costs: Vec::new(),
            held: Vec::new(),
            before: Vec::new(),
        };
        for object in 0..program.objects() {
            polish.hold(object, 1);
        }
        polish
    }

    fn draw(&mut self) -> f64 {
        uniform(&mut self.rng)
    }

    /// Lets `objects` walk anew; if that costs more, all is as before.
    fn move_together(&mut self, objects: &[usize]) {
        let nodes = |object: usize| {
            self.program.starts[object] as usize..self.program.starts[object + 1] as usize
        };
        if objects.iter().any(|object| nodes(*object).len() > MOST_NODES) {
            return;
        }
        self.before.clear();
        for object in objects {
            self.before.extend_from_slice(&self.hits[nodes(*object)]);
        }
        let cost: i64 = objects.iter().map(|object| self.cost(*object)).sum();
        for object in objects {
            self.hold(*object, -1);
        }
        if objects.len() > 1 {
            for object in objects {
                self.walk(*object, true);
                self.hold(*object, 1);
            }
            for object in objects {
                self.hold(*object, -1);
                self.walk(*object, false);
                self.hold(*object, 1);
            }
        } else {
            self.walk(objects[0], false);
            self.hold(objects[0], 1);
        }
        let anew: i64 = objects.iter().map(|object| self.cost(*object)).sum();
        if anew > cost {
            objects.iter().for_each(|object| self.hold(*object, -1));
            let mut from = 0;
            for object in objects {
                let nodes = self.program.starts[*object] as usize
                    ..self.program.starts[*object + 1] as usize;
                let end = from + nodes.len();
                self.hits[nodes].copy_from_slice(&self.before[from..end]);
                from = end;
            }
            objects.iter().for_each(|object| self.hold(*object, 1));
        }
    }

    /// Calls `each` for the misses on the walk of `object`, and `holds` for the rows of every slot
    /// it holds.
    fn follow(&self, object: usize, mut each: impl FnMut(usize), mut holds: impl FnMut(u32, u32)) {
        let (nodes, first) = self.program.object(object);
        let (mut index, mut hit) = (0, false);
        while let Some(node) = nodes.get(index) {
            if !hit {
                each(first + index);
            }
            let (next, begin) = match hit {
                true => (index + 1, node.used),
                false if node.next == NONE => break,
                false => (node.next as usize - first, node.arrival),
            };
            hit = nodes.get(next).is_some() && self.hits[first + next];
            if hit {
                holds(begin, nodes[next].used);
            }
            index = next;
        }
    }

    fn cost(&self, object: usize) -> i64 {
        let mut cost = 0;
        self.follow(object, |miss| cost += self.program.nodes[miss].delay, |_, _| {});
        cost
    }

    /// Adds `change` at all rows that `object` holds.
    fn hold(&mut self, object: usize, change: i32) {
        let mut usage = std::mem::replace(&mut self.usage, Usage::new(0));
        self.follow(object, |_| {}, |from, to| usage.add(from, to, change));
        self.usage = usage;
    }

    /// Gives `object`, which holds nothing, its cheapest walk through what is free: at the prices,
    /// or for nothing.
    fn walk(&mut self, object: usize, priced: bool) {
        let (nodes, first) = self.program.object(object);
        self.work += nodes.len() as u64;
        self.costs.clear();
        self.costs.resize(nodes.len(), [0; 2]);
        self.held.clear();
        self.held.resize(nodes.len(), [false; 2]);
        let (sums, full) = (&self.priced.sums, self.program.capacity.min(i32::MAX as u64) as i32);
        let rent = |from: u32, to: u32| {
            if self.usage.most(from, to) >= full {
                IMPOSSIBLE
            } else if priced {
                sums[to as usize] - sums[from as usize]
            } else {
                0
            }
        };
        for (index, node) in nodes.iter().enumerate().rev() {
            let best = |missed: i64, held: i64| {
                let better = held < missed;
                (missed.min(held), better)
            };
            let delay = node.delay << self.priced.exact.shift;
            let (rest, admitted) = match node.next {
                NONE => (0, false),
                next => {
                    let next = next as usize - first;
                    let [miss, hit] = self.costs[next];
                    best(miss, hit.saturating_add(rent(node.arrival, nodes[next].used)))
                }
            };
            let (hit, kept) = match nodes.get(index + 1) {
                None => (0, false),
                Some(next) => {
                    let [miss, hit] = self.costs[index + 1];
                    best(miss, hit.saturating_add(rent(node.used, next.used)))
                }
            };
            self.costs[index] = [delay + rest, hit];
            self.held[index] = [admitted, kept];
        }
        self.hits[first..first + nodes.len()].fill(false);
        let (mut index, mut hit) = (0, false);
        while let Some(node) = nodes.get(index) {
            let held = self.held[index][usize::from(hit)];
            index = match hit {
                true => index + 1,
                false if node.next == NONE => break,
                false => node.next as usize - first,
            };
            hit = held;
            if hit {
                self.hits[first + index] = true;
            }
        }
    }

    fn plan(self) -> Plan {
        let misses: i64 = (0..self.program.objects()).map(|object| self.cost(object)).sum();
        let mut plan = Plan { cost: self.program.constant + misses, ..Plan::default() };
        for object in 0..self.program.objects() {
            plan.decide_by_hits(self.program, object, &self.hits);
        }
        plan.decisions.sort_by_key(|decision| decision.at);
        plan.hits = self.hits;
        plan
    }
}
