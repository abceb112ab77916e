//! Structures driven cycle by cycle: `Pipelined` and `LatencyFree`, over the same BBQ.

use forebay_pifo::{BucketQueue, Pipelined as Pipeline, Rejected, ShiftRegister, bbq_stages};
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::Item;
use super::batch::{Batch, Columns, Popped};
use super::item::{Element, element};
use super::shapes::{by_constant, by_width, holds};
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

/// What does something in every cycle.
trait Clocked: Send + Sync {
    fn cycle(&mut self, pop: bool, push: Option<(u64, Item)>) -> Done;
}

/// A batch of cycles: which were answered and which refused their element; the ranks and items that came.
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
    fn run(self, py: Python<'py>, clocked: &mut dyn Clocked) -> PyResult<Cycles<'py>> {
        let rows = self.batch.len()?;
        let (mut answered, mut refused) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
        let mut popped = Popped::default();
        let (pops, pushes) = (&self.pops, &self.pushes);
        let ended = self.batch.in_pieces(py, |ranks, items| {
            for (index, rank) in ranks.iter().enumerate() {
                let row = answered.len();
                let pushes = pushes.as_ref().is_none_or(|pushes| pushes[row]);
                let done = clocked.cycle(pops[row], pushes.then(|| (*rank, items.at(index))));
                answered.push(done.answered);
                refused.push(done.refused.is_some());
                done.popped.into_iter().for_each(|taken| popped.add(taken));
            }
            Ok::<(), (usize, PyErr)>(())
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

/// The stages of a BBQ's pipeline.
fn stages(levels: usize) -> u16 {
    u16::try_from(bbq_stages(levels as u32)).unwrap_or(u16::MAX)
}

fn bbq<const W: usize>(ranks: usize, capacity: usize) -> Result<BucketQueue<Item, W>, String> {
    let queue = BucketQueue::new(ranks, capacity).map_err(|error| error.to_string())?;
    holds(capacity, forebay_pifo::RankedQueue::capacity(&queue))?;
    Ok(queue)
}

/// A pipeline in use, whatever the width of its bitmaps.
trait AnyPipelined: Clocked {
    fn answer(&mut self) -> Option<Option<(u64, Item)>>;
    fn request(&mut self) -> bool;
    fn push(&mut self, rank: u64, item: Item) -> Result<(), Rejected<u64, Item>>;
    fn len(&self) -> usize;
}

type Bbq<const W: usize> = Pipeline<BucketQueue<Item, W>>;

impl<const W: usize> Clocked for Bbq<W> {
    fn cycle(&mut self, pop: bool, push: Option<(u64, Item)>) -> Done {
        let answer = Bbq::<W>::answer(self);
        let refused = push.and_then(|(rank, item)| Bbq::<W>::push(self, rank, item).err());
        if pop {
            Bbq::<W>::request(self);
        }
        Done { answered: answer.is_some(), popped: answer.flatten(), refused }
    }
}

impl<const W: usize> AnyPipelined for Bbq<W> {
    fn answer(&mut self) -> Option<Option<(u64, Item)>> {
        Bbq::<W>::answer(self)
    }

    fn request(&mut self) -> bool {
        Bbq::<W>::request(self)
    }

    fn push(&mut self, rank: u64, item: Item) -> Result<(), Rejected<u64, Item>> {
        Bbq::<W>::push(self, rank, item)
    }

    fn len(&self) -> usize {
        Bbq::<W>::len(self)
    }
}

/// BBQ behind its pipeline: what a pop finds is known `latency` cycles later, by default after the stages of
/// the pipeline. In each cycle: `answer` once, then pushes and one `request`.
#[pyclass(module = "forebay.queues")]
pub(crate) struct Pipelined {
    queue: Box<dyn AnyPipelined>,
    /// Cycles from a request to its answer.
    #[pyo3(get)]
    latency: usize,
}

#[pymethods]
impl Pipelined {
    #[new]
    #[pyo3(signature = (ranks, capacity, *, latency=None, width=64))]
    fn new(
        ranks: Whole<usize>,
        capacity: Whole<usize>,
        latency: Option<Whole<u16>>,
        #[pyo3(from_py_with = whole)] width: usize,
    ) -> PyResult<Self> {
        let latency = latency.map(|latency| latency.0);
        by_width!(width, W => pipelined::<W>(ranks.0, capacity.0, latency))
    }

    /// Begins a cycle: whether an answer is due, and the element that the pop found, None if nothing waited.
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

    /// A cycle for each row: its answer, then a push of `ranks` (where `pushes` says so, or in all), then a
    /// request where `pops` says so. Which cycles had an answer; the ranks and items of the answers that were not
    /// empty; which pushes were refused.
    #[pyo3(signature = (pops, ranks, items=None, *, pushes=None))]
    fn step_many<'py>(
        &mut self,
        py: Python<'py>,
        pops: &Bound<'py, PyAny>,
        ranks: &Bound<'py, PyAny>,
        items: Option<&Bound<'py, PyAny>>,
        pushes: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Cycles<'py>> {
        Asked::read(pops, ranks, items, pushes)?.run(py, self.queue.as_mut())
    }

    /// The number of elements that wait or are on their way out.
    fn __len__(&self) -> usize {
        self.queue.len()
    }
}

fn pipelined<const W: usize>(
    ranks: usize,
    capacity: usize,
    latency: Option<u16>,
) -> Result<Pipelined, String> {
    let queue = bbq::<W>(ranks, capacity)?;
    let latency = latency.unwrap_or(stages(queue.levels()));
    let queue = Pipeline::new(queue, latency);
    Ok(Pipelined { latency: queue.latency(), queue: Box::new(queue) })
}

/// What one cycle did: what was popped; what was refused; operations on the front and on the back queue.
type Cycle<'py> = (Option<Element<'py>>, Option<Element<'py>>, u8, u8);

/// The structure, whatever the width of its bitmaps.
trait AnyLatencyFree: Clocked {
    fn step(&mut self, pop: bool, push: Option<(u64, Item)>) -> forebay_pifo::Cycle<u64, Item>;
    fn len(&self) -> usize;
    fn capacity(&self) -> usize;
}

type Front = ShiftRegister<u64, Item>;
type Queue<const W: usize> = forebay_pifo::LatencyFree<Front, BucketQueue<Item, W>>;

impl<const W: usize> Clocked for Queue<W> {
    fn cycle(&mut self, pop: bool, push: Option<(u64, Item)>) -> Done {
        let done = Queue::<W>::step(self, pop, push);
        Done { answered: done.popped.is_some(), popped: done.popped, refused: done.refused }
    }
}

impl<const W: usize> AnyLatencyFree for Queue<W> {
    fn step(&mut self, pop: bool, push: Option<(u64, Item)>) -> forebay_pifo::Cycle<u64, Item> {
        Queue::<W>::step(self, pop, push)
    }

    fn len(&self) -> usize {
        Queue::<W>::len(self)
    }

    fn capacity(&self) -> usize {
        Queue::<W>::capacity(self)
    }
}

/// A pipelined BBQ behind a sorted register (thesis §4.5.1), so that its latency cannot be seen. By default
/// the latency is the stages of the BBQ pipeline, and the register holds one element more, the least that
/// hides it (Theorem 4).
#[pyclass(module = "forebay.queues")]
pub(crate) struct LatencyFree {
    queue: Box<dyn AnyLatencyFree>,
    /// Cycles from a request to the back queue to its answer.
    #[pyo3(get)]
    latency: usize,
    /// Elements that the front queue holds.
    #[pyo3(get)]
    front: usize,
}

#[pymethods]
impl LatencyFree {
    #[new]
    #[pyo3(signature = (ranks, capacity, *, latency=None, front=None, width=64))]
    fn new(
        ranks: Whole<usize>,
        capacity: Whole<usize>,
        latency: Option<Whole<u16>>,
        front: Option<Whole<usize>>,
        #[pyo3(from_py_with = whole)] width: usize,
    ) -> PyResult<Self> {
        let (latency, front) = (latency.map(|latency| latency.0), front.map(|front| front.0));
        by_width!(width, W => latency_free::<W>(ranks.0, capacity.0, latency, front))
    }

    /// One cycle: a pop if `pop`, then a push of `push`, a pair of rank and item. What was popped and
    /// what was refused, as pairs, and the operations on the front and on the back queue.
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

    /// A cycle for each row: a pop where `pops` says so, then a push of `ranks` (where `pushes` says so, or in
    /// all). Which cycles popped something; the ranks and items of what they popped; which pushes were refused.
    #[pyo3(signature = (pops, ranks, items=None, *, pushes=None))]
    fn step_many<'py>(
        &mut self,
        py: Python<'py>,
        pops: &Bound<'py, PyAny>,
        ranks: &Bound<'py, PyAny>,
        items: Option<&Bound<'py, PyAny>>,
        pushes: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Cycles<'py>> {
        Asked::read(pops, ranks, items, pushes)?.run(py, self.queue.as_mut())
    }

    /// The largest number of elements that may wait at once.
    #[getter]
    fn capacity(&self) -> usize {
        self.queue.capacity()
    }

    fn __len__(&self) -> usize {
        self.queue.len()
    }
}

fn latency_free<const W: usize>(
    ranks: usize,
    capacity: usize,
    latency: Option<u16>,
    front: Option<usize>,
) -> Result<LatencyFree, String> {
    let back = bbq::<W>(ranks, capacity)?;
    let back_stages = stages(back.levels());
    let back = Pipeline::new(back, latency.unwrap_or(back_stages));
    let (latency, least) = (back.latency(), back.latency() + 1);
    let front = front.unwrap_or(least);
    let register = Front::new(front).map_err(|error| error.to_string())?;
    let queue = Queue::<W>::new(register, back).map_err(|error| error.to_string())?;
    Ok(LatencyFree { queue: Box::new(queue), latency, front })
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Pipelined>()?;
    module.add_class::<LatencyFree>()
}
