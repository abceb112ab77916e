//! One set of a cache: its objects, the space they take, and its policy. O(1) besides the policy; 16 bytes
//! an object.

use crate::model::ObjectId;
use crate::order::Slot;
use crate::policies::{Arrival, Policy};

/// What became of arriving data.
pub(super) enum Admission {
    Admitted(Slot),
    Bypassed,
}

pub(super) struct Set<P> {
    pub(super) policy: P,
    pub(super) used: u64,
    capacity: u64,
    residents: Vec<Resident>,
    free: Vec<Slot>,
}

#[derive(Clone, Copy)]
struct Resident {
    object: ObjectId,
    space: u64,
}

impl<P: Policy> Set<P> {
    pub(super) fn new(capacity: u64, policy: P) -> Self {
        Set { policy, used: 0, capacity, residents: Vec::new(), free: Vec::new() }
    }

    /// Lets the policy admit `arrival`; `evicted` is told of each object that makes room.
    #[inline]
    pub(super) fn admit(
        &mut self,
        arrival: &Arrival,
        mut evicted: impl FnMut(ObjectId),
    ) -> Admission {
        if !self.policy.arrive(arrival) || arrival.space > self.capacity {
            return Admission::Bypassed;
        }
        while self.capacity - self.used < arrival.space {
            let Some(slot) = self.policy.evict(arrival) else { return Admission::Bypassed };
            let resident = self.residents[slot.index()];
            self.used -= resident.space;
            self.free.push(slot);
            evicted(resident.object);
        }
        let slot = self.place(Resident { object: arrival.object, space: arrival.space });
        self.used += arrival.space;
        self.policy.admit(slot, arrival);
        Admission::Admitted(slot)
    }

    fn place(&mut self, resident: Resident) -> Slot {
        if let Some(slot) = self.free.pop() {
            self.residents[slot.index()] = resident;
            return slot;
        }
        self.residents.push(resident);
        Slot(self.residents.len() as u32 - 1)
    }
}
