//! Table 1 of the ClubHeap paper, as printed, and beside it what the models say.
//!
//! Source: clubheap Table 1. OPQ, APQ and H-PQ have no model: the papers here say too little about
//! them, so their marks are the published ones only.

use crate::{CostModel, QueueShapeError, Scaling, Shape, structure};

/// A row of Table 1 as printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublishedRow {
    /// The structure, as the paper's table calls it.
    pub title: &'static str,
    /// Linear, bucket, heap or hybrid.
    pub kind: &'static str,
    /// Cycles per replace, the least and the most.
    pub cycles_per_replace: (u32, u32),
    /// What it scales with, and whether it has logical partitions.
    pub marks: Marks,
    /// The name of its model, if there is one.
    pub model: Option<&'static str>,
}

/// The marks of Table 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marks {
    /// S.P: scales with the number of priorities.
    pub ranks: bool,
    /// S.N: scales with the number of elements.
    pub elements: bool,
    /// LP: supports logical partitions.
    pub partitions: bool,
}

/// What the model of a structure says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DerivedRow {
    /// Cycles per replace.
    pub cycles_per_replace: u32,
    /// What it scales with, and whether it has logical partitions.
    pub marks: Marks,
    /// The growth behind them.
    pub scaling: Scaling,
}

const fn row(
    title: &'static str,
    kind: &'static str,
    cycles_per_replace: (u32, u32),
    (ranks, elements, partitions): (bool, bool, bool),
    model: Option<&'static str>,
) -> PublishedRow {
    let marks = Marks { ranks, elements, partitions };
    PublishedRow { title, kind, cycles_per_replace, marks, model }
}

/// Table 1 of clubheap.
pub const TABLE_1: [PublishedRow; 10] = [
    row("SR-PIFO", "linear", (4, 4), (true, false, true), Some("sr-pifo")),
    row("OPQ", "linear", (2, 2), (true, false, false), None),
    row("APQ", "linear", (1, 1), (true, false, false), None),
    row("BBQ", "bucket", (2, 2), (false, true, true), Some("bbq")),
    row("P-Heap", "heap", (6, 6), (true, true, false), Some("p-heap")),
    row("R-BMW", "heap", (2, 2), (true, false, false), Some("r-bmw")),
    row("RPU-BMW", "heap", (3, 3), (true, true, false), Some("rpu-bmw")),
    row("Pipelined Heap", "heap", (2, 2), (true, false, true), Some("pipelined-heap")),
    row("H-PQ", "hybrid", (1, 4), (true, true, false), None),
    row("ClubHeap", "heap", (1, 1), (true, true, true), Some("clubheap")),
];

impl PublishedRow {
    /// The model of this row.
    #[must_use]
    pub fn model(&self) -> Option<&'static CostModel> {
        self.model.and_then(structure)
    }

    /// What the model says, with the parameters of `shape` other than its size; none without a
    /// model.
    ///
    /// # Errors
    /// [`QueueShapeError`] if those parameters are out of their limits.
    pub fn derived(&self, shape: Shape) -> Result<Option<DerivedRow>, QueueShapeError> {
        let Some(model) = self.model() else { return Ok(None) };
        let scaling = Scaling::of(model, shape)?;
        Ok(Some(DerivedRow {
            cycles_per_replace: model.cost(&shape.check()?).timing.cycles_per_replace(),
            marks: Marks {
                ranks: scaling.in_ranks(),
                elements: scaling.in_elements(),
                partitions: scaling.in_partitions(),
            },
            scaling,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derived_marks_are_the_papers_but_for_two() {
        for row in TABLE_1 {
            let Some(derived) = row.derived(Shape::default()).unwrap() else {
                assert!(["OPQ", "APQ", "H-PQ"].contains(&row.title));
                continue;
            };
            let cycles = derived.cycles_per_replace;
            assert_eq!((cycles, cycles), row.cycles_per_replace, "{}", row.title);
            let marks = derived.marks;
            assert_eq!(
                (marks.ranks, marks.elements),
                (row.marks.ranks, row.marks.elements),
                "{}: {derived:?}",
                row.title
            );
            // The two that the papers themselves disagree on; the notes of the models say how.
            let expected = row.marks.partitions && !["BBQ", "Pipelined Heap"].contains(&row.title);
            assert_eq!(marks.partitions, expected, "{}: {derived:?}", row.title);
            let differs = marks != row.marks;
            assert!(!differs || row.model().is_some_and(|model| !model.note.is_empty()));
        }
    }
}
