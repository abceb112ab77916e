//! What a tree should give: the fluid allocation to constant demands, computed from the top down.
//!
//! Source: weighted max-min fairness (gearbox §4.1.2), node by node: a node passes on what it is
//! given, by priority and within a priority by weight, and wants no more than its shaper and what
//! is below it want.
//!
//! Complexity: O(n log n). Memory: a few words a node.

use alloc::vec;
use alloc::vec::Vec;

use forebay_units::Rate;

use super::config::{Plan, TreeConfig, TreeError};
use crate::gps::max_min;

impl TreeConfig {
    /// The rate of every node if leaf `n` wants `demands[n]` all the time; what stands at other
    /// nodes is not read, and leaves beyond the end want nothing. Rates are rounded down to a bit
    /// per second.
    ///
    /// ```
    /// use forebay_sched::tree::{NodeConfig, Rule, TreeConfig};
    /// use forebay_units::Rate;
    ///
    /// let leaf = |name, weight, class| NodeConfig {
    ///     weight: Some(weight),
    ///     rules: vec![Rule::class(class)],
    ///     ..NodeConfig::below("port", name)
    /// };
    /// let mut config = TreeConfig::new(Rate::from_gbps(10));
    /// config.nodes = vec![NodeConfig::root("port"), leaf("a", 3, 0), leaf("b", 1, 1), leaf("c", 1, 2)];
    /// let demands = [0, 10, 10, 1].map(Rate::from_gbps);
    /// let rates = config.allocation(&demands)?;
    /// assert_eq!(rates, [10_000, 6_750, 2_250, 1_000].map(|mbps| Rate::from_bps(mbps * 1_000_000)));
    /// # Ok::<(), forebay_sched::tree::TreeError>(())
    /// ```
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn allocation(&self, demands: &[Rate]) -> Result<Vec<Rate>, TreeError> {
        let plan = self.plan()?;
        let order = downwards(&plan);
        let wanted = self.wanted(&plan, &order, demands);
        let mut given = vec![0; plan.nodes.len()];
        given[plan.root as usize] = wanted[plan.root as usize].min(self.rate.as_bps());
        for &node in &order {
            share(&plan, node as usize, &wanted, &mut given);
        }
        Ok(given.into_iter().map(Rate::from_bps).collect())
    }

    /// The most that each node can use.
    fn wanted(&self, plan: &Plan, order: &[u32], demands: &[Rate]) -> Vec<u64> {
        let mut wanted = vec![0u64; plan.nodes.len()];
        for &node in order.iter().rev() {
            let number = node as usize;
            let children = &plan.nodes[number].children;
            let below = match children.is_empty() {
                true => demands.get(number).map_or(0, |rate| rate.as_bps()),
                false => children
                    .iter()
                    .fold(0, |sum: u64, child| sum.saturating_add(wanted[*child as usize])),
            };
            let shaper = self.nodes[number].shaper.map_or(u64::MAX, |shaper| shaper.rate.as_bps());
            wanted[number] = below.min(shaper);
        }
        wanted
    }
}

/// Every node after its parent.
fn downwards(plan: &Plan) -> Vec<u32> {
    let mut order = vec![plan.root];
    let mut next = 0;
    while let Some(&node) = order.get(next) {
        order.extend_from_slice(&plan.nodes[node as usize].children);
        next += 1;
    }
    order
}

/// Shares what `node` is given out among its children.
fn share(plan: &Plan, node: usize, wanted: &[u64], given: &mut [u64]) {
    let Some(discipline) = plan.nodes[node].discipline else { return };
    let share_of = |child: &u32| plan.nodes[*child as usize].share;
    let priority = |child: &u32| if discipline.prioritized { share_of(child).priority } else { 0 };
    let mut children = plan.nodes[node].children.clone();
    children.sort_by_key(priority);
    let mut left = given[node];
    for group in children.chunk_by(|a, b| priority(a) == priority(b)) {
        let demands: Vec<u64> = group.iter().map(|child| wanted[*child as usize]).collect();
        let weights: Vec<u32> = group.iter().map(|child| share_of(child).weight).collect();
        for (child, rate) in group.iter().zip(max_min(left, &demands, &weights)) {
            given[*child as usize] = rate;
        }
        left -= group.iter().map(|child| given[*child as usize]).sum::<u64>();
    }
}
