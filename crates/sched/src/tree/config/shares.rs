//! Weights and guaranteed rates become the shares of siblings. Runs once.
//!
//! A guaranteed rate is kept by weights: if all children of a node share by their guaranteed rates,
//! and these together are no more than the node itself is sure of, then each gets at least its own
//! while it has packets, and what others leave is shared in the same proportion. A node is sure of
//! its own guaranteed rate; the root of the port's rate, or its shaper's.

use forebay_units::Rate;

use super::levels::Plan;
use super::{TreeConfig, TreeError, TreeProblem};

impl TreeConfig {
    /// Fills in the share of every node.
    pub(super) fn share_out(&self, plan: &mut Plan) -> Result<(), TreeError> {
        for number in 0..plan.nodes.len() {
            let children = plan.nodes[number].children.clone();
            for &child in &children {
                let config = &self.nodes[child as usize];
                let share = &mut plan.nodes[child as usize].share;
                share.priority = config.priority;
                share.weight = config.weight.unwrap_or(1);
            }
            self.check_priorities(plan, number, &children)?;
            if self.check_guarantees(plan, number, &children)? {
                self.weigh_by_rate(plan, &children);
            }
        }
        Ok(())
    }

    /// A priority under a parent that does not look at it is a mistake.
    fn check_priorities(
        &self,
        plan: &Plan,
        number: usize,
        children: &[u32],
    ) -> Result<(), TreeError> {
        if plan.nodes[number].discipline.is_none_or(|info| info.prioritized) {
            return Ok(());
        }
        let mut configs = children.iter().map(|child| &self.nodes[*child as usize]);
        match configs.find(|child| child.priority > 0) {
            Some(child) => {
                let parent = self.nodes[number].name.clone();
                Err(child.problem(TreeProblem::PriorityByWeight { parent }))
            }
            None => Ok(()),
        }
    }

    /// Whether the children of node `number` have guaranteed rates, and it can keep them.
    fn check_guarantees(
        &self,
        plan: &Plan,
        number: usize,
        children: &[u32],
    ) -> Result<bool, TreeError> {
        let config = |child: &u32| &self.nodes[*child as usize];
        let Some(first) = children.iter().map(config).find(|child| child.guaranteed.is_some())
        else {
            return Ok(false);
        };
        if let Some(without) = children.iter().map(config).find(|child| child.guaranteed.is_none())
        {
            let sibling = without.name.clone();
            return Err(first.problem(TreeProblem::GuaranteedAlone { sibling }));
        }
        let parent = &self.nodes[number];
        if !plan.nodes[number].discipline.is_some_and(|info| info.weighted) {
            let parent = parent.name.clone();
            return Err(first.problem(TreeProblem::GuaranteedByPriority { parent }));
        }
        let sure_of = if number == plan.root as usize {
            Some(parent.shaper.map_or(self.rate, |shaper| shaper.rate))
        } else {
            parent.guaranteed
        };
        let Some(rate) = sure_of else {
            let parent = parent.name.clone();
            return Err(first.problem(TreeProblem::GuaranteedFromNothing { parent }));
        };
        let guaranteed = children.iter().filter_map(|child| config(child).guaranteed);
        let sum = guaranteed.fold(0u64, |sum, rate| sum.saturating_add(rate.as_bps()));
        if sum > rate.as_bps() {
            let sum = Rate::from_bps(sum);
            return Err(parent.problem(TreeProblem::GuaranteedSum { sum, rate }));
        }
        Ok(true)
    }

    /// Weights in proportion to guaranteed rates: exact if the rates over their greatest common
    /// divisor fit 32 bits, otherwise rounded up to one part in 2^31 of the largest.
    fn weigh_by_rate(&self, plan: &mut Plan, children: &[u32]) {
        let rate = |child: &u32| self.nodes[*child as usize].guaranteed.map_or(1, Rate::as_bps);
        let divisor = children.iter().map(rate).fold(0, greatest_common_divisor).max(1);
        let largest = children.iter().map(rate).max().unwrap_or(1) / divisor;
        let shift = (u64::BITS - largest.leading_zeros()).saturating_sub(31);
        for child in children {
            let weight = (rate(child) / divisor).div_ceil(1 << shift);
            plan.nodes[*child as usize].share.weight = u32::try_from(weight).unwrap_or(u32::MAX);
        }
    }
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}
