//! Lossless classes beside lossy ones under every scheme: each packet and cell has exactly one
//! place, and nothing of a lossless class is lost but where headroom is full.
#![allow(clippy::unwrap_used)]

use forebay_buffer::DropCause;
use forebay_buffer::onchip::{
    Alpha, ChipConfig, IngressConfig, MemoryConfig, OnChipVerdict, PRIORITIES, PauseAt,
    SharedBuffer, policies,
};
use forebay_parameters::Entry;
use forebay_sched::{Packet, Rank};
use forebay_units::{Bytes, Duration, Time};
use proptest::prelude::*;

const INPUTS: u16 = 3;

/// Three ports with a lossy class 0 and a lossless class 1.
fn chip(pause_at: PauseAt, headroom_pool: Option<u32>) -> ChipConfig {
    let mut classes = [false; PRIORITIES];
    classes[1] = true;
    ChipConfig {
        ports: 3,
        classes: 2,
        capacity: Bytes::new(200 * 200),
        memory: MemoryConfig { cycle: Duration::from_ns(10), ..MemoryConfig::default() },
        descriptors: 200,
        ingress: Some(IngressConfig {
            classes,
            headroom: vec![16; INPUTS.into()],
            headroom_pool,
            pause_at: Some(pause_at),
            resume: 4,
        }),
        ..ChipConfig::default()
    }
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

fn run(name: &str, chip: &ChipConfig, steps: &[(u64, Step)]) {
    let mut buffer = SharedBuffer::new(chip, policies().named(name).unwrap()).unwrap();
    let mut now = Time::ZERO;
    let mut paused = [false; INPUTS as usize];
    for (index, (wait, step)) in steps.iter().enumerate() {
        now += Duration::from_ns(*wait);
        let (mut drained, mut refused_at) = (false, None);
        match *step {
            Step::Enqueue { port, class, input, size } => {
                let queue = buffer.queue(port, class).unwrap();
                let packet = Packet { size, input, tag: index as u32, ..Packet::default() };
                let verdict = buffer.enqueue(now, queue, packet, Rank::default());
                if class == 1 {
                    let refused = OnChipVerdict::Dropped(DropCause::HeadroomFull);
                    assert!([OnChipVerdict::Queued, refused].contains(&verdict), "{name}");
                    refused_at = (verdict == refused).then_some(usize::from(input));
                }
            }
            Step::Dequeue { port, class } => {
                let queue = buffer.queue(port, class).unwrap();
                let held = buffer.account(queue).unwrap().packets();
                let left = buffer.dequeue(now, queue);
                // Nothing is dropped on its way to the port, but may wait after a lossy packet
                // that was.
                let waits = buffer.free_from(port) > now;
                assert!(class == 0 || waits || left.is_some() == (held > 0), "{name}");
            }
            Step::Drain { port } => {
                buffer.drain(now, buffer.queue(port, 1).unwrap(), DropCause::Watchdog);
                drained = true;
            }
        }
        buffer.audit().unwrap();
        assert!(drained || buffer.losses().iter().all(|loss| loss.queue.is_multiple_of(2)));
        while let Some(call) = buffer.next_pause_call() {
            let before = std::mem::replace(&mut paused[usize::from(call.input)], call.on);
            assert_ne!(before, call.on, "told twice");
        }
        assert!(refused_at.is_none_or(|input| paused[input]), "lost, and not even paused");
    }
    // When everything has left, nobody is paused.
    for queue in 0..buffer.queues() {
        now += Duration::from_ms(1);
        buffer.drain(now, queue, DropCause::Watchdog);
    }
    while let Some(call) = buffer.next_pause_call() {
        paused[usize::from(call.input)] = call.on;
    }
    assert_eq!((paused, buffer.headroom().0), ([false; INPUTS as usize], 0), "{name}");
    buffer.audit().unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_scheme_keeps_its_hands_off_lossless_classes(
        steps in steps(),
        pause_at in prop_oneof![
            Just(PauseAt::Cells(20)),
            Just(PauseAt::Share(Alpha::power_of_two(-2))),
            Just(PauseAt::Share(Alpha::power_of_two(3))),
        ],
        headroom_pool in prop_oneof![Just(None), Just(Some(20))],
    ) {
        for info in &policies() {
            run(info.name(), &chip(pause_at, headroom_pool), &steps);
        }
    }
}

#[test]
fn a_buffer_that_headroom_fills_is_refused() {
    let policy = policies().named("dt").unwrap().clone();
    let mut chip = chip(PauseAt::Cells(20), None);
    chip.capacity = Bytes::new(200 * 55);
    let error = SharedBuffer::new(&chip, &policy).err().unwrap();
    assert_eq!(error.name(), "capacity");
    chip.pools = vec![Bytes::new(200), Bytes::new(200)];
    chip.capacity = Bytes::new(200 * 200);
    assert_eq!(SharedBuffer::new(&chip, &policy).err().unwrap().name(), "pools");
}
