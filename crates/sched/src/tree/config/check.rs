//! What each node must satisfy by itself and under its ancestors. Runs once.

use alloc::string::ToString;
use alloc::vec::Vec;
use core::ops::RangeInclusive;

use forebay_parameters::Registry;
use forebay_units::{Bytes, Rate, Time};

use super::levels::{Order, Plan};
use super::{NodeConfig, Rule, Shaper, TreeConfig, TreeError, TreeProblem};
use crate::Rank;
use crate::functions::rank_function_among;
use crate::tree::discipline::DisciplineInfo;
use crate::tree::{MAX_CAPACITY, MAX_RULES};

const NO_RATE: Rate = Rate::from_bps(0);

/// How a node chooses if nothing is said.
const DEFAULT_SCHEDULER: &str = "wfq";
/// How a leaf orders its packets if nothing is said.
const DEFAULT_ORDER: &str = "fifo";

impl TreeConfig {
    /// Checks everything; the tree in numbers.
    pub(in crate::tree) fn plan(&self) -> Result<Plan, TreeError> {
        self.check_quantities()?;
        let mut plan = Plan::new(self)?;
        for (number, node) in self.nodes.iter().enumerate() {
            node.check_shares()?;
            if plan.nodes[number].children.is_empty() {
                node.check_leaf()?;
                self.order_of(node)?;
            } else {
                plan.nodes[number].discipline = Some(node.check_inner(&self.disciplines)?);
            }
            self.check_shaper(&plan, number)?;
        }
        self.check_reach()?;
        self.share_out(&mut plan)?;
        Ok(plan)
    }

    /// A new rank function for the packets of leaf `node`.
    pub(in crate::tree) fn order_of(&self, node: &NodeConfig) -> Result<Order, TreeError> {
        let name = node.order.as_deref().unwrap_or(DEFAULT_ORDER);
        let order = rank_function_among(name, &self.ranks, &self.orders)
            .map_err(|error| node.problem(TreeProblem::Order(error)))?;
        if order.may_leave_at(Rank::new(u64::MAX)) > Time::ZERO {
            return Err(node.problem(TreeProblem::OrderDelays(name.to_string())));
        }
        Ok(order)
    }

    /// A leaf all of whose rules lie within earlier rules never sees a packet. Each rule is
    /// compared with each earlier one by itself: what only several of them together cover is not
    /// found. O(rules^2).
    fn check_reach(&self) -> Result<(), TreeError> {
        let mut earlier: Vec<(&Rule, &NodeConfig)> = Vec::new();
        for node in &self.nodes {
            let first = earlier.len();
            earlier.extend(node.rules.iter().map(|rule| (rule, node)));
            let (before, own) = earlier.split_at(first);
            let covering = |rule: &Rule| before.iter().find(|(wide, _)| wide.covers(rule));
            let mut covered = own.iter().map(|(rule, _)| covering(rule));
            if let Some(by) = covered.next().flatten()
                && covered.all(|by| by.is_some())
            {
                let by = by.1.name.clone();
                return Err(node.problem(TreeProblem::Shadowed { by }));
            }
        }
        Ok(())
    }

    fn check_quantities(&self) -> Result<(), TreeError> {
        let whole = |problem| Err(TreeError { node: None, problem });
        for (is_zero, what) in [
            (self.rate == NO_RATE, "rate"),
            (self.mtu == Bytes::ZERO, "mtu"),
            (self.capacity == 0, "capacity"),
        ] {
            if is_zero {
                return whole(TreeProblem::Zero(what));
            }
        }
        let rules: usize = self.nodes.iter().map(|node| node.rules.len()).sum();
        for (number, what, most) in [
            (rules, "match rules", MAX_RULES),
            (self.capacity, "packets in `capacity`", MAX_CAPACITY),
            (usize::try_from(self.mtu.get()).unwrap_or(usize::MAX), "bytes in `mtu`", 1 << 31),
        ] {
            if number > most {
                return whole(TreeProblem::TooMany { what, most });
            }
        }
        Ok(())
    }

    /// A shaper must let something through, hold a packet, and lie below all above it.
    fn check_shaper(&self, plan: &Plan, number: usize) -> Result<(), TreeError> {
        let node = &self.nodes[number];
        let Some(Shaper { rate, burst }) = node.shaper else { return Ok(()) };
        if rate == NO_RATE {
            return Err(node.problem(TreeProblem::ZeroRate("shaper")));
        }
        if burst < self.mtu {
            return Err(node.problem(TreeProblem::BurstBelowMtu { burst, mtu: self.mtu }));
        }
        let mut above = plan.nodes[number].parent;
        while let Some(ancestor) = above {
            let config = &self.nodes[ancestor as usize];
            if let Some(Shaper { rate: limit, .. }) =
                config.shaper.filter(|above| above.rate < rate)
            {
                let above = Some(config.name.clone());
                return Err(node.problem(TreeProblem::ShaperAboveParent { rate, above, limit }));
            }
            above = plan.nodes[ancestor as usize].parent;
        }
        if rate > self.rate {
            let problem = TreeProblem::ShaperAboveParent { rate, above: None, limit: self.rate };
            return Err(node.problem(problem));
        }
        Ok(())
    }
}

impl Rule {
    /// Whether it matches every packet that `narrow` does.
    fn covers(&self, narrow: &Rule) -> bool {
        fn within<T: PartialOrd>(
            wide: Option<&RangeInclusive<T>>,
            narrow: Option<&RangeInclusive<T>>,
        ) -> bool {
            let Some(wide) = wide else { return true };
            narrow
                .is_some_and(|narrow| wide.contains(narrow.start()) && wide.contains(narrow.end()))
        }
        within(self.flow.as_ref(), narrow.flow.as_ref())
            && within(self.class.as_ref(), narrow.class.as_ref())
            && within(self.input.as_ref(), narrow.input.as_ref())
    }
}

impl NodeConfig {
    fn check_shares(&self) -> Result<(), TreeError> {
        let problem = match (self.weight, self.guaranteed) {
            (Some(0), _) => TreeProblem::ZeroWeight,
            (Some(_), Some(_)) => TreeProblem::WeightAndGuaranteed,
            (_, Some(NO_RATE)) => TreeProblem::ZeroRate("guaranteed"),
            (_, Some(guaranteed)) => match self.shaper {
                Some(Shaper { rate: shaper, .. }) if guaranteed > shaper => {
                    TreeProblem::GuaranteedAboveShaper { guaranteed, shaper }
                }
                _ => return Ok(()),
            },
            _ => return Ok(()),
        };
        Err(self.problem(problem))
    }

    fn check_leaf(&self) -> Result<(), TreeError> {
        if self.scheduler.is_some() {
            return Err(self.problem(TreeProblem::WrongKind { key: "scheduler", is_leaf: true }));
        }
        if self.limit == Some(0) {
            return Err(self.problem(TreeProblem::ZeroLimit));
        }
        if self.rules.is_empty() {
            return Err(self.problem(TreeProblem::NoRule));
        }
        for Rule { flow, class, input } in &self.rules {
            for (is_empty, key) in [
                (flow.as_ref().is_some_and(|range| range.is_empty()), "flow"),
                (class.as_ref().is_some_and(|range| range.is_empty()), "class"),
                (input.as_ref().is_some_and(|range| range.is_empty()), "input"),
            ] {
                if is_empty {
                    return Err(self.problem(TreeProblem::EmptyRange(key)));
                }
            }
        }
        Ok(())
    }

    fn check_inner(
        &self,
        disciplines: &Registry<DisciplineInfo>,
    ) -> Result<DisciplineInfo, TreeError> {
        for (is_there, key) in [
            (!self.rules.is_empty(), "match"),
            (self.order.is_some(), "order"),
            (self.limit.is_some(), "limit"),
        ] {
            if is_there {
                return Err(self.problem(TreeProblem::WrongKind { key, is_leaf: false }));
            }
        }
        let name = self.scheduler.as_deref().unwrap_or(DEFAULT_SCHEDULER);
        let found = disciplines.named(name).copied();
        found.map_err(|error| self.problem(TreeProblem::UnknownScheduler(error)))
    }
}
