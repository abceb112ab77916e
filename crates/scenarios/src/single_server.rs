//! One server, Poisson arrivals, exponential jobs (M/M/1): a scenario whose answers are known in
//! closed form, so that a stranger can check the whole laboratory in a second.
//!
//! Source: the M/M/1 formulas; the mean wait under first come, first served is ρ/(1-ρ) mean jobs.
//! Jobs wait in a heap ordered by rank, so that a run of `n` jobs takes O(n log n).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use forebay_lab::{
    Better, ConfigError, MetricSpec, Point, PolicyInfo, Resolved, RunContext, RunError, RunOutput,
    Scenario, SeriesSpec, Timeline, metric, series,
};
use forebay_parameters::Configure;
use forebay_units::Duration;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The scenario `single-server`.
pub struct SingleServer;

/// How many samples of the queue's length a run records.
const SAMPLES: u64 = 200;

/// What can be set.
#[derive(Configure)]
struct Config {
    /// Arrival rate times mean job, the share of time the server is busy.
    #[parameter(name = "workload.load", range = 0.01..=0.99, default = 0.5)]
    #[parameter(assumed = "any load below 1 has a closed form")]
    load: f64,
    /// How many jobs are served.
    #[parameter(name = "workload.jobs", range = 1..=1_000_000_000_000, default = 400_000)]
    #[parameter(assumed = "brings the interval of the mean wait below 2 % at load 0.8")]
    jobs: u64,
    /// The mean time a job takes.
    #[parameter(name = "server.mean_job", default = Duration::from_us(1))]
    #[parameter(assumed = "it only scales time")]
    mean_job: Duration,
}

impl Scenario for SingleServer {
    fn name(&self) -> &'static str {
        "single-server"
    }

    fn about(&self) -> &'static str {
        "One server, Poisson arrivals, exponential jobs (M/M/1); checks the laboratory against \
         formulas."
    }

    fn configure(&self, _policy: &str) -> Box<dyn Configure> {
        Box::new(Config::default())
    }

    fn policies(&self) -> &'static [PolicyInfo] {
        const {
            &[
                PolicyInfo::new("fcfs", "FCFS", "First come, first served."),
                PolicyInfo::new("sjf", "SJF", "Shortest job first, never interrupted."),
            ]
        }
    }

    fn metrics(&self) -> &'static [MetricSpec] {
        const {
            &[
                metric("mean_wait", "us", "Mean wait", Better::Lower)
                    .is("Mean time from a job's arrival to its start."),
                metric("utilization", "fraction", "Utilization", Better::Neither)
                    .is("Share of time the server is busy."),
            ]
        }
    }

    fn series(&self) -> &'static [SeriesSpec] {
        const { &[series("waiting", "jobs", "Jobs waiting", "Jobs that wait when one starts.")] }
    }

    fn check(&self, params: &Resolved, _: &str) -> Result<(), ConfigError> {
        if params.fill(Config::default())?.mean_job == Duration::ZERO {
            return Err(params
                .blame("mean_job", "the mean job time must be above 0")
                .fix("give 1 us or more"));
        }
        Ok(())
    }

    fn run(&self, point: &Point<'_>, context: &mut RunContext<'_>) -> Result<RunOutput, RunError> {
        let Config { load, jobs, mean_job } = point.params.fill(Config::default())?;
        let mean_job = mean_job.as_ps() as f64 / 1e6;
        let gap = mean_job / load;
        let shortest_first = point.policy == "sjf";
        let mut random = ChaCha8Rng::seed_from_u64(point.seed);
        let mut queue: BinaryHeap<Reverse<Job>> = BinaryHeap::new();
        let (mut clock, mut waited, mut busy) = (0.0, 0.0, 0.0);
        let mut arrival = exponential(&mut random, gap);
        let mut sequence = 0;
        let mut waiting = Vec::new();
        for served in 0..jobs {
            if served.is_multiple_of(4096) {
                context.progress(served as f64 / jobs as f64);
                if context.stopped() {
                    return Err(RunError::Stopped);
                }
            }
            if queue.is_empty() && arrival > clock {
                clock = arrival;
            }
            while arrival <= clock {
                let size = exponential(&mut random, mean_job);
                let rank = if shortest_first { size.to_bits() } else { 0 };
                queue.push(Reverse(Job { rank, sequence, arrival, size }));
                sequence += 1;
                arrival += exponential(&mut random, gap);
            }
            if served.is_multiple_of(jobs.div_ceil(SAMPLES)) {
                waiting.push((clock, queue.len().saturating_sub(1) as f64));
            }
            let Some(Reverse(job)) = queue.pop() else { continue };
            waited += clock - job.arrival;
            busy += job.size;
            clock += job.size;
        }
        let values = vec![("mean_wait", waited / jobs as f64), ("utilization", busy / clock)];
        let timeline = Timeline { name: "waiting", unit: "jobs", points: waiting };
        Ok(RunOutput { values, timelines: vec![timeline] })
    }
}

/// A job ordered by rank, then arrival. Non-negative floats order as their bits do.
#[derive(Clone, Copy, Debug)]
struct Job {
    rank: u64,
    sequence: u64,
    arrival: f64,
    size: f64,
}

impl Ord for Job {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.rank, self.sequence).cmp(&(other.rank, other.sequence))
    }
}
impl PartialOrd for Job {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl PartialEq for Job {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for Job {}

/// A sample of the exponential distribution, by inversion of a uniform in (0, 1].
fn exponential(random: &mut ChaCha8Rng, mean: f64) -> f64 {
    let uniform = ((random.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64;
    -uniform.ln() * mean
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;

    fn mean_wait(policy: &str, seed: u64) -> f64 {
        let params = Resolved::with_settings(&SingleServer, &[]).unwrap();
        let point = Point { params: &params, policy, seed };
        let output = SingleServer.run(&point, &mut RunContext::default()).unwrap();
        output.values[0].1
    }

    #[test]
    fn the_wait_is_the_formulas() {
        let mean = (1..=4).map(|seed| mean_wait("fcfs", seed)).sum::<f64>() / 4.0;
        assert!((mean - 1.0).abs() < 0.02, "{mean} at load 0.5");
        assert!(mean_wait("sjf", 1) < 0.8 * mean_wait("fcfs", 1));
    }

    #[test]
    fn it_stops_when_told() {
        let params = Resolved::with_settings(&SingleServer, &[]).unwrap();
        let point = Point { params: &params, policy: "fcfs", seed: 1 };
        let stop = AtomicBool::new(true);
        let output = SingleServer.run(&point, &mut RunContext::stopping(&stop));
        assert_eq!(output, Err(RunError::Stopped));
    }
}
