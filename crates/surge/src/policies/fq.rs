//! Fair queueing as the thesis has it (§3.4.2): service time is divided equally among flows.
//!
//! Source: the proof of Claim 4. It counts the jobs "with virtual clock ≤ T" at time T, virtual
//! clocks in seconds of service: of a flow that is always backlogged, those whose work adds up to
//! T; of attack flows of a packet each, those that arrived before T − J_max. So a job's tag is its
//! flow's clock if the flow is backlogged, else the real time at which it arrived, plus its job
//! size; the smallest tag is served. A flow is backlogged while a job of it waits (one in service
//! no longer counts: the processor does not say when it is done), and is forgotten when none does.
//!
//! The text does not say what is dropped. At the large end that is the last job of the flow that is
//! furthest ahead, and the flow's clock goes back.
//!
//! Complexity: a hash lookup and one queue operation. Memory: that of [`FlowTags`].

use forebay_parameters::Choice;
use forebay_units::{Duration, Time};

use super::flow_tags::FlowTags;
use super::per_job::{JobRank, by_tag};
use super::step::TimeStep;
use super::{JobPolicy, PolicyShape, ServiceOrder};
use crate::job::Job;
use crate::rank::Key;

/// The choice `fq`.
pub(super) fn choice() -> Choice<dyn JobPolicy> {
    let about = "fair queueing: flows share the processor by time, an idle flow from its arrival \
                 on (thesis §3.4.2)";
    Choice::new("fq", about, TimeStep::default(), |step, shape: &PolicyShape| {
        let flows = FlowTags::new(shape.secret);
        by_tag(FairQueueing { flows, step: step.of(shape) }, shape)
    })
    .labelled("FQ")
}

struct FairQueueing {
    flows: FlowTags,
    /// Picoseconds that a rank stands for.
    step: u64,
}

impl JobRank for FairQueueing {
    const READS_FLOWS: bool = true;
    const ORDER: Option<ServiceOrder> = None;
    const READS_SECRET: bool = true;

    fn arrive(&mut self, now: Time, id: u32, job: &Job) -> Key {
        let cost = job.work.max(Duration::from_ps(1)).as_ps();
        let finish = self.flows.join(id, job, cost, |clock| clock.unwrap_or(now.as_ps()));
        Key::Tag(finish / self.step)
    }

    fn served(&mut self, id: u32, job: &Job) {
        self.flows.serve(id, job);
    }

    fn dropped(&mut self, id: u32, job: &Job) {
        self.flows.drop(id, job);
    }
}
