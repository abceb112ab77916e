//! What becomes of a base policy: `BASE`, `BASE-mad` (counters of cached objects), `BASE-mad-all`
//! (of all objects), and `BASE-ad` (delays from the future), each over the order that an eviction
//! asks for.

use forebay_parameters::{Choice, Configure, Family, Kind, Parameter, Source, Walk, Word};

use forebay_units::Bytes;

use super::belady::Foretold;
use super::mad::{Mad, MadForm};
use super::policy::{Access, CachePolicy, ObjectArrival, SetConfig};
use crate::hash::mix;
use crate::model::Foresight;
use crate::order::{Keyed, KineticTournament, List, Order, OrderConfig, Sample, Slot};

/// A policy built by name.
pub type BoxedPolicy = Box<dyn CachePolicy>;

/// Builds a policy, once for each set.
pub type BuildPolicy = Box<dyn Fn(&SetConfig) -> BoxedPolicy + Send + Sync>;

/// The family of cache policies: a choice among them gives what builds a policy for each set.
impl Family for dyn CachePolicy {
    const WHAT: &'static str = "cache policy";
    type Shape = PolicyConfig;
    type Built = BuildPolicy;
}

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
    "How many cached objects are drawn at random for each eviction.",
);

impl Configure for PolicyConfig {
    fn walk(&mut self, walk: &mut dyn Walk) {
        walk.field(&EVICTION, &mut self.eviction);
        if self.eviction == Eviction::Sampled || walk.wants_all() {
            walk.field(&SAMPLES, &mut self.order.samples);
        }
    }
}

/// What is made of a base policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Variant {
    pub(super) eviction: Eviction,
    pub(super) delays: Delays,
}

/// Where aggregate delays come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Delays {
    Ignored,
    Estimated(MadForm),
    Foretold,
}

impl Delays {
    pub(super) const ALL: [Delays; 4] = [
        Delays::Ignored,
        Delays::Estimated(MadForm::Cached),
        Delays::Estimated(MadForm::All),
        Delays::Foretold,
    ];
}

/// A policy that is written over any order.
pub(super) trait OverOrder {
    type With<O: Order + 'static>: CachePolicy + 'static;
    fn build<O: Order + 'static>(set: &SetConfig) -> Self::With<O>;
}

/// A policy that is written over orders that honour keys.
pub(super) trait OverKeys {
    type With<O: Keyed + 'static>: CachePolicy + 'static;
    fn build<O: Keyed + 'static>(set: &SetConfig) -> Self::With<O>;
}

/// Says that a policy is written over any order (`OverOrder, Order`) or over keys
/// (`OverKeys, Keyed`).
macro_rules! over {
    ($family:ident, $order:ident: $policy:ident $(<$flag:ident>)?) => {
        impl $crate::policies::registry::$family for $policy<() $(, $flag)?> {
            type With<O: $crate::order::$order + 'static> = $policy<O $(, $flag)?>;
            fn build<O: $crate::order::$order + 'static>(
                set: &$crate::policies::SetConfig,
            ) -> $policy<O $(, $flag)?> {
                $policy::new(set)
            }
        }
    };
}
pub(super) use over;

/// In the order of recency: a list is exact as long as delays are ignored.
pub(super) fn recent<F: OverOrder>(variant: Variant, set: &SetConfig) -> BoxedPolicy {
    match (variant.eviction, variant.delays) {
        (Eviction::Exact, Delays::Ignored) => Box::new(F::build::<List>(set)),
        (Eviction::Exact, delays) => weighed(F::build::<KineticTournament>(set), delays),
        (Eviction::Sampled, delays) => weighed(F::build::<Sample>(set), delays),
    }
}

pub(super) fn keyed<F: OverKeys>(variant: Variant, set: &SetConfig) -> BoxedPolicy {
    match variant.eviction {
        Eviction::Exact => weighed(F::build::<KineticTournament>(set), variant.delays),
        Eviction::Sampled => weighed(F::build::<Sample>(set), variant.delays),
    }
}

pub(super) fn weighed<P: CachePolicy + 'static>(policy: P, delays: Delays) -> BoxedPolicy {
    match delays {
        Delays::Ignored => Box::new(policy),
        Delays::Estimated(form) => Box::new(Mad::new(policy, form)),
        Delays::Foretold => Box::new(Foretold::new(policy)),
    }
}

/// One base policy.
pub(super) struct Base {
    name: &'static str,
    label: &'static str,
    about: &'static str,
    build: fn(Variant, &SetConfig) -> BoxedPolicy,
}

/// The base policy called `name`.
pub(super) const fn base(
    name: &'static str,
    label: &'static str,
    about: &'static str,
    build: fn(Variant, &SetConfig) -> BoxedPolicy,
) -> Base {
    Base { name, label, about, build }
}

impl Base {
    pub(super) fn choice(&self, delays: Delays) -> Choice<dyn CachePolicy> {
        let Base { name, label, about, build } = *self;
        // "W-TinyLFU, no doorkeeper" becomes "W-TinyLFU-MAD, no doorkeeper".
        let (head, tail) = label.split_at(label.find(',').unwrap_or(label.len()));
        let (name, label, about) = match delays {
            Delays::Ignored => (name.to_owned(), label.to_owned(), about.to_owned()),
            Delays::Estimated(MadForm::Cached) => (
                format!("{name}-mad"),
                format!("{head}-MAD{tail}"),
                format!("{name}, weighed by estimated aggregate delay (thesis §2.5.2)"),
            ),
            Delays::Estimated(MadForm::All) => (
                format!("{name}-mad-all"),
                format!("{head}-MAD{tail}, all counters"),
                format!("{name}-mad with counters of every object ever seen (thesis §2.6.2)"),
            ),
            Delays::Foretold => (
                format!("{name}-ad"),
                format!("{head}-AD{tail}"),
                format!("{name}, weighed by aggregate delay, from the future (thesis §2.5.1)"),
            ),
        };
        Choice::new(name, about, (), move |(), config: &PolicyConfig| {
            let PolicyConfig { eviction, order } = *config;
            Ok(Box::new(move |set: &SetConfig| {
                let order = OrderConfig { seed: order.seed ^ mix(set.index), ..order };
                build(Variant { eviction, delays }, &SetConfig { order, ..*set })
            }) as BuildPolicy)
        })
        .labelled(label)
    }
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
    fn arrive(&mut self, arrival: &ObjectArrival) -> bool {
        (**self).arrive(arrival)
    }

    #[inline]
    fn evict(&mut self, arrival: &ObjectArrival) -> Option<Slot> {
        (**self).evict(arrival)
    }

    #[inline]
    fn admit(&mut self, slot: Slot, arrival: &ObjectArrival) {
        (**self).admit(slot, arrival);
    }

    fn forget(&mut self, slot: Slot) {
        (**self).forget(slot);
    }

    fn needs(&self) -> Foresight {
        (**self).needs()
    }

    fn remembers_all(&self) -> bool {
        (**self).remembers_all()
    }

    fn remembered(&self) -> usize {
        (**self).remembered()
    }

    fn tables(&self, objects: u64) -> Bytes {
        (**self).tables(objects)
    }
}
