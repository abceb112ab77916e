//! The policies of the delayed-hits experiments.

use forebay_lab::PolicyInfo;

/// The pseudo policy that judges four online ones by hit rate and by latency (Fig. 2.4).
pub(super) const PAIRS: &str = "pairs";

/// The offline optimum.
pub(super) const BELATEDLY: &str = "belatedly";

const fn policy(name: &'static str, label: &'static str, doc: &'static str) -> PolicyInfo {
    PolicyInfo::new(name, label, doc)
}

const MAD: &str = "The same, weighed by estimated aggregate delay (§2.5.2).";

/// Every policy.
pub(super) const POLICIES: &[PolicyInfo] = &[
    policy("lru", "LRU", "Evicts the least recently used."),
    policy("lru-mad", "LRU-MAD", MAD),
    policy(
        "lru-mad-all",
        "LRU-MAD, all counters",
        "LRU-MAD with counters of every object ever seen (§2.6.2).",
    ),
    policy("lfu", "LFU", "Evicts the least often used."),
    policy("lfu-mad", "LFU-MAD", MAD),
    policy("arc", "ARC", "By recency or frequency, as ghosts teach."),
    policy("arc-mad", "ARC-MAD", MAD),
    policy("lhd", "LHD", "Evicts the least learnt hit density."),
    policy("lhd-mad", "LHD-MAD", MAD),
    policy("s3-fifo", "S3-FIFO", "Evicts what a small queue has filtered out."),
    policy("s3-fifo-mad", "S3-FIFO-MAD", MAD),
    policy("sieve", "SIEVE", "Evicts what a moving hand finds unused."),
    policy("sieve-mad", "SIEVE-MAD", MAD),
    policy("w-tinylfu", "W-TinyLFU", "Evicts what loses to a newcomer by frequency."),
    policy("w-tinylfu-mad", "W-TinyLFU-MAD", MAD),
    policy(
        "w-tinylfu-plain",
        "W-TinyLFU, no doorkeeper",
        "As w-tinylfu, every request counted by the sketch.",
    ),
    policy("w-tinylfu-plain-mad", "W-TinyLFU-MAD, no doorkeeper", MAD),
    policy("gdsf", "GDSF", "Evicts the least frequency times fetch time per size."),
    policy("gdsf-mad", "GDSF-MAD", MAD),
    policy("belady", "Bélády", "Evicts what is wanted last, from the future."),
    policy(
        "belady-ad",
        "Bélády-AD",
        "Evicts the least aggregate delay per time to next access, from the future (§2.5.1).",
    ),
    policy(
        BELATEDLY,
        "belatedly",
        "The offline optimum (§2.4): the schedule rounded from the solved program.",
    ),
    policy("cache-a", "Cache bursty, A", "Always keeps object A of the example (§2.3.1)."),
    policy("cache-b", "Cache paced, B", "Always keeps object B of the example (§2.3.1)."),
    policy(
        PAIRS,
        "LRU, LFU, ARC, LHD",
        "All four, compared in pairs by hit rate and by latency (Fig. 2.4).",
    ),
];
