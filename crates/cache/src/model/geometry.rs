//! How much a cache holds, and where an object may be kept.
//!
//! The paper's simulator and prototype are 64-way set-associative with objects of one size
//! (§2.6.1). Here capacity may also be in bytes, and a cache fully associative. An object's set is
//! chosen by a mixed hash of its id, so that ids in sequence spread. O(1) per lookup.

use forebay_units::Bytes;
use thiserror::Error;

use super::ObjectId;
use crate::hash::mix;

/// The most sets a cache may have.
pub const MAX_SETS: u64 = 1 << 24;

/// What a capacity counts: objects, or their bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capacity {
    /// Objects, whatever their sizes: the paper's C.
    Objects(u64),
    /// The bytes of the objects.
    Bytes(Bytes),
}

/// Where an object may be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Associativity {
    /// Anywhere: one set.
    Full,
    /// In one of the places of its set; the number of sets follows, for a capacity in objects.
    Ways(u64),
    /// In one of so many sets, which share the capacity evenly.
    Sets(u64),
}

/// Capacity and associativity together.
///
/// ```
/// use forebay_cache::{Associativity, Capacity, CacheGeometry};
///
/// let geometry = CacheGeometry { capacity: Capacity::Objects(6400), associativity: Associativity::Ways(64) };
/// assert_eq!(geometry.sets(), Ok(100));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheGeometry {
    /// How much it holds in all.
    pub capacity: Capacity,
    /// Where objects may be kept.
    pub associativity: Associativity,
}

/// Why a geometry is impossible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum GeometryError {
    /// There is no room at all.
    #[error("capacity is 0: give a cache room for at least one object or byte")]
    NoCapacity,
    /// Sets without a way.
    #[error("ways is 0: give at least 1, or leave it out for a fully associative cache")]
    NoWays,
    /// No set.
    #[error("sets is 0: give at least 1, or leave it out for a fully associative cache")]
    NoSets,
    /// Ways of bytes.
    #[error("ways are objects but the capacity is in bytes: give the number of sets instead")]
    WaysOfBytes,
    /// Sets without room, or absurdly many.
    #[error(
        "{sets} sets share a capacity of {capacity}: give at most {MAX_SETS} sets and each room \
         for one"
    )]
    TooManySets {
        /// How many sets were asked for.
        sets: u64,
        /// The capacity, in objects or bytes.
        capacity: u64,
    },
}

impl CacheGeometry {
    /// A fully associative cache of `objects` objects.
    #[must_use]
    pub fn objects(objects: u64) -> Self {
        CacheGeometry { capacity: Capacity::Objects(objects), associativity: Associativity::Full }
    }

    /// The number of sets: of `Ways`, the nearest below that gives each set at least so many.
    ///
    /// # Errors
    /// A [`GeometryError`] if the geometry is impossible.
    pub fn sets(&self) -> Result<u64, GeometryError> {
        let total = self.total();
        if total == 0 {
            return Err(GeometryError::NoCapacity);
        }
        let sets = match (self.associativity, self.capacity) {
            (Associativity::Full, _) => 1,
            (Associativity::Ways(0), _) => return Err(GeometryError::NoWays),
            (Associativity::Sets(0), _) => return Err(GeometryError::NoSets),
            (Associativity::Ways(_), Capacity::Bytes(_)) => return Err(GeometryError::WaysOfBytes),
            (Associativity::Ways(ways), Capacity::Objects(_)) => (total / ways).max(1),
            (Associativity::Sets(sets), _) => sets,
        };
        if sets > total || sets > MAX_SETS {
            return Err(GeometryError::TooManySets { sets, capacity: total });
        }
        Ok(sets)
    }

    /// The capacity of all sets, in units of [`space`](Self::space).
    #[must_use]
    pub fn total(&self) -> u64 {
        match self.capacity {
            Capacity::Objects(objects) => objects,
            Capacity::Bytes(bytes) => bytes.get(),
        }
    }

    /// The capacity of set `set` of `sets`: equal shares, the first ones one larger where they must
    /// be.
    pub(crate) fn share(&self, set: u64, sets: u64) -> u64 {
        self.total() / sets + u64::from(set < self.total() % sets)
    }

    /// How much of the capacity an object of `size` takes, at least 1.
    #[must_use]
    pub fn space(&self, size: Bytes) -> u64 {
        match self.capacity {
            Capacity::Objects(_) => 1,
            Capacity::Bytes(_) => size.get().max(1),
        }
    }
}

/// The set of `object` among `sets`.
#[inline]
pub(crate) fn set_of(object: ObjectId, sets: u64) -> usize {
    ((u128::from(mix(object.0)) * u128::from(sets)) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_geometries_say_why() {
        let sets = |capacity, associativity| CacheGeometry { capacity, associativity }.sets();
        let objects = Capacity::Objects(10);
        assert_eq!(sets(Capacity::Objects(0), Associativity::Full), Err(GeometryError::NoCapacity));
        assert_eq!(sets(objects, Associativity::Ways(0)), Err(GeometryError::NoWays));
        assert_eq!(sets(objects, Associativity::Ways(3)), Ok(3));
        assert_eq!(sets(objects, Associativity::Ways(64)), Ok(1));
        assert!(sets(objects, Associativity::Sets(11)).is_err());
        let bytes = Capacity::Bytes(Bytes::new(10));
        assert_eq!(sets(bytes, Associativity::Ways(2)), Err(GeometryError::WaysOfBytes));
    }

    #[test]
    fn shares_add_up() {
        let geometry = CacheGeometry {
            capacity: Capacity::Objects(11),
            associativity: Associativity::Sets(4),
        };
        assert_eq!((0..4).map(|set| geometry.share(set, 4)).collect::<Vec<_>>(), [3, 3, 3, 2]);
    }

    #[test]
    fn ids_in_sequence_spread_over_the_sets() {
        let mut counts = [0_u32; 100];
        for id in 0..100_000 {
            counts[set_of(ObjectId(id), 100)] += 1;
        }
        assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
    }
}
