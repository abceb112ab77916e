//! Policies by name: `BASE`, `BASE-mad` (counters of cached objects), `BASE-mad-all` (of all objects), and
//! `belady-ad`. Adding a base policy: one line in [`BASES`].

use std::fmt;

use forebay_parameters::{Configure, Kind, Parameter, Source, Walk, Word};

use super::{
    Access, Arc, Arrival, Belady, CachePolicy, Foretold, Gdsf, Lfu, Lhd, Lru, Mad, MadForm, S3Fifo,
    SetConfig, Sieve, WTinyLfu,
};
use crate::hash::mix;
use crate::model::Foresight;
use crate::order::{Keyed, List, Order, OrderConfig, Sample, Slot, Tournament};

/// A policy built by name.
pub type BoxedPolicy = Box<dyn CachePolicy>;

/// How the object to evict is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Eviction {
    /// The one that goes first of all.
    #[default]
    Exact,
    /// The one that goes first of a random few, in constant time.
    Sampled,
}

impl Word for Eviction {
    const WORDS: &'static [(&'static str, Self)] =
        &[("exact", Eviction::Exact), ("sampled", Eviction::Sampled)];
}

/// How policies are built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PolicyConfig {
    /// How victims are found.
    pub eviction: Eviction,
    /// How many are sampled, and the seed; each set draws for itself.
    pub order: OrderConfig,
}

const EVICTION: Parameter = Parameter::new(
    "eviction",
    Kind::of::<Eviction>(),
    Source::paper("thesis §2.6.2"),
    "Whether the victim is the first of all, or of some drawn at random.",
);
const SAMPLES: Parameter = Parameter::new(
    "samples",
    Kind::Int { min: 1, max: u32::MAX as i64 },
    Source::paper("thesis §2.6.1: 64 ways; LHD's paper draws as many"),
    "How many are drawn at random.",
);

impl Configure for PolicyConfig {
    fn walk(&mut self, walk: &mut dyn Walk) {
        walk.field(&EVICTION, &mut self.eviction);
        if self.eviction == Eviction::Sampled || walk.wants_all() {
            walk.field(&SAMPLES, &mut self.order.samples);
        }
    }
}

/// One line of the registry.
pub struct BaseInfo {
    /// The name on command lines and in results.
    pub name: &'static str,
    /// The name in figures.
    pub label: &'static str,
    /// What is evicted, in one sentence.
    pub about: &'static str,
    build: fn(Variant, &SetConfig) -> BoxedPolicy,
}

/// What is made of a base policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Variant {
    eviction: Eviction,
    delays: Delays,
}

/// Where aggregate delays come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Delays {
    Ignored,
    Estimated(MadForm),
    Foretold,
}

/// The suffixes of names, longest first.
const SUFFIXES: [(&str, Delays); 3] = [
    ("-mad-all", Delays::Estimated(MadForm::All)),
    ("-mad", Delays::Estimated(MadForm::Cached)),
    ("-ad", Delays::Foretold),
];

/// A policy that is written over any order.
trait OverOrder {
    type With<O: Order + 'static>: CachePolicy + 'static;
    fn build<O: Order + 'static>(set: &SetConfig) -> Self::With<O>;
}

/// A policy that is written over orders that honour keys.
trait OverKeys {
    type With<O: Keyed + 'static>: CachePolicy + 'static;
    fn build<O: Keyed + 'static>(set: &SetConfig) -> Self::With<O>;
}

macro_rules! over {
    ($family:ident, $order:ident: $($policy:ident),*) => {$(
        impl $family for $policy<()> {
            type With<O: $order + 'static> = $policy<O>;
            fn build<O: $order + 'static>(set: &SetConfig) -> $policy<O> {
                $policy::new(set)
            }
        }
    )*};
}

over!(OverOrder, Order: Lru, Arc, Sieve, S3Fifo, WTinyLfu);
over!(OverKeys, Keyed: Lfu, Lhd, Gdsf, Belady);

impl OverOrder for WTinyLfu<(), false> {
    type With<O: Order + 'static> = WTinyLfu<O, false>;
    fn build<O: Order + 'static>(set: &SetConfig) -> WTinyLfu<O, false> {
        WTinyLfu::new(set)
    }
}

/// In the order of recency: a list is exact as long as delays are ignored.
fn recent<F: OverOrder>(variant: Variant, set: &SetConfig) -> BoxedPolicy {
    match (variant.eviction, variant.delays) {
        (Eviction::Exact, Delays::Ignored) => Box::new(F::build::<List>(set)),
        (Eviction::Exact, delays) => weighed(F::build::<Tournament>(set), delays),
        (Eviction::Sampled, delays) => weighed(F::build::<Sample>(set), delays),
    }
}

fn keyed<F: OverKeys>(variant: Variant, set: &SetConfig) -> BoxedPolicy {
    match variant.eviction {
        Eviction::Exact => weighed(F::build::<Tournament>(set), variant.delays),
        Eviction::Sampled => weighed(F::build::<Sample>(set), variant.delays),
    }
}

fn weighed<P: CachePolicy + 'static>(policy: P, delays: Delays) -> BoxedPolicy {
    match delays {
        Delays::Ignored => Box::new(policy),
        Delays::Estimated(form) => Box::new(Mad::new(policy, form)),
        Delays::Foretold => Box::new(Foretold::new(policy)),
    }
}

const BASES: &[BaseInfo] = &[
    BaseInfo {
        name: "lru",
        label: "LRU",
        about: "the least recently used",
        build: recent::<Lru<()>>,
    },
    BaseInfo { name: "lfu", label: "LFU", about: "the least often used", build: keyed::<Lfu<()>> },
    BaseInfo {
        name: "arc",
        label: "ARC",
        about: "by recency or frequency, as ghosts teach",
        build: recent::<Arc<()>>,
    },
    BaseInfo {
        name: "lhd",
        label: "LHD",
        about: "the least learnt hit density",
        build: keyed::<Lhd<()>>,
    },
    BaseInfo {
        name: "belady",
        label: "Belady",
        about: "what is wanted last, from the future",
        build: keyed::<Belady<()>>,
    },
    BaseInfo {
        name: "s3-fifo",
        label: "S3-FIFO",
        about: "what a small queue has filtered out",
        build: recent::<S3Fifo<()>>,
    },
    BaseInfo {
        name: "sieve",
        label: "SIEVE",
        about: "what a moving hand finds unused",
        build: recent::<Sieve<()>>,
    },
    BaseInfo {
        name: "w-tinylfu",
        label: "W-TinyLFU",
        about: "what loses to a newcomer by frequency",
        build: recent::<WTinyLfu<()>>,
    },
    BaseInfo {
        name: "w-tinylfu-plain",
        label: "W-TinyLFU, no doorkeeper",
        about: "as w-tinylfu, every request counted by the sketch",
        build: recent::<WTinyLfu<(), false>>,
    },
    BaseInfo {
        name: "gdsf",
        label: "GDSF",
        about: "the least frequency times fetch time per size",
        build: keyed::<Gdsf<()>>,
    },
];

/// Every base policy.
#[must_use]
pub fn bases() -> &'static [BaseInfo] {
    BASES
}

/// Why there is no such policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PolicyError {
    /// Nothing has that name.
    Unknown(String),
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PolicyError::Unknown(name) = self;
        write!(
            f,
            "there is no policy \"{name}\": give one of lru, lfu, arc, lhd, belady, s3-fifo, sieve, w-tinylfu and gdsf, \
             alone or with -mad, -mad-all or -ad after it"
        )
    }
}

impl std::error::Error for PolicyError {}

/// A constructor of the policy called `name`, to be called once for each set.
///
/// ```
/// use forebay_cache::policies::{PolicyConfig, policy};
/// use forebay_cache::{BackingStore, Geometry, Simulation, steps};
///
/// let lru_mad = policy("lru-mad", &PolicyConfig::default())?;
/// let simulation = Simulation::new(Geometry::objects(8), BackingStore::Constant(steps(9)), lru_mad)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`PolicyError::Unknown`] if nothing has that name.
pub fn policy(
    name: &str,
    config: &PolicyConfig,
) -> Result<impl Fn(&SetConfig) -> BoxedPolicy + Clone + use<>, PolicyError> {
    let suffixed =
        SUFFIXES.iter().find_map(|(suffix, delays)| Some((name.strip_suffix(suffix)?, *delays)));
    let (base, delays) = suffixed.unwrap_or((name, Delays::Ignored));
    let info = BASES.iter().find(|info| info.name == base);
    let build = info.ok_or_else(|| PolicyError::Unknown(name.to_string()))?.build;
    let PolicyConfig { eviction, order } = *config;
    Ok(move |set: &SetConfig| {
        let seed = order.seed ^ mix(set.index);
        build(
            Variant { eviction, delays },
            &SetConfig { order: OrderConfig { seed, ..order }, ..*set },
        )
    })
}

impl CachePolicy for BoxedPolicy {
    #[inline]
    fn hit(&mut self, slot: Slot, access: &Access) {
        (**self).hit(slot, access);
    }

    #[inline]
    fn absent(&mut self, access: &Access) {
        (**self).absent(access);
    }

    #[inline]
    fn arrive(&mut self, arrival: &Arrival) -> bool {
        (**self).arrive(arrival)
    }

    #[inline]
    fn evict(&mut self, arrival: &Arrival) -> Option<Slot> {
        (**self).evict(arrival)
    }

    #[inline]
    fn admit(&mut self, slot: Slot, arrival: &Arrival) {
        (**self).admit(slot, arrival);
    }

    fn forget(&mut self, slot: Slot) {
        (**self).forget(slot);
    }

    fn needs(&self) -> Foresight {
        (**self).needs()
    }
}
