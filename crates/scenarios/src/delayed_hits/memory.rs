//! Whether there is memory for a trace and for caches, before either would end the program.

use forebay_cache::generators::MAX_OBJECTS;
use forebay_cache::order::OrderConfig;
use forebay_cache::policies::{BoxedPolicy, BuildPolicy, SetConfig};
use forebay_cache::{CacheGeometry, Capacity, Request, Simulation};
use forebay_parameters::{ParameterError, grouped};
use forebay_switch::memory::{LEFT, is_granted, rough};
use forebay_units::Bytes;

use super::config::TraceConfig;
use crate::SimulationError;

/// What a set takes at least, with its policy, in bytes.
const PER_SET: u64 = 256;
/// What an object that is kept may take while the lists that have it double, in bytes.
const PER_OBJECT: u64 = 320;
/// What an object takes of a generator's tables while they are made, in bytes.
const PER_GENERATED: u64 = 24;
/// For so little, and for so few objects, nobody asks.
const SMALL: Bytes = Bytes::new(10_000_000);
const FEW: u64 = 1 << 16;
/// How large objects are, where a cache has a size in bytes alone and they are not known.
const OBJECT_BYTES: u64 = 512;

/// Whether there are so many bytes, and some for everything else.
fn is_there(needed: u64) -> bool {
    let needed = rough(needed);
    needed <= SMALL || is_granted(needed + LEFT)
}

/// An empty list with room for so many requests of a trace.
///
/// # Errors
/// Says what they need.
pub(super) fn requests(wanted: usize) -> Result<Vec<Request>, ParameterError> {
    let mut requests = Vec::new();
    requests.try_reserve_exact(wanted).map_err(|_| too_many(wanted, 0))?;
    Ok(requests)
}

/// That so many requests can be held, with what is noted of each, in bytes.
///
/// # Errors
/// Says what they need.
pub(super) fn check_notes(requests: usize, each: u64) -> Result<(), ParameterError> {
    match is_there((requests as u64).saturating_mul(each)) {
        true => Ok(()),
        false => Err(too_many(requests, each)),
    }
}

/// That a generator can have so many objects.
///
/// # Errors
/// Says what they need.
pub(super) fn check_objects(objects: u64) -> Result<(), ParameterError> {
    let needed = objects.saturating_mul(PER_GENERATED);
    // More than a generator has it refuses itself.
    if objects > MAX_OBJECTS || is_there(needed) {
        return Ok(());
    }
    Err(TraceConfig::OBJECTS.refuse(format_args!(
        "{} objects need about {} of memory; give fewer",
        grouped(objects),
        rough(needed)
    )))
}

/// That there is no memory for so many requests, with what is noted of each, in bytes.
pub(super) fn too_many(requests: usize, each: u64) -> ParameterError {
    let (requests, each) = (requests as u64, each + size_of::<Request>() as u64);
    TraceConfig::REQUESTS.refuse(format_args!(
        "{} requests that are held need about {} of memory; give fewer",
        grouped(requests),
        rough(requests.saturating_mul(each))
    ))
}

/// What the sets of a cache take, with the tables that their policies have from the beginning.
pub(super) fn of_sets(build: &BuildPolicy, geometry: &CacheGeometry) -> Bytes {
    // A geometry without sets is refused where a cache is made of it.
    let sets = geometry.sets().unwrap_or(1);
    let capacity = geometry.total() / sets;
    let objects = match geometry.capacity {
        Capacity::Objects(_) => capacity,
        Capacity::Bytes(_) => capacity.div_ceil(OBJECT_BYTES),
    };
    let set = SetConfig { index: 0, capacity, order: OrderConfig::default() };
    let each = PER_SET.saturating_add(build(&set).tables(objects).get());
    Bytes::new(sets.saturating_mul(each))
}

/// That there is memory for what the sets of caches take.
///
/// # Errors
/// Says what they need.
pub(super) fn check_sets(needed: Bytes) -> Result<(), SimulationError> {
    if is_there(needed.get()) {
        return Ok(());
    }
    Err(SimulationError::failed(format_args!(
        "the tables for caches of this size need about {} of memory; make the cache smaller, set \
         cache.ways higher so that it has fewer sets, or take another policy",
        rough(needed.get())
    )))
}

/// Looks at the memory while caches fill.
#[derive(Default)]
pub(super) struct Filling {
    /// At how many misses it looks again.
    next: u64,
}

impl Filling {
    /// That there is memory for more objects in caches. Only a miss brings one more, so it looks
    /// again when there were enough of them.
    ///
    /// # Errors
    /// Says for how many there is some.
    pub(super) fn check(
        &mut self,
        caches: &[Simulation<BoxedPolicy>],
    ) -> Result<(), SimulationError> {
        let misses: u64 = caches.iter().map(|cache| cache.report().misses).sum();
        if misses < self.next.max(FEW) {
            return Ok(());
        }
        let objects: u64 = caches.iter().map(|cache| cache.kept() as u64).sum();
        let sets: u64 = caches.iter().map(|cache| cache.sets() as u64).sum();
        self.next = misses + (objects / 8).max(sets / 4).max(FEW / 8);
        if objects < FEW || is_granted(rough(objects.saturating_mul(PER_OBJECT))) {
            return Ok(());
        }
        Err(SimulationError::failed(format_args!(
            "there is memory for about {} objects that are cached, on their way or remembered, and \
             more are asked for; make the cache or the latency smaller, or run fewer policies at \
             once",
            grouped(objects)
        )))
    }
}
