//! A cache policy of the user's: for each set of the cache an object of a Python class, as the
//! engine's policy.
//!
//! The class knows objects by their names; which slot each is in is kept here. A call takes the
//! interpreter's lock and makes Python objects of what it is told (`bench/python_overhead.py`
//! measures it). What a method raises leaves the engine halfway through a request, so the cache is
//! not used again.

use std::collections::HashMap;

use forebay_cache::ObjectId;
use forebay_cache::order::Slot;
use forebay_cache::policies::{self, Access, CachePolicy};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use super::{in_steps, step_of};
use crate::detached;
use crate::errors;
use crate::shown::one_line;

/// Data that has arrived, as a cache policy of one's own is told of it. Times and spans are in
/// steps.
#[pyclass(module = "forebay", frozen, get_all)]
pub(crate) struct CacheArrival {
    /// When it arrived.
    time: u64,
    /// Which object.
    object: u64,
    /// The object's size, in bytes.
    size: u64,
    /// What it takes of the capacity: 1 where objects are counted, its size where bytes are.
    space: u64,
    /// When the fetch began.
    requested: u64,
    /// How many requests waited, at least 1: the miss and its delayed hits.
    waiters: u32,
    /// What they waited together.
    aggregate_delay: u64,
}

#[pymethods]
impl CacheArrival {
    fn __repr__(&self) -> String {
        let CacheArrival { time, object, size, space, requested, waiters, aggregate_delay } = self;
        format!(
            "<CacheArrival: object {object} at {time}, size {size}, space {space}, requested at \
             {requested}, waiters {waiters}, aggregate delay {aggregate_delay}>"
        )
    }
}

impl From<&policies::ObjectArrival> for CacheArrival {
    fn from(arrival: &policies::ObjectArrival) -> Self {
        CacheArrival {
            time: step_of(arrival.at),
            object: arrival.object.0,
            size: arrival.size.get(),
            space: arrival.space,
            requested: step_of(arrival.requested),
            waiters: arrival.waiters,
            aggregate_delay: in_steps(arrival.aggregate_delay),
        }
    }
}

/// The user's class.
pub(super) struct OwnPolicy {
    class: Py<PyAny>,
    name: String,
}

impl OwnPolicy {
    /// Reads what is no name of a policy.
    pub(super) fn read(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        if !value.is_callable() {
            let kind = value.get_type().name()?;
            let hint = if value.hasattr("evict")? {
                "the class itself, of which the cache makes an object for each of its sets"
            } else {
                "a class with the methods hit, admit and evict"
            };
            return Err(PyTypeError::new_err(format!(
                "policy: expected a name or a class, got {kind}: give {hint}"
            )));
        }
        let name = match value.getattr("__name__") {
            Ok(name) => name.to_string(),
            Err(_) => one_line(&value.repr()?.to_string()),
        };
        Ok(OwnPolicy { class: value.clone().unbind(), name })
    }

    /// As the user calls it.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The policy of a set. What the class raises comes out of [`errors::guarded`].
    pub(super) fn build(&self, capacity: u64) -> OwnSet {
        Python::attach(|py| self.made(py, capacity)).unwrap_or_else(|error| errors::raise(error))
    }

    fn made(&self, py: Python<'_>, capacity: u64) -> PyResult<OwnSet> {
        let object = self.class.bind(py).call1((capacity,))?;
        let required = |name: &str| match object.getattr_opt(name)? {
            Some(method) => Ok(method.unbind()),
            None => Err(PyTypeError::new_err(format!(
                "policy: {} has no method `{name}`; hit, admit and evict are needed",
                self.name
            ))),
        };
        let optional = |name| Ok::<_, PyErr>(object.getattr_opt(name)?.map(Bound::unbind));
        Ok(OwnSet {
            hit: required("hit")?,
            admit: required("admit")?,
            evict: required("evict")?,
            absent: optional("absent")?,
            arrive: optional("arrive")?,
            slots: HashMap::new(),
            objects: Vec::new(),
        })
    }
}

/// One set's object of the user's class, by its methods, and where each cached object is.
pub(super) struct OwnSet {
    hit: Py<PyAny>,
    admit: Py<PyAny>,
    evict: Py<PyAny>,
    absent: Option<Py<PyAny>>,
    arrive: Option<Py<PyAny>>,
    slots: HashMap<ObjectId, Slot>,
    /// By slot.
    objects: Vec<ObjectId>,
}

impl OwnSet {
    fn victim(&self, arrival: &policies::ObjectArrival) -> PyResult<Option<(ObjectId, Slot)>> {
        detached::give_way();
        Python::attach(|py| {
            let answer = self.evict.call1(py, (CacheArrival::from(arrival),))?;
            let answer = answer.bind(py);
            if answer.is_none() {
                return Ok(None);
            }
            let known = answer.extract().ok().map(ObjectId);
            let known = known.and_then(|object| Some((object, *self.slots.get(&object)?)));
            known.map(Some).ok_or_else(|| {
                PyValueError::new_err(format!(
                    "evict answered {}, which is not cached: answer a cached object, or None to \
                     let the arriving one pass",
                    one_line(&answer.repr().map(|shown| shown.to_string()).unwrap_or_default())
                ))
            })
        })
    }
}

/// What a method answers, or out of the engine with what it raises.
fn answer<T>(asked: impl FnOnce(Python<'_>) -> PyResult<T>) -> T {
    detached::give_way();
    Python::attach(asked).unwrap_or_else(|error| errors::raise(error))
}

impl CachePolicy for OwnSet {
    fn hit(&mut self, _slot: Slot, access: &Access) {
        answer(|py| self.hit.call1(py, (access.object.0, step_of(access.at))));
    }

    fn absent(&mut self, access: &Access) {
        if let Some(absent) = &self.absent {
            answer(|py| absent.call1(py, (access.object.0, step_of(access.at))));
        }
    }

    fn arrive(&mut self, arrival: &policies::ObjectArrival) -> bool {
        let Some(arrive) = &self.arrive else { return true };
        answer(|py| arrive.call1(py, (CacheArrival::from(arrival),))?.is_truthy(py))
    }

    fn evict(&mut self, arrival: &policies::ObjectArrival) -> Option<Slot> {
        let (object, slot) = self.victim(arrival).unwrap_or_else(|error| errors::raise(error))?;
        self.slots.remove(&object);
        Some(slot)
    }

    fn admit(&mut self, slot: Slot, arrival: &policies::ObjectArrival) {
        self.slots.insert(arrival.object, slot);
        if self.objects.len() <= slot.0 as usize {
            self.objects.resize(slot.0 as usize + 1, arrival.object);
        }
        self.objects[slot.0 as usize] = arrival.object;
        answer(|py| self.admit.call1(py, (CacheArrival::from(arrival),)));
    }

    /// The simulator removes nothing by itself, so the user's class is not told.
    fn forget(&mut self, slot: Slot) {
        if let Some(object) = self.objects.get(slot.0 as usize) {
            self.slots.remove(object);
        }
    }
}
