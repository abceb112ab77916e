//! The hardware of three admission schemes against the buffer whose policies they carry out.

#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

use forebay_buffer::onchip::{
    AbmPipelineConfig, Admission, AdmissionMisuse, AdmissionPipeline, AdmissionPipelineConfig,
    AdmissionScheme, Alpha, ChipConfig, DtPipelineConfig, OnChipVerdict, SharedBuffer, Victim,
    policies,
};
use forebay_parameters::set;
use forebay_sched::{Packet, Rank};
use forebay_units::{Bytes, Time};

/// A small generator of the tests' own.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(bound)) as u32
    }
}

const QUEUES: u32 = 8;
const CELLS: u32 = 300;
const LARGEST: u32 = 12;

fn pipeline(scheme: AdmissionScheme) -> AdmissionPipeline {
    let config = AdmissionPipelineConfig { queues: QUEUES, cells: CELLS, largest: LARGEST };
    AdmissionPipeline::new(&config, &scheme).unwrap()
}

/// A buffer of four ports of two classes under `policy`; classes are queues' numbers modulo 2.
fn buffer(policy: &str, settings: &[(&str, &str)]) -> SharedBuffer {
    let chip = ChipConfig {
        ports: 4,
        classes: 2,
        capacity: Bytes::new(u64::from(CELLS) * 200),
        descriptors: CELLS,
        largest_packet: LARGEST * 200,
        ..ChipConfig::default()
    };
    let mut policy = policies().named(policy).unwrap().clone();
    set(&mut policy, settings).unwrap();
    SharedBuffer::new(&chip, &policy).unwrap()
}

/// Both in step: one operation at a time, its verdict awaited.
struct Both {
    pipeline: AdmissionPipeline,
    buffer: SharedBuffer,
    /// Cells of each queue's packets, from the head.
    packets: Vec<Vec<u32>>,
    pushed_out: u32,
    dropped: u32,
}

impl Both {
    fn new(pipeline: AdmissionPipeline, buffer: SharedBuffer) -> Self {
        let packets = vec![Vec::new(); QUEUES as usize];
        Both { pipeline, buffer, packets, pushed_out: 0, dropped: 0 }
    }

    /// The verdict of the core on a packet.
    fn verdict(&mut self, queue: u32, cells: u32) -> Admission {
        let mut shown = self.pipeline.cycle(Some((queue, cells)), None).unwrap();
        for _ in 0..self.pipeline.latency() {
            assert_eq!(shown, None);
            shown = self.pipeline.cycle(None, None).unwrap();
        }
        shown.unwrap()
    }

    fn leaves(&mut self, queue: u32, cells: u32) {
        self.pipeline.cycle(None, Some((queue, cells))).unwrap();
        for _ in 0..4 {
            self.pipeline.cycle(None, None).unwrap();
        }
    }

    /// Offers a packet to both, as often as the core says that another has to go first.
    fn offer(&mut self, queue: u32, cells: u32) {
        let packet = Packet { size: cells * 200, ..Packet::default() };
        let expected = self.buffer.enqueue(Time::ZERO, queue, packet, Rank::default());
        let losses: Vec<(u32, u32)> =
            self.buffer.losses().iter().map(|loss| (loss.queue, loss.packet.size / 200)).collect();
        let mut victims = Vec::new();
        let accepted = loop {
            match self.verdict(queue, cells) {
                Admission::Accept => break true,
                Admission::Drop => break false,
                Admission::PushOut(Victim::Tail(victim)) => {
                    let gone = self.packets[victim as usize].pop().unwrap();
                    victims.push((victim, gone));
                    self.leaves(victim, gone);
                }
                Admission::PushOut(Victim::Head(_) | Victim::Packet(_)) => unreachable!(),
            }
        };
        assert_eq!(accepted, expected == OnChipVerdict::Queued);
        self.pushed_out += victims.len() as u32;
        if accepted {
            self.packets[queue as usize].push(cells);
        } else {
            self.dropped += 1;
        }
        assert_eq!(victims, losses);
        for queue in 0..QUEUES {
            let held = self.buffer.account(queue).map(|held| held.cells());
            assert_eq!(self.pipeline.length(queue), held);
        }
    }

    fn send(&mut self, queue: u32) {
        if self.packets[queue as usize].is_empty() {
            return;
        }
        let cells = self.packets[queue as usize].remove(0);
        assert_eq!(self.buffer.dequeue(Time::ZERO, queue).unwrap().packet.size, cells * 200);
        self.leaves(queue, cells);
    }

    /// A stream over few or all queues.
    fn play(mut self, seed: u64, queues: u32) -> Self {
        let mut draw = Draw(seed);
        let mut busy = queues;
        for number in 0..600 {
            if number % 60 == 0 {
                busy = 1 + draw.below(queues);
            }
            if draw.below(3) == 0 {
                self.send(draw.below(queues));
            } else {
                self.offer(draw.below(busy), 1 + draw.below(LARGEST));
            }
        }
        self
    }
}

#[test]
fn dynamic_threshold_says_what_the_policy_says() {
    for seed in 0..20 {
        let alpha_log2 = seed as u32 % 4;
        let alpha = Alpha::power_of_two(alpha_log2 as i32).get().to_string();
        let scheme = AdmissionScheme::Dt(DtPipelineConfig { alpha_log2 });
        let both = Both::new(pipeline(scheme), buffer("dt", &[("alpha", &alpha)]));
        assert!(both.play(seed, QUEUES).dropped > 0);
    }
}

#[test]
fn pushout_takes_from_the_queue_from_which_the_policy_takes() {
    let mut pushed_out = 0;
    for seed in 0..20 {
        let both = Both::new(pipeline(AdmissionScheme::Pushout), buffer("pushout", &[]));
        pushed_out += both.play(seed, QUEUES).pushed_out;
    }
    assert!(pushed_out > 100, "{pushed_out}");
}

/// Where nothing is rounded: two queues of a class, each of them congested by one cell, and a drain
/// rate that is not believed. The policy counts the arriving packet's queue before its decision,
/// the core after it; a packet of one cell, which both admit, comes ahead where that matters.
#[test]
fn abm_says_what_the_policy_says_where_nothing_is_rounded() {
    for seed in 0..20 {
        let scheme = AdmissionScheme::Abm(AbmPipelineConfig {
            alpha_log2: 1,
            classes_log2: 1,
            congested: 1,
            interval_log2: 24,
            port_cells: 1,
        });
        let settings = [("alpha", "2"), ("congested", "1 B"), ("interval", "1 s")];
        let mut both = Both::new(pipeline(scheme), buffer("abm", &settings));
        let mut draw = Draw(seed);
        let mut counted = [false; 4];
        for _ in 0..400 {
            let queue = draw.below(4);
            if draw.below(3) == 0 {
                both.send(queue);
                continue;
            }
            let waits = |both: &Both| !both.packets[queue as usize].is_empty();
            while counted[queue as usize] != waits(&both) {
                counted[queue as usize] = waits(&both);
                both.offer(queue, 1);
            }
            both.offer(queue, 1 + draw.below(LARGEST));
        }
        assert!(both.dropped > 0, "seed {seed}");
    }
}

/// Whatever comes.
#[test]
fn cells_are_neither_lost_nor_doubled_and_misuse_changes_nothing() {
    let abm = AbmPipelineConfig {
        classes_log2: 1,
        congested: 20,
        interval_log2: 5,
        port_cells: 40,
        ..Default::default()
    };
    for scheme in [
        AdmissionScheme::Dt(DtPipelineConfig::default()),
        AdmissionScheme::Abm(abm),
        AdmissionScheme::Pushout,
    ] {
        let mut pipeline = pipeline(scheme);
        let mut draw = Draw(7);
        let (mut misused, mut accepted) = (0, 0);
        for _ in 0..20_000 {
            let mut packet = || (draw.below(QUEUES + 1), draw.below(LARGEST + 2));
            let arrival = Some(packet());
            let leaves = Some(packet()).filter(|(queue, _)| queue % 2 == 0);
            let before = pipeline.clone();
            match pipeline.cycle(arrival, leaves) {
                Ok(verdict) => accepted += u32::from(verdict == Some(Admission::Accept)),
                Err(_) => {
                    misused += 1;
                    assert_eq!(pipeline.free(), before.free());
                }
            }
            let held: u32 = (0..QUEUES).filter_map(|queue| pipeline.length(queue)).sum();
            assert_eq!(held + pipeline.free(), CELLS);
        }
        assert!(misused > 0 && accepted > 0);
    }
}

#[test]
fn what_it_cannot_be_is_refused_by_name() {
    let build = |config, scheme| {
        AdmissionPipeline::new(&config, &scheme).map(|_| ()).unwrap_err().to_string()
    };
    let with = AdmissionPipelineConfig::default;
    let abm = AbmPipelineConfig::default;
    let dt = AdmissionScheme::Dt(DtPipelineConfig::default());
    assert!(build(AdmissionPipelineConfig { queues: 1, ..with() }, dt).contains("queues"));
    let large = AdmissionPipelineConfig { cells: 5, ..with() };
    assert!(build(large, AdmissionScheme::Pushout).contains("give at most 5"));
    let alpha = AdmissionScheme::Dt(DtPipelineConfig { alpha_log2: 16 });
    assert!(build(with(), alpha).contains("alpha_log2"));
    for (wrong, said) in [
        (AbmPipelineConfig { congested: 2051, ..abm() }, "give at most 2050"),
        (AbmPipelineConfig { interval_log2: 5, ..abm() }, "give at least 6"),
        (AbmPipelineConfig { port_cells: 8191, ..abm() }, "give at most 8190"),
        (AbmPipelineConfig { classes_log2: 4, ..abm() }, "classes_log2"),
    ] {
        let message = build(with(), AdmissionScheme::Abm(wrong));
        assert!(message.contains(said), "{message}");
    }
    let mut pipeline = AdmissionPipeline::new(&with(), &AdmissionScheme::Pushout).unwrap();
    assert_eq!(pipeline.cycle(Some((64, 1)), None), Err(AdmissionMisuse::NoQueue(64)));
    assert_eq!(pipeline.cycle(Some((0, 9)), None), Err(AdmissionMisuse::NoPacket(9)));
    assert_eq!(pipeline.cycle(None, Some((0, 1))), Err(AdmissionMisuse::NotThere(0)));
    assert_eq!(pipeline.cycle(Some((0, 1)), None), Ok(None));
    while pipeline.cycle(None, None) == Ok(None) {}
    assert_eq!(pipeline.cycle(Some((1, 1)), Some((0, 1))), Err(AdmissionMisuse::OneAtATime));
}
