//! `Buffer`: an on-chip shared packet buffer under a policy of the registry, or an admission of the
//! user's.

mod admission;
mod config;
pub(crate) mod manager;
pub(crate) mod pipeline;
pub(crate) mod verdicts;

use std::sync::{Mutex, PoisonError};

use forebay_buffer::DropCause;
use forebay_buffer::onchip::{OnChipVerdict, SharedBuffer};
use forebay_sched::{Packet, Rank};
use forebay_units::Time;
use numpy::PyArray1;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

pub(super) use self::admission::policy as admission;
use self::admission::{Admitting, Decided, FIELDS};
pub(super) use self::config::{NO_EXPULSIONS, queues};
use super::rule::Rule;
use crate::arguments::{bytes, picoseconds, whole};
use crate::catalogue::{names, policies};
use crate::parameters::Parameters;
use crate::rows::{Columns, Rows};
use crate::shown::{Counts, Named};
use crate::{detached, errors};

/// What stands for a packet that there was not.
const NONE: u64 = u64::MAX;

/// A shared buffer of `capacity` bytes in front of `ports` outputs with `classes` queues each,
/// under a policy by name, or under a rule: an expression or a function that is not 0 where a
/// packet may enter. `Buffer.parameters(policy)` lists what else it takes.
#[pyclass(module = "forebay")]
pub(crate) struct Buffer {
    policy: String,
    held: Mutex<Held>,
    cell: u32,
    losses: Vec<(u32, &'static str)>,
}

/// The buffer, and what decides where the admission is the user's.
struct Held {
    buffer: SharedBuffer,
    admitting: Option<Admitting>,
}

impl Held {
    /// A packet arrives; what a rule raises leaves everything as it was.
    #[inline]
    fn enqueue(
        &mut self,
        now: Time,
        queue: u32,
        packet: Packet,
        rank: u64,
    ) -> PyResult<OnChipVerdict> {
        if let Some(admitting) = &mut self.admitting {
            admitting.decide(&self.buffer, now, queue, packet.size)?;
        }
        Ok(self.buffer.enqueue(now, queue, packet, Rank::new(rank)))
    }

    fn lost(&self, losses: &mut Vec<(u32, &'static str)>) {
        let lost = self.buffer.losses().iter();
        losses.extend(lost.map(|loss| (loss.packet.tag, loss.cause.name())));
    }
}

impl Buffer {
    fn held(&mut self) -> &mut Held {
        self.held.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    fn queue(&mut self, port: u16, class: u16) -> PyResult<u32> {
        let buffer = &self.held().buffer;
        buffer.queue(port, class).ok_or_else(|| {
            PyIndexError::new_err(format!("port {port} and class {class}: {}", there_are(buffer)))
        })
    }

    /// The queues that the rows of a batch are for were checked.
    fn queue_of<const N: usize>(buffer: &SharedBuffer, rows: &Rows<'_, N>, row: usize) -> u32 {
        let (port, class) = (rows.at(1, row, 0), rows.at(2, row, 0));
        port as u32 * u32::from(buffer.classes()) + class as u32
    }

    /// Checks the columns of a batch: times, ports and classes.
    fn check<const N: usize>(&mut self, py: Python<'_>, rows: &Rows<'_, N>) -> PyResult<()> {
        let buffer = &self.held().buffer;
        let (ports, classes) = (ports(buffer), buffer.classes());
        let why = there_are(buffer);
        rows.sorted(py)?;
        rows.at_most(py, 1, u64::from(ports) - 1, &why)?;
        rows.at_most(py, 2, u64::from(classes) - 1, &why)
    }
}

fn ports(buffer: &SharedBuffer) -> u32 {
    buffer.queues() / u32::from(buffer.classes().max(1))
}

fn there_are(buffer: &SharedBuffer) -> String {
    format!("there are {} ports of {} classes, numbered from 0", ports(buffer), buffer.classes())
}

/// What became of a packet, as a word.
fn word(verdict: OnChipVerdict) -> Option<&'static str> {
    match verdict {
        OnChipVerdict::Queued => None,
        OnChipVerdict::Dropped(cause) => Some(cause.name()),
    }
}

/// 0 for a packet that waits, 1 + the cause's place for another.
fn number(verdict: OnChipVerdict) -> u8 {
    match verdict {
        OnChipVerdict::Queued => 0,
        OnChipVerdict::Dropped(cause) => 1 + cause.index() as u8,
    }
}

/// The sizes, tags and times of arrival of a batch that was dequeued.
type Taken<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u64>>);

#[pymethods]
impl Buffer {
    #[new]
    #[pyo3(signature = (
        policy=None,
        *,
        admission: "Rule | None" = None,
        **parameters: "Unpack[BufferParameters]"
    ))]
    fn new(
        policy: Option<&str>,
        admission: Option<&Bound<'_, PyAny>>,
        parameters: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let (held, cell) = match (policy, admission) {
            (Some(policy), None) => {
                let mut given = Parameters::new(format!("buffer \"{policy}\""), parameters);
                let mut choice = config::policy(policy)?;
                let chip = config::chip(Some(&mut choice), &mut given)?;
                let buffer = SharedBuffer::new(&chip, &choice).map_err(errors::shape)?;
                given.finish()?;
                (Held { buffer, admitting: None }, chip.memory.cell)
            }
            (None, Some(rule)) => {
                let mut given =
                    Parameters::new("a buffer with an admission of your own", parameters);
                let chip = config::chip(None, &mut given)?;
                given.finish()?;
                let rule = Rule::read(rule, "admission", &FIELDS)?;
                let decided = Decided::default();
                let policy = |_, _: &_| Ok(Box::new(decided.clone()) as Box<_>);
                let buffer = SharedBuffer::with_policies(&chip, policy).map_err(errors::shape)?;
                let largest_packet = chip.largest_packet;
                let admitting = Some(Admitting { rule, decided, largest_packet, latest: 0 });
                (Held { buffer, admitting }, chip.memory.cell)
            }
            _ => {
                return Err(PyValueError::new_err(
                    "give either a policy or an admission, as in Buffer(\"dt\") or \
                     Buffer(admission=\"queue < capacity / 4\")",
                ));
            }
        };
        let policy = policy.map_or("an admission".to_owned(), |policy| format!("\"{policy}\""));
        Ok(Buffer { policy, held: Mutex::new(held), cell, losses: Vec::new() })
    }

    /// Every policy's name, with what it does.
    #[staticmethod]
    fn names() -> Vec<(String, String)> {
        names(policies().switches.on_chip().clone())
    }

    /// The names of the parameters that a policy takes.
    #[staticmethod]
    fn parameters(policy: &str) -> PyResult<Vec<String>> {
        let mut parameters = Parameters::new(format!("buffer \"{policy}\""), None);
        let mut choice = config::policy(policy)?;
        config::chip(Some(&mut choice), &mut parameters)?;
        Ok(parameters.names())
    }

    /// A packet arrives at `now`. Why it was dropped, or None if it waits.
    #[pyo3(signature = (
        now: "Time",
        port: "SupportsIndex",
        size: "Size",
        *,
        class_: "SupportsIndex" = 0,
        rank: "SupportsIndex" = 0,
        tag: "SupportsIndex" = 0
    ))]
    fn enqueue(
        &mut self,
        #[pyo3(from_py_with = picoseconds)] now: u64,
        #[pyo3(from_py_with = whole)] port: u16,
        #[pyo3(from_py_with = bytes)] size: u32,
        #[pyo3(from_py_with = whole)] class_: u16,
        #[pyo3(from_py_with = whole)] rank: u64,
        #[pyo3(from_py_with = whole)] tag: u32,
    ) -> PyResult<Option<&'static str>> {
        let queue = self.queue(port, class_)?;
        let packet = Packet { size, tag, ..Packet::default() };
        let held = self.held();
        let verdict = errors::guarded(|| held.enqueue(Time::from_ps(now), queue, packet, rank))??;
        let mut losses = Vec::new();
        held.lost(&mut losses);
        self.losses = losses;
        Ok(word(verdict))
    }

    /// Packets arrive in order, each tagged with its place or its entry in `tags`: an array of the
    /// causes' numbers, 0 for those that wait and 1 + the place in `causes()` for those that were
    /// dropped. `losses()` has those that were dropped later on.
    ///
    /// What a rule raises, or Ctrl-C, leaves in the buffer what came before; the exception's
    /// `index` is the packet's, its `done` the numbers so far.
    #[pyo3(signature = (
        times: "ArrayLike",
        ports: "ArrayLike",
        sizes: "ArrayLike",
        *,
        classes: "ArrayLike | None" = None,
        ranks: "ArrayLike | None" = None,
        tags: "ArrayLike | None" = None
    ) -> "NDArray[np.uint8]")]
    #[expect(clippy::too_many_arguments, reason = "columns of one table, half of them optional")]
    fn enqueue_many<'py>(
        &mut self,
        py: Python<'py>,
        times: &Bound<'py, PyAny>,
        ports: &Bound<'py, PyAny>,
        sizes: &Bound<'py, PyAny>,
        classes: Option<&Bound<'py, PyAny>>,
        ranks: Option<&Bound<'py, PyAny>>,
        tags: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let names = ["times", "ports", "classes", "sizes", "ranks", "tags"];
        let given = [Some(times), Some(ports), classes, Some(sizes), ranks, tags];
        let columns = Columns::read(names, given)?;
        let rows = columns.rows()?;
        rows.numbered()?;
        self.check(py, &rows)?;
        rows.within(py, 3, 32)?;
        rows.within(py, 5, 32)?;
        let (mut verdicts, mut losses) = (Vec::with_capacity(rows.len()), Vec::new());
        let held = self.held();
        let ended = detached::in_pieces(py, rows.len(), |piece| {
            for row in piece {
                let queue = Buffer::queue_of(&held.buffer, &rows, row);
                let size = rows.at(3, row, 0) as u32;
                let tag = rows.at(5, row, row as u64) as u32;
                let packet = Packet { size, tag, ..Packet::default() };
                let now = Time::from_ps(rows.at(0, row, 0));
                let verdict = held.enqueue(now, queue, packet, rows.at(4, row, 0))?;
                verdicts.push(number(verdict));
                held.lost(&mut losses);
            }
            Ok(())
        });
        self.losses = losses;
        let decided = verdicts.len();
        let verdicts = PyArray1::from_vec(py, verdicts);
        match ended.and_then(|ended: PyResult<()>| ended) {
            Ok(()) => Ok(verdicts),
            Err(error) => Err(errors::in_batch(py, error, decided, verdicts.into_any())),
        }
    }

    /// The causes of drops, in the order of their numbers.
    #[staticmethod]
    fn causes() -> Vec<&'static str> {
        DropCause::ALL.iter().map(|cause| cause.name()).collect()
    }

    /// Takes the next packet of a queue, as size, tag and time of arrival; None if none waits.
    #[pyo3(signature = (now: "Time", port: "SupportsIndex", *, class_: "SupportsIndex" = 0))]
    fn dequeue(
        &mut self,
        #[pyo3(from_py_with = picoseconds)] now: u64,
        #[pyo3(from_py_with = whole)] port: u16,
        #[pyo3(from_py_with = whole)] class_: u16,
    ) -> PyResult<Option<(u32, u32, u64)>> {
        let queue = self.queue(port, class_)?;
        let held = self.held();
        let departure = errors::guarded(|| held.buffer.dequeue(Time::from_ps(now), queue))?;
        let mut losses = Vec::new();
        held.lost(&mut losses);
        self.losses = losses;
        Ok(departure.map(|gone| (gone.packet.size, gone.packet.tag, gone.arrived.as_ps())))
    }

    /// Takes the next packet of a queue at each of these times, in order: arrays of their sizes,
    /// tags and times of arrival, all three the largest `uint64` where none waited.
    #[pyo3(signature = (
        times: "ArrayLike",
        ports: "ArrayLike",
        *,
        classes: "ArrayLike | None" = None
    ) -> "tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64]]")]
    fn dequeue_many<'py>(
        &mut self,
        py: Python<'py>,
        times: &Bound<'py, PyAny>,
        ports: &Bound<'py, PyAny>,
        classes: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Taken<'py>> {
        let names = ["times", "ports", "classes"];
        let columns = Columns::read(names, [Some(times), Some(ports), classes])?;
        let rows = columns.rows()?;
        self.check(py, &rows)?;
        let [mut sizes, mut tags, mut arrived] = [0; 3].map(|_: u8| Vec::with_capacity(rows.len()));
        let (held, mut losses) = (self.held(), Vec::new());
        let ended = detached::in_pieces(py, rows.len(), |piece| {
            for row in piece {
                let queue = Buffer::queue_of(&held.buffer, &rows, row);
                let gone = held.buffer.dequeue(Time::from_ps(rows.at(0, row, 0)), queue);
                sizes.push(gone.map_or(NONE, |gone| gone.packet.size.into()));
                tags.push(gone.map_or(NONE, |gone| gone.packet.tag.into()));
                arrived.push(gone.map_or(NONE, |gone| gone.arrived.as_ps()));
                held.lost(&mut losses);
            }
            Ok::<(), PyErr>(())
        });
        self.losses = losses;
        let decided = sizes.len();
        let [sizes, tags, arrived] =
            [sizes, tags, arrived].map(|column| PyArray1::from_vec(py, column));
        match ended.and_then(|ended| ended) {
            Ok(()) => Ok((sizes, tags, arrived)),
            Err(error) => {
                let done = (sizes, tags, arrived).into_pyobject(py)?.into_any();
                Err(errors::in_batch(py, error, decided, done))
            }
        }
    }

    /// Packets that the last call dropped after they had been accepted: tag and cause.
    fn losses(&self) -> Vec<(u32, &'static str)> {
        self.losses.clone()
    }

    /// The bytes that a queue may hold now, if the policy has such a number.
    #[pyo3(signature = (port: "SupportsIndex", *, class_: "SupportsIndex" = 0))]
    fn threshold(
        &mut self,
        #[pyo3(from_py_with = whole)] port: u16,
        #[pyo3(from_py_with = whole)] class_: u16,
    ) -> PyResult<Option<u64>> {
        let queue = self.queue(port, class_)?;
        let cell = u64::from(self.cell);
        Ok(self.held().buffer.threshold(queue).map(|cells| cell * u64::from(cells)))
    }

    /// The bytes of cells that a queue holds.
    #[pyo3(signature = (port: "SupportsIndex", *, class_: "SupportsIndex" = 0))]
    fn length(
        &mut self,
        #[pyo3(from_py_with = whole)] port: u16,
        #[pyo3(from_py_with = whole)] class_: u16,
    ) -> PyResult<u64> {
        let queue = self.queue(port, class_)?;
        let cell = u64::from(self.cell);
        let account = self.held().buffer.account(queue);
        Ok(account.map_or(0, |account| cell * u64::from(account.cells())))
    }

    /// The bytes of cells in use, and in all.
    #[getter]
    fn occupancy(&mut self) -> (u64, u64) {
        let cell = u64::from(self.cell);
        let (used, capacity) = self.held().buffer.occupancy();
        (cell * u64::from(used), cell * u64::from(capacity))
    }

    /// Packets arrived, departed, and dropped by cause.
    #[getter]
    fn counters(&mut self) -> Counts {
        let counters = *self.held().buffer.counters();
        let mut shown =
            vec![("arrived", counters.arrived.packets), ("departed", counters.departed.packets)];
        let drops =
            DropCause::ALL.iter().map(|&cause| (cause.name(), counters.dropped.of(cause).packets));
        shown.extend(drops);
        Named(shown)
    }

    fn __repr__(&mut self) -> String {
        let (used, capacity) = self.occupancy();
        format!("<Buffer under {}: {used} of {capacity} bytes in use>", self.policy)
    }
}
