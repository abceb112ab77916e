//! Fair queueing (thesis §3.4.2): service is divided equally among flows, in packets, bytes or time.
//!
//! The paper does not say which of fair queueing's variants it means; its proof counts the jobs whose
//! virtual finish lies before an instant. We chose self-clocked fair queueing: a job's tag is its flow's last
//! tag, or the tag of the job in service if that is later, plus its cost; the smallest tag is served. A
//! flow is thus forgotten as soon as none of its jobs waits. What is dropped at the large end is the last
//! job of the flow that is furthest ahead, and the flow's tag goes back.
//!
//! Complexity: a hash lookup and one queue operation. Memory: 24 bytes per waiting job and 32 per flow that
//! waits.

use forebay_units::{Bytes, Duration};

use super::flow_table::FlowMap;
use super::per_job::{JobRank, by_tag};
use super::{Built, JobPolicyInfo, PolicyConfig, Ranks};
use crate::job::Job;
use crate::rank::Key;

pub(super) const PACKETS: JobPolicyInfo = JobPolicyInfo {
    name: "fq-packets",
    about: "flows share the processor by packets",
    build: |config| build(config, |_| 1, 1),
};

pub(super) const BYTES: JobPolicyInfo = JobPolicyInfo {
    name: "fq-bytes",
    about: "flows share the processor by bytes",
    build: |config| build(config, |job| job.size.max(Bytes::new(1)).get(), step(config).0),
};

pub(super) const TIME: JobPolicyInfo = JobPolicyInfo {
    name: "fq-time",
    about: "flows share the processor by time",
    build: |config| build(config, |job| job.work.max(Duration::from_ps(1)).as_ps(), step(config).1),
};

/// How much of the cost a tag stands for, in bytes and in picoseconds.
fn step(config: &PolicyConfig) -> (u64, u64) {
    match config.ranks {
        Ranks::Exact => (1, 1),
        Ranks::Buckets => (config.fq_bytes_step.get().max(1), config.fq_time_step.as_ps().max(1)),
    }
}

fn build(config: &PolicyConfig, cost: fn(&Job) -> u64, step: u64) -> Built {
    let flows = FlowMap::new(config.secret);
    by_tag(FairQueueing { flows, tags: Vec::new(), clock: 0, cost, step }, config)
}

/// The waiting jobs of a flow: how many, and the tag of the last.
#[derive(Clone, Copy, Debug)]
struct FlowTag {
    jobs: u32,
    last: u64,
}

/// Virtual start and finish of a waiting job, in units of the cost.
#[derive(Clone, Copy, Debug, Default)]
struct Tags {
    start: u64,
    finish: u64,
}

struct FairQueueing {
    flows: FlowMap<FlowTag>,
    /// By job.
    tags: Vec<Tags>,
    /// The virtual time: the finish tag of the job served last.
    clock: u64,
    cost: fn(&Job) -> u64,
    step: u64,
}

impl FairQueueing {
    /// A job of its flow no longer waits.
    fn leave(&mut self, job: &Job) {
        let Some(flow) = self.flows.get_mut(&job.flow) else { return };
        flow.jobs -= 1;
        if flow.jobs == 0 {
            self.flows.remove(&job.flow);
        }
    }
}

impl JobRank for FairQueueing {
    fn arrive(&mut self, id: u32, job: &Job) -> Key {
        let clock = self.clock;
        let flow = self.flows.entry(job.flow).or_insert(FlowTag { jobs: 0, last: 0 });
        let start = flow.last.max(clock);
        let finish = start.saturating_add((self.cost)(job));
        *flow = FlowTag { jobs: flow.jobs + 1, last: finish };
        if self.tags.len() <= id as usize {
            self.tags.resize(id as usize + 1, Tags::default());
        }
        self.tags[id as usize] = Tags { start, finish };
        Key::Tag(finish / self.step)
    }

    fn served(&mut self, id: u32, job: &Job) {
        self.clock = self.clock.max(self.tags[id as usize].finish);
        self.leave(job);
    }

    fn dropped(&mut self, id: u32, job: &Job) {
        let tags = self.tags[id as usize];
        if let Some(flow) = self.flows.get_mut(&job.flow)
            && flow.last == tags.finish
        {
            flow.last = tags.start;
        }
        self.leave(job);
    }
}
