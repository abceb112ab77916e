//! `Scheduler`: what a port serves next, by any scheduler of the registry or by a rank of the
//! user's.

mod config;
pub(crate) mod core;
mod link;
pub(crate) mod port;

use std::sync::{Mutex, PoisonError};

use forebay_sched::Packet;
use forebay_sched::scheduler::PacketScheduler;
use forebay_units::{Rate, Time};
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use self::config::Made;
pub(super) use self::config::with_tree;
use self::link::Link;
use crate::arguments::{bits_per_second, bytes, picoseconds, whole};
use crate::catalogue::{names, policies};
use crate::parameters::Parameters;
use crate::rows::{Columns, Rows};
use crate::shown::one_line;
use crate::{detached, errors};

/// A packet for Python: size, flow, class, flow size, tag.
type Shown = (u32, u32, u8, u64, u32);

fn shown(packet: &Packet) -> Shown {
    (packet.size, packet.flow, packet.class, packet.flow_size, packet.tag)
}

/// A scheduler of one port: one of the registry by name, or one that serves the smallest rank,
/// which a rank function by its name, an expression or a function gives.
/// `Scheduler.parameters(name)` lists what else it takes.
#[pyclass(module = "forebay")]
pub(crate) struct Scheduler {
    made: Made,
    /// Behind a lock only because schedulers are not made to be looked at from two threads.
    held: Mutex<Box<dyn PacketScheduler>>,
}

impl Scheduler {
    fn held(&mut self) -> &mut dyn PacketScheduler {
        self.held.get_mut().unwrap_or_else(PoisonError::into_inner).as_mut()
    }

    fn renew(&mut self) -> PyResult<()> {
        self.held = Mutex::new(self.made.build()?);
        Ok(())
    }

    /// Plays a trace that was checked. When each packet has left, whatever ended it before its end.
    fn play(
        &mut self,
        py: Python<'_>,
        rows: Rows<'_, 5>,
        rate: Rate,
    ) -> (Vec<u64>, Result<(), (usize, PyErr)>) {
        let held = self.held();
        let link = detached::run(py, || Link::new(held, rate, rows.len()));
        let (mut link, mut next) = match link {
            Ok(link) => (link, 0),
            Err(error) => return (Vec::new(), Err((0, error))),
        };
        let arrived = detached::in_pieces(py, rows.len(), |piece| {
            for row in piece {
                link.arrive(Time::from_ps(rows.at(0, row, 0)), packet_of(&rows, row));
                next = row + 1;
            }
            Ok(())
        });
        let drained = arrived
            .and_then(|arrived: PyResult<()>| arrived)
            .and_then(|()| detached::until_done(py, |packets| link.drain(Time::MAX, packets)));
        (link.left, drained.map_err(|error| (next, error)))
    }
}

/// The packet of a row, which carries its place as its tag.
fn packet_of(rows: &Rows<'_, 5>, row: usize) -> Packet {
    // The columns were checked.
    Packet {
        size: rows.at(1, row, 0) as u32,
        flow: rows.at(2, row, 0) as u32,
        class: rows.at(3, row, 0) as u8,
        flow_size: rows.at(4, row, 0),
        tag: row as u32,
        ..Packet::default()
    }
}

#[pymethods]
impl Scheduler {
    #[new]
    #[pyo3(signature = (
        name=None,
        *,
        rank: "Rank | None" = None,
        **parameters: "Unpack[SchedulerParameters]"
    ))]
    fn new(
        name: Option<&str>,
        rank: Option<&Bound<'_, PyAny>>,
        parameters: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let made = match (name, rank) {
            (Some(name), None) => {
                let mut given = Parameters::new(format!("scheduler \"{name}\""), parameters);
                let made = Made::named(name, &mut given)?;
                given.finish()?;
                made
            }
            (None, Some(rank)) => Made::ranked(rank, parameters)?,
            _ => {
                return Err(PyValueError::new_err(
                    "give either the name of a scheduler or a rank, as in Scheduler(\"drr\") or \
                     Scheduler(rank=\"flow_size\")",
                ));
            }
        };
        let held = Mutex::new(made.build()?);
        Ok(Scheduler { made, held })
    }

    /// Every name, with what it does.
    #[staticmethod]
    fn names() -> Vec<(String, String)> {
        names(policies().switches.schedulers())
    }

    /// The names of the parameters that a scheduler takes.
    #[staticmethod]
    fn parameters(name: &str) -> PyResult<Vec<String>> {
        let mut parameters = Parameters::new(format!("scheduler \"{name}\""), None);
        Made::named(name, &mut parameters)?;
        Ok(parameters.names())
    }

    /// A packet arrives at `now`. Why it was refused, or None.
    #[pyo3(signature = (
        now: "Time",
        size: "Size",
        *,
        flow: "SupportsIndex" = 0,
        class_: "SupportsIndex" = 0,
        flow_size: "Size" = 0,
        tag: "SupportsIndex" = 0
    ))]
    fn enqueue(
        &mut self,
        #[pyo3(from_py_with = picoseconds)] now: u64,
        #[pyo3(from_py_with = bytes)] size: u32,
        #[pyo3(from_py_with = whole)] flow: u32,
        #[pyo3(from_py_with = whole)] class_: u8,
        #[pyo3(from_py_with = bytes)] flow_size: u64,
        #[pyo3(from_py_with = whole)] tag: u32,
    ) -> PyResult<Option<String>> {
        let packet = Packet { size, flow, class: class_, flow_size, tag, ..Packet::default() };
        let held = self.held();
        let taken = errors::guarded(|| held.enqueue(Time::from_ps(now), packet))?;
        Ok(taken.err().map(|cause| cause.to_string()))
    }

    /// The packet that leaves at `now`, as size, flow, class, flow size and tag; None if none may.
    #[pyo3(signature = (now: "Time"))]
    fn dequeue(&mut self, #[pyo3(from_py_with = picoseconds)] now: u64) -> PyResult<Option<Shown>> {
        let held = self.held();
        errors::guarded(|| held.dequeue(Time::from_ps(now)).as_ref().map(shown))
    }

    /// When a packet may leave if nothing else happens; None if none waits.
    #[pyo3(signature = (now: "Time"))]
    fn ready_at(&mut self, #[pyo3(from_py_with = picoseconds)] now: u64) -> PyResult<Option<u64>> {
        let held = self.held();
        errors::guarded(|| held.ready_at(Time::from_ps(now)).map(Time::as_ps))
    }

    /// The packets that were dropped after they had been accepted, each with why.
    fn take_dropped(&mut self) -> Vec<(Shown, String)> {
        let held = self.held();
        let dropped = std::iter::from_fn(|| held.take_dropped());
        dropped.map(|(packet, cause)| (shown(&packet), cause.to_string())).collect()
    }

    /// Makes the scheduler as it was at first: empty, and at time 0.
    fn clear(&mut self) -> PyResult<()> {
        self.renew()
    }

    /// The bytes that wait.
    #[getter]
    fn bytes(&mut self) -> u64 {
        self.held().bytes().get()
    }

    /// Plays a whole trace through a link of `rate` bits a second, from empty to empty: packets of
    /// these times, sizes, flows, classes and flow sizes. The time at which each has left; the
    /// largest `uint64` where it was dropped, and one less where it leaves later than that can
    /// count.
    ///
    /// What a rule raises, or Ctrl-C, leaves the scheduler as `clear` does; the exception's `index`
    /// is the packet's, its `done` the times so far.
    #[pyo3(signature = (
        times: "ArrayLike",
        sizes: "ArrayLike",
        *,
        rate: "Rate",
        flows: "ArrayLike | None" = None,
        classes: "ArrayLike | None" = None,
        flow_sizes: "ArrayLike | None" = None
    ) -> "NDArray[np.uint64]")]
    #[expect(clippy::too_many_arguments, reason = "columns of one table, most of them optional")]
    fn serve<'py>(
        &mut self,
        py: Python<'py>,
        times: &Bound<'py, PyAny>,
        sizes: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = bits_per_second)] rate: u64,
        flows: Option<&Bound<'py, PyAny>>,
        classes: Option<&Bound<'py, PyAny>>,
        flow_sizes: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let names = ["times", "sizes", "flows", "classes", "flow_sizes"];
        let columns = Columns::read(names, [Some(times), Some(sizes), flows, classes, flow_sizes])?;
        let rows = columns.rows()?;
        rows.numbered()?;
        rows.sorted(py)?;
        for (column, bits) in [(1, 32), (2, 32), (3, 8)] {
            rows.within(py, column, bits)?;
        }
        if rate == 0 {
            return Err(PyValueError::new_err("rate: 0 bits a second never send anything"));
        }
        if !self.held().is_empty() {
            return Err(PyValueError::new_err(
                "the scheduler holds packets already; serve a trace with an empty one, as after \
                 clear()",
            ));
        }
        let (left, ended) = self.play(py, rows, Rate::from_bps(rate));
        let left = PyArray1::from_vec(py, left);
        match ended {
            Ok(()) => Ok(left),
            Err((index, error)) => {
                self.renew()?;
                Err(errors::in_batch(py, error, index, left.into_any()))
            }
        }
    }

    fn __len__(&mut self) -> usize {
        self.held().len()
    }

    fn __repr__(&mut self) -> String {
        let (of, waiting) = (self.made.to_string(), self.held().len());
        one_line(&format!("<Scheduler {of}: {waiting} waiting>"))
    }
}
