//! One set of a cache: which object is in which slot, the space they take, and the policy over
//! them.
//!
//! The simulator has one for each set of its geometry; a concurrent cache has one in each shard.
//! O(1) besides the policy; 16 bytes an object.

use crate::model::ObjectId;
use crate::order::Slot;
use crate::policies::{Access, CachePolicy, ObjectArrival};

/// What became of arriving data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrivalOutcome {
    /// It is cached in this slot.
    Admitted(Slot),
    /// It was bypassed; what had made room for it by then stays evicted.
    Bypassed,
}

/// Slots, what they hold, and the policy that chooses among them.
///
/// ```
/// use forebay_cache::order::OrderConfig;
/// use forebay_cache::policies::{ObjectArrival, LastRequest, PolicyConfig, SetConfig, policies};
/// use forebay_cache::{ArrivalOutcome, Future, ObjectId, Set, at_step, steps};
/// use forebay_units::Bytes;
///
/// let config = SetConfig { index: 0, capacity: 1, order: OrderConfig::default() };
/// let mut set = Set::new(1, policies().named("lru")?.build(&PolicyConfig::default())?(&config));
/// let arrival = |object| ObjectArrival {
///     at: at_step(object), object: ObjectId(object), size: Bytes::new(1), space: 1,
///     requested: at_step(0), last: LastRequest::miss(at_step(0), 1), waiters: 1, aggregate_delay: steps(object),
///     next: Future::Unknown, delay: None,
/// };
/// let ArrivalOutcome::Admitted(slot) = set.admit(&arrival(7), |_, _| unreachable!()) else { panic!() };
/// let mut evicted = Vec::new();
/// set.admit(&arrival(8), |slot, object| evicted.push((slot, object)));
/// assert_eq!((evicted, set.used()), (vec![(slot, ObjectId(7))], 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Set<P> {
    pub(crate) policy: P,
    pub(crate) used: u64,
    capacity: u64,
    requests: u64,
    residents: Vec<Resident>,
    free: Vec<Slot>,
}

#[derive(Clone, Copy)]
struct Resident {
    object: ObjectId,
    space: u64,
}

impl<P: CachePolicy> Set<P> {
    /// An empty set of `capacity`, in the units of [`ObjectArrival::space`].
    pub fn new(capacity: u64, policy: P) -> Self {
        Set { policy, used: 0, capacity, requests: 0, residents: Vec::new(), free: Vec::new() }
    }

    /// The object in `slot` was asked for. O(1) besides the policy.
    #[inline]
    pub fn hit(&mut self, slot: Slot, access: &Access) {
        self.requests += 1;
        self.policy.hit(slot, access);
    }

    /// An object was asked for that is not cached: a miss or a delayed hit. Returns the request's
    /// number, for [`LastRequest`](crate::policies::LastRequest). O(1) besides the policy.
    #[inline]
    pub fn absent(&mut self, access: &Access) -> u64 {
        self.requests += 1;
        self.policy.absent(access);
        self.requests
    }

    /// How many requests it has seen: the number of the latest.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.requests
    }

    /// How much of the capacity is taken.
    #[must_use]
    pub fn used(&self) -> u64 {
        self.used
    }

    /// How many objects it holds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.residents.len() - self.free.len()
    }

    /// Whether it holds none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Lets the policy admit `arrival`, which is not cached; `evicted` is told of each object that
    /// makes room. O(1) besides the policy.
    #[inline]
    pub fn admit(
        &mut self,
        arrival: &ObjectArrival,
        mut evicted: impl FnMut(Slot, ObjectId),
    ) -> ArrivalOutcome {
        if !self.policy.arrive(arrival) || arrival.space > self.capacity {
            return ArrivalOutcome::Bypassed;
        }
        while self.capacity - self.used < arrival.space {
            let Some(slot) = self.policy.evict(arrival) else { return ArrivalOutcome::Bypassed };
            evicted(slot, self.vacate(slot));
        }
        let slot = self.place(Resident { object: arrival.object, space: arrival.space });
        self.used += arrival.space;
        self.policy.admit(slot, arrival);
        ArrivalOutcome::Admitted(slot)
    }

    /// Takes out the object in `slot`, which must hold one. O(1) besides the policy.
    pub fn remove(&mut self, slot: Slot) {
        self.policy.forget(slot);
        self.vacate(slot);
    }

    #[inline]
    fn vacate(&mut self, slot: Slot) -> ObjectId {
        let resident = self.residents[slot.index()];
        self.used -= resident.space;
        self.free.push(slot);
        resident.object
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
