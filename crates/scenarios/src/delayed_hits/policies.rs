//! The policies of the delayed-hits experiments.

use forebay_cache::policies::policies as of_caches;
use forebay_lab::PolicyInfo;

use crate::engine_policies;

/// The pseudo policy that judges four online ones by hit rate and by latency (Fig. 2.4).
pub(super) const PAIRS: &str = "pairs";

/// The offline optimum.
pub(super) const BELATEDLY: &str = "belatedly";

/// What experiments compare of `forebay-cache`, and what exists only here. Counters of all objects tell more than
/// those of cached ones about one base only; the future, which Bélády knows, is no estimate.
pub(super) fn policies() -> Vec<PolicyInfo> {
    let compared = |info: &PolicyInfo| match info.name.rsplit_once("-mad") {
        Some((base, "")) => base != "belady",
        Some((base, _)) => base == "lru",
        None => info.name == "belady-ad" || !info.name.ends_with("-ad"),
    };
    let mut policies = engine_policies(&of_caches());
    policies.retain(compared);
    policies.extend([
        PolicyInfo::new(
            BELATEDLY,
            "belatedly",
            "The offline optimum (§2.4): the schedule rounded from the solved program.",
        ),
        PolicyInfo::new(
            "cache-a",
            "Cache bursty, A",
            "Always keeps object A of the example (§2.3.1).",
        ),
        PolicyInfo::new(
            "cache-b",
            "Cache paced, B",
            "Always keeps object B of the example (§2.3.1).",
        ),
        PolicyInfo::new(
            PAIRS,
            "LRU, LFU, ARC, LHD",
            "All four, compared in pairs by hit rate and by latency (Fig. 2.4).",
        ),
    ]);
    policies
}
