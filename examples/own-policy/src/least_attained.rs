//! A job scheduler: the flow that has been served the fewest bytes goes first, and of the one that
//! has been served most the last job is dropped.
//!
//! Source: least attained service (Rai, Urvoy-Keller and Biersack, SIGMETRICS 2003), counted in
//! bytes. What jobs cost it does not read, so that an attacker's expensive jobs of new flows go
//! first: `forebay surge df` says what that costs. O(log flows) a job; 60 bytes a flow, of which
//! those that wait for nothing are bounded.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use forebay::prelude::*;
use forebay::surge::policies::{JobPolicy, PolicyShape};
use forebay::surge::{FlowKey, JobTable};

/// Its parameter.
#[derive(Clone, Configure)]
struct Config {
    /// Flows that are remembered though nothing of them waits.
    #[parameter(assumed = "more than are active", range = 0..=1 << 24, default = 65_536)]
    remembered: usize,
}

/// A flow: what has been served of it, and its jobs in order.
#[derive(Default)]
struct Flow {
    attained: u64,
    jobs: VecDeque<u32>,
}

/// The policy.
#[derive(Default)]
struct LeastAttained {
    remembered: usize,
    flows: BTreeMap<FlowKey, Flow>,
    /// Those of which something waits.
    waiting: BTreeSet<(u64, FlowKey)>,
    /// The others, in the order in which they ceased to wait; one that waits again is in it until
    /// its turn comes.
    idle: VecDeque<FlowKey>,
}

impl LeastAttained {
    /// Takes a job of a flow from either end; `served` are the bytes that its flow attains by it.
    fn take(&mut self, name: FlowKey, end: fn(&mut VecDeque<u32>) -> Option<u32>) -> Option<u32> {
        let flow = self.flows.get_mut(&name)?;
        let id = end(&mut flow.jobs)?;
        if flow.jobs.is_empty() {
            self.waiting.remove(&(flow.attained, name));
            self.idle.push_back(name);
            self.forget();
        }
        Some(id)
    }

    /// Forgets the flows that have been idle longest, if there are too many.
    fn forget(&mut self) {
        while self.idle.len() > self.remembered {
            let Some(name) = self.idle.pop_front() else { return };
            if self.flows.get(&name).is_some_and(|flow| flow.jobs.is_empty()) {
                self.flows.remove(&name);
            }
        }
    }
}

impl JobPolicy for LeastAttained {
    fn push(&mut self, _now: Time, id: u32, jobs: &JobTable) -> bool {
        let name = jobs.get(id).flow;
        let flow = self.flows.entry(name).or_default();
        flow.jobs.push_back(id);
        self.waiting.insert((flow.attained, name));
        true
    }

    fn pop(&mut self, jobs: &JobTable) -> Option<u32> {
        let (attained, name) = *self.waiting.first()?;
        let id = self.take(name, VecDeque::pop_front)?;
        // A flow that nothing remembers begins anew.
        if let Some(flow) = self.flows.get_mut(&name) {
            flow.attained = attained.saturating_add(jobs.get(id).size.get());
            if self.waiting.remove(&(attained, name)) {
                self.waiting.insert((flow.attained, name));
            }
        }
        Some(id)
    }

    fn drop_largest(&mut self, _jobs: &JobTable) -> Option<u32> {
        let (_, name) = *self.waiting.last()?;
        self.take(name, VecDeque::pop_back)
    }
}

/// The choice `least-attained`.
pub(crate) fn choice() -> Choice<dyn JobPolicy> {
    let about = "the flow that has been served the fewest bytes first";
    let build = |config: &Config, _: &PolicyShape| {
        let remembered = config.remembered;
        Ok(Box::new(LeastAttained { remembered, ..LeastAttained::default() }) as _)
    };
    Choice::new("least-attained", about, Config::default(), build).labelled("Least attained")
}

#[cfg(test)]
mod tests {
    use forebay::surge::{Job, Scheduler, SchedulerConfig};

    use super::*;

    #[test]
    fn a_flow_that_was_served_waits_for_the_others() {
        let config = SchedulerConfig { capacity: 4, ..SchedulerConfig::new(choice()) };
        let mut scheduler = Scheduler::new(&config).expect("a good capacity");
        let job = |flow| Job::new(FlowKey(flow), Bytes::new(100), Duration::from_us(1));
        for (flow, name) in [(1, "a"), (1, "b"), (2, "c"), (2, "d")] {
            assert!(scheduler.offer(Time::ZERO, job(flow), name).dropped().is_none());
        }
        let mut polled = || scheduler.poll().map(|next| next.item);
        assert_eq!([polled(), polled()], [Some("a"), Some("c")]);
        // Flow 3 has had nothing; of flow 2, the last of those that have had as much, the last job
        // goes.
        for (name, dropped) in [("e", None), ("f", None), ("g", Some("d"))] {
            let out = scheduler.offer(Time::ZERO, job(3), name).dropped();
            assert_eq!(out.map(|job| job.item), dropped);
        }
        assert_eq!(scheduler.poll().map(|next| next.item), Some("e"));
    }
}
