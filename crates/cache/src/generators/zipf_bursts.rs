//! Popular objects in bursts, one request a time step: the stream that delayed hits hurt most.
//!
//! Each burst is for one object, chosen by Zipf popularity; it has a geometric number of requests,
//! spaced exponentially. Bursts overlap; a new one begins in every step in which no request of an
//! old one is due. With a mean of one request a burst it is a plain Zipf stream. O(log b) a
//! request, b bursts at once; memory that of the popularity table.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use forebay_parameters::ParameterError;
use forebay_units::{Duration, Time};
use forebay_workload::random::{ChaCha8Rng, stream, uniform};

use super::{Zipf, exponential_span, mean_burst};
use crate::model::{ObjectId, Request, STEP, steps};

/// The parameters of [`ZipfBursts`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BurstConfig {
    /// How many objects there are.
    pub objects: u64,
    /// The Zipf exponent of their popularity.
    pub exponent: f64,
    /// The mean number of requests in a burst, at least 1.
    pub mean_burst: f64,
    /// The mean time between requests of a burst.
    pub gap: Duration,
    /// What all draws come from: the same seed gives the same requests.
    pub seed: u64,
}

impl Default for BurstConfig {
    /// 100,000 objects of exponent 0.9 in bursts of 4 requests, 20 steps apart.
    fn default() -> Self {
        BurstConfig { objects: 100_000, exponent: 0.9, mean_burst: 4.0, gap: steps(20), seed: 1 }
    }
}

/// An endless stream of bursts; see the module's head for the model.
///
/// ```
/// use forebay_cache::generators::{BurstConfig, ZipfBursts};
///
/// let mut bursts = ZipfBursts::new(BurstConfig::default())?;
/// let (first, second) = (bursts.next(), bursts.next());
/// assert!(first.map(|request| request.at) < second.map(|request| request.at));
/// # Ok::<(), forebay_parameters::ParameterError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ZipfBursts {
    config: BurstConfig,
    popularity: Zipf,
    rng: ChaCha8Rng,
    now: Time,
    /// The next request of each burst that goes on.
    due: BinaryHeap<Reverse<(Time, ObjectId)>>,
}

impl ZipfBursts {
    /// The stream of `config`.
    ///
    /// # Errors
    /// If a parameter is impossible.
    pub fn new(config: BurstConfig) -> Result<Self, ParameterError> {
        mean_burst(config.mean_burst)?;
        Ok(ZipfBursts {
            popularity: Zipf::new(config.objects, config.exponent)?,
            rng: stream(config.seed, "zipf bursts", 0),
            now: Time::ZERO,
            due: BinaryHeap::new(),
            config,
        })
    }
}

impl Iterator for ZipfBursts {
    type Item = Request;

    #[inline]
    fn next(&mut self) -> Option<Request> {
        let due = self.due.peek().filter(|next| next.0.0 <= self.now);
        let object = match due {
            Some(Reverse((_, object))) => *object,
            None => ObjectId(self.popularity.draw(&mut self.rng)),
        };
        if due.is_some() {
            self.due.pop();
        }
        if uniform(&mut self.rng) * self.config.mean_burst >= 1.0 {
            let next = self.now + exponential_span(&mut self.rng, self.config.gap);
            self.due.push(Reverse((next, object)));
        }
        let request = Request::new(self.now, object);
        self.now += STEP;
        Some(request)
    }
}
