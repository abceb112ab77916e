//! Policies: what is evicted when data arrives and there is no room, and whether it is admitted at
//! all.
//!
//! One file each, all behind [`CachePolicy`]; [`policies`] has them by name. Any of them becomes
//! aware of delays inside [`Mad`] (thesis §2.5.2). Adding one: one file, and its line in `BASES`.

mod arc;
mod belady;
mod gdsf;
mod ghosts;
mod lfu;
mod lhd;
mod lru;
mod mad;
mod pinned;
mod policy;
mod popularity;
mod registry;
mod s3_fifo;
mod scores;
mod segments;
mod sieve;
mod w_tiny_lfu;

pub use arc::Arc;
pub use belady::{Belady, Foretold};
pub use gdsf::Gdsf;
pub use lfu::Lfu;
pub use lhd::{DensityCells, Lhd};
pub use lru::Lru;
pub use mad::{Mad, MadCounters, MadForm};
pub use pinned::Pinned;
pub use policy::{Access, CachePolicy, LastRequest, ObjectArrival, SetConfig};
pub use registry::{BoxedPolicy, BuildPolicy, Eviction, PolicyConfig};
pub use s3_fifo::S3Fifo;
pub use sieve::Sieve;
pub use w_tiny_lfu::WTinyLfu;

use forebay_parameters::{Choices, Registry};

use registry::{Base, Delays};

/// The base policies, in the order of listings.
const BASES: &[Base] = &[
    lru::BASE,
    lfu::BASE,
    arc::BASE,
    lhd::BASE,
    s3_fifo::BASE,
    sieve::BASE,
    w_tiny_lfu::BASE,
    w_tiny_lfu::PLAIN,
    w_tiny_lfu::ANEW,
    gdsf::BASE,
    belady::BASE,
];

/// Every base policy as it is, with no regard to delays.
#[must_use]
pub fn bases() -> Choices<dyn CachePolicy> {
    Registry::of(BASES.iter().map(|base| base.choice(Delays::Ignored)))
}

/// Every base policy, each followed by its forms that regard delays: `-mad`, `-mad-all`, `-ad`.
///
/// ```
/// use forebay_cache::policies::{PolicyConfig, policies};
/// use forebay_cache::{BackingStore, CacheGeometry, Simulation, steps};
///
/// let lru_mad = policies().named("lru-mad")?.build(&PolicyConfig::default())?;
/// let simulation = Simulation::new(CacheGeometry::objects(8), BackingStore::Constant(steps(9)), lru_mad)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// One of a caller's own joins them:
///
/// ```
/// use forebay_cache::policies::{
///     BoxedPolicy, BuildPolicy, Lru, Mad, MadForm, PolicyConfig, SetConfig, policies,
/// };
/// use forebay_cache::order::Sample;
/// use forebay_parameters::Choice;
///
/// let own = Choice::new("sampled-mad", "lru-mad by a sample, always", (), |(), _: &PolicyConfig| {
///     let of_set = |set: &SetConfig| -> BoxedPolicy {
///         Box::new(Mad::new(Lru::<Sample>::new(set), MadForm::Cached))
///     };
///     Ok(Box::new(of_set) as BuildPolicy)
/// });
/// let mine = policies().with(own)?;
/// assert!(mine.named("sampled-mad").is_ok());
/// assert!(mine.named("lru-nad").unwrap_err().to_string().starts_with("there is no cache policy `lru-nad`"));
/// # Ok::<(), forebay_parameters::TakenName>(())
/// ```
#[must_use]
pub fn policies() -> Choices<dyn CachePolicy> {
    let of_base = |base: &'static Base| Delays::ALL.map(|delays| base.choice(delays));
    Registry::of(BASES.iter().flat_map(of_base))
}
