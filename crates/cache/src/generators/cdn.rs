//! Requests at a content delivery network's proxy (thesis Table 2.1, "CDN": 1 µs between requests).
//!
//! Requests are a Poisson process. They follow a Zipf popularity and come in bursts, as pages pull
//! the same objects for many users at once; a share of them may be for objects that are never asked
//! for again. Published: the rate, 243 million requests for 7.7 million objects (§2.6.1), and that
//! objects outlive fetches by far (§2.6.3), so that here they last. Assumed: all else (see
//! [`CdnConfig::of_requests`]). Sizes are 1 KiB and up, each doubling half as likely, fixed by the
//! object. O(log b) a request, b bursts at once.

use forebay_parameters::ParameterError;
use forebay_units::{Bytes, Duration, Time};
use forebay_workload::random::{ChaCha8Rng, stream, uniform};

use super::zipf::MAX_OBJECTS;
use super::{BurstConfig, ZipfBursts, exponential_span, some_time, within};
use crate::hash::mix;
use crate::model::{ObjectId, Request, steps};

/// The parameters of [`CdnRequests`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CdnConfig {
    /// How many objects are asked for again and again.
    pub objects: u64,
    /// The Zipf exponent of their popularity.
    pub exponent: f64,
    /// The mean number of requests in a burst.
    pub mean_burst: f64,
    /// The mean number of other requests between those of a burst.
    pub burst_gap: u64,
    /// The share of requests for objects asked for once.
    pub once: f64,
    /// The mean time between requests.
    pub interval: Duration,
    /// What all draws come from: the same seed gives the same requests.
    pub seed: u64,
}

/// Requests and objects of the thesis's trace (§2.6.1).
const PUBLISHED: (u64, u64) = (243_000_000, 7_700_000);

impl CdnConfig {
    /// As many objects as give `requests` the thesis's 31.6 requests an object, at most its 7.7
    /// million. Assumed: popularity of exponent 0.8, bursts of 3 within thousands of requests,
    /// nothing asked for only once. A request every 1 µs.
    #[must_use]
    pub fn of_requests(requests: u64) -> Self {
        let (all, objects) = PUBLISHED;
        let share = u128::from(requests.min(all)) * u128::from(objects) / u128::from(all);
        CdnConfig {
            objects: (share as u64).max(1),
            exponent: 0.8,
            mean_burst: 3.0,
            burst_gap: 5_000,
            once: 0.0,
            interval: Duration::from_us(1),
            seed: 1,
        }
    }
}

impl Default for CdnConfig {
    /// That of a million requests.
    fn default() -> Self {
        Self::of_requests(1_000_000)
    }
}

/// An endless stream of requests at a proxy.
///
/// ```
/// use forebay_cache::generators::{CdnConfig, CdnRequests};
///
/// let config = CdnConfig { objects: 1_000, ..CdnConfig::default() };
/// let requests: Vec<_> = CdnRequests::new(config)?.take(10_000).collect();
/// let seconds = requests[9_999].at.as_ps() as f64 * 1e-12;
/// assert!((0.009..0.011).contains(&seconds));
/// # Ok::<(), forebay_parameters::ParameterError>(())
/// ```
#[derive(Clone, Debug)]
pub struct CdnRequests {
    config: CdnConfig,
    popular: ZipfBursts,
    rng: ChaCha8Rng,
    now: Time,
    once: u64,
}

impl CdnRequests {
    /// The stream of `config`.
    ///
    /// # Errors
    /// If a parameter is impossible.
    pub fn new(config: CdnConfig) -> Result<Self, ParameterError> {
        within("once", config.once, 0.0..=1.0)?;
        some_time("interval", config.interval)?;
        let CdnConfig { objects, exponent, mean_burst, burst_gap, seed, .. } = config;
        let gap = steps(burst_gap);
        let popular = ZipfBursts::new(BurstConfig { objects, exponent, mean_burst, gap, seed })?;
        let rng = stream(seed, "cdn", 0);
        Ok(CdnRequests { config, popular, rng, now: Time::ZERO, once: 0 })
    }
}

/// The size of `object`.
fn size(object: ObjectId) -> Bytes {
    const LARGEST_DOUBLING: u32 = 13;
    let bits = mix(!object.0);
    let least = 1024_u64 << bits.trailing_zeros().min(LARGEST_DOUBLING);
    Bytes::new(least + (bits >> 32) % least)
}

impl Iterator for CdnRequests {
    type Item = Request;

    fn next(&mut self) -> Option<Request> {
        let object = if uniform(&mut self.rng) < self.config.once {
            self.once += 1;
            ObjectId(MAX_OBJECTS + self.once)
        } else {
            self.popular.next()?.object
        };
        let request = Request::new(self.now, object).sized(size(object));
        self.now += exponential_span(&mut self.rng, self.config.interval);
        Some(request)
    }
}
