//! Virtual start and finish of the jobs that wait, and the clock of each flow: the finish of its
//! last job.
//!
//! Source: fair queueing of thesis §3.4.2. A flow exists while a job of it waits, so the table is
//! as bounded as the buffer, however many flows an attacker invents. Where the first job of a flow
//! starts is the policy's to say.
//!
//! Complexity: a hash lookup per arrival and per departure. Memory: 16 bytes per waiting job and 32
//! per flow that waits.

use super::flow_table::FlowMap;
use crate::job::Job;

/// Virtual start and finish of a waiting job, in units of the cost.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tags {
    pub(super) start: u64,
    pub(super) finish: u64,
}

/// The waiting jobs of a flow: how many, and the finish of the last.
#[derive(Clone, Copy, Debug)]
struct FlowTag {
    jobs: u32,
    last: u64,
}

/// The tags of all jobs that wait.
pub(super) struct FlowTags {
    flows: FlowMap<FlowTag>,
    /// By job.
    tags: Vec<Tags>,
}

impl FlowTags {
    pub(super) fn new(secret: u64) -> Self {
        FlowTags { flows: FlowMap::new(secret), tags: Vec::new() }
    }

    /// A job begins to wait that costs so much; its finish. It starts at what `start` makes of the
    /// clock of its flow, of which there is none unless the flow is backlogged.
    pub(super) fn join(
        &mut self,
        id: u32,
        job: &Job,
        cost: u64,
        start: impl FnOnce(Option<u64>) -> u64,
    ) -> u64 {
        let flow = self.flows.get(&job.flow).copied();
        let start = start(flow.map(|flow| flow.last));
        let finish = start.saturating_add(cost);
        let jobs = flow.map_or(0, |flow| flow.jobs) + 1;
        self.flows.insert(job.flow, FlowTag { jobs, last: finish });
        if self.tags.len() <= id as usize {
            self.tags.resize(id as usize + 1, Tags::default());
        }
        self.tags[id as usize] = Tags { start, finish };
        finish
    }

    /// A job is served.
    pub(super) fn serve(&mut self, id: u32, job: &Job) -> Tags {
        self.leave(job);
        self.tags[id as usize]
    }

    /// A job is dropped: if it was the last of its flow, the flow's clock goes back.
    pub(super) fn drop(&mut self, id: u32, job: &Job) {
        let tags = self.tags[id as usize];
        if let Some(flow) = self.flows.get_mut(&job.flow)
            && flow.last == tags.finish
        {
            flow.last = tags.start;
        }
        self.leave(job);
    }

    /// A job of its flow no longer waits.
    fn leave(&mut self, job: &Job) {
        let Some(flow) = self.flows.get_mut(&job.flow) else { return };
        flow.jobs -= 1;
        if flow.jobs == 0 {
            self.flows.remove(&job.flow);
        }
    }
}
