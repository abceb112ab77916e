//! One core schedules, another processes: what an attack on the scheduler itself displaces.
//!
//! Source: the experiment of thesis §3.6.3. Packets wait for the scheduling core in a ring of the
//! network card and are lost when it is full. The paper does not state the ring, nor how far ahead
//! jobs are handed over: here one waits while another runs, so that the processor does not wait for
//! the scheduler. Complexity: the buffer's per packet. Memory: the ring and the buffer.

use std::collections::VecDeque;

use forebay_parameters::Configure;
use forebay_units::{Bytes, Duration, Rate, Time};

use super::{Buffer, HeapJob};

/// What the scheduling core takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Configure)]
pub enum Cost {
    /// So long for each access, and so long for each packet beside.
    PerAccess {
        /// Time that the scheduling core takes per access.
        #[parameter(
            assumed = "a near cache; the bucket queue's 14 accesses then take 38 ns a packet with \
                       the ring, where 60 ns were measured, which is 3.6 ns an access; its flat \
                       line holds up to 2.7 ns",
            sensitivity = SENSITIVITY
        )]
        access: Duration,
        /// Time that it takes per packet besides.
        ///
        /// Of taking a packet from the ring, whatever the buffer.
        #[parameter(assumed = "taking a packet from the ring", sensitivity = SENSITIVITY)]
        packet: Duration,
    },
    /// So long for each packet that arrives, as measured, with all that follows from it.
    PerPacket(Duration),
}

const SENSITIVITY: &str = "surge/sensitivity-access";

/// The parameters of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Configure)]
pub struct TwoCoresConfig {
    /// Packets that may wait for the scheduling core.
    ///
    /// In the ring of the network card.
    #[parameter(assumed = "a common ring of a network card", range = 1..=1 << 20)]
    pub ring: usize,
    /// What the scheduling core takes.
    #[parameter(part)]
    pub cost: Cost,
    /// Simulated time before measuring begins.
    #[parameter(name = "warm_up", assumed = "the buffer fills at 50 Mb/s and more")]
    pub warmup: Duration,
    /// Simulated time that is measured.
    #[parameter(name = "span", assumed = "18 thousand innocent packets")]
    pub measured: Duration,
}

/// What a run came to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TwoCores {
    /// Innocent traffic processed.
    pub goodput: Rate,
    /// Packets that were lost in the ring, of those that arrived.
    pub ring_loss: f64,
    /// Accesses per packet that the scheduling core took from the ring.
    pub accesses: f64,
    /// What of its time the scheduling core was busy.
    pub busy: f64,
}

/// Jobs that the processor has been given and has not completed: one that runs and one that waits.
const AHEAD: usize = 2;

struct Run<'a> {
    config: TwoCoresConfig,
    buffer: &'a mut dyn Buffer,
    ring: VecDeque<HeapJob>,
    /// Packets in the buffer.
    held: usize,
    /// When the jobs it has been given complete.
    processor: VecDeque<Time>,
    now: Time,
    bytes: Bytes,
    busy: Duration,
    arrived: u64,
    lost: u64,
    taken: u64,
}

/// Runs packets in order of time through a buffer.
pub fn two_cores(
    config: TwoCoresConfig,
    buffer: &mut dyn Buffer,
    arrivals: impl Iterator<Item = (Time, HeapJob)>,
) -> TwoCores {
    let end = Time::ZERO + config.warmup + config.measured;
    let mut run = Run {
        config,
        buffer,
        ring: VecDeque::new(),
        held: 0,
        processor: VecDeque::new(),
        now: Time::ZERO,
        bytes: Bytes::ZERO,
        busy: Duration::ZERO,
        arrived: 0,
        lost: 0,
        taken: 0,
    };
    let mut arrivals = arrivals.peekable();
    let before = run.buffer.accesses();
    while run.now < end {
        while let Some((_, job)) = arrivals.next_if(|(at, _)| *at <= run.now) {
            run.arrive(job);
        }
        let next = arrivals.peek().map_or(end, |(at, _)| *at);
        run.step(next);
    }
    let accesses = run.buffer.accesses() - before;
    TwoCores {
        goodput: Rate::mean(run.bytes, config.measured),
        ring_loss: run.lost as f64 / run.arrived.max(1) as f64,
        accesses: accesses as f64 / run.taken.max(1) as f64,
        busy: run.busy.as_secs_f64() / end.since(Time::ZERO).as_secs_f64(),
    }
}

impl Run<'_> {
    fn arrive(&mut self, job: HeapJob) {
        self.arrived += 1;
        if self.ring.len() < self.config.ring {
            self.ring.push_back(job);
        } else {
            self.lost += 1;
        }
    }

    /// One operation of the scheduling core, or a wait for the next arrival or completion.
    fn step(&mut self, next_arrival: Time) {
        while self.processor.front().is_some_and(|done| *done <= self.now) {
            self.processor.pop_front();
        }
        if self.held > 0 && self.processor.len() < AHEAD {
            self.dispatch();
        } else if let Some(job) = self.ring.pop_front() {
            self.taken += 1;
            let before = self.buffer.accesses();
            let dropped = self.buffer.offer(job).is_some();
            self.held += usize::from(!dropped);
            self.spend(before, true);
        } else {
            let completion = self.processor.front().filter(|_| self.held > 0);
            let next = completion.map_or(next_arrival, |done| next_arrival.min(*done));
            self.now = next.max(self.now + Duration::from_ps(1));
        }
    }

    fn dispatch(&mut self) {
        let before = self.buffer.accesses();
        let Some(job) = self.buffer.poll() else {
            self.held = 0;
            return;
        };
        self.held -= 1;
        self.spend(before, false);
        let start = self.processor.back().map_or(self.now, |done| self.now.max(*done));
        let done = start + job.work;
        self.processor.push_back(done);
        let begin = Time::ZERO + self.config.warmup;
        if job.innocent && done >= begin && done < begin + self.config.measured {
            self.bytes += job.size;
        }
    }

    /// The time of an operation; `packet` if it took a packet from the ring.
    fn spend(&mut self, accesses_before: u64, packet: bool) {
        let took = match self.config.cost {
            Cost::PerAccess { access, packet: fixed } => {
                let fixed = if packet { fixed } else { Duration::ZERO };
                access * (self.buffer.accesses() - accesses_before) + fixed
            }
            Cost::PerPacket(took) if packet => took,
            Cost::PerPacket(_) => Duration::ZERO,
        };
        self.now += took;
        self.busy += took;
    }
}

#[cfg(test)]
mod tests {
    use super::super::{HeapBuffer, PairBuffer};
    use super::*;

    fn run(buffer: &mut dyn Buffer, attack_gap_ns: u64, cost: Cost) -> TwoCores {
        let job = |innocent, bytes, us| {
            let (size, work) = (Bytes::new(bytes), Duration::from_us(us));
            HeapJob { flow: 0, size, work, innocent }
        };
        // An innocent job of 1 us every 1.25 us.
        let mut arrivals: Vec<(Time, HeapJob)> = (1..8000u64)
            .map(|n| (Time::from_ps(n * 1_250_000), job(true, 1250, 1)))
            .chain(
                (1..10_000_000 / attack_gap_ns)
                    .map(|n| (Time::from_ps(n * attack_gap_ns * 1000), job(false, 64, 10))),
            )
            .collect();
        arrivals.sort_by_key(|(at, _)| *at);
        let (warmup, measured) = (Duration::from_ms(2), Duration::from_ms(6));
        two_cores(TwoCoresConfig { ring: 64, cost, warmup, measured }, buffer, arrivals.into_iter())
    }

    #[test]
    fn a_scheduler_that_keeps_up_loses_nothing_and_one_that_does_not_loses_in_the_ring() {
        let cost = |ns| Cost::PerPacket(Duration::from_ns(ns));
        let fast = run(&mut PairBuffer::new(100), 500, cost(50));
        assert!((fast.goodput.as_bps() as f64 / 8e9 - 1.0).abs() < 0.01, "{fast:?}");
        assert_eq!(fast.ring_loss, 0.0);
        let slow = run(&mut PairBuffer::new(100), 100, cost(200));
        assert!(slow.ring_loss > 0.4 && slow.goodput.as_bps() < 5_000_000_000, "{slow:?}");
        assert!(slow.busy > 0.99);
        let tail = run(&mut HeapBuffer::new(100), 500, cost(50));
        assert!(tail.goodput.as_bps() < 4_000_000_000, "{tail:?}");
        let counted =
            Cost::PerAccess { access: Duration::from_ns(1), packet: Duration::from_ns(9) };
        assert!(run(&mut PairBuffer::new(100), 500, counted).accesses > 10.0);
    }
}
