//! What runs over a trace: a policy of a cache, or what exists only in these experiments.

use forebay_cache::ObjectId;
use forebay_cache::policies::{CachePolicy, bases, policies as built_in};
use forebay_lab::PolicyInfo;
use forebay_parameters::{Choice, Choices, UnknownName, Walk};

use crate::engine_policies;
use crate::switches::policy_part;

/// What runs over a trace.
#[derive(Clone, Debug)]
pub enum Contender {
    /// A policy of a cache.
    Cache(Choice<dyn CachePolicy>),
    /// Always this object of the example (§2.3.1).
    Pinned(ObjectId),
    /// The offline optimum (§2.4).
    Belatedly,
    /// Four online policies, compared in pairs by hit rate and by latency (Fig. 2.4).
    Pairs,
}

/// The names of what is not a cache's policy.
const PINNED: [(&str, ObjectId); 2] =
    [("cache-a", ObjectId(b'A' as u64)), ("cache-b", ObjectId(b'B' as u64))];
const BELATEDLY: &str = "belatedly";
const PAIRS: &str = "pairs";

impl Contender {
    /// The one of this name, with the policies of `caches`.
    ///
    /// # Errors
    /// There is none; the message says which there are.
    pub fn named(name: &str, caches: &Choices<dyn CachePolicy>) -> Result<Self, UnknownName> {
        match name {
            BELATEDLY => Ok(Contender::Belatedly),
            PAIRS => Ok(Contender::Pairs),
            _ => Contender::online(name, caches),
        }
    }

    /// The same among those that decide as requests come.
    ///
    /// # Errors
    /// There is none; the message says which there are.
    pub fn online(name: &str, caches: &Choices<dyn CachePolicy>) -> Result<Self, UnknownName> {
        match PINNED.iter().find(|(pinned, _)| *pinned == name) {
            Some((_, object)) => Ok(Contender::Pinned(*object)),
            None => caches.named(name).cloned().map(Contender::Cache),
        }
    }

    /// Whether it chooses among objects to evict, by what a cache's configuration says of that.
    #[must_use]
    pub fn evicts(&self) -> bool {
        match self {
            Contender::Cache(_) | Contender::Pairs => true,
            Contender::Pinned(_) | Contender::Belatedly => false,
        }
    }

    /// Shows the parameters of its own, as `policy.NAME_…`.
    pub(crate) fn walk(&mut self, walk: &mut dyn Walk) {
        match self {
            Contender::Cache(policy) => policy_part(policy, walk, ""),
            Contender::Pinned(_) | Contender::Belatedly | Contender::Pairs => {}
        }
    }
}

/// Whether experiments compare it. Of the built-in forms, counters of all objects tell more than
/// those of cached ones about one base only; the future, which Bélády knows, is no estimate.
fn is_compared(name: &str) -> bool {
    if built_in().get(name).is_none() || bases().get(name).is_some() {
        return true;
    }
    match name.rsplit_once("-mad") {
        Some((base, "")) => base != "belady",
        Some((base, _)) => base == "lru",
        None => name == "belady-ad",
    }
}

/// What experiments compare of `caches`.
pub(crate) fn of_caches(caches: &Choices<dyn CachePolicy>) -> Vec<PolicyInfo> {
    let mut policies = engine_policies(caches);
    policies.retain(|info| is_compared(&info.name));
    policies
}

/// The same, and what exists only here.
pub(super) fn infos(caches: &Choices<dyn CachePolicy>) -> Vec<PolicyInfo> {
    let mut policies = of_caches(caches);
    policies.extend([
        PolicyInfo::new(
            BELATEDLY,
            "belatedly",
            "The offline optimum (§2.4): the schedule rounded from the solved program.",
        ),
        PolicyInfo::new(
            PINNED[0].0,
            "Cache bursty, A",
            "Always keeps object A of the example (§2.3.1).",
        ),
        PolicyInfo::new(
            PINNED[1].0,
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
