//! `ApproximateQueue` and one class per structure: what a few first-in first-out queues can do.

use std::any::Any;

use forebay_pifo::approximate::{self, Advance, AifoConfig, ApproximateQueue as Approximate};
use forebay_units::printable;
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::Item;
use super::batch::{Batch, Columns, Popped};
use super::item::{Element, element, summary};
use super::shapes::holds;
use crate::arguments::{Whole, whole};
use crate::errors;

/// Any approximate queue.
trait AnyApproximate: Approximate<Item = Item> + Any + Send + Sync {}

impl<Q: Approximate<Item = Item> + Any + Send + Sync> AnyApproximate for Q {}

/// A bounded queue that tries to serve small ranks first, and promises no order.
#[pyclass(subclass, module = "forebay.queues")]
pub(crate) struct ApproximateQueue {
    queue: Box<dyn AnyApproximate>,
}

impl ApproximateQueue {
    /// Holds a queue that was asked for `capacity` elements.
    fn of(queue: impl AnyApproximate, capacity: usize) -> PyResult<PyClassInitializer<Self>> {
        holds(capacity, queue.capacity())?;
        Ok(PyClassInitializer::from(ApproximateQueue { queue: Box::new(queue) }))
    }

    /// The structure, if it is a `Q`.
    fn held<Q: 'static>(&self) -> PyResult<&Q> {
        let any: &dyn Any = self.queue.as_ref();
        any.downcast_ref().ok_or_else(errors::lost)
    }

    /// The same to change.
    fn held_mut<Q: 'static>(&mut self) -> PyResult<&mut Q> {
        let any: &mut dyn Any = self.queue.as_mut();
        any.downcast_mut().ok_or_else(errors::lost)
    }
}

/// Which of a batch were admitted; the ranks and the items of what left for them.
type Admitted<'py> = (Bound<'py, PyArray1<bool>>, Columns<'py>);

#[pymethods]
impl ApproximateQueue {
    /// Adds an element. The pair of rank and item that left to make room for it, where the queue
    /// pushes out; raises Refused if the element is not admitted.
    #[pyo3(signature = (rank, item=None))]
    fn push<'py>(
        &mut self,
        py: Python<'py>,
        rank: Whole<u64>,
        item: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Element<'py>>> {
        let item = Item::from_argument(py, item);
        match errors::guarded(|| self.queue.push(rank.0, item))? {
            Ok(left) => Ok(left.map(|taken| element(py, taken))),
            Err(rejected) => Err(errors::refused(py, rejected, None)),
        }
    }

    /// Takes the element that the queue serves next; None if none waits or none is due.
    fn pop<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Element<'py>>> {
        errors::guarded(|| self.queue.pop().map(|taken| element(py, taken)))
    }

    /// Pushes a batch to the end. An array that says which were admitted, and the ranks and items
    /// of what left to make room.
    #[pyo3(signature = (
        ranks: "ArrayLike",
        items: "ArrayLike | None" = None
    ) -> "tuple[NDArray[np.bool_], Columns]")]
    fn push_many<'py>(
        &mut self,
        py: Python<'py>,
        ranks: &Bound<'py, PyAny>,
        items: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Admitted<'py>> {
        let (mut admitted, mut left) = (Vec::new(), Popped::default());
        let pushed = Batch::read(ranks, items)?.each(py, |_, rank, item| {
            let pushed = self.queue.push(rank, Item::Number(item));
            admitted.push(pushed.is_ok());
            pushed.ok().flatten().into_iter().for_each(|taken| left.add(taken));
            Ok::<(), PyErr>(())
        });
        let done = (PyArray1::from_vec(py, admitted), left.into_python(py)?);
        match pushed {
            Ok(_) => Ok(done),
            Err(error) => {
                error.value(py).setattr("done", done)?;
                Err(error)
            }
        }
    }

    /// Pops up to so many elements: arrays of their ranks and items.
    #[pyo3(signature = (count) -> "Columns")]
    fn pop_many<'py>(&mut self, py: Python<'py>, count: Whole<usize>) -> PyResult<Columns<'py>> {
        let waiting = self.queue.len();
        Popped::take(py, count.0, waiting, || self.queue.pop()).into_python(py)
    }

    /// The largest number of elements that may wait at once.
    #[getter]
    fn capacity(&self) -> usize {
        self.queue.capacity()
    }

    fn __len__(&self) -> usize {
        self.queue.len()
    }

    fn __repr__(self_: &Bound<'_, Self>) -> PyResult<String> {
        let queue = &self_.try_borrow()?.queue;
        summary(self_, queue.len(), queue.capacity())
    }
}

type Sp = approximate::SpPifo<Item>;

/// SP-PIFO: `queues` strict-priority queues of `places` each, whose bounds follow the ranks.
#[pyclass(extends = ApproximateQueue, module = "forebay.queues")]
pub(crate) struct SpPifo;

#[pymethods]
impl SpPifo {
    #[new]
    fn new(queues: Whole<usize>, places: Whole<usize>) -> PyResult<PyClassInitializer<Self>> {
        let queue = Sp::new(queues.0, places.0).map_err(errors::shape)?;
        Ok(ApproximateQueue::of(queue, queues.0.saturating_mul(places.0))?.add_subclass(SpPifo))
    }

    /// The smallest rank that each queue takes now, the highest priority first.
    #[getter]
    fn bounds(self_: PyRef<'_, Self>) -> PyResult<Vec<u64>> {
        Ok(self_.as_super().held::<Sp>()?.bounds().to_vec())
    }
}

/// AIFO: one queue that admits by the quantile of the rank.
#[pyclass(extends = ApproximateQueue, module = "forebay.queues")]
pub(crate) struct Aifo;

#[pymethods]
impl Aifo {
    #[new]
    #[pyo3(signature = (
        capacity,
        *,
        window: "SupportsIndex" = 128,
        burst=0.1,
        sample_every: "SupportsIndex" = 1
    ))]
    fn new(
        capacity: Whole<usize>,
        #[pyo3(from_py_with = whole)] window: usize,
        burst: f64,
        #[pyo3(from_py_with = whole)] sample_every: usize,
    ) -> PyResult<PyClassInitializer<Self>> {
        let config = AifoConfig { window, burst, sample_every };
        let queue = approximate::Aifo::<Item>::new(capacity.0, config).map_err(errors::shape)?;
        Ok(ApproximateQueue::of(queue, capacity.0)?.add_subclass(Aifo))
    }
}

type Calendar = approximate::CalendarQueue<Item>;

/// AFQ's calendar: `queues` rounds of `granularity` ranks each.
#[pyclass(extends = ApproximateQueue, module = "forebay.queues")]
pub(crate) struct CalendarQueue;

#[pymethods]
impl CalendarQueue {
    #[new]
    fn new(
        queues: Whole<usize>,
        granularity: Whole<u64>,
        capacity: Whole<usize>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let queue = Calendar::new(queues.0, granularity.0, capacity.0).map_err(errors::shape)?;
        Ok(ApproximateQueue::of(queue, capacity.0)?.add_subclass(CalendarQueue))
    }

    /// The round being served.
    #[getter]
    fn round(self_: PyRef<'_, Self>) -> PyResult<u64> {
        Ok(self_.as_super().held::<Calendar>()?.round())
    }

    /// The largest rank that has a round now.
    #[getter]
    fn horizon(self_: PyRef<'_, Self>) -> PyResult<u64> {
        Ok(self_.as_super().held::<Calendar>()?.horizon())
    }
}

type Periods = approximate::ProgrammableCalendar<Item>;

/// PCQ: a calendar whose periods end when empty, or when its caller says so.
#[pyclass(extends = ApproximateQueue, module = "forebay.queues")]
pub(crate) struct ProgrammableCalendar;

#[pymethods]
impl ProgrammableCalendar {
    #[new]
    #[pyo3(signature = (queues, granularity, capacity, *, advance: "Advance" = "when-empty"))]
    fn new(
        queues: Whole<usize>,
        granularity: Whole<u64>,
        capacity: Whole<usize>,
        advance: &str,
    ) -> PyResult<PyClassInitializer<Self>> {
        let advance = match advance {
            "when-empty" => Advance::WhenEmpty,
            "by-caller" => Advance::ByCaller,
            other => {
                return Err(PyValueError::new_err(format!(
                    "advance: \"{}\" is neither \"when-empty\" nor \"by-caller\"",
                    printable(other)
                )));
            }
        };
        let queue = Periods::new(queues.0, granularity.0, capacity.0, advance);
        Ok(ApproximateQueue::of(queue.map_err(errors::shape)?, capacity.0)?
            .add_subclass(ProgrammableCalendar))
    }

    /// Adds an element `ahead` periods after the current one.
    #[pyo3(signature = (ahead, rank, item=None))]
    fn push_ahead(
        mut self_: PyRefMut<'_, Self>,
        py: Python<'_>,
        ahead: Whole<usize>,
        rank: Whole<u64>,
        item: Option<Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let item = Item::from_argument(py, item);
        let pushed = self_.as_super().held_mut::<Periods>()?.push_ahead(ahead.0, rank.0, item);
        pushed.map_err(|rejected| errors::refused(py, rejected, None))
    }

    /// Ends the current period.
    fn rotate(mut self_: PyRefMut<'_, Self>) -> PyResult<()> {
        let rotated = self_.as_super().held_mut::<Periods>()?.rotate();
        rotated.map_err(|pending| errors::ForebayError::new_err(pending.to_string()))
    }

    /// Periods opened from now on hold so many ranks.
    fn set_granularity(mut self_: PyRefMut<'_, Self>, granularity: Whole<u64>) -> PyResult<()> {
        let set = self_.as_super().held_mut::<Periods>()?.set_granularity(granularity.0);
        set.map_err(errors::shape)
    }

    /// The number of periods that an element can be for now.
    #[getter]
    fn periods(self_: PyRef<'_, Self>) -> PyResult<usize> {
        Ok(self_.as_super().held::<Periods>()?.periods())
    }

    /// The largest rank that has a period now.
    #[getter]
    fn horizon(self_: PyRef<'_, Self>) -> PyResult<u64> {
        Ok(self_.as_super().held::<Periods>()?.horizon())
    }
}

/// Arrival order; when full, the arriving element is dropped.
#[pyclass(extends = ApproximateQueue, module = "forebay.queues")]
pub(crate) struct DropTailQueue;

#[pymethods]
impl DropTailQueue {
    #[new]
    fn new(capacity: Whole<usize>) -> PyResult<PyClassInitializer<Self>> {
        let queue = approximate::DropTailQueue::<Item>::new(capacity.0).map_err(errors::shape)?;
        Ok(ApproximateQueue::of(queue, capacity.0)?.add_subclass(DropTailQueue))
    }
}

/// Exact order; when full, the largest rank is pushed out.
#[pyclass(extends = ApproximateQueue, module = "forebay.queues")]
pub(crate) struct PushOut;

#[pymethods]
impl PushOut {
    #[new]
    fn new(capacity: Whole<usize>) -> PyResult<PyClassInitializer<Self>> {
        let exact = forebay_pifo::ExactQueue::<u64, Item>::new(usize::MAX);
        let queue = approximate::PushOut::new(exact, capacity.0);
        Ok(ApproximateQueue::of(queue, capacity.0)?.add_subclass(PushOut))
    }
}

/// Exact order; when full, the arriving element is dropped.
#[pyclass(extends = ApproximateQueue, module = "forebay.queues")]
pub(crate) struct RefuseWhenFull;

#[pymethods]
impl RefuseWhenFull {
    #[new]
    fn new(capacity: Whole<usize>) -> PyResult<PyClassInitializer<Self>> {
        let exact = forebay_pifo::ExactQueue::<u64, Item>::new(capacity.0);
        let queue = approximate::RefuseWhenFull::new(exact);
        Ok(ApproximateQueue::of(queue, capacity.0)?.add_subclass(RefuseWhenFull))
    }
}
