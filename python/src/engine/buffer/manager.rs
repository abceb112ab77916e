//! `ThemisManager`: the golden model of `rtl/themis_manager`.

use forebay_buffer::{ThemisManager as Model, ThemisManagerConfig, ThemisOperation};
use forebay_pifo::Tier;
use pyo3::prelude::*;

use crate::arguments::{Whole, whole};
use crate::errors;

/// What was asked, and the element with its rank, its number and its memory.
type Answer = (&'static str, Option<(u64, u64, &'static str)>);

/// Whether the arrival is taken, whether it is lost, whether the departure is taken; the answer to
/// an earlier operation; the oldest staged batch.
type Cycle = (bool, bool, bool, Option<Answer>, Vec<Option<u64>>);

const fn operation(asked: ThemisOperation) -> &'static str {
    match asked {
        ThemisOperation::Enqueue => "enqueue",
        ThemisOperation::EnqueueNear => "enqueue-near",
        ThemisOperation::EnqueueFar => "enqueue-far",
        ThemisOperation::Dequeue => "dequeue",
        ThemisOperation::DropLargest => "drop-largest",
        ThemisOperation::SwapOut => "swap-out",
        ThemisOperation::SwapIn => "swap-in",
    }
}

const fn memory(tier: Tier) -> &'static str {
    match tier {
        Tier::Sram => "sram",
        Tier::Hbm => "hbm",
    }
}

/// Themis's hardware, cycle by cycle: admission, drops, swaps and staging around its queue.
#[pyclass(module = "forebay")]
pub(crate) struct ThemisManager {
    model: Model,
}

#[pymethods]
impl ThemisManager {
    /// Of an empty buffer; the parameters are the core's.
    #[new]
    #[pyo3(signature = (
        *,
        levels: "SupportsIndex" = 2,
        width: "SupportsIndex" = 8,
        slot_bits: "SupportsIndex" = 11,
        near: "SupportsIndex" = 1024,
        high: "SupportsIndex" = 819,
        low: "SupportsIndex" = 512,
        batch: "SupportsIndex" = 8,
        groups: "SupportsIndex" = 2
    ))]
    #[expect(clippy::too_many_arguments, reason = "they are the core's, each by its name")]
    fn new(
        #[pyo3(from_py_with = whole)] levels: u32,
        #[pyo3(from_py_with = whole)] width: u32,
        #[pyo3(from_py_with = whole)] slot_bits: u32,
        #[pyo3(from_py_with = whole)] near: u32,
        #[pyo3(from_py_with = whole)] high: u32,
        #[pyo3(from_py_with = whole)] low: u32,
        #[pyo3(from_py_with = whole)] batch: u32,
        #[pyo3(from_py_with = whole)] groups: u32,
    ) -> PyResult<Self> {
        let config =
            ThemisManagerConfig { levels, width, slot_bits, near, high, low, batch, groups };
        Ok(ThemisManager { model: Model::new(&config).map_err(errors::shape)? })
    }

    /// One cycle: an arrival, its rank and its number, whether the next is asked for, whether the
    /// oldest staged batch is taken, and whether the user has room for what is swapped in.
    ///
    /// Returns whether the arrival is taken, whether it is lost, whether the departure is taken,
    /// the answer to an earlier operation, and the oldest staged batch, with None for what has left
    /// since.
    #[pyo3(signature = (
        arrival: "tuple[SupportsIndex, SupportsIndex] | None" = None,
        departs: "bool" = false,
        take: "bool" = false,
        swaps_in: "bool" = true
    ))]
    fn cycle(
        &mut self,
        arrival: Option<(Whole<u64>, Whole<u64>)>,
        departs: bool,
        take: bool,
        swaps_in: bool,
    ) -> Cycle {
        let arrival = arrival.map(|(rank, item)| (rank.0, item.0));
        let shown = self.model.cycle_with(arrival, departs, take, swaps_in);
        let answer = shown.answer.map(|answer| {
            let element = answer.element.map(|(rank, item, tier)| (rank, item, memory(tier)));
            (operation(answer.operation), element)
        });
        (shown.arrived, shown.lost, shown.departs, answer, shown.batch)
    }

    fn __repr__(&self) -> String {
        let (near, far) = self.model.answered();
        format!("<ThemisManager: {near} wait in SRAM, {far} in HBM>")
    }
}
