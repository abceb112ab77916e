//! `Pieo`: a list from which the smallest eligible element leaves.

use forebay_pifo::{Eligible, PieoElement, PieoReason, PieoRefused};
use numpy::PyArray1;
use pyo3::prelude::*;

use super::Item;
use super::batch::Popped;
use crate::arguments::{Whole, whole};
use crate::rows::Columns as Table;
use crate::{detached, errors};

/// A flow, its rank, the time from which it may leave, and its item.
type Element<'py> = (u32, u64, u64, Bound<'py, PyAny>);

fn element<'py>(py: Python<'py>, taken: PieoElement<u64, Item>) -> Element<'py> {
    (taken.flow, taken.rank, taken.send_time, taken.item.into_python(py))
}

fn shown<'py>(py: Python<'py>, seen: &PieoElement<u64, Item>) -> Element<'py> {
    (seen.flow, seen.rank, seen.send_time, seen.item.to_python(py))
}

/// Which elements may leave: those whose time has come, of a range of flows or of all.
fn eligible(now: Whole<u64>, flows: Option<(Whole<u32>, Whole<u32>)>) -> Eligible {
    let all = Eligible::at(now.0);
    match flows {
        Some((first, end)) => all.among(first.0..end.0),
        None => all,
    }
}

/// The flows, ranks, times and items of a batch.
type Columns<'py> = (
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyAny>,
);

fn refused(py: Python<'_>, refused: PieoRefused<u64, Item>, index: Option<usize>) -> PyErr {
    let text = match index {
        Some(index) => format!("element {index}: {refused}"),
        None => refused.to_string(),
    };
    let reason = match refused.reason {
        PieoReason::Full { .. } => "full",
        PieoReason::Waits => "already-queued",
        PieoReason::NoSuchFlow { .. } => "no-such-flow",
    };
    let PieoElement { rank, item, .. } = refused.element;
    errors::refusal(py, text, reason, rank, item.into_python(py), index)
}

/// PIEO: a list by rank that gives up its smallest eligible element, or that of a given flow.
#[pyclass(module = "forebay.queues")]
pub(crate) struct Pieo {
    list: forebay_pifo::Pieo<u64, Item>,
}

#[pymethods]
impl Pieo {
    #[new]
    fn new(capacity: Whole<usize>, flows: Whole<usize>) -> PyResult<Self> {
        let list = forebay_pifo::Pieo::new(capacity.0, flows.0).map_err(errors::shape)?;
        Ok(Pieo { list })
    }

    /// Adds a flow that does not wait yet.
    #[pyo3(signature = (flow, rank, send_time: "SupportsIndex" = 0, item=None))]
    fn enqueue(
        &mut self,
        py: Python<'_>,
        flow: Whole<u32>,
        rank: Whole<u64>,
        #[pyo3(from_py_with = whole)] send_time: u64,
        item: Option<Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let item = Item::from_argument(py, item);
        let element = PieoElement { flow: flow.0, rank: rank.0, send_time, item };
        let taken = errors::guarded(|| self.list.enqueue(element))?;
        taken.map_err(|error| refused(py, error, None))
    }

    /// Adds a batch of flows: arrays of flows, ranks, times from which each may leave (at once, if
    /// there are none), and items, or positions as items. Stops at the first refused one.
    #[pyo3(signature = (
        flows: "ArrayLike",
        ranks: "ArrayLike",
        send_times: "ArrayLike | None" = None,
        items: "ArrayLike | None" = None
    ))]
    fn enqueue_many<'py>(
        &mut self,
        py: Python<'py>,
        flows: &Bound<'py, PyAny>,
        ranks: &Bound<'py, PyAny>,
        send_times: Option<&Bound<'py, PyAny>>,
        items: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        let names = ["flows", "ranks", "send_times", "items"];
        let columns = Table::read(names, [Some(flows), Some(ranks), send_times, items])?;
        let rows = columns.rows()?;
        let (list, mut taken) = (&mut self.list, 0);
        let ended = detached::in_pieces(py, rows.len(), |mut piece| {
            piece.try_for_each(|row| {
                let element = PieoElement {
                    // One that is too large is refused as such.
                    flow: u32::try_from(rows.at(0, row, 0)).unwrap_or(u32::MAX),
                    rank: rows.at(1, row, 0),
                    send_time: rows.at(2, row, 0),
                    item: Item::Number(rows.at(3, row, row as u64)),
                };
                list.enqueue(element).map_err(|error| (row, error))?;
                taken = row + 1;
                Ok(())
            })
        });
        let ended =
            ended.map_err(|error| errors::in_batch(py, error, taken, py.None().into_bound(py)))?;
        ended.map_err(|(row, error)| refused(py, error, Some(row)))
    }

    /// Takes up to so many of those whose time has come at `now`, the smallest first: arrays of
    /// their flows, ranks, times and items (a list if any is no whole number).
    #[pyo3(signature = (now, count, flows=None) -> "PieoColumns")]
    fn dequeue_many<'py>(
        &mut self,
        py: Python<'py>,
        now: Whole<u64>,
        count: Whole<usize>,
        flows: Option<(Whole<u32>, Whole<u32>)>,
    ) -> PyResult<Columns<'py>> {
        let (eligible, count) = (eligible(now, flows), count.0.min(self.list.len()));
        let (mut popped, mut ids) = (Popped::with_capacity(count), Vec::with_capacity(count));
        let (list, mut times) = (&mut self.list, Vec::with_capacity(count));
        let ended = detached::in_pieces(py, count, |mut piece| {
            let taken = piece.try_for_each(|_| {
                let taken = list.dequeue(&eligible)?;
                ids.push(u64::from(taken.flow));
                times.push(taken.send_time);
                popped.add((taken.rank, taken.item));
                Some(())
            });
            taken.ok_or(()) // none is eligible any more
        });
        let (ranks, items) = popped.into_python(py)?;
        let columns = (PyArray1::from_vec(py, ids), ranks, PyArray1::from_vec(py, times), items);
        match ended {
            Ok(_) => Ok(columns),
            Err(error) => {
                error.value(py).setattr("popped", columns)?;
                Err(error)
            }
        }
    }

    /// Takes the smallest element whose time has come at `now`, of the flows from `flows[0]` up to
    /// but not including `flows[1]`.
    #[pyo3(signature = (now, flows=None))]
    fn dequeue<'py>(
        &mut self,
        py: Python<'py>,
        now: Whole<u64>,
        flows: Option<(Whole<u32>, Whole<u32>)>,
    ) -> PyResult<Option<Element<'py>>> {
        let taken = errors::guarded(|| self.list.dequeue(&eligible(now, flows)))?;
        Ok(taken.map(|taken| element(py, taken)))
    }

    /// Shows what dequeue would take.
    #[pyo3(signature = (now, flows=None))]
    fn peek<'py>(
        &self,
        py: Python<'py>,
        now: Whole<u64>,
        flows: Option<(Whole<u32>, Whole<u32>)>,
    ) -> PyResult<Option<Element<'py>>> {
        errors::guarded(|| self.list.peek(&eligible(now, flows)).map(|seen| shown(py, seen)))
    }

    /// Takes the element of a flow, whatever its time.
    fn dequeue_flow<'py>(
        &mut self,
        py: Python<'py>,
        flow: Whole<u32>,
    ) -> PyResult<Option<Element<'py>>> {
        errors::guarded(|| self.list.dequeue_flow(flow.0).map(|taken| element(py, taken)))
    }

    /// Takes the element of the largest rank, whatever its time.
    fn dequeue_last<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Element<'py>>> {
        errors::guarded(|| self.list.dequeue_last().map(|taken| element(py, taken)))
    }

    /// Every element in order of rank.
    fn elements<'py>(&self, py: Python<'py>) -> Vec<Element<'py>> {
        self.list.iter().map(|seen| shown(py, seen)).collect()
    }

    /// The largest number of elements that may wait at once.
    #[getter]
    fn capacity(&self) -> usize {
        self.list.capacity()
    }

    fn __len__(&self) -> usize {
        self.list.len()
    }

    fn __repr__(&self) -> String {
        format!("<Pieo: {} of {} waiting>", self.list.len(), self.list.capacity())
    }
}
