//! Whether a structure scales, derived by scaling its shape: the marks of clubheap Table 1.
//!
//! Source: clubheap §2.1 and §2.2. Each mark compares two shapes, the second 2^8 times the first in
//! one parameter, at the large end of what is practical, where the leading term rules. A cost that
//! grows with the parameter itself grows 256 times; one that grows less than half that fast counts
//! as sublinear. (The threshold is ours; no structure here comes near it.)

use crate::{CheckedShape, Cost, CostModel, QueueShapeError, Shape};

/// How much larger the second shape is.
pub(crate) const STEP: u128 = 256;

/// A quantity before and after its parameter grew 2^8 times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Growth {
    /// At the smaller shape.
    pub before: u128,
    /// At the larger shape.
    pub after: u128,
}

impl Growth {
    /// Whether it grew less than half as fast as its parameter.
    #[must_use]
    pub fn is_sublinear(&self) -> bool {
        self.after.saturating_mul(2) < self.before.saturating_mul(STEP)
    }

    /// How many times larger it became; infinite from zero to something.
    #[must_use]
    pub fn factor(&self) -> f64 {
        if self.after == self.before { 1.0 } else { self.after as f64 / self.before as f64 }
    }
}

/// How a structure grows with each of its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scaling {
    /// Compared bits as N goes from 2^16 to 2^24.
    pub logic_by_elements: Growth,
    /// Levels that a signal crosses in a cycle, over the same.
    pub span_by_elements: Growth,
    /// Compared bits as P goes from 2^24 to 2^32, with 2^12 elements.
    pub logic_by_ranks: Growth,
    /// Bits of memory over the same.
    pub memory_by_ranks: Growth,
    /// Bits of memory as M goes from 2^8 to 2^16, with 2^16 elements and 2^16 ranks each.
    pub memory_by_partitions: Growth,
}

impl Scaling {
    /// Scales a structure that otherwise has the parameters of `shape`.
    ///
    /// # Errors
    /// [`QueueShapeError`] if those parameters are out of their limits.
    pub fn of(model: &CostModel, shape: Shape) -> Result<Self, QueueShapeError> {
        let cost = |elements, rank_bits, partitions| -> Result<Cost, QueueShapeError> {
            let shape = Shape { elements, rank_bits, partitions, ..shape };
            shape.check().map(|shape: CheckedShape| model.cost(&shape))
        };
        let (few, many) = (cost(1 << 16, 16, 1)?, cost(1 << 24, 16, 1)?);
        let (narrow, wide) = (cost(1 << 12, 24, 1)?, cost(1 << 12, 32, 1)?);
        let (shared, split) = (cost(1 << 16, 16, 1 << 8)?, cost(1 << 16, 16, 1 << 16)?);
        let grown = |of: fn(&Cost) -> u128, before: &Cost, after: &Cost| Growth {
            before: of(before),
            after: of(after),
        };
        let compared = |cost: &Cost| cost.logic.compared_bits();
        let memory = |cost: &Cost| cost.memory.bits();
        Ok(Scaling {
            logic_by_elements: grown(compared, &few, &many),
            span_by_elements: grown(|cost| cost.logic.span.into(), &few, &many),
            logic_by_ranks: grown(compared, &narrow, &wide),
            memory_by_ranks: grown(memory, &narrow, &wide),
            memory_by_partitions: grown(memory, &shared, &split),
        })
    }

    /// S.N: logic grows less than linearly in N, and no wire reaches more levels as there are more.
    #[must_use]
    pub fn in_elements(&self) -> bool {
        let span = self.span_by_elements;
        self.logic_by_elements.is_sublinear() && span.after <= span.before
    }

    /// S.P: logic and memory grow less than linearly in P.
    #[must_use]
    pub fn in_ranks(&self) -> bool {
        self.logic_by_ranks.is_sublinear() && self.memory_by_ranks.is_sublinear()
    }

    /// LP: memory that keeps every element usable by any partition is not multiplied by M.
    #[must_use]
    pub fn in_partitions(&self) -> bool {
        self.memory_by_partitions.is_sublinear()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_judged_against_the_step() {
        assert!(Growth { before: 10, after: 1279 }.is_sublinear());
        assert!(!Growth { before: 10, after: 1280 }.is_sublinear());
        assert!((Growth { before: 2, after: 3 }.factor() - 1.5).abs() < 1e-9);
        assert!((Growth { before: 0, after: 0 }.factor() - 1.0).abs() < 1e-9);
    }
}
