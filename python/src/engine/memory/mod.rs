//! `Hbm`: a stack of HBM under its controllers, request by request or in batches; `SramPort`.

mod batch;
mod device;
pub(crate) mod sram;

use std::sync::atomic::{AtomicBool, Ordering};

use forebay_lab::results::number::plural;
use forebay_mem::patterns::{self, AccessLayout, BankSet, PatternOutcome};
use forebay_mem::{BankAddress, Completion, ControllerConfig, MemoryStats, Request};
use forebay_parameters::{Configure, listed_all};
use forebay_units::{Bytes, Time, printable};
use numpy::PyArray1;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use self::batch::{Run, check, direction, request, writes};
use self::device::{Channels, Memory, MemoryConfig};
use crate::arguments::{Whole, bytes, picoseconds, whole};
use crate::parameters::Parameters;
use crate::rows::Columns;
use crate::shown::{Counts, Named};
use crate::{detached, errors};

/// What `Hbm` is made of, with its defaults.
pub(crate) fn config() -> impl Configure {
    MemoryConfig::default()
}

/// The memory model: requests in, completions out, bank by bank. By default the pseudo channels of
/// a Samsung HBM2E work in lockstep, as hybrid buffers use them; `channels="one"` is a pseudo
/// channel, `channels="each"` a stack whose channels work on their own. `Hbm.parameters()` lists
/// what else it takes.
#[pyclass(module = "forebay")]
pub(crate) struct Hbm {
    config: MemoryConfig,
    memory: Memory,
    /// What the last `run` did.
    ran: MemoryStats,
}

#[pymethods]
impl Hbm {
    #[new]
    #[pyo3(signature = (**parameters: "Unpack[HbmParameters]"))]
    fn new(parameters: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let mut config = MemoryConfig::default();
        Parameters::fill_from("Hbm", parameters, |walk| config.walk(walk))?;
        let memory = Memory::new(&config).map_err(errors::shape)?;
        Ok(Hbm { config, memory, ran: MemoryStats::default() })
    }

    /// The names of all parameters.
    #[staticmethod]
    fn parameters() -> Vec<String> {
        let all = listed_all(&mut MemoryConfig::default());
        all.into_iter().map(|one| one.parameter.name.into_owned()).collect()
    }

    /// Asks at `now` for `columns` accesses of a row (stripes over all channels, if they work in
    /// lockstep), from `column` on.
    #[pyo3(signature = (
        now: "Time",
        id: "SupportsIndex",
        row: "SupportsIndex",
        columns: "SupportsIndex",
        *,
        write=false,
        group: "SupportsIndex" = 0,
        bank: "SupportsIndex" = 0,
        column: "SupportsIndex" = 0,
        channel: "SupportsIndex" = 0
    ))]
    #[expect(clippy::too_many_arguments, reason = "an address has so many parts")]
    fn submit(
        &mut self,
        #[pyo3(from_py_with = picoseconds)] now: u64,
        #[pyo3(from_py_with = whole)] id: u64,
        #[pyo3(from_py_with = whole)] row: u32,
        #[pyo3(from_py_with = whole)] columns: u16,
        write: bool,
        #[pyo3(from_py_with = whole)] group: u8,
        #[pyo3(from_py_with = whole)] bank: u8,
        #[pyo3(from_py_with = whole)] column: u16,
        #[pyo3(from_py_with = whole)] channel: usize,
    ) -> PyResult<()> {
        self.check_channel(channel)?;
        let bank = BankAddress { group, bank };
        let access = self.memory.access(&self.config.stack);
        let request = Request::new(id, direction(write), bank, row, columns, access);
        let request = Request { column, ..request };
        let now = Time::from_ps(now);
        errors::guarded(|| self.memory.submit(now, channel, request))?.map_err(errors::shape)
    }

    /// Lets time pass until `now`: the id and the time of every request that is done.
    #[pyo3(signature = (now: "Time"))]
    fn advance(
        &mut self,
        #[pyo3(from_py_with = picoseconds)] now: u64,
    ) -> PyResult<Vec<(u64, u64)>> {
        let mut done = Vec::new();
        let mut note = |completion: Completion| done.push((completion.id, completion.at.as_ps()));
        errors::guarded(|| self.memory.advance(Time::from_ps(now), &mut note))?;
        Ok(done)
    }

    /// When something inside is due next; None if nothing is.
    fn next_event(&self) -> Option<u64> {
        self.memory.next_event().map(Time::as_ps)
    }

    /// Whether a controller's queue takes another request.
    #[pyo3(signature = (channel: "SupportsIndex" = 0))]
    fn has_room(&self, #[pyo3(from_py_with = whole)] channel: usize) -> PyResult<bool> {
        self.check_channel(channel)?;
        Ok(self.memory.has_room(channel))
    }

    /// What the memory has done: bytes moved, useful bytes, row hits, activations, turnarounds,
    /// busy time.
    #[getter]
    fn stats(&self) -> Counts {
        shown(&self.memory.stats())
    }

    /// The same of the last `run`.
    #[getter]
    fn run_stats(&self) -> Counts {
        shown(&self.ran)
    }

    fn __repr__(&self) -> String {
        let (channels, capacity) =
            (self.config.stack.geometry.pseudo_channels, self.config.stack.geometry.capacity());
        format!("<Hbm of {}, {capacity}>", plural(channels, "pseudo channel", "pseudo channels"))
    }

    /// The rate in bits a second at which all data buses are full.
    #[getter]
    fn peak(&self) -> u64 {
        self.config.stack.peak().as_bps()
    }

    /// The bytes of the whole stack.
    #[getter]
    fn capacity(&self) -> u64 {
        self.config.stack.geometry.capacity().get()
    }

    /// The columns that so many bytes take.
    #[pyo3(signature = (size: "Size"))]
    fn columns_for(&self, #[pyo3(from_py_with = bytes)] size: u64) -> u64 {
        Bytes::new(size).div_ceil(self.memory.access(&self.config.stack))
    }

    /// Runs requests as fast as the queue takes them in a memory of their own, from time 0: banks
    /// (bank + banks per group · group), rows and the number of columns of each; which are writes
    /// (all or none, or one by one), their first columns, and their channels where these work on
    /// their own. The time at which each is done.
    ///
    /// After Ctrl-C, the exception's `index` is the first request that was not submitted, its
    /// `done` the times so far, the largest `uint64` where a request was not done.
    #[pyo3(signature = (
        banks: "ArrayLike",
        rows: "ArrayLike",
        columns: "ArrayLike",
        *,
        write: "bool | ArrayLike | None" = None,
        first: "ArrayLike | None" = None,
        channel: "ArrayLike | None" = None
    ) -> "NDArray[np.uint64]")]
    #[expect(clippy::too_many_arguments, reason = "columns of one table, half of them optional")]
    fn run<'py>(
        &mut self,
        py: Python<'py>,
        banks: &Bound<'py, PyAny>,
        rows: &Bound<'py, PyAny>,
        columns: &Bound<'py, PyAny>,
        write: Option<&Bound<'py, PyAny>>,
        first: Option<&Bound<'py, PyAny>>,
        channel: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let names = ["banks", "rows", "columns", "first", "channel"];
        let given = [Some(banks), Some(rows), Some(columns), first, channel];
        let table = Columns::read(names, given)?;
        let table = table.rows()?;
        let writes = writes(write, table.len())?;
        check(py, &table, &self.config.stack.geometry, self.channels_of_their_own())?;
        let memory = Memory::new(&self.config);
        let memory = memory.map_err(errors::shape)?;
        let mut run = detached::run(py, || Run::new(memory, table.len()))?;
        let access = run.memory.access(&self.config.stack);
        let per_group = u64::from(self.config.stack.geometry.banks_per_group.max(1));
        let mut next = 0;
        let submitted = detached::in_pieces(py, table.len(), |piece| {
            for row in piece {
                let direction = direction(writes.of(row));
                let request = request(&table, row, per_group, direction, access);
                run.submit(table.at(4, row, 0) as usize, request)?;
                next = row + 1;
            }
            Ok(())
        });
        let ended = submitted.and_then(|submitted: PyResult<()>| submitted);
        let ended = ended.and_then(|()| detached::until_done(py, |events| run.drain(events)));
        self.ran = run.memory.stats();
        let done = PyArray1::from_vec(py, run.done);
        match ended {
            Ok(()) => Ok(done),
            Err(error) => Err(errors::in_batch(py, error, next, done.into_any())),
        }
    }

    /// Rows in turn over some banks of one pseudo channel, `cell` bytes of each (themis, Figures 15
    /// to 17).
    #[pyo3(signature = (
        cell: "Size",
        rows: "SupportsIndex",
        *,
        groups: "SupportsIndex" = 1,
        banks_per_group: "SupportsIndex" = 1,
        write=false
    ))]
    fn row_cells(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = bytes)] cell: u64,
        #[pyo3(from_py_with = whole)] rows: u64,
        #[pyo3(from_py_with = whole)] groups: u8,
        #[pyo3(from_py_with = whole)] banks_per_group: u8,
        write: bool,
    ) -> PyResult<Counts> {
        let (banks, cell) = (BankSet { groups, banks_per_group }, Bytes::new(cell));
        let direction = direction(write);
        let requests =
            patterns::row_cell_requests(&self.config.stack, banks, direction, cell, rows);
        self.pattern(py, &self.config.controller, requests)
    }

    /// One-access reads and writes in turn in an open row, strictly in order (themis, App. A:
    /// ping-pong).
    #[pyo3(signature = (accesses))]
    fn ping_pong(&self, py: Python<'_>, accesses: Whole<u64>) -> PyResult<Counts> {
        let requests = patterns::ping_pong_requests(&self.config.stack, accesses.0);
        self.pattern(py, &ControllerConfig::in_order(0), requests)
    }

    /// One-access reads or writes in an open row, strictly in order: what ping-pong is compared
    /// with.
    #[pyo3(signature = (accesses: "SupportsIndex", *, write=false))]
    fn continuous(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = whole)] accesses: u64,
        write: bool,
    ) -> PyResult<Counts> {
        let requests =
            patterns::continuous_requests(&self.config.stack, direction(write), accesses);
        self.pattern(py, &ControllerConfig::in_order(0), requests)
    }

    /// Reads 1 MB that lies in the memory in the "best", the "worst" or the "packet-worst" way
    /// (themis, Table 2).
    #[pyo3(signature = (layout: "Literal['best', 'worst', 'packet-worst']"))]
    fn table2(&self, py: Python<'_>, layout: &str) -> PyResult<Counts> {
        let layout = match layout {
            "best" => AccessLayout::Best,
            "worst" => AccessLayout::Worst,
            "packet-worst" => AccessLayout::PacketWorst,
            other => {
                return Err(PyValueError::new_err(format!(
                    "layout: \"{}\" is none of \"best\", \"worst\", \"packet-worst\"",
                    printable(other)
                )));
            }
        };
        let (stack, controller) = (&self.config.stack, &self.config.controller);
        let outcome = detached::run(py, || patterns::table2(stack, controller, layout))?;
        Ok(outcome_of(&outcome.map_err(errors::shape)?))
    }
}

impl Hbm {
    /// The channels that a request may name.
    fn channels_of_their_own(&self) -> usize {
        match self.config.channels {
            Channels::Each => self.config.stack.geometry.pseudo_channels.into(),
            Channels::Striped | Channels::One => 1,
        }
    }

    fn check_channel(&self, channel: usize) -> PyResult<()> {
        let channels = self.channels_of_their_own();
        if channel < channels {
            return Ok(());
        }
        let text = match self.config.channels {
            Channels::Each => format!("channel {channel}: there are {channels}, numbered from 0"),
            Channels::Striped | Channels::One => {
                format!("channel {channel}: only Hbm(channels=\"each\") has channels of their own")
            }
        };
        Err(PyIndexError::new_err(text))
    }

    fn pattern(
        &self,
        py: Python<'_>,
        controller: &ControllerConfig,
        requests: impl Iterator<Item = Request> + Send,
    ) -> PyResult<Counts> {
        let stack = &self.config.stack;
        let (outcome, interrupted) = detached::interruptible(py, |stop: &AtomicBool| {
            patterns::run(stack, controller, requests.take_while(|_| !stop.load(Ordering::Relaxed)))
        })?;
        match interrupted {
            Some(error) => Err(error),
            None => Ok(outcome_of(&outcome.map_err(errors::shape)?)),
        }
    }
}

fn shown(stats: &MemoryStats) -> Counts {
    Named(vec![
        ("bytes_read", stats.bytes_read.get()),
        ("bytes_written", stats.bytes_written.get()),
        ("useful_read", stats.useful_read.get()),
        ("useful_written", stats.useful_written.get()),
        ("requests", stats.requests),
        ("row_hits", stats.row_hits),
        ("activations", stats.activations),
        ("turnarounds", stats.turnarounds),
        ("refreshes", stats.refreshes),
        ("busy", stats.busy.as_ps()),
        ("idle", stats.idle.as_ps()),
    ])
}

fn outcome_of(outcome: &PatternOutcome) -> Counts {
    let mut named = shown(&outcome.stats);
    named.0.extend([
        ("total", outcome.total.as_ps()),
        ("moved", outcome.moved.get()),
        ("channel_rate", outcome.channel_rate().as_bps()),
        ("device_rate", outcome.device_rate().as_bps()),
    ]);
    named
}
