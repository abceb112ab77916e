//! `Buffer`: an on-chip shared packet buffer under a policy of the registry, or an admission of the user's.

use forebay_buffer::DropCause;
use forebay_buffer::onchip::{
    AbmConfig, Admission, Alpha, ChipConfig, DtConfig, MemoryConfig, OccamyConfig, POLICIES,
    Policy, PolicyConfig, Pool, PotConfig, SharedBuffer, Verdict,
};
use forebay_buffer::{Arriving, onchip};
use forebay_sched::{Packet, Rank};
use forebay_units::{Bytes, Rate, Time};
use numpy::PyArray1;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::rule::{Raised, Rule, same_length, saturated};
use crate::arguments::Whole;
use crate::arrays::Column;
use crate::detached::{self, CHUNK};
use crate::errors;

/// What a rule of admission may read; `queue` counts cells of the arriving packet's queue.
const FIELDS: [&str; 8] = ["now", "size", "cells", "port", "class", "queue", "used", "capacity"];

/// An admission of the user's as a policy: a packet enters if the rule is not 0.
struct UserAdmission {
    rule: Rule,
    classes: u32,
}

impl Policy for UserAdmission {
    fn admit(&mut self, pool: Pool<'_>, arriving: &Arriving, cells: u32) -> Admission {
        let fields = [
            saturated(arriving.at.as_ps()),
            arriving.packet.size.into(),
            cells.into(),
            arriving.port.into(),
            (arriving.queue % self.classes).into(),
            pool.length(arriving.queue).into(),
            (pool.capacity() - pool.free()).into(),
            pool.capacity().into(),
        ];
        if self.rule.value(&fields) != 0 { Admission::Accept } else { Admission::Drop }
    }
}

/// A shared buffer of `capacity` bytes in front of `ports` outputs with `classes` queues each, under a
/// policy by name, or under a rule: an expression or a function that is not 0 where a packet may enter.
#[pyclass(module = "forebay")]
pub(crate) struct Buffer {
    held: std::sync::Mutex<SharedBuffer>,
    raised: Raised,
    cell: u32,
}

impl Buffer {
    fn held(&mut self) -> &mut SharedBuffer {
        self.held.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn queue(&mut self, port: Whole<u16>, class: Whole<u16>) -> PyResult<u32> {
        let (queues, classes) = (self.held().queues(), self.held().classes());
        self.held().queue(port.0, class.0).ok_or_else(|| {
            let ports = queues / u32::from(classes.max(1));
            PyIndexError::new_err(format!(
                "port {} and class {}: there are {ports} ports of {classes} classes, numbered from 0",
                port.0, class.0
            ))
        })
    }
}

/// What became of a packet, as a word.
fn word(verdict: Verdict) -> Option<&'static str> {
    match verdict {
        Verdict::Queued => None,
        Verdict::Dropped(cause) => Some(cause.name()),
    }
}

#[pymethods]
impl Buffer {
    #[new]
    #[pyo3(signature = (
        policy=None, *, admission=None, ports=Whole(8), classes=Whole(1), capacity=Whole(410_000),
        cell=Whole(200), port_rate=Whole(10_000_000_000), alpha=None, largest_packet=Whole(1500)
    ))]
    #[expect(clippy::too_many_arguments, reason = "named parameters, each with a default")]
    fn new(
        policy: Option<&str>,
        admission: Option<&Bound<'_, PyAny>>,
        ports: Whole<u16>,
        classes: Whole<u16>,
        capacity: Whole<u64>,
        cell: Whole<u32>,
        port_rate: Whole<u64>,
        alpha: Option<f64>,
        largest_packet: Whole<u32>,
    ) -> PyResult<Self> {
        let rate = Rate::from_bps(port_rate.0);
        let all = Rate::from_bps(port_rate.0.saturating_mul(ports.0.into()));
        let mut chip = ChipConfig {
            ports: ports.0,
            classes: classes.0,
            capacity: Bytes::new(capacity.0),
            memory: MemoryConfig::of_capacity(all, cell.0),
            largest_packet: largest_packet.0,
            port_rate: rate,
            ..ChipConfig::default()
        };
        chip.descriptors = chip.cells().max(1);
        let raised = Raised::default();
        let held = match (policy, admission) {
            (Some(name), None) => SharedBuffer::new(&chip, name, &policies(alpha)?),
            (None, Some(rule)) => {
                let mut rule = Some(Rule::read(rule, "admission", &FIELDS, &raised)?);
                SharedBuffer::with_policies(&chip, |_, shape| {
                    let classes = u32::from(shape.classes.max(1));
                    // There is one pool, so one policy.
                    let rule = rule.take().ok_or(onchip::BuildError::Policy(
                        onchip::UnknownPolicy("an admission for a second pool".to_owned()),
                    ))?;
                    Ok(Box::new(UserAdmission { rule, classes }))
                })
            }
            _ => {
                return Err(PyValueError::new_err(
                    "give either a policy or an admission, as in Buffer(\"dt\") or \
                     Buffer(admission=\"queue < capacity / 4\")",
                ));
            }
        };
        let held = std::sync::Mutex::new(held.map_err(errors::shape)?);
        Ok(Buffer { held, raised, cell: cell.0 })
    }

    /// Every policy's name, with what it does.
    #[staticmethod]
    fn names() -> Vec<(&'static str, &'static str)> {
        POLICIES.iter().map(|info| (info.name, info.about)).collect()
    }

    /// A packet arrives at `now`. Why it was dropped, or None if it waits.
    #[pyo3(signature = (now, port, size, *, class_=Whole(0), rank=Whole(0), tag=Whole(0)))]
    fn enqueue(
        &mut self,
        now: Whole<u64>,
        port: Whole<u16>,
        size: Whole<u32>,
        class_: Whole<u16>,
        rank: Whole<u64>,
        tag: Whole<u32>,
    ) -> PyResult<Option<&'static str>> {
        let queue = self.queue(port, class_)?;
        let packet = Packet { size: size.0, tag: tag.0, ..Packet::default() };
        let verdict = self.held().enqueue(Time::from_ps(now.0), queue, packet, Rank::new(rank.0));
        self.raised.check()?;
        Ok(word(verdict))
    }

    /// Packets arrive in order, each tagged with its place: an array of the causes' numbers, 0 for those
    /// that wait and 1 + the place in `causes()` for those that were dropped.
    #[pyo3(signature = (times, ports, sizes))]
    fn enqueue_many<'py>(
        &mut self,
        py: Python<'py>,
        times: &Bound<'py, PyAny>,
        ports: &Bound<'py, PyAny>,
        sizes: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let columns = [
            Column::read(times, "times")?,
            Column::read(ports, "ports")?,
            Column::read(sizes, "sizes")?,
        ];
        let [times, ports, sizes] = [&columns[0], &columns[1], &columns[2]].map(Column::as_slice);
        let (times, ports, sizes) = (times?, ports?, sizes?);
        let rows = same_length(&["times", "ports", "sizes"], &[times, ports, sizes])?;
        let mut verdicts = Vec::with_capacity(rows);
        let raised = self.raised.clone();
        let held = self.held();
        for start in (0..rows).step_by(CHUNK) {
            detached::run(py, || {
                for row in start..rows.min(start + CHUNK) {
                    let port = u16::try_from(ports[row]).unwrap_or(u16::MAX);
                    let size = u32::try_from(sizes[row]).unwrap_or(u32::MAX);
                    let queue = held.queue(port, 0).unwrap_or(u32::MAX);
                    let packet = Packet { size, tag: row as u32, ..Packet::default() };
                    let now = Time::from_ps(times[row]);
                    let verdict = held.enqueue(now, queue, packet, Rank::default());
                    verdicts.push(number(verdict));
                    if raised.is_set() {
                        return;
                    }
                }
            })?;
            raised.check()?;
            py.check_signals()?;
        }
        Ok(PyArray1::from_vec(py, verdicts))
    }

    /// The causes of drops, in the order of their numbers.
    #[staticmethod]
    fn causes() -> Vec<&'static str> {
        DropCause::ALL.iter().map(|cause| cause.name()).collect()
    }

    /// Takes the next packet of a queue, as size, tag and time of arrival; None if none waits.
    #[pyo3(signature = (now, port, *, class_=Whole(0)))]
    fn dequeue(
        &mut self,
        now: Whole<u64>,
        port: Whole<u16>,
        class_: Whole<u16>,
    ) -> PyResult<Option<(u32, u32, u64)>> {
        let queue = self.queue(port, class_)?;
        let departure = self.held().dequeue(Time::from_ps(now.0), queue);
        self.raised.check()?;
        Ok(departure.map(|gone| (gone.packet.size, gone.packet.tag, gone.arrived.as_ps())))
    }

    /// Packets that the last call dropped after they had been accepted before: tag and cause.
    fn losses(&mut self) -> Vec<(u32, &'static str)> {
        self.held().losses().iter().map(|loss| (loss.packet.tag, loss.cause.name())).collect()
    }

    /// The bytes that a queue may hold now, if the policy has such a number.
    #[pyo3(signature = (port, *, class_=Whole(0)))]
    fn threshold(&mut self, port: Whole<u16>, class_: Whole<u16>) -> PyResult<Option<u64>> {
        let queue = self.queue(port, class_)?;
        let cell = u64::from(self.cell);
        Ok(self.held().threshold(queue).map(|cells| cell * u64::from(cells)))
    }

    /// The bytes of cells that a queue holds.
    #[pyo3(signature = (port, *, class_=Whole(0)))]
    fn length(&mut self, port: Whole<u16>, class_: Whole<u16>) -> PyResult<u64> {
        let queue = self.queue(port, class_)?;
        let cell = u64::from(self.cell);
        Ok(self.held().account(queue).map_or(0, |account| cell * u64::from(account.cells())))
    }

    /// The bytes of cells in use, and in all.
    #[getter]
    fn occupancy(&mut self) -> (u64, u64) {
        let cell = u64::from(self.cell);
        let (used, capacity) = self.held().occupancy();
        (cell * u64::from(used), cell * u64::from(capacity))
    }

    /// Packets arrived, departed, and dropped by cause.
    #[getter]
    fn counters<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let counters = *self.held().counters();
        let shown = PyDict::new(py);
        shown.set_item("arrived", counters.arrived.packets)?;
        shown.set_item("departed", counters.departed.packets)?;
        for cause in DropCause::ALL {
            shown.set_item(cause.name(), counters.dropped(cause).packets)?;
        }
        Ok(shown)
    }
}

/// 0 for a packet that waits, 1 + the cause's place for another.
fn number(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Queued => 0,
        Verdict::Dropped(cause) => 1 + cause.index() as u8,
    }
}

/// The policies' parameters, with one alpha for those that have one.
fn policies(alpha: Option<f64>) -> PyResult<PolicyConfig> {
    let Some(alpha) = alpha else { return Ok(PolicyConfig::default()) };
    let alpha = Alpha::new(alpha).ok_or_else(|| {
        PyValueError::new_err(format!("alpha: {alpha} is not between 1/65536 and 65535"))
    })?;
    let defaults = PolicyConfig::default();
    Ok(PolicyConfig {
        dt: DtConfig { alpha },
        abm: AbmConfig { alpha, ..defaults.abm },
        pot: PotConfig { ..defaults.pot },
        occamy: OccamyConfig { alpha },
        ..defaults
    })
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Buffer>()
}
