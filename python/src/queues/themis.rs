//! `ThemisCore`: the golden model of `rtl/themis`.

use forebay_pifo::{ThemisCore as Model, Tier};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::ids::{name_of, tier_of};
use crate::arguments::{Whole, whole};
use crate::errors;

/// Themis's hardware, operation by operation: one order over SRAM and HBM, whose first digit
/// decides the tier.
#[pyclass(module = "forebay.queues")]
pub(crate) struct ThemisCore {
    model: Model<u64>,
}

#[pymethods]
impl ThemisCore {
    /// An empty one, for ranks of `levels` digits below `width`, the shape of the core's tree.
    #[new]
    #[pyo3(signature = (*, levels: "SupportsIndex" = 2, width: "SupportsIndex" = 8))]
    fn new(
        #[pyo3(from_py_with = whole)] levels: u32,
        #[pyo3(from_py_with = whole)] width: u64,
    ) -> PyResult<Self> {
        Ok(ThemisCore { model: Model::new(levels, width).map_err(errors::shape)? })
    }

    /// Adds a number; without a tier, "sram" or "hbm", the first digit decides it. The tier, and
    /// whether it will leave before older elements of its rank, which are in HBM.
    #[pyo3(signature = (rank, item, tier: "Tier | None" = None))]
    fn enqueue(
        &mut self,
        rank: Whole<u64>,
        item: Whole<u64>,
        tier: Option<&str>,
    ) -> PyResult<(&'static str, bool)> {
        let tier = tier.map(tier_of).transpose()?;
        let place = self.model.enqueue(rank.0, item.0, tier);
        let place = place.map_err(|refused| PyValueError::new_err(refused.to_string()))?;
        Ok((name_of(place.tier), place.ahead))
    }

    /// Takes the oldest of the smallest rank of the tier with the smaller first digit: rank, number
    /// and tier.
    fn dequeue(&mut self) -> Option<(u64, u64, &'static str)> {
        self.model.dequeue().map(|taken| (taken.rank, taken.item, name_of(taken.tier)))
    }

    /// Takes the newest of the largest rank in SRAM: rank and number.
    fn drop_largest(&mut self) -> Option<(u64, u64)> {
        self.model.drop_largest().map(|taken| (taken.rank, taken.item))
    }

    /// Moves the newest of the largest rank in SRAM to HBM: rank and number.
    fn swap_out(&mut self) -> Option<(u64, u64)> {
        self.model.swap_out().map(|(rank, &item)| (rank, item))
    }

    /// Moves the oldest of the smallest rank in HBM to SRAM: rank and number.
    fn swap_in(&mut self) -> Option<(u64, u64)> {
        self.model.swap_in().map(|(rank, &item)| (rank, item))
    }

    fn __len__(&self) -> usize {
        self.model.len()
    }

    fn __repr__(&self) -> String {
        let [sram, hbm] = Tier::ALL.map(|tier| self.model.len_in(tier));
        format!("<ThemisCore: {sram} wait in SRAM, {hbm} in HBM>")
    }
}
