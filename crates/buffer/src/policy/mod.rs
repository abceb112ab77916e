//! The policies of a hybrid buffer behind one trait, and their registry.
//!
//! Adding a policy: one file with a small type that implements [`HybridPolicy`], one line in
//! [`policies`].

mod dt;
mod greedy;
mod occamy;
mod scheme;
mod themis;

use forebay_parameters::{Choices, Registry};

pub use dt::{DtHybrid, DtHybridConfig};
pub use greedy::GreedyHybrid;
pub use occamy::{OccamyHybrid, OccamyHybridConfig};
pub use scheme::{HybridPolicy, HybridShape, Move, MoveRoom, Placement, Pressure};
pub use themis::{Themis, ThemisConfig};

/// The built-in policies.
#[must_use]
pub fn policies() -> Choices<dyn HybridPolicy> {
    Registry::of([greedy::choice(), dt::choice(), occamy::choice(), themis::choice()])
}
