//! Queues of numbers that name the caller's own elements: `TieredQueue` over two memories,
//! `IndexedQueue` over one, and one class per structure.

use forebay_pifo::{
    IndexedQueue as IndexedOf, PushError, Tier, TieredEntry, TieredQueue as Tiered,
};
use forebay_units::printable;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::Item;
use super::batch::{Batch, Columns, Popped};
use crate::arguments::Whole;
use crate::errors;

/// An entry: its rank, its number, the memory it waits in.
type Row = (u64, u32, &'static str);

pub(super) const fn name_of(tier: Tier) -> &'static str {
    match tier {
        Tier::Sram => "sram",
        Tier::Hbm => "hbm",
    }
}

fn row(entry: TieredEntry) -> Row {
    (entry.rank, entry.id, name_of(entry.tier))
}

pub(super) fn tier_of(name: &str) -> PyResult<Tier> {
    let found = Tier::ALL.into_iter().find(|tier| name_of(*tier) == name);
    found.ok_or_else(|| {
        PyValueError::new_err(format!(
            "tier: \"{}\" is neither \"sram\" nor \"hbm\"",
            printable(name)
        ))
    })
}

fn refused(py: Python<'_>, rank: u64, id: u64, error: &PushError, index: Option<usize>) -> PyErr {
    let reason = match error {
        PushError::RankTooLarge { .. } => "rank-too-large",
        PushError::AlreadyQueued { .. } => "already-queued",
        PushError::IdTooLarge { .. } => "id-too-large",
        PushError::NoMemory { .. } => "no-memory",
    };
    let text = match index {
        Some(index) => format!("element {index}: {error}"),
        None => error.to_string(),
    };
    let item = Item::Number(id).into_python(py);
    errors::refusal(py, text, reason, rank, item, index)
}

/// Pushes a batch whose items are ids.
fn push_ids(
    py: Python<'_>,
    batch: &Batch<'_>,
    mut push: impl FnMut(u64, u32) -> Result<(), PushError> + Send,
) -> PyResult<()> {
    // An id that is too large becomes the largest, which every queue refuses.
    let id_of = |id: u64| u32::try_from(id).unwrap_or(u32::MAX);
    let pushed =
        batch.each(py, |_, rank, id| push(rank, id_of(id)).map_err(|error| (rank, id, error)))?;
    pushed.map_err(|(index, (rank, id, error))| refused(py, rank, id, &error, Some(index)))
}

/// A rank and an id as an element of a batch.
fn numbered((rank, id): (u64, u32)) -> (u64, Item) {
    (rank, Item::Number(u64::from(id)))
}

/// Any queue of ids.
pub(super) type Indexed = Box<dyn IndexedOf<Rank = u64> + Send + Sync>;

/// A queue of ids ordered by rank and, within a rank, by arrival, each in one of two memories.
#[pyclass(subclass, module = "forebay.queues")]
pub(crate) struct TieredQueue {
    queue: Box<dyn Tiered + Send + Sync>,
}

#[pymethods]
impl TieredQueue {
    /// Adds an id to a tier, "sram" or "hbm".
    #[pyo3(signature = (rank, id, tier: "Tier" = "sram"))]
    fn push(
        &mut self,
        py: Python<'_>,
        rank: Whole<u64>,
        id: Whole<u32>,
        tier: &str,
    ) -> PyResult<()> {
        let tier = tier_of(tier)?;
        let pushed = errors::guarded(|| self.queue.push(tier, rank.0, id.0))?;
        pushed.map_err(|error| refused(py, rank.0, u64::from(id.0), &error, None))
    }

    /// Pushes a batch: arrays of ranks and ids, or positions as ids.
    #[pyo3(signature = (ranks: "ArrayLike", ids: "ArrayLike | None" = None, tier: "Tier" = "sram"))]
    fn push_many(
        &mut self,
        py: Python<'_>,
        ranks: &Bound<'_, PyAny>,
        ids: Option<&Bound<'_, PyAny>>,
        tier: &str,
    ) -> PyResult<()> {
        let tier = tier_of(tier)?;
        push_ids(py, &Batch::read(ranks, ids)?, |rank, id| self.queue.push(tier, rank, id))
    }

    /// Takes the earliest of the smallest rank, of one tier or of both, as rank, id and tier.
    #[pyo3(signature = (tier: "Tier | None" = None) -> "Entry | None")]
    fn pop(&mut self, tier: Option<&str>) -> PyResult<Option<Row>> {
        let tier = tier.map(tier_of).transpose()?;
        errors::guarded(|| match tier {
            None => self.queue.pop_min().map(row),
            Some(tier) => self.queue.pop_min_in(tier).map(row),
        })
    }

    /// Pops up to so many of both tiers: arrays of their ranks and ids.
    #[pyo3(signature = (count) -> "Ids")]
    fn pop_many<'py>(&mut self, py: Python<'py>, count: Whole<usize>) -> PyResult<Columns<'py>> {
        let waiting = self.queue.len();
        let pop = || self.queue.pop_min().map(|entry| numbered((entry.rank, entry.id)));
        Popped::take(py, count.0, waiting, pop).into_python(py)
    }

    /// Takes the latest of the largest rank of a tier.
    #[pyo3(signature = (tier: "Tier") -> "Entry | None")]
    fn pop_max(&mut self, tier: &str) -> PyResult<Option<Row>> {
        let tier = tier_of(tier)?;
        errors::guarded(|| self.queue.pop_max_in(tier).map(row))
    }

    /// Shows what pop would take.
    #[pyo3(signature = (tier: "Tier | None" = None) -> "Entry | None")]
    fn peek(&self, tier: Option<&str>) -> PyResult<Option<Row>> {
        let seen = match tier {
            None => self.queue.peek_min(),
            Some(tier) => self.queue.peek_min_in(tier_of(tier)?),
        };
        Ok(seen.map(row))
    }

    /// Shows what pop_max would take.
    #[pyo3(signature = (tier: "Tier") -> "Entry | None")]
    fn peek_max(&self, tier: &str) -> PyResult<Option<Row>> {
        Ok(self.queue.peek_max_in(tier_of(tier)?).map(row))
    }

    /// Takes an id out, wherever it stands; None if it is not queued.
    #[pyo3(signature = (id) -> "Entry | None")]
    fn remove(&mut self, id: Whole<u32>) -> PyResult<Option<Row>> {
        errors::guarded(|| self.queue.remove(id.0).map(row))
    }

    /// Moves an id to a tier, keeping its rank and its arrival order; False if it is not queued.
    #[pyo3(signature = (id, tier: "Tier"))]
    fn relocate(&mut self, id: Whole<u32>, tier: &str) -> PyResult<bool> {
        let tier = tier_of(tier)?;
        errors::guarded(|| self.queue.relocate(id.0, tier))
    }

    /// The entry of an id; None if it is not queued.
    #[pyo3(signature = (id) -> "Entry | None")]
    fn get(&self, id: Whole<u32>) -> Option<Row> {
        self.queue.get(id.0).map(row)
    }

    /// The number of elements in a tier.
    #[pyo3(signature = (tier: "Tier"))]
    fn len_in(&self, tier: &str) -> PyResult<usize> {
        Ok(self.queue.len_in(tier_of(tier)?))
    }

    /// The largest rank that push accepts.
    #[getter]
    fn max_rank(&self) -> u64 {
        self.queue.max_rank()
    }

    fn __len__(&self) -> usize {
        self.queue.len()
    }

    fn __contains__(&self, id: Whole<u32>) -> bool {
        self.queue.get(id.0).is_some()
    }

    fn __repr__(self_: &Bound<'_, Self>) -> PyResult<String> {
        let (name, queue) = (self_.get_type().name()?, &self_.try_borrow()?.queue);
        let [sram, hbm] = Tier::ALL.map(|tier| queue.len_in(tier));
        Ok(format!("<{name}: {sram} waiting in SRAM and {hbm} in HBM>"))
    }
}

/// A queue of ids ordered by rank and, within a rank, by arrival.
#[pyclass(subclass, module = "forebay.queues")]
pub(crate) struct IndexedQueue {
    queue: Indexed,
}

#[pymethods]
impl IndexedQueue {
    /// Adds an id behind all of its rank.
    fn push(&mut self, py: Python<'_>, rank: Whole<u64>, id: Whole<u32>) -> PyResult<()> {
        let pushed = errors::guarded(|| self.queue.push(rank.0, id.0))?;
        pushed.map_err(|error| refused(py, rank.0, u64::from(id.0), &error, None))
    }

    /// Pushes a batch: arrays of ranks and ids, or positions as ids.
    #[pyo3(signature = (ranks: "ArrayLike", ids: "ArrayLike | None" = None))]
    fn push_many(
        &mut self,
        py: Python<'_>,
        ranks: &Bound<'_, PyAny>,
        ids: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        push_ids(py, &Batch::read(ranks, ids)?, |rank, id| self.queue.push(rank, id))
    }

    /// Takes the earliest id of the smallest rank, as a pair of rank and id.
    fn pop(&mut self) -> PyResult<Option<(u64, u32)>> {
        errors::guarded(|| self.queue.pop_min())
    }

    /// Pops up to so many: arrays of their ranks and ids.
    #[pyo3(signature = (count) -> "Ids")]
    fn pop_many<'py>(&mut self, py: Python<'py>, count: Whole<usize>) -> PyResult<Columns<'py>> {
        let waiting = self.queue.len();
        let pop = || self.queue.pop_min().map(numbered);
        Popped::take(py, count.0, waiting, pop).into_python(py)
    }

    /// Takes the latest id of the largest rank.
    fn pop_max(&mut self) -> PyResult<Option<(u64, u32)>> {
        errors::guarded(|| self.queue.pop_max())
    }

    /// Shows what pop would take.
    fn peek(&self) -> Option<(u64, u32)> {
        self.queue.peek_min()
    }

    /// Shows what pop_max would take.
    fn peek_max(&self) -> Option<(u64, u32)> {
        self.queue.peek_max()
    }

    /// Takes an id out, wherever it stands; its rank, or None if it is not queued.
    fn remove(&mut self, id: Whole<u32>) -> PyResult<Option<u64>> {
        errors::guarded(|| self.queue.remove(id.0))
    }

    /// The rank of an id; None if it is not queued.
    fn rank_of(&self, id: Whole<u32>) -> Option<u64> {
        self.queue.rank_of(id.0)
    }

    /// Gives an id another rank, behind all that have it; False if it is not queued or the rank is
    /// out of range.
    fn change_rank(&mut self, id: Whole<u32>, rank: Whole<u64>) -> PyResult<bool> {
        errors::guarded(|| self.queue.change_rank(id.0, rank.0))
    }

    fn __len__(&self) -> usize {
        self.queue.len()
    }

    fn __contains__(&self, id: Whole<u32>) -> bool {
        self.queue.rank_of(id.0).is_some()
    }

    fn __repr__(self_: &Bound<'_, Self>) -> PyResult<String> {
        Ok(format!("<{}: {} waiting>", self_.get_type().name()?, self_.try_borrow()?.queue.len()))
    }
}

/// A class over a structure that is built from at most one number.
macro_rules! of_ids {
    ($(#[$doc:meta])* $name:ident($($argument:ident)?): $base:ident, $build:expr) => {
        $(#[$doc])*
        #[pyclass(extends = $base, module = "forebay.queues")]
        pub(crate) struct $name;

        #[pymethods]
        impl $name {
            #[new]
            fn new($($argument: Whole<u64>)?) -> PyResult<PyClassInitializer<Self>> {
                let queue = Box::new($build);
                Ok(PyClassInitializer::from($base { queue }).add_subclass($name))
            }
        }
    };
}

of_ids! {
    /// Two tiers over buckets, in constant time (Themis §5.3), for ranks below `ranks`.
    TieredBuckets(ranks): TieredQueue,
    forebay_pifo::TieredBuckets::new(ranks.0).map_err(errors::shape)?
}

of_ids! {
    /// Two tiers over interval heaps, for any rank.
    TieredExact(): TieredQueue,
    forebay_pifo::TieredExact::new()
}

of_ids! {
    /// Two tiers as a list, searched end to end: what the others are tested against.
    TieredReference(max_rank): TieredQueue,
    forebay_pifo::TieredReference::new(max_rank.0)
}

of_ids! {
    /// Ids over buckets, in constant time, for ranks below `ranks`.
    IndexedBuckets(ranks): IndexedQueue,
    forebay_pifo::IndexedBuckets::new(ranks.0).map_err(errors::shape)?
}

of_ids! {
    /// Ids over an interval heap, for any rank.
    IndexedExact(): IndexedQueue,
    forebay_pifo::IndexedExact::new()
}
