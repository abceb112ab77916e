//! Buffer management (BM) schemes: who may have how much of a shared pool (occamy §2.2).
//!
//! A scheme decides at two moments. *Admission*: may this packet enter, and must another leave for
//! it? *Expulsion*: which waiting packet should be dropped with the memory bandwidth that
//! departures leave? Non-preemptive schemes use only the first. A third is for schemes that drop
//! behind the buffer: is a packet that its port takes sent at all?
//!
//! Adding one: a file with a small type that implements [`OnChipPolicy`], a line in [`policies`].

mod abm;
mod complete_sharing;
mod dt;
mod harmonic;
mod longest;
mod occamy;
mod occamy_longest;
mod occamy_p4;
mod occamy_rank;
mod over_allocated;
mod partition;
mod pot;
mod pushout;
mod quasi_pushout;
mod scheme;
mod shape;
mod smxq;

use forebay_parameters::{Choices, Registry};

pub use abm::{Abm, AbmConfig};
pub use complete_sharing::CompleteSharing;
pub use dt::{DtConfig, DynamicThreshold};
pub use harmonic::Harmonic;
pub use longest::End;
pub use occamy::Occamy;
pub use occamy_longest::OccamyLongest;
pub use occamy_p4::{OccamyP4, OccamyP4Config};
pub use occamy_rank::OccamyRank;
pub use over_allocated::OccamyConfig;
pub use partition::StaticPartition;
pub use pot::{PotConfig, ThresholdPushout};
pub use pushout::{Pushout, PushoutConfig, Victims};
pub use quasi_pushout::{QuasiPushout, QuasiPushoutConfig};
pub use scheme::{Admission, Exit, OnChipPolicy, Removal, Victim, says};
pub use shape::{PoolShape, QueueShape};
pub use smxq::{Smxq, SmxqConfig};

/// The built-in policies.
#[must_use]
pub fn policies() -> Choices<dyn OnChipPolicy> {
    Registry::of([
        complete_sharing::choice(),
        partition::choice(),
        smxq::choice(),
        harmonic::choice(),
        dt::choice(),
        abm::choice(),
        pushout::choice(),
        pot::choice(),
        quasi_pushout::choice(),
        occamy::choice(),
        occamy_longest::choice(),
        occamy_rank::choice(),
        occamy_p4::choice(),
    ])
}
