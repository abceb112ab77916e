//! Priority groups beside queues under every scheme: each packet is charged once on each side,
//! pools hold what their groups do, and a group that pauses goes on once it is empty.
#![allow(clippy::unwrap_used)]

use forebay_buffer::DropCause;
use forebay_buffer::onchip::{
    Alpha, ChipConfig, GroupConfig, GroupsConfig, InputPool, MemoryConfig, OnChipVerdict, PauseAt,
    Resume, SharedBuffer, policies,
};
use forebay_parameters::Entry;
use forebay_sched::{Packet, Rank};
use forebay_units::{Bytes, Duration, Time};
use proptest::prelude::*;

const INPUTS: u16 = 3;

/// Three ports with two classes, each with an egress pool of its own; groups of the second class
/// pause, those of the first do not, and the last input's first class is not counted.
fn buffer(name: &str, threshold: PauseAt, headroom: Option<u32>, resume: Resume) -> SharedBuffer {
    let chip = ChipConfig {
        ports: 3,
        classes: 2,
        capacity: Bytes::new(200 * 200),
        memory: MemoryConfig { cycle: Duration::from_ns(10), ..MemoryConfig::default() },
        descriptors: 200,
        ..ChipConfig::default()
    };
    let mut groups = GroupsConfig {
        pools: vec![InputPool { shared: 90, headroom }, InputPool { shared: 60, headroom: None }],
        ..GroupsConfig::default()
    };
    for input in 0..INPUTS {
        for class in 0..2 {
            if (input, class) == (INPUTS - 1, 0) {
                groups.charged.push(None);
                continue;
            }
            groups.charged.push(Some(groups.groups.len() as u16));
            groups.groups.push(GroupConfig {
                pool: u16::from(class == 0),
                input,
                reserved: 4 * u32::from(input),
                threshold: if class == 0 { PauseAt::Cells(40) } else { threshold },
                headroom: if class == 0 { 0 } else { 16 },
                pauses: (class == 1).then_some(3),
                resume,
            });
        }
    }
    let buffer = SharedBuffer::new(&chip, policies().named(name).unwrap()).unwrap();
    buffer.charging(groups).unwrap()
}

#[derive(Clone, Debug)]
enum Step {
    Enqueue { port: u16, class: u16, input: u16, size: u32 },
    Dequeue { port: u16, class: u16 },
    Drain { port: u16 },
}

fn steps() -> impl Strategy<Value = Vec<(u64, Step)>> {
    let enqueue = (0u16..3, 0u16..2, 0..INPUTS, 1u32..1501)
        .prop_map(|(port, class, input, size)| Step::Enqueue { port, class, input, size });
    let dequeue = (0u16..3, 0u16..2).prop_map(|(port, class)| Step::Dequeue { port, class });
    let drain = (0u16..3).prop_map(|port| Step::Drain { port });
    let step = prop_oneof![30 => enqueue, 20 => dequeue, 1 => drain];
    proptest::collection::vec((0u64..60, step), 1..300)
}

fn run(name: &str, mut buffer: SharedBuffer, steps: &[(u64, Step)]) {
    let mut now = Time::ZERO;
    let mut paused = [false; INPUTS as usize];
    for (index, (wait, step)) in steps.iter().enumerate() {
        now += Duration::from_ns(*wait);
        match *step {
            Step::Enqueue { port, class, input, size } => {
                let queue = buffer.queue(port, class).unwrap();
                let packet = Packet { size, input, tag: index as u32, ..Packet::default() };
                let refused: u64 = buffer.groups().iter().map(|group| group.refused).sum();
                let verdict = buffer.enqueue(now, queue, packet, Rank::default());
                let more: u64 = buffer.groups().iter().map(|group| group.refused).sum();
                let headroom = OnChipVerdict::Dropped(DropCause::HeadroomFull);
                assert!(verdict != headroom || (class == 1 && more == refused + 1), "{name}");
                assert!(more == refused || verdict != OnChipVerdict::Queued, "{name}");
            }
            Step::Dequeue { port, class } => {
                buffer.dequeue(now, buffer.queue(port, class).unwrap());
            }
            Step::Drain { port } => {
                buffer.drain(now, buffer.queue(port, 1).unwrap(), DropCause::Watchdog);
            }
        }
        buffer.audit().unwrap();
        while let Some(call) = buffer.next_pause_call() {
            assert_eq!(call.class, 3);
            let before = std::mem::replace(&mut paused[usize::from(call.input)], call.on);
            assert_ne!(before, call.on, "told twice");
        }
        let now_paused = buffer.groups().iter().filter(|group| group.paused).count();
        assert_eq!(now_paused, paused.iter().filter(|on| **on).count());
    }
    for queue in 0..buffer.queues() {
        now += Duration::from_ms(1);
        buffer.drain(now, queue, DropCause::Watchdog);
    }
    buffer.audit().unwrap();
    assert!(buffer.groups().iter().all(|group| group.held + group.headroom == 0 && !group.paused));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_packet_is_charged_once_on_each_side(
        steps in steps(),
        share in any::<bool>(),
        exponent in -4i32..3,
        cells in 0u32..60,
        headroom in proptest::option::of(0u32..40),
        below in 0u32..20,
        offset in proptest::option::of(0u32..20),
    ) {
        let alpha = Alpha::power_of_two(exponent);
        let threshold = if share { PauseAt::Share(alpha) } else { PauseAt::Cells(cells) };
        let resume = Resume { below, offset };
        for policy in &policies() {
            let name = policy.name();
            run(name, buffer(name, threshold, headroom, resume), &steps);
        }
    }
}

#[test]
fn groups_and_lossless_classes_exclude_each_other() {
    use forebay_buffer::onchip::{IngressConfig, PRIORITIES};
    let ingress = IngressConfig {
        classes: [true; PRIORITIES],
        headroom: vec![10; 2],
        headroom_pool: None,
        pause_at: Some(PauseAt::Cells(10)),
        resume: 1,
    };
    let chip = ChipConfig { ingress: Some(ingress), ..ChipConfig::default() };
    let buffer = SharedBuffer::new(&chip, policies().named("dt").unwrap()).unwrap();
    let refused = buffer.charging(GroupsConfig::default()).err().unwrap();
    assert!(refused.to_string().contains("give one of the two"), "{refused}");
}
