//! `Switch`: any switch of the registry, packet by packet or a whole trace at once: drop-tail, a
//! scheduler at every port, on-chip shared buffers, and hybrid buffers of SRAM and HBM.

mod config;
mod trace;

use std::sync::{Mutex, PoisonError};

use forebay_lab::results::number::plural;
use forebay_switch::{
    AnySwitch, DropCause, Ecn, Gauge, Handle, Links, Location, Losses, SwitchConfig, SwitchModel,
};
use forebay_units::{Bytes, Rate, Time};
use numpy::PyArray1;
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use self::trace::{COLUMNS, Fates, Trace};
use crate::arguments::{Size, Whole, bytes, picoseconds, whole};
use crate::catalogue::{names, policies};
use crate::parameters::Parameters;
use crate::rows::Columns;
use crate::shown::Named;
use crate::{detached, errors};

/// Flows whose size is given are below this: a switch keeps a number for each.
const SIZED_FLOWS: u32 = 1 << 24;
/// Flows are below this in any case.
const FLOWS: u32 = 1 << 28;

/// A packet that leaves: size, tag, flow, class, and whether it is marked.
type Left = (u32, u64, u32, u8, bool);

/// When packets had left, why they did not, and which were marked.
type Served<'py> =
    (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u8>>, Bound<'py, PyArray1<bool>>);

/// A switch by name, or one on chip under a rule of admission: an expression or a function that is
/// not 0 where a packet may enter, whose `port` counts within its memory. It has a port for each of
/// `rates` in bits a second; `Switch.parameters(name)` lists what else it takes.
#[pyclass(module = "forebay")]
pub(crate) struct Switch {
    /// What it is called when it is shown.
    name: String,
    config: SwitchConfig,
    rates: Vec<Rate>,
    /// Behind a lock only because switches are not made to be looked at from two threads.
    held: Mutex<AnySwitch>,
    /// The caller's tags by packet number, and the numbers that are free.
    tags: Vec<u64>,
    free: Vec<u32>,
    lost: Losses,
    losses: Vec<(u64, u16, &'static str)>,
    now: Time,
}

impl Switch {
    fn held(&mut self) -> &mut AnySwitch {
        self.held.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    fn renew(&mut self) -> PyResult<()> {
        self.held = Mutex::new(config::built(&self.config, &self.rates)?);
        (self.tags, self.free) = (Vec::new(), Vec::new());
        (self.losses, self.now) = (Vec::new(), Time::ZERO);
        Ok(())
    }

    fn check_port(&self, port: u16) -> PyResult<()> {
        if usize::from(port) < self.rates.len() {
            return Ok(());
        }
        let ports = self.rates.len();
        Err(PyIndexError::new_err(format!("port {port}: there are {ports}, numbered from 0")))
    }

    /// Lets everything happen that is due until `now`, in order of time.
    fn pass(&mut self, now: u64) -> PyResult<Time> {
        let (now, before) = (Time::from_ps(now), self.now);
        if now < before {
            let (now, before) = (now.as_ps(), before.as_ps());
            let text = format!("now: {now} is before {before}, the time of the call before");
            return Err(PyValueError::new_err(text));
        }
        self.losses.clear();
        self.now = now;
        errors::guarded(|| {
            let Switch { held, lost, .. } = self;
            let switch = held.get_mut().unwrap_or_else(PoisonError::into_inner);
            while let Some(due) = switch.next_event().filter(|due| *due <= now) {
                switch.advance(due, lost);
            }
        })?;
        self.note();
        Ok(now)
    }

    /// Notes what was lost.
    fn note(&mut self) {
        while let Some(lost) = self.lost.pop() {
            let number = lost.packet.packet().get();
            let tag = self.tags.get(number as usize).copied().unwrap_or_default();
            self.free.push(number);
            self.losses.push((tag, lost.port, lost.cause.name()));
        }
    }

    /// A number for a packet that comes in.
    fn number(&mut self, tag: u64) -> u32 {
        match self.free.pop() {
            Some(number) => {
                self.tags[number as usize] = tag;
                number
            }
            None => {
                self.tags.push(tag);
                self.tags.len() as u32 - 1
            }
        }
    }
}

#[pymethods]
impl Switch {
    #[new]
    #[pyo3(signature = (
        name=None,
        rates: "Sequence[Rate] | None" = None,
        *,
        admission: "Rule | None" = None,
        **parameters: "Unpack[SwitchParameters]"
    ))]
    fn new(
        name: Option<&str>,
        rates: Option<&Bound<'_, PyAny>>,
        admission: Option<&Bound<'_, PyAny>>,
        parameters: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let rates = rates.ok_or_else(|| {
            PyTypeError::new_err(
                "rates: give that of each port, as in Switch(\"dt\", [\"10G\"] * 4)",
            )
        })?;
        let rates = config::rates(rates)?;
        let (name, config, given) = match (name, admission) {
            (Some(name), None) => {
                let mut given = Parameters::new(format!("switch \"{name}\""), parameters);
                let config = config::read(name, &mut given)?;
                (format!("\"{name}\""), config, given)
            }
            (None, Some(rule)) => {
                let of = "a switch with an admission of your own";
                let mut given = Parameters::new(of, parameters);
                let config = config::admitting(rule, &mut given)?;
                ("of an admission".to_owned(), config, given)
            }
            (None, None) | (Some(_), Some(_)) => {
                return Err(PyValueError::new_err(
                    "give either a name or an admission, as in Switch(\"dt\", rates) or \
                     Switch(rates=rates, admission=\"queue < capacity / 4\")",
                ));
            }
        };
        given.finish()?;
        let held = Mutex::new(config::built(&config, &rates)?);
        Ok(Switch {
            name,
            config,
            rates,
            held,
            tags: Vec::new(),
            free: Vec::new(),
            lost: Losses::default(),
            losses: Vec::new(),
            now: Time::ZERO,
        })
    }

    /// Every name, with what it does.
    #[staticmethod]
    fn names() -> Vec<(String, String)> {
        names(policies().switches.switches())
    }

    /// The rank functions by name, for switches with a parameter `rank`.
    #[staticmethod]
    fn ranks() -> Vec<(String, String)> {
        names(policies().switches.ranks().clone())
    }

    /// The names of the parameters that a switch takes.
    #[staticmethod]
    fn parameters(name: &str) -> PyResult<Vec<String>> {
        let mut parameters = Parameters::new(format!("switch \"{name}\""), None);
        config::read(name, &mut parameters)?;
        Ok(parameters.names())
    }

    /// The causes of losses, in the order of their numbers.
    #[staticmethod]
    fn causes() -> Vec<&'static str> {
        DropCause::ALL.iter().map(|cause| cause.name()).collect()
    }

    /// A packet arrives for a port at `now`. Why it was dropped, or None if it waits; `losses()`
    /// has what was dropped for it or expelled meanwhile. `flow_size` is what whoever ranks by the
    /// size of a flow reads.
    #[pyo3(signature = (
        now: "Time",
        port: "SupportsIndex",
        size: "Size",
        *,
        flow: "SupportsIndex" = 0,
        class_: "SupportsIndex" = 0,
        input: "SupportsIndex" = 0,
        flow_size: "Size | None" = None,
        tag: "SupportsIndex" = 0,
        markable=false
    ))]
    #[expect(clippy::too_many_arguments, reason = "what a packet has")]
    fn enqueue(
        &mut self,
        #[pyo3(from_py_with = picoseconds)] now: u64,
        #[pyo3(from_py_with = whole)] port: u16,
        #[pyo3(from_py_with = bytes)] size: u32,
        #[pyo3(from_py_with = whole)] flow: u32,
        #[pyo3(from_py_with = whole)] class_: u8,
        #[pyo3(from_py_with = whole)] input: u16,
        flow_size: Option<Size<u64>>,
        #[pyo3(from_py_with = whole)] tag: u64,
        markable: bool,
    ) -> PyResult<Option<&'static str>> {
        self.check_port(port)?;
        let flows = if flow_size.is_some() { SIZED_FLOWS } else { FLOWS };
        if flow >= flows {
            let text = format!("flow: {flow}; at most {}", flows - 1);
            return Err(PyValueError::new_err(text));
        }
        let now = self.pass(now)?;
        if let Some(bytes) = flow_size {
            let size = Bytes::new(bytes.0);
            self.held().flow_added(flow, size, size);
        }
        let number = self.number(tag);
        let handle = Handle::numbered(number, flow, size)
            .with_class(class_)
            .with_input(input)
            .with_ecn(if markable { Ecn::Capable } else { Ecn::NotCapable });
        let arrived = errors::guarded(|| {
            let Switch { held, lost, .. } = self;
            let switch = held.get_mut().unwrap_or_else(PoisonError::into_inner);
            switch.arrive(now, port, handle, lost);
        });
        if arrived.is_err() {
            self.free.push(number);
        }
        arrived?;
        let own = self.lost.iter().find(|lost| lost.packet.packet().get() == number);
        let own = own.map(|lost| lost.cause.name());
        self.note();
        if own.is_some() {
            let of_itself = |loss: &(u64, u16, &str)| *loss == (tag, port, own.unwrap_or_default());
            if let Some(at) = self.losses.iter().rposition(of_itself) {
                self.losses.remove(at);
            }
        }
        Ok(own)
    }

    /// The packet that `port` sends at `now`, as size, tag, flow, class and whether it is marked.
    /// None if nothing waits, or if what waits cannot leave before the switch's next event.
    #[pyo3(signature = (now: "Time", port))]
    fn dequeue(
        &mut self,
        #[pyo3(from_py_with = picoseconds)] now: u64,
        port: Whole<u16>,
    ) -> PyResult<Option<Left>> {
        self.check_port(port.0)?;
        let now = self.pass(now)?;
        let left = errors::guarded(|| {
            let Switch { held, lost, .. } = self;
            let switch = held.get_mut().unwrap_or_else(PoisonError::into_inner);
            switch.next(now, port.0, lost)
        })?;
        self.note();
        Ok(left.map(|packet| {
            let number = packet.packet().get();
            let tag = self.tags.get(number as usize).copied().unwrap_or_default();
            self.free.push(number);
            let marked = packet.ecn() == Ecn::Experienced;
            (packet.size(), tag, packet.flow(), packet.class(), marked)
        }))
    }

    /// Lets everything happen that is due until `now`: transfers end, packets are moved or
    /// expelled.
    #[pyo3(signature = (now: "Time"))]
    fn advance(&mut self, #[pyo3(from_py_with = picoseconds)] now: u64) -> PyResult<()> {
        self.pass(now).map(|_| ())
    }

    /// When something will next happen inside; None if nothing will before the next call.
    fn next_event(&mut self) -> Option<u64> {
        self.held().next_event().map(Time::as_ps)
    }

    /// Packets that were dropped during the last call after they had been accepted: tag, port and
    /// cause.
    fn losses(&self) -> Vec<(u64, u16, &'static str)> {
        self.losses.clone()
    }

    /// Whether nothing waits at a port.
    fn is_empty(&mut self, port: Whole<u16>) -> PyResult<bool> {
        self.check_port(port.0)?;
        Ok(self.held().is_empty(port.0))
    }

    /// The bytes that wait, over all ports.
    #[getter]
    fn backlog(&mut self) -> u64 {
        self.held().backlog().get()
    }

    /// What can be read off the switch, by name and place: bytes that wait, thresholds, bytes moved
    /// so far.
    fn gauges(&mut self) -> Named<String, u64> {
        let mut read = Vec::new();
        self.held().gauges(&mut |gauge| {
            read.push(match gauge {
                Gauge::Level { location, name, bytes }
                | Gauge::Threshold { location, name, bytes } => {
                    (format!("{name}{}", of(location)), bytes)
                }
                Gauge::Moved { name, cause, total } => (format!("{name} ({cause})"), total.bytes),
            });
        });
        Named(read)
    }

    /// Makes the switch as it was at first: empty, and at time 0.
    fn clear(&mut self) -> PyResult<()> {
        self.renew()
    }

    /// Plays a whole trace through the switch, as it was at first, and its links, until it is empty
    /// again: packets of these times, ports, sizes, flows, classes, inputs and flow sizes. When
    /// each has left, the largest `uint64` where it was lost; 0 or, where it was lost, 1 + the
    /// place of the cause in `causes()`; whether it was marked.
    ///
    /// Ctrl-C, or what a rank raises, leaves the switch as `clear` does; the exception's `index` is
    /// the first packet that had not arrived, its `done` the three arrays so far.
    #[pyo3(signature = (
        times: "ArrayLike",
        ports: "ArrayLike",
        sizes: "ArrayLike",
        *,
        flows: "ArrayLike | None" = None,
        classes: "ArrayLike | None" = None,
        inputs: "ArrayLike | None" = None,
        flow_sizes: "ArrayLike | None" = None,
        markable=false
    ) -> "tuple[NDArray[np.uint64], NDArray[np.uint8], NDArray[np.bool_]]")]
    #[expect(clippy::too_many_arguments, reason = "columns of one table, most of them optional")]
    fn serve<'py>(
        &mut self,
        py: Python<'py>,
        times: &Bound<'py, PyAny>,
        ports: &Bound<'py, PyAny>,
        sizes: &Bound<'py, PyAny>,
        flows: Option<&Bound<'py, PyAny>>,
        classes: Option<&Bound<'py, PyAny>>,
        inputs: Option<&Bound<'py, PyAny>>,
        flow_sizes: Option<&Bound<'py, PyAny>>,
        markable: bool,
    ) -> PyResult<Served<'py>> {
        let given = [Some(times), Some(ports), Some(sizes), flows, classes, inputs, flow_sizes];
        let columns = Columns::read(COLUMNS, given)?;
        let rows = columns.rows()?;
        rows.numbered()?;
        rows.sorted(py)?;
        let last = self.rates.len() as u64 - 1;
        rows.at_most(py, 1, last, &format!("there are {} ports, numbered from 0", last + 1))?;
        let flows = u64::from(if rows.has(6) { SIZED_FLOWS } else { FLOWS });
        rows.at_most(py, 3, flows - 1, &format!("at most {}", flows - 1))?;
        for (column, bits) in [(2, 32), (4, 8), (5, 16)] {
            rows.within(py, column, bits)?;
        }
        if self.held().backlog() > Bytes::ZERO || self.free.len() < self.tags.len() {
            return Err(PyValueError::new_err(
                "the switch holds packets already; serve a trace with an empty one, as after \
                 clear()",
            ));
        }
        // A trace has a time of its own.
        if self.now > Time::ZERO {
            self.renew()?;
        }
        let rates = self.rates.clone();
        let switch = self.held();
        let mut links =
            detached::run(py, || Links::new(switch, &rates, Trace::new(rows, markable)))?;
        let mut is_within = false;
        let ended = detached::until_done(py, |events| {
            (0..events).all(|_| {
                is_within = true;
                let more = links.step();
                is_within = false;
                more
            })
        });
        let now = links.now();
        let Trace { next, fates: Fates { left, causes, marked }, .. } = links.traffic;
        // What a rank raises comes while the packet arrives.
        let next = next - usize::from(is_within);
        // Later than any call before, so that the next trace begins anew.
        self.now = now.max(Time::from_ps(1));
        if ended.is_err() {
            self.renew()?;
        }
        let served = (
            PyArray1::from_vec(py, left),
            PyArray1::from_vec(py, causes),
            PyArray1::from_vec(py, marked),
        );
        match ended {
            Ok(()) => Ok(served),
            Err(error) => {
                let done = served.into_pyobject(py)?.into_any();
                Err(errors::in_batch(py, error, next, done))
            }
        }
    }

    fn __repr__(&mut self) -> String {
        let (ports, backlog) = (self.rates.len(), self.held().backlog());
        format!("<Switch {} of {}: {backlog} waiting>", self.name, plural(ports, "port", "ports"))
    }
}

/// A location as part of a gauge's name.
fn of(location: Location) -> String {
    match location {
        Location::Switch => String::new(),
        Location::Pool(pool) => format!(" of pool {pool}"),
        Location::Port(port) => format!(" of port {port}"),
        Location::Queue { port, class } => format!(" of port {port}, class {class}"),
    }
}
