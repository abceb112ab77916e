//! W-TinyLFU: Gil Einziger, Roy Friedman, Ben Manes, "TinyLFU: A Highly Efficient
//! Cache Admission Policy", ACM Transactions on Storage 13(4), 2017 (arXiv
//! 1512.00727), sections 3 (TinyLFU) and 4 (W-TinyLFU). The paper has prose and
//! figures, no pseudocode of the whole. Exact counts by object stand for the hashed
//! sketch, an exact set for the doorkeeper's Bloom filter.
//!
//! What the paper says (section numbers of the arXiv version, from memory):
//!
//! - Window (4): a newcomer is always admitted to the window, an LRU of 1 % of the
//!   cache. The window's victim is offered to the main cache, 99 %. If it is admitted,
//!   the main cache's victim leaves; otherwise the window's victim leaves.
//! - Main (4): a segmented LRU, 80 % of it for the hot (protected) objects; the victim
//!   is picked from the other 20 % (probation), least recent first. A hit in probation
//!   goes to protected; what overflows protected goes back to probation as its newest
//!   (Karedla, Love, Wherry 1994).
//! - Sample (3.3): "every time we add an item to the approximation sketch, we
//!   increment a counter. Once this counter reaches the sample size (W), we divide it
//!   and all other counters in the approximation sketch by 2" [wording from memory].
//!   So the addition counter goes on from W/2, not from 0: the first reset comes after
//!   W additions, each later one after W/2. The division is integer division; the
//!   paper analyses it as the truncation error. So counts round DOWN.
//! - Sample size: W is a multiple of the cache size C. The paper gives no one factor
//!   for W/C (examples in the text; Caffeine uses 10). It is a parameter here.
//! - Counter cap (3.4.1): an object that belongs into the cache is asked for at least
//!   W/C times a sample, so counters are capped at W/C.
//! - Doorkeeper (3.4.2): an arriving object that is not in the doorkeeper is inserted
//!   there (only there); otherwise it is added to the main structure. The estimate is
//!   the main structure's, plus 1 if in the doorkeeper. A reset also clears the
//!   doorkeeper. That lowers every estimate by 1, which the paper says.
//! - Admission (3.1): the candidate enters if that is expected to raise the hit ratio,
//!   so if its estimate is higher than the victim's.
//!
//! What is open, and what is done here:
//!
//! 1. What counts towards W with a doorkeeper. 3.3 is written before the doorkeeper
//!    comes in and counts additions to the sketch, at that point every access; W is
//!    called the sample size throughout. Here every access counts, one to a counter at
//!    its cap, too.
//! 2. Ties. The paper states no rule for equal estimates. Here the candidate must be
//!    strictly larger (as in Caffeine).
//! 3. Whether W/C caps the sketch's counter or the estimate with the doorkeeper's 1
//!    (then the counter's cap is W/C - 1). `cap` says the counter's; default W/C.
//! 4. After a reset the addition counter is halved (3.3); implementations also
//!    restart it at 0: `halve_additions: false`.
//! 5. Order within an access: recorded first, reset at once when due, then looked up,
//!    and the candidate judged with the estimates after that.
//! 6. While main has room, the window's victim enters unjudged (the paper speaks of
//!    full caches). The window fills first.
//! 7. Rounding: window = max(1, floor(C / 100)), protected = floor(0.8 main). Caffeine
//!    has main = floor(0.99 C), hence a window rounded up. Set `window` and
//!    `protected` for another.
//! 8. A hit in the window is an LRU hit only; it leads nowhere else.

use std::collections::{BTreeMap, BTreeSet};

use super::{Classical, take};

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Parameters {
    /// Places of the window, an LRU.
    pub(crate) window: usize,
    /// Places of the main cache, a segmented LRU.
    pub(crate) main: usize,
    /// How many of main's places are protected.
    pub(crate) protected: usize,
    /// Additions before a reset: W.
    pub(crate) sample: usize,
    /// Where a counter of the sketch stops.
    pub(crate) cap: usize,
    pub(crate) doorkeeper: bool,
    /// Whether a reset leaves half of the additions counted, or none.
    pub(crate) halve_additions: bool,
}

impl Parameters {
    /// As published, for a cache of so many objects and a sample so many times that.
    pub(crate) fn published(capacity: usize, sample_by_capacity: usize, doorkeeper: bool) -> Self {
        assert!(capacity > 0 && sample_by_capacity > 0);
        let window = (capacity / 100).max(1);
        let main = capacity - window;
        Self {
            window,
            main,
            protected: main * 8 / 10,
            sample: sample_by_capacity * capacity,
            cap: sample_by_capacity,
            doorkeeper,
            halve_additions: true,
        }
    }
}

/// TinyLFU's record of the accesses.
pub(crate) struct Frequencies {
    parameters: Parameters,
    counts: BTreeMap<u64, usize>,
    doorkeeper: BTreeSet<u64>,
    additions: usize,
}

impl Frequencies {
    pub(crate) fn new(parameters: Parameters) -> Self {
        Self { parameters, counts: BTreeMap::new(), doorkeeper: BTreeSet::new(), additions: 0 }
    }

    pub(crate) fn record(&mut self, id: u64) {
        let stopped = self.parameters.doorkeeper && self.doorkeeper.insert(id);
        if !stopped {
            let count = self.counts.entry(id).or_default();
            *count = (*count + 1).min(self.parameters.cap);
        }
        self.additions += 1;
        if self.additions >= self.parameters.sample {
            self.reset();
        }
    }

    fn reset(&mut self) {
        for count in self.counts.values_mut() {
            *count /= 2;
        }
        self.doorkeeper.clear();
        self.additions = if self.parameters.halve_additions { self.additions / 2 } else { 0 };
    }

    pub(crate) fn estimate(&self, id: u64) -> usize {
        let counted = self.counts.get(&id).copied().unwrap_or(0);
        counted + usize::from(self.doorkeeper.contains(&id))
    }
}

pub(crate) struct WTinyLfu {
    parameters: Parameters,
    frequencies: Frequencies,
    /// Each list: first the least recent, last the most recent.
    window: Vec<u64>,
    probation: Vec<u64>,
    protected: Vec<u64>,
}

impl WTinyLfu {
    pub(crate) fn with(parameters: Parameters) -> Self {
        assert!(parameters.window > 0, "every newcomer enters the window");
        assert!(
            parameters.main == 0 || parameters.protected < parameters.main,
            "a full main has a victim in probation"
        );
        Self {
            parameters,
            frequencies: Frequencies::new(parameters),
            window: Vec::new(),
            probation: Vec::new(),
            protected: Vec::new(),
        }
    }

    /// Offers the window's victim to the main cache.
    fn offer(&mut self, candidate: u64) {
        if self.parameters.main == 0 {
            return;
        }
        if self.probation.len() + self.protected.len() < self.parameters.main {
            self.probation.push(candidate);
            return;
        }
        let victim = self.probation[0];
        if self.frequencies.estimate(candidate) > self.frequencies.estimate(victim) {
            self.probation.remove(0);
            self.probation.push(candidate);
        }
    }
}

impl Classical for WTinyLfu {
    fn request(&mut self, id: u64, _now: usize) -> bool {
        self.frequencies.record(id);
        if take(&mut self.window, id) {
            self.window.push(id);
            return true;
        }
        if take(&mut self.protected, id) {
            self.protected.push(id);
            return true;
        }
        if take(&mut self.probation, id) {
            self.protected.push(id);
            if self.protected.len() > self.parameters.protected {
                let demoted = self.protected.remove(0);
                self.probation.push(demoted);
            }
            return true;
        }
        self.window.push(id);
        if self.window.len() > self.parameters.window {
            let candidate = self.window.remove(0);
            self.offer(candidate);
        }
        false
    }
}
