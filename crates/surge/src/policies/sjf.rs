//! Shortest job first (thesis §3.4.3): non-preemptive, by the initial job size.

use forebay_parameters::Choice;
use forebay_units::Time;

use super::per_job::{JobRank, by_rank};
use super::{JobPolicy, PolicyShape, ServiceOrder};
use crate::job::Job;
use crate::rank::Key;

/// The choice `sjf`.
pub(super) fn choice() -> Choice<dyn JobPolicy> {
    let about = "the smallest job size first (thesis §3.4.3)";
    Choice::new("sjf", about, (), |(), shape: &PolicyShape| by_rank(Sjf, shape)).labelled("SJF")
}

struct Sjf;

impl JobRank for Sjf {
    const ORDER: Option<ServiceOrder> = Some(ServiceOrder::ByWork);
    const IS_BOUNDED: bool = true;

    fn arrive(&mut self, _: Time, _: u32, job: &Job) -> Key {
        Key::Work(job.work)
    }
}
