//! The scheduler itself under attack: goodput behind a heap, a pair of heaps and the bucket queue
//! (thesis §3.6.3).
//!
//! One core schedules by WSJF, another processes; attack packets are small with large jobs, so that
//! they fill a buffer that cannot drop its largest, and come so often that a scheduler that takes
//! long per packet falls behind. What it takes is counted in accesses
//! ([`forebay_surge::model::heaps`]), so a run is the same on every machine; `forebay-bench surge`
//! races the same buffers by the clock.
//!
//! Packet and job sizes are Gaussian as in the paper, cut at a sixteenth of the mean. It states
//! neither the deviations, nor the innocent rate, nor the buffer, nor the ring. O(packets log
//! packets) at worst.

use forebay_lab::Better::{Higher, Lower, Neither};
use forebay_lab::{
    ConfigError, MetricSpec, Point, PolicyInfo, Resolved, RunContext, RunError, RunOutput,
    Scenario, metric,
};
use forebay_parameters::{Configure, Source, Word};
use forebay_surge::model::heaps::{
    Buckets, Buffer, Cost, HeapBuffer, HeapJob, PairBuffer, TwoCores, TwoCoresConfig, two_cores,
};
use forebay_units::{Bytes, Duration, Rate, Time};
use forebay_workload::random::{ChaCha8Rng, stream, uniform};

use crate::surge::config::run_or_scheduler;

/// The scenario; see the module's head.
pub struct SurgeBuffers;

/// Everything that can be set.
#[derive(Configure)]
struct Config {
    /// r_I, the rate of innocent traffic.
    #[parameter(name = "traffic.rate", default = Rate::from_gbps(9))]
    #[parameter(assumed = "nine tenths of what the processor serves")]
    rate: Rate,
    /// Mean innocent packet size.
    #[parameter(source = PAPER, name = "traffic.size", default = Bytes::new(1250))]
    size: Bytes,
    /// Mean innocent job size.
    #[parameter(source = PAPER, name = "traffic.work", default = Duration::from_us(1))]
    work: Duration,
    /// Standard deviation of both, over the mean.
    #[parameter(source = NONE, name = "traffic.deviation", range = 0.0..=1.0, default = 0.25)]
    deviation: f64,
    /// r_A, the rate of the attack.
    #[parameter(source = PAPER, name = "attack.rate", default = Rate::from_gbps(1))]
    attack_rate: Rate,
    /// Attack packet size: the smallest.
    #[parameter(source = PAPER, name = "attack.size", default = Bytes::new(64))]
    attack_size: Bytes,
    /// Attack job size: J_max.
    #[parameter(source = PAPER, name = "attack.work", default = Duration::from_us(10))]
    attack_work: Duration,
    /// Packets that may wait.
    #[parameter(source = NONE, name = "scheduler.capacity", range = 1..=1 << 24, default = 16384)]
    capacity: usize,
    #[parameter(part = run_or_scheduler, default = CORES)]
    cores: TwoCoresConfig,
}

const CORES: TwoCoresConfig = TwoCoresConfig {
    ring: 4096,
    cost: Cost::PerAccess { access: Duration::from_ns(2), packet: Duration::from_ns(10) },
    warmup: Duration::from_ms(200),
    measured: Duration::from_ms(20),
};
const PAPER: Source = Source::paper("thesis §3.6.3");
const NONE: Source = Source::assumed("the thesis states none");

/// What the scheduling core keeps packets in; the scenario's policies.
#[derive(Clone, Copy, Debug, PartialEq)]
enum BufferKind {
    Buckets,
    Heap,
    Pair,
}

impl Word for BufferKind {
    const WORDS: &'static [(&'static str, Self)] =
        &[("buckets", BufferKind::Buckets), ("heap", BufferKind::Heap), ("pair", BufferKind::Pair)];
}

const POLICIES: &[PolicyInfo] = &[
    PolicyInfo::new(
        "buckets",
        "Bucket queue",
        "The bucket queue of the schedulers here (hierarchical find-first-set), dropping the \
         largest.",
    ),
    PolicyInfo::new("heap", "Fibonacci heap", "A Fibonacci heap, which drops what arrives."),
    PolicyInfo::new(
        "pair",
        "Pair of Fibonacci heaps",
        "Two Fibonacci heaps, one for each end, dropping the largest.",
    ),
];

const METRICS: &[MetricSpec] = &[
    metric("goodput", "Gb/s", "Goodput", Higher).is("Innocent traffic processed."),
    metric("accesses", "", "Accesses per packet", Lower)
        .is("What the buffer touched per packet that came to it."),
    metric("ring_loss", "fraction", "Ring loss", Lower)
        .is("Packets lost before the scheduler, of both kinds."),
    metric("busy", "fraction", "Scheduling core busy", Neither)
        .is("Share of time for which the scheduling core was busy."),
];

impl Scenario for SurgeBuffers {
    fn name(&self) -> &'static str {
        "surge-buffers"
    }

    fn about(&self) -> &'static str {
        "an attack on the scheduler itself: goodput behind a heap, a pair of heaps and a bucket \
         queue"
    }

    fn configure(&self, _policy: &str) -> Box<dyn Configure> {
        Box::new(Config::default())
    }

    fn policies(&self) -> &'static [PolicyInfo] {
        POLICIES
    }

    fn metrics(&self) -> &'static [MetricSpec] {
        METRICS
    }

    fn check(&self, params: &Resolved, _policy: &str) -> Result<(), ConfigError> {
        let config = params.fill(Config::default())?;
        for (parameter, rate) in
            [(Config::RATE, config.rate), (Config::ATTACK_RATE, config.attack_rate)]
        {
            if rate.as_bps() == 0 {
                return Err(params
                    .blame(&parameter.name, "the traffic rate is 0 b/s")
                    .fix("give a rate above 0"));
            }
        }
        for (parameter, size) in
            [(Config::SIZE, config.size), (Config::ATTACK_SIZE, config.attack_size)]
        {
            if size == Bytes::ZERO {
                let error = params.blame(&parameter.name, "a packet must be at least 1 B");
                return Err(error.fix("give 1 B or more"));
            }
        }
        if config.cores.measured == Duration::ZERO {
            return Err(params
                .blame("run.span", "the measured span must be above 0")
                .fix("give 1 ms or more"));
        }
        Ok(())
    }

    fn run(&self, point: &Point<'_>, context: &mut RunContext<'_>) -> Result<RunOutput, RunError> {
        let config = point.params.fill(Config::default())?;
        let kind = BufferKind::named("buffer", point.policy).map_err(ConfigError::from)?;
        let mut buffer = buffer(kind, config.capacity)?;
        let arrivals = Arrivals::new(&config, point.seed);
        let arrivals = arrivals.take_while(|_| !context.stopped());
        let TwoCores { goodput, ring_loss, accesses, busy } =
            two_cores(config.cores, buffer.as_mut(), arrivals);
        if context.stopped() {
            return Err(RunError::Stopped);
        }
        let goodput = ("goodput", goodput.as_bps() as f64 / 1e9);
        let values =
            vec![goodput, ("accesses", accesses), ("ring_loss", ring_loss), ("busy", busy)];
        Ok(RunOutput { values, timelines: Vec::new() })
    }
}

fn buffer(kind: BufferKind, capacity: usize) -> Result<Box<dyn Buffer>, RunError> {
    Ok(match kind {
        BufferKind::Heap => Box::new(HeapBuffer::new(capacity)),
        BufferKind::Pair => Box::new(PairBuffer::new(capacity)),
        BufferKind::Buckets => {
            Box::new(Buckets::new(capacity).map_err(|error| RunError::Failed(error.to_string()))?)
        }
    })
}

/// Both kinds, evenly spaced, by time.
struct Arrivals {
    rng: ChaCha8Rng,
    size: Bytes,
    work: Duration,
    deviation: f64,
    attack: HeapJob,
    /// Between packets of a kind, and when the next of each comes, in picoseconds.
    gaps: [f64; 2],
    next: [f64; 2],
    sent: u64,
}

impl Arrivals {
    fn new(config: &Config, seed: u64) -> Self {
        let gap = |size: Bytes, rate: Rate| size.get() as f64 * 8e12 / rate.as_bps() as f64;
        let gaps = [gap(config.size, config.rate), gap(config.attack_size, config.attack_rate)];
        Arrivals {
            rng: stream(seed, "surge buffers", 0),
            size: config.size,
            work: config.work,
            deviation: config.deviation,
            attack: HeapJob {
                flow: u64::MAX,
                size: config.attack_size,
                work: config.attack_work,
                innocent: false,
            },
            gaps,
            next: gaps,
            sent: 0,
        }
    }

    /// The sum of twelve uniform numbers is near enough to normal.
    fn gaussian(&mut self, mean: f64) -> f64 {
        let normal: f64 = (0..12).map(|_| uniform(&mut self.rng)).sum::<f64>() - 6.0;
        (mean * (1.0 + normal * self.deviation)).max(mean / 16.0).max(1.0)
    }
}

impl Iterator for Arrivals {
    type Item = (Time, HeapJob);

    fn next(&mut self) -> Option<(Time, HeapJob)> {
        let kind = usize::from(self.next[1] < self.next[0]);
        let at = Time::from_ps(self.next[kind] as u64);
        self.next[kind] += self.gaps[kind];
        if kind == 1 {
            return Some((at, self.attack));
        }
        self.sent += 1;
        let size = Bytes::new(self.gaussian(self.size.get() as f64) as u64);
        let work = Duration::from_ps(self.gaussian(self.work.as_ps() as f64) as u64);
        Some((at, HeapJob { flow: self.sent % 10_000, size, work, innocent: true }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{run_with, value};

    #[test]
    fn the_buckets_are_flat_a_heap_falls_and_a_pair_declines() {
        let goodput = |policy: &str, attack: &str| {
            let set = [
                ("attack.rate", attack),
                ("scheduler.capacity", "2000"),
                ("scheduler.ring", "256"),
                ("run.warm_up", "3 ms"),
                ("run.span", "3 ms"),
            ];
            value(&run_with(&SurgeBuffers, policy, &set).unwrap(), "goodput")
        };
        assert!(goodput("buckets", "5 Gb/s") > 0.97 * goodput("buckets", "100 Mb/s"));
        assert!(goodput("heap", "500 Mb/s") < 3.0);
        assert!(goodput("pair", "5 Gb/s") < 0.8 * goodput("pair", "100 Mb/s"));
    }

    #[test]
    fn what_cannot_be_is_named() {
        for (name, bad) in [("traffic.rate", "0 b/s"), ("attack.size", "0 B"), ("run.span", "0 s")]
        {
            let error = run_with(&SurgeBuffers, "pair", &[(name, bad)]).unwrap_err().to_string();
            assert!(error.contains(name.split('.').next_back().unwrap()), "{error}");
        }
    }
}
