//! First come, first served (thesis §3.4.1). All ranks are equal, and equal ranks leave in order of
//! arrival; so the largest is the latest, and drop-largest is drop-tail.

use forebay_parameters::Choice;
use forebay_units::Time;

use super::per_job::{JobRank, by_rank};
use super::{JobPolicy, PolicyShape, ServiceOrder};
use crate::job::Job;
use crate::rank::Key;

/// The choice `fcfs`.
pub(super) fn choice() -> Choice<dyn JobPolicy> {
    let about = "first come, first served (thesis §3.4.1)";
    Choice::new("fcfs", about, (), |(), shape: &PolicyShape| by_rank(Fcfs, shape)).labelled("FCFS")
}

struct Fcfs;

impl JobRank for Fcfs {
    const ORDER: Option<ServiceOrder> = None;

    fn arrive(&mut self, _: Time, _: u32, _: &Job) -> Key {
        Key::Tag(0)
    }
}
