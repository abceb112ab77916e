//! Structures driven cycle by cycle: `Pipelined` and `LatencyFree`, over the same BBQ.

use forebay_pifo::{RankedQueue, Rejected, ShiftRegister, bbq_stages};
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::Item;
use super::batch::{Batch, Columns, Popped};
use super::buckets::bbq;
use super::item::{Element, element, summary};
use super::ranked::Ranked;
use super::shapes::{by_constant, by_width};
use crate::arguments::{Whole, whole};
use crate::arrays::Column;
use crate::errors;

/// What one cycle did.
struct Done {
    /// What was popped, or what the pop of some cycles ago found.
    popped: Option<(u64, Item)>,
    /// Whether an answer was due, empty or not.
    answered: bool,
    refused: Option<Rejected<u64, Item>>,
}

/// A batch of cycles: which were answered and which refused their element; the ranks and items that
/// came.
type Cycles<'py> = (Bound<'py, PyArray1<bool>>, Columns<'py>, Bound<'py, PyArray1<bool>>);

/// The columns of a batch of cycles.
struct Asked<'py> {
    pops: Vec<bool>,
    pushes: Option<Vec<bool>>,
    batch: Batch<'py>,
}

impl<'py> Asked<'py> {
    fn read(
        pops: &Bound<'py, PyAny>,
        ranks: &Bound<'py, PyAny>,
        items: Option<&Bound<'py, PyAny>>,
        pushes: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let batch = Batch::read(ranks, items)?;
        let pops = Column::read_flags(pops, "pops")?;
        let pushes = pushes.map(|pushes| Column::read_flags(pushes, "pushes")).transpose()?;
        for (name, flags) in [("pops", Some(&pops)), ("pushes", pushes.as_ref())] {
            let (given, rows) = (flags.map_or(batch.len()?, Vec::len), batch.len()?);
            if given != rows {
                return Err(PyValueError::new_err(format!(
                    "ranks has {rows} elements and {name} {given}; they must have as many"
                )));
            }
        }
        Ok(Asked { pops, pushes, batch })
    }

    /// Runs a cycle for each row.
    fn run(
        self,
        py: Python<'py>,
        mut cycle: impl Send + FnMut(bool, Option<(u64, Item)>) -> Done,
    ) -> PyResult<Cycles<'py>> {
        let rows = self.batch.len()?;
        let (mut answered, mut refused) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
        let mut popped = Popped::default();
        let (pops, pushes) = (&self.pops, &self.pushes);
        let ended = self.batch.each(py, |row, rank, item| {
            let pushes = pushes.as_ref().is_none_or(|pushes| pushes[row]);
            let done = cycle(pops[row], pushes.then_some((rank, Item::Number(item))));
            answered.push(done.answered);
            refused.push(done.refused.is_some());
            done.popped.into_iter().for_each(|taken| popped.add(taken));
            Ok::<(), PyErr>(())
        });
        let columns = popped.into_python(py)?;
        let done = (PyArray1::from_vec(py, answered), columns, PyArray1::from_vec(py, refused));
        match ended {
            Ok(_) => Ok(done),
            Err(error) => {
                error.value(py).setattr("done", done)?;
                Err(error)
            }
        }
    }
}

/// A BBQ whose bitmaps have `width` bits, behind a pipeline: of `latency` stages, or of its own.
type Pipeline = forebay_pifo::Pipelined<Box<dyn Ranked>>;

fn pipeline(
    ranks: usize,
    capacity: usize,
    width: usize,
    latency: Option<Whole<u16>>,
) -> PyResult<Pipeline> {
    let (queue, levels): (Box<dyn Ranked>, usize) = by_width!(width, W => {
        let queue = bbq::<W>(ranks, capacity)?;
        let levels = queue.levels();
        (Box::new(queue), levels)
    });
    let stages = u16::try_from(bbq_stages(levels as u32)).unwrap_or(u16::MAX);
    Ok(Pipeline::new(queue, latency.map_or(stages, |latency| latency.0)))
}

/// BBQ behind its pipeline: what a pop finds is known `latency` cycles later, by default after the
/// stages of the pipeline. In each cycle: `answer` once, then pushes and one `request`.
#[pyclass(module = "forebay.queues")]
pub(crate) struct Pipelined {
    queue: Pipeline,
}

#[pymethods]
impl Pipelined {
    #[new]
    #[pyo3(signature = (ranks, capacity, *, latency=None, width: "SupportsIndex" = 64))]
    fn new(
        ranks: Whole<usize>,
        capacity: Whole<usize>,
        latency: Option<Whole<u16>>,
        #[pyo3(from_py_with = whole)] width: usize,
    ) -> PyResult<Self> {
        Ok(Pipelined { queue: pipeline(ranks.0, capacity.0, width, latency)? })
    }

    /// Begins a cycle: whether an answer is due, and the element that the pop found, None if
    /// nothing waited.
    fn answer<'py>(&mut self, py: Python<'py>) -> PyResult<(bool, Option<Element<'py>>)> {
        let answer = errors::guarded(|| self.queue.answer())?;
        Ok((answer.is_some(), answer.flatten().map(|taken| element(py, taken))))
    }

    /// Asks for the smallest element; False if this cycle has asked already.
    fn request(&mut self) -> PyResult<bool> {
        errors::guarded(|| self.queue.request())
    }

    /// Adds an element, which requests from now on see.
    #[pyo3(signature = (rank, item=None))]
    fn push(
        &mut self,
        py: Python<'_>,
        rank: Whole<u64>,
        item: Option<Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let item = Item::from_argument(py, item);
        let pushed = errors::guarded(|| self.queue.push(rank.0, item))?;
        pushed.map_err(|rejected| errors::refused(py, rejected, None))
    }

    /// A cycle for each row: its answer, then a push of `ranks` (where `pushes` says so, or in
    /// all), then a request where `pops` says so. Which cycles had an answer; the ranks and items
    /// of the answers that were not empty; which pushes were refused.
    #[pyo3(signature = (
        pops: "ArrayLike",
        ranks: "ArrayLike",
        items: "ArrayLike | None" = None,
        *,
        pushes: "ArrayLike | None" = None
    ) -> "tuple[NDArray[np.bool_], Columns, NDArray[np.bool_]]")]
    fn step_many<'py>(
        &mut self,
        py: Python<'py>,
        pops: &Bound<'py, PyAny>,
        ranks: &Bound<'py, PyAny>,
        items: Option<&Bound<'py, PyAny>>,
        pushes: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Cycles<'py>> {
        let queue = &mut self.queue;
        Asked::read(pops, ranks, items, pushes)?.run(py, |pop, push| {
            let answer = queue.answer();
            let refused = push.and_then(|(rank, item)| queue.push(rank, item).err());
            if pop {
                queue.request();
            }
            Done { answered: answer.is_some(), popped: answer.flatten(), refused }
        })
    }

    /// Cycles from a request to its answer.
    #[getter]
    fn latency(&self) -> usize {
        self.queue.latency()
    }

    /// The number of elements that wait or are on their way out.
    fn __len__(&self) -> usize {
        self.queue.len()
    }

    fn __repr__(self_: &Bound<'_, Self>) -> PyResult<String> {
        let queue = &self_.try_borrow()?.queue;
        summary(self_, queue.len(), queue.queue().capacity())
    }
}

/// What one cycle did: what was popped; what was refused; operations on the front and on the back
/// queue.
type Cycle<'py> = (Option<Element<'py>>, Option<Element<'py>>, u8, u8);

/// A pipelined BBQ behind a sorted register (thesis §4.5.1), so that its latency cannot be seen. By
/// default the latency is the stages of the BBQ pipeline, and the register holds one element more,
/// the least that hides it (Theorem 4).
#[pyclass(module = "forebay.queues")]
pub(crate) struct LatencyFree {
    queue: forebay_pifo::LatencyFree<ShiftRegister<u64, Item>, Box<dyn Ranked>>,
}

#[pymethods]
impl LatencyFree {
    #[new]
    #[pyo3(signature = (ranks, capacity, *, latency=None, front=None, width: "SupportsIndex" = 64))]
    fn new(
        ranks: Whole<usize>,
        capacity: Whole<usize>,
        latency: Option<Whole<u16>>,
        front: Option<Whole<usize>>,
        #[pyo3(from_py_with = whole)] width: usize,
    ) -> PyResult<Self> {
        let back = pipeline(ranks.0, capacity.0, width, latency)?;
        let front = front.map_or(back.latency() + 1, |front| front.0);
        let front = ShiftRegister::new(front).map_err(errors::shape)?;
        let queue = forebay_pifo::LatencyFree::new(front, back).map_err(errors::shape)?;
        Ok(LatencyFree { queue })
    }

    /// One cycle: a pop if `pop`, then a push of `push`, a pair of rank and item. What was popped
    /// and what was refused, as pairs, and the operations on the front and on the back queue.
    #[pyo3(signature = (pop, push=None))]
    fn step<'py>(
        &mut self,
        py: Python<'py>,
        pop: bool,
        push: Option<(Whole<u64>, Bound<'py, PyAny>)>,
    ) -> PyResult<Cycle<'py>> {
        let push = push.map(|(rank, item)| (rank.0, Item::from_python(&item)));
        let done = errors::guarded(|| self.queue.step(pop, push))?;
        let popped = done.popped.map(|taken| element(py, taken));
        let refused = done.refused.map(|rejected| element(py, (rejected.rank, rejected.item)));
        Ok((popped, refused, done.front_operations, done.back_operations))
    }

    /// A cycle for each row: a pop where `pops` says so, then a push of `ranks` (where `pushes`
    /// says so, or in all). Which cycles popped something; the ranks and items of what they popped;
    /// which pushes were refused.
    #[pyo3(signature = (
        pops: "ArrayLike",
        ranks: "ArrayLike",
        items: "ArrayLike | None" = None,
        *,
        pushes: "ArrayLike | None" = None
    ) -> "tuple[NDArray[np.bool_], Columns, NDArray[np.bool_]]")]
    fn step_many<'py>(
        &mut self,
        py: Python<'py>,
        pops: &Bound<'py, PyAny>,
        ranks: &Bound<'py, PyAny>,
        items: Option<&Bound<'py, PyAny>>,
        pushes: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Cycles<'py>> {
        let queue = &mut self.queue;
        Asked::read(pops, ranks, items, pushes)?.run(py, |pop, push| {
            let done = queue.step(pop, push);
            Done { answered: done.popped.is_some(), popped: done.popped, refused: done.refused }
        })
    }

    /// The largest number of elements that may wait at once.
    #[getter]
    fn capacity(&self) -> usize {
        self.queue.capacity()
    }

    /// Cycles from a request to the back queue to its answer.
    #[getter]
    fn latency(&self) -> usize {
        self.queue.back().latency()
    }

    /// Elements that the front queue holds.
    #[getter]
    fn front(&self) -> usize {
        self.queue.front().capacity()
    }

    fn __len__(&self) -> usize {
        self.queue.len()
    }

    fn __repr__(self_: &Bound<'_, Self>) -> PyResult<String> {
        let queue = &self_.try_borrow()?.queue;
        summary(self_, queue.len(), queue.capacity())
    }
}
