//! Self-clocked fair queueing: service is divided equally among flows, in packets, bytes or time.
//!
//! Source: Golestani, "A self-clocked fair queueing scheme for broadband applications" (INFOCOM 1994). The
//! thesis's fair queueing (§3.4.2) is [`fq`](super::fq), which goes by the time of arrival; this one needs no
//! clock. A job's tag is its flow's last tag, or the tag of the job in service if that is later, plus its cost;
//! the smallest tag is served. A flow is thus forgotten as soon as none of its jobs waits. What is dropped at the
//! large end is the last job of the flow that is furthest ahead, and the flow's tag goes back.
//!
//! Complexity: a hash lookup and one queue operation. Memory: that of [`FlowTags`].

use forebay_units::{Bytes, Duration, Time};

use super::flow_tags::FlowTags;
use super::per_job::{JobRank, by_tag};
use super::{Built, JobPolicyInfo, PolicyConfig, Ranks};
use crate::job::Job;
use crate::rank::Key;

pub(super) const PACKETS: JobPolicyInfo = JobPolicyInfo {
    name: "fq-packets",
    about: "self-clocked fair queueing: flows share the processor by packets",
    build: |config| build(config, |_| 1, 1),
};

pub(super) const BYTES: JobPolicyInfo = JobPolicyInfo {
    name: "fq-bytes",
    about: "self-clocked fair queueing: flows share the processor by bytes",
    build: |config| {
        let step = match config.ranks {
            Ranks::Exact => 1,
            Ranks::Buckets => config.fq_bytes_step.get().max(1),
        };
        build(config, |job| job.size.max(Bytes::new(1)).get(), step)
    },
};

pub(super) const TIME: JobPolicyInfo = JobPolicyInfo {
    name: "fq-time",
    about: "self-clocked fair queueing: flows share the processor by time",
    build: |config| {
        build(config, |job| job.work.max(Duration::from_ps(1)).as_ps(), config.fq_time_ps())
    },
};

fn build(config: &PolicyConfig, cost: fn(&Job) -> u64, step: u64) -> Built {
    let flows = FlowTags::new(config.secret);
    by_tag(SelfClocked { flows, clock: 0, cost, step }, config)
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
