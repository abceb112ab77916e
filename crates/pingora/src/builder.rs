//! Settings of a cache, and why one cannot be built.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use forebay_cache::Foresight;
use forebay_cache::order::OrderConfig;
use forebay_cache::policies::{
    BoxedPolicy, CachePolicy, Eviction, PolicyConfig, SetConfig, policies,
};
use forebay_parameters::{Choice, Entry, ParameterError, UnknownName};
use thiserror::Error;

use crate::cache::{Cache, Settings};

/// What evicts unless a policy is chosen.
pub const DEFAULT_POLICY: &str = "lru-mad";

/// The largest body that a cache of `capacity` bytes keeps, unless it is told otherwise.
#[must_use]
pub fn largest_by_default(capacity: u64) -> u64 {
    (capacity / 8).clamp(1, 64 << 20)
}

/// Why a cache cannot be built.
#[derive(Debug, Error)]
pub enum BuildError {
    /// It has no room.
    #[error("capacity is 0 bytes: give the cache room for at least one response")]
    NoCapacity,
    /// The largest body is larger than the cache.
    #[error(
        "largest is {largest} bytes in a cache of {capacity}: a body must fit in, so make it \
         smaller or the capacity larger"
    )]
    TooLarge {
        /// The largest body that may be cached.
        largest: u64,
        /// What the cache may hold.
        capacity: u64,
    },
    /// No leader has the time to answer.
    #[error("leader_timeout is 0: give a fetch the time to begin to answer, say 10 s")]
    NoTime,
    /// There is no such policy.
    #[error(transparent)]
    Policy(#[from] UnknownName),
    /// The policy cannot have such a parameter.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// The policy needs to know the future.
    #[error("policy \"{0}\" needs to know future requests, which no proxy does: choose another")]
    NeedsFuture(String),
    /// The policy's memory grows without bound.
    #[error(
        "policy \"{0}\" remembers every key it has ever seen: choose one whose memory has a bound"
    )]
    Unbounded(String),
    /// The folder cannot be used.
    #[error("the folder {folder} cannot hold a cache: {error}")]
    Folder {
        /// Which.
        folder: PathBuf,
        /// Why.
        error: io::Error,
    },
}

/// Settings of a cache; see [`Cache::builder`].
#[derive(Clone)]
#[must_use]
pub struct Builder {
    policy: Result<Choice<dyn CachePolicy>, UnknownName>,
    sampled: bool,
    largest: Option<u64>,
    settings: Settings,
}

impl Builder {
    pub(crate) fn new(capacity: u64) -> Self {
        Builder {
            policy: policies().named(DEFAULT_POLICY).cloned(),
            sampled: false,
            largest: None,
            settings: Settings {
                capacity,
                largest: 0,
                bytes_arriving: 256 << 20,
                leader_timeout: Duration::from_secs(10),
                most_waiting: 100_000,
                most_variants: 100,
                folder: None,
            },
        }
    }

    /// Which responses are evicted: a policy of [`forebay_cache::policies`] by name. `…-mad` takes
    /// into account how long a fetch keeps requests waiting; `lru` is plain recency.
    pub fn policy(mut self, name: &str) -> Self {
        self.policy = policies().named(name).cloned();
        self
    }

    /// Which responses are evicted: a policy of the caller's own.
    pub fn own_policy(mut self, policy: Choice<dyn CachePolicy>) -> Self {
        self.policy = Ok(policy);
        self
    }

    /// Whether to evict the first of a random few, in constant time, instead of the first of all.
    pub fn sampled(mut self, sampled: bool) -> Self {
        self.sampled = sampled;
        self
    }

    /// The largest body that is cached, in bytes; an eighth of the capacity by default, and at most
    /// 64 MiB. A larger one is passed on as it arrives.
    pub fn largest(mut self, bytes: u64) -> Self {
        self.largest = Some(bytes);
        self
    }

    /// How many bytes of bodies may be on their way at a time, all together, besides the capacity;
    /// 256 MiB by default. An answer beyond passes by uncached ([`Cache::make_room`]); what turns
    /// out not to be cacheable while it arrives gets at most half, and fails beyond.
    pub fn bytes_arriving(mut self, bytes: u64) -> Self {
        self.settings.bytes_arriving = bytes;
        self
    }

    /// How long a leader may take until it begins to answer; then the next of those who wait leads.
    /// 10 s by default.
    pub fn leader_timeout(mut self, span: Duration) -> Self {
        self.settings.leader_timeout = span;
        self
    }

    /// How many requests may wait for fetches at a time, all together; 100,000 by default. One
    /// beyond is told to give up waiting ([`RequestNotes::refused`](crate::RequestNotes::refused)).
    pub fn most_waiting(mut self, requests: u64) -> Self {
        self.settings.most_waiting = requests;
        self
    }

    /// How many variants (`Vary`) of one key are cached; 100 by default. More are passed on, so
    /// that no client fills the cache with variants that only it asks for.
    pub fn most_variants(mut self, variants: u32) -> Self {
        self.settings.most_variants = variants;
        self
    }

    /// Keeps bodies as files in `folder`, which survive restarts, instead of in memory. Headers and
    /// the index stay in memory.
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.settings.folder = Some(folder.into());
        self
    }

    /// Builds the cache.
    ///
    /// # Errors
    /// A [`BuildError`] if a setting is impossible or the folder cannot be used.
    pub fn build(self) -> Result<Cache, BuildError> {
        let policy = self.build_policy()?;
        let mut settings = self.settings;
        if settings.capacity == 0 {
            return Err(BuildError::NoCapacity);
        }
        if settings.leader_timeout.is_zero() {
            return Err(BuildError::NoTime);
        }
        settings.largest = self.largest.unwrap_or_else(|| largest_by_default(settings.capacity));
        if settings.largest > settings.capacity {
            let Settings { largest, capacity, .. } = settings;
            return Err(BuildError::TooLarge { largest, capacity });
        }
        let folder = settings.folder.clone().unwrap_or_default();
        Cache::open(settings, policy).map_err(|error| BuildError::Folder { folder, error })
    }

    fn build_policy(&self) -> Result<BoxedPolicy, BuildError> {
        let policy = self.policy.as_ref().map_err(Clone::clone)?;
        let eviction = if self.sampled { Eviction::Sampled } else { Eviction::Exact };
        let order = OrderConfig::default();
        let build = policy.build(&PolicyConfig { eviction, order })?;
        let built = build(&SetConfig { index: 0, capacity: self.settings.capacity, order });
        if built.needs() != Foresight::None {
            return Err(BuildError::NeedsFuture(policy.name().to_owned()));
        }
        if built.remembers_all() {
            return Err(BuildError::Unbounded(policy.name().to_owned()));
        }
        Ok(built)
    }
}
