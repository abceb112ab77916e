//! First come, first served (thesis §3.4.1). All ranks are equal, and equal ranks leave in order of arrival;
//! so the largest is the latest, and drop-largest is drop-tail.

use forebay_units::Time;

use super::JobPolicyInfo;
use super::per_job::{JobRank, by_rank};
use crate::job::Job;
use crate::rank::Key;

pub(super) const INFO: JobPolicyInfo = JobPolicyInfo {
    name: "fcfs",
    about: "first come, first served",
    build: |config| by_rank(Fcfs, config),
};

struct Fcfs;

impl JobRank for Fcfs {
    fn arrive(&mut self, _: Time, _: u32, _: &Job) -> Key {
        Key::Tag(0)
    }
}
