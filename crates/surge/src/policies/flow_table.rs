//! The flows that have waiting jobs: what waits of each, in order, and in sum.
//!
//! Source: thesis §3.5.3, a queue per flow. A flow exists while a job of it waits, so the table is
//! as bounded as the buffer, however many flows an attacker invents. Flow names are hashed with
//! SipHash under the caller's secret, so that nobody outside can make them collide.
//!
//! Complexity: one expected-constant hash lookup per arrival. Memory: 8 bytes per waiting job, 64
//! per flow that waits, and its entry in the hash table.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{BuildHasher, Hasher};
use std::ops::{Deref, DerefMut};

use forebay_units::{Bytes, Duration};

use crate::job::{FlowKey, JobTable};

/// Hashes under a secret prefix.
#[derive(Clone, Copy, Debug)]
pub(super) struct Secret(u64);

impl BuildHasher for Secret {
    type Hasher = DefaultHasher;

    fn build_hasher(&self) -> DefaultHasher {
        let mut hasher = DefaultHasher::new();
        hasher.write_u64(self.0);
        hasher
    }
}

/// A map from flows, whose order is never looked at.
#[derive(Clone, Debug)]
pub(super) struct FlowMap<V>(HashMap<FlowKey, V, Secret>);

impl<V> FlowMap<V> {
    pub(super) fn new(secret: u64) -> Self {
        FlowMap(HashMap::with_hasher(Secret(secret)))
    }
}

impl<V> Deref for FlowMap<V> {
    type Target = HashMap<FlowKey, V, Secret>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<V> DerefMut for FlowMap<V> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

/// "No job".
const NIL: u32 = u32::MAX;

/// What waits of a flow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flow {
    id: FlowKey,
    /// The job that is served first.
    pub(super) head: u32,
    tail: u32,
    /// The sum of their job sizes, in picoseconds; wide, since a sum that saturates cannot be taken
    /// back.
    work_ps: u128,
    /// The sum of their packet sizes, in bytes.
    bytes: u128,
}

impl Flow {
    /// The outstanding work.
    #[inline]
    pub(super) fn work(&self) -> Duration {
        Duration::from_ps(u64::try_from(self.work_ps).unwrap_or(u64::MAX))
    }

    /// The outstanding size.
    #[inline]
    pub(super) fn size(&self) -> Bytes {
        Bytes::new(u64::try_from(self.bytes).unwrap_or(u64::MAX))
    }
}

/// Which end of a flow gives up a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    First,
    Last,
}

/// Neighbours of a waiting job in its flow; stale where the list ends.
#[derive(Clone, Copy, Debug, Default)]
struct Link {
    next: u32,
    prev: u32,
}

/// The flows that wait, by dense slots.
#[derive(Clone, Debug)]
pub(super) struct FlowTable {
    slots: FlowMap<u32>,
    flows: Vec<Flow>,
    free: Vec<u32>,
    /// By job.
    links: Vec<Link>,
}

impl FlowTable {
    pub(super) fn new(secret: u64) -> Self {
        let slots = FlowMap::new(secret);
        FlowTable { slots, flows: Vec::new(), free: Vec::new(), links: Vec::new() }
    }

    /// The flow in a slot; `None` if none of its jobs waits.
    #[inline]
    pub(super) fn get(&self, slot: u32) -> Option<Flow> {
        self.flows.get(slot as usize).copied().filter(|flow| flow.head != NIL)
    }

    /// Puts a job behind those of its flow; the flow's slot.
    #[inline]
    pub(super) fn push(&mut self, job_id: u32, jobs: &JobTable) -> u32 {
        let job = jobs.get(job_id);
        let slot = match self.slots.get(&job.flow) {
            Some(slot) => *slot,
            None => self.open(job.flow),
        };
        if self.links.len() <= job_id as usize {
            self.links.resize(job_id as usize + 1, Link::default());
        }
        let flow = &mut self.flows[slot as usize];
        if flow.head == NIL {
            flow.head = job_id;
        } else {
            self.links[flow.tail as usize].next = job_id;
            self.links[job_id as usize].prev = flow.tail;
        }
        flow.tail = job_id;
        flow.work_ps += u128::from(job.work.as_ps());
        flow.bytes += u128::from(job.size.get());
        slot
    }

    /// A slot for a flow that begins to wait.
    fn open(&mut self, id: FlowKey) -> u32 {
        let flow = Flow { id, head: NIL, tail: NIL, work_ps: 0, bytes: 0 };
        let slot = self.free.pop().unwrap_or(self.flows.len() as u32);
        match self.flows.get_mut(slot as usize) {
            Some(old) => *old = flow,
            None => self.flows.push(flow),
        }
        self.slots.insert(id, slot);
        slot
    }

    /// Takes the first or the last job of a flow; the flow goes with its last one.
    #[inline]
    pub(super) fn take(&mut self, slot: u32, end: End, jobs: &JobTable) -> Option<u32> {
        let flow = self.flows.get_mut(slot as usize).filter(|flow| flow.head != NIL)?;
        let job_id = if end == End::First { flow.head } else { flow.tail };
        if flow.head == flow.tail {
            flow.head = NIL;
            self.slots.remove(&flow.id);
            self.free.push(slot);
            return Some(job_id);
        }
        let link = self.links[job_id as usize];
        match end {
            End::First => flow.head = link.next,
            End::Last => flow.tail = link.prev,
        }
        let job = jobs.get(job_id);
        flow.work_ps -= u128::from(job.work.as_ps());
        flow.bytes -= u128::from(job.size.get());
        Some(job_id)
    }
}
