//! Settings of a cache, and why one cannot be built.

use std::hash::{BuildHasher, Hash, RandomState};
use std::num::NonZero;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use forebay_cache::Foresight;
use forebay_cache::order::OrderConfig;
use forebay_cache::policies::{CachePolicy, Eviction, PolicyConfig, SetConfig, policies};
use forebay_parameters::{Choice, Entry, ParameterError, UnknownName};
use thiserror::Error;

use crate::cache::{Cache, Parts};
use crate::clock::{Clock, ManualClock};
use crate::expiry::Expiry;
use crate::removal::{Listener, RemovalCause};
use crate::shard::Shard;
use crate::store::Store;

/// What evicts unless a policy is chosen.
pub const DEFAULT_POLICY: &str = "lru-mad";
/// The most shards a cache may have.
pub const MAX_SHARDS: usize = 1 << 16;
/// A shard has room for at least this much, unless the number of shards is set.
const LEAST_SHARE: u64 = 256;
/// Shards per processor.
const SHARDS_EACH: usize = 8;

/// What callers get that wait for a fetch which fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnError {
    /// Everyone who waits gets the error.
    #[default]
    Share,
    /// The turn to fetch, one after another, each with its own loader; the error goes to the caller
    /// whose loader failed.
    Retry,
}

/// Why a cache cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BuildError {
    /// The capacity is 0.
    #[error("capacity is 0: give the cache room for at least one value")]
    NoCapacity,
    /// Too many shards, or none.
    #[error(
        "{shards} shards share a capacity of {capacity}: give at least one shard, at most \
         {MAX_SHARDS}, and each room for one value"
    )]
    Shards {
        /// How many shards were asked for.
        shards: usize,
        /// How much the cache may hold in all.
        capacity: u64,
    },
    /// There is no such policy.
    #[error(transparent)]
    Policy(#[from] UnknownName),
    /// The policy cannot have such a parameter.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// The policy needs to know the future.
    #[error(
        "policy \"{0}\" needs to know future requests, which no application does: choose another"
    )]
    NeedsFuture(String),
    /// The policy's memory grows without bound.
    #[error(
        "policy \"{0}\" remembers every key it has ever seen: choose one whose memory has a bound"
    )]
    Unbounded(String),
}

/// Settings of a cache; see [`Cache::builder`].
pub struct Builder<K, V> {
    capacity: u64,
    shards: Option<usize>,
    policy: Result<Choice<dyn CachePolicy>, UnknownName>,
    sampled: bool,
    expiry: (Option<Duration>, Option<Duration>),
    on_error: OnError,
    weigher: Option<Weigher<K, V>>,
    listener: Option<Listener<K, V>>,
    clock: Option<ManualClock>,
}

/// How much of the capacity a value takes.
pub(crate) type Weigher<K, V> = Arc<dyn Fn(&K, &V) -> u64 + Send + Sync>;

impl<K: Hash + Eq, V> Builder<K, V> {
    pub(crate) fn new(capacity: u64) -> Self {
        Builder {
            capacity,
            shards: None,
            policy: policies().named(DEFAULT_POLICY).cloned(),
            sampled: false,
            expiry: (None, None),
            on_error: OnError::default(),
            weigher: None,
            listener: None,
            clock: None,
        }
    }

    /// How much of the capacity a value takes, at least 1; 1 by default. A value that takes more
    /// than a shard's share is not cached. Called without locks held.
    #[must_use]
    pub fn weigher(mut self, weigher: impl Fn(&K, &V) -> u64 + Send + Sync + 'static) -> Self {
        self.weigher = Some(Arc::new(weigher));
        self
    }

    /// How long a value is valid after it was inserted.
    #[must_use]
    pub fn time_to_live(mut self, span: Duration) -> Self {
        self.expiry.0 = Some(span);
        self
    }

    /// How long a value is valid after its last use.
    #[must_use]
    pub fn time_to_idle(mut self, span: Duration) -> Self {
        self.expiry.1 = Some(span);
        self
    }

    /// Is called with every value that leaves the cache, by the thread that made it leave, without
    /// locks held.
    #[must_use]
    pub fn eviction_listener(
        mut self,
        listener: impl Fn(K, V, RemovalCause) + Send + Sync + 'static,
    ) -> Self {
        self.listener = Some(Arc::new(listener));
        self
    }

    /// Which values are evicted: a policy of [`forebay_cache::policies`] by name. `…-mad` takes
    /// into account how long a fetch keeps callers waiting; `lru` is plain recency.
    #[must_use]
    pub fn policy(mut self, name: &str) -> Self {
        self.policy = policies().named(name).cloned();
        self
    }

    /// Which values are evicted: a policy of the caller's own.
    #[must_use]
    pub fn own_policy(mut self, policy: Choice<dyn CachePolicy>) -> Self {
        self.policy = Ok(policy);
        self
    }

    /// Whether to evict the first of a random few, in constant time, instead of the first of all.
    #[must_use]
    pub fn sampled(mut self, sampled: bool) -> Self {
        self.sampled = sampled;
        self
    }

    /// What waiting callers get when a fetch fails.
    #[must_use]
    pub fn on_error(mut self, on_error: OnError) -> Self {
        self.on_error = on_error;
        self
    }

    /// The number of shards, rounded up to a power of two; by default eight per processor, as long
    /// as each has room for 256.
    #[must_use]
    pub fn shards(mut self, shards: usize) -> Self {
        self.shards = Some(shards);
        self
    }

    /// Takes the time from `clock` instead of the system.
    #[must_use]
    pub fn clock(mut self, clock: &ManualClock) -> Self {
        self.clock = Some(clock.clone());
        self
    }

    /// Builds the cache, with the standard library's hasher.
    ///
    /// # Errors
    /// A [`BuildError`] if a setting is impossible.
    pub fn build(self) -> Result<Cache<K, V>, BuildError> {
        self.build_with_hasher(RandomState::new())
    }

    /// Builds the cache, with another hasher.
    ///
    /// # Errors
    /// A [`BuildError`] if a setting is impossible.
    pub fn build_with_hasher<S: BuildHasher>(
        self,
        hasher: S,
    ) -> Result<Cache<K, V, S>, BuildError> {
        let count = self.shard_count()?;
        let shards = self.build_shards(count)?;
        Ok(Cache::from_parts(Parts {
            shards,
            hasher,
            clock: self.clock.map_or_else(Clock::system, Clock::Manual),
            expiry: Expiry::new(self.expiry.0, self.expiry.1),
            on_error: self.on_error,
            weigher: self.weigher,
            listener: self.listener,
        }))
    }

    fn shard_count(&self) -> Result<usize, BuildError> {
        let capacity = self.capacity;
        if capacity == 0 {
            return Err(BuildError::NoCapacity);
        }
        let Some(shards) = self.shards else {
            let room = (capacity / LEAST_SHARE).clamp(1, MAX_SHARDS as u64) as usize;
            let wanted = available_parallelism().map_or(1, NonZero::get) * SHARDS_EACH;
            // The largest power of two that fits.
            let most = 1 << room.ilog2();
            return Ok(wanted.next_power_of_two().min(most));
        };
        let error = BuildError::Shards { shards, capacity };
        if shards == 0 || shards > MAX_SHARDS || shards.next_power_of_two() as u64 > capacity {
            return Err(error);
        }
        Ok(shards.next_power_of_two())
    }

    fn build_shards(&self, count: usize) -> Result<Box<[Shard<K, V>]>, BuildError> {
        let policy = self.policy.as_ref().map_err(Clone::clone)?;
        let eviction = if self.sampled { Eviction::Sampled } else { Eviction::Exact };
        let order = OrderConfig::default();
        let build = policy.build(&PolicyConfig { eviction, order })?;
        let (share, rest) = (self.capacity / count as u64, self.capacity % count as u64);
        let mut shards = Vec::with_capacity(count);
        for index in 0..count as u64 {
            let capacity = share + u64::from(index < rest);
            let of_shard = build(&SetConfig { index, capacity, order });
            if of_shard.needs() != Foresight::None {
                return Err(BuildError::NeedsFuture(policy.name().to_owned()));
            }
            if of_shard.remembers_all() {
                return Err(BuildError::Unbounded(policy.name().to_owned()));
            }
            shards.push(Shard::new(Store::new(capacity, of_shard)));
        }
        Ok(shards.into_boxed_slice())
    }
}
