//! `LatencyFree`: BBQ behind a sorted register, so that its pipeline's latency cannot be seen.

use forebay_pifo::{BucketQueue, Pipelined, ShiftRegister, bbq_stages};
use pyo3::prelude::*;

use super::Item;
use super::item::{Element, element};
use super::shapes::{by_constant, by_width};
use crate::arguments::Whole;

/// What one cycle did: what was popped; what was refused; operations on the front and on the back queue.
type Cycle<'py> = (Option<Element<'py>>, Option<Element<'py>>, u8, u8);

/// The structure, whatever the width of its bitmaps.
trait AnyLatencyFree: Send + Sync {
    fn step(&mut self, pop: bool, push: Option<(u64, Item)>) -> forebay_pifo::Cycle<u64, Item>;
    fn len(&self) -> usize;
    fn capacity(&self) -> usize;
}

type Front = ShiftRegister<u64, Item>;
type Queue<const W: usize> = forebay_pifo::LatencyFree<Front, BucketQueue<Item, W>>;

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

/// A pipelined BBQ behind a sorted register (thesis §4.5.1). By default the latency is the stages of the
/// BBQ pipeline, and the register holds one element more, the least that hides it (Theorem 4).
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
    #[pyo3(signature = (ranks, capacity, *, latency=None, front=None, width=Whole(64)))]
    fn new(
        ranks: Whole<usize>,
        capacity: Whole<usize>,
        latency: Option<Whole<u16>>,
        front: Option<Whole<usize>>,
        width: Whole<usize>,
    ) -> PyResult<Self> {
        let (latency, front) = (latency.map(|latency| latency.0), front.map(|front| front.0));
        by_width!(width.0, W => build::<W>(ranks.0, capacity.0, latency, front))
    }

    /// One cycle: a pop if `pop`, then a push of `push`, a pair of rank and item. What was popped and
    /// what was refused, as pairs, and the operations on the front and on the back queue.
    #[pyo3(signature = (pop, push=None))]
    fn step<'py>(
        &mut self,
        py: Python<'py>,
        pop: bool,
        push: Option<(Whole<u64>, Bound<'py, PyAny>)>,
    ) -> Cycle<'py> {
        let push = push.map(|(rank, item)| (rank.0, Item::from_python(&item)));
        let done = self.queue.step(pop, push);
        let popped = done.popped.map(|taken| element(py, taken));
        let refused = done.refused.map(|rejected| element(py, (rejected.rank, rejected.item)));
        (popped, refused, done.front_operations, done.back_operations)
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

fn build<const W: usize>(
    ranks: usize,
    capacity: usize,
    latency: Option<u16>,
    front: Option<usize>,
) -> Result<LatencyFree, String> {
    let back = BucketQueue::<Item, W>::new(ranks, capacity).map_err(|error| error.to_string())?;
    let stages = u16::try_from(bbq_stages(back.levels() as u32)).unwrap_or(u16::MAX);
    let back = Pipelined::new(back, latency.unwrap_or(stages));
    let (latency, least) = (back.latency(), back.latency() + 1);
    let front = front.unwrap_or(least);
    let register = Front::new(front).map_err(|error| error.to_string())?;
    let queue = Queue::<W>::new(register, back).map_err(|error| error.to_string())?;
    Ok(LatencyFree { queue: Box::new(queue), latency, front })
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<LatencyFree>()
}
