//! `Queue` and `DoubleEndedQueue`: what every exact queue can do, from Python.

use std::any::Any;

use forebay_pifo::{DoubleEnded, RankedQueue, Rejected, Replaced, Ties};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;

use super::Item;
use super::batch::{Batch, Columns, Popped};
use super::item::{Element, element, shown, summary};
use crate::arguments::Whole;
use crate::errors;

/// Any structure of one end.
pub(crate) trait Ranked: RankedQueue<Rank = u64, Item = Item> + Any + Send + Sync {}

impl<Q: RankedQueue<Rank = u64, Item = Item> + Any + Send + Sync> Ranked for Q {}

/// Any structure of both ends.
pub(crate) trait BothEnds: Ranked + DoubleEnded<Rank = u64, Item = Item> {}

impl<Q: Ranked + DoubleEnded<Rank = u64, Item = Item>> BothEnds for Q {}

/// What a `Queue` holds.
enum Held {
    One(Box<dyn Ranked>),
    Both(Box<dyn BothEnds>),
}

/// A bounded queue that serves the smallest rank.
#[pyclass(subclass, module = "forebay.queues")]
pub(crate) struct Queue {
    held: Held,
    /// How many items in the queue are objects: without any, the garbage collector need not look.
    objects: usize,
}

impl Queue {
    /// Holds a queue of one end.
    pub(crate) fn of(queue: impl Ranked) -> PyClassInitializer<Self> {
        PyClassInitializer::from(Queue { held: Held::One(Box::new(queue)), objects: 0 })
    }

    fn queue(&self) -> &dyn Ranked {
        match &self.held {
            Held::One(queue) => queue.as_ref(),
            Held::Both(queue) => queue.as_ref(),
        }
    }

    fn queue_mut(&mut self) -> &mut dyn Ranked {
        match &mut self.held {
            Held::One(queue) => queue.as_mut(),
            Held::Both(queue) => queue.as_mut(),
        }
    }

    /// The queue itself, which is a `Q`: for what only one structure has.
    pub(crate) fn held_as<Q: Ranked>(&self) -> PyResult<&Q> {
        let any: &dyn Any = self.queue();
        any.downcast_ref().ok_or_else(errors::lost)
    }

    /// The same to change.
    pub(crate) fn held_as_mut<Q: Ranked>(&mut self) -> PyResult<&mut Q> {
        let any: &mut dyn Any = self.queue_mut();
        any.downcast_mut().ok_or_else(errors::lost)
    }

    /// Takes an item in.
    pub(super) fn enter(&mut self, py: Python<'_>, item: Option<Bound<'_, PyAny>>) -> Item {
        let item = Item::from_argument(py, item);
        self.objects += usize::from(item.object().is_some());
        item
    }

    /// Lets an element out.
    pub(super) fn leave<'py>(&mut self, py: Python<'py>, taken: (u64, Item)) -> Element<'py> {
        self.forget(usize::from(taken.1.object().is_some()));
        element(py, taken)
    }

    fn forget(&mut self, objects: usize) {
        self.objects = self.objects.saturating_sub(objects);
    }

    /// The error of a refused push.
    pub(super) fn refuse(&mut self, py: Python<'_>, rejected: Rejected<u64, Item>) -> PyErr {
        self.forget(usize::from(rejected.item.object().is_some()));
        errors::refused(py, rejected, None)
    }

    /// Gives a batch to Python.
    fn hand_out<'py>(&mut self, py: Python<'py>, popped: Popped) -> PyResult<Columns<'py>> {
        self.forget(popped.objects());
        popped.into_python(py)
    }
}

#[pymethods]
impl Queue {
    /// Adds an element; raises `Refused` if the queue is full or cannot represent the rank.
    #[pyo3(signature = (rank, item=None))]
    fn push(
        &mut self,
        py: Python<'_>,
        rank: Whole<u64>,
        item: Option<Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let item = self.enter(py, item);
        match errors::guarded(|| self.queue_mut().push(rank.0, item))? {
            Ok(()) => Ok(()),
            Err(rejected) => Err(self.refuse(py, rejected)),
        }
    }

    /// Takes an element of the smallest rank, as a pair of rank and item; None if nothing waits.
    fn pop<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Element<'py>>> {
        let taken = errors::guarded(|| self.queue_mut().pop_min())?;
        Ok(taken.map(|taken| self.leave(py, taken)))
    }

    /// Shows what `pop` would take.
    fn peek<'py>(&self, py: Python<'py>) -> PyResult<Option<Element<'py>>> {
        errors::guarded(|| self.queue().peek_min().map(|seen| shown(py, seen)))
    }

    /// Pops and then pushes, in one pass where the structure allows it; what was popped.
    #[pyo3(signature = (rank, item=None))]
    fn replace<'py>(
        &mut self,
        py: Python<'py>,
        rank: Whole<u64>,
        item: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Element<'py>>> {
        let item = self.enter(py, item);
        let Replaced { popped, pushed } =
            errors::guarded(|| self.queue_mut().replace(rank.0, item))?;
        let popped = popped.map(|taken| self.leave(py, taken));
        if let Err(rejected) = &pushed {
            self.forget(usize::from(rejected.item.object().is_some()));
        }
        errors::after_replace(py, pushed, popped)
    }

    /// Pushes a batch; without items, each is its position. Stops at the first refused element.
    #[pyo3(signature = (ranks: "ArrayLike", items: "ArrayLike | None" = None))]
    fn push_many(
        &mut self,
        py: Python<'_>,
        ranks: &Bound<'_, PyAny>,
        items: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let queue = self.queue_mut();
        Batch::read(ranks, items)?
            .each(py, |_, rank, item| queue.push(rank, Item::Number(item)))?
            .map_err(|(index, rejected)| errors::refused(py, rejected, Some(index)))
    }

    /// Pops up to so many elements: arrays of their ranks and items (a list if any is no whole
    /// number).
    #[pyo3(signature = (count) -> "Columns")]
    fn pop_many<'py>(&mut self, py: Python<'py>, count: Whole<usize>) -> PyResult<Columns<'py>> {
        let queue = self.queue_mut();
        let popped = Popped::take(py, count.0, queue.len(), || queue.pop_min());
        self.hand_out(py, popped)
    }

    /// Every element once, as pairs of rank and item, in an order that the structure chooses.
    fn elements<'py>(&self, py: Python<'py>) -> Vec<Element<'py>> {
        self.queue().iter().map(|seen| shown(py, seen)).collect()
    }

    /// The largest number of elements that may wait at once.
    #[getter]
    fn capacity(&self) -> usize {
        self.queue().capacity()
    }

    /// Whether elements of equal rank leave in order of arrival.
    #[getter]
    fn first_in_first_out(&self) -> bool {
        self.queue().ties() == Ties::Fifo
    }

    fn __len__(&self) -> usize {
        self.queue().len()
    }

    fn __bool__(&self) -> bool {
        !self.queue().is_empty()
    }

    fn __repr__(self_: &Bound<'_, Self>) -> PyResult<String> {
        let queue = self_.try_borrow()?;
        summary(self_, queue.queue().len(), queue.queue().capacity())
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        if self.objects == 0 {
            return Ok(());
        }
        self.queue().iter().try_for_each(|(_, item)| visit.call(item.object()))
    }

    fn __clear__(&mut self) {
        while self.queue_mut().pop_min().is_some() {}
        self.objects = 0;
    }
}

/// A queue that can also give up its largest rank.
#[pyclass(extends = Queue, subclass, module = "forebay.queues")]
pub(crate) struct DoubleEndedQueue;

impl DoubleEndedQueue {
    /// Holds a queue of two ends.
    pub(crate) fn of(queue: impl BothEnds) -> PyClassInitializer<Self> {
        let held = Held::Both(Box::new(queue));
        PyClassInitializer::from(Queue { held, objects: 0 }).add_subclass(DoubleEndedQueue)
    }
}

#[pymethods]
impl DoubleEndedQueue {
    /// Takes an element of the largest rank (the latest, where ties are first-in first-out).
    fn pop_max<'py>(
        mut self_: PyRefMut<'_, Self>,
        py: Python<'py>,
    ) -> PyResult<Option<Element<'py>>> {
        let queue = self_.as_super();
        let Held::Both(held) = &mut queue.held else { return Ok(None) };
        let taken = errors::guarded(|| held.pop_max())?;
        Ok(taken.map(|taken| queue.leave(py, taken)))
    }

    /// Shows what `pop_max` would take.
    fn peek_max<'py>(self_: PyRef<'_, Self>, py: Python<'py>) -> PyResult<Option<Element<'py>>> {
        let Held::Both(held) = &self_.as_super().held else { return Ok(None) };
        errors::guarded(|| held.peek_max().map(|seen| shown(py, seen)))
    }

    /// Pops up to so many elements from the large end.
    #[pyo3(signature = (count) -> "Columns")]
    fn pop_max_many<'py>(
        mut self_: PyRefMut<'_, Self>,
        py: Python<'py>,
        count: Whole<usize>,
    ) -> PyResult<Columns<'py>> {
        let queue = self_.as_super();
        let Held::Both(held) = &mut queue.held else { return Popped::default().into_python(py) };
        let popped = Popped::take(py, count.0, held.len(), || held.pop_max());
        queue.hand_out(py, popped)
    }
}
