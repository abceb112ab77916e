//! Sources that talk and fall silent: each asks for its own object, evenly spaced while it is on.
//!
//! Spans on and off are exponential. The simplest traffic whose burstiness can be set (thesis
//! §2.4.2 asks how much it matters). O(log n) a request for n sources; 32 bytes a source.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use forebay_parameters::ParameterError;
use forebay_units::{Duration, Time};
use forebay_workload::random::{ChaCha8Rng, stream};

use super::{exponential_span, some_objects, some_time};
use crate::model::{ObjectId, Request, steps};

/// The parameters of [`OnOff`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnOffConfig {
    /// How many sources there are, each with an object.
    pub sources: u64,
    /// How long a source is on, on average.
    pub mean_on: Duration,
    /// How long it is off, on average.
    pub mean_off: Duration,
    /// The time between its requests while it is on.
    pub gap: Duration,
    /// What all draws come from: the same seed gives the same requests.
    pub seed: u64,
}

impl Default for OnOffConfig {
    /// 10,000 sources with about ten requests, 100 steps apart, and a pause of 100,000 steps.
    fn default() -> Self {
        OnOffConfig {
            sources: 10_000,
            mean_on: steps(1_000),
            mean_off: steps(100_000),
            gap: steps(100),
            seed: 1,
        }
    }
}

/// An endless stream of on-off sources.
///
/// ```
/// use forebay_cache::generators::{OnOff, OnOffConfig};
///
/// let requests: Vec<_> = OnOff::new(OnOffConfig::default())?.take(1_000).collect();
/// assert!(requests.is_sorted_by_key(|request| request.at));
/// # Ok::<(), forebay_parameters::ParameterError>(())
/// ```
#[derive(Clone, Debug)]
pub struct OnOff {
    config: OnOffConfig,
    rng: ChaCha8Rng,
    /// The next request of each source, and when the source falls silent.
    next: BinaryHeap<Reverse<(Time, u32, Time)>>,
}

impl OnOff {
    /// The stream of `config`. Every source begins off.
    ///
    /// # Errors
    /// If a parameter is impossible.
    pub fn new(config: OnOffConfig) -> Result<Self, ParameterError> {
        some_objects("sources", config.sources)?;
        some_time("mean_on", config.mean_on)?;
        some_time("mean_off", config.mean_off)?;
        some_time("gap", config.gap)?;
        let mut rng = stream(config.seed, "on-off", 0);
        let next = (0..config.sources as u32)
            .map(|source| {
                let on = Time::ZERO + exponential_span(&mut rng, config.mean_off);
                Reverse((on, source, on + exponential_span(&mut rng, config.mean_on)))
            })
            .collect();
        Ok(OnOff { config, rng, next })
    }
}

impl Iterator for OnOff {
    type Item = Request;

    fn next(&mut self) -> Option<Request> {
        let Reverse((at, source, silent)) = self.next.pop()?;
        let later = at + self.config.gap;
        let after = if later < silent {
            (later, source, silent)
        } else {
            let on = silent.max(at) + exponential_span(&mut self.rng, self.config.mean_off);
            (on, source, on + exponential_span(&mut self.rng, self.config.mean_on))
        };
        self.next.push(Reverse(after));
        Some(Request::new(at, ObjectId(u64::from(source))))
    }
}
