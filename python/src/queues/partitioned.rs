//! `PartitionedQueue` and `DoubleEndedPartitionedQueue`: logical queues over one memory, from
//! Python.

use forebay_lab::results::number::plural;
use forebay_pifo::{DoubleEndedPartitions, PartitionedQueue as Partitions, Ties};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;

use super::Item;
use super::batch::{Batch, Columns, Popped};
use super::item::{Element, element, shown, summary};
use crate::arguments::Whole;
use crate::arrays::Column;
use crate::errors;

/// Any logical queues of one end.
pub(crate) trait Logical: Partitions<Rank = u64, Item = Item> + Send + Sync {}

impl<Q: Partitions<Rank = u64, Item = Item> + Send + Sync> Logical for Q {}

/// Any logical queues of both ends.
pub(crate) trait LogicalBoth:
    Logical + DoubleEndedPartitions<Rank = u64, Item = Item>
{
}

impl<Q: Logical + DoubleEndedPartitions<Rank = u64, Item = Item>> LogicalBoth for Q {}

enum Held {
    One(Box<dyn Logical>),
    Both(Box<dyn LogicalBoth>),
}

/// Several logical queues in one physical queue.
#[pyclass(subclass, module = "forebay.queues")]
pub(crate) struct PartitionedQueue {
    held: Held,
}

impl PartitionedQueue {
    /// Holds queues of one end.
    pub(crate) fn of(queue: impl Logical + 'static) -> PyClassInitializer<Self> {
        PyClassInitializer::from(PartitionedQueue { held: Held::One(Box::new(queue)) })
    }

    fn queue(&self) -> &dyn Logical {
        match &self.held {
            Held::One(queue) => queue.as_ref(),
            Held::Both(queue) => queue.as_ref(),
        }
    }

    fn queue_mut(&mut self) -> &mut dyn Logical {
        match &mut self.held {
            Held::One(queue) => queue.as_mut(),
            Held::Both(queue) => queue.as_mut(),
        }
    }

    fn check(&self, partition: Whole<usize>) -> PyResult<usize> {
        let (partition, partitions) = (partition.0, self.queue().partitions());
        if partition < partitions {
            return Ok(partition);
        }
        Err(PyIndexError::new_err(format!(
            "partition {partition}: there are {partitions}, numbered from 0"
        )))
    }
}

#[pymethods]
impl PartitionedQueue {
    /// Adds an element to a partition.
    #[pyo3(signature = (partition, rank, item=None))]
    fn push(
        &mut self,
        py: Python<'_>,
        partition: Whole<usize>,
        rank: Whole<u64>,
        item: Option<Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let partition = self.check(partition)?;
        let item = Item::from_argument(py, item);
        let pushed = errors::guarded(|| self.queue_mut().push_in(partition, rank.0, item))?;
        pushed.map_err(|rejected| errors::refused(py, rejected, None))
    }

    /// Takes an element of the smallest rank of a partition; None if nothing waits there.
    fn pop<'py>(
        &mut self,
        py: Python<'py>,
        partition: Whole<usize>,
    ) -> PyResult<Option<Element<'py>>> {
        let partition = self.check(partition)?;
        let taken = errors::guarded(|| self.queue_mut().pop_min_in(partition))?;
        Ok(taken.map(|taken| element(py, taken)))
    }

    /// Shows what pop would take.
    fn peek<'py>(
        &self,
        py: Python<'py>,
        partition: Whole<usize>,
    ) -> PyResult<Option<Element<'py>>> {
        let partition = self.check(partition)?;
        errors::guarded(|| self.queue().peek_min_in(partition).map(|seen| shown(py, seen)))
    }

    /// Pops from a partition and then pushes to it; what was popped.
    #[pyo3(signature = (partition, rank, item=None))]
    fn replace<'py>(
        &mut self,
        py: Python<'py>,
        partition: Whole<usize>,
        rank: Whole<u64>,
        item: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Element<'py>>> {
        let partition = self.check(partition)?;
        let item = Item::from_argument(py, item);
        let replaced = errors::guarded(|| self.queue_mut().replace_in(partition, rank.0, item))?;
        let popped = replaced.popped.map(|taken| element(py, taken));
        errors::after_replace(py, replaced.pushed, popped)
    }

    /// Pushes a batch: arrays of partitions, ranks and items, or positions as items.
    #[pyo3(signature = (
        partitions: "ArrayLike",
        ranks: "ArrayLike",
        items: "ArrayLike | None" = None
    ))]
    fn push_many(
        &mut self,
        py: Python<'_>,
        partitions: &Bound<'_, PyAny>,
        ranks: &Bound<'_, PyAny>,
        items: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let partitions = Column::read(partitions, "partitions")?;
        let partitions = partitions.as_slice()?;
        let batch = Batch::read(ranks, items)?;
        if batch.len()? != partitions.len() {
            let (named, ranks) = (partitions.len(), batch.len()?);
            return Err(PyValueError::new_err(format!(
                "partitions has {named} elements and ranks {ranks}; they must have as many"
            )));
        }
        let queue = self.queue_mut();
        batch
            .each(py, |place, rank, item| {
                let partition = usize::try_from(partitions[place]).unwrap_or(usize::MAX);
                queue.push_in(partition, rank, Item::Number(item))
            })?
            .map_err(|(index, rejected)| errors::refused(py, rejected, Some(index)))
    }

    /// Pops up to so many elements of a partition: arrays of their ranks and items.
    #[pyo3(signature = (partition, count) -> "Columns")]
    fn pop_many<'py>(
        &mut self,
        py: Python<'py>,
        partition: Whole<usize>,
        count: Whole<usize>,
    ) -> PyResult<Columns<'py>> {
        let partition = self.check(partition)?;
        let queue = self.queue_mut();
        let waiting = queue.len_in(partition);
        Popped::take(py, count.0, waiting, || queue.pop_min_in(partition)).into_python(py)
    }

    /// The number of elements that wait in a partition.
    fn len_in(&self, partition: Whole<usize>) -> PyResult<usize> {
        self.check(partition).map(|partition| self.queue().len_in(partition))
    }

    /// The number of partitions.
    #[getter]
    fn partitions(&self) -> usize {
        self.queue().partitions()
    }

    /// The largest number of elements that may wait at once, over all partitions.
    #[getter]
    fn capacity(&self) -> usize {
        self.queue().capacity()
    }

    /// Whether elements of equal rank leave a partition in order of arrival.
    #[getter]
    fn first_in_first_out(&self) -> bool {
        self.queue().ties() == Ties::Fifo
    }

    fn __len__(&self) -> usize {
        self.queue().len()
    }

    fn __repr__(self_: &Bound<'_, Self>) -> PyResult<String> {
        let held = self_.try_borrow()?;
        let queue = held.queue();
        let whole = summary(self_, queue.len(), queue.capacity())?;
        let partitions = plural(queue.partitions(), "partition", "partitions");
        Ok(format!("{} in {partitions}>", whole.trim_end_matches('>')))
    }
}

/// Logical queues that can also give up their largest rank.
#[pyclass(extends = PartitionedQueue, subclass, module = "forebay.queues")]
pub(crate) struct DoubleEndedPartitionedQueue;

impl DoubleEndedPartitionedQueue {
    /// Holds queues of two ends.
    pub(crate) fn of(queue: impl LogicalBoth + 'static) -> PyClassInitializer<Self> {
        let held = Held::Both(Box::new(queue));
        PyClassInitializer::from(PartitionedQueue { held })
            .add_subclass(DoubleEndedPartitionedQueue)
    }
}

#[pymethods]
impl DoubleEndedPartitionedQueue {
    /// Takes an element of the largest rank of a partition.
    fn pop_max<'py>(
        mut self_: PyRefMut<'_, Self>,
        py: Python<'py>,
        partition: Whole<usize>,
    ) -> PyResult<Option<Element<'py>>> {
        let queue = self_.as_super();
        let partition = queue.check(partition)?;
        let Held::Both(held) = &mut queue.held else { return Ok(None) };
        errors::guarded(|| held.pop_max_in(partition).map(|taken| element(py, taken)))
    }

    /// Shows what pop_max would take.
    fn peek_max<'py>(
        self_: PyRef<'_, Self>,
        py: Python<'py>,
        partition: Whole<usize>,
    ) -> PyResult<Option<Element<'py>>> {
        let queue = self_.as_super();
        let partition = queue.check(partition)?;
        let Held::Both(held) = &queue.held else { return Ok(None) };
        errors::guarded(|| held.peek_max_in(partition).map(|seen| shown(py, seen)))
    }
}
