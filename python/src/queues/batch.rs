//! Batches: columns of ranks and items in, columns out.

use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::Item;
use crate::arrays::Column;
use crate::{detached, errors};

/// Elements that were popped: numbers for as long as all items are.
#[derive(Default)]
pub(crate) struct Popped {
    ranks: Vec<u64>,
    numbers: Vec<u64>,
    /// Every item, from the first that is no number on.
    mixed: Vec<Item>,
    /// What ended the batch early.
    interrupted: Option<PyErr>,
}

impl Popped {
    /// Room for `count` elements.
    pub(crate) fn with_capacity(count: usize) -> Self {
        let (ranks, numbers) = (Vec::with_capacity(count), Vec::with_capacity(count));
        Popped { ranks, numbers, mixed: Vec::new(), interrupted: None }
    }

    /// Up to `count` elements, of which `waiting` wait, each taken by `pop`.
    pub(crate) fn take(
        py: Python<'_>,
        count: usize,
        waiting: usize,
        mut pop: impl Send + FnMut() -> Option<(u64, Item)>,
    ) -> Self {
        let count = count.min(waiting);
        let mut popped = Popped::with_capacity(count);
        let ended = detached::in_pieces(py, count, |piece| {
            piece.map_while(|_| pop()).for_each(|taken| popped.add(taken));
            Ok::<(), PyErr>(())
        });
        popped.interrupted = ended.and_then(|ended| ended).err();
        popped
    }

    /// Adds an element.
    #[inline]
    pub(crate) fn add(&mut self, (rank, item): (u64, Item)) {
        self.ranks.push(rank);
        match item {
            Item::Number(number) if self.mixed.is_empty() => self.numbers.push(number),
            item => self.add_mixed(item),
        }
    }

    #[cold]
    fn add_mixed(&mut self, item: Item) {
        if self.mixed.is_empty() {
            self.mixed.extend(self.numbers.drain(..).map(Item::Number));
        }
        self.mixed.push(item);
    }

    /// How many of the items are objects.
    pub(crate) fn objects(&self) -> usize {
        self.mixed.iter().filter(|item| item.object().is_some()).count()
    }

    /// An array of ranks, and an array of items or, if any is no number, a list of them. Where the
    /// batch was interrupted, the exception has them as `popped`.
    pub(crate) fn into_python(self, py: Python<'_>) -> PyResult<Columns<'_>> {
        let ranks = PyArray1::from_vec(py, self.ranks);
        let items = if self.mixed.is_empty() {
            PyArray1::from_vec(py, self.numbers).into_any()
        } else {
            let objects = self.mixed.into_iter().map(|item| item.into_python(py));
            PyList::new(py, objects.collect::<Vec<_>>())?.into_any()
        };
        if let Some(error) = self.interrupted {
            error.value(py).setattr("popped", (ranks, items))?;
            return Err(error);
        }
        Ok((ranks, items))
    }
}

/// Popped ranks and items, as Python sees them.
pub(crate) type Columns<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyAny>);

/// The two columns of a batch to push.
pub(crate) struct Batch<'py> {
    ranks: Column<'py>,
    items: Option<Column<'py>>,
}

impl<'py> Batch<'py> {
    /// Reads and checks both; without items, each is its position.
    pub(crate) fn read(
        ranks: &Bound<'py, PyAny>,
        items: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let ranks = Column::read(ranks, "ranks")?;
        let items = items.map(|items| Column::read(items, "items")).transpose()?;
        let batch = Batch { ranks, items };
        if let Some(items) = &batch.items {
            let (ranks, items) = (batch.ranks.as_slice()?.len(), items.as_slice()?.len());
            if ranks != items {
                return Err(PyValueError::new_err(format!(
                    "ranks has {ranks} elements and items {items}; they must have as many"
                )));
            }
        }
        Ok(batch)
    }

    /// The number of elements.
    pub(crate) fn len(&self) -> PyResult<usize> {
        self.ranks.as_slice().map(<[u64]>::len)
    }

    /// Gives `push` the place, the rank and the item of one element after the other, without the
    /// lock. What it refuses comes with its place; what is taken before that, or before Ctrl-C,
    /// stays in the queue.
    pub(crate) fn each<E: Send>(
        &self,
        py: Python<'_>,
        mut push: impl Send + FnMut(usize, u64, u64) -> Result<(), E>,
    ) -> PyResult<Result<(), (usize, E)>> {
        let ranks = self.ranks.as_slice()?;
        let items = self.items.as_ref().map(Column::as_slice).transpose()?;
        let mut taken = 0;
        let pushed = detached::in_pieces(py, ranks.len(), |piece| {
            let end = piece.end;
            for place in piece {
                let item = items.map_or(place as u64, |items| items[place]);
                push(place, ranks[place], item).map_err(|refused| (place, refused))?;
            }
            taken = end;
            Ok(())
        });
        pushed.map_err(|error| errors::in_batch(py, error, taken, py.None().into_bound(py)))
    }
}
