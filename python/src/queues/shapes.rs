//! Parameters that are fixed when the engine is compiled, chosen at run time from those the package
//! has.

use forebay_pifo::{ClubGeometry, LevelSize};
use pyo3::prelude::*;

/// Evaluates `$build` with `$width` as the constant that `$asked` names: the bits of a bitmap.
macro_rules! by_width {
    ($asked:expr, $width:ident => $build:expr) => {
        by_constant!("width", $asked, $width => $build; 2, 4, 8, 16, 32, 64)
    };
}

/// The same for the children of a node.
macro_rules! by_ways {
    ($asked:expr, $ways:ident => $build:expr) => {
        by_constant!("ways", $asked, $ways => $build; 2, 3, 4)
    };
}

macro_rules! by_constant {
    ($name:literal, $asked:expr, $constant:ident => $build:expr; $($value:literal),+) => {
        match $asked {
            $($value => {
                const $constant: usize = $value;
                $build
            })+
            asked => return Err($crate::queues::shapes::not_compiled($name, asked, &[$($value),+])),
        }
    };
}

/// Gives `$class::of` what `$build` makes for ranks of type `$rank`: plain ones, or such with an
/// arrival number where ties are to leave in order of arrival. Without, the order is exactly that
/// of the hardware model.
macro_rules! by_ties {
    ($fifo_ties:expr, $class:ident, $rank:ident => $build:expr) => {
        if $fifo_ties {
            type $rank = (u64, u64);
            $class::of(forebay_pifo::Stable::new($build))
        } else {
            type $rank = u64;
            $class::of($build)
        }
    };
}

pub(super) use {by_constant, by_ties, by_ways, by_width};

/// The error for a constant that the package was not compiled for.
pub(super) fn not_compiled(name: &str, asked: usize, values: &[usize]) -> PyErr {
    crate::errors::shape(format!("{name} is {asked}; the package is built for {values:?}"))
}

/// Whether a structure holds as many elements as were asked for: software has limits of its own.
pub(super) fn holds(asked: usize, capacity: usize) -> PyResult<()> {
    if asked <= capacity {
        return Ok(());
    }
    let text = format!("capacity is {asked}; this queue holds at most {capacity} elements");
    Err(crate::errors::shape(text))
}

/// The size of one level of a ClubHeap.
#[pyclass(frozen, get_all, module = "forebay.queues")]
#[derive(Clone)]
pub(crate) struct ClubLevel {
    /// The level's number; that of the roots is 1.
    level: usize,
    /// The most nodes that can hold something at once (Corollary 2).
    b1: usize,
    /// The nodes of complete trees.
    b2: usize,
    /// The sibling groups that the level has room for.
    groups: usize,
    /// The nodes of a group.
    siblings: usize,
    /// Whether groups are given out from a free list.
    dynamic: bool,
}

#[pymethods]
impl ClubLevel {
    fn __repr__(&self) -> String {
        let ClubLevel { level, b1, b2, groups, siblings, dynamic } = self;
        let dynamic = if *dynamic { "True" } else { "False" };
        format!(
            "ClubLevel(level={level}, b1={b1}, b2={b2}, groups={groups}, siblings={siblings}, \
             dynamic={dynamic})"
        )
    }
}

/// The levels of a geometry, from the roots down.
pub(super) fn levels(geometry: &ClubGeometry) -> Vec<ClubLevel> {
    let level = |size: LevelSize| {
        let LevelSize { level, b1, b2, groups, siblings, dynamic } = size;
        ClubLevel { level, b1, b2, groups, siblings, dynamic }
    };
    geometry.level_sizes().into_iter().map(level).collect()
}
