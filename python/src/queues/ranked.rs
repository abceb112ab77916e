//! `Queue` and `DoubleEndedQueue`: what every exact queue can do, from Python.

use forebay_pifo::{DoubleEnded, RankedQueue, Rejected, Replaced, Ties};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;

use super::Item;
use super::batch::{Batch, Columns, Items, Popped, pop_batch};
use super::item::{Element, element, shown};
use crate::arguments::Whole;
use crate::errors;

/// An element that a batch could not push, and its place.
pub(crate) type RefusedAt = (usize, Rejected<u64, Item>);

/// A [`RankedQueue`] as an object.
pub(crate) trait AnyRanked: std::any::Any + Send + Sync {
    fn push(&mut self, rank: u64, item: Item) -> Result<(), Rejected<u64, Item>>;
    fn pop_min(&mut self) -> Option<(u64, Item)>;
    fn peek_min(&self) -> Option<(u64, &Item)>;
    fn replace(&mut self, rank: u64, item: Item) -> Replaced<u64, Item>;
    fn len(&self) -> usize;
    fn capacity(&self) -> usize;
    fn ties(&self) -> Ties;
    fn visit(&self, see: &mut dyn FnMut(u64, &Item));
    fn push_batch(&mut self, ranks: &[u64], items: Items<'_>) -> Result<(), RefusedAt>;
    fn pop_batch(&mut self, count: usize, popped: &mut Popped);
}

impl<Q> AnyRanked for Q
where
    Q: RankedQueue<Rank = u64, Item = Item> + Send + Sync + 'static,
{
    fn push(&mut self, rank: u64, item: Item) -> Result<(), Rejected<u64, Item>> {
        RankedQueue::push(self, rank, item)
    }

    fn pop_min(&mut self) -> Option<(u64, Item)> {
        RankedQueue::pop_min(self)
    }

    fn peek_min(&self) -> Option<(u64, &Item)> {
        RankedQueue::peek_min(self)
    }

    fn replace(&mut self, rank: u64, item: Item) -> Replaced<u64, Item> {
        RankedQueue::replace(self, rank, item)
    }

    fn len(&self) -> usize {
        RankedQueue::len(self)
    }

    fn capacity(&self) -> usize {
        RankedQueue::capacity(self)
    }

    fn ties(&self) -> Ties {
        Q::TIES
    }

    fn visit(&self, see: &mut dyn FnMut(u64, &Item)) {
        self.iter().for_each(|(rank, item)| see(rank, item));
    }

    fn push_batch(&mut self, ranks: &[u64], items: Items<'_>) -> Result<(), RefusedAt> {
        for (index, rank) in ranks.iter().enumerate() {
            RankedQueue::push(self, *rank, items.at(index))
                .map_err(|rejected| (index, rejected))?;
        }
        Ok(())
    }

    fn pop_batch(&mut self, count: usize, popped: &mut Popped) {
        (0..count).map_while(|_| RankedQueue::pop_min(self)).for_each(|taken| popped.add(taken));
    }
}

/// A [`DoubleEnded`] queue as an object.
pub(crate) trait AnyDoubleEnded: AnyRanked {
    fn pop_max(&mut self) -> Option<(u64, Item)>;
    fn peek_max(&self) -> Option<(u64, &Item)>;
    fn pop_max_batch(&mut self, count: usize, popped: &mut Popped);
}

impl<Q> AnyDoubleEnded for Q
where
    Q: DoubleEnded<Rank = u64, Item = Item> + Send + Sync + 'static,
{
    fn pop_max(&mut self) -> Option<(u64, Item)> {
        DoubleEnded::pop_max(self)
    }

    fn peek_max(&self) -> Option<(u64, &Item)> {
        DoubleEnded::peek_max(self)
    }

    fn pop_max_batch(&mut self, count: usize, popped: &mut Popped) {
        (0..count).map_while(|_| DoubleEnded::pop_max(self)).for_each(|taken| popped.add(taken));
    }
}

/// What a `Queue` holds.
enum Held {
    One(Box<dyn AnyRanked>),
    Both(Box<dyn AnyDoubleEnded>),
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
    pub(crate) fn one(queue: impl AnyRanked) -> Self {
        Queue { held: Held::One(Box::new(queue)), objects: 0 }
    }

    pub(crate) fn queue(&self) -> &dyn AnyRanked {
        match &self.held {
            Held::One(queue) => queue.as_ref(),
            Held::Both(queue) => queue.as_ref(),
        }
    }

    fn queue_mut(&mut self) -> &mut dyn AnyRanked {
        match &mut self.held {
            Held::One(queue) => queue.as_mut(),
            Held::Both(queue) => queue.as_mut(),
        }
    }

    /// The queue itself, if it is a `Q`: for what only one structure has.
    pub(crate) fn held_as<Q: AnyRanked>(&self) -> Option<&Q> {
        let any: &dyn std::any::Any = self.queue();
        any.downcast_ref()
    }

    /// The same to change.
    pub(crate) fn held_as_mut<Q: AnyRanked>(&mut self) -> Option<&mut Q> {
        let any: &mut dyn std::any::Any = self.queue_mut();
        any.downcast_mut()
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
    /// Adds an element.
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

    /// Shows what pop would take.
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

    /// Pushes a batch: arrays of ranks and items, or positions as items. Stops at the first refused one.
    #[pyo3(signature = (ranks, items=None))]
    fn push_many(
        &mut self,
        py: Python<'_>,
        ranks: &Bound<'_, PyAny>,
        items: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let queue = self.queue_mut();
        Batch::read(ranks, items)?
            .in_pieces(py, |ranks, items| queue.push_batch(ranks, items))?
            .map_err(|(index, rejected)| errors::refused(py, rejected, Some(index)))
    }

    /// Pops up to so many elements: arrays of their ranks and items (a list if any is no whole number).
    fn pop_many<'py>(&mut self, py: Python<'py>, count: Whole<usize>) -> PyResult<Columns<'py>> {
        let queue = self.queue_mut();
        let popped = pop_batch(py, count.0, queue.len(), |count, popped| {
            queue.pop_batch(count, popped);
        });
        self.hand_out(py, popped)
    }

    /// Every element once, as pairs of rank and item, in an order that the structure chooses.
    fn elements<'py>(&self, py: Python<'py>) -> Vec<Element<'py>> {
        let mut elements = Vec::with_capacity(self.queue().len());
        self.queue().visit(&mut |rank, item| elements.push(shown(py, (rank, item))));
        elements
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
        self.queue().len() > 0
    }

    fn __repr__(self_: &Bound<'_, Self>) -> PyResult<String> {
        let (name, queue) = (self_.get_type().name()?, self_.try_borrow()?);
        let (len, capacity) = (queue.queue().len(), queue.queue().capacity());
        Ok(format!("<{name}: {len} of {capacity} waiting>"))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        if self.objects == 0 {
            return Ok(());
        }
        let mut outcome = Ok(());
        self.queue().visit(&mut |_, item| {
            if outcome.is_ok() {
                outcome = visit.call(item.object());
            }
        });
        outcome
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
    pub(crate) fn of(queue: impl AnyDoubleEnded) -> PyClassInitializer<Self> {
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

    /// Shows what pop_max would take.
    fn peek_max<'py>(self_: PyRef<'_, Self>, py: Python<'py>) -> PyResult<Option<Element<'py>>> {
        let Held::Both(held) = &self_.as_super().held else { return Ok(None) };
        errors::guarded(|| held.peek_max().map(|seen| shown(py, seen)))
    }

    /// Pops up to so many elements from the large end.
    fn pop_max_many<'py>(
        mut self_: PyRefMut<'_, Self>,
        py: Python<'py>,
        count: Whole<usize>,
    ) -> PyResult<Columns<'py>> {
        let queue = self_.as_super();
        let waiting = queue.queue().len();
        let Held::Both(held) = &mut queue.held else { return Popped::default().into_python(py) };
        let popped = pop_batch(py, count.0, waiting, |count, popped| {
            held.pop_max_batch(count, popped);
        });
        queue.hand_out(py, popped)
    }
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Queue>()?;
    module.add_class::<DoubleEndedQueue>()
}
