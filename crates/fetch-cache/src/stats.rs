//! What a cache has done: counts, and how long its callers waited.

use std::time::Duration;

use crate::clock::Nanos;

/// Buckets per octave.
const STEPS: usize = 4;
const BUCKETS: usize = 64 * STEPS;

/// Spans of time in buckets, four per doubling: a quantile is at most a fifth too high.
///
/// ```
/// use std::time::Duration;
/// use forebay_fetch_cache::Cache;
///
/// let cache = Cache::builder(10).build()?;
/// cache.get_or_fetch_blocking(1, || std::thread::sleep(Duration::from_millis(2)));
/// let fetches = cache.stats().fetches;
/// assert_eq!(fetches.count(), 1);
/// assert!(fetches.mean() >= Duration::from_millis(2));
/// assert!(fetches.quantile(0.5) >= Duration::from_millis(2));
/// # Ok::<(), forebay_fetch_cache::BuildError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Histogram {
    buckets: Box<[u64; BUCKETS]>,
    count: u64,
    sum: u128,
    most: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Histogram { buckets: Box::new([0; BUCKETS]), count: 0, sum: 0, most: 0 }
    }
}

/// The bucket of `nanos`: its octave, and which quarter of it.
fn bucket(nanos: u64) -> usize {
    let octave = (nanos | STEPS as u64).ilog2();
    let quarter = (nanos >> (octave - STEPS.ilog2())) as usize % STEPS;
    if nanos < STEPS as u64 { nanos as usize } else { octave as usize * STEPS + quarter }
}

/// The largest number in `bucket`.
fn end(bucket: usize) -> u64 {
    let (octave, quarter) = (bucket / STEPS, (bucket % STEPS) as u64);
    let Some(shift) = octave.checked_sub(STEPS.ilog2() as usize) else { return quarter };
    let width = 1_u64 << shift;
    (STEPS as u64 + quarter) * width + (width - 1)
}

impl Histogram {
    pub(crate) fn record(&mut self, span: Nanos) {
        self.buckets[bucket(span.0)] += 1;
        self.count += 1;
        self.sum += u128::from(span.0);
        self.most = self.most.max(span.0);
    }

    pub(crate) fn merge(&mut self, other: &Histogram) {
        for (ours, theirs) in self.buckets.iter_mut().zip(other.buckets.iter()) {
            *ours += theirs;
        }
        self.count += other.count;
        self.sum += other.sum;
        self.most = self.most.max(other.most);
    }

    /// The number of spans.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Their exact mean; zero if there are none.
    #[must_use]
    pub fn mean(&self) -> Duration {
        let mean = self.sum / u128::from(self.count.max(1));
        Duration::from_nanos(u64::try_from(mean).unwrap_or(u64::MAX))
    }

    /// The longest span that was counted; zero if none was.
    #[must_use]
    pub fn max(&self) -> Duration {
        Duration::from_nanos(self.most)
    }

    /// The span that a fraction `q` (from 0 to 1) of all do not exceed, rounded up to its bucket's
    /// end.
    #[must_use]
    pub fn quantile(&self, q: f64) -> Duration {
        let rank = (self.count as f64 * q.clamp(0.0, 1.0)).ceil() as u64;
        let mut below = 0;
        for (index, count) in self.buckets.iter().enumerate() {
            below += count;
            if below >= rank.max(1) {
                return Duration::from_nanos(end(index).min(self.most));
            }
        }
        self.max()
    }
}

/// What a cache has done since it was built.
///
/// Each call of the `get_or_fetch` family counts as exactly one of hit, delayed hit and miss; a
/// caller who takes over an abandoned fetch remains a delayed hit. A call that starts over, because
/// the fetch it waited for failed with an error of another type, is counted again each time.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    /// Values found in the cache, by `get` as well.
    pub hits: u64,
    /// Calls that waited for someone else's fetch.
    pub delayed_hits: u64,
    /// Calls that began a fetch.
    pub misses: u64,
    /// Values inserted, by a fetch or explicitly.
    pub insertions: u64,
    /// Values that the policy did not admit, or that are larger than a shard.
    pub bypasses: u64,
    /// Values that made room for others.
    pub evictions: u64,
    /// Values that expired.
    pub expirations: u64,
    /// Fetches that ended in an error.
    pub failures: u64,
    /// Fetches whose leader was dropped or panicked.
    pub abandoned: u64,
    /// How long successful fetches took: the measured Z.
    pub fetches: Histogram,
    /// How long delayed hits waited for data that arrived.
    pub waits: Histogram,
}

impl Stats {
    pub(crate) fn merge(&mut self, other: &Stats) {
        self.hits += other.hits;
        self.delayed_hits += other.delayed_hits;
        self.misses += other.misses;
        self.insertions += other.insertions;
        self.bypasses += other.bypasses;
        self.evictions += other.evictions;
        self.expirations += other.expirations;
        self.failures += other.failures;
        self.abandoned += other.abandoned;
        self.fetches.merge(&other.fetches);
        self.waits.merge(&other.waits);
    }
}
