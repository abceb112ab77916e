//! `Scheduler`: what a port serves next, by any scheduler of the registry or by a rank of the user's.

use std::sync::{Mutex, PoisonError};

use forebay_pifo::ExactQueue;
use forebay_sched::rank_queue::RankQueue;
use forebay_sched::scheduler::{PacketScheduler, SchedulerConfig, Weights, scheduler, schedulers};
use forebay_sched::tree::TreeConfig;
use forebay_sched::{Packet, Rank, RankFunction};
use forebay_units::{Bytes, Rate, Time};
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::rule::{Raised, Rule, same_length, saturated};
use crate::arguments::Whole;
use crate::arrays::Column;
use crate::detached::{self, CHUNK};
use crate::errors;

/// What a rule of rank may read.
const FIELDS: [&str; 6] = ["now", "size", "flow", "input", "class", "flow_size"];

/// A rank of the user's as a rank function.
struct UserRank(Rule);

impl RankFunction for UserRank {
    fn rank(&mut self, now: Time, packet: &Packet) -> Rank {
        let fields = [
            saturated(now.as_ps()),
            packet.size.into(),
            packet.flow.into(),
            packet.input.into(),
            packet.class.into(),
            saturated(packet.flow_size),
        ];
        Rank::new(u64::try_from(self.0.value(&fields)).unwrap_or(0))
    }
}

/// A packet for Python: size, flow, class, flow size, tag.
type Shown = (u32, u32, u8, u64, u32);

fn shown(packet: &Packet) -> Shown {
    (packet.size, packet.flow, packet.class, packet.flow_size, packet.tag)
}

/// A scheduler of one port: one of the registry by name, or one that serves the smallest rank, which an
/// expression or a function gives.
#[pyclass(module = "forebay")]
pub(crate) struct Scheduler {
    /// Behind a lock only because schedulers are not made to be looked at from two threads.
    held: Mutex<Box<dyn PacketScheduler>>,
    raised: Raised,
}

impl Scheduler {
    fn held(&mut self) -> &mut dyn PacketScheduler {
        self.held.get_mut().unwrap_or_else(PoisonError::into_inner).as_mut()
    }
}

#[pymethods]
impl Scheduler {
    #[new]
    #[pyo3(signature = (
        name=None, *, rank=None, weights=None, default_weight=Whole(1), link_rate=None,
        packets=Whole(1 << 16), bytes=Whole(96 << 20), flows=None, quantum=None, tree=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "named parameters, each with a default")]
    fn new(
        name: Option<&str>,
        rank: Option<&Bound<'_, PyAny>>,
        weights: Option<Vec<Whole<u32>>>,
        default_weight: Whole<u32>,
        link_rate: Option<Whole<u64>>,
        packets: Whole<u32>,
        bytes: Whole<u64>,
        flows: Option<Whole<u32>>,
        quantum: Option<Whole<u32>>,
        tree: Option<&str>,
    ) -> PyResult<Self> {
        let raised = Raised::default();
        let weights = weights.unwrap_or_default().into_iter().map(|weight| weight.0).collect();
        let defaults = SchedulerConfig::default();
        let tree = match tree {
            Some(text) if name == Some("tree") => {
                TreeConfig::from_toml(text).map_err(errors::shape)?
            }
            Some(_) => {
                return Err(PyValueError::new_err(
                    "tree: only the scheduler \"tree\" has one, as in Scheduler(\"tree\", tree=text)",
                ));
            }
            None => defaults.tree.clone(),
        };
        let config = SchedulerConfig {
            weights: Weights::new(default_weight.0, weights).map_err(errors::shape)?,
            link_rate: link_rate.map_or(defaults.link_rate, |rate| Rate::from_bps(rate.0)),
            packet_limit: packets.0,
            byte_limit: Bytes::new(bytes.0),
            flows: flows.map_or(defaults.flows, |flows| flows.0),
            quantum: quantum.map_or(defaults.quantum, |quantum| quantum.0),
            tree,
            ..defaults
        };
        let held: Box<dyn PacketScheduler> = match (name, rank) {
            (Some(name), None) => scheduler(name, &config).map_err(errors::shape)?,
            (None, Some(rank)) => {
                let function = UserRank(Rule::read(rank, "rank", &FIELDS, &raised)?);
                Box::new(RankQueue::new(Box::new(function), ExactQueue::new(packets.0 as usize)))
            }
            _ => {
                return Err(PyValueError::new_err(
                    "give either the name of a scheduler or a rank, as in Scheduler(\"drr\") or \
                     Scheduler(rank=\"flow_size\")",
                ));
            }
        };
        Ok(Scheduler { held: Mutex::new(held), raised })
    }

    /// Every name, with what it does.
    #[staticmethod]
    fn names() -> Vec<(&'static str, &'static str)> {
        schedulers().collect()
    }

    /// A packet arrives at `now`. Why it was refused, or None.
    #[pyo3(signature = (now, size, *, flow=Whole(0), class_=Whole(0), flow_size=Whole(0), tag=Whole(0)))]
    fn enqueue(
        &mut self,
        now: Whole<u64>,
        size: Whole<u32>,
        flow: Whole<u32>,
        class_: Whole<u8>,
        flow_size: Whole<u64>,
        tag: Whole<u32>,
    ) -> PyResult<Option<String>> {
        let packet = Packet {
            size: size.0,
            flow: flow.0,
            input: 0,
            class: class_.0,
            flow_size: flow_size.0,
            tag: tag.0,
        };
        let taken = self.held().enqueue(Time::from_ps(now.0), packet);
        self.raised.check()?;
        Ok(taken.err().map(|cause| cause.to_string()))
    }

    /// The packet that leaves at `now`, as size, flow, class, flow size and tag; None if none may.
    fn dequeue(&mut self, now: Whole<u64>) -> Option<Shown> {
        self.held().dequeue(Time::from_ps(now.0)).as_ref().map(shown)
    }

    /// When a packet may leave if nothing else happens; None if none waits.
    fn ready_at(&mut self, now: Whole<u64>) -> Option<u64> {
        self.held().ready_at(Time::from_ps(now.0)).map(Time::as_ps)
    }

    /// The packets that were dropped after they had been accepted, each with why.
    fn take_dropped(&mut self) -> Vec<(Shown, String)> {
        let held = self.held();
        let dropped = std::iter::from_fn(|| held.take_dropped());
        dropped.map(|(packet, cause)| (shown(&packet), cause.to_string())).collect()
    }

    /// The bytes that wait.
    #[getter]
    fn bytes(&mut self) -> u64 {
        self.held().bytes().get()
    }

    /// Plays a whole trace through a link of `rate` bits a second, from empty to empty: packets of these
    /// times, sizes, flows, classes and flow sizes. The time at which each has left; the largest `uint64`
    /// where it was dropped.
    #[pyo3(signature = (times, sizes, *, rate, flows=None, classes=None, flow_sizes=None))]
    #[expect(clippy::too_many_arguments, reason = "columns of one table, most of them optional")]
    fn serve<'py>(
        &mut self,
        py: Python<'py>,
        times: &Bound<'py, PyAny>,
        sizes: &Bound<'py, PyAny>,
        rate: Whole<u64>,
        flows: Option<&Bound<'py, PyAny>>,
        classes: Option<&Bound<'py, PyAny>>,
        flow_sizes: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let arrivals = Arrivals::read(times, sizes, flows, classes, flow_sizes)?;
        let packets = arrivals.packets()?;
        if rate.0 == 0 {
            return Err(PyValueError::new_err("rate: 0 bits a second never send anything"));
        }
        if !self.held().is_empty() {
            return Err(PyValueError::new_err(
                "the scheduler holds packets already; serve a trace with an empty one",
            ));
        }
        let raised = self.raised.clone();
        let mut link = Link::new(self.held(), Rate::from_bps(rate.0), packets.len());
        for piece in packets.chunks(CHUNK) {
            detached::run(py, || {
                for (at, packet) in piece.iter().take_while(|_| !raised.is_set()) {
                    link.arrive(*at, *packet);
                }
            })?;
            raised.check()?;
            py.check_signals()?;
        }
        detached::run(py, || link.drain(Time::MAX))?;
        raised.check()?;
        Ok(PyArray1::from_vec(py, link.left))
    }

    fn __len__(&mut self) -> usize {
        self.held().len()
    }
}

/// The columns of a trace.
struct Arrivals<'py> {
    columns: [Option<Column<'py>>; 5],
}

const COLUMNS: [&str; 5] = ["times", "sizes", "flows", "classes", "flow_sizes"];

impl<'py> Arrivals<'py> {
    fn read(
        times: &Bound<'py, PyAny>,
        sizes: &Bound<'py, PyAny>,
        flows: Option<&Bound<'py, PyAny>>,
        classes: Option<&Bound<'py, PyAny>>,
        flow_sizes: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let mut columns = [None, None, None, None, None];
        let given = [Some(times), Some(sizes), flows, classes, flow_sizes];
        for ((place, value), name) in columns.iter_mut().zip(given).zip(COLUMNS) {
            *place = value.map(|value| Column::read(value, name)).transpose()?;
        }
        Ok(Arrivals { columns })
    }

    /// The packets and when they arrive; each carries its place as its tag.
    fn packets(&self) -> PyResult<Vec<(Time, Packet)>> {
        let mut given = Vec::new();
        let mut names = Vec::new();
        for (column, name) in self.columns.iter().zip(COLUMNS) {
            if let Some(column) = column {
                given.push(column.as_slice()?);
                names.push(name);
            }
        }
        let rows = same_length(&names, &given)?;
        let column = |name: &str| names.iter().position(|other| *other == name).map(|at| given[at]);
        let of = |name: &str, row: usize| column(name).map_or(0, |column| column[row]);
        let mut before = 0;
        (0..rows)
            .map(|row| {
                let at = of("times", row);
                if at < before {
                    return Err(PyValueError::new_err(format!(
                        "times: element {row} is {at}, before the one ahead of it; sort by time"
                    )));
                }
                before = at;
                let packet = Packet {
                    size: narrow("sizes", row, of("sizes", row))?,
                    flow: narrow("flows", row, of("flows", row))?,
                    input: 0,
                    class: narrow("classes", row, of("classes", row))?,
                    flow_size: of("flow_sizes", row),
                    tag: narrow("times", row, row as u64)?,
                };
                Ok((Time::from_ps(at), packet))
            })
            .collect()
    }
}

/// A number in a smaller type.
fn narrow<T: TryFrom<u64>>(name: &str, row: usize, number: u64) -> PyResult<T> {
    T::try_from(number).map_err(|_| {
        let bits = 8 * size_of::<T>();
        PyValueError::new_err(format!("{name}: element {row} is {number}; at most 2^{bits} - 1"))
    })
}

/// An output link behind a scheduler.
struct Link<'s> {
    scheduler: &'s mut dyn PacketScheduler,
    rate: Rate,
    /// When it is free again.
    free: Time,
    /// When each packet had left, by tag.
    left: Vec<u64>,
}

impl<'s> Link<'s> {
    fn new(scheduler: &'s mut dyn PacketScheduler, rate: Rate, packets: usize) -> Self {
        Link { scheduler, rate, free: Time::ZERO, left: vec![u64::MAX; packets] }
    }

    /// A packet arrives, after all that leaves before.
    fn arrive(&mut self, at: Time, packet: Packet) {
        self.drain(at);
        // A refusal shows as a packet that never leaves.
        let _ = self.scheduler.enqueue(at, packet);
        self.free = self.free.max(at);
        while self.scheduler.take_dropped().is_some() {}
    }

    /// Sends what starts before `until`.
    fn drain(&mut self, until: Time) {
        while let Some(ready) = self.scheduler.ready_at(self.free) {
            let start = ready.max(self.free);
            if start >= until {
                return;
            }
            let Some(packet) = self.scheduler.dequeue(start) else { return };
            while self.scheduler.take_dropped().is_some() {}
            self.free = start + self.rate.time_for(Bytes::new(packet.size.into()));
            if let Some(left) = self.left.get_mut(packet.tag as usize) {
                *left = self.free.as_ps();
            }
        }
    }
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Scheduler>()
}
