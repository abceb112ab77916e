//! Occamy as its P4 prototype has it (occamy §5.2): the chip's traffic manager cannot be
//! programmed, so the pipelines around it decide, by what they know.
//!
//! *Admission* in the ingress pipeline is Dynamic Threshold by lengths and a free buffer that a
//! SYNC packet has read in the egress pipeline and brought over. *Expulsion* happens in the egress
//! pipeline: a packet that its port takes is dropped there if its queue is longer than the
//! threshold that the last SYNC packet computed. So a queue gives buffer back only while its own
//! port serves it, and what is dropped takes the port's time.
//!
//! Open in the paper: how often SYNC packets come and how long they take back (parameters; one
//! reads all queues at once), and how fast the traffic manager feeds a port's pipeline while
//! packets are dropped there: `egress_speedup` times as fast as the port sends. The pipeline works
//! ahead while the port sends, as far as packets were there; what it drops meanwhile is decided
//! when the port is free again. A packet's own queue is known as it is: its length comes with the
//! packet.
//!
//! O(1) per packet, O(queues) per SYNC packet. Memory: 4 bytes a queue for each SYNC packet on its
//! way.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use core::mem;

use forebay_parameters::{Choice, Configure, ParameterError};
use forebay_units::{Bytes, Duration, Rate, Time};

use super::over_allocated::OccamyConfig;
use super::{Admission, Exit, OnChipPolicy, PoolShape};
use crate::descriptor::Descriptor;
use crate::onchip::occupancy::PoolView;
use crate::threshold::{Alpha, Comparison};

/// Parameters of [`OccamyP4`].
#[derive(Clone, Copy, Debug, PartialEq, Configure)]
pub struct OccamyP4Config {
    /// Threshold factor of queues that do not have their own.
    #[parameter(declared = OccamyConfig::ALPHA, default = Alpha::power_of_two(3))]
    pub alpha: Alpha,
    /// How often a SYNC packet reads the queues' lengths and computes the threshold of the egress.
    #[parameter(default = Duration::from_us(1))]
    #[parameter(
        assumed = "not stated; about a packet's pass through the chip",
        sensitivity = "occamy/sensitivity-staleness"
    )]
    pub sync_interval: Duration,
    /// How long a SYNC packet takes to bring them to the ingress.
    #[parameter(default = Duration::from_us(1))]
    #[parameter(
        assumed = "not stated; about a packet's pass through the chip",
        sensitivity = "occamy/sensitivity-staleness"
    )]
    pub sync_delay: Duration,
    /// How many times as fast as a port sends its egress pipeline takes packets.
    #[parameter(range = 1..=1024, default = 10)]
    #[parameter(
        assumed = "ports of 10 Gb/s on a chip that has ones of 100 Gb/s (§6.1)",
        sensitivity = "occamy/sensitivity-egress"
    )]
    pub egress_speedup: u32,
}

impl OccamyP4Config {
    /// The most SYNC packets that may be on their way.
    const ON_THE_WAY: u64 = 1024;

    fn check(&self) -> Result<(), ParameterError> {
        if self.sync_interval == Duration::ZERO {
            return Err(
                OccamyP4Config::SYNC_INTERVAL.refuse("SYNC packets need an interval above 0")
            );
        }
        let most = self.sync_interval * OccamyP4Config::ON_THE_WAY;
        if self.sync_delay > most {
            return Err(OccamyP4Config::SYNC_DELAY.refuse(format!(
                "{} is more than {} intervals of {}; give at most {most}",
                self.sync_delay,
                OccamyP4Config::ON_THE_WAY,
                self.sync_interval
            )));
        }
        Ok(())
    }
}

/// What a SYNC packet has read.
#[derive(Clone, Debug)]
struct Reading {
    /// When the ingress knows it.
    known_at: Time,
    /// Of every queue, in cells.
    lengths: Vec<u32>,
    /// Cells.
    free: u32,
}

/// Stale admission, and drops in the egress pipeline.
#[derive(Clone, Debug)]
pub struct OccamyP4 {
    config: OccamyP4Config,
    alphas: Vec<Alpha>,
    /// The port of each queue.
    ports: Vec<u16>,
    port_rate: Rate,
    next_sync: Time,
    /// Free cells as the last SYNC packet found them: the egress knows them at once.
    free: u32,
    on_the_way: VecDeque<Reading>,
    /// What the ingress knows.
    known: Reading,
    /// A list for the next SYNC packet.
    spare: Vec<u32>,
    /// When the egress pipeline of each port has passed what it took.
    passed: Vec<Time>,
}

impl OccamyP4 {
    /// For a pool of this shape.
    ///
    /// # Errors
    /// If SYNC packets have no interval, or too many would be on their way.
    pub fn new(config: &OccamyP4Config, shape: &PoolShape) -> Result<Self, ParameterError> {
        config.check()?;
        let ports: Vec<u16> = shape.queues.iter().map(|queue| queue.port).collect();
        let passed = vec![Time::ZERO; ports.iter().max().map_or(0, |port| usize::from(*port) + 1)];
        let (lengths, free) = (vec![0; ports.len()], shape.capacity);
        Ok(OccamyP4 {
            config: *config,
            alphas: shape.alphas(config.alpha),
            ports,
            port_rate: shape.port_rate,
            next_sync: Time::ZERO,
            free,
            on_the_way: VecDeque::new(),
            known: Reading { known_at: Time::ZERO, lengths, free },
            spare: Vec::new(),
            passed,
        })
    }

    /// Lets SYNC packets read and arrive that have done so by `now`. Since the last call nothing
    /// has changed, so that all after the first have read the same.
    fn synchronize(&mut self, now: Time, pool: PoolView<'_>) {
        if now >= self.next_sync {
            let interval = self.config.sync_interval;
            self.free = pool.free();
            let mut lengths = mem::take(&mut self.spare);
            lengths.clear();
            lengths.extend((0..self.ports.len() as u32).map(|queue| pool.length(queue)));
            let known_at = self.next_sync + self.config.sync_delay;
            self.on_the_way.push_back(Reading { known_at, lengths, free: self.free });
            let later = now.since(self.next_sync).as_ps() / interval.as_ps() + 1;
            self.next_sync += interval * later;
        }
        while self.on_the_way.front().is_some_and(|reading| reading.known_at <= now)
            && let Some(reading) = self.on_the_way.pop_front()
        {
            self.spare = mem::replace(&mut self.known, reading).lengths;
        }
    }
}

/// The choice `occamy-p4`.
pub(super) fn choice() -> Choice<dyn OnChipPolicy> {
    let build = |config: &OccamyP4Config, shape: &PoolShape| {
        Ok(Box::new(OccamyP4::new(config, shape)?) as _)
    };
    Choice::new(
        "occamy-p4",
        "Occamy's P4 prototype: stale lengths decide admission, the egress pipeline drops",
        OccamyP4Config::default(),
        build,
    )
    .labelled("Occamy, P4")
    .prefixed("occamy")
}

impl OnChipPolicy for OccamyP4 {
    fn admit(&mut self, pool: PoolView<'_>, arriving: &Descriptor, cells: u32) -> Admission {
        self.synchronize(arriving.arrived, pool);
        let queue = arriving.queue as usize;
        let length = self.known.lengths[queue];
        if self.alphas[queue].admits(Comparison::With, length, cells, self.known.free) {
            Admission::Accept
        } else {
            Admission::Drop
        }
    }

    fn reads_alpha(&self) -> bool {
        true
    }

    fn reads_port_rate(&self) -> bool {
        true
    }

    /// What the ingress takes it for.
    fn threshold(&self, _pool: PoolView<'_>, queue: u32) -> Option<u32> {
        Some(self.alphas[queue as usize].threshold(self.known.free))
    }

    fn exit(&mut self, now: Time, pool: PoolView<'_>, departing: &Descriptor) -> Exit {
        self.synchronize(now, pool);
        let queue = departing.queue as usize;
        let passed = &mut self.passed[usize::from(self.ports[queue])];
        let line = self.port_rate.time_for(Bytes::new(departing.packet.size.into()));
        let through =
            (*passed).max(departing.arrived) + line / u64::from(self.config.egress_speedup);
        if pool.length(departing.queue) > self.alphas[queue].threshold(self.free) {
            *passed = through;
            Exit::Drop { until: through.max(now) }
        } else {
            *passed = through.max(now);
            Exit::Send
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::onchip::{ChipConfig, MemoryConfig, OnChipVerdict, SharedBuffer};
    use alloc::string::ToString;
    use forebay_parameters::set;
    use forebay_sched::{DropCause, Packet, Rank};

    /// Two ports of 10 Gb/s over ten cells of 1250 B, one packet each: 1 µs on the line.
    fn buffer(settings: &[(&str, &str)]) -> SharedBuffer {
        let chip = ChipConfig {
            ports: 2,
            capacity: Bytes::new(12_500),
            memory: MemoryConfig { cell: 1250, ..MemoryConfig::default() },
            ..ChipConfig::default()
        };
        let mut policy = choice();
        set(&mut policy, &[("alpha", "1"), ("egress_speedup", "4")]).unwrap();
        set(&mut policy, settings).unwrap();
        SharedBuffer::new(&chip, &policy).unwrap()
    }

    fn at(ns: u64) -> Time {
        Time::ZERO + Duration::from_ns(ns)
    }

    fn put(buffer: &mut SharedBuffer, ns: u64, queue: u32) -> OnChipVerdict {
        let packet = Packet { size: 1250, ..Packet::default() };
        buffer.enqueue(at(ns), queue, packet, Rank::default())
    }

    #[test]
    fn the_ingress_admits_by_what_a_sync_packet_brought() {
        let settings = [("sync_interval", "10 us"), ("sync_delay", "2 us")];
        let mut buffer = buffer(&settings);
        // It knows an empty buffer, and takes all that fits.
        for _ in 0..10 {
            assert_eq!(put(&mut buffer, 1, 0), OnChipVerdict::Queued);
        }
        assert_eq!(put(&mut buffer, 9_999, 0), OnChipVerdict::Dropped(DropCause::SramFull));
        assert!(buffer.dequeue(at(9_999), 0).is_some());
        // The next SYNC packet reads nine cells at 10 µs; the ingress knows them at 12 µs.
        assert_eq!(put(&mut buffer, 11_999, 1), OnChipVerdict::Queued);
        assert!(buffer.dequeue(at(11_999), 1).is_some());
        assert_eq!(put(&mut buffer, 12_000, 0), OnChipVerdict::Dropped(DropCause::Threshold));
        assert_eq!(buffer.threshold(0), Some(1));
    }

    #[test]
    fn the_egress_drops_above_the_last_threshold_at_its_own_pace() {
        let settings = [("sync_interval", "10 us"), ("sync_delay", "10 us")];
        let mut buffer = buffer(&settings);
        for _ in 0..8 {
            put(&mut buffer, 1, 0);
        }
        // The threshold is still that of an empty buffer: all are sent.
        assert!(buffer.dequeue(at(1), 0).is_some());
        // From 10 µs on it is 3 cells. The pipeline has had time for the four that have to go.
        assert!(buffer.dequeue(at(10_000), 0).is_some());
        assert_eq!((buffer.losses().len(), buffer.account(0).unwrap().packets()), (4, 2));
        assert!(buffer.losses().iter().all(|loss| loss.cause == DropCause::Expelled));
    }

    #[test]
    fn a_port_waits_while_its_pipeline_drops() {
        let settings = [("sync_interval", "1 us"), ("sync_delay", "100 us")];
        let mut buffer = buffer(&settings);
        for _ in 0..9 {
            put(&mut buffer, 1_900, 0);
        }
        // At 2 µs the threshold is 1 cell. A packet takes a quarter of a microsecond, and none came
        // before 1.9 µs.
        assert_eq!(buffer.dequeue(at(2_000), 0), None);
        assert_eq!((buffer.losses().len(), buffer.free_from(0)), (1, at(2_150)));
        assert_eq!(buffer.dequeue(at(2_100), 0), None);
        assert_eq!(buffer.losses().len(), 0);
        assert_eq!(buffer.free_from(1), Time::ZERO);
        // At 3 µs eight are left and the threshold is 2: in all there was time for four, and the
        // fifth is on its way.
        assert_eq!(buffer.dequeue(at(3_000), 0), None);
        assert_eq!((buffer.losses().len(), buffer.free_from(0)), (4, at(3_150)));
    }

    #[test]
    fn sync_packets_that_never_come_or_pile_up_are_refused() {
        let build = |settings: &[(&str, &str)]| {
            let mut policy = choice();
            set(&mut policy, settings).unwrap();
            SharedBuffer::new(&ChipConfig::default(), &policy).err().unwrap().to_string()
        };
        assert!(build(&[("sync_interval", "0 s")]).contains("above 0"));
        assert!(build(&[("sync_interval", "1 ns"), ("sync_delay", "2 us")]).contains("1.024 us"));
    }
}
