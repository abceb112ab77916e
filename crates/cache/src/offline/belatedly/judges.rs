//! Two ways to turn prices into a schedule.
//!
//! [`ByWorth`] keeps what is worth most at the prices. [`ByBalance`] is the paper's randomized
//! rounding with flow balance (§2.4.3): what is kept is drawn by its share in the fractional
//! solution, and where that is too much, the object that is kept beyond its share the most gives
//! way. Open in the paper, chosen here: the fractional solution is that of the smoothed program,
//! whose optimum the last round is near.

use forebay_workload::random::{ChaCha8Rng, stream, uniform};

use super::prices::{Priced, Prices};
use super::program::Program;
use super::sweep::{Judge, Wait};
use super::walks::{Flow, Smooth, Visit, send, visit};

/// Ranks by what a slot is worth at the prices.
pub(super) struct ByWorth<'a> {
    pub program: &'a Program,
    pub priced: &'a Priced,
}

impl Judge for ByWorth<'_> {
    fn rank(&mut self, wait: Wait) -> Option<i64> {
        let next = wait.next;
        let rank = self.priced.rank[next];
        let used = self.program.nodes[next].used as usize;
        // Now and then a miss is better than a hit, even of an object that holds its slot for
        // nothing.
        (rank + self.priced.sums[used] >= 0).then_some(rank)
    }
}

/// The shares of one node in a fractional solution.
#[derive(Clone, Copy, Debug)]
struct Share {
    /// Given a miss, or a hit, that its object is kept for the next node.
    kept: [f32; 2],
    /// Of the whole object, after a miss or a hit.
    flow: [f32; 2],
}

/// Draws what is kept; 16 bytes a node.
pub(super) struct ByBalance {
    shares: Vec<Share>,
    rng: ChaCha8Rng,
}

impl ByBalance {
    /// Rounds the walks that are the cheapest at `prices` with minima smoothed as they were last.
    pub(super) fn new(program: &Program, prices: &Prices, seed: u64) -> Self {
        let rule = Smooth::new(1.0 / program.z() as f64, prices.width);
        let sums = &prices.sums;
        let mut shares = Vec::with_capacity(program.nodes.len());
        let (mut visits, mut flows) = (Vec::new(), Vec::new());
        let mut surplus = vec![0.0; sums.len()];
        for object in 0..program.objects() {
            let nodes = program.object(object);
            visit(rule, nodes, sums, &mut visits);
            send(nodes, &visits, &mut flows, &mut surplus);
            shares.extend(visits.iter().zip(&flows).map(|(visit, flow)| share(visit, flow)));
        }
        ByBalance { shares, rng: stream(seed, "belatedly rounding", 0) }
    }
}

fn share(visit: &Visit<f64>, flow: &Flow) -> Share {
    Share {
        kept: [visit.admitted as f32, visit.kept as f32],
        flow: [(flow.missed * visit.admitted) as f32, (flow.hit * visit.kept) as f32],
    }
}

impl Judge for ByBalance {
    fn rank(&mut self, wait: Wait) -> Option<i64> {
        const ONE: f64 = (1_u64 << 40) as f64;
        let share = self.shares[wait.from];
        let hit = usize::from(wait.hit);
        let kept = uniform(&mut self.rng) < f64::from(share.kept[hit]);
        kept.then_some((f64::from(share.flow[hit]) * ONE) as i64)
    }
}
