//! What formulas are asked, and what they answer.

use crate::{CheckedShape, Latency, Logic, Memory, Sharing, Timing};

/// What a structure of one shape costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Elements it holds when there is one partition: what was asked for, rounded up to what the
    /// structure can be built for.
    pub capacity: u128,
    /// How often operations may start.
    pub timing: Timing,
    /// How long an operation takes.
    pub latency: Latency,
    /// Comparators and the longest path.
    pub logic: Logic,
    /// SRAM and registers.
    pub memory: Memory,
    /// How partitions share the elements.
    pub sharing: Sharing,
}

/// Which parameter of a [`Shape`](crate::Shape), beside its size, a structure depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tuning {
    /// None.
    Nothing,
    /// [`Shape::bitmap_width`](crate::Shape::bitmap_width).
    BitmapWidth,
    /// [`Shape::cluster`](crate::Shape::cluster).
    Cluster,
    /// [`Shape::ways`](crate::Shape::ways).
    Ways,
}

/// The cost formulas of one structure.
#[derive(Clone, Copy, Debug)]
pub struct CostModel {
    /// The name on a command line.
    pub name: &'static str,
    /// The name in a table.
    pub title: &'static str,
    /// Where the formulas come from.
    pub source: &'static str,
    /// The parameter it depends on.
    pub tuning: Tuning,
    /// What a reader of its numbers should know, where the papers disagree or are silent.
    pub note: &'static str,
    /// What the structure costs at a shape.
    pub formulas: fn(&CheckedShape) -> Cost,
}

impl CostModel {
    /// The cost at this shape.
    #[must_use]
    pub fn cost(&self, shape: &CheckedShape) -> Cost {
        (self.formulas)(shape)
    }
}
