//! Every policy against a naive model: a list in order of arrival, searched at every step.

use std::collections::HashMap;

use forebay_parameters::{Entry as _, set};
use forebay_units::{Bytes, Duration, Time};
use proptest::prelude::*;

use super::{Ranks, policies, wsjf::Wsjf};
use crate::rank::{FromKey, Key};
use crate::{DropRule, FlowKey, Job, Offered, Scheduler, SchedulerConfig};

#[derive(Clone, Debug)]
enum Step {
    Offer { after: u64, flow: u64, size: u64, work: u64 },
    Poll,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let sizes = prop_oneof![Just(0u64), Just(64), 64u64..1500];
    // Few work sizes, so that ranks tie; some zero.
    // Some at once; spans of time about as long as works.
    let pauses = prop_oneof![Just(0u64), 0u64..20_000_000];
    let offer = (pauses, 0u64..5, sizes, 0u64..20).prop_map(|(after, flow, size, work)| {
        Step::Offer { after, flow, size, work: work * 1_000_000 }
    });
    prop::collection::vec(prop_oneof![3 => offer, 2 => Just(Step::Poll)], 1..200)
}

fn rank(ranks: Ranks, key: Key) -> u128 {
    match ranks {
        Ranks::Exact => u128::from_key(key),
        Ranks::Buckets => u128::from(u64::from_key(key)),
    }
}

fn job(flow: u64, size: u64, work: u64) -> Job {
    Job::new(FlowKey(flow), Bytes::new(size), Duration::from_ps(work))
}

/// A waiting job of the model; `turn` orders equals.
#[derive(Clone, Debug)]
struct Entry {
    job: Job,
    number: usize,
    rank: u128,
    turn: u64,
    start: u64,
    finish: u64,
}

/// The naive model of one policy.
struct Naive<'a> {
    name: &'a str,
    ranks: Ranks,
    waiting: Vec<Entry>,
    turn: u64,
    clock: u64,
    /// Rank and turn of each flow, for orders of flows.
    flows: HashMap<u64, (u128, u64)>,
    last_tag: HashMap<u64, u64>,
}

impl<'a> Naive<'a> {
    fn new(name: &'a str, ranks: Ranks) -> Self {
        let (waiting, flows, last_tag) = (Vec::new(), HashMap::new(), HashMap::new());
        Naive { name, ranks, waiting, turn: 0, clock: 0, flows, last_tag }
    }

    fn by_flow(&self) -> bool {
        ["wsjf-hoq", "wsjf-inorder"].contains(&self.name)
    }

    fn cost_and_step(&self, job: &Job) -> (u64, u64) {
        let exact = self.ranks == Ranks::Exact;
        match self.name {
            "fq-packets" => (1, 1),
            "fq-bytes" => (job.size.get().max(1), if exact { 1 } else { 64 }),
            _ => (job.work.as_ps().max(1), if exact { 1 } else { 100_000 }),
        }
    }

    fn push(&mut self, now: u64, number: usize, job: Job) {
        self.turn += 1;
        let mut entry = Entry { job, number, rank: 0, turn: self.turn, start: 0, finish: 0 };
        let key = match self.name {
            "fcfs" => Key::Tag(0),
            "sjf" => Key::Work(job.work),
            // The proof of Claim 4: from the flow's clock if the flow is backlogged, else from the
            // arrival.
            "fq" => {
                let of_flow = |other: &&Entry| other.job.flow == job.flow;
                let clock = self.waiting.iter().filter(of_flow).map(|other| other.finish).max();
                let (cost, step) = self.cost_and_step(&job);
                entry.finish = clock.unwrap_or(now) + cost;
                Key::Tag(entry.finish / step)
            }
            name if name.starts_with("fq") => {
                let (cost, step) = self.cost_and_step(&job);
                let waits = self.waiting.iter().any(|other| other.job.flow == job.flow);
                let last = self.last_tag.get(&job.flow.0).copied().filter(|_| waits);
                entry.start = last.unwrap_or(0).max(self.clock);
                entry.finish = entry.start + cost;
                self.last_tag.insert(job.flow.0, entry.finish);
                Key::Tag(entry.finish / step)
            }
            _ => Wsjf::key(&job),
        };
        entry.rank = rank(self.ranks, key);
        self.waiting.push(entry);
        if self.by_flow() {
            self.rerank(job.flow.0, false);
        }
    }

    /// Recomputes a flow's rank; `moved` says that it goes behind its equals even if it is the
    /// same.
    fn rerank(&mut self, flow: u64, moved: bool) {
        let jobs: Vec<&Job> =
            self.waiting.iter().map(|entry| &entry.job).filter(|job| job.flow.0 == flow).collect();
        let Some(head) = jobs.first() else {
            self.flows.remove(&flow);
            return;
        };
        let key = if self.name == "wsjf-hoq" {
            Wsjf::key(head)
        } else {
            Key::Ratio(jobs.iter().map(|job| job.work).sum(), jobs.iter().map(|job| job.size).sum())
        };
        let rank = rank(self.ranks, key);
        self.turn += 1;
        match self.flows.get(&flow) {
            Some((old, _)) if *old == rank && !moved => {}
            _ => {
                self.flows.insert(flow, (rank, self.turn));
            }
        }
    }

    fn position(&self, largest: bool) -> Option<usize> {
        if self.by_flow() {
            let order = |(_, place): &(&u64, &(u128, u64))| **place;
            let (flow, _) = if largest {
                self.flows.iter().max_by_key(order)
            } else {
                self.flows.iter().min_by_key(order)
            }?;
            let of_flow = |entry: &Entry| entry.job.flow.0 == *flow;
            return if largest {
                self.waiting.iter().rposition(of_flow)
            } else {
                self.waiting.iter().position(of_flow)
            };
        }
        let order = |&at: &usize| (self.waiting[at].rank, self.waiting[at].turn);
        let places = 0..self.waiting.len();
        if largest { places.max_by_key(order) } else { places.min_by_key(order) }
    }

    fn take(&mut self, largest: bool) -> Option<usize> {
        let entry = self.waiting.remove(self.position(largest)?);
        if !largest {
            self.clock = self.clock.max(entry.finish);
        } else if self.last_tag.get(&entry.job.flow.0) == Some(&entry.finish) {
            self.last_tag.insert(entry.job.flow.0, entry.start);
        }
        if self.by_flow() {
            self.rerank(entry.job.flow.0, true);
        }
        Some(entry.number)
    }
}

fn scheduler<T>(name: &str) -> Scheduler<T> {
    Scheduler::new(&SchedulerConfig::under(name).unwrap()).unwrap()
}

fn bounded<T>(name: &str, capacity: usize, drop: DropRule, ranks: Ranks) -> Scheduler<T> {
    let config = SchedulerConfig::under(name).unwrap();
    Scheduler::new(&SchedulerConfig { capacity, drop, ranks, ..config }).unwrap()
}

fn fair<T>(below: &str) -> Scheduler<T> {
    let mut config = SchedulerConfig::under("wsjf-fair").unwrap();
    set(&mut config, &[("fair_below", below)]).unwrap();
    Scheduler::new(&config).unwrap()
}

fn rules() -> impl Strategy<Value = (DropRule, Ranks)> {
    let drop = prop_oneof![Just(DropRule::Tail), Just(DropRule::Largest)];
    (drop, prop_oneof![Just(Ranks::Exact), Just(Ranks::Buckets)])
}

proptest! {
    #[test]
    fn each_agrees_with_the_naive_model(
        steps in steps(), capacity in 1usize..12, (drop, ranks) in rules(),
    ) {
        let policies = policies();
        for name in policies.names().filter(|name| *name != "wsjf-fair") {
            let mut scheduler = bounded(name, capacity, drop, ranks);
            let mut naive = Naive::new(name, ranks);
            let mut now = 0;
            for (number, step) in steps.iter().enumerate() {
                match *step {
                    Step::Poll => {
                        let next = scheduler.poll().map(|next| next.item);
                        prop_assert_eq!(next, naive.take(false), "{}", name);
                    }
                    Step::Offer { after, flow, size, work } => {
                        now += after;
                        let job = job(flow, size, work);
                        let offered = scheduler.offer(Time::from_ps(now), job, number);
                        let lost = offered.dropped().map(|out| out.item);
                        let full = naive.waiting.len() == capacity;
                        let expected = match (full, drop) {
                            (true, DropRule::Tail) => Some(number),
                            (true, DropRule::Largest) => {
                                naive.push(now, number, job);
                                naive.take(true)
                            }
                            (false, _) => {
                                naive.push(now, number, job);
                                None
                            }
                        };
                        prop_assert_eq!(lost, expected, "{}", name);
                    }
                }
            }
        }
    }

    #[test]
    fn every_job_is_accounted_for_and_flows_stay_in_order(
        steps in steps(), capacity in 1usize..40, (drop, ranks) in rules(),
    ) {
        for info in policies() {
            let mut scheduler = bounded(info.name(), capacity, drop, ranks);
            let ordered = !["sjf", "wsjf", "wsjf-preemptive"].contains(&info.name());
            let (mut offered, mut lost, mut served, mut now) = (0, 0, 0, Time::ZERO);
            let mut last = HashMap::new();
            for (number, step) in steps.iter().enumerate() {
                match *step {
                    Step::Poll => if let Some(next) = scheduler.poll() {
                        served += 1;
                        let before = last.insert(next.job.flow, next.item);
                        prop_assert!(!ordered || before < Some(next.item), "{}", info.name());
                    },
                    Step::Offer { after, flow, size, work } => {
                        offered += 1;
                        now += Duration::from_ps(after);
                        let taken = scheduler.offer(now, job(flow, size, work), number);
                        lost += usize::from(taken != Offered::Taken);
                    }
                }
                prop_assert!(scheduler.len() <= capacity);
                prop_assert_eq!(offered, served + lost + scheduler.len(), "{}", info.name());
            }
            while scheduler.poll().is_some() {
                served += 1;
            }
            prop_assert_eq!(offered, served + lost, "{}", info.name());
        }
    }

    /// While few wait, no flow gets more than its share plus one job of each.
    #[test]
    fn the_fair_stage_shares_by_time(works in prop::collection::vec(1u64..50, 2..6)) {
        let mut scheduler = fair("1000");
        for (flow, work) in (0..).zip(&works) {
            for _ in 0..2000 / work {
                prop_assume!(scheduler.len() < 990);
                let _ = scheduler.offer(Time::ZERO, job(flow, 100, *work), ());
            }
        }
        let mut shares = vec![0u64; works.len()];
        // Until one flow may be out of jobs.
        while shares.iter().all(|share| *share < 1500) {
            let next = scheduler.poll().unwrap();
            shares[next.job.flow.0 as usize] += next.job.work.as_ps();
        }
        let (least, most) = (shares.iter().min().unwrap(), shares.iter().max().unwrap());
        prop_assert!(most - least <= 100, "{:?}", shares);
    }
}

#[test]
fn above_the_watermark_the_fair_stage_is_wsjf() {
    let mut scheduler = fair("2");
    for (flow, size, work) in [(0, 64, 500), (1, 100_000, 600), (2, 90_000, 550)] {
        let _ = scheduler.offer(Time::ZERO, job(flow, size, work * 1000), flow);
    }
    // Three wait: the best ratio first, then the smallest virtual finish, which is the attacker's.
    let order: Vec<u64> = core::iter::from_fn(|| scheduler.poll()).map(|next| next.item).collect();
    assert_eq!(order, [1, 0, 2]);
}

#[test]
fn a_preemptive_job_is_revised_and_loses_its_place() {
    let mut scheduler = scheduler("wsjf-preemptive");
    let _ = scheduler.offer(Time::ZERO, job(0, 100, 1_000_000), "liar");
    let mut running = scheduler.poll().unwrap().job;
    assert_eq!(scheduler.slice(&running), Some(Duration::from_us(1)));
    let _ = scheduler.offer(Time::ZERO, job(1, 100, 1_500_000), "honest");
    assert!(!scheduler.preempts(&running));
    running.attained = Duration::from_us(1);
    running.work = scheduler.revise(&running);
    assert_eq!(running.work, Duration::from_us(2));
    assert!(scheduler.preempts(&running));
}

#[test]
fn impossible_parameters_are_named() {
    let error = |capacity| {
        let config = SchedulerConfig { capacity, ..SchedulerConfig::default() };
        Scheduler::<()>::new(&config).err().map(|error| error.to_string())
    };
    assert_eq!(error(0).unwrap(), "capacity is 0; give it at least 1");
    assert!(error(usize::MAX).unwrap().ends_with("give it at most 67108862"));
    assert_eq!(error(1), None);
    let mut preemptive = SchedulerConfig::under("wsjf-preemptive").unwrap();
    assert_eq!(set(&mut preemptive, &[("overrun", "0")]).unwrap_err().name(), "overrun");
    // A step is of buckets.
    let mut fq = SchedulerConfig { ranks: Ranks::Exact, ..SchedulerConfig::under("fq").unwrap() };
    assert_eq!(set(&mut fq, &[("fq_time_step", "1 ns")]).unwrap_err().name(), "fq_time_step");
}

/// What tells the two fair queueings apart: a flow that was idle begins at its arrival, or at the
/// job in service.
#[test]
fn an_idle_flow_begins_at_its_arrival_or_at_the_job_in_service() {
    let at = |us| Time::ZERO + Duration::from_us(us);
    let order = |name| {
        let mut scheduler = scheduler(name);
        let us = |flow, work: u64| job(flow, 100, work * 1_000_000);
        // A long job is served at once: its tag of 50 us is the self-clocked virtual time.
        let _ = scheduler.offer(at(0), us(0, 50), "long");
        let first = scheduler.poll().map(|next| next.item);
        let _ = scheduler.offer(at(1), us(1, 30), "one");
        let _ = scheduler.offer(at(2), us(1, 30), "two"); // backlogged: 30 us after the one before
        let _ = scheduler.offer(at(40), us(2, 10), "late");
        let _ = scheduler.offer(at(41), us(3, 25), "latest");
        let rest = core::iter::from_fn(|| scheduler.poll()).map(|next| next.item);
        first.into_iter().chain(rest).collect::<Vec<_>>()
    };
    // By real time the tags are 31, 61, 50 and 66 us, by the job in service 80, 110, 60 and 75 us.
    assert_eq!(order("fq"), ["long", "one", "late", "two", "latest"]);
    assert_eq!(order("fq-time"), ["long", "late", "latest", "one", "two"]);
}

/// A backlogged flow goes on from its own clock, also if time has overtaken that.
#[test]
fn a_backlogged_flow_keeps_what_it_is_owed() {
    let mut scheduler = scheduler("fq");
    let at = |us| Time::ZERO + Duration::from_us(us);
    let mut offer = |us, flow, item| {
        let _ = scheduler.offer(at(us), job(flow, 100, 1_000_000), item);
    };
    offer(0, 0, "first"); // 1 us
    offer(90, 1, "fresh"); // 91 us
    offer(100, 0, "second"); // 2 us
    let order: Vec<_> = core::iter::from_fn(|| scheduler.poll()).map(|next| next.item).collect();
    assert_eq!(order, ["first", "second", "fresh"]);
}

/// What an attack is chosen by, and who needs a secret, is asked of the policy and not of its name.
#[test]
fn policies_say_by_what_they_serve_and_whether_they_hash() {
    use super::ServiceOrder::{ByRatio, ByWork};

    for choice in policies() {
        let expected = match choice.name() {
            "fcfs" => (None, false, false),
            "fq" | "fq-packets" | "fq-bytes" | "fq-time" => (None, false, true),
            "sjf" => (Some(ByWork), true, false),
            "wsjf" | "wsjf-preemptive" => (Some(ByRatio), true, false),
            "wsjf-inorder" => (Some(ByRatio), true, true),
            "wsjf-hoq" | "wsjf-fair" => (Some(ByRatio), false, true),
            other => panic!("say of {other} what it serves by"),
        };
        for ranks in [Ranks::Exact, Ranks::Buckets] {
            let config = SchedulerConfig { ranks, ..SchedulerConfig::new(choice.clone()) };
            let policy = config.built().unwrap();
            let says = (policy.order(), policy.is_bounded(), policy.reads_secret());
            assert_eq!(says, expected, "{choice:?}");
        }
    }
}
