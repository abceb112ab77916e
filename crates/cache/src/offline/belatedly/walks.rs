//! The cheapest walk of one object when slots have prices: exactly, and smoothed so that it has a
//! slope.
//!
//! Let Λ(x) be the price of a slot for all rows before x together. Holding one over the rows from x
//! to y costs Λ(y) − Λ(x), so with M(k) what is still to be paid from a miss of node k on, and V(k)
//! the same from a hit on plus Λ at the hit,
//!
//! > M(k) = delay(k) + min(M(n), V(n) − Λ(arrival of k)),\
//! > V(k) = min(Λ(k) + M(k + 1), V(k + 1)),
//!
//! where n is the node after the data of k arrives.
//!
//! Two minima and two prices a node, whatever Z is. `M(k) − V(k)` ranks objects that are cached and
//! wait for node k: at any instant, that plus Λ there is what the slot is worth to them (the price
//! of each is the same, so the order never changes while they wait).
//!
//! Not from the paper, which hands the program to a solver. O(1) a node.

use super::program::{NONE, Node};

/// How two ways to go on are weighed.
pub(super) trait Minimum: Copy + Sync {
    /// What costs are counted in.
    type Cost: Copy
        + Default
        + std::ops::Add<Output = Self::Cost>
        + std::ops::Sub<Output = Self::Cost>;

    /// A delay in quanta of the program.
    fn delay(&self, delay: i64) -> Self::Cost;

    /// The less of two costs, and the share of the second in it, from 0 to 1.
    fn least(&self, first: Self::Cost, second: Self::Cost) -> (Self::Cost, f64);
}

/// The minimum, in quanta shifted left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exact {
    /// By how many bits.
    pub shift: u32,
}

impl Minimum for Exact {
    type Cost = i64;

    #[inline]
    fn delay(&self, delay: i64) -> i64 {
        delay << self.shift
    }

    #[inline]
    fn least(&self, first: i64, second: i64) -> (i64, f64) {
        if second < first { (second, 1.0) } else { (first, 0.0) }
    }
}

/// The minimum over all mixes of the two, less `width · w(1 − w)` for a share of w: never above the
/// minimum, below it by a quarter of the width at most, and with a slope everywhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Smooth {
    /// What a quantum is counted as.
    per_quantum: f64,
    width: f64,
    /// 1 / (2 · width).
    half_inverse: f64,
}

impl Smooth {
    pub(super) fn new(per_quantum: f64, width: f64) -> Self {
        Smooth { per_quantum, width, half_inverse: 0.5 / width }
    }
}

impl Minimum for Smooth {
    type Cost = f64;

    #[inline]
    fn delay(&self, delay: i64) -> f64 {
        delay as f64 * self.per_quantum
    }

    #[inline]
    fn least(&self, first: f64, second: f64) -> (f64, f64) {
        let more = second - first;
        if more >= self.width {
            (first, 0.0)
        } else if more <= -self.width {
            (second, 1.0)
        } else {
            let share = (self.width - more) * self.half_inverse;
            (first + share * more - self.width * share * (1.0 - share), share)
        }
    }
}

/// One node of a walk.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Visit<T> {
    /// M: what is still to be paid from a miss on.
    pub miss: T,
    /// V: the same from a hit on, plus the price up to the hit.
    pub hit: T,
    /// Given a miss: the share that is admitted and hit next.
    pub admitted: f64,
    /// Given a hit: the share that is kept for the next node.
    pub kept: f64,
}

/// Fills `visits` for `nodes`, those of one object from number `first` on, under the prices up to
/// each row. What the object costs is the `miss` of the first.
#[inline]
pub(super) fn visit<R: Minimum>(
    rule: R,
    (nodes, first): (&[Node], usize),
    prices: &[R::Cost],
    visits: &mut Vec<Visit<R::Cost>>,
) {
    visits.clear();
    visits.resize(nodes.len(), Visit::default());
    let mut later: Option<Visit<R::Cost>> = None;
    for (index, node) in nodes.iter().enumerate().rev() {
        let used = prices[node.used as usize];
        let (hit, kept) = match later {
            Some(next) => rule.least(used + next.miss, next.hit),
            None => (used, 0.0),
        };
        let delay = rule.delay(node.delay);
        let (miss, admitted) = if node.next == NONE {
            (delay, 0.0)
        } else {
            let next = &visits[node.next as usize - first];
            let (rest, admitted) = rule.least(next.miss, next.hit - prices[node.arrival as usize]);
            (delay + rest, admitted)
        };
        let visit = Visit { miss, hit, admitted, kept };
        visits[index] = visit;
        later = Some(visit);
    }
}

/// What flows through one node: how much of the object is missed and hit there.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flow {
    pub missed: f64,
    pub hit: f64,
}

/// Sends one unit of `nodes` along the shares of `visits`, and adds to `surplus`, for each row,
/// what stops less what begins to hold a slot there: the slope of the cost by the prices.
#[inline]
pub(super) fn send(
    (nodes, first): (&[Node], usize),
    visits: &[Visit<f64>],
    flows: &mut Vec<Flow>,
    surplus: &mut [f64],
) {
    flows.clear();
    flows.resize(nodes.len(), Flow::default());
    flows[0].missed = 1.0;
    for (index, node) in nodes.iter().enumerate() {
        let Flow { missed, hit } = flows[index];
        if missed > 0.0 && node.next != NONE {
            let admitted = missed * visits[index].admitted;
            let next = &mut flows[node.next as usize - first];
            next.hit += admitted;
            next.missed += missed - admitted;
            surplus[node.arrival as usize] -= admitted;
        }
        if hit > 0.0 {
            let kept = hit * visits[index].kept;
            if let Some(next) = flows.get_mut(index + 1) {
                next.hit += kept;
                next.missed += hit - kept;
            }
            surplus[node.used as usize] += hit - kept;
        }
    }
}
