//! Shortest job first (thesis §3.4.3): non-preemptive, by the initial job size.

use forebay_units::Time;

use super::JobPolicyInfo;
use super::per_job::{JobRank, by_rank};
use crate::job::Job;
use crate::rank::Key;

pub(super) const INFO: JobPolicyInfo = JobPolicyInfo {
    name: "sjf",
    about: "the smallest job size first",
    build: |config| by_rank(Sjf, config),
};

struct Sjf;

impl JobRank for Sjf {
    fn arrive(&mut self, _: Time, _: u32, job: &Job) -> Key {
        Key::Work(job.work)
    }
}
