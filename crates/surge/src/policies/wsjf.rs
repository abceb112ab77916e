//! Packet-size weighted shortest job first (thesis §3.4.4): the smallest job size per packet size first. Its
//! displacement factor is at most the load (Theorem 3), under the conditions that docs/surgeprotector.md
//! lists.

use forebay_units::Time;

use super::JobPolicyInfo;
use super::per_job::{JobRank, by_rank};
use crate::job::Job;
use crate::rank::Key;

pub(super) const INFO: JobPolicyInfo = JobPolicyInfo {
    name: "wsjf",
    about: "the smallest job size per packet size first",
    build: |config| by_rank(Wsjf, config),
};

pub(super) struct Wsjf;

impl Wsjf {
    pub(super) fn key(job: &Job) -> Key {
        Key::Ratio(job.work, job.size)
    }
}

impl JobRank for Wsjf {
    fn arrive(&mut self, _: Time, _: u32, job: &Job) -> Key {
        Wsjf::key(job)
    }
}
