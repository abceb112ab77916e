//! Packet-size weighted shortest job first (thesis §3.4.4): the smallest job size per packet size
//! first. Its displacement factor is at most the load (Theorem 3), under the conditions that
//! docs/surgeprotector.md lists.

use forebay_parameters::Choice;
use forebay_units::Time;

use super::per_job::{JobRank, by_rank};
use super::{JobPolicy, PolicyShape, ServiceOrder};
use crate::job::Job;
use crate::rank::Key;

/// The choice `wsjf`.
pub(super) fn choice() -> Choice<dyn JobPolicy> {
    let about = "the smallest job size per packet size first (thesis §3.4.4)";
    Choice::new("wsjf", about, (), |(), shape: &PolicyShape| by_rank(Wsjf, shape)).labelled("WSJF")
}

pub(super) struct Wsjf;

impl Wsjf {
    pub(super) fn key(job: &Job) -> Key {
        Key::Ratio(job.work, job.size)
    }
}

impl JobRank for Wsjf {
    const ORDER: Option<ServiceOrder> = Some(ServiceOrder::ByRatio);
    const IS_BOUNDED: bool = true;

    fn arrive(&mut self, _: Time, _: u32, job: &Job) -> Key {
        Wsjf::key(job)
    }
}
