//! Every policy under random traffic: after every operation each packet, cell and byte has exactly one
//! place, and every decision that a policy takes is checked by a scan of all queues.
#![allow(clippy::unwrap_used, clippy::panic)]

use forebay_buffer::DropCause;
use forebay_buffer::onchip::{
    Admission, Alpha, ChipConfig, MemoryConfig, POLICIES, Policy, PolicyConfig, Pool, QueueConfig,
    Removal, SharedBuffer, Verdict, Victim, policy,
};
use forebay_buffer::{Arriving, Descriptor};
use forebay_sched::{Packet, Rank};
use forebay_units::{Bytes, Duration, Time};
use proptest::prelude::*;

/// Looks over the shoulder of a policy and checks what it decides.
struct Witness {
    name: &'static str,
    inner: Box<dyn Policy>,
    members: Vec<u32>,
    /// Queues of the packets that wait, by id.
    queues: Vec<u32>,
}

impl Witness {
    fn longest(&self, pool: Pool<'_>) -> u32 {
        self.members.iter().map(|queue| pool.length(*queue)).max().unwrap()
    }

    fn queue_of(&self, victim: Victim) -> u32 {
        match victim {
            Victim::Head(queue) | Victim::Tail(queue) => queue,
            Victim::Packet(id) => self.queues[id as usize],
        }
    }

    fn check_admission(&self, pool: Pool<'_>, queue: u32, cells: u32, answer: Admission) {
        let with_packet = pool.length(queue) + cells;
        let fits = cells <= pool.free();
        match (self.name, answer) {
            ("complete-sharing", answer) => assert_eq!(answer, Admission::Accept),
            ("pushout" | "pot" | "quasi-pushout", Admission::Accept) => assert!(fits),
            // Nobody drops what fits, nobody pushes out for it, and only the longest pays.
            ("pushout" | "pot" | "quasi-pushout", _) if fits => panic!("{} refuses", self.name),
            ("pushout", Admission::Drop) => assert!(with_packet >= self.longest(pool)),
            ("pushout" | "pot", Admission::PushOut(victim)) => {
                assert_eq!(pool.length(self.queue_of(victim)), self.longest(pool));
            }
            ("quasi-pushout", Admission::PushOut(victim)) => {
                assert!(pool.length(self.queue_of(victim)) > with_packet);
            }
            ("pot" | "quasi-pushout", Admission::Drop) => {}
            ("harmonic", _) => self.check_harmonic(pool, queue, with_packet, answer),
            (name, answer) => {
                let within = with_packet <= self.inner.threshold(pool, queue).unwrap();
                assert_eq!(answer == Admission::Accept, within, "{name}");
                assert!(!matches!(answer, Admission::PushOut(_)), "{name} pushes out");
            }
        }
    }

    fn check_harmonic(&self, pool: Pool<'_>, queue: u32, with_packet: u32, answer: Admission) {
        let ahead = |other: &&u32| **other != queue && pool.length(**other) >= with_packet;
        let place = 1 + self.members.iter().filter(ahead).count();
        let sum: f64 = (1..=self.members.len()).map(|place| 1.0 / place as f64).sum();
        let limit = f64::from(pool.capacity()) / (place as f64 * sum);
        assert_eq!(answer == Admission::Accept, f64::from(with_packet) <= limit.floor());
    }
}

impl Policy for Witness {
    fn admit(&mut self, pool: Pool<'_>, arriving: &Arriving, cells: u32) -> Admission {
        assert!(cells > 0 && self.members.contains(&arriving.queue));
        let lengths: u32 = self.members.iter().map(|queue| pool.length(*queue)).sum();
        assert_eq!(lengths, pool.used());
        let answer = self.inner.admit(pool, arriving, cells);
        self.check_admission(pool, arriving.queue, cells, answer);
        answer
    }

    fn threshold(&self, pool: Pool<'_>, queue: u32) -> Option<u32> {
        self.inner.threshold(pool, queue)
    }

    fn next_expulsion(&mut self, pool: Pool<'_>) -> Option<Victim> {
        let over = |queue: u32| pool.length(queue) > self.inner.threshold(pool, queue).unwrap();
        let any = self.name.starts_with("occamy") && self.members.iter().any(|queue| over(*queue));
        let victim = self.inner.next_expulsion(pool);
        assert_eq!(victim.is_some(), any, "{}", self.name);
        if let Some(victim) = victim {
            // Occamy never expels from a queue within its threshold.
            let queue = self.queue_of(victim);
            assert!(pool.length(queue) > self.inner.threshold(pool, queue).unwrap());
        }
        victim
    }

    fn enqueued(&mut self, pool: Pool<'_>, id: u32, packet: &Descriptor) {
        self.queues.resize(self.queues.len().max(id as usize + 1), u32::MAX);
        self.queues[id as usize] = packet.queue;
        self.inner.enqueued(pool, id, packet);
    }

    fn removed(&mut self, pool: Pool<'_>, id: u32, packet: &Descriptor, how: Removal) {
        self.queues[id as usize] = u32::MAX;
        self.inner.removed(pool, id, packet, how);
    }
}

/// Two pools, reservations, two values of α: everything that can interact.
fn chip() -> ChipConfig {
    let high = QueueConfig { alpha: Some(Alpha::power_of_two(3)), ..QueueConfig::default() };
    let low =
        QueueConfig { alpha: Alpha::new(0.7), reserved: Bytes::new(600), ..QueueConfig::default() };
    let other = QueueConfig { pool: 1, limit: Some(Bytes::new(3000)), ..QueueConfig::default() };
    ChipConfig {
        ports: 3,
        classes: 3,
        capacity: Bytes::new(100 * 200),
        pools: vec![Bytes::new(60 * 200), Bytes::new(31 * 200)],
        queues: vec![high, low, other],
        memory: MemoryConfig {
            cycle: Duration::from_ns(10),
            sublists: 2,
            ..MemoryConfig::default()
        },
        descriptors: 70,
        ..ChipConfig::default()
    }
}

fn witnessed(name: &'static str) -> SharedBuffer {
    let config = PolicyConfig::default();
    SharedBuffer::with_policies(&chip(), |_, shape| {
        let members = (0..).zip(&shape.queues).filter(|(_, queue)| queue.member);
        let members = members.map(|(number, _)| number).collect();
        let inner = policy(name, &config, shape)?;
        Ok(Box::new(Witness { name, inner, members, queues: Vec::new() }))
    })
    .unwrap()
}

#[derive(Clone, Debug)]
enum Step {
    Enqueue { queue: u32, size: u32, rank: u64 },
    Dequeue { queue: u32 },
    HeadDrop { queue: u32 },
    Advance,
}

/// Queue 9 does not exist. One queue in each pool gets most of the packets.
fn steps() -> impl Strategy<Value = Vec<(u64, Step)>> {
    let queue = || prop_oneof![4 => Just(0u32), 3 => Just(1u32), 2 => Just(2u32), 3 => 0u32..10];
    let size = prop_oneof![3 => Just(1500u32), 2 => 0u32..1501, 1 => 1u32..201, 1 => 1501u32..9000];
    let step = prop_oneof![
        12 => (queue(), size, 0u64..5).prop_map(|(queue, size, rank)| Step::Enqueue { queue, size, rank }),
        5 => queue().prop_map(|queue| Step::Dequeue { queue }),
        1 => queue().prop_map(|queue| Step::HeadDrop { queue }),
        1 => Just(Step::Advance),
    ];
    proptest::collection::vec((0u64..60, step), 1..400)
}

fn run(name: &'static str, steps: &[(u64, Step)]) {
    let mut buffer = witnessed(name);
    let mut now = Time::ZERO;
    for (index, (wait, step)) in steps.iter().enumerate() {
        now += Duration::from_ns(*wait);
        let lost = buffer.counters().lost().packets;
        let overdrawn = buffer.spare_bandwidth().1;
        let mut refused = 0;
        match *step {
            Step::Enqueue { queue, size, rank } => {
                let packet = Packet { size, tag: index as u32, ..Packet::default() };
                let verdict = buffer.enqueue(now, queue, packet, Rank::new(rank));
                refused = u64::from(verdict != Verdict::Queued);
                assert_eq!(verdict == Verdict::Dropped(DropCause::NoQueue), queue >= 9);
            }
            Step::Dequeue { queue } => {
                buffer.dequeue(now, queue);
            }
            Step::HeadDrop { queue } => {
                buffer.head_drop(now, queue);
            }
            Step::Advance => {
                buffer.advance(now);
                // Expulsions never take bandwidth that is not there.
                assert!(buffer.spare_bandwidth().1 <= overdrawn);
            }
        }
        buffer.audit().unwrap();
        let losses = buffer.losses();
        assert_eq!(buffer.counters().lost().packets - lost, losses.len() as u64 + refused);
        assert!(losses.is_sorted_by_key(|loss| loss.at));
        assert!(losses.iter().all(|loss| loss.at <= now));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_policy_conserves_and_keeps_its_word(steps in steps()) {
        for info in POLICIES {
            run(info.name, &steps);
        }
    }
}

#[test]
fn fifo_order_survives_push_outs_and_expulsions() {
    for info in POLICIES {
        let mut buffer = witnessed(info.name);
        let mut now = Time::ZERO;
        let mut last = [None; 9];
        for index in 0..5000u32 {
            now += Duration::from_ns(7);
            let queue = index * 7 % 9;
            let packet = Packet { size: 300 + index % 1200, tag: index, ..Packet::default() };
            buffer.enqueue(now, queue, packet, Rank::new(u64::from(index % 3)));
            if index % 3 == 0
                && let Some(departure) = buffer.dequeue(now, index / 3 % 9)
            {
                let last = &mut last[departure.queue as usize];
                assert!(last.is_none_or(|last| last < departure.packet.tag), "{}", info.name);
                *last = Some(departure.packet.tag);
            }
        }
    }
}
