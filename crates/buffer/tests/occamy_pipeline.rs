//! Occamy's hardware against the buffer whose policy it carries out.

use forebay_buffer::onchip::{
    Alpha, ChipConfig, MemoryConfig, OccamyMisuse, OccamyPipeline, OccamyPipelineConfig,
    OnChipVerdict, SharedBuffer, policies,
};
use forebay_parameters::set;
use forebay_sched::{Packet, Rank};
use forebay_units::{Bytes, Duration, Time};

/// A small generator of the tests' own.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(bound)) as u32
    }
}

/// A departure of a packet that takes long puts every drop off until all packets have come and the
/// sweep has seen them. Both admit the same packets; where one queue is over its threshold, they
/// drop the same packets, and in any case no queue stays over it.
#[test]
fn it_admits_and_drops_what_the_buffer_does() {
    let mut alone = 0;
    for seed in 0..200 {
        let mut draw = Draw(seed);
        let alpha_log2 = draw.below(4);
        let config = OccamyPipelineConfig {
            queues: 8,
            cells: 1000,
            alpha_log2,
            sublists_log2: 0,
            largest: 400,
            burst: 400,
        };
        let mut pipeline = OccamyPipeline::new(&config).unwrap();
        let chip = ChipConfig {
            ports: 8,
            capacity: Bytes::new(200_000),
            memory: MemoryConfig {
                sublists: 1,
                cycle: Duration::from_ns(1),
                burst_cycles: 400,
                ..MemoryConfig::default()
            },
            descriptors: 1000,
            largest_packet: 80_000,
            ..ChipConfig::default()
        };
        let policy = policies();
        let mut policy = policy.named("occamy").unwrap().clone();
        set(&mut policy, &[("alpha", &Alpha::power_of_two(alpha_log2 as i32).get().to_string())])
            .unwrap();
        let mut buffer = SharedBuffer::new(&chip, &policy).unwrap();

        // The long one, and its departure at once.
        let put = |pipeline: &mut OccamyPipeline, buffer: &mut SharedBuffer, queue, cells| {
            pipeline.cycle(Some((queue, cells)), None).unwrap();
            let packet = Packet { size: cells * 200, ..Packet::default() };
            buffer.enqueue(Time::ZERO, queue, packet, Rank::default()) == OnChipVerdict::Queued
        };
        assert!(put(&mut pipeline, &mut buffer, 0, 400));
        for _ in 0..5 {
            pipeline.cycle(None, None).unwrap();
        }
        pipeline.cycle(None, Some(0)).unwrap();
        assert!(buffer.dequeue(Time::ZERO, 0).is_some());
        for _ in 0..4 {
            pipeline.cycle(None, None).unwrap();
        }
        assert_eq!(pipeline.free(), 1000);

        // Every other time one queue is filled, and the others stay short.
        let one = seed % 2 == 0;
        let busy = if one { 1 } else { 1 + draw.below(8) };
        let (mut admitted, mut expected) = (Vec::new(), Vec::new());
        for number in 0..150 {
            // At first few queues; all later, which leaves the first ones over their threshold.
            let queue = draw.below(if number < 75 { busy } else { 8 });
            let cells = 1 + draw.below(if number < 75 {
                40
            } else if one {
                2
            } else {
                8
            });
            let packet = Packet { size: cells * 200, ..Packet::default() };
            let verdict = buffer.enqueue(Time::ZERO, queue, packet, Rank::default());
            expected.push(verdict == OnChipVerdict::Queued);
            admitted.extend(pipeline.cycle(Some((queue, cells)), None).unwrap().admitted);
        }
        let mut dropped = Vec::new();
        for _ in 0..4000 {
            let shown = pipeline.cycle(None, None).unwrap();
            admitted.extend(shown.admitted);
            dropped.extend(shown.removed.map(|(queue, cells, _)| (queue, cells)));
        }
        assert_eq!(admitted, expected, "seed {seed}");
        buffer.advance(Time::ZERO + Duration::from_us(1000));
        let losses = buffer.losses().iter().map(|loss| (loss.queue, loss.packet.size / 200));
        let losses: Vec<(u32, u32)> = losses.collect();
        // The round robin is up to three picks ahead of the drops, so queues come in another order.
        if one {
            alone += usize::from(!losses.is_empty());
            assert_eq!(dropped, losses, "seed {seed}");
            for queue in 0..8 {
                assert_eq!(pipeline.length(queue), buffer.account(queue).map(|held| held.cells()));
            }
        }
        for queue in 0..8 {
            let threshold = Alpha::power_of_two(alpha_log2 as i32).threshold(pipeline.free());
            assert!(pipeline.length(queue).unwrap() <= threshold, "seed {seed}");
        }
    }
    assert!(alone > 20, "{alone} seeds with one queue over its threshold");
}

/// Whatever comes: nothing is lost or doubled, only queues over their threshold are dropped from,
/// and none stays over it for longer than the sweep and the drops before it take.
#[test]
fn whatever_comes_drops_are_due_and_come() {
    for seed in 0..50 {
        let mut draw = Draw(1000 + seed);
        let config = OccamyPipelineConfig {
            queues: 5,
            cells: 60,
            alpha_log2: seed as u32 % 4,
            ..Default::default()
        };
        let alpha = Alpha::power_of_two(config.alpha_log2 as i32);
        let mut pipeline = OccamyPipeline::new(&config).unwrap();
        let mut drops = 0;
        for cycle in 0..5000 {
            let calm = cycle % 500 >= 400;
            let arrival = (!calm && draw.below(3) != 0).then(|| (draw.below(5), 1 + draw.below(8)));
            let departure = (!calm && draw.below(12) == 0).then(|| draw.below(5));
            let before = pipeline.clone();
            let shown = match pipeline.cycle(arrival, departure) {
                Err(OccamyMisuse::TooSoon(_)) => pipeline.cycle(arrival, None).unwrap(),
                shown => shown.unwrap(),
            };
            let held: u32 = (0..5).filter_map(|queue| pipeline.length(queue)).sum();
            assert_eq!(held + pipeline.free(), 60);
            if let Some((queue, _, true)) = shown.removed {
                drops += 1;
                // Nothing has changed since the decision, a cycle ago, but by arrivals.
                assert!(before.length(queue).unwrap() > alpha.threshold(before.free()));
            }
            if cycle % 500 == 499 {
                for queue in 0..5 {
                    assert!(pipeline.length(queue).unwrap() <= alpha.threshold(pipeline.free()));
                }
            }
        }
        assert!(drops > 0);
    }
}

#[test]
fn what_it_cannot_be_is_refused_by_name() {
    let build = |config| OccamyPipeline::new(&config).map(|_| ()).unwrap_err().to_string();
    let with = OccamyPipelineConfig::default;
    assert!(build(OccamyPipelineConfig { queues: 1, ..with() }).contains("queues"));
    assert!(build(OccamyPipelineConfig { largest: 100, ..with() }).contains("give at least 25"));
    let mut pipeline = OccamyPipeline::new(&with()).unwrap();
    assert_eq!(pipeline.cycle(Some((64, 1)), None), Err(OccamyMisuse::NoQueue(64)));
    assert_eq!(pipeline.cycle(Some((0, 9)), None), Err(OccamyMisuse::NoPacket(9)));
    assert!(pipeline.cycle(None, Some(3)).is_ok());
    assert_eq!(pipeline.cycle(None, Some(3)), Err(OccamyMisuse::TooSoon(3)));
}
