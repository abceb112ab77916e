//! `SramPort`: a port that moves cells, its own traffic first and a background transfer in the
//! gaps.

use forebay_mem::SramPort as Engine;
use forebay_units::{Duration, Time};
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::arguments::{Whole, of_argument, picoseconds};
use crate::rows::Columns;
use crate::shown::{Counts, Named};
use crate::{detached, errors};

/// A port of on-chip memory that moves a cell in `cell_time` picoseconds. Arrivals or departures,
/// the foreground, go first; a background transfer (a swap, an expulsion) takes the slots that they
/// leave.
#[pyclass(module = "forebay")]
pub(crate) struct SramPort {
    cell_time: Duration,
    port: Engine,
}

/// How long a cell takes.
fn cell_time(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    picoseconds(value).map_err(|error| of_argument(value.py(), "cell_time", error))
}

#[pymethods]
impl SramPort {
    #[new]
    #[pyo3(signature = (cell_time: "Time"))]
    fn new(#[pyo3(from_py_with = cell_time)] cell_time: u64) -> PyResult<Self> {
        if cell_time == 0 {
            return Err(errors::shape("cell_time: 0; moving a cell takes some time"));
        }
        let cell_time = Duration::from_ps(cell_time);
        Ok(SramPort { cell_time, port: Engine::new(cell_time) })
    }

    /// Moves so many cells of arrivals or departures; when the last is through.
    #[pyo3(signature = (now: "Time", cells))]
    fn foreground(
        &mut self,
        #[pyo3(from_py_with = picoseconds)] now: u64,
        cells: Whole<u32>,
    ) -> PyResult<u64> {
        let now = Time::from_ps(now);
        errors::guarded(|| self.port.foreground(now, cells.0.into()).as_ps())
    }

    /// The same for a batch in order of time: when the last cell of each is through.
    #[pyo3(signature = (times: "ArrayLike", cells: "ArrayLike") -> "NDArray[np.uint64]")]
    fn foreground_many<'py>(
        &mut self,
        py: Python<'py>,
        times: &Bound<'py, PyAny>,
        cells: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let columns = Columns::read(["times", "cells"], [Some(times), Some(cells)])?;
        let rows = columns.rows()?;
        rows.sorted(py)?;
        rows.within(py, 1, 32)?;
        let (mut ends, port) = (Vec::with_capacity(rows.len()), &mut self.port);
        let ended = detached::in_pieces(py, rows.len(), |piece| {
            for row in piece {
                let now = Time::from_ps(rows.at(0, row, 0));
                ends.push(port.foreground(now, rows.at(1, row, 0)).as_ps());
            }
            Ok::<(), PyErr>(())
        });
        let moved = ends.len();
        let ends = PyArray1::from_vec(py, ends);
        match ended.and_then(|ended| ended) {
            Ok(()) => Ok(ends),
            Err(error) => Err(errors::in_batch(py, error, moved, ends.into_any())),
        }
    }

    /// When a foreground transfer offered at `now` would begin.
    #[pyo3(signature = (now: "Time"))]
    fn foreground_start(&self, #[pyo3(from_py_with = picoseconds)] now: u64) -> u64 {
        self.port.foreground_start(Time::from_ps(now)).as_ps()
    }

    /// Begins a transfer of so many cells in the gaps of the foreground.
    #[pyo3(signature = (now: "Time", cells))]
    fn begin_background(
        &mut self,
        #[pyo3(from_py_with = picoseconds)] now: u64,
        cells: Whole<u32>,
    ) -> PyResult<()> {
        let begun = self.port.begin_background(Time::from_ps(now), cells.0.into());
        begun.map_err(|error| errors::ForebayError::new_err(error.to_string()))
    }

    /// When the background transfer ends if no more foreground comes; None without one.
    fn background_due(&self) -> Option<u64> {
        self.port.background_due().map(Time::as_ps)
    }

    /// Whether the background transfer has ended by `now`; then another may begin.
    #[pyo3(signature = (now: "Time"))]
    fn finish_background(&mut self, #[pyo3(from_py_with = picoseconds)] now: u64) -> bool {
        self.port.finish_background(Time::from_ps(now))
    }

    /// Ends the background transfer early: how many of its cells were moved.
    #[pyo3(signature = (now: "Time"))]
    fn abort_background(&mut self, #[pyo3(from_py_with = picoseconds)] now: u64) -> u64 {
        self.port.abort_background(Time::from_ps(now))
    }

    /// The cells moved up to `now`, and the time that they took.
    #[pyo3(signature = (now: "Time"))]
    fn counters(&self, #[pyo3(from_py_with = picoseconds)] now: u64) -> Counts {
        let counters = self.port.counters(Time::from_ps(now));
        Named(vec![
            ("foreground_cells", counters.foreground_cells),
            ("background_cells", counters.background_cells),
            ("busy", counters.busy.as_ps()),
        ])
    }
    fn __repr__(&self) -> String {
        format!("<SramPort: {} for a cell>", self.cell_time)
    }
}
