//! Self-clocked fair queueing: service is divided equally among flows, in packets, bytes or time.
//!
//! Source: Golestani, "A self-clocked fair queueing scheme for broadband applications" (INFOCOM
//! 1994). The thesis's fair queueing (§3.4.2) is [`fq`](super::fq), which goes by the time of
//! arrival; this one needs no clock. A job's tag is its flow's last tag, or the tag of the job in
//! service if that is later, plus its cost; the smallest tag is served. A flow is thus forgotten as
//! soon as none of its jobs waits. What is dropped at the large end is the last job of the flow
//! that is furthest ahead, and the flow's tag goes back.
//!
//! Complexity: a hash lookup and one queue operation. Memory: that of [`FlowTags`].

use forebay_parameters::Choice;
use forebay_units::{Bytes, Duration, Time};

use super::flow_tags::FlowTags;
use super::per_job::{JobRank, by_tag};
use super::policy::Built;
use super::step::{ByteStep, TimeStep};
use super::{JobPolicy, PolicyShape, ServiceOrder};
use crate::job::Job;
use crate::rank::Key;

/// The choice `fq-packets`.
pub(super) fn by_packets() -> Choice<dyn JobPolicy> {
    let about = "self-clocked fair queueing: flows share the processor by packets (ours)";
    Choice::new("fq-packets", about, (), |(), shape: &PolicyShape| build(shape, |_| 1, 1))
        .labelled("FQ by packets, self-clocked")
}

/// The choice `fq-bytes`.
pub(super) fn by_bytes() -> Choice<dyn JobPolicy> {
    let about = "self-clocked fair queueing: flows share the processor by bytes (ours)";
    Choice::new("fq-bytes", about, ByteStep::default(), |step, shape: &PolicyShape| {
        build(shape, |job| job.size.max(Bytes::new(1)).get(), step.of(shape))
    })
    .labelled("FQ by bytes, self-clocked")
}

/// The choice `fq-time`.
pub(super) fn by_time() -> Choice<dyn JobPolicy> {
    let about = "self-clocked fair queueing: flows share the processor by time (ours)";
    Choice::new("fq-time", about, TimeStep::default(), |step, shape: &PolicyShape| {
        build(shape, |job| job.work.max(Duration::from_ps(1)).as_ps(), step.of(shape))
    })
    .labelled("FQ by time, self-clocked")
}

fn build(shape: &PolicyShape, cost: fn(&Job) -> u64, step: u64) -> Built {
    let flows = FlowTags::new(shape.secret);
    by_tag(SelfClocked { flows, clock: 0, cost, step }, shape)
}

struct SelfClocked {
    flows: FlowTags,
    /// The virtual time: the finish tag of the job served last.
    clock: u64,
    cost: fn(&Job) -> u64,
    /// How much of the cost a rank stands for.
    step: u64,
}

impl JobRank for SelfClocked {
    const READS_FLOWS: bool = true;
    const ORDER: Option<ServiceOrder> = None;
    const READS_SECRET: bool = true;

    fn arrive(&mut self, _: Time, id: u32, job: &Job) -> Key {
        let (clock, cost) = (self.clock, (self.cost)(job));
        let finish = self.flows.join(id, job, cost, |last| last.unwrap_or(0).max(clock));
        Key::Tag(finish / self.step)
    }

    fn served(&mut self, id: u32, job: &Job) {
        self.clock = self.clock.max(self.flows.serve(id, job).finish);
    }

    fn dropped(&mut self, id: u32, job: &Job) {
        self.flows.drop(id, job);
    }
}
